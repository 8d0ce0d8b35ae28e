"""How paradigms are shown: a word, a colour and a sentence each, and of each body which one it is.

The colours are far apart for those who cannot tell red from green or blue from yellow too, and in lightness as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.simulation.messages import Frame
from app.view.viewport.palette import BROKEN, colour_array


@dataclass(frozen=True)
class Paradigm:
    """What is shown of one state of a body."""

    name: str
    word: str
    colour: str
    hint: str


PARADIGMS = (
    Paradigm("free", "Free flight", "#86c5ef", "Touches nothing"),
    Paradigm("impulse", "Impulse", "#e07020", "All that it touches is left to impulses: hit after hit"),
    Paradigm("constraint", "Constraint", "#1d6fc0", "Constraint forces of a contact group keep all that it touches"),
    Paradigm("mixed", "Mixed", "#f2e04a", "Some of its contacts are kept by constraint forces, some left to impulses"),
    Paradigm("scripted", "Fixed or scripted", "#a3a39b", "Nothing moves it, or a script does"),
    Paradigm("stopped", "Stopped", BROKEN, "Its numbers were no longer finite"),
    Paradigm("penalty", "Penalty", "#86261b", "Springs and dashpots push it out of what it overlaps"),
    Paradigm("asleep", "Asleep", "#3c4154", "Its contact group rests and costs nothing until something wakes it"),
)
"""The engine's PARADIGMS in their order, and sleep."""
_ASLEEP = len(PARADIGMS) - 1
_UNEVEN = 0.2
_LIGHT = colour_array([paradigm.colour for paradigm in PARADIGMS])


def states_of(frame: Frame) -> NDArray[np.int8] | None:
    """Places in PARADIGMS of all bodies, (n,); None if the frame does not say."""
    if frame.paradigms is None or frame.asleep is None:
        return None
    return np.where(frame.asleep, np.int8(_ASLEEP), frame.paradigms)


def light_of(states: NDArray[np.int8]) -> NDArray[np.float32]:
    """Amounts of light that bodies in these states wear, (n, 3): a little more or less by row, to tell stacked ones."""
    more = _UNEVEN * (np.arange(len(states)) % 3 - 1)
    return np.asarray(_LIGHT[states] * (1.0 + more)[:, None], dtype=np.float32)
