"""The methods as a table: which are shown, how far each came, and which one is looked at step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QModelIndex, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QKeyEvent, QResizeEvent
from PyQt6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from app.simulation.solving import Run
from app.view.microscope.looks import SWATCH, Look, look_of
from app.view.plots.axes import format_si
from app.view.sorted_rows import SortedRows, let_sort
from app.view.theme import colours, scaled_font, theme
from engine.analysis.methods import METHODS
from engine.solvers.solution import SOLVED, STATUS_NAMES

_NUMBERS = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_WORDS = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_PASSED_ON = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End)

_STEPS, _TIME = 1, 3
_SPELT = {
    "gauss_seidel": "Gauss-Seidel",
    "wilhelmsen_sparse": "Wilhelmsen, sparse",
}  # names that are not spelt as they are written in the registry

COLUMNS = (
    ("solver", "Ticked solvers are run and compared; the selected one is shown step by step"),
    ("iterations", "Pivots, or sweeps over all contacts"),
    ("residual", "Of complementarity (f ≥ 0, a ≥ 0, f a = 0): ‖min(f, a)‖∞ / (1 + ‖b‖∞)"),
    ("time", "Processor time of one solution"),
    ("status", "Why it stopped"),
)


@dataclass(frozen=True)
class MethodRow:
    """What the table says of a method before it has run."""

    name: str
    title: str
    hint: str
    look: Look


def method_rows() -> tuple[MethodRow, ...]:
    """The methods that the engine knows, in its order."""
    return tuple(
        MethodRow(
            name, _SPELT.get(name) or name.replace("_", " ").capitalize(), method.text, look_of(place, method.direct)
        )
        for place, (name, method) in enumerate(METHODS.items())
    )


class MethodModel(SortedRows):
    """One row a method."""

    ticked = pyqtSignal(str, bool)

    def __init__(self, rows: Sequence[MethodRow], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = tuple(rows)
        self.on = {row.name for row in rows}
        self._runs: Mapping[str, Run] = {}
        self._waiting: frozenset[str] = frozenset()
        self._faults: Mapping[str, str] = {}
        self.ratio = 1.0

    def set_runs(self, runs: Mapping[str, Run], waiting: frozenset[str], faults: Mapping[str, str]) -> None:
        """What is known of the problem that is shown, who is still at work, and who broke down over it."""
        self._runs, self._waiting, self._faults = dict(runs), waiting, dict(faults)
        self.repaint()

    def repaint(self) -> None:
        """All cells may have changed."""
        self.arrange()
        self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, len(COLUMNS) - 1))

    def keys(self, column: int) -> Sequence[str] | NDArray[np.float64]:
        if column in (0, 4):
            return [self._text(row, column) for row in self.rows]
        runs = [self._runs.get(row.name) if row.name in self.on else None for row in self.rows]
        numbers = [(run.iterations, run.final_residual, run.seconds)[column - 1] if run else np.nan for run in runs]
        return np.array(numbers, dtype=np.float64)

    def shown(self, row: int) -> MethodRow:
        """The method that is shown in a row."""
        return self.rows[self.place(row)]

    # Qt's side

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: QModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(COLUMNS)

    def flags(self, index: QModelIndex) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        tick = Qt.ItemFlag.ItemIsUserCheckable if index.column() == 0 else Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | tick

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.shown(index.row()), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _WORDS if column in (0, 4) else _NUMBERS
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._shade(row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.hint if column == 0 else self._faults.get(row.name, COLUMNS[column][1])
        if column == 0 and role == Qt.ItemDataRole.CheckStateRole:
            return Qt.CheckState.Checked if row.name in self.on else Qt.CheckState.Unchecked
        if column == 0 and role == Qt.ItemDataRole.DecorationRole:
            return row.look.swatch(colours(), self.ratio)
        return None

    def setData(self, index: QModelIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or index.column() != 0:
            return False
        self.tick(self.shown(index.row()).name, Qt.CheckState(value) == Qt.CheckState.Checked)
        return True

    def tick(self, name: str, on: bool) -> None:
        """Show a method, or not."""
        if on != (name in self.on):
            self.on ^= {name}
            self.repaint()
            self.ticked.emit(name, on)

    def _text(self, row: MethodRow, column: int) -> str:
        if column == 0:
            return row.title
        run = self._runs.get(row.name)
        if row.name not in self.on or (run is None and column != 4):
            return ""
        if run is None:
            return "failed" if row.name in self._faults else "solving…" if row.name in self._waiting else ""
        if column == 1:
            return f"{run.iterations:,}".replace(",", "\u2009")
        if column == 2:
            return f"{run.final_residual:.1e}" if run.final_residual else "0"
        return format_si(run.seconds, "s", 3) if column == 3 else STATUS_NAMES[run.status]

    def _shade(self, row: MethodRow, column: int) -> QColor | None:
        run = self._runs.get(row.name)
        if row.name not in self.on:
            return QColor(colours().faint)
        if column == 4 and (run is not None or row.name in self._faults):
            return QColor(colours().good if run is not None and run.status == SOLVED else colours().warning)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section][0]
        if role == Qt.ItemDataRole.ToolTipRole:
            return COLUMNS[section][1]
        return (_WORDS if section in (0, 4) else _NUMBERS) if role == Qt.ItemDataRole.TextAlignmentRole else None


class MethodTable(QTableView):
    """Chooses the method that is looked at, and those that are compared."""

    chosen = pyqtSignal(str)

    def __init__(self, rows: Sequence[MethodRow], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.methods = MethodModel(rows, self)
        self.setModel(self.methods)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.setIconSize(SWATCH)
        let_sort(self)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header, side = self.horizontalHeader(), self.verticalHeader()
        if header is not None and side is not None:
            side.hide()
            side.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setHighlightSections(False)
            header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        selection = self.selectionModel()
        if selection is not None:
            selection.selectionChanged.connect(self._on_selection)
        theme().changed.connect(self._set_fonts)
        self._set_fonts()

    def _set_fonts(self, _palette: object = None) -> None:
        self.methods.ratio = self.devicePixelRatioF()
        self.setStyleSheet(  # swatches have colours of their own, which would drown in the accent
            f"QTableView::item:selected {{ background: {colours().raised}; color: {colours().text}; }}"
        )
        self.setFont(scaled_font(0.92, figures=True))
        side, header = self.verticalHeader(), self.horizontalHeader()
        if side is not None and header is not None:
            side.setDefaultSectionSize(self.fontMetrics().height() + 8)
            header.setFont(scaled_font(0.85))
        self.methods.repaint()

    def choose(self, name: str) -> None:
        """Look at a method."""
        place = next((k for k, row in enumerate(self.methods.rows) if row.name == name), None)
        selection = self.selectionModel()
        if place is not None and selection is not None:
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            selection.setCurrentIndex(self.methods.index(self.methods.shown_at(place), 0), flags)

    def _on_selection(self, chosen: QItemSelection, _left: QItemSelection) -> None:
        indexes = chosen.indexes()
        if indexes:
            self.chosen.emit(self.methods.shown(indexes[0].row()).name)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Where it gets narrow, names stay and numbers go: first the time, then the steps."""
        room = self.width() - self.sizeHintForColumn(0) - 12
        for column, needed in ((_TIME, (1, 2, 3, 4)), (_STEPS, (1, 2, 4))):
            self.setColumnHidden(column, sum(self._needed(k) for k in needed) > room)
        super().resizeEvent(event)

    def _needed(self, column: int) -> int:
        header = self.horizontalHeader()
        return max(self.sizeHintForColumn(column), 0 if header is None else header.sectionSizeHint(column))

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Up and down choose a method, Enter ticks it; the keys that step belong to the panel."""
        key, row = None if event is None else event.key(), self.currentIndex().row()
        if event is not None and key in _PASSED_ON:
            event.ignore()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and row >= 0:
            name = self.methods.shown(row).name
            self.methods.tick(name, name not in self.methods.on)
        else:
            super().keyPressEvent(event)

    def viewportEvent(self, event: QEvent | None) -> bool:
        if event is not None and event.type() == QEvent.Type.Show:
            self.methods.ratio = self.devicePixelRatioF()
        return super().viewportEvent(event)
