"""The collision heap as a table: the next checks, earliest first, and the pair that the person follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QHideEvent, QShowEvent
from PyQt6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from app.simulation.messages import Frame, Records
from app.view.layouts import caption, hbox, vbox
from app.view.plots.axes import format_si
from app.view.sorted_rows import SortedRows, let_sort
from app.view.theme import scaled_font, theme

REFRESH = 100  # [ms]
_NUMBERS = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_NAMES = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter

COLUMNS = (
    ("body a", "The pair's first body"),
    ("body b", "The pair's second body"),
    ("gap", "Distance of the surfaces, as last measured"),
    ("measured at", "Simulation time of that measurement"),
    ("TOI bound", "Lower bound on the time of impact, when the pair is checked next"),
    ("in", "Simulated time to the next check"),
)


def pair_of(row: Records) -> tuple[int, int]:
    """The bodies of a record of the heap."""
    return int(row["body_a"]), int(row["body_b"])


class HeapModel(SortedRows):
    """Rows of the heap as they came with a frame. Text is made only for the cells that are seen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: Records | None = None
        self._names: tuple[str, ...] = ()
        self._now = 0.0

    def set_names(self, names: Sequence[str]) -> None:
        """Names of the bodies, by index."""
        self.beginResetModel()
        self._names, self._rows = tuple(names), None
        self.endResetModel()

    def set_rows(self, rows: Records | None, now: float) -> None:
        """Show other rows, read at simulation time `now` [s]. Cells change in place: nothing is built anew."""
        old, new = self.rowCount(), 0 if rows is None else len(rows)
        if new > old:
            self.beginInsertRows(QModelIndex(), old, new - 1)
        elif new < old:
            self.beginRemoveRows(QModelIndex(), new, old - 1)
        self._rows, self._now = rows, now
        if new > old:
            self.endInsertRows()
        elif new < old:
            self.endRemoveRows()
        self.arrange()
        if min(old, new):
            self.dataChanged.emit(self.index(0, 0), self.index(min(old, new) - 1, len(COLUMNS) - 1))

    def keys(self, column: int) -> Sequence[str] | NDArray[np.float64]:
        rows = self._rows
        assert rows is not None
        if column < 2:
            return [self.name(int(index)) for index in rows["body_a" if column == 0 else "body_b"]]
        return np.asarray(rows[("gap", "checked", "time", "time")[column - 2]], dtype=np.float64)

    def row_of(self, pair: tuple[int, int]) -> int | None:
        """Where a pair stands; None when it is not among the rows."""
        if self._rows is None:
            return None
        found = np.flatnonzero((self._rows["body_a"] == pair[0]) & (self._rows["body_b"] == pair[1]))
        return self.shown_at(int(found[0])) if len(found) else None

    def record(self, row: int) -> Records | None:
        return self._rows[self.place(row)] if self._rows is not None and 0 <= row < len(self._rows) else None

    def name(self, index: int) -> str:
        return self._names[index] if index < len(self._names) else f"#{index}"

    # Qt's side

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        return 0 if self._rows is None or (parent is not None and parent.isValid()) else len(self._rows)

    def columnCount(self, parent: QModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(COLUMNS)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _NAMES if index.column() < 2 else _NUMBERS
        if role != Qt.ItemDataRole.DisplayRole or self._rows is None or index.row() >= len(self._rows):
            return None
        return self._text(self._rows[self.place(index.row())], index.column())

    def _text(self, row: Records, column: int) -> str:
        if column < 2:
            return self.name(int(row["body_a" if column == 0 else "body_b"]))
        if column == 2:
            return format_si(float(row["gap"]), "m")
        if column == 3:
            return f"{float(row['checked']):.6f} s" if np.isfinite(row["checked"]) else "not yet"
        if column == 4:
            return f"{float(row['time']):.6f} s" if np.isfinite(row["time"]) else "never"
        return format_si(float(row["time"]) - self._now, "s") if np.isfinite(row["time"]) else "never"

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return str(self.place(section) + 1) if role == Qt.ItemDataRole.DisplayRole else None
        if role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section][0]
        if role == Qt.ItemDataRole.ToolTipRole:
            return COLUMNS[section][1]
        return (_NAMES if section < 2 else _NUMBERS) if role == Qt.ItemDataRole.TextAlignmentRole else None


