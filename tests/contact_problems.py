"""Random contact problems that tests of solvers and of constraints share."""

from __future__ import annotations

import numpy as np

from engine.constraint.problem import ContactProblem


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
        point=around + rng.uniform(-0.5, 0.5, (contacts, 3)),
        frame=np.array([random_rotation(rng) for _ in range(contacts)]).reshape(contacts, 3, 3),
        gap=np.zeros(contacts),
        given=np.zeros((contacts, 3)),
        curvature=np.zeros(contacts),
        friction=rng.uniform(0, 1, contacts),
        restitution=rng.uniform(0, 1, contacts),
    )


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """A matrix of rows n, t1, t2, right-handed."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else -q
