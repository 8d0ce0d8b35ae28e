"""Back in time by hand: run, drag along the timeline, step back, click a plot, pull in the past."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt
from PyQt6.QtGui import QMouseEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLineEdit, QPushButton, QWidget

from app.view.recording.dialog import RecordDialog
from app.view.window.main_window import MainWindow
from engine import World
from tests.app.test_story import decoded

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def settle(qtbot, window: MainWindow) -> float:
    """Waits until it stands; when that is."""
    qtbot.wait(30)
    qtbot.waitUntil(lambda: window.simulation.state == "paused", timeout=20_000)
    qtbot.wait(150)  # the texts and the plots have seen it
    frame = window.playback.frame
    assert frame is not None
    return frame.time


def shoot(qtbot, window: MainWindow, name: str) -> None:
    """Pictures in both themes, for whoever wants to look."""
    if shots := os.environ.get("CAROM_SHOTS"):
        for theme in ("dark", "light"):
            qtbot.wait(300)
            window.grab().save(f"{shots}/{name}_{theme}.png")
            window.looks.toggle_theme()
            qtbot.waitUntil(window.updatesEnabled)


def run_until(qtbot, window: MainWindow, time: float) -> float:
    """Space, wait, Space."""
    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: (f := window.playback.frame) is not None and f.time > time, timeout=120_000)
    QTest.keyClick(window, Qt.Key.Key_Space)
    return settle(qtbot, window)


def click_timeline(window: MainWindow, time: float) -> None:
    QTest.mouseClick(window.timeline, LEFT, NONE, QPoint(round(window.timeline.place_of(time)), 10))


def pull_by_mouse(qtbot, window: MainWindow, name: str) -> None:
    """Ctrl+drag of a body, somewhat upwards, until a frame has seen it."""
    before = len(window.playback.frame.inputs)
    drag_body(qtbot, window, name)
    qtbot.waitUntil(lambda: len(window.playback.frame.inputs) > before, timeout=10_000)


def drag_body(qtbot, window: MainWindow, name: str) -> None:
    """Ctrl+drag of a body, somewhat upwards."""
    frame = window.playback.frame
    assert frame is not None
    x, y, _ = window.viewport.project(frame.poses[window.document.scene.index(name), :3])
    surface = window.viewport.findChild(QWidget, "viewport-surface")
    ctrl = Qt.KeyboardModifier.ControlModifier
    QTest.mousePress(surface, LEFT, ctrl, QPoint(round(x), round(y)))
    for step in range(1, 6):
        drag_mouse(surface, QPoint(round(x), round(y) - 20 * step), ctrl)
        qtbot.wait(20)


def drag_mouse(surface: QWidget, to: QPoint, modifiers: Qt.KeyboardModifier) -> None:
    """A move of the mouse with the left button down, which QTest.mouseMove does not know of."""
    at = QPointF(to)
    event = QMouseEvent(
        QEvent.Type.MouseMove, at, QPointF(surface.mapToGlobal(to)), Qt.MouseButton.NoButton, LEFT, modifiers
    )
    QApplication.sendEvent(surface, event)


def let_go(window: MainWindow) -> None:
    surface = window.viewport.findChild(QWidget, "viewport-surface")
    QTest.mouseRelease(surface, LEFT, Qt.KeyboardModifier.ControlModifier, surface.rect().center())


def inked(window: MainWindow, y: float, left: int, right: int) -> int:
    """How many pixels of the timeline are painted on, of some 8 rows about a height."""
    image = window.timeline.grab().toImage()
    paper = image.pixel(1, 1)
    return sum(image.pixel(x, round(y) + row) != paper for x in range(left, right) for row in range(-4, 5))


def test_the_first_branch_comes_back_by_hand(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    """Run, scrub back, pull, resume, return to the first branch, and to the second one."""
    window.files.open_path("coins")
    ready()
    end = run_until(qtbot, window, 1.2)
    poses = window.playback.frame.poses
    click_timeline(window, 0.4)
    there = settle(qtbot, window)
    assert 0.3 < there < 0.5

    name = window.document.scene.bodies[-1].name
    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.playback.is_running, timeout=10_000)
    pull_by_mouse(qtbot, window, name)
    qtbot.waitUntil(lambda: window.playback.frame.branch == 2, timeout=10_000)
    qtbot.wait(150)
    let_go(window)
    qtbot.waitUntil(lambda: window.playback.frame.time > 0.9, timeout=120_000)
    QTest.keyClick(window, Qt.Key.Key_Space)
    second_end = settle(qtbot, window)
    second = window.playback.frame
    assert second.branch == 2 and second.end == second_end
    (first,) = second.branches
    assert first.number == 1 and first.end == end and 0.3 < first.start < 0.9
    assert window.plots.energy.own.histories[0].span[1] == second_end
    known = window.plots.energy.own.histories[0].stretch(0.0, second_end, 1 << 20)
    assert not known.starts[1:].any(), "curves go on where the branch begins"
    name, times = inked(window, window.timeline.row_of(1), 0, 70), inked(window, 32, 80, 1500)
    assert name > 20 and times > 100, "the branch has its name, and the line its times"
    shoot(qtbot, window, "branches")

    QTest.mouseClick(window.timeline, LEFT, NONE, QPoint(300, round(window.timeline.row_of(1))))
    qtbot.waitUntil(lambda: window.playback.frame.branch == 1, timeout=20_000)
    assert settle(qtbot, window) == end
    np.testing.assert_array_equal(window.playback.frame.poses, poses)
    assert window.plots.energy.own.histories[0].span[1] == end, "the plots show the first branch again"

    QTest.keyClick(window, Qt.Key.Key_B)
    qtbot.waitUntil(lambda: window.playback.frame.branch == 2, timeout=20_000)
    assert settle(qtbot, window) == second_end
    np.testing.assert_array_equal(window.playback.frame.poses, second.poses)
    click_timeline(window, 0.3)
    settle(qtbot, window)
    QTest.keyClick(window, Qt.Key.Key_B, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: window.playback.frame.branch == 3, timeout=20_000)
    assert [branch.number for branch in window.playback.frame.branches] == [1, 2]
    assert not window.playback.frame.inputs, "what came from outside later belongs to the second"


def collisions_of(window: MainWindow) -> list[tuple[float, float]]:
    """Time and count after each event with collisions, of a world that nobody touches, until the end of the run."""
    world, seen = World(window.document.scene), [(0.0, 0.0)]
    while world.advance_events(1, window.playback.frame.end):
        if world.counters["collisions"] > seen[-1][1]:
            seen.append((world.time, world.counters["collisions"]))
    return seen


def film(qtbot, window: MainWindow, until: float, out: Path) -> list[bytes]:
    """Ctrl+F12, the form by keys, the smallest pictures and the fewest, Record: the pictures."""
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow, timeout=5000)
    QTest.keyClick(window, Qt.Key.Key_F12, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: isinstance(QApplication.activeModalWidget(), RecordDialog), timeout=5000)
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, RecordDialog)
    for name, text in (("until", f"{until:g}"), ("out", str(out))):
        box = dialog.findChild(QLineEdit, name)
        box.setFocus()
        box.selectAll()
        QTest.keyClicks(box, text)
    QTest.keyClick(dialog.size_box, Qt.Key.Key_End)
    QTest.keyClick(dialog.size_box, Qt.Key.Key_Up)
    QTest.keyClick(dialog.rate_box, Qt.Key.Key_Home)
    assert dialog.size_box.currentData() == (640, 360) and dialog.rate_box.currentData() == 24
    QTest.mouseClick(dialog.findChild(QPushButton, "start"), LEFT)
    qtbot.waitUntil(lambda: not dialog.is_recording, timeout=300_000)
    assert dialog.status.text().startswith("Written to"), dialog.status.text()
    QTest.mouseClick(dialog.findChild(QPushButton, "cancel"), LEFT)
    return [frame.to_ndarray(format="rgb24").tobytes() for frame in decoded(out)]


TWO_BALLS = """
format = 1
title = "Two balls"
[material.rubber]
friction = 0.5
restitution = 0.8
[[body]]
name = "floor"
motion = "fixed"
shape = { plane = {} }
[[body]]
name = "left"
shape = { sphere = { radius = 0.1 } }
material = "rubber"
position = [-0.5, 0, 0.4]
velocity = [0.4, 0, 0]
angular_velocity = [0, 0, 6]
[[body]]
name = "right"
shape = { sphere = { radius = 0.1 } }
material = "rubber"
position = [0.5, 0, 0.5]
velocity = [-0.4, 0, 0]
"""


def test_each_branch_has_its_video(qtbot, window: MainWindow, ready: Callable[[], None], tmp_path: Path) -> None:
    """Two of each are the same picture by picture; those of the two branches differ where they have parted."""
    scene = tmp_path / "two_balls.toml"
    scene.write_text(TWO_BALLS, encoding="utf-8")
    window.files.open_path(scene)
    ready()
    run_until(qtbot, window, 2.0)
    click_timeline(window, 0.6)
    parted = settle(qtbot, window)
    pull_by_mouse(qtbot, window, "right")
    qtbot.waitUntil(lambda: window.playback.frame.branch == 2, timeout=10_000)
    run_until(qtbot, window, 2.0)
    let_go(window)
    videos: dict[int, list[bytes]] = {}
    for number in (2, 1):
        first, second = (film(qtbot, window, 1.0, tmp_path / f"{number}{take}.mp4") for take in "ab")
        assert first == second and len(first) == 24
        videos[number] = first
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow, timeout=5000)
        QTest.keyClick(window, Qt.Key.Key_B)
        qtbot.waitUntil(lambda number=number: window.playback.frame.branch == 3 - number, timeout=20_000)
        settle(qtbot, window)
    alike = [a == b for a, b in zip(videos[1], videos[2], strict=True)]
    assert not any(alike[int(parted * 24) + 6 :])
    assert len(set(videos[1])) == 24, "something moves in every picture"


def test_steps_back_loops_and_backwards_by_keys(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("coins")
    ready()
    end = run_until(qtbot, window, 1.0)
    ctrl, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    events = window.playback.frame.counters["heap_pops"]
    QTest.keyClick(window, Qt.Key.Key_Left, shift)
    settle(qtbot, window)
    assert events - window.playback.frame.counters["heap_pops"] in (0, 1) and window.playback.frame.end == end
    passed = []
    for _ in range(3):
        QTest.keyClick(window, Qt.Key.Key_Left, ctrl)
        passed.append((settle(qtbot, window), window.playback.frame.counters["collisions"]))
    assert passed == collisions_of(window)[-3:][::-1], "one after the other"
    QTest.keyClick(window, Qt.Key.Key_Right, ctrl)
    assert (settle(qtbot, window), window.playback.frame.counters["collisions"]) == passed[1]

    line = window.timeline
    QTest.mousePress(line, LEFT, shift, QPoint(round(line.place_of(0.3)), 10))
    QTest.mouseMove(line, QPoint(round(line.place_of(0.5)), 10))
    QTest.mouseRelease(line, LEFT, shift, QPoint(round(line.place_of(0.5)), 10))
    qtbot.waitUntil(lambda: window.playback.frame.loop is not None, timeout=5000)
    begin, until = window.playback.frame.loop
    assert abs(begin - 0.3) < 0.02 and abs(until - 0.5) < 0.02
    shown: list[float] = []
    QTest.keyClick(window, Qt.Key.Key_Space)

    def goes_round(times: int) -> bool:
        shown.append(window.playback.frame.time)
        return int((np.abs(np.diff(shown)) > 0.5 * (until - begin)).sum()) >= times

    qtbot.waitUntil(lambda: goes_round(3), timeout=20_000)
    assert all(begin <= time <= until for time in shown[-10:])
    shoot(qtbot, window, "loop")
    QTest.keyClick(window, Qt.Key.Key_Space)
    settle(qtbot, window)
    QTest.keyClick(window, Qt.Key.Key_I, shift)
    qtbot.waitUntil(lambda: window.playback.frame.loop is None, timeout=5000)

    click_timeline(window, 0.9)
    settle(qtbot, window)
    QTest.keyClick(window, Qt.Key.Key_Space, shift)
    shown.clear()
    qtbot.waitUntil(lambda: (shown.append(window.playback.frame.time), shown[-1] < 0.5)[1], timeout=20_000)
    assert len(set(shown)) > 8 and all(a >= b for a, b in pairwise(shown)), "it goes backwards"
    QTest.keyClick(window, Qt.Key.Key_Space)
    there = settle(qtbot, window)
    world = World(window.document.scene)
    world.advance_to(there)
    np.testing.assert_array_equal(window.playback.frame.poses, world.poses().astype(np.float32))
    QTest.keyClick(window, Qt.Key.Key_Space, shift)
    qtbot.waitUntil(lambda: window.playback.frame.time == 0.0, timeout=20_000)
    qtbot.waitUntil(lambda: window.simulation.state == "paused", timeout=5000)


def test_a_run_is_taken_back_by_hand(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("coins")
    ready()
    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.playback.frame.time > 1.5, timeout=120_000)
    QTest.keyClick(window, Qt.Key.Key_Space)
    end = settle(qtbot, window)

    line = window.timeline
    at = QPoint(round(line.place_of(1.0)), 10)
    QTest.mousePress(line, LEFT, NONE, at)
    QTest.mouseMove(line, QPoint(round(line.place_of(0.5)), 10))
    QTest.mouseRelease(line, LEFT, NONE, QPoint(round(line.place_of(0.5)), 10))
    there = settle(qtbot, window)
    assert abs(there - line.time_at(round(line.place_of(0.5)))) < 0.02 and there < 0.6
    world = World(window.document.scene)
    world.advance_to(there)
    np.testing.assert_array_equal(window.playback.frame.poses, world.poses().astype(np.float32))
    assert window.playback.frame.end == end, "the future is still known"
    assert window.plots.energy.charts[0]._cursor == there, "plots share the cursor"

    QTest.keyClick(window, Qt.Key.Key_Left)
    assert abs(settle(qtbot, window) - (there - 1 / 60)) < 1e-12
    QTest.keyClick(window, Qt.Key.Key_Home)
    assert settle(qtbot, window) == 0.0

    chart = window.plots.energy.charts[0]
    spot = chart.plot.mapFromScene(chart.plot.getViewBox().sceneBoundingRect().center())
    QTest.mouseClick(chart.plot.viewport(), LEFT, NONE, spot)
    clicked = settle(qtbot, window)
    assert 0.0 < clicked <= end
    QTest.keyClick(window, Qt.Key.Key_End)
    assert settle(qtbot, window) == end
