"""A strip over the viewport that says why something does not work."""

from __future__ import annotations

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QFrame, QLabel, QPushButton, QSizePolicy

from app.view.layouts import hbox
from app.view.theme import colours, icon, theme
from engine.scene.overlaps import INSIDE


class Banner(QFrame):
    """Hidden as long as all is well. `details_wanted` carries the whole text."""

    details_wanted = pyqtSignal(str)
    apart_wanted = pyqtSignal()  # of bodies that start inside each other

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
        self._apart = QPushButton("Push apart")
        self._apart.setToolTip("Moves bodies that start inside each other by as little as it takes")
        self._apart.clicked.connect(self.apart_wanted)
        hbox(self, self._icon, (self.text, 1), self._apart, self._button, margins=(14, 8, 10, 8), spacing=10)
        self.hide()
        theme().changed.connect(self._paint)
        self._paint()

    def show_text(self, text: str, details: str) -> None:
        """Shows one line, and buttons for the rest, and for what mends it, if there is such a thing."""
        self.text.setText(text)
        self._details = details
        self._button.setVisible(len(details.splitlines()) > 1)
        self._apart.setVisible(INSIDE in details)
        self.show()

    def _paint(self, _colours: object = None) -> None:
        self._icon.setPixmap(icon("mdi6.alert-outline", colours().warning).pixmap(20, 20))
