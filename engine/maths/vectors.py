"""Three-vectors as tuples of floats: they live in registers, so no kernel allocates for them."""

from __future__ import annotations

from math import sqrt

from engine.arrays import Floats
from engine.kernel import kernel

Vec3 = tuple[float, float, float]


@kernel
def add(a: Vec3, b: Vec3) -> Vec3:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel
def sub(a: Vec3, b: Vec3) -> Vec3:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def scale(a: Vec3, s: float) -> Vec3:
    return (a[0] * s, a[1] * s, a[2] * s)


@kernel
def add_scaled(a: Vec3, b: Vec3, s: float) -> Vec3:
    """a + s b."""
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


@kernel
def dot(a: Vec3, b: Vec3) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a: Vec3, b: Vec3) -> Vec3:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel
def norm(a: Vec3) -> float:
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@kernel
def any_perpendicular(n: Vec3) -> Vec3:
    """A unit vector perpendicular to the unit vector n, chosen without a branch near the axes' diagonals."""
    if 3.0 * n[0] * n[0] < 1.0:
        s = 1.0 / sqrt(n[1] * n[1] + n[2] * n[2])
        return (0.0, n[2] * s, -n[1] * s)
    s = 1.0 / sqrt(n[0] * n[0] + n[1] * n[1])
    return (n[1] * s, -n[0] * s, 0.0)


@kernel
def point_velocity(v: Vec3, w: Vec3, r: Vec3) -> Vec3:
    """Velocity of a point of a body that moves at v, w, at the offset r from its centre."""
    return add(v, cross(w, r))


@kernel
def vector_at(table: Floats, row: int, column: int) -> Vec3:
    """The vector that begins at a column of a table."""
    return (table[row, column], table[row, column + 1], table[row, column + 2])
