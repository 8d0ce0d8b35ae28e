"""What a process that is killed leaves of its run: the scene, what came from outside, all ways, up to a keyframe."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.document import journal as journals
from app.document.document import Document
from app.document.journal import Journal, Leftover, leftovers
from app.document.scribe import Scribe
from app.simulation.history import History
from app.simulation.messages import Mailbox
from app.simulation.run_file import open_run
from app.simulation.run_journal import RunJournal
from app.simulation.worker import Worker
from app.view import start
from app.view.window.main_window import MainWindow
from engine import World, load_scene
from engine.recording.carom_file import Recording, read_recording
from engine.replay import verify
from engine.scene.paths import set_path
from tests.app.test_timeline import settle

ROOT = Path(__file__).parents[2]
KILLS = int(os.environ.get("CAROM_KILLS", "10"))


class Kept:
    """A journal of no document."""

    def __init__(self, folder: Path) -> None:
        self.run_file, self.scribe, self.kept = folder / "run.carom", Scribe(), 0

    def hold(self) -> Path:
        return self.run_file.parent

    def run_is_kept(self) -> None:
        self.kept += 1


class Deaf:
    """Reports that nobody reads."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_: None


class Following:
    """A world, its history, and the journal of its run."""

    def __init__(self, folder: Path, scene: str = "coins") -> None:
        self.kept = Kept(folder)
        self.journal = RunJournal(self.kept)  # type: ignore[arg-type]
        self.world, self.history = World(load_scene(scene)), History()
        self.journal.begin(self.world.scene)
        self.history.start(self.world)
        self.journal.follow(self.history)

    def go_to(self, time: float) -> None:
        while self.world.time < time:
            self.history.advance_to(self.world, min(time, self.world.time + 0.05))
            self.history.note(self.world)
            self.journal.follow(self.history)

    def go_on_until_kept(self) -> None:
        """Up to the next keyframe, which comes the later the longer the last one took to keep."""
        before, latest = self.history.current.keyframes[-1].time, self.world.time + 10.0
        while self.history.current.keyframes[-1].time == before and self.world.time < latest:
            self.go_to(self.world.time + 0.05)

    def pull(self, body: int) -> None:
        given, past = len(self.world.inputs), self.history.is_past(self.world)
        self.world.pull(self.world.names[body], (0.0, 0.0, 0.0), (0.0, 0.0, 0.1))
        if past:
            self.history.fork(self.world, given)
        else:
            self.history.note(self.world)
        self.journal.follow(self.history)

    def back_to(self, time: float) -> None:
        self.history.jump(self.world, time)
        self.history.advance_to(self.world, time)

    def written(self) -> Recording:
        self.kept.scribe.finish()
        return read_recording(self.kept.run_file)


def told(recording: Recording) -> list[tuple[int, int, float]]:
    """Number, inputs and end of each way."""
    return [(one.number, len(one.inputs), one.time) for one in (recording, *recording.branches)]


def test_a_scene_that_only_stands_leaves_no_run(tmp_path: Path) -> None:
    one = Following(tmp_path)
    one.kept.scribe.finish()
    assert not one.kept.run_file.exists()


def test_every_way_of_a_run_is_kept_and_is_the_same_when_it_is_run_again(tmp_path: Path) -> None:
    one = Following(tmp_path)
    one.go_to(0.6)
    first = one.history.current.keyframes[-1].time
    assert told(one.written()) == [(1, 0, first)] and one.kept.kept == 1
    one.back_to(0.3)
    one.pull(2)
    one.go_to(0.9)
    one.pull(3)
    one.go_to(1.3)
    second = one.history.current.keyframes[-1].time
    recording = one.written()
    assert told(recording) == [(2, len(one.world.inputs), second), (1, 0, first)], "the way that it is on comes first"
    assert len(recording.keyframes) == len(one.history.current.keyframes) and one.kept.kept == 2
    assert verify(recording).difference == ""
    assert one.history.switch(1)
    one.back_to(one.history.end)
    one.go_on_until_kept()
    recording = one.written()
    assert [number for number, _, _ in told(recording)] == [1, 2] and recording.time > first
    assert verify(recording).difference == ""
    lines = open_run(one.kept.run_file, tmp_path).lines
    assert [(line.number, line.end) for line in lines] == [(1, recording.time), (2, second)]
    frames = zip(lines[0].keyframes, one.history.current.keyframes, strict=True)
    assert all(
        (a.time, a.given, a.events, a.collisions) == (b.time, b.given, b.events, b.collisions) for a, b in frames
    )


def test_a_run_that_begins_anew_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    one = Following(tmp_path)
    one.go_to(0.9)
    one.back_to(0.0)
    one.history.start_again(one.world)
    one.journal.follow(one.history)
    one.go_to(0.4)
    assert told(one.written()) == [(1, 0, one.history.current.keyframes[-1].time)]
    one.journal.begin(one.world.scene)
    one.kept.scribe.finish()
    assert not one.kept.run_file.exists(), "another scene is loaded"


