"""The run pauses by itself where a condition is met, at the very event, and says why."""

from __future__ import annotations

import os

import numpy as np
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from app.simulation.breaks import Break, Met, first_break
from app.view.theme import theme
from engine import World, load_scene
from engine.recording.events import EVENT, EVENT_KINDS
from tests.app.test_timeline import LEFT, settle


def test_the_earliest_condition_counts() -> None:
    events = np.zeros(3, dtype=EVENT)
    events["time"], events["body_a"], events["body_b"] = [0.1, 0.2, 0.3], [0, 1, 1], [1, 2, 2]
    events["kind"][2] = EVENT_KINDS.index("to_impulse")
    contact, switch = Break("contact", "", (2, 1)), Break("switch", "")
    assert first_break([switch, contact], events) == Met(contact, 0.2, 0.0)
    assert first_break([switch], events) == Met(switch, 0.3, 0.0)
    assert first_break([Break("contact", "", (0, 2))], events) is None
    events["impulse"][:, 2] = [1.0, 3.0, 2.0]
    hard = Break("impulse", "hard", above=1.5)
    assert first_break([hard], events) == Met(hard, 0.2, 3.0)
    assert first_break([hard._replace(on=False)], events) is None


def test_the_run_pauses_at_the_first_contact_of_two_bodies(qtbot, window, ready) -> None:
    QTest.mouseClick(window.gallery.card("pool_break"), LEFT)
    ready()
    names = [body.name for body in window.document.scene.bodies]
    world = World(load_scene("pool_break"))
    world.advance_to(0.3)
    events = world.events()
    first = Break("contact", "", (names.index("cue"), names.index("ball1"))).rows(events)["time"][0]
    window.document.select(["cue", "ball1"])
    said: list[str] = []
    window.playback.said.connect(said.append)
    QTest.keyClick(window, Qt.Key.Key_P)
    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: any(text.startswith("Paused at") for text in said), timeout=60_000)
    assert settle(qtbot, window) == first
    assert "first contact of cue and ball1" in said[-1]

    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.playback.frame.time > first + 0.1, timeout=60_000)
    QTest.keyClick(window, Qt.Key.Key_P, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: "changes its paradigm" in said[-1] and said[-1].startswith("Paused"), timeout=60_000)
    assert settle(qtbot, window) > first + 0.1


def test_a_list_of_breaks_is_switched_and_shortened_by_hand(qtbot, window, ready) -> None:
    QTest.mouseClick(window.gallery.card("pool_break"), LEFT)
    ready()
    world = World(load_scene("pool_break"))
    world.advance_to(0.3)
    events = world.events()
    hard = Break("impulse", "", above=1.0)
    met = first_break([hard], events)
    assert met is not None
    said: list[str] = []
    window.playback.said.connect(said.append)
    QTest.keyClick(window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    dialog = window.breaks
    assert dialog.isVisible()
    QTest.mouseClick(dialog.add, LEFT)  # an impulse above 1 N s
    dialog.impulse.setValue(0.001)
    QTest.mouseClick(dialog.add, LEFT)
    qtbot.waitUntil(lambda: dialog.list.count() == 2)
    dialog.list.setFocus()
    dialog.list.setCurrentRow(1)
    QTest.keyClick(dialog.list, Qt.Key.Key_Space)  # off: the ball's weight does not stop the run
    qtbot.waitUntil(lambda: [one.on for one in window.playback.frame.breaks] == [True, False])

    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    ready()  # it has the keys again
    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: any(text.startswith("Paused at") for text in said), timeout=60_000)
    assert settle(qtbot, window) == met.time
    assert said[-1].endswith(f"an impulse above 1 N s, {met.impulse:.4g} N s")
    QTest.keyClick(window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: dialog.list.item(0).checkState() == Qt.CheckState.Unchecked)

    dialog.list.setCurrentRow(1)
    QTest.keyClick(dialog.list, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: dialog.list.count() == 1)
    if pictures := os.environ.get("CAROM_PICTURES"):
        window.playback.break_at_switch()
        qtbot.waitUntil(lambda: dialog.list.count() == 2)
        dialog.grab().save(f"{pictures}/breaks.png")
        theme().apply("light")
        qtbot.wait(200)
        dialog.grab().save(f"{pictures}/breaks_light.png")
        theme().apply("dark")
