"""Projected Gauss-Seidel: w = N x + b under Coulomb's law in every contact, one contact at a time.

Without friction: 0 <= x ⟂ w >= 0. With it: each contact (normal, tangent, tangent) is apart (x = 0, w_n >= 0),
sticking (w = 0, |x_t| <= mu x_n) or sliding (w_n = 0, x_t = -mu x_n w_t / |w_t|), the isotropic cone as it is: a
contact's problem is solved exactly while the others wait, so the cone is not relaxed and what slides does not lift.
N is symmetric and positive semi-definite; sweeps go forth and back in turn, because always the same order would
carry forces one way only. (Cottle, Pang and Stone 1992, sec. 5.2; Bonnefon and Daviet 2011 for the contact.)

Without friction it converges, as fast as N is well conditioned: where bodies are wedged that may take very long, and
some conjugate steps on the active contacts, after every 16 sweeps, save most of it (Silcowitz, Niebe and Erleben
2010, subspace minimization). With friction a solution need not exist, and where it does the method usually finds it;
the status says so.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import Floats
from engine.kernel import array_kernel, kernel
from engine.solvers.cone import cone_residual, contact_error, project_cones, solve_contact
from engine.solvers.conjugate_gradient import descend_on_face, make_iterates
from engine.solvers.linear import is_finite, largest_entry, not_finite
from engine.solvers.operator import (
    Operator,
    fill_diagonal,
    is_dense,
    is_finite_operator,
    multiply,
    push_bodies,
    read_contact,
)
from engine.solvers.solution import ITERATION_LIMIT, SOLVED, Solution, Trace, note_iteration

_STRETCH = 16
"""Sweeps between two looks at the residual, and between two stretches of conjugate steps [1]."""


@array_kernel
def solve_gauss_seidel(
    operator: Operator,
    b: Floats,
    mu: Floats,
    start: Floats,
    tolerance: float,
    sweeps: int,
    face_steps: int,
    trace: Trace,
) -> Solution:
    """x from `start` on: b and start (n,), mu (m,) with n = 3 m, or empty without friction.

    Ends when the residual of cone_residual (Coulomb's law) is at most `tolerance`, when a sweep changes nothing more,
    or after `sweeps` of them. `face_steps` conjugate steps follow every 16th sweep where there is no friction; 0 is the
    plain method.
    """
    n = b.shape[0]
    d = 1 if mu.shape[0] == 0 else 3
    x = start.copy()
    best = x.copy()
    w = np.zeros(n)
    velocity = np.zeros((operator.bodies, 6))
    blocks = np.zeros((n // d, d, d))
    if not (is_finite_operator(operator) and is_finite(b) and is_finite(mu) and is_finite(start)):
        return not_finite(b, 0)
    fill_diagonal(operator, blocks)
    project_cones(x, mu)
    residual = _recompute(operator, x, b, mu, velocity, w)
    faces = make_iterates(operator, n if d == 1 and face_steps > 0 else 0)
    least = residual
    best[:] = x
    allowed = tolerance * (1.0 + largest_entry(b))
    watched = trace.residual.shape[0] > 0
    done = 0
    moved = True
    while residual > tolerance and done < sweeps and moved:
        worst, moved = _sweep(operator, blocks, b, mu, done % 2 == 1, x, w, velocity)
        done += 1
        if worst <= allowed or watched or not moved or done == sweeps or done % _STRETCH == 0:
            residual = _recompute(operator, x, b, mu, velocity, w)
            note_iteration(trace, x, w, residual, -1)
            if residual < least:
                least = residual
                best[:] = x
        if faces.x.shape[0] > 0 and done % _STRETCH == 0 and residual > tolerance:
            descend_on_face(operator, b, x, face_steps, faces)
            _recompute(operator, x, b, mu, velocity, w)
    if not is_finite(best):
        return not_finite(b, done)
    _recompute(operator, best, b, mu, velocity, w)
    return Solution(best, w, SOLVED if least <= tolerance else ITERATION_LIMIT, least, done)


@kernel
def _recompute(operator: Operator, x: Floats, b: Floats, mu: Floats, velocity: Floats, w: Floats) -> float:
    """Compute w and the bodies' velocities anew, without what sweeps have rounded; the residual, NaN if not finite."""
    multiply(operator, x, velocity, w)
    total = 0.0
    for i in range(w.shape[0]):
        w[i] += b[i]
        total += abs(w[i]) + abs(x[i])
    return cone_residual(x, w, b, mu, 1.0) if total < np.inf else np.nan


@kernel
def _sweep(
    operator: Operator, blocks: Floats, b: Floats, mu: Floats, backwards: bool, x: Floats, w: Floats, velocity: Floats
) -> tuple[float, bool]:
    """Solve every contact once. The largest error that one had before its own solve, and whether anything changed.

    Every change is applied to the others at once: through w where N is dense, through velocities otherwise.
    """
    contacts, d = blocks.shape[0], blocks.shape[1]
    worst = 0.0
    moved = False
    for turn in range(contacts):
        k = contacts - 1 - turn if backwards else turn
        if not is_dense(operator):
            for i in range(d * k, d * k + d):
                w[i] = read_contact(operator, k, i - d * k, velocity) + b[i]
        if d == 1:
            error, step = _turn_normal(blocks, k, x, w)
            worst = max(worst, error)
            moved = _apply_change(operator, d, k, 0, step, w, velocity) or moved
        else:
            error, steps = _turn_contact(blocks, k, mu[k], x, w)
            worst = max(worst, error)
            moved = _apply_change(operator, d, k, 0, steps[0], w, velocity) or moved
            moved = _apply_change(operator, d, k, 1, steps[1], w, velocity) or moved
            moved = _apply_change(operator, d, k, 2, steps[2], w, velocity) or moved
    return worst, moved


@kernel
def _turn_normal(blocks: Floats, k: int, x: Floats, w: Floats) -> tuple[float, float]:
    error = abs(min(x[k], w[k]))
    old = x[k]
    if blocks[k, 0, 0] > 0.0:
        x[k] = max(0.0, old - w[k] / blocks[k, 0, 0])
    return error, x[k] - old


@kernel
def _turn_contact(blocks: Floats, k: int, mu: float, x: Floats, w: Floats) -> tuple[float, tuple[float, float, float]]:
    i = 3 * k
    old = (x[i], x[i + 1], x[i + 2])
    now = (w[i], w[i + 1], w[i + 2])
    error = contact_error(old, now, mu, 1.0)
    q = (
        now[0] - blocks[k, 0, 0] * old[0] - blocks[k, 0, 1] * old[1] - blocks[k, 0, 2] * old[2],
        now[1] - blocks[k, 1, 0] * old[0] - blocks[k, 1, 1] * old[1] - blocks[k, 1, 2] * old[2],
        now[2] - blocks[k, 2, 0] * old[0] - blocks[k, 2, 1] * old[1] - blocks[k, 2, 2] * old[2],
    )
    x[i], x[i + 1], x[i + 2] = solve_contact(blocks, k, q, mu)
    return error, (x[i] - old[0], x[i + 1] - old[1], x[i + 2] - old[2])


@kernel
def _apply_change(operator: Operator, d: int, k: int, row: int, step: float, w: Floats, velocity: Floats) -> bool:
    """Apply to w, or to the velocities, that one unknown of contact k has changed by `step`; whether it has."""
    if step == 0.0:
        return False
    if is_dense(operator):
        for i in range(w.shape[0]):
            w[i] += step * operator.dense[d * k + row, i]
    else:
        push_bodies(operator, k, row, step, velocity)
    return True
