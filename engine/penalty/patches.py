"""Which springs hold two bodies apart: the corners of the patch between them, each with its share.

As bodies move, the corners of a patch come, go, part and meet under load. So that what springs hold changes only by
what they do, springs come where they are not pressed, and those that come from one share what that had: of a corner
that an edge cuts off, the two that it leaves have the turning of its sides between them. A spring's share is that turn,
by a quarter: all corners of a patch together have four. So no corner is dropped, and none is counted twice.

What stands on one corner or lies on an edge goes on as it leans over: a corner has the share that it has in the side
which it leans from, and a rim's lowest point that of one of RIM_CORNERS. What is round has one.
"""

from __future__ import annotations

from math import atan2, inf, pi

from engine.collision.narrow.faces import gather_face
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
from engine.geometry.shapes import POLYHEDRON, REVOLVED
from engine.group.work import SHARE
from engine.kernel import kernel
from engine.maths.rounding import ROOT
from engine.maths.vectors import Vec3, add_scaled, cross, dot, norm, scale, sub, vector_at
from engine.model.model import Floats, Ints
from engine.tolerances import FLAT_ANGLE, LEVEL_ANGLE, RIM_CORNERS

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
        return _put_closest(points, 0, nearest, 1.0, reach), nearest.normal
    alone, level = 1.0, LEVEL_ANGLE
    if _is_turned(topology, shape_a) or _is_turned(topology, shape_b):
        alone, level = 4.0 / RIM_CORNERS, _LEANING
    outline = find_outline(
        geometry, topology, shape_a, pose_a, shape_b, pose_b, nearest.normal, Look(FLAT_ANGLE, level, reach), scratch
    )
    if outline.face == CROSSED:
        found = write_crossed(scratch, outline, points)
        for k in range(found):
            points[k, SHARE] = alone
    else:
        if outline.corners > 2:
            found = _write_corners(scratch, outline, reach, points)
        elif outline.face == SIDE_B:
            found = _write_ends(geometry, topology, shape_a, pose_a, outline, alone, reach, scratch, points)
        else:
            found = _write_ends(geometry, topology, shape_b, pose_b, outline, alone, reach, scratch, points)
    found = _put_closest(points, found, nearest, alone, reach)
    if found == 1:  # no face bears on one: that is where the bodies are nearest, along the normal there
        return _put_closest(points, 0, nearest, points[0, SHARE], reach), nearest.normal
    return found, outline.normal


@kernel
def _is_turned(topology: Ints, shape: int) -> bool:
    """Has a shape round ends?"""
    return topology[HEADER * shape + KIND] == REVOLVED


@kernel
def _write_corners(scratch: Floats, outline: Outline, reach: float, points: Floats) -> int:
    """The corners of an outline that are within reach, with their shares; how many."""
    count = _drop_doubles(scratch, outline.corners)
    kept = 0
    for k in range(count):
        if write_corner(scratch, outline, k, points, kept) <= reach:
            points[kept, SHARE] = _turn_at(scratch, CLIPPED, count, k)
            kept += 1
    return kept


@kernel
def _write_ends(
    geometry: Floats,
    topology: Ints,
    shape: int,
    pose: Pose,
    outline: Outline,
    alone: float,
    reach: float,
    scratch: Floats,
    points: Floats,
) -> int:
    """The ends of an edge that lies on a face, or a corner that stands on it, within reach; how many.

    The corners of a polyhedron have the shares that they have in that side of it that lies on the face the most.
    """
    rows, sides = SIDE_A if outline.face == SIDE_B else SIDE_B, 0
    if topology[HEADER * shape + KIND] == POLYHEDRON:
        down = scale(outline.outward, -1.0)
        sides, _ = gather_face(geometry, topology, shape, pose, down, 0.0, scratch, rows)
    kept = 0
    for k in range(outline.corners):
        if write_corner(scratch, outline, k, points, kept) <= reach:
            points[kept, SHARE] = alone
            distance = inf
            for side in range(sides):
                away = sub(vector_at(scratch, rows + side, 0), vector_at(scratch, CLIPPED + k, 0))
                if norm(away) < distance:
                    distance, points[kept, SHARE] = norm(away), _turn_at(scratch, rows, sides, side)
            kept += 1
    return kept


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
    """By how much the sides of a polygon, whose corners are in `rows` and on, turn at corner k, in quarters [1]."""
    p = vector_at(scratch, rows + k, 0)
    come = sub(p, vector_at(scratch, rows + (k if k > 0 else count) - 1, 0))
    go = sub(vector_at(scratch, rows + (k + 1 if k + 1 < count else 0), 0), p)
    return atan2(norm(cross(come, go)), dot(come, go)) / (0.5 * pi)


@kernel
def _put_closest(points: Floats, count: int, nearest: ClosestPoints, alone: float, reach: float) -> int:
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
        points[0, SHARE] = alone
    for c in range(3):
        points[place, AT + c] = middle[c]
    points[place, POINT_GAP] = gap
    return count
