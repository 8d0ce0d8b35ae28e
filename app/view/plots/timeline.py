"""The run as a line that can be dragged along: what is known of it, where it stands, and what happened when.

Below it, a line for every other way that the run went, from where they part.
"""

from __future__ import annotations

from math import inf

import numpy as np
from PyQt6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PyQt6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.simulation.examining import EventLog
from app.simulation.messages import Batch, Branch, Frame
from app.view.plots.axes import SiAxis, format_si
from app.view.plots.bins import Bins
from app.view.plots.marks import Marks
from app.view.plots.plot import END
from app.view.theme import Colours, colours, scaled_font
from engine.arrays import Floats, Ints
from engine.recording.events import EVENT_KINDS

_LEFT, _RIGHT, _HEIGHT = 72, END, 38  # as in the strip of switches [px]
_TICKS = 26  # where the times stand [px]
_ROW, _MOST_ROWS = 14, 5  # of a branch [px], and how many are shown
_TOP, _FOOT = 4.0, 13.0  # where the bars of collisions begin and how high the most of them are [px]
_COLLISION = EVENT_KINDS.index("collision")
_SWITCHES = (EVENT_KINDS.index("to_constraint"), EVENT_KINDS.index("to_impulse"))
_KEYS = {Qt.Key.Key_Plus: 0.5, Qt.Key.Key_Equal: 0.5, Qt.Key.Key_Minus: 2.0, Qt.Key.Key_0: inf}
NARROWEST = 1e-6  # [s] that may be looked at


