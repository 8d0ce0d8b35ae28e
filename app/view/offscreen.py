"""Pictures without a window or a screen: the viewport's renderer in an EGL context of its own.

Import this before anything else that draws if there is no display: it tells OpenGL to use EGL.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.view.viewport.camera import CameraState
from app.view.viewport.meshes import body_set
from app.view.viewport.views import default_camera
from engine.scene.schema import Scene

Picture = NDArray[np.uint8]


class OffscreenError(RuntimeError):
    """There is no way to draw without a window here; the text says why."""


class OffscreenRenderer:
    """Draws a scene into pictures of `size` (width, height), seen by `camera`.

    Every pixel is the mean of four: pictures have smooth edges whatever the driver offers. Close it when done.
    """

    def __init__(self, scene: Scene, size: tuple[int, int], camera: CameraState | None = None) -> None:
        from app.view.viewport.gl import prefer_no_display

        prefer_no_display()
        self.size = size
        self._canvas = _make_canvas(size)
        self._canvas.set_current()
        from app.view.viewport.renderer import Renderer
        from app.view.viewport.target import Target

        self.renderer = Renderer()
        self.renderer.options.shadow_texels = 2048
        self.renderer.options.shadow_taps = 9
        self.set_scene(scene)
        self.camera = camera or default_camera(scene, self.renderer.poses, size)
        self._target = Target(size, self._canvas.context)

    def set_scene(self, scene: Scene) -> None:
        """Draws another scene from now on."""
        self.renderer.set_bodies(body_set(scene))

    def render(self, poses: ArrayLike | None = None) -> Picture:
        """The picture (height, width, 3) of bodies at `poses` (n, 7), of the authored frames in scene order."""
        if poses is not None:
            self.renderer.set_poses(poses)
        self._canvas.set_current()
        self._target.draw(self.renderer, self.camera)
        return self._target.read()

    def close(self) -> None:
        self._canvas.close()

    def __enter__(self) -> OffscreenRenderer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _make_canvas(size: tuple[int, int]) -> Any:
    """A canvas of vispy's EGL backend; its own surface is never drawn to."""
    import vispy
    from vispy import app, gloo

    vispy.use(gl="gl+")
    try:
        backend = app.Application("egl")
        canvas = app.Canvas(app=backend, size=(16, 16), show=False, autoswap=False)
    except (RuntimeError, OSError) as error:
        raise OffscreenError(f"cannot draw without a window here: {error}") from error
    gloo.set_viewport(0, 0, 16, 16)
    return canvas
