"""The record dialog comes back to its form whatever became of the video, and loses no file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PyQt6 import sip
from PyQt6.QtCore import QTimer
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QFileDialog, QMessageBox

from app.view.recording.dialog import RecordDialog
from app.view.recording.job import RecordJob
from app.view.window.main_window import MainWindow
from engine.resources import scenes_dir
from tests.app.test_timeline import LEFT
from tests.app.test_video import thrown_ball


@pytest.fixture
def dialog(window: MainWindow, ready: Callable[[], None]) -> Iterator[RecordDialog]:
    """On a scene of one body, for the smallest of videos."""
    window.files.open_path("free_tumble")
    ready()
    window.files.record()
    dialog = window.findChild(RecordDialog)
    dialog.size_box.setCurrentIndex(dialog.size_box.count() - 1)
    dialog.other_size.setText("64 x 64")
    dialog.rate_box.setCurrentIndex(0)
    dialog.until_box.setText("0.1")
    yield dialog
    if not sip.isdeleted(dialog):
        dialog.close()


def record_as(qtbot, dialog: RecordDialog, out: str) -> str:
    """What the dialog says after Record, when it is back at its form."""
    dialog.out_box.setText(out)
    QTest.mouseClick(dialog.start_button, LEFT)
    qtbot.waitUntil(lambda: not dialog.is_recording, timeout=20_000)
    assert dialog._form.isEnabled() and dialog.start_button.isVisible()
    return dialog.status.text()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("notes.txt/a.mp4", "there is no folder"),
        (f"{'x' * 251}.mp4", "File name too long"),  # only with what is added while it is written
        (f"{'x' * 300}.mp4", "File name too long"),
    ],
)
def test_a_place_where_no_file_can_be_ends_the_job(qtbot, tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    job = RecordJob(thrown_ball(), tmp_path / name, 0.1, 24, (64, 64))
    with qtbot.waitSignal(job.failed, timeout=20_000) as failed:
        job.start()
    assert why in failed.args[0] and "Errno" not in failed.args[0]
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("out", ["/dev/null/a.mp4", "~nobody99/a.mp4"])
def test_a_place_where_no_file_can_be_leads_back_to_the_form(qtbot, dialog: RecordDialog, out: str) -> None:
    assert record_as(qtbot, dialog, out).startswith("Not recorded: there is no folder /")
    dialog.close()
    assert not dialog.isVisible()


def test_a_file_that_is_there_is_asked_about(qtbot, dialog: RecordDialog, tmp_path: Path) -> None:
    out = tmp_path / "mine.mp4"
    out.write_text("my earlier recording")
    asked: list[str] = []

    def answer(button: QMessageBox.StandardButton) -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        asked.append(box.text())
        QTest.mouseClick(box.button(button), LEFT)

    QTimer.singleShot(200, lambda: answer(QMessageBox.StandardButton.Cancel))
    record_as(qtbot, dialog, str(out))
    assert asked == ["mine.mp4 is there already. Replace it?"] and out.read_text() == "my earlier recording"
    QTimer.singleShot(200, lambda: answer(QMessageBox.StandardButton.Yes))
    assert record_as(qtbot, dialog, str(out)).startswith("Written to") and out.stat().st_size > 500


@pytest.mark.parametrize(
    ("chosen", "out"), [("a.MP4", "a.MP4"), ("run 0.5", "run 0.5.mp4"), ("a.mov", "a.mov.mp4"), ("", "before.mp4")]
)
def test_a_file_that_is_chosen_is_a_video(
    dialog: RecordDialog, monkeypatch: pytest.MonkeyPatch, chosen: str, out: str
) -> None:
    dialog.out_box.setText("before.mp4")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **_how: (chosen, ""))
    dialog._choose()
    assert dialog.out_box.text() == out


def test_a_video_is_proposed_where_there_is_none(window: MainWindow, ready: Callable[[], None], tmp_path: Path) -> None:
    (tmp_path / "scene.toml").write_text((scenes_dir() / "coins.toml").read_text())
    for name in ("scene.mp4", "scene 2.mp4"):
        (tmp_path / name).write_text("mine")
    window.files.open_path(tmp_path / "scene.toml")
    ready()
    window.files.record()
    dialog = window.findChild(RecordDialog)
    assert dialog.out_box.text() == str(tmp_path / "scene 3.mp4")
    dialog.close()
