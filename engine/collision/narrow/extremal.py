"""Extremal points of two cores when it is known on which features they lie (Baraff 1992, 5.2.1 and 5.2.2).

Along the normal n, each core is furthest in a point (a vertex, a point of a rim or of a smooth surface), along a
straight side, or all over an end or a face; here VERTEX, EDGE and FACE as in Lin-Canny's features. The distance is the
largest of -h_a(-n) - h_b(n), h being the support functions, and at the right n the furthest points face each other:

    FACE with VERTEX     n is the face's normal
    EDGE with EDGE       n has known angles to both axes, a quadratic equation
    EDGE with VERTEX     n turns on a circle about the side's axis: Newton in one angle
    VERTEX with VERTEX   Newton in two

A straight side of a solid of revolution stands at an angle to its axis that it keeps as it turns with n, and the edge
of a polyhedron is a side at a right angle to itself. Whatever comes out is proved: both points lie on their cores, so
their distance is no less than the cores', and the support planes are no further apart than the cores. Only where the
two agree to rounding is it an answer; it is then the only one, whatever it was started from.
"""

from __future__ import annotations

from math import cos, inf, sin, sqrt

from engine.collision.narrow.features import (
    EDGE,
    FACE,
    closest_on_face,
    closest_parameters,
    edge_end,
    edge_place,
    into_face,
)
from engine.collision.narrow.features import face_place as face_of_polyhedron
from engine.collision.narrow.frames import Cores, Matrix, place, turn, turn_back, unplace
from engine.collision.narrow.gjk import reach_both
from engine.geometry.polyhedron import Floats, Ints
from engine.geometry.pool import (
    EDGE_ENDS,
    FACE_BOUNDS,
    FACE_COUNT,
    HEADER,
    KIND,
    VERTEX_BOUNDS,
    VERTEX_COUNT,
    VERTICES,
    vec_at,
    vertex_of,
)
from engine.geometry.shapes import POINT, REVOLVED
from engine.geometry.smooth import (
    PARTS,
    axis_at,
    centre_at,
    into_axes,
    out_of_axes,
    rim_point,
    support_hessian,
)
from engine.kernel import kernel
from engine.maths.rounding import COORDINATE, EPSILON, QUOTIENT, SINE
from engine.maths.vectors import Vec3, add, add_scaled, any_perpendicular, cross, dot, norm, scale, sub
from engine.tolerances import FLAT_ANGLE

PROVED = 8.0 * QUOTIENT
"""Bounds of the distance that differ by less than this part of the configuration's size [1] are the distance."""

_NEAR = 0.5 * FLAT_ANGLE
"""A normal within this angle [rad] of a side's or face's may belong to it."""

_MOST_NEWTON = 12

Extremal = tuple[float, float, Vec3, Vec3, Vec3, int, int]
"""Distance from below and from above [m], unit normal from b to a, points on a and b [m] (b's frame), vertices or rims
that hold them."""


# --- features of a core along a direction, in its own frame ---------------------------------------------------------


@kernel
def find_side(geometry: Floats, topology: Ints, shape: int, d: Vec3, vertex: int) -> int:
    """The side through a vertex or rim that is furthest along unit direction d, or nearly; -1: none."""
    base = HEADER * shape
    kind = topology[base + KIND]
    best = -1
    least = _NEAR
    if kind == REVOLVED:
        k = topology[base + VERTICES]
        along = dot(axis_at(geometry, k), d)
        for side in range(max(vertex - 1, 0), min(vertex + 1, topology[base + VERTEX_COUNT] - 1)):
            off = abs(along - side_angle(geometry, k, side))
            if off < least:
                least, best = off, side
    elif kind < REVOLVED and kind != POINT:
        bounds = topology[base + VERTEX_BOUNDS] + vertex
        for place_of_half in range(topology[bounds], topology[bounds + 1]):
            edge = topology[place_of_half] >> 1
            off = abs(dot(vec_at(geometry, edge_place(topology, shape, edge)), d))
            if off < least:
                least, best = off, edge
    return best


