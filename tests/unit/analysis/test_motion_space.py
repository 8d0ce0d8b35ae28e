"""Gauss' principle in motion space: the motion that contacts allow which is nearest to the wanted one."""

from __future__ import annotations

import numpy as np
import pytest

from engine.analysis.contact_problem import contact_matrix, free_acceleration, normal_jacobian
from engine.analysis.methods import scaled_jacobian
from engine.analysis.motion_space import (
    factor_masses,
    into_motion_space,
    kinetic_norm,
    nearest_motion,
    out_of_motion_space,
)
from engine.solvers.solution import NOT_FINITE, SOLVED
from tests.contact_problems import constrained_acceleration, hand_made_problem, random_problem

G = 9.81


def test_motion_space_measures_the_kinetic_norm() -> None:
    problem = random_problem(seed=5, bodies=3, contacts=6)
    factors, J, v = factor_masses(problem), normal_jacobian(problem), problem.velocity.reshape(-1)
    y, J_Q = into_motion_space(factors, v), scaled_jacobian(problem, J)
    assert np.linalg.norm(y) == pytest.approx(kinetic_norm(problem, v), rel=1e-13)
    np.testing.assert_allclose(out_of_motion_space(factors, y), v, atol=1e-13)
    np.testing.assert_allclose(J_Q @ y, J @ v, atol=1e-13)
    np.testing.assert_allclose(J_Q @ J_Q.T, contact_matrix(problem, J), atol=1e-12)


def test_acceleration_is_the_nearest_that_contacts_allow() -> None:
    """Conditions (12)."""
    for seed in range(20):
        problem = random_problem(seed, bodies=4, contacts=12)
        J, free = normal_jacobian(problem), free_acceleration(problem)
        found = nearest_motion(problem, J, free)
        w = J @ found.motion
        assert found.status == SOLVED
        assert w.min() >= -1e-9
        assert found.multipliers.min() >= 0
        assert abs(w @ found.multipliers) <= 1e-8
        push = np.linalg.solve(problem.mass, (J.T @ found.multipliers).reshape(-1, 6, 1)).reshape(-1)
        np.testing.assert_allclose(found.motion, free + push, atol=1e-9)


@pytest.mark.parametrize("speed", [1.0, 3.0, 4.0, 9.0])
def test_ball_over_a_hump_flies_off_when_it_is_fast(speed: float) -> None:
    """A ball of radius 1/2 at the top of a fixed one of radius 1: held on while v² < g (R + r)."""
    problem = hand_made_problem([2.0], [(0, 0, 1.5)], [(0, -1, (0, 0, 1), (0, 0, 1))], [(speed, 0, 0)])
    bent = problem._replace(curvature=np.array([speed**2 / 1.5]))
    assert constrained_acceleration(bent)[2] == pytest.approx(-min(speed**2 / 1.5, G))


def test_bad_numbers_are_told() -> None:
    problem = random_problem(seed=1, bodies=2, contacts=3)
    J = normal_jacobian(problem)
    assert nearest_motion(problem, J, np.full(12, np.nan)).status == NOT_FINITE
