"""No action of the table holds the window's thread up for more than 50 ms.

Processor time of that thread between two ticks of a timer: what other threads and programs take does not count. The
best of a few attempts counts, as a processor that is shared takes longer for the same. What made actions slow is held
by counts, which no machine changes.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QGroupBox, QProgressDialog

from app.actions.table import ACTIONS
from app.document import repeats
from app.document.document import read_scene
from app.view.inspector.page import Page
from app.view.theme import theme
from app.view.viewport import scene_view
from app.view.window import files
from app.view.window.main_window import MainWindow
from engine.scene import placing, writing
from tests.app.fronts import close_front

MOST = 0.05  # [s]
WATCHED = 350  # [ms] after an action
ATTEMPTS = 4
SCENES = ("part_sorter", "sphere_pile")  # with one of everything, and with ten thousand bodies


class Stopwatch:
    """The longest that the window's thread has computed between two ticks [s]."""

    def __init__(self) -> None:
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        self.most, self._last = 0.0, time.thread_time()
        self._timer.start(1)

    def _tick(self) -> None:
        now = time.thread_time()
        self.most, self._last = max(self.most, now - self._last), now

    def stop(self) -> float:
        self._tick()
        self._timer.stop()
        return self.most


@pytest.fixture
def calm() -> Iterator[None]:
    """As the app does once its window stands: what is there for good is not looked through for what can go."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def open_scene(window: MainWindow, ready: Callable[[], None], scene: str) -> None:
    window.document.undo_stack.setClean()
    window.files.open_path(scene)
    ready()


def longest(qtbot, window: MainWindow, ready: Callable[[], None], scene: str, name: str) -> float:
    """How long an action holds the thread up [s], with a body or a repeat selected; 0 where it cannot be used."""
    if window.pages.currentIndex() == 0 or window.document.is_modified or window.document.name != scene:
        open_scene(window, ready, scene)
    free = [body.name for body in window.document.scene.body if body.motion == "free"]
    if free:
        window.document.select(free[:1])
    else:
        window.document.set_focus(f"repeat.{window.document.scene.repeat[-1].name}")
    qtbot.wait(100)
    if not window.actions_[name].isEnabled():
        return 0.0
    closing = QTimer()
    closing.timeout.connect(close_front)
    closing.start(200)
    watch = Stopwatch()
    watch.start()
    window.actions_[name].trigger()
    qtbot.wait(WATCHED)
    qtbot.waitUntil(lambda: window.simulation.state != "loading", timeout=120_000)
    qtbot.wait(50)  # what was built is shown
    taken = watch.stop()
    closing.stop()
    close_front()
    QTest.keyClick(window.viewport, Qt.Key.Key_Escape)
    return taken


def hold(qtbot, window: MainWindow, ready: Callable[[], None], scene: str, name: str) -> list[float]:
    """What was measured, unless one attempt was within the bound [ms]."""
    taken: list[float] = []
    for _ in range(ATTEMPTS):
        taken.append(longest(qtbot, window, ready, scene, name))
        if taken[-1] < MOST:
            return []
    return [round(1e3 * seconds) for seconds in taken]


@pytest.mark.slow
@pytest.mark.parametrize("scene", SCENES)
def test_every_action_leaves_the_window_free(
    qtbot, calm: None, window: MainWindow, ready: Callable[[], None], scene: str
) -> None:
    names = [row.id for row in ACTIONS if row.id != "file.quit"]
    held = {name: taken for name in names if (taken := hold(qtbot, window, ready, scene, name))}
    assert held == {}


@pytest.mark.slow
def test_thousands_of_single_bodies_leave_the_window_free(
    qtbot, calm: None, window: MainWindow, ready: Callable[[], None], tmp_path: Path
) -> None:
    """Undo, redo, saving twice, and the copy of unsaved work, which is made when one has not edited for a while."""

    def watched(name: str, milliseconds: int) -> float:
        watch = Stopwatch()
        watch.start()
        window.actions_[name].trigger()
        qtbot.wait(milliseconds)
        qtbot.waitUntil(lambda: window.simulation.state != "loading", timeout=120_000)
        return watch.stop()

    taken: dict[str, list[float]] = {}
    for _ in range(ATTEMPTS):
        open_scene(window, ready, "sphere_pile")
        window.document.set_focus(f"repeat.{window.document.scene.repeat[-1].name}")
        qtbot.wait(100)
        for name, wait in (("edit.take_apart", WATCHED), ("edit.undo", WATCHED), ("edit.redo", WATCHED + 2500)):
            taken.setdefault(name, []).append(watched(name, wait))
        window.document.belong_to(window.document.scene, tmp_path / "mine.toml")
        for name in ("first save", "second save"):
            taken.setdefault(name, []).append(watched("file.save", WATCHED))
    assert {name: taken for name, taken in taken.items() if min(taken) >= MOST} == {}


@pytest.mark.parametrize("name", ["add.box", "add.material", "edit.repeat", "add.joint_hinge", "edit.delete"])
def test_an_edit_makes_one_page_of_the_inspector(
    qtbot, monkeypatch: pytest.MonkeyPatch, window: MainWindow, ready: Callable[[], None], name: str
) -> None:
    window.files.open_path("coins")
    ready()
    window.document.select([next(body.name for body in window.document.scene.body if body.motion == "free")])
    made: list[Page] = []
    begin = Page.__init__

    def count(page: Page, *more: Any) -> None:
        made.append(page)
        begin(page, *more)

    monkeypatch.setattr(Page, "__init__", count)
    window.actions_[name].trigger()
    assert not made, "a page is made in another turn than the edit"
    qtbot.waitUntil(lambda: len(made) == 1 and made[0].isVisible())
    qtbot.wait(50)
    assert len(made) == 1 and window.inspector.page is made[0]


def test_what_takes_long_is_done_in_another_thread(
    window: MainWindow, ready: Callable[[], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """To take thousands of bodies out of a repeat, to say what to draw of them, and to write them down."""
    window.files.open_path("see_saw")
    ready()
    window.document.select([window.document.scene.body[-1].name])
    window.actions_["edit.repeat"].trigger()
    ran: list[tuple[str, bool]] = []

    def watch(where: object, name: str) -> None:
        work = getattr(where, name)

        def watched(*words: Any, **more: Any) -> Any:
            ran.append((name, threading.current_thread() is threading.main_thread()))
            return work(*words, **more)

        monkeypatch.setattr(where, name, watched)

    watch(repeats, "take_apart")
    watch(scene_view, "body_set")
    watch(files, "save_scene")
    window.actions_["edit.take_apart"].trigger()
    assert [name for name, _ in ran] == ["take_apart", "body_set"]
    window.actions_["edit.undo"].trigger()
    window.actions_["edit.redo"].trigger()
    assert len(ran) == 2, "what was to be drawn of the scenes before is known"
    window.document.belong_to(window.document.scene, tmp_path / "mine.toml")
    window.actions_["file.save"].trigger()
    assert ran[2:] == [("save_scene", False)] and (tmp_path / "mine.toml").is_file()
    assert not any(in_window for _, in_window in ran)


@pytest.mark.parametrize(
    ("name", "where", "found"),
    [("edit.drop", "drop", (0.0, 0.0, -0.01)), ("edit.push_apart", "push_apart", ({"board": (0.0, 0.0, 0.01)}, 0))],
)
def test_what_is_to_be_drawn_of_a_placed_body_is_found_in_another_thread(
    window: MainWindow, ready: Callable[[], None], monkeypatch: pytest.MonkeyPatch, name: str, where: str, found: object
) -> None:
    window.files.open_path("see_saw")
    ready()
    window.document.select(["board"])
    before, make = window.document.scene, scene_view.body_set
    in_window: list[bool] = []

    def watched(*words: Any, **more: Any) -> Any:
        in_window.append(threading.current_thread() is threading.main_thread())
        return make(*words, **more)

    monkeypatch.setattr(scene_view, "body_set", watched)
    monkeypatch.setattr(placing, where, lambda _scene, _rows: found)
    window.actions_[name].trigger()
    assert window.document.scene is not before and in_window == [False]


@pytest.fixture
def changed(window: MainWindow, ready: Callable[[], None], tmp_path: Path) -> Path:
    """The file of the scene that is open, which has got another title since it was saved."""
    window.files.open_path("see_saw")
    ready()
    path = tmp_path / "mine.toml"
    window.document.save_as(path)
    window.document.set_value("title", "Other")
    return path


def test_saving_can_be_called_off(window: MainWindow, changed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = changed.read_bytes()
    held, write = threading.Event(), writing.scene_text

    def slow(*words: Any) -> str:
        held.wait(10.0)
        return write(*words)

    monkeypatch.setattr(writing, "scene_text", slow)
    cancel = QTimer()
    cancel.timeout.connect(lambda: [box.canceled.emit() for box in window.findChildren(QProgressDialog)])
    cancel.start(50)
    assert window.files.save() is False
    cancel.stop()
    held.set()
    for thread in [thread for thread in threading.enumerate() if thread.name == "waiting"]:
        thread.join(10.0)
    assert changed.read_bytes() == before and window.document.is_modified
    assert window.status.message == "The scene was not saved"


def test_what_is_edited_while_it_is_saved_stays_and_is_not_saved_yet(
    window: MainWindow, changed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A field takes what was typed when it loses the keys to the word that it is being saved."""
    edited, write = threading.Event(), writing.scene_text

    def slow(*words: Any) -> str:
        assert edited.wait(10.0)
        return write(*words)

    def add() -> None:
        window.actions_["add.box"].trigger()
        edited.set()

    monkeypatch.setattr(writing, "scene_text", slow)
    QTimer.singleShot(20, add)
    assert window.files.save() is False
    (name,) = window.document.selection
    assert name in {body.name for body in window.document.scene.body} and window.document.is_modified
    window.inspector.refresh()
    saved = read_scene(changed)
    assert saved.title == "Other" and name not in {body.name for body in saved.body}
    assert window.files.save() is True
    assert name in {body.name for body in read_scene(changed).body} and not window.document.is_modified


def test_colours_change_a_step_a_turn_and_nothing_is_painted_between(qtbot, window: MainWindow) -> None:
    theme().apply("dark")  # whatever a test before has left
    qtbot.waitUntil(lambda: theme().colours.scheme == "dark" and window.updatesEnabled())
    turns: list[bool] = []
    timer = QTimer()
    timer.timeout.connect(lambda: turns.append(window.updatesEnabled()))
    timer.start(0)
    window.actions_["view.light"].trigger()
    assert theme().scheme == "light" and not window.updatesEnabled()
    qtbot.waitUntil(window.updatesEnabled)
    timer.stop()
    assert turns.count(False) >= 3 and theme().colours.scheme == "light"
    for _ in range(3):  # faster than it can follow: the last one counts
        window.actions_["view.light"].trigger()
    qtbot.waitUntil(lambda: window.updatesEnabled() and theme().colours.scheme == "dark")
    assert theme().scheme == "dark"


def test_plots_bring_no_menus_that_nobody_sees(window: MainWindow) -> None:
    """pyqtgraph's own, fifty widgets a plot, among them the only frames with titles."""
    assert not [widget for widget in QApplication.allWidgets() if isinstance(widget, QGroupBox)]
