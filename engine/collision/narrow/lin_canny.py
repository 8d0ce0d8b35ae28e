"""Closest features of two convex cores (Lin and Canny; Mirtich 1996, 2.2), for points, segments and polyhedra alike.

The walk holds a pair of features and their closest points. Each point must lie in the Voronoi region of the other's
feature; if it does not, a neighbouring feature is closer and takes over. Here a takeover has to bring the closest
points nearer to each other, all but a few in a walk, so that it cannot cycle. It ends

- where both points are in both regions: they are the closest points (Theorem 2);
- where the cores meet: an edge pierces a face, or a point lies inside, or nothing is left between the points;
- where rounding hides the way on: between nearly parallel features that nearly touch. The search over separating axes,
  which sees those with full precision, then checks the result.

An edge never stays paired with a face: it slides along the face to one end or to the face's rim, so that parallel
features need no case of their own.
"""

from __future__ import annotations

from math import inf

from engine.collision.narrow.features import (
    EDGE,
    FACE,
    VERTEX,
    Pair,
    closest_on_face,
    edge_end,
    edge_place,
    face_place,
    into_face,
    settle,
)
from engine.collision.narrow.frames import Cores, Matrix, place, transpose, turn, turn_back, unplace
from engine.collision.narrow.separating_axis import find_axis
from engine.geometry.polyhedron import Floats, Ints
from engine.geometry.pool import (
    CORE_RADIUS,
    EDGE_COUNT,
    EDGE_ENDS,
    FACE_BOUNDS,
    FACE_COUNT,
    HEADER,
    LENGTH,
    SCALARS,
    VERTEX_BOUNDS,
    climb,
    vec_at,
    vertex_of,
)
from engine.kernel import kernel
from engine.maths.rounding import EPSILON, QUOTIENT, SINE, SUM
from engine.maths.vectors import Vec3, any_perpendicular, cross, dot, norm, scale, sub

# How a walk, or a step of it, ended.
APART = 0
MEET = 1
DOUBTFUL = 2
_STEP = 3
_DONE = 4

_TOUCHING = 8.0 * QUOTIENT
"""Cores nearer than this part of the configuration's size [1] touch: no direction can be made of what is between."""

_CLEAR = SINE
"""A slope [1] against the normal that must lead nearer; and how far off [rad] a normal may be without a check."""

_ROUNDING = SUM
"""Distances that differ by less than this part of the configuration's size [1] are the same."""

_PATIENCE = 16
"""Takeovers in a walk that may gain nothing: there may be something to gain behind them."""

_MOST_STEPS = 20_000


@kernel
def find_closest(geometry: Floats, topology: Ints, cores: Cores, fa: int, fb: int) -> tuple[Pair, int]:
    """Closest points of the cores of two shapes, none of them a plane: the pair in b's frame, and the steps taken.

    fa, fb are features to start from, -1 for none. Where the cores meet, the pair's distance is minus the depth and its
    normal the way out, both by the separating axis of least penetration, which does not depend on the start.
    """
    shape_a, shape_b, m, t = cores
    size = geometry[SCALARS * shape_a + CORE_RADIUS] + geometry[SCALARS * shape_b + CORE_RADIUS] + norm(t)
    if fa < 0 or fb < 0 or (fa & 3) + (fb & 3) > FACE:
        fa = 4 * climb(geometry, topology, shape_a, scale(turn_back(m, t), -1.0), 0) + VERTEX
        fb = 4 * climb(geometry, topology, shape_b, t, 0) + VERTEX
    status, pair, steps = _walk(geometry, topology, cores, size, fa, fb)
    if status == APART:
        return pair, steps
    if topology[HEADER * shape_a + FACE_COUNT] + topology[HEADER * shape_b + FACE_COUNT] == 0:
        return _between_lines(geometry, topology, shape_a, shape_b, m, size, pair), steps
    axis = find_axis(geometry, topology, cores, size)
    if axis[5] <= _TOUCHING * size:
        return axis, steps
    # Apart after all, or nearer somewhere else: walk again from where the axis sees the cores nearest.
    status_again, pair_again, more = _walk(geometry, topology, cores, size, axis[0], axis[1])
    if status == MEET:
        return (axis if status_again == MEET else pair_again), steps + more
    if status_again == MEET or pair[5] < pair_again[5] - _ROUNDING * size:
        return pair, steps + more
    return pair_again, steps + more


