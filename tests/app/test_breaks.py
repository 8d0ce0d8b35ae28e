"""The run pauses by itself where a condition is met, at the very event, and says why."""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from app.simulation.breaks import Break, first_break
from engine import World, load_scene
from engine.recording.events import EVENT, EVENT_KINDS
from tests.app.test_timeline import LEFT, settle


def test_the_earliest_condition_counts() -> None:
    events = np.zeros(3, dtype=EVENT)
    events["time"], events["body_a"], events["body_b"] = [0.1, 0.2, 0.3], [0, 1, 1], [1, 2, 2]
    events["kind"][2] = EVENT_KINDS.index("to_impulse")
    contact, switch = Break("contact", "", (2, 1)), Break("switch", "")
    assert first_break([switch, contact], events) == (contact, 0.2)
    assert first_break([switch], events) == (switch, 0.3)
    assert first_break([Break("contact", "", (0, 2))], events) is None


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
