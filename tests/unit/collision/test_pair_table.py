"""The pair cache against a dictionary."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.collision.pair_table import drop_pair, find_pair, grow_pairs, make_pair, next_pair, remember_pair
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
