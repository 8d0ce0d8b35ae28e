"""The run as a line that can be dragged along: what is known of it, where it stands, and what happened when."""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PyQt6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.simulation.messages import Batch, Frame
from app.view.theme import Colours, colours, scaled_font
from engine.arrays import Floats

_LEFT, _RIGHT, _HEIGHT = 72, 22, 30  # as in the strip of switches [px]
_BINS = 4096  # of collisions, over the whole run; the bins grow with it
_TOP, _FOOT = 4.0, 13.0  # where the bars of collisions begin and how high the most of them are [px]


class Timeline(QWidget):
    """The whole run from left to right. `sought`: the time to stand at [s], again and again while it is dragged."""

    sought = pyqtSignal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("timeline")
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Timeline")
        self._run = -1
        self._time = self._end = 0.0
        self._keyframes: Floats = np.zeros(0)
        self._inputs: Floats = np.zeros(0)
        self._hits = np.zeros(_BINS, dtype=np.int64)
        self._bin = 0.001  # length of a bin [s]

    def sizeHint(self) -> QSize:
        return QSize(400, _HEIGHT)

    # --- in -------------------------------------------------------------------------------------------------------

    def feed(self, batches: list[Batch]) -> None:
        """Count the collisions of what has happened; a part of the run that is gone another way is counted anew."""
        for batch in batches:
            if batch.run != self._run:
                self._run = batch.run
                self._hits[:], self._bin, self._end = 0, 0.001, 0.0
            if not len(batch.samples):
                continue
            if batch.samples["time"][0] < self._end:
                self._hits[int(batch.samples["time"][0] / self._bin) + 1 :] = 0
            self._end = float(batch.samples["time"][-1])
            while self._end >= _BINS * self._bin:
                self._hits[: _BINS // 2] = self._hits.reshape(-1, 2).sum(axis=1)
                self._hits[_BINS // 2 :] = 0
                self._bin *= 2.0
            times = batch.events["time"][batch.events["kind"] == 0]
            np.add.at(self._hits, np.minimum((times / self._bin).astype(np.int64), _BINS - 1), 1)

    def show_frame(self, frame: Frame) -> None:
        """Where the run stands."""
        self._time, self._end = frame.time, max(frame.end, frame.time)
        self._keyframes, self._inputs = np.array(frame.keyframes), np.array(frame.inputs)
        self.update()

    def set_colours(self, _palette: Colours) -> None:
        self.update()

    # --- places ---------------------------------------------------------------------------------------------------

    @property
    def _width(self) -> int:
        return max(1, self.width() - _LEFT - _RIGHT)

    def place_of(self, time: float) -> float:
        """Where a time lies, in pixels of the widget."""
        return _LEFT + time / max(self._end, 1e-9) * self._width

    def time_at(self, x: float) -> float:
        """The time at a place, within what is known [s]."""
        return min(max((x - _LEFT) / self._width, 0.0), 1.0) * self._end

    # --- painting and mouse ---------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent | None) -> None:
        c = colours()
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(c.panel))
        painter.setFont(scaled_font(0.78))
        painter.setPen(QColor(c.muted))
        box = QRectF(4, 0, _LEFT - 11, _HEIGHT)
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, "run")
        base = _TOP + _FOOT
        painter.fillRect(QRectF(_LEFT, base, self._width, 2), QColor(c.plot_grid))
        if self._end <= 0.0:
            return
        self._paint_hits(painter, QColor(c.faint), base)
        for times, ink, length in ((self._keyframes, c.muted, 4.0), (self._inputs, c.series[1], 8.0)):
            for x in np.unique(np.round(_LEFT + times / self._end * self._width)).tolist():
                painter.fillRect(QRectF(x, base + 2, 1, length), QColor(ink))
        x = self.place_of(self._time)
        painter.fillRect(QRectF(_LEFT, base, x - _LEFT, 2), QColor(c.accent))
        painter.fillRect(QRectF(x - 1, 2, 2, _HEIGHT - 4), QColor(c.accent))

    def _paint_hits(self, painter: QPainter, ink: QColor, base: float) -> None:
        """A bar for each column that has collisions, higher for more of them."""
        used = np.flatnonzero(self._hits)
        column = np.minimum(((used + 0.5) * self._bin / self._end * self._width).astype(np.int64), self._width - 1)
        counts = np.bincount(column, weights=self._hits[used], minlength=self._width)
        heights = np.log1p(counts) / np.log1p(max(counts.max(initial=1.0), 1.0)) * _FOOT
        for x in np.flatnonzero(counts).tolist():
            painter.fillRect(QRectF(_LEFT + x, base - heights[x], 1, heights[x]), ink)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and event.button() == Qt.MouseButton.LeftButton:
            self.sought.emit(self.time_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        if event is None:
            return
        time = self.time_at(event.position().x())
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.sought.emit(time)
        QToolTip.showText(event.globalPosition().toPoint(), f"t = {time:.4f} s  (drag to go there)", self)
