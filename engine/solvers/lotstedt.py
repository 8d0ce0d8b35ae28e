"""Lötstedt's friction: bounds from the last step's normal forces f̃_n, so that min ½ fᵀ A f + bᵀ f is all there is left.

With w = A f + b, A symmetric and positive semi-definite, a contact that does not slip obeys (Baraff 1992, 14-9)

    0 <= f_n ⟂ w_n >= 0,   -mu f̃_n <= f_x <= mu f̃_n,   w_x = 0 or f_x at the bound that opposes w_x,   and f_y alike;

one that slips has f_t = -mu f̃_n v_t / |v_t|, a known force. These are the conditions of the convex quadratic program
(14-10, with the mu that its upper bounds lack in print); they always have a solution when A and b come from contacts.
Neither friction nor the axes x and y know of each other, and friction follows the normal forces a step behind.

Solved by Lemke's algorithm on the program's conditions: with g = f_x + mu f̃_n >= 0 and the pressure p >= 0 of its upper
bound, 0 <= g ⟂ w_x + p >= 0 and 0 <= p ⟂ 2 mu f̃_n - g >= 0.
"""

from __future__ import annotations

import math

import numpy as np

from engine.arrays import Floats
from engine.kernel import array_kernel, kernel
from engine.solvers.lemke import solve_lemke
from engine.solvers.linear import is_finite, is_finite_matrix, largest_entry, multiply_add, not_finite
from engine.solvers.solution import INFEASIBLE, RAY, SINGULAR, SOLVED, Solution, Trace, no_trace, note_iteration


@array_kernel
def solve_lotstedt(
    A: Floats, b: Floats, mu: Floats, slip: Floats, before: Floats, tolerance: float, limit: int, trace: Trace
) -> Solution:
    """A (3 m, 3 m), b (3 m,), mu (m,), slip (m, 2) [m/s], `before` (m,): f̃_n of the last step, not negative.

    A contact sticks where its slip is exactly zero. The residual is that of (14-9): ‖f - P(f - w)‖∞ / (1 + ‖b‖∞), with
    P onto the bounds. The trace receives the solution only: pivots are those of another problem.
    """
    m = mu.shape[0]
    finite = is_finite_matrix(A) and is_finite(b) and is_finite(mu) and is_finite_matrix(slip) and is_finite(before)
    if not finite:
        return not_finite(b, 0)
    low, high = np.zeros(3 * m), np.full(3 * m, np.inf)
    for k in range(m):
        _fill_bounds(k, mu[k] * before[k], slip[k, 0], slip[k, 1], low, high)
    free = np.flatnonzero(low < high)
    bounded = np.flatnonzero((low < high) & (high < np.inf))
    w = np.zeros(3 * m)
    multiply_add(A, low, b, w)
    n, size = free.shape[0], free.shape[0] + bounded.shape[0]
    M, q, cover = np.zeros((size, size)), np.zeros(size), np.ones(size)
    for i in range(n):
        q[i] = w[free[i]]
        for j in range(n):
            M[i, j] = A[free[i], free[j]]
        if M[i, i] > 0.0:
            cover[i] = math.sqrt(M[i, i])
    place = np.searchsorted(free, bounded)
    for k in range(bounded.shape[0]):
        M[place[k], n + k], M[n + k, place[k]] = 1.0, -1.0
        q[n + k] = high[bounded[k]] - low[bounded[k]]
    inner = solve_lemke(M, q, cover, False, tolerance, limit, no_trace())
    x = low.copy()
    if inner.status != RAY:
        for i in range(n):
            x[free[i]] = min(low[free[i]] + inner.x[i], high[free[i]])
    multiply_add(A, x, b, w)
    residual = bounds_residual(x, w, b, low, high)
    note_iteration(trace, x, w, residual, -1)
    status = inner.status
    if status == RAY:
        status = INFEASIBLE
    elif status == SOLVED and residual > tolerance:
        status = SINGULAR
    return Solution(x, w, status, residual, inner.iterations)


@kernel
def _fill_bounds(k: int, most: float, slip_x: float, slip_y: float, low: Floats, high: Floats) -> None:
    """Bounds of the friction of contact k: between -most and most, or what dynamic friction is."""
    speed = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    for axis in range(2):
        if speed > 0.0:
            low[3 * k + 1 + axis] = -most * (slip_x if axis == 0 else slip_y) / speed
            high[3 * k + 1 + axis] = low[3 * k + 1 + axis]
        else:
            low[3 * k + 1 + axis] = -most
            high[3 * k + 1 + axis] = most


@kernel
def bounds_residual(x: Floats, w: Floats, b: Floats, low: Floats, high: Floats) -> float:
    """‖x - P(x - w)‖∞ / (1 + ‖b‖∞) with P onto low <= x <= high; (n,) each."""
    worst = 0.0
    for i in range(x.shape[0]):
        worst = max(worst, abs(x[i] - min(max(x[i] - w[i], low[i]), high[i])))
    return worst / (1.0 + largest_entry(b))
