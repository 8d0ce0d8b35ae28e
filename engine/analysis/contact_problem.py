"""A contact problem: the bodies and contacts of one instant, and the matrices that solvers take, made of them.

Everything is in world axes. Contact normals point from body b to body a, and u = u_a - u_b, as everywhere. The bodies
are the movable ones only: what is fixed or follows a script is -1 and enters by its velocity at the contact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.kernel import kernel


class ContactProblem(NamedTuple):
    """n bodies and m contacts."""

    bodies: Ints
    """(n,) rows of the bodies in the world, in order."""
    centre: Floats
    """(n, 3) centres of mass [m]."""
    mass: Floats
    """(n, 6, 6) generalised masses: m 1 and the inertia tensor about the centre [kg, kg m²] (B. and M. 1993, 11)."""
    force: Floats
    """(n, 6) forces and torques about the centre from outside: gravity, -ω × I ω, springs [N, N m]."""
    velocity: Floats
    """(n, 6) v of the centre and ω [m/s, rad/s]."""
    pair: Ints
    """(m, 2) body a and body b of each contact, as places in `bodies`; -1 for static and kinematic bodies."""
    rows: Ints
    """(m, 2) the same two as rows of the world, whatever kind they are: for their names."""
    nodes: Ints
    """(m, 2) the pieces of them that touch, as in the contacts of a world."""
    point: Floats
    """(m, 3) contact points [m]."""
    frame: Floats
    """(m, 3, 3) rows: the normal n, then two tangents, right-handed."""
    gap: Floats
    """(m,) distances along the normals [m]."""
    prescribed: Floats
    """(m, 3) what bodies outside the problem add to u in the contact's frame: - frame u_b, + frame u_a [m/s]."""
    curvature: Floats
    """(m,) what velocities alone add to the normal acceleration, 2 u · dn/dt and the centripetal terms, and what bodies
    outside the problem do by themselves [m/s²]."""
    friction: Floats
    """(m,) coefficients of Coulomb friction."""
    restitution: Floats
    """(m,) coefficients of restitution."""


@kernel
def fill_blocks(problem: ContactProblem, rows: Floats) -> None:
    """Write the rows (normal, tangent, tangent) of each contact for its two bodies into `rows`, (m, 2, 3, 6).

    u = rows_a v_a + rows_b v_b + prescribed (B. and M. eq. 9); zeros for static and kinematic bodies.
    """
    for k in range(problem.pair.shape[0]):
        for side in range(2):
            body = problem.pair[k, side]
            for axis in range(3):
                for column in range(6):
                    rows[k, side, axis, column] = 0.0
                if body < 0:
                    continue
                sign = 1.0 if side == 0 else -1.0
                rx = problem.point[k, 0] - problem.centre[body, 0]
                ry = problem.point[k, 1] - problem.centre[body, 1]
                rz = problem.point[k, 2] - problem.centre[body, 2]
                dx, dy, dz = problem.frame[k, axis, 0], problem.frame[k, axis, 1], problem.frame[k, axis, 2]
                rows[k, side, axis, 0] = sign * dx
                rows[k, side, axis, 1] = sign * dy
                rows[k, side, axis, 2] = sign * dz
                rows[k, side, axis, 3] = sign * (ry * dz - rz * dy)
                rows[k, side, axis, 4] = sign * (rz * dx - rx * dz)
                rows[k, side, axis, 5] = sign * (rx * dy - ry * dx)


def jacobian_blocks(problem: ContactProblem) -> Floats:
    """The blocks of J that are not zero, (m, 2, 3, 6): for many contacts J itself is mostly zeros."""
    rows = np.zeros((problem.pair.shape[0], 2, 3, 6))
    fill_blocks(problem, rows)
    return rows


def jacobian(problem: ContactProblem) -> Floats:
    """J, (3 m, 6 n), rows (normal, tangent, tangent) a contact: u = J v + prescribed."""
    m, n = problem.pair.shape[0], problem.centre.shape[0]
    J = np.zeros((m, 3, n, 6))
    rows = jacobian_blocks(problem)
    for side in range(2):
        (there,) = np.nonzero(problem.pair[:, side] >= 0)
        J[there, :, problem.pair[there, side]] += rows[there, side]
    return J.reshape(3 * m, 6 * n)


def normal_jacobian(problem: ContactProblem) -> Floats:
    """The rows of the normals only, (m, 6 n): frictionless problems need no others."""
    return np.ascontiguousarray(jacobian(problem)[::3])


def free_acceleration(problem: ContactProblem) -> Floats:
    """a_u, (6 n,): the accelerations without contacts, M⁻¹ Q (Redon 2002, sec. 2)."""
    return np.asarray(np.linalg.solve(problem.mass, problem.force[:, :, None])).reshape(-1)


def masses_solve(problem: ContactProblem, rows: Floats) -> Floats:
    """M⁻¹ rowsᵀ for rows of generalised forces, (k, 6 n), as (6 n, k): block by block, M is never made whole."""
    n = problem.centre.shape[0]
    blocks = rows.reshape(len(rows), n, 6).transpose(1, 2, 0)
    return np.asarray(np.linalg.solve(problem.mass, blocks)).reshape(6 * n, len(rows))


def contact_matrix(problem: ContactProblem, J: Floats) -> Floats:
    """A = J M⁻¹ Jᵀ, symmetric and positive semi-definite, for rows J of this problem (Baraff 1992, sec. 8.1)."""
    A = J @ masses_solve(problem, J)
    return 0.5 * (A + A.T)
