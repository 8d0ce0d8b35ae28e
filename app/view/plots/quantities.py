"""Quantities that a person chose, over time: panes one above the other, one for each unit, with one cursor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from PyQt6.QtCore import QPoint, Qt, pyqtSignal
from PyQt6.QtGui import QDragEnterEvent, QDropEvent, QResizeEvent
from PyQt6.QtWidgets import QBoxLayout, QFrame, QLabel, QMenu, QPushButton, QScrollArea, QWidget

from app.simulation.messages import Batch
from app.simulation.watching import KINDS, Subject
from app.view.layouts import TextLine, hbox, vbox
from app.view.plots.chart import Chart
from app.view.plots.choices import MIME, Choice, dropped
from app.view.plots.history import History
from app.view.plots.legend import Curve
from app.view.plots.panel import Panel
from app.view.theme import scaled_font
from engine.scene.schema import Scene

MOST = 24  # curves
_PANE = 118  # height that a pane has at least [px]
_HINT = "Drag a body from the scene tree or a row of the inspector here, or right-click it: Plot a quantity"


class Pane(NamedTuple):
    """The curves of one unit."""

    unit: str
    choices: tuple[Choice, ...]
    history: History


class QuantityChart(Chart):
    """A pane, whose menu takes curves away again."""

    def __init__(self, pane: Pane, colours_of: Sequence[int], remove: Callable[[Choice], None]) -> None:
        self._pane, self._remove = pane, remove
        curves = [
            Curve(choice.text, pane.unit, colour, "From when it was chosen on; a right click removes it")
            for choice, colour in zip(pane.choices, colours_of, strict=True)
        ]
        super().__init__(f"[{pane.unit}]", curves, pane.history)
        self.setMinimumHeight(_PANE)
        self.plot.setAcceptDrops(False)  # they are the panel's

    def build_menu(self) -> QMenu:
        menu = super().build_menu()
        menu.addSeparator()
        for choice in self._pane.choices:
            menu.addAction(f"Remove {choice.text}", lambda choice=choice: self._remove(choice))
        return menu


class QuantityPanel(Panel):
    """`watch_wanted`: subjects that are to be read; `chosen`: the choices are others; `menu_wanted`: where one may
    choose of the selection; `dropped_bodies`: their names, and where they were dropped."""

    watch_wanted = pyqtSignal(object)
    chosen = pyqtSignal()
    menu_wanted = pyqtSignal(QPoint)
    dropped_names = pyqtSignal(str, object, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__([], parent)
        self.setAcceptDrops(True)
        self.choices: list[Choice] = []
        self.panes: list[Pane] = []
        self._scene = Scene(format=1)
        self._colours: dict[Choice, int] = {}
        self._span = 5.0
        self._build()

    def _build(self) -> None:
        title = QLabel("Quantities")
        title.setFont(scaled_font(0.95, weight=scaled_font().Weight.DemiBold))
        self._hint = TextLine(_HINT, name="caption")
        self._add, self._clear = QPushButton("Plot…"), QPushButton("Remove all")
        self._add.setToolTip("Choose a quantity of what is selected")
        self._add.clicked.connect(lambda: self.menu_wanted.emit(self._add.mapToGlobal(self._add.rect().bottomLeft())))
        self._clear.clicked.connect(lambda: self.set_choices([]))
        for button in (self._add, self._clear):
            button.setFont(scaled_font(0.85))
        head = hbox(None, title, (self._hint, 1), self._add, self._clear, margins=(10, 3, 14, 0), spacing=10)
        inside = QWidget()
        self._stack = vbox(inside, spacing=0)
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
        subjects = (choice.subject(self._scene) for choice in self.choices)
        self.watch_wanted.emit(tuple(dict.fromkeys(subject for subject in subjects if subject is not None)))

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
            history = History(len(choices), 1 << 15) if before is None else before.history.rearranged(places)
            self.panes.append(Pane(unit, tuple(choices), history))
        self._colours = {choice: colour for choice, colour in self._colours.items() if choice in self.choices}
        for choice in self.choices:
            free = next(n for n in range(MOST + 1) if n not in self._colours.values())
            self._colours.setdefault(choice, free)
        for chart in self.charts:
            self._stack.removeWidget(chart)
            chart.hide()
            chart.deleteLater()  # it may be its own menu that is listened to
        self.charts = [self._chart(pane) for pane in self.panes]
        self._hint.setText("" if self.charts else _HINT)
        self._clear.setVisible(bool(self.charts))
        self.redraw()

    def _chart(self, pane: Pane) -> Chart:
        chart = QuantityChart(pane, [self._colours[choice] for choice in pane.choices], self.remove)
        self.adopt(chart)
        self._stack.addWidget(chart, 1)
        chart.span = self._span
        return chart

    # --- in -------------------------------------------------------------------------------------------------------

    def feed(self, batch: Batch) -> None:
        if not len(batch.watched):
            return
        for pane in self.panes:
            times = np.unique(batch.watched["time"])
            values = np.full((len(pane.choices), len(times)), np.nan)
            for row, choice in zip(values, pane.choices, strict=True):
                subject = choice.subject(self._scene)
                if subject is not None:
                    mine = batch.watched[_is_of(batch, subject)]
                    row[np.searchsorted(times, mine["time"])] = mine["values"][:, choice.column]
            pane.history.append(times, times, values)

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
        """Panes stay one above the other: they share their axis."""
        QWidget.resizeEvent(self, event)


def _is_of(batch: Batch, subject: Subject) -> np.ndarray:
    rows = batch.watched
    is_of: np.ndarray = (
        (rows["kind"] == KINDS.index(subject.kind)) & (rows["a"] == subject.a) & (rows["b"] == subject.b)
    )
    return is_of
