"""What is closed is gone: a window that lives for hours holds no dialog that nobody sees."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PyQt6.QtCore import QPoint, QTimer
from PyQt6.QtGui import QContextMenuEvent
from PyQt6.QtWidgets import QApplication, QWidget

from app.view.window.main_window import MainWindow
from tests.app.fronts import close_front

ACTIONS = ("help.keys", "help.palette", "help.about", "file.record", "add.menu", "analyse.plot")


def open_and_close(qtbot, start: Callable[[], object]) -> None:
    QTimer.singleShot(150, close_front)
    start()
    qtbot.waitUntil(
        lambda: QApplication.activePopupWidget() is None and QApplication.activeModalWidget() is None, timeout=5000
    )
    qtbot.wait(20)


def test_nothing_stays_of_what_was_closed(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("block_drop")
    ready()
    window.document.select(window._names[-1:])
    starts: dict[str, Callable[[], object]] = {name: window.actions_[name].trigger for name in ACTIONS}
    for widget in (window.plots.energy.charts[0].plot.viewport(), window.plots.gantt):
        starts[type(widget).__name__] = partial(ask_for_menu, widget)
    for name, start in starts.items():
        open_and_close(qtbot, start)
        before = counted()
        for _ in range(3):
            open_and_close(qtbot, start)
        assert counted() == before, name


def ask_for_menu(widget: QWidget) -> None:
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, QPoint(40, 40), QPoint(300, 300))
    QApplication.sendEvent(widget, event)


def counted() -> int:
    return len([widget for widget in QApplication.allWidgets() if isinstance(widget, QWidget)])
