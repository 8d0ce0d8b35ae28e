"""Keys in the inspector, of loads that change and of scripted motions: seen, edited, added and taken out."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtWidgets import QLabel, QPushButton, QWidget

from app.view.forms.numbers import NumberBox, VectorBox
from app.view.forms.rows import ChoiceBox, Form
from app.view.theme import theme
from app.view.window.main_window import MainWindow
from engine.scene.motions import Keyframes
from engine.scene.schema import Body
from tests.app.test_bodies_page import type_number
from tests.app.test_pendulum_story import SCHEMES

SCENE = """
format = 1
[world]
gravity = [0, 0, 0]
[[body]]
name = "rocket"
shape = { box = [0.1, 0.2, 1.0] }
force = { axes = "body", point = [0, 0, 0.1], keys = [
    { time = 0, value = [0, 0, 0] }, { time = 1, value = [0, 0, 8] } ] }
torque = [0, 0, 2]
[[body]]
name = "brick"
shape = { box = [0.1, 0.1, 0.1] }
position = [2, 0, 0]
torque = { keys = [{ time = 3, value = [1, 0, 0] }] }
[[repeat]]
name = "dart"
shape = { box = [0.1, 0.1, 0.1] }
position = [0, 4, 0]
grid = { count = [2, 1, 1], spacing = [0.5, 0.5, 0.5] }
force = [0, 1, 0]
[[body]]
name = "cart"
shape = { box = [0.1, 0.1, 0.1] }
position = [4, 0, 0]
motion = { keyframes = { end = "loop", keys = [
    { time = 0 }, { time = 1, offset = [0, 0, 0.3] }, { time = 2.5, offset = [0, 0.3, 0.3] }, { time = 4 } ] } }
