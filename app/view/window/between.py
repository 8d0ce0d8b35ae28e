"""What to show between frames that come seldom: instants on the way to the newest one, evenly over the time until the
next has surely come. Pictures are late by as much, and the run moves at an even pace.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from time import monotonic

from app.simulation.instants import SELDOM
from app.simulation.messages import Frame, Instant

MEMORY = 3.0  # [s] over which frames tell when the next one is to come
LATEST = 1.5  # [s] at most, by which pictures are late


class Between:
    """Takes frames, and says what is to be shown of them now."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._newest: Frame | None = None
        self._shown: Frame | None = None
        self._came: deque[float] = deque()  # when the last frames did, by the clock [s]
        self._way: deque[Instant] = deque()  # what is to be shown before the newest, in order
        self._time = 0.0  # of the simulation, where the run was shown when the newest came [s]
        self._pace = 0.0  # at which it is shown since, in simulated seconds a second

    def at(self, newest: Frame | None, at_once: bool = False) -> Frame | None:
        """What to show now: the newest frame, or where bodies were on the way to it. at_once: the frame."""
        if at_once:
            self._newest = None  # the next one follows none that was shown
            self._way.clear()
        elif newest is not self._newest:
            self._take(newest)
        time = self._shown_time() if self._way else math.inf
        if newest is None or time >= newest.time:
            self._way.clear()
            self._shown = newest
            return newest
        found = None
        while self._way and self._way[0].time <= time:
            found = self._way.popleft()
        if found is not None:
            self._shown = replace(newest, time=found.time, poses=found.poses, exact=None, contacts=None, between=None)
        return self._shown

    def _shown_time(self) -> float:
        return self._time + self._pace * (self._clock() - self._came[-1])

    def _take(self, newest: Frame | None) -> None:
        """There is a new frame, perhaps of another run."""
        before, self._newest = self._newest, newest
        if before is None or newest is None or newest.between is None or not _goes_on(before, newest):
            self._way.clear()
            self._came.clear()
            self._came.append(self._clock())
            return
        self._time = min(self._shown_time(), before.time) if self._way else before.time
        self._came.append(self._clock())
        while self._came[-1] - self._came[0] > MEMORY and len(self._came) > 2:
            self._came.popleft()
        gap = max(after - earlier for earlier, after in pairwise(self._came))
        if gap <= SELDOM:
            self._way.clear()
            return
        if self._way:
            self._way.append(Instant(before.time, before.poses))
        self._way.extend(newest.between)
        self._pace = (newest.time - self._time) / min(gap, LATEST)


def _goes_on(before: Frame, newest: Frame) -> bool:
    """Is one frame the next of a run, of the same scene, that goes on?"""
    same = (before.generation, before.run, before.branch) == (newest.generation, newest.run, newest.branch)
    return same and before.running and newest.running and before.time < newest.time
