"""What has the keyboard keeps the keys that it moves by, a slider as a tree; time has them where nobody else does."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QAbstractItemView, QAbstractSlider, QApplication, QWidget

_MOVERS = (QAbstractSlider, QAbstractItemView)
_KEYS = frozenset((Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End))


class OwnKeys(QObject):
    """Watches one widget at a time, the one with the focus: Qt would give these keys to shortcuts first."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._focus_changed)

    def _focus_changed(self, old: QWidget | None, new: QWidget | None) -> None:
        if isinstance(old, _MOVERS):
            old.removeEventFilter(self)
        if isinstance(new, _MOVERS):
            new.installEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
            if plain and event.key() in _KEYS:
                event.accept()
                return True
        return super().eventFilter(watched, event)