@kernel
def find_end(geometry: Floats, topology: Ints, shape: int, d: Vec3, vertex: int) -> int:
    """The face at a vertex, or the flat end at a rim, that faces along unit direction d, or nearly; -1: none."""
    base = HEADER * shape
    if topology[base + KIND] == REVOLVED:
        rims = topology[base + VERTEX_COUNT]
        if vertex != 0 and vertex != rims - 1:
            return -1
        end = 0 if vertex == 0 else 1
        flat = geometry[topology[base + VERTICES] + PARTS + 2 * vertex] > 0.0
        return end if flat and dot(end_normal(geometry, topology, shape, end), d) > 1.0 - 0.5 * _NEAR * _NEAR else -1
    if topology[base + FACE_COUNT] == 0:
        return -1
    best = -1
    least = 1.0 - 0.5 * _NEAR * _NEAR
    bounds = topology[base + VERTEX_BOUNDS] + vertex
    ends = topology[base + EDGE_ENDS]
    for place_of_half in range(topology[bounds], topology[bounds + 1]):
        half = topology[place_of_half]
        face = topology[ends + 4 * (half >> 1) + 2 + (half & 1)]
        facing = dot(vec_at(geometry, face_of_polyhedron(topology, shape, face)), d)
        if facing > least:
            least, best = facing, face
    return best


@kernel
def end_normal(geometry: Floats, topology: Ints, shape: int, end: int) -> Vec3:
    """Outward normal of a face, or of the low (0) or high (1) end of a solid of revolution."""
    if topology[HEADER * shape + KIND] == REVOLVED:
        return scale(axis_at(geometry, topology[HEADER * shape + VERTICES]), 1.0 if end == 1 else -1.0)
    return vec_at(geometry, face_of_polyhedron(topology, shape, end))


@kernel
def onto_end(geometry: Floats, topology: Ints, shape: int, end: int, x: Vec3) -> Vec3:
    """The point of a face or end nearest to x."""
    base = HEADER * shape
    if topology[base + KIND] != REVOLVED:
        return closest_on_face(geometry, topology, shape, end, x, 0.0, -1)[1]
    k = topology[base + VERTICES]
    rim = k + PARTS + 2 * (0 if end == 0 else topology[base + VERTEX_COUNT] - 1)
    local = into_axes(geometry, k, sub(x, centre_at(geometry, k)))
    off = sqrt(local[0] * local[0] + local[1] * local[1])
    s = min(1.0, geometry[rim] / off) if off > 0.0 else 0.0
    return add(centre_at(geometry, k), out_of_axes(geometry, k, (s * local[0], s * local[1], geometry[rim + 1])))


@kernel
def room_on_end(geometry: Floats, topology: Ints, shape: int, end: int, x: Vec3) -> float:
    """How far the sides of a face or end are from where x is over it [m]; below 0: it is beside it."""
    base = HEADER * shape
    if topology[base + KIND] == REVOLVED:
        k = topology[base + VERTICES]
        rim = k + PARTS + 2 * (0 if end == 0 else topology[base + VERTEX_COUNT] - 1)
        local = into_axes(geometry, k, sub(x, centre_at(geometry, k)))
        return geometry[rim] - sqrt(local[0] * local[0] + local[1] * local[1])
    bounds = topology[base + FACE_BOUNDS] + end
    room = inf
    for place_of_half in range(topology[bounds], topology[bounds + 1]):
        half = topology[place_of_half]
        away = sub(x, vertex_of(geometry, topology, shape, edge_end(topology, shape, half >> 1, 0)))
        room = min(room, dot(vec_at(geometry, into_face(topology, shape, half)), away))
    return room


@kernel
def side_angle(geometry: Floats, k: int, side: int) -> float:
    """Cosine between the axis of the solid of revolution at place k and the normals of a side."""
    rim = k + PARTS + 2 * side
    narrower, rise = geometry[rim] - geometry[rim + 2], geometry[rim + 3] - geometry[rim + 1]
    return narrower / sqrt(narrower * narrower + rise * rise)


@kernel
def side_circle(geometry: Floats, topology: Ints, shape: int, side: int) -> tuple[Vec3, float]:
    """The circle of a side's normals: its axis, unit, and the cosine of the angle to it."""
    if topology[HEADER * shape + KIND] == REVOLVED:
        k = topology[HEADER * shape + VERTICES]
        return axis_at(geometry, k), side_angle(geometry, k, side)
    return vec_at(geometry, edge_place(topology, shape, side)), 0.0


@kernel
def side_line(geometry: Floats, topology: Ints, shape: int, side: int, d: Vec3) -> tuple[Vec3, Vec3]:
    """Both ends of the side that is furthest along d."""
    if topology[HEADER * shape + KIND] != REVOLVED:
        return (
            vertex_of(geometry, topology, shape, edge_end(topology, shape, side, 0)),
            vertex_of(geometry, topology, shape, edge_end(topology, shape, side, 1)),
        )
    k = topology[HEADER * shape + VERTICES]
    local = into_axes(geometry, k, d)
    across = sqrt(local[0] * local[0] + local[1] * local[1])
    low = rim_point(geometry, k, side, local, across)
    high = rim_point(geometry, k, side + 1, local, across)
    centre = centre_at(geometry, k)
    return add(centre, out_of_axes(geometry, k, low)), add(centre, out_of_axes(geometry, k, high))


