"""Where two convex bodies bear on each other: a few points that span the patch between their nearly parallel faces.

The closest points are one pair of points, though a box on a table touches with a whole face. Here what lies across the
normal on both sides is cut with each other: the reference is the face that is best aligned with the normal, what the
other body holds against it is clipped to the reference's sides (Sutherland and Hodgman), and what is left within reach
are the points. The corners of a patch can carry every load that the patch can carry (Baraff 1992, sec. 2.2).
"""

from __future__ import annotations

from math import cos, inf
from typing import NamedTuple

from engine.collision.narrow.faces import MOST_CORNERS, UNBOUNDED, gather_edge, gather_face
from engine.collision.narrow.frames import ClosestPoints, Pose
from engine.geometry.polyhedron import Floats, Ints
from engine.geometry.pool import HEADER, KIND, RADIUS, SCALARS
from engine.geometry.shapes import BAND, ELLIPSOID, POINT
from engine.kernel import kernel, linked_kernel
from engine.maths.rounding import ROOT, SINE
from engine.maths.vectors import Vec3, add_scaled, cross, dot, norm, scale, sub
from engine.tolerances import ACCURACY, FLAT_ANGLE, LEVEL_ANGLE

MOST_POINTS = 6
"""No manifold has more: of a patch with more corners those go whose loss makes it smaller by the least."""

OUTLINE_ROWS = 2 * MOST_CORNERS
"""No outline has more corners."""

SCRATCH_ROWS = 4 * OUTLINE_ROWS
"""Rows of the (SCRATCH_ROWS, 3) array that `find_manifold` works in."""

# Columns of a point of a manifold.
AT = 0  # 3, half way between the surfaces [m]
POINT_GAP = 3  # along the manifold's normal [m]
POINT_WIDTH = 4

_FLAT = FLAT_ANGLE
_LEVEL = LEVEL_ANGLE

_SAME = FLAT_ANGLE
"""Points nearer to each other than this part of the patch's extent [1] are one, too."""

AS_NEAR = 10.0 * ACCURACY
"""Gaps that differ by less than this part of how near points may be to be one [1] are equal."""

CROSSED = -1
"""What is no row of a face."""

SIDE_A = 0
SIDE_B = OUTLINE_ROWS
CLIPPED = 2 * OUTLINE_ROWS
_SPARE = 3 * OUTLINE_ROWS


class Outline(NamedTuple):
    """What of a patch lies across its normal, before it is thinned out: corners, in rows of the scratch array."""

    corners: int  # from row CLIPPED on; of edges along each other pairs of points there, on a and on b
    sides: int  # corners of what is cut, in the SIDE rows that are not the face's
    face: int  # the row of a corner of the face that they are cut to; CROSSED: of edges along each other
    normal: Vec3  # of the patch, from b to a
    outward: Vec3  # of the face
    radius: float  # of the ball that grows the core of what is cut [m]; of crossed edges: of a's
    face_radius: float  # and of the face's; of b's


class Look(NamedTuple):
    """What may belong to a patch."""

    flat: float  # a face this far [rad] from lying across the normal of the closest points still is the reference
    level: float  # what the other body has this far [rad] from lying along it is looked at
    reach: float  # of edges along each other ends that are no further apart than this [m]


class Reach(NamedTuple):
    """Which points of a patch count."""

    gap: float  # those with gaps up to this [m]
    same: float  # those nearer to each other than this [m] are one


