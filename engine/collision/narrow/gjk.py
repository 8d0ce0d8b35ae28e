"""Distance of two convex cores from their support points alone (Gilbert, Johnson and Keerthi 1988).

The search holds up to four points of the difference of the cores, and the point of their hull that is nearest to the
origin. That distance is never too small; along the direction to it, a support plane gives one that is never too large.
The search ends where the two agree, or where rounding stops it: either way the two numbers say how good the answer is.
"""

from __future__ import annotations

from engine.collision.narrow.frames import Cores, place, turn_back
from engine.geometry.polyhedron import Floats, Ints
from engine.geometry.pool import support_from
from engine.kernel import kernel
from engine.maths.rounding import COORDINATE
from engine.maths.vectors import Vec3, add_scaled, cross, dot, norm, scale, sub

_MOST_STEPS = 128

_ROUNDING = COORDINATE
"""Rounding of a coordinate relative to the size of the configuration [1]."""

_NOWHERE = (0.0, 0.0, 0.0)

Simplex = tuple[int, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3]
"""How many corners; the corners, on a less on b [m]; the corners' points on a [m]."""

Approach = tuple[Vec3, float, float, Vec3, Vec3, int, int, int]
"""Unit direction from b to a, distance from below and from above [m] (-1 from above: the cores meet), points on a and b
[m], vertices or rims of the last support points on a and b, steps."""


@kernel
def reach_both(
    geometry: Floats, topology: Ints, cores: Cores, n: Vec3, va: int, vb: int
) -> tuple[Vec3, Vec3, int, int]:
    """The points of cores a and b that are furthest towards each other, a along -n and b along n, in b's frame."""
    a, b, m, t = cores
    local, va = support_from(geometry, topology, a, turn_back(m, (-n[0], -n[1], -n[2])), va)
    pb, vb = support_from(geometry, topology, b, n, vb)
    return place(m, t, local), pb, va, vb


@kernel
def approach(
    geometry: Floats,
    topology: Ints,
    cores: Cores,
    n: Vec3,
    va: int,
    vb: int,
    size: float,
    tolerance: float,
) -> Approach:
    """Distance of two cores to `tolerance` [m], from direction n and vertices va, vb on."""
    pa, pb, va, vb = reach_both(geometry, topology, cores, n, va, vb)
    w = sub(pa, pb)
    simplex = (1, w, _NOWHERE, _NOWHERE, _NOWHERE, pa, _NOWHERE, _NOWHERE, _NOWHERE)
    point = pa
    nearest = w
    upper = norm(nearest)
    lower = dot(n, w)
    best = n
    for steps in range(_MOST_STEPS):
        if upper <= 16.0 * _ROUNDING * size:
            return best, lower, -1.0, point, sub(point, nearest), va, vb, steps
        n = scale(nearest, 1.0 / upper)
        pa, pb, va, vb = reach_both(geometry, topology, cores, n, va, vb)
        w = sub(pa, pb)
        height = dot(n, w)
        if height >= lower:
            lower, best = height, n
        if upper - height <= max(tolerance, _ROUNDING * size) or _holds(simplex, w):
            return n, lower, upper, point, sub(point, nearest), va, vb, steps
        simplex, met, after, after_point = _reduce(_with(simplex, w, pa))
        if met:
            return best, lower, -1.0, point, sub(point, nearest), va, vb, steps
        nearer = norm(after)
        if nearer >= upper:
            return n, lower, upper, point, sub(point, nearest), va, vb, steps
        nearest, point, upper = after, after_point, nearer
    return best, lower, upper, point, sub(point, nearest), va, vb, _MOST_STEPS


@kernel
def _holds(s: Simplex, w: Vec3) -> bool:
    """Is w a corner already?"""
    return s[1] == w or (s[0] > 1 and s[2] == w) or (s[0] > 2 and s[3] == w) or (s[0] > 3 and s[4] == w)


@kernel
def _with(s: Simplex, w: Vec3, p: Vec3) -> Simplex:
    """The simplex with one more corner, which goes first."""
    return (s[0] + 1, w, s[1], s[2], s[3], p, s[5], s[6], s[7])


