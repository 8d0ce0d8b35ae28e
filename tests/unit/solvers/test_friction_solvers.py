"""Solvers for friction: a block on a plane by every one of them, and what they say of problems they cannot solve."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from engine.solvers.dynamic_friction import solve_dynamic_friction
from engine.solvers.enumeration import solve_enumeration
from engine.solvers.gauss_seidel import solve_gauss_seidel
from engine.solvers.operator import dense_operator
from engine.solvers.projected_gradient import solve_projected_gradient
from engine.solvers.solution import (
    INFEASIBLE,
    ITERATION_LIMIT,
    NOT_FINITE,
    RAY,
    SOLVED,
    Solution,
    no_trace,
)
from tests.contact_problems import impulse_scale

Solve = Callable[[np.ndarray, np.ndarray, np.ndarray], Solution]


def gauss_seidel(A: np.ndarray, b: np.ndarray, mu: np.ndarray) -> Solution:
    return solve_gauss_seidel(dense_operator(A), b, mu, np.zeros_like(b), 1e-10, 1000, 0, no_trace())


def projected_gradient(A: np.ndarray, b: np.ndarray, mu: np.ndarray) -> Solution:
    return solve_projected_gradient(dense_operator(A), b, mu, np.zeros_like(b), 1e-10, 1000, 0, no_trace())


def dynamic_friction(A: np.ndarray, b: np.ndarray, mu: np.ndarray) -> Solution:
    return solve_dynamic_friction(A, b, mu, np.tile([1.0, 0.0], (len(mu), 1)), 1e-3, 1e-10, 1000, no_trace())


ALL = [gauss_seidel, projected_gradient, dynamic_friction]


@pytest.mark.parametrize(("pull", "friction", "left"), [(3.0, 6.0, 0.0), (7.0, 10.0, 2.0), (-7.0, -10.0, -2.0)])
def test_block_of_two_kilograms_is_pulled(pull: float, friction: float, left: float) -> None:
    """mu = 1/2, gravity 10: friction holds pulls up to 5 m/s² and takes 5 from larger ones; the block stays down."""
    solution = gauss_seidel(np.eye(3) / 2, np.array([-10.0, pull, 0.0]), np.array([0.5]))
    assert solution.status == SOLVED
    np.testing.assert_allclose(solution.x, [20, -friction, 0], atol=1e-7)
    np.testing.assert_allclose(solution.w, [0, left, 0], atol=1e-7)


def test_convex_problem_lifts_what_slides() -> None:
    """Without de Saxcé's correction the block leaves at mu times its slip."""
    solution = projected_gradient(np.eye(3) / 2, np.array([-10.0, 7.0, 0.0]), np.array([0.5]))
    assert solution.status == SOLVED
    assert solution.w[0] == pytest.approx(0.5 * solution.w[1], abs=1e-7)
    assert solution.w[1] > 1


def test_friction_is_alike_in_all_directions() -> None:
    """Pulled along the diagonal a block has the friction mu N."""
    solution = gauss_seidel(np.eye(3) / 2, np.array([-10.0, 20.0, 20.0]), np.array([0.5]))
    np.testing.assert_allclose(solution.x, [20, -10 / 2**0.5, -10 / 2**0.5], atol=1e-7)


def test_dynamic_friction_is_against_slip_and_weak_where_it_is_slow() -> None:
    A, b, mu = np.eye(3) / 2, np.array([-10.0, 0.0, 0.0]), np.array([0.5])
    np.testing.assert_allclose(dynamic_friction(A, b, mu).x, [20, -10, 0], atol=1e-12)
    slow = solve_dynamic_friction(A, b, mu, np.array([[0.0, 2.5e-4]]), 1e-3, 1e-10, 100, no_trace())
    np.testing.assert_allclose(slow.x, [20, 0, -2.5], atol=1e-12)


def test_rod_that_jams_gets_a_ray() -> None:
    """A_nn + A_nt D = 1 - 2: pushing pulls it in (Baraff 1992, figure 10.3)."""
    A = np.array([[1.0, 2.0, 0.0], [2.0, 5.0, 0.0], [0.0, 0.0, 1.0]])
    solution = dynamic_friction(A, np.array([-1.0, 0.0, 0.0]), np.array([1.0]))
    assert solution.status == RAY
    np.testing.assert_allclose(solution.x, [1, -1, 0])
    np.testing.assert_allclose(solution.w, [-1, -3, 0])
    assert impulse_scale(solution.w, solution.x, np.array([[1.5, 0.0]])) == 0.5
    assert impulse_scale(np.zeros(3), solution.x, np.array([[1.5, 0.0]])) == np.inf


@pytest.mark.parametrize("solve", ALL)
def test_nothing_to_solve(solve: Solve) -> None:
    assert solve(np.zeros((0, 0)), np.zeros(0), np.zeros(0)).status == SOLVED
    parting = solve(np.eye(3), np.array([1.0, 5.0, -5.0]), np.array([0.0]))
    assert parting.status == SOLVED
    np.testing.assert_array_equal(parting.x, 0)


@pytest.mark.parametrize("solve", ALL)
@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
def test_what_is_not_finite_is_told(solve: Solve, bad: float) -> None:
    good = np.eye(3), np.array([-1.0, 1.0, 0.0]), np.array([0.5])
    for broken in range(3):
        arrays = [array.copy() for array in good]
        arrays[broken].flat[0] = bad
        solution = solve(*arrays)
        assert solution.status == NOT_FINITE
        np.testing.assert_array_equal(solution.x, 0)


@pytest.mark.parametrize("solve", ALL)
def test_contacts_that_cannot_be_kept_end_without_a_solution(solve: Solve) -> None:
    """Two walls close on a block."""
    J = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0], [0, -1, 0], [0, 0, 1]])
    solution = solve(J @ J.T, np.array([-1.0, 0, 0, -1.0, 0, 0]), np.array([0.5, 0.5]))
    assert solution.status in (ITERATION_LIMIT, INFEASIBLE, RAY)
    assert np.isfinite(solution.x).all()
    assert solution.status == RAY or solution.residual > 0.1


@pytest.mark.parametrize("solve", ALL)
def test_contact_that_nothing_answers(solve: Solve) -> None:
    solution = solve(np.zeros((3, 3)), np.array([1.0, 0.0, 0.0]), np.array([0.5]))
    assert (solution.status, solution.x[0]) == (SOLVED, 0)
    stuck = solve(np.zeros((3, 3)), np.array([-1.0, 1.0, 0.0]), np.array([0.5]))
    assert stuck.status not in (SOLVED, NOT_FINITE)
    assert np.isfinite(stuck.x).all()


def test_enumeration() -> None:
    def enumerate_sets(A: object, b: object, limit: int = 100) -> Solution:
        return solve_enumeration(np.array(A, dtype=np.float64), np.array(b, dtype=np.float64), 1e-9, limit, no_trace())

    assert enumerate_sets(np.zeros((0, 0)), []).status == SOLVED
    found = enumerate_sets([[2, 1], [1, 2]], [-5, -6])
    assert (found.status, found.iterations) == (SOLVED, 4)
    np.testing.assert_allclose(found.x, [4 / 3, 7 / 3])
    assert enumerate_sets([[-1]], [1]).x.tolist() == [0]
    assert enumerate_sets([[-1]], [-1]).status == INFEASIBLE
    assert enumerate_sets([[0]], [-1]).status == INFEASIBLE
    assert enumerate_sets([[2, 1], [1, 2]], [-5, -6], limit=3).status == ITERATION_LIMIT
    assert enumerate_sets([[np.nan]], [1]).status == NOT_FINITE
