"""Accelerated projected gradient: min ½ xᵀ N x + bᵀ x with every contact's x in its friction cone K.

That is K ∋ x ⟂ w = N x + b ∈ K*: Coulomb's law but that a sliding contact lifts off at mu |w_t|.
Without friction it is the LCP 0 <= x ⟂ w >= 0. N is symmetric and positive semi-definite.

Nesterov's method with a step found by backtracking and a restart whenever the momentum points uphill, as in Mazhar,
Heyn, Negrut and Tasora 2015, algorithm 1. Each iteration multiplies by N once: products at extrapolated points are
extrapolated products. The step of a contact is scaled by its own response, so that a pebble does not set the step of a
rock; one scale a contact leaves the projection onto its cone as it is.

Where bodies are wedged even this takes very long. Without friction some conjugate steps on the active contacts
help as they help projected Gauss-Seidel, after every thousandth iteration.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats
from engine.kernel import array_kernel, kernel
from engine.solvers.cone import cone_residual, project_cones
from engine.solvers.conjugate_gradient import Iterates as Faces
from engine.solvers.conjugate_gradient import descend_on_face
from engine.solvers.conjugate_gradient import make_iterates as make_faces
from engine.solvers.linear import is_finite, not_finite
from engine.solvers.operator import Operator, bound_largest, fill_scale, is_finite_operator, multiply
from engine.solvers.solution import ITERATION_LIMIT, SOLVED, Solution, Trace, note_iteration

_GROWING = 0.9
"""The curvature, one over the step, is tried this much smaller after each iteration (Mazhar et al. 2015) [1]."""

_LEAST = 1e-6
"""And is never less than this fraction of its upper bound [1]: in the null space of N it would go to zero."""

_STRETCH = 1000
"""Iterations between two stretches of conjugate steps [1]."""


class Iterates(NamedTuple):
    """Points of the method with their products by N, (n,) where nothing else is said."""

    scale: Floats
    """What fill_scale says."""
    x: Floats
    """The iterate before."""
    Nx: Floats
    ahead: Floats
    """The extrapolated point, where the gradient is taken."""
    N_ahead: Floats
    following: Floats
    """The iterate."""
    N_following: Floats
    w: Floats
    """N_following + b."""
    best: Floats
    """The iterate of the least residual so far."""
    steepest: Floats
    """(1,) what bound_largest says."""
    velocity: Floats
    """(bodies, 6) scratch of multiply."""


@array_kernel
def solve_projected_gradient(
    operator: Operator,
    b: Floats,
    mu: Floats,
    start: Floats,
    tolerance: float,
    limit: int,
    face_steps: int,
    trace: Trace,
) -> Solution:
    """x from `start` on: b and start (n,), mu (m,) with n = 3 m, or empty without friction.

    Ends when cone_residual (without Coulomb's correction) is at most `tolerance`, or after `limit` iterations.
    `face_steps` conjugate steps follow every thousandth where there is no friction; 0 is the method of the paper.
    """
    if not (is_finite_operator(operator) and is_finite(b) and is_finite(mu) and is_finite(start)):
        return not_finite(b, 0)
    its = make_iterates(operator, mu, b.shape[0])
    its.best[:] = start
    faces = make_faces(operator, b.shape[0] if mu.shape[0] == 0 and face_steps > 0 else 0)
    residual, done = descend(operator, b, mu, tolerance, limit, face_steps, trace, its, faces)
    if not is_finite(its.best):
        return not_finite(b, done)
    multiply(operator, its.best, its.velocity, its.w)
    return Solution(its.best, its.w + b, SOLVED if residual <= tolerance else ITERATION_LIMIT, residual, done)


@array_kernel
def make_iterates(operator: Operator, mu: Floats, n: int) -> Iterates:
    """Room for n unknowns, and what depends on the operator alone."""
    z = np.zeros((9, n))
    steepest = np.zeros(1)
    velocity = np.zeros((operator.bodies, 6))
    its = Iterates(z[0], z[1], z[2], z[3], z[4], z[5], z[6], z[7], z[8], steepest, velocity)
    fill_scale(operator, 1 if mu.shape[0] == 0 else 3, its.scale)
    steepest[0] = bound_largest(operator, its.scale, velocity)
    return its


@kernel
def descend(
    operator: Operator,
    b: Floats,
    mu: Floats,
    tolerance: float,
    limit: int,
    face_steps: int,
    trace: Trace,
    its: Iterates,
    faces: Faces,
) -> tuple[float, int]:
    """Improve its.best until its residual is at most `tolerance`: the residual, and the iterations that it took."""
    for i in range(b.shape[0]):
        its.following[i] = its.best[i]
    project_cones(its.following, mu)
    multiply(operator, its.following, its.velocity, its.N_following)
    least = residual = _residual(b, mu, its)
    _keep(its)
    _advance(b, 1.0, its)
    curvature = 1.0
    momentum = 1.0
    done = 0
    while residual > tolerance and done < limit:
        curvature = _step(operator, b, mu, curvature, its)
        residual = _residual(b, mu, its)
        done += 1
        if faces.x.shape[0] > 0 and done % _STRETCH == 0 and residual > tolerance:
            descend_on_face(operator, b, its.following, face_steps, faces)
            multiply(operator, its.following, its.velocity, its.N_following)
            residual = _residual(b, mu, its)
            momentum = 1.0
        note_iteration(trace, its.following, its.w, residual, -1)
        if residual < least:
            least = residual
            _keep(its)
        momentum = _advance(b, momentum, its)
        curvature = max(_GROWING * curvature, _LEAST * its.steepest[0])
    return least, done


@kernel
def _keep(its: Iterates) -> None:
    for i in range(its.best.shape[0]):
        its.best[i] = its.following[i]


@kernel
def _residual(b: Floats, mu: Floats, its: Iterates) -> float:
    """Compute w of the iterate; its residual, NaN if not finite."""
    total = 0.0
    for i in range(b.shape[0]):
        its.w[i] = its.N_following[i] + b[i]
        total += abs(its.w[i])
    return cone_residual(its.following, its.w, b, mu, 0.0) if total < math.inf else math.nan


@kernel
def _step(operator: Operator, b: Floats, mu: Floats, curvature: float, its: Iterates) -> float:
    """A projected step down from the extrapolated point, by 1 / curvature; the curvature that was small enough."""
    n = b.shape[0]
    while True:
        for i in range(n):
            its.following[i] = its.ahead[i] - its.scale[i] ** 2 * (its.N_ahead[i] + b[i]) / curvature
        project_cones(its.following, mu)
        multiply(operator, its.following, its.velocity, its.N_following)
        bent = 0.0
        length = 0.0
        for i in range(n):
            step = its.following[i] - its.ahead[i]
            bent += step * (its.N_following[i] - its.N_ahead[i])
            length += (step / its.scale[i]) ** 2
        if not bent > curvature * length or curvature >= its.steepest[0]:
            return curvature
        curvature = min(2.0 * curvature, its.steepest[0])


@kernel
def _advance(b: Floats, momentum: float, its: Iterates) -> float:
    """Extrapolate from the iterate before through this one, or from rest if that leads uphill; the next momentum."""
    uphill = 0.0
    for i in range(b.shape[0]):
        uphill += (its.N_ahead[i] + b[i]) * (its.following[i] - its.x[i])
    following = 0.5 * momentum * (math.sqrt(momentum * momentum + 4.0) - momentum)
    beyond = momentum * (1.0 - momentum) / (momentum * momentum + following)
    if uphill > 0.0:
        following = 1.0
        beyond = 0.0
    for i in range(b.shape[0]):
        its.ahead[i] = its.following[i] + beyond * (its.following[i] - its.x[i])
        its.N_ahead[i] = its.N_following[i] + beyond * (its.N_following[i] - its.Nx[i])
        its.x[i] = its.following[i]
        its.Nx[i] = its.N_following[i]
    return following
