"""Forces as bars upwards, accelerations as bars downwards, a contact beside the other.

Complementarity is seen at a glance: at a solution a contact has one bar or the other, never both, and nothing reaches
into the band between the two base lines, where forces would pull and bodies would sink into each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QMouseEvent
from PyQt6.QtWidgets import QWidget

from app.simulation.solving import NEGLIGIBLE
from app.view.layouts import vbox
from app.view.plots.axes import SiAxis
from app.view.plots.plot import PlotArea
from app.view.theme import Colours, colours, scaled_font
from engine.arrays import Floats

FORCE, ACCELERATION = 0, 1  # the two halves, and the colours of their bars among the theme's series
_MARGIN = 0.08  # of a half's height: air over the longest bar, and the least height of the forbidden band
_TITLES = ("force", "acceleration")
_OUTLINED = 60  # contacts up to which the answer is outlined: more outlines than that are a thicket


HINT = (
    "One bar a contact: its force or its acceleration. Bars in the tinted band violate f ≥ 0 or a ≥ 0.\n"
    "Dotted: the solution. Wheel: zoom. Click: follow a contact, here and in the scene."
)


class ContactAxis(SiAxis):
    """Contacts, counted from 1."""

    def __init__(self) -> None:
        super().__init__("bottom", "")
        self.count = 0

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        ((step, offset),) = super().tickSpacing(low, high, 1.8 * size)
        return [(max(1.0, step), offset)]

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        ((step, _),) = self.tickSpacing(low, high, size)
        shown = range(max(1, math.ceil(low)), min(self.count, math.floor(high)) + 1)
        return [(step, [float(k) for k in shown if k == 1 or k % int(step) == 0])]

    def tickStrings(self, values: Any, scale: float, spacing: float) -> list[str]:
        return [f"{value:.0f}" for value in values]


class HalfAxis(SiAxis):
    """Values of one half; no tick so near the other half that one would be written over the other."""

    def resizeEvent(self, event: Any = None) -> None:
        """Where its title has no room it has none: the one of the other half would be written over it."""
        super().resizeEvent(event)
        if self.label is not None:
            self.label.setOpacity(float(self.label.boundingRect().width() <= self.size().height()))

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        return super().tickSpacing(min(low, high), max(low, high), 1.5 * size)

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        low, high = min(low, high), max(low, high)  # they come the other way round of an axis that points down
        room = (high - low) / max(size, 1.0)
        return [
            (step, [value for value in values if low + 9.0 * room < value < high - 2.0 * room or value == 0.0])
            for step, values in super().tickValues(low, high, size)
        ]


class Bars(QWidget):
    """One step of one method. Contacts are counted from 0 here, and from 1 where a person reads them."""

    hovered = pyqtSignal(object)  # the contact under the mouse, or None
    clicked = pyqtSignal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._count = 0
        self._values = np.zeros((2, 0))
        self._answer = np.zeros((2, 0))
        self._scales = (1.0, 1.0)
        self._hovered: int | None = None
        self._build()
        self.set_colours(colours())

    # --- building -------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.view = pg.GraphicsLayoutWidget()
        self.view.setFrameShape(pg.QtWidgets.QFrame.Shape.NoFrame)
        self.view.setMinimumSize(160, 90)
        self.view.ci.layout.setContentsMargins(0, 4, 18, 0)
        self.view.ci.layout.setSpacing(0)
        self.contact_axis = ContactAxis()
        upper = PlotArea(HalfAxis("left", "N"))
        lower = PlotArea(HalfAxis("left", "m/s²"), self.contact_axis)
        self.halves = [self._half(0, upper), self._half(1, lower)]
        self.halves[ACCELERATION].box.invertY(True)
        self.halves[ACCELERATION].box.setXLink(self.halves[FORCE].box)
        self._bars, self._outlines, self._bases, self._forbidden = [], [], [], []
        self._driven_bands, self._chosen_bands = [], []
        for half in self.halves:
            self._driven_bands.append(_band(half, -30))
            self._chosen_bands.append(_band(half, -25))
            forbidden = pg.LinearRegionItem((0.0, 0.0), "horizontal", movable=False)
            forbidden.setZValue(-40)
            half.box.addItem(forbidden, ignoreBounds=True)
            self._forbidden.append(forbidden)
            bars = pg.BarGraphItem(x=[], height=[], width=0.62)
            outlines = pg.BarGraphItem(x=[], height=[], width=0.62)
            base = pg.InfiniteLine(0.0, angle=0)
            for item in (bars, outlines, base):
                half.box.addItem(item, ignoreBounds=True)
            self._bars.append(bars)
            self._outlines.append(outlines)
            self._bases.append(base)
        self._arrow = pg.ScatterPlotItem(symbol="t", size=11, pen=None)  # points down at the driven contact
        self._arrow.setZValue(30)
        self.halves[FORCE].box.addItem(self._arrow, ignoreBounds=True)
        port = self.view.viewport()
        port.setMouseTracking(True)
        port.installEventFilter(self)
        vbox(self, self.view)

    def _half(self, row: int, half: PlotArea) -> PlotArea:
        self.view.addItem(half, row, 0)
        half.axes["left"].setWidth(86)
        box = half.box
        box.disableAutoRange()
        box.setMouseEnabled(x=True, y=False)
        box.setDefaultPadding(0.0)
        return half

    def set_colours(self, palette: Colours) -> None:
        """Paint anew in another palette."""
        self.view.setBackground(palette.panel)
        small = scaled_font(0.8, figures=True)
        for k, half in enumerate(self.halves):
            for axis in half.axes.values():
                axis.setPen(pg.mkPen(palette.border))
                axis.setTextPen(pg.mkPen(palette.muted))
                axis.setTickFont(small)
                axis.setZValue(-1000)
            half.axes["left"].setGrid(70)
            style = {"color": palette.series[k], "font-size": f"{small.pointSizeF()}pt"}
            half.axes["left"].setLabel(_TITLES[k], **style)
            half.axes["left"].setTickPen(pg.mkPen(palette.plot_grid))
            shade = palette.series[k]
            self._outlines[k].setOpts(pen=pg.mkPen(shade, width=1, style=Qt.PenStyle.DotLine), brush=None)
            self._bases[k].setPen(pg.mkPen(palette.muted, width=1))
            _paint_band(self._forbidden[k], palette.error, 26)
            _paint_band(self._driven_bands[k], palette.accent, 56)
            _paint_band(self._chosen_bands[k], palette.text, 34)
        self._arrow.setBrush(pg.mkBrush(palette.accent))
        self._palette = palette
        self._paint_bars()

    # --- showing --------------------------------------------------------------------------------------------------

    def set_problem(self, contacts: int) -> None:
        """Another problem, of so many contacts: the view fits them all."""
        self._count = self.contact_axis.count = contacts
        self._values = self._answer = np.zeros((2, contacts))
        for half in self.halves:
            box = half.box
            box.setLimits(xMin=0.3, xMax=contacts + 0.7, minXRange=min(4.0, contacts + 0.4))
        self.halves[FORCE].box.setXRange(0.4, contacts + 0.6, padding=0)
        self.show_driven(None)
        self.show_chosen(None)
        self._paint_bars()

    def set_run(self, x: Floats, w: Floats, scales: tuple[float, float] = (1.0, 1.0)) -> None:
        """Another method: its forces and accelerations over all steps, (k, m) each, choose the heights for good.

        What is negligible beside `scales` [N, m/s²] is no bar.
        """
        self._scales = scales
        self._answer = np.stack([x[-1], w[-1]])
        for half, values, forbidden, scale in zip(self.halves, (x, w), self._forbidden, scales):
            known = values[np.isfinite(values)]
            low, high = min(float(known.min(initial=0.0)), 0.0), max(float(known.max(initial=0.0)), 0.0)
            span = high - low if high - low > NEGLIGIBLE * scale else scale
            high = high + _MARGIN * span if high > NEGLIGIBLE * span else 0.35 * span
            low -= _MARGIN * span
            half.box.setYRange(low, high, padding=0)
            forbidden.setRegion((low - span, 0.0))
        at, outlined = self._places(), self._count <= _OUTLINED
        for outline, heights in zip(self._outlines, self._answer):
            outline.setOpts(x=at, height=np.nan_to_num(heights) if outlined else np.zeros(self._count))

    def clear(self) -> None:
        """No method has an answer yet."""
        nothing = np.zeros((1, self._count))
        self.set_run(nothing, nothing)
        self.show_step(nothing[0], nothing[0], None)

    def show_step(self, x: Floats, w: Floats, driven: int | None) -> None:
        """The bars of one step, (m,) each, and the contact that it drives."""
        self._values = np.stack([x, w])
        self._paint_bars()
        self.show_driven(driven)

    def _paint_bars(self) -> None:
        """What must not be is painted in the colour of errors."""
        wrong = pg.mkBrush(self._palette.error)
        for k, bars in enumerate(self._bars):
            heights = np.nan_to_num(self._values[k])
            right = pg.mkBrush(self._palette.series[k])
            brushes = [wrong if height < -NEGLIGIBLE * self._scales[k] else right for height in heights]
            bars.setOpts(x=self._places(), height=heights, brushes=brushes, pen=pg.mkPen(None))

    def show_driven(self, contact: int | None) -> None:
        """Mark the contact that a pivot drives."""
        _place_band(self._driven_bands, contact)
        low, high = self.halves[FORCE].box.viewRange()[1]
        place = [] if contact is None else [(contact + 1.0, high - 0.05 * (high - low))]
        self._arrow.setData(pos=np.array(place).reshape(-1, 2))

    def show_chosen(self, contact: int | None) -> None:
        """Mark the contact that is being read."""
        _place_band(self._chosen_bands, contact)
        if contact is not None:
            self._bring_into_view(contact + 1.0)

    def _bring_into_view(self, place: float) -> None:
        low, high = self.halves[FORCE].box.viewRange()[0]
        if not low <= place <= high:
            half = 0.5 * (high - low)
            self.halves[FORCE].box.setXRange(place - half, place + half, padding=0)

    def _places(self) -> Floats:
        return np.arange(1.0, self._count + 1.0)

    # --- mouse ----------------------------------------------------------------------------------------------------

    def contact_at(self, spot: QPointF) -> int | None:
        """The contact under a point of the view; None beside the bars."""
        inside = self.view.mapToScene(spot.toPoint())
        for half in self.halves:
            box = half.box
            if box.sceneBoundingRect().contains(inside):
                contact = round(float(box.mapSceneToView(inside).x())) - 1
                return contact if 0 <= contact < self._count else None
        return None

    def place_of(self, contact: int) -> QPointF:
        """A point of the view over a contact's force."""
        box: pg.ViewBox = self.halves[FORCE].box
        middle = QRectF(box.sceneBoundingRect()).center().y()
        across = box.mapViewToScene(QPointF(contact + 1.0, 0.0)).x()
        return QPointF(self.view.mapFromScene(QPointF(across, middle)))

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        if isinstance(event, QMouseEvent):
            contact = self.contact_at(event.position())
            if event.type() == QEvent.Type.MouseMove:
                self._hover(contact)
            elif event.type() == QEvent.Type.MouseButtonPress and event.button() == Qt.MouseButton.LeftButton:
                self.clicked.emit(contact)
        elif event is not None and event.type() == QEvent.Type.Leave:
            self._hover(None)
        return super().eventFilter(watched, event)

    def _hover(self, contact: int | None) -> None:
        if contact != self._hovered:
            self._hovered = contact
            self.hovered.emit(contact)


def _band(half: PlotArea, depth: int) -> pg.LinearRegionItem:
    band = pg.LinearRegionItem((0.0, 0.0), "vertical", movable=False)
    band.setZValue(depth)
    band.hide()
    half.box.addItem(band, ignoreBounds=True)
    return band


def _place_band(bands: Sequence[pg.LinearRegionItem], contact: int | None) -> None:
    for band in bands:
        band.setVisible(contact is not None)
        if contact is not None:
            band.setRegion((contact + 0.5, contact + 1.5))


def _paint_band(band: pg.LinearRegionItem, shade: str, alpha: int) -> None:
    colour = QColor(shade)
    colour.setAlpha(alpha)
    band.setBrush(pg.mkBrush(colour))
    for line in band.lines:
        line.setPen(pg.mkPen(None))
        line.setHoverPen(pg.mkPen(None))
