"""A value across a chart: a thin line with a word on it, which the curves are to be seen beside."""

from __future__ import annotations

import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor

from app.view.theme import Colours, scaled_font


class Level:
    """`items` belong into a plot, whose values must not be transformed."""

    def __init__(self) -> None:
        self.value: float | None = None
        self.text = ""
        self._line = pg.InfiniteLine(
            angle=0, movable=False, label="", labelOpts={"position": 0.012, "anchors": [(0, 0), (0, 1)]}
        )
        self._line.setZValue(-10)  # curves run over it
        self._line.hide()
        self.items = (self._line,)

    def show(self, value: float | None, text: str) -> None:
        """At a value, with words at its left end; None: not at all."""
        if (value, text) == (self.value, self.text):
            return
        self.value, self.text = value, text
        self._line.setVisible(value is not None)
        if value is not None:
            self._line.setPos(value)
            self._line.label.setFormat(text.replace("{", "{{").replace("}", "}}"))

    def set_colours(self, palette: Colours) -> None:
        self._line.setPen(pg.mkPen(palette.muted, width=1, style=Qt.PenStyle.DotLine))
        self._line.label.setColor(QColor(palette.muted))
        self._line.label.setFont(scaled_font(0.8, figures=True))
