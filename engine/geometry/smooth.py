"""Smooth convex solids for the kernels: where they reach furthest along a direction, and how curved they are there.

REVOLVED is the convex hull of rims, circles about one axis: two make a cylinder, a truncated cone or (a rim of radius 0
is an apex) a cone, more make any solid of revolution of a convex profile. ELLIPSOID and SUPERQUADRIC are the unit balls
of norms, (|x/a|^p + |y/b|^p)^(q/p) + |z/c|^q <= 1 with p = q = 2 for the first, so that their support functions are the
dual norms, with p' = p / (p - 1) and q' = q / (q - 1).

A shape's place in the pool's float array holds centre 3, unit axes x, y, z 9, and then a, b, c, p', q', or radius and
height of each rim, from low to high.
"""

from __future__ import annotations

from math import sqrt

from engine.arrays import Floats
from engine.geometry.shapes import ELLIPSOID, REVOLVED
from engine.kernel import kernel
from engine.maths.rounding import QUOTIENT, SUM
from engine.maths.vectors import Vec3, add, dot, scale, sub

AXES = 3
PARTS = 12  # where sizes and exponents, or rims, start
P_DUAL = 15
Q_DUAL = 16

_LEVEL = QUOTIENT
"""A side or an end this level [rad] is furthest as a whole."""


@kernel
def into_axes(geometry: Floats, k: int, d: Vec3) -> Vec3:
    """A direction of the body frame along the axes of the solid at place k."""
    return (
        d[0] * geometry[k + 3] + d[1] * geometry[k + 4] + d[2] * geometry[k + 5],
        d[0] * geometry[k + 6] + d[1] * geometry[k + 7] + d[2] * geometry[k + 8],
        d[0] * geometry[k + 9] + d[1] * geometry[k + 10] + d[2] * geometry[k + 11],
    )


@kernel
def out_of_axes(geometry: Floats, k: int, x: Vec3) -> Vec3:
    """A direction along the solid's axes in the body frame."""
    return (
        x[0] * geometry[k + 3] + x[1] * geometry[k + 6] + x[2] * geometry[k + 9],
        x[0] * geometry[k + 4] + x[1] * geometry[k + 7] + x[2] * geometry[k + 10],
        x[0] * geometry[k + 5] + x[1] * geometry[k + 8] + x[2] * geometry[k + 11],
    )


@kernel
def centre_at(geometry: Floats, k: int) -> Vec3:
    return (geometry[k], geometry[k + 1], geometry[k + 2])


@kernel
def axis_at(geometry: Floats, k: int) -> Vec3:
    """The axis of a solid of revolution, body frame."""
    return (geometry[k + 9], geometry[k + 10], geometry[k + 11])


@kernel
def support_smooth(geometry: Floats, kind: int, k: int, rims: int, d: Vec3) -> tuple[Vec3, int]:
    """The point furthest along d, body frame [m], and its rim (0 where there are none).

    Where a whole side is furthest, a point of its lower rim; of an end, its middle.
    """
    local = into_axes(geometry, k, d)
    rim = 0
    if kind == REVOLVED:
        across = sqrt(local[0] * local[0] + local[1] * local[1])
        rim = furthest_rim(geometry, k, rims, across, local[2])
        x = rim_point(geometry, k, rim, local, across)
    elif kind == ELLIPSOID:
        x = _on_ellipsoid(geometry, k, local)
    else:
        x = _on_superquadric(geometry, k, local)
    return add(centre_at(geometry, k), out_of_axes(geometry, k, x)), rim


@kernel
def furthest_rim(geometry: Floats, k: int, rims: int, across: float, along: float) -> int:
    """The rim that reaches furthest along a direction with these parts across and along the axis."""
    best = 0
    height = geometry[k + PARTS] * across + geometry[k + PARTS + 1] * along
    for rim in range(1, rims):
        h = geometry[k + PARTS + 2 * rim] * across + geometry[k + PARTS + 2 * rim + 1] * along
        if h > height:
            height = h
            best = rim
    return best


