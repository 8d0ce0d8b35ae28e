"""Runs in files: pulls and branches come back to the bit in a fresh process, from another folder, and in the window."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PyQt6.QtGui import QDropEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QFileDialog, QToolButton

from app.__main__ import main
from app.simulation.history import History
from app.simulation.run_file import Run, open_run, save_run
from app.view.window import files
from app.view.window.main_window import MainWindow
from engine import World, load_scene
from engine.recording.carom_file import read_recording
from engine.replay import Recorder, verify
from tests.app.test_timeline import click_timeline, let_go, pull_by_mouse, run_until, settle

CTRL_ALT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier


def pulled(world: World, history: History, pulls: int, step: float) -> str:
    """Pulls bodies, one after the other, and lets go; the digest at the end."""
    for k in range(pulls):
        world.pull(world.names[1 + k % (len(world.names) - 1)], (0.0, 0.0, 0.0), (0.01 * k, 0.0, 0.1))
        history.note(world)
        history.advance_to(world, world.time + step)
        world.release()
        history.note(world)
        history.advance_to(world, world.time + step)
        history.note(world)
    return world.digest


def test_ten_pulls_three_live_edits_and_a_branch_come_back_in_a_fresh_process(tmp_path: Path) -> None:
    world, history = World(load_scene("coins")), History()
    history.start(world)
    pulled(world, history, 5, 0.04)
    edits = (
        ("material.coin.friction", 0.05),
        ("world.gravity", (0.0, 0.0, -5.0)),
        ("body.tossed1.velocity", (0.1, 0, 1)),
    )
    for path, value in edits:
        world.change(path, value)
        history.note(world)
        history.advance_to(world, world.time + 0.03)
        history.note(world)
    first = pulled(world, history, 5, 0.04)
    history.jump(world, 0.3)
    history.advance_to(world, 0.3)
    given = len(world.inputs)
    world.release()
    world.pull(world.names[2], (0.0, 0.0, 0.0), (0.0, 0.0, 0.2))
    history.fork(world, given)
    second = pulled(world, history, 2, 0.03)
    made, moved = tmp_path / "made" / "run.carom", tmp_path / "moved" / "another.carom"
    made.parent.mkdir()
    save_run(world.scene, history.ways(), made, lambda share: False)
    moved.parent.mkdir()
    made.rename(moved)
    environment = os.environ | {"PYTHONPATH": str(Path.cwd())}
    done = subprocess.run(
        [sys.executable, "-m", "app", "replay", str(moved)],
        cwd=moved.parent, env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr

    run = open_run(moved, tmp_path)
    assert [line.number for line in run.lines] == [2, 1]
    again, past = World(run.scene), History()
    past.start(again)
    past.adopt(run.lines)
    for number, digest in ((2, second), (1, first)):
        assert number == past.branch or past.switch(number)
        past.jump(again, past.end)
        past.advance_to(again, past.end)
        assert again.digest == digest

    recording = read_recording(moved)
    (branch,) = recording.branches
    entry = branch.inputs[4]
    object.__setattr__(entry, "target", (np.nextafter(entry.target[0], 1.0), *entry.target[1:]))
    verdict = verify(recording)
    assert "branch 1: input 5" in verdict.difference or verdict.differs_at is not None


def test_a_file_that_ends_too_early_opens_up_to_its_last_keyframe(tmp_path: Path) -> None:
    world, history = World(load_scene("coins")), History()
    history.start(world)
    pulled(world, history, 4, 0.05)
    history.advance_to(world, 3.0)
    history.note(world)
    path = tmp_path / "run.carom"
    save_run(world.scene, history.ways(), path, lambda share: False)
    whole = path.read_bytes()
    (line,) = open_run(path, tmp_path).lines
    assert line.end == 3.0
    path.write_bytes(whole[:-100])
    (line,) = open_run(path, tmp_path).lines
    assert 0.0 < line.end < 3.0 and line.keyframes[-1].time == line.end
    with pytest.raises(ValueError, match="ends before it begins"):
        path.write_bytes(whole[:2000])
        open_run(path, tmp_path)


def test_what_was_called_off_leaves_nothing(tmp_path: Path) -> None:
    world, history = World(load_scene("coins")), History()
    history.start(world)
    history.advance_to(world, 2.0)
    history.note(world)
    with pytest.raises(KeyboardInterrupt):
        save_run(world.scene, history.ways(), tmp_path / "run.carom", lambda share: True)
    assert not list(tmp_path.iterdir())


def test_the_window_saves_a_run_and_opens_it(
    qtbot, window: MainWindow, ready: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.files.open_path("coins")
    ready()
    end = run_until(qtbot, window, 0.8)
    poses = window.playback.frame.poses
    click_timeline(window, 0.4)
    settle(qtbot, window)
    pull_by_mouse(qtbot, window, window.document.scene.bodies[-1].name)
    qtbot.waitUntil(lambda: window.playback.frame.branch == 2, timeout=10_000)
    let_go(window)
    second_end = run_until(qtbot, window, 0.6)
    second = window.playback.frame
    path = tmp_path / "my run.carom"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path.with_suffix("")), ""))
    QTest.keyClick(window, Qt.Key.Key_S, CTRL_ALT)
    qtbot.waitUntil(path.is_file, timeout=60_000)
    assert window.status.message == f"Saved {path}"
    assert not verify(read_recording(path)).difference

    window.files.open_path("pool_break")
    ready()
    moved = tmp_path / "elsewhere" / "run.carom"
    moved.parent.mkdir()
    path.rename(moved)
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(moved))])
    drop = QDropEvent(
        QPointF(QPoint(400, 400)), Qt.DropAction.CopyAction, mime,
        Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    window.dropEvent(drop)
    qtbot.waitUntil(lambda: (f := window.playback.frame) is not None and f.branch == 2, timeout=60_000)
    assert settle(qtbot, window) == second_end and window.document.title == "Coins"
    np.testing.assert_array_equal(window.playback.frame.poses, second.poses)
    assert window.playback.frame.inputs == second.inputs and window.plots.energy.own.histories[0].span == (
        0.0,
        second_end,
    )
    window.activateWindow()  # the dialog that said that it was opening has gone
    qtbot.waitUntil(window.isActiveWindow, timeout=5000)
    QTest.keyClick(window, Qt.Key.Key_B)
    qtbot.waitUntil(lambda: window.playback.frame.branch == 1, timeout=20_000)
    assert settle(qtbot, window) == end
    np.testing.assert_array_equal(window.playback.frame.poses, poses)
    assert not window.document.is_modified and window.document.path is None


def test_the_command_line_opens_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str | None] = []
    monkeypatch.setattr("app.view.start.run_app", lambda path: opened.append(path) or 0)
    path = tmp_path / "run.carom"
    recorder = Recorder(World(load_scene("newtons_cradle")), path)
    recorder.advance_to(0.01)
    recorder.close()
    assert main([str(path)]) == 0 and opened == [str(path)]
    path.write_bytes(b"no run")
    assert main([str(path)]) == 1 and len(opened) == 1
    assert "this is no recording of Carom" in capsys.readouterr().err


def test_a_run_that_is_opened_is_read_and_run_again_beside_the_window(
    qtbot, window: MainWindow, ready: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its progress, which can be called off: what has been run again by then stands, and End goes on."""
    path = tmp_path / "long.carom"
    recorder = Recorder(World(load_scene("vibrating_feeder")), path)
    recorder.advance_to(6.0)
    recorder.close()
    told: list[float] = []
    threads: set[str] = set()

    def heard(file: Path, folder: Path, tell: Callable[[float], object]) -> Run:
        def note(share: float) -> None:
            told.append(share)
            threads.add(threading.current_thread().name)
            tell(share)

        return open_run(file, folder, note)

    monkeypatch.setattr(files, "open_run", heard)
    assert window.files.open_path(path)
    assert threads == {"waiting"} and told == sorted(told) and told[-1] == 1.0 and len(told) > 5
    again = window.status.again
    qtbot.waitUntil(again.isVisible, timeout=10_000)
    QTest.mouseClick(again.findChildren(QToolButton)[0], Qt.MouseButton.LeftButton)
    stood = settle(qtbot, window)
    assert 0.0 < stood < 6.0 and window.playback.frame.end == 6.0
    qtbot.waitUntil(again.isHidden, timeout=2000)
    window.viewport.setFocus()
    QTest.keyClick(window.viewport, Qt.Key.Key_End)
    qtbot.waitUntil(lambda: window.playback.frame.time == 6.0, timeout=60_000)
    world = World(load_scene("vibrating_feeder"))
    world.advance_to(6.0)
    np.testing.assert_array_equal(window.playback.frame.exact, world.poses())


