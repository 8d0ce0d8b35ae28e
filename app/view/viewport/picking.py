"""Which body lies under a pixel: a ray cast against what is drawn. No picture is drawn for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.view.viewport.meshes import BALL, BodySet
from engine.geometry.ray import IS_BALL, IS_MESH, IS_PLANE, cast_ray
from engine.maths.quaternions import rotate_inverse
from engine.maths.vectors import Vec3, add_scaled, sub

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Hit(NamedTuple):
    """Where a ray meets a body: its row, the point in the world, and the same point in its authored frame."""

    body: int
    point: tuple[float, float, float]
    local: tuple[float, float, float]
    distance: float


class Targets(NamedTuple):
    """What rays are cast against. kinds: IS_...; first: range of `triangles` (m, 3, 3) of each mesh; scale (n, 3)."""

    kinds: Ints
    mesh: Ints
    first: Ints
    radii: Floats
    scale: Floats
    triangles: Floats


@dataclass(frozen=True, eq=False)
class Picker:
    """Casts rays against the bodies of one scene."""

    targets: Targets

    @staticmethod
    def of(bodies: BodySet) -> Picker:
        """A picker for these bodies."""
        parts = [mesh.vertices[mesh.faces].astype(np.float64) for mesh in bodies.meshes]
        first = np.cumsum([0] + [len(part) for part in parts]).astype(np.int64)
        triangles = np.concatenate(parts) if parts else np.zeros((0, 3, 3))
        ball = np.array([mesh.pattern == BALL for mesh in bodies.meshes] + [False])[bodies.mesh]
        kinds = np.where(bodies.mesh < 0, IS_PLANE, np.where(ball, IS_BALL, IS_MESH)).astype(np.int64)
        return Picker(Targets(kinds, bodies.mesh, first, bodies.radii, bodies.scale.astype(np.float64), triangles))

    def cast(self, origin: ArrayLike, direction: ArrayLike, poses: Floats) -> Hit | None:
        """The first body that a ray meets; `direction` has unit length, `poses` (n, 7) are finite."""
        o, d = _vector(origin), _vector(direction)
        t = self.targets
        row, distance = cast_ray(o, d, poses, t.kinds, t.mesh, t.first, t.radii, t.scale, t.triangles)
        if row < 0:
            return None
        at = add_scaled(o, d, distance)
        pose = poses[row]
        q = (float(pose[3]), float(pose[4]), float(pose[5]), float(pose[6]))
        return Hit(int(row), at, rotate_inverse(q, sub(at, _vector(pose[:3]))), float(distance))


def _vector(values: ArrayLike) -> Vec3:
    x, y, z = np.asarray(values, dtype=float)
    return (float(x), float(y), float(z))
