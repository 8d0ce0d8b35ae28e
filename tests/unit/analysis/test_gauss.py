"""Gauss' principle in motion space: accelerations with curvature, simultaneous collisions, the first-order world."""

from __future__ import annotations

from math import cos, radians, sin

import numpy as np
import pytest

from engine.analysis.contact_problem import ContactProblem, contact_matrix, free_acceleration, normal_jacobian
from engine.analysis.gauss import constrained_acceleration, first_order_velocity, resolve_collisions
from engine.analysis.methods import scaled_jacobian
from engine.analysis.motion_space import (
    factor_masses,
    into_motion_space,
    kinetic_norm,
    nearest_motion,
    out_of_motion_space,
)
from engine.solvers.solution import INFEASIBLE, NOT_FINITE, SOLVED
from tests.contact_problems import hand_made_problem, random_problem

G = 9.81


def kinetic_energy(problem: ContactProblem, velocity: np.ndarray) -> float:
    return 0.5 * kinetic_norm(problem, velocity.reshape(-1)) ** 2


def test_motion_space_measures_the_kinetic_norm() -> None:
    problem = random_problem(seed=5, bodies=3, contacts=6)
    factors, J, v = factor_masses(problem), normal_jacobian(problem), problem.velocity.reshape(-1)
    y, J_Q = into_motion_space(factors, v), scaled_jacobian(problem, J)
    assert np.linalg.norm(y) == pytest.approx(kinetic_norm(problem, v), rel=1e-13)
    np.testing.assert_allclose(out_of_motion_space(factors, y), v, atol=1e-13)
    np.testing.assert_allclose(J_Q @ y, J @ v, atol=1e-13)
    np.testing.assert_allclose(J_Q @ J_Q.T, contact_matrix(problem, J), atol=1e-12)


def test_acceleration_is_the_nearest_that_contacts_allow() -> None:
    """Conditions (12), with curvature terms that redundant contacts share."""
    for seed in range(20):
        problem = random_problem(seed, bodies=4, contacts=12)
        J = normal_jacobian(problem)
        problem = problem._replace(curvature=J @ np.random.default_rng(seed).normal(size=24))
        found = constrained_acceleration(problem)
        w = J @ found.motion + problem.curvature
        assert found.status == SOLVED
        assert w.min() >= -1e-9
        assert found.multipliers.min() >= 0
        assert abs(w @ found.multipliers) <= 1e-8
        push = np.linalg.solve(problem.mass, (J.T @ found.multipliers).reshape(-1, 6, 1)).reshape(-1)
        np.testing.assert_allclose(found.motion, free_acceleration(problem) + push, atol=1e-9)


@pytest.mark.parametrize("speed", [1.0, 3.0, 4.0, 9.0])
def test_ball_over_a_hump_flies_off_when_it_is_fast(speed: float) -> None:
    """A ball of radius 1/2 at the top of a fixed one of radius 1: held on while v² < g (R + r)."""
    problem = hand_made_problem([2.0], [(0, 0, 1.5)], [(0, -1, (0, 0, 1), (0, 0, 1))], [(speed, 0, 0)])
    found = constrained_acceleration(problem._replace(curvature=np.array([speed**2 / 1.5])))
    assert found.motion[2] == pytest.approx(-min(speed**2 / 1.5, G))
    assert found.multipliers[0] == pytest.approx(2.0 * max(0.0, G - speed**2 / 1.5))


def row_of_balls(speeds: list[float], restitution: float) -> ContactProblem:
    """Balls of one mass that touch along x, in weightlessness."""
    touches = [(k + 1, k, (2 * k + 1.0, 0, 0), (1, 0, 0)) for k in range(len(speeds) - 1)]
    return hand_made_problem(
        [1.0] * len(speeds),
        [(2.0 * k, 0, 0) for k in range(len(speeds))],
        touches,
        [(v, 0, 0) for v in speeds],
        restitution,
        gravity=0.0,
    )


def test_cradle_all_at_once() -> None:
    """Simultaneous contacts do not pass the impulse on one by one: the first of three balls comes back with v/3."""
    hit = resolve_collisions(row_of_balls([1.0, 0.0, 0.0], 1.0))
    np.testing.assert_allclose(hit.velocity.reshape(-1, 6)[:, 0], (-1 / 3, 2 / 3, 2 / 3), atol=1e-14)
    np.testing.assert_allclose(hit.impulses, (4 / 3, 2 / 3), atol=1e-14)
    assert hit.restitution == 1
    assert hit.created == pytest.approx(0, abs=1e-14)
    plastic = resolve_collisions(row_of_balls([1.0, 0.0, 0.0], 0.0))
    np.testing.assert_allclose(plastic.velocity.reshape(-1, 6)[:, 0], 1 / 3, atol=1e-14)
    assert plastic.created == pytest.approx(1 / 6 - 1 / 2)


def test_two_balls_exchange_what_one_law_says() -> None:
    for e in (0.0, 0.4, 1.0):
        hit = resolve_collisions(row_of_balls([3.0, 1.0], e))
        np.testing.assert_allclose(hit.velocity.reshape(-1, 6)[:, 0], (2 - e, 2 + e), atol=1e-13)


