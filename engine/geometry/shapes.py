"""What a body can look like: a convex core (point, segment, polyhedron) grown by a ball, or a ground plane.

A `Shape` is an immutable value in the frame the scene's author speaks of. Sphere = point + r, capsule = segment + r,
box = polyhedron + 0, rounded box = polyhedron + r. Building a `ShapePool` turns shapes into arrays for the kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from engine.geometry.errors import GeometryError
from engine.geometry.polyhedron import Floats, Ints, Loops

POINT = 0
SEGMENT = 1
POLYHEDRON = 2
PLANE = 3

_BOX_FACES: Loops = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))


@dataclass(frozen=True, eq=False)
class Mesh:
    """A triangle mesh: vertices (n, 3) [m], faces (m, 3) counter-clockwise from outside. May be concave."""

    vertices: Floats
    faces: Ints


@dataclass(frozen=True, eq=False)
class Shape:
    """A convex core grown by `radius` [m], in the authored frame.

    kind: POINT, SEGMENT, POLYHEDRON or PLANE (the half space z <= 0 of its frame: vertices = one point on it and its
    unit normal). vertices: (n, 3) [m]. faces: loops of a polyhedron, counter-clockwise from outside. solid: the body's
    true surface where that is not the core (a mesh file, whose core is the convex hull): mass and drawing use it.
    """

    kind: int
    vertices: Floats
    faces: Loops = ()
    radius: float = 0.0
    solid: Mesh | None = field(default=None)

    def transformed(self, translation: ArrayLike, quaternion: ArrayLike) -> Shape:
        """The same shape after turning by `quaternion` (w, x, y, z) and then moving by `translation` [m]."""
        turn = rotation_matrix(quaternion)
        shift = np.asarray(translation, dtype=float)
        if self.kind == PLANE:
            moved = np.array([turn @ self.vertices[0] + shift, turn @ self.vertices[1]])
            return replace(self, vertices=moved)
        solid = self.solid and Mesh(self.solid.vertices @ turn.T + shift, self.solid.faces)
        return replace(self, vertices=self.vertices @ turn.T + shift, solid=solid)

    @property
    def bounding_radius(self) -> float:
        """Radius [m] of the smallest ball about the origin that holds the shape; inf for a plane."""
        if self.kind == PLANE:
            return float("inf")
        return float(np.linalg.norm(self.vertices, axis=1).max()) + self.radius


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
    return Shape(POINT, np.zeros((1, 3)), radius=_positive(radius, "the radius of a sphere"))


def capsule(radius: float, length: float) -> Shape:
    """All points within `radius` [m] of a segment of `length` [m] along z, centred at the origin."""
    radius = _positive(radius, "the radius of a capsule")
    half = 0.5 * _positive(length, "the length of a capsule (between the centres of its caps)")
    return Shape(SEGMENT, np.array([[0.0, 0.0, -half], [0.0, 0.0, half]]), radius=radius)


def box(size: Sequence[float]) -> Shape:
    """A box with sides `size` (x, y, z) [m] about the origin."""
    x, y, z = (0.5 * side for side in _sides(size, "a box"))
    corners = [[sx * x, sy * y, sz * z] for sz in (-1.0, 1.0) for sy in (-1.0, 1.0) for sx in (-1.0, 1.0)]
    return Shape(POLYHEDRON, np.array(corners), _BOX_FACES)


def rounded_box(size: Sequence[float], radius: float) -> Shape:
    """A box with outer sides `size` [m] about the origin whose edges and corners are rounded with `radius` [m]."""
    sides = _sides(size, "a rounded box")
    radius = _positive(radius, "the radius of a rounded box")
    if 2.0 * radius >= min(sides):
        raise GeometryError(
            f"the radius of a rounded box must be less than half its smallest side: got {radius:g}, "
            f"with sides of {sides[0]:g}, {sides[1]:g} and {sides[2]:g}"
        )
    return replace(box([side - 2.0 * radius for side in sides]), radius=radius)


def plane() -> Shape:
    """The ground: everything at z <= 0 of its frame. Only a fixed body can have it."""
    return Shape(PLANE, np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))


def convex(points: ArrayLike) -> Shape:
    """The convex hull of `points` (n, 3) [m]; triangles in one plane become one polygon."""
    from engine.geometry.hull import convex_hull

    vertices, faces = convex_hull(points)
    return Shape(POLYHEDRON, vertices, faces)


def mesh_file(path: str | Path, scale: float = 1.0) -> Shape:
    """The solid in a mesh file (OBJ, STL, PLY, glTF, ...), its numbers times `scale` in metres.

    It collides as its convex hull; its mass and its looks are the true mesh's. Raises GeometryError if the file cannot
    be read or its surface is not closed.
    """
    from engine.geometry.hull import convex_hull
    from engine.geometry.mesh_files import read_mesh

    solid = read_mesh(Path(path), _positive(scale, "the scale of a mesh"))
    vertices, faces = convex_hull(solid.vertices)
    return Shape(POLYHEDRON, vertices, faces, solid=solid)


def _positive(value: float, what: str) -> float:
    number = float(value)
    if not (np.isfinite(number) and number > 0.0):
        raise GeometryError(f"{what} must be a positive number: got {number:g}")
    return number


def _sides(size: Sequence[float], what: str) -> tuple[float, float, float]:
    sides = [float(side) for side in size]
    if len(sides) != 3:
        raise GeometryError(f"{what} needs three sides (x, y, z): got {len(sides)}")
    return (
        _positive(sides[0], f"the x side of {what}"),
        _positive(sides[1], f"the y side of {what}"),
        _positive(sides[2], f"the z side of {what}"),
    )
