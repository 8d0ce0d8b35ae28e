"""A see-saw by mouse and keys, from an empty scene: with handles, numbers that are typed, and bodies put onto faces."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt
from PyQt6.QtGui import QMouseEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QWidget

from app.document import edits
from app.view.forms.numbers import VectorBox
from app.view.theme import theme
from app.view.viewport.gizmo import Handle
from app.view.window.main_window import MainWindow
from engine.scene.schema import Body
from engine.world import World
from tests.app.test_joints import type_into
from tests.app.test_pendulum_story import SCHEMES, choose, click, place, tie
from tests.app.test_story import LEFT, play_until

PLAIN, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier
UNTIL = 0.4  # [s]
RADIUS = 0.1  # of the balls [m]


def test_a_see_saw_is_built_with_handles_and_tips_to_the_longer_arm(
    qtbot, window: MainWindow, ready: Callable[[], None]
) -> None:
    QTest.keyClick(window, Qt.Key.Key_N, CTRL)
    ready()
    add(qtbot, window, "Box")
    shape_box(window, (1.6, 0.3, 0.04))
    place(window, 0.3)
    tie(qtbot, window, "box")
    ready()

    add(qtbot, window, "Sphere")
    type_into(window, "Radius", f"{RADIUS:g}")
    surface = window.viewport.findChild(QWidget, "viewport-surface")
    assert window.viewport.gizmo is not None, "what is selected has handles"
    lift_by_handle(window, surface)
    put_onto(window, surface, (0.6, 0.0, 0.32))
    near = body(window, "sphere")
    assert near.position[2] == pytest.approx(0.32 + RADIUS, abs=1e-6), "it stands on the plank"

    QTest.keyClick(surface, Qt.Key.Key_D, SHIFT)
    keys(surface, "x", "-1")
    far = body(window, "sphere2")
    assert far.position == pytest.approx((near.position[0] - 1.0, *near.position[1:]), abs=1e-9)
    for name in ("sphere", "sphere2"):
        click(window, name)
        window.viewport.findChild(QWidget, "viewport-surface").setFocus()
        QTest.keyClick(surface, Qt.Key.Key_G)
        keys(surface, "z", "1 mm")
    assert body(window, "sphere").position[2] == pytest.approx(0.321 + RADIUS, abs=1e-6)
    ready()
    assert not window.banner.isVisible(), window.banner.text.text()
    play_until(qtbot, window, UNTIL)
    take_pictures(qtbot, window)
    check_motion(window)
    while window.document.undo_stack.canUndo():
        window.document.undo()
    assert window.document.scene == edits.starter_scene()


def body(window: MainWindow, name: str) -> Body:
    scene = window.document.scene
    return scene.body[scene.index(name)]


def add(qtbot, window: MainWindow, label: str) -> None:
    """Shift+A, then a click on a shape."""
    window.viewport.findChild(QWidget, "viewport-surface").setFocus()
    QTest.keyClick(window, Qt.Key.Key_A, SHIFT)
    choose(qtbot, label)


def shape_box(window: MainWindow, sizes: Sequence[float]) -> None:
    for box, value in zip(window.inspector.page.findChild(VectorBox, "Size").boxes, sizes, strict=True):
        QTest.mouseDClick(box, LEFT)
        QTest.keyClicks(box, f"{value:g}")
        QTest.keyClick(box, Qt.Key.Key_Return)


def lift_by_handle(window: MainWindow, surface: QWidget) -> None:
    """Drags the upright arrow: the ball moves straight up and nowhere else."""
    view = window.viewport
    gizmo, before = view.gizmo, np.array(body(window, "sphere").position)
    assert gizmo is not None
    line = gizmo.lines[Handle("move", "z")]
    start = np.array(view.project(line[0] + 0.9 * (line[-1] - line[0]))[:2])
    goal = start + np.array(view.project(before + (0.0, 0.0, 0.4))[:2]) - view.project(before)[:2]
    QTest.mousePress(surface, LEFT, PLAIN, QPoint(*np.round(start).astype(int)))
    for share in (0.5, 1.0):
        move(surface, start + share * (goal - start), PLAIN)
    QTest.mouseRelease(surface, LEFT, PLAIN, QPoint(*np.round(goal).astype(int)))
    after = np.array(body(window, "sphere").position)
    assert after[:2] == pytest.approx(before[:2], abs=1e-12)
    assert after[2] - before[2] == pytest.approx(0.4, rel=0.1)


def put_onto(window: MainWindow, surface: QWidget, target: Sequence[float]) -> None:
    """G, then the pointer with Shift over a point of a face, and a click."""
    spot = np.array(window.viewport.project(target)[:2])
    QTest.keyClick(surface, Qt.Key.Key_G)
    assert window.viewport.transforming
    move(surface, spot, SHIFT, Qt.MouseButton.NoButton)
    QTest.mouseClick(surface, LEFT, PLAIN, QPoint(*np.round(spot).astype(int)))


def move(surface: QWidget, to: Sequence[float], held: Qt.KeyboardModifier, button: Qt.MouseButton = LEFT) -> None:
    """A mouse move with the keys and buttons held, which QTest leaves out."""
    at = QPointF(*to)
    kind, none = QEvent.Type.MouseMove, Qt.MouseButton.NoButton
    QApplication.sendEvent(surface, QMouseEvent(kind, at, surface.mapToGlobal(at), none, button, held))


def keys(surface: QWidget, axis: str, text: str) -> None:
    """An axis, how far, Enter: typed while bodies follow the pointer."""
    QTest.keyClicks(surface, axis + text)
    QTest.keyClick(surface, Qt.Key.Key_Return)


def check_motion(window: MainWindow) -> None:
    """The plank tips to the longer arm as a rigid body does, with nothing inside anything."""
    frame = window.playback.frame
    assert frame is not None
    scene = window.document.scene
    world = World(scene)
    world.advance_to(frame.time)
    assert world.poses() == pytest.approx(frame.poses, abs=1e-6), "as without a window"
    w, _, y, _ = frame.poses[scene.index("box"), 3:]
    assert 2.0 * np.arctan2(y, w) > 0.02, "the ball further out goes down"
    assert frame.poses[scene.index("box"), :3] == pytest.approx((0.0, 0.0, 0.3), abs=1e-6), "the hinge holds it"
    assert world.smallest_gap > 0.0
    for ball in ("sphere", "sphere2"):
        assert 0.0 < world.distance("box", ball) < 0.01, "they ride on it"


def take_pictures(qtbot, window: MainWindow) -> None:
    """For whoever wants to look: CAROM_PICTURES says where to."""
    if folder := os.environ.get("CAROM_PICTURES"):
        for scheme in SCHEMES:
            theme().apply(scheme)
            qtbot.wait(500)
            window.grab().save(f"{folder}/see_saw_{scheme}.png")
        theme().apply("dark")
