"""What forces that hold contacts have given between two readings, each only for as long as it held.

A contact's force passes from impulses to constraint forces and back at an instant that the log of switches tells: so
the plots show it without a jump, whenever they are read. What a hit of one of its bodies changes at once has changed
from the first hit on, and not since the reading before.
"""

from __future__ import annotations

import numpy as np

from app.simulation.messages import LOAD, Records
from engine.arrays import Bools
from engine.recording.events import EVENT_KINDS
from engine.recording.forces import split_forces

_BEGINS, _ENDS = EVENT_KINDS.index("to_constraint"), EVENT_KINDS.index("to_impulse")
_HITS = [EVENT_KINDS.index(kind) for kind in ("collision", "microcollision", "arrest")]


class HeldForces:
    """Reads what is held at one time after another."""

    def __init__(self) -> None:
        self.start(0.0)

    def start(self, time: float) -> None:
        """Nothing is known before `time` [s]."""
        self._time = time
        self._keys = np.zeros(0, dtype=np.int64)
        self._loads = np.zeros(0, dtype=LOAD)

    def read(self, time: float, contacts: Records, events: Records, moves: Bools | None = None) -> Records:
        """LOAD records of contacts that have been held since the reading before, their forces as means over that time.

        contacts: the world's at `time` [s]; events: what has happened since the reading before. moves: which bodies are
        moved by hits, (n,); None: nobody knows.
        """
        lasts = contacts["paradigm"] != "impulse"
        keys, parts = _keys(contacts)[lasts], split_forces(contacts["force"], contacts["normal"])
        loads = np.zeros(len(keys), dtype=LOAD)
        loads["body_a"], loads["body_b"] = contacts["body_a"][lasts], contacts["body_b"][lasts]
        loads["normal"], loads["friction"] = parts[0][lasts], parts[1][lasts]
        past, span = np.zeros(0, dtype=LOAD), time - self._time
        mean = loads.copy()
        if span > 0.0:
            begun, ended = events[events["kind"] == _BEGINS], events[events["kind"] == _ENDS]
            _scale(mean, (time - _times(keys, begun, self._time)) / span)  # those that begin again: from the last time
            gone = np.isin(self._keys, _keys(ended))
            first = _times(self._keys[gone], ended[::-1], time)
            past = self._loads[gone].copy()
            _scale(past, (first - self._time) / span)
            if moves is not None:
                self._keep_until_hit(mean, keys, events, moves, time)
        self._time, self._keys, self._loads = time, keys, loads
        return np.concatenate([mean, past])

    def _keep_until_hit(self, mean: Records, keys: Records, events: Records, moves: Bools, time: float) -> None:
        """What has been held since the reading before bore what it did then until a hit of one of its bodies."""
        hits = events[np.isin(events["kind"], _HITS)]
        hit = np.full(len(moves), time)
        for side in ("body_a", "body_b"):
            np.minimum.at(hit, hits[side], hits["time"])
        hit[~moves] = time
        until = np.minimum(hit[mean["body_a"]], hit[mean["body_b"]])
        switched = _keys(events[np.isin(events["kind"], [_BEGINS, _ENDS])])
        here = np.flatnonzero(until < time)
        here = here[np.isin(keys[here], self._keys) & ~np.isin(keys[here], switched)]
        order = np.argsort(self._keys)
        before = self._loads[order[np.searchsorted(self._keys, keys[here], sorter=order)]]
        share = (until[here] - self._time) / (time - self._time)
        for part in ("normal", "friction"):
            mean[part][here] += share * (before[part] - mean[part][here])


def _keys(records: Records) -> Records:
    """A number for each pair of pieces."""
    return np.asarray((records["node_a"].astype(np.int64) << 31) | records["node_b"])


def _times(keys: Records, events: Records, otherwise: float) -> Records:
    """The time of the last event of each pair; `otherwise` where there is none."""
    if not len(events) or not len(keys):
        return np.full(len(keys), otherwise)
    told, last = np.unique(_keys(events)[::-1], return_index=True)
    at = np.minimum(np.searchsorted(told, keys), len(told) - 1)
    return np.where(told[at] == keys, events["time"][::-1][last[at]], otherwise)


def _scale(loads: Records, by: Records) -> None:
    loads["normal"] *= by
    loads["friction"] *= by
