"""OpenGL without a window: contexts of Qt's for pictures drawn in a thread, and what kind of driver there is."""

from __future__ import annotations

from functools import cache

from PyQt6.QtGui import QOffscreenSurface, QOpenGLContext

from app.view.viewport.gl import is_software, use_window_backend

use_window_backend()

from vispy import gloo  # noqa: E402


class HiddenContext:
    """A context of Qt's that belongs to no window, current in the thread that makes it; `gloo` is its side of gloo.

    `surface` comes from the thread of the application. RuntimeError: Qt has no OpenGL here.
    """

    def __init__(self, surface: QOffscreenSurface) -> None:
        self._context = QOpenGLContext()
        if not self._context.create() or not self._context.makeCurrent(surface):
            raise RuntimeError("Qt has no OpenGL here")
        self._canvas = gloo.context.FakeCanvas()
        self.gloo = self._canvas.context
        self.gloo.shared.parser.parse([("CURRENT", 0, 0)])

    def use(self) -> None:
        """Lets gloo's objects and calls belong to this context from now on."""
        gloo.context.set_current_canvas(self._canvas)

    def close(self) -> None:
        """Frees everything that was made in it."""
        gloo.context.forget_canvas(self._canvas)
        self._context.doneCurrent()


def hidden_surface() -> QOffscreenSurface:
    """What a hidden context needs; only the thread of the application may ask for one."""
    surface = QOffscreenSurface()
    surface.create()
    return surface


@cache
def draws_in_software() -> bool:
    """Whether the processor has to draw the pictures of windows, too."""
    surface, context = hidden_surface(), QOpenGLContext()
    if not context.create() or not context.makeCurrent(surface):
        return False
    try:
        return is_software()
    finally:
        context.doneCurrent()
