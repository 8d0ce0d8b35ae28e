"""Symmetric matrices whose rows begin late: factored in place as L D L^T (Jennings 1966), nothing to the left filled.

Rows first .. first + count - 1 are one matrix; its entry of row i and an earlier or the same row j stands at
values[skyline[i, OFFSET] + j], from j = skyline[i, START] on. Where joints say the same twice a matrix is singular: a
tiny part of the diagonal is added, and whoever solves takes the result's residual and solves again. What comes of that
is, but for rounding, the solution of least norm, by the diagonal.
"""

from __future__ import annotations

from engine.arrays import Floats, Ints
from engine.kernel import kernel
from engine.maths.rounding import QUOTIENT

# Columns of a skyline, int64 (rows, SKYLINE_WIDTH).
START = 0  # first column that is not zero, the diagonal at the latest
OFFSET = 1  # the entry of this row and column j stands at OFFSET + j
SKYLINE_WIDTH = 2

REGULAR = 8.0 * QUOTIENT
"""What is added to the diagonal, as a part of it [1]: more than rounding leaves where it should leave nothing."""


@kernel
def factor_skyline(skyline: Ints, values: Floats, first: int, count: int) -> None:
    """L below the diagonal, the inverse of D on it, in the place of the matrix."""
    for i in range(first, first + count):
        row, start = skyline[i, OFFSET], skyline[i, START]
        for j in range(start, i):
            other = skyline[j, OFFSET]
            begin = max(start, skyline[j, START])
            values[row + j] -= _product(values, row + begin, other + begin, j - begin)
        own = values[row + i]
        d = (1.0 + REGULAR) * own
        for j in range(start, i):
            s = values[row + j]
            values[row + j] = s * values[skyline[j, OFFSET] + j]
            d -= s * values[row + j]
        # What rounding takes below that is a row that others imply.
        d = max(d, REGULAR * own)
        values[row + i] = 1.0 / d if d > 0.0 else 0.0


@kernel
def _product(values: Floats, a: int, b: int, count: int) -> float:
    """Scalar product of values[a ..] and values[b ..]: four sums, so that additions need not wait for each other."""
    s0 = s1 = s2 = s3 = 0.0
    k = 0
    while k + 4 <= count:
        s0 += values[a + k] * values[b + k]
        s1 += values[a + k + 1] * values[b + k + 1]
        s2 += values[a + k + 2] * values[b + k + 2]
        s3 += values[a + k + 3] * values[b + k + 3]
        k += 4
    while k < count:
        s0 += values[a + k] * values[b + k]
        k += 1
    return (s0 + s1) + (s2 + s3)


@kernel
def solve_skyline(skyline: Ints, values: Floats, first: int, count: int, x: Floats, column: int) -> None:
    """Solve with a factored matrix; column `column` of x, by row, holds the right side, then the solution."""
    for i in range(first, first + count):
        row = skyline[i, OFFSET]
        s = x[i, column]
        for k in range(skyline[i, START], i):
            s -= values[row + k] * x[k, column]
        x[i, column] = s
    for i in range(first, first + count):
        x[i, column] *= values[skyline[i, OFFSET] + i]
    for i in range(first + count - 1, first - 1, -1):
        row = skyline[i, OFFSET]
        s = x[i, column]
        for k in range(skyline[i, START], i):
            x[k, column] -= values[row + k] * s
