"""Frictionless spheres: the assembled program, its solution by conjugate gradients, and what the spheres then do."""

from __future__ import annotations

import numpy as np

from engine.solvers.conjugate_gradient import solve_conjugate_gradient
from engine.solvers.solution import SOLVED, no_trace
from tests.contact_problems import random_rotation
from tests.sphere_problem import SphereProblem, assemble_spheres, find_contacts

STEP = 1e-2


def assemble(centre: np.ndarray, radius: np.ndarray, mass: np.ndarray, velocity: np.ndarray) -> SphereProblem:
    n = len(radius)
    attitude = np.array([random_rotation(np.random.default_rng(k)) for k in range(n)]).reshape(n, 3, 3)
    return assemble_spheres(centre, attitude, radius, mass, velocity, weight(mass), STEP, 1e-3)


def weight(mass: np.ndarray) -> np.ndarray:
    force = np.zeros((len(mass), 6))
    force[:, 2] = -10 * mass
    return force


def solve(problem: SphereProblem) -> np.ndarray:
    solution = solve_conjugate_gradient(problem.N, problem.r, np.zeros(len(problem.r)), 1e-12, 10_000, no_trace())
    assert solution.status == SOLVED
    return solution.x


def move_spheres(
    problem: SphereProblem,
    velocity: np.ndarray,
    force: np.ndarray,
    mass: np.ndarray,
    radius: np.ndarray,
    h: float,
    impulse: np.ndarray,
) -> np.ndarray:
    """Velocities at the step's end, (n, 6), under contact impulses λ, (m,)."""
    after = velocity.copy()
    after[:, :3] += h * force[:, :3] / mass[:, None]
    after[:, 3:] += 2.5 * h * force[:, 3:] / (mass * radius**2)[:, None]
    for side in range(2):
        (k,) = np.nonzero(problem.pair[:, side] >= 0)
        np.add.at(after, problem.pair[k, side], problem.N.responses[k, side, 0] * impulse[k, None])
    return after


def test_column_of_resting_spheres_carries_its_weight() -> None:
    """Impulses of a step: 10 m/s² h times the masses above."""
    mass = np.array([3.0, 2.0, 1.0])
    centre = np.array([[0, 0, 1.0], [0, 0, 3.0], [0, 0, 5.0]])
    problem = assemble(centre, np.ones(3), mass, np.zeros((3, 6)))
    assert problem.pair.tolist() == [[0, 1], [1, 2], [0, -1]]
    impulse = solve(problem)
    np.testing.assert_allclose(impulse, [0.3, 0.1, 0.6], atol=1e-9)
    after = move_spheres(problem, np.zeros((3, 6)), weight(mass), mass, np.ones(3), STEP, impulse)
    np.testing.assert_allclose(after, 0, atol=1e-9)


def test_without_bounds_n_lambda_is_minus_r() -> None:
    """The series prints N λ = r; its functional, and the column of spheres, say otherwise."""
    centre = np.array([[0, 0, 1.0], [0, 0, 3.0]])
    problem = assemble(centre, np.ones(2), np.array([1.0, 4.0]), np.zeros((2, 6)))
    N = np.array([[1 + 1 / 4, -1], [-1, 1]])
    np.testing.assert_allclose(N @ solve(problem), -problem.r, atol=1e-9)


def test_sphere_comes_as_near_as_its_gap_allows() -> None:
    velocity = np.zeros((1, 6))
    velocity[0, 2] = -1.0
    centre = np.array([[0, 0, 1.0008]])
    problem = assemble(centre, np.ones(1), np.ones(1), velocity)
    after = move_spheres(problem, velocity, weight(np.ones(1)), np.ones(1), np.ones(1), STEP, solve(problem))
    np.testing.assert_allclose(STEP * after[0, 2], -0.0008)


def test_nothing_turns_whatever_the_attitude() -> None:
    problem = pile()
    np.testing.assert_allclose(problem.D[..., 3:], 0, atol=1e-15)


def pile() -> SphereProblem:
    """Spheres in a row of touching ones on the ground, some above, with random velocities."""
    rng = np.random.default_rng(2)
    centre = np.array([[2.0 * x, 2.0 * y, 1 + 2.0 * z] for x in range(4) for y in range(4) for z in range(3)])
    return assemble(centre, np.ones(48), rng.uniform(0.5, 5, 48), rng.normal(size=(48, 6)))


def test_pile_neither_penetrates_nor_pulls() -> None:
    problem = pile()
    impulse = solve(problem)
    assert len(impulse) == 4 * 4 + 2 * 16 + 3 * (2 * 4 * 3)
    A = np.zeros((len(impulse), 48, 6))
    for side in range(2):
        for k, body in enumerate(problem.pair[:, side]):
            if body >= 0:
                A[k, body] += problem.D[k, side, 0]
    J = A.reshape(len(impulse), -1)
    speeds = problem.r.copy()
    for side in range(2):
        for k, body in enumerate(problem.pair[:, side]):
            if body >= 0:
                speeds += impulse[k] * (J.reshape(len(impulse), 48, 6)[:, body] @ problem.N.responses[k, side, 0])
    assert impulse.min() >= 0
    assert abs(np.minimum(impulse, speeds)).max() < 1e-9


def test_contacts_of_many_spheres_are_all_those_that_touch() -> None:
    rng = np.random.default_rng(3)
    centre, radius = rng.uniform(0, 4, (60, 3)), rng.uniform(0.1, 0.5, 60)
    pair, normal, gap = find_contacts(centre, radius, 0.02)
    touching = {
        (a, b)
        for a in range(60)
        for b in range(a + 1, 60)
        if np.linalg.norm(centre[a] - centre[b]) - radius[a] - radius[b] <= 0.02
    }
    assert {(a, b) for a, b in pair.tolist() if b >= 0} == touching
    assert {a for a, b in pair.tolist() if b < 0} == set(np.flatnonzero(centre[:, 2] - radius <= 0.02).tolist())
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1)
    for (a, b), n, distance in zip(pair.tolist(), normal, gap):
        if b >= 0:
            np.testing.assert_allclose(centre[a] - centre[b], (distance + radius[a] + radius[b]) * n, atol=1e-12)


def test_no_spheres() -> None:
    problem = assemble(np.zeros((0, 3)), np.zeros(0), np.zeros(0), np.zeros((0, 6)))
    assert solve(problem).shape == (0,)
