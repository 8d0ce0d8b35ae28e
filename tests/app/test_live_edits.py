"""Values that change while a scene runs, by mouse and keys: a friction is tuned until a sliding block just holds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from app.view.forms.numbers import NumberBox, VectorBox
from app.view.window.main_window import MainWindow
from engine import World
from engine.model.model import MASS
from tests.app.test_timeline import run_until, settle, shoot

LEFT = Qt.MouseButton.LeftButton


def click_tree(window: MainWindow, name: str) -> None:
    (item,) = window.tree.findItems(name, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive)
    window.tree.scrollToItem(item)
    QTest.mouseClick(window.tree.viewport(), LEFT, pos=window.tree.visualItemRect(item).center())


def type_in(window: MainWindow, box: NumberBox, text: str) -> None:
    window.inspector._scroll.ensureWidgetVisible(box)
    QTest.mouseDClick(box, LEFT)
    box.selectAll()
    QTest.keyClicks(box, text)
    QTest.keyClick(box, Qt.Key.Key_Return)


def set_friction(qtbot, window: MainWindow, value: float) -> None:
    type_in(window, window.inspector.findChild(NumberBox, "Friction now"), f"{value:g}")
    path = "material.rubber.friction"
    qtbot.waitUntil(lambda: dict(window.playback.frame.changes).get(path) == (value,), timeout=20_000)


def speed(window: MainWindow) -> float:
    return float(np.linalg.norm(window.playback.frame.twists[1, :3]))


def test_a_friction_is_tuned_until_a_sliding_block_just_holds(
    qtbot, window: MainWindow, ready: Callable[[], None]
) -> None:
    window.files.open_path("block_on_ramp")
    ready()
    scene = window.document.scene
    click_tree(window, "rubber")
    run_until(qtbot, window, 0.2)
    set_friction(qtbot, window, 0.3)  # less than tan 30° = 0.577: it gets faster
    slow = speed(window)
    changed = run_until(qtbot, window, 0.5)
    assert speed(window) > slow
    set_friction(qtbot, window, 1.5)  # more: it stops
    stopped = run_until(qtbot, window, 2.2)
    assert speed(window) < 0.01
    shoot(qtbot, window, "live")
    assert window.document.scene is scene and not window.document.is_modified, "the scene stays as it is"

    world = World(scene)
    world.replay(window.simulation.inputs(), stopped)
    np.testing.assert_array_equal(window.playback.frame.poses, world.poses().astype(np.float32))
    window.simulation.seek(0.5 * changed)
    settle(qtbot, window)
    qtbot.waitUntil(lambda: len(window.playback.frame.changes) == (0.5 * changed > 0.2), timeout=5000)

    QTest.keyClick(window, Qt.Key.Key_Home)
    settle(qtbot, window)
    box = window.inspector.findChild(NumberBox, "Friction now")
    qtbot.waitUntil(lambda: box.value == 0.9, timeout=5000)  # as the scene says
    set_friction(qtbot, window, 0.7)
    frame = window.playback.frame
    assert frame.branch == 2 and frame.branches[0].inputs == 2, "in the past it begins another branch"


def test_velocity_and_gravity_now(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("free_tumble")
    ready()
    name = next(body.name for body in window.document.scene.body if body.motion == "free")
    row = window.document.scene.index(name)
    run_until(qtbot, window, 0.1)
    click_tree(window, name)
    type_in(window, window.inspector.findChild(VectorBox, "Velocity now").boxes[0], "0.25")
    qtbot.waitUntil(lambda: abs(window.playback.frame.twists[row, 0] - 0.25) < 1e-5, timeout=20_000)
    click_tree(window, "World")
    type_in(window, window.inspector.findChild(VectorBox, "Gravity now").boxes[2], "-1.5")
    qtbot.waitUntil(lambda: dict(window.playback.frame.changes).get("world.gravity") is not None, timeout=20_000)
    assert dict(window.playback.frame.changes)["world.gravity"][2] == -1.5


def test_mass_now_of_a_body_whose_mass_follows_from_its_density(
    qtbot, window: MainWindow, ready: Callable[[], None]
) -> None:
    window.files.open_path("block_on_ramp")
    ready()
    run_until(qtbot, window, 0.1)
    click_tree(window, "block")
    world = World(window.document.scene)
    row = world.row("block")
    qtbot.waitUntil(lambda: window.inspector.findChild(NumberBox, "Mass now").value is not None, timeout=5000)
    assert window.inspector.findChild(NumberBox, "Mass now").value == pytest.approx(world.model.bodies[row, MASS])
    type_in(window, window.inspector.findChild(NumberBox, "Mass now"), "500 g")
    qtbot.waitUntil(lambda: dict(window.playback.frame.changes).get("body.block.mass") == (0.5,), timeout=20_000)
    assert window.playback.frame.weights[row] == pytest.approx(0.5 * 9.81)
    assert window.document.scene.body[row].mass is None, "the scene stays as it is"
