"""One chart over simulation time: curves from a history, a legend that reads them out, a menu, a cursor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QEvent, QObject, QPointF, Qt, pyqtSignal
from PyQt6.QtGui import QContextMenuEvent, QMouseEvent, QWheelEvent
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QWidget
from superqt import QFlowLayout

from app.simulation.table_file import write_table
from app.view.layouts import TextLine, hbox, vbox
from app.view.plots.axes import LINEAR, DecadeAxis, Scale, SiAxis, format_si
from app.view.plots.export import ask_and_export, export
from app.view.plots.history import History, Stretch
from app.view.plots.legend import Curve, Key, LineKey
from app.view.plots.plot import END, FRAME, Plot, line_pen
from app.view.theme import Colours, colours, scaled_font
from engine.arrays import Floats, Ints

SPANS = (0.1, 0.5, 2.0, 5.0, 10.0, 30.0)
WHOLE_RUN = float("inf")


class Chart(QWidget):
    """Shows the curves of one `History`. The owner calls `refresh(now)` some fifteen times a second."""

    hovered = pyqtSignal(object)  # simulation time under the mouse [s], or None
    clicked = pyqtSignal(float)  # simulation time there [s]
    cleared = pyqtSignal()  # the person asked for it
    span_chosen = pyqtSignal(float)
    window_chosen = pyqtSignal(float)

    def __init__(
        self,
        title: str,
        curves: Sequence[Curve],
        history: History,
        *,
        steps: bool = False,
        scale: Scale = LINEAR,
        windows: Sequence[float] = (),
        can_compare: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """can_compare: its values may be shown less those at the start."""
        super().__init__(parent)
        self.title = title
        self.curves = list(curves)
        self.history = history
        self._steps, self._scale, self._windows = steps, scale, tuple(windows)
        self.window_length = self._windows[0] if self._windows else 0.0
        self.span = 5.0
        self._following = True
        self._now = 0.0
        self._cursor: float | None = None
        self._instant: tuple[float, Floats] | None = None  # a time and the values there [s]
        self._limits: tuple[float, float] | None = None
        self._can_compare, self._compared = can_compare, False
        self._chosen = False  # the person has chosen which values are in sight
        self._build()
        self.set_colours(colours())

    # Building

    def _build(self) -> None:
        unit = self.curves[0].unit
        left = SiAxis("left", unit) if self._scale.is_linear else DecadeAxis("left", unit, self._scale)
        self._left = left
        self.plot = Plot(left, SiAxis("bottom", "s"))
        self.plot.setMinimumHeight(60)
        self.plot.area.margins(0, 4, END - FRAME, 0)
        box = self.plot.getViewBox()
        box.disableAutoRange()
        box.setMouseEnabled(x=True, y=False)
        box.setLimits(xMin=-1e9, xMax=1e9)
        self.plot.scene().sigMouseClicked.connect(self._click)
        box.sigRangeChangedManually.connect(self._stop_following)
        left.setWidth(62)
        self._add_lines()
        self.level: float | None = None
        self._level = pg.InfiniteLine(angle=0, movable=False)
        self._level.setZValue(-10)  # curves run over it
        self._level.hide()
        self.plot.addItem(self._level, ignoreBounds=True)
        self._beside: History | None = None
        self._mark = pg.InfiniteLine(angle=90, movable=False)
        self._mark.hide()
        self.plot.addItem(self._mark, ignoreBounds=True)
        self.plot.viewport().installEventFilter(self)
        self.plot.viewport().setMouseTracking(True)
        vbox(self, self._build_header(), (self.plot, 1), margins=(10, 6, FRAME, 4), spacing=2)

    def _build_header(self) -> QHBoxLayout:
        header = hbox(None, spacing=12)
        self._title = QLabel(self.title)
        header.addWidget(self._title, 0, Qt.AlignmentFlag.AlignTop)
        legend = QWidget()  # goes on in a second line where there is no room
        keys = QFlowLayout(legend)
        keys.setContentsMargins(0, 0, 0, 0)
        keys.setHorizontalSpacing(12)
        keys.setVerticalSpacing(1)
        header.addWidget(legend, 1)
        self._legend = keys
        self.level_key, self.beside_key = LineKey("dotted"), LineKey("dashed")
        self._add_keys()
        self._note = TextLine(name="caption")
        self._note.setContentsMargins(0, 0, 12, 0)
        header.addWidget(self._note)
        self._follow_button = QToolButton()
        self._follow_button.setText("follow")
        self._follow_button.setToolTip("Go on showing the newest values")
        self._follow_button.clicked.connect(lambda: self.follow(self.span))
        self._follow_button.hide()
        header.addWidget(self._follow_button)
        return header

    def _add_lines(self) -> None:
        self._lines = [pg.PlotCurveItem(antialias=False, skipFiniteCheck=True) for _ in self.curves]
        self._beside_lines = [pg.PlotCurveItem(antialias=False, skipFiniteCheck=True) for _ in self.curves]
        for line in (*self._lines, *self._beside_lines):
            self.plot.addItem(line)

    def _add_keys(self) -> None:
        self._keys = [Key(curve) for curve in self.curves]
        for key, line, beside in zip(self._keys, self._lines, self._beside_lines):
            key.toggled.connect(line.setVisible)
            key.toggled.connect(beside.setVisible)
            key.toggled.connect(lambda _on: self.refresh(self._now))
            self._legend.addWidget(key)
        for line_key in (self.level_key, self.beside_key):  # these stand behind all curves
            self._legend.removeWidget(line_key)
            self._legend.addWidget(line_key)

    def set_curves(self, curves: Sequence[Curve], history: History) -> None:
        """Show other curves, one or more of one unit."""
        for line, beside, key in zip(self._lines, self._beside_lines, self._keys):
            self.plot.removeItem(line)
            self.plot.removeItem(beside)
            self._legend.removeWidget(key)
            key.hide()
            key.deleteLater()
        self.curves, self.history = list(curves), history
        self._instant, self._limits, self._chosen = None, None, False
        self._add_lines()
        self._add_keys()
        self._left.set_unit(self.curves[0].unit)
        self.set_colours(colours())

    def set_colours(self, palette: Colours) -> None:
        self.plot.setBackground(palette.panel)
        shades = [palette.text if c.colour < 0 else palette.series[c.colour % len(palette.series)] for c in self.curves]
        for line, beside, key, shade in zip(self._lines, self._beside_lines, self._keys, shades):
            line.setPen(line_pen(self, shade))
            beside.setPen(line_pen(self, shade, style=Qt.PenStyle.DashLine))
            key.set_colours(shade, palette)
        self._mark.setPen(line_pen(self, palette.faint, style=Qt.PenStyle.DashLine))
        self._level.setPen(line_pen(self, palette.muted, style=Qt.PenStyle.DotLine))
        for line_key in (self.level_key, self.beside_key):
            line_key.set_colours(palette)
        for name in ("left", "bottom"):
            self.plot.getAxis(name).set_colours(palette, 90)
        self._title.setFont(scaled_font(0.95, weight=scaled_font().Weight.DemiBold))
        for label in (self._note, self._follow_button):
            label.setFont(scaled_font(0.85))

    def set_curve_name(self, index: int, name: str) -> None:
        """Rename a curve; an empty name hides it."""
        self._keys[index].set_name(name)

    def set_unit(self, unit: str) -> None:
        """Another unit of all curves."""
        self.curves = [replace(curve, unit=unit) for curve in self.curves]
        self._left.set_unit(unit)
        for key in self._keys:
            key.set_unit(unit)

    def set_level(self, value: float | None, name: str = "") -> None:
        """A thin line at a value that the curves are to be seen beside; None: no such line."""
        self.level = value
        self._level.setVisible(value is not None)
        self._level.setPos(value or 0.0)
        self.level_key.say("" if value is None else f"{name} {format_si(value, self.curves[0].unit)}")

    def set_note(self, text: str, hint: str = "") -> None:
        """A word in the corner, such as the averaging window."""
        self._note.setText(text)
        self._note.setToolTip(hint)

    # Showing

    def refresh(self, now: float) -> None:
        """Draw what the history holds. `now` is the time of the simulation [s]."""
        self._now = now
        if not self.isVisible():
            return
        if self._following:
            self.plot.setXRange(*self._followed(), padding=0)
        begin, end = self.plot.getViewBox().viewRange()[0]
        part = self._drawn(self._stretch(self.history, begin, end, max(64, int(self.plot.width()))))
        for index, line in enumerate(self._lines):
            if self._keys[index].is_on:
                x, y = _polyline(part, index, self._steps)
                line.setData(x, self._scale.forward(y), connect="finite")
        self._draw_beside(begin, end)
        self._fit_height(part, begin, end)
        self.plot.settle()
        self._read_out()

    def _drawn(self, part: Stretch) -> Stretch:
        """Where the curves of a stretch are drawn: at their values."""
        return part

    def show_beside(self, history: History | None) -> None:
        """The same curves of another run, dashed; None: of none."""
        self._beside = history
        self.beside_key.say("" if history is None else "the pinned run")
        self.refresh(self._now)

    def beside(self, index: int) -> tuple[Floats, Floats]:
        """A curve of the other run as it is drawn: times [s] and places along the axis; none where none is shown."""
        x, y = self._beside_lines[index].getData()
        return np.asarray(x), np.asarray(y)

    def _draw_beside(self, begin: float, end: float) -> None:
        """The axis is fitted to the curves of this run; those beside it follow."""
        history, most = self._beside, max(64, int(self.plot.width()))
        part = None if history is None else self._drawn(self._stretch(history, begin, end, most))
        for index, line in enumerate(self._beside_lines):
            if part is None:
                line.setData([], [])
            else:
                x, y = _polyline(part, index, self._steps)
                line.setData(x, self._scale.forward(y), connect="finite")

    def _stretch(self, history: History, begin: float, end: float, most: int) -> Stretch:
        """What there is to show of a run between two times."""
        part, less = history.stretch(begin, end, most), history.first
        if less is None or not self._compared:
            return part
        return part._replace(low=part.low - less[:, None], high=part.high - less[:, None])

    @property
    def _less(self) -> Floats | None:
        """What is taken from the values that are shown, (c,); None: nothing."""
        return self.history.first if self._compared else None

    def compare(self, on: bool) -> None:
        """Show values less those at the start, or as they are."""
        self._compared = on
        self._title.setText(f"{self.title}, less the start" if on else self.title)
        self._limits, self._chosen = None, False
        self.refresh(self._now)

    def _followed(self) -> tuple[float, float]:
        span = self.history.span
        start = span[0] if span else 0.0
        newest = max(self._now, span[1]) if span else self._now
        if self.span == WHOLE_RUN:
            return start, max(newest, start + 0.1)
        return (newest - self.span, newest) if newest > start + self.span else (start, start + self.span)

    def _fit_height(self, part: Stretch, begin: float, end: float) -> None:
        """Show all values in sight; widen at once, narrow only when much room is left, so that the axis keeps calm."""
        if self._chosen:
            return
        shown = [index for index, key in enumerate(self._keys) if key.is_on]
        seen = (part.end >= begin) & (part.begin <= end)
        values = self._scale.forward(np.stack([part.low[shown][:, seen], part.high[shown][:, seen]]))
        values = values[np.isfinite(values)]
        if self.level is not None:
            values = np.append(values, self._scale.place(self.level))
        if len(values) == 0:
            low, high = 0.0, 1.0
        else:
            low, high = float(values.min()), float(values.max())
            if self._scale.has_zero and low >= 0.0 and low < 0.75 * high:
                low = 0.0
        span = high - low
        margin = 0.06 * span if span > 1e-9 * max(abs(high), abs(low)) else max(0.5 * abs(high), 1e-12) if high else 1.0
        if not self._scale.is_linear:
            margin = max(margin, 0.15)
        low, high = (low - (0.02 * span if low == 0.0 else margin)), high + margin
        if self._limits is not None:
            old_low, old_high = self._limits
            if old_low <= low and high <= old_high and high - low > 0.55 * (old_high - old_low):
                return
        self._limits = (low, high)
        self.plot.setYRange(low, high, padding=0)

    def _read_out(self) -> None:
        time = self._now if self._cursor is None else self._cursor
        instant, less = self._instant, self._less
        values = instant[1] if instant is not None and instant[0] == time else self.history.at(time)
        if values is not None and less is not None:
            values = values - less
        for index, key in enumerate(self._keys):
            key.show_value(None if values is None else float(values[index]))

    def set_instant(self, time: float, values: Sequence[float] | None) -> None:
        """What the values are at a time [s], where the history may know those at other times only; None: forget it."""
        self._instant = None if values is None else (time, np.asarray(values, dtype=float))

    def show_cursor(self, time: float | None) -> None:
        """Mark a time and read the curves there; None reads the newest values again."""
        self._cursor = time
        self._mark.setVisible(time is not None)
        if time is not None:
            self._mark.setPos(time)
        self._read_out()

    def follow(self, span: float) -> None:
        """Keep the newest `span` seconds in sight; `WHOLE_RUN` shows everything."""
        self.span, self._following = span, True
        self._follow_button.hide()
        self._limits, self._chosen = None, False  # the height is chosen anew
        self.refresh(self._now)

    def _stop_following(self) -> None:
        self._following = False
        self._follow_button.show()
        self.refresh(self._now)

    def event(self, event: QEvent | None) -> bool:
        """On a screen of another density lines have as many more pixels."""
        if event is not None and event.type() == QEvent.Type.DevicePixelRatioChange:
            self.set_colours(colours())
        return super().event(event)

    # Mouse

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseMove:
            box = self.plot.getViewBox()
            spot = self.plot.mapToScene(event.position().toPoint())
            inside = box.sceneBoundingRect().contains(spot)
            self.hovered.emit(float(box.mapSceneToView(QPointF(spot)).x()) if inside else None)
        elif event is not None and event.type() == QEvent.Type.Leave:
            self.hovered.emit(None)
        elif isinstance(event, QWheelEvent) and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._zoom_height(event)
            return True
        elif isinstance(event, QContextMenuEvent):
            menu = self.build_menu()
            menu.exec(event.globalPos())
            menu.deleteLater()
            return True
        return super().eventFilter(watched, event)

    def _zoom_height(self, event: QWheelEvent) -> None:
        """Values nearer or further away, about the one under the pointer."""
        box = self.plot.getViewBox()
        at = float(box.mapSceneToView(QPointF(self.plot.mapToScene(event.position().toPoint()))).y())
        share = 0.8 ** (event.angleDelta().y() / 120.0)
        low, high = (at + share * (limit - at) for limit in box.viewRange()[1])
        if high - low > 1e-12 * max(abs(low), abs(high)):
            self._chosen = True
            self._follow_button.show()
            self.plot.setYRange(low, high, padding=0)

    def _click(self, event: Any) -> None:
        box = self.plot.getViewBox()
        if event.button() == Qt.MouseButton.LeftButton and box.sceneBoundingRect().contains(event.scenePos()):
            self.clicked.emit(float(box.mapSceneToView(event.scenePos()).x()))

    def build_menu(self) -> QMenu:
        """The context menu, as it is now."""
        menu = QMenu(self)
        add_spans(menu, self.span_chosen.emit, self.span if self._following else None)
        if self._windows:
            menu.addSeparator()
            for window in self._windows:
                text = f"Average over {format_si(window, 's', 1)}"
                action = menu.addAction(text, lambda window=window: self.window_chosen.emit(window))
                _tick(action, window == self.window_length)
        menu.addSeparator()
        if self._can_compare:
            _tick(
                menu.addAction("Less the values at the start", lambda: self.compare(not self._compared)), self._compared
            )
        menu.addAction("Export what is shown…", lambda: ask_and_export(self, self.title, self.export_table))
        menu.addAction("Clear", self.cleared.emit)
        return menu

    # Export

    def export(self, path: Path) -> None:
        """Write what is shown, by the suffix of the file. Raises OSError."""
        export(self, path, self.export_table)

    def export_table(self, path: Path) -> int:
        """Write the curves that are switched on, over the times in sight, as finely as they are known, by the suffix.

        Returns the number of rows. Where several values were merged, a curve has a column of the smallest and one of
        the largest. Those of the pinned run have columns of their own; a run that is not known at the time of a row has
        no numbers there. Raises OSError.
        """
        seen = [(self.history, "")]
        if self._beside is not None and len(self._beside):
            seen.append((self._beside, "pinned run, "))
        has_ends = self._steps or any(history.stride > 1 for history, _ in seen)
        parts = [self._in_sight(history) for history, _ in seen]
        times, rows = _same_times(parts)
        header = ["begin [s]", "end [s]"] if has_ends else ["time [s]"]
        columns = list(times if has_ends else times[:1])
        for (history, of), part, places in zip(seen, parts, rows, strict=True):
            for name, values in self._curves_of(part, history.stride > 1):
                column = np.full(times.shape[1], np.nan)
                column[places] = values
                header.append(of + name)
                columns.append(column)
        write_table(path, header, columns)
        return int(times.shape[1])

    def _in_sight(self, history: History) -> Stretch:
        """What is known of a run at the times in sight."""
        begin, end = self.plot.getViewBox().viewRange()[0]
        part = self._stretch(history, begin, end, len(history) + 1)
        rows = np.flatnonzero((part.end >= begin) & (part.begin <= end))
        return Stretch(part.begin[rows], part.end[rows], part.low[:, rows], part.high[:, rows], part.starts[rows])

    def _curves_of(self, part: Stretch, merged: bool) -> Iterator[tuple[str, Floats]]:
        """Names with units, and values, of the curves that are switched on."""
        for index, key in enumerate(self._keys):
            if not key.is_on:
                continue
            name = f"{key.name}{', less the start' if self._compared else ''} [{self.curves[index].unit or '1'}]"
            if merged:
                yield f"{name} min", part.low[index]
                yield f"{name} max", part.high[index]
            else:
                yield name, part.high[index]


def _same_times(parts: Sequence[Stretch]) -> tuple[Floats, list[Ints]]:
    """Begins and ends (2, k) [s] of the entries of several runs in order, and in which of these each entry is.

    What has the same times in two runs is in one place; what one run has twice is in two.
    """
    begins, ends = (np.concatenate([getattr(part, name) for part in parts]) for name in ("begin", "end"))
    nth = np.concatenate([np.arange(len(part.begin)) - np.searchsorted(part.begin, part.begin) for part in parts])
    order = np.lexsort((nth, ends, begins))
    keys = np.stack([begins, ends, nth])[:, order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = np.any(keys[:, 1:] != keys[:, :-1], axis=0)
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.cumsum(is_new) - 1
    return keys[:2, is_new], np.split(places, np.cumsum([len(part.begin) for part in parts])[:-1])


def add_spans(menu: QMenu, choose: Callable[[float], object], followed: float | None) -> None:
    """Entries for the spans of time that may be followed; the one that is has a tick."""
    for span in (*SPANS, WHOLE_RUN):
        text = "Show the whole run" if span == WHOLE_RUN else f"Follow the last {format_si(span, 's', 1)}"
        _tick(menu.addAction(text, lambda span=span: choose(span)), span == followed)


def _tick(action: Any, on: bool) -> None:
    action.setCheckable(True)
    action.setChecked(on)


def _polyline(part: Stretch, curve: int, steps: bool) -> tuple[Floats, Floats]:
    """Vertices of a curve: each entry as its smallest and largest value, or, for steps, held over its length."""
    low, high = part.low[curve], part.high[curve]
    k = len(part.begin)
    x, y = np.empty((k, 3)), np.empty((k, 3))
    merged = bool(np.any(low != high))
    if steps and not merged:
        x[:, 1], x[:, 2] = part.begin, part.end
    else:
        x[:, 1], x[:, 2] = part.begin, part.begin if merged else part.end
    x[:, 0] = part.begin
    y[:, 0] = np.nan
    y[:, 1], y[:, 2] = low, high
    kept = np.ones((k, 3), dtype=bool)
    kept[:, 0] = part.starts  # a vertex that is no number breaks the line
    if not steps and not merged:
        kept[:, 2] = False
    return x[kept], y[kept]
