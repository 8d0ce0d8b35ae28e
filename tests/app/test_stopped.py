"""The banner says who is stopped in the picture that is shown, when each was, and why, wherever one goes in time."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from app.view.window.main_window import MainWindow
from engine import World
from engine.recording.events import EVENT_KINDS
from tests.app.test_timeline import run_until, settle

JAW = """
[[body]]
name = "{name}"
shape = {{ box = [0.2, 0.5, 0.5] }}
position = [{x}, {y}, 0]
motion = {{ accelerated = {{ velocity = [{speed}, 0, 0] }} }}
"""
LOAD = """
[[body]]
name = "{name}"
shape = {{ box = [0.1, 0.1, 0.1] }}
position = [0.02, {y}, 0]
mass = 1.0
"""


def two_vices() -> str:
    """One crushes its load at about 0.2 s, the other at about 0.4 s."""
    scene = "format = 1\n[world]\ngravity = [0, 0, 0]\n"
    for name, y, time in (("one", 0, 0.3), ("two", 2, 0.6)):
        for side in (-1, 1):
            scene += JAW.format(name=f"{name} {side}", x=0.25 * side, y=y, speed=-0.15 * side / time)
        scene += LOAD.format(name=name, y=y)
    return scene


def told(window: MainWindow) -> dict[str, float]:
    """Who is stopped, and since when [s]; nobody where there is no banner."""
    text = window.banner.text.text() if window.banner.isVisible() else ""
    return {name: float(time) for name, time in re.findall(r"(one|two) at t = ([\d.]+) s \(crushed", text)}


def test_the_banner_tells_of_the_picture_that_is_shown(
    qtbot, window: MainWindow, ready: Callable[[], None], tmp_path: Path
) -> None:
    (tmp_path / "vices.toml").write_text(two_vices())
    window.files.open_path(tmp_path / "vices.toml")
    ready()
    world = World(window.document.scene)
    world.advance_to(1.0)
    events = world.events()
    stops = events[events["kind"] == EVENT_KINDS.index("stop")]
    one, two = stops["time"].tolist()
    assert [world.names[row] for row in stops["body_a"]] == ["one", "two"] and two > one + 0.1

    def tells(**times: float) -> None:
        qtbot.waitUntil(lambda: told(window) == pytest.approx(times, abs=1e-4), timeout=5000)

    run_until(qtbot, window, 0.9)
    tells(one=one, two=two)
    assert "two" in window.status.message
    window.simulation.seek(float(np.mean([one, two])))
    settle(qtbot, window)
    tells(one=one)
    QTest.keyClick(window, Qt.Key.Key_Home)
    settle(qtbot, window)
    tells()
    QTest.keyClick(window, Qt.Key.Key_End)
    settle(qtbot, window)
    tells(one=one, two=two)
    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.wait(200)
    tells(one=one, two=two)
