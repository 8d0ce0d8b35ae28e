"""Tables are sorted by their headers, stay so while numbers change, and what was marked stays marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from PyQt6.QtCore import QModelIndex, QPoint, Qt
from PyQt6.QtWidgets import QTableView
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from app.view.sorted_rows import SortedRows, let_sort, sort_order


class Numbers(SortedRows):
    """A name and a number a row."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[tuple[str, float]] = []

    def give(self, *given: tuple[str, float]) -> None:
        old, new = len(self.given), len(given)
        if new > old:
            self.beginInsertRows(QModelIndex(), old, new - 1)
        elif new < old:
            self.beginRemoveRows(QModelIndex(), new, old - 1)
        self.given = list(given)
        if new > old:
            self.endInsertRows()
        elif new < old:
            self.endRemoveRows()
        self.arrange()

    def keys(self, column: int) -> Sequence[str] | NDArray[np.float64]:
        return [name for name, _ in self.given] if column == 0 else np.array([number for _, number in self.given])

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.given)

    def columnCount(self, parent: QModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else 2

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role != Qt.ItemDataRole.DisplayRole or self.place(index.row()) >= len(self.given):
            return None
        return str(self.given[self.place(index.row())][index.column()])

    @property
    def names(self) -> list[object]:
        return [self.index(row, 0).data() for row in range(self.rowCount())]


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[QTableView]:
    view = QTableView()
    model = Numbers()
    model.setParent(view)
    view.setModel(model)
    view.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
    let_sort(view)
    qtbot.addWidget(view)
    view.show()
    qtbot.waitExposed(view)
    model.give(("b", 10.0), ("a", 9.0), ("C", 100.0))
    yield view


def click_header(qtbot: QtBot, view: QTableView, column: int) -> None:
    header = view.horizontalHeader()
    assert header is not None
    viewport = header.viewport()
    assert viewport is not None
    middle = header.sectionViewportPosition(column) + header.sectionSize(column) // 2
    qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=QPoint(middle, header.height() // 2))


def test_numbers_are_sorted_as_numbers_and_words_without_their_case(qtbot: QtBot, view: QTableView) -> None:
    model = view.model()
    assert isinstance(model, Numbers)
    assert model.names == ["b", "a", "C"]
    click_header(qtbot, view, 1)
    assert model.names == ["a", "b", "C"]
    click_header(qtbot, view, 1)
    assert model.names == ["C", "b", "a"]
    click_header(qtbot, view, 1)
    assert model.names == ["b", "a", "C"], "the third click shows them as they are given"
    click_header(qtbot, view, 0)
    assert model.names == ["a", "b", "C"]


def test_new_numbers_come_in_their_order_and_the_mark_goes_with_its_row(qtbot: QtBot, view: QTableView) -> None:
    model, selection = view.model(), view.selectionModel()
    assert isinstance(model, Numbers) and selection is not None
    click_header(qtbot, view, 1)
    view.selectRow(0)
    model.give(("b", 10.0), ("a", 50.0), ("C", 100.0), ("d", 1.0))
    assert model.names == ["d", "b", "a", "C"]
    assert [index.row() for index in selection.selectedRows()] == [2]
    model.give(("b", 10.0), ("a", 5.0))
    assert model.names == ["a", "b"]
    assert [model.place(row) for row in (0, 1)] == [1, 0] and model.shown_at(1) == 0


def test_what_is_no_number_comes_last_either_way() -> None:
    keys = np.array([np.nan, 2.0, 1.0])
    assert sort_order(keys, False).tolist() == [2, 1, 0]
    assert sort_order(keys, True).tolist() == [1, 2, 0]


def test_the_model_keeps_qts_rules_while_it_is_sorted(qtmodeltester: ModelTester) -> None:
    model = Numbers()
    model.give(("b", 2.0), ("a", 1.0))
    qtmodeltester.check(model)
    model.sort(1, Qt.SortOrder.DescendingOrder)
    model.give(("b", 2.0), ("a", 3.0), ("c", 0.0))
    assert model.names == ["a", "b", "c"]
