"""What the plots remember: curves over simulation time in bounded memory. No Qt here."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.simulation.messages import Records
from engine.arrays import Bools, Floats
from engine.recording.forces import split_forces

MOST_WINDOWS = 100_000  # averaged in one go
_PARTS = 64  # of a log, about: the oldest is forgotten as a whole


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
        self.first: Floats | None = None  # (c,) the first values of all, which merging cannot change
        self._newest: Floats | None = None  # (c,) the last ones, likewise; None where what came after was cut off

    def __len__(self) -> int:
        return self._size

    @property
    def span(self) -> tuple[float, float] | None:
        """First and last time [s]; None when empty."""
        return (float(self._begin[0]), float(self._end[self._size - 1])) if self._size else None

    def append(self, begin: Floats, end: Floats, values: Floats) -> None:
        """Add k values of each curve, (c, k), that were read at `begin` (= `end`) or hold from `begin` to `end`."""
        done, count = 0, len(begin)
        if count:
            self.first = values[:, 0].copy() if self.first is None else self.first
            self._newest = values[:, -1].copy()
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

    def rearranged(self, curves: Sequence[int]) -> History:
        """The same times with other curves: places of curves of this one, or -1 for one of which nothing is known."""
        other = History(len(curves), self._capacity)
        here = slice(0, self._size)
        for name in ("_begin", "_end", "_starts"):
            getattr(other, name)[here] = getattr(self, name)[here]
        for row, curve in enumerate(curves):
            other._low[row, here] = self._low[curve, here] if curve >= 0 else np.nan
            other._high[row, here] = self._high[curve, here] if curve >= 0 else np.nan
        other._size, other._gap, other.stride = self._size, True, self.stride
        other.first = None
        return other

    def cut(self, time: float, gap: bool = False) -> None:
        """Forget everything from `time` [s] on. gap: what comes next does not follow on what is left."""
        begun = int(np.searchsorted(self._begin[: self._size], time, side="left"))
        ended = int(np.searchsorted(self._end[: self._size], time, side="right"))
        self._size, self._open, self._newest = min(begun, ended), 0, None
        self._gap = gap or self._size == 0

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
        """The largest value of each curve in the entry that `time` falls on, of the last entry the newest, (c,).

        None before the first.
        """
        index = int(np.searchsorted(self._begin[: self._size], time, side="right")) - 1
        if index >= 0 and index == self._size - 1 and self._newest is not None:
            return self._newest.copy()
        return self._high[:, index].copy() if index >= 0 else None


class Loads(NamedTuple):
    """Impulses of hits and readings of the forces that hold contacts, each with a normal and a friction part."""

    times: Floats  # (k,) of the hits [s]
    impulses: Floats  # (2, k) [N s]
    bodies: NDArray[np.int32]  # (2, k) body a and body b
    read: Floats  # (m,) when forces were read [s]
    reading: NDArray[np.int64]  # (j,) in which reading each of them is
    forces: Floats  # (2, j) [N]; each held since the reading before
    held: NDArray[np.int32]  # (2, j) body a and body b

    @property
    def size(self) -> int:
        return len(self.times) + len(self.read) + len(self.reading)


def loads_of(events: Records, samples: Records, held: Records) -> Loads:
    """What a batch says of contacts: `events` with `time`, `impulse`, `normal` and bodies, SAMPLE and LOAD records."""
    return Loads(
        times=events["time"].astype(np.float64),
        impulses=np.stack(split_forces(events["impulse"], events["normal"])),
        bodies=np.stack([events["body_a"], events["body_b"]]).astype(np.int32),
        read=samples["time"].astype(np.float64),
        reading=np.repeat(np.arange(len(samples)), samples["held"]),
        forces=np.stack([held["normal"], held["friction"]]),
        held=np.stack([held["body_a"], held["body_b"]]),
    )


def join_loads(parts: Sequence[Loads]) -> Loads:
    """Loads that follow each other as one."""
    before = np.cumsum([0, *(len(part.read) for part in parts)])
    moved = [part._replace(reading=part.reading + k) for part, k in zip(parts, before)]
    return Loads(*(np.concatenate(columns, axis=-1) for columns in zip(*moved, strict=True)))


class LoadLog:
    """The newest loads, so that another window or body can be averaged after the fact."""

    def __init__(self, capacity: int = 1 << 19) -> None:
        self._capacity = capacity
        self.clear()

    def clear(self) -> None:
        self._parts: deque[Loads] = deque()
        self._size = 0
        self.since: float | None = None
        """Before this time [s] older loads had to make room; None: nothing had to."""

    def __len__(self) -> int:
        return self._size

    def append(self, loads: Loads) -> None:
        """Add what came after all before. Small parts are joined, so that there are few."""
        if self._parts and self._parts[-1].size < self._capacity // _PARTS:
            loads, before = join_loads([self._parts[-1], loads]), self._parts.pop().size
            self._size -= before
        self._parts.append(loads)
        self._size += loads.size
        while self._size > self._capacity and len(self._parts) > 1:
            oldest = self._parts.popleft()
            self._size -= oldest.size
            ends = [float(times[-1]) for times in (oldest.times, oldest.read) if len(times)]
            self.since = max(ends, default=self.since)

    def joined(self) -> Loads | None:
        """All that is remembered; None: nothing is."""
        return join_loads(self._parts) if self._parts else None


class Averager:
    """Sums impulses in windows that lie side by side (the k-th from k w to (k + 1) w) and yields mean forces."""

    def __init__(self, window: float, curves: int) -> None:
        self.window = window
        self._sums = np.zeros(curves)
        self._bin: int | None = None
        self._read = 0.0  # until when held forces are known [s]

    def start(self, time: float) -> None:
        """Nothing is known before `time` [s]: the first window that is reported begins after it."""
        self._bin = int(np.ceil(time / self.window - 1e-9))
        self._sums[:] = 0.0
        self._read = time

    def fill(
        self, history: History, times: Floats, impulses: Floats, until: float, held: tuple[Floats, Floats] | None = None
    ) -> None:
        """Append to `history` what `add` returns, in parts that keep memory bounded over any jump in time."""
        if self._bin is None:
            self.start(float(times[0]) if len(times) else until)
        read, forces = (np.zeros(0), np.zeros((len(self._sums), 0))) if held is None else held
        done = seen = 0
        while True:
            reach = min(until, ((self._bin or 0) + MOST_WINDOWS) * self.window)
            last = reach == until
            stop = len(times) if last else int(np.searchsorted(times, reach))
            sight = len(read) if last else int(np.searchsorted(read, reach))
            knots, levels = read[seen:sight], forces[:, seen:sight]
            if sight < len(read):  # what is read next has held since before
                knots, levels = np.append(knots, reach), np.append(levels, forces[:, sight : sight + 1], axis=1)
            history.append(*self.add(times[done:stop], impulses[:, done:stop], reach, (knots, levels)))
            done, seen = stop, sight
            if last:
                return

    def add(
        self, times: Floats, impulses: Floats, until: float, held: tuple[Floats, Floats] | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """Impulses (c, k) [N s] at `times` (k,); all up to `until` [s] are known now.

        held: times (m,) at which forces (c, m) were read that have held since the reading before [s, N]. Returns the
        windows that are complete: where they begin and end (m,) [s], and the mean forces (c, m) [N].
        """
        if self._bin is None:
            self.start(times[0] if len(times) else until)
        first = self._bin or 0
        stop = max(first, int(np.floor(until / self.window + 1e-9)))
        bins = np.floor(times / self.window).astype(np.int64) - first
        known = bins >= 0
        read = np.zeros(0) if held is None else held[0]
        latest = int(np.floor(read.max(initial=0.0) / self.window)) - first
        sums = np.zeros((len(self._sums), max(stop - first + 1, int(bins.max(initial=0)) + 1, latest + 1)))
        sums[:, 0] = self._sums
        for row, impulse in zip(sums, impulses, strict=True):
            row += np.bincount(bins[known], weights=impulse[known], minlength=len(row))
        if held is not None and len(read):
            self._add_held(sums, first, *held)
        self._bin = stop
        self._sums = sums[:, stop - first :].sum(axis=1)
        edges: Floats = np.arange(first, stop + 1, dtype=np.float64) * self.window
        return edges[:-1], edges[1:], sums[:, : stop - first] / self.window

    def _add_held(self, sums: Floats, first: int, read: Floats, forces: Floats) -> None:
        """Add to windows from the `first` on what held forces give in each."""
        knots = np.append(self._read, np.maximum(read, self._read))
        edges = np.arange(first, first + sums.shape[1] + 1) * self.window
        for row, force in zip(sums, forces, strict=True):
            row += np.diff(np.interp(edges, knots, np.append(0.0, np.cumsum(force * np.diff(knots)))))
        self._read = float(knots[-1])


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
