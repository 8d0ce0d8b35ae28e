"""Where to look from: the cameras that a scene names, and a good one where it names none."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from app.view.viewport.camera import DEFAULT_GAZE, CameraState, frame, point
from app.view.viewport.meshes import BodySet, body_set, bounds
from engine.scene.schema import Camera, Scene


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
    centre, radius = bounds(at, bodies.radii)
    start = CameraState(position=point(-np.array(DEFAULT_GAZE)))
    return frame(start, centre, radius, size[0] / max(size[1], 1))
