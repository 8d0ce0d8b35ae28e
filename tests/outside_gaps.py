"""Gaps between the bodies of a world as an outside library (coal) measures them, from public poses and shapes alone.

Coal knows polyhedra, balls and capsules exactly. A smooth solid is to it the hull of points of its surface, which
leaves out up to a hundredth of its size: there, its gap is only the start. What is returned then is proved by a slab
between the two bodies, found from their support functions: never more than the gap, and less by at most PROOF of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import coal
import numpy as np
from scipy.spatial import cKDTree

from engine import World
from engine.geometry.shapes import PLANE, POINT, REVOLVED, SEGMENT, Shape, rotation_matrix
from engine.geometry.surface import surface_mesh

NEAR = 0.002
"""Bodies, and triangles of meshes, that are further apart than this [m] are not measured."""
AROUND = 96
"""How many points of a circle the hull of a smooth solid has."""
PROOF = 0.01
"""By how much of itself a gap of smooth solids may be understated [1]."""
TURNS = 100
"""And how often their plane is turned at most; if that is too few, the gap is understated by more."""


def _hull(shape: Shape) -> coal.CollisionGeometry:
    if shape.kind == POINT:
        return coal.Sphere(1e-12)
    if shape.kind == SEGMENT:
        low, high = shape.vertices
        return coal.Capsule(1e-12, float(np.linalg.norm(high - low)))
    points = coal.StdVec_Vec3s()
    vertices = shape.vertices
    if shape.kind >= REVOLVED:
        surface = surface_mesh(shape, AROUND)
        assert surface is not None
        vertices = surface[0].astype(np.float64)
    for vertex in vertices:
        points.append(vertex)
    return coal.ConvexBase.convexHull(points, False, "")


def _left_out(shape: Shape) -> float:
    """How far [m] a shape reaches out of its hull at most: the sagitta of chords. Of superquadrics unknown."""
    if shape.kind < REVOLVED:
        return 0.0
    if shape.kind > REVOLVED:
        return math.inf
    rounding = 1e-6 * shape.bounding_radius  # the hull's points are of single precision
    return max(r for r, _ in shape.profile) * (1.0 - math.cos(math.pi / AROUND)) + rounding


def _place(shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Where a point or a segment, which coal knows about the origin and along z only, lies in the body's frame."""
    if shape.kind == POINT:
        return np.eye(3), shape.vertices[0]
    if shape.kind == SEGMENT:
        z = shape.vertices[1] - shape.vertices[0]
        z = z / np.linalg.norm(z)
        x = np.cross(np.eye(3)[int(np.abs(z).argmin())], z)
        x /= np.linalg.norm(x)
        return np.column_stack([x, np.cross(z, x), z]), shape.vertices.mean(axis=0)
    return np.eye(3), np.zeros(3)


class _Part:
    """A convex part of a body: a whole convex body, a piece, or a triangle of a sheet."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.hull = None if shape.kind == PLANE else _hull(shape)
        self.turn, self.shift = _place(shape)
        # The cores that coal cannot take without a thickness have this one.
        self.thickness = shape.radius - (1e-12 if shape.kind in (POINT, SEGMENT) else 0.0)
        self.left_out = _left_out(shape)
        self.centre, self.reach = np.zeros(3), shape.bounding_radius  # of a ball that holds it
        self.half = np.full(3, self.reach)  # and of a box
        if shape.kind < REVOLVED and len(shape.vertices) > 0:
            low, high = shape.vertices.min(axis=0), shape.vertices.max(axis=0)
            self.centre, self.half = 0.5 * (low + high), 0.5 * (high - low) + shape.radius
            self.reach = shape.radius + np.linalg.norm(shape.vertices - self.centre, axis=1).max()

    def at(self, turn: np.ndarray, position: np.ndarray) -> coal.Transform3s:
        return coal.Transform3s(turn @ self.turn, turn @ self.shift + position)

    @property
    def smooth(self) -> bool:
        return self.shape.kind >= REVOLVED

    def furthest(self, direction: np.ndarray) -> np.ndarray:
        """Its furthest point along a unit direction, both in the body's frame."""
        if self.smooth:
            return furthest_of_smooth(self.shape, direction)
        return self.shape.vertices[int((self.shape.vertices @ direction).argmax())] + self.shape.radius * direction


