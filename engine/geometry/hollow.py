"""Hollow solids of revolution: bowls, funnels, rings. Balls meet their true surface, all other bodies flat facets.

The surface is an outline, lines and arcs in the half plane of radius and height, turned about z. A ball is as near to
it as its centre is to the outline in the half plane through it (`engine.collision.narrow.bands`), so gap and normal are
exact, and nothing is cut into facets. Each stretch of the outline is a leaf of the body's tree; one that surrounds the
axis is three, for a ball that is too wide to go further down touches it all around: the nearest place, and those a
third of a turn to either side.

Corners, edges and round bodies other than balls meet the facets: triangles that lie nowhere outside the solid and, of
its inside, at most `facet_error` behind the true surface.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import acos, atan2, ceil, cos, hypot, pi, sin, sqrt

import numpy as np

from engine.arrays import Floats, Ints
from engine.geometry.errors import GeometryError
from engine.geometry.shapes import BAND, POLYHEDRON, Mesh, Shape, Stretch, positive

# Numbers of a BAND, after centre and axes: ends, centre and radius of the arc (0: a line), where the outline goes on
# from either end (unit vector; 0: nowhere), whether the end belongs to this stretch, the turn from the nearest place.
ENDS = 0
ARC = 4
ARC_RADIUS = 6
BEYOND = 7
OWNS = 11
TURN = 13
BAND_NUMBERS = 15

Point = tuple[float, float]

_UNIT_FRAME = np.vstack([np.zeros(3), np.eye(3)])
_THIRD = (-0.5, sqrt(0.75))
_FEWEST_FACETS, _MOST_FACETS = 64, 256


@dataclass(frozen=True, eq=False)
class _Line:
    """A stretch as points from start to end, for facets and for drawing: unit normals out of the solid."""

    points: Floats  # (n, 2)
    normals: Floats  # (n, 2)


# --- what there is ----------------------------------------------------------------------------------------------------


def bowl(radius: float, depth: float, thickness: float) -> Shape:
    """A hollow part of a sphere: of inner `radius`, `depth` from its lowest inner point, the origin, up to its lip."""
    radius = positive(radius, "the radius of a bowl")
    depth = positive(depth, "the depth of a bowl")
    outer = radius + positive(thickness, "the thickness of a bowl")
    if depth > 1.9 * radius:
        raise GeometryError(f"a bowl of radius {radius:g} can be {1.9 * radius:g} deep at most: got {depth:g}")
    centre = (0.0, radius)
    rise = depth - radius
    lip, rim = (sqrt(radius**2 - rise**2), depth), (sqrt(outer**2 - rise**2), depth)
    return _turned(
        [
            Stretch((0.0, 0.0), lip, centre, inside=True),
            Stretch(lip, rim),
            *_wide_arc(rim, (0.0, radius - outer), centre),
        ]
    )


def funnel(top_radius: float, bottom_radius: float, height: float, thickness: float) -> Shape:
    """A hollow cone about the origin, of inner radii at -height / 2 and height / 2; with a bottom radius it is open."""
    top = positive(top_radius, "the top radius of a funnel")
    half = 0.5 * positive(height, "the height of a funnel")
    if not 0.0 <= bottom_radius < top:
        raise GeometryError(f"the bottom radius of a funnel must be from 0 to below its top's: got {bottom_radius:g}")
    slope = (top - bottom_radius) / (2.0 * half)
    wall = positive(thickness, "the thickness of a funnel") * hypot(1.0, slope)
    bottom, lip, rim = (bottom_radius, -half), (top, half), (top + wall, half)
    inner = [Stretch(bottom, lip, inside=True), Stretch(lip, rim)]
    if bottom_radius == 0.0:
        return _turned([*inner, Stretch(rim, (0.0, -half - wall / slope))])
    foot = (bottom_radius + wall, -half)
    return _turned([*inner, Stretch(rim, foot), Stretch(foot, bottom)])


def ring(radius: float, width: float, thickness: float, groove: float = 0.0) -> Shape:
    """A ring about z, centred at the origin: its inner radius, its width along z, its wall where that is thinnest.

    groove: the radius of an arc that is hollowed out of its inside, whose deepest place is then at `radius`; 0: none,
    the inside of a cylinder.
    """
    radius = positive(radius, "the radius of a ring")
    half = 0.5 * positive(width, "the width of a ring")
    outer = radius + positive(thickness, "the thickness of a ring")
    edge = radius
    centre: Point | None = None
    if groove != 0.0:
        groove = positive(groove, "the groove of a ring")
        if not half < groove <= radius:
            raise GeometryError(
                f"the groove of a ring must be wider than half its width, {half:g}, up to its radius, {radius:g}: "
                f"got {groove:g}"
            )
        centre = (radius - groove, 0.0)
        edge = centre[0] + sqrt(groove**2 - half**2)
    low, high = (edge, -half), (edge, half)
    return _turned(
        [
            Stretch(low, high, centre, inside=True),
            Stretch(high, (outer, half)),
            Stretch((outer, half), (outer, -half)),
            Stretch((outer, -half), low),
        ]
    )


def _wide_arc(start: Point, end: Point, centre: Point) -> list[Stretch]:
    """An arc clockwise from start to end, in two where it is nearly half a circle."""
    first, last = (atan2(p[1] - centre[1], p[0] - centre[0]) for p in (start, end))
    if first - last < 0.75 * pi:
        return [Stretch(start, end, centre)]
    radius = hypot(start[0] - centre[0], start[1] - centre[1])
    between = (centre[0] + radius * cos(0.5 * (first + last)), centre[1] + radius * sin(0.5 * (first + last)))
    return [Stretch(start, between, centre), Stretch(between, end, centre)]


def _turned(outline: list[Stretch]) -> Shape:
    """The shape with this outline."""
    mesh = _facets(outline)
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    wide = max(rho for stretch in outline for rho, _ in stretch.corners)
    bottom = min(z for stretch in outline for _, z in stretch.corners)
    low, high = np.minimum(low, (-wide, -wide, bottom)), np.maximum(high, (wide, wide, high[2]))
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    return Shape(POLYHEDRON, corners, sheet=mesh, hollow=tuple(outline))


# --- for balls --------------------------------------------------------------------------------------------------------


def bands_of(shape: Shape) -> list[Shape]:
    """The leaves that balls meet."""
    outline = shape.hollow
    out = []
    for k, stretch in enumerate(outline):
        before = _way(outline[k - 1], 1) if stretch.start[0] > 0.0 else (0.0, 0.0)
        after = _way(outline[(k + 1) % len(outline)], 0) if stretch.end[0] > 0.0 else (0.0, 0.0)
        # Of two that share an edge one has it: the inside its own, of the others the first. An outer tip is its own.
        ends = ((stretch.start, k - 1), (stretch.end, k + 1))
        owns = [float(_owns(outline, k, other) if end[0] > 0.0 else not stretch.inside) for end, other in ends]
        centre, radius = stretch.centre or (0.0, 0.0), 0.0
        if stretch.centre is not None:
            radius = hypot(stretch.start[0] - centre[0], stretch.start[1] - centre[1])
        turns = ((1.0, 0.0), _THIRD, (_THIRD[0], -_THIRD[1])) if stretch.inside else ((1.0, 0.0),)
        for turn in turns:
            start = stretch.start
            if turn[0] < 0.0 and stretch.centre is not None and stretch.centre[0] == 0.0:
                start, centre, radius = stretch.end, (0.0, 0.0), 0.0  # no ball is wedged in a sphere but on its edge
            numbers = (*start, *stretch.end, *centre, radius, *before, *after, *owns, *turn)
            out.append(Shape(BAND, _UNIT_FRAME, profile=stretch.corners, parts=numbers))
    return out


def _owns(outline: tuple[Stretch, ...], k: int, other: int) -> bool:
    """Does stretch k have the edge that it shares with a neighbour, `other`?"""
    other %= len(outline)
    if outline[k].inside != outline[other].inside:
        return outline[k].inside
    return k < other


def _way(stretch: Stretch, end: int) -> Point:
    """The unit direction in which a stretch leads away from its start (0) or, backwards, from its end (1)."""
    (r, z), (other_r, other_z) = (stretch.start, stretch.end) if end == 0 else (stretch.end, stretch.start)
    if stretch.centre is not None:
        x, y = r - stretch.centre[0], z - stretch.centre[1]
        way = 1.0 if (other_r - r) * -y + (other_z - z) * x > 0.0 else -1.0
        length = hypot(x, y)
        return (-way * y / length, way * x / length)
    length = hypot(other_r - r, other_z - z)
    return ((other_r - r) / length, (other_z - z) / length)


# --- facets, and what is drawn ----------------------------------------------------------------------------------------


def facet_error(shape: Shape) -> float:
    """How far [m] the facets lie behind the true inner surface at most."""
    return 2.0 * _most_radius(shape.hollow) * (1.0 / cos(pi / _around(shape.hollow)) - 1.0)


def _most_radius(outline: tuple[Stretch, ...] | list[Stretch]) -> float:
    return max(rho for stretch in outline if stretch.inside for rho, _ in stretch.corners)


def _around(outline: tuple[Stretch, ...] | list[Stretch]) -> int:
    """So many facets around that they lie behind the inner surface by no more than an eighth of the wall."""
    wall = min(hypot(s.end[0] - s.start[0], s.end[1] - s.start[1]) for s in outline if not s.inside)
    wall = min(wall, max(rho for s in outline for rho, _ in s.corners) - _most_radius(outline))
    count = pi * sqrt(4.0 * _most_radius(outline) / wall)
    return int(min(max(4 * ceil(count / 4.0), _FEWEST_FACETS), _MOST_FACETS))


def _facets(outline: list[Stretch]) -> Mesh:
    around = _around(outline)
    ring: list[Point] = []
    for stretch in outline:
        points = _stretched(stretch, around, outside=stretch.inside).points
        if stretch.inside:
            points = points / (cos(pi / around), 1.0)
        # An edge of the inside lies behind it, too.
        first, last = int(bool(ring)), len(points) - int(stretch is outline[-1] and stretch.end[0] > 0.0)
        ring += [(float(r), float(z)) for r, z in points[first:last]]
    if outline[-1].end[0] > 0.0:
        ring.append(ring[0])
    return _revolve(np.array(ring), around)


def _revolve(ring: Floats, around: int) -> Mesh:
    """The points (n, 2) of an outline, with its first one at the end if it is closed, turned about z, as triangles."""
    turns = 2.0 * pi * np.arange(around) / around
    vertices: list[Floats] = []
    places: list[Ints] = []
    closed = bool(np.all(ring[0] == ring[-1]))
    for rho, z in ring[: -1 if closed else None]:
        count = around if rho > 0.0 else 1
        first = sum(len(each) for each in vertices)
        vertices.append(np.column_stack([rho * np.cos(turns), rho * np.sin(turns), np.full(around, z)])[:count])
        places.append(first + np.arange(around) % count)
    if closed:
        places.append(places[0])
    faces = []
    for low, high in pairwise(places):
        low_next, high_next = np.roll(low, -1), np.roll(high, -1)
        if low[0] != low[1]:
            faces.append(np.column_stack([low, high, low_next]))
        if high[0] != high[1]:
            faces.append(np.column_stack([low_next, high, high_next]))
    return Mesh(np.vstack(vertices), np.vstack(faces))


def _stretched(stretch: Stretch, around: int, outside: bool) -> _Line:
    """A stretch in steps as long as those around it. outside: corners of an arc are where its chords touch it."""
    start, end = np.array(stretch.start), np.array(stretch.end)
    if stretch.centre is None:
        along = (end - start) / np.linalg.norm(end - start)
        return _Line(np.array([start, end]), np.tile((-along[1], along[0]), (2, 1)))
    centre = np.array(stretch.centre)
    first, last = start - centre, end - centre
    radius = float(np.linalg.norm(first))
    angle = acos(min(max(float(first @ last) / radius**2, -1.0), 1.0))
    way = 1.0 if first[0] * last[1] - first[1] * last[0] > 0.0 else -1.0
    steps = max(2, ceil(angle * around / (2.0 * pi)))
    angles = atan2(first[1], first[0]) + way * angle * np.linspace(0.0, 1.0, steps + 1)
    out = np.column_stack([np.cos(angles), np.sin(angles)])
    grown = radius / cos(0.5 * angle / steps) if outside else radius
    points = centre + grown * out
    for row, beside, (rho, z) in ((0, 1, stretch.start), (-1, -2, stretch.end)):
        if rho == 0.0:
            points[row, 0] = 0.0
        else:  # the last chord as long as it has to be
            chord = points[row] - points[beside]
            points[row] = points[row, 0] + chord[0] / chord[1] * (z - points[row, 1]), z
    return _Line(points, -way * out)


def hollow_surface(shape: Shape, smoothness: int) -> tuple[Floats, Floats, Ints]:
    """Points, normals and triangles of the true surface, with about `smoothness` corners around."""
    turns = 2.0 * pi * np.arange(smoothness + 1) / smoothness
    c, s = np.cos(turns), np.sin(turns)
    points: list[Floats] = []
    normals: list[Floats] = []
    triangles: list[Ints] = []
    count = 0
    for stretch in shape.hollow:
        line = _stretched(stretch, smoothness, outside=False)
        for (rho, z), (out_rho, out_z) in zip(line.points, line.normals, strict=True):
            points.append(np.column_stack([rho * c, rho * s, np.full(smoothness + 1, z)]))
            normals.append(np.column_stack([out_rho * c, out_rho * s, np.full(smoothness + 1, out_z)]))
        step = np.arange(smoothness)[:, None]
        for row in range(len(line.points) - 1):
            low = count + row * (smoothness + 1) + step
            high = low + smoothness + 1
            if line.points[row, 0] > 0.0:
                triangles.append(np.hstack([low, high, low + 1]))
            if line.points[row + 1, 0] > 0.0:
                triangles.append(np.hstack([low + 1, high, high + 1]))
        count += len(line.points) * (smoothness + 1)
    return np.vstack(points), np.vstack(normals), np.vstack(triangles)
