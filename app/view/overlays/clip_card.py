"""The card over the picture that plays what a slow scene is going to do, recorded before, while it computes."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QSize, Qt, QTimer
from PyQt6.QtGui import QImage, QPixmap
from PyQt6.QtWidgets import QLabel, QToolButton, QWidget

from app.view.layouts import caption, hbox, vbox
from app.view.overlays.card import Card
from app.view.theme import icon, theme

_WIDTH = 280  # [px]


class ClipCard(Card):
    """In the upper right corner of its parent, until it is closed or another scene is shown."""

    def __init__(self, parent: QWidget, pictures_a_second: int) -> None:
        super().__init__(parent, "clip-card", Qt.Corner.TopRightCorner)
        self.picture = QLabel()
        self.text = caption()
        self.close_button = QToolButton()
        self.close_button.setAutoRaise(True)
        self.close_button.setToolTip("Close the recording")
        self.close_button.setIconSize(QSize(16, 16))
        self.close_button.clicked.connect(self.stop)
        vbox(self, self.picture, hbox(None, self.text, None, self.close_button), margins=(8, 8, 8, 4), spacing=4)
        self._pictures: Generator[NDArray[np.uint8]] | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(round(1000 / pictures_a_second))
        self._timer.timeout.connect(self.show_next)
        theme().changed.connect(self._colour_button)
        self._colour_button()
        self._paint()

    def play(self, file: Path, text: str) -> None:
        """Plays a video again and again, with a line under it."""
        self.text.setText(text)
        self._pictures = _again_and_again(file)
        self.show()
        self.show_next()
        self._timer.start()

    def stop(self) -> None:
        """Nothing is played, and nothing shown."""
        self._timer.stop()
        pictures, self._pictures = self._pictures, None
        self.hide()
        if pictures is not None:
            QTimer.singleShot(0, pictures.close)  # which takes as long as an edit does

    def show_next(self) -> None:
        """The next picture of the video."""
        if self._pictures is None or not self.isVisible():
            return
        pixels = next(self._pictures)
        height, width = pixels.shape[:2]
        image = QImage(pixels.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888)
        scale = self.devicePixelRatioF()
        smooth = Qt.TransformationMode.SmoothTransformation
        shown = QPixmap.fromImage(image).scaledToWidth(round(_WIDTH * scale), smooth)
        shown.setDevicePixelRatio(scale)
        self.picture.setPixmap(shown)
        if self.picture.size() != (size := shown.deviceIndependentSize().toSize()):
            self.picture.setFixedSize(size)
            self.place()

    def _colour_button(self, _colours: object = None) -> None:
        self.close_button.setIcon(icon("mdi6.close"))


def _again_and_again(file: Path) -> Generator[NDArray[np.uint8]]:
    """The pictures of a video, (height, width, 3), without an end."""
    import av

    while True:
        with av.open(str(file)) as container:
            for frame in container.decode(video=0):
                yield np.asarray(frame.to_ndarray(format="rgb24"), dtype=np.uint8)
