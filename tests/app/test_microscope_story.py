"""The story of a student of solvers: open the wedges, pause, look at the forces pivot by pivot, compare the methods."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest

from app.view.microscope.panel import SolverMicroscope
from app.view.window.main_window import MainWindow
from engine.analysis.methods import METHODS
from engine.solvers.solution import SOLVED

LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier


def test_student_looks_at_pivots_and_compares_methods(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    QTest.mouseClick(window.gallery.card("impending"), LEFT)
    ready()
    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.playback.is_running, timeout=10_000)
    QTest.keyClick(window, Qt.Key.Key_M, CONTROL)
    panel = window.microscope
    assert panel.isVisible()
    qtbot.waitUntil(lambda: "Pause it" in panel.empty.text(), timeout=5000)
    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.simulation.state == "paused", timeout=10_000)
    qtbot.waitUntil(lambda: set(panel.runs) == set(METHODS), timeout=60_000)
    frame = window.playback.frame
    assert frame is not None and f"t = {frame.time:.6f} s" in panel.caption.text()

    step_to_the_answer(panel, window)
    compare_methods(panel)
    choose_contact(qtbot, panel, window)

    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(panel.stale.isVisible, timeout=10_000)
    assert panel.problem is not None, "the last problem stays"
    QTest.keyClick(window, Qt.Key.Key_Backspace)
    qtbot.waitUntil(lambda: panel.caption.text().startswith("t = 0.000000 s"), timeout=10_000)


def step_to_the_answer(panel: SolverMicroscope, window: MainWindow) -> None:
    """Home, then → pivot by pivot: the scene does not move, and the residual ends at zero."""
    run, frame = panel.run, window.playback.frame
    assert run is not None and run.pivots and frame is not None
    QTest.keyClick(panel, Qt.Key.Key_Home)
    assert panel.step_text.text().startswith("start: zero forces")
    residuals = []
    while not panel.stepper.at_end:
        QTest.keyClick(panel, Qt.Key.Key_Right)
        residuals.append(run.residual[panel.stepper.step])
    assert len(residuals) == len(run.number) - 1
    assert residuals[0] > 1e-3 > 1e-8 > residuals[-1]
    assert np.all(np.minimum(run.x[-1], run.w[-1]) < 1e-6 * max(run.scales)), "a force or an acceleration"
    now = window.playback.frame
    assert now is not None and now.time == frame.time


def compare_methods(panel: SolverMicroscope) -> None:
    """Each in turn, by a click on its row: all solve the problem, with the same accelerations."""
    answers = {}
    for place, name in enumerate(METHODS):
        spot = panel.table.visualRect(panel.table.methods.index(place, 0)).center()
        QTest.mouseClick(panel.table.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, spot)
        assert panel.method == name and panel.run is not None
        assert panel.run.status == SOLVED and panel.run.final_residual < 1e-8
        assert panel.residuals._curves[name].isVisible()
        answers[name] = panel.run.w[-1]
    first, *others = answers.values()
    assert all(np.allclose(first, other, atol=1e-6) for other in others)
    assert "agree" in panel.agreement.text() or "not unique" in panel.agreement.text()


def choose_contact(qtbot, panel: SolverMicroscope, window: MainWindow) -> None:
    """A click on a bar: its bodies are named and selected, and the scene shows the forces."""
    assert panel.problem is not None
    spot: QPoint = panel.bars.place_of(0).toPoint()
    QTest.mouseClick(panel.bars.view.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, spot)
    names = [window.document.scene.bodies[row].name for row in panel.problem.rows[0]]
    assert set(window.document.selection) == set(names)
    assert panel.contact_text.text().startswith(f"point 1: {names[0]} – {names[1]}   f = ")
    run, drawn = panel.run, window.viewport._renderer.options.overlays
    assert run is not None
    assert len(drawn["microscope"].first) == np.sum(run.x[panel.stepper.step] > 1e-6 * run.x.max())
    assert np.allclose(drawn["microscope points"].first, panel.problem.point[:1])
