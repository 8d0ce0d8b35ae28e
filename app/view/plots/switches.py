"""What the strip of switches remembers: one row a switch, found again by time. No Qt here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from app.simulation.messages import Records
from engine.arrays import Ints

FIRST_KIND = 4
"""Events of the engine from this kind on are switches, and impulses where no forces exist: those before it are hits."""
_ROW = np.dtype([("time", "f8"), ("kind", "i1"), ("reason", "i1"), ("state", "i1"), ("body_a", "i4"), ("body_b", "i4")])


@dataclass(frozen=True)
class Lane:
    """One kind of switch: events of the engine's EVENT_KINDS from "to_constraint" on, in their order."""

    word: str
    text: str
    tally: str
    colour: str  # name of the paradigm that it leads to


LANES = (
    Lane("constraint", "to constraint", "to constraint", "constraint"),
    Lane("impulse", "to impulse", "to impulse", "impulse"),
    Lane("sleep", "falls asleep", "fell asleep", "asleep"),
    Lane("wake", "wakes", "woke", "free"),
    Lane("contact impulse", "takes a contact impulse", "took a contact impulse", "mixed"),
)


class Words(NamedTuple):
    """The engine's words for what a switch is: states of a contact, and reasons."""

    states: Sequence[str]
    reasons: Sequence[str]


class SwitchLog:
    """Switches in order of time. A run with more of them than fit forgets the oldest half."""

    def __init__(self, capacity: int = 1 << 20) -> None:
        self._most = capacity
        self._rows = np.empty(min(1024, capacity), dtype=_ROW)
        self._size = 0
        self.forgotten = 0
        """How many there were before the first that is remembered."""

    def __len__(self) -> int:
        return self._size

    @property
    def rows(self) -> Records:
        """All that are remembered: time [s], kind (a place in LANES), reason, state of the pair, body_a, body_b."""
        return self._rows[: self._size]

    def clear(self) -> None:
        self._size = self.forgotten = 0

    def append(self, events: Records) -> int:
        """Take the switches out of events in order of time; how many there were."""
        new = events[events["kind"] >= FIRST_KIND]
        count = min(len(new), self._most)
        if not count:
            return 0
        if self._size + count > self._most:
            kept = min(self._most // 2, self._most - count)
            self.forgotten += self._size - kept
            self._rows[:kept] = self._rows[self._size - kept : self._size].copy()
            self._size = kept
        if self._size + count > len(self._rows):
            larger = np.empty(min(self._most, 2 * (self._size + count)), dtype=_ROW)
            larger[: self._size] = self.rows
            self._rows = larger
        here = self._rows[self._size : self._size + count]
        for name in _ROW.fields or ():
            here[name] = new[name][-count:]
        here["kind"] -= FIRST_KIND
        self._size += count
        return count

    def cut(self, time: float) -> None:
        """Forget everything from `time` [s] on."""
        self._size = int(np.searchsorted(self.rows["time"], time))

    def between(self, begin: float, end: float) -> slice:
        """The rows with begin <= time < end."""
        first, last = np.searchsorted(self.rows["time"], (begin, end))
        return slice(int(first), int(last))

    def columns(self, begin: float, end: float, width: int) -> Ints:
        """How many switches of each lane fall on each of `width` equal parts of a stretch of time, (lanes, width)."""
        seen = self.rows[self.between(begin, end)]
        place = np.minimum(((seen["time"] - begin) * (width / (end - begin))).astype(np.int64), width - 1)
        cells = np.bincount(seen["kind"].astype(np.int64) * width + place, minlength=len(LANES) * width)
        return np.asarray(cells.reshape(len(LANES), width))


def say_switches(rows: Records, names: Sequence[str], words: Words) -> str:
    """In words: one switch with its time, bodies, state and reason; of several, how many there are and why."""
    if len(rows) == 1:
        return _say_one(rows[0], names, words)
    first, last = float(rows["time"][0]), float(rows["time"][-1])
    when = f"t = {first:.6f} s" if last == first else f"t = {first:.4f} – {last:.4f} s"
    whats = []
    for kind in np.unique(rows["kind"]):
        mine = rows[rows["kind"] == kind]
        whys = [(int(np.sum(mine["reason"] == reason)), int(reason)) for reason in np.unique(mine["reason"])]
        whys.sort(reverse=True)
        said = ", ".join(f"{number} {why}" for number, reason in whys if (why := _word(reason, words.reasons)))
        whats.append(f"{len(mine)} × {LANES[kind].text}" + (f" ({said})" if said else ""))
    return f"{when}:  " + "; ".join(whats)


def _say_one(row: Records, names: Sequence[str], words: Words) -> str:
    a, b = (_name(int(row[side]), names) for side in ("body_a", "body_b"))
    lane, why = LANES[int(row["kind"])], _word(int(row["reason"]), words.reasons)
    if row["body_a"] == row["body_b"]:
        return f"t = {float(row['time']):.6f} s:  the group of {a} {lane.text}" + (f": {why}" if why else "")
    state = _word(int(row["state"]), words.states)
    return f"t = {float(row['time']):.6f} s:  {a} – {b} {lane.text}, {state}" + (f": {why}" if why else "")


def _name(row: int, names: Sequence[str]) -> str:
    return names[row] if row < len(names) else f"#{row}"


def _word(at: int, words: Sequence[str]) -> str:
    return words[at] if 0 <= at < len(words) else ""
