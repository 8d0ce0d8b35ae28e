"""Writing what a chart shows: as a table, as a drawing of lines, as pixels."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from PyQt6.QtCore import QBuffer, QIODevice, QPoint, QRect
from PyQt6.QtGui import QColor, QImage, QPainter
from PyQt6.QtSvg import QSvgGenerator
from PyQt6.QtWidgets import QGraphicsView, QWidget

from app.view.theme import colours
from engine.arrays import Floats
from engine.files import replace_file

KINDS = {".csv": "CSV, the values (*.csv)", ".svg": "SVG, the drawing (*.svg)", ".png": "PNG, the picture (*.png)"}
"""File name suffixes and what a dialog calls them."""
_FINER = 2.0  # pixels of a picture for one of the screen


def write_table(path: Path, header: Sequence[str], columns: Sequence[Floats]) -> None:
    """A CSV file of columns of one length, digits enough to read the same numbers back. Raises OSError."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows([repr(float(value)) for value in row] for row in zip(*columns, strict=True))


def write_drawing(path: Path, widget: QWidget) -> None:
    """An SVG file of a widget as it is shown: lines stay lines, text stays text. Raises OSError."""
    buffer = QBuffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(widget.size())
    generator.setViewBox(QRect(QPoint(0, 0), widget.size()))
    generator.setTitle(widget.accessibleName())
    _paint(QPainter(generator), widget)
    replace_file(path, bytes(buffer.data().data()))


def write_picture(path: Path, widget: QWidget) -> None:
    """A PNG file of the same, twice as fine as on the screen. Raises OSError."""
    image = QImage(widget.size() * _FINER, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(_FINER)
    _paint(QPainter(image), widget)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    replace_file(path, bytes(buffer.data().data()))


def _paint(painter: QPainter, widget: QWidget) -> None:
    """A plot's ground, which it keeps as pixels for the screen, is drawn anew."""
    views = [(view, view.cacheMode()) for view in widget.findChildren(QGraphicsView)]
    for view, _ in views:
        view.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
    painter.fillRect(widget.rect(), QColor(colours().panel))
    widget.render(painter, QPoint(0, 0))
    painter.end()
    for view, mode in views:
        view.setCacheMode(mode)
