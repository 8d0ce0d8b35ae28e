"""Where to look from: the cameras that a scene names, and a good one where it names none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from app.view.viewport.camera import DEFAULT_GAZE, CameraState, frame, point
from app.view.viewport.meshes import BodySet, body_set
from engine.arrays import Floats
from engine.scene.schema import Camera, Scene

_CORNERS = np.array([(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)])
"""Of a box: which end of it along each axis."""


def camera_state(camera: Camera) -> CameraState:
    """A camera of a scene file as the viewport's."""
    return CameraState(point(camera.position), point(camera.target), point(camera.up), camera.fov)


def named_camera(scene: Scene, name: str) -> CameraState:
    """The scene's camera called `name`. KeyError, with the names there are, if there is none."""
    for camera in scene.camera:
        if camera.name == name:
            return camera_state(camera)
    names = ", ".join(camera.name for camera in scene.camera) or "none"
    raise KeyError(f'the scene has no camera "{name}" (it has: {names})')


def default_camera(scene: Scene, poses: ArrayLike | None, size: tuple[int, int]) -> CameraState:
    """The scene's first camera, else one that sees all its bodies."""
    if scene.camera:
        return camera_state(scene.camera[0])
    return framing_camera(body_set(scene), poses, size)


def framing_camera(bodies: BodySet, poses: ArrayLike | None, size: tuple[int, int]) -> CameraState:
    """A camera from the usual direction that sees all bodies."""
    at = bodies.poses if poses is None else np.asarray(poses, dtype=float)
    start = CameraState(position=point(-np.array(DEFAULT_GAZE)), target=(0.0, 0.0, 0.0))
    return frame(start, *frame_balls(bodies, at), size)


def frame_balls(bodies: BodySet, poses: Floats, rows: Sequence[int] | None = None) -> tuple[Floats, Floats]:
    """Centres and radii of balls that hold the bodies `rows` (default: all), planes and lost bodies aside.

    Boxes, which may be long and thin, are given corner by corner.
    """
    chosen = np.arange(bodies.count) if rows is None else np.asarray(rows, dtype=np.int64)
    chosen = chosen[np.isfinite(bodies.radii[chosen]) & np.isfinite(poses[chosen]).all(axis=1)]
    if not len(chosen):
        return np.zeros((1, 3)), np.ones(1)
    even = np.ptp(np.diff(bodies.extents[chosen], axis=1), axis=2)[:, 0] < 1e-6 * bodies.radii[chosen]
    balls, boxes = chosen[even], chosen[~even]
    corners = bodies.extents[boxes][:, _CORNERS, np.arange(3)]
    w, v = poses[boxes, None, 3:4], poses[boxes, None, 4:]
    across = np.cross(v, corners)
    corners = poses[boxes, None, :3] + corners + 2.0 * (w * across + np.cross(v, across))
    centres = np.concatenate([poses[balls, :3], corners.reshape(-1, 3)])
    return centres, np.concatenate([bodies.radii[balls], np.zeros(8 * len(boxes))])
