"""The solver microscope: the contact problem of the paused scene, solved by several methods, looked at step by step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PyQt6.QtCore import QEvent, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QFont, QHideEvent, QKeyEvent, QShowEvent
from PyQt6.QtWidgets import QComboBox, QLabel, QSplitter, QStackedWidget, QWidget

from app.simulation.messages import Frame
from app.simulation.solving import Run, Solving, same_problem
from app.view.layouts import TextLine, caption, hbox, vbox
from app.view.microscope.bars import HINT, Bars
from app.view.microscope.marks import marks_of
from app.view.microscope.method_table import MethodTable, method_rows
from app.view.microscope.residuals import ResidualChart
from app.view.microscope.stepper import Stepper
from app.view.microscope.words import (
    contact_name,
    part_name,
    say_agreement,
    say_contact,
    say_nothing,
    say_problem,
    say_step,
)
from app.view.theme import Colours, scaled_font, theme
from engine.analysis.contact_problem import ContactProblem
from engine.analysis.independent_parts import split_problem

REFRESH = 100  # [ms]
MOST_PARTS = 100  # that are offered, those with most contacts
_KEYS = {
    Qt.Key.Key_Left: "previous",
    Qt.Key.Key_Right: "next",
    Qt.Key.Key_Home: "first",
    Qt.Key.Key_End: "last",
}


class SolverMicroscope(QWidget):
    """Keeps the last problem while the scene runs on, and says of what time it is."""

    wanted = pyqtSignal(bool)  # whether the panel can be seen and needs problems
    marks_changed = pyqtSignal(object)  # Marks for the viewport, or None
    contact_clicked = pyqtSignal(int, int)  # rows of the bodies of a contact that was clicked

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._methods = method_rows()
        self.solving = Solving(self)
        self._names: tuple[str, ...] = ()
        self._frame: Frame | None = None
        self._state = "empty"
        self._shown: Frame | None = None
        self._whole: ContactProblem | None = None  # the scene's
        self._parts: list[ContactProblem] = []
        self.problem: ContactProblem | None = None  # the whole, or one of its parts
        self._time = 0.0  # of the problem [s]
        self.runs: dict[str, Run] = {}
        self._faults: dict[str, str] = {}  # methods that failed, and how
        self.method = self._methods[0].name
        self._ticket = 0
        self._waiting: frozenset[str] = frozenset()
        self.contact: int | None = None  # that was clicked
        self._hovered: int | None = None
        self._build()
        self._connect()
        self._set_colours(theme().colours)
        self.table.choose(self.method)

    # --- building -------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.table = MethodTable(self._methods)
        self.stepper = Stepper()
        self.bars = Bars()
        self.residuals = ResidualChart({row.name: row.look for row in self._methods})
        self.caption, self.step_text, self.contact_text, self._hint = (TextLine(name="caption") for _ in range(4))
        self._title, self._residual_title = QLabel(), QLabel("Residual")
        self._hint.setText("over iterations; click to go there")
        for label in (self.step_text, self.contact_text):
            label.setToolTip(HINT)
        self.agreement = caption(wrapped=True)
        self.columns = QSplitter(Qt.Orientation.Horizontal)
        self.columns.setHandleWidth(3)
        self.columns.setChildrenCollapsible(False)
        self.stale = QLabel("The scene has moved on: pause it (Space) to look at it as it is")
        self.stale.setWordWrap(True)
        self.stale.hide()
        self.part_box = QComboBox()
        self.part_box.setToolTip("Islands: bodies coupled through contacts are a problem of their own")
        self.part_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.columns.addWidget(_column(self.caption, self.stale, self.part_box, self.table, self.agreement))
        head = _line(self._title, self.stepper, wide=self.stepper)
        self.columns.addWidget(_column(head, self.step_text, self.bars, self.contact_text))
        self.columns.addWidget(_column(_line(self._residual_title, self._hint, wide=self._hint), self.residuals))
        self.columns.setSizes([430, 560, 420])
        for place, stretch in enumerate((2, 4, 3)):
            self.columns.setStretchFactor(place, stretch)
        self.empty = caption(wrapped=True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.empty)
        self.pages.addWidget(self.columns)
        vbox(self, self.pages)
        self._timer = QTimer(self)
        self._timer.setInterval(REFRESH)

    def _connect(self) -> None:
        self._timer.timeout.connect(self.refresh)
        self.part_box.activated.connect(self.choose_part)
        self.table.chosen.connect(self.choose_method)
        self.table.methods.ticked.connect(self._on_tick)
        self.stepper.changed.connect(lambda _step: self._show_step())
        self.bars.hovered.connect(self._on_hover)
        self.bars.clicked.connect(self.choose_contact)
        self.residuals.step_wanted.connect(self._go_to_iteration)
        self.solving.solved.connect(self._on_solved)
        self.solving.failed.connect(self._on_failed)
        theme().changed.connect(self._set_colours)

    def _set_colours(self, palette: Colours) -> None:
        for label in (self.caption, self.agreement, self.step_text, self.contact_text, self._hint):
            label.setFont(scaled_font(0.88, figures=True))
        for label in (self._title, self._residual_title):
            label.setFont(scaled_font(0.95, QFont.Weight.DemiBold))
        self.stale.setFont(scaled_font(0.88))
        self.stale.setStyleSheet(f"color: {palette.warning};")
        self.empty.setFont(scaled_font(1.05))
        self.bars.set_colours(palette)
        self.residuals.set_colours(palette)
        self._describe()

    # --- in -------------------------------------------------------------------------------------------------------

    def set_names(self, names: Sequence[str]) -> None:
        """Another scene: names of its bodies, by row. What was shown belongs to the old one."""
        self._names = tuple(names)
        self._frame = self._shown = None
        self._set_whole(None)

    def set_frame(self, frame: Frame | None, state: str) -> None:
        """Take note of the newest frame and of what the simulation is about; it shows at the next refresh."""
        changed, self._frame, self._state = state != self._state, frame, state
        if changed:
            self._mark()

    def refresh(self) -> None:
        """Show what is new, if the panel can be seen."""
        if not self.isVisible():
            return
        frame = self._frame
        if frame is not None and frame is not self._shown and frame.problem is not None:
            self._shown = frame
            self._time = frame.time
            if not same_problem(frame.problem, self._whole):
                self._set_whole(frame.problem if len(frame.problem.pair) else None)
        self._describe()

    def _set_whole(self, whole: ContactProblem | None) -> None:
        """Another scene or instant: its problem and the parts of it. The same bodies' part stays chosen."""
        self._whole = whole
        self._parts = [] if whole is None else split_problem(whole)[:MOST_PARTS]
        chosen, place = self.problem if self.part_box.currentIndex() > 0 else None, 0
        if chosen is not None:
            same = (k for k, part in enumerate(self._parts, 1) if np.array_equal(part.bodies, chosen.bodies))
            place = next(same, 0)
        self.part_box.clear()
        self.part_box.addItems(["Whole scene", *(part_name(part, self._names) for part in self._parts)])
        self.part_box.setVisible(len(self._parts) > 1)
        self.choose_part(place)

    def choose_part(self, place: int) -> None:
        """Look at the whole scene's problem (0) or at one of its parts, most contacts first (1 ...)."""
        self.part_box.setCurrentIndex(place)
        self._set_problem(self._parts[place - 1] if place > 0 else self._whole)

    def _set_problem(self, problem: ContactProblem | None) -> None:
        """Another problem: methods begin anew; a contact between the same bodies stays chosen."""
        old, self.problem = self.problem, problem
        self.runs, self._faults, self._waiting = {}, {}, frozenset()
        if problem is None or old is None or not np.array_equal(old.rows, problem.rows):
            self.contact = self._hovered = None
            self.bars.set_problem(0 if problem is None else len(problem.pair))
            self.stepper.set_steps(0, 0)
            self._show_runs()
        self.pages.setCurrentWidget(self.empty if problem is None else self.columns)
        self._solve()
        self._mark()

    # --- solving --------------------------------------------------------------------------------------------------

    def _solve(self) -> None:
        """Ask for the methods that are ticked and have not run, the one that is looked at first."""
        on = self.table.methods.on
        missing = [row.name for row in self._methods if row.name in on and row.name not in self.runs | self._faults]
        missing.sort(key=lambda name: name != self.method)
        self._waiting = frozenset(missing if self.problem is not None else ())
        if self.problem is not None and missing:
            self._ticket = self.solving.solve(self.problem, missing)
        self._show_table()

    def _on_solved(self, ticket: int, run: Run) -> None:
        if ticket != self._ticket or self.problem is None:
            return
        self.runs[run.method] = run
        self._waiting -= {run.method}
        self._show_runs()
        if run.method == self.method:
            self._show_run()

    def _on_failed(self, ticket: int, method: str, text: str) -> None:
        if ticket == self._ticket:
            self._faults[method] = text
            self._waiting -= {method}
            self._show_table()

    def _on_tick(self, name: str, on: bool) -> None:
        """The method that is looked at is always one that is ticked."""
        if on:
            self._solve()
        elif name == self.method:
            others = [row.name for row in self._methods if row.name in self.table.methods.on]
            if others:
                self.table.choose(others[0])
            else:
                self.table.methods.tick(name, True)
        self._show_runs()

    def choose_method(self, name: str) -> None:
        """Look at another method, at about the same place of its way."""
        if name == self.method:
            return
        run, number = self.run, None
        if run is not None and not self.stepper.at_end:
            number = int(run.number[self._step])
        self.method = name
        self.table.methods.tick(name, True)
        self.table.choose(name)
        self._show_runs()
        self._show_run(number)

    # --- showing --------------------------------------------------------------------------------------------------

    @property
    def run(self) -> Run | None:
        """Of the method that is looked at, once it is there."""
        return self.runs.get(self.method)

    def _show_table(self) -> None:
        self.table.methods.set_runs(self.runs, self._waiting, self._faults)

    def _show_runs(self) -> None:
        shown = {name: run for name, run in self.runs.items() if name in self.table.methods.on}
        self._show_table()
        self.residuals.show_runs(shown, self.method)
        self.residuals.show_step(self._step)
        self.agreement.setText(say_agreement(shown.values()))

    def _show_run(self, number: int | None = None) -> None:
        """Show the chosen method's run, at its end or after so many iterations."""
        run = self.run
        if run is None:
            self.stepper.set_steps(0, 0)
            self.bars.clear()
        else:
            last = len(run.number) - 1
            step = last if number is None else min(int(np.searchsorted(run.number, number)), last)
            self.bars.set_run(run.x, run.w, run.scales)
            self.stepper.set_steps(len(run.number), step)
        self._show_step()

    @property
    def _step(self) -> int:
        run = self.run
        return 0 if run is None else min(self.stepper.step, len(run.number) - 1)

    def _show_step(self) -> None:
        run, step = self.run, self._step
        if run is not None:
            driven = int(run.driven[step])
            self.bars.show_step(run.x[step], run.w[step], driven if 0 <= driven < run.x.shape[1] else None)
            self.residuals.show_step(step)
        self._describe()
        self._mark()

    def _go_to_iteration(self, iteration: float) -> None:
        if self.run is not None:
            away = np.abs(self.run.number - iteration)
            self.stepper.go_to(int(np.flatnonzero(away == away.min())[-1]))

    def _describe(self) -> None:
        problem, run = self.problem, self.run
        self._title.setText(next(row.title for row in self._methods if row.name == self.method))
        if problem is None:
            self.empty.setText(say_nothing(self._state, self._time if self._shown is not None else None))
            return
        self.caption.setText(say_problem(problem, self._time))
        self.stale.setVisible(self._state == "running")
        self.step_text.setText("" if run is None else say_step(run, self._step))
        read = self._hovered if self._hovered is not None else self.contact
        if read is None or read >= len(problem.pair):
            self.contact_text.setText("Point at a bar to read it; click to keep it and to see it in the scene")
        else:
            said = "" if run is None else "   " + say_contact(run, self._step, read)
            self.contact_text.setText(contact_name(problem, read, self._names) + said)

    def close_solving(self) -> None:
        """Nothing more will be asked for."""
        self._timer.stop()
        self.solving.close()

    # --- contacts -------------------------------------------------------------------------------------------------

    def choose_contact(self, contact: int | None) -> None:
        """Keep a contact in sight, here and in the scene; the same once more lets it go."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.contact = None if contact == self.contact else contact
        self.bars.show_chosen(self.contact)
        if self.contact is not None and self.problem is not None:
            a, b = self.problem.rows[self.contact]
            self.contact_clicked.emit(int(a), int(b))
        self._describe()
        self._mark()

    def _on_hover(self, contact: int | None) -> None:
        self._hovered = contact
        self._describe()
        self._mark()

    def _mark(self) -> None:
        if self.problem is None or self._state == "running" or not self.isVisible():
            self.marks_changed.emit(None)  # bodies leave the forces behind
            return
        read = self._hovered if self._hovered is not None else self.contact
        self.marks_changed.emit(marks_of(self.problem, self.run, self._step, read))

    # --- keys; seen or not ----------------------------------------------------------------------------------------

    def event(self, event: QEvent | None) -> bool:
        """Keys that step frames elsewhere step iterations here, while the panel has the focus."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and _word(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        if event is not None and (word := _word(event)):
            self.stepper.go(word)
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent | None) -> None:
        super().showEvent(event)
        self._timer.start()
        self.wanted.emit(True)
        self.refresh()
        self._mark()

    def hideEvent(self, event: QHideEvent | None) -> None:
        super().hideEvent(event)
        self._timer.stop()
        self.wanted.emit(False)
        self.marks_changed.emit(None)


def _word(event: QKeyEvent) -> str:
    """What a key means to the stepper; "" if nothing."""
    plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
    return next((word for key, word in _KEYS.items() if plain and event.key() == key), "")


def _line(*widgets: QWidget, wide: QWidget) -> QWidget:
    """Widgets side by side; one takes the room that is left."""
    holder = QWidget()
    hbox(holder, *((widget, int(widget is wide)) for widget in widgets), spacing=10)
    return holder


def _column(*widgets: QWidget) -> QWidget:
    """Widgets one above the other; tables and charts take the room that is left."""
    holder = QWidget()
    wide = (MethodTable, Bars, ResidualChart)
    vbox(holder, *((widget, int(isinstance(widget, wide))) for widget in widgets), margins=(10, 6, 6, 5), spacing=4)
    return holder
