"""Gaps between the bodies of a world as an outside library (coal) measures them, from public poses and shapes alone."""

from __future__ import annotations

import math
from collections.abc import Iterator

import coal
import numpy as np

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
        if shape.kind < REVOLVED and len(shape.vertices) > 0:
            self.centre = 0.5 * (shape.vertices.min(axis=0) + shape.vertices.max(axis=0))
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
        for a in np.flatnonzero(self.moves):
            apart = np.linalg.norm(poses[:, :3] - poses[a, :3], axis=1) - self.reach - self.reach[a]
            for b in np.flatnonzero(apart <= NEAR):
                if b == a or (self.moves[b] and b < a) or frozenset((a, b)) in self.tied:
                    continue
                for part_a in self.parts[a]:
                    centre = turns[a] @ part_a.centre + poses[a, :3] - poses[b, :3]
                    for part_b in self._parts_near(int(b), turns[b].T @ centre, part_a.reach):
                        least = min(least, self._gap(part_a, part_b, int(a), int(b), poses, turns))
        return float(least)

    def _parts_near(self, b: int, centre: np.ndarray, reach: float) -> Iterator[_Part | _Triangle]:
        """Parts of body b, or triangles of a sheet, that come near a ball about `centre` in its frame."""
        mesh = self.shapes[b].sheet
        if mesh is None:
            for part in self.parts[b]:
                away = centre[2] if part.hull is None else math.dist(centre, part.centre) - part.reach
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
