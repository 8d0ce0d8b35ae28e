"""Iterative methods on problems with known answers, on degenerate ones, and where there is no answer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from engine.solvers.cone import NO_FRICTION
from engine.solvers.conjugate_gradient import solve_conjugate_gradient
from engine.solvers.gauss_seidel import solve_gauss_seidel
from engine.solvers.operator import Operator, block_operator, dense_operator, multiply
from engine.solvers.projected_gradient import solve_projected_gradient
from engine.solvers.solution import INFEASIBLE, ITERATION_LIMIT, NOT_FINITE, SOLVED, Solution, make_trace, no_trace

Solve = Callable[[Operator, np.ndarray, np.ndarray], Solution]


def gauss_seidel(N: Operator, b: np.ndarray, start: np.ndarray) -> Solution:
    return solve_gauss_seidel(N, b, NO_FRICTION, start, 1e-10, 2000, 0, no_trace())


def gauss_seidel_with_faces(N: Operator, b: np.ndarray, start: np.ndarray) -> Solution:
    return solve_gauss_seidel(N, b, NO_FRICTION, start, 1e-10, 2000, 20, no_trace())


def projected_gradient(N: Operator, b: np.ndarray, start: np.ndarray) -> Solution:
    return solve_projected_gradient(N, b, NO_FRICTION, start, 1e-10, 2000, 0, no_trace())


def conjugate_gradient(N: Operator, b: np.ndarray, start: np.ndarray) -> Solution:
    return solve_conjugate_gradient(N, b, start, 1e-10, 2000, no_trace())


ALL = [gauss_seidel, gauss_seidel_with_faces, projected_gradient, conjugate_gradient]
each_method = pytest.mark.parametrize("solve", ALL)


def solve_dense(solve: Solve, A: object, b: object) -> Solution:
    b = np.array(b, dtype=np.float64)
    return solve(dense_operator(np.array(A, dtype=np.float64).reshape(len(b), len(b))), b, np.zeros(len(b)))


@each_method
def test_known_answers(solve: Solve) -> None:
    np.testing.assert_allclose(solve_dense(solve, [[2, 1], [1, 2]], [-5, -6]).x, [4 / 3, 7 / 3], atol=1e-9)
    apart = solve_dense(solve, [[2, 1], [1, 2]], [-6, 1])
    assert apart.status == SOLVED
    np.testing.assert_allclose(apart.x, [3, 0], atol=1e-9)
    np.testing.assert_allclose(apart.w, [0, 4], atol=1e-9)


@each_method
def test_table_on_four_legs(solve: Solve) -> None:
    """A is singular; forces are not unique, accelerations are: the table rests."""
    legs = np.array([[1.0, x, y] for x in (-1, 1) for y in (-1, 1)])
    A = legs @ legs.T
    solution = solve_dense(solve, A, A @ np.full(4, -3.0))
    assert solution.status == SOLVED
    np.testing.assert_allclose(solution.w, 0, atol=1e-8)
    np.testing.assert_allclose(solution.x.sum(), 12, atol=1e-7)


@each_method
def test_nothing_to_solve(solve: Solve) -> None:
    assert solve_dense(solve, np.zeros((0, 0)), []).status == SOLVED
    no_contacts = block_operator(np.zeros((0, 2), dtype=np.int64), np.zeros((0, 2, 1, 6)), np.zeros((3, 6, 6)))
    assert solve(no_contacts, np.zeros(0), np.zeros(0)).status == SOLVED
    rest = solve_dense(solve, np.eye(3), [0, 1, 2])
    assert (rest.status, rest.iterations) == (SOLVED, 0)


@each_method
def test_contact_that_nothing_answers(solve: Solve) -> None:
    """Between two fixed bodies: A is zero, and there is an answer only if they part."""
    assert solve_dense(solve, np.zeros((2, 2)), [0, 1]).status == SOLVED
    stuck = solve_dense(solve, np.diag([1.0, 0.0]), [-1, -1])
    assert stuck.status in (ITERATION_LIMIT, INFEASIBLE)
    assert np.isfinite(stuck.x).all() and stuck.residual > 0.1


@each_method
def test_infeasible_problems_end_without_a_solution(solve: Solve) -> None:
    """Two walls that close on a body: w1 = x1 - x2 - 1, w2 = x2 - x1 - 1."""
    solution = solve_dense(solve, [[1, -1], [-1, 1]], [-1, -1])
    assert solution.status in (ITERATION_LIMIT, INFEASIBLE)
    assert np.isfinite(solution.x).all() and solution.residual > 0.1


def test_conjugate_gradients_prove_infeasibility() -> None:
    assert solve_dense(conjugate_gradient, [[1, -1], [-1, 1]], [-1, -1]).status == INFEASIBLE
    assert solve_dense(conjugate_gradient, np.diag([1.0, 0.0]), [-1, -1]).status == INFEASIBLE


@each_method
@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
def test_what_is_not_finite_is_told(solve: Solve, bad: float) -> None:
    for A, b in (([[1, 0], [0, bad]], [-1, -1]), ([[1, 0], [0, 1]], [-1, bad])):
        solution = solve_dense(solve, A, b)
        assert solution.status == NOT_FINITE
        np.testing.assert_array_equal(solution.x, 0)


@each_method
@pytest.mark.parametrize("size", [1e-40, 1e40, 1e90])
def test_huge_and_tiny_numbers_have_an_answer(solve: Solve, size: float) -> None:
    solution = solve_dense(solve, size * np.array([[2.0, 1.0], [1.0, 2.0]]), [-5, -6])
    assert solution.status == SOLVED
    np.testing.assert_allclose(size * solution.x, [4 / 3, 7 / 3], atol=1e-8)
    assert np.isfinite(solve_dense(solve, [[2, 1], [1, 2]], [-5 * size, -6 * size]).x).all()


@each_method
def test_blocks_give_what_the_whole_matrix_gives(solve: Solve) -> None:
    pair, rows, inverse_mass = random_blocks(3, 6, 9, 1)
    N = block_operator(pair, rows, inverse_mass)
    A = whole(N, 9)
    b = A @ -np.ones(9)
    by_blocks = solve(N, b, np.zeros(9))
    assert by_blocks.status == SOLVED
    np.testing.assert_allclose(by_blocks.w, solve_dense(solve, A, b).w, atol=1e-7)


@each_method
def test_a_solution_is_its_own_answer(solve: Solve) -> None:
    A, b = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-5.0, -6.0])
    warm = solve(dense_operator(A), b, np.array([4 / 3, 7 / 3]))
    assert (warm.status, warm.iterations) == (SOLVED, 0)


@pytest.mark.parametrize("method", ["gauss_seidel", "projected_gradient", "conjugate_gradient"])
def test_trace_has_a_row_an_iteration(method: str) -> None:
    A, b = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-5.0, -6.0])
    trace = make_trace(500, 2)
    start, N = np.zeros(2), dense_operator(A)
    if method == "gauss_seidel":
        solution = solve_gauss_seidel(N, b, NO_FRICTION, start, 1e-10, 500, 0, trace)
    elif method == "projected_gradient":
        solution = solve_projected_gradient(N, b, NO_FRICTION, start, 1e-10, 500, 0, trace)
    else:
        solution = solve_conjugate_gradient(N, b, start, 1e-10, 500, trace)
    rows = trace.rows[0]
    assert rows == solution.iterations > 0
    np.testing.assert_allclose(trace.w[:rows], trace.x[:rows] @ A + b, atol=1e-12)
    assert trace.residual[rows - 1] == solution.residual <= 1e-10 < trace.residual[0]
    assert set(trace.driven[:rows]) == {-1}


def random_blocks(seed: int, bodies: int, contacts: int, d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs, with some fixed sides, rows and inverse masses."""
    rng = np.random.default_rng(seed)
    pair = np.array([rng.choice(np.arange(-1, bodies), 2, replace=False) for _ in range(contacts)])
    G = rng.normal(size=(bodies, 6, 6))
    return pair, rng.normal(size=(contacts, 2, d, 6)), G @ G.transpose(0, 2, 1)


def whole(N: Operator, n: int) -> np.ndarray:
    A = np.zeros((n, n))
    for k in range(n):
        multiply(N, np.eye(n)[k], np.zeros((N.bodies, 6)), A[k])
    return A


def test_blocks_multiply_like_their_product() -> None:
    pair, rows, inverse_mass = random_blocks(4, 5, 7, 3)
    J = np.zeros((21, 30))
    for k in range(7):
        for side in range(2):
            if pair[k, side] >= 0:
                J[3 * k : 3 * k + 3, 6 * pair[k, side] : 6 * pair[k, side] + 6] += rows[k, side]
    M = np.zeros((30, 30))
    for body in range(5):
        M[6 * body : 6 * body + 6, 6 * body : 6 * body + 6] = inverse_mass[body]
    np.testing.assert_allclose(whole(block_operator(pair, rows, inverse_mass), 21), J @ M @ J.T, atol=1e-12)
