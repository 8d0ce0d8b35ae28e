"""Kinetic, potential and total energy, and what has been dissipated by cause, as areas that add up."""

from __future__ import annotations

import numpy as np
from PyQt6.QtWidgets import QWidget

from app.simulation.messages import Batch, Frame
from app.view.plots.chart import Chart
from app.view.plots.curve_panel import CurvePanel, RunCurves
from app.view.plots.legend import Curve
from app.view.plots.stacked import StackedChart
from engine.scene.schema import Scene

CURVES = (
    Curve("kinetic", "J", 1, "Kinetic energy of the dynamic bodies"),
    Curve("potential", "J", 0, "Gravitational potential energy, zero at the origin"),
    Curve("elastic", "J", 2, "In springs of joints, and of contacts under penalty"),
    Curve(
        "total", "J", -1, "All of these, as forces have left it: rises by what is put in alone, except under penalty"
    ),
    Curve("work", "J", 3, "Put in by pulls, loads, motors, scripted bodies, changes: total and dissipated grow by it"),
)
LOSSES = (
    Curve("sliding", "J", 0, "Dissipated by friction of contacts that last, of microcollisions, and in joints"),
    Curve("impact", "J", 1, "Dissipated by impacts, where lasting contacts close, and at limits of joints"),
    Curve("resistance", "J", 2, "Dissipated by resistance to rolling and spinning"),
    Curve("damping", "J", 3, "Dissipated by dampers of joints, penalty dashpots, first-order drag"),
    Curve("numerics", "J", -1, "Taken by no force: position correction, slowing, snapping to rest"),
)


class EnergyCurves(RunCurves):
    """Read off after every slice of stepping, at least 60 times in a simulated second."""

    def __init__(self) -> None:
        super().__init__(len(CURVES), len(LOSSES))

    def feed(self, batch: Batch) -> None:
        times = batch.samples["time"]
        for curves, history in zip((CURVES, LOSSES), self.histories, strict=True):
            history.append(times, times, np.stack([batch.samples[curve.name] for curve in curves]))


class EnergyPanel(CurvePanel[EnergyCurves]):
    """What there is of energy, and beside it where it went."""

    def __init__(self, parent: QWidget | None = None) -> None:
        own = EnergyCurves()
        energies, losses = own.histories
        charts = [Chart("Energy", CURVES, energies, can_compare=True), StackedChart("Dissipated", LOSSES, losses)]
        super().__init__(own, charts, parent, stretch=(3, 2))

    def curves_of_pinned(self, scene: Scene) -> EnergyCurves:
        return EnergyCurves()

    def show_instant(self, frame: Frame) -> None:
        for chart, curves in zip(self.charts, (CURVES, LOSSES)):
            chart.set_instant(frame.time, [frame.energy[curve.name] for curve in curves])
