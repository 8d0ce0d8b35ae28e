"""Frictionless spheres as a quadratic program: N, r and D of the rigid body dynamics series, part 1.

Minimise ½ λᵀ N λ + rᵀ λ with λ >= 0, where

    N = Dᵀ M⁻¹ D,   r = b + Dᵀ M⁻¹ f,

so that 0 <= N λ + r ⟂ λ >= 0; without the bounds N λ = -r (the series prints N λ = r, against its own functional). M
has the blocks m 1 and J̄ of each body, D the column (n, s̃ Aᵀ n) of each contact at body a and its negative at body b,
with the torque in the body's own axes: s is the contact point there, and A the body's rotation. f are momenta: M v
plus the step times the forces, so that λ are impulses and N λ + r the normal velocities at the step's end. b corrects
a gap g by g / h: a sphere may come as near in a step as the gap allows.

A sphere is touched along its radius: s̃ Aᵀ n is zero, and nothing turns. N is kept by blocks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from engine.arrays import Floats, Ints
from engine.solvers.operator import Operator, block_operator


class SphereProblem(NamedTuple):
    """n spheres, m contacts."""

    pair: Ints
    """(m, 2) spheres a and b, a < b; -1 for the ground."""
    gap: Floats
    """(m,) [m]."""
    D: Floats
    """(m, 2, 1, 6) the columns of D by blocks: (n, s̃ Aᵀ n) at a, its negative at b."""
    N: Operator
    """Dᵀ M⁻¹ D, one unknown a contact."""
    r: Floats
    """(m,) normal velocities at the step's end without contact impulses, and the gaps' share [m/s]."""


def assemble_spheres(
    centre: Floats,
    attitude: Floats,
    radius: Floats,
    mass: Floats,
    velocity: Floats,
    force: Floats,
    h: float,
    reach: float,
) -> SphereProblem:
    """Contacts among spheres, and with the ground z = 0, whose gaps are at most `reach` [m].

    centre (n, 3) [m], attitude (n, 3, 3) rotations A from body axes to the world's, radius (n,) [m], mass (n,) [kg],
    velocity (n, 6) v [m/s] and ω in body axes [rad/s], force (n, 6) and torque in body axes [N, N m], h the step [s].
    """
    pair, normal, gap = find_contacts(centre, radius, reach)
    D = np.zeros((len(pair), 2, 1, 6))
    for side, sign in ((0, 1.0), (1, -1.0)):
        (k,) = np.nonzero(pair[:, side] >= 0)
        body = pair[k, side]
        local = np.einsum("kji,kj->ki", attitude[body], normal[k])
        arm = -sign * radius[body, None] * local
        D[k, side, 0, :3] = sign * normal[k]
        D[k, side, 0, 3:] = sign * np.cross(arm, local)
    inverse = np.zeros((len(mass), 6, 6))
    inverse[:, range(3), range(3)] = 1.0 / mass[:, None]
    inverse[:, range(3, 6), range(3, 6)] = 2.5 / (mass * radius**2)[:, None]
    free = velocity + h * np.einsum("nij,nj->ni", inverse, force)
    r = gap / h
    for side in range(2):
        (k,) = np.nonzero(pair[:, side] >= 0)
        r[k] += np.einsum("ki,ki->k", D[k, side, 0], free[pair[k, side]])
    return SphereProblem(pair, gap, D, block_operator(pair, D, inverse), r)


def find_contacts(centre: Floats, radius: Floats, reach: float) -> tuple[Ints, Floats, Floats]:
    """Pairs (m, 2), normals from b to a (m, 3), and gaps (m,), in order of the pairs, the ground's last."""
    widest = 2.0 * float(radius.max(initial=0.0)) + reach
    near = cKDTree(centre).query_pairs(widest, output_type="ndarray") if len(centre) else np.zeros((0, 2), np.int64)
    near = near[np.lexsort((near[:, 1], near[:, 0]))]
    apart = centre[near[:, 0]] - centre[near[:, 1]]
    distance = np.linalg.norm(apart, axis=1)
    gap = distance - radius[near].sum(axis=1)
    (touching,) = np.nonzero((gap <= reach) & (distance > 0.0))
    (low,) = np.nonzero(centre[:, 2] - radius <= reach)
    pair = np.concatenate([near[touching], np.stack([low, np.full_like(low, -1)], axis=1)]).astype(np.int64)
    up = np.tile([0.0, 0.0, 1.0], (len(low), 1))
    normal = np.concatenate([apart[touching] / distance[touching, None], up])
    return pair, normal, np.concatenate([gap[touching], centre[low, 2] - radius[low]])
