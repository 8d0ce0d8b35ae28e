"""What a body can look like: a convex core (point, segment, polyhedron, smooth solid) grown by a ball, or a plane.

A `Shape` is an immutable value in the frame the scene's author speaks of. Sphere = point + r, capsule = segment + r,
box = polyhedron + 0, rounded box = polyhedron + r. A concave body is a shape with `pieces`, which are convex; a surface
of triangles that needs no inside is a shape with a `sheet`. Building a `ShapePool` turns shapes into arrays for the
kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from engine.arrays import Floats, Ints
from engine.geometry.errors import GeometryError
from engine.geometry.hull import convex_hull
from engine.geometry.polyhedron import Loops

POINT = 0
SEGMENT = 1
POLYHEDRON = 2
PLANE = 3
# Smooth solids: every kind from REVOLVED on. What their numbers mean is said in engine.geometry.smooth.
REVOLVED = 10
ELLIPSOID = 11
SUPERQUADRIC = 12
# A stretch of a hollow body's surface, which only balls meet: engine.geometry.hollow.
BAND = 13

LEAST_EXPONENT = 1.2
LARGEST_EXPONENT = 10.0
"""Superquadrics are convex for exponents of 1 and more; nearer to 1 their edges, above 10 their faces are too sharp."""

_UNIT_FRAME = np.vstack([np.zeros(3), np.eye(3)])
_BOX_FACES: Loops = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))


@dataclass(frozen=True, eq=False)
class Mesh:
    """A triangle mesh: vertices (n, 3) [m], faces (m, 3) counter-clockwise from outside. May be concave."""

    vertices: Floats
    faces: Ints


@dataclass(frozen=True)
class Stretch:
    """A part of the outline of a hollow body, in the half plane of radius and height (rho, z) [m] about its axis.

    A straight line, or an arc of less than half a circle about `centre`, from start to end, with the solid on the
    right. inside: the solid surrounds it, as a bowl's inner surface.
    """

    start: tuple[float, float]
    end: tuple[float, float]
    centre: tuple[float, float] | None = None
    inside: bool = False

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """Points (rho, z) [m] about it."""
        if self.centre is None:
            return (self.start, self.end)
        radius = float(np.hypot(self.start[0] - self.centre[0], self.start[1] - self.centre[1]))
        (r, z), wide = self.centre, radius + self.centre[0]
        low = min(self.start[1], self.end[1]) if min(self.start[0], self.end[0]) >= r else z - radius
        high = max(self.start[1], self.end[1]) if min(self.start[0], self.end[0]) >= r else z + radius
        return ((wide, low), (wide, high))


@dataclass(frozen=True, eq=False)
class Shape:
    """A convex core grown by `radius` [m], in the authored frame.

    kind: POINT, SEGMENT, POLYHEDRON or PLANE (the half space z <= 0 of its frame: vertices = one point on it and its
    unit normal). vertices: (n, 3) [m]. faces: loops of a polyhedron, counter-clockwise from outside. solid: the body's
    true surface where that is not the core (a mesh file, whose core is the convex hull): mass and drawing use it.

    REVOLVED, ELLIPSOID and SUPERQUADRIC are smooth. Their vertices are the centre and the tips of three unit axes from
    there; profile: rims (radius, height along the third axis) [m] from low to high; semi_axes [m]; exponents (p, q).

    pieces: the convex parts of a concave body, whose hull the core is then: they are what touches. sheet: triangles
    that touch from both sides, in a box that is the core; only static and kinematic bodies can have it.

    hollow: the outline of a hollow solid of revolution about z, which balls meet as it is; all others meet its sheet.
    BAND: one stretch of it, see `engine.geometry.hollow`, whose numbers are `parts`; its profile is of a hull.
    """

    kind: int
    vertices: Floats
    faces: Loops = ()
    radius: float = 0.0
    solid: Mesh | None = field(default=None)
    profile: tuple[tuple[float, float], ...] = ()
    semi_axes: tuple[float, float, float] = (0.0, 0.0, 0.0)
    exponents: tuple[float, float] = (2.0, 2.0)
    pieces: tuple[Shape, ...] = ()
    sheet: Mesh | None = None
    hollow: tuple[Stretch, ...] = ()
    parts: tuple[float, ...] = ()

    def transformed(self, translation: ArrayLike, quaternion: ArrayLike) -> Shape:
        """The same shape after turning by `quaternion` (w, x, y, z) and then moving by `translation` [m]."""
        turn = rotation_matrix(quaternion)
        shift = np.asarray(translation, dtype=float)
        if self.kind == PLANE:
            moved = np.array([turn @ self.vertices[0] + shift, turn @ self.vertices[1]])
            return replace(self, vertices=moved)
        return replace(
            self,
            vertices=self.vertices @ turn.T + shift,
            solid=self.solid and Mesh(self.solid.vertices @ turn.T + shift, self.solid.faces),
            pieces=tuple(piece.transformed(translation, quaternion) for piece in self.pieces),
            sheet=self.sheet and Mesh(self.sheet.vertices @ turn.T + shift, self.sheet.faces),
        )

    @property
    def bounding_radius(self) -> float:
        """Radius [m] of the smallest ball about the origin that holds the shape; inf for a plane."""
        if self.kind == PLANE:
            return float("inf")
        if self.pieces:
            return max(piece.bounding_radius for piece in self.pieces)
        if self.kind < REVOLVED:
            points = self.vertices if self.sheet is None else self.sheet.vertices
            return float(np.linalg.norm(points, axis=1).max()) + self.radius
        centre, axes = self.frame
        off = axes @ centre
        if self.kind in (REVOLVED, BAND):
            aside = float(np.hypot(off[0], off[1]))
            return max(float(np.hypot(aside + r, off[2] + z)) for r, z in self.profile) + self.radius
        return float(np.linalg.norm(centre)) + self._reach_of_quadric() + self.radius

    @property
    def arm(self) -> float:
        """Largest distance [m] of the core, or a piece's, from the origin: 0 for a ball, which no spin moves."""
        if self.kind == PLANE:
            return 0.0
        return max((piece.arm for piece in self.pieces), default=self.bounding_radius - self.radius)

    def _reach_of_quadric(self) -> float:
        """Largest distance [m] of a superquadric from its centre: Hoelder's inequality, for each of the two norms."""
        a, b, c = self.semi_axes
        p, q = self.exponents
        return _longest(_longest(a, b, p), c, q)

    @property
    def frame(self) -> tuple[Floats, Floats]:
        """Centre (3,) [m] and unit axes (3, 3), as rows, of a smooth solid."""
        return self.vertices[0], self.vertices[1:] - self.vertices[0]

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """Low and high corner [m] of the box along the axes of its frame; a plane's has no end."""
        if self.kind == PLANE:
            return np.full(3, -np.inf), np.full(3, np.inf)
        if self.pieces:
            boxes = np.array([piece.bounds for piece in self.pieces])
            return boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)
        if self.kind < REVOLVED:
            return self.vertices.min(axis=0) - self.radius, self.vertices.max(axis=0) + self.radius
        high = np.array([self.reach(axis) for axis in np.eye(3)])
        return -np.array([self.reach(-axis) for axis in np.eye(3)]), high

    def reach(self, direction: Floats) -> float:
        """How far [m] a smooth solid reaches along a unit direction: its support function."""
        centre, axes = self.frame
        x, y, z = axes @ direction
        if self.kind in (REVOLVED, BAND):
            height = max(r * float(np.hypot(x, y)) + h * z for r, h in self.profile)
        else:
            p, q = (exponent / (exponent - 1.0) for exponent in self.exponents)
            a, b, c = np.abs((x, y, z)) * self.semi_axes
            height = float(np.linalg.norm([np.linalg.norm([a, b], p), c], q))
        return float(centre @ direction) + float(height) + self.radius


