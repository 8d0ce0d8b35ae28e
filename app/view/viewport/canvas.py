"""The drawing surface: vispy's canvas in Qt, which draws when Qt asks it to and never on its own."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from OpenGL.error import Error as OpenGLError
from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QWidget

from app.view.viewport.gl import use_window_backend

use_window_backend()

from vispy import app  # noqa: E402

from app.view.viewport.camera import CameraState  # noqa: E402
from app.view.viewport.quality import FINEST, LEVELS, REST, Governor, Quality  # noqa: E402
from app.view.viewport.renderer import Renderer  # noqa: E402
from app.view.viewport.stopwatch import Stopwatch  # noqa: E402
from app.view.viewport.target import Target  # noqa: E402

Picture = NDArray[np.uint8]
log = logging.getLogger(__name__)


class ViewCanvas(app.Canvas):  # type: ignore[misc]
    """Shows what a renderer draws. `native` is its widget. `camera` is asked for at each picture."""

    def __init__(
        self, parent: QWidget, renderer: Renderer, camera: Callable[[], CameraState], on_failure: Callable[[str], None]
    ) -> None:
        super().__init__(
            app="pyqt6",
            parent=parent,
            keys=None,
            vsync=True,
            autoswap=False,
            config={"samples": 0, "depth_size": 24, "stencil_size": 0},
        )
        self.renderer = renderer
        self.governor = Governor()
        self.frame_times: list[float] = []
        self._watch = Stopwatch()
        self._camera = camera
        self._on_failure = on_failure
        self._failed = False
        self._moving = False
        self._pending = False
        self._shown = FINEST
        self._targets: dict[Quality, Target] = {}
        self._practised: set[frozenset[tuple[int, int]]] = set()
        self._practice = QTimer(self.native)
        self._practice.setSingleShot(True)
        self._practice.timeout.connect(lambda: self._attempt(self._practise))
        self._to_practise: list[Quality] = []
        self._rest = QTimer(self.native)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST)
        self._rest.timeout.connect(self._settle)

    @property
    def pending(self) -> bool:
        """Whether a picture that was asked for is not shown yet."""
        return self._pending

    def request(self, moving: bool, anew: bool = False) -> None:
        """Asks for a picture; several requests before it is drawn make one. `moving`: more will follow soon.

        anew: of another scene, whose first picture need not be the finest.
        """
        self._moving = self._moving or moving or anew
        self._pending = True
        self.update()

    def on_draw(self, _event: Any) -> None:
        """Draws; vispy calls it."""
        self._attempt(self._draw_frame)

    def _attempt(self, draw: Callable[[], None]) -> None:
        if self._failed:
            return
        try:
            draw()
        except (RuntimeError, OSError, OpenGLError) as error:
            # A driver that lacks something: said once, and the rest of the window goes on.
            self._failed = True
            log.exception("the view cannot be drawn")
            self._on_failure(str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__)

    def _draw_frame(self) -> None:
        moving, self._moving, self._pending = self._moving, False, False
        timed = self._watch.read()
        if timed is not None and timed[0] == self.governor.moving:
            self.governor.took(timed[1])
        # Between two pictures of a motion, others (a hover, an overlay) are no finer than these.
        quality = self.governor.moving if moving or self._rest.isActive() else self.governor.resting
        self._watch.start(quality)
        self._draw(quality)
        self.frame_times.append(self._watch.stop())
        del self.frame_times[:-240]
        if moving:
            self._rest.start()
        self._shown = quality
        if self.renderer.styles not in self._practised:
            self._practised.add(self.renderer.styles)
            self._to_practise = list(LEVELS)
            self._practice.start(0)

    def draw_picture(self, size: tuple[int, int], pixel_ratio: float) -> Picture:
        """A picture (height, width, 3) of any size, as finely as can be; the canvas must have been shown."""
        self.set_current()
        self.context.flush_commands()
        target = Target(size, self.context)
        try:
            self.renderer.options.set_quality(FINEST)
            target.draw(self.renderer, self._camera(), pixel_ratio)
            return target.read()
        finally:
            target.delete()
            self.context.flush_commands()

    def _draw(self, quality: Quality) -> None:
        size = (max(int(self.physical_size[0]), 1), max(int(self.physical_size[1]), 1))
        drawn = (max(round(size[0] * quality.scale), 1), max(round(size[1] * quality.scale), 1))
        self.context.flush_commands()
        target = self._targets.get(quality)
        if target is None or target.size != drawn:
            if target is not None:
                target.delete()
            for old in [key for key in self._targets if key not in (self.governor.moving, self.governor.resting)]:
                self._targets.pop(old).delete()
            target = self._targets[quality] = Target(drawn, self.context, quality.samples)
        self.renderer.options.set_quality(quality)
        target.draw(self.renderer, self._camera(), self.pixel_scale * quality.scale)
        target.show(int(self._backend._vispy_get_fb_bind_location()), size)

    def _practise(self) -> None:
        """Draws one tiny picture at a quality not used yet: drivers compile then, and not amid a smooth motion."""
        quality = self._to_practise.pop(0)
        if self.native.isVisible():
            self.set_current()
            self.context.flush_commands()
            target = Target((16, 16), self.context, quality.samples)
            self.renderer.options.set_quality(quality)
            target.draw(self.renderer, self._camera())
            target.delete()
            self.context.flush_commands()
        if self._to_practise:
            self._practice.start(0)

    def _settle(self) -> None:
        if self._shown != self.governor.resting:
            self.update()
