"""Closing the window by its frame, as the window system asks for it: twice, and while Quit asks about the work."""

from __future__ import annotations

import ctypes
from typing import ClassVar

import pytest
from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QApplication, QMessageBox

from app.view.window.main_window import MainWindow


class _Message(ctypes.Structure):
    """XClientMessageEvent, in the room of an XEvent."""

    _fields_: ClassVar = [
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p),
        ("window", ctypes.c_ulong),
        ("message_type", ctypes.c_ulong),
        ("format", ctypes.c_int),
        ("data", ctypes.c_long * 5),
        ("room", ctypes.c_long * 12),
    ]


def close_by_frame(window: MainWindow, times: int = 1) -> None:
    """What a window manager sends when its button is clicked: Qt has no way to do that by itself."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XInternAtom.restype = ctypes.c_ulong
    display = ctypes.c_void_p(x11.XOpenDisplay(None))
    message = _Message(type=33, window=int(window.winId()), format=32)
    message.message_type = x11.XInternAtom(display, b"WM_PROTOCOLS", 0)
    message.data[0] = x11.XInternAtom(display, b"WM_DELETE_WINDOW", 0)
    for _ in range(times):
        x11.XSendEvent(display, ctypes.c_ulong(message.window), 0, ctypes.c_long(0), ctypes.byref(message))
    x11.XCloseDisplay(display)


def test_a_double_click_on_the_frames_button_closes_once(qtbot, window: MainWindow) -> None:
    with qtbot.captureExceptions() as raised:
        close_by_frame(window, times=2)
        qtbot.waitUntil(lambda: not window.isVisible(), timeout=5000)
        qtbot.wait(100)
    assert not raised


@pytest.mark.parametrize("answer", ["Cancel", "Discard"])
def test_the_frame_does_not_close_what_quit_asks_about(qtbot, window: MainWindow, answer: str) -> None:
    """Without an answer the work would be gone, and the simulation would still run."""
    window.files.open_path("block_drop")
    window.document.edit("retitle", window.document.scene.model_copy(update={"title": "Work of hours"}))
    seen: list[bool] = []

    def click() -> None:
        seen.append(window.isVisible())
        box = QApplication.activeModalWidget()
        if isinstance(box, QMessageBox):
            box.button(QMessageBox.StandardButton[answer]).click()

    QTimer.singleShot(300, lambda: close_by_frame(window))
    QTimer.singleShot(900, click)
    window.actions_["file.quit"].trigger()
    qtbot.waitUntil(lambda: bool(seen), timeout=5000)
    assert seen == [True], "the window waits for the answer"
    assert window.isVisible() == (answer == "Cancel")
    assert window.document.is_modified == (answer == "Cancel")
