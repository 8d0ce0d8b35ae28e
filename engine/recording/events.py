"""What happened in a run: lines of the loop's log as records, kept until somebody reads them."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

import engine.journal as journal
from engine.arrays import Floats

EVENT_KINDS = (
    "collision",
    "microcollision",
    "arrest",
    "stop",
    "to_constraint",
    "to_impulse",
    "sleep",
    "wake",
    "contact_impulse",
)
"""Kinds of events. An arrest is what stops what flew into a lasting contact, at once. A body is stopped when its state
is no longer finite, or nothing that it can do satisfies its contacts; body_b is body_a then, as in sleep and wake, that
are of a contact group and name one of its bodies. Contacts go to constraint forces and back to impulses. A contact
impulse is one without a collision, where what slides has no contact forces (engine.group.solve.contact_impulses)."""
REASONS = (
    "",
    "at rest when they met",
    "settled: microcollisions in a row",
    "touched a contact group",
    "within reach in a contact group",
    "contact mode is constraint",
    "the gap opened",
    "approached too fast",
    "carried no force",
    "a neighbouring face is closer",
    "no step was short enough",
    "closed where no hit parts it",
    "its support shakes",
    "no contact forces exist",
    "its state was no longer finite",
    "crushed: no motion satisfies its contacts",
    "torn: no motion satisfies its joints",
)
"""Why a contact changed its paradigm or took an impulse, or a body was stopped: an event's `reason` is an index of
this."""
STATES = ("free", "settling", "held", "held off")
"""States of a contact (engine.group.pair_states): an event's `state` is an index of this."""
EVENT = np.dtype(
    [
        ("time", "f8"),
        ("kind", "i8"),
        ("reason", "i8"),
        ("body_a", "i8"),
        ("body_b", "i8"),
        ("node_a", "i8"),
        ("node_b", "i8"),
        ("impulse", "f8", 3),
        ("point", "f8", 3),
        ("normal", "f8", 3),
        ("couple", "f8", 3),
        ("state", "i8"),
    ]
)
"""One event: `kind` indexes EVENT_KINDS, `reason` REASONS; `impulse` [N s] acts on body_a at `point` [m];
`normal`, of hits: the contact's, from body_b to body_a; `couple` [N m s] on body_a, besides: of resistance to rolling
and spinning, and of an arrest at more than one point.

Where a contact changes its paradigm, `state` indexes STATES: what it is from then on."""
_COLUMNS: dict[str, int | slice] = {
    "time": journal.LOG_TIME,
    "kind": journal.LOG_KIND,
    "reason": journal.LOG_REASON,
    "state": journal.LOG_STATE,
    "body_a": journal.LOG_A,
    "body_b": journal.LOG_B,
    "node_a": journal.LOG_NODE_A,
    "node_b": journal.LOG_NODE_B,
    "impulse": slice(journal.LOG_IMPULSE, journal.LOG_IMPULSE + 3),
    "point": slice(journal.LOG_POINT, journal.LOG_POINT + 3),
    "normal": slice(journal.LOG_NORMAL, journal.LOG_NORMAL + 3),
    "couple": slice(journal.LOG_COUPLE, journal.LOG_COUPLE + 3),
}
_MOST_UNREAD = 1 << 20


def decode_log(lines: Floats) -> NDArray[np.void]:
    """Lines (n, LOG_WIDTH) of a log as n records EVENT."""
    out = np.zeros(len(lines), dtype=EVENT)
    for name, column in _COLUMNS.items():
        out[name] = lines[:, column]
    return out


class EventQueue:
    """The events that nobody has read yet, and beside them those of the last `window` seconds.

    Where nobody reads, the oldest are forgotten.
    """

    def __init__(self, window: float) -> None:
        self._window = window
        self._unread: deque[NDArray[np.void]] = deque()
        self._unread_size = 0
        self._recent: deque[NDArray[np.void]] = deque()

    def append(self, events: NDArray[np.void]) -> None:
        """Take in one or more events, in order of time and later than all before."""
        self._recent.append(events)
        self._unread.append(events)
        self._unread_size += len(events)
        while self._unread_size > _MOST_UNREAD and len(self._unread) > 1:
            self._unread_size -= len(self._unread.popleft())

    def read(self) -> NDArray[np.void]:
        """What happened since this was last asked."""
        out = np.concatenate(list(self._unread)) if self._unread else np.zeros(0, dtype=EVENT)
        self._unread.clear()
        self._unread_size = 0
        return out

    def recent(self, t: float) -> NDArray[np.void]:
        """What happened in the window before time t."""
        if not self._recent:
            return np.zeros(0, dtype=EVENT)
        events = np.concatenate(list(self._recent))
        return events[np.searchsorted(events["time"], t - self._window, side="right") :]

    def forget(self, t: float) -> None:
        """Time is t: let go of what is not recent any more."""
        while self._recent and self._recent[0]["time"][-1] <= t - self._window:
            self._recent.popleft()

    def clear(self) -> None:
        """Forget everything."""
        self.read()
        self._recent.clear()
