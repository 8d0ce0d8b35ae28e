"""The heap's table, as far as somebody looks at it."""

from __future__ import annotations

import math

from app.simulation.messages import Records, WorldLike, find_pair, frozen

ROWS = 200
INTERVAL = 0.1  # [s] of the wall between readings


class Table:
    """The next rows of the heap, and the row of the pair that was selected."""

    def __init__(self) -> None:
        self.rows: Records | None = None
        self.pair_row: Records | None = None
        self.time = 0.0
        """When they were read [s]."""
        self._wanted = False
        self._read = -math.inf
        self._pair: tuple[int, int] | None = None

    def clear(self) -> None:
        """Another scene comes."""
        self.rows = self.pair_row = self._pair = None

    def want(self, wanted: bool) -> None:
        self._wanted = wanted
        self._read = -math.inf

    def select(self, pair: tuple[int, int] | None) -> None:
        self._pair = pair
        self._read = -math.inf

    def look(self, world: WorldLike, now: float, at_once: bool) -> None:
        """Read it, unless it was read a moment ago. now: the wall's clock [s]."""
        if not at_once and now < self._read + INTERVAL:
            return
        self.rows = self.pair_row = None
        if not self._wanted:
            return
        self._read, self.time = now, world.time
        self.rows = frozen(world.heap(ROWS))
        if self._pair is not None:
            self.pair_row = find_pair(self.rows, self._pair)
            size = int(world.counters.get("heap_size", 0))
            if self.pair_row is None and size > len(self.rows):
                self.pair_row = find_pair(frozen(world.heap(size)), self._pair)
