"""Contacts over time as a Gantt chart: a row a pair, a bar coloured by what the pair does, a mark for every hit.

What is painted is counted by pixel first, as in the strip of switches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPoint, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QAction, QColor, QFont, QImage, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PyQt6.QtWidgets import QMenu, QScrollBar, QToolTip, QWidget

from app.simulation.messages import Batch
from app.simulation.pair_states import APART, ASLEEP, ROLL, SLIDE, STICK
from app.simulation.table_file import write_table
from app.view.plots.axes import format_si
from app.view.plots.export import ask_and_export
from app.view.plots.lanes import FOOT, HEAD, RIGHT, Lanes
from app.view.plots.pair_log import Bars, PairLog
from app.view.theme import Colours, colours, scaled_font
from engine.arrays import Ints

ROW, BAR = 18, 10  # heights of a row and of a bar in it [px]
LEFT = 172  # where the names end and time begins [px]
MOST_ROWS = 60  # pairs that have a row each
TITLE = "Contacts over time"
_REACH = 3  # how far from a hit the mouse may be [px]
_HIT = "hit"


@dataclass(frozen=True)
class Kind:
    """One thing that pairs do: its word in the legend, and said of a pair."""

    word: str
    verb: str


KINDS = {
    STICK: Kind("sticks", "stick"),
    SLIDE: Kind("slides", "slide"),
    ROLL: Kind("rolls", "roll"),
    ASLEEP: Kind("asleep", "are asleep"),
}
_OVER = (ASLEEP, STICK, ROLL, SLIDE)  # of those on one pixel the last is seen


class ContactGantt(Lanes):
    """`bodies_chosen`: rows of the bodies of the pair whose name was clicked."""

    bodies_chosen = pyqtSignal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, LEFT, RIGHT)
        self.log = PairLog()
        self._names: tuple[str, ...] = ()
        self._selected: tuple[int, ...] = ()
        self.shown: Ints = np.zeros(0, dtype=np.int64)
        """Pairs that have a row each, from above; numbers of the log."""
        self._there = 0  # pairs of which these are
        self._bar = QScrollBar(Qt.Orientation.Vertical, self)
        self._bar.valueChanged.connect(lambda _value: self.update())
        self._bar.hide()
        self.setAccessibleName(TITLE)

    # --- in -------------------------------------------------------------------------------------------------------

    def set_names(self, names: Sequence[str]) -> None:
        """Names of the bodies by row."""
        self._names = tuple(names)
        self.update()

    def set_selection(self, rows: Sequence[int]) -> None:
        """Only pairs of these bodies; of all if there are none."""
        self._selected = tuple(rows)
        self._bar.setValue(0)
        self.redraw()

    def feed(self, batch: Batch) -> None:
        self.log.append(batch.pairs, batch.events)

    def start_run(self) -> None:
        super().start_run()
        self.log.clear()
        self._choose_rows()

    def clear(self, time: float) -> None:
        super().start_run()
        self.log.clear_until(time)
        self._choose_rows()
        self.begin_at(time)

    def cut(self, time: float) -> None:
        self.log.cut(time)

    def refresh(self, now: float) -> None:
        if self.isVisible():
            self._choose_rows()
        super().refresh(now)

    def _choose_rows(self) -> None:
        """Rows of what the log has now; at once where its pairs are numbered anew: painting may come at any time."""
        self.shown, self._there = self.log.choose(self._selected, MOST_ROWS)
        self._fit_bar()

    # --- places ---------------------------------------------------------------------------------------------------

    @property
    def _room(self) -> int:
        """Height that rows have [px]."""
        return max(0, self.height() - HEAD - FOOT)

    def _fit_bar(self) -> None:
        over = len(self.shown) * ROW - self._room
        self._bar.setVisible(over > 0)
        self._bar.setRange(0, max(0, over))
        self._bar.setPageStep(self._room)
        self._bar.setSingleStep(ROW)
        width = self._bar.sizeHint().width()
        self._bar.setGeometry(self.width() - width, HEAD, width, self._room)

    def top_of(self, row: int) -> int:
        """Where a row begins, in pixels of the widget."""
        return HEAD + row * ROW - self._bar.value()

    def _row_at(self, y: int) -> int:
        """The row at a height; -1: none."""
        row = (y - HEAD + self._bar.value()) // ROW
        return row if HEAD <= y < HEAD + self._room and 0 <= row < len(self.shown) else -1

    # --- words ----------------------------------------------------------------------------------------------------

    def name_of(self, row: int) -> str:
        """The bodies of the pair in a row."""
        return " – ".join(self._bodies_of(row))

    def _bodies_of(self, row: int) -> tuple[str, str]:
        a, b = (int(body) for body in self.log.bodies[self.shown[row]])
        if a in self._selected and b not in self._selected:
            a, b = b, a  # the selected body comes last: what tells rows apart is read first
        first, second = (self._names[body] if body < len(self._names) else f"#{body}" for body in (a, b))
        return first, second

    def _said(self) -> str:
        """Of what the rows are."""
        if not self._there:
            return "no contacts yet" if not self._selected else "the selected bodies have touched nothing yet"
        of = " of the selected bodies" if self._selected else ""
        more = f"the {len(self.shown)} busiest of " if self._there > len(self.shown) else ""
        return f"{more}{self._there} pair{'' if self._there == 1 else 's'}{of}"

    def say(self, row: int, time: float, reach: float) -> str:
        """What the pair in a row does at a time [s]; hits count that are at most `reach` away [s]."""
        pair = self.shown[[row]]
        _, hits = self.log.hits_of(pair, time - reach, time + reach)
        name = self.name_of(row)
        if len(hits) == 1:
            return f"{name} hit each other at {float(hits[0]):.6f} s"
        if len(hits):
            return f"{name} hit each other {len(hits)} times from {float(hits[0]):.4f} to {float(hits[-1]):.4f} s"
        bars = self.log.bars(pair, time, time, self._now)
        at = np.flatnonzero((bars.begin <= time) & (time <= bars.end))
        if not len(at):
            return f"{name} do not touch"
        begin, end = float(bars.begin[at[-1]]), float(bars.end[at[-1]])
        when = f"since {begin:.3f} s" if end >= self._now else f"from {begin:.3f} to {end:.3f} s"
        return f"{name} {KINDS[int(bars.state[at[-1]])].verb} {when}: {format_si(end - begin, 's', 3)}"

    # --- out ------------------------------------------------------------------------------------------------------

    def build_menu(self) -> QMenu:
        menu = super().build_menu()
        entry = QAction("Export what is shown…", menu)
        entry.triggered.connect(lambda: ask_and_export(self, TITLE, self.export_table))
        menu.insertAction(menu.actions()[-1], entry)  # before "Clear", as in the charts
        return menu

    def export_table(self, path: Path) -> int:
        """Write the bars and hits in sight, pair by pair; a hit ends when it begins. How many there are.

        Raises OSError.
        """
        begin, end = self.window_shown
        bars = self.log.bars(self.shown, begin, end, self._now)
        row, hits = self.log.hits_of(self.shown, begin, end)
        rows = np.concatenate([bars.row, row])
        begins, ends = np.concatenate([bars.begin, hits]), np.concatenate([bars.end, hits])
        words = [*(KINDS[int(state)].word for state in bars.state), *(_HIT for _ in hits)]
        order = np.lexsort((begins, rows))
        names = np.array([self._bodies_of(k) for k in range(len(self.shown))], dtype=object).reshape(-1, 2)
        texts = ("body", "other body", "state")
        columns = [*names[rows[order]].T, [words[k] for k in order], begins[order], ends[order]]
        write_table(path, (*texts, "begin [s]", "end [s]"), columns, texts)
        return len(order)

    # --- painting -------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter, c = QPainter(self), colours()
        painter.fillRect(self.rect(), QColor(c.panel))
        bottom = HEAD + min(self._room, len(self.shown) * ROW)
        self._paint_head(painter, c)
        self._paint_times(painter, c, HEAD + self._room)
        painter.save()
        painter.setClipRect(0, HEAD, self.width(), self._room)
        self._paint_names(painter, c)
        self._paint_rows(painter, c)
        painter.restore()
        self._paint_line(painter, self._cursor, c.muted, max(bottom, HEAD + self._room))

    def _paint_head(self, painter: QPainter, c: Colours) -> None:
        left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.setFont(scaled_font(0.95, QFont.Weight.DemiBold))
        painter.setPen(QColor(c.text))
        painter.drawText(QRectF(10, 3, LEFT + 60, HEAD - 4), left, TITLE)
        x = 10 + painter.fontMetrics().horizontalAdvance(TITLE) + 18
        painter.setFont(scaled_font(0.9))
        words: list[tuple[int | str, str]] = [(_HIT, "impact"), *((state, kind.word) for state, kind in KINDS.items())]
        for kind, word in words:
            shade, width = QColor(shade_of(kind, c)), 3 if kind == _HIT else 12
            tall = HEAD - 7 if kind == _HIT else 8
            painter.fillRect(QRectF(x, 2 + (HEAD - tall) / 2, width, tall), shade)
            painter.setPen(QColor(c.muted))
            painter.drawText(QRectF(x + width + 5, 3, 80, HEAD - 4), left, word)
            x += width + 5 + painter.fontMetrics().horizontalAdvance(word) + 14
        painter.setFont(scaled_font(0.85))
        painter.setPen(QColor(c.muted))
        room = QRectF(x, 3, max(0, self.width() - x - 14), HEAD - 4)
        text = painter.fontMetrics().elidedText(self._said(), Qt.TextElideMode.ElideRight, int(room.width()))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, text)

    def _paint_names(self, painter: QPainter, c: Colours) -> None:
        painter.setFont(scaled_font(0.85))
        metrics = painter.fontMetrics()
        for row in range(len(self.shown)):
            top = self.top_of(row)
            if HEAD - ROW < top < HEAD + self._room:
                painter.fillRect(QRectF(self._left, top + ROW / 2, self._width, 1), QColor(c.plot_grid))
                painter.setPen(QColor(c.text))
                name = metrics.elidedText(self.name_of(row), Qt.TextElideMode.ElideMiddle, LEFT - 20)
                box = QRectF(10, top, LEFT - 18, ROW)
                painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, name)

    def _paint_rows(self, painter: QPainter, c: Colours) -> None:
        if not len(self.shown):
            return
        begin, end = self.window_shown
        bars = self.log.bars(self.shown, begin, end, self._now)
        row, times = self.log.hits_of(self.shown, begin, end)
        scale = self._width / (end - begin)
        states = columns_of(bars, begin, scale, len(self.shown), self._width)
        hits = np.zeros_like(states, dtype=bool)
        hits[row, np.minimum(((times - begin) * scale).astype(np.int64), self._width - 1)] = True
        hits[:, 1:] |= hits[:, :-1]  # two pixels wide
        lines = _image(states, {state: shade_of(state, c) for state in KINDS})
        marks = _image(hits.astype(np.int64), {1: shade_of(_HIT, c)})
        for k in range(len(self.shown)):
            top = self.top_of(k)
            if HEAD - ROW < top < HEAD + self._room:
                above = (ROW - BAR) / 2
                # Hits reach into the bar from above: where they are many, what the pair does is seen below them.
                for image, begin, tall in ((lines, above, BAR), (marks, 1.0, above + BAR / 2.0)):
                    place = QRectF(self._left, top + begin, self._width, tall)
                    painter.drawImage(place, image, QRectF(0, k, self._width, 1))

    # --- mouse ----------------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self._fit_bar()

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        if event is None:
            return
        at = event.position().toPoint()
        row, inside = self._row_at(at.y()), self._left <= at.x() < self._left + self._width
        pointing = (row >= 0 and at.x() < self._left) or (inside and self._may_go(at))
        self.setCursor(Qt.CursorShape.PointingHandCursor if pointing else Qt.CursorShape.ArrowCursor)
        if row >= 0 and inside:
            begin, end = self.window_shown
            said = self.say(row, self.time_at(at.x()), _REACH * (end - begin) / self._width)
        else:
            said = self.name_of(row) if row >= 0 else ""
        if said:
            QToolTip.showText(self.mapToGlobal(at + QPoint(14, 14)), said, self)
        else:
            QToolTip.hideText()
        self.hovered.emit(self.time_at(at.x()) if inside else None)

    def _may_go(self, at: QPoint) -> bool:
        return at.y() >= HEAD and self._left <= at.x() < self._left + self._width

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """On a name: its bodies; beside it: that time."""
        if event is None or event.button() != Qt.MouseButton.LeftButton:
            return
        at = event.position().toPoint()
        row = self._row_at(at.y())
        if self._may_go(at):
            self.clicked.emit(self.time_at(at.x()))
        elif row >= 0 and at.x() < self._left:
            self.bodies_chosen.emit(self.log.bodies[self.shown[row]].tolist())

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Over the names the rows move; over the bars time does."""
        if event is not None and event.position().x() < self._left:
            self._bar.setValue(self._bar.value() - event.angleDelta().y() * ROW // 60)
            event.accept()
        else:
            super().wheelEvent(event)


def shade_of(kind: int | str, c: Colours) -> str:
    """The colour of what a pair does, or of hits."""
    of_series = {STICK: 0, SLIDE: 1, ROLL: 2}
    return c.series[of_series[int(kind)]] if kind in of_series else c.faint if kind == ASLEEP else c.text


def columns_of(bars: Bars, begin: float, scale: float, rows: int, width: int) -> Ints:
    """What is seen of each pair on each pixel, (rows, width): from the time `begin` on; scale: pixels a second."""
    first = np.clip(np.floor((bars.begin - begin) * scale), 0, width - 1).astype(np.int64)
    last = np.clip(np.ceil((bars.end - begin) * scale), first + 1, width).astype(np.int64)
    seen = np.full((rows, width), APART, dtype=np.int64)
    for state in _OVER:
        mine = bars.state == state
        steps = np.zeros((rows, width + 1), dtype=np.int64)
        np.add.at(steps, (bars.row[mine], first[mine]), 1)
        np.add.at(steps, (bars.row[mine], last[mine]), -1)
        seen[np.cumsum(steps, axis=1)[:, :-1] > 0] = state
    return seen


def _image(values: Ints, shades: dict[int, str]) -> QImage:
    """A pixel a value; clear where it has no shade."""
    table = np.zeros((max(shades) + 1, 4), dtype=np.uint8)
    for value, shade in shades.items():
        ink = QColor(shade)
        table[value] = (ink.blue(), ink.green(), ink.red(), 255)
    pixels: NDArray[np.uint8] = table[values]
    height, width = values.shape
    return QImage(pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_ARGB32).copy()
