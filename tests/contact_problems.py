"""Random contact problems that tests of solvers and of constraints share."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engine.analysis.contact_problem import (
    ContactProblem,
    free_acceleration,
    jacobian,
    jacobian_blocks,
    normal_jacobian,
)
from engine.analysis.methods import METHODS, acceleration_problem
from engine.arrays import Floats
from engine.solvers.operator import Operator, block_operator
from engine.solvers.solution import SOLVED, no_trace


def constrained_acceleration(problem: ContactProblem) -> Floats:
    """The accelerations nearest to those without contact forces that contacts allow, (6 n,) (Redon 2002, eq. 4)."""
    found = METHODS["wilhelmsen"].solve(acceleration_problem(problem), no_trace())
    assert found.status == SOLVED
    push = (normal_jacobian(problem).T @ found.x).reshape(-1, 6, 1)
    return free_acceleration(problem) + np.linalg.solve(problem.mass, push).reshape(-1)


def random_problem(seed: int, bodies: int, contacts: int, at_rest: bool = False) -> ContactProblem:
    """Bodies of random masses and inertias, touching each other and the ground at random points under gravity.

    The ground is the row after the last body.
    """
    rng = np.random.default_rng(seed)
    centre = rng.uniform(-1, 1, (bodies, 3))
    mass = np.zeros((bodies, 6, 6))
    force = np.zeros((bodies, 6))
    for n in range(bodies):
        m = 10 ** rng.uniform(-1, 1)
        axes = random_rotation(rng)
        mass[n, :3, :3] = m * np.eye(3)
        mass[n, 3:, 3:] = axes @ np.diag(m * rng.uniform(0.05, 0.1, 3)) @ axes.T
        force[n, 2] = -9.81 * m
    pair = np.full((contacts, 2), -1)
    for k in range(contacts):
        if bodies > 1 and rng.random() < 0.6:
            pair[k] = rng.choice(bodies, 2, replace=False)
        else:
            pair[k, 0] = rng.integers(bodies)
    around = np.where(pair[:, 1:] >= 0, (centre[pair[:, 0]] + centre[pair[:, 1]]) / 2, centre[pair[:, 0]])
    return ContactProblem(
        bodies=np.arange(bodies),
        centre=centre,
        mass=mass,
        force=force,
        velocity=np.zeros((bodies, 6)) if at_rest else rng.normal(size=(bodies, 6)),
        pair=pair,
        rows=np.where(pair >= 0, pair, bodies),
        nodes=np.where(pair >= 0, pair, bodies),
        point=around + rng.uniform(-0.5, 0.5, (contacts, 3)),
        frame=np.array([random_rotation(rng) for _ in range(contacts)]).reshape(contacts, 3, 3),
        gap=np.zeros(contacts),
        prescribed=np.zeros((contacts, 3)),
        curvature=np.zeros(contacts),
        friction=rng.uniform(0, 1, contacts),
        restitution=rng.uniform(0, 1, contacts),
    )


def hand_made_problem(
    masses: Sequence[float],
    centres: Sequence[Sequence[float]],
    contacts: Sequence[tuple[int, int, Sequence[float], Sequence[float]]],
    velocities: Sequence[Sequence[float]] | None = None,
    restitution: float = 0.0,
    gravity: float = 9.81,
) -> ContactProblem:
    """Bodies with the inertia of a ball of radius 1, and contacts (body a, body b, point, normal); -1 is the ground."""
    n, m = len(masses), len(contacts)
    mass = np.array([np.diag([k, k, k, 0.4 * k, 0.4 * k, 0.4 * k]) for k in masses], dtype=float).reshape(n, 6, 6)
    force = np.zeros((n, 6))
    force[:, 2] = -gravity * np.asarray(masses)
    velocity = np.zeros((n, 6))
    if velocities is not None:
        velocity[:, :3] = velocities
    pair = np.array([contact[:2] for contact in contacts], dtype=np.int64).reshape(m, 2)
    return ContactProblem(
        bodies=np.arange(n),
        centre=np.array(centres, dtype=float).reshape(n, 3),
        mass=mass,
        force=force,
        velocity=velocity,
        pair=pair,
        rows=np.where(pair >= 0, pair, n),
        nodes=np.where(pair >= 0, pair, n),
        point=np.array([contact[2] for contact in contacts], dtype=float).reshape(m, 3),
        frame=np.array([frame_of(contact[3]) for contact in contacts]).reshape(m, 3, 3),
        gap=np.zeros(m),
        prescribed=np.zeros((m, 3)),
        curvature=np.zeros(m),
        friction=np.zeros(m),
        restitution=np.full(m, restitution),
    )


def frame_of(normal: Sequence[float]) -> np.ndarray:
    """Rows n, t1, t2, right-handed."""
    n = np.asarray(normal, dtype=float)
    n = n / np.linalg.norm(n)
    t = np.cross(n, np.eye(3)[np.argmin(abs(n))])
    t /= np.linalg.norm(t)
    return np.array([n, t, np.cross(n, t)])


def random_planar_problem(seed: int, bodies: int, contacts: int) -> ContactProblem:
    """The same in the plane x, z, turning about y. Contacts slip or stick; curvatures only part them."""
    rng = np.random.default_rng(seed)
    problem = random_problem(seed, bodies, contacts)
    problem.centre[:, 1] = 0.0
    problem.point[:, 1] = 0.0
    problem.velocity[:, [1, 3, 5]] = 0.0
    problem.mass[:, 3:, 3:] = np.eye(3) * problem.mass[:, :1, :1] * rng.uniform(0.03, 0.3, (bodies, 1, 1))
    for k, angle in enumerate(rng.uniform(0, 2 * np.pi, contacts)):
        n, t = np.array([np.cos(angle), 0, np.sin(angle)]), np.array([np.sin(angle), 0, -np.cos(angle)])
        problem.frame[k] = n, t, np.cross(n, t)
    slips = (rng.random(contacts) < 0.5) * rng.normal(size=contacts)
    u = (jacobian(problem) @ problem.velocity.reshape(-1)).reshape(-1, 3)
    problem.prescribed[:] = np.stack([-u[:, 0], slips - u[:, 1], -u[:, 2]], axis=1)
    problem.curvature[:] = (rng.random(contacts) < 0.3) * rng.uniform(0, 10, contacts)
    problem.friction[:] = rng.uniform(0, 2, contacts)
    return problem


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """A matrix of rows n, t1, t2, right-handed."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else -q