def _longest(a: float, b: float, p: float) -> float:
    """Largest sqrt(x² + y²) with (x/a)^p + (y/b)^p = 1."""
    if p <= 2.0:
        return max(a, b)
    large, power = max(a, b), 2.0 * p / (p - 2.0)
    return float(large * (1.0 + (min(a, b) / large) ** power) ** (1.0 / power))


def rotation_matrix(quaternion: ArrayLike) -> Floats:
    """The (3, 3) matrix of a quaternion (w, x, y, z), which need not have unit length. Exact for the identity."""
    w, x, y, z = (float(c) for c in np.asarray(quaternion, dtype=float))
    s = w * w + x * x + y * y + z * z
    if not s > 0.0:
        raise GeometryError("an orientation must not be the quaternion 0")
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z) / s, 2.0 * (x * y - w * z) / s, 2.0 * (x * z + w * y) / s],
            [2.0 * (x * y + w * z) / s, 1.0 - 2.0 * (x * x + z * z) / s, 2.0 * (y * z - w * x) / s],
            [2.0 * (x * z - w * y) / s, 2.0 * (y * z + w * x) / s, 1.0 - 2.0 * (x * x + y * y) / s],
        ]
    )


def sphere(radius: float) -> Shape:
    """A ball of `radius` [m] about the origin."""
    return Shape(POINT, np.zeros((1, 3)), radius=positive(radius, "the radius of a sphere"))


def capsule(radius: float, length: float) -> Shape:
    """All points within `radius` [m] of a segment of `length` [m] along z, centred at the origin."""
    radius = positive(radius, "the radius of a capsule")
    half = 0.5 * positive(length, "the length of a capsule (between the centres of its caps)")
    return Shape(SEGMENT, np.array([[0.0, 0.0, -half], [0.0, 0.0, half]]), radius=radius)


def box(size: Sequence[float]) -> Shape:
    """A box with sides `size` (x, y, z) [m] about the origin."""
    x, y, z = (0.5 * side for side in _sides(size, "a box"))
    corners = [[sx * x, sy * y, sz * z] for sz in (-1.0, 1.0) for sy in (-1.0, 1.0) for sx in (-1.0, 1.0)]
    return Shape(POLYHEDRON, np.array(corners), _BOX_FACES)