@kernel
def rim_point(geometry: Floats, k: int, rim: int, local: Vec3, across: float) -> Vec3:
    """The point of a rim furthest along a direction, in the solid's axes; across: the direction's part off the axis."""
    r = geometry[k + PARTS + 2 * rim] / across if across > 0.0 else 0.0
    return (r * local[0], r * local[1], geometry[k + PARTS + 2 * rim + 1])


@kernel
def _on_ellipsoid(geometry: Floats, k: int, d: Vec3) -> Vec3:
    a, b, c = geometry[k + PARTS], geometry[k + PARTS + 1], geometry[k + PARTS + 2]
    x, y, z = a * d[0], b * d[1], c * d[2]
    h = sqrt(x * x + y * y + z * z)
    if h == 0.0:
        return (0.0, 0.0, 0.0)
    return (a * x / h, b * y / h, c * z / h)


@kernel
def dual_norm(x: float, y: float, power: float) -> float:
    """(x^power + y^power)^(1 / power) for x, y >= 0, without overflow."""
    large, small = max(x, y), min(x, y)
    if large == 0.0:
        return 0.0
    return large * (1.0 + (small / large) ** power) ** (1.0 / power)


@kernel
def _on_superquadric(geometry: Floats, k: int, d: Vec3) -> Vec3:
    """The gradient of the dual norm."""
    a, b, c = geometry[k + PARTS], geometry[k + PARTS + 1], geometry[k + PARTS + 2]
    p, q = geometry[k + P_DUAL], geometry[k + Q_DUAL]
    x, y, z = a * abs(d[0]), b * abs(d[1]), c * abs(d[2])
    across = dual_norm(x, y, p)
    h = dual_norm(across, z, q)
    if h == 0.0:
        return (0.0, 0.0, 0.0)
    outer = (across / h) ** (q - 1.0)
    x = a * outer * (x / across) ** (p - 1.0) if across > 0.0 else 0.0
    y = b * outer * (y / across) ** (p - 1.0) if across > 0.0 else 0.0
    z = c * (z / h) ** (q - 1.0)
    return (x if d[0] >= 0.0 else -x, y if d[1] >= 0.0 else -y, z if d[2] >= 0.0 else -z)


# --- what rests on a plane ----------------------------------------------------------------------------------------


@kernel
def rest_point(geometry: Floats, kind: int, k: int, rims: int, d: Vec3) -> Vec3:
    """As `support_smooth`; but where a side or an end is furthest as a whole, its point under the body's origin.

    That is the centre of mass of a free body: what lies flat is then supported under its weight, and does not rock.
    """
    point, rim = support_smooth(geometry, kind, k, rims, d)
    if kind != REVOLVED:
        return point
    local = into_axes(geometry, k, d)
    across = sqrt(local[0] * local[0] + local[1] * local[1])
    origin = into_axes(geometry, k, scale(centre_at(geometry, k), -1.0))
    if across <= _LEVEL * abs(local[2]):
        radius = geometry[k + PARTS + 2 * rim]
        off = sqrt(origin[0] * origin[0] + origin[1] * origin[1])
        s = min(1.0, radius / off) if off > 0.0 else 1.0
        x = (s * origin[0], s * origin[1], geometry[k + PARTS + 2 * rim + 1])
        return add(centre_at(geometry, k), out_of_axes(geometry, k, x))
    p = rim_point(geometry, k, rim, local, across)
    for other in range(max(rim - 1, 0), min(rim + 2, rims)):
        side = sub(rim_point(geometry, k, other, local, across), p)
        if other != rim and abs(dot(side, local)) <= _LEVEL * sqrt(dot(side, side)):
            s = min(max(dot(sub(origin, p), side) / dot(side, side), 0.0), 1.0)
            x = (p[0] + s * side[0], p[1] + s * side[1], p[2] + s * side[2])
            return add(centre_at(geometry, k), out_of_axes(geometry, k, x))
    return point


# --- curvature ----------------------------------------------------------------------------------------------------


