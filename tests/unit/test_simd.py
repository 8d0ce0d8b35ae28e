"""Eight rows side by side, and back: the same numbers as one by one."""

from __future__ import annotations

import numpy as np
import pytest

from engine.arrays import Floats, Ints
from engine.kernel import kernel
from engine.simd import COLUMNS, LANES, gather_rows, scatter_rows


@kernel
def _gather(table: Floats, rows: Ints, first: int, lanes: Floats, into: int) -> None:
    gather_rows(table, rows, first, lanes, into)


@kernel
def _scatter(table: Floats, rows: Ints, first: int, lanes: Floats, source: int) -> None:
    scatter_rows(table, rows, first, lanes, source)


@pytest.mark.parametrize("width", [6, 7, 72])
def test_rows_go_into_lanes_and_back(width: int) -> None:
    rng = np.random.default_rng(5)
    table = rng.normal(size=(40, width))
    rows = rng.permutation(40)[: 3 + LANES]
    lanes = np.zeros(200)
    _gather(table, rows, 3, lanes, 11)
    turned = lanes[11 : 11 + LANES * COLUMNS].reshape(COLUMNS, LANES)
    assert (turned == table[rows[3:], :COLUMNS].T).all()
    assert np.count_nonzero(lanes) == LANES * COLUMNS
    turned *= 2.0
    expected = table.copy()
    expected[rows[3:], :COLUMNS] *= 2.0
    _scatter(table, rows, 3, lanes, 11)
    assert (table == expected).all()


def test_a_row_that_several_lanes_share_is_what_the_last_of_them_says() -> None:
    table, rows = np.zeros((3, COLUMNS)), np.array([0, 2, 2, 1, 2, 2, 2, 2])
    lanes = np.arange(float(LANES * COLUMNS))
    _scatter(table, rows, 0, lanes, 0)
    assert (table[2] == LANES * np.arange(COLUMNS) + 7).all()
    assert (table[1] == LANES * np.arange(COLUMNS) + 3).all()
