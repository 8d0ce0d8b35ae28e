"""The application of the tests: the real one, with Carom's surface format, typeface and colours."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PyQt6.QtCore import QSettings
from PyQt6.QtWidgets import QApplication

from app.document.settings import settings
from app.view.start import make_application
from app.view.window.main_window import MainWindow
from engine.warm import is_warm, warm_in_child


@pytest.fixture(scope="session")
def qapp() -> Iterator[QApplication]:
    """Made as the app makes it."""
    yield make_application(["carom-tests"])


@pytest.fixture(scope="session")
def kernels() -> None:
    """All kernels compiled: the tests wait for the window, not for a compiler."""
    if not is_warm():
        for _ in warm_in_child():
            pass


@pytest.fixture
def stored(qapp: QApplication) -> Iterator[QSettings]:
    """Settings that are empty before a test and after it."""
    settings().clear()
    yield settings()
    settings().clear()


@pytest.fixture
def window(qtbot, stored: QSettings, kernels: None) -> Iterator[MainWindow]:
    """The real window, on its gallery."""
    made = MainWindow()
    made.setGeometry(0, 0, 1600, 1000)
    made.show()
    qtbot.waitExposed(made)
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow, timeout=5000)
    yield made
    made.document.undo_stack.setClean()
    made.document._recovered = False  # or it would ask, and wait for an answer, after a test that failed
    made.close()
    made.deleteLater()
    qtbot.wait(10)


@pytest.fixture
def ready(qtbot, window: MainWindow) -> Callable[[], None]:
    """Waits until the simulation stands at a frame of the scene that is shown, the actions know, and keys go there."""

    def has_keys() -> bool:
        """No window manager is there to give them back after a dialog."""
        if not window.isActiveWindow():
            window.activateWindow()
        return window.isActiveWindow()

    def wait() -> None:
        qtbot.waitUntil(
            lambda: window.playback.frame is not None and window.simulation.state == "paused", timeout=120_000
        )
        qtbot.waitUntil(lambda: window.actions_.facts.ready, timeout=5000)
        qtbot.waitUntil(has_keys, timeout=5000)

    return wait
