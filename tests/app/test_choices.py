"""The story of someone who compares laws: each choice is made by mouse in the inspector, and the scene obeys it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from app.view.forms.rows import ChoiceBox
from app.view.window.main_window import MainWindow
from engine.scene.schema import FRICTION_MODELS, IMPACT_LAWS, SOLVERS

LEFT = Qt.MouseButton.LeftButton
SCENES = Path(__file__).parents[2] / "scenes"
CHOICES = (
    ("Impacts", "impacts", IMPACT_LAWS),
    ("Friction", "friction_model", FRICTION_MODELS),
    ("Solver", "solver", SOLVERS),
    ("Order", "order", (2, 1)),
)


def choose(qtbot, window: MainWindow, name: str, value: object) -> None:
    """Open the box of this name in the inspector by a click, and click the choice."""
    box = window.inspector.page.findChild(ChoiceBox, name)
    QTest.mouseClick(box, LEFT)
    view = box.view()
    qtbot.waitUntil(view.isVisible, timeout=5000)
    row = next(row for row in range(box.count()) if box.itemData(row) == value)
    place = view.visualRect(view.model().index(row, 0)).center()
    qtbot.wait(QApplication.doubleClickInterval() + 100)  # the click that opens a popup does not choose in it
    QTest.mouseMove(view.viewport(), place)
    QTest.mouseClick(view.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, place)
    qtbot.waitUntil(lambda: not view.isVisible(), timeout=5000)


def play_until(qtbot, window: MainWindow, time: float) -> None:
    window.playback.set_speed(10.0)
    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: (f := window.playback.frame) is not None and f.time >= time, timeout=60_000)
    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.simulation.state == "paused", timeout=10_000)


@pytest.mark.parametrize(("name", "field", "values"), CHOICES)
def test_every_choice_is_offered_and_made_by_mouse(
    qtbot, window: MainWindow, ready: Callable[[], None], name: str, field: str, values: tuple[object, ...]
) -> None:
    window.files.open_path(str(SCENES / "sliders.toml"))
    ready()
    box = window.inspector.page.findChild(ChoiceBox, name)
    assert {box.itemData(row) for row in range(box.count())} == set(values)
    for value in (*values[::-1], values[0]):
        choose(qtbot, window, name, value)
        assert getattr(window.document.scene.world, field) == value
        assert not window.banner.isVisible()
    window.document.undo_stack.undo()
    assert getattr(window.document.scene.world, field) != values[0]


def test_a_material_is_given_a_look_and_the_picture_has_it(
    qtbot, window: MainWindow, ready: Callable[[], None]
) -> None:
    window.files.open_path(str(SCENES / "coins.toml"))
    ready()
    window.document.set_focus("material.coin")
    qtbot.waitUntil(lambda: window.inspector.page.findChild(ChoiceBox, "Look") is not None)
    metal = window.viewport.picture((320, 200)).astype(int)
    choose(qtbot, window, "Look", "plain")
    assert window.document.scene.material["coin"].look == "plain"
    ready()
    plain = window.viewport.picture((320, 200)).astype(int)
    assert (np.abs(metal - plain).max(axis=2) > 25).sum() > 30  # the coins are small
    window.document.undo_stack.undo()
    assert window.document.scene.material["coin"].look == "metal"


def test_counters_stop_on_a_circle_once_friction_is_coulombs(
    qtbot, window: MainWindow, ready: Callable[[], None]
) -> None:
    window.files.open_path(str(SCENES / "sliders.toml"))
    ready()
    rows = [window.document.scene.index(f"counter.{k}") for k in range(24)]

    def stop() -> np.ndarray:
        ready()
        start = window.playback.frame.poses[rows, :2]
        play_until(qtbot, window, 1.2)
        return np.hypot(*(window.playback.frame.poses[rows, :2] - start).T)

    assert np.ptp(stop()) > 0.1, "a square"
    choose(qtbot, window, "Friction", "coulomb")
    assert np.ptp(stop()) < 0.02, "a circle"


def block_rows(window: MainWindow) -> list[int]:
    return [window.document.scene.index(f"block.{k}") for k in range(12)]


def test_blocks_slide_on_once_the_world_is_of_second_order(
    qtbot, window: MainWindow, ready: Callable[[], None]
) -> None:
    """What the bar has pushed stands where the bar stops, until the world's order is chosen anew."""
    window.files.open_path(str(SCENES / "assembly.toml"))
    gone = []
    for order in (1, 2):
        ready()
        if order == 2:
            choose(qtbot, window, "Order", 2)
            ready()
        play_until(qtbot, window, 1.4)
        if order == 1:
            assert window.plots.strip.words == "none: all contacts of this scene are constraint forces"
        gone.append(window.playback.frame.poses[block_rows(window), 0].max())
    assert gone[1] > gone[0] + 0.02


def test_a_plank_goes_where_the_mouse_leads_it_and_stands_when_it_is_let_go(
    qtbot, window: MainWindow, ready: Callable[[], None]
) -> None:
    window.files.open_path(str(SCENES / "assembly.toml"))
    ready()
    view, row = window.viewport, window.document.scene.index("plank")

    def place() -> np.ndarray:
        return window.playback.frame.poses[row, :3].copy()

    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.playback.is_running, timeout=60_000)
    before = place()
    x, y, _ = view.project(before + (0.0, 0.0, 0.015))
    start = QPoint(round(x), round(y))
    QTest.mousePress(view.surface, LEFT, Qt.KeyboardModifier.ControlModifier, start)
    for step in range(1, 5):
        QTest.mouseMove(view.surface, start + QPoint(10 * step, 0))
    qtbot.waitUntil(lambda: place()[0] > before[0] + 0.01, timeout=20_000)
    QTest.mouseRelease(view.surface, LEFT, Qt.KeyboardModifier.ControlModifier, start + QPoint(40, 0))
    qtbot.wait(300)
    there, time = place(), window.playback.frame.time
    qtbot.waitUntil(lambda: window.playback.frame.time > time + 0.3, timeout=20_000)
    assert np.abs(place() - there).max() < 1e-4
