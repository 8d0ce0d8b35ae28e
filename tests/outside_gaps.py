"""Gaps between the bodies of a world as an outside library (coal) measures them, from public poses and shapes alone."""

from __future__ import annotations

import coal
import numpy as np

from engine import World
from engine.geometry.shapes import PLANE, POINT, REVOLVED, SEGMENT, Shape, rotation_matrix
from engine.geometry.surface import surface_mesh


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


class OutsideGaps:
    """Measures every pair of which one body can move and whose bounding balls come near."""

    def __init__(self, world: World) -> None:
        self.shapes = world.shapes
        self.hulls = [None if shape.kind == PLANE else _hull(shape) for shape in world.shapes]
        self.moves = np.array([body.motion == "free" for body in world.scene.body])
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
            for b in np.flatnonzero(apart <= 0.002):
                if b == a or (self.moves[b] and b < a):
                    continue
                least = min(least, self._gap(int(a), int(b), poses, turns))
        return float(least)

    def _gap(self, a: int, b: int, poses: np.ndarray, turns: list[np.ndarray]) -> float:
        if self.shapes[b].kind == PLANE:
            if self.shapes[a].kind >= REVOLVED:
                up = turns[b][:, 2]
                return float((poses[a, :3] - poses[b, :3]) @ up - self.shapes[a].reach(-turns[a].T @ up))
            points = self.shapes[a].vertices @ turns[a].T + poses[a, :3] - poses[b, :3]
            return float((points @ turns[b][:, 2]).min() - self.shapes[a].radius)
        places = [coal.Transform3s(turns[k], poses[k, :3]) for k in (a, b)]
        result = coal.DistanceResult()
        distance = coal.distance(self.hulls[a], places[0], self.hulls[b], places[1], self.request, result)
        thickness = self.shapes[a].radius + self.shapes[b].radius
        for k in (a, b):  # the cores that coal cannot take without a thickness have this one
            if self.shapes[k].kind in (POINT, SEGMENT):
                thickness -= 1e-12
        return float(distance - thickness)