def test_separating_contact_is_not_made_to_approach() -> None:
    """Redon's (5) as printed would allow it -e v_n: the last ball would be overtaken at once."""
    hit = resolve_collisions(row_of_balls([1.0, 0.0, 0.2], 0.5))
    v = hit.velocity.reshape(-1, 6)[:, 0]
    assert v[2] - v[1] >= -1e-14
    assert hit.created <= 1e-14
    assert v.sum() == pytest.approx(1.2)


def test_restitution_gives_way_where_it_would_create_energy() -> None:
    """An elastic hit throws the middle ball after one that was leaving: in full, 1.25 / 2 J would become 51/36 / 2."""
    problem = row_of_balls([1.0, 0.0, 0.5], 1.0)
    hit = resolve_collisions(problem)
    assert 0.5 < hit.restitution < 1
    assert kinetic_energy(problem, hit.velocity) <= 0.5 * 1.25 * (1 + 1e-12)
    assert kinetic_energy(problem, hit.velocity) == pytest.approx(0.5 * 1.25)
    assert hit.velocity.reshape(-1, 6)[:, 0].sum() == pytest.approx(1.5)
    full = nearest_motion(problem, normal_jacobian(problem), problem.velocity.reshape(-1), np.array([1.0, 0.0]))
    np.testing.assert_allclose(full.motion.reshape(-1, 6)[:, 0], (-1 / 6, 5 / 6, 5 / 6), atol=1e-13)


def test_energy_never_rises() -> None:
    """Random bodies, contacts and coefficients, redundant contacts among them whose laws contradict rigid motion."""
    lowered = 0
    for seed in range(60):
        problem = random_problem(seed, bodies=3, contacts=10)
        J, v = normal_jacobian(problem), problem.velocity.reshape(-1)
        before = J @ v
        hit = resolve_collisions(problem)
        assert hit.status == SOLVED, seed
        energy = kinetic_energy(problem, v)
        after = kinetic_energy(problem, hit.velocity)
        assert after <= energy * (1 + 1e-11), seed
        assert after - energy == pytest.approx(hit.created, abs=1e-9 * energy)
        least = hit.restitution * np.maximum(0.0, -problem.restitution * before)
        assert (J @ hit.velocity - least).min() >= -1e-8, seed
        assert hit.impulses.min() >= 0
        lowered += hit.restitution < 1
    assert 0 < lowered < 60


def test_scripted_body_pushes_what_it_meets() -> None:
    """A plate that rises at 2 m/s under a ball at rest: the ball leaves it at e times that."""
    problem = hand_made_problem([1.0], [(0, 0, 1)], [(0, -1, (0, 0, 0), (0, 0, 1))], restitution=0.5)
    hit = resolve_collisions(problem._replace(prescribed=np.array([[-2.0, 0.0, 0.0]])))
    assert hit.velocity[2] == pytest.approx(3.0)


def test_first_order_world_moves_only_what_is_pushed() -> None:
    tilt = radians(20)
    normal, along = np.array([-sin(tilt), 0, cos(tilt)]), np.array([-cos(tilt), 0, -sin(tilt)])
    feet = [(0, -1, -normal + x * along + (0, y, 0), normal) for x in (-1, 1) for y in (-1, 1)]
    slow = first_order_velocity(hand_made_problem([3.0], [(0, 0, 0)], feet), drag=2.0)
    np.testing.assert_allclose(slow.motion[:3], G * sin(tilt) / 2.0 * along, atol=1e-12)
    assert slow.multipliers.sum() == pytest.approx(3.0 * G * cos(tilt))
    # A bar that is moved from outside takes the first block along, and that one the second, without any throw.
    row = hand_made_problem(
        [1.0, 1.0],
        [(0, 0, 0), (2, 0, 0)],
        [(0, -1, (-1, 0, 0), (1, 0, 0)), (1, 0, (1, 0, 0), (1, 0, 0))],
        gravity=0.0,
    )
    pushed = first_order_velocity(row._replace(prescribed=np.array([[-0.3, 0, 0], [0, 0, 0]])))
    np.testing.assert_allclose(pushed.motion.reshape(-1, 6)[:, 0], 0.3, atol=1e-13)
    with pytest.raises(ValueError, match="above zero"):
        first_order_velocity(row, drag=0.0)


def test_contradictions_and_bad_numbers_are_told() -> None:
    """Two plates that close on a ball leave it nowhere to go."""
    squeezed = hand_made_problem(
        [1.0], [(0, 0, 0)], [(0, -1, (0, 0, -1), (0, 0, 1)), (0, -1, (0, 0, 1), (0, 0, -1))], gravity=0.0
    )
    given = np.array([[-1.0, 0, 0], [-1.0, 0, 0]])
    assert resolve_collisions(squeezed._replace(prescribed=given)).status == INFEASIBLE
    assert constrained_acceleration(squeezed._replace(curvature=np.array([np.nan, 0.0]))).status == NOT_FINITE
