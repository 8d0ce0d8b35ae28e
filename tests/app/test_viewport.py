"""The viewport in a real window: what it draws is where it says, and gestures do what they should."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QImage, QWheelEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.view.viewport import painted
from app.view.viewport.camera import CameraState
from app.view.viewport.painted import PaintedCanvas
from app.view.viewport.palette import BROKEN, DARK, LIGHT, rgb
from app.view.viewport.quality import FINEST, REST, Quality
from app.view.viewport.viewport import Viewport
from engine.maths.quaternions import rotate
from engine.scene.schema import Scene

Picture = NDArray[np.uint8]
SIZE = (480, 320)
RED, GREEN, BLUE = "#e02020", "#20b020", "#2040e0"
VIEW = CameraState((0.0, -6.0, 2.0), (0.0, 0.0, 0.4))
LEFT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton
CTRL, SHIFT, NONE = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.NoModifier,
)


def make(*bodies: dict[str, Any], **more: Any) -> Scene:
    return Scene.model_validate({"format": 1, "body": list(bodies), **more})


def box(name: str, position: tuple[float, float, float], colour: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "shape": {"box": (0.6, 0.6, 0.6)}, "position": position, "colour": colour, **more}


def three_boxes() -> Scene:
    return make(
        box("red", (-1.5, 0.0, 0.4), RED),
        box("green", (0.0, 0.0, 0.4), GREEN),
        box("wall", (1.5, 0.0, 0.4), BLUE, motion="fixed"),
        {"name": "floor", "shape": {"plane": {}}, "motion": "fixed"},
    )


@pytest.fixture
def software() -> bool:
    """Whether the pictures come from a thread, as where there is no graphics card."""
    return True


@pytest.fixture
def viewport(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, software: bool) -> Iterator[Viewport]:
    monkeypatch.setattr("app.view.viewport.scene_view.draws_in_software", lambda: software)
    widget = Viewport()
    qtbot.addWidget(widget)
    widget.resize(*SIZE)
    widget.show()
    qtbot.waitExposed(widget)
    widget.set_scene(three_boxes())
    widget.camera = VIEW
    widget.set_triad(False)
    settle()
    yield widget
    widget.close_view()


def settle() -> None:
    for _ in range(5):
        QApplication.processEvents()


def on_screen(viewport: Viewport) -> Picture:
    """What the drawing surface shows, (height, width, 3)."""
    settle()
    deadline = time.monotonic() + 20.0
    while viewport.pending and time.monotonic() < deadline:
        QApplication.processEvents()
    assert not viewport.pending
    image: QImage = viewport.surface.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits().asstring(image.sizeInBytes()), np.uint8)
    return rows.reshape(image.height(), image.bytesPerLine())[:, : 3 * image.width()].reshape(
        image.height(), image.width(), 3
    )


def at_rest(viewport: Viewport) -> Picture:
    """The same once it is drawn finely, some time after the last motion."""
    on_screen(viewport)
    QTest.qWait(REST + 50)
    return on_screen(viewport)


def at(viewport: Viewport, point: Any) -> tuple[int, int]:
    x, y, depth = viewport.project(point)
    assert depth > 0.0
    return int(x), int(y)


def hue_of(picture: Picture, pixel: tuple[int, int]) -> int:
    """Which of red, green and blue is strongest at a pixel."""
    return int(np.argmax(picture[pixel[1], pixel[0]]))


def covered(picture: Picture, channel: int) -> tuple[float, float]:
    """The middle of all pixels in which one colour is far stronger than the others."""
    others = np.max(np.delete(picture.astype(int), channel, axis=2), axis=2)
    rows, columns = np.nonzero(picture[:, :, channel] > others + 50)
    assert len(rows) > 50
    return 0.5 * float(columns.min() + columns.max() + 1), 0.5 * float(rows.min() + rows.max() + 1)


def similar(one: Picture, other: Picture) -> bool:
    """Whether no more than a few edge pixels differ, as they do between a moving picture and one at rest."""
    return float((np.abs(one.astype(int) - other).max(axis=2) > 40).mean()) < 0.002


# --- drawing ------------------------------------------------------------------------------------------------------


def test_bodies_are_drawn_where_their_poses_project(viewport: Viewport) -> None:
    picture = on_screen(viewport)
    for row, channel in ((0, 0), (1, 1), (2, 2)):
        assert hue_of(picture, at(viewport, viewport.poses[row, :3])) == channel


def test_new_poses_move_them(viewport: Viewport) -> None:
    poses = viewport.poses.copy()
    before = at(viewport, poses[0, :3])
    poses[0, :3] = (-1.0, 0.0, 1.4)
    viewport.set_poses(poses)
    picture = on_screen(viewport)
    assert hue_of(picture, at(viewport, poses[0, :3])) == 0
    assert np.ptp(picture[before[1], before[0]].astype(int)) < 60  # the floor is grey
    middle = covered(picture, 0)
    assert middle == pytest.approx(viewport.project(poses[0, :3])[:2], abs=6.0)


def test_a_turned_body_is_drawn_turned(viewport: Viewport) -> None:
    viewport.set_scene(make({"name": "rod", "shape": {"box": (2.0, 0.1, 0.1)}, "position": (0, 0, 0.4), "colour": RED}))
    viewport.camera = VIEW
    end = np.array([0.9, 0.0, 0.0])
    turned = (0.9238795, 0.0, -0.3826834, 0.0)  # 45 degrees up
    viewport.set_poses([[0.0, 0.0, 0.4, *turned]])
    picture = on_screen(viewport)
    assert hue_of(picture, at(viewport, np.array([0, 0, 0.4]) + rotate(turned, tuple(end)))) == 0
    assert hue_of(picture, at(viewport, np.array([0.0, 0.0, 0.4]) + end)) != 0


def test_a_ball_shows_that_it_rolls(viewport: Viewport) -> None:
    viewport.set_scene(
        make({"name": "ball", "shape": {"sphere": {"radius": 0.8}}, "position": (0, 0, 0.8), "colour": RED})
    )
    viewport.camera = VIEW
    middle = at(viewport, (0.0, 0.0, 0.8))
    viewport.set_poses([[0, 0, 0.8, 1, 0, 0, 0]])
    belt = on_screen(viewport)[middle[1], middle[0]].astype(int)
    viewport.set_poses([[0, 0, 0.8, 0.7071068, 0.7071068, 0, 0]])
    pole = on_screen(viewport)[middle[1], middle[0]].astype(int)
    assert belt[1] > pole[1] + 60  # the belt is pale, the pole red


def test_one_draw_call_for_all_boxes(viewport: Viewport, monkeypatch: pytest.MonkeyPatch) -> None:
    from app.view.viewport.gl import Shader

    boxes = [
        {
            "name": f"b{k}",
            "shape": {"box": (0.1 + 0.001 * k, 0.1, 0.1)},
            "position": (0.2 * (k % 10), 0, 0.2 * (k // 10)),
        }
        for k in range(100)
    ]
    viewport.set_scene(make(*boxes))
    viewport.set_shadows(False)
    on_screen(viewport)
    calls: list[object] = []
    original = Shader.draw

    def counted(self: Any, *arguments: Any, **more: Any) -> None:
        calls.append(self)
        original(self, *arguments, **more)

    monkeypatch.setattr(Shader, "draw", counted)
    viewport.picture((64, 48))
    assert len(calls) == 7  # bodies as facts, three passes over these; bodies in colour, background, grid
    viewport.set_ambient(False)
    calls.clear()
    viewport.picture((64, 48))
    assert len(calls) == 3  # bodies, background, grid


def test_shadows_darken_the_floor_and_can_be_switched_off(viewport: Viewport) -> None:
    spot = at(viewport, (0.45, 0.42, 0.0))  # the lamp stands to the front left
    viewport.set_shadows(True)
    dark = on_screen(viewport)[spot[1], spot[0]].astype(int)
    viewport.set_shadows(False)
    bright = on_screen(viewport)[spot[1], spot[0]].astype(int)
    assert bright.sum() > dark.sum() + 40


def test_the_light_look_is_lighter(viewport: Viewport) -> None:
    dark = on_screen(viewport).mean()
    viewport.set_look(LIGHT)
    assert on_screen(viewport).mean() > dark + 60
    viewport.set_look(DARK)
    assert on_screen(viewport).mean() == pytest.approx(dark, abs=3.0)


def test_a_selected_body_has_a_rim_also_behind_another(viewport: Viewport) -> None:
    poses = viewport.poses.copy()
    poses[0, :3] = (0.0, 2.0, 0.4)  # behind the green one
    viewport.set_poses(poses)
    without = at_rest(viewport).astype(int)
    viewport.set_selection([0])
    selected = at_rest(viewport).astype(int)
    rim = np.abs(selected - without).max(axis=2) > 60
    rows, columns = np.nonzero(rim)
    x, y = at(viewport, poses[0, :3])
    assert len(rows) > 60
    assert columns.min() < x < columns.max() and rows.min() < y < rows.max()
    assert not rim[y, x]
    colour = selected[rows, columns].mean(axis=0)
    assert np.abs(colour - 255 * np.array(rgb(DARK.selection))).max() < 60


def test_a_body_that_is_lost_stays_where_it_was_and_looks_it(viewport: Viewport) -> None:
    poses = viewport.poses.copy()
    poses[1] = np.nan
    viewport.set_poses(poses)
    x, y = at(viewport, (0.0, 0.0, 0.4))
    shown = on_screen(viewport)[y, x].astype(int)
    assert np.argmax(shown) == int(np.argmax(rgb(BROKEN)))
    assert hue_of(on_screen(viewport), at(viewport, viewport.poses[0, :3])) == 0


def test_a_body_that_was_stopped_looks_lost(viewport: Viewport) -> None:
    place = at(viewport, (0.0, 0.0, 0.4))
    before = on_screen(viewport)[place[1], place[0]].copy()
    viewport.set_stopped((1,))
    assert hue_of(on_screen(viewport), place) == int(np.argmax(rgb(BROKEN)))
    viewport.set_stopped(())
    assert np.abs(on_screen(viewport)[place[1], place[0]].astype(int) - before).max() <= 2


def test_segments_and_arrows_are_drawn_and_removed(viewport: Viewport) -> None:
    start, end = np.array([-1.0, -1.0, 1.0]), np.array([1.0, -1.0, 1.0])
    spot = at(viewport, 0.5 * (start + end))
    without = on_screen(viewport)
    viewport.set_overlay_segments("s", [[start, end]], "#ff00ff", 4.0)
    with_line = on_screen(viewport)
    assert np.abs(with_line[spot[1], spot[0]].astype(int) - (255, 0, 255)).max() < 20
    viewport.set_overlay_segments("s", None, "#ff00ff")
    viewport.set_overlay_arrows("a", [start], [end - start], "#ff00ff", 6.0)
    with_arrow = on_screen(viewport)
    assert with_arrow[spot[1], spot[0], 0] > 150 and with_arrow[spot[1], spot[0], 1] < 60
    viewport.set_overlay_arrows("a", None, None, "#ff00ff")
    assert similar(on_screen(viewport), without)
    assert not similar(with_line, without) and not similar(with_arrow, without)


def test_arrows_in_the_corner_show_the_axes(viewport: Viewport) -> None:
    viewport.set_triad(True)
    viewport.look_along("front", glide=False)
    corner = on_screen(viewport)[-88:, :88].astype(int)
    right, up = corner[35:53, 55:75], corner[12:32, 35:53]
    assert (right[..., 0] > right[..., 2] + 60).sum() > 30  # x is red and points to the right
    assert (up[..., 2] > up[..., 0] + 60).sum() > 30  # z is blue and points up


def test_wrong_numbers_of_poses_are_refused(viewport: Viewport) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        viewport.set_poses(np.zeros((2, 7)))


def test_a_thousand_bodies_are_drawn(viewport: Viewport) -> None:
    kinds: list[dict[str, Any]] = [{"sphere": {"radius": 0.1}}, {"box": (0.2, 0.2, 0.2)}]
    scene = make(
        *(
            {"name": f"b{k}", "shape": kinds[k % 2], "position": (0.3 * (k % 40), 0.3 * (k // 40), 0.2), "colour": RED}
            for k in range(1000)
        )
    )
    viewport.set_scene(scene)
    viewport.frame_all(glide=False)
    picture = on_screen(viewport).astype(int)
    hits = sum(picture[y, x, 0] > picture[y, x, 1] + 25 for x, y in (at(viewport, p) for p in viewport.poses[1::2, :3]))
    assert hits > 480


# --- pictures -----------------------------------------------------------------------------------------------------


def test_a_screenshot_has_the_size_asked_for(viewport: Viewport, tmp_path: Path) -> None:
    viewport.screenshot(tmp_path / "large.png", (801, 533))
    image = QImage(str(tmp_path / "large.png"))
    assert (image.width(), image.height()) == (801, 533)
    viewport.screenshot(tmp_path / "as_is.png")
    as_is = QImage(str(tmp_path / "as_is.png"))
    assert (as_is.width(), as_is.height()) == SIZE
    colour = as_is.pixelColor(*at(viewport, viewport.poses[0, :3]))
    assert colour.red() > colour.green() + 50


def test_a_screenshot_that_cannot_be_written_says_so(viewport: Viewport, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        viewport.screenshot(tmp_path / "nowhere" / "a.png")
    with pytest.raises(OSError, match="no picture"):
        viewport.screenshot(tmp_path / "a.txt")


def test_taking_a_picture_leaves_the_window_as_it_was(viewport: Viewport) -> None:
    before = on_screen(viewport)
    viewport.picture((200, 100))
    assert similar(on_screen(viewport), before)


# --- the camera ---------------------------------------------------------------------------------------------------


def drag(
    viewport: Viewport, start: tuple[int, int], end: tuple[int, int], button: Qt.MouseButton, held: Any = NONE
) -> None:
    QTest.mousePress(viewport.surface, button, held, QPoint(*start))
    for share in (0.25, 0.5, 0.75, 1.0):
        x, y = (round(a + share * (b - a)) for a, b in zip(start, end, strict=True))
        move(viewport, (x, y), button, held)
    QTest.mouseRelease(viewport.surface, button, held, QPoint(*end))


def move(viewport: Viewport, to: tuple[int, int], buttons: Any = Qt.MouseButton.NoButton, held: Any = NONE) -> None:
    """A mouse move with the modifiers that QTest leaves out."""
    from PyQt6.QtCore import QEvent
    from PyQt6.QtGui import QMouseEvent

    place = QPointF(*to)
    event = QMouseEvent(
        QEvent.Type.MouseMove, place, viewport.surface.mapToGlobal(place), Qt.MouseButton.NoButton, buttons, held
    )
    QApplication.sendEvent(viewport.surface, event)


def test_dragging_orbits_and_clicks_nothing(viewport: Viewport, qtbot: QtBot) -> None:
    clicked: list[int] = []
    viewport.body_clicked.connect(lambda row, _held: clicked.append(row))
    drag(viewport, at(viewport, viewport.poses[1, :3]), (340, 200), LEFT)
    assert viewport.camera.target == VIEW.target
    assert viewport.camera.distance == pytest.approx(VIEW.distance)
    assert viewport.camera.position != VIEW.position
    assert clicked == []


@pytest.mark.parametrize(("button", "held"), [(MIDDLE, NONE), (LEFT, SHIFT)])
def test_panning_takes_what_is_under_the_cursor_along(viewport: Viewport, button: Any, held: Any) -> None:
    x, y = at(viewport, VIEW.target)
    drag(viewport, (x, y), (x + 60, y - 30), button, held)
    assert viewport.project(VIEW.target)[:2] == pytest.approx((x + 60, y - 30), abs=1.5)


def test_the_wheel_goes_to_the_cursor(viewport: Viewport) -> None:
    x, y = at(viewport, (-1.5, -0.3, 0.4))
    held = viewport.pick(x, y)
    assert held is not None
    place = QPointF(x, y)
    wheel = QWheelEvent(
        place, viewport.surface.mapToGlobal(place), QPoint(), QPoint(0, 240), Qt.MouseButton.NoButton, NONE,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(viewport.surface, wheel)
    assert viewport.camera.distance < 0.9 * VIEW.distance
    assert viewport.project(held[1])[:2] == pytest.approx((x, y), abs=0.01)


def test_framing_shows_all_or_the_selection(viewport: Viewport, qtbot: QtBot) -> None:
    viewport.camera = CameraState((40.0, -50.0, 30.0), (9.0, 9.0, 9.0))
    viewport.frame_all(glide=False)
    for row in range(3):
        x, y, depth = viewport.project(viewport.poses[row, :3])
        assert depth > 0 and 0 < x < SIZE[0] and 0 < y < SIZE[1]
    far = viewport.camera.distance
    viewport.set_selection([0])
    viewport.frame_selection()
    qtbot.waitUntil(lambda: viewport.camera.distance < 0.8 * far)
    qtbot.waitUntil(lambda: abs(viewport.project(viewport.poses[0, :3])[0] - SIZE[0] / 2) < 3)


def test_the_camera_stays_for_an_edit_and_moves_for_another_scene(viewport: Viewport) -> None:
    viewport.set_scene(three_boxes())
    assert viewport.camera == VIEW
    named = {"name": "top", "position": (0.0, 0.0, 9.0), "target": (1.0, 0.0, 0.0), "fov": 30.0}
    viewport.set_scene(make(box("red", (0, 0, 0), RED), title="another", camera=[named]))
    assert viewport.camera == CameraState((0.0, 0.0, 9.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), 30.0)
    assert viewport.camera_names() == ["top"]


def test_the_old_scene_is_not_shown_for_the_new_one(viewport: Viewport, qtbot: QtBot, software: bool) -> None:
    """Not even by a fine picture of it that was under way, which takes a while where the processor draws."""
    on_screen(viewport)
    viewport._canvas.request(moving=False)
    if software:
        qtbot.waitUntil(lambda: viewport._canvas._order is not None)
    viewport.set_scene(make(box("other", (0, 0, 0), BLUE), title="another"))
    shown: list[bool] = []

    def look() -> bool:
        picture = viewport.surface.grab().toImage()
        colours = {picture.pixelColor(x, y).hue() // 30 for x in range(0, SIZE[0], 8) for y in range(0, SIZE[1], 8)}
        shown.append(0 in colours or 4 in colours)  # red or green
        return not viewport.pending

    qtbot.waitUntil(look, timeout=20_000)
    assert shown and not any(shown)
    assert covered(on_screen(viewport), 2), "and then the new one is there"


def test_looking_along_an_axis(viewport: Viewport) -> None:
    viewport.look_along("front", glide=False)
    position, target = np.array(viewport.camera.position), np.array(viewport.camera.target)
    assert (position - target) / VIEW.distance == pytest.approx((0.0, -1.0, 0.0))


# --- pointing and pulling -----------------------------------------------------------------------------------------


def test_a_click_tells_which_body(viewport: Viewport) -> None:
    clicked: list[tuple[int, Any]] = []
    viewport.body_clicked.connect(lambda row, held: clicked.append((row, held)))
    for row in (0, 1, 2):
        QTest.mouseClick(viewport.surface, LEFT, NONE, QPoint(*at(viewport, viewport.poses[row, :3])))
    QTest.mouseClick(viewport.surface, LEFT, SHIFT, QPoint(*at(viewport, viewport.poses[0, :3])))
    QTest.mouseClick(viewport.surface, LEFT, NONE, QPoint(5, 2))
    assert [row for row, _ in clicked] == [0, 1, 2, 0, -1]
    assert clicked[3][1] == SHIFT


def test_a_double_click_activates(viewport: Viewport, qtbot: QtBot) -> None:
    with qtbot.waitSignal(viewport.body_activated) as signal:
        QTest.mouseDClick(viewport.surface, LEFT, NONE, QPoint(*at(viewport, viewport.poses[1, :3])))
    assert signal.args == [1]


def test_picking_finds_what_is_drawn(viewport: Viewport) -> None:
    """At a grid of pixels, the body picked has the colour that is there."""
    picture = on_screen(viewport).astype(int)
    for x in range(20, SIZE[0], 23):
        for y in range(20, SIZE[1], 19):
            around = picture[y - 2 : y + 3, x - 2 : x + 3].reshape(-1, 3)
            if np.ptp(around, axis=0).max() > 8:
                continue  # an edge
            strongest, second = np.sort(picture[y, x])[[2, 1]]
            picked = viewport.pick(x + 0.5, y + 0.5)
            if strongest > second + 45:
                assert picked is not None and picked[0] == int(np.argmax(picture[y, x]))
            elif picked is not None:
                assert picked[0] == 3


def test_ctrl_drag_pulls_a_free_body(viewport: Viewport) -> None:
    told: list[tuple[Any, ...]] = []
    viewport.pull_started.connect(lambda *values: told.append(("start", *values)))
    viewport.pull_moved.connect(lambda target: told.append(("move", target)))
    viewport.pull_ended.connect(lambda: told.append(("end",)))
    start = at(viewport, viewport.poses[1, :3])
    end = (start[0] + 60, start[1] - 50)
    drag(viewport, start, end, LEFT, CTRL)
    assert told[0][:2] == ("start", 1)
    local, target = told[0][2:]
    assert np.abs(np.abs(local).max() - 0.3) < 1e-6  # on the face of the box
    assert np.array(target) == pytest.approx(viewport.poses[1, :3] + local, abs=1e-6)
    assert told[-1] == ("end",)
    last = told[-2][1]
    assert viewport.project(last)[:2] == pytest.approx(end, abs=0.01)
    assert viewport.project(last)[2] == pytest.approx(viewport.project(target)[2])
    assert viewport.camera == VIEW


def test_what_is_not_free_cannot_be_pulled(viewport: Viewport) -> None:
    told: list[Any] = []
    viewport.pull_started.connect(lambda *values: told.append(values))
    start = at(viewport, viewport.poses[2, :3])
    drag(viewport, start, (start[0] + 40, start[1]), LEFT, CTRL)
    assert told == []


def test_the_spring_follows_its_body(viewport: Viewport) -> None:
    start = at(viewport, viewport.poses[1, :3])
    QTest.mousePress(viewport.surface, LEFT, CTRL, QPoint(*start))
    move(viewport, (start[0] + 90, start[1] - 90), LEFT, CTRL)
    poses = viewport.poses.copy()
    poses[1, :3] += (0.0, 0.0, 0.5)
    viewport.set_poses(poses)
    held, target = viewport.overlays["pull"].first[0], viewport.overlays["pull"].second[0]
    assert np.linalg.norm(held - poses[1, :3]) < 0.6
    assert viewport.project(target)[:2] == pytest.approx((start[0] + 90, start[1] - 90), abs=0.01)
    QTest.mouseRelease(viewport.surface, LEFT, CTRL, QPoint(start[0] + 90, start[1] - 90))
    assert "pull" not in viewport.overlays


def test_a_new_scene_ends_a_pull(viewport: Viewport, qtbot: QtBot) -> None:
    QTest.mousePress(viewport.surface, LEFT, CTRL, QPoint(*at(viewport, viewport.poses[1, :3])))
    with qtbot.waitSignal(viewport.pull_ended):
        viewport.set_scene(three_boxes())
    QTest.mouseRelease(viewport.surface, LEFT, CTRL, QPoint(10, 10))


# --- moving and rotating ------------------------------------------------------------------------------------------


def key(viewport: Viewport, which: Qt.Key) -> None:
    QTest.keyClick(viewport.surface, which)


def test_moving_along_an_axis(viewport: Viewport, qtbot: QtBot) -> None:
    viewport.set_selection([1])
    before = viewport.poses[[1]].copy()
    assert viewport.begin_transform("move")
    key(viewport, Qt.Key.Key_X)
    start = viewport.transform_start
    move(viewport, (round(start[0]) + 70, round(start[1]) - 40))
    shown = viewport.drawn_poses[1]
    assert viewport.project(shown[:3])[0] == pytest.approx(viewport.project(viewport.poses[1, :3])[0] + 70, abs=3.0)
    assert shown[1:] == pytest.approx(viewport.poses[1, 1:])
    assert hue_of(on_screen(viewport), at(viewport, shown[:3])) == 1
    with qtbot.waitSignal(viewport.displaced) as signal:
        key(viewport, Qt.Key.Key_Return)
    rows, change, face = signal.args
    assert rows == (1,) and face is None and change.degrees == 0.0
    assert change.applied(before)[0] == pytest.approx(shown)
    assert not viewport.transforming


def test_moving_freely_follows_the_cursor_and_a_click_places(viewport: Viewport, qtbot: QtBot) -> None:
    viewport.set_selection([0])
    x, y = at(viewport, viewport.poses[0, :3])
    move(viewport, (x, y))
    viewport.begin_transform("move")
    begun = viewport.project(viewport.drawn_poses[0, :3])
    move(viewport, (x + 50, y - 40))
    offset = np.subtract(viewport.project(viewport.drawn_poses[0, :3]), begun)
    start = viewport.transform_start
    # Numbers have no more digits than the picture shows: a tenth of a pixel.
    assert offset[:2] == pytest.approx((x + 50 - start[0], y - 40 - start[1]), abs=0.1)
    with qtbot.waitSignal(viewport.displaced):
        QTest.mouseClick(viewport.surface, LEFT, NONE, QPoint(x + 50, y - 40))
    assert viewport.camera == VIEW


def test_escape_puts_it_back(viewport: Viewport) -> None:
    edited: list[Any] = []
    viewport.displaced.connect(lambda *values: edited.append(values))
    before = viewport.poses[1].copy()
    viewport.set_selection([1])
    viewport.begin_transform("move")
    move(viewport, (350, 100))
    assert viewport.drawn_poses[1] != pytest.approx(before)
    key(viewport, Qt.Key.Key_Escape)
    assert viewport.drawn_poses[1] == pytest.approx(before)
    assert edited == [] and not viewport.transforming


def test_rotating_about_z_snaps_to_fifteen_degrees(viewport: Viewport, qtbot: QtBot) -> None:
    viewport.set_selection([1])
    viewport.look_along("top", glide=False)
    x, y = at(viewport, viewport.poses[1, :3])
    move(viewport, (x + 80, y))
    viewport.begin_transform("rotate")
    viewport.lock_axis("z")
    start = viewport.transform_start
    radius = np.hypot(start[0] - x, start[1] - y)
    bearing = np.arctan2(y - start[1], start[0] - x) + np.radians(28.0)
    move(viewport, (round(x + radius * np.cos(bearing)), round(y - radius * np.sin(bearing))), held=CTRL)
    with qtbot.waitSignal(viewport.displaced) as signal:
        key(viewport, Qt.Key.Key_Return)
    change = signal.args[1]
    assert (change.degrees, change.axis, change.shift) == (30.0, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
    assert change.pivot == pytest.approx((0.0, 0.0, 0.4))


def type_keys(viewport: Viewport, text: str) -> None:
    QTest.keyClicks(viewport.surface, text)


@pytest.mark.parametrize(
    ("keys", "moved"),
    [
        ("z0.5", (0.0, 0.0, 0.5)),
        ("y-25 cm", (0.0, -0.25, 0.0)),
        ("1.5", (1.5, 0.0, 0.0)),  # along x, if no axis was chosen
        ("2z", (0.0, 0.0, 2.0)),
        ("z3\b\b", (0.0, 0.0, None)),  # nothing is left of it: the cursor decides again
    ],
)
def test_how_far_it_moves_can_be_typed(
    viewport: Viewport, qtbot: QtBot, keys: str, moved: tuple[float | None, ...]
) -> None:
    viewport.set_selection([1])
    viewport.begin_transform("move")
    start = viewport.transform_start
    for text in keys:
        if text == "\b":
            key(viewport, Qt.Key.Key_Backspace)
        else:
            type_keys(viewport, text)
    move(viewport, (round(start[0]) + 30, round(start[1]) - 50))
    with qtbot.waitSignal(viewport.displaced) as signal:
        key(viewport, Qt.Key.Key_Return)
    for shift, by in zip(signal.args[1].shift, moved, strict=True):
        if by is None:
            assert abs(shift) > 0.01
        else:
            assert shift == by, "to the last digit"


def test_what_is_typed_wrong_is_told_and_not_placed(viewport: Viewport, qtbot: QtBot) -> None:
    viewport.set_selection([1])
    viewport.begin_transform("move")
    type_keys(viewport, "z5 kg")
    with qtbot.assertNotEmitted(viewport.displaced):
        key(viewport, Qt.Key.Key_Return)
    assert viewport.transforming and "does not fit: this is in m" in viewport._hint.text()
    key(viewport, Qt.Key.Key_Backspace)
    key(viewport, Qt.Key.Key_Backspace)
    type_keys(viewport, "cm")
    with qtbot.waitSignal(viewport.displaced) as signal:
        key(viewport, Qt.Key.Key_Return)
    assert signal.args[1].shift == (0.0, 0.0, 0.05)


def test_by_what_angle_it_turns_can_be_typed(viewport: Viewport, qtbot: QtBot) -> None:
    viewport.set_selection([1])
    viewport.begin_transform("rotate")
    type_keys(viewport, "y-30")
    with qtbot.waitSignal(viewport.displaced) as signal:
        key(viewport, Qt.Key.Key_Return)
    assert (signal.args[1].degrees, signal.args[1].axis) == (-30.0, (0.0, 1.0, 0.0))


def test_nothing_selected_nothing_to_move(viewport: Viewport) -> None:
    viewport.set_selection([])
    assert not viewport.begin_transform("move")


# --- when it cannot be drawn --------------------------------------------------------------------------------------


def test_a_driver_that_fails_is_named_once(viewport: Viewport, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    from app.view.viewport.renderer import Renderer

    calls: list[int] = []

    def fail(*_arguments: Any) -> None:
        calls.append(1)
        raise RuntimeError("no shaders today\nand more")

    monkeypatch.setattr(Renderer, "draw", fail)
    for _ in range(3):
        viewport.set_poses(viewport.poses)
        settle()
    qtbot.waitUntil(lambda: viewport.findChild(QLabel, "viewport-failure") is not None)
    said = viewport.findChild(QLabel, "viewport-failure")
    assert said is not None and said.isVisible()
    assert "no shaders today" in said.text() and "and more" not in said.text()
    assert len(calls) == 1


# --- quality ------------------------------------------------------------------------------------------------------


def test_a_selection_is_seen_before_a_slow_picture_is_fine(
    viewport: Viewport, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    canvas = viewport._canvas
    if not isinstance(canvas, PaintedCanvas):
        pytest.skip("a card draws here")
    monkeypatch.setattr(painted, "_SLOW", 0.0)
    for _ in range(100):
        canvas.governor.took(1.0)
    viewport.set_selection([0])
    at_rest(viewport)  # which was slow
    shown: list[tuple[Quality, tuple[int, ...]]] = []
    canvas._thread.drawn.connect(lambda order, *_: shown.append((order.quality, order.still.options.selected)))
    viewport.set_selection([1])
    on_screen(viewport)
    qtbot.waitUntil(lambda: len(shown) > 1)  # the thread that draws tells the canvas first
    assert shown == [(canvas.governor.moving, (1,)), (FINEST, (1,))]
    monkeypatch.setattr(painted, "_SLOW", 100.0)
    viewport.set_selection([0])
    on_screen(viewport)
    qtbot.waitUntil(lambda: shown[-1] == (FINEST, (0,)))
    shown.clear()  # before the next is asked for: that may be done at once
    viewport.set_selection([1])
    on_screen(viewport)
    qtbot.waitUntil(lambda: bool(shown))
    assert [quality for quality, _ in shown] == [FINEST], "where it is quick, there is no other"


def test_quality_gives_way_while_things_move_and_returns_at_rest(viewport: Viewport, qtbot: QtBot) -> None:
    governor = viewport.governor
    finest = governor.level
    for _ in range(40):
        governor.took(0.1 * 0.8**governor.level)
    assert governor.level > finest
    assert governor.moving.shadow_taps < governor.resting.shadow_taps
    fine = viewport.picture(SIZE)
    viewport.set_poses(viewport.poses)
    settle()
    qtbot.wait(400)
    assert np.abs(on_screen(viewport).astype(int) - fine).mean() < 4.0
    for _ in range(2000):
        governor.took(0.001)
    assert governor.level == 0
