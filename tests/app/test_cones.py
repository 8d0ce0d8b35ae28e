"""Friction cones over the picture: as wide as friction says, coloured by what a block on a slope must use of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.view.overlays.cones import SHADES, cone_lines, shade_of
from app.view.window.main_window import MainWindow

ANGLE, FRICTION = 20.0, 0.6
SLOPE = f"""
format = 1
[material.m]
friction = {FRICTION}
restitution = 0
[[body]]
name = "slope"
motion = "fixed"
shape = {{ plane = {{}} }}
material = "m"
orientation = {{ axis = [0, 1, 0], degrees = {ANGLE} }}
[[body]]
name = "block"
shape = {{ box = [0.4, 0.4, 0.2] }}
material = "m"
position = [{0.1 * math.sin(math.radians(ANGLE))}, 0, {0.1 * math.cos(math.radians(ANGLE)) + 1e-4}]
orientation = {{ axis = [0, 1, 0], degrees = {ANGLE} }}
"""


def test_shades_go_from_what_is_left_to_what_slides() -> None:
    used = np.array([0.0, 0.19, 0.21, 0.5, 0.79, 0.81, 0.995, 1.0, 1.02, np.nan])
    assert shade_of(used).tolist() == [0, 0, 1, 2, 3, 4, 4, 4, 4, -1]
    assert shade_of(used).max() == len(SHADES) - 1


@pytest.mark.parametrize("axis", [(0.0, 0.0, 1.0), (0.6, 0.0, 0.8), (1.0, 0.0, 0.0)])
def test_a_cone_is_as_wide_as_its_friction(axis: tuple[float, float, float]) -> None:
    tip, along = np.array([[1.0, 2.0, 3.0]]), np.array([axis])
    lines = cone_lines(tip, along, np.array([0.5]), 0.1)[0].reshape(-1, 3) - tip
    height = lines @ along[0]
    out = np.linalg.norm(lines - height[:, None] * along, axis=1)
    on_rim = height > 1e-9
    assert height[on_rim] == pytest.approx(0.1)
    assert out[on_rim] == pytest.approx(0.05)  # tan of the half angle is the coefficient
    assert np.abs(lines[~on_rim]).max() < 1e-12


def test_a_block_on_a_slope_uses_the_tangent_of_the_slope(
    qtbot: QtBot, window: MainWindow, ready: Callable[[], None], tmp_path: Path
) -> None:
    path = tmp_path / "slope.toml"
    path.write_text(SLOPE)
    window.files.open_path(str(path))
    qtbot.waitUntil(lambda: len(window.document.scene.bodies) == 2)
    ready()
    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.playback.frame is not None and window.playback.frame.time > 0.4, timeout=60_000)
    QTest.keyClick(window, Qt.Key.Key_Space)
    ready()
    QTest.keyClick(window, Qt.Key.Key_U, Qt.KeyboardModifier.AltModifier)
    legend = window.overlays.cones.legend
    qtbot.waitUntil(legend.isVisible)
    expected = math.tan(math.radians(ANGLE)) / FRICTION
    qtbot.waitUntil(lambda: legend.most.text() == f"most {expected:.2f}: block on slope", timeout=5000)
    drawn = {name for name in window.viewport.overlays if name.startswith("friction cones")}
    shade = f"friction cones {math.floor(expected * len(SHADES))}"
    assert drawn == {shade, "friction cones forces"}
    forces = window.viewport.overlays["friction cones forces"]
    way = (forces.second - forces.first)[0]
    assert way / np.linalg.norm(way) == pytest.approx((0.0, 0.0, 1.0), abs=0.01)  # what holds it is its weight
    QTest.keyClick(window, Qt.Key.Key_U, Qt.KeyboardModifier.AltModifier)
    assert not legend.isVisible()
    assert not any(name.startswith("friction cones") for name in window.viewport.overlays)
