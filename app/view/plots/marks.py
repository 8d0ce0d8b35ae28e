"""Marks one pixel wide, many of them, as one image: a painter would draw them one by one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtGui import QColor, QImage

from engine.arrays import Floats, Ints


class Marks:
    """An image that one sees through, `width` and `height` pixels; (0, 0) is its upper left corner."""

    def __init__(self, width: int, height: int) -> None:
        self.pixels: NDArray[np.uint8] = np.zeros((height, width, 4), dtype=np.uint8)

    def add(self, columns: Ints, top: int, bottom: int, ink: QColor) -> None:
        """Marks in these columns, as far as they are in the image, from one row to another."""
        inside = columns[(columns >= 0) & (columns < self.pixels.shape[1])]
        self.pixels[top:bottom, inside] = _bytes(ink)

    def add_bars(self, heights: Floats, base: int, ink: QColor) -> None:
        """A bar in each column, so many pixels high, that stands on a row."""
        tops = np.floor(base - heights + 0.5)  # as a painter rounds them
        rows = np.arange(base)[:, None]
        self.pixels[:base][rows >= tops] = _bytes(ink)

    def image(self) -> QImage:
        """All of them."""
        height, width = self.pixels.shape[:2]
        whole = QImage(self.pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied)
        return whole.copy()


def _bytes(ink: QColor) -> tuple[int, int, int, int]:
    return ink.blue(), ink.green(), ink.red(), 255
