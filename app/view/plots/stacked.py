"""A chart of parts that add up: areas one on the other, of which the topmost line is the sum."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PyQt6.QtGui import QColor

from app.view.plots.chart import Chart
from app.view.plots.history import Stretch
from app.view.theme import Colours
from engine.arrays import Floats

_OPAQUE = 0.45  # how much of its colour an area has


class StackedChart(Chart):
    """The legend, the cursor and the export say the values of each part. Parts are not expected below 0; where they
    are, what lies on them is lower by as much."""

    def _drawn(self, part: Stretch) -> Stretch:
        shown = np.array([key.is_on for key in self._keys])[:, None]
        return part._replace(low=_sums(part.low, shown), high=_sums(part.high, shown))

    def set_colours(self, palette: Colours) -> None:
        super().set_colours(palette)
        ground = QColor(palette.panel)
        for place, (line, curve) in enumerate(zip(self._lines, self.curves)):
            own = QColor(palette.text if curve.colour < 0 else palette.series[curve.colour % len(palette.series)])
            line.setFillLevel(0.0)
            line.setBrush(pg.mkBrush(_mixed(own, ground)))
            line.setZValue(-10 - place)  # an area covers the lower part of those on it


def _sums(values: Floats, shown: Floats) -> Floats:
    return np.asarray(np.cumsum(np.where(shown, values, 0.0), axis=0))


def _mixed(one: QColor, other: QColor) -> QColor:
    parts = ((one.red(), other.red()), (one.green(), other.green()), (one.blue(), other.blue()))
    return QColor(*(round(_OPAQUE * a + (1.0 - _OPAQUE) * b) for a, b in parts))
