"""Nearest points in cones: known answers, warm starts, dense and sparse, and what cannot be."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from engine.solvers.rows import dense_rows, sparse_rows
from engine.solvers.solution import ITERATION_LIMIT, NOT_FINITE, SOLVED, Solution, make_trace, no_trace
from engine.solvers.wilhelmsen import solve_wilhelmsen


def solve(J: object, s: object, start: object = (), limit: int = 2000, make=dense_rows) -> tuple[Solution, np.ndarray]:
    J, s = np.array(J, dtype=np.float64), np.array(s, dtype=np.float64)
    point = np.full(len(s), np.nan)
    start = np.array(start, dtype=np.int64)
    return solve_wilhelmsen(make(J), s, start, point, 1e-9, limit, no_trace()), point


def test_corner_of_a_cone() -> None:
    """The cone between (1, 0) and (1, 1): points inside stay, points beside go to its edges, points behind to 0."""
    J = [[1, 0], [1, 1]]
    for s, x, y in (
        ([3, 1], [2, 1], [3, 1]),
        ([2, -1], [2, 0], [2, 0]),
        ([0, 2], [0, 1], [1, 1]),
        ([-1, -1], [0, 0], [0, 0]),
    ):
        solution, point = solve(J, s)
        assert solution.status == SOLVED
        np.testing.assert_allclose(solution.x, x, atol=1e-14)
        np.testing.assert_allclose(point, y, atol=1e-14)


@pytest.mark.parametrize("make", [dense_rows, sparse_rows])
@pytest.mark.parametrize(("m", "d"), [(1, 6), (30, 6), (20, 60), (60, 60), (200, 30)])
def test_random_cones(make, m: int, d: int) -> None:
    rng = np.random.default_rng(m)
    for _ in range(10):
        J, s = rng.normal(size=(m, d)), rng.normal(size=d)
        solution, point = solve(J, s, make=make)
        assert solution.status == SOLVED
        np.testing.assert_allclose(point, J.T @ nnls(J.T, s)[0], atol=1e-10)
        np.testing.assert_allclose(point, J.T @ solution.x, atol=1e-12)
        np.testing.assert_allclose(solution.w, J @ (point - s), atol=1e-12)
        assert solution.x.min() >= 0 and np.count_nonzero(solution.x) <= d


def test_warm_start_needs_one_move() -> None:
    rng = np.random.default_rng(1)
    J, s = rng.normal(size=(80, 40)), rng.normal(size=40)
    cold, _ = solve(J, s)
    warm, _ = solve(J, s, np.flatnonzero(cold.x))
    assert cold.iterations > 5
    assert warm.iterations == 1
    np.testing.assert_allclose(warm.x, cold.x, atol=1e-12)


def test_any_start_leads_to_the_nearest_point() -> None:
    rng = np.random.default_rng(2)
    for _ in range(30):
        J, s = rng.normal(size=(25, 12)), rng.normal(size=12)
        solution, point = solve(J, s, rng.integers(-3, 28, size=30))
        assert solution.status == SOLVED
        np.testing.assert_allclose(point, J.T @ nnls(J.T, s)[0], atol=1e-10)


def test_rows_that_depend_on_each_other() -> None:
    solution, point = solve(np.ones((50, 3)), [1, 2, 3])
    assert solution.status == SOLVED
    np.testing.assert_allclose(point, [2, 2, 2], atol=1e-14)
    solution, point = solve([[1, 0], [-1, 0], [0, 0]], [2, 1])  # pressed from both sides; and a row of nothing
    np.testing.assert_allclose(point, [2, 0], atol=1e-14)


def test_units_do_not_matter() -> None:
    rng = np.random.default_rng(3)
    J, s = rng.normal(size=(40, 15)), rng.normal(size=15)
    size = 10.0 ** rng.uniform(-6, 6, 40)
    plain, scaled = solve(J, s)[1], solve(J * size[:, None], s)[1]
    np.testing.assert_allclose(scaled, plain, atol=1e-10)


def test_nothing_to_do() -> None:
    solution, point = solve(np.zeros((0, 6)), np.ones(6))
    assert solution.status == SOLVED and not point.any()
    solution, point = solve(np.eye(3), [-1, -2, 0])
    assert (solution.status, solution.iterations, solution.residual) == (SOLVED, 0, 0)


def test_what_it_cannot_do_is_told() -> None:
    assert solve([[np.nan]], [1])[0].status == NOT_FINITE
    assert solve([[1]], [np.inf])[0].status == NOT_FINITE
    assert solve([[1e200]], [1])[0].status == NOT_FINITE
    stopped, point = solve(np.eye(5), np.ones(5), limit=2)
    assert (stopped.status, stopped.iterations) == (ITERATION_LIMIT, 2)
    assert point.sum() == pytest.approx(2)


def test_trace_shows_how_the_distance_falls() -> None:
    rng = np.random.default_rng(4)
    J, s = rng.normal(size=(60, 30)), rng.normal(size=30)
    trace = make_trace(200, 60)
    solution = solve_wilhelmsen(dense_rows(J), s, np.empty(0, dtype=np.int64), np.empty(30), 1e-9, 200, trace)
    rows = trace.rows[0]
    assert rows == solution.iterations
    np.testing.assert_allclose(trace.x[rows - 1], solution.x, atol=1e-12)
    distance = np.linalg.norm(trace.x[:rows] @ J - s, axis=1)
    assert (np.diff(distance) < 1e-14).all()
    np.testing.assert_allclose(trace.w[:rows], (trace.x[:rows] @ J - s) @ J.T, atol=1e-12)
