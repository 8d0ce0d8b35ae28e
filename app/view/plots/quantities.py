"""Quantities that a person chose, over time: panes, one for each unit, with one cursor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from PyQt6.QtCore import QPoint, Qt, pyqtSignal
from PyQt6.QtGui import QDragEnterEvent, QDropEvent, QResizeEvent
from PyQt6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGridLayout,
    QLabel,
    QMenu,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from app.simulation.messages import Batch, Frame, Records
from app.simulation.watching import KINDS, Subject
from app.view.layouts import TextLine, hbox
from app.view.plots.chart import Chart
from app.view.plots.choices import MIME, Choice, dropped
from app.view.plots.history import History
from app.view.plots.legend import Curve
from app.view.plots.panel import Panel
from app.view.plots.plot import END, FRAME
from app.view.theme import scaled_font
from engine.scene.schema import Scene

MOST = 24  # curves
_PANE = 90  # height that a pane has at least [px]
_TWO_COLUMNS = 900  # width from which on panes stand side by side [px]
_HINT = "Drag a body from the scene tree or a row of the inspector here, or right-click it: Plot a quantity"


class Pane(NamedTuple):
    """The curves of one unit."""

    unit: str
    choices: tuple[Choice, ...]
    history: History
    pinned: History  # the same of the run that is pinned

    def take(self, history: History, scene: Scene, watched: Records) -> None:
        """Add to one of the histories what was read of its choices in a scene."""
        times = np.unique(watched["time"])
        values = np.full((len(self.choices), len(times)), np.nan)
        for row, choice in zip(values, self.choices, strict=True):
            mine = rows_of(choice, scene, watched)
            if len(mine) and choice.unit(scene) != self.unit:
                continue  # a joint of the same name and another kind
            row[np.searchsorted(times, mine["time"])] = mine["values"][:, choice.column]
        history.append(times, times, values)


class QuantityChart(Chart):
    """A pane, whose menu takes curves away again."""

    def __init__(self, remove: Callable[[Choice], None]) -> None:
        self._choices: tuple[Choice, ...] = ()
        self._remove = remove
        super().__init__("", [Curve("", "", 0)], History(1, 4))
        self.setMinimumHeight(_PANE)
        self._title.hide()
        self.plot.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        for widget in (self.plot, self.plot.viewport()):
            widget.setAcceptDrops(False)  # drops are the panel's

    def show_pane(self, pane: Pane, colours_of: Sequence[int]) -> None:
        """Have its curves, in these colours."""
        self._choices = pane.choices
        curves = [
            Curve(choice.text, pane.unit, colour, "Known from when it was chosen on")
            for choice, colour in zip(pane.choices, colours_of, strict=True)
        ]
        self.title = pane.choices[0].quantity if len(pane.choices) == 1 else pane.unit
        self.set_curves(curves, pane.history)

    def show_times(self, on: bool) -> None:
        """Under the last pane only: they are the same for all."""
        self.plot.getAxis("bottom").setStyle(showValues=on)
        self.plot.area.margins(0, 4, END - FRAME, 0 if on else 7)

    def build_menu(self) -> QMenu:
        menu = super().build_menu()
        menu.addSeparator()
        for choice in self._choices:
            menu.addAction(f"Remove {choice.text}", lambda choice=choice: self._remove(choice))
        return menu


class QuantityPanel(Panel):
    """`watch_wanted`: subjects that are to be read; `pinned_wanted`: those of the pinned run's scene. `chosen`: the
    choices are others. `menu_wanted`: one wants to choose, here. `dropped_names`: of bodies or a joint, with their
    kind, and where they were dropped."""

    watch_wanted = pyqtSignal(object)
    pinned_wanted = pyqtSignal(object)
    chosen = pyqtSignal()
    menu_wanted = pyqtSignal(QPoint)
    dropped_names = pyqtSignal(str, object, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__([], parent)
        self.setAcceptDrops(True)
        self.choices: list[Choice] = []
        self.panes: list[Pane] = []
        self._made: list[QuantityChart] = []
        self._scene = Scene(format=1)
        self._pinned: Scene | None = None
        self._colours: dict[Choice, int] = {}
        self._span = 5.0
        self._columns = 1
        self._build()

    def _build(self) -> None:
        title = QLabel("Quantities")
        title.setFont(scaled_font(0.95, weight=scaled_font().Weight.DemiBold))
        self._hint = TextLine(_HINT, name="caption")
        self._add, self._clear = QToolButton(), QToolButton()
        self._add.setText("Plot…")
        self._clear.setText("Remove all")
        self._clear.setToolTip("Have no curves")
        self._add.setToolTip("Choose a quantity of what is selected")
        self._add.clicked.connect(lambda: self.menu_wanted.emit(self._add.mapToGlobal(self._add.rect().bottomLeft())))
        self._clear.clicked.connect(lambda: self.set_choices([]))
        for button in (self._add, self._clear):
            button.setFont(scaled_font(0.85))
        head = hbox(None, title, (self._hint, 1), self._add, self._clear, margins=(10, 3, 14, 0), spacing=10)
        inside = QWidget()
        self._grid = QGridLayout(inside)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(0)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidget(inside)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for widget in (inside, self._scroll.viewport()):
            if widget is not None:
                widget.setAutoFillBackground(False)
        self._box.setDirection(QBoxLayout.Direction.TopToBottom)
        self._box.addLayout(head)
        self._box.addWidget(self._scroll, 1)
        self._clear.hide()

    # --- choosing -------------------------------------------------------------------------------------------------

    def set_scene(self, scene: Scene) -> None:
        """Another scene, or an edit of it: what is not there any more has no curve."""
        self._scene = scene
        kept = [choice for choice in self.choices if choice.subject(scene) is not None]
        if kept != self.choices:
            self.choices = kept
            self._arrange()
        self._watch()

    def add(self, choice: Choice) -> None:
        """One more curve, in the pane of its unit."""
        if choice not in self.choices and len(self.choices) < MOST and choice.subject(self._scene) is not None:
            self.set_choices([*self.choices, choice])

    def remove(self, choice: Choice) -> None:
        self.set_choices([other for other in self.choices if other != choice])

    def set_choices(self, choices: Sequence[Choice]) -> None:
        """Exactly these curves, as far as the scene has them."""
        self.choices = [choice for choice in choices if choice.subject(self._scene) is not None][:MOST]
        self._arrange()
        self._watch()
        self.chosen.emit()

    def _watch(self) -> None:
        self.watch_wanted.emit(self._subjects_in(self._scene))
        if self._pinned is not None:
            self.pinned_wanted.emit(self._subjects_in(self._pinned))

    def _subjects_in(self, scene: Scene) -> tuple[Subject, ...]:
        subjects = (choice.subject(scene) for choice in self.choices)
        return tuple(dict.fromkeys(subject for subject in subjects if subject is not None))

    def set_pinned(self, scene: Scene | None) -> None:
        self._pinned = scene
        for pane in self.panes:
            pane.pinned.clear()
        self._show_pinned()
        self._watch()

    def _show_pinned(self) -> None:
        for chart, pane in zip(self.charts, self.panes, strict=True):
            chart.show_beside(None if self._pinned is None else pane.pinned)

    def feed_pinned(self, batch: Batch) -> None:
        for pane in self.panes if self._pinned is not None and len(batch.watched) else ():
            assert self._pinned is not None
            pane.take(pane.pinned, self._pinned, batch.watched)

    def _arrange(self) -> None:
        """A pane for each unit, with what is known of its curves."""
        old = {pane.unit: pane for pane in self.panes}
        units: dict[str, list[Choice]] = {}
        for choice in self.choices:
            units.setdefault(choice.unit(self._scene), []).append(choice)
        self.panes = []
        for unit, choices in units.items():
            before = old.get(unit)
            places = [before.choices.index(one) if before and one in before.choices else -1 for one in choices]
            known = () if before is None else (before.history, before.pinned)
            histories = [history.rearranged(places) for history in known] or [
                History(len(choices), 1 << 15) for _ in range(2)
            ]
            self.panes.append(Pane(unit, tuple(choices), *histories))
        self._colours = {choice: colour for choice, colour in self._colours.items() if choice in self.choices}
        for choice in self.choices:
            free = next(n for n in range(MOST + 1) if n not in self._colours.values())
            self._colours.setdefault(choice, free)
        self._show_panes()
        self._hint.setText("" if self.charts else _HINT)
        self._clear.setVisible(bool(self.charts))
        self.redraw()

    def _show_panes(self) -> None:
        """Charts stay for later panes: it may be the menu of one of them that is listened to."""
        while len(self._made) < len(self.panes):
            chart = QuantityChart(self.remove)
            chart.span = self._span
            self.adopt(chart)
            self._made.append(chart)
        for chart, pane in zip(self._made, self.panes):
            chart.show_pane(pane, [self._colours[choice] for choice in pane.choices])
            chart.show_cursor(self._cursor)
        self.charts = list(self._made[: len(self.panes)])
        self._show_pinned()
        self._place_panes()

    @property
    def _columns_wanted(self) -> int:
        return 2 if len(self.charts) > 2 and self.width() >= _TWO_COLUMNS else 1

    def _place_panes(self) -> None:
        """One above the other, in two columns where they are many and there is room; times under the last of each."""
        columns = self._columns_wanted
        self._columns = columns
        rows = -(-len(self.charts) // columns)
        for place, chart in enumerate(self._made):
            self._grid.addWidget(chart, place % max(rows, 1), place // max(rows, 1))
            chart.setVisible(place < len(self.charts))
            chart.show_times(place in (rows - 1, len(self.charts) - 1))
        for column in range(2):
            self._grid.setColumnStretch(column, int(column < columns))

    # --- in -------------------------------------------------------------------------------------------------------

    def feed(self, batch: Batch) -> None:
        if not len(batch.watched):
            return
        for pane in self.panes:
            pane.take(pane.history, self._scene, batch.watched)

    def show_instant(self, frame: Frame) -> None:
        for chart, pane in zip(self.charts, self.panes):
            values = [
                rows_of(choice, self._scene, frame.watched)["values"][:, choice.column] for choice in pane.choices
            ]
            chart.set_instant(frame.time, [row[0] if len(row) else np.nan for row in values])

    def start_run(self) -> None:
        for pane in self.panes:
            pane.history.clear()

    def cut(self, time: float) -> None:
        for pane in self.panes:
            pane.history.cut(time)

    def follow(self, span: float) -> None:
        self._span = span
        super().follow(span)

    # --- mouse ----------------------------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:
        data = None if event is None else event.mimeData()
        if event is not None and data is not None and data.hasFormat(MIME):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent | None) -> None:
        """Quantities have curves at once; of a body one chooses."""
        if event is None:
            return
        event.acceptProposedAction()
        choices, names, kind = dropped(event.mimeData())
        for choice in choices:
            self.add(choice)
        if not choices:
            self.dropped_names.emit(kind, names, self.mapToGlobal(event.position().toPoint()))

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """The panel is one for all panes: what `Panel` does for charts side by side is not for these."""
        QWidget.resizeEvent(self, event)
        if self._columns != self._columns_wanted:
            self._place_panes()


def rows_of(choice: Choice, scene: Scene, watched: Records) -> Records:
    """What was read of a choice in a scene."""
    subject = choice.subject(scene)
    return watched[:0] if subject is None else watched[_is_of(watched, subject)]


def _is_of(rows: Records, subject: Subject) -> np.ndarray:
    is_of: np.ndarray = (
        (rows["kind"] == KINDS.index(subject.kind)) & (rows["a"] == subject.a) & (rows["b"] == subject.b)
    )
    return is_of
