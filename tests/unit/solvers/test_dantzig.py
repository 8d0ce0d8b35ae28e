"""Cottle and Dantzig's algorithm: known answers, warm starts, and inputs that have no answer."""

from __future__ import annotations

import numpy as np
import pytest

from engine.solvers.dantzig import solve_dantzig
from engine.solvers.rows import dense_rows, sparse_rows
from engine.solvers.solution import (
    INFEASIBLE,
    ITERATION_LIMIT,
    NOT_FINITE,
    SINGULAR,
    SOLVED,
    Solution,
    make_trace,
    no_trace,
)


def solve(A: object, b: object, start: object = (), limit: int = 2000, make=dense_rows) -> Solution:
    A, b = np.array(A, dtype=np.float64), np.array(b, dtype=np.float64)
    return solve_dantzig(make(A), b, np.array(start, dtype=np.int64), 1e-9, limit, no_trace())


def random_system(seed: int, n: int, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """A of a rank, and b in its range."""
    rng = np.random.default_rng(seed)
    J = rng.normal(size=(n, rank))
    return J @ J.T, J @ rng.normal(size=rank)


def worst(A: np.ndarray, b: np.ndarray, x: np.ndarray) -> float:
    return float(abs(np.minimum(x, A @ x + b)).max() / (1 + abs(b).max()))


def test_known_problems() -> None:
    solution = solve([[2, 1], [1, 2]], [-5, -6])
    assert solution.status == SOLVED
    np.testing.assert_allclose(solution.x, [4 / 3, 7 / 3], atol=1e-14)
    solution = solve([[2, 1.5], [1.5, 2]], [-5, 1])  # the second contact parts
    np.testing.assert_allclose(solution.x, [2.5, 0], atol=1e-14)
    np.testing.assert_allclose(solution.w, [0, 4.75], atol=1e-14)


@pytest.mark.parametrize("make", [dense_rows, sparse_rows])
@pytest.mark.parametrize(("n", "rank"), [(1, 1), (12, 12), (30, 40), (30, 11), (60, 6)])
def test_random_problems(make, n: int, rank: int) -> None:
    for seed in range(20):
        A, b = random_system(seed, n, rank)
        solution = solve(A, b, make=make)
        assert solution.status == SOLVED
        assert worst(A, b, solution.x) <= 1e-11
        assert np.count_nonzero(solution.x) <= rank


def test_warm_start_needs_no_pivots() -> None:
    A, b = random_system(1, 50, 60)
    cold = solve(A, b)
    warm = solve(A, b, np.flatnonzero(cold.x))
    assert cold.iterations > 10
    assert warm.iterations == 0
    np.testing.assert_allclose(warm.x, cold.x, atol=1e-12)


def test_any_start_leads_to_the_solution() -> None:
    rng = np.random.default_rng(2)
    for seed in range(30):
        A, b = random_system(seed, 25, 15 + seed)
        start = rng.integers(-3, 28, size=30)  # twice the same, dependent, and what is no index
        solution = solve(A, b, start)
        assert solution.status == SOLVED
        assert worst(A, b, solution.x) <= 1e-11


def test_nearby_problem_needs_few_pivots() -> None:
    A, b = random_system(3, 80, 90)
    cold = solve(A, b)
    warm = solve(A, b * np.random.default_rng(0).normal(1.0, 0.01, 80), np.flatnonzero(cold.x))
    assert warm.status == SOLVED
    assert warm.iterations < cold.iterations / 4


def test_table_on_more_legs_than_it_needs() -> None:
    """Forty legs in a square: rank 3, all b equal, ties everywhere."""
    x, y = np.meshgrid(np.linspace(-1, 1, 8), np.linspace(-1, 1, 5))
    J = np.column_stack([np.ones(40), x.ravel(), y.ravel()])
    A, b = J @ J.T, -9.81 * np.ones(40)
    solution = solve(A, b)
    assert solution.status == SOLVED
    assert worst(A, b, solution.x) <= 1e-13
    assert solution.x.sum() == pytest.approx(9.81)


def test_same_contact_many_times() -> None:
    solution = solve(np.ones((50, 50)), -np.ones(50))
    assert solution.status == SOLVED
    assert solution.x.sum() == pytest.approx(1)


def test_units_and_masses_do_not_matter() -> None:
    A, b = random_system(5, 30, 17)
    size = 10.0 ** np.random.default_rng(5).uniform(-6, 6, 30)
    plain, scaled = solve(A, b), solve(A * np.outer(size, size), b * size)
    assert scaled.status == SOLVED
    np.testing.assert_allclose(scaled.x * size, plain.x, atol=1e-9 * plain.x.max())


def test_nothing_to_do() -> None:
    assert solve(np.zeros((0, 0)), []).status == SOLVED
    solution = solve(np.eye(3), [0, 1, 2])
    assert (solution.status, solution.iterations, solution.residual) == (SOLVED, 0, 0)
    assert solve(np.zeros((2, 2)), [0, 1]).status == SOLVED


def test_no_solution_is_proved() -> None:
    assert solve(np.zeros((1, 1)), [-1]).status == INFEASIBLE
    # Two contacts that press one body from both sides, and both should part.
    assert solve([[1, -1], [-1, 1]], [-1, -1]).status == INFEASIBLE
    assert solve([[1, -1], [-1, 1]], [-1, 1]).status == SOLVED
    A, _ = random_system(7, 20, 8)
    kernel = np.linalg.svd(A)[2][-1]
    z = np.maximum(kernel, 0)  # rows that pull are turned round, so that z >= 0 is in the kernel
    sign = np.where(kernel >= 0, 1.0, -1.0)
    assert z.max() > 0
    assert solve(A * np.outer(sign, sign), -abs(kernel)).status == INFEASIBLE


def test_what_it_cannot_do_is_told() -> None:
    assert solve([[np.nan]], [1]).status == NOT_FINITE
    assert solve([[1]], [np.inf]).status == NOT_FINITE
    assert solve([[1e200]], [-1]).status == NOT_FINITE
    assert solve([[-1]], [-1]).status == SINGULAR
    assert solve([[1, -2], [-2, 1]], [-1, -1]).status == SINGULAR
    stopped = solve(np.eye(5), -np.ones(5), limit=2)
    assert (stopped.status, stopped.iterations) == (ITERATION_LIMIT, 2)
    assert stopped.residual == pytest.approx(0.5)


def test_trace_shows_each_pivot() -> None:
    A, b = random_system(8, 20, 25)
    trace = make_trace(100, 20)
    solution = solve_dantzig(dense_rows(A), b, np.empty(0, dtype=np.int64), 1e-9, 100, trace)
    rows = trace.rows[0]
    assert rows == solution.iterations
    np.testing.assert_allclose(trace.x[rows - 1], solution.x, atol=1e-12)
    np.testing.assert_allclose(trace.w[:rows], trace.x[:rows] @ A + b, atol=1e-12)
    for row in range(rows):
        assert trace.residual[row] == pytest.approx(worst(A, b, trace.x[row]), abs=1e-12)
