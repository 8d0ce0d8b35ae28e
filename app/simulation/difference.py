"""How two runs differ: the first event that is not in both, and how far bodies of the same name are apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from app.simulation.messages import Records
from engine.arrays import Floats, Ints
from engine.recording.events import EVENT


class Match(NamedTuple):
    """Bodies of the same name in a run and in the pinned one, and the names of those that only one of them has."""

    names: tuple[str, ...]
    rows: Ints  # of the run
    pinned: Ints  # of the pinned one
    left_out: tuple[str, ...]


def match(names: Sequence[str], pinned: Sequence[str]) -> Match:
    """Bodies by their names, in the order of the run."""
    place = {name: row for row, name in enumerate(pinned)}
    shared = [(row, place[name]) for row, name in enumerate(names) if name in place]
    rows, others = np.array(shared, dtype=np.int64).reshape(-1, 2).T
    known = set(names)
    left_out = (*(n for n in names if n not in place), *(n for n in pinned if n not in known))
    return Match(tuple(names[row] for row in rows), rows, others, left_out)


class Apart(NamedTuple):
    """Of all bodies that are compared, the one that is farthest from where the pinned run has it."""

    distance: float  # between the origins of their authored frames [m]; nan: not known
    name: str  # "" where there is nothing to compare
    same: bool  # every pose agrees to the bit


def apart(poses: Floats, pinned: Floats, matched: Match) -> Apart:
    """Compare poses (n, 7) and (m, 7) x y z [m], w x y z."""
    here, there = poses[matched.rows], pinned[matched.pinned]
    if not len(here):
        return Apart(np.nan, "", False)
    distances = np.linalg.norm(here[:, :3] - there[:, :3], axis=1)
    farthest = int(np.argmax(np.where(np.isnan(distances), -1.0, distances)))
    return Apart(float(distances[farthest]), matched.names[farthest], here.tobytes() == there.tobytes())


def parted(poses: Floats, pinned: Floats, matched: Match) -> Ints:
    """Rows of the pinned run's bodies whose poses are not those of the run to the bit, (k,)."""
    here, there = (np.ascontiguousarray(all_[rows]) for all_, rows in ((poses, matched.rows), (pinned, matched.pinned)))
    return matched.pinned[(here.view(np.int64) != there.view(np.int64)).any(axis=1)]


class Difference(NamedTuple):
    """The first events that are not the same, of each run the one that came next; None: nothing came until then.

    Bodies are rows of the pinned scene in both.
    """

    time: float  # of the earlier one [s]
    event: np.void | None
    pinned: np.void | None


class FirstDifference:
    """Reads the events of two runs side by side as they become known, and stops at the first that differ."""

    def __init__(self, matched: Match, since: float) -> None:
        """since: until then the run is the pinned one [s]."""
        self.found: Difference | None = None
        self._matched = matched
        self._log: list[Records] = []  # all of the pinned run
        self._own = self._others = np.zeros(0, dtype=EVENT)  # that wait for the other run
        self._pinned_until = 0.0
        self._begin(since)

    def compare_others(self, matched: Match) -> None:
        """Other bodies are compared from now on, of a run that begins anew."""
        self._matched, self.found = matched, None
        self._begin(0.0)

    @property
    def until(self) -> float:
        """Until when both runs are known [s]."""
        return min(self._until, self._pinned_until)

    def restart(self, time: float = 0.0) -> None:
        """The run goes another way from `time` [s] on."""
        if self.found is not None and self.found.time < time:
            return
        self.found = None
        waiting, compared = self._own[self._own["time"] <= time], min(time, self.until)
        self._begin(compared)
        self._own, self._until = waiting[waiting["time"] > compared], time

    def _begin(self, time: float) -> None:
        self._since = self._until = time
        self._own = np.zeros(0, dtype=EVENT)
        self._others = self._late(self._shared(np.concatenate(self._log))) if self._log else self._own

    def _late(self, events: Records) -> Records:
        """Those that are compared: after the time from which the runs may differ."""
        return events[events["time"] > self._since] if self._since > 0.0 else events

    def feed(self, events: Records, until: float) -> None:
        """What happened in the run, up to a time [s]."""
        if self.found is None:
            self._own = np.concatenate([self._own, self._late(self._translated(events))])
            self._until = max(until, self._since)
            self._compare()

    def feed_pinned(self, events: Records, until: float) -> None:
        """What happened in the pinned run, up to a time [s]."""
        self._log.append(events)
        self._pinned_until = until
        if self.found is None:
            self._others = np.concatenate([self._others, self._late(self._shared(events))])
            self._compare()

    def _shared(self, events: Records) -> Records:
        """Events of the pinned run whose bodies the run has, too."""
        known = self._matched.pinned
        return events[np.isin(events["body_a"], known) & np.isin(events["body_b"], known)]

    def _translated(self, events: Records) -> Records:
        """Events of bodies that both runs have, with the rows of the pinned scene."""
        mapped, place = events.copy(), dict(zip(self._matched.rows.tolist(), self._matched.pinned.tolist()))
        for side in ("body_a", "body_b"):
            mapped[side] = [place.get(row, -1) for row in events[side].tolist()]
        return mapped[(mapped["body_a"] >= 0) & (mapped["body_b"] >= 0)]

    def _compare(self) -> None:
        count = min(len(self._own), len(self._others))
        a, b = (part[:count].copy().view(np.uint8).reshape(count, EVENT.itemsize) for part in (self._own, self._others))
        differ = np.flatnonzero((a != b).any(axis=1))
        same = int(differ[0]) if len(differ) else count
        self._own, self._others = self._own[same:], self._others[same:]
        own, pinned = self._own[:1], self._others[:1]
        if not len(own) and not len(pinned):
            return
        time = float(np.concatenate([own["time"], pinned["time"]]).min())
        # An event that only one run has is known to be missing once the other run is known beyond it.
        known = np.inf if len(own) and len(pinned) else self._pinned_until if len(own) else self._until
        if time >= known:
            return
        self.found = Difference(time, own[0] if len(own) else None, pinned[0] if len(pinned) else None)
        self._own = self._others = np.zeros(0, dtype=EVENT)
