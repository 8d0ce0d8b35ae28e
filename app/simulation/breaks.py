"""Conditions at which a run pauses by itself: each is off once it was met, until it is switched on again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.recording.events import EVENT_KINDS

_SWITCHES = tuple(EVENT_KINDS.index(kind) for kind in ("to_constraint", "to_impulse"))
_TOUCHES = tuple(
    EVENT_KINDS.index(kind)
    for kind in ("collision", "microcollision", "arrest", "to_constraint", "contact_impulse")
)  # fmt: skip


class Break(NamedTuple):
    """Pause at the first contact of two bodies, the first switch of paradigm, or the first impulse above a value."""

    kind: Literal["contact", "switch", "impulse"]
    text: str  # in words
    bodies: tuple[int, ...] = ()  # rows of the two; of others: none
    above: float = 0.0  # of an impulse [N s]
    on: bool = True

    def rows(self, events: NDArray[Any]) -> NDArray[Any]:
        """The events that meet it."""
        if self.kind == "switch":
            return events[np.isin(events["kind"], _SWITCHES)]
        if self.kind == "impulse":
            return events[np.linalg.norm(events["impulse"], axis=1) > self.above]
        a, b = sorted(self.bodies)
        low, high = np.minimum(events["body_a"], events["body_b"]), np.maximum(events["body_a"], events["body_b"])
        return events[np.isin(events["kind"], _TOUCHES) & (low == a) & (high == b)]


class Met(NamedTuple):
    """A condition that was met."""

    condition: Break
    time: float  # [s]
    impulse: float  # of what met it [N s]

    @property
    def text(self) -> str:
        """Which it was, and its value."""
        value = f", {self.impulse:.4g} N s" if self.condition.kind != "switch" else ""
        return f"{self.condition.text}{value}"


def first_break(breaks: Sequence[Break], events: NDArray[Any]) -> Met | None:
    """The condition that is on and is met first."""
    met = [
        Met(condition, float(rows["time"][0]), float(np.linalg.norm(rows["impulse"][0])))
        for condition in breaks
        if condition.on and len(rows := condition.rows(events))
    ]
    return min(met, key=lambda one: one.time, default=None)
