"""Pictures without a window: the viewport's renderer in an OpenGL context of its own.

Where there is no application with a screen the context comes from EGL; inside one it comes from Qt, from a widget that
is never shown.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.view.viewport.camera import CameraState
from app.view.viewport.meshes import body_set
from app.view.viewport.quality import FINEST
from app.view.viewport.views import default_camera
from engine.scene.schema import Scene

Picture = NDArray[np.uint8]
SIZES = range(16, 8193)
"""Widths and heights that pictures may have."""


class OffscreenError(RuntimeError):
    """Drawing without a window is not possible here; the text says why."""


class OffscreenRenderer:
    """Draws a scene into pictures of `size` (width, height), seen by `camera` (default: as the viewport would).

    Bodies have smooth edges and the finest shadows. Close it when done, or use it in a `with` statement.
    """

    def __init__(self, scene: Scene, size: tuple[int, int], camera: CameraState | None = None) -> None:
        if size[0] not in SIZES or size[1] not in SIZES:
            raise OffscreenError(
                f"a picture of {size[0]}x{size[1]} cannot be drawn (from {SIZES[0]} to {SIZES[-1]} pixels each way)"
            )
        self.size = size
        self._canvas = _make_canvas()
        self._canvas.set_current()
        from app.view.viewport.renderer import Renderer
        from app.view.viewport.target import Target

        bodies = body_set(scene, many=5000)
        self.camera = camera or default_camera(scene, bodies.poses, size)
        self.renderer = Renderer()
        self.renderer.options.set_quality(FINEST)
        self.renderer.set_bodies(bodies)
        self._target = Target(size, self._canvas.context)

    def render(self, poses: ArrayLike | None = None) -> Picture:
        """The picture (height, width, 3) of bodies at `poses` (n, 7), of the authored frames in scene order."""
        if poses is not None:
            self.renderer.set_poses(poses)
        self._canvas.set_current()
        self._target.draw(self.renderer, self.camera)
        return self._target.read()

    def close(self) -> None:
        """Lets go of the context."""
        native = self._canvas.native
        self._canvas.close()
        sip = sys.modules.get("PyQt6.sip")
        if sip is not None and isinstance(native, sip.wrapper) and not sip.isdeleted(native):
            # Now, and not when the collector comes by: a dying widget takes the current context away from others.
            sip.delete(native)

    def __enter__(self) -> OffscreenRenderer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _make_canvas() -> Any:
    """A canvas of vispy's that owns a context; nothing is ever drawn to the canvas itself."""
    return _make_qt_canvas() if _has_screen() else _make_egl_canvas()


def _has_screen() -> bool:
    """Is there an application that shows windows? One without a screen, which only paints, has no OpenGL."""
    widgets = sys.modules.get("PyQt6.QtWidgets")
    running = None if widgets is None else widgets.QApplication.instance()
    return running is not None and running.platformName() != "offscreen"


def _make_egl_canvas() -> Any:
    # OpenGL looks at these when it is first imported.
    os.environ.setdefault("EGL_PLATFORM", "surfaceless")
    os.environ.setdefault("PYOPENGL_PLATFORM", "egl")
    try:
        from app.view.viewport.gl import use_egl_backend

        use_egl_backend()
        from vispy import app

        return app.Canvas(app=app.Application("egl"), size=(16, 16), show=False, autoswap=False)
    except (ImportError, OSError, RuntimeError) as error:
        raise OffscreenError(
            f"cannot draw without a window: {error} (it needs EGL, of packages libegl1 and libgl1-mesa-dri on Debian)"
        ) from error


def _make_qt_canvas() -> Any:
    from app.view.viewport.gl import use_window_backend

    use_window_backend()
    from vispy import app

    canvas = app.Canvas(app="pyqt6", size=(16, 16), show=False, autoswap=False)
    canvas.native.grabFramebuffer()  # makes the context, which would otherwise wait until the widget is shown
    if not canvas.native.isValid():
        canvas.close()
        raise OffscreenError("cannot draw: Qt has no OpenGL here")
    return canvas
