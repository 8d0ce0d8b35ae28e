"""Looking into one event of a run: the world goes back to just before it, lets it happen again, and returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from app.simulation.history import History
from app.simulation.messages import MICROCOLLISION, Batch, Records, WorldLike, frozen
from engine.recording.events import EVENT
from engine.recording.observe import CAUSE_NAMES

_MOST = 1 << 16  # events that are remembered
_PARTS = 256  # in which they are, before they are joined


@dataclass(frozen=True, slots=True)
class Examined:
    """One event, with what the world was before it and after it."""

    event: np.void  # of EVENT
    hit: Any  # engine.analysis.hodograph.Hit; None: it is no hit
    hodograph: Any  # its Hodograph; None where there is none
    losses: dict[str, float]  # energy lost by cause while it happened [J]
    together: int  # how many hits it was one of


class EventLog:
    """The newest events of the run that is shown, in order of time. quiet: microcollisions, of which there may be tens
    of thousands a second, among them."""

    def __init__(self, quiet: bool = False) -> None:
        self._quiet = quiet
        self._parts: list[Records] = []
        self._run, self._told = -1, 0.0

    @property
    def rows(self) -> Records:
        """Them all, (n,)."""
        self._parts = [np.concatenate([np.zeros(0, dtype=EVENT), *self._parts])[-_MOST:]]
        return self._parts[0]

    def between(self, begin: float, end: float) -> Records:
        """Those from one time to another [s]."""
        first, last = np.searchsorted(self.rows["time"], (begin, np.nextafter(end, np.inf)))
        return self.rows[first:last]

    def feed(self, batches: list[Batch]) -> None:
        """Take in what happened; a part of the run that is gone another way is forgotten."""
        for batch in batches:
            if batch.run != self._run:
                self._run, self._told = batch.run, 0.0
                self._parts.clear()
            if not len(batch.samples):
                continue
            start = float(batch.samples["time"][0])
            if start < self._told:
                self._parts = [self.rows[self.rows["time"] < start]]
            told = batch.events if self._quiet else batch.events[batch.events["kind"] != MICROCOLLISION]
            if len(told):
                self._parts.append(told)
            if len(self._parts) > _PARTS:
                self._parts = [self.rows]
            self._told = float(batch.samples["time"][-1])


def examine(
    history: History, world: WorldLike, event: np.void, is_called: Callable[[], bool] = lambda: False
) -> Examined | None:
    """Let an event happen again, and look; None if it did not come again, or `is_called` away at an interrupt.

    The world is afterwards what it was.
    """
    here, inputs = world.snapshot(), list(world.inputs)
    try:
        return _happen_again(history, world, event, is_called)
    finally:
        world.restore(here)
        world.inputs[:] = inputs


def _happen_again(history: History, world: WorldLike, event: np.void, is_called: Callable[[], bool]) -> Examined | None:
    from engine.analysis.hodograph import look_at_hit, trace_hodograph

    time = float(event["time"])
    history.restore_before(world, time)
    short = float(np.nextafter(time, -np.inf))
    # An interrupt may be the very one that came with this command: it ends an advance early, and is no reason to stop.
    while world.time < short or (world.time == short and world.next_event_time <= short):
        history.advance_to(world, short)
        if is_called():
            return None
    world.events()
    while world.time <= time:
        before, losses = world.snapshot(), dict(world.energy())
        happened = history.step_event(world)
        if is_called() or (happened == 0 and world.next_event_time == inf):
            return None
        events = frozen(world.events())
        if not any(_same(event, other) for other in events):
            continue
        after, then = world.snapshot(), world.energy()
        hit = look_at_hit(_model_of(world), before.state, after.state, event)
        return Examined(
            event=event,
            hit=hit,
            hodograph=None if hit is None else trace_hodograph(hit),
            losses={cause: then[cause] - losses[cause] for cause in CAUSE_NAMES},
            together=int(np.sum((events["kind"] == event["kind"]) & (events["time"] == time))),
        )
    return None


def _same(event: np.void, other: np.void) -> bool:
    return bool(event.tobytes() == other.tobytes())


def _model_of(world: Any) -> Any:
    return world.model
