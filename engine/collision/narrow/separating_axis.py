"""The axis along which two cores are furthest apart, or penetrate least: the answer where they meet.

The candidates are the face normals of both and the cross products of those pairs of edges that are a face of the
Minkowski difference. An edge of x owns the arc between its two faces' normals; walking that arc, the vertex of y that
is nearest to x changes exactly where an edge of y crosses it. So all pairs are found by walking, never by trying each
edge with each: along d = d0 + s (d1 - d0) the heights of y's vertices are linear in s, and the walk is a parametric
simplex.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.collision.narrow.features import (
    EDGE,
    FACE,
    VERTEX,
    Pair,
    closest_parameters,
    edge_end,
    edge_place,
    face_place,
    into_face,
    perpendicular,
)
from engine.collision.narrow.frames import Cores, Matrix, place, transpose, turn, turn_back, unplace
from engine.geometry.polyhedron import Floats, Ints
from engine.geometry.pool import (
    EDGE_COUNT,
    EDGE_ENDS,
    FACE_BOUNDS,
    FACE_COUNT,
    HEADER,
    LENGTH,
    VERTEX_BOUNDS,
    climb,
    vec_at,
    vertex_of,
)
from engine.kernel import kernel
from engine.maths.rounding import QUOTIENT, ROOT, SUM, TINY
from engine.maths.vectors import Vec3, add_scaled, cross, dot, norm, scale, sub
from engine.tolerances import LEVEL_ANGLE

_BETTER = 8.0 * SUM
"""A later candidate must be better by this part of the configuration's size [1]: ties go to the first."""

_BLUNT = LEVEL_ANGLE
"""Arcs whose chord comes nearer to the centre than this [1] take their axis from the edges' directions instead."""

_OPPOSITE = -1.0 + QUOTIENT
"""Faces whose normals have a smaller cosine [1] than this are the two sides of a flat polygon."""

Axis = tuple[float, Vec3, int, int]
"""Separation [m], unit direction from x to y in x's frame, feature of x, feature of y."""


@kernel
def find_axis(geometry: Floats, topology: Ints, cores: Cores, size: float) -> Pair:
    """Axis of greatest separation (least penetration) of two cores, at least one of them a polyhedron.

    The pair's distance is the separation, below 0 the depth [m]; its points are on the two features that the axis
    belongs to.
    """
    shape_a, shape_b, m, t = cores
    if topology[HEADER * shape_b + FACE_COUNT] > 0:
        separation, n, fb, fa = _best_axis(geometry, topology, cores, size)
        pb, pa = _witness(geometry, topology, cores, separation, n, fb, fa)
        return fa, fb, pa, pb, n, separation, 0.0
    back = transpose(m)
    mirrored = Cores(shape_b, shape_a, back, scale(turn(back, t), -1.0))
    separation, n, fa, fb = _best_axis(geometry, topology, mirrored, size)
    pa, pb = _witness(geometry, topology, mirrored, separation, n, fa, fb)
    return fa, fb, place(m, t, pa), place(m, t, pb), scale(turn(m, n), -1.0), separation, 0.0


@kernel
def _best_axis(geometry: Floats, topology: Ints, cores: Cores, size: float) -> Axis:
    """Best of all candidates; cores: y and x, which has faces."""
    y, x, m, t = cores
    best: Axis = (-inf, (0.0, 0.0, 1.0), FACE, VERTEX)
    nearest = 0
    crossable = topology[HEADER * y + EDGE_COUNT] > 0
    bounds = topology[HEADER * x + FACE_BOUNDS]
    ends = topology[HEADER * x + EDGE_ENDS]
    for face in range(topology[HEADER * x + FACE_COUNT]):
        k = face_place(topology, x, face)
        d = vec_at(geometry, k)
        nearest = climb(geometry, topology, y, scale(turn_back(m, d), -1.0), nearest)
        separation = dot(d, place(m, t, vertex_of(geometry, topology, y, nearest))) - geometry[k + 3]
        if separation > best[0] + _BETTER * size:
            best = (separation, d, 4 * face + FACE, 4 * nearest + VERTEX)
        for place_of_half in range(topology[bounds + face], topology[bounds + face + 1]):
            half = topology[place_of_half]
            if crossable and not half & 1:
                d_end = vec_at(geometry, face_place(topology, x, topology[ends + 4 * (half >> 1) + 3]))
                if dot(d, d_end) > _OPPOSITE:
                    best = _walk_arc(geometry, topology, cores, half >> 1, d, d_end, nearest, size, best)
                else:  # the two faces of a polygon: from one to the other there is only the way round the rim
                    rim = scale(vec_at(geometry, into_face(topology, x, half)), -1.0)
                    below = climb(geometry, topology, y, scale(turn_back(m, rim), -1.0), nearest)
                    best = _walk_arc(geometry, topology, cores, half >> 1, d, rim, nearest, size, best)
                    best = _walk_arc(geometry, topology, cores, half >> 1, rim, d_end, below, size, best)
    furthest = 0
    for face in range(topology[HEADER * y + FACE_COUNT]):
        k = face_place(topology, y, face)
        n = vec_at(geometry, k)
        d = scale(turn(m, n), -1.0)
        furthest = climb(geometry, topology, x, d, furthest)
        corner = vertex_of(geometry, topology, x, furthest)
        separation = dot(n, unplace(m, t, corner)) - geometry[k + 3]
        if separation > best[0] + _BETTER * size:
            best = (separation, d, 4 * furthest + VERTEX, 4 * face + FACE)
    return best


