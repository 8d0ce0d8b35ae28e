"""What is being typed in a field when something else happens: an action takes it, another scene does not get it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLineEdit, QMessageBox, QWidget

from app.document.document import read_scene
from app.view.window.main_window import MainWindow

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def field(qtbot, window: MainWindow, ready: Callable[[], None], tmp_path: Path) -> QLineEdit:
    """x of a body of a saved scene, in which 0.3 has been typed, but no Enter; it was 0."""
    window.files.open_path("block_drop")
    ready()
    window.document.save_as(tmp_path / "one.toml")
    window.document.select(("lower",))
    qtbot.waitUntil(lambda: len(position_fields(window)) == 3, timeout=5000)
    box = position_fields(window)[0]
    QTest.mouseClick(box, LEFT)
    box.selectAll()
    QTest.keyClicks(box, "0.3")
    assert place(window) == 0.0
    return box


def position_fields(window: MainWindow) -> list[QLineEdit]:
    shown = [one for one in window.inspector.findChildren(QWidget, "Position") if one.isVisible()]
    return shown[0].findChildren(QLineEdit) if shown else []


def place(window: MainWindow) -> float:
    return float(window.document.scene.body[1].position[0])


def answer(window: MainWindow, button: QMessageBox.StandardButton) -> list[str]:
    """Answers the next question, whenever it comes; what was asked."""
    asked: list[str] = []
    timer = QTimer(window)

    def click() -> None:
        box = QApplication.activeModalWidget()
        if isinstance(box, QMessageBox):
            timer.stop()
            asked.append(box.text())
            box.button(button).click()

    timer.timeout.connect(click)
    timer.start(100)
    return asked


def test_saving_saves_it(window: MainWindow, field: QLineEdit, tmp_path: Path) -> None:
    QTest.keyClick(field, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert place(window) == 0.3 and not window.document.is_modified
    assert read_scene(tmp_path / "one.toml").body[1].position[0] == 0.3


def test_playing_plays_it(qtbot, window: MainWindow, field: QLineEdit) -> None:
    assert field.isModified()
    window.actions_["simulation.play"].trigger()
    qtbot.waitUntil(lambda: window.playback.frame is not None and window.playback.frame.time > 0.1, timeout=60_000)
    assert place(window) == 0.3
    assert window.playback.frame.poses[1, 0] == pytest.approx(0.3, abs=1e-6)
    window.playback.pause()


def test_leaving_asks_about_it(window: MainWindow, field: QLineEdit, tmp_path: Path) -> None:
    assert field.isModified()
    asked = answer(window, QMessageBox.StandardButton.Discard)
    window.document.save_as(tmp_path / "two.toml")
    window.files.open_path(tmp_path / "one.toml")
    assert len(asked) == 1
    assert window.document.path == tmp_path / "one.toml"
    assert place(window) == 0.0 and not window.document.is_modified


def test_another_scene_with_a_body_of_that_name_does_not_get_it(
    qtbot, window: MainWindow, field: QLineEdit, tmp_path: Path
) -> None:
    assert field.isModified()
    with qtbot.captureExceptions() as raised:
        window.document.show(read_scene(tmp_path / "one.toml"), tmp_path / "one.toml")
        qtbot.wait(200)
    assert not raised
    assert place(window) == 0.0 and not window.document.is_modified
    assert len(window.inspector._old) == 0
