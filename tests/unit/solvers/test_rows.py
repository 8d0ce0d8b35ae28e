"""Matrices by rows: dense and sparse answer the same."""

from __future__ import annotations

import numpy as np
import pytest

from engine.solvers.rows import add_row, dense_rows, diagonal_entry, dot_row, multiply_rows, pick_row, sparse_rows


@pytest.mark.parametrize("make", [dense_rows, sparse_rows])
@pytest.mark.parametrize("density", [0.0, 0.4, 1.0])
def test_products_and_entries(make, density: float) -> None:
    rng = np.random.default_rng(3)
    A = rng.normal(size=(7, 7)) * (rng.random((7, 7)) < density)
    rows = make(A)
    v, out = rng.normal(size=7), np.empty(7)
    multiply_rows(rows, v, out)
    np.testing.assert_allclose(out, A @ v, atol=1e-15)
    add_row(rows, 3, 2.0, out)
    np.testing.assert_allclose(out, A @ v + 2 * A[3], atol=1e-15)
    assert dot_row(rows, 5, v) == pytest.approx(A[5] @ v, abs=1e-15)
    order, position = np.array([4, 1, 6]), np.array([-1, 1, -1, -1, 0, -1, 2])
    pick_row(rows, 2, order, position, 3, out)
    np.testing.assert_array_equal(out[:3], A[2, order])
    assert [diagonal_entry(rows, k) for k in range(7)] == np.diag(A).tolist()


def test_sparse_keeps_only_what_is_there() -> None:
    rows = sparse_rows(np.array([[0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 3.0]]))
    assert rows.values.tolist() == [2, 1, 3]
    assert rows.columns.tolist() == [1, 0, 2]
    assert rows.starts.tolist() == [0, 1, 1, 3]