class Timeline(QWidget):
    """The whole run from left to right. `sought`: the time to stand at [s], again and again while it is dragged;
    `ranged`: from when to when to play again and again [s]; `branch_wanted`: the number of the branch to go to;
    `event_wanted`: a time near which one is to be looked into [s]."""

    sought = pyqtSignal(float)
    ranged = pyqtSignal(float, float)
    branch_wanted = pyqtSignal(int)
    event_wanted = pyqtSignal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("timeline")
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Timeline")
        self._run = -1
        self._frame: Frame | None = None
        self._end = 0.0
        self._told = 0.0
        self._hits, self._switches = Bins(), Bins()
        self.log, self.every = EventLog(), EventLog(quiet=True)
        self._axis = SiAxis("bottom", "s")
        self._view: tuple[float, float] | None = None  # from when to when it is looked at [s]; None: the whole run
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._ranging: tuple[float, float] | None = None  # the range that is being dragged [s]

    def sizeHint(self) -> QSize:
        rows = min(len(self._branches), _MOST_ROWS)
        return QSize(400, _HEIGHT + _ROW * rows + (4 if rows else 0))

    @property
    def _branches(self) -> tuple[Branch, ...]:
        return self._frame.branches if self._frame is not None else ()

    @property
    def shown_branches(self) -> tuple[Branch, ...]:
        """Those that have a line: the newest."""
        return self._branches[-_MOST_ROWS:]

    # --- in -------------------------------------------------------------------------------------------------------

    def feed(self, batches: list[Batch]) -> None:
        """Count what has happened; a part of the run that is gone another way is counted anew."""
        self.log.feed(batches)
        self.every.feed(batches)
        for batch in batches:
            if batch.run != self._run:
                self._run, self._told, self._view = batch.run, 0.0, None
                self._hits.clear()
                self._switches.clear()
            if not len(batch.samples):
                continue
            start, kinds, times = float(batch.samples["time"][0]), batch.events["kind"], batch.events["time"]
            for bins, wanted in ((self._hits, (_COLLISION,)), (self._switches, _SWITCHES)):
                if start < self._told:
                    bins.cut(start)
                bins.add(times[np.isin(kinds, wanted)])
            self._told = float(batch.samples["time"][-1])

    def show_frame(self, frame: Frame) -> None:
        """Where the run stands."""
        if frame is self._frame:
            return
        rows = len(self._branches)
        self._frame = frame
        self._end = max(frame.end, frame.time, *(branch.end for branch in frame.branches), 0.0)
        if len(frame.branches) != rows:
            self.updateGeometry()
        self.update()

    def set_colours(self, _palette: Colours) -> None:
        self.update()

    # --- places ---------------------------------------------------------------------------------------------------

    @property
    def _width(self) -> int:
        return max(1, self.width() - _LEFT - _RIGHT)

    @property
    def view(self) -> tuple[float, float]:
        """From when to when it is looked at [s]."""
        return self._view or (0.0, max(self._end, 1e-9))

    def zoom(self, factor: float, centre: float) -> None:
        """Look at a span that is longer by a factor, as near as a microsecond; the centre [s] stays where it is."""
        begin, end = self.view
        factor = max(factor, NARROWEST / (end - begin))
        self._look(centre - (centre - begin) * factor, centre + (end - centre) * factor)

    def pan(self, part: float) -> None:
        """Look at what is later by a part of the span that is looked at."""
        begin, end = self.view
        by = min(max(part * (end - begin), -begin), max(self._end - end, 0.0))
        self._look(begin + by, end + by)

    def _look(self, begin: float, end: float) -> None:
        begin, end = max(begin, 0.0), min(end, self._end)
        self._view = (begin, end) if end - begin < self._end * (1.0 - 1e-9) else None
        self.update()

    def place_of(self, time: float) -> float:
        """Where a time lies, in pixels of the widget."""
        begin, end = self.view
        return _LEFT + (time - begin) / (end - begin) * self._width

    def time_at(self, x: float) -> float:
        """The time at a place [s]."""
        begin, end = self.view
        return begin + min(max((x - _LEFT) / self._width, 0.0), 1.0) * (end - begin)

    def _say(self, time: float) -> str:
        return f"{time:.4f} s" if self._view is None else f"{time:.9f} s"

    def row_of(self, number: int) -> float:
        """The height at which the line of a branch is, in pixels of the widget."""
        return _HEIGHT + _ROW * ([branch.number for branch in self.shown_branches].index(number) + 0.5)

    def _branch_at(self, y: float) -> Branch | None:
        row = int((y - _HEIGHT) // _ROW)
        return self.shown_branches[row] if 0 <= row < len(self.shown_branches) else None

    # --- painting -------------------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent | None) -> None:
        c, frame = colours(), self._frame
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(c.panel))
        painter.setFont(scaled_font(0.78))
        name = "run" if frame is None or not frame.branches else f"branch {frame.branch}"
        self._paint_name(painter, QColor(c.muted), 0, 2 * (_TOP + _FOOT), name)
        base = _TOP + _FOOT
        if frame is None or self._end <= 0.0:
            painter.fillRect(QRectF(_LEFT, base, self._width, 2), QColor(c.plot_grid))
            return
        if self._view is not None:
            self._paint_view(painter, c, *self._view)
        for branch in self.shown_branches:
            hidden = len(self._branches) - len(self.shown_branches)
            more = f"+{hidden}  " if hidden and branch == self.shown_branches[0] else ""
            y = self.row_of(branch.number)
            self._paint_name(painter, QColor(c.muted), y - _ROW / 2, _ROW, f"{more}branch {branch.number}")
        painter.setClipRect(QRectF(_LEFT, 0, self._width, self.height()))
        self._paint_loop(painter, QColor(c.accent))
        end = self.place_of(max(frame.end, frame.time))
        end = min(end, self.width())
        painter.fillRect(QRectF(_LEFT, base, end - _LEFT, 2), QColor(c.plot_grid))
        painter.drawImage(_LEFT, 0, self._marks(c, frame, int(base)))
        self._paint_branches(painter, c)
        x = self.place_of(frame.time)
        painter.fillRect(QRectF(_LEFT, base, min(x, self.width()) - _LEFT, 2), QColor(c.accent))
        painter.fillRect(QRectF(x - 1, 2, 2, _TICKS - 2), QColor(c.accent))
        painter.setClipping(False)
        self._paint_times(painter, c)

    def _times_of(self, kinds: tuple[int, ...]) -> Floats:
        """When events of some kinds were, one by one, of what is looked at [s]."""
        rows = self.log.between(*self.view)
        return np.asarray(rows["time"][np.isin(rows["kind"], kinds)])

    def _switch_times(self) -> Floats:
        return self._switches.times if self._view is None else self._times_of(_SWITCHES)

    def _columns_of(self, times: Floats) -> Ints:
        """Where times lie, of what is looked at, in pixels from the left end."""
        begin, end = self.view
        times = times[(times >= begin) & (times <= end)]
        return np.round((times - begin) / (end - begin) * self._width).astype(np.int64)

    def _marks(self, c: Colours, frame: Frame, base: int) -> QImage:
        """Collisions, switches, keyframes and inputs."""
        marks = Marks(self._width, _TICKS + 2)
        marks.add_bars(self._bars(), base, QColor(c.faint))
        marks.add(self._columns_of(self._switch_times()), base - 4, base, QColor(c.series[2]))
        marks.add(self._columns_of(np.array(frame.keyframes)), base + 2, base + 6, QColor(c.muted))
        marks.add(self._columns_of(np.array(frame.inputs)), base + 2, base + 10, QColor(c.series[1]))
        return marks.image()

    def _paint_times(self, painter: QPainter, c: Colours) -> None:
        """Times along the line, in front of what runs down to a branch; a span too short for that is told in words."""
        begin, end = self.view
        ((step, _),) = self._axis.tickSpacing(begin, end, float(self._width))
        if step < 1e-4 * end:
            return
        ticks = np.arange(np.ceil(begin / step - 1e-9), np.floor(end / step + 1e-9) + 1) * step
        painter.setPen(QColor(c.muted))
        for time, text in zip(ticks.tolist(), self._axis.tickStrings(ticks, 1.0, step), strict=True):
            x = self.place_of(time)
            painter.fillRect(QRectF(x, _TICKS - 3, 1, 3), QColor(c.muted))
            room = QRectF(x - 40, _TICKS, 80, _HEIGHT - _TICKS)
            taken = painter.boundingRect(room, Qt.AlignmentFlag.AlignCenter, text).adjusted(-3, 0, 3, 0) & room
            painter.fillRect(taken, QColor(c.panel))
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_view(self, painter: QPainter, c: Colours, begin: float, end: float) -> None:
        """What is looked at, in words: how long it is and when it begins."""
        painter.setPen(QColor(c.muted))
        text = f"{format_si(end - begin, 's', 3)} from {begin:.9f} s"
        right = QRectF(_LEFT, 0, self._width, _TOP + _FOOT - 2)
        painter.drawText(right, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, text)

    def _paint_name(self, painter: QPainter, ink: QColor, top: float, height: float, name: str) -> None:
        painter.setPen(ink)
        middle = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(2, top, _LEFT - 9, height), middle, name)

    def _paint_loop(self, painter: QPainter, ink: QColor) -> None:
        loop = self._ranging or (self._frame.loop if self._frame is not None else None)
        if loop is not None:
            begin, end = (min(self.place_of(time), self.width() - float(_RIGHT)) for time in sorted(loop))
            band = QColor(ink)
            band.setAlpha(50)
            painter.fillRect(QRectF(begin, 1, end - begin, _TICKS - 1), band)
            for x in (begin, end):
                painter.fillRect(QRectF(x - 1, 1, 1, _TICKS - 1), ink)

    def _paint_branches(self, painter: QPainter, c: Colours) -> None:
        """A line for each, from where it leaves the one that is shown."""
        for branch in self.shown_branches:
            y = self.row_of(branch.number)
            begin, end = self.place_of(branch.start), self.place_of(branch.end)
            ink = QColor(c.series[(branch.number + 2) % len(c.series)])
            painter.fillRect(QRectF(begin, y - 1, max(end - begin, 2.0), 3), ink)
            faint = QColor(ink)
            faint.setAlpha(110)
            painter.fillRect(QRectF(begin, _TOP + _FOOT + 2, 1, y - _TOP - _FOOT - 2), faint)
            painter.setBrush(ink)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawEllipse(QPointF(end, y + 0.5), 3.0, 3.0)

    def _bars(self) -> Floats:
        """The height of each column's bar [px]: the more collisions, the higher."""
        times, numbers = self._hits.times, self._hits.counts
        begin, end = self.view
        if self._view is not None:
            times = self._times_of((_COLLISION,))
            numbers = np.ones(len(times))
        column = np.minimum(((times - begin) / (end - begin) * self._width).astype(np.int64), self._width - 1)
        counts = np.bincount(column, weights=numbers, minlength=self._width)
        return np.asarray(np.log1p(counts) / np.log1p(max(counts.max(initial=1.0), 1.0)) * _FOOT)

    # --- wheel and keys ---------------------------------------------------------------------------------------------

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Looks closer at the time under the mouse; with Shift, to the side."""
        if event is None or self._end <= 0.0:
            return
        turn = (event.angleDelta().y() or event.angleDelta().x()) / 120.0
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.pan(-0.1 * turn)
        else:
            self.zoom(0.8**turn, self.time_at(event.position().x()))
        event.accept()

    def event(self, event: QEvent | None) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and event.key() in _KEYS:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """+ and − look closer at where the run stands, or less close; 0 at the whole run."""
        if event is None or event.key() not in _KEYS or self._frame is None or self._end <= 0.0:
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_0:
            self._look(0.0, self._end)
        else:
            begin, end = self.view
            self.zoom(_KEYS[Qt.Key(event.key())], min(max(self._frame.time, begin), end))

    # --- mouse ----------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        if event is None or event.button() != Qt.MouseButton.LeftButton:
            return
        branch = self._branch_at(event.position().y())
        if branch is not None:
            self.branch_wanted.emit(branch.number)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            time = self.time_at(event.position().x())
            self._ranging = (time, time)
        elif event.position().y() < _HEIGHT:
            self.sought.emit(self.time_at(event.position().x()))

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and event.button() == Qt.MouseButton.LeftButton and event.position().y() < _HEIGHT:
            self.event_wanted.emit(self.time_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        if event is None:
            return
        time = self.time_at(event.position().x())
        branch = self._branch_at(event.position().y())
        if self._ranging is not None:
            self._ranging = (self._ranging[0], time)
            self.update()
            text = f"{self._say(min(self._ranging))} to {self._say(max(self._ranging))}"
        elif event.buttons() & Qt.MouseButton.LeftButton:
            if branch is None:
                self.sought.emit(time)
            text = f"t = {self._say(time)}"
        elif branch is not None:
            inputs = f"{branch.inputs} input{'' if branch.inputs == 1 else 's'}"
            text = f"Branch {branch.number}: another way from {branch.start:.4f} s, known until {branch.end:.4f} s, "
            text += f"{inputs}  (click to go there)"
        else:
            text = f"t = {self._say(time)}  (drag to go there, Shift+drag: a loop, double click: the nearest event)"
        QToolTip.showText(event.globalPosition().toPoint(), text, self)

    def mouseReleaseEvent(self, _event: QMouseEvent | None) -> None:
        if self._ranging is not None:
            begin, end = sorted(self._ranging)
            self._ranging = None
            self.ranged.emit(begin, end)
            self.update()
