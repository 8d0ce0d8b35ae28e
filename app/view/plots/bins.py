"""How much happened when, over a whole run of whatever length: a fixed number of bins, which grow with it."""

from __future__ import annotations

import numpy as np

from engine.arrays import Floats

_BINS = 4096
_FIRST = 0.001  # [s]


class Bins:
    """Counts by time."""

    def __init__(self) -> None:
        self._counts = np.zeros(_BINS, dtype=np.int64)
        self._width = _FIRST

    def clear(self) -> None:
        self._counts[:], self._width = 0, _FIRST

    def cut(self, time: float) -> None:
        """Forget what came after a time [s]."""
        self._counts[int(time / self._width) + 1 :] = 0

    def add(self, times: Floats) -> None:
        """Something happened at each of these times [s]."""
        while len(times) and times[-1] >= _BINS * self._width:
            self._counts[: _BINS // 2] = self._counts.reshape(-1, 2).sum(axis=1)
            self._counts[_BINS // 2 :] = 0
            self._width *= 2.0
        np.add.at(self._counts, np.minimum((times / self._width).astype(np.int64), _BINS - 1), 1)

    @property
    def times(self) -> Floats:
        """The middles of the bins in which something happened [s]."""
        return np.asarray((np.flatnonzero(self._counts) + 0.5) * self._width)

    @property
    def counts(self) -> Floats:
        """How much in each of these."""
        return self._counts[self._counts > 0].astype(np.float64)