@kernel
def _walk(geometry: Floats, topology: Ints, cores: Cores, size: float, fa: int, fb: int) -> tuple[int, Pair, int]:
    """From features fa, fb to features that no neighbour beats: how it ended, the pair, the steps taken."""
    shape_a, shape_b, m, t = cores
    back = transpose(m)
    mirrored = Cores(shape_b, shape_a, back, scale(turn(back, t), -1.0))
    nowhere = (0.0, 0.0, 0.0)
    pair = (fa, fb, nowhere, nowhere, nowhere, inf, 0.0)
    steep = 1.0
    idle = 0
    side = 0
    for steps in range(_MOST_STEPS):
        inside, offer = _settle_outside(geometry, topology, shape_a, m, t, shape_b, size, fa, fb)
        if inside or offer[5] <= _TOUCHING * size:
            return MEET, offer, steps
        gain = pair[5] - offer[5]
        moved = gain > 4.0 * EPSILON * offer[5]
        if not moved and idle < _PATIENCE and (offer[0] != pair[0] or offer[1] != pair[1]):
            moved = gain >= -_ROUNDING * size
            idle += 1
        if moved:
            pair = offer
            side = 0
        elif steep > _CLEAR:
            return DOUBTFUL, pair, steps
        else:
            side += 1
        step = _DONE
        while step == _DONE and side < 2:
            fa, fb, pa, pb, n, _, least = pair
            if side == 0:
                toward = turn_back(m, scale(n, -1.0))
                step, fa, fb, steep = _improve(geometry, topology, cores, fa, fb, toward, pb, True, least)
            else:
                step, fb, fa, steep = _improve(geometry, topology, mirrored, fb, fa, n, pa, False, least)
            if step == _DONE:
                side += 1
        if step == MEET:
            return MEET, pair, steps
        if step == _DONE:
            edges = topology[HEADER * shape_a + EDGE_COUNT] > 0 and topology[HEADER * shape_b + EDGE_COUNT] > 0
            return (DOUBTFUL if edges and pair[6] < -_CLEAR else APART), pair, steps
    return DOUBTFUL, pair, _MOST_STEPS


@kernel
def _settle_outside(
    geometry: Floats, topology: Ints, shape_a: int, m: Matrix, t: Vec3, shape_b: int, size: float, fa: int, fb: int
) -> tuple[bool, Pair]:
    """`settle`, but a vertex under its face goes on to the face that leads out to it. True: none does, it is inside."""
    pair = settle(geometry, topology, shape_a, m, t, shape_b, size, fa, fb)
    if pair[5] > 0.0:
        return False, pair
    way_out = -1
    if pair[1] & 3 == FACE:
        way_out = _find_exit(geometry, topology, shape_b, pair[3], pair[2])
        fa, fb = pair[0], 4 * way_out + FACE
    elif pair[0] & 3 == FACE:
        way_out = _find_exit(geometry, topology, shape_a, unplace(m, t, pair[2]), unplace(m, t, pair[3]))
        fa, fb = 4 * way_out + FACE, pair[1]
    if way_out >= 0:
        pair = settle(geometry, topology, shape_a, m, t, shape_b, size, fa, fb)
    return pair[5] <= 0.0, pair


@kernel
def _find_exit(geometry: Floats, topology: Ints, shape: int, inside: Vec3, target: Vec3) -> int:
    """The face through which the way from a point of the polyhedron to `target` leaves it; -1: it does not leave."""
    way_out = -1
    earliest = inf
    for face in range(topology[HEADER * shape + FACE_COUNT]):
        k = face_place(topology, shape, face)
        normal = vec_at(geometry, k)
        end = dot(normal, target) - geometry[k + 3]
        if end > 0.0:
            begin = min(dot(normal, inside) - geometry[k + 3], 0.0)
            when = begin / (begin - end)
            if when < earliest:
                earliest = when
                way_out = face
    return way_out


