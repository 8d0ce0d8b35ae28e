"""Unit quaternions (w, x, y, z) as tuples; q turns body coordinates into world coordinates (Mirtich 1996, A.4)."""

from __future__ import annotations

from math import atan2, cos, sin, sqrt

from engine.arrays import Floats
from engine.kernel import kernel
from engine.maths.rounding import SINE
from engine.maths.vectors import Vec3

Quat = tuple[float, float, float, float]


@kernel
def multiply(p: Quat, q: Quat) -> Quat:
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


@kernel
def conjugate(q: Quat) -> Quat:
    return (q[0], -q[1], -q[2], -q[3])


@kernel
def normalize(q: Quat) -> Quat:
    s = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (q[0] * s, q[1] * s, q[2] * s, q[3] * s)


@kernel
def rotate(q: Quat, v: Vec3) -> Vec3:
    """Body vector v in world coordinates."""
    w, x, y, z = q
    tx = 2.0 * (y * v[2] - z * v[1])
    ty = 2.0 * (z * v[0] - x * v[2])
    tz = 2.0 * (x * v[1] - y * v[0])
    return (
        v[0] + w * tx + y * tz - z * ty,
        v[1] + w * ty + z * tx - x * tz,
        v[2] + w * tz + x * ty - y * tx,
    )


@kernel
def rotate_inverse(q: Quat, v: Vec3) -> Vec3:
    """World vector v in body coordinates."""
    w, x, y, z = q
    tx = 2.0 * (z * v[1] - y * v[2])
    ty = 2.0 * (x * v[2] - z * v[0])
    tz = 2.0 * (y * v[0] - x * v[1])
    return (
        v[0] + w * tx + z * ty - y * tz,
        v[1] + w * ty + x * tz - z * tx,
        v[2] + w * tz + y * tx - x * ty,
    )


@kernel
def from_axis_angle(axis: Vec3, angle: float) -> Quat:
    """Turn by `angle` [rad] about the unit vector `axis`."""
    s = sin(0.5 * angle)
    return (cos(0.5 * angle), axis[0] * s, axis[1] * s, axis[2] * s)


@kernel
def turn_between(q: Quat, q_end: Quat) -> Vec3:
    """The turn, as a vector along its axis [rad], world axes, that leads from q to q_end, at most half a turn."""
    w, x, y, z = multiply(q_end, conjugate(q))
    size = sqrt(x * x + y * y + z * z)
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    share = 2.0 if size < SINE else 2.0 * atan2(size, w) / size
    return (share * x, share * y, share * z)


@kernel
def quat_at(table: Floats, row: int, column: int) -> Quat:
    """The quaternion that begins at a column of a table."""
    return (table[row, column], table[row, column + 1], table[row, column + 2], table[row, column + 3])
