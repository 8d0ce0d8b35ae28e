"""The matrices of a contact problem against rigid-body kinematics written out."""

from __future__ import annotations

import numpy as np

from engine.analysis.contact_problem import ContactProblem, contact_matrix, free_acceleration, jacobian, normal_jacobian
from tests.contact_problems import random_problem


def test_jacobian_gives_relative_velocities_in_the_contact_frame() -> None:
    problem = random_problem(seed=3, bodies=4, contacts=9)
    u = (jacobian(problem) @ problem.velocity.reshape(-1)).reshape(-1, 3)
    for k, (a, b) in enumerate(problem.pair):
        relative = velocity_at(problem, a, k) - velocity_at(problem, b, k)
        np.testing.assert_allclose(u[k], problem.frame[k] @ relative, atol=1e-13)
    np.testing.assert_array_equal(normal_jacobian(problem), jacobian(problem)[::3])


def velocity_at(problem: ContactProblem, body: int, contact: int) -> np.ndarray:
    if body < 0:
        return np.zeros(3)
    v, w = problem.velocity[body, :3], problem.velocity[body, 3:]
    return v + np.cross(w, problem.point[contact] - problem.centre[body])


def test_contact_matrix_is_the_answer_to_unit_forces() -> None:
    problem = random_problem(seed=4, bodies=3, contacts=7)
    J = jacobian(problem)
    whole = np.zeros((18, 18))
    for n in range(3):
        whole[6 * n : 6 * n + 6, 6 * n : 6 * n + 6] = problem.mass[n]
    A = contact_matrix(problem, J)
    np.testing.assert_allclose(A, J @ np.linalg.inv(whole) @ J.T, atol=1e-12 * abs(A).max())
    assert np.array_equal(A, A.T)
    np.testing.assert_allclose(free_acceleration(problem), np.linalg.inv(whole) @ problem.force.reshape(-1), rtol=1e-11)
