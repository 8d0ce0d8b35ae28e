"""What a convex shape holds against something: the face, edge or corner of it that lies across a direction.

Faces of polyhedra, round ends of solids of revolution (as polygons) and planes are faces; edges, segments and the sides
of solids of revolution are edges. What of a superquadric is flat to ACCURACY in the middle of its sides is a face, too:
it is curved nowhere there, and its nearest point jumps from one end of that to the other when it turns by next to
nothing. All in world coordinates; the ball that grows a core is left to the caller.
"""

from __future__ import annotations

from math import cos, pi, sin, sqrt

from engine.collision.narrow.features import edge_end, edge_place, face_place
from engine.collision.narrow.frames import Pose
from engine.geometry.polyhedron import Floats, Ints
from engine.geometry.pool import (
    FACE_BOUNDS,
    HEADER,
    KIND,
    VERTEX_BOUNDS,
    VERTEX_COUNT,
    VERTICES,
    support,
    support_vertex,
    vec_at,
    vertex_of,
)
from engine.geometry.shapes import PLANE, POLYHEDRON, REVOLVED, SEGMENT, SUPERQUADRIC
from engine.geometry.smooth import P_DUAL, PARTS, Q_DUAL, centre_at, furthest_rim, into_axes, out_of_axes, rim_point
from engine.kernel import kernel
from engine.maths.quaternions import Quat, rotate, rotate_inverse
from engine.maths.vectors import Vec3, add, dot
from engine.tolerances import ACCURACY, RIM_CORNERS

MOST_CORNERS = 32
"""Faces with more corners are taken as polygons of so many of them."""

UNBOUNDED = -1
"""What `gather_face` returns as the number of corners of a plane."""


