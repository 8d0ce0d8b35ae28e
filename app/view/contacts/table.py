"""The contacts as a table: a row each, a bar for how much of the friction cone is used, a column a solver."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QModelIndex, QRectF, Qt
from PyQt6.QtGui import QColor, QPainter
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.simulation.pair_states import ASLEEP, ROLL, SLIDE, STICK, STILL
from app.view.contacts.rows import ContactRows, Found
from app.view.microscope.method_table import MethodRow
from app.view.plots.axes import format_si
from app.view.sorted_rows import SortedRows, let_sort
from app.view.theme import colours, scaled_font, theme

_NUMBERS = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_WORDS = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
COLUMNS = (
    ("contact", "The bodies that touch; a double click selects the other one"),
    ("model", "Impulses, collision by collision; constraint forces of a contact group; or penalty springs"),
    ("gap", "Distance of the surfaces, as last measured"),
    ("normal force", "Of the group's step, or impulses averaged over 20 ms"),
    ("friction", "Magnitude of the tangential force"),
    ("of cone", "Friction over its Coulomb limit: |f_t| / (μ f_n), both as in the columns before"),
    (
        "slip",
        f"Tangential relative speed; under {format_si(STILL, 'm/s', 1)} the contact sticks, as in the contact chart.\n"
        "Of what hits keep apart it is the speed now, while the forces are means over 20 ms",
    ),
)
_DOES = {STICK: "sticks", ROLL: "rolls", ASLEEP: "asleep"}
NORMAL, CONE, SLIP = 3, 5, 6
UNIQUE = "unique?"
_UNIQUE_HINT = (
    "Whether the solvers agree on the force of a contact.\n“sum only”: they do, but not on the shares of its points"
)
_FULL = 0.995  # of the cone: as good as sliding


class ContactModel(SortedRows):
    """One row a contact. Text is made only for the cells that are seen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: ContactRows | None = None
        self.found = Found()
        self._names: tuple[str, ...] = ()
        self.methods: tuple[MethodRow, ...] = ()

    def set_names(self, names: Sequence[str]) -> None:
        """Names of the bodies, by row. Nothing is shown of the scene before."""
        self.beginResetModel()
        self._names, self.rows, self.found = tuple(names), None, Found()
        self.endResetModel()

    def set_methods(self, methods: Sequence[MethodRow]) -> None:
        """The solvers that have a column each; none: only the step's forces."""
        self.beginResetModel()
        self.methods = tuple(methods)
        self.endResetModel()

    def set_rows(self, rows: ContactRows, found: Found) -> None:
        """Show other rows; cells change in place."""
        old, new = self.rowCount(), len(rows)
        if new > old:
            self.beginInsertRows(QModelIndex(), old, new - 1)
        elif new < old:
            self.beginRemoveRows(QModelIndex(), new, old - 1)
        self.rows, self.found = rows, found
        if new > old:
            self.endInsertRows()
        elif new < old:
            self.endRemoveRows()
        self.arrange()
        if new:
            self.dataChanged.emit(self.index(0, 0), self.index(new - 1, self.columnCount() - 1))

    def keys(self, column: int) -> Sequence[str] | NDArray[np.float64]:
        rows = self.rows
        assert rows is not None
        if column >= len(COLUMNS):
            place = column - len(COLUMNS)
            forces = self.found.forces.get(self.methods[place - 1].name) if place > 0 else None
            if forces is not None and len(forces) == len(rows):
                return forces
        elif column > 1:
            return (rows.gap, rows.normal, rows.friction, rows.used, rows.slip)[column - 2]
        return [self.text(k, column) for k in range(len(rows))]

    def name(self, row: int) -> str:
        return self._names[row] if row < len(self._names) else f"#{row}"

    # Qt's side

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        return 0 if self.rows is None or (parent is not None and parent.isValid()) else len(self.rows)

    def columnCount(self, parent: QModelIndex | None = None) -> int:
        if parent is not None and parent.isValid():
            return 0
        return len(COLUMNS) + (len(self.methods) + 1 if self.methods else 0)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.place(index.row()), index.column()
        if self.rows is None or row >= len(self.rows):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            words = column < 2 or column == len(COLUMNS)
            return _WORDS if words else _NUMBERS
        if role == Qt.ItemDataRole.ForegroundRole and self._stands_out(row, column):
            return QColor(colours().warning)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.headerData(column, Qt.Orientation.Horizontal, role)
        return None

    def _stands_out(self, row: int, column: int) -> bool:
        if column >= len(COLUMNS):
            return row < len(self.found.loose) and bool(self.found.loose[row])
        assert self.rows is not None
        return column == SLIP and self._slides(row)

    def _slides(self, row: int) -> bool:
        assert self.rows is not None
        return bool(self.rows.states[row] == SLIDE and self.rows.kept_by[row] != "impulse")

    def text(self, row: int, column: int) -> str:
        """What is said of the contact given as number `row`."""
        rows = self.rows
        assert rows is not None
        if column >= len(COLUMNS):
            return self._found_text(row, column - len(COLUMNS))
        if column == 0:
            other = self.name(int(rows.other[row])) + (f" · {rows.ordinal[row]}" if rows.ordinal[row] else "")
            return other if len(rows.of) == 1 else f"{self.name(int(rows.on[row]))} – {other}"
        if column == 1:
            kept_by = str(rows.kept_by[row])
            return "impulses" if kept_by == "impulse" else kept_by
        if column == CONE:
            used = float(rows.used[row])
            return "–" if math.isnan(used) else f"{100.0 * used:.0f} %"
        if column == SLIP:
            speed = format_si(float(rows.slip[row]), "m/s", 3)
            if rows.kept_by[row] == "impulse":
                return speed
            return f"slides {speed}" if self._slides(row) else _DOES[int(rows.states[row])]
        values, unit = ((rows.gap, "m"), (rows.normal, "N"), (rows.friction, "N"))[column - 2]
        value = float(values[row])
        small = unit == "N" and abs(value) < 1e-6 * float(abs(rows.normal).max(initial=0.0))
        return format_si(0.0 if small else value, unit)

    def _found_text(self, row: int, place: int) -> str:
        """`place`: 0 says whether the forces are unique, then come the methods."""
        found = self.found
        if place == 0:
            if not found.forces or row >= len(found.loose):
                return ""
            return "not unique" if found.loose[row] else "sum only" if found.shared[row] else "unique"
        forces = found.forces.get(self.methods[place - 1].name)
        if forces is None or row >= len(forces) or math.isnan(forces[row]):
            return ""
        largest = float(abs(np.nan_to_num(forces)).max())
        return format_si(0.0 if abs(forces[row]) < 1e-9 * largest else float(forces[row]), "N")

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return None
        place = section - len(COLUMNS)
        if place < 0:
            title, hint = COLUMNS[section]
        elif place == 0:
            title, hint = UNIQUE, _UNIQUE_HINT
        else:
            method = self.methods[place - 1]
            title, hint = method.title, f"Normal force by {method.hint}; no friction"
        if role == Qt.ItemDataRole.DisplayRole:
            return title
        if role == Qt.ItemDataRole.ToolTipRole:
            return hint
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _WORDS if section < 2 or place == 0 else _NUMBERS
        return None


