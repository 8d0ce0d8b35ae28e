"""A plot: a view box with an axis at its left and one under it.

pyqtgraph's own PlotItem makes fifty widgets for a menu of its own. Nobody sees them here, but a window has sixteen
plots, and every change of the theme would reach eight hundred widgets more.
"""

from __future__ import annotations

import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QPen
from PyQt6.QtWidgets import QGraphicsGridLayout, QSizePolicy, QWidget

END = 28
"""Right of the times in sight, in plots, lanes and the timeline [px]: room for half a label, such as 270.0 s."""
FRAME = 4
"""What of that is the frame of a chart [px]."""
_LEFT, _BOX, _BOTTOM = (1, 0), (1, 1), (2, 1)  # row and column; over the box there is room for a title


def line_pen(on: QWidget, ink: str, width: float = 1.0, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    """A pen for lines in a plot, as wide on every screen: pyqtgraph counts in pixels of the screen it is on."""
    return pg.mkPen(ink, width=width * on.devicePixelRatioF(), style=style)


class PlotArea(pg.GraphicsWidget):  # type: ignore[misc]
    """What a plot shows, as an item of a scene."""

    def __init__(self, left: pg.AxisItem, bottom: pg.AxisItem | None = None) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.box = pg.ViewBox(parent=self, enableMenu=False)
        self.title = pg.LabelItem("", parent=self)
        self.title.setMaximumHeight(0)
        self.axes = {"left": left} if bottom is None else {"left": left, "bottom": bottom}
        grid = QGraphicsGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(0)
        grid.addItem(self.title, 0, 1)
        grid.addItem(self.box, *_BOX)
        for axis, place in ((left, _LEFT), (bottom, _BOTTOM)):
            if axis is not None:
                axis.linkToView(self.box)
                axis.setZValue(0.5)
                axis.setFlag(axis.GraphicsItemFlag.ItemNegativeZStacksBehindParent)
                grid.addItem(axis, *place)
        grid.setRowStretchFactor(1, 100)
        grid.setColumnStretchFactor(1, 100)
        self.setLayout(grid)
        self.margins = grid.setContentsMargins  # left, top, right, bottom [px]

    def set_title(self, text: str, shade: str, size: str) -> None:
        """A line over it."""
        self.title.setMaximumHeight(30)
        self.title.setText(text, color=shade, size=size)


class Plot(pg.GraphicsView):  # type: ignore[misc]
    """The same as a widget."""

    def __init__(self, left: pg.AxisItem, bottom: pg.AxisItem) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFrameShape(pg.QtWidgets.QFrame.Shape.NoFrame)
        self.enableMouse(False)  # of the view; the box has its own
        self.area = PlotArea(left, bottom)
        self.setCentralItem(self.area)
        box, axes = self.area.box, self.area.axes
        self.getViewBox, self.getAxis = lambda: box, axes.__getitem__
        self.addItem, self.removeItem, self.clear = box.addItem, box.removeItem, box.clear
        self.setXRange, self.setYRange = box.setXRange, box.setYRange

    def settle(self) -> None:
        """Lets the box place its curves now: it would do so while they are painted, and they were painted again."""
        self.scene().prepareForPaint()
