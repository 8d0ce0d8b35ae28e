"""What is closed is gone: a window that lives for hours holds no dialog that nobody sees."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PyQt6.QtCore import QPoint, QTimer
from PyQt6.QtGui import QContextMenuEvent
from PyQt6.QtWidgets import QApplication, QDialog, QWidget

from app.view.window.main_window import MainWindow

ACTIONS = ("help.keys", "help.palette", "help.about", "file.record", "add.menu", "analyse.plot")


def close_front() -> None:
    front = QApplication.activePopupWidget() or QApplication.activeModalWidget()
    if isinstance(front, QDialog):
        front.reject()
    elif front is not None:
        front.close()


def open_and_close(qtbot, start: Callable[[], object]) -> None:
    QTimer.singleShot(150, close_front)
    start()
    qtbot.waitUntil(
        lambda: QApplication.activePopupWidget() is None and QApplication.activeModalWidget() is None, timeout=5000
    )
    qtbot.wait(20)


@pytest.mark.parametrize("name", [*ACTIONS, "chart", "gantt"])
def test_nothing_stays_of_what_was_closed(qtbot, window: MainWindow, ready: Callable[[], None], name: str) -> None:
    window.files.open_path("block_drop")
    ready()
    window.document.select(("upper",) if "upper" in window._names else window._names[-1:])
    ask_for = {"chart": window.plots.energy.charts[0].plot.viewport(), "gantt": window.plots.gantt}

    def start() -> None:
        if name in ask_for:
            reason = QContextMenuEvent.Reason.Mouse
            QApplication.sendEvent(ask_for[name], QContextMenuEvent(reason, QPoint(40, 40), QPoint(300, 300)))
        else:
            window.actions_[name].trigger()

    open_and_close(qtbot, start)
    before = counted()
    for _ in range(3):
        open_and_close(qtbot, start)
    assert counted() == before


def counted() -> int:
    return len([widget for widget in QApplication.allWidgets() if isinstance(widget, QWidget)])
