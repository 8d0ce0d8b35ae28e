"""Where the time of a run goes: a stopwatch that laps from stage to stage of a sample of the events,
and of every step of a contact group."""

from __future__ import annotations

import numpy as np

from engine.arrays import Ints
from engine.kernel import kernel, read_ticks

STAGES = {
    "heap": "popping and scheduling events",
    "motion": "evolving arcs to the time of an event",
    "broad_phase": "swept boxes and who meets whom",
    "closest": "closest features and gaps",
    "collision": "collision integration and the arcs after it",
    "bound": "bounds of the time of the next touch",
    "group": "contact groups: arcs, books and islands, and all of their steps that is not told apart",
    "points": "contact points of groups, at the starts and in the middles of their steps",
    "sweeps": "impulses of contact groups by Gauss-Seidel",
    "newton": "impulses of contact groups by Newton's method",
    "gaps": "gaps at the ends of steps, and corrections",
}
HEAP, MOTION, BROAD_PHASE, CLOSEST, COLLISION, BOUND, GROUP, POINTS, SWEEPS, NEWTON, GAPS = range(len(STAGES))

STEPS = tuple(STAGES)[GROUP:]
"""Those of the steps of contact groups."""

SAMPLED = 17
"""One event of so many is timed: reading the clock eight times costs a few per cent of an event. A prime number, so
that no scene's rhythm keeps step with it. Steps of contact groups are few and long: all of them are timed."""

# Entries of a stopwatch, int64.
WEIGHT = 0  # for how many stretches of time like it the one under way stands; 0: it is not timed
LAST = 1  # ticks at the last lap
FIRST = 2  # ticks by stage, from here on
WATCH_WIDTH = FIRST + len(STAGES)


@kernel
def start_watch(watch: Ints, event: int) -> None:
    """The event of this number begins."""
    watch[WEIGHT] = SAMPLED if event % SAMPLED == 0 else 0
    if watch[WEIGHT] > 0:
        watch[LAST] = read_ticks()


@kernel
def lap(watch: Ints, stage: int) -> None:
    """What was done since the last lap belongs to `stage`."""
    if watch[WEIGHT] > 0:
        now = read_ticks()
        watch[FIRST + stage] += watch[WEIGHT] * max(now - watch[LAST], 0)
        watch[LAST] = now


@kernel
def watch_step(watch: Ints) -> int:
    """From here on the event under way is the step of a contact group; what is to be given back when it ends."""
    weight = watch[WEIGHT]
    lap(watch, HEAP)
    watch[WEIGHT] = 1
    watch[LAST] = read_ticks()
    return int(weight)


@kernel
def end_step(watch: Ints, weight: int) -> None:
    """The step is over; weight: what `watch_step` returned."""
    lap(watch, GROUP)
    watch[WEIGHT] = weight


class StageClock:
    """Seconds by stage, from the laps of a stopwatch and the time that the kernel took."""

    def __init__(self, watch: Ints) -> None:
        self._watch = watch
        self._seconds = np.zeros(len(STAGES))
        self._waiting = 0.0  # seconds that have not been shared out yet

    def took(self, seconds: float) -> None:
        """A run of the kernel took so long."""
        self._waiting += seconds

    @property
    def seconds(self) -> dict[str, float]:
        """By the names of STAGES [s]: what runs took since this was asked last is shared out by their laps."""
        ticks = self._watch[FIRST:]
        total = int(ticks.sum())
        if total > 0:
            self._seconds += self._waiting / total * ticks
            self._waiting = 0.0
            ticks[:] = 0
        return dict(zip(STAGES, self._seconds.tolist(), strict=True))