class ConeBar(QStyledItemDelegate):
    """Paints how much of its friction cone a contact uses as a bar behind the number."""

    def paint(self, painter: QPainter | None, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        model = index.model()
        if painter is not None and isinstance(model, ContactModel) and model.rows is not None:
            used = float(model.rows.used[model.place(index.row())])
            if not math.isnan(used):
                c = colours()
                room = QRectF(option.rect).adjusted(6, 5, -6, -5)
                painter.fillRect(room, QColor(c.raised))
                shade = QColor(c.warning if used >= _FULL else c.accent)
                shade.setAlpha(150)
                room.setWidth(room.width() * min(used, 1.0))
                painter.fillRect(room, shade)
        super().paint(painter, option, index)


class ContactTable(QTableView):
    """Shows the model; one row may be chosen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.contacts = ContactModel(self)
        self.setModel(self.contacts)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.setItemDelegateForColumn(CONE, ConeBar(self))
        let_sort(self)
        header, side = self.horizontalHeader(), self.verticalHeader()
        if header is not None and side is not None:
            header.setHighlightSections(False)
            side.hide()
            side.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.contacts.modelReset.connect(self._set_widths)
        theme().changed.connect(self._set_fonts)
        self._set_fonts()

    def _set_fonts(self, _palette: object = None) -> None:
        self.setFont(scaled_font(0.92, figures=True))
        side, header = self.verticalHeader(), self.horizontalHeader()
        if side is not None and header is not None:
            side.setDefaultSectionSize(self.fontMetrics().height() + 8)
            header.setFont(scaled_font(0.85))
        self._set_widths()

    def _set_widths(self) -> None:
        """Widths of the widest that a column says as a rule: they do not jump while numbers change."""
        metrics = self.fontMetrics()
        usual = (
            "a body – another body",
            "constraint",
            "000.0 µm",
            "00.00 mN",
            "00.00 mN",
            "00000000000",
            "slides 0.00 mm/s",
        )
        for column in range(self.contacts.columnCount()):
            title = self.contacts.headerData(column, Qt.Orientation.Horizontal)
            said = usual[column] if column < len(usual) else "00.00 mN"
            width = max(metrics.horizontalAdvance(said), metrics.horizontalAdvance(str(title)))
            self.setColumnWidth(column, width + 30)
