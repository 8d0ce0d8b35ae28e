"""How a method's curve looks: a colour, a symbol and a dash of its own, so that no two differ by colour alone."""

from __future__ import annotations

from dataclasses import dataclass

import pyqtgraph as pg
from PyQt6.QtCore import QPointF, QSize, Qt
from PyQt6.QtGui import QIcon, QPainter, QPen, QPixmap
from pyqtgraph.graphicsItems.ScatterPlotItem import drawSymbol

from app.view.theme import Colours

_SYMBOLS = ("o", "s", "t1", "d", "t", "p", "star", "h")
SWATCH = QSize(30, 14)


@dataclass(frozen=True)
class Look:
    """Of one method."""

    colour: int  # index into the theme's series
    symbol: str  # as pyqtgraph names it
    dashed: bool

    def shade(self, palette: Colours) -> str:
        return palette.series[self.colour % len(palette.series)]

    def pen(self, palette: Colours, width: float) -> QPen:
        style = Qt.PenStyle.DashLine if self.dashed else Qt.PenStyle.SolidLine
        return pg.mkPen(self.shade(palette), width=width, style=style)

    def swatch(self, palette: Colours, ratio: float) -> QIcon:
        """A piece of the curve, for a table; `ratio` is the screen's pixels to a point."""
        picture = QPixmap(SWATCH * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self.pen(palette, 2.0))
        middle = SWATCH.height() / 2.0
        painter.drawLine(QPointF(1.0, middle), QPointF(SWATCH.width() - 1.0, middle))
        painter.translate(SWATCH.width() / 2.0, middle)
        drawSymbol(painter, self.symbol, 9.0, pg.mkPen(None), pg.mkBrush(self.shade(palette)))
        painter.end()
        symbol = QIcon(picture)
        symbol.addPixmap(picture, QIcon.Mode.Selected)  # or Qt would tint it
        return symbol


def look_of(place: int, direct: bool) -> Look:
    """The look of the method at a place of the table; those that only come nearer are dashed."""
    return Look(place, _SYMBOLS[place % len(_SYMBOLS)], dashed=not direct)
