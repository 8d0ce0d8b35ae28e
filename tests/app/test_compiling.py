"""The first start: the window is there at once, scenes stand and can be edited, and move when their parts are there."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.simulation import compiling as module
from app.simulation.compiling import Compiling
from app.simulation.still_world import StillWorld
from app.view.window.main_window import MainWindow
from engine import World, load_scene
from engine.scene.gallery import bundled_scenes
from engine.warm import PARTS, Progress, WarmUpError, parts_of


class Compiler:
    """Stands for the children: goes on when the test says so."""

    def __init__(self, *steps: set[str] | Exception) -> None:
        self.steps, self.gate, self.closed = steps, threading.Semaphore(0), threading.Event()

    def __call__(self) -> Iterator[Progress]:
        now = Progress("", 0.0, {})
        try:
            for step in self.steps:
                while not self.gate.acquire(timeout=0.05):
                    yield now
                if isinstance(step, Exception):
                    raise step
                now = Progress("", 0.5, dict.fromkeys(step, 1.0))
                yield now
        finally:
            self.closed.set()


MOVES = {"loop", "narrow", "world", "group", "tasks"}


@pytest.fixture
def cold(monkeypatch: pytest.MonkeyPatch, kernels: None) -> Iterator[Callable[..., Compiling]]:
    """Makes the process believe that nothing has been compiled; the kernels are there all the same."""
    made: list[Compiling] = []

    def make(compiler: Compiler, clock: Callable[[], float] | None = None) -> Compiling:
        more = {} if clock is None else {"clock": clock}
        made.append(Compiling(None, compiler, frozenset, **more))
        monkeypatch.setattr(module, "_compiling", made)
        return made[0]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def cold_window(
    qtbot: QtBot, stored: object, cold: Callable[..., Compiling]
) -> Iterator[Callable[[Compiler], MainWindow]]:
    windows: list[MainWindow] = []

    def make(compiler: Compiler) -> MainWindow:
        cold(compiler).start()
        window = MainWindow()
        windows.append(window)
        window.show()
        qtbot.waitExposed(window)
        return window

    yield make
    for window in windows:
        window.document.undo_stack.setClean()
        window.close()
        window.deleteLater()
        QApplication.processEvents()


def test_a_scene_stands_can_be_edited_and_moves_when_its_parts_are_there(
    qtbot: QtBot, cold_window: Callable[[Compiler], MainWindow]
) -> None:
    compiler = Compiler({"loop", "narrow"}, MOVES, set(PARTS))
    window = cold_window(compiler)
    assert window.files.open_path("pool_break")
    qtbot.waitUntil(lambda: window.simulation.state == "compiling")
    qtbot.waitUntil(lambda: window.playback.frame is not None)
    frame = window.playback.frame
    assert frame is not None and len(frame.poses) == len(window.document.scene.bodies)
    assert frame.contacts is None, "nothing is said of what is not known"
    window.playback.toggle()
    qtbot.waitUntil(lambda: window.simulation.state == "starting")
    compiler.gate.release()
    qtbot.waitUntil(lambda: "compiling" in window.status._compiling.text())
    qtbot.wait(150)
    assert window.simulation.state == "starting", "the step of contact groups is not there yet"
    compiler.gate.release()
    qtbot.waitUntil(lambda: window.simulation.state == "running", timeout=20_000)
    qtbot.waitUntil(lambda: "the rest" in window.status._compiling.text())
    qtbot.waitUntil(lambda: (window.playback.frame or frame).time > 0.0)
    compiler.gate.release()
    qtbot.waitUntil(lambda: window.status._compiling.text() == "")
    window.playback.pause()


def test_playing_can_be_thought_better_of(qtbot: QtBot, cold_window: Callable[[Compiler], MainWindow]) -> None:
    compiler = Compiler(MOVES)
    window = cold_window(compiler)
    assert window.files.open_path("pool_break")
    qtbot.waitUntil(lambda: window.simulation.state == "compiling")
    window.playback.toggle()
    qtbot.waitUntil(lambda: window.simulation.state == "starting")
    window.playback.toggle()
    qtbot.waitUntil(lambda: window.simulation.state == "compiling")
    window.playback.step_event()
    compiler.gate.release()
    qtbot.waitUntil(lambda: window.simulation.state == "paused", timeout=20_000)
    assert window.playback.at_start


def test_if_compiling_ahead_fails_the_app_says_so_and_goes_on(
    qtbot: QtBot, cold_window: Callable[[Compiler], MainWindow]
) -> None:
    compiler = Compiler(WarmUpError("the kernels could not be compiled: no space left on device"))
    window = cold_window(compiler)
    assert window.files.open_path("pool_break")
    qtbot.waitUntil(lambda: window.simulation.state == "compiling")
    compiler.gate.release()
    qtbot.waitUntil(lambda: window.simulation.state == "paused", timeout=20_000)
    assert not window.status._compiling.text()


def test_the_time_left_is_of_the_parts_that_the_scene_needs(qtbot: QtBot, cold: Callable[..., Compiling]) -> None:
    now = [100.0]
    scene = load_scene("pool_break")
    compiler = Compiler({"loop"}, MOVES)
    compiling = cold(compiler, lambda: now[0])
    assert compiling.seconds_left(scene) is None
    compiling.start()
    now[0] += 10.0
    with qtbot.waitSignal(compiling.changed):
        compiler.gate.release()
    left = sum(PARTS[part].seconds for part in parts_of(scene) - {"loop"})
    assert compiling.seconds_left(scene) == pytest.approx(10.0 * left / PARTS["loop"].seconds)
    with qtbot.waitSignal(compiling.changed):
        compiler.gate.release()
    assert compiling.can_run(scene) and compiling.seconds_left(scene) == 0.0


def test_closing_ends_the_children_and_lets_go_who_waits(cold: Callable[..., Compiling]) -> None:
    compiler = Compiler(MOVES)
    compiling = cold(compiler)
    compiling.start()
    waiter = threading.Thread(target=compiling.wait_for, args=("solvers",))
    waiter.start()
    compiling.close()
    assert compiler.closed.wait(5)
    waiter.join(5)
    assert not waiter.is_alive()


@pytest.mark.parametrize("name", [name for name, _ in bundled_scenes()][::4])
def test_what_stands_is_what_the_world_begins_with(kernels: None, name: str) -> None:
    scene = load_scene(name)
    still, world = StillWorld(scene), World(scene)
    np.testing.assert_allclose(still.poses(), world.poses(), atol=1e-12)
    np.testing.assert_array_equal(still.asleep(), world.asleep())
