"""What shapes consist of, in the inspector: pieces of compounds, outlines, corners of hulls, profiles."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QLabel, QPushButton

from app.view.forms.numbers import NumberBox, ScrubLabel, VectorBox
from app.view.forms.rows import Form
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
[[body]]
name = "cairn"
position = [4, 0, 1]
[[body.shape.compound.pieces]]
shape = { convex = { vertices = [[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.3]] } }
[[body.shape.compound.pieces]]
shape = { revolved = { profile = [[0.2, 0], [0.1, 0.2]] } }
position = [0, 0, 0.3]
[[body]]
name = "letters"
position = [5, 0, 1]
[body.shape.extrusion]
height = 0.1
rings = [
    [[0, 0], [1, 0], [1, 1], [0, 1]],
    [[2, 0], [2.3, 0], [2.3, 0.3], [2, 0.3]],
    [[0.1, 0.1], [0.9, 0.1], [0.9, 0.9], [0.1, 0.9]],
    [[0.4, 0.4], [0.6, 0.4], [0.6, 0.6], [0.4, 0.6]],
]
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


def headings(window: MainWindow) -> list[str]:
    return [form._head.text() for form in window.inspector.page.findChildren(Form)]


def test_corners_and_profiles_of_pieces(qtbot, opened: MainWindow, ready: Callable[[], None]) -> None:
    window, before = opened, opened.document.scene
    click(window, "cairn")
    take_pictures(qtbot, window, "cairn")
    type_number(window.inspector.page.findChild(VectorBox, "Piece 1 corners 4").boxes[2], "40 cm")
    type_number(window.inspector.page.findChild(VectorBox, "Piece 2 profile 1").boxes[0], "0.25")
    press(window, "add_to_Piece 2 profile")
    pieces = shape(window, "cairn").value.pieces
    assert pieces[0].shape.value.vertices[3] == (0.0, 0.0, 0.4)
    assert pieces[1].shape.value.profile == ((0.25, 0.0), (0.2, 0.1), (0.1, 0.2))
    for _ in range(3):
        press(window, "add_to_Piece 2 profile")
    assert len(shape(window, "cairn").value.pieces[1].shape.value.profile) == 6, "it stays convex"
    ready()
    assert not window.banner.isVisible(), window.banner.text.text()
    while window.document.undo_stack.canUndo():
        window.document.undo()
    assert window.document.scene == before


def test_a_part_beside_the_first_is_no_hole(qtbot, opened: MainWindow) -> None:
    window = opened
    click(window, "letters")
    take_pictures(qtbot, window, "letters")
    rings = [text.partition(":")[0] for text in headings(window) if "points" in text]
    assert rings == ["Outline 1", "Outline 2", "Hole 1", "Outline 3"]
    window.document.set_value("body.letters.shape.extrusion.rings[1]", [[0.2, 0.2], [0.3, 0.2], [0.3, 0.3], [0.2, 0.3]])
    window.document.set_value("body.letters.shape.extrusion.rings[2]", [[3, 0], [4, 0], [4, 1]])
    rings = [text.partition(":")[0] for text in headings(window) if "points" in text]
    assert rings == ["Outline 1", "Hole 1", "Outline 2", "Hole 2"]
    click(window, "plate")
    assert "Outline: 4 points" in headings(window)


def test_the_axis_of_a_piece_is_in_the_frame_of_its_body(opened: MainWindow) -> None:
    click(opened, "hammer")
    axes = [label for label in opened.inspector.page.findChildren(ScrubLabel) if label.text() == "Axis"]
    hints = {label.parentWidget().parentWidget()._head.text(): label.toolTip() for label in axes}
    assert hints["Initial pose"] == "Rotation axis, world axes"
    assert hints["Piece 1"] == hints["Piece 2"] == "Rotation axis, in the body's frame"


def test_a_message_goes_when_its_cause_does(qtbot, opened: MainWindow) -> None:
    window = opened
    for name, title, text in (("wedge", "Corners", "0.2"), ("top", "Profile", "0.25")):
        click(window, name)
        qtbot.waitUntil(window.inspector.page.isVisible)
        while not said(window):
            before = window.document.scene
            press(window, f"delete_from_{title}")
            qtbot.waitUntil(window.inspector.page.isVisible)
        assert window.document.scene == before, "nothing is lost"
        type_number(window.inspector.page.findChild(VectorBox, f"{title} 2").boxes[0], text)
        assert window.document.scene != before and said(window) == []
