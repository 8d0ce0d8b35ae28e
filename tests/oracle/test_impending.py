"""Impending motion: three formulations against each other and against mechanics (Baraff and Mattikalli 1993)."""

from __future__ import annotations

from math import cos, radians, sin

import numpy as np
import pytest

from engine.analysis.contact_problem import ContactProblem, contact_matrix, free_acceleration, normal_jacobian
from engine.analysis.impending import at_rest, impending_motion
from engine.analysis.motion_space import kinetic_norm
from engine.analysis.steepest_descent import REST, descend_steepest
from engine.solvers.solution import SOLVED
from tests.contact_problems import hand_made_problem, random_problem

SAMPLE = range(0, 1000, 5)
G = 9.81
CORNERS = [(x, y) for x in (-0.2, 0.2) for y in (-0.2, 0.2)]


def configuration(seed: int) -> ContactProblem:
    """Up to 8 bodies and 50 contacts at rest; a third repeats and mixes contacts, a third stands on tables."""
    rng = np.random.default_rng(seed)
    problem = random_problem(seed, int(rng.integers(1, 9)), int(rng.integers(1, 40)), at_rest=True)
    if seed % 3 == 1:
        again = rng.integers(0, len(problem.gap), 10)
        problem = joined(problem, problem, again)
        problem.frame[-3:] *= np.array([-1.0, 1.0, -1.0])[:, None]  # pinched: from the other side, too
    elif seed % 3 == 2:
        tables = [
            (n, -1, centre + (x, y, -0.3), (0.0, 0.0, 1.0))
            for n, centre in enumerate(problem.centre)
            if rng.random() < 0.7
            for x, y in CORNERS
        ]
        if tables:
            n = len(problem.centre)
            problem = joined(problem, hand_made_problem([1.0] * n, problem.centre.tolist(), tables), slice(None))
    return problem


def joined(one: ContactProblem, other: ContactProblem, chosen: np.ndarray | slice) -> ContactProblem:
    """A problem with some of the contacts of another of the same bodies added."""
    names = ("pair", "rows", "point", "frame", "gap", "prescribed", "curvature", "friction", "restitution")
    return one._replace(**{f: np.concatenate([getattr(one, f), getattr(other, f)[chosen]]) for f in names})


def check(seeds: range) -> None:
    """Three formulations of the configurations of these seeds, and the conditions (20) of the paper."""
    resting = 0
    for seed in seeds:
        problem = configuration(seed)
        motion = impending_motion(problem)
        a_u = free_acceleration(problem)
        size = kinetic_norm(problem, a_u)
        a, b = motion.forces.reshape(-1), motion.gauss.reshape(-1)
        assert motion.status == (SOLVED, SOLVED, SOLVED), seed
        assert kinetic_norm(problem, a - b) <= 1e-8 * size, seed
        rests = [kinetic_norm(problem, a) <= 1e-6 * size, kinetic_norm(problem, b) <= 1e-6 * size]
        rests.append(not motion.descent.any())
        assert len(set(rests)) == 1, seed
        assert motion.rest == tuple(rests), seed
        if not rests[0]:
            unit = motion.descent.reshape(-1)
            assert kinetic_norm(problem, unit) == pytest.approx(1, abs=1e-12)
            assert kinetic_norm(problem, a / kinetic_norm(problem, a) - unit) <= 1e-8, seed
            assert motion.steepness == pytest.approx(kinetic_norm(problem, a), rel=1e-8)
        J = normal_jacobian(problem)
        assert (J @ a).min() >= -1e-8 * (1 + abs(J @ a_u).max()), seed
        assert motion.loads.min() >= 0, seed
        assert abs(motion.loads @ (J @ a)) <= 1e-8 * size**2, seed
        resting += rests[0]
    assert 0.05 * len(seeds) < resting < 0.7 * len(seeds)  # both cases are really met


def test_three_formulations_agree() -> None:
    check(SAMPLE)


@pytest.mark.slow
def test_three_formulations_agree_a_thousand_times() -> None:
    check(range(1000))


def test_descent_meets_the_conditions_of_its_problem() -> None:
    """Equation (56): 2 s p = M⁻¹ Q + M⁻¹ Jᵀ λ with λ >= 0, found from p alone; and no feasible direction is steeper."""
    rng = np.random.default_rng(1)
    for seed in range(0, 60, 3):
        problem = configuration(seed)
        d = 6 * len(problem.centre)
        rows, g = rng.normal(size=(len(problem.gap), d)), rng.normal(size=d)
        way = descend_steepest(g, rows)
        if way.steepness == 0:
            continue
        y = way.direction
        slopes = rows @ y
        assert slopes.min() >= -1e-10
        touching = rows[slopes < 1e-9]
        rest_of_g = way.steepness * np.linalg.norm(g) * y - g
        multipliers = np.linalg.lstsq(touching.T, rest_of_g, rcond=None)[0]
        np.testing.assert_allclose(touching.T @ multipliers, rest_of_g, atol=1e-9)
        assert multipliers.min(initial=0.0) >= -1e-9
        assert way.steepness * np.linalg.norm(g) == pytest.approx(float(g @ y), rel=1e-10)


