"""Steps back: to the event, or to the collision, before where the world stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from app.simulation.history import History
from app.simulation.messages import COLLISION, Step, WorldLike, frozen, step_of

_COUNTS = {"event": "heap_pops", "collision": "collisions"}
_AT_ONCE = 64  # events


class StepBack:
    """Goes to the keyframe before what is sought, and on from there event by event until its count is reached.

    If that is where the world stood, to the one before it.
    """

    def __init__(self, history: History, world: WorldLike, what: Literal["event", "collision"]) -> None:
        self._history, self._count = history, _COUNTS[what]
        self._from = world.time, world.counters["heap_pops"]
        self._aim = world.counters[self._count]
        self._done = not history.jump_before(world, self._count, self._aim)

    def advance(self, world: WorldLike, goes_on: Callable[[], bool]) -> Step | None:
        """Go on while one may. The event at which the world stands then; None: not there yet."""
        if self._done:
            return Step(world.time, "start", (), np.nan, False)
        while goes_on():
            before = world.counters[self._count]
            left = self._aim - before - 1 if self._count == _COUNTS["event"] else 0
            due = frozen(world.heap(1)) if left <= 0 else None
            world.events()
            happened = self._history.step_event(world, max(1, min(int(left), _AT_ONCE)))
            if world.counters[self._count] < self._aim and (happened or world.next_event_time < np.inf):
                continue
            if (world.time, world.counters["heap_pops"]) != self._from:
                events = frozen(world.events())
                if self._count == _COUNTS["collision"]:
                    events = events[events["kind"] == COLLISION][-1:]
                return step_of(world, frozen(world.heap(0)) if due is None else due, events)
            self._aim = before
            if not self._history.jump_before(world, self._count, self._aim):
                self._done = True
                return self.advance(world, goes_on)
        return None
