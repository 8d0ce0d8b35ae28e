"""The story of a newcomer, by clicks and keys: gallery, pool break, watch, stop, change, add, run again, record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from PyQt6.QtCore import QPoint, Qt, QTimer
from PyQt6.QtGui import QCursor
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLineEdit, QMenu, QMessageBox, QPushButton, QWidget

from app.view.forms.numbers import VectorBox
from app.view.recording.dialog import RecordDialog
from app.view.viewport.camera import CameraState, project
from app.view.window.main_window import MainWindow
from engine.world import World

LEFT = Qt.MouseButton.LeftButton
SPEED = 6.0  # [m/s], of the cue ball in the second run
SIZE = (1280, 720)
RATE = 60
LENGTH = 0.5  # [s]


def test_newcomer_opens_watches_changes_adds_and_records(
    qtbot, window: MainWindow, ready: Callable[[], None], tmp_path: Path
) -> None:
    assert window.pages.currentIndex() == 0, "the window opens on the gallery"
    QTest.mouseClick(window.gallery.card("pool_break"), LEFT)
    ready()
    assert window.document.title == "Pool break"

    play_until(qtbot, window, 0.5)
    plots = window.plots
    empty = (plots.joint, plots.quantities, plots.distance)  # nothing is jointed, chosen or pinned
    panels = [panel for panel in plots.panels if panel not in empty]
    charts = [chart for panel in panels for chart in panel.charts]
    for number, chart in enumerate(charts):
        assert chart.export_table(tmp_path / f"{number}.csv") > 3, f"no data in the plot {number}"
    energy = np.genfromtxt(tmp_path / "0.csv", delimiter=",", skip_header=1)
    assert energy[-1, -2] < energy[0, -2], "the break dissipates energy, and the plot shows it"

    select_cue_by_click(qtbot, window)
    type_velocity(window)
    ready()
    assert window.playback.frame is not None and window.playback.frame.time == 0.0
    assert "back at the start" in window.status.message

    add_ball_from_menu(qtbot, window)
    ready()
    assert not window.banner.isVisible(), window.banner.text.text()
    play_until(qtbot, window, 0.3)

    video = record(qtbot, window, tmp_path / "break.mp4")
    check_video(video, window)
    leave_without_saving(qtbot, window)


def play_until(qtbot, window: MainWindow, time: float) -> None:
    """Space, wait, Space."""
    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.playback.is_running, timeout=10_000)
    qtbot.waitUntil(lambda: (f := window.playback.frame) is not None and f.time >= time, timeout=120_000)
    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.simulation.state == "paused", timeout=10_000)


def select_cue_by_click(qtbot, window: MainWindow) -> None:
    qtbot.wait(100)  # the last frame reaches the viewport
    frame = window.playback.frame
    assert frame is not None
    x, y, _ = window.viewport.project(frame.poses[window.document.scene.index("cue"), :3])
    surface = window.viewport.findChild(QWidget, "viewport-surface")
    QTest.mouseClick(surface, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(round(x), round(y)))
    assert window.document.selection == ("cue",)


def type_velocity(window: MainWindow) -> None:
    """Into the inspector: another speed, as a person would type it."""
    box = window.inspector.page.findChild(VectorBox, "Velocity").boxes[0]
    QTest.mouseDClick(box, LEFT)
    QTest.keyClicks(box, f"{SPEED:g}")
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert window.document.scene.body[window.document.scene.index("cue")].velocity == (SPEED, 0.0, 0.0)
    assert window.document.undo_stack.canUndo()


def add_ball_from_menu(qtbot, window: MainWindow) -> None:
    """Shift+A with the pointer over the cloth, then a click on Sphere."""
    before = len(window.document.scene.body)
    surface = window.viewport.findChild(QWidget, "viewport-surface")
    x, y, _ = window.viewport.project((-0.3, 0.3, 0.0))
    over = surface.mapToGlobal(QPoint(round(x), round(y)))
    QCursor.setPos(over)
    qtbot.waitUntil(lambda: QCursor.pos() == over, timeout=5000)
    surface.setFocus()
    QTest.keyClick(window, Qt.Key.Key_A, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu), timeout=5000)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    sphere = next(action for action in menu.actions() if action.text() == "Sphere")
    QTest.mouseClick(menu, LEFT, Qt.KeyboardModifier.NoModifier, menu.actionGeometry(sphere).center())
    scene = window.document.scene
    assert len(scene.body) == before + 1
    added = scene.body[-1]
    assert window.document.selection == (added.name,)
    assert added.shape.kind == "sphere" and added.material == "ball"
    assert np.hypot(added.position[0] + 0.3, added.position[1] - 0.3) < 0.02, "it lies where the pointer was"


def record(qtbot, window: MainWindow, out: Path) -> Path:
    """Ctrl+F12, fill the form in, Record, wait for it."""
    QTest.keyClick(window, Qt.Key.Key_F12, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: isinstance(QApplication.activeModalWidget(), RecordDialog), timeout=5000)
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, RecordDialog)
    assert dialog.size_box.currentData() == SIZE and dialog.rate_box.currentData() == RATE
    for name, text in (("until", f"{LENGTH:g}"), ("out", str(out))):
        box = dialog.findChild(QLineEdit, name)
        box.setFocus()
        box.selectAll()
        QTest.keyClicks(box, text)
    QTest.mouseClick(dialog.findChild(QPushButton, "start"), LEFT)
    assert dialog.is_recording
    qtbot.waitUntil(lambda: not dialog.is_recording, timeout=300_000)
    assert dialog.status.text().startswith("Written to"), dialog.status.text()
    QTest.mouseClick(dialog.findChild(QPushButton, "cancel"), LEFT)
    assert not dialog.isVisible()
    return out


def check_video(path: Path, window: MainWindow) -> None:
    """As many pictures as there should be, at their times, and the cue ball where its pose projects."""
    pictures = []
    times = []
    for frame in decoded(path):
        times.append(Fraction(frame.pts) * frame.time_base)
        pictures.append(frame.to_ndarray(format="rgb24"))
    assert times == [Fraction(k, RATE) for k in range(round(LENGTH * RATE))]
    world = World(window.document.scene)
    cue = world.row("cue")
    camera = window.viewport.camera
    for k in (0, 3, 6, 8, 10):
        world.advance_to(k / RATE)
        expected = project(world.poses()[cue, :3], camera, SIZE)[:2]
        found, outline = ball_in(pictures[k], expected, radius_of(world, cue, camera))
        assert np.hypot(*(found - expected)) < 2.0, f"picture {k}: the ball is at {found}, expected at {expected}"
        assert outline < 2.0, f"picture {k}: the ball is {outline} pixels too large or too small"


def decoded(path: Path) -> Iterator[av.VideoFrame]:
    with av.open(str(path)) as container:
        yield from container.decode(video=0)


def radius_of(world: World, row: int, camera: CameraState) -> float:
    """Radius of a ball in the picture [pixels]."""
    centre = world.poses()[row, :3]
    depth = project(centre, camera, SIZE)[2]
    return float(0.028575 / depth * SIZE[1] / 2 / np.tan(np.radians(camera.fov) / 2))


def ball_in(picture: np.ndarray, expected: np.ndarray, radius: float) -> tuple[np.ndarray, float]:
    """Middle of the white pixels near a place, and by how much [pixels] their radius differs from `radius`."""
    reach = round(2.2 * radius) + 4
    x0, y0 = (int(v) - reach for v in expected)
    part = picture[y0 : y0 + 2 * reach, x0 : x0 + 2 * reach].astype(int)
    white = (part.min(axis=2) > 110) & (part.max(axis=2) - part.min(axis=2) < 60)
    rows, columns = np.nonzero(white)
    assert len(rows), "there is no white ball near where it should be"
    middle = np.array([(columns.min() + columns.max()) / 2, (rows.min() + rows.max()) / 2]) + (x0 + 0.5, y0 + 0.5)
    width = (columns.max() - columns.min() + 1) / 2
    return middle, abs(width - radius)


def leave_without_saving(qtbot, window: MainWindow) -> None:
    """Closing asks about the edits; Cancel stays, Discard goes."""
    assert window.document.is_modified
    for button, gone in ((QMessageBox.StandardButton.Cancel, False), (QMessageBox.StandardButton.Discard, True)):
        asked: list[str] = []

        def answer(button: QMessageBox.StandardButton = button, asked: list[str] = asked) -> None:
            box = QApplication.activeModalWidget()
            assert isinstance(box, QMessageBox)
            asked.append(box.text())
            QTest.mouseClick(box.button(button), LEFT)

        QTimer.singleShot(300, answer)
        assert window.close() is gone
        assert asked == ["Save the changes to “Pool break”?"]