@kernel
def _reduce(s: Simplex) -> tuple[Simplex, bool, Vec3, Vec3]:
    """The part of a simplex that holds its point nearest to the origin, that point, and its point on a.

    True: the origin is inside. The first corner is new; what is nearest without it was nearest before.
    """
    if s[0] == 2:
        kept, nearest, point = _on_line(s[1], s[2], s[5], s[6])
        return kept, False, nearest, point
    kept, nearest, point = _on_triangle(s[1], s[2], s[3], s[5], s[6], s[7])
    if s[0] == 3:
        return kept, False, nearest, point
    if _is_inside(s[1], s[2], s[3], s[4]):
        return s, True, nearest, point
    kept_2, nearest_2, point_2 = _on_triangle(s[1], s[2], s[4], s[5], s[6], s[8])
    if dot(nearest_2, nearest_2) < dot(nearest, nearest):
        kept, nearest, point = kept_2, nearest_2, point_2
    kept_2, nearest_2, point_2 = _on_triangle(s[1], s[3], s[4], s[5], s[7], s[8])
    if dot(nearest_2, nearest_2) < dot(nearest, nearest):
        kept, nearest, point = kept_2, nearest_2, point_2
    return kept, False, nearest, point


@kernel
def _is_inside(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> bool:
    """Is the origin strictly inside a tetrahedron?"""
    return _same_side(a, b, c, d) and _same_side(a, b, d, c) and _same_side(a, c, d, b) and _same_side(b, c, d, a)


@kernel
def _same_side(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> bool:
    """Is the origin on d's side of the plane through a, b and c?"""
    n = cross(sub(b, a), sub(c, a))
    return dot(n, sub(d, a)) * -dot(n, a) > 0.0


@kernel
def _on_line(a: Vec3, b: Vec3, pa: Vec3, pb: Vec3) -> tuple[Simplex, Vec3, Vec3]:
    ab = sub(b, a)
    s = -dot(a, ab)
    length2 = dot(ab, ab)
    if s <= 0.0 or length2 == 0.0:
        return (1, a, _NOWHERE, _NOWHERE, _NOWHERE, pa, _NOWHERE, _NOWHERE, _NOWHERE), a, pa
    if s >= length2:
        return (1, b, _NOWHERE, _NOWHERE, _NOWHERE, pb, _NOWHERE, _NOWHERE, _NOWHERE), b, pb
    s /= length2
    nearest = add_scaled(a, ab, s)
    return (2, a, b, _NOWHERE, _NOWHERE, pa, pb, _NOWHERE, _NOWHERE), nearest, add_scaled(pa, sub(pb, pa), s)


@kernel
def _on_triangle(a: Vec3, b: Vec3, c: Vec3, pa: Vec3, pb: Vec3, pc: Vec3) -> tuple[Simplex, Vec3, Vec3]:
    """By the Voronoi regions of the triangle's features (Ericson 2005, 5.1.5); flat triangles by their sides."""
    ab, ac = sub(b, a), sub(c, a)
    d1, d2 = -dot(ab, a), -dot(ac, a)
    d3, d4 = -dot(ab, b), -dot(ac, b)
    d5, d6 = -dot(ab, c), -dot(ac, c)
    vc = d1 * d4 - d3 * d2
    vb = d5 * d2 - d1 * d6
    va = d3 * d6 - d5 * d4
    total = va + vb + vc
    if va > 0.0 and vb > 0.0 and vc > 0.0 and total > 0.0:
        v, w = vb / total, vc / total
        nearest = add_scaled(add_scaled(a, ab, v), ac, w)
        point = add_scaled(add_scaled(pa, sub(pb, pa), v), sub(pc, pa), w)
        return (3, a, b, c, _NOWHERE, pa, pb, pc, _NOWHERE), nearest, point
    kept, nearest, point = _on_line(a, b, pa, pb)
    kept_2, nearest_2, point_2 = _on_line(a, c, pa, pc)
    if dot(nearest_2, nearest_2) < dot(nearest, nearest):
        kept, nearest, point = kept_2, nearest_2, point_2
    kept_2, nearest_2, point_2 = _on_line(b, c, pb, pc)
    if dot(nearest_2, nearest_2) < dot(nearest, nearest):
        kept, nearest, point = kept_2, nearest_2, point_2
    return kept, nearest, point
