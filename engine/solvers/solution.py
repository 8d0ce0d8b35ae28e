"""What every solver returns, how good it is, and what a solver may write down on its way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.kernel import array_kernel, kernel

SOLVED = 0
"""All conditions of the problem hold to the tolerance that was asked for."""
RAY = 1
"""No solution was found, but a direction in which x may grow without bound: x is that ray (Baraff 1992, 13-1)."""
INFEASIBLE = 2
"""Proved to have no solution."""
ITERATION_LIMIT = 3
"""The best x that the allowed iterations reached; `residual` says how good it is."""
SINGULAR = 4
"""The method met a matrix that it cannot divide by; x is the best so far."""
NOT_FINITE = 5
"""The input, or what became of it, holds NaN or infinity; x is zero."""

STATUS_NAMES = ("solved", "ray", "infeasible", "iteration limit", "singular", "not finite")
"""Status codes in words for people."""


class Solution(NamedTuple):
    """A solution of w = A x + b under a solver's own conditions on x and w."""

    x: Floats
    """(n,) forces, impulses or whatever is unknown; (n,) a ray when status is RAY."""
    w: Floats
    """(n,) A x + b: accelerations or velocities at the contacts."""
    status: int
    """One of the codes of this file."""
    residual: float
    """How far the conditions are from holding: of an LCP ‖min(x, w)‖∞ / (1 + ‖b‖∞)."""
    iterations: int
    """Pivots or sweeps."""


class Trace(NamedTuple):
    """Where a solver writes one row an iteration, for people who want to watch it; rows beyond the last are dropped.

    Solvers take it as their last argument, always: `no_trace()` has no rows and costs one comparison an iteration.
    """

    x: Floats
    """(rows, n) the iterate."""
    w: Floats
    """(rows, n) A x + b of the iterate."""
    residual: Floats
    """(rows,) measured as in Solution."""
    driven: Ints
    """(rows,) the unknown that a pivot drives or exchanges; -1 for a sweep over all."""
    rows: Ints
    """(1,) rows written."""


@array_kernel
def make_trace(rows: int, n: int) -> Trace:
    """Room for `rows` iterations on `n` unknowns."""
    return Trace(
        np.zeros((rows, n)), np.zeros((rows, n)), np.zeros(rows), np.full(rows, -1), np.zeros(1, dtype=np.int64)
    )


@array_kernel
def no_trace() -> Trace:
    """A trace that keeps nothing."""
    return make_trace(0, 0)


@kernel
def note_iteration(trace: Trace, x: Floats, w: Floats, residual: float, driven: int) -> None:
    """Write an iterate into the next row of a trace that has one."""
    row = trace.rows[0]
    if row < trace.residual.shape[0]:
        for k in range(x.shape[0]):
            trace.x[row, k] = x[k]
            trace.w[row, k] = w[k]
        trace.residual[row] = residual
        trace.driven[row] = driven
        trace.rows[0] = row + 1


@kernel
def lcp_residual(x: Floats, w: Floats, b: Floats) -> float:
    """‖min(x, w)‖∞ / (1 + ‖b‖∞) of 0 <= x ⟂ w = A x + b >= 0; (n,) each."""
    worst = 0.0
    scale = 0.0
    for k in range(x.shape[0]):
        worst = max(worst, abs(min(x[k], w[k])))
        scale = max(scale, abs(b[k]))
    return worst / (1.0 + scale)
