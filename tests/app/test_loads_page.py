"""The inspector's rows for inertia and applied loads of a body."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from app.view.forms.numbers import VectorBox
from app.view.forms.rows import ChoiceBox
from app.view.window.main_window import MainWindow
from engine import World

SCENE = """
format = 1
[world]
gravity = [0, 0, 0]
[[body]]
name = "stick"
shape = { box = [0.1, 0.2, 1.0] }
density = 1000
angular_velocity = [0, 0.01, 5]
force = { value = [0, 0, 5], axes = "body", point = [0, 0, 0.05] }
[[body]]
name = "skew"
shape = { box = [0.1, 0.2, 1.0] }
mass = 2
position = [3, 0, 0]
angular_velocity = [1, 2, 3]
inertia = { tensor = [[0.3, 0.05, 0.02], [0.05, 0.4, 0.01], [0.02, 0.01, 0.2]] }
"""


@pytest.fixture
def opened(window: MainWindow, ready: Callable[[], None], tmp_path: Path) -> MainWindow:
    (tmp_path / "stick.toml").write_text(SCENE)
    window.files.open_path(tmp_path / "stick.toml")
    ready()
    return window


def take(window: MainWindow, name: str, place: int) -> None:
    box = window.inspector.page.findChild(ChoiceBox, name)
    box.setCurrentIndex(place)
    box.activated.emit(place)


@pytest.mark.parametrize("name", ["stick", "skew"])
def test_inertia_in_another_form_is_the_same_inertia(opened: MainWindow, name: str) -> None:
    document = opened.document
    before = World(document.scene).energy()["kinetic"]
    document.select((name,))
    for form in (2, 1, 1, 2, 1):  # a tensor, principal moments, and again
        take(opened, "Inertia", form)
        assert World(document.scene).energy()["kinetic"] == pytest.approx(before, rel=1e-12)
    assert document.scene.body[document.scene.index(name)].inertia.moments is not None
    document.undo_stack.setClean()


def test_a_force_keeps_its_point_and_its_axes_while_it_is_edited_part_by_part(opened: MainWindow) -> None:
    document = opened.document
    document.select(("stick",))
    for axis, text in ((2, "0"), (0, "5")):
        box = opened.inspector.page.findChild(VectorBox, "Force").boxes[axis]
        box.setFocus()
        box.selectAll()
        QTest.keyClicks(box, text)
        QTest.keyClick(box, Qt.Key.Key_Return)
    force = document.scene.body[0].force
    assert force is not None and force.axes == "body"
    assert np.allclose(force.value, (5, 0, 0)) and np.allclose(force.point, (0, 0, 0.05))
    document.undo_stack.setClean()