@kernel
def _improve(
    geometry: Floats,
    topology: Ints,
    cores: Cores,
    fx: int,
    fy: int,
    toward: Vec3,
    point: Vec3,
    in_y: bool,
    least: float,
) -> tuple[int, int, int, float]:
    """A neighbour of x's feature fx that is nearer to y's closest point, and y's feature that it should be paired with.

    cores: x and y. toward: unit vector from x to y, in x's frame; point: y's closest point, in y's frame if `in_y`,
    else in x's. Returns _STEP and the pair of features, _DONE if there is no such neighbour, MEET if the way there
    leads into y; and the cosine between that way and `toward`.
    """
    shape_x, shape_y, m, t = cores
    if fx & 3 == VERTEX:
        half, steep = _steepest_edge(geometry, topology, shape_x, fx >> 2, toward)
        if steep <= least:
            return _DONE, fx, fy, steep
        if fy & 3 != FACE:
            return _STEP, 4 * (half >> 1) + EDGE, fy, steep
        k = edge_place(topology, shape_x, half >> 1)
        along = turn(m, vec_at(geometry, k))
        start = place(m, t, vertex_of(geometry, topology, shape_x, fx >> 2))
        rim, far = _slide(geometry, topology, shape_y, fy >> 2, start, along, half & 1, geometry[k + LENGTH])
        if not far:
            return MEET, fx, fy, steep
        if rim >= 0:
            return _STEP, 4 * (half >> 1) + EDGE, 4 * rim + EDGE, steep
        return _STEP, 4 * edge_end(topology, shape_x, half >> 1, 1 - (half & 1)) + VERTEX, fy, steep
    if fx & 3 == EDGE:
        face, steep = _steepest_face(geometry, topology, shape_x, fx >> 2, toward)
        if face < 0 or steep <= least:
            return _DONE, fx, fy, steep
        if fy & 3 == VERTEX:
            return _STEP, 4 * face + FACE, fy, steep
        if in_y:
            point = unplace(m, t, point)
        step, fx, fy = _edge_over_face(geometry, topology, shape_x, face, fx >> 2, point, shape_y, fy, m, t)
        return step, fx, fy, steep
    return _DONE, fx, fy, 0.0


@kernel
def _steepest_edge(geometry: Floats, topology: Ints, shape: int, vertex: int, toward: Vec3) -> tuple[int, float]:
    """The half edge out of a vertex that points most along `toward`, and the cosine; (-1, -1): there are no edges."""
    bounds = topology[HEADER * shape + VERTEX_BOUNDS] + vertex
    best = -1
    steepest = -1.0
    for k in range(topology[bounds], topology[bounds + 1]):
        half = topology[k]
        slope = dot(vec_at(geometry, edge_place(topology, shape, half >> 1)), toward)
        if half & 1:
            slope = -slope
        if slope > steepest:
            steepest = slope
            best = half
    return best, steepest


@kernel
def _steepest_face(geometry: Floats, topology: Ints, shape: int, edge: int, toward: Vec3) -> tuple[int, float]:
    """The face of an edge that, from the edge on, points most along `toward`, and the cosine; (-1, -1): no faces."""
    k = topology[HEADER * shape + EDGE_ENDS] + 4 * edge
    left, right = topology[k + 2], topology[k + 3]
    if left < 0:
        return -1, -1.0
    into_left = dot(vec_at(geometry, into_face(topology, shape, 2 * edge)), toward)
    into_right = dot(vec_at(geometry, into_face(topology, shape, 2 * edge + 1)), toward)
    if into_left >= into_right:
        return left, into_left
    return right, into_right


