"""The collision heap at work: checks and collisions a second, its size, the time between events."""

from __future__ import annotations

import numpy as np
from PyQt6.QtWidgets import QWidget

from app.simulation.messages import Batch, Frame
from app.view.plots.axes import LOG, LOG_FROM_ZERO
from app.view.plots.chart import Chart
from app.view.plots.history import History
from app.view.plots.legend import Curve
from app.view.plots.metered import MeteredPanel

WINDOWS = (0.05, 0.005, 0.02, 0.1, 0.5)
COUNTS = ("pair_checks", "collisions", "microcollisions", "heap_pops")
RATES = (
    Curve("checks", "/s", 0, "Gap checks per simulated second"),
    Curve("collisions", "/s", 1, "Collisions per simulated second"),
    Curve("microcollisions", "/s", 2, "Collisions slower than a fall through the envelope, per simulated second"),
)
SIZE = (Curve("events", "", 0, "Events in the queue"),)
STEP = (Curve("mean", "s", 3, "Simulated time from one event to the next, on average over the window"),)


class HeapPanel(MeteredPanel):
    """Three small charts with one time axis."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._rates, self._size, self._step = History(len(RATES)), History(1), History(1)
        charts = [
            Chart("Per second", RATES, self._rates, steps=True, scale=LOG_FROM_ZERO, windows=WINDOWS),
            Chart("Queue length", SIZE, self._size),
            Chart("Between events", STEP, self._step, steps=True, scale=LOG, windows=WINDOWS),
        ]
        super().__init__(charts, (self._rates, self._size, self._step), WINDOWS[0], parent, stretch=(3, 2, 2))

    def feed(self, batch: Batch) -> None:
        samples = batch.samples
        times = samples["time"]
        self._size.append(times, times, samples["heap_size"][None, :])
        begin, end, rates = self._meter.add(times, np.stack([samples[name] for name in COUNTS]))
        self._rates.append(begin, end, rates[: len(RATES)])
        pops = rates[len(RATES) :]
        steps = np.divide(1.0, pops, out=np.full_like(pops, np.nan), where=pops > 0.0)
        self._step.append(begin, end, steps)

    def show_instant(self, frame: Frame) -> None:
        self.charts[1].set_instant(frame.time, [frame.counters["heap_size"]])
