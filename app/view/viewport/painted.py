"""The drawing surface where the processor draws: a widget that shows the pictures that a thread makes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QRectF, Qt, QTimer
from PyQt6.QtGui import QColor, QImage, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PyQt6.QtWidgets import QWidget

from app.view.theme import colours
from app.view.viewport.camera import CameraState
from app.view.viewport.picture_thread import Order, PictureThread
from app.view.viewport.quality import FINEST, REST, SLOW_BUDGET, SLOW_LEVELS, Governor, Quality
from app.view.viewport.renderer import Renderer

Picture = NDArray[np.uint8]
_SLOW = 0.6
"""Where a fine picture takes longer than this [s], a coarse one comes first: what was done is seen at once."""
_SLOW_REST = 700
"""And the fine one after so long [ms], as it cannot be stopped when something else is done."""


class Surface(QWidget):
    """Shows an image as high as itself; calls `on_change` when that has to be another one, or is seen again.

    Until then one of another shape is shown in the middle, as the new one will have it: pictures keep their angle of
    sight from bottom to top.
    """

    def __init__(self, parent: QWidget, on_change: Callable[[], None]) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMouseTracking(True)
        self._image = QImage()
        self._on_change = on_change

    def show_image(self, image: QImage) -> None:
        """Shows an image, stretched to the widget."""
        self._image = image
        self.update()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self._on_change()

    def showEvent(self, event: QShowEvent | None) -> None:
        """What was asked for while nobody could see it has not been drawn."""
        super().showEvent(event)
        self._on_change()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        if self._image.isNull():
            painter.fillRect(self.rect(), QColor(colours().scene_top))
            return
        full = self._image.size() == self.size() * self.devicePixelRatioF()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not full)
        width = self.height() * self._image.width() / self._image.height()
        pixel = self.height() / self._image.height()
        if abs(width - self.width()) < 2.0 * pixel:  # its sides are rounded to whole pixels, which may be coarse
            width = float(self.width())
        elif width < self.width():
            painter.fillRect(self.rect(), QColor(colours().scene_top))
        painter.drawImage(QRectF(0.5 * (self.width() - width), 0.0, width, self.height()), self._image)


class PaintedCanvas:
    """Shows what a renderer holds. `native` is its widget. `camera` is asked for at each picture."""

    def __init__(
        self, parent: QWidget, renderer: Renderer, camera: Callable[[], CameraState], on_failure: Callable[[str], None]
    ) -> None:
        self.renderer = renderer
        self.governor = Governor(SLOW_LEVELS, SLOW_BUDGET, start=3)
        self.frame_times: list[float] = []
        self.native = Surface(parent, lambda: self.request(moving=False))
        self._camera = camera
        self._thread = PictureThread()
        self._thread.drawn.connect(self._show)
        self._thread.failed.connect(on_failure)
        self._moving = False
        self._wanted = False  # another picture than the one being drawn
        self._order: Order | None = None  # what the thread draws
        self._old: Order | None = None  # of a scene that has gone
        self._order_moves = False
        self._rest = QTimer(self.native)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST)
        self._rest.timeout.connect(self._settle)
        self._shown: Quality = FINEST
        self._is_slow = False  # the last fine picture took so long that a coarse one had better come first
        self._settling = False  # the next picture is to be the fine one
        self._start = QTimer(self.native)  # several requests in one turn of the event loop make one picture
        self._start.setSingleShot(True)
        self._start.setInterval(0)
        self._start.timeout.connect(self._begin)

    @property
    def pending(self) -> bool:
        """Whether a picture that was asked for is not shown yet."""
        return self._wanted or self._order is not None or (self._is_slow and self._rest.isActive())

    def request(self, moving: bool, anew: bool = False) -> None:
        """Asks for a picture; several requests before it is drawn make one. `moving`: more will follow soon.

        anew: of another scene. What is shown is of the old one, and is shown no longer, nor what is drawn now; the new
        one is shown as soon as it can be, and finely then.
        """
        if anew:
            self._old = self._order
            self.native.show_image(QImage())
        self._moving = self._moving or moving or anew
        self._wanted = True
        if self._order is None:
            self._start.start()

    def draw_picture(self, size: tuple[int, int], pixel_ratio: float) -> Picture:
        """A picture (height, width, 3) of any size, as finely as can be."""
        order = Order(self.renderer.still(), self._camera(), size, FINEST, pixel_ratio)
        picture = self._thread.draw(order).result()
        return np.ascontiguousarray(picture[:, :, 2::-1])

    def close(self) -> None:
        """Ends the thread; nothing is drawn afterwards."""
        self._start.stop()
        self._rest.stop()
        self._thread.drawn.disconnect(self._show)
        self._thread.close()

    def _begin(self) -> None:
        if self._order is not None or not self.native.isVisible():
            return
        moving, self._moving, self._wanted = self._moving, False, False
        settling, self._settling = self._settling, False
        first = moving or (self._is_slow and not settling)
        # Between two pictures of a motion, others (a hover, an overlay) are no finer than these.
        quality = self.governor.moving if first or self._rest.isActive() else FINEST
        ratio = self.native.devicePixelRatioF()
        size = (
            max(round(self.native.width() * ratio * quality.scale), 1),
            max(round(self.native.height() * ratio * quality.scale), 1),
        )
        if first:
            self._rest.start(_SLOW_REST if self._is_slow else REST)
        self._order = Order(self.renderer.still(), self._camera(), size, quality, ratio * quality.scale)
        self._order_moves = moving
        self._thread.draw(self._order)

    def _show(self, order: Order, picture: Picture, seconds: float) -> None:
        if order is not self._order:
            return  # somebody else's
        self._order, self._shown = None, order.quality
        height, width = picture.shape[:2]
        if order is not self._old:
            self.native.show_image(QImage(picture.tobytes(), width, height, 4 * width, QImage.Format.Format_RGB32))
        if order.quality is FINEST:
            self._is_slow = seconds > _SLOW
        self.frame_times.append(seconds)
        del self.frame_times[:-240]
        if self._order_moves:
            self.governor.took(seconds)
        if self._wanted:
            self._start.start()

    def _settle(self) -> None:
        if self._shown != FINEST or self._order is not None:
            self._settling = True
            self.request(moving=False)