@linked_kernel
def find_manifold(
    geometry: Floats,
    topology: Ints,
    shape_a: int,
    pose_a: Pose,
    shape_b: int,
    pose_b: Pose,
    nearest: ClosestPoints,
    reach: Reach,
    scratch: Floats,
    points: Floats,
) -> tuple[int, Vec3]:
    """The contact points of two shapes near each other: how many, and their unit normal, from b to a.

    nearest: what `closest` said, and is always among them. scratch: (SCRATCH_ROWS, 3). points: (MOST_POINTS,
    POINT_WIDTH), is filled.
    """
    on_a, on_b, normal = nearest
    if is_round(topology, shape_a) or is_round(topology, shape_b):  # what is round touches at one point
        return _add_closest(points, 0, normal, on_a, on_b, reach.same), normal
    outline = find_outline(
        geometry, topology, shape_a, pose_a, shape_b, pose_b, normal, Look(_FLAT, _LEVEL, reach.gap), scratch
    )
    normal = outline.normal
    if outline.face == CROSSED:
        found = write_crossed(scratch, outline, points)
    else:
        found = _keep(scratch, outline, reach)
        found = _write_kept(scratch, found, outline, points)
    found = _add_closest(points, found, normal, on_a, on_b, reach.same)
    if found == 1:  # no face bears on one: that is where the bodies are nearest, along the normal there
        normal = nearest.normal
        found = _add_closest(points, 0, normal, on_a, on_b, reach.same)
    return found, normal


@kernel
def is_round(topology: Ints, shape: int) -> bool:
    """Has a shape neither faces nor edges?"""
    return topology[HEADER * shape + KIND] in (POINT, BAND, ELLIPSOID)


@linked_kernel
def find_outline(
    geometry: Floats,
    topology: Ints,
    shape_a: int,
    pose_a: Pose,
    shape_b: int,
    pose_b: Pose,
    normal: Vec3,
    look: Look,
    scratch: Floats,
) -> Outline:
    """What two shapes hold against each other across the normal of their closest points, from b to a."""
    r_a, r_b = geometry[SCALARS * shape_a + RADIUS], geometry[SCALARS * shape_b + RADIUS]
    down = scale(normal, -1.0)
    n_a, n_b = down, normal
    count_a, n_a = gather_face(geometry, topology, shape_a, pose_a, down, cos(look.level), scratch, SIDE_A)
    count_b, n_b = gather_face(geometry, topology, shape_b, pose_b, normal, cos(look.level), scratch, SIDE_B)
    level_a = dot(n_a, down) if count_a != 0 else 0.0
    level_b = dot(n_b, normal) if count_b != 0 else 0.0
    if max(level_a, level_b) < cos(look.flat):
        found = _cross_edges(
            geometry, topology, shape_a, pose_a, shape_b, pose_b, normal, look.reach + r_a + r_b, scratch
        )
        return Outline(found, 0, CROSSED, normal, normal, r_a, r_b)
    if count_a != UNBOUNDED and level_b >= level_a:
        if count_a <= 0:
            count_a = gather_edge(geometry, topology, shape_a, pose_a, scale(n_b, -1.0), look.level, scratch, SIDE_A)
        found = _clip(scratch, SIDE_A, count_a, SIDE_B, count_b, n_b)
        return Outline(found, count_a, SIDE_B, n_b, n_b, r_a, r_b)
    if count_b <= 0:
        count_b = gather_edge(geometry, topology, shape_b, pose_b, scale(n_a, -1.0), look.level, scratch, SIDE_B)
    found = _clip(scratch, SIDE_B, count_b, SIDE_A, count_a, n_a)
    return Outline(found, count_b, SIDE_A, scale(n_a, -1.0), n_a, r_b, r_a)


# --- a face against what lies along it --------------------------------------------------------------------------------


@kernel
def _clip(rows: Floats, subject: int, count: int, face: int, sides: int, n: Vec3) -> int:
    """Cut the polygon, edge or point at rows `subject` to the inside of the sides of a face with normal n.

    The result stands at CLIPPED; how many corners. A plane (sides UNBOUNDED) cuts nothing.
    """
    _copy(rows, subject, CLIPPED, count)
    if sides == UNBOUNDED or count < 2:
        return count
    extent = 0.0
    for k in range(sides):
        away = sub(_at(rows, face + k), _at(rows, face))
        extent = max(extent, dot(away, away))
    slack = SINE * extent**0.5
    source, target = CLIPPED, _SPARE
    for k in range(sides):
        corner = _at(rows, face + k)
        along = sub(_at(rows, face + (k + 1 if k + 1 < sides else 0)), corner)
        length = norm(along)
        if length == 0.0:
            continue
        inward = scale(cross(n, along), 1.0 / length)
        count = _cut(rows, source, count, target, corner, inward, slack)
        source, target = target, source
        if count == 0:
            return 0
    if source != CLIPPED:
        _copy(rows, source, CLIPPED, count)
    return count


