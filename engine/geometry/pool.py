"""All shapes of a model in two flat arrays, so that a kernel takes two arguments and a row.

Each shape has a header row at the front of both arrays; the rest is found through it. Lengths in metres, body frame.

    topology   header  HEADER int64 per shape: the columns below
               edges   4 per edge: start, end, left face, right face (-1: none, the edge is a segment's)
               vertex -> half edges that leave it, face -> half edges along its loop: n + 1 bounds, then the lists.
                       A half edge is 2 * edge, or 2 * edge + 1 when run backwards. Bounds are absolute.
    geometry   header  SCALARS float64 per shape: the columns below
               vertices 3 each
               edges   EDGE_WIDTH each: unit direction, length, and for the left and for the right face the unit vector
                       from the edge into the face, perpendicular to the edge
               faces   4 each: unit outward normal, offset (normal . x on the face)

The vertices of a PLANE are a point on it and its normal. A smooth solid has no features here: where its vertices would
start there are its centre, its axes and its numbers (engine.geometry.smooth), and it counts its rims as vertices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.geometry.polyhedron import Features, find_features
from engine.geometry.shapes import BAND, PLANE, POLYHEDRON, REVOLVED, SEGMENT, Shape
from engine.geometry.smooth import support_smooth
from engine.kernel import kernel
from engine.maths.quaternions import Quat, rotate, rotate_inverse
from engine.maths.vectors import Vec3, dot

KIND = 0
VERTEX_COUNT = 1
EDGE_COUNT = 2
FACE_COUNT = 3
VERTICES = 4  # where they start in geometry
EDGES = 5  # where they start in geometry
FACES = 6  # where they start in geometry
EDGE_ENDS = 7  # where the edges start in topology
VERTEX_BOUNDS = 8  # where the bounds of the vertices' half edges start in topology
FACE_BOUNDS = 9  # where the bounds of the faces' half edges start in topology
HEADER = 12

RADIUS = 0  # of the ball that grows the core
CORE_RADIUS = 1  # largest distance of the core from the origin
SCALARS = 4

EDGE_WIDTH = 10
LENGTH = 3
INTO_LEFT = 4
INTO_RIGHT = 7

_FEW = 40  # up to here looking at every vertex is faster than climbing


class Bulk(NamedTuple):
    """Many rows of a pool at once: their headers and scalars, and what those point at."""

    floats: Floats
    ints: Ints
    header: Ints  # (rows, HEADER)
    scalars: Floats  # (rows, SCALARS)


class ShapePool(NamedTuple):
    """Shapes packed for the kernels; the layout is in the module's docstring."""

    geometry: Floats
    topology: Ints


def build_pool(shapes: Sequence[Shape]) -> ShapePool:
    """Pack convex shapes, each given in its body frame, into a pool; shape k of the list is row k."""
    return pack_pool(shapes, 0, lambda _at_float, _at_int: [])


def pack_pool(shapes: Sequence[Shape], bulk_rows: int, pack_bulk: Callable[[int, int], Sequence[Bulk]]) -> ShapePool:
    """`build_pool`, with `bulk_rows` more rows after those of `shapes`.

    pack_bulk(at_float, at_int) packs what belongs to them for parts of the arrays that start at the given places.
    """
    geometry: list[Floats] = [np.zeros(SCALARS * (len(shapes) + bulk_rows))]
    topology: list[Ints] = [np.zeros(HEADER * (len(shapes) + bulk_rows), dtype=np.int64)]
    at_float, at_int = geometry[0].size, topology[0].size
    for row, shape in enumerate(shapes):
        floats, ints, header = pack_shape(shape, at_float, at_int)
        topology[0][HEADER * row : HEADER * row + len(header)] = header
        geometry[0][SCALARS * row + RADIUS] = shape.radius
        geometry[0][SCALARS * row + CORE_RADIUS] = replace(shape, radius=0.0).bounding_radius
        geometry.append(floats)
        topology.append(ints)
        at_float += floats.size
        at_int += ints.size
    row = len(shapes)
    for bulk in pack_bulk(at_float, at_int):
        topology[0][HEADER * row : HEADER * (row + len(bulk.header))] = bulk.header.ravel()
        geometry[0][SCALARS * row : SCALARS * (row + len(bulk.scalars))] = bulk.scalars.ravel()
        geometry.append(bulk.floats)
        topology.append(bulk.ints)
        row += len(bulk.header)
    return ShapePool(np.concatenate(geometry), np.concatenate(topology))


