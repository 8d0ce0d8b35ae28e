"""Values that change while a scene runs, by mouse and keys: a friction is tuned until a sliding block just holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest

from app.simulation.breaks import Break
from app.simulation.run_file import open_run
from app.view.forms.numbers import NumberBox, ScrubLabel, VectorBox
from app.view.window.main_window import MainWindow
from app.view.window.waiting import Progress
from engine import World
from engine.model.model import MASS
from tests.app.test_timeline import drag_mouse, run_until, settle, shoot
from tests.unit.test_changes import swing

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
    type_in(window, window.inspector.page.findChild(NumberBox, "Friction now"), f"{value:g}")
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
    first = run_until(qtbot, window, 0.2)  # or a little later, as a window is busy
    set_friction(qtbot, window, 0.3)  # less than tan 30° = 0.577: it gets faster
    assert window.playback.frame.inputs == (window.playback.frame.time,), "marked at once, while the run stands"
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
    qtbot.waitUntil(lambda: len(window.playback.frame.changes) == (0.5 * changed >= first), timeout=5000)

    QTest.keyClick(window, Qt.Key.Key_Home)
    settle(qtbot, window)
    box = window.inspector.page.findChild(NumberBox, "Friction now")
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
    type_in(window, window.inspector.page.findChild(VectorBox, "Velocity now").boxes[0], "0.25")
    qtbot.waitUntil(lambda: abs(window.playback.frame.twists[row, 0] - 0.25) < 1e-5, timeout=20_000)
    click_tree(window, "World")
    type_in(window, window.inspector.page.findChild(VectorBox, "Gravity now").boxes[2], "-1.5")
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
    qtbot.waitUntil(lambda: window.inspector.page.findChild(NumberBox, "Mass now").value is not None, timeout=5000)
    assert window.inspector.page.findChild(NumberBox, "Mass now").value == pytest.approx(world.model.bodies[row, MASS])
    type_in(window, window.inspector.page.findChild(NumberBox, "Mass now"), "500 g")
    qtbot.waitUntil(lambda: dict(window.playback.frame.changes).get("body.block.mass") == (0.5,), timeout=20_000)
    assert window.playback.frame.weights[row] == pytest.approx(0.5 * 9.81)
    assert window.document.scene.body[row].mass is None, "the scene stays as it is"


SPRUNG = """
format = 1
[[body]]
name = "post"
motion = "fixed"
shape.box = [0.1, 0.1, 0.1]
position = [0.0, 0.0, 1.0]
[[body]]
name = "weight"
shape.box = [0.1, 0.1, 0.1]
mass = 2.0
position = [0.5, 0.0, 1.0]
[[joint]]
name = "rail"
kind = "slider"
bodies = ["post", "weight"]
point = [0.5, 0.0, 1.0]
axis = [1.0, 0.0, 0.0]
position = 0.2
spring = { stiffness = 50.0 }
"""


def test_the_spring_of_a_joint_is_typed_and_dragged_while_the_scene_runs(
    qtbot, window: MainWindow, ready: Callable[[], None], tmp_path: Path
) -> None:
    (tmp_path / "sprung.toml").write_text(SPRUNG)
    window.files.open_path(str(tmp_path / "sprung.toml"))
    ready()
    scene = window.document.scene
    click_tree(window, "rail")
    run_until(qtbot, window, 0.2)
    stiffness = window.inspector.page.findChild(NumberBox, "Spring now")
    assert window.inspector.page.findChild(NumberBox, "Friction now") is None, "it has none"
    qtbot.waitUntil(lambda: stiffness.value == 50.0, timeout=5000)
    type_in(window, stiffness, "200")
    path = "joint.rail.spring.stiffness"
    qtbot.waitUntil(lambda: dict(window.playback.frame.changes).get(path) == (200.0,), timeout=20_000)
    changed = window.playback.frame.time
    window.viewport.setFocus()
    QTest.keyClick(window.viewport, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.playback.frame.time > changed + 0.1, timeout=20_000)

    box = window.inspector.page.findChild(NumberBox, "Slack at now")
    label = next(
        one
        for one in window.inspector.page.findChildren(ScrubLabel)
        if one._scrub is not None and one._scrub._box is box
    )
    window.inspector._scroll.ensureWidgetVisible(label)
    start = label.rect().center()
    QTest.mousePress(label, LEFT, pos=start)
    for step in range(1, 9):
        drag_mouse(label, start + QPoint(8 * step, 0), Qt.KeyboardModifier.NoModifier)
        qtbot.wait(30)
    QTest.mouseRelease(label, LEFT, pos=start + QPoint(64, 0))
    rest = "joint.rail.spring.rest"
    qtbot.waitUntil(lambda: dict(window.playback.frame.changes).get(rest, (0.0,))[0] > 0.0, timeout=20_000)
    QTest.keyClick(window.viewport, Qt.Key.Key_Space)
    stopped = settle(qtbot, window)
    shoot(qtbot, window, "spring_now")
    held = dict(window.playback.frame.changes)
    assert held[path] == (200.0,) and held[rest] == (box.value,)
    assert window.document.scene is scene and not window.document.is_modified, "the scene stays as it is"

    world = World(scene)
    world.replay(window.simulation.inputs(), stopped)
    np.testing.assert_array_equal(window.playback.frame.poses, world.poses().astype(np.float32))
    assert world.changes == window.playback.frame.changes
    before = World(scene)
    before.advance_to(changed)
    q, rate, _ = before.joint(0)
    after = World(scene)
    after.replay([one for one in window.simulation.inputs() if one.path == path], changed + 0.05)
    assert after.joint(0)[0] == pytest.approx(swing(q, rate, 200.0, 0.0, 0.05)[0], abs=1e-6)


def test_a_body_that_was_renamed_in_the_run_is_still_changed_and_saved_by_its_new_name(
    qtbot, window: MainWindow, ready: Callable[[], None], tmp_path: Path
) -> None:
    window.files.open_path("block_drop")
    ready()
    time = run_until(qtbot, window, 0.2)
    generation = window.simulation.generation
    window.document.set_value("body.lower.name", "base")
    window.document.set_value("body.base.colour", "#102030")
    window.playback.change("body.base.mass", 3.0)
    qtbot.waitUntil(lambda: dict(window.playback.frame.changes) == {"body.lower.mass": (3.0,)}, timeout=20_000)
    assert window.simulation.generation == generation and window.playback.frame.time == time
    assert window.files._write_run(tmp_path / "run.carom", Progress())
    run = open_run(tmp_path / "run.carom", tmp_path / "files")
    assert run.scene.body[1].name == "base" and run.scene.body[1].colour == "#102030"
    (entry,) = run.lines[0].inputs
    assert entry.path == "body.base.mass"


def test_what_a_run_pauses_at_and_its_loop_survive_an_edit(
    qtbot, window: MainWindow, ready: Callable[[], None]
) -> None:
    window.files.open_path("block_drop")
    ready()
    run_until(qtbot, window, 0.2)
    condition = Break("contact", (1, 2))
    window.simulation.change_breaks(lambda breaks: (*breaks, condition))
    window.playback.set_loop(0.05, 0.15)
    qtbot.waitUntil(lambda: window.playback.frame.breaks == (condition,), timeout=20_000)
    window.document.set_value("body.lower.mass", 2.0)
    qtbot.waitUntil(lambda: window.playback.frame is not None and window.playback.frame.time == 0.0, timeout=20_000)
    assert window.playback.frame.breaks == (condition,) and window.playback.frame.loop == (0.05, 0.15)
    window.document.set_value("body.lower.name", "base")
    generation = window.simulation.generation
    window.document.set_value("body.base.mass", 3.0)
    qtbot.waitUntil(lambda: window.simulation.generation > generation, timeout=20_000)
    qtbot.waitUntil(lambda: window.playback.frame is not None, timeout=20_000)
    assert window.playback.frame.breaks == (condition,) and window.playback.frame.loop == (0.05, 0.15)
    window.document.undo_stack.setClean()  # or it would be asked about
    window.files.new()
    qtbot.waitUntil(lambda: window.playback.frame is not None and not window.playback.frame.breaks, timeout=20_000)
    assert window.playback.frame.loop is None
