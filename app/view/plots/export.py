"""Writing what a plot shows: its values as a table, or as a drawing of lines, or as pixels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QBuffer, QPoint, QRect
from PyQt6.QtGui import QColor, QImage, QPainter
from PyQt6.QtSvg import QSvgGenerator
from PyQt6.QtWidgets import QGraphicsView, QMessageBox, QWidget

from app.view.forms.saving import ask_where
from app.view.theme import colours
from app.view.viewport.image_file import write_image
from engine.files import replace_file

KINDS = {
    ".csv": "CSV, the values (*.csv)",
    ".parquet": "Parquet, the values (*.parquet)",
    ".svg": "SVG, the drawing (*.svg)",
    ".png": "PNG, the picture (*.png)",
}
"""File name suffixes and what a dialog calls them."""
_FINER = 2.0  # pixels of a picture for one of the screen


def ask_and_export(widget: QWidget, title: str, write_values: Callable[[Path], object]) -> None:
    """Ask where, and write there; a file that cannot be written is told."""
    path = ask_where(widget, f"Export {title}", Path(f"{title}.csv"), ";;".join(KINDS.values()))
    if path is None:
        return
    try:
        export(widget, path, write_values)
    except OSError as error:
        QMessageBox.warning(widget, "Export", f"{path} could not be written: {error.strerror or error}")


def export(widget: QWidget, path: Path, write_values: Callable[[Path], object]) -> None:
    """Write what a widget shows, by the suffix of the file: a drawing, a picture, or its values. Raises OSError."""
    match path.suffix.lower():
        case ".svg":
            write_drawing(path, widget)
        case ".png":
            write_picture(path, widget)
        case _:
            write_values(path)


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
    write_image(path, image)


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
