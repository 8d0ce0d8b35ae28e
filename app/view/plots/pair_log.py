"""What the plot of contacts over time remembers: what pairs of bodies did, and when they hit each other. No Qt here."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from app.simulation.messages import PAIR_STATE, Records
from engine.arrays import Bools, Floats, Ints

HITS = 3
"""Events of the engine of kinds below this are hits: collisions, microcollisions, arrests."""
_ROW = np.dtype([("time", "f8"), ("pair", "i4"), ("state", "i1")])


class Bars(NamedTuple):
    """k stretches of time in which pairs did one thing."""

    row: Ints  # (k,) place of the pair among those that were asked for
    begin: Floats  # (k,) [s]
    end: Floats  # (k,) [s]
    state: Ints  # (k,) as in `pair_states.STATES`; never "apart"


class TimedRows:
    """Records in order of time, of which the oldest half is forgotten when there are too many."""

    def __init__(self, capacity: int) -> None:
        self._most = capacity
        self._rows = np.empty(min(1024, capacity), dtype=_ROW)
        self._size = 0

    @property
    def rows(self) -> Records:
        return self._rows[: self._size]

    def clear(self) -> None:
        self._size = 0

    def append(self, new: Records) -> None:
        new = new[-self._most // 2 :]
        if self._size + len(new) > self._most:
            old = self.rows[: self._size // 2]
            kept = np.concatenate([_open_rows(old), self.rows[self._size // 2 :]])[-(self._most - len(new)) :]
            self._rows[: len(kept)], self._size = kept, len(kept)
        if self._size + len(new) > len(self._rows):
            larger = np.empty(min(self._most, 2 * (self._size + len(new))), dtype=_ROW)
            larger[: self._size] = self.rows
            self._rows = larger
        self._rows[self._size : self._size + len(new)] = new
        self._size += len(new)

    def cut(self, time: float) -> None:
        """Forget everything from `time` [s] on."""
        self._size = int(np.searchsorted(self.rows["time"], time))


def _open_rows(rows: Records) -> Records:
    """The last row of each pair, where the pair still does something then."""
    ends = np.flatnonzero(rows["pair"] < 0)
    rows = rows[ends[-1] :] if len(ends) else rows
    _, last = np.unique(rows["pair"][::-1], return_index=True)
    kept = rows[np.sort(len(rows) - 1 - last)]
    return np.asarray(kept[kept["state"] > 0])


class PairLog:
    """Pairs are numbered in the order in which they first touched."""

    def __init__(self, capacity: int = 1 << 18) -> None:
        self._changes, self._hits = TimedRows(capacity), TimedRows(4 * capacity)
        self.clear()

    def clear(self) -> None:
        self._changes.clear()
        self._hits.clear()
        self._sorted = np.zeros(0, dtype=np.int64)  # keys, ascending
        self._number = np.zeros(0, dtype=np.int64)  # of each of them
        self.bodies = np.zeros((0, 2), dtype=np.int64)
        """Rows of the bodies of each pair, (pairs, 2)."""
        self._counts = np.zeros(0, dtype=np.int64)

    def clear_until(self, time: float) -> None:
        """Forget everything up to `time` [s] but what pairs do then, which is not told again."""
        lasting = _open_rows(self._changes.rows)
        bodies = self.bodies[lasting["pair"]]
        self.clear()
        told = np.zeros(len(lasting), dtype=PAIR_STATE)
        told["time"], told["state"] = time, lasting["state"]
        told["body_a"], told["body_b"] = bodies.T
        self.append(told, np.zeros(0, dtype=[("time", "f8"), ("kind", "i8")]))

    def __len__(self) -> int:
        return len(self.bodies)

    @property
    def hits(self) -> Records:
        """When pairs hit each other: time [s] and number of the pair."""
        return self._hits.rows

    def append(self, changes: Records, events: Records) -> None:
        """Take in PAIR_STATE records and the world's events, each in order of time."""
        hits = events[events["kind"] < HITS]
        for records, log in ((changes, self._changes), (hits, self._hits)):
            if len(records):
                rows = np.zeros(len(records), dtype=_ROW)
                rows["time"], rows["pair"] = records["time"], self._numbers(records)
                if log is self._changes:
                    rows["state"] = records["state"]
                log.append(rows)
                np.add.at(self._counts, rows["pair"][rows["pair"] >= 0], 1)

    def _numbers(self, records: Records) -> Ints:
        """The pair of each record; -1 for those of none. New ones are numbered as they come."""
        a, b = records["body_a"].astype(np.int64), records["body_b"].astype(np.int64)
        keys = (np.minimum(a, b) << 31) | np.maximum(a, b)
        real = a >= 0
        self._number_new(keys[real & ~self._known(keys)])
        out = np.full(len(keys), -1, dtype=np.int64)
        out[real] = self._number[np.searchsorted(self._sorted, keys[real])]
        return out

    def _known(self, keys: Ints) -> Bools:
        """Which of these pairs have a number."""
        if not len(self._sorted):
            return np.zeros(len(keys), dtype=bool)
        at = np.minimum(np.searchsorted(self._sorted, keys), len(self._sorted) - 1)
        return np.asarray(self._sorted[at] == keys)

    def _number_new(self, keys: Ints) -> None:
        """Gives the pairs that have none their numbers."""
        if not len(keys):
            return
        found, first = np.unique(keys, return_index=True)
        new = found[np.argsort(first, kind="stable")]
        numbers = np.arange(len(self), len(self) + len(new))
        keys_now, numbers_now = np.append(self._sorted, new), np.append(self._number, numbers)
        order = np.argsort(keys_now)
        self._sorted, self._number = keys_now[order], numbers_now[order]
        self.bodies = np.concatenate([self.bodies, np.stack([new >> 31, new & 0x7FFFFFFF], axis=1)])
        self._counts = np.append(self._counts, np.zeros(len(new), dtype=np.int64))

    def cut(self, time: float) -> None:
        """Forget everything from `time` [s] on; pairs that only touched after it keep their numbers."""
        self._changes.cut(time)
        self._hits.cut(time)
        self._counts[:] = 0
        for log in (self._changes, self._hits):
            pairs = log.rows["pair"]
            self._counts += np.bincount(pairs[pairs >= 0], minlength=len(self))

    def choose(self, bodies: Collection[int], most: int) -> tuple[Ints, int]:
        """Pairs of these bodies, of all if there are none, in the order in which they first touched.

        Of more than `most`, those of which there is most to tell. Also how many there are in all.
        """
        there: Bools = self._counts > 0
        if bodies:
            there &= np.isin(self.bodies, list(bodies)).any(axis=1)
        pairs = np.flatnonzero(there)
        if len(pairs) <= most:
            return pairs, len(pairs)
        busiest = pairs[np.argsort(-self._counts[pairs], kind="stable")[:most]]
        return np.sort(busiest), len(pairs)

    def bars(self, pairs: Ints, begin: float, end: float, now: float) -> Bars:
        """What these pairs did between two times; what lasts does so until `now` [s]."""
        places, rows = self._places(pairs), self._changes.rows
        row = places[rows["pair"]]
        mine, ends = np.flatnonzero(row >= 0), np.flatnonzero(rows["pair"] < 0)
        at = np.concatenate([mine, np.repeat(ends, len(pairs))])
        row = np.concatenate([row[mine], np.tile(np.arange(len(pairs)), len(ends))])
        state = np.where(rows["pair"][at] < 0, 0, rows["state"][at])
        order = np.lexsort((at, row))
        row, state, time = row[order], state[order], rows["time"][at][order]
        until = np.append(time[1:], now)
        until[np.append(row[1:] != row[:-1], True)[: len(until)]] = now
        seen = (state > 0) & (until[: len(row)] >= begin) & (time <= end)
        return Bars(row[seen], time[seen], until[: len(row)][seen], state[seen])

    def hits_of(self, pairs: Ints, begin: float, end: float) -> tuple[Ints, Floats]:
        """Hits between two times: which of these pairs, and when [s]."""
        rows = self.hits
        first, last = np.searchsorted(rows["time"], (begin, end))
        row = self._places(pairs)[rows["pair"][first:last]]
        mine = row >= 0
        return np.asarray(row[mine]), np.asarray(rows["time"][first:last][mine])

    def _places(self, pairs: Ints) -> Ints:
        """By number of a pair its place in `pairs`, else -1; the last one is for rows of no pair."""
        places = np.full(len(self) + 1, -1, dtype=np.int64)
        places[pairs] = np.arange(len(pairs))
        return places
