"""Conditions at which a run pauses by itself: each is off once it was met, until it is switched on again.

First contacts, switches and impulses are events, and are met at the very instant. Forces that last, gaps and energies
have none: they are looked at LOOKS times in a simulated second, always at the same times, however the run is cut up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.recording.events import EVENT_KINDS

LOOKS = 60
_SWITCHES = tuple(EVENT_KINDS.index(kind) for kind in ("to_constraint", "to_impulse"))
_TOUCHES = tuple(
    EVENT_KINDS.index(kind)
    for kind in ("collision", "microcollision", "arrest", "to_constraint", "contact_impulse")
)  # fmt: skip
Kind = Literal["contact", "switch", "impulse", "force", "gap", "energy"]


class Looked(Protocol):
    """What a condition reads of a world that stands."""

    @property
    def time(self) -> float: ...
    def contacts(self) -> NDArray[Any]: ...
    def distance(self, body: int, other: int) -> float: ...
    def energy(self) -> Mapping[str, float]: ...


class Break(NamedTuple):
    """What the run pauses at. Two are the same condition if they differ in nothing but `on`."""

    kind: Kind
    bodies: tuple[int, ...] = ()  # rows: the two of a contact or gap; of impulses and forces whose; none: anybody's
    limit: float = 0.0  # of an impulse [N s], a force that holds a contact [N], a gap [m], an energy [J]
    below: bool = False  # met below the limit, else above it
    energy: str = ""  # which, by its name among those of `World.energy`
    on: bool = True

    @property
    def what(self) -> Break:
        """The condition, whether it is on or not."""
        return self._replace(on=True)

    @property
    def is_event(self) -> bool:
        """Whether events meet it, and not states."""
        return self.kind in ("contact", "switch", "impulse")

    def rows(self, events: NDArray[Any]) -> NDArray[Any]:
        """The events that meet it."""
        if self.kind == "switch":
            return events[np.isin(events["kind"], _SWITCHES)]
        ours = events[self._concerns(events)]
        if self.kind == "impulse":
            return ours[np.linalg.norm(ours["impulse"], axis=1) > self.limit]
        return ours[np.isin(ours["kind"], _TOUCHES)]

    def reading(self, world: Looked) -> float:
        """What it looks at, in the unit of its limit."""
        if self.kind == "gap":
            return world.distance(*self.bodies)
        if self.kind == "energy":
            return float(world.energy()[self.energy])
        contacts = world.contacts()
        held = contacts[self._concerns(contacts) & (contacts["paradigm"] != "impulse")]
        return float(np.linalg.norm(held["force"], axis=1).max(initial=0.0))

    def holds(self, reading: float) -> bool:
        return reading < self.limit if self.below else reading > self.limit

    def _concerns(self, records: NDArray[Any]) -> NDArray[np.bool_]:
        """Which records are of all of its bodies."""
        pairs = np.stack([records["body_a"], records["body_b"]])
        return np.all([(pairs == body).any(axis=0) for body in self.bodies] or [np.ones(len(records), bool)], axis=0)


class Met(NamedTuple):
    """A condition that was met."""

    condition: Break
    time: float  # [s]
    value: float  # of what met it, in the unit of its limit; of a first contact the impulse [N s]


def breaks_met(breaks: Sequence[Break], events: NDArray[Any], world: Looked) -> tuple[Met, ...]:
    """Those that are on and are met first, by these events or by the world as it stands: all of one instant."""
    met = [*_met_by_events(breaks, events), *_met_by_state(breaks, world)]
    first = min((one.time for one in met), default=inf)
    return tuple(one for one in met if one.time == first)


def _met_by_events(breaks: Sequence[Break], events: NDArray[Any]) -> list[Met]:
    """When each was met first."""
    return [
        Met(condition, float(rows["time"][0]), float(np.linalg.norm(rows["impulse"][0])))
        for condition in breaks
        if condition.on and condition.is_event and len(rows := condition.rows(events))
    ]


def _met_by_state(breaks: Sequence[Break], world: Looked) -> list[Met]:
    """Those that hold in a world as it stands, if this is a time to look."""
    if world.time != look_before(world.time):
        return []
    return [
        Met(condition, world.time, reading)
        for condition in breaks
        if condition.on and not condition.is_event and condition.holds(reading := condition.reading(world))
    ]


def look_before(time: float) -> float:
    """The last time to look, up to and with this one [s]."""
    return (_next_look(time) - 1) / LOOKS


def look_after(time: float) -> float:
    """The next time to look [s]."""
    return _next_look(time) / LOOKS


def _next_look(time: float) -> int:
    """Its number: none is left out by a run that stops a rounding short of it."""
    number = round(time * LOOKS)
    return number if number / LOOKS > time else number + 1
