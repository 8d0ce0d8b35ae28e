"""What the plots remember: curves over simulation time in bounded memory. No Qt here."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.simulation.messages import Records
from engine.arrays import Bools, Floats

MOST_WINDOWS = 100_000  # averaged in one go


class Stretch(NamedTuple):
    """A part of a history, reduced to as many entries as can be seen. k entries of c curves."""

    begin: Floats  # (k,) [s], the time of the first value in the entry
    end: Floats  # (k,) [s], the time of its last value, or where it ceases to hold
    low: Floats  # (c, k) smallest value in the entry
    high: Floats  # (c, k) largest
    starts: Bools  # (k,) nothing is known between this entry and the one before


class History:
    """Curves that share their times. Times must not decrease; `cut` forgets what lies after a time.

    An entry covers `stride` appended values by their smallest and largest. Whenever the memory is full, neighbours are
    merged: a long run gets coarser all over, but it never loses its beginning or a peak.
    """

    def __init__(self, curves: int, capacity: int = 1 << 16) -> None:
        if capacity < 4 or capacity % 2:
            raise ValueError(f"a history needs an even capacity of at least 4, not {capacity}")
        self._capacity = capacity
        self._begin = np.empty(capacity)
        self._end = np.empty(capacity)
        self._low = np.empty((curves, capacity))
        self._high = np.empty((curves, capacity))
        self._starts = np.zeros(capacity, dtype=bool)
        self._curves = curves
        self.clear()

    def clear(self) -> None:
        self._size = 0
        self._open = 0  # values in the last entry, if it can take more
        self._gap = True
        self.stride = 1

    def __len__(self) -> int:
        return self._size

    @property
    def span(self) -> tuple[float, float] | None:
        """First and last time [s]; None when empty."""
        return (float(self._begin[0]), float(self._end[self._size - 1])) if self._size else None

    def append(self, begin: Floats, end: Floats, values: Floats) -> None:
        """Add k values of each curve, (c, k), that were read at `begin` (= `end`) or hold from `begin` to `end`."""
        done, count = 0, len(begin)
        while done < count:
            if self._gap:
                self._open = 0
            if self._open == 0:
                if self._size == self._capacity:
                    self._merge()
                whole = 0 if self._gap else min((count - done) // self.stride, self._capacity - self._size)
                if whole:
                    stop = done + whole * self.stride
                    self._append_whole(whole, begin[done:stop], end[done:stop], values[:, done:stop])
                    done = stop
                    continue
                self._open_entry(float(begin[done]))
            take = min(self.stride - self._open, count - done)
            part, last = values[:, done : done + take], self._size - 1
            self._low[:, last] = np.fmin(self._low[:, last], np.fmin.reduce(part, axis=1))
            self._high[:, last] = np.fmax(self._high[:, last], np.fmax.reduce(part, axis=1))
            self._end[last] = end[done + take - 1]
            self._open = (self._open + take) % self.stride
            done += take

    def _append_whole(self, entries: int, begin: Floats, end: Floats, values: Floats) -> None:
        """Add entries that are complete at once."""
        here = slice(self._size, self._size + entries)
        self._begin[here], self._end[here] = begin[:: self.stride], end[self.stride - 1 :: self.stride]
        groups = values.reshape(self._curves, entries, self.stride)
        self._low[:, here], self._high[:, here] = np.fmin.reduce(groups, axis=2), np.fmax.reduce(groups, axis=2)
        self._starts[here] = False
        self._size += entries

    def _open_entry(self, begin: float) -> None:
        last = self._size
        self._begin[last] = begin
        self._low[:, last] = self._high[:, last] = np.nan
        self._starts[last] = self._gap
        self._gap = False
        self._size += 1

    def _merge(self) -> None:
        half, n = self._size // 2, self._size
        self._begin[:half] = self._begin[0:n:2]
        self._end[:half] = self._end[1:n:2]
        self._low[:, :half] = np.fmin(self._low[:, 0:n:2], self._low[:, 1:n:2])
        self._high[:, :half] = np.fmax(self._high[:, 0:n:2], self._high[:, 1:n:2])
        self._starts[:half] = self._starts[0:n:2] | self._starts[1:n:2]
        self._size, self._open, self.stride = half, 0, 2 * self.stride

    def cut(self, time: float) -> None:
        """Forget everything from `time` [s] on."""
        begun = int(np.searchsorted(self._begin[: self._size], time, side="left"))
        ended = int(np.searchsorted(self._end[: self._size], time, side="right"))
        self._size, self._open, self._gap = min(begun, ended), 0, True

    def stretch(self, begin: float, end: float, most: int) -> Stretch:
        """The entries between two times and one more on either side, merged to about `most` of them."""
        times = self._begin[: self._size]
        first = max(0, int(np.searchsorted(times, begin, side="right")) - 1)
        last = min(self._size, int(np.searchsorted(times, end, side="left")) + 1)
        step = 1
        while (last - first) / step > most:
            step *= 2
        if step == 1:
            here = slice(first, last)
            return Stretch(
                self._begin[here], self._end[here], self._low[:, here], self._high[:, here], self._starts[here]
            )
        first -= first % step  # groups keep their members while the window moves: the curve does not shimmer
        edges = np.arange(first, last, step)
        ends = np.minimum(edges + step, self._size) - 1
        stop = int(ends[-1]) + 1
        return Stretch(
            self._begin[edges],
            self._end[ends],
            np.fmin.reduceat(self._low[:, :stop], edges, axis=1),
            np.fmax.reduceat(self._high[:, :stop], edges, axis=1),
            np.logical_or.reduceat(self._starts[:stop], edges),
        )

    def at(self, time: float) -> Floats | None:
        """The largest value of each curve in the entry that `time` falls on, (c,); None before the first."""
        index = int(np.searchsorted(self._begin[: self._size], time, side="right")) - 1
        return self._high[:, index].copy() if index >= 0 else None


class ImpulseLog:
    """The newest contact impulses, so that another window or body can be averaged after the fact."""

    def __init__(self, capacity: int = 1 << 19) -> None:
        self._time = np.empty(capacity)
        self._impulse = np.empty(capacity)
        self._bodies = np.empty((2, capacity), dtype=np.int32)
        self._next = 0
        self._count = 0

    def clear(self) -> None:
        self._next = self._count = 0

    def __len__(self) -> int:
        return min(self._count, len(self._time))

    @property
    def has_forgotten(self) -> bool:
        """Whether older impulses had to make room."""
        return self._count > len(self._time)

    def append(self, events: Records) -> None:
        """Add records with `time` [s], `impulse` (3,) [N s], `body_a` and `body_b`, in order of time."""
        capacity = len(self._time)
        self._count += len(events)
        kept = events[-capacity:]
        at = (self._next + np.arange(len(kept))) % capacity
        self._time[at] = kept["time"]
        self._impulse[at] = np.linalg.norm(kept["impulse"], axis=1)
        self._bodies[0, at], self._bodies[1, at] = kept["body_a"], kept["body_b"]
        self._next = (self._next + len(kept)) % capacity

    def ordered(self) -> tuple[Floats, Floats, NDArray[np.int32]]:
        """Times (k,) [s], sizes of the impulses (k,) [N s] and bodies (2, k), oldest first."""
        if not self.has_forgotten:
            here = slice(0, self._count)
            return self._time[here], self._impulse[here], self._bodies[:, here]
        order = np.roll(np.arange(len(self._time)), -self._next)
        return self._time[order], self._impulse[order], self._bodies[:, order]


class Averager:
    """Sums impulses in windows that lie side by side (the k-th from k w to (k + 1) w) and yields mean forces."""

    def __init__(self, window: float, curves: int) -> None:
        self.window = window
        self._sums = np.zeros(curves)
        self._bin: int | None = None

    def start(self, time: float) -> None:
        """Nothing is known before `time` [s]: the first window that is reported begins after it."""
        self._bin = int(np.ceil(time / self.window - 1e-9))
        self._sums[:] = 0.0

    def fill(self, history: History, times: Floats, impulses: Floats, until: float) -> None:
        """Append to `history` what `add` returns, in parts that keep memory bounded over any jump in time."""
        if self._bin is None:
            self.start(float(times[0]) if len(times) else until)
        done = 0
        while True:
            reach = min(until, ((self._bin or 0) + MOST_WINDOWS) * self.window)
            stop = len(times) if reach == until else int(np.searchsorted(times, reach))
            history.append(*self.add(times[done:stop], impulses[:, done:stop], reach))
            done = stop
            if reach == until:
                return

    def add(self, times: Floats, impulses: Floats, until: float) -> tuple[Floats, Floats, Floats]:
        """Impulses (c, k) [N s] at `times` (k,); all up to `until` [s] are known now.

        Returns the windows that are complete: where they begin and end (m,) [s], and the mean forces (c, m) [N].
        """
        if self._bin is None:
            self.start(times[0] if len(times) else until)
        first = self._bin or 0
        stop = max(first, int(np.floor(until / self.window + 1e-9)))
        bins = np.floor(times / self.window).astype(np.int64) - first
        known = bins >= 0
        sums = np.zeros((len(self._sums), max(stop - first + 1, int(bins.max(initial=0)) + 1)))
        sums[:, 0] = self._sums
        for row, impulse in zip(sums, impulses, strict=True):
            row += np.bincount(bins[known], weights=impulse[known], minlength=len(row))
        self._bin = stop
        self._sums = sums[:, stop - first :].sum(axis=1)
        edges: Floats = np.arange(first, stop + 1, dtype=np.float64) * self.window
        return edges[:-1], edges[1:], sums[:, : stop - first] / self.window


class RateMeter:
    """Turns counts that grow into rates a simulated second, over windows of at least `window` [s].

    Windows begin and end where counts were read, so that no count is guessed.
    """

    def __init__(self, window: float) -> None:
        self.window = window
        self._time: float | None = None
        self._counts: Floats | None = None

    def start(self) -> None:
        self._time = self._counts = None

    def add(self, times: Floats, counts: Floats) -> tuple[Floats, Floats, Floats]:
        """Counts (c, k) read at `times` (k,) [s].

        Returns the windows that are complete: where they begin and end (m,) [s], and the rates (c, m) [1/s].
        """
        if self._time is not None and self._counts is not None:
            times = np.concatenate([[self._time], times])
            counts = np.concatenate([self._counts[:, None], counts], axis=1)
        if len(times) == 0:
            return times, times, counts
        edges = [0]
        while True:
            following = int(np.searchsorted(times, times[edges[-1]] + self.window * (1.0 - 1e-9)))
            if following >= len(times):
                break
            edges.append(following)
        self._time, self._counts = float(times[edges[-1]]), counts[:, edges[-1]].copy()
        spans = np.diff(times[edges])
        return times[edges[:-1]], times[edges[1:]], np.diff(counts[:, edges], axis=1) / spans
