"""A run is made by hand, with ten pulls, three live edits and a branch, and saved: it replays to the bit elsewhere."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QFileDialog, QWidget

from app.view.forms.numbers import NumberBox
from app.view.window.main_window import MainWindow
from engine.recording.carom_file import Recording, read_recording
from engine.replay import verify
from tests.app.test_live_edits import click_tree, type_in
from tests.app.test_timeline import click_timeline, drag_body, let_go, settle

CTRL_ALT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
FRICTIONS = ("0.1", "0.6", "0.3")


@pytest.fixture
def saved(
    qtbot, window: MainWindow, ready: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """What the window wrote of a run that was pulled ten times, changed three times, and then gone back in."""
    window.files.open_path("coins")
    ready()
    click_tree(window, "coin")
    QTest.keyClick(window.viewport, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.playback.is_running, timeout=10_000)
    coins = [body.name for body in window.document.scene.bodies if body.motion == "free"]
    for k in range(10):
        pull(qtbot, window, coins)
        if k in (2, 5, 8):
            change_friction(qtbot, window, FRICTIONS[k // 3])
    QTest.keyClick(window.viewport, Qt.Key.Key_Space)
    end = settle(qtbot, window)
    click_timeline(window, 0.5 * end)
    assert settle(qtbot, window) < end
    drag_body(qtbot, window, coins[0])
    qtbot.waitUntil(lambda: window.playback.frame.branch == 2, timeout=20_000)
    let_go(window)
    path = tmp_path / "made" / "run.carom"
    path.parent.mkdir()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    QTest.keyClick(window, Qt.Key.Key_S, CTRL_ALT)
    qtbot.waitUntil(path.is_file, timeout=60_000)
    return path


def nearest_to_the_middle(window: MainWindow, names: list[str]) -> str:
    """Of these bodies the one that the mouse can surely reach: some have been pulled out of sight."""
    surface = window.viewport.findChild(QWidget, "viewport-surface")
    middle = surface.rect().center()

    def away(name: str) -> float:
        x, y, _ = window.viewport.project(window.playback.frame.poses[window.document.scene.index(name), :3])
        return float(np.hypot(x - middle.x(), y - middle.y()))

    return min(names, key=away)


def pull(qtbot, window: MainWindow, names: list[str]) -> None:
    """Pull one of these bodies; where it has rolled from under the mouse, which turns the camera then, again."""
    before, camera = len(window.playback.frame.inputs), window.viewport.camera
    for _ in range(5):
        drag_body(qtbot, window, nearest_to_the_middle(window, names))
        try:
            qtbot.waitUntil(lambda: len(window.playback.frame.inputs) > before, timeout=2_000)
        except qtbot.TimeoutError:
            let_go(window)
            window.viewport.camera = camera
            continue
        break
    assert len(window.playback.frame.inputs) > before
    let_go(window)
    qtbot.wait(60)


def change_friction(qtbot, window: MainWindow, text: str) -> None:
    box = window.inspector.page.findChild(NumberBox, "Friction now")
    type_in(window, box, text)
    said = {"material.coin.friction": (float(text),)}
    qtbot.waitUntil(lambda: said.items() <= dict(window.playback.frame.changes).items(), timeout=20_000)
    window.viewport.setFocus()


def with_one_bit(recording: Recording, number: int) -> float:
    """Turns the lowest bit of where the pull is of an input; the instant of the input [s]."""
    entry = recording.inputs[number]
    (whole,) = struct.unpack("<q", struct.pack("<d", entry.target[0]))
    (other,) = struct.unpack("<d", struct.pack("<q", whole ^ 1))
    assert other != entry.target[0] and abs(other - entry.target[0]) < 1e-12
    object.__setattr__(entry, "target", (other, *entry.target[1:]))
    return float(entry.time)


def test_it_replays_to_the_bit_elsewhere_and_one_bit_is_found(saved: Path, tmp_path: Path) -> None:
    recording = read_recording(saved)
    (branch,) = recording.branches
    for kind, least in (("pull", 11), ("change", 3)):
        counted = [entry for line in (recording, branch) for entry in line.inputs if entry.what == kind]
        assert len({entry.time for entry in counted}) >= least
    moved = tmp_path / "moved" / "another.carom"
    moved.parent.mkdir()
    saved.rename(moved)
    done = subprocess.run(
        [sys.executable, "-m", "app", "replay", str(moved)],
        cwd=moved.parent, env=os.environ | {"PYTHONPATH": str(Path.cwd())},
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the same to the bit" in done.stdout

    pulls = [k for k, entry in enumerate(recording.inputs) if entry.what == "pull" and entry.target[0]]
    number = pulls[len(pulls) // 2]
    time = with_one_bit(recording, number)
    verdict = verify(recording)
    assert f"input {number + 1} (pull of " in verdict.difference and f"t = {time!r} s" in verdict.difference
    assert verdict.differs_at is not None and np.isfinite(verdict.time) and verdict.time <= time
