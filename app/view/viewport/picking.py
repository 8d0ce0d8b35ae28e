"""Which body lies under a pixel: a ray cast against what is drawn. No picture is drawn for it.

In numpy, over all bodies at once and then over the triangles of the few whose balls are met: quick enough for every
move of the mouse, and the first one waits for no compiler.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from app.view.viewport.camera import Point, point
from app.view.viewport.meshes import BALL, BodySet
from engine.arrays import Floats
from engine.geometry.shapes import rotation_matrix


class Hit(NamedTuple):
    """Where a ray meets a body: its row, the point in the world, the same point in its authored frame, how far [m].

    normal: unit vector out of the surface there, in the world.
    """

    body: int
    point: Point
    local: Point
    distance: float
    normal: Point


@dataclass(frozen=True, eq=False)
class Triangles:
    """One corner of each triangle of a mesh, and the sides to the other two, (m, 3) each."""

    corner: Floats
    side: Floats
    other: Floats

    def meet(self, origin: Floats, ray: Floats) -> tuple[float, int]:
        """Smallest ray parameter at the front of a triangle, and which; inf if all are missed (Möller and Trumbore)."""
        away = origin - self.corner
        p = _cross(ray, self.other)
        size = (self.side * p).sum(axis=1)
        u = (away * p).sum(axis=1)
        q = _cross(away, self.side)
        v = q @ ray
        t = (self.other * q).sum(axis=1)
        met = (size > 0.0) & (u >= 0.0) & (v >= 0.0) & (u + v <= size) & (t > 0.0)
        if not met.any():
            return np.inf, -1
        rows = np.flatnonzero(met)
        first = rows[np.argmin(t[rows] / size[rows])]
        return float(t[first] / size[first]), int(first)

    def normal(self, which: int, scale: Floats) -> Floats:
        """Normal of a triangle of the mesh when it is stretched; of no particular length."""
        return np.cross(scale * self.side[which], scale * self.other[which])


@dataclass(frozen=True, eq=False)
class Picker:
    """Casts rays against the bodies of one scene."""

    bodies: BodySet
    triangles: tuple[Triangles, ...]
    reach: Floats  # squared radii, -1 for a plane

    @staticmethod
    def of(bodies: BodySet) -> Picker:
        """A picker for these bodies."""
        parts = [mesh.vertices[mesh.faces].astype(np.float64) for mesh in bodies.meshes]
        triangles = tuple(Triangles(part[:, 0], part[:, 1] - part[:, 0], part[:, 2] - part[:, 0]) for part in parts)
        return Picker(bodies, triangles, np.where(np.isfinite(bodies.radii), bodies.radii**2, -1.0))

    def cast(self, origin: ArrayLike, direction: ArrayLike, poses: Floats, without: Collection[int] = ()) -> Hit | None:
        """The first body that a ray meets; `direction` has unit length, `poses` (n, 7) are finite.

        without: rows of bodies that it passes through.
        """
        start, ray = np.asarray(origin, dtype=float), np.asarray(direction, dtype=float)
        row, best, face = -1, np.inf, -1
        for plane in self.bodies.planes:
            distance = np.inf if plane in without else _meet_plane(start, ray, poses[plane])
            if distance < best:
                row, best = plane, distance
        to = poses[:, :3] - start
        along = to @ ray
        depth = self.reach - np.einsum("ij,ij->i", to, to) + along * along
        half = np.sqrt(np.maximum(depth, 0.0))
        met = np.flatnonzero((depth >= 0.0) & (self.reach > 0.0) & (along + half >= 0.0))
        met = met[~np.isin(met, list(without))] if without else met
        entry = np.maximum(along[met] - half[met], 0.0)
        for which in np.argsort(entry, kind="stable"):
            if entry[which] >= best:
                break
            body = int(met[which])
            distance, triangle = self._meet_body(body, start, ray, poses[body], float(entry[which]))
            if distance < best:
                row, best, face = body, distance, triangle
        if row < 0:
            return None
        at = start + best * ray
        turn = rotation_matrix(poses[row, 3:])
        local = turn.T @ (at - poses[row, :3])
        return Hit(row, point(at), point(local), best, point(turn @ self._normal(row, local, face)))

    def _normal(self, row: int, local: Floats, face: int) -> Floats:
        """Unit vector out of a body at a point of its surface, on a triangle of its mesh if it is drawn as one."""
        mesh = int(self.bodies.mesh[row])
        if mesh < 0:
            return np.array([0.0, 0.0, 1.0])
        way = local if face < 0 else self.triangles[mesh].normal(face, self.bodies.scale[row].astype(float))
        return np.asarray(way / max(float(np.linalg.norm(way)), 1e-300))

    def _meet_body(self, row: int, origin: Floats, ray: Floats, pose: Floats, entry: float) -> tuple[float, int]:
        """Distance to a body whose ball the ray enters at `entry`, and the triangle there; -1 for a ball."""
        mesh = int(self.bodies.mesh[row])
        if self.bodies.meshes[mesh].pattern == BALL:
            return entry, -1
        # The ray in the frame of the mesh: where that is stretched, the parameter stays the distance in the world.
        back = rotation_matrix(pose[3:]).T
        scale = self.bodies.scale[row]
        return self.triangles[mesh].meet(back @ (origin - pose[:3]) / scale, back @ ray / scale)


def _meet_plane(origin: Floats, ray: Floats, pose: Floats) -> float:
    normal = rotation_matrix(pose[3:])[:, 2]
    height, sinking = float(normal @ (origin - pose[:3])), float(normal @ ray)
    return -height / sinking if sinking < 0.0 <= height else np.inf


def _cross(a: Floats, b: Floats) -> Floats:
    """Cross products of rows; numpy's own takes several times as long."""
    x, y, z = a.T
    u, v, w = b.T
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)
