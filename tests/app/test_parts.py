"""What shapes consist of, in the inspector: pieces of compounds, outlines, corners of hulls, profiles."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QLabel, QPushButton

from app.view.forms.numbers import NumberBox, VectorBox
from app.view.theme import theme
from app.view.window.main_window import MainWindow
from engine.scene.shapes import BodyShape
from tests.app.test_pendulum_story import SCHEMES, click

LEFT = Qt.MouseButton.LeftButton
SCENE = """
format = 1
[[body]]
name = "floor"
shape = { plane = {} }
motion = "fixed"
[[body]]
name = "hammer"
position = [0, 0, 1]
[[body.shape.compound.pieces]]
shape = { box = [0.1, 0.1, 0.3] }
[[body.shape.compound.pieces]]
shape = { cylinder = { radius = 0.1, length = 0.3 } }
position = [0, 0, 0.25]
orientation = { axis = [1, 0, 0], degrees = 90 }
[[body]]
name = "plate"
shape = { extrusion = { rings = [[[0, 0], [0.4, 0], [0.4, 0.4], [0, 0.4]]], height = 0.1 } }
position = [1, 0, 1]
[[body]]
name = "wedge"
shape = { convex = { vertices = [[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.3]] } }
position = [2, 0, 1]
[[body]]
name = "top"
shape = { revolved = { profile = [[0, 0], [0.2, 0.2], [0, 0.3]] } }
position = [3, 0, 1]
"""


@pytest.fixture
def opened(window: MainWindow, ready: Callable[[], None], tmp_path: Path) -> MainWindow:
    (tmp_path / "parts.toml").write_text(SCENE)
    window.files.open_path(tmp_path / "parts.toml")
    ready()
    return window


def shape(window: MainWindow, name: str) -> BodyShape:
    scene = window.document.scene
    return scene.body[scene.index(name)].shape


def press(window: MainWindow, name: str) -> None:
    button = window.inspector.page.findChild(QPushButton, name)
    assert button.isEnabled()
    button.click()


def said(window: MainWindow) -> list[str]:
    """What is wrong, under the rows that are seen."""
    return [label.text() for label in window.inspector.page.findChildren(QLabel, "error") if label.isVisible()]


def type_number(box: NumberBox, text: str) -> None:
    box.setFocus()
    box.selectAll()
    QTest.keyClicks(box, text)
    QTest.keyClick(box, Qt.Key.Key_Return)


def take_pictures(qtbot, window: MainWindow, name: str) -> None:
    if folder := os.environ.get("CAROM_PICTURES"):
        for scheme in SCHEMES:
            theme().apply(scheme)
            qtbot.wait(500)
            window.grab().save(f"{folder}/parts_{name}_{scheme}.png")
        theme().apply("dark")


def test_pieces_are_changed_added_and_taken_out(qtbot, opened: MainWindow, ready: Callable[[], None]) -> None:
    window, before = opened, opened.document.scene
    click(window, "hammer")
    take_pictures(qtbot, window, "hammer")
    page = window.inspector.page
    type_number(page.findChild(NumberBox, "Length"), "40 cm")
    type_number(page.findChildren(VectorBox, "Position")[1].boxes[2], "0.3")
    ready()
    pieces = shape(window, "hammer").value.pieces
    assert pieces[1].shape.value.length == 0.4 and pieces[1].position == (0.0, 0.0, 0.3)
    assert pieces[1].orientation.degrees == 90.0
    press(window, "copy_piece_1")
    assert [p.shape.kind for p in shape(window, "hammer").value.pieces] == ["box", "cylinder", "cylinder"]
    press(window, "add_piece")
    assert [p.shape.kind for p in shape(window, "hammer").value.pieces][3] == "box"
    for _ in range(3):
        press(window, "delete_piece_0")
    assert len(shape(window, "hammer").value.pieces) == 1
    press(window, "delete_piece_0")
    qtbot.waitUntil(lambda: len(said(window)) > 0)
    assert len(said(window)) == 1 and "no pieces" in said(window)[0]
    assert len(shape(window, "hammer").value.pieces) == 1, "nothing is lost"
    while window.document.undo_stack.canUndo():
        window.document.undo()
    assert window.document.scene == before


def test_corners_of_outlines_hulls_and_profiles(qtbot, opened: MainWindow, ready: Callable[[], None]) -> None:
    window = opened
    click(window, "plate")
    take_pictures(qtbot, window, "plate")
    type_number(window.inspector.page.findChild(VectorBox, "Outline 3").boxes[0], "0.6")
    assert shape(window, "plate").value.rings == (((0.0, 0.0), (0.4, 0.0), (0.6, 0.4), (0.0, 0.4)),)
    press(window, "add_to_Outline")
    assert shape(window, "plate").value.rings[0][3] == (0.3, 0.4)
    press(window, "delete_from_Outline")
    assert len(shape(window, "plate").value.rings[0]) == 4
    click(window, "wedge")
    type_number(window.inspector.page.findChild(VectorBox, "Corners 4").boxes[2], "0.5")
    assert shape(window, "wedge").value.vertices[3] == (0.0, 0.0, 0.5)
    click(window, "top")
    type_number(window.inspector.page.findChild(VectorBox, "Profile 2").boxes[0], "0.25")
    assert shape(window, "top").value.profile[1] == (0.25, 0.2)
    ready()
    assert not window.banner.isVisible(), window.banner.text.text()


def test_an_outline_that_crosses_itself_is_told(qtbot, opened: MainWindow) -> None:
    window, before = opened, opened.document.scene
    click(window, "plate")
    type_number(window.inspector.page.findChild(VectorBox, "Outline 3").boxes[1], "-1")
    assert window.document.scene == before
    qtbot.waitUntil(lambda: any(said(window)))
