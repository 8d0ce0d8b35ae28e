"""Friction that is always dynamic: w = A f + b with f_t = -mu f_n v_t / max(|v_t|, ε) in every contact, by Lemke.

A contact has three unknowns (normal, tangent, tangent) and a slip velocity v_t. Where |v_t| >= ε, that is Coulomb's
dynamic friction (Baraff 1992, 9-5); where it is slower, friction grows with the slip, and stands for static friction
at the cost of a crawl (sec. 14.2.2, 14-12). Either way it is known but for f_n, and what is left is

    0 <= f_n ⟂ w_n = (A_nn + A_nt D) f_n + b_n >= 0,        f_t = D f_n,

an LCP that is neither symmetric nor, for much friction, positive semi-definite: there may be several solutions, or
none (chapter 10). Lemke's algorithm finds a solution, or a ray of contact impulses z >= 0 with (A z)_n,i <= 0 wherever
z_n,i > 0 (13-1), some at a contact with friction (appendix B). In space it is valid for directions that do not turn.
"""

from __future__ import annotations

import math

import numpy as np

from engine.arrays import Floats
from engine.kernel import array_kernel, kernel
from engine.solvers.lemke import solve_lemke
from engine.solvers.linear import is_finite, is_finite_matrix, multiply_add, not_finite
from engine.solvers.solution import RAY, Solution, Trace


@array_kernel
def solve_dynamic_friction(
    A: Floats, b: Floats, mu: Floats, slip: Floats, epsilon: float, tolerance: float, limit: int, trace: Trace
) -> Solution:
    """A (3 m, 3 m), b (3 m,), mu (m,), slip (m, 2) [m/s], epsilon [m/s] > 0; x holds all three forces a contact.

    Where the status is RAY, x is the ray and w = A x the change of velocity by it. The residual is that of the LCP, and
    the trace sees only the normal forces, (m,).
    """
    m = mu.shape[0]
    if not (is_finite_matrix(A) and is_finite(b) and is_finite(mu) and is_finite_matrix(slip)):
        return not_finite(b, 0)
    M, q, cover = np.zeros((m, m)), np.zeros(m), np.ones(m)
    fill_normal_problem(A, b, mu, slip, epsilon, M, q)
    for j in range(m):
        if A[3 * j, 3 * j] > 0.0:
            cover[j] = math.sqrt(A[3 * j, 3 * j])
    normal = solve_lemke(M, q, cover, False, tolerance, limit, trace)
    x, w = np.zeros(3 * m), np.zeros(3 * m)
    for j in range(m):
        dx, dy = friction_direction(mu[j], slip[j, 0], slip[j, 1], epsilon)
        x[3 * j] = normal.x[j]
        x[3 * j + 1], x[3 * j + 2] = dx * normal.x[j], dy * normal.x[j]
    multiply_add(A, x, np.zeros(3 * m) if normal.status == RAY else b, w)
    return Solution(x, w, normal.status, normal.residual, normal.iterations)


@kernel
def fill_normal_problem(A: Floats, b: Floats, mu: Floats, slip: Floats, epsilon: float, M: Floats, q: Floats) -> None:
    """Write the LCP in f_n alone: M = A_nn + A_nt D, (m, m), and q = b_n, (m,)."""
    for j in range(mu.shape[0]):
        dx, dy = friction_direction(mu[j], slip[j, 0], slip[j, 1], epsilon)
        for i in range(mu.shape[0]):
            M[i, j] = A[3 * i, 3 * j] + A[3 * i, 3 * j + 1] * dx + A[3 * i, 3 * j + 2] * dy
        q[j] = b[3 * j]


@kernel
def friction_direction(mu: float, slip_x: float, slip_y: float, epsilon: float) -> tuple[float, float]:
    """f_t / f_n of dynamic friction, weakened below the speed epsilon (Baraff 1992, 9-5 and 14-12)."""
    share = -mu / max(math.sqrt(slip_x * slip_x + slip_y * slip_y), epsilon)
    return share * slip_x, share * slip_y
