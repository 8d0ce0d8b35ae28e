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
from engine.solvers.solution import NOT_FINITE, SOLVED, Solution, no_trace
from engine.solvers.wilhelmsen import solve_wilhelmsen

ACCURACY = 1e-8
"""Answers with residuals up to this [1] hold, however the method ended: pinched contacts need forces so large that
rounding alone is no less, and where bodies fall side by side the accelerations at contacts are nothing but rounding,
about which a method may prove anything."""


class Nearest(NamedTuple):
    """The motion nearest to a wanted one that contacts allow."""

    motion: Floats
    """(6 n,) accelerations or velocities."""
    multipliers: Floats
    """(m,) contact forces or impulses λ >= 0."""
    status: int
    """A code of engine.solvers.solution."""


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


def nearest_motion(problem: ContactProblem, J: Floats, wanted: Floats) -> Nearest:
    """arg min ½ ‖x - wanted‖²_M with J x >= 0 (Redon 2002, eq. 7), by Wilhelmsen's nearest point.

    J: (m, 6 n); wanted: (6 n,).
    """
    if not (np.isfinite(J).all() and np.isfinite(wanted).all()):
        return Nearest(np.zeros(len(wanted)), np.zeros(len(J)), NOT_FINITE)
    factors = factor_masses(problem)
    y = into_motion_space(factors, wanted)
    J_Q = scaled_jacobian(problem, J)
    solution = _nearest_in_cone(J_Q, -y)
    return Nearest(out_of_motion_space(factors, y + J_Q.T @ solution.x), solution.x, status_of(solution))


def _nearest_in_cone(rows: Floats, target: Floats) -> Solution:
    """λ >= 0 with the least ‖rowsᵀ λ - target‖."""
    point = np.empty(len(target))
    return solve_wilhelmsen(sparse_rows(rows), target, NO_START, point, ACCURACY, pivot_limit(len(rows)), no_trace())


def status_of(solution: Solution) -> int:
    """SOLVED if the answer holds, else how the method ended."""
    return SOLVED if solution.residual <= ACCURACY else solution.status
