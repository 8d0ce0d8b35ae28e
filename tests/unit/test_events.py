"""The event heap against a sorted list."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.events import cancel, rank_of, schedule

EVENTS = 40
steps = st.lists(
    st.tuples(st.integers(0, EVENTS - 1), st.none() | st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0])), max_size=200
)


@given(steps)
def test_the_heap_pops_in_order_of_time_then_rank(script: list[tuple[int, float | None]]) -> None:
    heap = np.full(EVENTS, -1)
    place = np.full(EVENTS, -1)
    due = np.zeros(EVENTS)
    rank = np.zeros(EVENTS, dtype=np.int64)
    size = 0
    waiting: dict[int, tuple[float, int]] = {}
    for event, time in script:
        if time is None:
            size = cancel(heap, place, due, rank, size, event)
            waiting.pop(event, None)
        else:
            order = rank_of(event % 3, event, 0)
            size = schedule(heap, place, due, rank, size, event, time, order)
            waiting[event] = (time, order)
        assert size == len(waiting)
    popped = []
    while size:
        event = int(heap[0])
        popped.append(event)
        size = cancel(heap, place, due, rank, size, event)
    assert popped == sorted(waiting, key=lambda e: waiting[e])


def test_ranks_order_by_kind_then_bodies() -> None:
    events = [(0, 5, 0), (1, 0, 0), (1, 3, 0), (2, 0, 1), (2, 0, 2), (2, 1, 2)]
    ordered = [rank_of(*event) for event in events]
    assert ordered == sorted(ordered)
    assert len(set(ordered)) == len(ordered)
