"""Repeats made of a body, laid out otherwise, and taken apart: in the window, with undo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QPushButton

from app.document import repeats
from app.view.forms.rows import ChoiceBox
from app.view.window import files
from app.view.window.main_window import MainWindow
from engine.scene.overlaps import overlapping
from engine.scene.paths import set_path, unique_name
from engine.scene.problems import SceneError
from engine.scene.reading import parse_scene
from engine.scene.schema import LAYOUT_KINDS, Scene
from tests.app.test_pendulum_story import click

SCENE = """
format = 1
[[body]]
name = "die"
shape = { box = [0.1, 0.1, 0.1] }
position = [0, 0, 1]
velocity = [0, 0, 1]
[[body]]
name = "other"
shape = { sphere = { radius = 0.1 } }
position = [0, 2, 1]
ignores = ["die"]
"""


def test_a_body_is_repeated_laid_out_and_taken_apart(
    qtbot, window: MainWindow, ready: Callable[[], None], tmp_path: Path
) -> None:
    (tmp_path / "die.toml").write_text(SCENE)
    window.files.open_path(tmp_path / "die.toml")
    ready()
    before = window.document.scene
    click(window, "die")
    window.actions_["edit.repeat"].trigger()
    ready()
    assert window.document.focus == "repeat.die" and len(window.document.scene.repeat[0].bodies) == 3
    choice = window.inspector.page.findChild(ChoiceBox, "Layout")
    choice.setFocus()
    QTest.keyClicks(choice, "Ring")
    choice.activated.emit(choice.currentIndex())
    ready()
    assert window.document.scene.repeat[0].layout_kind == "ring"
    assert window.inspector.page.findChild(ChoiceBox, "Layout").currentText() == "Ring"
    assert not window.banner.isVisible(), window.banner.text.text()
    where = [body.position for body in window.document.scene.repeat[0].bodies]
    window.actions_["edit.take_apart"].trigger()
    ready()
    scene = window.document.scene
    assert scene.repeat == () and [body.name for body in scene.body] == ["other", "die", "die2", "die3"]
    assert [body.position for body in scene.body[1:]] == where
    assert window.document.selection == ("die", "die2", "die3")
    while window.document.undo_stack.canUndo():
        window.document.undo()
    assert window.document.scene == before


@pytest.mark.parametrize("kind", LAYOUT_KINDS)
@pytest.mark.parametrize("count", [3, 20])
def test_no_layout_begins_with_overlaps(kind: str, count: int) -> None:
    scene, _ = repeats.make_repeat(parse_scene(SCENE.encode(), "test"), "die")
    die = scene.repeat[0]
    grid = die.grid.model_copy(update={"count": (count, 1, 1)})
    scene = scene.model_copy(update={"repeat": (die.model_copy(update={"grid": grid}),)})
    laid = repeats.with_layout(scene, "die", kind)
    assert len(laid.repeat[0].bodies) == count and laid.repeat[0].layout_kind == kind
    assert laid.repeat[0].velocity == (0.0, 0.0, 1.0)
    assert overlapping(laid) == []


def test_what_joints_tie_is_not_repeated() -> None:
    tied = SCENE + '[[joint]]\nname = "j"\nkind = "ball"\nbodies = ["die"]\npoint = [0, 0, 1]\n'
    with pytest.raises(SceneError, match="no joints"):
        repeats.make_repeat(parse_scene(tied.encode(), "test"), "die")


def test_a_body_that_is_called_as_a_repeat_becomes_another_one() -> None:
    """Bodies may be called as repeats are: their copies are called otherwise."""
    scene, first = repeats.make_repeat(parse_scene(SCENE.encode(), "test"), "die")
    other = parse_scene(SCENE.encode(), "test").body
    again = scene.model_copy(update={"body": (*scene.body, next(body for body in other if body.name == "die"))})
    scene, second = repeats.make_repeat(again, "die")
    assert (first, second) == ("die", "die2") and [repeat.name for repeat in scene.repeat] == ["die", "die2"]


def test_who_ignores_a_copy_follows_when_the_repeat_goes() -> None:
    scene, _ = repeats.make_repeat(parse_scene(SCENE.encode(), "test"), "die")
    other = scene.body[0].model_copy(update={"ignores": (scene.repeat[0].bodies[0].name,)})
    scene = scene.model_copy(update={"body": (other, *scene.body[1:])})
    apart, names = repeats.take_apart(scene, "die")
    assert apart.body[0].ignores == (names[0],)
    assert repeats.remove_repeat(scene, "die").body[0].ignores == ()


TIED = """
format = 1
[[body]]
name = "post"
shape = { box = [0.1, 0.1, 0.1] }
position = [0, 0, 2]
motion = "fixed"
[[repeat]]
name = "die"
shape = { box = [0.1, 0.1, 0.1] }
position = [0, 2, 1]
grid = { count = [2, 1, 1], spacing = [0.3, 0.3, 0.3] }
[[joint]]
name = "between"
kind = "hinge"
bodies = ["die.0", "die.1"]
point = [0.15, 2, 1]
axis = [0, 1, 0]
[[joint]]
name = "hung"
kind = "ball"
bodies = ["post", "die.0"]
point = [0, 1, 2]
[[joint]]
name = "still"
kind = "weld"
bodies = ["other"]
point = [0, 0, 5]
[[body]]
name = "other"
shape = { box = [0.1, 0.1, 0.1] }
position = [0, 0, 5]
ignores = ["die.1"]
[[controller]]
name = "driver"
file = "driver.py"
rate = 100
bodies = ["die.1", "other"]
joints = ["between", "still"]
"""


@pytest.fixture
def tied(window: MainWindow, ready: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """The scene in the window, which looks at its repeat."""
    (tmp_path / "tied.toml").write_text(TIED)
    (tmp_path / "driver.py").write_text("class Controller:\n    def act(self, world):\n        pass\n")
    monkeypatch.setattr(files, "ask_trust", lambda *_: True)
    monkeypatch.setattr(files, "trust", lambda _: None)
    window.files.open_path(tmp_path / "tied.toml")
    window.document.set_focus("repeat.die")
    return window.document.scene


def test_joints_and_controllers_let_go_of_a_repeat_that_is_deleted(window: MainWindow, tied: Scene) -> None:
    buttons = window.inspector.page.findChildren(QPushButton)
    next(button for button in buttons if button.text() == "Delete all of them").click()
    scene = window.document.scene
    assert scene.repeat == () and [joint.name for joint in scene.joint] == ["still"]
    assert (scene.controller[0].bodies, scene.controller[0].joints) == (("other",), ("still",))
    assert scene.body[1].ignores == ()
    window.document.undo()
    assert window.document.scene == tied


def test_joints_and_controllers_tie_what_a_repeat_was_taken_apart_to(window: MainWindow, tied: Scene) -> None:
    window.actions_["edit.take_apart"].trigger()
    scene = window.document.scene
    first, second = window.document.selection
    assert [joint.bodies for joint in scene.joint] == [(first, second), ("post", first), ("other",)]
    assert (scene.controller[0].bodies, scene.controller[0].joints) == ((second, "other"), ("between", "still"))
    assert scene.body[1].ignores == (second,)
    assert set_path(scene, "joint.hung.bodies", ["post", first]) == scene, "its names lead somewhere"
    window.document.undo()
    assert window.document.scene == tied


def test_new_bodies_are_not_called_as_a_repeat_is() -> None:
    scene, made = repeats.make_repeat(parse_scene(SCENE.encode(), "test"), "die")
    assert made == "die" and unique_name(scene, "die") == "die2"
