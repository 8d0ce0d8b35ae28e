"""The collision heap at work: checks and collisions a second, its size, the time between events."""

from __future__ import annotations

import numpy as np
from PyQt6.QtWidgets import QWidget

from app.simulation.messages import Batch
from app.view.plots.axes import LOG, LOG_FROM_ZERO, format_si
from app.view.plots.chart import Chart
from app.view.plots.history import History, RateMeter
from app.view.plots.legend import Curve
from app.view.plots.panel import Panel

WINDOWS = (0.05, 0.005, 0.02, 0.1, 0.5)
COUNTS = ("pair_checks", "collisions", "microcollisions", "heap_pops")
RATES = (
    Curve("checks", "/s", 0, "Gaps measured in a simulated second"),
    Curve("collisions", "/s", 1, "Collisions integrated in a simulated second"),
    Curve("microcollisions", "/s", 2, "Collisions slower than a fall through the envelope, in a simulated second"),
)
SIZE = (Curve("events", "", 0, "Events that wait in the heap"),)
STEP = (Curve("mean", "s", 3, "Simulated time from one event to the next, on average over the window"),)


class HeapPanel(Panel):
    """Three small charts with one time axis."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._rates, self._size, self._step = History(len(RATES)), History(1), History(1)
        self._meter = RateMeter(WINDOWS[0])
        charts = [
            Chart("Per second", RATES, self._rates, steps=True, scale=LOG_FROM_ZERO, windows=WINDOWS),
            Chart("Heap", SIZE, self._size),
            Chart("Between events", STEP, self._step, steps=True, scale=LOG, windows=WINDOWS),
        ]
        super().__init__(charts, parent, stretch=(3, 2, 2))
        for chart in charts:
            chart.window_chosen.connect(self.set_window)
        self._describe_window()

    def feed(self, batch: Batch) -> None:
        samples = batch.samples
        times = samples["time"]
        self._size.append(times, times, samples["heap_size"][None, :])
        begin, end, rates = self._meter.add(times, np.stack([samples[name] for name in COUNTS]))
        self._rates.append(begin, end, rates[: len(RATES)])
        pops = rates[len(RATES) :]
        steps = np.divide(1.0, pops, out=np.full_like(pops, np.nan), where=pops > 0.0)
        self._step.append(begin, end, steps)

    def start_run(self) -> None:
        for history in (self._rates, self._size, self._step):
            history.clear()
        self._meter.start()

    def cut(self, time: float) -> None:
        for history in (self._rates, self._size, self._step):
            history.cut(time)
        self._meter.start()

    def set_window(self, length: float) -> None:
        """Count over `length` seconds from now on: the readings in between are not kept."""
        self._meter = RateMeter(length)
        for chart in self.charts:
            chart.window_length = length
        self._describe_window()

    def _describe_window(self) -> None:
        text = f"mean over {format_si(self._meter.window, 's', 1)}"
        self.charts[0].set_note(text, "Per simulated second; a right click offers other windows")
