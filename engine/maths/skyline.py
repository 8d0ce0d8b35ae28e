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
from engine.simd import PRODUCTS, row_products

# Columns of a skyline, int64 (rows, SKYLINE_WIDTH).
START = 0  # first column that is not zero, the diagonal at the latest
OFFSET = 1  # the entry of this row and column j stands at OFFSET + j
SKYLINE_WIDTH = 2

REGULAR = 8.0 * QUOTIENT
"""What is added to the diagonal, as a part of it [1]: more than rounding leaves where it should leave nothing."""


@kernel
def factor_skyline(skyline: Ints, values: Floats, first: int, count: int) -> None:
    """L below the diagonal, the inverse of D on it, in the place of the matrix.

    Rows that begin alike, as those of a body do, are taken together.
    """
    end = first + count
    i = first
    while i < end:
        rows = 1
        while rows < PRODUCTS and i + rows < end and skyline[i + rows, START] == skyline[i, START]:
            rows += 1
        _reduce_rows(skyline, values, i, rows)
        for r in range(i, i + rows):
            _finish_row(skyline, values, r, i)
        i += rows


@kernel
def _reduce_rows(skyline: Ints, values: Floats, i: int, rows: int) -> None:
    """Take from rows i .. i + rows - 1, which begin alike, what earlier rows have of them."""
    start = skyline[i, START]
    last = rows - 1
    a, b = skyline[i, OFFSET], skyline[i + min(1, last), OFFSET]
    c, d = skyline[i + min(2, last), OFFSET], skyline[i + min(3, last), OFFSET]
    e, f = skyline[i + min(4, last), OFFSET], skyline[i + last, OFFSET]
    for j in range(start, i):
        begin = max(start, skyline[j, START])
        places = (a + begin, b + begin, c + begin, d + begin, e + begin, f + begin)
        p = row_products(values, places, skyline[j, OFFSET] + begin, j - begin)
        values[a + j] -= p[0]
        if rows > 1:
            values[b + j] -= p[1]
        if rows > 2:
            values[c + j] -= p[2]
        if rows > 3:
            values[d + j] -= p[3]
        if rows > 4:
            values[e + j] -= p[4]
        if rows > 5:
            values[f + j] -= p[5]


@kernel
def _finish_row(skyline: Ints, values: Floats, i: int, begun: int) -> None:
    """Take from row i what rows from `begun` on have of it, and divide it by the diagonal."""
    row, start = skyline[i, OFFSET], skyline[i, START]
    for j in range(begun, i):
        other = skyline[j, OFFSET]
        values[row + j] -= _product(values, row + start, other + start, j - start)
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