def test_the_file_is_not_much_larger_than_the_past_may_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.simulation.run_journal._SPARE", 0.0)
    monkeypatch.setattr("app.simulation.run_journal._MOST", 1.2)
    one = Following(tmp_path)
    one.history.set_memory(0.06)
    most = 0.0
    for k in range(1, 40):
        one.go_to(0.1 * k)
        one.kept.scribe.finish()
        most = max(most, one.kept.run_file.stat().st_size if one.kept.run_file.exists() else 0.0)
    assert 3e4 < most < 1e5 and one.kept.kept > 2, (most, one.kept.kept)
    assert verify(one.written()).difference == ""


def test_a_slow_disk_is_not_waited_for_and_piles_nothing_up(tmp_path: Path) -> None:
    one = Following(tmp_path)
    free = threading.Event()
    one.kept.scribe.do(lambda: free.wait(20.0))
    one.history.set_memory(256.0)
    most = 0
    for k in range(1, 40):
        one.world.pull(one.world.names[1 + k % 4], (0.0, 0.0, 0.0), (0.0, 0.0, 0.1))
        one.history.note(one.world)
        one.go_to(0.25 * k)
        most = max(most, one.kept.scribe.waiting)
    assert most <= 18
    free.set()
    one.go_to(one.world.time + 0.3)
    one.kept.scribe.finish()
    one.journal.follow(one.history)
    recording = one.written()
    assert recording.time == one.history.current.keyframes[-1].time and verify(recording).difference == ""


def run_until_killed(folder: Path) -> None:
    """Plays, goes back and pulls again and again, as the simulation's thread does."""
    kept = Kept(folder)
    worker = Worker(World, Mailbox(), Deaf(), journal=RunJournal(kept))  # type: ignore[arg-type]
    worker.load(load_scene("coins"), 1)
    number = 0

    def work(until: float) -> None:
        worker.set_speed(float("inf"))
        worker.play()
        while worker._require().time < until:
            worker._mailbox.drain()
            worker._advance()
            worker._journal.follow(worker._history)
        worker.pause()

    while True:
        work(worker._require().time + 0.2)
        number += 1
        if number % 3 == 0:
            worker.seek(0.5 * worker._history.end)
            while not worker._goal.is_idle:
                worker._advance()
        worker.pull(number % 4 + 1, (0.0, 0.0, 0.0), (0.0, 0.0, 0.05 * (number % 5)))