def test_block_on_a_slope_slides_at_g_sin() -> None:
    tilt = radians(25)
    normal, along = np.array([-sin(tilt), 0, cos(tilt)]), np.array([-cos(tilt), 0, -sin(tilt)])
    across = np.array([0.0, 1.0, 0.0])
    corners = [(0, -1, -0.1 * normal + x * along + y * across, normal) for x, y in CORNERS]
    motion = impending_motion(hand_made_problem([2.0], [(0, 0, 0)], corners))
    for found in (motion.forces, motion.gauss, motion.steepness / np.sqrt(2.0) * motion.descent * np.sqrt(2.0)):
        np.testing.assert_allclose(found[0, :3], G * sin(tilt) * along, atol=1e-12)
        np.testing.assert_allclose(found[0, 3:], 0, atol=1e-12)
    assert motion.loads.sum() == pytest.approx(2.0 * G * cos(tilt))
    assert motion.disagreement < 1e-12


def test_wedge_is_driven_out_from_under_a_block() -> None:
    """M on a table, m on its slope: A = m g sin cos / (M + m sin²), and the block slides down it at a_rel."""
    M, m, tilt = 3.0, 2.0, radians(35)
    normal, down = np.array([sin(tilt), 0, cos(tilt)]), np.array([cos(tilt), 0, -sin(tilt)])
    across = np.array([0.0, 1.0, 0.0])
    block = np.array([0.0, 0.0, 0.8])
    on_slope = [(1, 0, block - 0.2 * normal + x * down + y * across, normal) for x, y in CORNERS]
    on_table = [(0, -1, (5 * x, 5 * y, -0.3), (0, 0, 1)) for x, y in CORNERS]
    motion = impending_motion(hand_made_problem([M, m], [(0, 0, 0), block], on_slope + on_table))
    A = m * G * sin(tilt) * cos(tilt) / (M + m * sin(tilt) ** 2)
    relative = (M + m) * G * sin(tilt) / (M + m * sin(tilt) ** 2)
    for found in (motion.forces, motion.gauss, motion.steepness * motion.descent):
        np.testing.assert_allclose(found[0, :3], (-A, 0, 0), atol=1e-11)
        np.testing.assert_allclose(found[1, :3], relative * down - (A, 0, 0), atol=1e-11)
        np.testing.assert_allclose(found[:, 3:], 0, atol=1e-11)
    assert motion.disagreement < 1e-12


def test_stacked_blocks_rest_and_bear_their_weights() -> None:
    table = [(0, -1, (x, y, 0.0), (0, 0, 1)) for x, y in CORNERS]
    between = [(1, 0, (x, y, 0.4), (0, 0, 1)) for x, y in CORNERS]
    problem = hand_made_problem([1.0, 3.0], [(0, 0, 0.2), (0, 0, 0.6)], table + between)
    motion = impending_motion(problem)
    assert motion.rest == (True, True, True)
    assert not motion.descent.any()
    assert motion.steepness == 0
    assert motion.loads[:4].sum() == pytest.approx(4.0 * G)
    assert motion.loads[4:].sum() == pytest.approx(3.0 * G)
    assert np.linalg.matrix_rank(contact_matrix(problem, normal_jacobian(problem)), tol=1e-9) == 6  # of 8: singular


def test_stack_that_overhangs_topples() -> None:
    table = [(0, -1, (x, y, 0.0), (0, 0, 1)) for x, y in CORNERS]
    edge = [(1, 0, (0.2, y, 0.4), (0, 0, 1)) for y in (-0.2, 0.2)] + [(1, 0, (0.1, 0, 0.4), (0, 0, 1))]
    motion = impending_motion(hand_made_problem([10.0, 1.0], [(0, 0, 0.2), (0.5, 0, 0.6)], table + edge))
    # about the edge at x = 0.2: alpha (0.4 + 0.3²) = g 0.3 if the centre were straight above; the lever arm tilts it
    assert motion.rest == (False, False, False)
    assert motion.gauss[1, 4] > 1.0
    np.testing.assert_allclose(motion.gauss[0], 0, atol=1e-12)
    assert motion.disagreement < 1e-12


def test_nothing_to_compute_has_an_answer() -> None:
    falling = impending_motion(hand_made_problem([1.0], [(0, 0, 0)], []))
    np.testing.assert_allclose(falling.forces[0], (0, 0, -G, 0, 0, 0))
    np.testing.assert_allclose(falling.descent[0], (0, 0, -1, 0, 0, 0))
    assert falling.disagreement == 0
    weightless = impending_motion(hand_made_problem([1.0], [(0, 0, 0)], [(0, -1, (0, 0, -1), (0, 0, 1))], gravity=0.0))
    assert weightless.rest == (True, True, True)
    assert weightless.disagreement == 0
    nothing = impending_motion(hand_made_problem([], [], []))
    assert nothing.forces.shape == (0, 6)


def test_bodies_are_taken_to_be_at_rest() -> None:
    """Torques that come of turning are no part of the impending motion."""
    problem = random_problem(seed=2, bodies=3, contacts=5)
    turning = problem.force.copy()
    for n, mass in enumerate(problem.mass):
        omega = problem.velocity[n, 3:]
        turning[n, 3:] -= np.cross(omega, mass[3:, 3:] @ omega)
    still = at_rest(problem._replace(force=turning, curvature=np.ones(5)))
    np.testing.assert_allclose(still.force, problem.force, atol=1e-13)
    assert not still.velocity.any()
    assert not still.curvature.any()
    assert REST == 1e-6  # what the third point asks for
