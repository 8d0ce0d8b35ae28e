"""The event heap against a sorted list."""

from __future__ import annotations

from math import inf

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine import World
from engine.events import cancel, next_event, rank_of, schedule, set_timer
from engine.model import state as s
from tests.scenes import ball, scene

EVENTS = 40
times = st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0, inf])
steps = st.lists(st.tuples(st.integers(0, EVENTS - 1), st.none() | times), max_size=200)


@given(steps)
def test_the_heap_pops_in_order_of_time_then_rank(script: list[tuple[int, float | None]]) -> None:
    heap = np.full(EVENTS, -1)
    keys = np.full(EVENTS, inf)
    place = np.full(EVENTS, -1)
    rank = np.zeros(EVENTS, dtype=np.int64)
    size = 0
    waiting: dict[int, tuple[float, int]] = {}
    for event, time in script:
        if time is None:
            size = cancel(heap, keys, place, rank, size, event)
            waiting.pop(event, None)
        else:
            order = rank_of(event % 3, event, 0)
            size = schedule(heap, keys, place, rank, size, event, time, order)
            waiting[event] = (time, order)
        assert size == len(waiting)
        assert np.array_equal(np.flatnonzero(place >= 0), sorted(waiting))
    popped = []
    while size:
        event = int(heap[0])
        assert keys[0] == waiting[event][0]
        popped.append(event)
        size = cancel(heap, keys, place, rank, size, event)
    ever = [event for event in waiting if waiting[event][0] < inf]
    assert popped[: len(ever)] == sorted(ever, key=lambda e: waiting[e])
    assert sorted(popped) == sorted(waiting)


def test_ranks_order_by_kind_then_bodies() -> None:
    events = [(0, 5, 0), (1, 0, 0), (1, 3, 0), (2, 0, 1), (2, 0, 2), (2, 1, 2)]
    ordered = [rank_of(*event) for event in events]
    assert ordered == sorted(ordered)
    assert len(set(ordered)) == len(ordered)


def test_sleepers_are_looked_at_before_groups_make_a_step() -> None:
    """One that wakes is of a group that makes its step at the same time."""
    world = World(scene(ball("steps", (0, 0, 1)), ball("sleeps", (0, 0, 2))))
    state = world._state
    state.arcs[1, s.HELD] = s.ASLEEP
    for i in (0, 1):
        state.boxes[i, s.UNTIL] = inf
        state.groups[i, s.HORIZON] = 0.25
        set_timer(state, i)
    assert next_event(state)[:2] == (1, 0.25)
