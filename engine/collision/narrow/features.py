"""Closest points of two features: vertices, edges and faces of the cores of two shapes, taken as closed sets.

A feature is one integer: its number times four plus its kind. The closest points of two features may lie on a lower
feature (an end of an edge, the rim of a face); `settle` names the lowest one that holds each point, because that is the
feature whose Voronoi region the other point must be in (Mirtich 1996, 2.2).
"""

from __future__ import annotations

from math import inf, sqrt

from engine.collision.narrow.frames import Matrix, place, turn, unplace
from engine.geometry.polyhedron import Floats, Ints
from engine.geometry.pool import (
    EDGE_ENDS,
    EDGE_WIDTH,
    EDGES,
    FACE_BOUNDS,
    FACES,
    HEADER,
    INTO_LEFT,
    INTO_RIGHT,
    LENGTH,
    vec_at,
    vertex_of,
)
from engine.kernel import kernel
from engine.maths.rounding import COORDINATE
from engine.maths.vectors import Vec3, add_scaled, cross, dot, norm, scale, sub

VERTEX = 0
EDGE = 1
FACE = 2

_ROUNDING = COORDINATE
"""Rounding of a coordinate relative to the size of the configuration [1]."""

Pair = tuple[int, int, Vec3, Vec3, Vec3, float, float]
"""Features of a and b, closest points and unit normal from b to a (frame of b), distance [m] (below 0: the vertex is
under the face), and the least slope [1] against the normal that makes a neighbour worth a look. That is just above 0
where the normal is a face's or goes across two edges. Where it is the line between two points it may be off by rounding
over their distance, and the slope is below 0 by as much: a higher feature that may be as near has the better normal."""


@kernel
def edge_end(topology: Ints, shape: int, edge: int, end: int) -> int:
    """The vertex where an edge starts (end = 0) or ends (end = 1)."""
    return topology[topology[HEADER * shape + EDGE_ENDS] + 4 * edge + end]


@kernel
def edge_place(topology: Ints, shape: int, edge: int) -> int:
    """Where an edge's row starts in the float array."""
    return topology[HEADER * shape + EDGES] + EDGE_WIDTH * edge


@kernel
def face_place(topology: Ints, shape: int, face: int) -> int:
    """Where a face's normal and offset start in the float array."""
    return topology[HEADER * shape + FACES] + 4 * face


@kernel
def into_face(topology: Ints, shape: int, half: int) -> int:
    """Where the vector starts that leads from a half edge into the face on its left, perpendicular to the edge."""
    return edge_place(topology, shape, half >> 1) + (INTO_RIGHT if half & 1 else INTO_LEFT)


@kernel
def closest_on_face(
    geometry: Floats, topology: Ints, shape: int, face: int, x: Vec3, slack: float, inside: int
) -> tuple[int, Vec3, float]:
    """The lowest feature of a closed face that holds its closest point to x, that point, and x's height over the face.

    Outside by less than `slack` [m] is inside. inside: an edge that x is known to be on the inner side of; -1: none.
    """
    k = face_place(topology, shape, face)
    normal = vec_at(geometry, k)
    height = dot(normal, x) - geometry[k + 3]
    bounds = topology[HEADER * shape + FACE_BOUNDS] + face
    feature = 4 * face + FACE
    point = add_scaled(x, normal, -height)
    nearest = inf
    for place_of_half in range(topology[bounds], topology[bounds + 1]):
        half = topology[place_of_half]
        edge = half >> 1
        away = sub(x, vertex_of(geometry, topology, shape, edge_end(topology, shape, edge, 0)))
        if edge == inside or dot(vec_at(geometry, into_face(topology, shape, half)), away) >= -slack:
            continue
        on_rim, rim_point = closest_on_edge(geometry, topology, shape, edge, x, slack)
        away = sub(x, rim_point)
        distance = dot(away, away)
        if distance < nearest:
            nearest = distance
            feature = on_rim
            point = rim_point
    return feature, point, height


@kernel
def closest_on_edge(geometry: Floats, topology: Ints, shape: int, edge: int, x: Vec3, slack: float) -> tuple[int, Vec3]:
    """The lowest feature of a closed edge that holds its closest point to x, and that point. Ends begin `slack` out."""
    k = edge_place(topology, shape, edge)
    start = edge_end(topology, shape, edge, 0)
    origin = vertex_of(geometry, topology, shape, start)
    along = vec_at(geometry, k)
    s = dot(sub(x, origin), along)
    if s <= -slack:
        return 4 * start + VERTEX, origin
    if s >= geometry[k + LENGTH] + slack:
        end = edge_end(topology, shape, edge, 1)
        return 4 * end + VERTEX, vertex_of(geometry, topology, shape, end)
    return 4 * edge + EDGE, add_scaled(origin, along, s)


@kernel
def closest_parameters(p: Vec3, u: Vec3, length_p: float, q: Vec3, v: Vec3, length_q: float) -> tuple[float, float]:
    """Parameters of the closest points p + s u and q + t v of two segments; u, v unit.

    Everything is first made perpendicular to v: the determinant of the usual two equations loses the distance of
    nearly parallel edges to rounding. Parallel ones give the first of the closest points along p.
    """
    r = sub(q, p)
    across = add_scaled(u, v, -dot(u, v))
    apart = add_scaled(r, v, -dot(r, v))
    sine2 = dot(across, across)
    s = 0.0
    if sine2 > COORDINATE * COORDINATE:
        s = min(max(dot(apart, across) / sine2, 0.0), length_p)
    t = s * dot(u, v) - dot(r, v)
    if t < 0.0:
        t = 0.0
        s = min(max(dot(r, u), 0.0), length_p)
    elif t > length_q:
        t = length_q
        s = min(max(dot(r, u) + length_q * dot(u, v), 0.0), length_p)
    return s, t


