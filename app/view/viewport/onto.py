"""Bodies that follow the cursor over the surfaces of others: where they go to stand on what is under it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.view.viewport.camera import Point, point
from app.view.viewport.meshes import BALL, BodySet
from app.view.viewport.picking import Hit
from engine.arrays import Floats
from engine.geometry.shapes import rotation_matrix

_SQUARE = 1e-9


def shift_onto(
    bodies: BodySet, rows: Sequence[int], poses: Floats, pivot: Point, hit: Hit, step: float
) -> Point | None:
    """The shift [m] that puts bodies at poses (k, 7) on a surface, with the pivot over the point that was hit.

    step: where the surface is square to an axis of the world, the other coordinates of that point are multiples of it.
    None for planes, which can stand on nothing.
    """
    if any(bodies.mesh[row] < 0 for row in rows):
        return None
    normal = np.array(hit.normal)
    if float(np.sort(np.abs(normal))[1]) < _SQUARE:
        target = np.where(np.abs(normal) < _SQUARE, np.round(np.array(hit.point) / step) * step, hit.point)
    else:
        target = np.array(hit.point)
    lowest = min(_lowest(bodies, row, pose, normal) for row, pose in zip(rows, poses, strict=True))
    return point(target - np.array(pivot) + normal * (float(normal @ np.array(pivot)) - lowest))


def _lowest(bodies: BodySet, row: int, pose: Floats, normal: Floats) -> float:
    """Where a body ends against a direction [m from the origin], as it is drawn."""
    mesh = bodies.meshes[int(bodies.mesh[row])]
    middle, scale = float(pose[:3] @ normal), bodies.scale[row].astype(float)
    if mesh.pattern == BALL:
        return middle - float(scale[0])
    return middle + float((mesh.vertices.astype(float) @ (scale * (rotation_matrix(pose[3:]).T @ normal))).min())
