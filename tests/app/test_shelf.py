"""The shelf: shapes are dropped into the picture, materials onto bodies; keys take them too."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QMimeData, QPoint, QPointF, QSettings, Qt, QUrl
from PyQt6.QtGui import QDragEnterEvent, QDropEvent, QFontMetrics
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QListWidgetItem

from app.document.stock import STOCK
from app.view.theme import theme
from app.view.window.main_window import MainWindow
from tests.app.test_pendulum_story import SCHEMES, click

NONE, LEFT, COPY = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton, Qt.DropAction.CopyAction
SCENE = """
format = 1
[material.oak]
friction = 0.4
[[body]]
name = "floor"
shape = { plane = {} }
motion = "fixed"
[[body]]
name = "table"
shape = { box = [1.0, 1.0, 0.4] }
position = [0, 0, 0.2]
motion = "fixed"
material = "oak"
"""


@pytest.fixture
def opened(window: MainWindow, ready: Callable[[], None], tmp_path: Path) -> MainWindow:
    (tmp_path / "table.toml").write_text(SCENE)
    window.files.open_path(tmp_path / "table.toml")
    ready()
    window.workspace.show_left(window.shelf)
    return window


def item(window: MainWindow, text: str) -> QListWidgetItem:
    (found,) = window.shelf.findItems(text, Qt.MatchFlag.MatchExactly)
    return found


def drop(window: MainWindow, data: QMimeData, at: QPoint) -> bool:
    """Brings something over the picture and lets it go; whether it was taken."""
    surface = window.viewport.surface
    enters = QDragEnterEvent(at, COPY, data, LEFT, NONE)
    QApplication.sendEvent(surface, enters)
    if not enters.isAccepted():
        return False
    falls = QDropEvent(QPointF(at), COPY, data, LEFT, NONE)
    QApplication.sendEvent(surface, falls)
    return falls.isAccepted()


def pixel(window: MainWindow, point: tuple[float, float, float]) -> QPoint:
    x, y, _ = window.viewport.project(point)
    return QPoint(round(x), round(y))


def test_a_shape_is_dropped_onto_the_table(qtbot, opened: MainWindow, ready: Callable[[], None]) -> None:
    window = opened
    if folder := os.environ.get("CAROM_PICTURES"):
        for scheme in SCHEMES:
            theme().apply(scheme)
            qtbot.wait(500)
            window.grab().save(f"{folder}/shelf_{scheme}.png")
        theme().apply("dark")
    data = window.shelf.mimeData([item(window, "Sphere")])
    assert drop(window, data, pixel(window, (0.1, 0.0, 0.4)))
    ready()
    scene = window.document.scene
    ball = scene.body[-1]
    assert window.document.selection == (ball.name,) and ball.shape.kind == "sphere"
    assert np.hypot(ball.position[0] - 0.1, ball.position[1]) < 0.02, "under the pointer"
    assert 0.0 < ball.position[2] - 0.4 - ball.shape.value.radius < 1e-3, "on the table"
    assert not window.banner.isVisible(), window.banner.text.text()
    window.document.undo()
    assert len(window.document.scene.body) == 2, "one step"


def test_a_material_is_dropped_onto_a_body_and_on_nothing(opened: MainWindow) -> None:
    window = opened
    assert drop(window, window.shelf.mimeData([item(window, "steel")]), pixel(window, (0.0, 0.0, 0.4)))
    scene = window.document.scene
    assert scene.body[1].material == "steel" and scene.material["steel"] == STOCK["steel"]
    assert scene.body[0].material is None
    window.document.undo()
    assert window.document.scene.body[1].material == "oak" and "steel" not in window.document.scene.material
    before = window.document.scene
    window.document.select(())
    window.shelf.setCurrentItem(item(window, "ice"))
    QTest.keyClick(window.shelf, Qt.Key.Key_Return)
    assert window.document.scene == before and "no body is selected" in window.status.message


def test_enter_takes_what_is_chosen(opened: MainWindow) -> None:
    window = opened
    window.workspace.show_left(window.tree)
    click(window, "table")
    window.workspace.show_left(window.shelf)
    window.shelf.setFocus()
    window.shelf.setCurrentItem(item(window, "rubber"))
    QTest.keyClick(window.shelf, Qt.Key.Key_Return)
    assert window.document.scene.body[1].material == "rubber"


def test_files_go_on_to_the_window(opened: MainWindow) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/nowhere/scene.toml")])
    surface = opened.viewport.surface
    enters = QDragEnterEvent(QPoint(50, 50), COPY, data, LEFT, NONE)
    enters.ignore()
    QApplication.sendEvent(surface, enters)
    QApplication.sendEvent(opened, enters)
    assert enters.isAccepted()


def test_colours_change_when_a_window_is_gone(qtbot, stored: QSettings, kernels: None) -> None:
    gone = MainWindow()
    gone.close()
    gone.deleteLater()
    qtbot.wait(10)
    for scheme in SCHEMES:
        theme().apply(scheme)  # an error in what is called fails the test


def test_every_word_has_room_in_its_cell(opened: MainWindow) -> None:
    """Of names that are no longer than shapes' are: a cell would end a longer word with dots."""
    items = [opened.shelf.item(row) for row in range(opened.shelf.count())]
    assert "Superquadric" in [one.text() for one in items]
    for one in items:
        longest = max(one.text().split(), key=len)
        if len(longest) <= len("Superquadric"):
            assert QFontMetrics(one.font()).horizontalAdvance(longest) <= 62, one.text()
