"""The card over the picture that plays what a slow scene is going to do, recorded before, while it computes."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QSize, Qt, QTimer
from PyQt6.QtGui import QPixmap
from PyQt6.QtWidgets import QLabel, QToolButton, QWidget

from app.view.layouts import caption, hbox, vbox
from app.view.overlays.card import Card
from app.view.overlays.film import Film
from app.view.theme import icon, theme

_WIDTH = 280  # [px]


class ClipCard(Card):
    """In the upper right corner of its parent, until it is closed or another scene is shown."""

    def __init__(self, parent: QWidget, pictures_a_second: int) -> None:
        super().__init__(parent, "clip-card", Qt.Corner.TopRightCorner, caption())
        self.picture = QLabel()
        self.close_button = QToolButton()
        self.close_button.setAutoRaise(True)
        self.close_button.setToolTip("Close the recording")
        self.close_button.setIconSize(QSize(16, 16))
        self.close_button.clicked.connect(self.stop)
        head = hbox(None, 6, (self.title, 1), self.close_button)
        vbox(self, head, self.picture, margins=(8, 4, 8, 8), spacing=4)
        self._film: Film | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(round(1000 / pictures_a_second))
        self._timer.timeout.connect(self.show_next)
        theme().changed.connect(self._colour_button)
        self._colour_button()
        self._paint()

    def play(self, file: Path, text: str) -> None:
        """Plays a video again and again, with a line under it."""
        self.stop()
        self.title.setText(text)
        self._film = Film(file, round(_WIDTH * self.devicePixelRatioF()))
        self.picture.clear()
        self._timer.start()

    def stop(self) -> None:
        """Nothing is played, and nothing shown."""
        self._timer.stop()
        self.hide()
        if self._film is not None:
            self._film.close()
            self._film = None

    def show_next(self) -> None:
        """The next picture of the video, if it has been read. The card comes with the first."""
        image = None if self._film is None else self._film.next()
        if image is None:
            return
        shown = QPixmap.fromImage(image)
        shown.setDevicePixelRatio(shown.width() / _WIDTH)
        self.picture.setPixmap(shown)
        if self.picture.size() != (size := shown.deviceIndependentSize().toSize()):
            self.picture.setFixedSize(size)
            self.place()
        self.setVisible(True)

    def _colour_button(self, _colours: object = None) -> None:
        self.close_button.setIcon(icon("mdi6.close"))
