"""Starting the app: what must be set before the first widget, and what happens when something unexpected does."""

from __future__ import annotations

import gc
import logging
import sys
import threading
import traceback
from collections.abc import Callable
from types import TracebackType

from PyQt6.QtCore import QCoreApplication, QObject, QSocketNotifier, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QSurfaceFormat
from PyQt6.QtWidgets import QApplication, QWidget
from PyQt6.sip import voidptr

from app.document.journal import leftovers
from app.document.settings import read_setting
from app.signals import Ended, waking
from app.simulation.compiling import compiling
from app.view.theme import icon, load_fonts, theme
from app.view.viewport.gl import use_window_backend
from app.view.window.dialogs import CrashDialog, ask
from app.view.window.restoring import ask_restore
from app.view.window.waiting import wait_for

_TURN = 0.001  # [s] that the window's thread waits at most for another one's Python, each time that it needs its own
_log = logging.getLogger(__name__)


def make_application(arguments: list[str] | None = None) -> QApplication:
    """The application, with OpenGL, typeface and colours set. The one there is, if there is one already."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        app = existing
    else:
        QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
        surface = QSurfaceFormat()
        surface.setDepthBufferSize(24)
        surface.setSamples(0)  # the viewport smooths edges in a buffer of its own; here it would cost the whole window
        QSurfaceFormat.setDefaultFormat(surface)
        app = QApplication(["carom"] if arguments is None else arguments)
    use_window_backend()
    sys.setswitchinterval(_TURN)
    app.setApplicationName("Carom")
    app.setApplicationDisplayName("Carom")
    load_fonts(app)
    theme().apply("light" if read_setting("scheme", str, "dark") == "light" else "dark")
    app.setWindowIcon(icon("mdi6.billiards", theme().colours.accent))
    return app


def run_app(scene_path: str | None) -> int:
    """Opens the window on the gallery, or on a scene; returns the exit status when it is closed."""
    app = make_application()
    from app.view.window.main_window import MainWindow

    window = MainWindow()
    catcher = Catcher(window)
    catcher.install()
    window.show()
    window.activateWindow()

    def settle(_generation: int) -> None:
        """What is there by now stays: the collector, which looks at all at once, would hold every thread up."""
        window.simulation.loaded.disconnect(settle)
        gc.freeze()

    window.simulation.loaded.connect(settle)
    QTimer.singleShot(0, compiling().start)
    QTimer.singleShot(0, lambda: _begin(window, scene_path))
    with waking() as woken:
        notifier = QSocketNotifier(voidptr(woken.fileno()), QSocketNotifier.Type.Read)
        notifier.activated.connect(lambda: woken.recv(64))
        status = app.exec()
        notifier.setEnabled(False)
    if window.isVisible():  # the system ended it: what is not saved stays in the journal
        window.journal.write()
        window.shut()
        window.journal.scribe.finish()
    compiling().close()
    catcher.remove()
    return status


def _begin(window: QWidget, scene_path: str | None) -> None:
    from app.view.window.main_window import MainWindow

    assert isinstance(window, MainWindow)
    found = wait_for(window, "Looking for unsaved work…", leftovers) or []
    wanted = ask_restore(window, found, scene_path or "") if found else None
    if wanted is not None and window.files.restore(wanted):
        window.journal.keep_instead_of(wanted)
        if scene_path is not None:
            window.say(f"{scene_path} was not opened: what was restored is open instead")
    elif scene_path is not None:
        window.files.open_path(scene_path)


class Catcher(QObject):
    """Shows errors that nobody expected in a dialog, from whatever thread they come; the window goes on."""

    _caught = pyqtSignal(str, str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._showing = False
        self._hook: Callable[..., object] = sys.excepthook
        self._thread_hook = threading.excepthook
        self._caught.connect(self._show)

    def install(self) -> None:
        """Takes over from Python's own hooks."""
        self._hook, self._thread_hook = sys.excepthook, threading.excepthook
        sys.excepthook = self._catch
        threading.excepthook = lambda args: self._catch(
            args.exc_type, args.exc_value or args.exc_type(), args.exc_traceback
        )

    def remove(self) -> None:
        """Gives Python its hooks back."""
        sys.excepthook, threading.excepthook = self._hook, self._thread_hook

    def _catch(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QCoreApplication.exit(error.status if isinstance(error, Ended) else 1)
            return
        details = "".join(traceback.format_exception(kind, error, trace))
        _log.error("unexpected error\n%s", details)
        self._caught.emit(f"{kind.__name__}: {error}", details)

    def _show(self, summary: str, details: str) -> None:
        if self._showing:
            return
        self._showing = True
        try:
            ask(CrashDialog(self._window, summary, details))
        finally:
            self._showing = False