"""


@pytest.fixture
def opened(window: MainWindow, ready: Callable[[], None], tmp_path: Path) -> MainWindow:
    (tmp_path / "keys.toml").write_text(SCENE)
    window.files.open_path(tmp_path / "keys.toml")
    ready()
    return window


def body(window: MainWindow, name: str) -> Body:
    scene = window.document.scene
    return scene.body[scene.index(name)]


def keys(window: MainWindow, name: str, load: str = "force") -> list[tuple[float, tuple[float, float, float]]]:
    return [(key.time, key.value) for key in getattr(body(window, name), load).keys]


def path_of(window: MainWindow) -> Keyframes:
    return body(window, "cart").motion.keyframes


def box(window: MainWindow, kind: type, name: str, place: int = 0) -> QWidget:
    return window.inspector.page.findChildren(kind, name)[place]


def button(window: MainWindow, text: str, place: int = 0) -> QPushButton:
    return [one for one in window.inspector.page.findChildren(QPushButton) if one.text() == text][place]


def over_time(window: MainWindow, row: int, place: int = 0) -> None:
    choice = box(window, ChoiceBox, "    over time", place)
    choice.setCurrentIndex(row)
    choice.activated.emit(row)


def said(window: MainWindow) -> list[str]:
    errors = window.inspector.page.findChildren(QLabel, "error")
    return [label.text() for label in errors if label.text() and not label.isHidden()]


def titles(window: MainWindow) -> list[str]:
    return [form._head.text() for form in window.inspector.page.findChildren(Form)]


def take_pictures(qtbot, window: MainWindow, name: str) -> None:
    if folder := os.environ.get("CAROM_PICTURES"):
        for scheme in SCHEMES:
            theme().apply(scheme)
            qtbot.wait(500)
            window.inspector.page.grab().save(f"{folder}/keys_{name}_{scheme}.png")
        theme().apply("dark")


def test_keys_of_a_force_are_seen_and_edited(qtbot, opened: MainWindow) -> None:
    opened.document.select(("rocket",))
    take_pictures(qtbot, opened, "rocket")
    before = opened.document.scene
    assert "Force key 0" in titles(opened) and "Force key 1" in titles(opened)
    type_number(box(opened, NumberBox, "Time", 1), "500 ms")
    type_number(box(opened, VectorBox, "Force", 1).boxes[2], "1.2 kN")
    assert keys(opened, "rocket") == [(0.0, (0.0, 0.0, 0.0)), (0.5, (0.0, 0.0, 1200.0))]
    assert opened.document.undo_stack.undoText() == "change force of rocket"
    for _ in range(2):
        opened.document.undo()
    assert opened.document.scene == before
    opened.document.redo()
    assert box(opened, NumberBox, "Time", 1).value == 0.5


def test_keys_of_a_load_are_added_and_taken_out(opened: MainWindow) -> None:
    opened.document.select(("rocket",))
    before = opened.document.scene
    assert opened.inspector.page.minimumSizeHint().width() <= opened.inspector.minimumWidth(), "nothing is cut off"
    button(opened, "Add key").click()
    assert keys(opened, "rocket")[2] == (2.0, (0.0, 0.0, 8.0)), "like the last one, as long after it"
    type_number(box(opened, NumberBox, "Time", 2), "4")
    button(opened, "Remove last key").click()
    button(opened, "Remove last key").click()
    assert keys(opened, "rocket") == [(0.0, (0.0, 0.0, 0.0))]
    remove = button(opened, "Remove last key")
    assert not remove.isEnabled() and "only key" in remove.toolTip()
    button(opened, "Add key").click()
    assert [time for time, _ in keys(opened, "rocket")] == [0.0, 1.0]
    force = body(opened, "rocket").force
    assert force.axes == "body" and force.point == (0.0, 0.0, 0.1), "nothing else changes"
    while opened.document.undo_stack.canUndo():
        opened.document.undo()
    assert opened.document.scene == before


def test_times_that_do_not_increase_are_told_and_nothing_is_lost(qtbot, opened: MainWindow) -> None:
    opened.document.select(("rocket",))
    before = opened.document.scene
    type_number(box(opened, NumberBox, "Time", 0), "1")
    assert opened.document.scene == before
    assert said(opened) == ["key 1 is at 1 s; right would be: more than the 1 s of the key before"]
    type_number(box(opened, NumberBox, "Time", 1), "2")
    assert keys(opened, "rocket")[1][0] == 2.0 and said(opened) == []


def test_a_constant_load_gets_keys_and_a_load_by_keys_becomes_constant(opened: MainWindow) -> None:
    opened.document.select(("rocket",))
    before = opened.document.scene
    over_time(opened, 1, 1)
    assert keys(opened, "rocket", "torque") == [(0.0, (0.0, 0.0, 2.0)), (1.0, (0.0, 0.0, 2.0))]
    assert opened.document.undo_stack.undoText() == "change torque of rocket"
    over_time(opened, 0, 1)
    assert body(opened, "rocket").torque == before.body[0].torque
    over_time(opened, 0)
    force = body(opened, "rocket").force
    assert (force.value, force.axes, force.point) == ((0.0, 0.0, 8.0), "body", (0.0, 0.0, 0.1))
    assert box(opened, VectorBox, "Force").boxes[2].value == 8.0
    over_time(opened, 0)
    for _ in range(3):
        opened.document.undo()
    assert opened.document.scene == before, "the kind that it is already is no step"


def test_a_body_without_a_load_gets_one_by_keys(opened: MainWindow) -> None:
    opened.document.select(("brick",))
    over_time(opened, 1)
    assert keys(opened, "brick") == [(0.0, (0.0, 0.0, 0.0)), (1.0, (0.0, 0.0, 0.0))]
    over_time(opened, 0)
    assert body(opened, "brick").force is None


def test_keys_that_several_bodies_have_are_edited_together(opened: MainWindow) -> None:
    document = opened.document
    document.set_value("body.rocket.force", None)
    document.set_value("body.rocket.torque", {"keys": [{"time": 2.0, "value": [0.0, 5.0, 0.0]}]})
    document.select(("rocket", "brick"))
    type_number(box(opened, VectorBox, "Torque").boxes[2], "7")
    assert keys(opened, "rocket", "torque") == [(2.0, (0.0, 5.0, 7.0))]
    assert keys(opened, "brick", "torque") == [(3.0, (1.0, 0.0, 7.0))]
    button(opened, "Add key").click()
    assert [keys(opened, name, "torque")[1][0] for name in ("rocket", "brick")] == [3.0, 4.0]
    over_time(opened, 0, 1)
    assert [body(opened, name).torque.value for name in ("rocket", "brick")] == [(0.0, 5.0, 7.0), (1.0, 0.0, 7.0)]


def test_keys_of_a_body_that_is_repeated(opened: MainWindow) -> None:
    document = opened.document
    document.set_focus("repeat.dart")
    over_time(opened, 1)
    button(opened, "Add key").click()
    type_number(box(opened, VectorBox, "Force", 2).boxes[1], "-1")
    assert [key.value for key in document.scene.repeat[0].force.keys] == [(0, 1, 0), (0, 1, 0), (0, -1, 0)]


def test_the_point_of_a_force_stands_with_the_force(qtbot, opened: MainWindow) -> None:
    opened.document.select(("rocket",))
    page = opened.inspector.page
    qtbot.waitUntil(page.isVisible)
    above = {name: box(opened, VectorBox, name).mapTo(page, QWidget().pos()).y() for name in ("    at", "Torque")}
    assert above["    at"] < above["Torque"]


def test_many_keys_are_folded_but_for_the_last(opened: MainWindow) -> None:
    many = [{"time": float(k), "value": [float(k), 0.0, 0.0]} for k in range(9)]
    opened.document.set_value("body.brick.force", {"keys": many})
    opened.document.select(("brick",))
    forms = [form for form in opened.inspector.page.findChildren(Form) if form._head.text().startswith("Force key ")]
    assert [form._body.isHidden() for form in forms] == [True] * 8 + [False]
    opened.document.set_value("body.brick.force.keys[3].time", 3.5)
    assert titles(opened)[titles(opened).index("Force key 2: 2 s") + 1] == "Force key 3: 3.5 s"
    opened.document.set_value(
        "body.brick.force", {"keys": [one | {"time": 0.1 * k} for k, one in enumerate(many * 30)]}
    )
    assert opened.inspector.page.findChild(VectorBox, "Force") is None, "too many for rows"


def test_the_last_key_of_a_path_that_loops_goes_and_it_stays_closed(qtbot, opened: MainWindow) -> None:
    opened.document.select(("cart",))
    take_pictures(qtbot, opened, "cart")
    before = opened.document.scene
    button(opened, "Remove last key").click()
    assert [(key.time, key.move) for key in path_of(opened).keys] == [
        (0.0, (0.0, 0.0, 0.0)), (1.0, (0.0, 0.0, 0.3)), (2.5, (0.0, 0.0, 0.0))
    ]  # fmt: skip
    opened.document.undo()
    assert opened.document.scene == before
    button(opened, "Add key").click()
    assert path_of(opened).keys[4].time == 5.5
    button(opened, "Remove last key").click()
    assert opened.document.scene == before, "the way back"
    for _ in range(2):
        button(opened, "Remove last key").click()
    remove = button(opened, "Remove last key")
    assert not remove.isEnabled() and remove.toolTip() == "A path needs two keys"


def test_a_key_that_cannot_go_says_why_until_that_is_mended(qtbot, opened: MainWindow) -> None:
    """Half a turn from one key to the next does not say which way."""
    path = "body.cart.motion.keyframes"
    turns = [0.0, 90.0, 180.0, 90.0, 0.0]
    made = [{"time": float(k), "turn": {"axis": [0, 0, 1], "degrees": turn}} for k, turn in enumerate(turns)]
    opened.document.set_value(path, {"end": "loop", "keys": made})
    opened.document.select(("cart",))
    before = opened.document.scene
    button(opened, "Remove last key").click()
    assert opened.document.scene == before
    assert len(said(opened)) == 1 and "half a turn" in said(opened)[0]
    type_number(box(opened, NumberBox, "Angle", 3), "120")
    assert said(opened) == []


def test_a_refused_choice_says_why_until_that_is_mended(opened: MainWindow) -> None:
    path = "body.cart.motion.keyframes"
    opened.document.set_value(path, {"keys": [{"time": 0.0}, {"time": 1.0, "offset": [0.0, 0.0, 0.1]}]})
    opened.document.select(("cart",))
    choice = box(opened, ChoiceBox, "At the end")
    choice.setCurrentIndex(1)
    choice.activated.emit(1)
    assert len(said(opened)) == 1 and "last key is not where its first is" in said(opened)[0]
    type_number(box(opened, VectorBox, "Offset", 1).boxes[2], "0")
    assert said(opened) == [] and choice.currentText() == "Hold the last pose"
