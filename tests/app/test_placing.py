"""Drop and push apart in the window: by keys and menu, one step of undo each, and the banner goes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from app.view.window.main_window import MainWindow
from engine.world import World
from tests.app.test_pendulum_story import click

SCENE = """
format = 1
[[body]]
name = "floor"
shape = { plane = {} }
motion = "fixed"
[[body]]
name = "table"
shape = { box = [1.0, 1.0, 0.1] }
position = [0, 0, 0.5]
motion = "fixed"
[[body]]
name = "one"
shape = { box = [0.2, 0.2, 0.2] }
position = [0.0, 0.0, 1.4]
[[body]]
name = "two"
shape = { box = [0.2, 0.2, 0.2] }
position = [0.15, 0.0, 1.4]
[[repeat]]
name = "coin"
shape = { cylinder = { radius = 0.05, length = 0.02 } }
position = [-0.3, 0.0, 1.0]
stack = { count = 3, step = [0.0, 0.0, 0.03] }
"""


def test_boxes_are_pushed_apart_and_dropped_on_the_table(
    qtbot, window: MainWindow, ready: Callable[[], None], tmp_path: Path
) -> None:
    (tmp_path / "boxes.toml").write_text(SCENE)
    window.files.open_path(tmp_path / "boxes.toml")
    qtbot.waitUntil(window.banner.isVisible, timeout=20_000)
    before = window.document.scene
    window.actions_["edit.push_apart"].trigger()
    qtbot.waitUntil(lambda: not window.banner.isVisible(), timeout=20_000)
    ready()
    assert window.document.undo_stack.undoText() == "push 2 bodies apart"
    scene = window.document.scene
    gap = World(scene).distance("one", "two")
    assert 0.0 < gap < 1e-3
    middle = sum(scene.body[scene.index(name)].position[0] for name in ("one", "two")) / 2.0
    assert middle == pytest.approx(0.075, abs=1e-9), "each by half"

    click(window, "one")
    click(window, "two", Qt.KeyboardModifier.ControlModifier)
    window.viewport.surface.setFocus()
    QTest.keyClick(window.viewport.surface, Qt.Key.Key_G, Qt.KeyboardModifier.ShiftModifier)
    ready()
    world = World(window.document.scene)
    for name in ("one", "two"):
        assert 0.0 < world.distance(name, "table") < 1e-3
    assert "Dropped 2 bodies by 0.75 m" in window.status.message

    window.document.set_focus("repeat.coin")
    window.actions_["edit.drop"].trigger()
    ready()
    height = window.document.scene.repeat[0].position[2]
    assert height == pytest.approx(0.56, abs=1e-4), "the stack as a whole"
    for _ in range(3):
        window.document.undo()
    assert window.document.scene == before
