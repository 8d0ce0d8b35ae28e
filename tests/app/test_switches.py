"""The strip of switches: what it remembers, how it counts by pixel, what it says, and what a click does."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QColor, QFontMetrics
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.simulation.messages import Step
from app.view.plots.lanes import HEAD, LEFT
from app.view.plots.strip import LANE, SwitchStrip, lane_image
from app.view.plots.switches import FIRST_KIND, LANES, SwitchLog, Words, say_switches
from app.view.theme import fitted_font, scaled_font
from app.view.window.main_window import MainWindow
from app.view.window.playback import say_step
from engine.recording.events import EVENT_KINDS, REASONS, STATES
from tests.app.test_timeline import shoot

SCENE = Path(__file__).parent.parent / "data" / "lasting.toml"
EVENT = np.dtype([("time", "f8"), *((name, "i8") for name in ("kind", "reason", "state", "body_a", "body_b"))])


def events(*rows: tuple[float, str, int, int, int]) -> np.ndarray:
    held = STATES.index("held")
    states = [held if kind == "to_constraint" else 0 for _, kind, _, _, _ in rows]
    lines = [(t, EVENT_KINDS.index(kind), reason, state, a, b) for (t, kind, reason, a, b), state in zip(rows, states)]
    return np.array(lines, dtype=EVENT)


def many(count: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    out = np.zeros(count, dtype=EVENT)
    out["time"] = np.sort(rng.uniform(0.0, 4.0, count))
    out["kind"] = rng.integers(0, len(EVENT_KINDS), count)
    out["reason"] = rng.integers(0, len(REASONS), count)
    out["body_b"] = rng.integers(0, 9, count)
    return out


def test_lanes_are_the_engine_s_kinds() -> None:
    assert [lane.text.split()[-1] for lane in LANES] == ["constraint", "impulse", "asleep", "wakes", "impulse"]
    assert EVENT_KINDS[FIRST_KIND:] == ("to_constraint", "to_impulse", "sleep", "wake", "contact_impulse")


def test_lanes_are_called_what_their_events_are_called_and_have_room_for_it(qapp: QApplication) -> None:
    assert LANES[-1].word == say_step(Step(0.0, "contact_impulse", (), 0.0, False), ()).lower().split(" at ")[0].strip()
    for lane in LANES:
        font = fitted_font(scaled_font(0.78), lane.word, LEFT - 9)
        assert QFontMetrics(font).horizontalAdvance(lane.word) <= LEFT - 9


def test_log_keeps_switches_only() -> None:
    log = SwitchLog()
    log.append(events((0.1, "collision", 0, 0, 1), (0.2, "to_constraint", 2, 0, 1), (0.3, "sleep", 0, 1, 1)))
    assert log.rows["time"].tolist() == [0.2, 0.3] and log.rows["kind"].tolist() == [0, 2]
    log.cut(0.3)
    assert len(log) == 1
    log.append(events((0.4, "wake", 0, 1, 1)))
    assert log.rows["kind"].tolist() == [0, 3]


def test_full_log_forgets_the_oldest_and_says_so() -> None:
    log, whole = SwitchLog(capacity=1000), many(5000)
    switches = whole[whole["kind"] >= FIRST_KIND]
    for part in np.array_split(whole, 50):
        log.append(part)
        assert len(log) <= 1000
    assert len(log) + log.forgotten == len(switches)
    np.testing.assert_array_equal(log.rows["time"], switches["time"][log.forgotten :])


def test_every_switch_is_counted_in_its_column() -> None:
    log, whole = SwitchLog(), many(20_000)
    log.append(whole)
    counts = log.columns(1.0, 2.0, 500)
    inside = whole[(whole["time"] >= 1.0) & (whole["time"] < 2.0) & (whole["kind"] >= FIRST_KIND)]
    assert counts.sum() == len(inside)
    for lane in range(len(LANES)):
        mine = inside["time"][inside["kind"] == lane + FIRST_KIND]
        np.testing.assert_array_equal(counts[lane], np.histogram(mine, 500, (1.0, 2.0))[0])


def test_a_lone_switch_is_seen_and_many_are_taller() -> None:
    counts = np.zeros(40, dtype=np.int64)
    counts[10], counts[30] = 1, 1000
    image = lane_image(counts, QColor("#ffffff"))
    tall = [sum(image.pixelColor(x, y).alpha() > 0 for y in range(LANE)) for x in range(image.width())]
    assert [x for x in range(image.width()) if tall[x]] == [10, 11, 12, 30, 31, 32]
    assert 0 < tall[11] < tall[31] <= LANE


def test_a_contact_impulse_is_said_with_its_reason() -> None:
    log, why = SwitchLog(), REASONS.index("no contact forces exist")
    rows = events((0.0, "contact_impulse", why, 0, 1))
    rows["state"] = STATES.index("held")
    log.append(rows)
    said = say_switches(log.rows, ("floor", "rod"), Words(STATES, REASONS))
    assert said == "t = 0.000000 s:  floor – rod takes a contact impulse, held: no contact forces exist"


def test_words_name_bodies_and_reasons() -> None:
    log, names = SwitchLog(), ("ground", "box")
    settled = REASONS.index("settled: microcollisions in a row")
    log.append(
        events((0.25, "to_constraint", settled, 0, 1), (0.5, "sleep", 0, 1, 1), (0.75, "to_constraint", 0, 1, 7))
    )
    said = [say_switches(log.rows[k : k + 1], names, Words(STATES, REASONS)) for k in range(3)]
    assert said[0] == "t = 0.250000 s:  ground – box to constraint, held: settled: microcollisions in a row"
    assert said[1] == "t = 0.500000 s:  the group of box falls asleep"
    assert said[2].endswith("box – #7 to constraint, held")
    both = say_switches(log.rows, names, Words(STATES, REASONS))
    assert "2 × to constraint (1 settled: microcollisions in a row)" in both and "1 × falls asleep" in both


def test_a_hundred_thousand_cost_about_what_a_hundred_do(qapp: object) -> None:
    def cost(count: int) -> float:
        strip = SwitchStrip()
        strip.resize(1400, 90)
        strip.log.append(many(count))
        took = []
        for _ in range(7):
            began = time.process_time()
            strip.grab()
            took.append(time.process_time() - began)
        return sorted(took)[3]

    assert cost(100_000) < 6.0 * cost(100) + 0.002


@pytest.fixture
def settled(window: MainWindow, ready: Callable[[], None], qtbot: QtBot) -> MainWindow:
    window.files.open_path(str(SCENE))
    ready()
    window.playback.set_speed(10.0)
    window.playback.toggle()
    qtbot.waitUntil(lambda: window.playback.frame is not None and window.playback.frame.time > 1.5, timeout=20_000)
    window.playback.pause()
    qtbot.waitUntil(lambda: window.simulation.state == "paused", timeout=5000)
    qtbot.waitUntil(lambda: bool((window.plots.strip.log.rows["kind"] == 2).any()), timeout=5000)
    return window


def test_marks_are_where_their_times_are(settled: MainWindow) -> None:
    strip, chart = settled.plots.strip, settled.plots.energy.charts[0]
    assert strip.isVisible() and strip.window_shown == pytest.approx(chart.plot.getViewBox().viewRange()[0], abs=0.05)
    rows = strip.log.rows
    fallen = int(np.flatnonzero(rows["kind"] == 2)[0])
    at = QPoint(int(strip.place_of(float(rows["time"][fallen]))), HEAD + 2 * LANE + 4)
    assert fallen in strip.marks_at(at)
    assert not len(strip.marks_at(QPoint(at.x() + 40, at.y())))
    assert not len(strip.marks_at(QPoint(at.x(), HEAD + 3 * LANE + 4)))


def test_a_click_selects_the_bodies_and_keys_go_on(settled: MainWindow, qtbot: QtBot) -> None:
    strip = settled.plots.strip
    rows = strip.log.rows
    hit = int(np.flatnonzero((rows["kind"] == 0) & (rows["time"] > 0.0))[0])
    spot = QPoint(int(strip.place_of(float(rows["time"][hit]))), HEAD + 4)
    QTest.mouseClick(strip, Qt.MouseButton.LeftButton, pos=spot)
    names = settled.document.selection
    assert "falling" in names
    assert f"t = {float(rows['time'][hit]):.6f}"[:-3] in strip.words and "constraint" in strip.words
    time = settled.playback.frame.time
    said = [strip.words]
    while "falls asleep" not in said[-1]:  # the last mark
        QTest.keyClick(strip, Qt.Key.Key_Right)
        assert strip.words != said[-1]
        said.append(strip.words)
    assert len(said) > 1
    assert settled.playback.frame.time == time  # the key was the strip's, no step of a frame
    QTest.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(LEFT + 600, HEAD + 4))
    assert "Point at a mark" in strip.words


def test_pointing_shows_the_time_in_the_plots(settled: MainWindow, qtbot: QtBot) -> None:
    strip, chart = settled.plots.strip, settled.plots.energy.charts[0]
    with qtbot.waitSignal(strip.hovered) as heard:
        QTest.mouseMove(strip, QPoint(LEFT + 100, HEAD + 4))
    assert chart._mark.isVisible() and chart._mark.value() == pytest.approx(heard.args[0])


def test_strip_starts_anew_and_can_be_put_away(settled: MainWindow, qtbot: QtBot) -> None:
    strip = settled.plots.strip
    settled.playback.reset()
    qtbot.waitUntil(lambda: len(strip.log) == 0, timeout=5000)
    assert strip.words == "none yet"
    settled.actions_["view.panel.strip"].trigger()
    assert not strip.isVisible() and "strip" not in settled.actions_.facts.panels


def test_the_strip_says_that_no_contact_forces_exist(
    window: MainWindow, ready: Callable[[], None], qtbot: QtBot
) -> None:
    """Painlevé's pushed rod: a mark in the last lane, at the start, and a click says why."""
    window.files.open_path(str(Path(__file__).parents[2] / "scenes" / "painleve_rod.toml"))
    ready()
    window.playback.toggle()
    qtbot.waitUntil(lambda: window.playback.frame is not None and window.playback.frame.time > 0.5, timeout=20_000)
    window.playback.pause()
    qtbot.waitUntil(lambda: window.simulation.state == "paused", timeout=5000)
    strip, lane = window.plots.strip, len(LANES) - 1
    shoot(qtbot, window, "contact_impulse")
    qtbot.waitUntil(lambda: bool((strip.log.rows["kind"] == lane).any()), timeout=5000)
    (time,) = strip.log.rows["time"][strip.log.rows["kind"] == lane]
    place = QPoint(int(strip.place_of(float(time))) + 1, HEAD + lane * LANE + 4)
    QTest.mouseClick(strip, Qt.MouseButton.LeftButton, pos=place)
    assert strip.words.endswith("floor – pushed takes a contact impulse, held: no contact forces exist")
    assert "pushed" in window.document.selection
