"""De Saxcé's correction: Coulomb's law by a sequence of convex problems, each solved by accelerated projected gradient.

K ∋ x ⟂ w + mu |w_t| n ∈ K* with w = N x + b (de Saxcé and Feng 1998). Without the term mu |w_t| n this is a convex
problem, in which a sliding contact lifts off at the speed mu |w_t|: a block on a ramp would hover down it. With the
term held fixed it is convex too. So: solve with mu |w_t| of the solution before, until that stays what it is (Acary,
Cadoux, Lemaréchal and Malick 2011). Sticking contacts have no such term.

There is no proof that the sequence converges, and for much friction between few bodies it may not; the status says so.
"""

from __future__ import annotations

import math

import numpy as np

from engine.arrays import Floats
from engine.kernel import array_kernel, kernel
from engine.solvers.cone import cone_residual
from engine.solvers.conjugate_gradient import make_iterates as make_faces
from engine.solvers.linear import is_finite, not_finite
from engine.solvers.operator import Operator, is_finite_operator, multiply
from engine.solvers.projected_gradient import descend, make_iterates
from engine.solvers.solution import ITERATION_LIMIT, SOLVED, Solution, Trace, no_trace, note_iteration

_INNER = 0.1
"""Each convex problem is solved to this fraction of the residual that is left [1]."""


@array_kernel
def solve_de_saxce(
    operator: Operator, b: Floats, mu: Floats, start: Floats, tolerance: float, limit: int, trace: Trace
) -> Solution:
    """x from `start` on: b and start (3 m,), mu (m,). Ends when cone_residual with Coulomb's correction is at most
    `tolerance`, or after `limit` iterations of the gradient method in all. The trace has a row a convex problem.
    """
    n = b.shape[0]
    if not (is_finite_operator(operator) and is_finite(b) and is_finite(mu) and is_finite(start)):
        return not_finite(b, 0)
    its = make_iterates(operator, mu, n)
    faces = make_faces(operator, 0)
    unwatched = no_trace()
    best, w, lifted = start.copy(), np.zeros(n), np.zeros(n)
    its.best[:] = start
    residual = _lift(operator, b, mu, its.best, its.velocity, w, lifted)
    least = np.inf
    done = 0
    while least > tolerance and done < limit:
        inner = max(_INNER * residual, 0.5 * tolerance)
        _, spent = descend(operator, lifted, mu, inner, limit - done, 0, unwatched, its, faces)
        done += max(spent, 1)
        residual = _lift(operator, b, mu, its.best, its.velocity, w, lifted)
        note_iteration(trace, its.best, w, residual, -1)
        if not residual < math.inf:
            break
        if residual < least:
            least = residual
            best[:] = its.best
    if not is_finite(best):
        return not_finite(b, done)
    least = _lift(operator, b, mu, best, its.velocity, w, lifted)
    return Solution(best, w, SOLVED if least <= tolerance else ITERATION_LIMIT, least, done)


@kernel
def _lift(operator: Operator, b: Floats, mu: Floats, x: Floats, velocity: Floats, w: Floats, lifted: Floats) -> float:
    """w = N x + b, and `lifted` = b + mu |w_t| n for the next convex problem; the residual of Coulomb's law."""
    multiply(operator, x, velocity, w)
    for i in range(b.shape[0]):
        w[i] += b[i]
        lifted[i] = b[i]
    for k in range(mu.shape[0]):
        lifted[3 * k] += mu[k] * math.sqrt(w[3 * k + 1] ** 2 + w[3 * k + 2] ** 2)
    return cone_residual(x, w, b, mu, 1.0)