class HeapTable(QWidget):
    """The table, and a line about the pair that was chosen.

    A pair stays chosen while it moves through the heap, and also while it is not among the rows shown.
    """

    pair_selected = pyqtSignal(int, int)  # indices of the bodies
    pair_cleared = pyqtSignal()
    segments_changed = pyqtSignal(object)  # (m, 2, 3) closest points of the chosen pair [m]; m = 0: none
    wanted = pyqtSignal(bool)  # whether the table can be seen and needs rows

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.model = HeapModel(self)
        self._pair: tuple[int, int] | None = None
        self._frame: Frame | None = None
        self._shown: Frame | None = None
        self._updating = False
        self._build()
        self._timer = QTimer(self)
        self._timer.setInterval(REFRESH)
        self._timer.timeout.connect(self.refresh)
        theme().changed.connect(self._set_fonts)

    def _build(self) -> None:
        self.view = QTableView()
        self.view.setModel(self.model)
        self.view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.setShowGrid(False)
        self.view.setWordWrap(False)
        self.view.setCornerButtonEnabled(False)
        self.view.setAutoScroll(False)
        let_sort(self.view)
        header, rows = self.view.horizontalHeader(), self.view.verticalHeader()
        if header is not None and rows is not None:
            header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
            header.setHighlightSections(False)
            rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            rows.setHighlightSections(False)
            rows.setDefaultAlignment(_NUMBERS)
        selection = self.view.selectionModel()
        if selection is not None:
            selection.selectionChanged.connect(self._on_selection)
        self._caption = caption()
        vbox(self, hbox(None, (self._caption, 1), margins=(10, 6, 10, 4)), (self.view, 1), spacing=0)
        self._set_fonts()
        self._describe(None)

    def _set_fonts(self, _palette: object = None) -> None:
        self.view.setFont(scaled_font(0.92, figures=True))
        self._caption.setFont(scaled_font(0.92, figures=True))
        rows = self.view.verticalHeader()
        if rows is not None:
            rows.setFont(scaled_font(0.8, figures=True))
            rows.setDefaultSectionSize(self.view.fontMetrics().height() + 6)
            rows.setFixedWidth(self.view.fontMetrics().horizontalAdvance("0000") + 8)

    # In

    def set_names(self, names: Sequence[str]) -> None:
        """Another scene: names of its bodies, by index. No pair is chosen any more."""
        self.select_pair(None)
        self._frame = self._shown = None
        self.model.set_names(names)
        self._describe(None)

    def set_frame(self, frame: Frame) -> None:
        """Take note of the newest frame; it shows at the next refresh, ten times a second."""
        self._frame = frame

    def refresh(self) -> None:
        """Show the newest frame, if the table can be seen."""
        frame = self._frame
        if frame is None or frame is self._shown or not self.isVisible():
            return
        self._shown = frame
        self._updating = True
        self.model.set_rows(frame.heap, frame.heap_time)
        self._mark_pair()
        self._updating = False
        self._describe(frame)
        self._emit_segments(frame)

    # The chosen pair

    @property
    def pair(self) -> tuple[int, int] | None:
        """Indices of the bodies of the chosen pair."""
        return self._pair

    def select_pair(self, pair: tuple[int, int] | None) -> None:
        """Choose a pair, or none."""
        if pair == self._pair:
            return
        self._pair = pair
        self._updating = True
        self._mark_pair()
        self._updating = False
        if pair is None:
            self.pair_cleared.emit()
            self.segments_changed.emit(np.zeros((0, 2, 3)))
        else:
            self.pair_selected.emit(*pair)
        if self._shown is not None:
            self._describe(self._shown)
            self._emit_segments(self._shown)

    def _on_selection(self, _chosen: QItemSelection, _left: QItemSelection) -> None:
        selection = self.view.selectionModel()
        if self._updating or selection is None:
            return
        rows = selection.selectedRows()
        record = self.model.record(rows[0].row()) if rows else None
        self.select_pair(pair_of(record) if record is not None else None)

    def _mark_pair(self) -> None:
        selection = self.view.selectionModel()
        if selection is None:
            return
        row = self.model.row_of(self._pair) if self._pair is not None else None
        marked = [index.row() for index in selection.selectedRows()]
        if row is None:
            if marked:
                selection.clear()
        elif marked != [row]:
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            selection.setCurrentIndex(self.model.index(row, 0), flags)

    def _record(self, frame: Frame) -> Records | None:
        """The chosen pair's record: among the rows, or fetched for it."""
        if self._pair is None:
            return None
        row = self.model.row_of(self._pair)
        if row is not None:
            return self.model.record(row)
        return frame.pair if frame.pair is not None and set(pair_of(frame.pair)) == set(self._pair) else None

    def _emit_segments(self, frame: Frame) -> None:
        if self._pair is not None:
            record = self._record(frame)
            points = [] if record is None else [[record["point_a"], record["point_b"]]]
            self.segments_changed.emit(np.array(points, dtype=np.float64).reshape(-1, 2, 3))

    def _describe(self, frame: Frame | None) -> None:
        if frame is None or "heap_size" not in frame.counters:
            self._caption.setText("Shown once a scene can run")
            return
        size = int(frame.counters["heap_size"])
        text = f"{size} events queued; the next {self.model.rowCount()} pair checks"
        if self._pair is not None:
            a, b = (self.model.name(index) for index in self._pair)
            record = self._record(frame)
            if record is None:
                text = f"{a} – {b}: not queued, too far apart to be checked"
            elif self.model.row_of(self._pair) is None:
                text = f"{a} – {b}: gap {format_si(float(record['gap']), 'm')}, further down than the rows shown"
            else:
                text = f"{a} – {b}: gap {format_si(float(record['gap']), 'm')}"
        self._caption.setText(text)

    # Seen or not

    def showEvent(self, event: QShowEvent | None) -> None:
        super().showEvent(event)
        self._timer.start()
        self.wanted.emit(True)
        self._shown = None
        self.refresh()

    def hideEvent(self, event: QHideEvent | None) -> None:
        super().hideEvent(event)
        self._timer.stop()
        self.wanted.emit(False)
        self.segments_changed.emit(np.zeros((0, 2, 3)))  # nobody keeps them true any more
