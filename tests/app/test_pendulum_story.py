"""A double pendulum by clicks and keys, from an empty scene: rods, hinges, a motor, a limit, a plot, a video."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QContextMenuEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QMenu, QTreeWidgetItem, QWidget

from app.document import edits
from app.view.forms.numbers import VectorBox
from app.view.theme import Scheme, theme
from app.view.window.main_window import MainWindow
from tests.app.test_joints import type_into
from tests.app.test_story import LEFT, LENGTH, RATE, decoded, play_until, record

SCHEMES: tuple[Scheme, ...] = ("dark", "light")
PLAIN = Qt.KeyboardModifier.NoModifier


def test_a_double_pendulum_is_built_run_plotted_and_recorded(
    qtbot, window: MainWindow, ready: Callable[[], None], tmp_path: Path
) -> None:
    QTest.keyClick(window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    ready()
    add_rod(qtbot, window)
    place(window, 1.45)
    tie(qtbot, window, "capsule")
    put_point(window, 1.7)
    click(window, "capsule")
    QTest.keyClick(window, Qt.Key.Key_D, Qt.KeyboardModifier.ShiftModifier)
    place(window, 0.95)
    tie(qtbot, window, "capsule", "capsule2")
    assert [joint.bodies for joint in window.document.scene.joint] == [("capsule",), ("capsule", "capsule2")]
    assert window.document.scene.joint[1].point == (0.0, 0.0, 1.2)

    click(window, "hinge")
    choose_from_menu(qtbot, window, "hinge", "Motor: position")
    for name, text in (("kp", "400"), ("kv", "40"), ("Target", "1"), ("Upper", "0.6"), ("Lower", "-0.6")):
        type_into(window, name, text)
    said = window.document.scene.joint[0]
    assert said.limits == (-0.6, 0.6) and said.motor is not None and (said.motor.position, said.motor.kp) == (1.0, 400)
    window.workspace.open_tab("Joint", 240)
    ready()
    assert not window.banner.isVisible(), window.banner.text.text()
    play_until(qtbot, window, 1.0)

    charts = window.plots.joint.charts
    for number, chart in enumerate(charts):
        qtbot.waitUntil(lambda n=number, c=chart: c.export_table(tmp_path / f"{n}.csv") > 10, timeout=10_000)
    angles, rates, efforts = (
        np.genfromtxt(tmp_path / f"{number}.csv", delimiter=",", skip_header=1)[:, -1] for number in range(3)
    )
    assert 0.55 < angles.max() <= 0.6 + 1e-6, "the motor lifts the rod to its limit"
    assert rates.max() > 0.5 and efforts.max() > 100.0
    take_pictures(qtbot, window)

    video = record(qtbot, window, tmp_path / "pendulum.mp4")
    first, *_, last = [frame.to_ndarray(format="rgb24").astype(int) for frame in decoded(video)]
    assert len(list(decoded(video))) == round(LENGTH * RATE)
    assert np.abs(last - first).max() > 100, "it moves in the video"
    while window.document.undo_stack.canUndo():
        window.document.undo()
    assert window.document.scene == edits.starter_scene()


def add_rod(qtbot, window: MainWindow) -> None:
    """Shift+A, then a click on Capsule."""
    window.viewport.findChild(QWidget, "viewport-surface").setFocus()
    QTest.keyClick(window, Qt.Key.Key_A, Qt.KeyboardModifier.ShiftModifier)
    choose(qtbot, "Capsule")
    assert window.document.selection == ("capsule",)


def place(window: MainWindow, height: float) -> None:
    """The selected rod over the origin, its middle at a height [m]."""
    type_vector(window, "Position", height)


def put_point(window: MainWindow, height: float) -> None:
    type_vector(window, "Point", height)


def type_vector(window: MainWindow, name: str, height: float) -> None:
    for box, value in zip(window.inspector.page.findChild(VectorBox, name).boxes, (0.0, 0.0, height), strict=True):
        QTest.mouseDClick(box, LEFT)
        QTest.keyClicks(box, f"{value:g}")
        QTest.keyClick(box, Qt.Key.Key_Return)


def tie(qtbot, window: MainWindow, *names: str) -> None:
    """A hinge between bodies, by clicks in the tree and its context menu."""
    for number, name in enumerate(names):
        click(window, name, Qt.KeyboardModifier.ControlModifier if number else PLAIN)
    assert window.document.selection == names
    choose_from_menu(qtbot, window, names[-1], "Hinge")


def click(window: MainWindow, name: str, keys: Qt.KeyboardModifier = PLAIN) -> None:
    QTest.mouseClick(window.tree.viewport(), LEFT, keys, spot(window, name))


def spot(window: MainWindow, name: str) -> QPoint:
    """Where something stands in the tree."""
    item: QTreeWidgetItem
    (item,) = window.tree.findItems(name, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive)
    window.tree.scrollToItem(item)
    return window.tree.visualItemRect(item).center()


def choose_from_menu(qtbot, window: MainWindow, name: str, text: str) -> None:
    """An entry of the context menu of what is selected in the tree."""
    at, area = spot(window, name), window.tree.viewport()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, area.mapToGlobal(at))
    QApplication.sendEvent(area, event)
    choose(qtbot, text)


def choose(qtbot, text: str) -> None:
    """Clicks an entry of the menu that is open."""
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu), timeout=5000)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    action = next(action for action in menu.actions() if action.text() == text)
    assert action.isEnabled()
    QTest.mouseClick(menu, LEFT, PLAIN, menu.actionGeometry(action).center())


def take_pictures(qtbot, window: MainWindow) -> None:
    """For whoever wants to look: CAROM_PICTURES says where to."""
    if folder := os.environ.get("CAROM_PICTURES"):
        click(window, "hinge")
        for scheme in SCHEMES:
            theme().apply(scheme)
            qtbot.wait(500)
            window.grab().save(f"{folder}/pendulum_{scheme}.png")
        theme().apply("dark")
