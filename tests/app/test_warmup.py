"""The first start's dialog: progress, time, a way out, and a window that answers meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest
from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from app.view.window import warmup
from app.view.window.warmup import WarmUp, WarmUpDialog
from engine.warm import Progress, WarmUpError


class Compiler:
    """Stands for the children: goes on when the test says so."""

    def __init__(self, steps: list[Progress | Exception]) -> None:
        self.steps, self.closed = steps, threading.Event()
        self.gate = threading.Semaphore(0)

    def __call__(self) -> Iterator[Progress]:
        try:
            for step in self.steps:
                self.gate.acquire(timeout=10)
                if isinstance(step, Exception):
                    raise step
                yield step
        finally:
            self.closed.set()


STEPS: list[Progress | Exception] = [
    Progress("engine.collision.narrow.closest.closest", 0.25),
    Progress("engine.impulse.contact.resolve_contact", 0.5),
    Progress("", 1.0),
]


@pytest.fixture
def open_dialog(qtbot: QtBot) -> Callable[..., WarmUpDialog]:
    def make(compiler: Compiler, clock: Callable[[], float] = time.monotonic) -> WarmUpDialog:
        job = WarmUp(None, compiler)
        dialog = WarmUpDialog(job, clock=clock)
        qtbot.addWidget(dialog)
        dialog.show()
        return dialog

    return make


def test_it_says_what_is_compiled_how_far_and_how_long(qtbot: QtBot, open_dialog: Callable[..., WarmUpDialog]) -> None:
    now = [100.0]
    compiler = Compiler(STEPS)
    dialog = open_dialog(compiler, lambda: now[0])
    now[0] = 110.0
    compiler.gate.release()
    qtbot.waitUntil(lambda: dialog.bar.value() == 250)
    assert dialog.stage.text() == "closest"
    assert dialog.seconds.text() == "10 s, about 30 s left"
    compiler.gate.release()
    qtbot.waitUntil(lambda: dialog.bar.value() == 500)
    assert dialog.stage.text() == "resolve contact"
    with qtbot.waitSignal(dialog.accepted):
        compiler.gate.release(2)
    assert dialog.result() == QDialog.DialogCode.Accepted
    assert compiler.closed.wait(5)


@pytest.mark.parametrize("how", ["button", "escape", "close"])
def test_quitting_ends_the_children(qtbot: QtBot, open_dialog: Callable[..., WarmUpDialog], how: str) -> None:
    compiler = Compiler(STEPS)
    dialog = open_dialog(compiler)
    qtbot.waitExposed(dialog)
    if how == "button":
        qtbot.mouseClick(dialog.quit_button, Qt.MouseButton.LeftButton)
    elif how == "escape":
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    else:
        dialog.close()
    assert not dialog.quit_button.isEnabled()
    with qtbot.waitSignal(dialog.rejected):
        compiler.gate.release(2)
    assert compiler.closed.wait(5)


def test_the_window_answers_while_it_compiles(qtbot: QtBot, open_dialog: Callable[..., WarmUpDialog]) -> None:
    compiler = Compiler(STEPS)
    dialog = open_dialog(compiler)
    ticks: list[int] = []
    timer = QTimer(dialog)
    timer.timeout.connect(lambda: ticks.append(1))
    timer.start(5)
    qtbot.waitUntil(lambda: len(ticks) > 20)
    assert dialog.isVisible()
    compiler.gate.release(5)
    qtbot.waitUntil(lambda: not dialog.isVisible())


def test_a_failure_is_kept_and_the_app_starts_all_the_same(
    qtbot: QtBot, open_dialog: Callable[..., WarmUpDialog]
) -> None:
    compiler = Compiler([WarmUpError("the kernels could not be compiled: no space left on device")])
    dialog = open_dialog(compiler)
    with qtbot.waitSignal(dialog.accepted):
        compiler.gate.release()
    assert "no space left" in dialog.problem


def test_a_warm_machine_shows_nothing(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "is_warm", lambda: True)
    monkeypatch.setattr(warmup, "warm_in_child", None)
    assert warmup.warm_up()
