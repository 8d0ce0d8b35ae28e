"""Close counters: in how many tiles a pair of boxes meets (Mirtich 1996, 2.4.2).

The thesis has an n x n array of them. Here only pairs whose counter is not zero have a row: found by hash and listed by
body, with the functions of the pair cache, whose columns these rows share.
"""

from __future__ import annotations

import numpy as np

from engine.collision.pair_table import find_pair, forget_pair, push_front, remember_pair, unlink
from engine.kernel import kernel
from engine.model.model import Ints
from engine.model.state import (
    BODY_A,
    BODY_B,
    CLOSE_COUNT,
    CLOSE_FREE,
    CLOSE_PAIRS,
    CLOSE_WIDTH,
    NEXT_A,
    NEXT_B,
    PREV_A,
    PREV_B,
    State,
)


@kernel
def count_close(close: Ints, table: Ints, first_close: Ints, counts: Ints, i: int, j: int, step: int) -> None:
    """Add `step` (1 or -1) to the counter of the pair; the caller has made sure that a row is free."""
    a = min(i, j)
    b = max(i, j)
    row = find_pair(table, a, b)
    if row < 0:
        row = counts[CLOSE_FREE]
        counts[CLOSE_FREE] = close[row, NEXT_A]
        counts[CLOSE_PAIRS] += 1
        close[row, BODY_A] = a
        close[row, BODY_B] = b
        close[row, CLOSE_COUNT] = 0
        push_front(close, first_close, row, a, NEXT_A, PREV_A)
        push_front(close, first_close, row, b, NEXT_B, PREV_B)
        remember_pair(table, a, b, row)
    close[row, CLOSE_COUNT] += step
    if close[row, CLOSE_COUNT] == 0:
        forget_pair(table, a, b)
        unlink(close, first_close, row, a, NEXT_A, PREV_A)
        unlink(close, first_close, row, b, NEXT_B, PREV_B)
        close[row, NEXT_A] = counts[CLOSE_FREE]
        counts[CLOSE_FREE] = row
        counts[CLOSE_PAIRS] -= 1


@kernel
def remember_close(table: Ints, close: Ints) -> None:
    """Fill an empty table with every pair that is close, by row."""
    for row in range(close.shape[0]):
        if close[row, CLOSE_COUNT] > 0:
            remember_pair(table, close[row, BODY_A], close[row, BODY_B], row)


def make_close(capacity: int) -> tuple[Ints, Ints]:
    """Rows for close pairs, all of them free and listed from 0 on, and an empty table."""
    slots = 16
    while slots < 2 * capacity:
        slots *= 2
    close = np.zeros((capacity, CLOSE_WIDTH), dtype=np.int64)
    close[:, NEXT_A] = np.arange(1, capacity + 1)
    close[-1:, NEXT_A] = -1
    return close, np.full(2 * slots, -1, dtype=np.int64)


def grow_close(state: State, room: int) -> State:
    """A State with `room` more rows for close pairs; everything that was in it stays where it was."""
    old = state.close.shape[0]
    close, table = make_close(old + room)
    close[:old] = state.close
    close[-1, NEXT_A] = state.counts[CLOSE_FREE]
    state.counts[CLOSE_FREE] = old
    remember_close(table, close)
    return state._replace(close=close, close_table=table)
