"""The story of someone who wants to know what a collision was: run, double-click it, read it, look at its hodograph."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest

from app.simulation.messages import COLLISION, MICROCOLLISION
from app.view.window.main_window import MainWindow
from engine import World, load_scene
from engine.impulse.integration import integrate_collision
from tests.app.test_timeline import LEFT, NONE, run_until, settle, shoot


def open_scene(window: MainWindow, ready: Callable[[], None], name: str) -> None:
    QTest.mouseClick(window.gallery.card(name), LEFT)
    ready()


def wait_for_path(qtbot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: window.events.seen is not None, timeout=30_000)
    assert window.events.isVisible()


def test_a_collision_of_the_rods_is_opened_in_the_timeline(qtbot, window, ready) -> None:
    open_scene(window, ready, "painleve_rod")
    run_until(qtbot, window, 0.6)
    panel, line = window.events, window.timeline
    qtbot.waitUntil(lambda: bool(np.any(panel.log.rows["kind"] == COLLISION)), timeout=5000)
    hits = panel.log.rows[panel.log.rows["kind"] == COLLISION]
    time = float(hits["time"][0])
    QTest.mouseDClick(line, LEFT, NONE, QPoint(round(line.place_of(time)), 10))
    wait_for_path(qtbot, window)
    shoot(qtbot, window, "event_rods")
    event, seen = panel.event_shown, panel.seen
    assert event is not None and seen is not None and event["time"] == time

    again = World(load_scene("painleve_rod"))
    again.advance_to(time)
    recorded = again.events()
    assert any(event.tobytes() == other.tobytes() for other in recorded), "the event is that of a run without a window"
    figures = dict(panel.figures)
    assert figures["time"] == f"{time:.9f} s"
    impulse = next(value for name, value in panel.figures if name.startswith("impulse on"))
    assert impulse.startswith(f"{np.linalg.norm(event['impulse']):.5g}"[:5])

    hit, path = seen.hit, panel.hodograph.drawn
    assert path is not None and np.allclose(path[0], hit.u[:2])
    ended = integrate_collision(hit.k, hit.u, hit.mu_static, hit.mu_dynamic, hit.restitution)[1]
    assert np.allclose(seen.hodograph.ends["Stronge"], ended)
    assert "of 4 hits at one time" in panel.note.text()
    assert figures["normal velocity"].endswith(" 0 m/s after") and figures["slip"].endswith(" 0 m/s after"), "rounding"
    assert "Stronge" in panel.legend.text()

    QTest.keyClick(panel, Qt.Key.Key_Left)
    wait_for_path(qtbot, window)
    assert panel.event_shown.tobytes() != event.tobytes() and panel.event_shown["time"] == time
    QTest.keyClick(panel, Qt.Key.Key_Right)
    wait_for_path(qtbot, window)
    assert panel.event_shown.tobytes() == event.tobytes()


def test_a_key_opens_the_last_collision_and_the_run_stays_where_it_is(qtbot, window, ready) -> None:
    open_scene(window, ready, "pool_break")
    run_until(qtbot, window, 0.3)
    time = settle(qtbot, window)
    window.viewport.setFocus()
    QTest.keyClick(window, Qt.Key.Key_E)
    wait_for_path(qtbot, window)
    shoot(qtbot, window, "event_pool")
    panel = window.events
    assert panel.event_shown["kind"] == COLLISION and panel.event_shown["time"] <= time
    assert window.playback.frame.time == time
    lost = sum(panel.seen.losses.values())
    assert lost > 0.0
    assert panel.event_shown["impulse"].any() and dict(panel.figures)["slip"]


def test_a_collision_by_itself_loses_what_its_impulse_takes(qtbot, window, ready) -> None:
    open_scene(window, ready, "jack_on_stairs")
    run_until(qtbot, window, 0.5)
    QTest.keyClick(window, Qt.Key.Key_E)
    wait_for_path(qtbot, window)
    panel = window.events
    hit = panel.seen.hit
    shoot(qtbot, window, "event_jack")
    assert panel.seen.together == 1 and hit.is_alone and panel.note.isHidden()
    assert "Stronge: the engine's end" in panel.legend.text()
    taken = -np.dot(hit.p, np.add(hit.u, hit.u_after)) / 2.0
    assert taken == pytest.approx(panel.seen.losses["impact"], rel=1e-6)


def test_microcollisions_are_opened_where_they_are_asked_for(qtbot, window, ready) -> None:
    open_scene(window, ready, "coins")
    run_until(qtbot, window, 0.7)
    settle(qtbot, window)
    panel = window.events
    QTest.keyClick(window, Qt.Key.Key_E)
    wait_for_path(qtbot, window)
    assert panel.event_shown["kind"] == COLLISION
    assert not np.any(panel.log.rows["kind"] == MICROCOLLISION)
    QTest.mouseClick(panel.quiet, LEFT, NONE, QPoint(8, panel.quiet.height() // 2))
    again = World(load_scene("coins"))
    again.advance_to(0.7)
    recorded = again.events()
    told = panel.log.rows[panel.log.rows["time"] <= 0.7]
    assert told.tobytes() == recorded[: len(told)].tobytes() and np.any(told["kind"] == MICROCOLLISION)
    # One that cuts no group's step short: what that takes is in the losses, too.
    while panel.event_shown["kind"] != MICROCOLLISION or panel.seen.losses["numerics"] != 0.0:
        QTest.keyClick(panel, Qt.Key.Key_Left)
        wait_for_path(qtbot, window)
    shoot(qtbot, window, "event_quiet")
    event, hit = panel.event_shown, panel.seen.hit
    assert any(event.tobytes() == other.tobytes() for other in recorded)
    assert panel.heading.text().startswith("Microcollision")
    assert "Stronge" in panel.legend.text() and "the engine's end" not in panel.legend.text()
    assert hit.u[2] < 0.0
    assert -hit.u[2] <= np.sqrt(2.0 * 9.81 * 2.0 * 0.0002), "slower than a fall through the envelope, or twice that"
    taken = -np.dot(hit.p, np.add(hit.u, hit.u_after)) / 2.0
    assert taken == pytest.approx(sum(panel.seen.losses.values()), abs=1e-12)


def test_a_switch_is_opened_in_the_strip(qtbot, window, ready) -> None:
    open_scene(window, ready, "painleve_rod")
    run_until(qtbot, window, 0.6)
    strip, panel = window.plots.strip, window.events
    qtbot.waitUntil(lambda: len(strip.log) > 0, timeout=5000)
    row = len(strip.log) - 1
    kind, time = int(strip.log.rows["kind"][row]), float(strip.log.rows["time"][row])
    from app.view.plots.lanes import HEAD
    from app.view.plots.strip import LANE

    spot = QPoint(round(strip.place_of(time)), HEAD + kind * LANE + LANE // 2)
    assert len(strip.marks_at(spot))
    QTest.mouseDClick(strip, LEFT, NONE, spot)
    wait_for_path(qtbot, window)
    assert panel.event_shown["time"] == pytest.approx(time, abs=0.02)
    assert dict(panel.figures)["energy lost"]
