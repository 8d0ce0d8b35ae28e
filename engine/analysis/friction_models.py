"""Contact problems with friction as solvers take them, and Baraff's three ways to solve them, by name.

Accelerations: w = A f + b, f the forces, with A = J M⁻¹ Jᵀ for J's rows (normal, tangent, tangent), whole, for the
pivoting methods.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from engine.analysis.contact_problem import ContactProblem, contact_matrix, free_acceleration, jacobian
from engine.analysis.methods import METHODS, TOLERANCE, acceleration_problem, pivot_limit
from engine.arrays import Floats
from engine.solvers.dynamic_friction import solve_dynamic_friction
from engine.solvers.lotstedt import solve_lotstedt
from engine.solvers.quadratic_friction import solve_quadratic_friction
from engine.solvers.solution import SOLVED, Solution, Trace, no_trace

CRAWL = 1e-3
"""Slip above which the dynamic friction approximation has full friction [m/s] (Baraff 1992, sec. 14.2.2)."""

GUESSES = 20
"""Times that the quadratic programming approximation may guess signs [1]."""


class Frictional(NamedTuple):
    """Accelerations w = A f + b of m contacts with friction."""

    A: Floats
    """(3 m, 3 m)."""
    b: Floats
    """(3 m,) accelerations without contact forces [m/s²]."""
    mu: Floats
    """(m,)."""
    slip: Floats
    """(m, 2) tangential velocities [m/s]; exactly zero: static friction."""
    before: Floats
    """(m,) normal forces of the step before [N], which Lötstedt's friction takes its bounds from."""


class FrictionMethod(NamedTuple):
    """One approximation of friction. `text` is for people."""

    text: str
    solve: Callable[[Frictional, Trace], Solution]


def frictional(problem: ContactProblem, before: Floats | None = None) -> Frictional:
    """The problem of contact forces with friction at this instant.

    `before`: (m,) the last step's normal forces; without them those that there would be without friction. Slip below
    1e-9 m/s is none: rounding must not choose a direction. What velocities alone add to tangential accelerations is
    left out; only friction that sticks, where it is zero or small, would ask for it.
    """
    J = jacobian(problem)
    b = J @ free_acceleration(problem)
    b[::3] += problem.curvature
    slip = (J @ problem.velocity.reshape(-1)).reshape(-1, 3)[:, 1:] + problem.prescribed[:, 1:]
    slip[np.hypot(slip[:, 0], slip[:, 1]) < 1e-9] = 0.0
    if before is None:
        normal = METHODS["lemke"].solve(acceleration_problem(problem), no_trace())
        before = normal.x if normal.status == SOLVED else np.zeros(len(problem.friction))
    return Frictional(contact_matrix(problem, J), b, problem.friction, slip, before)


def _lotstedt(problem: Frictional, trace: Trace) -> Solution:
    limit = pivot_limit(5 * len(problem.mu))
    return solve_lotstedt(problem.A, problem.b, problem.mu, problem.slip, problem.before, TOLERANCE, limit, trace)


def _dynamic(problem: Frictional, trace: Trace) -> Solution:
    limit = pivot_limit(len(problem.mu))
    return solve_dynamic_friction(problem.A, problem.b, problem.mu, problem.slip, CRAWL, TOLERANCE, limit, trace)


def _quadratic(problem: Frictional, trace: Trace) -> Solution:
    return solve_quadratic_friction(problem.A, problem.b, problem.mu, problem.slip, TOLERANCE, GUESSES, trace)


FRICTION_METHODS: dict[str, FrictionMethod] = {
    "lotstedt": FrictionMethod("Lötstedt: bounds from the step before", _lotstedt),
    "dynamic": FrictionMethod("dynamic friction, weakened where it is slow", _dynamic),
    "quadratic": FrictionMethod("quadratic programming with guessed signs", _quadratic),
}
"""Baraff 1992, 14.2.1 to 14.2.3."""
