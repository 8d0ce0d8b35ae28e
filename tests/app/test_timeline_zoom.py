"""The timeline from seconds to a microsecond, by wheel and keys: what lies together in it comes apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PyQt6.QtCore import QPoint, QPointF, QRect, Qt
from PyQt6.QtGui import QWheelEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from app.simulation.messages import COLLISION, Branch
from app.view.plots.timeline import NARROWEST, Timeline
from tests.app.test_heap_table import frame
from tests.app.test_timeline import LEFT, NONE, run_until, settle, shoot


def wheel(widget, x: float, turns: int, modifiers=NONE) -> None:
    at = QPointF(x, 10.0)
    event = QWheelEvent(
        at, widget.mapToGlobal(at), QPoint(), QPoint(0, 120 * turns), Qt.MouseButton.NoButton, modifiers,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(widget, event)


def test_wheel_and_keys_go_from_seconds_to_a_microsecond(qtbot, window, ready) -> None:
    QTest.mouseClick(window.gallery.card("jack_on_stairs"), LEFT)
    ready()
    run_until(qtbot, window, 1.2)
    line = window.timeline
    qtbot.waitUntil(lambda: bool(np.sum(line.log.rows["kind"] == COLLISION) > 3), timeout=5000)
    times = np.unique(line.log.rows["time"][line.log.rows["kind"] == COLLISION])
    first = int(np.argmin(np.diff(times)))
    near, far = times[first], times[first + 1]
    apart = line.place_of(far) - line.place_of(near)
    wheel(line, line.place_of(near), 12)
    assert line.place_of(far) - line.place_of(near) > 8.0 * apart
    shoot(qtbot, window, "timeline_zoomed")
    wheel(line, line.place_of(near), 100)
    begin, end = line.view
    assert begin <= near <= end and 0.99 * NARROWEST < end - begin < 1.01 * NARROWEST

    QTest.mouseClick(line, LEFT, NONE, QPoint(round(line.place_of(near)), 10))
    assert abs(settle(qtbot, window) - near) < 3e-9, "a pixel is a nanosecond"
    QTest.mouseDClick(line, LEFT, NONE, QPoint(round(line.place_of(near)), 10))
    qtbot.waitUntil(lambda: window.events.seen is not None, timeout=20_000)
    assert window.events.event_shown["time"] == near

    line.setFocus()
    QTest.keyClick(line, Qt.Key.Key_Minus)
    assert np.ptp(line.view) > 1.9 * NARROWEST
    begin = line.view[0]
    wheel(line, line.place_of(near), -2, Qt.KeyboardModifier.ShiftModifier)
    assert line.view[0] > begin
    QTest.keyClick(line, Qt.Key.Key_0)
    assert line.view[0] == 0.0 and line.view[1] >= 1.2
    QTest.keyClick(line, Qt.Key.Key_Plus)
    assert np.ptp(line.view) < 0.7
    QTest.keyClick(window, Qt.Key.Key_Backspace)
    qtbot.waitUntil(lambda: window.playback.frame.time == 0.0, timeout=10_000)
    qtbot.wait(100)


def test_what_is_forgotten_and_cut(qtbot) -> None:
    from app.simulation.examining import EventLog
    from app.simulation.messages import SAMPLE, Batch
    from engine.recording.events import EVENT

    def batch(run: int, *when: float) -> Batch:
        events, samples = np.zeros(len(when), dtype=EVENT), np.zeros(len(when), dtype=SAMPLE)
        events["time"] = samples["time"] = when
        return Batch(1, run, events, samples)

    log = EventLog()
    log.feed([batch(1, 0.1, 0.2), batch(1, 0.3)])
    assert log.between(0.2, 0.3)["time"].tolist() == [0.2, 0.3]
    log.feed([batch(1, 0.15, 0.4)])
    assert log.rows["time"].tolist() == [0.1, 0.15, 0.4], "another future"
    log.feed([batch(2, 0.5)])
    assert log.rows["time"].tolist() == [0.5], "another run"


def test_what_leads_to_a_branch_leaves_the_times_to_be_read(qtbot) -> None:
    line = Timeline()
    qtbot.addWidget(line)
    line.resize(600, 60)
    line.show()
    pictures = []
    for start in (0.4, 0.5):  # at a time that is written there, and beside it
        line.show_frame(replace(frame(None), end=1.0, branches=(Branch(2, start, 0.9, 1),)))
        pictures.append(line.grab(QRect(round(line.place_of(0.4)) - 4, 28, 8, 8)).toImage())
    assert pictures[0] == pictures[1]
