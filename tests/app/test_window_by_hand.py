"""What hands do in the window where neither the story nor the keys go: pull, take a picture, come back from a crash."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt, QTimer
from PyQt6.QtGui import QImage, QImageReader
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QFileDialog, QLineEdit, QPushButton, QTreeWidget

from app.view.recording import video
from app.view.recording.dialog import RecordDialog
from app.view.recording.job import RecordJob
from app.view.recording.worker import run_job
from app.view.start import _begin
from app.view.window.main_window import MainWindow
from engine import World
from engine.model.state import VELOCITY

ROOT = Path(__file__).resolve().parents[2]
LEFT, CONTROL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier
CRASH = """
import os, sys
from PyQt6.QtCore import QCoreApplication
app = QCoreApplication([])
from app.document.document import Document
from app.document.journal import Journal
from engine.scene.paths import set_path
document = Document()
document.load("block_drop")
journal = Journal(document)
document.edit("rename", set_path(document.scene, "title", "Work of hours"))
journal.write()
journal.scribe.finish()
os._exit(1)
"""


def test_a_running_body_follows_the_mouse(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("free_tumble")
    ready()
    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.playback.is_running, timeout=10_000)
    row = next(row for row, body in enumerate(window.document.scene.body) if body.motion_kind == "free")
    view = window.viewport
    before = view.poses[row, :3].copy()
    x, y, _ = view.project(before)
    start = QPoint(round(x), round(y))
    QTest.mousePress(view.surface, LEFT, CONTROL, start)
    QTest.mouseMove(view.surface, start + QPoint(60, 0))
    QTest.mouseMove(view.surface, start + QPoint(120, 0))
    assert "pull" in view.overlays
    sideways = np.cross(np.asarray(view.camera.target) - view.camera.position, (0.0, 0.0, 1.0))
    qtbot.waitUntil(lambda: (view.poses[row, :3] - before) @ sideways > 0.0, timeout=10_000)
    QTest.mouseRelease(view.surface, LEFT, CONTROL, start + QPoint(120, 0))
    assert "pull" not in view.overlays


def test_a_body_is_pulled_that_has_just_been_added(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    """Its world is not built before hands are still for a moment: what is said to it does not go to the one before."""
    window.files.open_path("free_tumble")
    ready()
    failures: list[str] = []
    window.simulation.failed.connect(failures.append)
    scene = window.document.scene
    free = next(body for body in scene.body if body.motion_kind == "free")
    added = free.model_copy(update={"name": "added", "position": (3.0, 0.0, 3.0)})
    window.document.edit("add a body", scene.model_copy(update={"body": (*scene.body, added)}))
    window.viewport.pull_started.emit(len(scene.body), (0.0, 0.0, 0.0), (3.0, 0.0, 4.0))
    qtbot.waitUntil(lambda: failures != [] or len(window.simulation.inputs()) == 1, timeout=10_000)
    assert failures == []
    window.viewport.pull_ended.emit()


def test_a_video_shows_what_the_mouse_did(
    qtbot, window: MainWindow, ready: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job that the record dialog hands to its process leads to where the world in the window stands."""
    window.files.open_path("free_tumble")
    ready()
    window.simulation.pull(0, (0.0, 0.0, 0.05), (0.0, 0.0, 3.0))
    for _ in range(12):
        window.simulation.step_frame()
    window.simulation.release()
    window.simulation.step_frame()
    qtbot.waitUntil(lambda: len(window.simulation.inputs()) == 2, timeout=10_000)
    qtbot.waitUntil(lambda: window.simulation.state == "paused", timeout=10_000)
    frame = window.simulation.latest()
    jobs: list[str] = []
    monkeypatch.setattr(RecordJob, "start", lambda job: jobs.append(job._job))
    window.files.record()
    dialog = window.findChild(RecordDialog)
    dialog.start()
    recorded: list[dict[str, Any]] = []
    named = inspect.signature(video.record)
    monkeypatch.setattr(video, "record", lambda *arguments: recorded.append(named.bind(*arguments).arguments))
    run_job(jobs[0])
    world = World(recorded[0]["scene"])
    start = world.poses()[0]
    world.replay(recorded[0]["inputs"], frame.time)
    assert np.abs(world.poses() - frame.poses).max() < 1e-6
    assert np.abs(world.poses()[0] - start).max() > 0.01
    dialog._stop("")
    dialog.close()