def test_a_run_that_is_opened_before_the_engine_is_ready_comes_when_it_is(
    qtbot, window: MainWindow, tmp_path: Path
) -> None:
    path = tmp_path / "run.carom"
    recorder = Recorder(World(load_scene("coins")), path)
    recorder.advance_to(0.5)
    recorder.close()
    ready = [False]
    window.simulation._worker._can_run = lambda _scene: ready[0]
    assert window.files.open_path(path)
    qtbot.waitUntil(lambda: window.simulation.state == "compiling", timeout=20_000)
    ready[0] = True
    window.simulation.look_again()
    qtbot.waitUntil(lambda: (f := window.playback.frame) is not None and f.time == 0.5, timeout=20_000)


@pytest.mark.parametrize("answer", ["cancel", "save"])
def test_the_files_of_a_run_stay_until_another_is_shown(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    """A run that is opened asks about what is not saved: until then the open one has its meshes, to be saved with."""
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    scene = tmp_path / "mesh.toml"
    scene.write_text('format = 1\n[[body]]\nname = "a"\nshape = { mesh = { file = "a.obj" } }\nposition = [0, 0, 1]\n')
    for name in ("first", "second"):
        recorder = Recorder(World(load_scene(scene)), tmp_path / f"{name}.carom")
        recorder.advance_to(0.05)
        recorder.close()
    saved = tmp_path / "saved" / "a.toml"
    saved.parent.mkdir()
    monkeypatch.setattr(files, "ask_unsaved", lambda *_: answer)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(saved), ""))
    assert window.files.open_path(tmp_path / "first.carom")
    first = window.document.scene.folder
    assert first is not None and (first / "a.obj").is_file()
    window.document.set_value("body.a.position", (0.0, 0.0, 1.5))
    assert window.files.open_path(tmp_path / "second.carom") == (answer == "save")
    assert (first / "a.obj").is_file() == (answer == "cancel")
    assert answer == "save" or window.files.save_as()
    assert load_scene(saved).body[0].position == (0.0, 0.0, 1.5)
    folder = window.document.scene.folder
    assert folder is not None and (folder / "a.obj").is_file()
