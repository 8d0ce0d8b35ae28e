"""What stands in front of the window: menus, palettes, dialogs."""

from __future__ import annotations

from PyQt6.QtWidgets import QApplication, QDialog


def close_front() -> None:
    """Closes the menu, palette or dialog that is in front of everything."""
    front = QApplication.activePopupWidget() or QApplication.activeModalWidget()
    if isinstance(front, QDialog):
        front.reject()
    elif front is not None:
        front.close()
