"""Kinetic, potential and total energy, and what has been dissipated by cause, as areas that add up."""

from __future__ import annotations

import numpy as np
from PyQt6.QtWidgets import QWidget

from app.simulation.messages import Batch, Frame, Records
from app.view.plots.chart import Chart
from app.view.plots.history import History
from app.view.plots.legend import Curve
from app.view.plots.panel import Panel
from app.view.plots.stacked import StackedChart

CURVES = (
    Curve("kinetic", "J", 1, "Kinetic energy of the dynamic bodies"),
    Curve("potential", "J", 0, "Gravitational potential energy, zero at the origin"),
    Curve("elastic", "J", 2, "In springs of joints, and of contacts under penalty"),
    Curve("total", "J", -1, "Kinetic, potential and elastic: never rises without inputs, except under penalty"),
)
LOSSES = (
    Curve("sliding", "J", 0, "Dissipated by friction of contacts that last, of microcollisions, and in joints"),
    Curve("impact", "J", 1, "Dissipated by impacts, where lasting contacts close, and at limits of joints"),
    Curve("resistance", "J", 2, "Dissipated by resistance to rolling and spinning"),
    Curve("damping", "J", 3, "Dissipated by dampers of joints, penalty dashpots, first-order drag"),
    Curve("numerics", "J", -1, "Taken by no force: position correction, slowing, interpolation within steps"),
)


class EnergyPanel(Panel):
    """Read off after every slice of stepping, at least 60 times in a simulated second."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._history, self._losses = History(len(CURVES)), History(len(LOSSES))
        self._pinned = History(len(CURVES))
        charts = [
            Chart("Energy", CURVES, self._history, can_compare=True),
            StackedChart("Dissipated", LOSSES, self._losses),
        ]
        super().__init__(charts, parent, stretch=(3, 2))

    def feed(self, batch: Batch) -> None:
        times = batch.samples["time"]
        for curves, history in ((CURVES, self._history), (LOSSES, self._losses)):
            history.append(times, times, np.stack([batch.samples[curve.name] for curve in curves]))

    def show_instant(self, frame: Frame) -> None:
        for chart, curves in zip(self.charts, (CURVES, LOSSES)):
            chart.set_instant(frame.time, [frame.energy[curve.name] for curve in curves])

    def feed_pinned(self, samples: Records) -> None:
        """Energies of the run that is pinned, dashed."""
        times = samples["time"]
        self._pinned.append(times, times, np.stack([samples[curve.name] for curve in CURVES]))

    def start_pinned(self, pinned: bool) -> None:
        """Nothing is known of a run that is pinned, or none is."""
        self._pinned.clear()
        self.charts[0].show_beside(self._pinned if pinned else None)

    def start_run(self) -> None:
        self._history.clear()
        self._losses.clear()

    def cut(self, time: float) -> None:
        self._history.cut(time)
        self._losses.cut(time)
