"""What a scene file may say of a body's shape, in the body's authored frame."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, Any

from pydantic import Field, Strict, model_validator

from engine.scene.values import (
    NonNegative,
    Number,
    Orientation,
    Positive,
    Size,
    Text,
    Value,
    Vector,
    check_orientation,
    problem,
    quantity,
    unit_quaternion,
)

EXPONENTS = (1.2, 10.0)
"""Superquadrics are convex for exponents of 1 and more; nearer to 1 their edges, above 10 their faces are too sharp."""


DEEPEST = 1.9
"""A bowl may be this many radii deep: deeper it would be closed, or nearly."""


class Sphere(Value):
    """A ball about the origin."""

    radius: Positive = quantity(unit="m", description="radius")


class Capsule(Value):
    """A cylinder along z with round caps; `length` is the distance between the centres of the caps."""

    radius: Positive = quantity(unit="m", description="radius")
    length: Positive = quantity(unit="m", description="distance between the centres of the caps")


class RoundedBox(Value):
    """A box about the origin whose edges and corners are rounded; `size` is its outer size."""

    size: Size = quantity(unit="m", description="outer size along x, y, z")
    radius: Positive = quantity(unit="m", description="radius of edges and corners")

    @model_validator(mode="after")
    def _radius_fits(self) -> RoundedBox:
        if 2 * self.radius >= min(self.size):
            limit = min(self.size) / 2
            raise problem(f"{self.radius:g} does not fit into the size", f"less than {limit:g} m", "radius")
        return self


class Cylinder(Value):
    """A cylinder about the z axis, centred at the origin: a coin, a can, a wheel."""

    radius: Positive = quantity(unit="m", description="radius")
    length: Positive = quantity(unit="m", description="length along z")


class Cone(Value):
    """A cone about the z axis: its base at -height / 2, its apex at height / 2, or cut off there with a top radius."""

    radius: Positive = quantity(unit="m", description="radius of the base")
    height: Positive = quantity(unit="m", description="height along z")
    top_radius: NonNegative = quantity(0.0, unit="m", description="radius of the top; 0 for an apex")


class Superquadric(Value):
    """All points with (|x/a|^p + |y/b|^p)^(q/p) + |z/c|^q <= 1, for `size` = [a, b, c] and `exponents` = [p, q]."""

    size: Size = quantity(unit="m", description="semi-axes along x, y, z")
    exponents: tuple[Number, Number] = quantity(description="p across and q along z: 2 is round, large is boxy")

    @model_validator(mode="after")
    def _is_convex(self) -> Superquadric:
        low, high = EXPONENTS
        for exponent in self.exponents:
            if not low <= exponent <= high:
                said = f"{exponent:g} would not be convex" if exponent < 1 else f"{exponent:g} is too sharp"
                raise problem(said, f"from {low:g} to {high:g}", "exponents")
        return self


class Revolved(Value):
    """A convex solid of revolution about the z axis, by its rims from low to high; a rim of radius 0 is an apex."""

    profile: tuple[tuple[NonNegative, Number], ...] = quantity(unit="m", description="rims as radius and height")


class Convex(Value):
    """The convex hull of points."""

    vertices: tuple[Vector, ...] = quantity(unit="m", description="points whose convex hull is the shape")


class Mesh(Value):
    """A closed triangle mesh from a file inside the scene's folder; its convex hull is what touches.

    With `concave` its true surface does. A free body is then cut into convex pieces, which follow that surface closely;
    any other takes the triangles as they are, a hundred thousand of them if need be, and they need not be closed.
    """

    file: Text = Field(description="mesh file, relative to the scene's folder: OBJ, STL, PLY, glTF")
    scale: Positive = quantity(1.0, unit="m", description="metres per unit of the file")
    concave: bool = Field(default=False, strict=True, description="touch with the true surface, not its convex hull")


class Bowl(Value):
    """The inside of a sphere, with a wall: its lowest inner point is the origin, z is up. Only fixed or scripted.

    Of bowls, funnels and rings balls meet the true surface; any other body meets flat facets that lie a little behind
    it, by at most a quarter of the wall.
    """

    radius: Positive = quantity(unit="m", description="inner radius")
    depth: Positive = quantity(unit="m", description="height of the lip above the lowest inner point")
    thickness: Positive = quantity(unit="m", description="thickness of the wall")

    @model_validator(mode="after")
    def _open(self) -> Bowl:
        if self.depth > DEEPEST * self.radius:
            raise problem(f"{self.depth:g} leaves no opening", f"at most {DEEPEST * self.radius:g} m", "depth")
        return self


class Funnel(Value):
    """A hollow cone about the z axis, from -height / 2 to height / 2, wider at the top. Only fixed or scripted."""

    top_radius: Positive = quantity(unit="m", description="inner radius at the top")
    bottom_radius: NonNegative = quantity(0.0, unit="m", description="inner radius at the bottom; 0 for a tip")
    height: Positive = quantity(unit="m", description="height along z")
    thickness: Positive = quantity(unit="m", description="thickness of the wall")

    @model_validator(mode="after")
    def _widens(self) -> Funnel:
        if self.bottom_radius >= self.top_radius:
            raise problem("is not narrower than the top", f"less than {self.top_radius:g} m", "bottom_radius")
        return self


class HollowRing(Value):
    """A ring about the z axis, hollow: a tube, or a wheel to run in, with a groove if that is wanted.

    Only fixed or scripted.
    """

    radius: Positive = quantity(unit="m", description="inner radius, where it is widest")
    width: Positive = quantity(unit="m", description="width along z")
    thickness: Positive = quantity(unit="m", description="thickness of the wall where it is thinnest")
    groove: NonNegative = quantity(0.0, unit="m", description="radius of a groove all around its inside; 0: none")

    @model_validator(mode="after")
    def _groove_fits(self) -> HollowRing:
        if self.groove != 0.0 and not self.width / 2 < self.groove <= self.radius:
            hint = f"more than {self.width / 2:g} m, up to {self.radius:g} m, or 0"
            raise problem(f"{self.groove:g} is no groove of this ring", hint, "groove")
        return self


class Prism(Value):
    """A regular n-gon about the z axis: a coin, a pencil, a polygonal plate. `radius` reaches its corners."""

    sides: Annotated[int, Strict(), Field(ge=3, le=1000)] = quantity(description="number of sides")
    radius: Positive = quantity(unit="m", description="distance of the corners from the axis")
    height: Positive = quantity(unit="m", description="height along z")

    def vertices(self) -> tuple[tuple[float, float, float], ...]:
        """Its 2 x sides corners; the first lies above the x axis."""
        turns = [2 * math.pi * k / self.sides for k in range(self.sides)]
        ring = [(self.radius * math.cos(turn), self.radius * math.sin(turn)) for turn in turns]
        return tuple((x, y, z) for z in (-self.height / 2, self.height / 2) for x, y in ring)


Outline = tuple[tuple[Number, Number], ...]


class Extrusion(Value):
    """A plate of any outline about the plane z = 0: a letter, a gear, a hook. It may have holes, and several parts.

    What lies inside an odd number of rings is solid.
    """

    rings: tuple[Outline, ...] = quantity(
        unit="m", description="closed outlines as corners x, y; a ring in another is a hole in it"
    )
    height: Positive = quantity(unit="m", description="height along z")

    @model_validator(mode="after")
    def _some(self) -> Extrusion:
        if not self.rings:
            raise problem("has no rings", "one or more lists of corners, such as [[0, 0], [1, 0], [0, 1]]", "rings")
        return self

    @property
    def holes(self) -> tuple[bool, ...]:
        """Of each ring, whether it is a hole: it lies inside an odd number of the others."""
        return _holes(self.rings)


@lru_cache(maxsize=256)
def _holes(rings: tuple[Outline, ...]) -> tuple[bool, ...]:
    around = (sum(k != j and _lies_in(ring[0], other) for j, other in enumerate(rings)) for k, ring in enumerate(rings))
    return tuple(count % 2 == 1 for count in around)


def _lies_in(point: tuple[float, float], ring: Outline) -> bool:
    """Even-odd rule: a ray from the point along x crosses the ring so often."""
    x, y = point
    crossed = False
    for (a, b), (c, d) in zip(ring, (*ring[1:], ring[0]), strict=True):
        if (b > y) != (d > y) and x < a + (c - a) * (y - b) / (d - b):
            crossed = not crossed
    return crossed


class Piece(Value):
    """A convex part of a compound, placed in the body's frame."""

    shape: BodyShape = Field(description="a convex shape")
    position: Vector = quantity((0.0, 0.0, 0.0), unit="m", description="origin of its frame in the body's")
    orientation: Orientation = Field(default=(1.0, 0.0, 0.0, 0.0), description="{ axis, degrees } or [w, x, y, z]")

    @model_validator(mode="after")
    def _consistent(self) -> Piece:
        if self.shape.kind not in PIECE_KINDS:
            raise problem(f"a {self.shape.kind} is no convex piece", "one of " + ", ".join(PIECE_KINDS), "shape")
        check_orientation(self.orientation, "orientation")
        return self

    @property
    def quaternion(self) -> tuple[float, float, float, float]:
        """Its orientation as a unit quaternion w, x, y, z, its frame to the body's."""
        return unit_quaternion(self.orientation)


