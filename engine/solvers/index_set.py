"""An index set F with the Cholesky factor of A on it: indices come and go one by one, and nothing is factored anew.

RᵀR = A_FF, R upper triangular. A new index is a new last column of R; one that leaves takes its column along, and what
its row held is rotated into the rows after it: an update by adding, which is stable (Golub and Van Loan 2013, 6.5.4).
"""

from __future__ import annotations

from math import hypot, sqrt
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.kernel import array_kernel, kernel


class IndexSet(NamedTuple):
    """F, a subset of 0..n-1, in the order in which its members came."""

    R: Floats
    """(n, n) the factor in its first rows and columns."""
    order: Ints
    """(n,) the members first."""
    position: Ints
    """(n,) where each index stands in `order`; -1 for those outside."""
    members: Ints
    """(1,) how many members."""
    row: Floats
    """(n,) memory of `remove_index`."""


@array_kernel
def make_index_set(n: int, most: int) -> IndexSet:
    """The empty set of indices below n, with room for `most` members."""
    order, position = np.zeros(most, np.int64), np.full(n, -1, np.int64)
    return IndexSet(np.zeros((most, most)), order, position, np.zeros(1, np.int64), np.zeros(most))


@kernel
def solve_lower(F: IndexSet, v: Floats) -> None:
    """v = R⁻ᵀ v."""
    R, count = F.R, F.members[0]
    for i in range(count):
        v[i] /= R[i, i]
        factor = v[i]
        for j in range(i + 1, count):
            v[j] -= R[i, j] * factor


@kernel
def solve_upper(F: IndexSet, v: Floats) -> None:
    """v = R⁻¹ v; the sums in four parts, which a processor adds at once."""
    R, count = F.R, F.members[0]
    for i in range(count - 1, -1, -1):
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        quads = i + 1 + (count - i - 1) // 4 * 4
        for j in range(i + 1, quads, 4):
            a += R[i, j] * v[j]
            b += R[i, j + 1] * v[j + 1]
            c += R[i, j + 2] * v[j + 2]
            d += R[i, j + 3] * v[j + 3]
        for j in range(quads, count):
            a += R[i, j] * v[j]
        v[i] = (v[i] - (a + b + (c + d))) / R[i, i]


@kernel
def solve_both(F: IndexSet, v: Floats) -> None:
    """v = A_FF⁻¹ v, in the order of the set."""
    solve_lower(F, v)
    solve_upper(F, v)


@kernel
def schur_complement(F: IndexSet, column: Floats, diagonal: float) -> float:
    """What is left of A_kk beside F, given R⁻ᵀ A_Fk in `column`: 0 where row k depends on those of F."""
    rest = diagonal
    for i in range(F.members[0]):
        rest -= column[i] * column[i]
    return rest


@kernel
def add_index(F: IndexSet, k: int, column: Floats, rest: float) -> None:
    """k joins, given R⁻ᵀ A_Fk in `column` and its Schur complement `rest` > 0."""
    count = F.members[0]
    for i in range(count):
        F.R[i, count] = column[i]
    F.R[count, count] = sqrt(rest)
    F.order[count] = k
    F.position[k] = count
    F.members[0] = count + 1


@kernel
def remove_index(F: IndexSet, k: int) -> None:
    """k leaves."""
    R, row = F.R, F.row
    place, last = F.position[k], F.members[0] - 1
    for j in range(place, last):
        row[j] = R[place, j + 1]
        F.order[j] = F.order[j + 1]
        F.position[F.order[j]] = j
    for i in range(place):
        for j in range(place, last):
            R[i, j] = R[i, j + 1]
    for i in range(place, last):
        below, beside = R[i + 1, i + 1], row[i]
        length = hypot(below, beside)
        c, s = below / length, beside / length
        R[i, i] = length
        for j in range(i + 1, last):
            kept, moved = R[i + 1, j + 1], row[j]
            R[i, j] = c * kept + s * moved
            row[j] = c * moved - s * kept
    F.position[k] = -1
    F.members[0] = last
