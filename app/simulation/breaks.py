"""Conditions at which a run pauses by itself, each once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from app.simulation.messages import Records
from engine.recording.events import EVENT_KINDS

_SWITCHES = tuple(EVENT_KINDS.index(kind) for kind in ("to_constraint", "to_impulse"))
_TOUCHES = tuple(
    EVENT_KINDS.index(kind)
    for kind in ("collision", "microcollision", "arrest", "to_constraint", "contact_impulse")
)  # fmt: skip


class Break(NamedTuple):
    """Pause at the first contact of two bodies, or at the first switch of paradigm."""

    kind: Literal["contact", "switch"]
    text: str  # in words
    bodies: tuple[int, ...] = ()  # rows of the two; of a switch: none

    def rows(self, events: Records) -> Records:
        """The events that meet it."""
        if self.kind == "switch":
            return events[np.isin(events["kind"], _SWITCHES)]
        a, b = sorted(self.bodies)
        low, high = np.minimum(events["body_a"], events["body_b"]), np.maximum(events["body_a"], events["body_b"])
        return events[np.isin(events["kind"], _TOUCHES) & (low == a) & (high == b)]


def first_break(breaks: Sequence[Break], events: Records) -> tuple[Break, float] | None:
    """The condition that is met first, and when [s]."""
    met = [(condition, float(rows["time"][0])) for condition in breaks if len(rows := condition.rows(events))]
    return min(met, key=lambda pair: pair[1], default=None)
