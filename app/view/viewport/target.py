"""Where pictures are drawn before they are shown or kept: a buffer of any size with smooth edges."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from OpenGL import GL
from vispy import gloo

from app.view.viewport.camera import CameraState
from app.view.viewport.gl import DEPTH24_STENCIL8, RGBA8, handle
from app.view.viewport.renderer import Renderer

SAMPLES = 4
"""Samples a pixel along the edges of bodies."""


class Target:
    """A buffer of `size` (width, height) pixels in the OpenGL context that is current."""

    def __init__(self, size: tuple[int, int], context: Any, samples: int = SAMPLES) -> None:
        width, height = size
        self.size = size
        self.samples = samples
        self._context = context
        self._colour = gloo.RenderBuffer((height, width), RGBA8)
        self._depth = gloo.RenderBuffer((height, width), DEPTH24_STENCIL8)
        self._drawn = gloo.FrameBuffer(self._colour, self._depth, self._depth)
        self._even = gloo.FrameBuffer(gloo.RenderBuffer((height, width), RGBA8))  # one sample a pixel
        for thing in (self._drawn, self._even):
            context.glir.associate(thing.glir)
        context.flush_commands()
        for buffer, form in ((self._colour, RGBA8), (self._depth, DEPTH24_STENCIL8)):
            # gloo knows no samples, so its buffers are made anew behind its back.
            GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, handle(context, buffer))
            GL.glRenderbufferStorageMultisample(GL.GL_RENDERBUFFER, samples, form, width, height)
        GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, 0)

    def draw(self, renderer: Renderer, camera: CameraState, pixel_ratio: float = 1.0) -> None:
        """Draws what the renderer holds; `pixel_ratio` as there."""
        with self._drawn:
            renderer.draw(self._context, camera, self.size, pixel_ratio)
        self._context.flush_commands()

    def show(self, frame_buffer: int, size: tuple[int, int]) -> None:
        """Copies the picture to a frame buffer of OpenGL's, stretched to `size`."""
        source = self._drawn
        if size != self.size and self.samples:
            # A picture with several samples a pixel cannot be stretched: they are averaged first.
            self._copy(self._drawn, handle(self._context, self._even), self.size, GL.GL_NEAREST)
            source = self._even
        self._copy(source, frame_buffer, size, GL.GL_NEAREST if size == self.size else GL.GL_LINEAR)
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, frame_buffer)

    def read(self) -> NDArray[np.uint8]:
        """The picture (height, width, 3), top row first."""
        width, height = self.size
        self._copy(self._drawn, handle(self._context, self._even), self.size, GL.GL_NEAREST)
        with self._even:
            picture = gloo.read_pixels((0, 0, width, height), alpha=False)
        self._context.flush_commands()
        return np.ascontiguousarray(picture)

    def read_into(self, picture: NDArray[np.uint8]) -> None:
        """Copies the picture, bottom row first, into `picture` (height, width, 4): blue, green, red, nothing."""
        width, height = self.size
        source = self._drawn
        if self.samples:
            self._copy(self._drawn, handle(self._context, self._even), self.size, GL.GL_NEAREST)
            source = self._even
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, handle(self._context, source))
        GL.glReadPixels(0, 0, width, height, GL.GL_BGRA, GL.GL_UNSIGNED_BYTE, picture)

    def delete(self) -> None:
        """Frees the buffers at once."""
        for buffer in (self._colour, self._depth, self._even.color_buffer, self._drawn, self._even):
            buffer.delete()

    def _copy(self, source: gloo.FrameBuffer, frame_buffer: int, size: tuple[int, int], filtering: int) -> None:
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, handle(self._context, source))
        GL.glBindFramebuffer(GL.GL_DRAW_FRAMEBUFFER, frame_buffer)
        GL.glBlitFramebuffer(0, 0, *self.size, 0, 0, *size, GL.GL_COLOR_BUFFER_BIT, filtering)
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, frame_buffer)
