"""Gap, closest points and normal of two shapes of any kinds: the one place that asks what kinds they are.

a \\ b         point           segment         polyhedron      smooth           plane
point         directly        Lin-Canny       Lin-Canny       extremal points  lowest vertex
segment       Lin-Canny       Lin-Canny       Lin-Canny       extremal points  lowest vertex
polyhedron    Lin-Canny       Lin-Canny       Lin-Canny       extremal points  lowest vertex
smooth        extremal points (of all pairs with a smooth solid)               lowest point
plane         lowest vertex   lowest vertex   lowest vertex   lowest point     never meet

A stretch of a hollow solid is met by points only, directly.
"""

from __future__ import annotations

from math import inf

from engine.collision.narrow.bands import reach_band
from engine.collision.narrow.features import VERTEX
from engine.collision.narrow.frames import Cores, Pose, matrix_of
from engine.collision.narrow.lin_canny import find_closest
from engine.collision.narrow.smooth import Found, find_extremal
from engine.geometry.polyhedron import Floats, Ints
from engine.geometry.pool import HEADER, KIND, RADIUS, SCALARS, VERTEX_COUNT, VERTICES, climb, vertex_of
from engine.geometry.shapes import BAND, PLANE, POINT, REVOLVED
from engine.geometry.smooth import rest_point
from engine.kernel import kernel, linked_kernel
from engine.maths.quaternions import Quat, conjugate, multiply, rotate, rotate_inverse
from engine.maths.vectors import Vec3, add, add_scaled, dot, norm, scale, sub

Closest = tuple[float, float, float, float, float, float, float, float, float, float, int, int, int]


@linked_kernel
def closest(
    geometry: Floats,
    topology: Ints,
    shape_a: int,
    pose_a: Pose,
    shape_b: int,
    pose_b: Pose,
    feature_a: int,
    feature_b: int,
) -> Closest:
    """Gap of two shapes of the pool at two poses (x, y, z [m], then w, x, y, z, body to world).

    Returns gap [m], the closest points on the surfaces of a and of b (world), the unit normal from b to a, the features
    to start from next time, and the steps taken. The gap is the distance of the cores less the radii; where the cores
    meet, minus the least depth. feature_a, feature_b: where to start, -1 for anywhere; they change the answer by
    rounding only (which of many closest points is given, between parallel features, they may decide).
    """
    kind_a = topology[HEADER * shape_a + KIND]
    kind_b = topology[HEADER * shape_b + KIND]
    x_a, x_b = (pose_a[0], pose_a[1], pose_a[2]), (pose_b[0], pose_b[1], pose_b[2])
    q_a, q_b = (pose_a[3], pose_a[4], pose_a[5], pose_a[6]), (pose_b[3], pose_b[4], pose_b[5], pose_b[6])
    apart = sub(x_a, x_b)
    if kind_a == PLANE and kind_b == PLANE:
        return (inf, *x_a, *x_b, 0.0, 0.0, 1.0, 0, 0, 0)
    if kind_b == PLANE:
        n, arm, d, feature_a, steps = _above_plane(geometry, topology, shape_a, q_a, shape_b, q_b, apart, feature_a)
        pa = add(x_a, arm)
        pb = add_scaled(pa, n, -d)
        feature_b = 0
    elif kind_a == PLANE:
        apart = scale(apart, -1.0)
        n, arm, d, feature_b, steps = _above_plane(geometry, topology, shape_b, q_b, shape_a, q_a, apart, feature_b)
        pb = add(x_b, arm)
        pa = add_scaled(pb, n, -d)
        n = scale(n, -1.0)
        feature_a = 0
    elif kind_a == POINT and kind_b == POINT:
        pa = add(x_a, rotate(q_a, vertex_of(geometry, topology, shape_a, 0)))
        pb = add(x_b, rotate(q_b, vertex_of(geometry, topology, shape_b, 0)))
        w = sub(pa, pb)
        d = norm(w)
        n = scale(w, 1.0 / d) if d > 0.0 else (0.0, 0.0, 1.0)
        feature_a, feature_b, steps = 0, 0, 0
    elif kind_b == BAND:
        pa, n, d, feature_b = _over_band(geometry, topology, shape_a, x_a, q_a, shape_b, x_b, q_b)
        pb = add_scaled(pa, n, -d)
        feature_a, steps = 0, 0
    elif kind_a == BAND:
        pb, n, d, feature_a = _over_band(geometry, topology, shape_b, x_b, q_b, shape_a, x_a, q_a)
        pa, n = add_scaled(pb, n, -d), scale(n, -1.0)
        feature_b, steps = 0, 0
    else:
        cores = Cores(shape_a, shape_b, matrix_of(multiply(conjugate(q_b), q_a)), rotate_inverse(q_b, apart))
        d, n, pa, pb, feature_a, feature_b, steps = _between_cores(geometry, topology, cores, feature_a, feature_b)
        pa, pb, n = add(x_b, rotate(q_b, pa)), add(x_b, rotate(q_b, pb)), rotate(q_b, n)
    radius_a, radius_b = geometry[SCALARS * shape_a + RADIUS], geometry[SCALARS * shape_b + RADIUS]
    pa = add_scaled(pa, n, -radius_a)
    pb = add_scaled(pb, n, radius_b)
    return (d - radius_a - radius_b, *pa, *pb, *n, feature_a, feature_b, steps)


