"""A picture of any size, drawn beside the screen in whatever OpenGL context is current."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from OpenGL import GL
from vispy import gloo

from app.view.viewport.camera import CameraState
from app.view.viewport.gl import DEPTH24, RGBA8, handle
from app.view.viewport.renderer import Renderer

SAMPLES = 4
"""Samples a pixel along the edges of bodies."""


class PictureTarget:
    """A frame buffer for pictures of `size` (width, height), with smooth edges."""

    def __init__(self, size: tuple[int, int], context: Any) -> None:
        width, height = size
        self.size = size
        self._context = context
        self._colour = gloo.RenderBuffer((height, width), RGBA8)
        self._depth = gloo.RenderBuffer((height, width), DEPTH24)
        self._drawn = gloo.FrameBuffer(self._colour, self._depth)
        self._final = gloo.FrameBuffer(gloo.RenderBuffer((height, width), RGBA8))
        self._ask_for_samples()

    def draw(self, renderer: Renderer, camera: CameraState) -> NDArray[np.uint8]:
        """The picture (height, width, 3)."""
        width, height = self.size
        context = self._context
        with self._drawn:
            renderer.draw(context, camera, self.size)
        with self._final:
            context.flush_commands()
            GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, handle(context, self._drawn))
            GL.glBlitFramebuffer(
                0, 0, width, height, 0, 0, width, height, GL.GL_COLOR_BUFFER_BIT, GL.GL_NEAREST
            )
            GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, handle(context, self._final))
            picture = gloo.read_pixels((0, 0, width, height), alpha=False)
        return np.ascontiguousarray(picture)

    def _ask_for_samples(self) -> None:
        """Gives the buffers several samples a pixel, for which gloo has no word."""
        width, height = self.size
        for buffer in (self._colour, self._depth):
            self._context.glir.associate(buffer.glir)
        self._context.flush_commands()
        for buffer, form in ((self._colour, RGBA8), (self._depth, DEPTH24)):
            GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, handle(self._context, buffer))
            GL.glRenderbufferStorageMultisample(GL.GL_RENDERBUFFER, SAMPLES, form, width, height)
        GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, 0)
