"""Gauss' principle of least constraint in motion space: accelerations, simultaneous collisions, the first-order world.

Redon, Kheddar and Coquillart 2002. What happens is the nearest, in the kinetic norm, of the motions that the contacts
allow to the motion that would be without them. The contacts are frictionless.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.analysis.contact_problem import ContactProblem, free_acceleration, normal_jacobian
from engine.analysis.motion_space import Nearest, nearest_motion
from engine.arrays import Floats
from engine.solvers.solution import SOLVED

HALVINGS = 60
"""Restitution that would create energy is lowered by bisection, to the last bit."""

CREATED = 1e-13
"""Energy up to this part of the kinetic energy before a collision [1] is rounding."""


class Collision(NamedTuple):
    """What simultaneous collisions lead to."""

    velocity: Floats
    """(6 n,) after them [m/s, rad/s]."""
    impulses: Floats
    """(m,) along the normals, >= 0 [N s]."""
    restitution: float
    """The share of the coefficients of restitution that was used [1]: 1, or less where they would create energy."""
    created: float
    """Kinetic energy that the contacts gave, negative as a rule [J]."""
    status: int
    """A code of engine.solvers.solution."""


def constrained_acceleration(problem: ContactProblem) -> Nearest:
    """The accelerations arg min ½ ‖a - a_u‖²_M with J a >= c, (6 n,), and the contact forces (Redon 2002, eq. 4).

    All contacts of the problem are taken to last: what separates already is not to be among them. c is what velocities
    add to the normal accelerations, 2 u · dn/dt and the centripetal terms, with its sign changed.
    """
    return nearest_motion(problem, normal_jacobian(problem), free_acceleration(problem), -problem.curvature)


def resolve_collisions(problem: ContactProblem) -> Collision:
    """The velocities after all contacts have collided at once (Redon 2002, eq. 6): nearest to those before.

    Of each contact u_n⁺ >= max(0, -e u_n⁻); as printed, (5) would let contacts that separate approach. This is Newton's
    law at every contact. With it energy cannot rise as long as only approaching contacts take impulses, but a
    separating one that its neighbours push back may bring some in: then all coefficients of restitution are lowered
    alike, until no energy is created.
    """
    J = normal_jacobian(problem)
    before = problem.velocity.reshape(-1)
    u = J @ before + problem.prescribed[:, 0]
    bounce = np.maximum(0.0, -problem.restitution * u)
    energy = 0.5 * float(np.einsum("ni,nij,nj->", problem.velocity, problem.mass, problem.velocity))

    def resolve(share: float) -> Collision:
        near = nearest_motion(problem, J, before, share * bounce - problem.prescribed[:, 0])
        after = J @ near.motion + problem.prescribed[:, 0]
        created = 0.5 * float(near.multipliers @ (u + after))
        return Collision(near.motion, near.multipliers, share, created, near.status)

    whole = resolve(1.0)
    if whole.status != SOLVED or whole.created <= CREATED * energy:
        return whole
    low, high, best = 0.0, 1.0, resolve(0.0)
    for _ in range(HALVINGS):
        share = 0.5 * (low + high)
        if share in (low, high):
            break
        found = resolve(share)
        if found.status == SOLVED and found.created <= CREATED * energy:
            low, best = share, found
        else:
            high = share
    return best


def first_order_velocity(problem: ContactProblem, drag: float = 1.0) -> Nearest:
    """The velocities of the first-order world, in which F = drag m v (Redon 2002, note 11), and the contact forces.

    arg min ½ ‖v - v_u‖²_M with u_n >= 0 at every contact; v_u = a_u / drag, drag [1/s] > 0. Nothing has momentum there:
    what is not pushed stands still, which is how parts are moved by hand.
    """
    if not drag > 0.0:
        raise ValueError(f"the drag of a first-order world must be above zero, not {drag!r}")
    wanted = free_acceleration(problem) / drag
    near = nearest_motion(problem, normal_jacobian(problem), wanted, -problem.prescribed[:, 0])
    return near._replace(multipliers=drag * near.multipliers)
