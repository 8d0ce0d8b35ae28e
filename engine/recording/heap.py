"""Reading the heap without changing it: what comes next, and when."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from engine.model import state as s
from engine.model.state import State

CHECK = np.dtype(
    [
        ("time", "f8"),
        ("body_a", "i8"),
        ("body_b", "i8"),
        ("gap", "f8"),
        ("checked", "f8"),
        ("point_a", "f8", 3),
        ("point_b", "f8", 3),
    ]
)
"""A check of a pair that waits: due at `time` [s]; gap [m] and nearest points [m] as of its last one, at `checked`."""


def next_event(state: State) -> tuple[float, int]:
    """Time [s] and id of the earliest event; inf and -1 if there is none."""
    first = (inf, 0, -1)
    if state.counts[s.SOON_SIZE]:
        first = (float(state.soon_keys[0]), int(state.rank[state.soon[0]]), int(state.soon[0]))
    if state.counts[s.HEAP_SIZE]:
        first = min(first, (float(state.keys[0]), int(state.rank[state.heap[0]]), int(state.heap[0])))
    return first[0], first[2]


def is_idle_until(state: State, t: float) -> bool:
    """Does nothing happen up to and including time t? Worth asking: handing the State to a kernel takes longer."""
    return (
        (not state.counts.item(s.SOON_SIZE) or state.soon_keys.item(0) > t)
        and (not state.counts.item(s.HEAP_SIZE) or state.keys.item(0) > t)
        and t < inf
    )


def read_heap(state: State, k: int) -> NDArray[np.void]:
    """The k checks (CHECK) that come next, earliest first."""
    bodies = len(state.arcs)
    size = state.counts[s.HEAP_SIZE]
    waiting = state.heap[:size]
    due = np.where(state.soon_place[waiting] >= 0, state.clock.item(s.TIME), state.keys[:size])
    shown = waiting >= bodies
    shown[shown] = state.links[waiting[shown] - bodies, s.PART] < 0  # what is unwrapped only waits to be wrapped again
    waiting, due = waiting[shown], due[shown]
    if len(waiting) > k:
        first = np.argpartition(due, k - 1)[:k]
        waiting, due = waiting[first], due[first]
    order = np.lexsort((state.rank[waiting], due))
    rows = waiting[order] - bodies
    out = np.zeros(len(rows), dtype=CHECK)
    out["time"] = due[order]
    out["body_a"] = state.links[rows, s.BODY_A]
    out["body_b"] = state.links[rows, s.BODY_B]
    out["gap"] = state.pairs[rows, s.GAP]
    out["checked"] = state.pairs[rows, s.CHECKED]
    out["point_a"] = state.pairs[rows, s.POINT_A : s.POINT_A + 3]
    out["point_b"] = state.pairs[rows, s.POINT_B : s.POINT_B + 3]
    return out
