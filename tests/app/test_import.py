"""File > Import in the real window: what a robot's file leaves open is asked, what became of it shown, and it opens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QApplication, QFileDialog

from app.view.window.dialogs import ProblemsDialog
from app.view.window.import_dialog import ImportDialog
from app.view.window.main_window import MainWindow
from engine.scene.reading import load_scene
from tests.robots import ROBOTS

PATH = ROBOTS / "every.urdf"


def test_a_robot_is_imported_as_a_scene_that_is_not_saved(
    qtbot, window: MainWindow, ready: Callable[[], None], monkeypatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_args: (str(PATH), ""))
    counts = []

    def choose() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, ImportDialog)
        assert "7 joints" not in dialog.summary.text() and "5 joints" in dialog.summary.text()
        assert dialog.table.topLevelItemCount() == len(dialog.imported.remarks)
        lines = [dialog.table.topLevelItem(row).text(0) for row in range(dialog.table.topLevelItemCount())]
        assert lines[0] == "4"
        counts.append(len(dialog.imported.scene.bodies))
        dialog.base_box.setCurrentIndex(1)
        counts.append(len(dialog.imported.scene.bodies))
        dialog.import_button.click()

    qtbot.waitUntil(lambda: window.actions_["file.import_model"].isEnabled(), timeout=120_000)
    QTimer.singleShot(100, choose)
    window.actions_["file.import_model"].trigger()
    assert counts == [8, 7]  # the ground is under what floats only
    ready()
    scene = window.document.scene
    assert scene.body[0].motion == "fixed" and len(scene.joint) == 5
    assert window.document.is_modified and window.document.path is None and window.document.name == "every"
    window.document.save_as(tmp_path / "robot.toml")
    assert not window.document.is_modified and load_scene(tmp_path / "robot.toml") == scene


def test_what_is_no_robot_is_said_and_changes_nothing(qtbot, window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "none.urdf"
    path.write_text("<robot><link/></robot>")
    before = window.document.scene
    said = []

    def read() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, ProblemsDialog)
        said.append(dialog.table.topLevelItem(0).text(2))
        dialog.reject()

    QTimer.singleShot(100, read)
    window.files.import_path(path)
    assert said == ["<link> says no name"] and window.document.scene is before
