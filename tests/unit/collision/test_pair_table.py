"""The pair cache against a dictionary."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.collision.pair_table import (
    drop_pair,
    find_pair,
    forget_pair,
    grow_pairs,
    hash_slot,
    make_pair,
    next_pair,
    remember_pair,
)
from engine.model.state import BODY_A, BODY_B, PAIRS, State, allocate_state

BODIES = 9
pair = st.tuples(st.integers(0, BODIES - 1), st.integers(0, BODIES - 1)).filter(lambda p: p[0] < p[1])


def partners(state: State, body: int) -> set[int]:
    found = set()
    row = int(state.first_pair[body])
    while row >= 0:
        ends = {int(state.links[row, BODY_A]), int(state.links[row, BODY_B])}
        found |= ends - {body}
        row = next_pair(state.links, row, body)
    return found


@given(st.lists(pair, max_size=120))
def test_toggling_pairs_keeps_hash_and_lists_true(script: list[tuple[int, int]]) -> None:
    state = allocate_state(BODIES, 8)
    known: set[tuple[int, int]] = set()
    for a, b in script:
        if (a, b) in known:
            drop_pair(state.links, state.table, state.first_pair, state.counts, find_pair(state.table, a, b))
            known.remove((a, b))
        else:
            if state.counts[PAIRS] == len(state.links):
                state = grow_pairs(state)
            row = make_pair(state.pairs, state.links, state.first_pair, state.counts, a, b, a, b, -1)
            remember_pair(state.table, a, b, row)
            known.add((a, b))
    assert state.counts[PAIRS] == len(known)
    for a in range(BODIES):
        assert partners(state, a) == {x + y - a for x, y in known if a in (x, y)}
        for b in range(a + 1, BODIES):
            assert (find_pair(state.table, a, b) >= 0) == ((a, b) in known)
    rows = [find_pair(state.table, a, b) for a, b in known]
    assert len(set(rows)) == len(rows)
    assert all(np.array_equal(state.links[row, [BODY_A, BODY_B]], p) for row, p in zip(rows, known, strict=True))


def test_neighbours_in_a_lattice_are_found_at_once() -> None:
    side, slots = 12, 1 << 15
    number = np.arange(side**3).reshape(side, side, side)
    pairs = [
        (int(low), int(high))
        for lows, highs in (
            (number[:-1], number[1:]),
            (number[:, :-1], number[:, 1:]),
            (number[:, :, :-1], number[:, :, 1:]),
            (number[:-1, :-1], number[1:, 1:]),
        )
        for low, high in zip(lows.ravel(), highs.ravel(), strict=True)
    ]
    table = np.full(2 * slots, -1, dtype=np.int64)
    for row, (a, b) in enumerate(pairs):
        remember_pair(table, a, b, row)
    keys = table[::2]
    used = np.nonzero(keys != -1)[0]
    away = [(int(slot) - hash_slot(int(keys[slot]), slots - 1)) % slots for slot in used]
    # By chance: n entries in m slots stand n / (2 m) away from home on average.
    assert np.mean(away) < 2.0 * len(pairs) / (2 * slots)
    assert max(away) < 30
    for a, b in pairs[::7]:
        forget_pair(table, a, b)
    for row, (a, b) in enumerate(pairs):
        assert find_pair(table, a, b) == (-1 if row % 7 == 0 else row)
