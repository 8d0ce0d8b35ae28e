"""Motion space: coordinates in which the kinetic norm is the length of a vector (Redon 2002, sec. 4).

M = Qᵀ Q is factored body by body, y = Q x stands for a motion x, and J_Q = J Q⁻¹ for the contacts' rows J. There every
frictionless problem is to find the nearest of the motions that the contacts allow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.analysis.contact_problem import ContactProblem
from engine.analysis.methods import NO_START, pivot_limit, scaled_jacobian
from engine.arrays import Floats
from engine.solvers.rows import sparse_rows
from engine.solvers.solution import INFEASIBLE, NOT_FINITE, SOLVED, Solution, no_trace
from engine.solvers.wilhelmsen import solve_wilhelmsen

ACCURACY = 1e-8
"""Answers with residuals up to this [1] hold, however the method ended: pinched contacts need forces so large that
rounding alone is no less, and where bodies fall side by side the accelerations at contacts are nothing but rounding,
about which a method may prove anything."""

IN_RANGE = 1e-12
"""Bounds that the contacts' rows reach to this relative accuracy count as in their range [1]."""

CLOSED = 1e-12
"""A nearest point this near to its target [1] leaves no room for a motion: the bounds contradict each other."""


class Nearest(NamedTuple):
    """The motion nearest to a wanted one that contacts allow."""

    motion: Floats
    """(6 n,) accelerations or velocities."""
    multipliers: Floats
    """(m,) contact forces or impulses λ >= 0."""
    status: int
    """A code of engine.solvers.solution; INFEASIBLE if no motion is allowed."""


def factor_masses(problem: ContactProblem) -> Floats:
    """Qᵀ of M = Qᵀ Q by body, lower triangular, (n, 6, 6)."""
    return np.asarray(np.linalg.cholesky(problem.mass))


def into_motion_space(factors: Floats, x: Floats) -> Floats:
    """y = Q x, (6 n,)."""
    return np.asarray(factors.transpose(0, 2, 1) @ x.reshape(-1, 6, 1)).reshape(-1)


def out_of_motion_space(factors: Floats, y: Floats) -> Floats:
    """x = Q⁻¹ y, (6 n,)."""
    return np.asarray(np.linalg.solve(factors.transpose(0, 2, 1), y.reshape(-1, 6, 1))).reshape(-1)


def kinetic_norm(problem: ContactProblem, x: Floats) -> float:
    """‖x‖_M of accelerations or velocities, (6 n,) (Baraff and Mattikalli 1993, sec. 5)."""
    blocks = x.reshape(-1, 6)
    return float(np.sqrt(np.einsum("ni,nij,nj->", blocks, problem.mass, blocks)))


def nearest_motion(problem: ContactProblem, J: Floats, wanted: Floats, bounds: Floats) -> Nearest:
    """arg min ½ ‖x - wanted‖²_M with J x >= bounds (Redon 2002, eq. 7), by Wilhelmsen's nearest point.

    J: (m, 6 n); wanted: (6 n,); bounds: (m,). With bounds in the range of J it is Redon's (11). Others, as redundant
    contacts of different restitution have them, are brought into one dimension more (Lawson and Hanson 1974, ch. 23).
    """
    if not (np.isfinite(J).all() and np.isfinite(wanted).all() and np.isfinite(bounds).all()):
        return Nearest(np.zeros(len(wanted)), np.zeros(len(bounds)), NOT_FINITE)
    factors = factor_masses(problem)
    y = into_motion_space(factors, wanted)
    J_Q = scaled_jacobian(problem, J)
    if not bounds.any():
        s, found = -y, True
    else:
        s, found = _reach(J_Q, bounds - J_Q @ y)
    if found:
        solution = _nearest_in_cone(J_Q, s)
        multipliers, status = solution.x, status_of(solution)
    else:
        multipliers, status = _nearest_from_zero(J_Q, bounds - J_Q @ y)
    return Nearest(out_of_motion_space(factors, y + J_Q.T @ multipliers), multipliers, status)


def _nearest_in_cone(rows: Floats, target: Floats) -> Solution:
    """λ >= 0 with the least ‖rowsᵀ λ - target‖."""
    point = np.empty(len(target))
    return solve_wilhelmsen(sparse_rows(rows), target, NO_START, point, ACCURACY, pivot_limit(len(rows)), no_trace())


def status_of(solution: Solution) -> int:
    """SOLVED if the answer holds, else how the method ended."""
    return SOLVED if solution.residual <= ACCURACY else solution.status


def _reach(J_Q: Floats, h: Floats) -> tuple[Floats, bool]:
    """s with J_Q s = h, and whether there is one."""
    s = np.asarray(np.linalg.lstsq(J_Q, h, rcond=None)[0])
    return s, bool(np.linalg.norm(J_Q @ s - h) <= IN_RANGE * np.linalg.norm(h))


def _nearest_from_zero(J_Q: Floats, h: Floats) -> tuple[Floats, int]:
    """λ of arg min ½ ‖z‖² with J_Q z >= h, z = J_Qᵀ λ: the point of the cone of the rows (J_Q, h) nearest to (0, 1)."""
    size = float(np.abs(h).max())
    rows = np.column_stack([J_Q, h / size])
    target = np.zeros(rows.shape[1])
    target[-1] = 1.0
    solution = _nearest_in_cone(rows, target)
    if status_of(solution) != SOLVED:
        return np.zeros(len(h)), solution.status
    left = 1.0 - float(rows[:, -1] @ solution.x)  # the squared distance that is left, too
    if left <= CLOSED:
        return np.zeros(len(h)), INFEASIBLE
    return size / left * solution.x, SOLVED