@kernel
def _cut(rows: Floats, source: int, count: int, target: int, corner: Vec3, inward: Vec3, slack: float) -> int:
    """Keep of a polygon (or, of two points, an edge) what lies inside of a line, by more than -slack [m]."""
    kept = 0
    for k in range(count):
        p = _at(rows, source + k)
        following = k + 1 if k + 1 < count else 0
        p_in = dot(sub(p, corner), inward)
        if p_in >= -slack:
            _put(rows, target + kept, p)
            kept += 1
        if count == 2 and k == 1:
            break  # an edge has no way back
        next_p = _at(rows, source + following)
        next_in = dot(sub(next_p, corner), inward)
        if (p_in >= -slack) != (next_in >= -slack) and kept < OUTLINE_ROWS:
            s = min(max(p_in / (p_in - next_in), 0.0), 1.0)
            _put(rows, target + kept, add_scaled(p, sub(next_p, p), s))
            kept += 1
    return kept


@kernel
def _keep(rows: Floats, outline: Outline, reach: Reach) -> int:
    """Of the clipped corners those within reach of the face, then without doubles, then no more than MOST_POINTS."""
    origin, n, r, r_face = _at(rows, outline.face), outline.outward, outline.radius, outline.face_radius
    kept = 0
    for k in range(outline.corners):
        p = _at(rows, CLIPPED + k)
        if dot(sub(p, origin), n) - r - r_face <= reach.gap:
            _put(rows, CLIPPED + kept, p)
            kept += 1
    near = reach.same
    for k in range(kept):
        near = max(near, _SAME * norm(sub(_at(rows, CLIPPED + k), _at(rows, CLIPPED))))
    k = 0
    while k < kept:
        before = _at(rows, CLIPPED + (k if k > 0 else kept) - 1)
        if kept > 1 and norm(sub(_at(rows, CLIPPED + k), before)) <= near:
            drop_corner(rows, kept, k)
            kept -= 1
        else:
            k += 1
    while kept > MOST_POINTS:
        drop_corner(rows, kept, _least_corner(rows, kept))
        kept -= 1
    return kept


@kernel
def _least_corner(rows: Floats, count: int) -> int:
    """The corner of the clipped polygon that spans the smallest triangle with its neighbours."""
    best, least = 0, -1.0
    for k in range(count):
        before = _at(rows, CLIPPED + (k if k > 0 else count) - 1)
        after = _at(rows, CLIPPED + (k + 1 if k + 1 < count else 0))
        p = _at(rows, CLIPPED + k)
        span = cross(sub(before, p), sub(after, p))
        area = dot(span, span)
        # Of equals the first goes, whatever rounding says.
        if least < 0.0 or area < least * (1.0 - 64.0 * ROOT):
            best, least = k, area
    return best


@kernel
def drop_corner(rows: Floats, count: int, k: int) -> None:
    for j in range(k, count - 1):
        _put(rows, CLIPPED + j, _at(rows, CLIPPED + j + 1))


@kernel
def _write_kept(rows: Floats, count: int, outline: Outline, points: Floats) -> int:
    for k in range(count):
        write_corner(rows, outline, k, points, k)
    return count


@kernel
def write_corner(rows: Floats, outline: Outline, k: int, points: Floats, at: int) -> float:
    """Into row `at` of points: half way between the face and corner k of what was cut to it; the gap there [m]."""
    p, n, r = _at(rows, CLIPPED + k), outline.outward, outline.radius
    height = dot(sub(p, _at(rows, outline.face)), n)
    gap = height - r - outline.face_radius
    _put(points, at, add_scaled(p, n, -r - 0.5 * gap))
    points[at, POINT_GAP] = gap
    return gap


# --- edges against each other -----------------------------------------------------------------------------------------


