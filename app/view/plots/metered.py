"""What panels have in common that average counters over windows of simulation time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from PyQt6.QtWidgets import QWidget

from app.view.plots.axes import format_si
from app.view.plots.chart import Chart
from app.view.plots.curve_panel import CurvePanel, RunCurves
from app.view.plots.history import RateMeter


class MeteredCurves(RunCurves):
    """`meter` turns counts since the start into rates."""

    def __init__(self, window: float, *sizes: int) -> None:
        super().__init__(*sizes)
        self.meter = RateMeter(window)

    def start_run(self) -> None:
        super().start_run()
        self.meter.start()

    def cut(self, time: float) -> None:
        for history in self.histories:
            history.cut(time, gap=True)  # the window that it falls into
        self.meter.start()


M = TypeVar("M", bound=MeteredCurves)


class MeteredPanel(CurvePanel[M]):
    """A chart for each history, in order."""

    def __init__(
        self, own: M, charts: Sequence[Chart], parent: QWidget | None = None, stretch: Sequence[int] = (1,)
    ) -> None:
        super().__init__(own, charts, parent, stretch)
        for chart in charts:
            chart.window_chosen.connect(self.set_window)
        self._describe_window()

    def set_window(self, length: float) -> None:
        """Average over `length` seconds from now on: the readings in between are not kept."""
        for curves in self.runs:
            curves.meter = RateMeter(length)
        for chart in self.charts:
            chart.window_length = length
        self._describe_window()

    def _describe_window(self) -> None:
        text = f"mean over {format_si(self.own.meter.window, 's', 1)}"
        self.charts[0].set_note(text, "Per simulated second; a right click offers other windows")
