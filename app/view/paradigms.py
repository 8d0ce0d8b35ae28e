"""How paradigms are shown: a word, a colour and a sentence each, and of each body which one it is.

The colours are far apart for those who cannot tell red from green or blue from yellow too, and in lightness as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from app.view.viewport.palette import BROKEN, colour_array
from engine.arrays import Bools, Floats32


@dataclass(frozen=True)
class Paradigm:
    """What is shown of one state of a body."""

    name: str
    word: str
    colour: str
    hint: str


PARADIGMS = (
    Paradigm("free", "Free flight", "#86c5ef", "No contacts"),
    Paradigm("impulse", "Impulse", "#e07020", "All its contacts are resolved by impulses, collision by collision"),
    Paradigm("constraint", "Constraint", "#1d6fc0", "All its contacts are constraints of a contact group"),
    Paradigm("mixed", "Mixed", "#f2e04a", "Some of its contacts are constraints, some are resolved by impulses"),
    Paradigm("scripted", "Static or kinematic", "#a3a39b", "Fixed, or on a prescribed motion"),
    Paradigm("stopped", "Stopped", BROKEN, "It could not go on: crushed, or no longer finite"),
    Paradigm("penalty", "Penalty", "#86261b", "Springs and dampers resist overlap at its contacts"),
    Paradigm("asleep", "Asleep", "#3c4154", "Its contact group is at rest and costs nothing until it is woken"),
)
"""The engine's PARADIGMS in their order, and sleep."""
_ASLEEP = len(PARADIGMS) - 1
_UNEVEN = 0.2
_LIGHT = colour_array([paradigm.colour for paradigm in PARADIGMS])


class Instant(Protocol):
    """What says how bodies are modelled: a `Frame` for one."""

    @property
    def paradigms(self) -> NDArray[np.int8] | None: ...
    @property
    def asleep(self) -> Bools | None: ...


def states_of(frame: Instant) -> NDArray[np.int8] | None:
    """Places in PARADIGMS of all bodies, (n,); None if the frame does not say."""
    if frame.paradigms is None or frame.asleep is None:
        return None
    return np.where(frame.asleep, np.int8(_ASLEEP), frame.paradigms)


def light_of(states: NDArray[np.int8]) -> Floats32:
    """Amounts of light that bodies in these states wear, (n, 3): a little more or less by row, to tell stacked ones."""
    more = _UNEVEN * (np.arange(len(states)) % 3 - 1)
    return np.asarray(_LIGHT[states] * (1.0 + more)[:, None], dtype=np.float32)