@kernel
def _cross_edges(
    geometry: Floats,
    topology: Ints,
    shape_a: int,
    pose_a: Pose,
    shape_b: int,
    pose_b: Pose,
    n: Vec3,
    reach: float,
    rows: Floats,
) -> int:
    """Where two edges lie along each other across n: the ends of the stretch, first on a, then on b. 0: nowhere."""
    count_a = gather_edge(geometry, topology, shape_a, pose_a, scale(n, -1.0), _LEVEL, rows, SIDE_A)
    count_b = gather_edge(geometry, topology, shape_b, pose_b, n, _LEVEL, rows, SIDE_B)
    if count_a < 2 or count_b < 2:
        return 0
    p, q = _at(rows, SIDE_A), _at(rows, SIDE_B)
    u, v = sub(_at(rows, SIDE_A + 1), p), sub(_at(rows, SIDE_B + 1), q)
    length_a, length_b = norm(u), norm(v)
    u, v = scale(u, 1.0 / length_a), scale(v, 1.0 / length_b)
    if norm(cross(u, v)) > _FLAT:
        return 0
    # Along a's edge: where b's ends are, and where its own.
    s0, s1 = dot(sub(q, p), u), dot(sub(_at(rows, SIDE_B + 1), p), u)
    low, high = max(min(s0, s1), 0.0), min(max(s0, s1), length_a)
    if high <= low:
        return 0
    found = 0
    for k in range(2):
        on_a = add_scaled(p, u, low if k == 0 else high)
        t = min(max(dot(sub(on_a, q), v), 0.0), length_b)
        on_b = add_scaled(q, v, t)
        if dot(sub(on_a, on_b), n) <= reach:
            _put(rows, CLIPPED + 2 * found, on_a)
            _put(rows, CLIPPED + 2 * found + 1, on_b)
            found += 1
    return found


@kernel
def write_crossed(rows: Floats, outline: Outline, points: Floats) -> int:
    """Points half way between edges that lie along each other; how many."""
    n, r_a, r_b = outline.normal, outline.radius, outline.face_radius
    for k in range(outline.corners):
        on_a = add_scaled(_at(rows, CLIPPED + 2 * k), n, -r_a)
        on_b = add_scaled(_at(rows, CLIPPED + 2 * k + 1), n, r_b)
        _put(points, k, scale(add_scaled(on_a, on_b, 1.0), 0.5))
        points[k, POINT_GAP] = dot(sub(on_a, on_b), n)
    return outline.corners


# --- the closest points -----------------------------------------------------------------------------------------------


@kernel
def _add_closest(points: Floats, count: int, n: Vec3, on_a: Vec3, on_b: Vec3, near: float) -> int:
    """The closest points belong to the manifold: they are added where nothing of it comes as near.

    A rim's lowest point may lie between the corners of its polygon, and of a body without faces it is all there is.
    """
    middle = scale(add_scaled(on_a, on_b, 1.0), 0.5)
    gap = dot(sub(on_a, on_b), n)
    nearest, distance = -1, 0.0
    lowest = inf
    for k in range(count):
        p = _at(points, k)
        near = max(near, _SAME * norm(sub(p, _at(points, 0))))
        away = norm(sub(p, middle))
        if nearest < 0 or away < distance:
            nearest, distance = k, away
        lowest = min(lowest, points[k, POINT_GAP])
    if count > 1 and lowest <= gap + AS_NEAR * near:
        return count
    if nearest < 0 or (distance > near and count < MOST_POINTS):
        nearest = count
        count += 1
    _put(points, nearest, middle)
    points[nearest, POINT_GAP] = gap
    return count


@kernel
def _at(rows: Floats, row: int) -> Vec3:
    return (rows[row, 0], rows[row, 1], rows[row, 2])


@kernel
def _put(rows: Floats, row: int, x: Vec3) -> None:
    rows[row, 0] = x[0]
    rows[row, 1] = x[1]
    rows[row, 2] = x[2]


@kernel
def _copy(rows: Floats, source: int, target: int, count: int) -> None:
    for k in range(count):
        _put(rows, target + k, _at(rows, source + k))
