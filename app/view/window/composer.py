"""The window is composed once for all that has changed, when the event loop has told everybody of it.

Qt composes a window anew when a widget asks for it, and plots do not wait: each is a graphics scene, and a scene that
has changed has the whole window composed at once, by itself. With a picture and two plots that were three times, and
where the screen sets the pace each of them waited for it.
"""

from __future__ import annotations

from PyQt6.QtCore import QCoreApplication, QEvent, QObject
from PyQt6.QtWidgets import QWidget

_COMPOSE = QEvent.Type(QEvent.registerEventType())
_LOW = -1  # Qt's LowEventPriority, as the number that is asked for


class Composer(QObject):
    """Puts off what a window is asked to compose until nothing else waits in the event loop."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._waits = self._composing = False
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        if event is None or event.type() != QEvent.Type.UpdateRequest or self._composing:
            return False
        if not self._waits:
            self._waits = True
            # Scenes can hurry Qt's own event along, but not this one.
            QCoreApplication.postEvent(self, QEvent(_COMPOSE), _LOW)
        return True

    def customEvent(self, event: QEvent | None) -> None:
        """Composes the window."""
        if event is not None and event.type() == _COMPOSE:
            self._waits, self._composing = False, True
            try:
                QCoreApplication.sendEvent(self._window, QEvent(QEvent.Type.UpdateRequest))
            finally:
                self._composing = False