@kernel
def _between_cores(geometry: Floats, topology: Ints, cores: Cores, feature_a: int, feature_b: int) -> Found:
    """Of two cores that are no planes, nor both points, in b's frame."""
    if topology[HEADER * cores.a + KIND] >= REVOLVED or topology[HEADER * cores.b + KIND] >= REVOLVED:
        return find_extremal(geometry, topology, cores, feature_a, feature_b)
    pair, steps = find_closest(geometry, topology, cores, feature_a, feature_b)
    return pair[5], pair[4], pair[2], pair[3], pair[0], pair[1], steps


@kernel
def _over_band(
    geometry: Floats, topology: Ints, ball: int, x: Vec3, q: Quat, band: int, x_band: Vec3, q_band: Quat
) -> tuple[Vec3, Vec3, float, int]:
    """A ball's centre, the unit normal to it from a stretch of a hollow solid, its distance [m], what it is nearest to.

    Centre and normal are in world axes.
    """
    centre = add(x, rotate(q, vertex_of(geometry, topology, ball, 0)))
    local = rotate_inverse(q_band, sub(centre, x_band))
    d, n, feature = reach_band(geometry, topology[HEADER * band + VERTICES], local)
    return centre, rotate(q_band, n), d, feature


@kernel
def _above_plane(
    geometry: Floats, topology: Ints, shape: int, q: Quat, plane: int, q_plane: Quat, apart: Vec3, feature: int
) -> tuple[Vec3, Vec3, float, int, int]:
    """The point of a core that is lowest over a plane, from `feature` on; apart: from the plane to the shape.

    Returns the plane's normal (world), the arm of the point (world axes), its height [m], its feature, the steps.
    """
    n = rotate(q_plane, vertex_of(geometry, topology, plane, 1))
    origin = rotate(q_plane, vertex_of(geometry, topology, plane, 0))
    kind = topology[HEADER * shape + KIND]
    if kind >= REVOLVED:
        down = rotate_inverse(q, scale(n, -1.0))
        rims = topology[HEADER * shape + VERTEX_COUNT]
        local = rest_point(geometry, kind, topology[HEADER * shape + VERTICES], rims, down)
        return n, rotate(q, local), dot(sub(apart, origin), n) - dot(local, down), 0, 1
    start = feature >> 2 if feature >= 0 and feature & 3 == VERTEX else 0
    down = rotate_inverse(q, scale(n, -1.0))
    vertex = climb(geometry, topology, shape, down, start)
    local = vertex_of(geometry, topology, shape, vertex)
    return n, rotate(q, local), dot(sub(apart, origin), n) - dot(local, down), 4 * vertex + VERTEX, int(vertex != start)