class Compound(Value):
    """Convex pieces that make up one rigid body, concave or not.

    They may overlap: what touches is their union, but where they overlap their matter is there twice.
    """

    pieces: tuple[Piece, ...] = Field(description="its convex pieces")

    @model_validator(mode="after")
    def _some(self) -> Compound:
        if not self.pieces:
            raise problem("has no pieces", "one or more, each { shape = {...}, position = [...] }", "pieces")
        return self


class Plane(Value):
    """The half space z <= 0 of its frame: a ground without end. Only for fixed bodies."""


class BodyShape(Value):
    """Exactly one of these is set: `shape.kind` names it, `shape.value` is it. `box` is the full size along x, y, z,
    `ellipsoid` half of that."""

    sphere: Sphere | None = None
    capsule: Capsule | None = None
    box: Size | None = quantity(None, unit="m", description="full size along x, y, z")
    rounded_box: RoundedBox | None = None
    cylinder: Cylinder | None = None
    cone: Cone | None = None
    ellipsoid: Size | None = quantity(None, unit="m", description="semi-axes along x, y, z")
    superquadric: Superquadric | None = None
    revolved: Revolved | None = None
    convex: Convex | None = None
    mesh: Mesh | None = None
    prism: Prism | None = None
    extrusion: Extrusion | None = None
    bowl: Bowl | None = None
    funnel: Funnel | None = None
    ring: HollowRing | None = None
    compound: Compound | None = None
    plane: Plane | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> BodyShape:
        kinds = [kind for kind in SHAPE_KINDS if getattr(self, kind) is not None]
        if not kinds:
            raise problem("says no shape", "one of " + ", ".join(SHAPE_KINDS))
        if len(kinds) > 1:
            raise problem(f"says {' and '.join(kinds)}", "one shape a body")
        return self

    @property
    def kind(self) -> str:
        """Name of the shape that is set: one of `SHAPE_KINDS`."""
        return next(kind for kind in SHAPE_KINDS if getattr(self, kind) is not None)

    @property
    def value(self) -> Any:
        """The shape that is set: a `Sphere`, a `Capsule`, ..., or the three sizes of a box or an ellipsoid."""
        return getattr(self, self.kind)


Piece.model_rebuild()
SHAPE_KINDS = tuple(BodyShape.model_fields)
HOLLOW_KINDS = ("bowl", "funnel", "ring")
_NO_PIECES = (*HOLLOW_KINDS, "mesh", "extrusion", "compound", "plane")
PIECE_KINDS = tuple(kind for kind in SHAPE_KINDS if kind not in _NO_PIECES)
