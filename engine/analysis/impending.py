"""Impending motion: how frictionless bodies at rest begin to move, found in three ways that must agree.

Baraff and Mattikalli 1993: by the contact forces that keep bodies apart (sec. 3, an LCP), by Gauss' principle, as the
nearest of the allowed accelerations to those without contacts (sec. 4, a nearest-point problem), and as the direction
in which potential energy falls most steeply, lengths being measured by kinetic energy (sec. 5). Each is solved by a
method of its own, so that their disagreement says what can be trusted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.analysis.contact_problem import ContactProblem, contact_matrix, free_acceleration, normal_jacobian
from engine.analysis.methods import NO_START, pivot_limit, scaled_jacobian
from engine.analysis.motion_space import (
    ACCURACY,
    factor_masses,
    into_motion_space,
    kinetic_norm,
    nearest_motion,
    out_of_motion_space,
    status_of,
)
from engine.analysis.steepest_descent import REST, descend_steepest
from engine.arrays import Floats
from engine.solvers.dantzig import solve_dantzig
from engine.solvers.rows import dense_rows
from engine.solvers.solution import SOLVED, no_trace


class ImpendingMotion(NamedTuple):
    """The initial accelerations of n bodies, three times over."""

    free: Floats
    """(n, 6) a_u: without contacts, v of the centre and ω [m/s², rad/s²]."""
    forces: Floats
    """(n, 6) by contact forces."""
    gauss: Floats
    """(n, 6) by Gauss' principle."""
    descent: Floats
    """(n, 6) steepest descent: a unit vector in the kinetic norm; zero if it says that the bodies rest."""
    steepness: float
    """The energy that the steepest way loses, over its length [m/s² sqrt(kg)]: the ‖a‖_M that it foretells."""
    loads: Floats
    """(m,) contact forces λ [N]; where contacts are redundant one choice of many."""
    rest: tuple[bool, bool, bool]
    """Whether forces, Gauss and descent say that nothing moves: ‖a‖_M <= REST ‖a_u‖_M."""
    forces_gauss: float
    """‖a_forces - a_gauss‖_M / ‖a_u‖_M."""
    forces_descent: float
    """‖a_forces / ‖a_forces‖_M - descent‖_M; 0 if both say that the bodies rest."""
    status: tuple[int, int, int]
    """How the three methods ended: codes of engine.solvers.solution."""

    @property
    def disagreement(self) -> float:
        """The larger of the two differences; they are 0 in exact arithmetic."""
        return max(self.forces_gauss, self.forces_descent)


def at_rest(problem: ContactProblem) -> ContactProblem:
    """The same bodies standing still: without velocities, and without the torques and curvatures that come of them."""
    force = problem.force.copy()
    omega = problem.velocity[:, 3:]
    force[:, 3:] += np.cross(omega, np.einsum("nij,nj->ni", problem.mass[:, 3:, 3:], omega))
    return problem._replace(
        force=force,
        velocity=np.zeros_like(problem.velocity),
        prescribed=np.zeros_like(problem.prescribed),
        curvature=np.zeros_like(problem.curvature),
    )


def impending_motion(problem: ContactProblem) -> ImpendingMotion:
    """The initial accelerations of the bodies of a problem, taken to be at rest and their contacts without friction."""
    problem = at_rest(problem)
    J = normal_jacobian(problem)
    free = free_acceleration(problem)
    size = kinetic_norm(problem, free)
    by_forces, loads, forces_status = _by_forces(problem, J, free)
    gauss = nearest_motion(problem, J, free)
    factors = factor_masses(problem)
    way = descend_steepest(into_motion_space(factors, free), scaled_jacobian(problem, J))
    descent = out_of_motion_space(factors, way.direction)
    rest = (
        kinetic_norm(problem, by_forces) <= REST * size,
        kinetic_norm(problem, gauss.motion) <= REST * size,
        way.steepness <= REST,
    )
    return ImpendingMotion(
        free=free.reshape(-1, 6),
        forces=by_forces.reshape(-1, 6),
        gauss=gauss.motion.reshape(-1, 6),
        descent=descent.reshape(-1, 6),
        steepness=way.steepness * size,
        loads=loads,
        rest=rest,
        forces_gauss=kinetic_norm(problem, by_forces - gauss.motion) / size if size else 0.0,
        forces_descent=_direction_gap(problem, by_forces, descent, rest),
        status=(forces_status, gauss.status, way.status),
    )


def _by_forces(problem: ContactProblem, J: Floats, free: Floats) -> tuple[Floats, Floats, int]:
    """a = a_u + M⁻¹ Jᵀ λ with 0 <= λ ⟂ J a >= 0 (Baraff and Mattikalli 1993, eq. 16 and 20), and λ.

    Forces that push are corrected once by what they leave of the accelerations at their contacts: A has the square of
    J's condition number, and bodies that are pinched show it.
    """
    A = contact_matrix(problem, J)
    solution = solve_dantzig(dense_rows(A), J @ free, NO_START, ACCURACY, pivot_limit(len(J)), no_trace())
    status = status_of(solution)
    if status != SOLVED:
        return np.zeros(len(free)), np.zeros(len(J)), status
    loads = solution.x.copy()
    pushing = loads > 0.0
    left = J[pushing] @ _accelerations(problem, J, free, loads)
    loads[pushing] += np.linalg.lstsq(A[np.ix_(pushing, pushing)], -left, rcond=None)[0]
    loads = np.maximum(loads, 0.0)
    return _accelerations(problem, J, free, loads), loads, SOLVED


def _accelerations(problem: ContactProblem, J: Floats, free: Floats, loads: Floats) -> Floats:
    """a_u + M⁻¹ Jᵀ λ, (6 n,)."""
    return free + np.linalg.solve(problem.mass, (J.T @ loads).reshape(-1, 6, 1)).reshape(-1)


def _direction_gap(problem: ContactProblem, a: Floats, descent: Floats, rest: tuple[bool, bool, bool]) -> float:
    """How far apart the directions of an acceleration and of steepest descent are, 0 to 2."""
    if rest[0] or rest[2]:
        return 0.0 if rest[0] == rest[2] else 1.0
    return kinetic_norm(problem, a / kinetic_norm(problem, a) - descent)
