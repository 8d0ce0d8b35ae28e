"""Waiting for what takes long, in another thread: the window goes on, and the person may call it off."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from PyQt6.QtCore import QElapsedTimer, QEvent, QEventLoop, QObject, Qt, QTimer, pyqtSignal
from PyQt6.QtWidgets import QApplication, QProgressDialog, QWidget

from engine.scene.apart import CalledOffError, cancellable, check_called_off

Result = TypeVar("Result")
_PATIENCE = 300  # [ms] without a word
_LOOK, _STEPS = 100, 1000  # [ms] between looks at how far it is, and steps of the bar
_WIDTH = 340  # [pixels]: a progress bar of the text's width says little
_LEAST = 300  # [ms] that a word stays: nobody can read a shorter one, nor do all window systems give keys back so soon
_HANDS = frozenset(
    (
        QEvent.Type.KeyPress,
        QEvent.Type.Shortcut,
        QEvent.Type.ShortcutOverride,
        QEvent.Type.MouseButtonPress,
        QEvent.Type.MouseButtonRelease,
        QEvent.Type.MouseButtonDblClick,
        QEvent.Type.Wheel,
        QEvent.Type.Drop,
        QEvent.Type.Close,
    )
)


class _Done(QObject):
    """Tells the window's thread that another is done."""

    told = pyqtSignal()


class _Deaf(QObject):
    """Keeps what hands do from all but one dialog."""

    def __init__(self, dialog: QWidget) -> None:
        super().__init__(dialog)
        self._dialog = dialog

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        if event is None or event.type() not in _HANDS or not isinstance(watched, QWidget):
            return False
        return watched is not self._dialog and not self._dialog.isAncestorOf(watched)


class Progress:
    """How far work has come that is waited for. Whoever does it tells, and ends there if it was called off."""

    def __init__(self) -> None:
        self.share: float | None = None  # of 1; None: nobody knows

    def tell(self, share: float) -> None:
        """So much is done. Raises CalledOffError in the thread that works."""
        self.share = share
        check_called_off()

    def show_in(self, dialog: QProgressDialog) -> None:
        if self.share is not None:
            dialog.setMaximum(_STEPS)
            dialog.setValue(min(round(_STEPS * self.share), _STEPS - 1))  # at its end the dialog would close itself


def wait_for(parent: QWidget, text: str, work: Callable[[], Result], progress: Progress | None = None) -> Result | None:
    """What `work` returns, or raises, from a thread of its own; None if the person called it off.

    Meanwhile the window draws and answers, but takes no other command. What the work does in a process of its own
    (engine.scene.apart) ends when it is called off, and so does work that tells its progress; what else it does in its
    thread goes on unheard.
    """
    was_active = parent.isActiveWindow()
    found: list[Result] = []
    faults: list[Exception] = []
    done, loop, called_off = _Done(), QEventLoop(), threading.Event()
    done.told.connect(loop.quit)

    def run() -> None:
        try:
            with cancellable(called_off.is_set):
                found.append(work())
        except CalledOffError:
            pass
        except Exception as error:
            faults.append(error)
        done.told.emit()

    dialog = QProgressDialog(text, "Cancel", 0, 0, parent)
    dialog.setObjectName("waiting")
    dialog.setMinimumWidth(_WIDTH)
    dialog.setWindowTitle("Carom")
    dialog.setWindowModality(Qt.WindowModality.WindowModal)
    dialog.setMinimumDuration(2**31 - 1)  # shown below, and only then
    dialog.reset()
    dialog.canceled.connect(called_off.set)
    dialog.canceled.connect(loop.quit)
    timer = QTimer(dialog)
    timer.setSingleShot(True)
    timer.timeout.connect(dialog.show)
    clock = QElapsedTimer()
    timer.timeout.connect(clock.start)
    looks = QTimer(dialog)
    if progress is not None:
        looks.timeout.connect(lambda: progress.show_in(dialog))
        looks.start(_LOOK)
    timer.start(_PATIENCE)
    deaf, app = _Deaf(dialog), QApplication.instance()
    assert app is not None
    app.installEventFilter(deaf)
    threading.Thread(target=run, name="waiting", daemon=True).start()
    loop.exec()
    if dialog.isVisible() and clock.elapsed() < _LEAST:
        QTimer.singleShot(_LEAST - clock.elapsed(), loop.quit)
        loop.exec()
    app.removeEventFilter(deaf)
    timer.stop()
    looks.stop()
    dialog.close()
    if clock.isValid() and was_active:  # it was shown
        parent.activateWindow()  # not every window manager gives the keys back
    dialog.deleteLater()
    if faults:
        raise faults[0]
    return found[0] if found else None