@kernel
def _walk_arc(
    geometry: Floats,
    topology: Ints,
    cores: Cores,
    edge: int,
    d0: Vec3,
    d1: Vec3,
    nearest: int,
    size: float,
    best: Axis,
) -> Axis:
    """The better of `best` and all axes across `edge` of x and an edge of y, between the normals d0 and d1.

    nearest: the vertex of y that is lowest along d0.
    """
    y, x, m, t = cores
    from_0, from_1 = turn_back(m, d0), turn_back(m, d1)
    bounds = topology[HEADER * y + VERTEX_BOUNDS]
    corner = vertex_of(geometry, topology, x, edge_end(topology, x, edge, 0))
    at = 0.0
    walking = True
    while walking:
        here = vertex_of(geometry, topology, y, nearest)
        here_0, here_1 = dot(here, from_0), dot(here, from_1)
        when, rate, crossed = 1.0, 0.0, -1
        for k in range(topology[bounds + nearest], topology[bounds + nearest + 1]):
            half = topology[k]
            there = vertex_of(geometry, topology, y, edge_end(topology, y, half >> 1, 1 - (half & 1)))
            # Each step goes to a vertex that is lower at the end of the arc, so the walk ends, whatever rounding does.
            end = dot(there, from_1) - here_1
            if end < 0.0:
                begin = max(dot(there, from_0) - here_0, 0.0)
                s = max(begin / (begin - end), at)
                if s < when or (s == when and end < rate):
                    when, rate, crossed = s, end, half
        walking = crossed >= 0
        if walking:
            d = _across(geometry, topology, x, edge, y, crossed >> 1, m, add_scaled(scale(d0, 1.0 - when), d1, when))
            separation = dot(d, sub(place(m, t, here), corner))
            if separation > best[0] + _BETTER * size:
                best = (separation, d, 4 * edge + EDGE, 4 * (crossed >> 1) + EDGE)
            nearest = edge_end(topology, y, crossed >> 1, 1 - (crossed & 1))
            at = when
    return best


@kernel
def _across(geometry: Floats, topology: Ints, x: int, edge: int, y: int, crossed: int, m: Matrix, chord: Vec3) -> Vec3:
    """Unit vector across two edges, near the direction `chord` (in x's frame)."""
    length = norm(chord)
    if length < _BLUNT:
        u = vec_at(geometry, edge_place(topology, x, edge))
        c = cross(u, turn(m, vec_at(geometry, edge_place(topology, y, crossed))))
        sine = sqrt(dot(c, c))
        if sine > 64.0 * ROOT:
            return perpendicular(scale(c, (1.0 if dot(c, chord) >= 0.0 else -1.0) / sine), u)
    return scale(chord, 1.0 / max(length, TINY))


@kernel
def _witness(
    geometry: Floats, topology: Ints, cores: Cores, separation: float, n: Vec3, fx: int, fy: int
) -> tuple[Vec3, Vec3]:
    """Points of x and y, in x's frame, on the features of an axis n from x to y."""
    y, x, m, t = cores
    if fx & 3 == FACE:
        py = place(m, t, vertex_of(geometry, topology, y, fy >> 2))
        return add_scaled(py, n, -separation), py
    if fx & 3 == VERTEX:
        px = vertex_of(geometry, topology, x, fx >> 2)
        return px, add_scaled(px, n, separation)
    kx, ky = edge_place(topology, x, fx >> 2), edge_place(topology, y, fy >> 2)
    p = vertex_of(geometry, topology, x, edge_end(topology, x, fx >> 2, 0))
    q = place(m, t, vertex_of(geometry, topology, y, edge_end(topology, y, fy >> 2, 0)))
    u, v = vec_at(geometry, kx), turn(m, vec_at(geometry, ky))
    s, _ = closest_parameters(p, u, geometry[kx + LENGTH], q, v, geometry[ky + LENGTH])
    px = add_scaled(p, u, s)
    return px, add_scaled(px, n, separation)
