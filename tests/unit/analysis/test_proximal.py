"""Proximal points: they lead to a solution of the problem itself, and say so when they do not."""

from __future__ import annotations

import numpy as np

from engine.analysis.proximal import solve_by_proximal_points
from engine.solvers.dantzig import solve_dantzig
from engine.solvers.rows import dense_rows
from engine.solvers.solution import ITERATION_LIMIT, NOT_FINITE, SOLVED, Solution, no_trace


def dantzig(A: np.ndarray, b: np.ndarray, x: np.ndarray) -> Solution:
    return solve_dantzig(dense_rows(A), b, np.flatnonzero(x > 0.0), 1e-12, 200, no_trace())


def four_legs() -> np.ndarray:
    legs = np.array([[1.0, x, y] for x in (-1, 1) for y in (-1, 1)])
    return legs @ legs.T


def test_a_singular_problem_is_solved_as_it_is() -> None:
    """However far e leads astray at first."""
    A = four_legs()
    b = A @ np.array([-1.0, -2.0, -3.0, -2.0])
    solution = solve_by_proximal_points(A, b, 0.5, 1e-9, dantzig)
    assert solution.status == SOLVED and solution.residual <= 1e-9
    np.testing.assert_allclose(solution.w, A @ solution.x + b, atol=1e-12)
    np.testing.assert_allclose(solution.w, np.zeros(4), atol=1e-8)
    assert solution.x.min() >= 0 and solution.iterations > 0


def test_no_solution() -> None:
    """What one contact is relieved of the other has to bear: the best of what was seen."""
    A = np.outer([1.0, -1.0], [1.0, -1.0])
    b = np.array([-1.0, -1.0])
    solution = solve_by_proximal_points(A, b, 1e-3, 1e-9, dantzig)
    assert solution.status == ITERATION_LIMIT
    assert solution.residual > 0.1


def test_methods_that_break_down_end_it() -> None:
    calls = []

    def break_down(A: np.ndarray, b: np.ndarray, x: np.ndarray) -> Solution:
        calls.append(len(b))
        return Solution(x, b, NOT_FINITE, np.inf, 3)

    solution = solve_by_proximal_points(four_legs(), -np.ones(4), 1e-3, 1e-9, break_down)
    assert (solution.status, solution.iterations, len(calls)) == (ITERATION_LIMIT, 3, 1)
