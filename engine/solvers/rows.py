"""A matrix by rows, dense or sparse, so that methods are written once for both."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.kernel import array_kernel, kernel


class Rows(NamedTuple):
    """m rows; row k is `values[starts[k] : starts[k + 1]]`."""

    values: Floats
    """(entries,) row after row."""
    columns: Ints
    """(entries,) the column of each; (0,) when dense, where a row has every column in order."""
    starts: Ints
    """(m + 1,) where rows begin, and where the last ends."""


@array_kernel
def dense_rows(A: Floats) -> Rows:
    """All of A, (m, n), copied."""
    m, n = A.shape
    values = np.empty(m * n)
    starts = np.empty(m + 1, np.int64)
    for k in range(m):
        starts[k] = k * n
        for j in range(n):
            values[k * n + j] = A[k, j]
    starts[m] = m * n
    return Rows(values, np.empty(0, np.int64), starts)


@array_kernel
def sparse_rows(A: Floats) -> Rows:
    """The entries of A, (m, n), that are not 0. At least one entry is kept, so that it is not taken for dense."""
    m, n = A.shape
    count = 0
    for k in range(m):
        for j in range(n):
            count += 1 if A[k, j] != 0.0 else 0
    values, columns = np.zeros(max(count, 1)), np.zeros(max(count, 1), np.int64)
    starts = np.zeros(m + 1, np.int64)
    count = 0
    for k in range(m):
        for j in range(n):
            if A[k, j] != 0.0:
                values[count] = A[k, j]
                columns[count] = j
                count += 1
        starts[k + 1] = count
    return Rows(values, columns, starts)


@kernel
def add_row(rows: Rows, k: int, factor: float, v: Floats) -> None:
    """v += factor times row k."""
    begin, end = rows.starts[k], rows.starts[k + 1]
    if rows.columns.shape[0] == 0:
        for j in range(end - begin):
            v[j] += factor * rows.values[begin + j]
    else:
        for e in range(begin, end):
            v[rows.columns[e]] += factor * rows.values[e]


@kernel
def dot_row(rows: Rows, k: int, v: Floats) -> float:
    """Row k times v; dense in four sums, which a processor adds at once."""
    begin, end = rows.starts[k], rows.starts[k + 1]
    total = 0.0
    if rows.columns.shape[0] > 0:
        for e in range(begin, end):
            total += rows.values[e] * v[rows.columns[e]]
        return total
    a, b, c = 0.0, 0.0, 0.0
    quads = (end - begin) // 4 * 4
    for j in range(0, quads, 4):
        total += rows.values[begin + j] * v[j]
        a += rows.values[begin + j + 1] * v[j + 1]
        b += rows.values[begin + j + 2] * v[j + 2]
        c += rows.values[begin + j + 3] * v[j + 3]
    for j in range(quads, end - begin):
        total += rows.values[begin + j] * v[j]
    return total + a + (b + c)


@kernel
def multiply_rows(rows: Rows, v: Floats, out: Floats) -> None:
    """out = A v."""
    for k in range(out.shape[0]):
        out[k] = dot_row(rows, k, v)


@kernel
def pick_row(rows: Rows, k: int, order: Ints, position: Ints, count: int, out: Floats) -> None:
    """out[i]: the entry of row k in column order[i], i < count; `position` is the inverse of `order`, -1 outside."""
    begin, end = rows.starts[k], rows.starts[k + 1]
    if rows.columns.shape[0] == 0:
        for i in range(count):
            out[i] = rows.values[begin + order[i]]
        return
    for i in range(count):
        out[i] = 0.0
    for e in range(begin, end):
        place = position[rows.columns[e]]
        if place >= 0:
            out[place] = rows.values[e]


@kernel
def diagonal_entry(rows: Rows, k: int) -> float:
    """A_kk."""
    begin, end = rows.starts[k], rows.starts[k + 1]
    if rows.columns.shape[0] == 0:
        return rows.values[begin + k]
    for e in range(begin, end):
        if rows.columns[e] == k:
            return rows.values[e]
    return 0.0
