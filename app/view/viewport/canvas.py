"""The drawing surface: vispy's canvas in Qt, which draws when Qt asks it to and never on its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from OpenGL import GL
from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QWidget

from app.view.viewport.gl import use_window_backend

use_window_backend()

from vispy import app  # noqa: E402

from app.view.viewport.camera import CameraState  # noqa: E402
from app.view.viewport.quality import Governor  # noqa: E402
from app.view.viewport.renderer import Renderer  # noqa: E402

SAMPLES = 4
REST = 250
"""A picture that has stood for so long [ms] is drawn once more, finely."""


class ViewCanvas(app.Canvas):  # type: ignore[misc]
    """Shows what a renderer draws. `native` is its widget. `camera` is asked for at each picture."""

    def __init__(self, parent: QWidget, renderer: Renderer, camera: Callable[[], CameraState]) -> None:
        super().__init__(
            app="pyqt6",
            parent=parent,
            keys=None,
            vsync=True,
            autoswap=False,
            config={"samples": SAMPLES, "depth_size": 24, "stencil_size": 0},
        )
        self.renderer = renderer
        self.governor = Governor()
        self.frame_times: list[float] = []
        self._camera = camera
        self._moving = False
        self._failed: str | None = None
        self._rest = QTimer(self.native)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST)
        self._rest.timeout.connect(self._settle)

    @property
    def failure(self) -> str | None:
        """Why nothing can be drawn, if so."""
        return self._failed

    def request(self, moving: bool) -> None:
        """Asks for a picture; several requests before it is drawn make one. `moving`: more will follow soon."""
        self._moving = self._moving or moving
        self.update()

    def on_draw(self, _event: Any) -> None:
        """Draws; vispy calls it."""
        moving, self._moving = self._moving, False
        quality = self.governor.moving if moving else self.governor.resting
        options = self.renderer.options
        options.shadow_taps, options.shadow_texels = quality.shadow_taps, quality.shadow_texels
        start = time.perf_counter()
        size = (max(int(self.physical_size[0]), 1), max(int(self.physical_size[1]), 1))
        self.renderer.draw(self.context, self._camera(), size, self.pixel_scale)
        self.context.flush_commands()
        GL.glFinish()
        taken = time.perf_counter() - start
        self.frame_times.append(taken)
        del self.frame_times[:-240]
        if moving:
            self.governor.took(taken)
            self._rest.start()

    def _settle(self) -> None:
        if self.governor.moving != self.governor.resting:
            self.update()