def test_a_video_of_the_loop_in_slow_motion_with_what_is_on(
    window: MainWindow, ready: Callable[[], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window.files.open_path("free_tumble")
    ready()
    window.looks.toggle_overlay("velocities")
    frame = window.playback.frame
    monkeypatch.setattr(type(window.playback), "frame", property(lambda _self: replace(frame, loop=(0.05, 0.15))))
    jobs: list[str] = []
    monkeypatch.setattr(RecordJob, "start", lambda job: jobs.append(job._job))
    window.files.record()
    dialog = window.findChild(RecordDialog)
    QTest.keyClick(dialog.size_box, Qt.Key.Key_End)
    for size, possible in (("9 x 9", False), ("321 x 200", True)):
        dialog.other_size.selectAll()
        QTest.keyClicks(dialog.other_size, size)
        assert dialog.start_button.isEnabled() == possible, dialog.status.text()
    dialog.speed_box.setCurrentText("0.1×")
    QTest.mouseClick(dialog.overlays_box, LEFT, pos=QPoint(8, dialog.overlays_box.height() // 2))
    QTest.keyClick(dialog.plot_box, Qt.Key.Key_Down)
    assert dialog.status.text() == "60 frames, 1 s of video"
    out = tmp_path / "slow.mp4"
    dialog.out_box.setText(str(out))
    dialog.start()
    told = json.loads(jobs[0])
    assert (told["start"], told["until"], told["speed"], told["size"]) == (0.05, 0.15, 0.1, [321, 200])
    assert told["extras"] == {"overlays": ["velocities"], "plot": "energy", "light": False}
    told["fps"] = 3
    run_job(json.dumps(told))
    assert out.stat().st_size > 1000
    dialog._stop("")
    dialog.close()


@pytest.mark.parametrize(
    ("typed", "told", "possible"), [("9e6", "1,080,000,000 frames", True), ("2e7", "2e+07 s", False)]
)
def test_a_video_of_a_hundred_days_is_described_at_once(
    window: MainWindow, ready: Callable[[], None], typed: str, told: str, possible: bool
) -> None:
    window.files.open_path("free_tumble")
    ready()
    window.files.record()
    dialog = window.findChild(RecordDialog)
    dialog.rate_box.setCurrentIndex(dialog.rate_box.findData(120))
    box = dialog.findChild(QLineEdit, "until")
    box.selectAll()
    QTest.keyClicks(box, typed)
    assert told in dialog.status.text()
    assert dialog.start_button.isEnabled() == possible
    dialog.close()


def test_a_body_that_is_no_longer_finite_is_told_of(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("block_drop")
    ready()
    world = window.simulation._worker._world
    assert isinstance(world, World)
    broken = world.snapshot()
    broken.state.arcs[1, VELOCITY] = np.nan
    world.restore(broken)
    window.simulation.step_frame()
    qtbot.waitUntil(lambda: window.banner.isVisible(), timeout=10_000)
    assert world.names[1] in window.banner.text.text() and "finite" in window.banner.text.text()
    assert world.names[1] in window.status.message
    assert window.viewport._renderer.options.stopped == (1,)
    window.simulation.reset()
    qtbot.waitUntil(lambda: not window.banner.isVisible(), timeout=10_000)
    assert window.viewport._renderer.options.stopped == ()


def test_a_screenshot_by_key(
    window: MainWindow, ready: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.files.open_path("block_drop")
    ready()
    chosen = tmp_path / "picture"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(chosen), ""))
    QTest.keyClick(window, Qt.Key.Key_F12)
    picture = QImage(str(tmp_path / "picture.png"))
    assert (picture.width(), picture.height()) == (window.viewport.width(), window.viewport.height())
    colours = {picture.pixel(x, y) for x in range(0, picture.width(), 16) for y in range(0, picture.height(), 16)}
    assert len(colours) > 20, "it shows something"


@pytest.mark.parametrize(
    ("name", "written", "kind"),
    [("a.jpg", "a.jpg", "jpeg"), ("a.svg", "a.svg.png", "png"), ("run.v2", "run.v2.png", "png")],
)
def test_a_screenshot_is_what_its_name_says(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, written: str, kind: str
) -> None:
    window.files.open_path("block_drop")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / name), ""))
    window.files.screenshot()
    assert [path.name for path in tmp_path.iterdir()] == [written]
    reader = QImageReader(str(tmp_path / written))
    reader.setDecideFormatFromContent(True)
    assert reader.format().data().decode() == kind and reader.read().width() == window.viewport.width()


@pytest.mark.parametrize("answer", ["Restore", "Discard…"])
def test_unsaved_work_is_offered_after_a_crash(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    crashed = subprocess.run([sys.executable, "-c", CRASH], cwd=ROOT, check=False)
    assert crashed.returncode == 1
    asked: list[str] = []

    def click(name: str, text: str) -> None:
        there = [w for w in QApplication.topLevelWidgets() if w.objectName() == name and w.isVisible()]
        if not there:
            QTimer.singleShot(50, lambda: click(name, text))
            return
        if name == "restore":
            item = there[0].findChild(QTreeWidget).topLevelItem(0)
            asked.append(item.text(0))
        if text == "Discard…":
            QTimer.singleShot(50, lambda: click("discard", "Discard"))
        button = next(each for each in there[0].findChildren(QPushButton) if each.text() == text)
        QTest.mouseClick(button, LEFT)

    QTimer.singleShot(50, lambda: click("restore", answer))
    _begin(window, None)
    assert asked == ["Work of hours"]
    restored = answer == "Restore"
    assert (window.document.scene.title == "Work of hours") == restored
    assert window.document.is_modified == restored
    window.journal.close()
    _begin(window, None)
    assert len(asked) == 1, "it is offered once"
    window.document.load("block_drop")  # nothing unsaved that closing would ask about
