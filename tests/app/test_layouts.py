"""What stands around the picture: layouts by key, a full screen with nothing but the picture, panels that remember."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PyQt6.QtCore import QSettings, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QWidget

from app.view.window.main_window import MainWindow

K = Qt.Key
KEYS = {"all": K.Key_F5, "edit": K.Key_F6, "plots": K.Key_F7, "picture": K.Key_F8}


def area(widget: QWidget) -> int:
    return widget.width() * widget.height() if widget.isVisible() else 0


@pytest.mark.parametrize("size", [(1600, 1000), (1024, 700)])
def test_the_picture_is_the_largest_thing_in_every_layout(
    qtbot, window: MainWindow, ready: Callable[[], None], size: tuple[int, int]
) -> None:
    window.resize(*size)
    window.files.open_path("block_drop")
    ready()
    window.workspace.rows.setSizes([1, 1000])  # as someone may have left it
    share = {}
    for name, key in KEYS.items():
        QTest.keyClick(window, key)
        qtbot.wait(50)
        assert window.actions_[f"view.layout.{name}"].isChecked()
        picture = area(window.viewport)
        others = {other: area(panel) for other, panel in window.workspace.panels.items()}
        assert picture > max(others.values()), (name, picture, others)
        share[name] = picture / (size[0] * size[1])
    assert share["all"] == min(share.values()) > 0.25 and share["picture"] == max(share.values()) > 0.8, share


def test_a_full_screen_has_nothing_but_the_picture(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("block_drop")
    ready()
    QTest.keyClick(window, K.Key_F6)
    before = window.workspace.shown_panels()
    for leave in (K.Key_F11, K.Key_Escape):
        QTest.keyClick(window, K.Key_F11)
        qtbot.waitUntil(lambda: window.viewport.size() == window.size(), timeout=5000)
        assert "F11 or Esc" in window.viewport._hint.text()
        time = window.playback.frame.time
        QTest.keyClick(window.focusWidget(), K.Key_Right)
        qtbot.waitUntil(lambda time=time: window.playback.frame.time > time, timeout=10_000)  # keys go on working
        QTest.keyClick(window.focusWidget(), leave)
        qtbot.waitUntil(lambda: not window.isFullScreen() and window.toolbar.isVisible(), timeout=5000)
        assert window.workspace.shown_panels() == before and not window.viewport._hint.text()
        assert window.menuBar().isVisible() and window.statusBar().isVisible()


def test_esc_ends_a_move_before_it_ends_the_full_screen(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("block_drop")
    ready()
    window.document.select([window.document.scene.body[1].name])
    QTest.keyClick(window, K.Key_F11)
    qtbot.waitUntil(lambda: not window.toolbar.isVisible(), timeout=5000)
    QTest.keyClick(window.focusWidget(), K.Key_G)
    assert window.viewport.transforming
    QTest.keyClick(window.focusWidget(), K.Key_Escape)
    assert not window.viewport.transforming and window.isFullScreen()


def test_panels_are_found_as_they_were_left(
    qtbot, window: MainWindow, ready: Callable[[], None], stored: QSettings
) -> None:
    window.files.open_path("block_drop")
    ready()
    window.looks.toggle_panel("strip")
    window.workspace.bottom.setCurrentIndex(2)
    window.workspace.show_left(window.shelf)
    QTest.keyClick(window, K.Key_F11)
    qtbot.waitUntil(lambda: not window.toolbar.isVisible(), timeout=5000)
    window._store_layout()  # as it is when the window is closed, here out of the full screen
    again = MainWindow()
    try:
        assert again.workspace.shown_panels() == {"left", "right", "timeline", "bottom"}
        assert again.workspace.bottom.currentIndex() == 2
        assert again.workspace._left.currentWidget() is again.shelf
    finally:
        again.close()
        again.deleteLater()
        qtbot.wait(10)
