"""Instants between frames that come seldom: a window shows them meanwhile, so that a slow crowd moves evenly.

A step of thousands of bodies takes several pictures' time, and then all that the step covers is known at once. Where
bodies are is read there as often as a person is to see it, which costs little beside the step; all else is in frames.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from itertools import pairwise
from time import thread_time

import numpy as np

from app.simulation.messages import Instant, WorldLike, frozen

PICTURE = 1.0 / 60.0  # [s] of the wall between instants, at least
SELDOM = 1.0 / 15.0  # [s] of the wall between frames that come seldom, at least
WINDOW = 1.0  # [s] of the wall over which frames tell how fast the run goes on
READING = 0.1  # of the time, at most, goes into reading


class Instants:
    """Says at which times to read where bodies are, and keeps what was read until it goes with a frame."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._read: list[Instant] = []
        self._frames: deque[tuple[float, float]] = deque()  # wall and simulation times of the last ones [s]
        self._spacing = math.inf  # of simulation, between two instants [s]
        self._last = 0.0  # simulation time of the last instant, or frame [s]
        self._took = 0.0  # how long reading takes [s]

    @property
    def due(self) -> float:
        """The simulation time at which to read next [s]; inf: none."""
        return self._last + self._spacing

    def read(self, world: WorldLike) -> None:
        """Read where bodies are, if it is time."""
        if world.time < self.due:
            return
        began = thread_time()
        self._read.append(Instant(world.time, frozen(world.poses(), np.float32)))
        self._took = thread_time() - began
        self._last = world.time

    def take(self, time: float) -> tuple[Instant, ...]:
        """What was read since the last frame, for the one of a simulation time [s]. How far frames are apart, and how
        fast the run goes on, tell what is read until the next."""
        read = tuple(instant for instant in self._read if instant.time < time)
        self._read.clear()
        self._frames.append((self._clock(), time))
        while self._frames[-1][0] - self._frames[0][0] > WINDOW and len(self._frames) > 2:
            self._frames.popleft()
        self._last, self._spacing = time, math.inf
        gaps = [after[0] - before[0] for before, after in pairwise(self._frames)]
        if gaps and max(gaps) > SELDOM:
            pace = (time - self._frames[0][1]) / sum(gaps)
            if pace > 0.0:
                self._spacing = pace * max(PICTURE, self._took / READING)
        return read

    def forget(self) -> None:
        """The run does not go on evenly: it pauses, or goes elsewhere in time."""
        self._read.clear()
        self._frames.clear()
        self._spacing = math.inf
