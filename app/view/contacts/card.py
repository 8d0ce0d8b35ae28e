"""The contact card: the contacts of the selected body, live, and the forces of the paused instant by every solver."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from PyQt6.QtCore import QModelIndex, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QFont, QHideEvent, QShowEvent
from PyQt6.QtWidgets import QCheckBox, QComboBox, QWidget

from app.simulation.messages import Frame
from app.simulation.solving import Run, Solving, same_problem
from app.view.contacts.rows import ContactRows, Found, contact_rows, found_forces, problem_of, run_arrows
from app.view.contacts.table import ContactTable
from app.view.contacts.words import MOST_SOLVED, say_forces, say_heading, say_sum
from app.view.layouts import TextLine, hbox, vbox
from app.view.microscope.method_table import method_rows
from app.view.theme import scaled_font, theme
from engine.analysis.contact_problem import ContactProblem
from engine.arrays import Floats

REFRESH = 100  # [ms]


@dataclass(frozen=True)
class CardArrows:
    """What the card shows in the scene. Both kinds of arrows have one scale."""

    points: Floats  # (k, 3) of the step's forces [m]
    forces: Floats  # (k, 3) [N]
    found_points: Floats  # (j, 3) of a solver's
    found_forces: Floats  # (j, 3)
    colour: int  # the solver's, among the theme's series
    chosen: Floats  # (0 or 1, 3) the contact whose row is chosen
    largest: float  # force [N], above zero


class ContactCard(QWidget):
    """Fed with every frame; shows ten times a second what it can be seen to show."""

    wanted = pyqtSignal(bool)  # whether the card can be seen and needs problems
    arrows_changed = pyqtSignal(object)  # CardArrows, or None
    body_chosen = pyqtSignal(int)  # row of a body

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.solving = Solving(self)
        self._methods = method_rows()
        self._names: tuple[str, ...] = ()
        self._jointed: frozenset[int] = frozenset()
        self._selected: tuple[int, ...] = ()
        self._frame: Frame | None = None
        self._shown: tuple[Frame | None, tuple[int, ...]] = (None, ())
        self._whole: ContactProblem | None = None
        self.problem: ContactProblem | None = None  # that is solved: of the selected bodies and those they lean on
        self.rows: ContactRows | None = None
        self.runs: dict[str, Run] = {}
        self._ticket = 0
        self._waiting: frozenset[str] = frozenset()
        self._build()
        self._connect()
        self._set_fonts()

    def _build(self) -> None:
        self.heading, self.caption, self.said = TextLine(), TextLine(name="caption"), TextLine(name="caption")
        self.solve_box = QCheckBox("Compare solvers")
        self.solve_box.setToolTip(
            "Acceleration-level contact forces (Baraff's 8-7) of the paused instant, by every solver that Carom has"
        )
        self.method_box = QComboBox()
        self.method_box.setToolTip("Solver whose forces are drawn in the scene, beside those of the step")
        for row in self._methods:
            self.method_box.addItem(row.title)
        parts = (self.heading, (self.caption, 1), self.solve_box, self.method_box)
        head = hbox(None, *parts, margins=(10, 5, 10, 3), spacing=14)
        self.table = ContactTable()
        self.said.setContentsMargins(10, 3, 10, 5)
        self.said.setSizePolicy(self.said.sizePolicy().horizontalPolicy(), self.caption.sizePolicy().verticalPolicy())
        vbox(self, head, (self.table, 1), self.said, spacing=0)
        self._timer = QTimer(self)
        self._timer.setInterval(REFRESH)

    def _connect(self) -> None:
        self._timer.timeout.connect(self.refresh)
        self.solve_box.toggled.connect(self._set_solving)
        self.method_box.activated.connect(lambda _place: self._mark())
        self.solving.solved.connect(self._on_solved)
        self.solving.failed.connect(self._on_failed)
        self.table.doubleClicked.connect(self._on_double_click)
        selection = self.table.selectionModel()
        if selection is not None:
            selection.selectionChanged.connect(lambda _new, _old: self._mark())
        theme().changed.connect(self._set_fonts)
        self._set_solving(False)

    def _set_fonts(self, _palette: object = None) -> None:
        self.heading.setFont(scaled_font(0.95, QFont.Weight.DemiBold))
        for label in (self.caption, self.said):
            label.setFont(scaled_font(0.88, figures=True))
        self._mark()

    # --- in -------------------------------------------------------------------------------------------------------

    def set_names(self, names: Sequence[str]) -> None:
        """Another scene: names of its bodies, by row."""
        self._names = tuple(names)
        self._frame = self.rows = self._whole = None
        self._shown = (None, ())
        self._set_problem(None)
        self.table.contacts.set_names(names)
        self._mark()

    def set_jointed(self, rows: Iterable[int]) -> None:
        """The bodies that joints tie: what joints do to them is not among the forces of a frame."""
        self._jointed = frozenset(rows)

    def set_selection(self, rows: Sequence[int]) -> None:
        """The bodies whose contacts are listed; none: all contacts are."""
        self._selected = tuple(rows)
        self.refresh()

    def set_frame(self, frame: Frame | None) -> None:
        """Take note of the newest frame; it shows at the next refresh, or at once where the scene begins to run or to
        stand: the forces of a paused instant are those of no other."""
        before, self._frame = self._frame, frame
        if frame is None or before is None or frame.running != before.running:
            self.refresh()

    def refresh(self) -> None:
        """Show what is new, if the card can be seen."""
        frame = self._frame
        if not self.isVisible() or frame is None or frame.contacts is None:
            return
        if (frame, self._selected) == self._shown or max(self._selected, default=-1) >= len(self._names):
            return
        self._shown = (frame, self._selected)
        self.rows = contact_rows(frame, self._selected)
        problem = None if frame.problem is None else problem_of(frame.problem, self._selected)
        self._whole = frame.problem
        if problem is None or self.problem is None or not same_problem(problem, self.problem):
            self._set_problem(problem)
        self._show()

    # --- solving --------------------------------------------------------------------------------------------------

    def _set_solving(self, on: bool) -> None:
        self.table.contacts.set_methods(self._methods if on else ())
        self.method_box.setVisible(on)
        self.said.setVisible(on)
        self._solve()
        self._show()

    def _set_problem(self, problem: ContactProblem | None) -> None:
        self.problem, self.runs, self._waiting = problem, {}, frozenset()
        self._solve()

    def _solve(self) -> None:
        """Ask for what is missing, if somebody wants it."""
        problem = self.problem
        if not self.solve_box.isChecked() or problem is None or not 0 < len(problem.pair) <= MOST_SOLVED:
            return
        missing = [row.name for row in self._methods if row.name not in self.runs]
        if missing and not self._waiting:
            self._waiting = frozenset(missing)
            self._ticket = self.solving.solve(problem, missing)

    def _on_solved(self, ticket: int, run: Run) -> None:
        if ticket == self._ticket and run.method in self._waiting:
            self.runs[run.method] = run
            self._waiting -= {run.method}
            self._show()

    def _on_failed(self, ticket: int, method: str, _text: str) -> None:
        if ticket == self._ticket:
            self._waiting -= {method}
            self._show()

    # --- showing --------------------------------------------------------------------------------------------------

    @property
    def found(self) -> Found:
        """What the solvers have found so far of the contacts that are listed."""
        if self.rows is None or self.problem is None or not self.runs:
            return Found()
        return found_forces(self.rows, self.problem, self.runs)

    @property
    def shown(self) -> Frame | None:
        """The frame that the card tells of, which may be one before the newest."""
        return self._shown[0]

    def _show(self) -> None:
        rows = self.rows
        if rows is None:
            self.heading.setText("Shown once a scene can run")
            return
        self.heading.setText(say_heading(rows, self._names, self._whole))
        self.caption.setText(say_sum(rows, self._whole, self._jointed))
        self.said.setText(say_forces(self._frame, self.problem, self.runs, len(self._waiting)))
        self.table.contacts.set_rows(rows, self.found)
        self._mark()

    @property
    def _chosen(self) -> int | None:
        selection = self.table.selectionModel()
        marked = [] if selection is None else selection.selectedRows()
        place = self.table.contacts.place(marked[0].row()) if marked else None
        return place if place is not None and self.rows is not None and place < len(self.rows) else None

    def _mark(self) -> None:
        rows = self.rows
        if rows is None or not self.isVisible():
            self.arrows_changed.emit(None)
            return
        place = self.method_box.currentIndex()
        run = self.runs.get(self._methods[place].name) if self.solve_box.isChecked() else None
        points = forces = np.zeros((0, 3))
        if run is not None and self.problem is not None:
            points, forces = run_arrows(rows, self.problem, run)
        sizes = np.linalg.norm(np.concatenate([rows.force, forces]), axis=1)
        chosen = rows.point[[] if self._chosen is None else [self._chosen]]
        look = self._methods[place].look
        largest = float(sizes.max(initial=0.0)) or 1.0
        self.arrows_changed.emit(CardArrows(rows.point, rows.force, points, forces, look.colour, chosen, largest))

    def _on_double_click(self, index: QModelIndex) -> None:
        place = self.table.contacts.place(index.row())
        if self.rows is not None and place < len(self.rows):
            self.body_chosen.emit(int(self.rows.other[place]))

    def close_solving(self) -> None:
        """Nothing more will be asked for."""
        self._timer.stop()
        self.solving.close()

    # --- seen or not ----------------------------------------------------------------------------------------------

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
        self.arrows_changed.emit(None)