@kernel
def support_hessian(
    geometry: Floats, kind: int, k: int, rim: int, d: Vec3, s: Vec3, t: Vec3
) -> tuple[float, float, float]:
    """How the point furthest along d moves as d turns [m]: s.D s, s.D t and t.D t of its derivative D, for unit d.

    That is the Hessian of the support function; a rim has its radius in it along itself, and nothing across. s, t are
    directions perpendicular to d.
    """
    d = into_axes(geometry, k, d)
    s = into_axes(geometry, k, s)
    t = into_axes(geometry, k, t)
    if kind == REVOLVED:
        across = sqrt(d[0] * d[0] + d[1] * d[1])
        if across == 0.0:
            return 0.0, 0.0, 0.0
        along_s = (d[0] * s[1] - d[1] * s[0]) / across
        along_t = (d[0] * t[1] - d[1] * t[0]) / across
        r = geometry[k + PARTS + 2 * rim] / across
        return r * along_s * along_s, r * along_s * along_t, r * along_t * along_t
    if kind == ELLIPSOID:
        a, b, c = geometry[k + PARTS], geometry[k + PARTS + 1], geometry[k + PARTS + 2]
        x = _on_ellipsoid(geometry, k, d)
        h = dot(x, d)
        p_s, p_t = dot(x, s), dot(x, t)
        s_scaled = (a * a * s[0], b * b * s[1], c * c * s[2])
        t_scaled = (a * a * t[0], b * b * t[1], c * c * t[2])
        return (
            (dot(s_scaled, s) - p_s * p_s) / h,
            (dot(s_scaled, t) - p_s * p_t) / h,
            (dot(t_scaled, t) - p_t * p_t) / h,
        )
    return _superquadric_hessian(geometry, k, d, s, t)


@kernel
def _superquadric_hessian(geometry: Floats, k: int, d: Vec3, s: Vec3, t: Vec3) -> tuple[float, float, float]:
    """Second derivatives of the dual norm. Flat places (Baraff 1992, 6.7) have large ones, not infinite."""
    a, b, c = geometry[k + PARTS], geometry[k + PARTS + 1], geometry[k + PARTS + 2]
    p, q = geometry[k + P_DUAL], geometry[k + Q_DUAL]
    least = 8.0 * SUM * max(a * abs(d[0]), b * abs(d[1]), c * abs(d[2]))
    x, y, z = max(a * abs(d[0]), least), max(b * abs(d[1]), least), max(c * abs(d[2]), least)
    across = dual_norm(x, y, p)
    h = dual_norm(across, z, q)
    outer, along = (across / h) ** (q - 1.0), (z / h) ** (q - 1.0)
    by_x, by_y = (x / across) ** (p - 1.0), (y / across) ** (p - 1.0)
    outer_2 = (q - 1.0) * outer / across * (1.0 - outer * across / h)
    along_2 = (q - 1.0) * along / z * (1.0 - along * z / h)
    mixed = -(q - 1.0) * outer * along / h
    xx = outer_2 * by_x * by_x + outer * (p - 1.0) * by_x / x * (1.0 - by_x * x / across)
    yy = outer_2 * by_y * by_y + outer * (p - 1.0) * by_y / y * (1.0 - by_y * y / across)
    xy = outer_2 * by_x * by_y - outer * (p - 1.0) * by_x * by_y / across
    a, b, c = a if d[0] >= 0.0 else -a, b if d[1] >= 0.0 else -b, c if d[2] >= 0.0 else -c
    s = (a * s[0], b * s[1], c * s[2])
    t = (a * t[0], b * t[1], c * t[2])
    turned_s = (
        xx * s[0] + xy * s[1] + mixed * by_x * s[2],
        xy * s[0] + yy * s[1] + mixed * by_y * s[2],
        mixed * (by_x * s[0] + by_y * s[1]) + along_2 * s[2],
    )
    turned_t = (
        xx * t[0] + xy * t[1] + mixed * by_x * t[2],
        xy * t[0] + yy * t[1] + mixed * by_y * t[2],
        mixed * (by_x * t[0] + by_y * t[1]) + along_2 * t[2],
    )
    return dot(turned_s, s), dot(turned_s, t), dot(turned_t, t)