@kernel
def bend(
    geometry: Floats, topology: Ints, shape: int, vertex: int, d: Vec3, s: Vec3, t: Vec3
) -> tuple[float, float, float]:
    """How the core's point furthest along d moves as d turns, see `support_hessian`; a corner stays where it is."""
    kind = topology[HEADER * shape + KIND]
    if kind < REVOLVED:
        return 0.0, 0.0, 0.0
    return support_hessian(geometry, kind, topology[HEADER * shape + VERTICES], vertex, d, s, t)


# --- pairs of features, in b's frame --------------------------------------------------------------------------------


@kernel
def reach_from_end(
    geometry: Floats, topology: Ints, cores: Cores, end: int, of_a: bool, va: int, vb: int
) -> tuple[float, Vec3, Vec3, Vec3, int, int]:
    """How far cores are apart along the normal n of an end of one of them, n, and their extremal points along it."""
    a, b, m, _ = cores
    n = scale(turn(m, end_normal(geometry, topology, a, end)), -1.0) if of_a else end_normal(geometry, topology, b, end)
    pa, pb, va, vb = reach_both(geometry, topology, cores, n, va, vb)
    return dot(n, sub(pa, pb)), n, pa, pb, va, vb


@kernel
def settle_features(
    geometry: Floats,
    topology: Ints,
    cores: Cores,
    fa: int,
    fb: int,
    va: int,
    vb: int,
    n: Vec3,
    size: float,
) -> Extremal:
    """Extremal points on features fa of core a and fb of b, near the direction n.

    At most one of them is a FACE, and then the other is a VERTEX. Bounds far apart: they do not lie there.
    """
    a, b, m, t = cores
    if fb & 3 == FACE:
        lower, n, pa, pb, va, vb = reach_from_end(geometry, topology, cores, fb >> 2, False, va, vb)
        pb = onto_end(geometry, topology, b, fb >> 2, pa)
        return lower, norm(sub(pa, pb)), n, pa, pb, va, vb
    if fa & 3 == FACE:
        lower, n, pa, pb, va, vb = reach_from_end(geometry, topology, cores, fa >> 2, True, va, vb)
        pa = place(m, t, onto_end(geometry, topology, a, fa >> 2, unplace(m, t, pb)))
        return lower, norm(sub(pa, pb)), n, pa, pb, va, vb
    if fa & 3 == EDGE or fb & 3 == EDGE:
        return _settle_sides(geometry, topology, cores, fa, fb, va, vb, n)
    return _settle_points(geometry, topology, cores, va, vb, n, size)


@kernel
def _settle_points(
    geometry: Floats,
    topology: Ints,
    cores: Cores,
    va: int,
    vb: int,
    n: Vec3,
    size: float,
) -> Extremal:
    """Newton on the unit sphere: the distance along n has the gradient w = pa - pb, and the curvature -bend - lower."""
    a, b, m, _ = cores
    pa, pb, va, vb = reach_both(geometry, topology, cores, n, va, vb)
    w = sub(pa, pb)
    lower = dot(n, w)
    for _ in range(_MOST_NEWTON):
        if norm(w) - lower <= COORDINATE * size:
            break
        u = any_perpendicular(n)
        v = cross(n, u)
        down = turn_back(m, (-n[0], -n[1], -n[2]))
        a_uu, a_uv, a_vv = bend(geometry, topology, a, va, down, turn_back(m, u), turn_back(m, v))
        b_uu, b_uv, b_vv = bend(geometry, topology, b, vb, n, u, v)
        uu, uv, vv = a_uu + b_uu + lower, a_uv + b_uv, a_vv + b_vv + lower
        determinant = uu * vv - uv * uv
        if not determinant > 0.0:
            break
        gu, gv = dot(w, u), dot(w, v)
        du, dv = (vv * gu - uv * gv) / determinant, (uu * gv - uv * gu) / determinant
        step = sqrt(du * du + dv * dv)
        if step > 0.5:
            du, dv = du * 0.5 / step, dv * 0.5 / step
        ahead = add_scaled(add_scaled(n, u, du), v, dv)
        ahead = scale(ahead, 1.0 / norm(ahead))
        pa_ahead, pb_ahead, va, vb = reach_both(geometry, topology, cores, ahead, va, vb)
        w_ahead = sub(pa_ahead, pb_ahead)
        if dot(ahead, w_ahead) <= lower and norm(w_ahead) >= norm(w):
            break
        n, pa, pb, w = ahead, pa_ahead, pb_ahead, w_ahead
        lower = dot(n, w)
    return lower, norm(w), n, pa, pb, va, vb


