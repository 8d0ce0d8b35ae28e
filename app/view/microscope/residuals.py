"""How far each method is from its answer, step by step, on a scale of powers of ten."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QEvent, QObject, Qt, pyqtSignal
from PyQt6.QtGui import QMouseEvent
from PyQt6.QtWidgets import QWidget

from app.simulation.solving import Run
from app.view.layouts import vbox
from app.view.microscope.looks import Look
from app.view.plots.axes import LINEAR, LOG_FROM_ZERO, Scale, SiAxis
from app.view.plots.plot import Plot, line_pen
from app.view.theme import Colours, colours
from engine.arrays import Floats
from engine.solvers.solution import SOLVED

FLOOR = -17.0  # the power of ten at which a residual of exactly zero is drawn
LONG = 60  # iterations from which they are laid out in decades: pivots stay apart beside a thousand sweeps
MANY = 500  # iterations from which there is no room for the 3 between decades
DOTTED = 40  # steps up to which each has its symbol
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class PowerAxis(SiAxis):
    """Places are exponents: ticks such as 10⁻⁸."""

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        room = max(2.0, size / 22.0)
        step = next(step for step in (1, 2, 4, 8, 16) if (high - low) / step <= room or step == 16)
        first = int(np.ceil(low / step - 1e-9)) * step
        return [(float(step), [float(place) for place in range(first, int(np.floor(high)) + 1, step)])]

    def tickStrings(self, values: Any, scale: float, spacing: float) -> list[str]:
        return ["1" if value == 0 else "10" + f"{value:.0f}".translate(_RAISED) for value in values]


class IterationAxis(SiAxis):
    """Iterations, one by one or in decades."""

    def __init__(self) -> None:
        super().__init__("bottom", "")
        self.layout_ = LINEAR

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        if self.layout_.is_linear:
            ((step, _),) = self.tickSpacing(low, high, 1.6 * size)
            step = max(1.0, step)
            return [(step, [k * step for k in range(max(0, int(np.ceil(low / step))), int(high / step) + 1)])]
        digits = (10,) if self.layout_.value(high) > MANY else (3, 10)
        values = [0.0, 1.0, *(digit * 10.0**decade for decade in range(9) for digit in digits)]
        places = [self.layout_.place(value) for value in values]
        return [(1.0, [place for place in places if low <= place <= high])]

    def tickStrings(self, values: Any, scale: float, spacing: float) -> list[str]:
        return [f"{round(self.layout_.value(place)):,}".replace(",", "\u2009") for place in values]


class ResidualChart(QWidget):
    """The residuals of all methods that are shown; a click goes to a step of the chosen one."""

    step_wanted = pyqtSignal(float)  # an iteration of the chosen method

    def __init__(self, looks: Mapping[str, Look], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._looks = looks
        self._runs: dict[str, Run] = {}
        self._chosen = ""
        self._layout_: Scale = LINEAR
        self._build()
        self.set_colours(colours())

    def _build(self) -> None:
        self.iterations = IterationAxis()
        self.plot = Plot(PowerAxis("left", ""), self.iterations)
        self.plot.setMinimumSize(160, 90)
        self.plot.area.margins(0, 4, 18, 0)
        self.plot.getAxis("left").setWidth(48)
        box = self.plot.getViewBox()
        box.disableAutoRange()
        box.setMouseEnabled(x=False, y=False)
        self._curves: dict[str, pg.PlotDataItem] = {}
        self._ends: dict[str, pg.ScatterPlotItem] = {}
        for name in self._looks:
            self._curves[name] = pg.PlotDataItem(antialias=True, connect="finite")
            self._ends[name] = pg.ScatterPlotItem(size=10)
            self._ends[name].setZValue(10)
            self.plot.addItem(self._curves[name])
            self.plot.addItem(self._ends[name])
        self._mark = pg.InfiniteLine(angle=90, movable=False)
        self._here = pg.ScatterPlotItem(size=13, symbol="o")
        self._here.setZValue(20)
        self.plot.addItem(self._mark, ignoreBounds=True)
        self.plot.addItem(self._here)
        self.plot.viewport().installEventFilter(self)
        vbox(self, self.plot)

    def set_colours(self, palette: Colours) -> None:
        """Paint anew in another palette."""
        self._palette = palette
        self.plot.setBackground(palette.panel)
        for name in ("left", "bottom"):
            self.plot.getAxis(name).set_colours(palette, 90)
        self._mark.setPen(line_pen(self, palette.muted, 1.0, Qt.PenStyle.DashLine))
        self._here.setPen(line_pen(self, palette.text, 2.0))
        self._here.setBrush(pg.mkBrush(None))
        self._draw()

    # --- showing --------------------------------------------------------------------------------------------------

    def show_runs(self, runs: Mapping[str, Run], chosen: str) -> None:
        """Draw these runs, the chosen method's on top."""
        self._runs, self._chosen = dict(runs), chosen
        longest = max((int(run.number[-1]) for run in runs.values()), default=1)
        self._layout_ = self.iterations.layout_ = LOG_FROM_ZERO if longest > LONG else LINEAR
        self.iterations.picture = None
        self.plot.setXRange(0.0, max(self._place(longest), self._place(1)) * 1.02, padding=0)
        powers = np.concatenate([_powers(run.residual) for run in runs.values()] or [np.zeros(1)])
        low, high = float(np.nanmin(powers, initial=-1.0)), float(np.nanmax(powers, initial=-1.0))
        self.plot.setYRange(low - 0.06 * (high - low) - 0.2, high + 0.06 * (high - low) + 0.2, padding=0)
        self._draw()

    def show_step(self, step: int) -> None:
        """Mark a step of the chosen method, counted as in its run."""
        run = self._runs.get(self._chosen)
        self._mark.setVisible(run is not None)
        self._here.setVisible(run is not None)
        if run is not None:
            place = self._place(int(run.number[step]))
            self._mark.setPos(place)
            self._here.setData([place], [float(_powers(run.residual[step : step + 1])[0])])

    def _draw(self) -> None:
        for name, curve in self._curves.items():
            run, look, end = self._runs.get(name), self._looks[name], self._ends[name]
            curve.setVisible(run is not None)
            end.setVisible(run is not None)
            if run is None:
                continue
            chosen = name == self._chosen
            shade = look.shade(self._palette)
            places, powers = self._layout_.forward(run.number.astype(float)), _powers(run.residual)
            if run.cut:  # nothing is known between what was kept and the answer
                places, powers = np.insert(places, -1, places[-1]), np.insert(powers, -1, np.nan)
            dots = {"symbol": look.symbol, "symbolSize": 6, "symbolPen": None, "symbolBrush": shade}
            curve.setData(
                places, powers, pen=look.pen(self._palette, (2.0 if chosen else 1.3) * self.devicePixelRatioF()),
                **(dots if len(places) <= DOTTED else {"symbol": None}),
            )  # fmt: skip
            curve.setZValue(5 if chosen else 0)
            solved = run.status == SOLVED
            end.setData(places[-1:], powers[-1:], symbol=look.symbol if solved else "x", pen=None, brush=shade)

    def _place(self, iteration: int) -> float:
        return self._layout_.place(float(iteration))

    # --- mouse ----------------------------------------------------------------------------------------------------

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        presses = (QEvent.Type.MouseButtonPress, QEvent.Type.MouseMove)
        if isinstance(event, QMouseEvent) and event.type() in presses:
            if event.buttons() & Qt.MouseButton.LeftButton:
                spot = self.plot.mapToScene(event.position().toPoint())
                place = float(self.plot.getViewBox().mapSceneToView(spot).x())
                self.step_wanted.emit(self._layout_.value(place))
                return True
        return super().eventFilter(watched, event)


def _powers(residuals: Floats) -> Floats:
    """Exponents of ten; zero lies at the floor, what is no number breaks the curve."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.maximum(np.where(np.isfinite(residuals), np.log10(np.abs(residuals)), np.nan), FLOOR)
