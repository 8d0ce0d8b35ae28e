"""Poses and closest points of two bodies, and points and directions between their frames.

From one frame to another goes a (3, 3) matrix as nine floats, rows first, and a shift.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.kernel import kernel
from engine.maths.quaternions import Quat
from engine.maths.vectors import Vec3

Matrix = tuple[float, float, float, float, float, float, float, float, float]
Pose = tuple[float, float, float, float, float, float, float]
"""x, y, z [m], then w, x, y, z: body to world."""


class ClosestPoints(NamedTuple):
    """Where two surfaces are closest (world)."""

    on_a: Vec3  # [m]
    on_b: Vec3
    normal: Vec3  # unit, from b to a


class Cores(NamedTuple):
    """The cores of two shapes of the pool, and how the frame of a lies in that of b."""

    a: int
    b: int
    m: Matrix
    t: Vec3  # [m]


@kernel
def pose_of(x: Vec3, q: Quat) -> Pose:
    """Position and orientation in one tuple."""
    return (x[0], x[1], x[2], q[0], q[1], q[2], q[3])


@kernel
def matrix_of(q: Quat) -> Matrix:
    """Rotation matrix of a unit quaternion, rows first."""
    w, x, y, z = q
    return (
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    )


@kernel
def transpose(m: Matrix) -> Matrix:
    return (m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8])


@kernel
def turn(m: Matrix, v: Vec3) -> Vec3:
    """m v."""
    return (
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
    )


@kernel
def turn_back(m: Matrix, v: Vec3) -> Vec3:
    """Transpose of m times v."""
    return (
        m[0] * v[0] + m[3] * v[1] + m[6] * v[2],
        m[1] * v[0] + m[4] * v[1] + m[7] * v[2],
        m[2] * v[0] + m[5] * v[1] + m[8] * v[2],
    )


@kernel
def place(m: Matrix, t: Vec3, v: Vec3) -> Vec3:
    """m v + t."""
    return (
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2] + t[0],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2] + t[1],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2] + t[2],
    )


@kernel
def unplace(m: Matrix, t: Vec3, v: Vec3) -> Vec3:
    """The point that `place` moves to v."""
    return turn_back(m, (v[0] - t[0], v[1] - t[1], v[2] - t[2]))
