"""What widgets need that are painted into videos: an application, the typeface, colours, a size, and a way back."""

from __future__ import annotations

import numpy as np
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QApplication

from app.view.theme import load_fonts, theme
from app.view.viewport.offscreen import Picture

_PLAIN = 1280  # width of a picture in which a pixel of theirs is one of the video


_own: list[QApplication] = []  # for videos: it stays, since what Qt has made does not outlive its application


def video_application(light: bool) -> None:
    """See to it that there is an application: the one that runs, with its own colours, or one that needs no screen."""
    if QApplication.instance() is None:
        _own.append(QApplication(["carom-video", "-platform", "offscreen"]))
        load_fonts(_own[0])
        theme().apply("light" if light else "dark")
    elif _own and (theme().scheme == "light") != light:
        theme().apply("light" if light else "dark")


def scale_of(width: int) -> float:
    """Pixels of a picture so wide to one of a widget."""
    return max(1.0, width / _PLAIN)


def image_of(picture: Picture) -> QImage:
    """A picture (height, width, 3) to be painted on."""
    height, width = picture.shape[:2]
    return QImage(np.ascontiguousarray(picture).tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888).copy()


def picture_of(image: QImage) -> Picture:
    """An image of RGB888 as a picture (height, width, 3)."""
    width, height = image.width(), image.height()
    bits = image.constBits()
    assert bits is not None
    rows = np.frombuffer(bits.asstring(image.sizeInBytes()), dtype=np.uint8).reshape(height, image.bytesPerLine())
    return rows[:, : 3 * width].reshape(height, width, 3).copy()