def pack_shape(shape: Shape, at_float: int, at_int: int) -> tuple[Floats, Ints, list[int]]:
    """Float part, integer part and header of one shape, for parts that start at the given places."""
    if shape.kind >= REVOLVED:
        header = [shape.kind, len(shape.profile), 0, 0, at_float]
        return _smooth_numbers(shape), np.zeros(0, dtype=np.int64), header
    features = _features(shape)
    n_vertices, n_edges, n_faces = len(shape.vertices), len(features.edges), len(features.normals)
    floats = [
        np.asarray(shape.vertices, dtype=np.float64).ravel(),
        _edge_geometry(shape.vertices, features).ravel(),
        np.column_stack([features.normals, features.offsets]).ravel(),
    ]
    by_vertex = _ragged(features.edges_of_vertex, at_int + 4 * n_edges)
    by_face = _ragged(features.edges_of_face, at_int + 4 * n_edges + by_vertex.size)
    edges_at = at_float + 3 * n_vertices
    header = [
        shape.kind,
        n_vertices,
        n_edges,
        n_faces,
        at_float,
        edges_at,
        edges_at + EDGE_WIDTH * n_edges,
        at_int,
        at_int + 4 * n_edges,
        at_int + 4 * n_edges + by_vertex.size,
    ]
    return np.concatenate(floats), np.concatenate([features.edges.ravel(), by_vertex, by_face]), header


def _smooth_numbers(shape: Shape) -> Floats:
    """Centre, axes and parts of a smooth solid, as engine.geometry.smooth reads them."""
    centre, axes = shape.frame
    if shape.kind == BAND:
        parts = list(shape.parts)
    elif shape.kind == REVOLVED:
        parts = [number for rim in shape.profile for number in rim]
    else:
        parts = [*shape.semi_axes, *(exponent / (exponent - 1.0) for exponent in shape.exponents)]
    return np.concatenate([centre, axes.ravel(), parts])


def _features(shape: Shape) -> Features:
    if shape.kind == POLYHEDRON:
        return find_features(shape.vertices, shape.faces)
    segment = shape.kind == SEGMENT
    return Features(
        np.array([[0, 1, -1, -1]] if segment else np.zeros((0, 4)), dtype=np.int64),
        np.zeros((0, 3)),
        np.zeros(0),
        ((0,), (1,)) if segment else ((),) * len(shape.vertices),
        (),
    )


def _edge_geometry(vertices: Floats, features: Features) -> Floats:
    """(e, EDGE_WIDTH) rows; an edge without faces has zeros for the vectors into them."""
    rows = np.zeros((len(features.edges), EDGE_WIDTH))
    along = vertices[features.edges[:, 1]] - vertices[features.edges[:, 0]]
    length = np.linalg.norm(along, axis=1)
    rows[:, :3] = along / length[:, None]
    rows[:, LENGTH] = length
    if len(features.normals):
        rows[:, INTO_LEFT : INTO_LEFT + 3] = np.cross(features.normals[features.edges[:, 2]], rows[:, :3])
        rows[:, INTO_RIGHT : INTO_RIGHT + 3] = np.cross(rows[:, :3], features.normals[features.edges[:, 3]])
    return rows


def _ragged(lists: tuple[tuple[int, ...], ...], start: int) -> Ints:
    """n + 1 absolute bounds and then the lists, for an array that will start at `start`."""
    bounds = np.zeros(len(lists) + 1, dtype=np.int64)
    bounds[1:] = np.cumsum([len(entries) for entries in lists])
    flat = [entry for entries in lists for entry in entries]
    return np.concatenate([bounds + start + bounds.size, np.array(flat, dtype=np.int64)])


@kernel
def vertex_of(geometry: Floats, topology: Ints, shape: int, vertex: int) -> Vec3:
    """Coordinates of a vertex of the core, body frame."""
    k = topology[HEADER * shape + VERTICES] + 3 * vertex
    return (geometry[k], geometry[k + 1], geometry[k + 2])


@kernel
def vec_at(geometry: Floats, k: int) -> Vec3:
    """Three floats from place k on."""
    return (geometry[k], geometry[k + 1], geometry[k + 2])


@kernel
def bounding_radius(geometry: Floats, shape: int) -> float:
    """Radius [m] of the smallest ball about the origin of the body frame that holds the shape; inf for a plane."""
    return geometry[SCALARS * shape + CORE_RADIUS] + geometry[SCALARS * shape + RADIUS]


@kernel
def climb(geometry: Floats, topology: Ints, shape: int, direction: Vec3, start: int) -> int:
    """The core's vertex furthest along `direction`, climbing from vertex `start` along edges.

    On a convex polyhedron a vertex with no better neighbour is the best. Every step gains, so it ends.
    """
    base = HEADER * shape
    vertices = topology[base + VERTICES]
    ends = topology[base + EDGE_ENDS]
    bounds = topology[base + VERTEX_BOUNDS]
    best = start
    height = dot(vec_at(geometry, vertices + 3 * best), direction)
    climbing = True
    while climbing:
        climbing = False
        first, last = topology[bounds + best], topology[bounds + best + 1]
        for k in range(first, last):
            half = topology[k]
            other = topology[ends + 4 * (half >> 1) + 1 - (half & 1)]
            h = dot(vec_at(geometry, vertices + 3 * other), direction)
            if h > height:
                height = h
                best = other
                climbing = True
    return best


