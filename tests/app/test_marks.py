"""Marks in one image are those that a painter would draw one by one."""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QRectF
from PyQt6.QtGui import QColor, QImage, QPainter
from PyQt6.QtWidgets import QApplication

from app.view.plots.marks import Marks

WIDTH, HEIGHT, BASE = 60, 24, 15


def test_marks_and_bars_are_a_painters_rectangles(qapp: QApplication) -> None:
    rng = np.random.default_rng(1)
    heights = np.where(rng.random(WIDTH) < 0.7, BASE * rng.random(WIDTH), 0.0)
    columns = np.array([-3, 0, 7, 7, WIDTH - 1, WIDTH, 1000])
    grey, red = QColor("#777777"), QColor("#c02010")
    marks = Marks(WIDTH, HEIGHT)
    marks.add_bars(heights, BASE, grey)
    marks.add(columns, BASE - 4, BASE + 3, red)
    shown, painted = (QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32) for _ in range(2))
    for image in (shown, painted):
        image.fill(QColor("#102030"))
    painter = QPainter(shown)
    painter.drawImage(0, 0, marks.image())
    painter.end()
    painter = QPainter(painted)
    for x, height in enumerate(heights.tolist()):
        painter.fillRect(QRectF(x, BASE - height, 1, height), grey)
    for x in columns.tolist():
        painter.fillRect(QRectF(x, BASE - 4, 1, 7), red)
    painter.end()
    assert shown == painted