def test_killed_at_any_moment_the_run_comes_back_up_to_a_keyframe(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    World(load_scene("coins")).advance_to(0.5)  # what is compiled here is there in the processes, too
    path, longest, ways, inputs = tmp_path / "run.carom", 0.0, 0, 0
    for _ in range(KILLS):
        path.unlink(missing_ok=True)
        running = get_context("fork").Process(target=run_until_killed, args=(tmp_path,))
        running.start()
        while not path.exists():
            time.sleep(0.002)
        time.sleep(float(random.uniform(0.0, 0.8)))
        running.kill()
        running.join()
        assert running.exitcode == -signal.SIGKILL
        recording = read_recording(path)
        verdict = verify(recording)
        assert verdict.difference == ""
        longest, ways = max(longest, recording.time), max(ways, 1 + len(recording.branches))
        inputs = max(inputs, len(recording.inputs))
    assert longest > 0.5 and ways > 1 and inputs > 1


WINDOW = """
import math
import sys
from PyQt6.QtCore import QTimer
from app.view import start
from app.view.window.main_window import MainWindow

def step() -> None:
    frame, window = windows[0].playback.frame, windows[0]
    if not script or frame is None or window.simulation.state in ("loading", "compiling", "stepping"):
        return
    since, until, act = script[0]
    if since <= frame.time <= until:  # not the time from which it has been sent away
        script.pop(0)
        act(window)

class Window(MainWindow):
    def __init__(self) -> None:
        super().__init__()
        windows.append(self)

windows = []
script = [
    (0.0, 0.0, lambda w: (w.document.set_value("title", "Mine"), w.document.set_value("material.coin.friction", 0.4))),
    (0.0, 0.0, lambda w: w.playback.toggle()),
    (0.7, math.inf, lambda w: w.simulation.seek(0.3)),
    (0.3, 0.3, lambda w: w.playback.pull(3, (0.0, 0.0, 0.0), (0.0, 0.0, 0.1))),
    (0.3, 0.3, lambda w: w.playback.toggle()),
    (0.9, math.inf, lambda w: print("there", flush=True)),
]
sys.modules["app.view.window.main_window"].MainWindow = Window
timer = QTimer()
timer.timeout.connect(step)
start._begin = lambda window, path: (window.files.open_path("coins"), timer.start(20))
start.run_app(None)
"""


def killed_window(folder: Path) -> Path:
    """A window that was killed while it played; where its unsaved work lies."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    child = subprocess.Popen([sys.executable, "-c", WINDOW], env=environment, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "there\n"
    time.sleep(0.3)
    child.kill()
    child.wait()
    return folder / "carom" / "journal"


@pytest.mark.parametrize("early", [False, True])
def test_a_window_that_was_killed_brings_its_edits_and_its_run_back(
    qtbot: Any, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, early: bool
) -> None:
    """early: the new copy of the run is there before the window says what it takes the place of."""
    folder = killed_window(tmp_path)
    if early:
        restore = window.files.restore
        kept = partial(qtbot.waitUntil, lambda: window.journal.run_file.is_file(), timeout=60_000)
        monkeypatch.setattr(window.files, "restore", lambda leftover: (restore(leftover), kept())[0])
    (file,) = folder.rglob("run.carom")
    recording = read_recording(file)
    monkeypatch.setattr(start, "leftovers", lambda: leftovers(folder))
    asked: list[str] = []

    def first(_window: MainWindow, works: list[Leftover], _otherwise: str) -> Leftover:
        asked.extend(work.words for work in works)
        return works[0]

    monkeypatch.setattr(start, "ask_restore", first)
    start._begin(window, None)
    assert asked == ["“Mine” with its run"]
    qtbot.waitUntil(lambda: (f := window.playback.frame) is not None and f.branch == 2, timeout=60_000)
    assert settle(qtbot, window) == recording.time
    assert window.document.title == "Mine" and window.document.is_modified
    assert window.document.scene.material["coin"].friction == 0.4
    frame = window.playback.frame
    assert frame is not None and [branch.number for branch in frame.branches] == [1] and len(frame.inputs) >= 1
    world = World(window.document.scene)
    world.replay(recording.inputs, recording.time)
    assert world.digest == recording.marks[-1].digest
    np.testing.assert_array_equal(frame.exact, world.poses())
    qtbot.waitUntil(lambda: not folder.exists() or not list(folder.rglob("*.carom")), timeout=20_000)
    assert window.journal.run_file.is_file(), "the old copy goes as soon as there is a new one"
    window.document.undo_stack.setClean()
    window.document._recovered = False
    window.close()
    assert not window.journal.run_file.parent.exists()


def test_what_was_edited_and_run_after_the_copy_of_the_scene_comes_from_the_run(
    qtbot: Any, window: MainWindow, ready: Callable[[], None], tmp_path: Path
) -> None:
    document = Document()
    document.load("coins")
    journal = Journal(document, tmp_path)
    document.set_value("material.coin.friction", 0.3)
    journal.write()
    journal.scribe.finish()
    run = RunJournal(journal)
    later = set_path(document.scene, "material.coin.friction", 0.2)
    world, history = World(later), History()
    run.begin(later)
    history.start(world)
    history.advance_to(world, 0.5)
    history.note(world)
    run.follow(history)
    journal.scribe.finish()
    for lock in tmp_path.glob("*.lock"):
        lock.unlink()  # as if the process had died
    (leftover,) = leftovers(tmp_path)
    assert window.files.restore(leftover)
    ready()
    settle(qtbot, window)
    assert window.document.scene.material["coin"].friction == 0.2
    frame = window.playback.frame
    assert frame is not None and frame.time == 0.5
    np.testing.assert_array_equal(frame.exact, world.poses())
    window.document._recovered = False


def test_a_run_of_a_scene_that_was_saved_comes_back_without_edits(tmp_path: Path) -> None:
    document = Document()
    document.load("coins")
    document.save_as(tmp_path / "mine.toml")
    journal = Journal(document, tmp_path / "kept")
    run = RunJournal(journal)
    world, history = World(document.scene), History()
    run.begin(document.scene)
    history.start(world)
    history.advance_to(world, 0.5)
    history.note(world)
    run.follow(history)
    document.set_value("title", "Other")
    journal.write()
    document.save_as(tmp_path / "mine.toml")
    journal.scribe.finish()
    for lock in (tmp_path / "kept").glob("*.lock"):
        lock.unlink()
    (leftover,) = leftovers(tmp_path / "kept")
    assert (leftover.modified, leftover.read(), leftover.path) == (False, None, tmp_path / "mine.toml")
    assert leftover.title == "Other" and leftover.run is not None
    assert journals._SCENE.parent.name not in [path.name for path in leftover.stored.iterdir()]
    run.begin(document.scene)
    journal.scribe.finish()
    assert leftovers(tmp_path / "kept") == [], "nothing is offered where nothing is left"
    journal.close()
