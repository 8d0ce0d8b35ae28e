"""A dialog that stays open beside the run, and shows while it is seen what holds now."""

from __future__ import annotations

from PyQt6.QtCore import QTimer
from PyQt6.QtGui import QHideEvent, QShowEvent
from PyQt6.QtWidgets import QDialog, QWidget


class BesideDialog(QDialog):
    """Its kinds say what `refresh` shows; it comes every `period` [ms] while the dialog is seen."""

    def __init__(self, parent: QWidget, title: str, period: int) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self._timer = QTimer(self)
        self._timer.setInterval(period)
        self._timer.timeout.connect(self.refresh)
        self.finished.connect(parent.activateWindow)

    def open_beside(self) -> None:
        """Show it without holding up the window."""
        self.refresh()  # first: it is as wide as what it shows
        self.show()
        self.raise_()
        self.activateWindow()

    def refresh(self) -> None:
        """Show what holds now."""
        raise NotImplementedError

    def showEvent(self, event: QShowEvent | None) -> None:
        super().showEvent(event)
        self._timer.start()

    def hideEvent(self, event: QHideEvent | None) -> None:
        super().hideEvent(event)
        self._timer.stop()
