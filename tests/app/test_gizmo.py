"""Handles on what is selected: they lie where they are drawn, and dragging one moves or turns about its axis alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt
from PyQt6.QtGui import QMouseEvent
from PyQt6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.document.displacement import Displacement
from app.view.viewport.camera import CameraState, project
from app.view.viewport.gizmo import ARROW, RING, Gizmo, Handle
from app.view.viewport.viewport import Viewport
from engine.scene.reading import parse_scene
from engine.scene.schema import Scene

SIZE = (800, 600)
VIEW = CameraState((3.0, -5.0, 3.0), (0.0, 0.0, 0.5))
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
SCENE = """
format = 1
[[body]]
name = "block"
shape = { box = [0.4, 0.4, 0.2] }
position = [0.0, 0.0, 1.0]
[[body]]
name = "ball"
shape = { sphere = { radius = 0.1 } }
position = [1.0, 0.0, 1.0]
[[body]]
name = "ramp"
shape = { box = [1.0, 1.0, 0.1] }
position = [-1.2, 0.0, 0.5]
orientation = { axis = [0, 1, 0], degrees = 20 }
motion = "fixed"
[[body]]
name = "floor"
shape = { plane = {} }
motion = "fixed"
[[repeat]]
name = "coin"
shape = { cylinder = { radius = 0.1, length = 0.05 } }
position = [0.0, 1.5, 0.1]
stack = { count = 3, step = [0.0, 0.0, 0.1] }
"""


def scene() -> Scene:
    return parse_scene(SCENE.encode(), "test", overlaps=False)


@pytest.fixture
def viewport(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[Viewport]:
    monkeypatch.setattr("app.view.viewport.scene_view.draws_in_software", lambda: True)
    widget = Viewport()
    qtbot.addWidget(widget)
    widget.resize(*SIZE)
    widget.show()
    qtbot.waitExposed(widget)
    widget.set_scene(scene())
    widget.camera = VIEW
    widget.set_handles(True)
    yield widget
    widget.close_view()


def pixel(viewport: Viewport, handle: Handle) -> tuple[float, float]:
    """A pixel of a handle: near the tip of an arrow, or where a ring is farthest from the others."""
    gizmo = viewport.gizmo
    assert gizmo is not None
    line = gizmo.lines[handle]
    if handle.kind == "move":
        x, y, _ = viewport.project(line[0] + 0.9 * (line[-1] - line[0]))
        return x, y
    others = [
        np.linspace(one[0], one[-1], 30) if h.kind == "move" else one for h, one in gizmo.lines.items() if h != handle
    ]
    crowd = project(np.concatenate(others), viewport.camera, SIZE)[:, :2]
    own = project(line, viewport.camera, SIZE)[:, :2]
    x, y = max(own, key=lambda place: np.hypot(*(crowd - place).T).min())
    return x, y


def send(viewport: Viewport, to: tuple[float, float], held: Qt.KeyboardModifier = NONE) -> None:
    """A mouse move with the modifiers that QTest leaves out."""
    place = QPointF(*to)
    event = QMouseEvent(
        QEvent.Type.MouseMove, place, viewport.surface.mapToGlobal(place), Qt.MouseButton.NoButton, LEFT, held
    )
    viewport._gestures.eventFilter(viewport.surface, event)


def drag(
    viewport: Viewport, start: tuple[float, float], by: tuple[float, float], held: Qt.KeyboardModifier = NONE
) -> list[tuple[tuple[int, ...], Displacement, object]]:
    """Presses, moves, lets go; what was displaced then."""
    said: list[tuple[tuple[int, ...], Displacement, object]] = []
    viewport.displaced.connect(lambda *values: said.append(values))
    first = QPoint(round(start[0]), round(start[1]))
    last = first + QPoint(round(by[0]), round(by[1]))
    QTest.mousePress(viewport.surface, LEFT, NONE, first)
    send(viewport, ((first.x() + last.x()) / 2, (first.y() + last.y()) / 2), held)
    send(viewport, (last.x(), last.y()), held)
    QTest.mouseRelease(viewport.surface, LEFT, NONE, last)
    return said


@pytest.mark.parametrize("distance", [1.0, 30.0])
def test_handles_are_as_large_from_near_and_far(distance: float) -> None:
    pivot = (0.2, -0.1, 0.4)
    eye = tuple(np.array(pivot) + distance * np.array([0.6, -0.64, 0.48]))
    gizmo = Gizmo(pivot, CameraState(eye, pivot), SIZE)  # type: ignore[arg-type]
    middle = project(pivot, gizmo.camera, SIZE)[:2]
    for axis, along in zip("xyz", np.eye(3), strict=True):
        ring = project(gizmo.lines[Handle("rotate", axis)], gizmo.camera, SIZE)[:, :2]
        # The widest part of a ring lies across the gaze, where nothing shortens it but its depth.
        assert np.hypot(*(ring - middle).T).max() == pytest.approx(RING, rel=0.15)
        tip = project(gizmo.lines[Handle("move", axis)][1], gizmo.camera, SIZE)[:2]
        seen = ARROW[1] * np.sqrt(1.0 - float(along @ gizmo.gaze) ** 2)
        assert np.hypot(*(tip - middle)) == pytest.approx(seen, rel=0.15)


def test_the_handle_under_the_cursor_is_found(viewport: Viewport) -> None:
    viewport.set_selection([0])
    gizmo = viewport.gizmo
    assert gizmo is not None
    for handle in gizmo.lines:
        if handle.axis:
            assert gizmo.at(pixel(viewport, handle)) == handle
    x, y, _ = viewport.project(viewport.poses[0, :3])
    assert gizmo.at((x, y)) == Handle("move")
    assert gizmo.at((x + 150, y)) is None


@pytest.mark.parametrize("axis", "xyz")
def test_an_arrow_moves_along_its_axis_by_what_the_cursor_goes(viewport: Viewport, axis: str) -> None:
    viewport.set_selection([0])
    gizmo = viewport.gizmo
    assert gizmo is not None
    place = np.array(pixel(viewport, Handle("move", axis)))
    line = project(gizmo.lines[Handle("move", axis)], viewport.camera, SIZE)[:, :2]
    way = (line[1] - line[0]) / np.hypot(*(line[1] - line[0]))
    ((rows, change, face),) = drag(viewport, tuple(place), tuple(60.0 * way))
    k = "xyz".index(axis)
    assert rows == (0,) and face is None and change.degrees == 0.0
    assert change.shift[k] > 0.0 and [x for i, x in enumerate(change.shift) if i != k] == [0.0, 0.0]
    went = viewport.project(viewport.poses[0, :3] + change.shift)
    begun = viewport.project(viewport.poses[0, :3])
    assert viewport.poses[0, k] == pytest.approx((0.0, 0.0, 1.0)[k] + change.shift[k]), "and it is shown there"
    assert np.hypot(went[0] - begun[0], went[1] - begun[1]) == pytest.approx(60.0, rel=0.25)


@pytest.mark.parametrize("axis", "xyz")
def test_a_ring_turns_so_that_its_point_follows_the_cursor(viewport: Viewport, axis: str) -> None:
    viewport.set_selection([0])
    gizmo = viewport.gizmo
    assert gizmo is not None
    line, start = gizmo.lines[Handle("rotate", axis)], np.array(pixel(viewport, Handle("rotate", axis)))
    held = min(line, key=lambda point: np.hypot(*(np.array(viewport.project(point)[:2]) - start)))
    along = np.eye(3)["xyz".index(axis)]
    goal = Displacement(degrees=25.0, axis=tuple(along), pivot=gizmo.pivot).moved(tuple(held))
    end = np.array(viewport.project(goal)[:2])
    ((_, change, _),) = drag(viewport, tuple(start), tuple(end - start))
    assert change.axis == tuple(along) and change.shift == (0.0, 0.0, 0.0)
    assert change.degrees == pytest.approx(25.0, abs=1.5), "as far as pixels are whole"


def test_a_ring_seen_from_the_side_turns_too(viewport: Viewport) -> None:
    viewport.set_selection([0])
    viewport.camera = CameraState((0.0, -6.0, 2.0), (0.0, 0.0, 1.0))
    gizmo = viewport.gizmo
    assert gizmo is not None
    front = np.array([0.0, -RING * gizmo.scale, 1.0])
    x, y, _ = viewport.project(front)
    assert gizmo.tangent(Handle("rotate", "z"), (x, y)) is not None
    ((_, change, _),) = drag(viewport, (x + 25, y), (RING / 2, 0.0))
    assert change.axis == (0.0, 0.0, 1.0)
    assert change.degrees == pytest.approx(np.degrees(0.5), rel=0.15), "its front goes as far as the cursor"


def test_steps_with_ctrl(viewport: Viewport) -> None:
    viewport.set_selection([0])
    ((_, change, _),) = drag(viewport, pixel(viewport, Handle("rotate", "z")), (40.0, 15.0), CTRL)
    assert change.degrees and change.degrees % 15.0 == 0.0


def test_a_click_on_a_handle_displaces_nothing(viewport: Viewport, qtbot: QtBot) -> None:
    viewport.set_selection([0])
    x, y = pixel(viewport, Handle("move", "x"))
    with qtbot.assertNotEmitted(viewport.displaced), qtbot.assertNotEmitted(viewport.body_clicked):
        QTest.mouseClick(viewport.surface, LEFT, NONE, QPoint(round(x), round(y)))
    assert not viewport.transforming


def test_escape_while_a_handle_is_held_leaves_it(viewport: Viewport, qtbot: QtBot) -> None:
    viewport.set_selection([0])
    x, y = (round(part) for part in pixel(viewport, Handle("move", "z")))
    before = viewport.poses.copy()
    with qtbot.assertNotEmitted(viewport.displaced):
        QTest.mousePress(viewport.surface, LEFT, NONE, QPoint(x, y))
        send(viewport, (x, y - 50))
        assert (viewport.drawn_poses != before).any()
        QTest.keyClick(viewport.surface, Qt.Key.Key_Escape)
        QTest.mouseRelease(viewport.surface, LEFT, NONE, QPoint(x, y - 50))
    assert (viewport.drawn_poses == before).all()


def test_several_bodies_turn_about_their_middle(viewport: Viewport, qtbot: QtBot) -> None:
    viewport.set_selection([0, 1])
    viewport.begin_transform("rotate")
    with qtbot.waitSignal(viewport.displaced) as signal:
        for text in "z90":
            QTest.keyClicks(viewport.surface, text)
        QTest.keyClick(viewport.surface, Qt.Key.Key_Return)
    assert signal.args[0] == (0, 1)
    assert viewport.poses[:2, :3] == pytest.approx(np.array([(0.5, -0.5, 1.0), (0.5, 0.5, 1.0)]))


def test_the_second_press_of_an_axis_takes_the_bodys_own(viewport: Viewport, qtbot: QtBot) -> None:
    viewport.set_selection([2])
    viewport.begin_transform("move")
    with qtbot.waitSignal(viewport.displaced) as signal:
        QTest.keyClicks(viewport.surface, "xx0.5")
        QTest.keyClick(viewport.surface, Qt.Key.Key_Return)
    slope = np.radians(20.0)
    assert signal.args[1].shift == pytest.approx((0.5 * np.cos(slope), 0.0, -0.5 * np.sin(slope)))
    viewport.begin_transform("move")
    QTest.keyClicks(viewport.surface, "xxx")
    assert viewport._mover is not None and viewport._mover.moves_freely


def test_a_repeat_is_moved_and_has_no_rings(viewport: Viewport, qtbot: QtBot) -> None:
    viewport.set_selection([5])  # one of three copies is outlined
    gizmo = viewport.gizmo
    assert gizmo is not None and all(handle.kind == "move" for handle in gizmo.lines)
    assert not viewport.begin_transform("rotate")
    viewport.begin_transform("move")
    with qtbot.waitSignal(viewport.displaced) as signal:
        QTest.keyClicks(viewport.surface, "z1")
        QTest.keyClick(viewport.surface, Qt.Key.Key_Return)
    assert signal.args[0] == (4, 5, 6)


def test_handles_are_there_only_where_they_are_wanted(viewport: Viewport) -> None:
    assert viewport.gizmo is None
    viewport.set_selection([0])
    assert viewport._renderer.options.gizmo
    with_handles = viewport.picture()
    viewport.set_handles(False)
    assert viewport.gizmo is None and viewport._renderer.options.gizmo == ()
    assert (viewport.picture() == with_handles).all(), "pictures show none of them"


def test_with_shift_it_stands_on_the_face_under_the_cursor(viewport: Viewport) -> None:
    """The block on the ramp: its lowest corner touches the ramp's upper face, and its middle is over the cursor."""
    viewport.set_selection([0])
    normal = np.array([np.sin(np.radians(20.0)), 0.0, np.cos(np.radians(20.0))])
    spot = np.array([-1.2, 0.0, 0.5]) + 0.05 * normal
    begun = np.array(viewport.project(viewport.poses[0, :3])[:2])
    goal = np.array(viewport.project(spot)[:2])
    ((_, change, face),) = drag(viewport, tuple(begun), tuple(goal - begun), SHIFT)
    assert face == pytest.approx(normal, abs=1e-6)
    middle = np.array([0.0, 0.0, 1.0]) + change.shift
    corners = middle + np.array([(x, y, z) for x in (-0.2, 0.2) for y in (-0.2, 0.2) for z in (-0.1, 0.1)])
    heights = (corners - spot) @ normal
    assert heights.min() == pytest.approx(0.0, abs=1e-6)
    foot = middle - normal * float((middle - spot) @ normal)
    assert np.hypot(*(np.array(viewport.project(foot)[:2]) - goal)) < 2.0


def test_a_ball_stands_on_a_box_and_on_the_floor(viewport: Viewport) -> None:
    for target, height in (((0.1, 0.05, 1.1), 1.2), ((0.5, -0.8, 0.0), 0.1)):
        viewport.set_scene(scene())
        viewport.camera = VIEW
        viewport.set_selection([1])
        begun = np.array(viewport.project((1.0, 0.0, 1.0))[:2])
        goal = np.array(viewport.project(target)[:2])
        (*_, (_, change, _)) = drag(viewport, tuple(begun), tuple(goal - begun), SHIFT)
        placed = np.array([1.0, 0.0, 1.0]) + change.shift
        assert placed == pytest.approx((*target[:2], height), abs=0.02)
        assert placed[2] == pytest.approx(height, abs=1e-6)
