from __future__ import annotations

import numpy as np
import pytest

from engine.maths.skyline import OFFSET, SKYLINE_WIDTH, START, factor_skyline, solve_skyline


def skyline_of(a: np.ndarray, before: int) -> tuple[np.ndarray, np.ndarray]:
    """The tables of a matrix whose rows begin where they do, as the second of two matrices."""
    n = len(a)
    skyline = np.zeros((before + n, SKYLINE_WIDTH), dtype=np.int64)
    values: list[float] = [7.0] * before
    for i in range(n):
        start = int(np.flatnonzero(a[i, : i + 1])[0])
        skyline[before + i, START] = before + start
        skyline[before + i, OFFSET] = len(values) - before - start
        values += a[i, start : i + 1].tolist()
    return skyline, np.array(values)


def narrow(rng: np.random.Generator, n: int, width: int) -> np.ndarray:
    lower = np.tril(rng.normal(size=(n, n))) * (np.subtract.outer(range(n), range(n)) < width)
    return lower @ lower.T + np.eye(n)


@pytest.mark.parametrize("width", [1, 3, 12])
def test_it_solves_what_numpy_solves(width: int) -> None:
    rng = np.random.default_rng(width)
    a = narrow(rng, 12, width)
    skyline, values = skyline_of(a, 2)
    b = rng.normal(size=12)
    x = np.zeros((14, 3))
    x[2:, 1] = b
    factor_skyline(skyline, values, 2, 12)
    solve_skyline(skyline, values, 2, 12, x, 1)
    assert np.abs(x[2:, 1] - np.linalg.solve(a, b)).max() < 1e-9
    assert not x[:, [0, 2]].any() and not x[:2].any() and (values[:2] == 7.0).all()


@pytest.mark.parametrize("width", [6, 12, 30])
def test_rows_that_begin_alike_are_taken_together(width: int) -> None:
    """Six by six, as a body's: what is found is what numpy finds, also where some are left over."""
    rng = np.random.default_rng(width)
    n = 57
    begins = np.arange(n) // 6 * 6
    lower = np.tril(rng.normal(size=(n, n))) * (np.arange(n)[None, :] >= begins[:, None] - width)
    a = lower @ lower.T + np.eye(n)
    skyline, values = skyline_of(a, 3)
    assert len(np.unique(skyline[3:, START])) < n / 5
    b = rng.normal(size=n)
    x = np.zeros((3 + n, 1))
    x[3:, 0] = b
    factor_skyline(skyline, values, 3, n)
    solve_skyline(skyline, values, 3, n, x, 0)
    assert np.abs(x[3:, 0] - np.linalg.solve(a, b)).max() < 1e-9


def test_what_is_said_twice_is_shared() -> None:
    """A = J J^T with a row of J repeated: solved again for what is left, x loads both alike."""
    rng = np.random.default_rng(1)
    j = rng.normal(size=(4, 6))
    j = np.concatenate([j, j[1:2]])
    a, b = j @ j.T, j @ rng.normal(size=6)
    skyline, values = skyline_of(a, 0)
    factor_skyline(skyline, values, 0, 5)
    total = np.zeros(5)
    for _ in range(3):
        x = (b - a @ total)[:, None].copy()
        solve_skyline(skyline, values, 0, 5, x, 0)
        total += x[:, 0]
    assert np.abs(a @ total - b).max() < 1e-12
    assert total[1] == pytest.approx(total[4], rel=1e-3)