class _Triangle:
    """A triangle of a sheet, as a part."""

    thickness = left_out = 0.0
    smooth = False

    def __init__(self, corners: np.ndarray) -> None:
        self.corners = corners
        points, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        for corner in corners:
            points.append(corner)
        faces.append(coal.Triangle(0, 1, 2))
        faces.append(coal.Triangle(0, 2, 1))
        self.hull = coal.Convex(points, faces)

    def at(self, turn: np.ndarray, position: np.ndarray) -> coal.Transform3s:
        return coal.Transform3s(turn, position)

    def furthest(self, direction: np.ndarray) -> np.ndarray:
        return self.corners[int((self.corners @ direction).argmax())]


def furthest_of_smooth(shape: Shape, direction: np.ndarray) -> np.ndarray:
    """The furthest point (3,) [m] of a smooth solid along a unit direction: the gradient of its support function."""
    centre, axes = shape.vertices[0], shape.vertices[1:] - shape.vertices[0]
    x, y, z = (float(c) for c in axes @ direction)
    if shape.kind == REVOLVED:
        across = math.hypot(x, y)
        r, h = max(shape.profile, key=lambda rim: rim[0] * across + rim[1] * z)
        local = [r * x / across, r * y / across, h] if across > 0.0 else [r, 0.0, h]
    else:
        (a, b, c), (p, q) = shape.semi_axes, (exponent / (exponent - 1.0) for exponent in shape.exponents)
        level = math.pow(math.pow(a * abs(x), p) + math.pow(b * abs(y), p), 1.0 / p)
        height = math.pow(math.pow(level, q) + math.pow(c * abs(z), q), 1.0 / q)
        outwards = math.pow(level / height, q - 1.0)
        local = [0.0, 0.0, math.copysign(c * math.pow(c * abs(z) / height, q - 1.0), z)]
        if level > 0.0:
            local[0] = math.copysign(a * math.pow(a * abs(x) / level, p - 1.0) * outwards, x)
            local[1] = math.copysign(b * math.pow(b * abs(y) / level, p - 1.0) * outwards, y)
    return centre + axes.T @ np.array(local) + shape.radius * direction


def nearest_to_origin(points: list[np.ndarray]) -> tuple[np.ndarray, list[np.ndarray]]:
    """The point nearest to the origin of the hull of a few points, and those of them that it lies between.

    The last one is new and on the origin's side; before it the others were such a set (Wolfe 1976).
    """
    kept = np.array(points)
    weights = np.full(len(kept), 1.0 / max(1, len(kept) - 1))
    weights[-1] = 0.0
    if len(kept) == 1:
        return kept[0], points
    # The weights that the others had: their nearest point was inside their own hull.
    weights[:-1] = _affine(kept[:-1])
    while True:
        wanted = _affine(kept)
        if (wanted > 0.0).all():
            return wanted @ kept, list(kept)
        falling = wanted < weights
        steps = np.where(falling & (wanted <= 0.0), weights / np.where(falling, weights - wanted, 1.0), np.inf)
        step = min(1.0, float(steps.min()))
        weights = weights + step * (wanted - weights)
        stay = weights > 1e-15
        stay[int(steps.argmin())] = False
        kept, weights = kept[stay], weights[stay] / weights[stay].sum()


def _affine(points: np.ndarray) -> np.ndarray:
    """Weights, of sum 1, of the point nearest to the origin of the plane, line or space through some points."""
    if len(points) == 1:
        return np.ones(1)
    away = points[1:] - points[0]
    rest = np.linalg.lstsq(away.T, -points[0], rcond=1e-14)[0]
    return np.concatenate([[1.0 - rest.sum()], rest])


