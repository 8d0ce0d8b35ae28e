"""The table of the heap: what it says, and a chosen pair that stays chosen while it moves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from app.simulation.messages import Frame
from app.view.plots.heap_table import COLUMNS, HeapModel, HeapTable
from tests.app.fake_world import PAIR

NAMES = tuple(f"ball {i}" for i in range(30))


def heap_rows(pairs: list[tuple[int, int]], start: float = 1.0) -> np.ndarray:
    rows = np.zeros(len(pairs), dtype=PAIR)
    for row, (a, b) in zip(rows, pairs):
        row["body_a"], row["body_b"] = a, b
        row["gap"] = 0.001 * (a + b)
        row["point_a"], row["point_b"] = (a, 0, 0), (b, 0, 1)
    rows["time"] = start + 0.001 * np.arange(1, len(pairs) + 1)
    rows["checked"] = start - 0.5
    return rows


def frame(rows: np.ndarray | None, pair: np.ndarray | None = None, time: float = 1.0) -> Frame:
    return Frame(
        generation=1,
        run=1,
        sequence=1,
        time=time,
        poses=np.zeros((30, 7), dtype=np.float32),
        twists=np.zeros((30, 6), dtype=np.float32),
        energy={},
        counters={"heap_size": 99},
        contacts=None,
        heap=rows,
        heap_time=time,
        pair=pair,
        running=True,
        speed=1.0,
        achieved=1.0,
        behind=False,
        published=0.0,
    )


@pytest.fixture
def table(qtbot: QtBot) -> Iterator[HeapTable]:
    table = HeapTable()
    qtbot.addWidget(table)
    table.resize(700, 300)
    table.show()
    qtbot.waitExposed(table)
    table._timer.stop()  # the test says when
    table.set_names(NAMES)
    yield table


def show(table: HeapTable, new: Frame) -> None:
    table.set_frame(new)
    table.refresh()


def click(table: HeapTable, qtbot: QtBot, row: int) -> None:
    spot = table.view.visualRect(table.model.index(row, 0)).center()
    viewport = table.view.viewport()
    assert viewport is not None
    qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=QPoint(spot))


def selected_rows(table: HeapTable) -> list[int]:
    selection = table.view.selectionModel()
    assert selection is not None
    return [index.row() for index in selection.selectedRows()]


def test_the_model_keeps_qts_rules(qtmodeltester: ModelTester) -> None:
    model = HeapModel()
    model.set_names(NAMES)
    model.set_rows(heap_rows([(0, 1), (2, 3)]), 1.0)
    qtmodeltester.check(model)


def test_rows_say_pair_gap_and_bound(table: HeapTable) -> None:
    show(table, frame(heap_rows([(0, 1), (2, 3)]), time=0.75))
    texts = [table.model.index(1, column).data() for column in range(len(COLUMNS))]
    assert texts == ["ball 2", "ball 3", "5.000 mm", "0.500000 s", "1.002000 s", "252.0 ms"]
    assert "99 events" in table._caption.text()


def test_a_check_that_never_comes(table: HeapTable) -> None:
    rows = heap_rows([(0, 1)])
    rows["time"], rows["checked"] = np.inf, -np.inf
    show(table, frame(rows))
    assert table.model.index(0, 3).data() == "not yet"
    assert table.model.index(0, 4).data() == "never"


def test_rows_come_and_go_without_a_reset(table: HeapTable, qtbot: QtBot) -> None:
    resets: list[int] = []
    table.model.modelReset.connect(lambda: resets.append(1))
    for count in (5, 12, 3, 0, 8):
        show(table, frame(heap_rows([(i, i + 1) for i in range(count)])))
        assert table.model.rowCount() == count
    show(table, frame(None))
    assert table.model.rowCount() == 0
    assert not resets


def test_choosing_a_row_names_its_pair_and_draws_its_points(table: HeapTable, qtbot: QtBot) -> None:
    show(table, frame(heap_rows([(0, 1), (4, 7)])))
    segments: list[np.ndarray] = []
    table.segments_changed.connect(segments.append)
    with qtbot.waitSignal(table.pair_selected) as blocker:
        click(table, qtbot, 1)
    assert blocker.args == [4, 7]
    assert segments[-1].tolist() == [[[4.0, 0.0, 0.0], [7.0, 0.0, 1.0]]]
    assert "ball 4 – ball 7: gap 11.00 mm" in table._caption.text()


def test_the_selection_follows_the_pair_and_not_the_row(table: HeapTable, qtbot: QtBot) -> None:
    show(table, frame(heap_rows([(0, 1), (4, 7), (2, 3)])))
    click(table, qtbot, 1)
    chosen: list[tuple[int, int]] = []
    table.pair_selected.connect(lambda a, b: chosen.append((a, b)))
    for pairs in ([(4, 7), (0, 1)], [(2, 3), (0, 1), (8, 9), (4, 7)], [(0, 1), (4, 7)]):
        show(table, frame(heap_rows(pairs)))
        assert selected_rows(table) == [pairs.index((4, 7))]
        assert table.pair == (4, 7)
    assert chosen == [], "it was chosen once"


def test_a_pair_that_leaves_the_rows_stays_chosen_and_comes_back(table: HeapTable, qtbot: QtBot) -> None:
    show(table, frame(heap_rows([(0, 1), (4, 7)])))
    click(table, qtbot, 1)
    segments: list[np.ndarray] = []
    table.segments_changed.connect(segments.append)
    cleared: list[int] = []
    table.pair_cleared.connect(lambda: cleared.append(1))
    show(table, frame(heap_rows([(0, 1)]), pair=heap_rows([(4, 7)])[0]))
    assert selected_rows(table) == [] and table.pair == (4, 7)
    assert len(segments[-1]) == 1
    assert "further down" in table._caption.text()
    show(table, frame(heap_rows([(0, 1)])))
    assert segments[-1].shape == (0, 2, 3)
    assert "not queued" in table._caption.text()
    show(table, frame(heap_rows([(4, 7)])))
    assert selected_rows(table) == [0]
    assert cleared == []


def test_a_second_click_with_control_lets_go(table: HeapTable, qtbot: QtBot) -> None:
    show(table, frame(heap_rows([(0, 1), (4, 7)])))
    click(table, qtbot, 1)
    viewport = table.view.viewport()
    assert viewport is not None
    spot = table.view.visualRect(table.model.index(1, 0)).center()
    with qtbot.waitSignal(table.pair_cleared):
        qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, spot)
    assert table.pair is None


def test_another_scene_lets_go(table: HeapTable, qtbot: QtBot) -> None:
    show(table, frame(heap_rows([(0, 1)])))
    click(table, qtbot, 0)
    with qtbot.waitSignal(table.pair_cleared):
        table.set_names(("a", "b"))
    assert table.model.rowCount() == 0


def test_rows_are_wanted_only_while_the_table_can_be_seen(table: HeapTable, qtbot: QtBot) -> None:
    show(table, frame(heap_rows([(0, 1)])))
    click(table, qtbot, 0)
    wanted: list[bool] = []
    segments: list[np.ndarray] = []
    table.wanted.connect(wanted.append)
    table.segments_changed.connect(segments.append)
    table.hide()
    assert wanted == [False]
    assert segments[-1].shape == (0, 2, 3)
    show(table, frame(heap_rows([(0, 1), (2, 3)])))
    assert table.model.rowCount() == 1, "nothing is updated unseen"
    table.show()
    assert wanted == [False, True]
    assert table.model.rowCount() == 2
    assert segments[-1].shape == (1, 2, 3)
    table._timer.stop()
