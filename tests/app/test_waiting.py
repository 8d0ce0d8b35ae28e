"""Waiting in the window for another thread: it draws on, hears no other command, and can be called off."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable

import pytest
from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLineEdit, QProgressDialog, QPushButton

from app.view.window import files
from app.view.window.main_window import MainWindow
from app.view.window.waiting import Progress, wait_for
from engine.scene import apart
from engine.scene.schema import Scene


def when_asked(act: Callable[[QProgressDialog], None], tries: int = 60) -> None:
    """Does something to the dialog once it is there."""
    dialog = QApplication.activeModalWidget()
    if isinstance(dialog, QProgressDialog):
        act(dialog)
    elif tries:
        QTimer.singleShot(50, lambda: when_asked(act, tries - 1))


def test_work_goes_on_elsewhere_and_its_answer_comes_back(qtbot) -> None:
    box = QLineEdit()
    qtbot.addWidget(box)
    box.show()
    ticks: list[int] = []
    timer = QTimer()
    timer.timeout.connect(lambda: ticks.append(len(ticks)))
    timer.start(1)
    started = threading.Event()

    def work() -> str:
        assert threading.current_thread() is not threading.main_thread()
        started.wait(5.0)
        return "done"

    QTimer.singleShot(30, lambda: (QTest.keyClicks(box, "typed"), started.set()))
    assert wait_for(box, "Waiting", work) == "done"
    assert ticks and box.text() == "", "the window lives, and takes nothing meanwhile"
    QTest.keyClicks(box, "typed")
    assert box.text() == "typed"
    with pytest.raises(ValueError, match="no"):
        wait_for(box, "Waiting", lambda: int("no"))


def test_opening_can_be_called_off(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    window.files.open_path("block_drop")
    before, end = window.document.scene, threading.Event()

    def read(_source: object) -> Scene:
        end.wait(10.0)
        return before

    monkeypatch.setattr(files, "read_scene", read)
    when_asked(lambda dialog: QTest.mouseClick(dialog.findChild(QPushButton), Qt.MouseButton.LeftButton))
    assert not window.files.open_path("pool_break")
    assert window.document.scene is before
    end.set()


def test_calling_off_ends_the_process_that_works(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    """It cut on, unheard, before."""
    window.files.open_path("block_drop")
    begun, ended = threading.Event(), threading.Event()

    def read(_source: object) -> Scene:
        try:
            begun.set()
            return apart.work_apart("a mesh", "wait")
        except apart.CalledOffError:
            ended.set()
            raise

    def popen(_command: object, **more: object) -> subprocess.Popen[bytes]:
        processes.append(start([sys.executable, "-c", "import time; time.sleep(60)"], **more))
        return processes[0]

    processes: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen
    monkeypatch.setattr(apart.subprocess, "Popen", popen)
    monkeypatch.setattr(files, "read_scene", read)
    when_asked(lambda dialog: QTest.mouseClick(dialog.findChild(QPushButton), Qt.MouseButton.LeftButton))
    assert not window.files.open_path("pool_break")
    assert ended.wait(5.0) and processes[0].poll() is not None


def test_work_that_tells_how_far_it_is_has_a_bar_and_ends_where_it_was_called_off(qtbot) -> None:
    box = QLineEdit()
    qtbot.addWidget(box)
    box.show()
    progress, shown, ended = Progress(), list[float](), threading.Event()

    def work() -> None:
        try:
            for k in range(10_000):
                progress.tell(0.25 + 1e-5 * k)
                ended.wait(0.01)
        finally:
            ended.set()

    def look(dialog: QProgressDialog) -> None:
        qtbot.wait(200)
        shown.append(dialog.value() / dialog.maximum())
        dialog.canceled.emit()

    QTimer.singleShot(400, lambda: when_asked(look))
    assert wait_for(box, "Waiting", work, progress) is None
    assert ended.wait(5.0) and 0.25 <= shown[0] < 0.4
