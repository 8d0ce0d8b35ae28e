"""Tables that a click on a header sorts: numbers as numbers, and sorted still when other numbers come in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QAbstractTableModel, QModelIndex, Qt
from PyQt6.QtWidgets import QTableView, QWidget

from engine.arrays import Ints

_ASCENDING = Qt.SortOrder.AscendingOrder
_AS_GIVEN = -1


def sort_order(keys: Sequence[str] | NDArray[np.float64], descending: bool) -> Ints:
    """Places of the keys, sorted; equal ones as they are given, what is no number last."""
    if isinstance(keys, np.ndarray):
        values = -keys if descending else keys
        return np.argsort(values, kind="stable")  # nan comes last
    words = [word.casefold() for word in keys]
    return np.array(sorted(range(len(words)), key=words.__getitem__, reverse=descending), dtype=np.int64)


class SortedRows(QAbstractTableModel):
    """A table whose rows are shown in another order than they are given in. What is marked stays marked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._by = _AS_GIVEN, _ASCENDING
        self._order: Ints = np.zeros(0, dtype=np.int64)

    def keys(self, column: int) -> Sequence[str] | NDArray[np.float64]:
        """What a column is sorted by, in the order in which rows are given."""
        raise NotImplementedError

    def place(self, row: int) -> int:
        """The place among those given of the row that is shown there."""
        return int(self._order[row]) if row < len(self._order) else row

    def shown_at(self, place: int) -> int:
        """The row in which a place is shown."""
        found = np.flatnonzero(self._order == place)
        return int(found[0]) if len(found) else place

    def sort(self, column: int, order: Qt.SortOrder = _ASCENDING) -> None:
        """Show rows by this column; -1: as they are given."""
        self._by = column, order
        self.arrange()

    def arrange(self) -> None:
        """Other rows have been given: bring them into order."""
        old, count, (column, order) = self._order, self.rowCount(), self._by
        new: Ints = np.arange(count)
        if 0 <= column < self.columnCount() and count:
            new = sort_order(self.keys(column), order != _ASCENDING)
        alike = min(count, len(old))
        if np.array_equal(new[:alike], old[:alike]):
            self._order = new
            return
        self.layoutAboutToBeChanged.emit()
        row_of = np.argsort(new)
        before = self.persistentIndexList()
        places = [int(old[index.row()]) if index.row() < len(old) else count for index in before]
        after = [
            self.index(int(row_of[place]), index.column()) if place < count else QModelIndex()
            for index, place in zip(before, places, strict=True)
        ]
        self._order = new
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()


def let_sort(view: QTableView) -> None:
    """Sort by the header that is clicked; a third click shows rows as they are given, as at first."""
    header = view.horizontalHeader()
    if header is not None:
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(_AS_GIVEN, _ASCENDING)
    view.setSortingEnabled(True)