def contact_operator(problem: ContactProblem) -> Operator:
    """N = J M⁻¹ Jᵀ by blocks of three rows a contact."""
    return block_operator(problem.pair, jacobian_blocks(problem), np.asarray(np.linalg.inv(problem.mass)))


def velocity_ahead(problem: ContactProblem, h: float) -> Floats:
    """b, (3 m,): contact velocities after h seconds under forces from outside, before any contact impulse [m/s]."""
    n = problem.centre.shape[0]
    ahead = problem.velocity + h * free_acceleration(problem).reshape(n, 6)
    rows = jacobian_blocks(problem)
    b = problem.prescribed.copy()
    for side in range(2):
        (there,) = np.nonzero(problem.pair[:, side] >= 0)
        b[there] += np.einsum("kij,kj->ki", rows[there, side], ahead[problem.pair[there, side]])
    return b.reshape(-1)


def impulse_scale(change: Floats, ray: Floats, slip: Floats) -> float:
    """The least scale at which contact impulses along a ray end the slip of a contact that they act on.

    change: A ray, (3 m,); slip (m, 2). That contact's friction is static from then on, as 13.1 asks for. Some contact
    is slowed by every ray that moves anything: rayᵀ A ray >= 0 and the normal part of it is not positive. Infinite for
    one that moves nothing: impulses that balance each other where bodies are wedged, which 13.2 overlooks.
    """
    least = math.inf
    for k in range(slip.shape[0]):
        speed = slip[k, 0] ** 2 + slip[k, 1] ** 2
        slowing = -(change[3 * k + 1] * slip[k, 0] + change[3 * k + 2] * slip[k, 1])
        if ray[3 * k] > 0.0 and speed > 0.0 and slowing > 0.0:
            least = min(least, speed / slowing)
    return least
