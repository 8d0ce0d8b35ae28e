"""Gaps between the bodies of a world as an outside library (coal) measures them, from public poses and shapes alone."""

from __future__ import annotations

import math
from collections.abc import Iterator

import coal
import numpy as np
from scipy.spatial import cKDTree

from engine import World
from engine.geometry.shapes import PLANE, POINT, REVOLVED, SEGMENT, Shape, rotation_matrix
from engine.geometry.surface import surface_mesh

NEAR = 0.002
"""Bodies, and triangles of meshes, that are further apart than this [m] are not measured."""


def _hull(shape: Shape) -> coal.CollisionGeometry:
    if shape.kind == POINT:
        return coal.Sphere(1e-12)
    if shape.kind == SEGMENT:
        low, high = shape.vertices
        return coal.Capsule(1e-12, float(np.linalg.norm(high - low)))
    points = coal.StdVec_Vec3s()
    vertices = shape.vertices
    if shape.kind >= REVOLVED:  # a hull of points of the surface: what it leaves out is a thousandth of the size
        surface = surface_mesh(shape, 96)
        assert surface is not None
        vertices = surface[0].astype(np.float64)
    for vertex in vertices:
        points.append(vertex)
    return coal.ConvexBase.convexHull(points, False, "")


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
        self.centre, self.reach = np.zeros(3), shape.bounding_radius  # of a ball that holds it
        self.half = np.full(3, self.reach)  # and of a box
        if shape.kind < REVOLVED and len(shape.vertices) > 0:
            low, high = shape.vertices.min(axis=0), shape.vertices.max(axis=0)
            self.centre, self.half = 0.5 * (low + high), 0.5 * (high - low) + shape.radius
            self.reach = shape.radius + np.linalg.norm(shape.vertices - self.centre, axis=1).max()

    def at(self, turn: np.ndarray, position: np.ndarray) -> coal.Transform3s:
        return coal.Transform3s(turn @ self.turn, turn @ self.shift + position)


class _Triangle:
    """A triangle of a sheet, as a part."""

    thickness = 0.0

    def __init__(self, corners: np.ndarray) -> None:
        points, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        for corner in corners:
            points.append(corner)
        faces.append(coal.Triangle(0, 1, 2))
        faces.append(coal.Triangle(0, 2, 1))
        self.hull = coal.Convex(points, faces)

    def at(self, turn: np.ndarray, position: np.ndarray) -> coal.Transform3s:
        return coal.Transform3s(turn, position)


class OutsideGaps:
    """Measures every pair of which one body can move and whose bounding balls come near, piece by piece."""

    def __init__(self, world: World) -> None:
        self.shapes = world.shapes
        self.parts = [[_Part(piece) for piece in shape.pieces or (shape,)] for shape in world.shapes]
        self.moves = np.array([body.motion == "free" for body in world.scene.bodies])
        bodies = [[world.row(body) for body in joint.bodies] for joint in world.scene.joint if not joint.collide]
        self.tied = {frozenset(pair) for pair in bodies if len(pair) == 2}
        self.reach = np.array([shape.bounding_radius for shape in world.shapes])
        self.request = coal.DistanceRequest()
        self.request.gjk_tolerance = 1e-10
        self.request.gjk_max_iterations = 1000

    def smallest(self, poses: np.ndarray) -> float:
        """The smallest gap [m] between two bodies at these poses; at least one of them free."""
        turns = [rotation_matrix(pose[3:]) for pose in poses]
        least = np.inf
        for a, b in self._near(poses):
            if frozenset((a, b)) in self.tied:
                continue
            for part_a in self.parts[a]:
                centre = turns[a] @ part_a.centre + poses[a, :3] - poses[b, :3]
                for part_b in self._parts_near(b, turns[b].T @ centre, part_a.reach):
                    least = min(least, self._gap(part_a, part_b, a, b, poses, turns))
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
        self, a: _Part, b: _Part | _Triangle, row_a: int, row_b: int, poses: np.ndarray, turns: list[np.ndarray]
    ) -> float:
        if self.shapes[row_b].kind == PLANE:
            if a.shape.kind >= REVOLVED:
                up = turns[row_b][:, 2]
                return float((poses[row_a, :3] - poses[row_b, :3]) @ up - a.shape.reach(-turns[row_a].T @ up))
            points = a.shape.vertices @ turns[row_a].T + poses[row_a, :3] - poses[row_b, :3]
            return float((points @ turns[row_b][:, 2]).min() - a.shape.radius)
        places = a.at(turns[row_a], poses[row_a, :3]), b.at(turns[row_b], poses[row_b, :3])
        distance = coal.distance(a.hull, places[0], b.hull, places[1], self.request, coal.DistanceResult())
        return float(distance - a.thickness - b.thickness)
