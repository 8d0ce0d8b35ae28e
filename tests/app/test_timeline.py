"""Back in time by hand: run, drag along the timeline, step back, click a plot, pull in the past."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest

from app.view.window.main_window import MainWindow
from engine import World

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def settle(qtbot, window: MainWindow) -> float:
    """Waits until it stands; when that is."""
    qtbot.wait(30)
    qtbot.waitUntil(lambda: window.simulation.state == "paused", timeout=20_000)
    qtbot.wait(150)  # the texts and the plots have seen it
    frame = window.playback.frame
    assert frame is not None
    return frame.time


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

    if shots := os.environ.get("CAROM_SHOTS"):
        window.simulation.seek(0.5)
        settle(qtbot, window)
        window.grab().save(f"{shots}/dark.png")
        window.looks.toggle_theme()
        qtbot.wait(300)
        window.grab().save(f"{shots}/light.png")
    window.simulation.seek(0.5)
    settle(qtbot, window)
    window.simulation.pull(window.document.scene.index(window._names[-1]), (0.0, 0.0, 0.0), (0.0, 0.0, 0.5))
    QTest.keyClick(window, Qt.Key.Key_Right)
    forked = settle(qtbot, window)
    assert forked < 0.6 and window.playback.frame.end == forked, "another future begins"
    assert window.plots.energy._history.span[1] <= forked + 1e-12