class OutsideGaps:
    """Measures every pair of which one body can move and whose bounding balls come near, piece by piece."""

    def __init__(self, world: World) -> None:
        self.shapes = world.shapes
        self.parts = [[_Part(piece) for piece in shape.pieces or (shape,)] for shape in world.shapes]
        self.moves = np.array([body.motion == "free" for body in world.scene.bodies])
        bodies = [[world.row(body) for body in joint.bodies] for joint in world.scene.joint if not joint.collide]
        self.tied = {frozenset(pair) for pair in bodies if len(pair) == 2}
        self.groups = [body.group for body in world.scene.bodies]
        self.reach = np.array([shape.bounding_radius for shape in world.shapes])
        self.request = coal.DistanceRequest()
        self.request.gjk_tolerance = 1e-10
        self.request.gjk_max_iterations = 1000

    def smallest(self, poses: np.ndarray) -> float:
        """The smallest gap [m] between two bodies at these poses; at least one of them free."""
        turns = [rotation_matrix(pose[3:]) for pose in poses]
        least = np.inf
        for a, b in self._near(poses):
            if frozenset((a, b)) in self.tied or (self.groups[a] is not None and self.groups[a] == self.groups[b]):
                continue  # they do not collide
            for part_a in self.parts[a]:
                centre = turns[a] @ part_a.centre + poses[a, :3] - poses[b, :3]
                for part_b in self._parts_near(b, turns[b].T @ centre, part_a.reach):
                    least = min(least, self._gap(part_a, part_b, a, b, poses, turns, least))
        return float(least)

    def _near(self, poses: np.ndarray) -> Iterator[tuple[int, int]]:
        """Pairs of bodies whose bounding balls come near, the first of them free; of two free ones the lower first."""
        free, rest = np.flatnonzero(self.moves), np.flatnonzero(~self.moves)
        if len(free):
            reach = 2.0 * self.reach[free].max() + NEAR
            pairs = free[cKDTree(poses[free, :3]).query_pairs(reach, output_type="ndarray")]
            apart = np.linalg.norm(poses[pairs[:, 0], :3] - poses[pairs[:, 1], :3], axis=1)
            for a, b in pairs[apart <= self.reach[pairs].sum(axis=1) + NEAR]:
                yield min(int(a), int(b)), max(int(a), int(b))
        for b in rest:
            apart = np.linalg.norm(poses[free, :3] - poses[b, :3], axis=1)
            for a in free[apart <= self.reach[free] + self.reach[b] + NEAR]:
                yield int(a), int(b)

    def _parts_near(self, b: int, centre: np.ndarray, reach: float) -> Iterator[_Part | _Triangle]:
        """Parts of body b, or triangles of a sheet, that come near a ball about `centre` in its frame."""
        mesh = self.shapes[b].sheet
        if mesh is None:
            for part in self.parts[b]:
                away = centre[2]
                if part.hull is not None:
                    away = math.hypot(*np.maximum(np.abs(centre - part.centre) - part.half, 0.0))
                if away <= reach + NEAR:
                    yield part
            return
        corners = mesh.vertices[mesh.faces]
        apart = np.maximum(np.maximum(corners.min(axis=1) - centre, centre - corners.max(axis=1)), 0.0)
        for triangle in corners[np.linalg.norm(apart, axis=1) <= reach + NEAR]:
            yield _Triangle(triangle)

    def _gap(
        self,
        a: _Part,
        b: _Part | _Triangle,
        row_a: int,
        row_b: int,
        poses: np.ndarray,
        turns: list[np.ndarray],
        enough: float,
    ) -> float:
        """The gap [m] of two parts; where it is more than `enough`, anything between."""
        if self.shapes[row_b].kind == PLANE:
            up = turns[row_b][:, 2]
            lowest = turns[row_a] @ a.furthest(-turns[row_a].T @ up) + poses[row_a, :3]
            return float((lowest - poses[row_b, :3]) @ up)
        places = a.at(turns[row_a], poses[row_a, :3]), b.at(turns[row_b], poses[row_b, :3])
        result = coal.DistanceResult()
        distance = coal.distance(a.hull, places[0], b.hull, places[1], self.request, result)
        gap = float(distance - a.thickness - b.thickness)
        if gap <= 0.0 or not (a.smooth or b.smooth) or gap - a.left_out - b.left_out >= enough:
            return gap

        def between(direction: np.ndarray) -> np.ndarray:
            """From the furthest point of b along a direction to the furthest of a against it."""
            low = turns[row_a] @ a.furthest(-turns[row_a].T @ direction) + poses[row_a, :3]
            return low - (turns[row_b] @ b.furthest(turns[row_b].T @ direction) + poses[row_b, :3])

        apart = result.getNearestPoint1() - result.getNearestPoint2()
        return proved_gap(between, apart * (gap / float(distance)), enough)


def proved_gap(between: Callable[[np.ndarray], np.ndarray], start: np.ndarray, enough: float) -> float:
    """The width [m] of a slab between two convex bodies a and b, or <= 0 if there is none, see PROOF.

    between: from b's furthest point along a unit direction to a's furthest against it (the method of Gilbert, Johnson
    and Keerthi 1988). start: from a point of b to a point of a, near the two that are nearest to each other.
    enough: a width that need not be surpassed.
    """
    nearest, corners, width = start, [start], -math.inf
    for _ in range(TURNS):
        size = float(np.linalg.norm(nearest))
        if size < 1e-12:
            break
        direction = nearest / size
        new = between(direction)
        width = max(width, float(new @ direction))
        if width >= enough or size - width <= PROOF * size:
            break
        nearest, corners = nearest_to_origin([*corners, new])
    return width