@kernel
def _settle_sides(
    geometry: Floats,
    topology: Ints,
    cores: Cores,
    fa: int,
    fb: int,
    va: int,
    vb: int,
    n: Vec3,
) -> Extremal:
    """One of the features is a side, or both are."""
    a, b, m, t = cores
    on_a, on_b = fa & 3 == EDGE, fb & 3 == EDGE
    if on_a and on_b:
        n = _across_both(geometry, topology, a, b, m, fa >> 2, fb >> 2, n)
    elif on_a:
        axis, cosine = side_circle(geometry, topology, a, fa >> 2)
        n = _turn_about(geometry, topology, cores, turn(m, axis), -cosine, va, vb, n)
    else:
        axis, cosine = side_circle(geometry, topology, b, fb >> 2)
        n = _turn_about(geometry, topology, cores, axis, cosine, va, vb, n)
    pa, pb, va, vb = reach_both(geometry, topology, cores, n, va, vb)
    lower = dot(n, sub(pa, pb))
    a_0, a_1, b_0, b_1 = pa, pa, pb, pb
    if on_a:
        a_0, a_1 = side_line(geometry, topology, a, fa >> 2, turn_back(m, (-n[0], -n[1], -n[2])))
        a_0, a_1 = place(m, t, a_0), place(m, t, a_1)
    if on_b:
        b_0, b_1 = side_line(geometry, topology, b, fb >> 2, n)
    along_a, along_b = sub(a_1, a_0), sub(b_1, b_0)
    length_a, length_b = norm(along_a), norm(along_b)
    u = scale(along_a, 1.0 / length_a) if length_a > 0.0 else n
    v = scale(along_b, 1.0 / length_b) if length_b > 0.0 else n
    s_a, s_b = closest_parameters(a_0, u, length_a, b_0, v, length_b)
    pa, pb = add_scaled(a_0, u, s_a), add_scaled(b_0, v, s_b)
    return lower, norm(sub(pa, pb)), n, pa, pb, va, vb


@kernel
def _across_both(
    geometry: Floats, topology: Ints, a: int, b: int, m: Matrix, side_a: int, side_b: int, n: Vec3
) -> Vec3:
    """The direction near n at the angles of both sides to their axes; n itself if the axes are parallel."""
    axis, cosine_a = side_circle(geometry, topology, a, side_a)
    x, cosine_a = turn(m, axis), -cosine_a
    y, cosine_b = side_circle(geometry, topology, b, side_b)
    g = dot(x, y)
    across = cross(x, y)
    sine2 = dot(across, across)
    if sine2 < QUOTIENT * SINE:
        return n
    along_x, along_y = (cosine_a - g * cosine_b) / sine2, (cosine_b - g * cosine_a) / sine2
    rest = (1.0 - along_x * along_x - along_y * along_y - 2.0 * g * along_x * along_y) / sine2
    height = sqrt(max(rest, 0.0))
    ahead = add_scaled(add_scaled(scale(x, along_x), y, along_y), across, height if dot(across, n) >= 0.0 else -height)
    return scale(ahead, 1.0 / norm(ahead))


@kernel
def _turn_about(
    geometry: Floats,
    topology: Ints,
    cores: Cores,
    axis: Vec3,
    cosine: float,
    va: int,
    vb: int,
    n: Vec3,
) -> Vec3:
    """The direction near n, at an angle to an axis, along which the cores are furthest apart: Newton."""
    a, b, m, _ = cores
    radius = sqrt(1.0 - cosine * cosine)
    for _ in range(_MOST_NEWTON):
        out = add_scaled(n, axis, -dot(n, axis))
        length = norm(out)
        if not length > 0.0:
            return n
        out = scale(out, 1.0 / length)
        along = cross(axis, out)
        n = add_scaled(scale(axis, cosine), out, radius)
        pa, pb, va, vb = reach_both(geometry, topology, cores, n, va, vb)
        w = sub(pa, pb)
        slope = radius * dot(w, along)
        down, back = turn_back(m, (-n[0], -n[1], -n[2])), turn_back(m, along)
        bend_a, _, _ = bend(geometry, topology, a, va, down, back, back)
        bend_b, _, _ = bend(geometry, topology, b, vb, n, along, along)
        fall = radius * radius * (bend_a + bend_b) + radius * dot(w, out)
        if not fall > 0.0:
            return n
        angle = min(max(slope / fall, -0.5), 0.5)
        n = add_scaled(add_scaled(scale(axis, cosine), out, radius * cos(angle)), along, radius * sin(angle))
        if abs(angle) < EPSILON:
            return n
    return n
