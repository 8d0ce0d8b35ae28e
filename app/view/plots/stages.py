"""What a simulated second costs: computing time by stage, and how much each stage has to do."""

from __future__ import annotations

import numpy as np
from PyQt6.QtWidgets import QWidget

from app.simulation.messages import Batch
from app.view.plots.axes import LOG_FROM_ZERO, format_si
from app.view.plots.chart import Chart
from app.view.plots.history import History, RateMeter
from app.view.plots.legend import Curve
from app.view.plots.panel import Panel
from engine.stages import STAGES

WINDOWS = (0.05, 0.02, 0.1, 0.5)
COSTS = tuple(
    Curve(stage.replace("_", " "), "s/s", row, f"Seconds of computing in a simulated second: {what}")
    for row, (stage, what) in enumerate(STAGES.items())
)
WORK = {
    "heap_pops": Curve("events", "/s", 0, "Events in a simulated second"),
    "box_updates": Curve("new boxes", "/s", 1, "Bodies that entered the broad phase anew"),
    "pairs_made": Curve("new pairs", "/s", 3, "Pairs whose swept boxes began to meet"),
    "feature_steps": Curve("feature steps", "/s", 2, "Steps of the closest-feature search"),
}


class StagePanel(Panel):
    """Two charts with one time axis."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._costs, self._work = History(len(COSTS)), History(len(WORK))
        self._meter = RateMeter(WINDOWS[0])
        charts = [
            Chart("Computing", COSTS, self._costs, steps=True, windows=WINDOWS),
            Chart("Work", tuple(WORK.values()), self._work, steps=True, scale=LOG_FROM_ZERO, windows=WINDOWS),
        ]
        super().__init__(charts, parent, stretch=(1, 1))
        for chart in charts:
            chart.window_chosen.connect(self.set_window)
        self._describe_window()

    def feed(self, batch: Batch) -> None:
        samples = batch.samples
        names = [*(f"seconds_{stage}" for stage in STAGES), *WORK]
        begin, end, rates = self._meter.add(samples["time"], np.stack([samples[name] for name in names]))
        self._costs.append(begin, end, rates[: len(COSTS)])
        self._work.append(begin, end, rates[len(COSTS) :])

    def start_run(self) -> None:
        self._costs.clear()
        self._work.clear()
        self._meter.start()

    def cut(self, time: float) -> None:
        self._costs.cut(time)
        self._work.cut(time)
        self._meter.start()

    def set_window(self, length: float) -> None:
        """Average over `length` seconds from now on: the readings in between are not kept."""
        self._meter = RateMeter(length)
        for chart in self.charts:
            chart.window_length = length
        self._describe_window()

    def _describe_window(self) -> None:
        text = f"mean over {format_si(self._meter.window, 's', 1)}"
        self.charts[0].set_note(text, "Per simulated second; a right click offers other windows")