@kernel
def _slide(
    geometry: Floats, topology: Ints, shape: int, face: int, start: Vec3, along: Vec3, backwards: int, length: float
) -> tuple[int, bool]:
    """Follow a straight way over a face from a point above it: the edge of the rim it crosses, -1 if it ends before.

    The way goes along `along`, or against it if `backwards`. False: it runs into the face.
    """
    if backwards:
        along = scale(along, -1.0)
    k = face_place(topology, shape, face)
    normal = vec_at(geometry, k)
    bounds = topology[HEADER * shape + FACE_BOUNDS] + face
    rim = -1
    end = length
    for place_of_half in range(topology[bounds], topology[bounds + 1]):
        half = topology[place_of_half]
        inward = vec_at(geometry, into_face(topology, shape, half))
        rate = dot(inward, along)
        if rate < 0.0:
            corner = vertex_of(geometry, topology, shape, edge_end(topology, shape, half >> 1, 0))
            here = max(dot(inward, sub(start, corner)), 0.0) / -rate
            if here < end:
                end = here
                rim = half >> 1
    height = dot(normal, start) - geometry[k + 3]
    return rim, height + end * dot(normal, along) > 0.0


@kernel
def _edge_over_face(
    geometry: Floats,
    topology: Ints,
    shape: int,
    face: int,
    inside: int,
    x: Vec3,
    other: int,
    feature: int,
    m: Matrix,
    t: Vec3,
) -> tuple[int, int, int]:
    """The pair of features to look at after an edge of `other` (its point x in the shape's frame) is nearer to `face`.

    It came from the face's edge `inside`, and is on the inner side of it, if only by less than rounding can tell.

    Returns the status, the shape's feature and the other's. Over the inside of the face the edge slides on downwards;
    elsewhere it stays and meets what the face has nearest to x.
    """
    nearest, point, height = closest_on_face(geometry, topology, shape, face, x, 0.0, inside)
    if nearest & 3 == FACE and height <= 0.0:
        face = _find_exit(geometry, topology, shape, point, x)
        if face < 0:
            return MEET, nearest, feature
        nearest, point, height = closest_on_face(geometry, topology, shape, face, x, 0.0, -1)
    if nearest & 3 != FACE:
        return _STEP, nearest, feature
    edge = feature >> 2
    k = edge_place(topology, other, edge)
    along = turn_back(m, vec_at(geometry, k))
    begin = unplace(m, t, vertex_of(geometry, topology, other, edge_end(topology, other, edge, 0)))
    done = dot(sub(x, begin), along)
    backwards = 1 if dot(vec_at(geometry, face_place(topology, shape, face)), along) > 0.0 else 0
    length = done if backwards else geometry[k + LENGTH] - done
    rim, far = _slide(geometry, topology, shape, face, x, along, backwards, length)
    if not far:
        return MEET, nearest, feature
    if rim >= 0:
        return _STEP, 4 * rim + EDGE, feature
    return _STEP, nearest, 4 * edge_end(topology, other, edge, 1 - backwards) + VERTEX


@kernel
def _between_lines(
    geometry: Floats, topology: Ints, shape_a: int, shape_b: int, m: Matrix, size: float, pair: Pair
) -> Pair:
    """The pair of two cores without faces; where they touch, with a normal across both."""
    fa, fb, pa, pb, n, d, least = pair
    if not d <= _TOUCHING * size:  # apart, or not a number
        return pair
    n = (0.0, 0.0, 1.0)
    edge_a = topology[HEADER * shape_a + EDGE_COUNT] > 0
    edge_b = topology[HEADER * shape_b + EDGE_COUNT] > 0
    if edge_b:
        n = any_perpendicular(vec_at(geometry, edge_place(topology, shape_b, 0)))
    if edge_a:
        u = turn(m, vec_at(geometry, edge_place(topology, shape_a, 0)))
        c = cross(u, vec_at(geometry, edge_place(topology, shape_b, 0))) if edge_b else (0.0, 0.0, 0.0)
        sine = norm(c)
        n = scale(c, 1.0 / sine) if sine > SINE else any_perpendicular(u)
    return fa, fb, pa, pa, n, 0.0, least