def rounded_box(size: Sequence[float], radius: float) -> Shape:
    """A box with outer sides `size` [m] about the origin whose edges and corners are rounded with `radius` [m]."""
    sides = _sides(size, "a rounded box")
    radius = positive(radius, "the radius of a rounded box")
    if 2.0 * radius >= min(sides):
        raise GeometryError(
            f"the radius of a rounded box must be less than half its smallest side: got {radius:g}, "
            f"with sides of {sides[0]:g}, {sides[1]:g} and {sides[2]:g}"
        )
    return replace(box([side - 2.0 * radius for side in sides]), radius=radius)


def cylinder(radius: float, length: float) -> Shape:
    """A cylinder of `radius` and `length` [m] along z, centred at the origin."""
    radius = positive(radius, "the radius of a cylinder")
    half = 0.5 * positive(length, "the length of a cylinder")
    return revolved([(radius, -half), (radius, half)])


def cone(radius: float, height: float, top_radius: float = 0.0) -> Shape:
    """A cone along z with its base at -height / 2 and its apex at height / 2 [m]; truncated if it has a top radius."""
    radius = positive(radius, "the radius of a cone")
    half = 0.5 * positive(height, "the height of a cone")
    if top_radius != 0.0:
        top_radius = positive(top_radius, "the top radius of a cone")
    return revolved([(radius, -half), (top_radius, half)])


def revolved(profile: Sequence[tuple[float, float]]) -> Shape:
    """The convex solid of revolution about z with these rims (radius, height) [m], from low to high.

    Raises GeometryError unless the profile turns to the same side everywhere and encloses a volume.
    """
    rims = tuple((float(r), float(z)) for r, z in profile)
    if len(rims) < 2 or not np.isfinite(rims).all() or min(r for r, _ in rims) < 0.0 or max(r for r, _ in rims) == 0.0:
        raise GeometryError(
            "a profile needs two or more rims (radius, height), of radii of 0 or more, not all of them 0"
        )
    steps = [(r1 - r0, z1 - z0) for (r0, z0), (r1, z1) in pairwise(rims)]
    if any(rise <= 0.0 for _, rise in steps):
        raise GeometryError("the rims of a profile must be listed from low to high, each above the one before")
    if any(wider * next_rise <= rise * next_wider for (wider, rise), (next_wider, next_rise) in pairwise(steps)):
        raise GeometryError("the profile of a convex solid must bend inwards at every rim between the ends")
    return Shape(REVOLVED, _UNIT_FRAME, profile=rims)


def ellipsoid(semi_axes: Sequence[float]) -> Shape:
    """An ellipsoid with these semi-axes along x, y, z [m] about the origin."""
    return Shape(ELLIPSOID, _UNIT_FRAME, semi_axes=_sides(semi_axes, "an ellipsoid"))


def superquadric(semi_axes: Sequence[float], exponents: Sequence[float]) -> Shape:
    """All points with (|x/a|^p + |y/b|^p)^(q/p) + |z/c|^q <= 1, for semi-axes (a, b, c) [m] and exponents (p, q).

    Both 2 make an ellipsoid; p = 2 with a large q nearly a cylinder, both large nearly a box. Raises GeometryError for
    exponents outside [LEAST_EXPONENT, LARGEST_EXPONENT].
    """
    p, q = (float(exponent) for exponent in exponents)
    if min(p, q) < LEAST_EXPONENT or max(p, q) > LARGEST_EXPONENT or p != p or q != q:
        raise GeometryError(
            f"the exponents of a superquadric must be from {LEAST_EXPONENT:g} to {LARGEST_EXPONENT:g} "
            f"(below 1 it is not convex): got {p:g} and {q:g}"
        )
    sides = _sides(semi_axes, "a superquadric")
    kind = ELLIPSOID if p == q == 2.0 else SUPERQUADRIC
    return Shape(kind, _UNIT_FRAME, semi_axes=sides, exponents=(p, q))


def plane() -> Shape:
    """The ground: everything at z <= 0 of its frame. Only a static body can have it."""
    return Shape(PLANE, np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))


def convex(points: ArrayLike) -> Shape:
    """The convex hull of `points` (n, 3) [m]; triangles in one plane become one polygon."""
    vertices, faces = convex_hull(points)
    return Shape(POLYHEDRON, vertices, faces)


def positive(value: float, what: str) -> float:
    """The number, which must be positive and finite: GeometryError, with what it is, where it is not."""
    number = float(value)
    if not (np.isfinite(number) and number > 0.0):
        raise GeometryError(f"{what} must be a positive number: got {number:g}")
    return number


def _sides(size: Sequence[float], what: str) -> tuple[float, float, float]:
    sides = [float(side) for side in size]
    if len(sides) != 3:
        raise GeometryError(f"{what} needs three sides (x, y, z): got {len(sides)}")
    return (
        positive(sides[0], f"the x side of {what}"),
        positive(sides[1], f"the y side of {what}"),
        positive(sides[2], f"the z side of {what}"),
    )
