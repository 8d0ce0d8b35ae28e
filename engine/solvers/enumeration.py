"""Enumeration: x >= 0, w = A x + b >= 0, x · w = 0 for any small square A, by trying every index set.

If the problem has a solution it has a basic one: x is A_LL⁻¹ (-b_L) on an index set L with A_LL regular, and 0 outside
(Baraff 1992, sec. 8.2). There are 2ⁿ index sets; with dynamic friction nothing that is certain to be quicker is known,
since the question whether there is a solution is NP-complete (chapter 11).
"""

from __future__ import annotations

import numpy as np

from engine.arrays import Floats, Ints
from engine.kernel import array_kernel, kernel
from engine.solvers.linear import factor_lu, is_finite, is_finite_matrix, multiply_add, not_finite, solve_lu
from engine.solvers.solution import (
    INFEASIBLE,
    ITERATION_LIMIT,
    SOLVED,
    Solution,
    Trace,
    lcp_residual,
    note_iteration,
)


@array_kernel
def solve_enumeration(A: Floats, b: Floats, tolerance: float, limit: int, trace: Trace) -> Solution:
    """The first solution in the order of binary numbers, contact 0 being the lowest digit: A (n, n), b (n,).

    INFEASIBLE when none of the 2ⁿ index sets has a residual of at most `tolerance`; ITERATION_LIMIT when `limit` of
    them were tried and more are left; x is then the best of them.
    """
    n = b.shape[0]
    if not (is_finite_matrix(A) and is_finite(b)):
        return not_finite(b, 0)
    x, w, best = np.zeros(n), np.zeros(n), np.zeros(n)
    B, right, y = np.zeros((n, n)), np.zeros(n), np.zeros(n)
    members, rows = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    least = np.inf
    sets = 2.0**n
    tried = 0
    while tried < min(sets, float(limit)) and least > tolerance:
        if _solve_set(A, b, tried, members, rows, B, right, y, x):
            multiply_add(A, x, b, w)
            residual = lcp_residual(x, w, b)
            note_iteration(trace, x, w, residual, -1)
            if residual < least:
                least = residual
                best[:] = x
        tried += 1
    multiply_add(A, best, b, w)
    status = SOLVED if least <= tolerance else INFEASIBLE if tried >= sets else ITERATION_LIMIT
    return Solution(best, w, status, lcp_residual(best, w, b), tried)


@kernel
def _solve_set(
    A: Floats, b: Floats, digits: int, members: Ints, rows: Ints, B: Floats, right: Floats, y: Floats, x: Floats
) -> bool:
    """x of one index set, given by the digits of a binary number; False where A is singular on it."""
    size = 0
    for i in range(b.shape[0]):
        x[i] = 0.0
        if digits >> i & 1:
            members[size] = i
            right[size] = -b[i]
            size += 1
    for i in range(size):
        for j in range(size):
            B[i, j] = A[members[i], members[j]]
    if not factor_lu(B, size, rows):
        return False
    solve_lu(B, size, rows, right, y)
    for i in range(size):
        x[members[i]] = y[i]
    return is_finite(x)
