"""Projected conjugate gradients: 0 <= x ⟂ w = N x + b >= 0, which is min ½ xᵀ N x + bᵀ x with x >= 0.

N is symmetric and positive semi-definite, from contacts without friction: N = Dᵀ M⁻¹ D and b = r in the notation of the
rigid body dynamics series, part 1, whose N λ = r is the case of no bounds (and by its own functional N λ = -r).

Conjugate gradients on the active contacts (x > 0) as long as the gradient is there; a step along the rest's gradient
when it is not; a fixed short step where a conjugate one would leave the bounds. This is Dostál's MPRGP
(Dostál and Schöberl 2005): on a well conditioned N it finds the active set in finitely many steps, and then is the
plain method. Unknowns are scaled by the contacts' own responses first.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats
from engine.kernel import array_kernel, kernel
from engine.solvers.linear import is_finite, not_finite
from engine.solvers.operator import Operator, bound_largest, fill_scale, is_finite_operator, multiply
from engine.solvers.solution import (
    INFEASIBLE,
    ITERATION_LIMIT,
    SOLVED,
    Solution,
    Trace,
    lcp_residual,
    note_iteration,
)

_FRESH = 50
"""The gradient is computed anew after so many steps that only updated it [1]: rounding adds up."""

_SHORT = 1.9
"""The step without line search, in units of 1 / ‖N‖ (Dostál and Schöberl 2005: at most 2) [1]."""

_FLAT = 1e-13
"""A direction whose energy is this fraction of its square has none, to rounding [1]."""

_FALLING = 1e-5
"""A flat direction along which b falls by this fraction of ‖b‖ proves that there is no solution [1]."""


_FACE = 1e-4
"""Contacts leave their bounds when the active ones' share of the squared gradient is this small [1]: 1 / Γ² of
Dostál. With his Γ = 1 problems of wedged bodies, where N is almost singular, took a hundred times as many steps."""

_SOLVED_FACE = 1e-20
"""A face whose squared gradient has fallen to this fraction is solved [1]."""

_NOTHING = 1e-280
"""Squares as small as this have lost digits [unit of the function]: there is nothing left to gain."""


class Iterates(NamedTuple):
    """Vectors of the method, (n,), in scaled unknowns y = x / scale but for x and w."""

    scale: Floats
    """What fill_scale says."""
    y: Floats
    """The iterate."""
    gradient: Floats
    """Of the function at y: scale w."""
    direction: Floats
    """The conjugate direction; steps go against it."""
    product: Floats
    """Scaled N times the direction."""
    x: Floats
    """Unscaled."""
    w: Floats
    """Unscaled."""
    best: Floats
    """The x of the least residual so far."""
    short: Floats
    """(1,) the step without line search."""
    velocity: Floats
    """(bodies, 6) scratch of multiply."""


@array_kernel
def solve_conjugate_gradient(
    operator: Operator, b: Floats, start: Floats, tolerance: float, limit: int, trace: Trace
) -> Solution:
    """x from `start` on, (m,) like b; ends at a residual of at most `tolerance`, or after `limit` iterations.

    INFEASIBLE when it meets a direction z >= 0 with N z = 0 and bᵀ z < 0, along which the function is unbounded below.
    """
    if not (is_finite_operator(operator) and is_finite(b) and is_finite(start)):
        return not_finite(b, 0)
    its = make_iterates(operator, b.shape[0])
    least = residual = _begin(operator, b, start, its)
    its.best[:] = its.x
    done = 0
    stuck = 0
    infeasible = False
    while residual > tolerance and done < limit and stuck < 3 and not infeasible:
        done += 1
        if _is_proportional(its):
            stepped = _step_conjugate(operator, its)
        else:
            stepped = _activate(operator, its)
        residual = _residual(b, its)
        if not stepped or not residual > tolerance or done % _FRESH == 0:
            residual = _recompute_gradient(operator, b, its)
        if not stepped:
            infeasible = _is_unbounded(b, its)
            stuck += 1
            _restart(its)
        note_iteration(trace, its.x, its.w, residual, -1)
        if residual < least:
            least = residual
            its.best[:] = its.x
    if not is_finite(its.best):
        return not_finite(b, done)
    multiply(operator, its.best, its.velocity, its.w)
    status = SOLVED if least <= tolerance else INFEASIBLE if infeasible else ITERATION_LIMIT
    return Solution(its.best, its.w + b, status, least, done)


@array_kernel
def make_iterates(operator: Operator, n: int) -> Iterates:
    """Room for n unknowns, 0 for none, and what depends on the operator alone."""
    z = np.zeros((8, n))
    short = np.zeros(1)
    its = Iterates(z[0], z[1], z[2], z[3], z[4], z[5], z[6], z[7], short, np.zeros((operator.bodies, 6)))
    if n > 0:
        fill_scale(operator, 1, its.scale)
        short[0] = _SHORT / max(bound_largest(operator, its.scale, its.velocity), 1.0)
    return its


@kernel
def descend_on_face(operator: Operator, b: Floats, x: Floats, steps: int, its: Iterates) -> None:
    """Improve x by at most `steps` conjugate steps on the active contacts of the method above."""
    _begin(operator, b, x, its)
    first = _face_square(its)
    for _ in range(steps):
        # What is left of a solved face is rounding, and points into the null space of N: x would grow without bound.
        if _face_square(its) <= _SOLVED_FACE * first or not _step_conjugate(operator, its):
            break
    for i in range(x.shape[0]):
        x[i] = its.scale[i] * its.y[i]


@kernel
def _face_square(its: Iterates) -> float:
    """The squared gradient of the active contacts."""
    total = 0.0
    for i in range(its.y.shape[0]):
        if its.y[i] > 0.0:
            total += its.gradient[i] ** 2
    return total


@kernel
def _begin(operator: Operator, b: Floats, start: Floats, its: Iterates) -> float:
    """Start at `start`, above the bounds; its residual."""
    for i in range(b.shape[0]):
        its.y[i] = max(start[i], 0.0) / its.scale[i]
    residual = _recompute_gradient(operator, b, its)
    _restart(its)
    return residual


@kernel
def _multiply_scaled(operator: Operator, vector: Floats, its: Iterates, out: Floats) -> None:
    """out = scale N scale vector; overwrites x."""
    for i in range(vector.shape[0]):
        its.x[i] = its.scale[i] * vector[i]
    multiply(operator, its.x, its.velocity, out)
    for i in range(vector.shape[0]):
        out[i] *= its.scale[i]


@kernel
def _recompute_gradient(operator: Operator, b: Floats, its: Iterates) -> float:
    """Compute the gradient from y; the residual."""
    _multiply_scaled(operator, its.y, its, its.gradient)
    for i in range(b.shape[0]):
        its.gradient[i] += its.scale[i] * b[i]
    return _residual(b, its)


@kernel
def _residual(b: Floats, its: Iterates) -> float:
    """Compute x and w from y and the gradient; the residual, NaN if not finite."""
    total = 0.0
    for i in range(b.shape[0]):
        its.x[i] = its.scale[i] * its.y[i]
        its.w[i] = its.gradient[i] / its.scale[i]
        total += abs(its.x[i]) + abs(its.w[i])
    return lcp_residual(its.x, its.w, b) if total < math.inf else math.nan


@kernel
def _restart(its: Iterates) -> None:
    """Restart the conjugate directions from the gradient of the active contacts."""
    for i in range(its.y.shape[0]):
        its.direction[i] = its.gradient[i] if its.y[i] > 0.0 else 0.0


@kernel
def _is_proportional(its: Iterates) -> bool:
    """Whether the active contacts still have more to gain than the others (Dostál's proportioning test).

    A gradient that would carry an active contact off its bound counts only as far as the bound.
    """
    active = 0.0
    others = 0.0
    for i in range(its.y.shape[0]):
        g = its.gradient[i]
        if its.y[i] > 0.0:
            active += g * min(its.y[i] / its.short[0], g)
        elif g < 0.0:
            others += g * g
    return _FACE * others <= active


@kernel
def _step_conjugate(operator: Operator, its: Iterates) -> bool:
    """A step along the conjugate direction; as far as the bounds, and a short one beyond, where it would leave them.

    False when the function does not rise along it, nor a bound ends it.
    """
    _multiply_scaled(operator, its.direction, its, its.product)
    energy, gain, square, reach = 0.0, 0.0, 0.0, math.inf
    for i in range(its.y.shape[0]):
        p = its.direction[i]
        energy += p * its.product[i]
        gain += p * its.gradient[i]
        square += p * p
        if p > 0.0:
            reach = min(reach, its.y[i] / p)
    flat = not energy > _FLAT * square
    if (flat and reach == math.inf) or not square > _NOTHING:
        return False
    if flat or gain / energy > reach:
        _expand(operator, reach, its)
        return True
    length = gain / energy
    conjugation = 0.0
    for i in range(its.y.shape[0]):
        its.y[i] = max(its.y[i] - length * its.direction[i], 0.0)
        its.gradient[i] -= length * its.product[i]
        if its.y[i] > 0.0:
            conjugation += its.gradient[i] * its.product[i]
    conjugation /= energy
    for i in range(its.y.shape[0]):
        its.direction[i] = (its.gradient[i] if its.y[i] > 0.0 else 0.0) - conjugation * its.direction[i]
    return True


@kernel
def _expand(operator: Operator, reach: float, its: Iterates) -> None:
    """To the first bound, then a short projected step along the gradient there, which may meet many bounds."""
    for i in range(its.y.shape[0]):
        at_bound = its.y[i] - reach * its.direction[i]
        g = its.gradient[i] - reach * its.product[i]
        its.direction[i] = at_bound - its.short[0] * g if at_bound > 0.0 else 0.0
    _change(operator, its)


@kernel
def _change(operator: Operator, its: Iterates) -> None:
    """Move y to what stands in `direction`, above the bounds, and the gradient with it; begin anew from there."""
    for i in range(its.y.shape[0]):
        before = its.y[i]
        its.y[i] = max(its.direction[i], 0.0)
        its.direction[i] = its.y[i] - before
    _multiply_scaled(operator, its.direction, its, its.product)
    for i in range(its.y.shape[0]):
        its.gradient[i] += its.product[i]
    _restart(its)


@kernel
def _activate(operator: Operator, its: Iterates) -> bool:
    """A step that makes inactive contacts active where their gradient asks for it; False when nothing ends it."""
    energy, square = 0.0, 0.0
    for i in range(its.y.shape[0]):
        its.direction[i] = min(its.gradient[i], 0.0) if its.y[i] <= 0.0 else 0.0
        square += its.direction[i] ** 2
    _multiply_scaled(operator, its.direction, its, its.product)
    for i in range(its.y.shape[0]):
        energy += its.direction[i] * its.product[i]
    if not energy > _FLAT * square:
        return False
    length = square / energy
    for i in range(its.y.shape[0]):
        its.y[i] -= length * its.direction[i]
        its.gradient[i] -= length * its.product[i]
    _restart(its)
    return True


@kernel
def _is_unbounded(b: Floats, its: Iterates) -> bool:
    """Whether the direction, which is flat and opens no bound, leads down along b: then there is no solution."""
    fall, length, size = 0.0, 0.0, 0.0
    for i in range(b.shape[0]):
        fall += its.direction[i] * its.scale[i] * b[i]
        length += its.direction[i] ** 2
        size += (its.scale[i] * b[i]) ** 2
    return fall > _FALLING * math.sqrt(length * size)