@kernel
def gather_face(
    geometry: Floats, topology: Ints, shape: int, pose: Pose, d: Vec3, least: float, corners: Floats, at: int
) -> tuple[int, Vec3]:
    """The face whose outward normal is nearest to the unit vector d, if the cosine between them is at least `least`.

    Writes its corners, counter-clockwise from outside, into rows `at` and on of corners, (rows, 3). Returns how many
    (0: no such face; UNBOUNDED: a plane, of which one point is written) and its normal.
    """
    x, q = _parted(pose)
    base = HEADER * shape
    kind = topology[base + KIND]
    local = rotate_inverse(q, d)
    if kind == PLANE:
        n = vertex_of(geometry, topology, shape, 1)
        _write(corners, at, add(x, rotate(q, vertex_of(geometry, topology, shape, 0))))
        return (UNBOUNDED if dot(n, local) >= least else 0), rotate(q, n)
    if kind == POLYHEDRON:
        face = _face_along(geometry, topology, shape, local)
        n = vec_at(geometry, face_place(topology, shape, face))
        if dot(n, local) < least:
            return 0, d
        bounds = topology[base + FACE_BOUNDS] + face
        first = topology[bounds]
        sides = topology[bounds + 1] - first
        count = min(sides, MOST_CORNERS)
        for k in range(count):
            half = topology[first + k * sides // count]
            corner = vertex_of(geometry, topology, shape, edge_end(topology, shape, half >> 1, half & 1))
            _write(corners, at + k, add(x, rotate(q, corner)))
        return count, rotate(q, n)
    if kind == REVOLVED:
        return _gather_end(geometry, topology[base + VERTICES], topology[base + VERTEX_COUNT], x, q, local, least,
                           corners, at)  # fmt: skip
    if kind == SUPERQUADRIC:
        return _gather_flat(geometry, topology[base + VERTICES], x, q, local, least, corners, at)
    return 0, d


@kernel
def _face_along(geometry: Floats, topology: Ints, shape: int, d: Vec3) -> int:
    """Of the faces around a polyhedron's furthest corner along d, the one whose normal is nearest to d."""
    base = HEADER * shape
    vertex = support_vertex(geometry, topology, shape, d)
    bounds = topology[base + VERTEX_BOUNDS] + vertex
    best, most = 0, -2.0
    for place in range(topology[bounds], topology[bounds + 1]):
        half = topology[place]
        face = _left_face(topology, shape, half)
        level = dot(vec_at(geometry, face_place(topology, shape, face)), d)
        if level > most:
            best, most = face, level
    return best


@kernel
def _left_face(topology: Ints, shape: int, half: int) -> int:
    """The face on the left of a half edge."""
    return edge_end(topology, shape, half >> 1, 2 + (half & 1))


@kernel
def _gather_end(
    geometry: Floats, k: int, rims: int, x: Vec3, q: Quat, d: Vec3, least: float, corners: Floats, at: int
) -> tuple[int, Vec3]:
    """The round end of a solid of revolution that faces along d (body frame), as a polygon."""
    local = into_axes(geometry, k, d)
    up = local[2] > 0.0
    rim = PARTS + (2 * (rims - 1) if up else 0)
    radius = geometry[k + rim]
    if abs(local[2]) < least or radius == 0.0:
        return 0, d
    across = sqrt(local[0] * local[0] + local[1] * local[1])
    ahead = (local[0] / across, local[1] / across) if across > 0.0 else (1.0, 0.0)
    for side in range(RIM_CORNERS):
        # One corner is where the rim reaches furthest, so that a coin that leans is held where it touches.
        angle = 2.0 * pi * side / RIM_CORNERS * (1.0 if up else -1.0)
        c, s = radius * cos(angle), radius * sin(angle)
        corner = (c * ahead[0] - s * ahead[1], s * ahead[0] + c * ahead[1], geometry[k + rim + 1])
        _write(corners, at + side, add(x, rotate(q, add(centre_at(geometry, k), out_of_axes(geometry, k, corner)))))
    return RIM_CORNERS, rotate(q, out_of_axes(geometry, k, (0.0, 0.0, 1.0 if up else -1.0)))


@kernel
def _gather_flat(
    geometry: Floats, k: int, x: Vec3, q: Quat, d: Vec3, least: float, corners: Floats, at: int
) -> tuple[int, Vec3]:
    """The side of a superquadric that faces along d (body frame), as far as it is flat both ways.

    Along an axis of exponent n it falls by a part s^n / n of its height where that is the part s of the half axis.
    """
    local = into_axes(geometry, k, d)
    up = 0
    for axis in range(1, 3):
        if abs(local[axis]) > abs(local[up]):
            up = axis
    p, n_z = _exponent(geometry[k + P_DUAL]), _exponent(geometry[k + Q_DUAL])
    first = n_z if up == 2 else p  # the exponent of the first axis across; that of the second is n_z
    if abs(local[up]) < least or min(first, n_z) <= 2.0:
        return 0, d
    across, other = (1 if up == 0 else 0), (1 if up == 2 else 2)
    facing = 1.0 if local[up] > 0.0 else -1.0
    if up == 2:
        s = t = 0.5 ** (1.0 / p) * (n_z * ACCURACY) ** (1.0 / n_z)
    else:
        s, t = (0.5 * p * ACCURACY) ** (1.0 / p), (0.5 * n_z * ACCURACY) ** (1.0 / n_z)
    height = facing * geometry[k + PARTS + up] * (1.0 - ACCURACY)
    turn = facing if up != 1 else -facing  # x and z lie the other way round about y
    for corner in range(4):
        i = s * geometry[k + PARTS + across] * (1.0 if corner in (0, 3) else -1.0)
        j = turn * t * geometry[k + PARTS + other] * (1.0 if corner < 2 else -1.0)
        place = (
            height if up == 0 else i,
            height if up == 1 else (i if up == 0 else j),
            height if up == 2 else j,
        )
        _write(corners, at + corner, add(x, rotate(q, add(centre_at(geometry, k), out_of_axes(geometry, k, place)))))
    normal = (facing if up == 0 else 0.0, facing if up == 1 else 0.0, facing if up == 2 else 0.0)
    return 4, rotate(q, out_of_axes(geometry, k, normal))


@kernel
def _exponent(dual: float) -> float:
    """Of the norm whose dual one has that."""
    return dual / (dual - 1.0)


@kernel
def gather_edge(
    geometry: Floats, topology: Ints, shape: int, pose: Pose, d: Vec3, most: float, corners: Floats, at: int
) -> int:
    """The furthest edge along d, if its slope against the level across d is at most `most` [1]; else a point.

    Writes its two ends, or one point, into rows `at` and on of corners. Returns how many.
    """
    x, q = _parted(pose)
    base = HEADER * shape
    kind = topology[base + KIND]
    local = rotate_inverse(q, d)
    if kind in (SEGMENT, POLYHEDRON):
        vertex = support_vertex(geometry, topology, shape, local)
        other, slope = _level_neighbour(geometry, topology, shape, vertex, local)
        _write(corners, at, add(x, rotate(q, vertex_of(geometry, topology, shape, vertex))))
        if slope > most:
            return 1
        _write(corners, at + 1, add(x, rotate(q, vertex_of(geometry, topology, shape, other))))
        return 2
    if kind == REVOLVED:
        k, rims = topology[base + VERTICES], topology[base + VERTEX_COUNT]
        along = into_axes(geometry, k, local)
        across = sqrt(along[0] * along[0] + along[1] * along[1])
        rim = furthest_rim(geometry, k, rims, across, along[2])
        p = rim_point(geometry, k, rim, along, across)
        other, slope = _level_rim(geometry, k, rims, rim, p, along, across)
        _write(corners, at, add(x, rotate(q, add(centre_at(geometry, k), out_of_axes(geometry, k, p)))))
        if slope > most:
            return 1
        p = rim_point(geometry, k, other, along, across)
        _write(corners, at + 1, add(x, rotate(q, add(centre_at(geometry, k), out_of_axes(geometry, k, p)))))
        return 2
    _write(corners, at, add(x, rotate(q, support(geometry, topology, shape, local))))
    return 1


@kernel
def _level_neighbour(geometry: Floats, topology: Ints, shape: int, vertex: int, d: Vec3) -> tuple[int, float]:
    """The corner at the other end of the most level edge from a furthest corner, and that edge's slope."""
    bounds = topology[HEADER * shape + VERTEX_BOUNDS] + vertex
    best, least = vertex, 2.0
    for place in range(topology[bounds], topology[bounds + 1]):
        half = topology[place]
        slope = abs(dot(vec_at(geometry, edge_place(topology, shape, half >> 1)), d))
        if slope < least:
            best, least = edge_end(topology, shape, half >> 1, 1 - (half & 1)), slope
    return best, least


@kernel
def _level_rim(geometry: Floats, k: int, rims: int, rim: int, p: Vec3, d: Vec3, across: float) -> tuple[int, float]:
    """The neighbour of the furthest rim to which the side is most level, and the side's slope there."""
    best, least = rim, 2.0
    for other in (rim - 1, rim + 1):
        if other < 0 or other >= rims:
            continue
        end = rim_point(geometry, k, other, d, across)
        side = (end[0] - p[0], end[1] - p[1], end[2] - p[2])
        length = sqrt(dot(side, side))
        if length > 0.0 and abs(dot(side, d)) / length < least:
            best, least = other, abs(dot(side, d)) / length
    return best, least


@kernel
def _parted(pose: Pose) -> tuple[Vec3, Quat]:
    return (pose[0], pose[1], pose[2]), (pose[3], pose[4], pose[5], pose[6])


@kernel
def _write(rows: Floats, row: int, x: Vec3) -> None:
    rows[row, 0] = x[0]
    rows[row, 1] = x[1]
    rows[row, 2] = x[2]
