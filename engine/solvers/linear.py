"""Linear algebra that solvers share: products, checks, and LU with refinement in given memory."""

from __future__ import annotations

import numpy as np

from engine.arrays import Floats, Ints
from engine.kernel import array_kernel, kernel
from engine.maths.rounding import LARGEST
from engine.solvers.solution import NOT_FINITE, Solution


@kernel
def is_finite(v: Floats) -> bool:
    """Whether v, (n,), holds no NaN, no infinity and nothing too large to be multiplied."""
    good = True
    for k in range(v.shape[0]):
        good = good and abs(v[k]) <= LARGEST
    return good


@kernel
def is_finite_matrix(A: Floats) -> bool:
    """The same of a matrix."""
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            if not abs(A[i, j]) <= LARGEST:
                return False
    return True


@array_kernel
def not_finite(b: Floats, iterations: int) -> Solution:
    """The solution returned where the input, or what became of it, is not finite."""
    n = b.shape[0]
    return Solution(np.zeros(n), b.copy(), NOT_FINITE, np.inf, iterations)


@kernel
def multiply_add(A: Floats, x: Floats, b: Floats, w: Floats) -> None:
    """w = A x + b, all given; zeros in x cost nothing to compare."""
    for i in range(A.shape[0]):
        total = b[i]
        for j in range(A.shape[1]):
            if x[j] != 0.0:
                total += A[i, j] * x[j]
        w[i] = total


@kernel
def largest_entry(v: Floats) -> float:
    """‖v‖∞, 0 of nothing."""
    largest = 0.0
    for k in range(v.shape[0]):
        largest = max(largest, abs(v[k]))
    return largest


@kernel
def factor_lu(A: Floats, f: int, rows: Ints) -> bool:
    """A[:f, :f] = P⁻¹ L U in place with partial pivoting; `rows` receives where each row came from. False: singular."""
    for k in range(f):
        rows[k] = k
    for k in range(f):
        best = k
        for i in range(k + 1, f):
            if abs(A[i, k]) > abs(A[best, k]):
                best = i
        if not abs(A[best, k]) > 0.0:
            return False
        if best != k:
            rows[k], rows[best] = rows[best], rows[k]
            for j in range(f):
                A[k, j], A[best, j] = A[best, j], A[k, j]
        for i in range(k + 1, f):
            factor = A[i, k] / A[k, k]
            A[i, k] = factor
            if factor != 0.0:
                for j in range(k + 1, f):
                    A[i, j] -= factor * A[k, j]
    return True


@kernel
def solve_lu(A: Floats, f: int, rows: Ints, v: Floats, y: Floats) -> None:
    """y[:f]: the solution of the matrix behind `factor_lu` times y = v[:f]."""
    for i in range(f):
        total = v[rows[i]]
        for j in range(i):
            total -= A[i, j] * y[j]
        y[i] = total
    for i in range(f - 1, -1, -1):
        total = y[i]
        for j in range(i + 1, f):
            total -= A[i, j] * y[j]
        y[i] = total / A[i, i]
