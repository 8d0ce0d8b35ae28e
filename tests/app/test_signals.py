"""Ctrl+C, `kill` and a terminal that is closed: what was begun is put in order."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app.signals import Ended, ended_by_signals
from app.simulation.batch import run_scene
from engine.recording.carom_file import read_recording
from engine.replay import verify
from engine.scene.reading import load_scene

ROOT = Path(__file__).parents[2]
WINDOW = """
import sys
from PyQt6.QtCore import QTimer
from app.document import document
from app.view import start
from app.signals import ended_by_signals, Ended

class Edited(document.Document):
    def __init__(self, *rest):
        super().__init__(*rest)
        def edit():
            self.load("block_drop")
            self.set_value("title", "Work of hours")
            print("edited", flush=True)
        QTimer.singleShot(500, edit)

from app.view.window import main_window
main_window.Document = Edited
try:
    with ended_by_signals():
        sys.exit(start.run_app(None))
except Ended as ended:
    sys.exit(ended.status)
"""


def end(command: list[str], number: int, begun: Callable[[subprocess.Popen[str]], object]) -> tuple[int, str]:
    """Start a program, and end it when it has begun; its exit status and what it said."""
    # What starts the tests in the background may ignore signals, and a child would inherit that.
    heard = signal.signal(number, signal.SIG_DFL)
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    signal.signal(number, heard)
    try:
        begun(process)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    return process.returncode, err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_recording_that_is_ended_is_whole(kernels: None, tmp_path: Path, number: int) -> None:
    path = tmp_path / "run.carom"

    def begun(process: subprocess.Popen[str]) -> None:
        while process.poll() is None and (not path.is_file() or path.stat().st_size < 4000):
            time.sleep(0.02)

    command = [sys.executable, "-m", "app", "run", "coins", "--until", "1000", "--record", str(path)]
    status, said = end(command, number, begun)
    assert status == 128 + number and said.splitlines()[-1] == "carom: stopped" and "Traceback" not in said
    recording = read_recording(path)
    assert recording.marks
    assert verify(recording).difference == ""


def test_a_recording_that_is_ended_while_its_thread_starts_is_whole(
    kernels: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was closed while the world still ran: the last mark told of events that the file had not."""
    path = tmp_path / "run.carom"
    start = threading.Thread.start

    def end_late(thread: threading.Thread) -> None:
        start(thread)
        if thread.name == "batch":
            time.sleep(0.2)
            raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", end_late)
    with pytest.raises(KeyboardInterrupt):
        run_scene(load_scene("coins"), 1000.0, record=path)
    assert all(thread.name != "batch" for thread in threading.enumerate())
    recording = read_recording(path)
    assert len(recording.marks) > 1
    assert verify(recording).difference == ""


def test_a_window_that_is_ended_keeps_what_is_not_saved(kernels: None, tmp_path: Path) -> None:
    def begun(process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None and process.stdout.readline() == "edited\n"

    status, said = end([sys.executable, "-c", WINDOW], signal.SIGTERM, begun)
    assert status == 143 and "Traceback" not in said
    (kept,) = Path(os.environ["XDG_STATE_HOME"]).rglob("scene.toml")
    assert "Work of hours" in kept.read_text()
    assert not list(kept.parent.parent.glob("*.part"))


def test_what_was_ignored_still_is() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    other = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        with ended_by_signals():
            os.kill(os.getpid(), signal.SIGHUP)
            with pytest.raises(Ended) as ended:
                os.kill(os.getpid(), signal.SIGTERM)
                time.sleep(1.0)
        assert ended.value.status == 143
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)
        signal.signal(signal.SIGTERM, other)
