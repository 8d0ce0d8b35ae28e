"""A strip over the viewport that says why something does not work."""

from __future__ import annotations

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QFrame, QLabel, QPushButton, QSizePolicy

from app.view.layouts import hbox
from app.view.theme import colours, icon, theme


class Banner(QFrame):
    """Hidden as long as all is well. `details_wanted` carries the whole text."""

    details_wanted = pyqtSignal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("banner")
        self._details = ""
        self._icon = QLabel()
        self.text = QLabel()
        self.text.setWordWrap(True)
        self.text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._button = QPushButton("Details")
        self._button.clicked.connect(lambda: self.details_wanted.emit(self._details))
        hbox(self, self._icon, (self.text, 1), self._button, margins=(14, 8, 10, 8), spacing=10)
        self.hide()
        theme().changed.connect(self._paint)
        self._paint()

    def show_text(self, text: str, details: str) -> None:
        """Shows one line, and a button for the rest if there is more."""
        self.text.setText(text)
        self._details = details
        self._button.setVisible(len(details.splitlines()) > 1)
        self.show()

    def _paint(self, _colours: object = None) -> None:
        self._icon.setPixmap(icon("mdi6.alert-outline", colours().warning).pixmap(20, 20))
