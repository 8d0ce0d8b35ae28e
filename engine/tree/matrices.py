"""Small matrices of trees as tuples: turns, and symmetric ones."""

from __future__ import annotations

from engine.arrays import Floats
from engine.collision.narrow.frames import Matrix
from engine.kernel import kernel
from engine.maths.quaternions import Quat, normalize
from engine.maths.vectors import Vec3

Symmetric = tuple[float, float, float, float, float, float]
"""xx, yy, zz, yz, xz, xy."""


@kernel
def product(a: Matrix, b: Matrix) -> Matrix:
    """a b."""
    return (
        a[0] * b[0] + a[1] * b[3] + a[2] * b[6],
        a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
        a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[3] + a[5] * b[6],
        a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
        a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[3] + a[8] * b[6],
        a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
        a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
    )


@kernel
def matrix_at(table: Floats, row: int, column: int) -> Matrix:
    """The matrix that begins at a column of a table, rows first."""
    return (
        table[row, column],
        table[row, column + 1],
        table[row, column + 2],
        table[row, column + 3],
        table[row, column + 4],
        table[row, column + 5],
        table[row, column + 6],
        table[row, column + 7],
        table[row, column + 8],
    )


@kernel
def put(table: Floats, row: int, column: int, v: Vec3) -> None:
    """Write a vector where `vector_at` reads it."""
    table[row, column], table[row, column + 1], table[row, column + 2] = v[0], v[1], v[2]


@kernel
def symmetric_at(table: Floats, row: int, column: int) -> Symmetric:
    """The symmetric matrix that begins at a column of a table."""
    return (
        table[row, column],
        table[row, column + 1],
        table[row, column + 2],
        table[row, column + 3],
        table[row, column + 4],
        table[row, column + 5],
    )


@kernel
def times(k: Symmetric, v: Vec3) -> Vec3:
    """k v."""
    return (
        k[0] * v[0] + k[5] * v[1] + k[4] * v[2],
        k[5] * v[0] + k[1] * v[1] + k[3] * v[2],
        k[4] * v[0] + k[3] * v[1] + k[2] * v[2],
    )


@kernel
def less_square(k: Symmetric, v: Vec3, s: float) -> Symmetric:
    """k - s v v^T."""
    x, y, z = s * v[0], s * v[1], s * v[2]
    return (
        k[0] - x * v[0],
        k[1] - y * v[1],
        k[2] - z * v[2],
        k[3] - y * v[2],
        k[4] - x * v[2],
        k[5] - x * v[1],
    )


@kernel
def quat_of(m: Matrix) -> Quat:
    """The unit quaternion of a rotation matrix (Shepperd 1978)."""
    trace = m[0] + m[4] + m[8]
    if trace >= max(m[0], m[4], m[8]):
        return normalize((1.0 + trace, m[7] - m[5], m[2] - m[6], m[3] - m[1]))
    if m[0] >= max(m[4], m[8]):
        return normalize((m[7] - m[5], 1.0 + m[0] - m[4] - m[8], m[1] + m[3], m[2] + m[6]))
    if m[4] >= m[8]:
        return normalize((m[2] - m[6], m[1] + m[3], 1.0 + m[4] - m[0] - m[8], m[5] + m[7]))
    return normalize((m[3] - m[1], m[2] + m[6], m[5] + m[7], 1.0 + m[8] - m[0] - m[4]))
