"""Which springs hold two bodies apart: the corners of the patch between them, each with its share of a stiffness.

As bodies move, the corners of a patch come, go, part and meet under load. So that what springs hold changes only by
what they do, springs come where they are not pressed, and those that come from one share what that had. A corner of a
body has one, whether it stands on it, on an edge or a side. Of a corner that an edge cuts off, the two that it leaves
have the turn of its sides between them. So no corner is dropped, and none is counted twice.
"""

from __future__ import annotations

from math import atan2, inf, pi

from engine.collision.narrow.frames import ClosestPoints, Pose
from engine.collision.narrow.manifold import (
    AS_NEAR,
    AT,
    CLIPPED,
    CROSSED,
    POINT_GAP,
    SIDE_A,
    SIDE_B,
    Look,
    Outline,
    drop_corner,
    find_outline,
    is_round,
    write_corner,
    write_crossed,
)
from engine.geometry.pool import HEADER, KIND
from engine.geometry.shapes import REVOLVED
from engine.group.work import SHARE
from engine.kernel import kernel
from engine.maths.rounding import ROOT, SINE
from engine.maths.vectors import Vec3, add_scaled, cross, dot, norm, scale, sub, vector_at
from engine.model.model import Floats, Ints
from engine.tolerances import FLAT_ANGLE, LEVEL_ANGLE

_LEANING = 0.25 * pi
"""A round end counts up to this far [rad] from lying on the other body; from there on its side is nearer to it."""


@kernel
def find_springs(
    geometry: Floats,
    topology: Ints,
    shape_a: int,
    pose_a: Pose,
    shape_b: int,
    pose_b: Pose,
    nearest: ClosestPoints,
    reach: float,
    scratch: Floats,
    points: Floats,
) -> tuple[int, Vec3]:
    """The springs between two shapes whose gaps are `reach` [m] at most: how many, and their normal, from b to a.

    scratch: (SCRATCH_ROWS, 3). points: (OUTLINE_ROWS, SPRING_WIDTH), is filled, with SHAREs.
    """
    if is_round(topology, shape_a) or is_round(topology, shape_b):
        return _put_closest(points, 0, nearest, reach), nearest.normal
    look = Look(FLAT_ANGLE, _leaning(topology, shape_a, shape_b), reach)
    outline = find_outline(geometry, topology, shape_a, pose_a, shape_b, pose_b, nearest.normal, look, scratch)
    if outline.face == CROSSED:
        found = write_crossed(scratch, outline, points)
        for k in range(found):
            points[k, SHARE] = 1.0
    else:
        found = _write_corners(scratch, outline, reach, points)
    found = _put_closest(points, found, nearest, reach)
    if found == 1:  # no face bears on one: that is where the bodies are nearest, along the normal there
        share = points[0, SHARE]
        found = _put_closest(points, 0, nearest, reach)
        points[0, SHARE] = share
        return found, nearest.normal
    return found, outline.normal


@kernel
def _leaning(topology: Ints, shape_a: int, shape_b: int) -> float:
    """How far what lies on a face may lean [rad]: of a rim that goes deep more than its lowest point bears.

    Not on another round end, which counts as a polygon: where that has its corners is not known to a hair.
    """
    turned_a, turned_b = topology[HEADER * shape_a + KIND] == REVOLVED, topology[HEADER * shape_b + KIND] == REVOLVED
    return _LEANING if turned_a != turned_b else LEVEL_ANGLE


@kernel
def _write_corners(scratch: Floats, outline: Outline, reach: float, points: Floats) -> int:
    """The corners of an outline that are within reach, with their shares; how many."""
    count = _drop_doubles(scratch, outline.corners)
    kept = 0
    for k in range(count):
        if write_corner(scratch, outline, k, points, kept) <= reach:
            points[kept, SHARE] = _share_of(scratch, outline, count, k) if count > 2 else 1.0
            kept += 1
    return kept


@kernel
def _share_of(scratch: Floats, outline: Outline, count: int, k: int) -> float:
    """A corner of either body has one; where a side of what is cut goes out, the corner that it goes to is shared."""
    rows, sides = SIDE_A if outline.face == SIDE_B else SIDE_B, outline.sides
    p, before = vector_at(scratch, CLIPPED + k, 0), vector_at(scratch, CLIPPED + (k if k > 0 else count) - 1, 0)
    for side in range(sides):
        following = side + 1 if side + 1 < sides else 0
        begin, along = vector_at(scratch, rows + side, 0), vector_at(scratch, rows + following, 0)
        along = sub(along, begin)
        if _is_inside(p, begin, along):
            goes_out = _is_inside(before, begin, along) or norm(sub(before, begin)) <= ROOT * norm(along)
            turn = _turn_at(scratch, rows, sides, following if goes_out else side)
            return _turn_at(scratch, CLIPPED, count, k) / max(turn, SINE)
    return 1.0


@kernel
def _is_inside(p: Vec3, begin: Vec3, along: Vec3) -> bool:
    """Does p lie on a side, and is none of its ends?"""
    away, near = sub(p, begin), ROOT * norm(along)
    if norm(away) <= near or norm(sub(away, along)) <= near:
        return False
    s = dot(away, along) / dot(along, along)
    return 0.0 < s < 1.0 and norm(add_scaled(away, along, -s)) <= near


@kernel
def _drop_doubles(scratch: Floats, count: int) -> int:
    """Leave of corners that are one but for rounding the first; how many there are then."""
    extent = 0.0
    for k in range(1, count):
        extent = max(extent, norm(sub(vector_at(scratch, CLIPPED + k, 0), vector_at(scratch, CLIPPED, 0))))
    k = 0
    while k < count and count > 1:
        before = k - 1 if k > 0 else count - 1
        side = sub(vector_at(scratch, CLIPPED + k, 0), vector_at(scratch, CLIPPED + before, 0))
        if norm(side) <= ROOT * extent:
            drop_corner(scratch, count, k)
            count -= 1
        else:
            k += 1
    return count


@kernel
def _turn_at(scratch: Floats, rows: int, count: int, k: int) -> float:
    """By how much the sides of a polygon, whose corners are in `rows` and on, turn at corner k [rad]."""
    p = vector_at(scratch, rows + k, 0)
    come = sub(p, vector_at(scratch, rows + (k if k > 0 else count) - 1, 0))
    go = sub(vector_at(scratch, rows + (k + 1 if k + 1 < count else 0), 0), p)
    return atan2(norm(cross(come, go)), dot(come, go))


@kernel
def _put_closest(points: Floats, count: int, nearest: ClosestPoints, reach: float) -> int:
    """Where the shapes are nearest a spring is, too: where none is as near it takes the place of the one beside it."""
    on_a, on_b, normal = nearest
    middle = scale(add_scaled(on_a, on_b, 1.0), 0.5)
    gap = dot(sub(on_a, on_b), normal)
    place, distance, lowest = -1, inf, inf
    for k in range(count):
        away = norm(sub(vector_at(points, k, AT), middle))
        if away < distance:
            place, distance = k, away
        lowest = min(lowest, points[k, POINT_GAP])
    if lowest <= gap + AS_NEAR * reach:
        return count
    if place < 0:
        place, count = 0, 1
        points[0, SHARE] = 1.0
    for c in range(3):
        points[place, AT + c] = middle[c]
    points[place, POINT_GAP] = gap
    return count
