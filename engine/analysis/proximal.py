"""Proximal points: a method that is stopped by rounding solves problems near its own, which are not singular.

Wedged contacts may need forces a million times what they hold. To rounding A then is singular in places where the
problem is not, or has eigenvalues below 0, and a method that is exact in theory ends at a set of contacts that is not
the right one, or on a ray. But each of the problems

    w = A x + e D (x - x_k) + b >= 0,   x >= 0,   x · w = 0,   D = diag(A),

has one solution x_k+1, for e larger than the rounding of A. From any x_0 these go to a solution of the problem without
e, and as they come to rest e D (x - x_k) vanishes, which is all that is wrong with them (Rockafellar 1976; Cottle, Pang
and Stone 1992, sec. 5.6). They get there in a few steps when e is halved on the way. It is one method that solves them
all: who calls says which.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.arrays import Floats
from engine.solvers.solution import ITERATION_LIMIT, NOT_FINITE, SOLVED, Solution, lcp_residual

STEPS = 12
"""Proximal points after which it ends; half of them are enough."""

ON_THE_WAY = 0.5
"""A point that is good enough is followed by another while each brings the residual down to this share [1]: forces so
large make of a small residual a large error in w."""

Solve = Callable[[Floats, Floats, Floats], Solution]
"""A method: matrix (m, m), vector (m,), and the last point (m,), whose contacts are a good guess; to a Solution."""


def solve_by_proximal_points(A: Floats, b: Floats, share: float, tolerance: float, solve: Solve) -> Solution:
    """The best of the points for A (m, m), b (m,) and e = `share`; SOLVED where its residual is at most `tolerance`."""
    weight = share * np.where(np.diag(A) > 0.0, np.diag(A), 1.0)
    x = np.zeros(len(b))
    best = Solution(x, b.copy(), ITERATION_LIMIT, lcp_residual(x, b, b), 0)
    pivots = 0
    for _ in range(STEPS):
        solution = solve(A + np.diag(weight), b - weight * x, x)
        pivots += solution.iterations
        if solution.status == NOT_FINITE:
            break
        x = solution.x
        w = A @ x + b
        residual, before = lcp_residual(x, w, b), best.residual
        if residual < before:
            best = Solution(x, w, ITERATION_LIMIT, residual, pivots)
        if best.residual <= tolerance and residual > ON_THE_WAY * before:
            break
        weight = 0.5 * weight
    return best._replace(status=SOLVED if best.residual <= tolerance else ITERATION_LIMIT, iterations=pivots)
