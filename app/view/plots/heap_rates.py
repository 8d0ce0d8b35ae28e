"""The collision heap at work: checks and collisions a second, its size, the time between events."""

from __future__ import annotations

import numpy as np
from PyQt6.QtWidgets import QWidget

from app.simulation.messages import Batch, Frame
from app.view.plots.axes import LOG, LOG_FROM_ZERO
from app.view.plots.chart import Chart
from app.view.plots.legend import Curve
from app.view.plots.metered import MeteredCurves, MeteredPanel
from engine.scene.schema import Scene

WINDOWS = (0.05, 0.005, 0.02, 0.1, 0.5)
COUNTS = ("pair_checks", "collisions", "microcollisions", "heap_pops")
RATES = (
    Curve("checks", "/s", 0, "Gap checks per simulated second"),
    Curve("collisions", "/s", 1, "Collisions per simulated second"),
    Curve("microcollisions", "/s", 2, "Collisions slower than a fall through the envelope, per simulated second"),
)
SIZE = (Curve("events", "", 0, "Events in the queue"),)
STEP = (Curve("mean", "s", 3, "Simulated time from one event to the next, on average over the window"),)


class HeapCurves(MeteredCurves):
    """Rates, the length of the queue, and the time from event to event."""

    def __init__(self, window: float) -> None:
        super().__init__(window, len(RATES), len(SIZE), len(STEP))

    def feed(self, batch: Batch) -> None:
        samples, (rates_of, size, step) = batch.samples, self.histories
        times = samples["time"]
        size.append(times, times, samples["heap_size"][None, :])
        begin, end, rates = self.meter.add(times, np.stack([samples[name] for name in COUNTS]))
        rates_of.append(begin, end, rates[: len(RATES)])
        pops = rates[len(RATES) :]
        step.append(begin, end, np.divide(1.0, pops, out=np.full_like(pops, np.nan), where=pops > 0.0))


class HeapPanel(MeteredPanel[HeapCurves]):
    """Three small charts with one time axis."""

    def __init__(self, parent: QWidget | None = None) -> None:
        own = HeapCurves(WINDOWS[0])
        rates, size, step = own.histories
        charts = [
            Chart("Per second", RATES, rates, steps=True, scale=LOG_FROM_ZERO, windows=WINDOWS),
            Chart("Queue length", SIZE, size),
            Chart("Between events", STEP, step, steps=True, scale=LOG, windows=WINDOWS),
        ]
        super().__init__(own, charts, parent, stretch=(3, 2, 2))

    def curves_of_pinned(self, scene: Scene) -> HeapCurves:
        return HeapCurves(self.own.meter.window)

    def show_instant(self, frame: Frame) -> None:
        self.charts[1].set_instant(frame.time, [frame.counters["heap_size"]])
