"""Shapes of links: hulls of mesh files and point clouds, and several shapes that make up one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.spatial import ConvexHull, QhullError
from scipy.spatial.transform import Rotation

from engine.arrays import Floats
from engine.importing.robot import HERE, Frame, Mass, Solid
from engine.scene.loads import Inertia
from engine.scene.shapes import BodyShape

MOST_CORNERS = 128
"""Hulls of meshes of more corners are thinned out: a scene is a text, and people read it."""

_DIGITS = 12
_AT_ONCE = 8  # corners that are added to a hull between two looks at it


def hull_shape(points: Floats) -> tuple[BodyShape, float]:
    """The convex hull of points (n, 3), of `MOST_CORNERS` at most, and how far it lies inside the whole one [m].

    Raises ValueError if they enclose no volume.
    """
    points = np.unique(np.asarray(points, dtype=np.float64), axis=0)
    try:
        corners = points[ConvexHull(points).vertices]
    except (QhullError, ValueError, IndexError):
        raise ValueError("encloses no volume") from None
    kept = corners if len(corners) <= MOST_CORNERS else _thinned(corners)
    hull = ConvexHull(kept)
    outside = float((corners @ hull.equations[:, :3].T + hull.equations[:, 3]).max()) if kept is not corners else 0.0
    vertices = [tidy(corner) for corner in kept]
    return BodyShape.model_validate({"convex": {"vertices": vertices}}), max(outside, 0.0)


def _thinned(corners: Floats) -> Floats:
    """`MOST_CORNERS` of the corners of a hull: those of its box, and then again and again those farthest outside."""
    chosen = sorted({*corners.argmin(axis=0).tolist(), *corners.argmax(axis=0).tolist()})
    middle = corners.mean(axis=0)
    chosen.append(int(np.linalg.norm(corners - middle, axis=1).argmax()))
    far = np.linalg.norm(corners - corners[chosen].mean(axis=0), axis=1)
    spread = np.argsort(-far)[:8].tolist()  # so that the first hull encloses a volume
    chosen = list(dict.fromkeys([*chosen, *spread]))
    while len(chosen) < MOST_CORNERS:
        planes = ConvexHull(corners[chosen], qhull_options="QJ").equations
        outside = corners @ planes[:, :3].T + planes[:, 3]
        farthest = dict.fromkeys(outside.argmax(axis=0)[np.argsort(-outside.max(axis=0))].tolist())
        new = [k for k in farthest if k not in chosen and outside[k].max() > 0.0]
        if not new:
            break
        chosen += new[: min(_AT_ONCE, MOST_CORNERS - len(chosen))]
    return np.asarray(corners[chosen])


def mesh_points(path: Path) -> Floats:
    """The points of a mesh file, (n, 3), in its own units. Raises ValueError, which says why not."""
    import trimesh

    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    try:
        loaded = trimesh.load_scene(path).to_mesh()
    except Exception as problem:  # trimesh's readers raise whatever a broken file makes them stumble over
        raise ValueError(f"{path.name} cannot be read as a mesh ({problem})") from problem
    if len(loaded.faces) == 0:
        raise ValueError(f"{path.name} has no triangles in it")
    return np.asarray(loaded.vertices[np.unique(loaded.faces)], dtype=np.float64)


def united(solids: Sequence[Solid]) -> BodyShape:
    """One shape of several; one that stands in the frame as it is stays what it is."""
    if len(solids) == 1 and _is_here(solids[0].frame):
        return solids[0].shape
    if len(solids) == 1 and solids[0].shape.convex is not None:
        turn, origin = solids[0].frame
        corners = np.array(solids[0].shape.convex.vertices) @ turn.T + origin
        return BodyShape.model_validate({"convex": {"vertices": [tidy(corner) for corner in corners]}})
    pieces = [
        {"shape": shape, "position": tidy(frame.origin), "orientation": quaternion(frame.turn)}
        for shape, frame in solids
    ]
    return BodyShape.model_validate({"compound": {"pieces": pieces}})


def _is_here(frame: Frame) -> bool:
    return bool(np.allclose(frame.turn, HERE.turn, atol=1e-12) and np.allclose(frame.origin, 0.0, atol=1e-12))


def tidy(vector: Floats) -> tuple[float, ...]:
    """Numbers as a person would write them: noise of rounding is left out."""
    values = np.asarray(vector, dtype=np.float64)
    least = 10.0**-_DIGITS * max(float(np.abs(values).max()), 1e-9)
    return tuple(0.0 if abs(value) < least else float(f"{value:.{_DIGITS}g}") for value in values.tolist())


def quaternion(turn: Floats) -> tuple[float, ...]:
    """A turn (3, 3) as w, x, y, z, w not below 0."""
    x, y, z, w = Rotation.from_matrix(turn).as_quat(canonical=True)
    return tidy(np.array([w, x, y, z]))


def sound_inertia(tensor: Floats) -> tuple[Floats, bool]:
    """An inertia that a body can have, as near as may be, and whether it is another than that which was said.

    Principal moments are positive, and none is larger than the sum of the others.
    """
    tensor = 0.5 * (tensor + tensor.T)
    moments, axes = np.linalg.eigh(tensor)
    sound = np.maximum(moments, 1e-6 * max(float(moments[2]), 0.0))
    lack = sound[2] - sound[0] - sound[1]
    if lack > 1e-9 * sound[2]:
        sound[:2] += 0.5 * lack * (1.0 + 1e-9)
    if np.abs(sound - moments).max() <= 1e-9 * sound[2]:
        return tensor, False
    return np.asarray(axes @ np.diag(sound) @ axes.T), True


def as_inertia(tensor: Floats) -> Inertia:
    """An inertia as scenes say it."""
    xx, xy, xz, yy, yz, zz = tidy(np.array([tensor[k] for k in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]))
    return Inertia.model_validate({"tensor": ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))})


def joined(masses: Sequence[Mass]) -> Mass:
    """Masses in one frame as one."""
    total = sum(one.mass for one in masses)
    centre = np.sum([one.mass * one.centre for one in masses], axis=0) / total
    inertia = np.zeros((3, 3))
    for one in masses:
        arm = one.centre - centre
        inertia += one.inertia + one.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return Mass(total, centre, inertia)
