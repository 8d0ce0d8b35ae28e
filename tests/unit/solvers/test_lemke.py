"""Lemke's algorithm on matrices of any kind: solutions, rays, and what it says when there is neither."""

from __future__ import annotations

import numpy as np
import pytest

from engine.solvers.lemke import solve_lemke
from engine.solvers.solution import (
    ITERATION_LIMIT,
    NOT_FINITE,
    RAY,
    SINGULAR,
    SOLVED,
    Solution,
    make_trace,
    no_trace,
)


def solve(M: object, q: object, d: object = None, limit: int = 2000) -> Solution:
    M, q = np.array(M, dtype=np.float64), np.array(q, dtype=np.float64)
    cover = np.ones(len(q)) if d is None else np.array(d, dtype=np.float64)
    return solve_lemke(M, q, cover, False, 1e-9, limit, no_trace())


def test_known_problems() -> None:
    solution = solve([[2, 1], [1, 2]], [-5, -6])
    assert solution.status == SOLVED
    np.testing.assert_allclose(solution.x, [4 / 3, 7 / 3], atol=1e-14)
    # Not symmetric, and of Murty's class that needs many pivots.
    solution = solve([[1, 0, 0], [2, 1, 0], [2, 2, 1]], [-8, -12, -14])
    assert solution.status == SOLVED
    np.testing.assert_allclose(solution.x, [8, 0, 0], atol=1e-13)


def test_nothing_to_do() -> None:
    assert solve(np.zeros((0, 0)), []).status == SOLVED
    solution = solve(-np.eye(3), [0, 1, 2])
    assert (solution.status, solution.iterations, solution.residual) == (SOLVED, 0, 0)
    np.testing.assert_array_equal(solution.w, [0, 1, 2])


def test_rod_that_slides_into_jamming_gives_a_ray() -> None:
    """One contact whose force pulls it in (Baraff 1992, figure 10.3): w = -x - 1 has no solution, x = 1 is a ray."""
    solution = solve([[-1]], [-1])
    assert (solution.status, solution.x[0], solution.w[0]) == (RAY, 1, -1)


def test_indeterminate_rod_is_left_alone() -> None:
    """w = -x + 1: x = 0 and x = 1 both solve it; without need for a force there is none."""
    solution = solve([[-1]], [1])
    assert (solution.status, solution.x[0]) == (SOLVED, 0)


@pytest.mark.parametrize("kind", ["any", "integers", "few", "low rank"])
def test_ends_in_a_solution_or_a_ray(kind: str) -> None:
    rng = np.random.default_rng(7)
    statuses = []
    for _ in range(60):
        n = int(rng.integers(1, 25))
        M, q = random_matrix(rng, n, kind)
        solution = solve(M, q)
        statuses.append(solution.status)
        if solution.status == SOLVED:
            assert abs(np.minimum(solution.x, M @ solution.x + q)).max() <= 1e-9 * (1 + abs(q).max())
        else:
            assert solution.status == RAY
            assert solution.x.min() >= 0 and solution.x.max() == 1
            assert (M @ solution.x)[solution.x > 0].max() <= 1e-9 * abs(M).max()
    assert {SOLVED, RAY} <= set(statuses)


def random_matrix(rng: np.random.Generator, n: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    M, q = rng.normal(size=(n, n)), rng.normal(size=n)
    if kind == "integers":  # ties everywhere
        return np.round(M), np.round(q)
    if kind == "few":
        return np.sign(M) * (rng.random((n, n)) < 0.3), -np.ones(n)
    if kind == "low rank":
        B = rng.normal(size=(n, max(1, n // 3)))
        M = (B + 0.5 * rng.normal(size=B.shape)) @ B.T
        return M, M @ rng.normal(size=n)
    return M, q


def test_covering_vector_chooses_between_solutions() -> None:
    """(2/3, 2/3), (2, 0) and (0, 2) all solve it: d leads to one of them."""
    M, q = [[1, 2], [2, 1]], [-2, -2]
    for d, expected in (([1, 2], [2, 0]), ([2, 1], [0, 2])):
        solution = solve(M, q, d)
        assert solution.status == SOLVED
        np.testing.assert_allclose(solution.x, expected, atol=1e-14)


def test_what_it_cannot_do_is_told() -> None:
    assert solve([[np.nan]], [1]).status == NOT_FINITE
    assert solve([[1]], [-np.inf]).status == NOT_FINITE
    assert solve([[1e200]], [-1]).status == NOT_FINITE
    assert solve([[1, 0], [0, 1]], [-1, -1], [1, 0]).status == SINGULAR
    stopped = solve(np.eye(5), -np.ones(5), limit=2)
    assert (stopped.status, stopped.iterations) == (ITERATION_LIMIT, 2)
    assert stopped.residual > 0


def test_trace_ends_at_the_solution() -> None:
    M, q = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-5.0, -6.0])
    trace = make_trace(10, 2)
    solution = solve_lemke(M, q, np.ones(2), False, 1e-9, 100, trace)
    rows = trace.rows[0]
    assert rows == solution.iterations
    np.testing.assert_allclose(trace.x[rows - 1], solution.x, atol=1e-14)
    np.testing.assert_allclose(trace.w[:rows], trace.x[:rows] @ M + q, atol=1e-14)
    assert trace.driven[0] == -1
    assert set(trace.driven[1:rows]) <= {0, 1}


def test_twice_the_digits() -> None:
    """Integers throughout, so that the answer is exact, and M so near a singular matrix that single pivots lose it."""
    V = np.array([[float(i**j) for j in range(7)] for i in range(1, 8)])
    M = V @ V.T
    x, w = np.array([3.0, 0, 5, 1, 0, 2, 7]), np.array([0, 4.0, 0, 0, 6, 0, 0])
    q = w - M @ x
    d = np.sqrt(np.diag(M))
    once = solve_lemke(M, q, d, False, 1e-9, 200, no_trace())
    twice = solve_lemke(M, q, d, True, 1e-9, 200, no_trace())
    assert twice.status == SOLVED
    np.testing.assert_array_equal(twice.x, x)
    assert abs(once.x - x).max() > 1e-7