@kernel
def perpendicular(n: Vec3, u: Vec3) -> Vec3:
    """The unit vector n made perpendicular to the unit vector u to rounding, where it nearly is already.

    Across two edges at a small angle, a cross product is off by rounding / angle. What is left of that after this is a
    turn about the edges, which matters little: both stay perpendicular to n.
    """
    n = add_scaled(n, u, -dot(n, u))
    return scale(n, 1.0 / norm(n))


@kernel
def settle(
    geometry: Floats, topology: Ints, shape_a: int, m: Matrix, t: Vec3, shape_b: int, size: float, fa: int, fb: int
) -> Pair:
    """Closest points of the closed features fa and fb, reduced to the lowest features that hold them.

    m, t take coordinates of a to those of b; size [m] is the scale of all coordinates. A face goes with a vertex only.
    """
    slack = _ROUNDING * size
    if fb & 3 == FACE:
        pa = place(m, t, vertex_of(geometry, topology, shape_a, fa >> 2))
        k = face_place(topology, shape_b, fb >> 2)
        fb, pb, height = closest_on_face(geometry, topology, shape_b, fb >> 2, pa, slack, -1)
        if fb & 3 == FACE:
            return fa, fb, pa, pb, vec_at(geometry, k), height, 2.0 * _ROUNDING
        return _apart(fa, fb, pa, pb, size)
    if fa & 3 == FACE:
        pb = vertex_of(geometry, topology, shape_b, fb >> 2)
        k = face_place(topology, shape_a, fa >> 2)
        fa, local, height = closest_on_face(geometry, topology, shape_a, fa >> 2, unplace(m, t, pb), slack, -1)
        if fa & 3 == FACE:
            n = scale(turn(m, vec_at(geometry, k)), -1.0)
            return fa, fb, add_scaled(pb, n, height), pb, n, height, 2.0 * _ROUNDING
        return _apart(fa, fb, place(m, t, local), pb, size)
    if fa & 3 == EDGE:
        if fb & 3 == EDGE:
            return _settle_edges(geometry, topology, shape_a, m, t, shape_b, size, fa >> 2, fb >> 2)
        pb = vertex_of(geometry, topology, shape_b, fb >> 2)
        fa, local = closest_on_edge(geometry, topology, shape_a, fa >> 2, unplace(m, t, pb), slack)
        return _apart(fa, fb, place(m, t, local), pb, size)
    pa = place(m, t, vertex_of(geometry, topology, shape_a, fa >> 2))
    if fb & 3 == EDGE:
        fb, pb = closest_on_edge(geometry, topology, shape_b, fb >> 2, pa, slack)
        return _apart(fa, fb, pa, pb, size)
    return _apart(fa, fb, pa, vertex_of(geometry, topology, shape_b, fb >> 2), size)


@kernel
def _apart(fa: int, fb: int, pa: Vec3, pb: Vec3, size: float) -> Pair:
    """A pair whose normal is the line between its points."""
    w = sub(pa, pb)
    d = norm(w)
    if d == 0.0:
        return fa, fb, pa, pb, (0.0, 0.0, 1.0), 0.0, -1.0
    return fa, fb, pa, pb, scale(w, 1.0 / d), d, -2.0 * _ROUNDING * size / d


@kernel
def _settle_edges(
    geometry: Floats, topology: Ints, shape_a: int, m: Matrix, t: Vec3, shape_b: int, size: float, ea: int, eb: int
) -> Pair:
    ka = edge_place(topology, shape_a, ea)
    kb = edge_place(topology, shape_b, eb)
    start_a, start_b = edge_end(topology, shape_a, ea, 0), edge_end(topology, shape_b, eb, 0)
    p = place(m, t, vertex_of(geometry, topology, shape_a, start_a))
    q = vertex_of(geometry, topology, shape_b, start_b)
    u = turn(m, vec_at(geometry, ka))
    v = vec_at(geometry, kb)
    length_a, length_b = geometry[ka + LENGTH], geometry[kb + LENGTH]
    s_a, s_b = closest_parameters(p, u, length_a, q, v, length_b)
    fa, fb = 4 * ea + EDGE, 4 * eb + EDGE
    if s_a <= 0.0 or s_a >= length_a:
        fa = 4 * (start_a if s_a <= 0.0 else edge_end(topology, shape_a, ea, 1)) + VERTEX
        p = place(m, t, vertex_of(geometry, topology, shape_a, fa >> 2))
    else:
        p = add_scaled(p, u, s_a)
    if s_b <= 0.0 or s_b >= length_b:
        fb = 4 * (start_b if s_b <= 0.0 else edge_end(topology, shape_b, eb, 1)) + VERTEX
        q = vertex_of(geometry, topology, shape_b, fb >> 2)
    else:
        q = add_scaled(q, v, s_b)
    fa, fb, p, q, n, d, least = _apart(fa, fb, p, q, size)
    if fa & 3 == EDGE and fb & 3 == EDGE:
        c = cross(u, v)
        sine = sqrt(dot(c, c))
        if sine * size > d:  # then the edges' directions say more about the normal than the points do
            n = perpendicular(scale(c, (1.0 if dot(c, n) >= 0.0 else -1.0) / sine), u)
            least = 2.0 * _ROUNDING / sine
    return fa, fb, p, q, n, d, least
