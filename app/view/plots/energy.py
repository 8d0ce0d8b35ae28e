"""Kinetic, potential and total energy."""

from __future__ import annotations

import numpy as np
from PyQt6.QtWidgets import QWidget

from app.simulation.messages import Batch
from app.view.plots.chart import Chart
from app.view.plots.history import History
from app.view.plots.legend import Curve
from app.view.plots.panel import Panel

CURVES = (
    Curve("kinetic", "J", 1, "Kinetic energy of the dynamic bodies"),
    Curve("potential", "J", 0, "Gravitational potential energy, zero at the origin"),
    Curve("total", "J", -1, "Kinetic, potential and elastic: never rises without inputs, except under penalty"),
)


class EnergyPanel(Panel):
    """Read off after every slice of stepping, at least 60 times in a simulated second."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._history = History(len(CURVES))
        super().__init__([Chart("Energy", CURVES, self._history)], parent)

    def feed(self, batch: Batch) -> None:
        times = batch.samples["time"]
        values = np.stack([batch.samples[curve.name] for curve in CURVES])
        self._history.append(times, times, values)

    def start_run(self) -> None:
        self._history.clear()

    def cut(self, time: float) -> None:
        self._history.cut(time)
