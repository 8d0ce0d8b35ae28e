"""Several bodies in the inspector: every field they share, mixed values said so, one step of undo for all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from app.view.forms.numbers import MIXED, NumberBox, VectorBox
from app.view.forms.rows import ChoiceBox
from app.view.inspector.bodies_page import BodiesPage, filled, merged
from app.view.theme import theme
from app.view.window.main_window import MainWindow
from engine.scene.schema import Body
from tests.app.test_joints import type_into
from tests.app.test_pendulum_story import SCHEMES, click

LEFT, CTRL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier
SCENE = """
format = 1
[material.wood]
friction = 0.5
[material.steel]
friction = 0.2
[[body]]
name = "floor"
shape = { plane = {} }
motion = "fixed"
[[body]]
name = "one"
shape = { box = [0.2, 0.2, 0.2] }
position = [0.0, 0.0, 0.2]
material = "wood"
velocity = [1, 0, 0]
[[body]]
name = "two"
shape = { box = [0.2, 0.3, 0.2] }
position = [0.5, 0.0, 0.4]
material = "steel"
orientation = { axis = [0, 0, 1], degrees = 30 }
[[body]]
name = "ball"
shape = { sphere = { radius = 0.1 } }
position = [1.0, 0.0, 0.3]
"""


def body(window: MainWindow, name: str) -> Body:
    scene = window.document.scene
    return scene.body[scene.index(name)]


@pytest.fixture
def opened(window: MainWindow, ready: Callable[[], None], tmp_path: Path) -> MainWindow:
    (tmp_path / "boxes.toml").write_text(SCENE)
    window.files.open_path(tmp_path / "boxes.toml")
    ready()
    click(window, "one")
    click(window, "two", CTRL)
    assert window.document.selection == ("one", "two")
    return window


def type_number(box: NumberBox, text: str) -> None:
    QTest.mouseDClick(box, LEFT)
    QTest.keyClicks(box, text)
    QTest.keyClick(box, Qt.Key.Key_Return)


def test_what_is_typed_goes_to_all_and_what_is_not_stays(qtbot, opened: MainWindow) -> None:
    window, before = opened, opened.document.scene
    x, y, z = window.inspector.page.findChild(VectorBox, "Position").boxes
    assert [box.text() for box in (x, y, z)] == ["", "0", ""]
    assert [box.placeholderText() for box in (x, y, z)] == ["mixed", "", "mixed"]
    if folder := os.environ.get("CAROM_PICTURES"):
        for scheme in SCHEMES:
            theme().apply(scheme)
            qtbot.wait(400)
            window.grab().save(f"{folder}/bodies_{scheme}.png")
        theme().apply("dark")
        x, y, z = window.inspector.page.findChild(VectorBox, "Position").boxes
    type_number(z, "5 cm")
    assert body(window, "one").position == (0.0, 0.0, 0.05)
    assert body(window, "two").position == (0.5, 0.0, 0.05), "its own x"
    assert window.document.undo_stack.undoText() == "change position of 2 bodies"
    window.document.undo()
    assert window.document.scene == before, "one step"


def test_shapes_rotations_masses_and_materials_of_all(opened: MainWindow) -> None:
    window = opened
    type_number(window.inspector.page.findChild(VectorBox, "Size").boxes[1], "0.4")
    assert [body(window, name).shape.value for name in ("one", "two")] == [(0.2, 0.4, 0.2)] * 2
    angle = window.inspector.page.findChild(NumberBox, "Angle")
    assert angle.placeholderText() == "mixed"
    type_into(window, "Angle", "45")
    for name in ("one", "two"):
        assert body(window, name).orientation.degrees == 45.0 and body(window, name).orientation.axis == (0, 0, 1)
    type_into(window, "Mass", "500 g")
    assert [body(window, name).mass for name in ("one", "two")] == [0.5, 0.5]
    choice = window.inspector.page.findChild(ChoiceBox, "Material")
    assert choice.currentIndex() == -1 and choice.placeholderText() == "mixed"
    choice.setFocus()
    QTest.keyClicks(choice, "steel")
    choice.activated.emit(choice.currentIndex())
    assert [body(window, name).material for name in ("one", "two")] == ["steel", "steel"]
    assert window.inspector.page.findChild(ChoiceBox, "Material").currentText() == "steel"


def test_what_cannot_be_is_told_and_nothing_is_lost(opened: MainWindow) -> None:
    window, before = opened, opened.document.scene
    type_into(window, "Mass", "-1")
    assert window.inspector.page.findChild(NumberBox, "Mass").property("invalid")
    assert window.document.scene == before


def test_different_shapes_share_their_other_rows(opened: MainWindow) -> None:
    window = opened
    click(window, "ball", CTRL)
    assert window.document.selection == ("one", "two", "ball")
    assert window.inspector.page.findChild(VectorBox, "Size") is None
    type_number(window.inspector.page.findChild(VectorBox, "Velocity").boxes[2], "2")
    assert [body(window, name).velocity for name in ("one", "two", "ball")] == [(1, 0, 2), (0, 0, 2), (0, 0, 2)]
    click(window, "floor", CTRL)
    assert window.inspector.page.findChild(VectorBox, "Velocity") is None, "the floor has none"
    assert window.inspector.page.findChild(ChoiceBox, "Material") is not None


def test_values_merge_number_by_number() -> None:
    assert merged([1.0, 1.0]) == 1.0 and merged(["a", "b"]) is MIXED
    assert merged([(1.0, 2.0), (1.0, 3.0)]) == [1.0, MIXED]
    assert filled([MIXED, 5.0], (1.0, 2.0)) == [1.0, 5.0]


def test_no_more_values_are_asked_for_than_it_takes() -> None:
    asked: list[int] = []

    def values(of: Callable[[int], object]) -> Iterator[object]:
        for number in range(1000):
            asked.append(number)
            yield of(number)

    assert merged(values(float)) is MIXED and len(asked) == 2
    asked.clear()
    assert merged(values(lambda k: (float(k), 1.0))) == [MIXED, 1.0] and len(asked) == 1000, "one may still differ"
    asked.clear()
    assert merged(values(lambda k: (float(k), -float(k)))) == [MIXED, MIXED] and len(asked) == 2


def test_very_many_bodies_have_no_rows(window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("domino_spiral")
    ready()
    (repeat,) = window.document.scene.repeat
    window.document.set_focus(f"repeat.{repeat.name}")
    window.actions_["edit.take_apart"].trigger()
    assert len(window.document.selection) == len(repeat.bodies) > 200
    page = window.inspector.page
    assert isinstance(page, BodiesPage) and page.heading(window.document.scene) == f"{len(repeat.bodies)} bodies"
    assert page.findChildren(NumberBox) == []
