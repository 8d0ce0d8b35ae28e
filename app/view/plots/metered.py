"""What panels have in common that average counters over windows of simulation time."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtWidgets import QWidget

from app.view.plots.axes import format_si
from app.view.plots.chart import Chart
from app.view.plots.history import History, RateMeter
from app.view.plots.panel import Panel


class MeteredPanel(Panel):
    """A chart for each history, in order; `_meter` turns counts since the start into rates."""

    def __init__(
        self,
        charts: Sequence[Chart],
        histories: Sequence[History],
        window: float,
        parent: QWidget | None = None,
        stretch: Sequence[int] = (1,),
    ) -> None:
        self._histories = tuple(histories)
        self._meter = RateMeter(window)
        super().__init__(charts, parent, stretch)
        for chart in charts:
            chart.window_chosen.connect(self.set_window)
        self._describe_window()

    def start_run(self) -> None:
        for history in self._histories:
            history.clear()
        self._meter.start()

    def cut(self, time: float) -> None:
        for history in self._histories:
            history.cut(time, gap=True)  # the window that it falls into
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
