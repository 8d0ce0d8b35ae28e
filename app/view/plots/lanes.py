"""What panels have in common that paint lanes over time: the times in sight, the cursor, and the wheel."""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QEvent, QRectF, Qt
from PyQt6.QtGui import QColor, QContextMenuEvent, QPainter, QWheelEvent
from PyQt6.QtWidgets import QMenu, QWidget

from app.view.plots.axes import SiAxis
from app.view.plots.chart import WHOLE_RUN, add_spans
from app.view.plots.panel import Panel
from app.view.plots.plot import END
from app.view.theme import Colours, scaled_font

HEAD, FOOT = 21, 17  # heights of the line of words and of the times [px]
LEFT, RIGHT = 72, END  # where the plots have their axis and their margin [px]
_NARROWEST = 1e-6  # [s] that may be looked at


class Lanes(Panel):
    """Times in sight are those of the plots, unless the wheel has moved them."""

    def __init__(self, parent: QWidget | None = None, left: int = LEFT, right: int = RIGHT) -> None:
        super().__init__([], parent)
        self._left, self._right = left, right
        self._span = 5.0
        self._start = 0.0
        self._window: tuple[float, float] | None = None  # that was chosen by hand; else the newest are followed
        self._cursor: float | None = None
        self._axis = SiAxis("bottom", "s")
        self.setMouseTracking(True)

    def start_run(self) -> None:
        self._window = None

    def begin_at(self, time: float) -> None:
        self._start = self._now = time

    def refresh(self, now: float) -> None:
        self._now = now
        if self.isVisible():
            self.update()

    def show_cursor(self, time: float | None) -> None:
        self._cursor = time
        self.update()

    def follow(self, span: float) -> None:
        self._span, self._window = span, None
        self.update()

    def set_colours(self, palette: Colours) -> None:
        self.update()

    # --- places ---------------------------------------------------------------------------------------------------

    @property
    def window_shown(self) -> tuple[float, float]:
        """The times at the left and the right end [s]: as in the plots, unless it was moved by hand."""
        if self._window is not None:
            return self._window
        if self._span == WHOLE_RUN:
            return self._start, max(self._now, self._start + 0.1)
        if self._now > self._start + self._span:
            return self._now - self._span, self._now
        return self._start, self._start + self._span

    def place_of(self, time: float) -> float:
        """Where a time lies, in pixels of the widget."""
        begin, end = self.window_shown
        return self._left + (time - begin) / (end - begin) * self._width

    def time_at(self, x: float) -> float:
        """The time at a place."""
        begin, end = self.window_shown
        return begin + (x - self._left) / self._width * (end - begin)

    @property
    def _width(self) -> int:
        return max(1, self.width() - self._left - self._right)

    # --- painting -------------------------------------------------------------------------------------------------

    def _paint_times(self, painter: QPainter, c: Colours, top: int) -> None:
        """Lines down to `top` [px] and the times under them."""
        begin, end = self.window_shown
        ((step, _),) = self._axis.tickSpacing(begin, end, float(self._width))
        ticks = np.arange(np.ceil(begin / step - 1e-9), np.floor(end / step + 1e-9) + 1) * step
        painter.setFont(scaled_font(0.8, figures=True))
        for time, text in zip(ticks, self._axis.tickStrings(ticks, 1.0, step)):
            x = self.place_of(float(time))
            painter.setPen(QColor(c.border))
            painter.drawLine(int(x), HEAD, int(x), top + 2)
            painter.setPen(QColor(c.muted))
            painter.drawText(QRectF(x - 50, top + 1, 100, FOOT - 2), Qt.AlignmentFlag.AlignCenter, text)

    def _paint_line(self, painter: QPainter, time: float | None, shade: str, bottom: int) -> None:
        """A line across all lanes at a time, if it is in sight."""
        if time is not None and self._left <= (x := self.place_of(time)) <= self._left + self._width:
            painter.setPen(QColor(shade))
            painter.drawLine(int(x), HEAD - 2, int(x), bottom)

    # --- mouse ----------------------------------------------------------------------------------------------------

    def leaveEvent(self, event: QEvent | None) -> None:
        self.hovered.emit(None)
        super().leaveEvent(event)

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Looks closer at the time under the mouse; beyond the span that is followed it follows again."""
        if event is None:
            return
        begin, end = self.window_shown
        centre = min(max(self.time_at(event.position().x()), begin), end)
        factor = 0.8 ** (event.angleDelta().y() / 120.0)
        if factor > 1.0 and (end - begin) * factor >= min(self._span, max(self._now - self._start, 0.1)):
            self._window = None
        elif (end - begin) * factor > _NARROWEST:
            self._window = centre - (centre - begin) * factor, centre + (end - centre) * factor
        self.update()
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:
        if event is not None:
            menu = self.build_menu()
            menu.exec(event.globalPos())
            menu.deleteLater()

    def build_menu(self) -> QMenu:
        """The context menu, as it is now."""
        menu = QMenu(self)
        add_spans(menu, self.span_chosen.emit, self._span if self._window is None else None)
        menu.addSeparator()
        menu.addAction("Clear", self.cleared.emit)
        return menu
