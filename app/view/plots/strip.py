"""The strip under the picture: every switch of paradigm as a mark over time, in step with the plots.

What is painted is counted by pixel first, so that a hundred thousand switches cost what a hundred do.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PyQt6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import (
    QColor,
    QFont,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PyQt6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.simulation.messages import Batch
from app.view.paradigms import PARADIGMS
from app.view.plots.lanes import FOOT, HEAD, LEFT, Lanes
from app.view.plots.switches import LANES, SwitchLog, Words, say_switches
from app.view.theme import Colours, colours, fitted_font, scaled_font
from engine.arrays import Ints

LANE = 11  # height of a lane [px]
_REACH = 4  # how far from a mark the mouse may be [px]
_MARK = 3  # width of a mark [px]
_ABOVE = -52  # where words about a mark stand, beside the marks [px]
_UNCHANGING = {"impulse": "impulses", "penalty": "penalty springs", "first order": "constraint forces"}
"""Kinds of contact that never change a paradigm."""


class SwitchStrip(Lanes):
    """Lanes of marks. `bodies_chosen`: rows of the bodies of the mark that was clicked; `event_wanted`: the time of
    the one that is to be looked into [s]."""

    bodies_chosen = pyqtSignal(object)
    event_wanted = pyqtSignal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.log = SwitchLog()
        self._names: tuple[str, ...] = ()
        self._contact = ""
        self._kept: tuple[float, float, int] | None = None  # times and lane of the mark that was clicked
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Paradigm switches")

    def sizeHint(self) -> QSize:
        return QSize(400, HEAD + len(LANES) * LANE + FOOT)

    # --- in -------------------------------------------------------------------------------------------------------

    def set_scene(self, names: Sequence[str], contact: str) -> None:
        """Names of the bodies by row, and the scene's kind of contact; "first order" where its world is one."""
        self._names, self._contact = tuple(names), contact
        self.update()

    def feed(self, batch: Batch) -> None:
        self.log.append(batch.events)

    def start_run(self) -> None:
        super().start_run()
        self.log.clear()
        self._kept = None

    def cut(self, time: float) -> None:
        self.log.cut(time)
        self._kept = None

    # --- places ---------------------------------------------------------------------------------------------------

    def marks_at(self, at: QPoint) -> Ints:
        """Rows of the log under a point: those of its lane in the nearest column that has any; of all lanes above."""
        lane = (at.y() - HEAD) // LANE
        if not 0 <= lane < len(LANES):
            return np.zeros(0, dtype=np.int64)
        near = self.log.between(self.time_at(at.x() - _REACH), self.time_at(at.x() + _REACH + 1))
        rows = np.arange(near.start, near.stop)
        rows = rows[self.log.rows["kind"][near] == lane]
        if not len(rows):
            return rows
        column = np.floor((self.log.rows["time"][rows] - self.window_shown[0]) * self._scale)
        away = abs(column - (at.x() - LEFT))
        return np.asarray(rows[away == away.min()])

    @property
    def _scale(self) -> float:
        begin, end = self.window_shown
        return self._width / (end - begin)

    def say(self, rows: Ints) -> str:
        """In words what some rows of the log are."""
        from engine.recording.events import REASONS, STATES  # the simulation's thread has imported it long since

        return say_switches(self.log.rows[rows], self._names, Words(STATES, REASONS))

    # --- painting -------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter, c = QPainter(self), colours()
        painter.fillRect(self.rect(), QColor(c.panel))
        painter.setPen(QColor(c.border))
        painter.drawLine(0, 0, self.width(), 0)
        self._paint_words(painter, c)
        self._paint_times(painter, c, HEAD + len(LANES) * LANE)
        self._paint_lanes(painter, c)
        for time, shade in ((self._cursor, c.faint), (self._kept[0] if self._kept else None, c.text)):
            self._paint_line(painter, time, shade, HEAD + len(LANES) * LANE + 2)

    def _paint_words(self, painter: QPainter, c: Colours) -> None:
        painter.setFont(scaled_font(0.95, QFont.Weight.DemiBold))
        painter.setPen(QColor(c.text))
        head = QRectF(10, 3, self.width() - 20, HEAD - 4)
        painter.drawText(head, Qt.AlignmentFlag.AlignVCenter, "Switches")
        left = 10 + painter.fontMetrics().horizontalAdvance("Switches") + 14
        painter.setFont(scaled_font(0.88, figures=True))
        painter.setPen(QColor(c.text if self._kept else c.muted))
        text = painter.fontMetrics().elidedText(self.words, Qt.TextElideMode.ElideRight, self.width() - left - 12)
        painter.drawText(QRectF(left, 3, self.width() - left - 10, HEAD - 4), Qt.AlignmentFlag.AlignVCenter, text)

    @property
    def words(self) -> str:
        """The line over the lanes: the mark that was clicked, else how many there are."""
        if self._kept is not None:
            begin, end, lane = self._kept
            near = self.log.between(begin, np.nextafter(end, np.inf))
            rows = np.arange(near.start, near.stop)
            return self.say(rows[self.log.rows["kind"][rows] == lane])
        if not len(self.log):
            to = _UNCHANGING.get(self._contact)
            return f"none: all contacts of this scene are {to}" if to else "none yet"
        counts = np.bincount(self.log.rows["kind"], minlength=len(LANES))
        said = ", ".join(f"{number} {lane.tally}" for number, lane in zip(counts, LANES) if number)
        more = f"; {self.log.forgotten} older ones dropped" if self.log.forgotten else ""
        return f"{said}{more}.  Point at a mark for its reason, click it for its bodies"

    def _paint_lanes(self, painter: QPainter, c: Colours) -> None:
        shades = {paradigm.name: QColor(paradigm.colour) for paradigm in PARADIGMS}
        counts = self.log.columns(*self.window_shown, self._width) if len(self.log) else None
        for k, lane in enumerate(LANES):
            top = HEAD + k * LANE
            painter.fillRect(QRectF(LEFT, top + LANE / 2, self._width, 1), QColor(c.plot_grid))
            painter.setPen(QColor(c.muted))
            painter.setFont(fitted_font(scaled_font(0.78), lane.word, LEFT - 9))
            box = QRectF(2, top - 2, LEFT - 9, LANE + 4)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, lane.word)
            if counts is not None and counts[k].any():
                painter.drawImage(LEFT - 1, top, lane_image(counts[k], _ink(shades[lane.colour], c)))

    # --- mouse and keys -------------------------------------------------------------------------------------------

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        if event is None:
            return
        at = event.position().toPoint()
        inside = LEFT <= at.x() < LEFT + self._width
        rows = self.marks_at(at) if inside else np.zeros(0, dtype=np.int64)
        self.setCursor(Qt.CursorShape.PointingHandCursor if len(rows) else Qt.CursorShape.ArrowCursor)
        if len(rows):
            QToolTip.showText(self.mapToGlobal(QPoint(at.x(), _ABOVE)), self.say(rows), self)
        else:
            QToolTip.hideText()
        self.hovered.emit(self.time_at(at.x()) if inside else None)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and event.button() == Qt.MouseButton.LeftButton:
            self.keep(self.marks_at(event.position().toPoint()))

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and len(rows := self.marks_at(event.position().toPoint())):
            self.event_wanted.emit(float(self.log.rows["time"][rows[0]]))

    def keep(self, rows: Ints) -> None:
        """Keep these marks in sight and choose their bodies; none: let the kept one go."""
        if len(rows):
            chosen = self.log.rows[rows]
            self._kept = (float(chosen["time"][0]), float(chosen["time"][-1]), int(chosen["kind"][0]))
            self.bodies_chosen.emit(np.unique([chosen["body_a"], chosen["body_b"]]).tolist())
        else:
            self._kept = None
        self.update()

    def event(self, event: QEvent | None) -> bool:
        """Keys that step frames elsewhere go from mark to mark here, while one is kept."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and self._way(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        if event is None or not self._way(event) or self._kept is None:
            super().keyPressEvent(event)
            return
        rows = self.log.rows
        if self._way(event) > 0:
            row = int(np.searchsorted(rows["time"], self._kept[1], side="right"))
        else:
            row = int(np.searchsorted(rows["time"], self._kept[0])) - 1
        if 0 <= row < len(rows):
            alike = self.log.between(rows["time"][row], np.nextafter(rows["time"][row], np.inf))
            same = np.arange(alike.start, alike.stop)
            self.keep(np.asarray(same[rows["kind"][alike] == rows["kind"][row]]))

    def _way(self, event: QKeyEvent) -> int:
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier and self._kept is not None
        return (event.key() == Qt.Key.Key_Right) - (event.key() == Qt.Key.Key_Left) if plain else 0


def lane_image(counts: Ints, ink: QColor) -> QImage:
    """One lane, two pixels wider than there are columns: a mark where there are switches, taller for many."""
    width = len(counts) + _MARK - 1
    most = np.zeros(width, dtype=np.int64)
    for shift in range(_MARK):
        np.maximum(most[shift : shift + len(counts)], counts, out=most[shift : shift + len(counts)])
    share = np.where(most > 0, np.minimum(0.62 + 0.13 * np.log10(np.maximum(most, 1)), 1.0), 0.0)
    from_middle = abs(np.arange(LANE) - 0.5 * (LANE - 1)) / (0.5 * LANE)
    there = from_middle[:, None] < share
    pixels = np.zeros((LANE, width, 4), dtype=np.uint8)
    pixels[there] = (ink.blue(), ink.green(), ink.red(), 255)
    return QImage(pixels.tobytes(), width, LANE, 4 * width, QImage.Format.Format_ARGB32).copy()


def _ink(colour: QColor, c: Colours) -> QColor:
    """A body's colour as it can be seen on a panel: darker on light paper, lighter on dark."""
    if c.scheme == "light":
        return colour.darker(125) if colour.lightness() > 150 else colour
    return colour.lighter(190 if colour.lightness() < 90 else 145) if colour.lightness() < 130 else colour