@kernel
def support_vertex(geometry: Floats, topology: Ints, shape: int, direction: Vec3) -> int:
    """The core's vertex furthest along `direction`, looking at all of a few and climbing among many."""
    base = HEADER * shape
    count = topology[base + VERTEX_COUNT]
    if count > _FEW:
        return climb(geometry, topology, shape, direction, 0)
    k = topology[base + VERTICES]
    best = 0
    height = -inf
    for vertex in range(count):
        h = dot(vec_at(geometry, k + 3 * vertex), direction)
        if h > height:
            height = h
            best = vertex
    return best


@kernel
def support(geometry: Floats, topology: Ints, shape: int, direction: Vec3) -> Vec3:
    """The point of the core furthest along `direction`, body frame [m]. The core only: add the radius yourself."""
    if topology[HEADER * shape + KIND] >= REVOLVED:
        return support_from(geometry, topology, shape, direction, 0)[0]
    return vertex_of(geometry, topology, shape, support_vertex(geometry, topology, shape, direction))


@kernel
def support_from(geometry: Floats, topology: Ints, shape: int, direction: Vec3, start: int) -> tuple[Vec3, int]:
    """As `support`, climbing from vertex `start` (any number for a smooth solid); and the vertex, or rim, it is on."""
    base = HEADER * shape
    if topology[base + KIND] >= REVOLVED:
        k = topology[base + VERTICES]
        return support_smooth(geometry, topology[base + KIND], k, topology[base + VERTEX_COUNT], direction)
    vertex = climb(geometry, topology, shape, direction, start)
    return vec_at(geometry, topology[base + VERTICES] + 3 * vertex), vertex


@kernel
def swept_extent(
    geometry: Floats, topology: Ints, shape: int, q: Quat
) -> tuple[float, float, float, float, float, float]:
    """Tight box (low x y z, high x y z) [m] in world axes about the body's origin, for the shape turned by q.

    A plane has no bounds, except upwards along a world axis that is its normal.
    """
    if topology[HEADER * shape + KIND] == PLANE:
        return _plane_extent(geometry, topology, shape, q)
    radius = geometry[SCALARS * shape + RADIUS]
    if topology[HEADER * shape + VERTEX_COUNT] <= _FEW and topology[HEADER * shape + KIND] < REVOLVED:
        return _extent_of_all(geometry, topology, shape, q, radius)
    ex = rotate_inverse(q, (1.0, 0.0, 0.0))
    ey = rotate_inverse(q, (0.0, 1.0, 0.0))
    ez = rotate_inverse(q, (0.0, 0.0, 1.0))
    return (
        -_reach(geometry, topology, shape, (-ex[0], -ex[1], -ex[2])) - radius,
        -_reach(geometry, topology, shape, (-ey[0], -ey[1], -ey[2])) - radius,
        -_reach(geometry, topology, shape, (-ez[0], -ez[1], -ez[2])) - radius,
        _reach(geometry, topology, shape, ex) + radius,
        _reach(geometry, topology, shape, ey) + radius,
        _reach(geometry, topology, shape, ez) + radius,
    )


@kernel
def _reach(geometry: Floats, topology: Ints, shape: int, direction: Vec3) -> float:
    return dot(support(geometry, topology, shape, direction), direction)


@kernel
def _extent_of_all(
    geometry: Floats, topology: Ints, shape: int, q: Quat, radius: float
) -> tuple[float, float, float, float, float, float]:
    base = HEADER * shape
    k = topology[base + VERTICES]
    lx, ly, lz = inf, inf, inf
    hx, hy, hz = -inf, -inf, -inf
    for vertex in range(topology[base + VERTEX_COUNT]):
        p = rotate(q, vec_at(geometry, k + 3 * vertex))
        lx, ly, lz = min(lx, p[0]), min(ly, p[1]), min(lz, p[2])
        hx, hy, hz = max(hx, p[0]), max(hy, p[1]), max(hz, p[2])
    return (lx - radius, ly - radius, lz - radius, hx + radius, hy + radius, hz + radius)


@kernel
def _plane_extent(
    geometry: Floats, topology: Ints, shape: int, q: Quat
) -> tuple[float, float, float, float, float, float]:
    p = rotate(q, vertex_of(geometry, topology, shape, 0))
    n = rotate(q, vertex_of(geometry, topology, shape, 1))
    lx, ly, lz = -inf, -inf, -inf
    hx, hy, hz = inf, inf, inf
    if n[1] == 0.0 and n[2] == 0.0:
        lx, hx = (-inf, p[0]) if n[0] > 0.0 else (p[0], inf)
    if n[0] == 0.0 and n[2] == 0.0:
        ly, hy = (-inf, p[1]) if n[1] > 0.0 else (p[1], inf)
    if n[0] == 0.0 and n[1] == 0.0:
        lz, hz = (-inf, p[2]) if n[2] > 0.0 else (p[2], inf)
    return (lx, ly, lz, hx, hy, hz)
