"""Contact forces: impulses averaged over a window, of all contacts and of those of the selected bodies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PyQt6.QtWidgets import QWidget

from app.simulation.messages import Batch
from app.view.plots.axes import format_si
from app.view.plots.chart import Chart
from app.view.plots.history import Averager, History, ImpulseLog
from app.view.plots.legend import Curve
from app.view.plots.panel import Panel
from engine.arrays import Floats

WINDOWS = (0.02, 0.001, 0.005, 0.05, 0.1, 0.5)
CURVES = (
    Curve("all contacts", "N", 0, "Sum of the magnitudes of all contact impulses in a window, divided by its length"),
    Curve("", "N", 1, "The same, of the contacts of the selected bodies"),
)


class ForcePanel(Panel):
    """Windows lie side by side, from whole multiples of their length on; a value holds over its window."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._history = History(len(CURVES))
        self._log = ImpulseLog()
        self._averager = Averager(WINDOWS[0], len(CURVES))
        self._selected: frozenset[int] = frozenset()
        self._start = self._until = 0.0
        chart = Chart("Contact forces", CURVES, self._history, steps=True, windows=WINDOWS)
        chart.window_chosen.connect(self.set_window)
        super().__init__([chart], parent)
        self._describe_window()

    def feed(self, batch: Batch) -> None:
        events = batch.events
        self._log.append(events)
        self._until = float(batch.samples["time"][-1]) if len(batch.samples) else self._until
        sizes = np.linalg.norm(events["impulse"], axis=1) if len(events) else np.zeros(0)
        bodies = np.stack([events["body_a"], events["body_b"]])
        self._averager.fill(self._history, events["time"], self._share(sizes, bodies), self._until)

    def _share(self, sizes: Floats, bodies: np.ndarray) -> Floats:
        if not self._selected:
            return np.stack([sizes, np.zeros_like(sizes)])
        mine = np.isin(bodies, list(self._selected)).any(axis=0)
        return np.stack([sizes, np.where(mine, sizes, 0.0)])

    def start_run(self) -> None:
        self._log.clear()
        self._restart(0.0)

    def begin_at(self, time: float) -> None:
        self._start = self._until = time
        self._restart(time)

    def cut(self, time: float) -> None:
        self._log.clear()
        self._history.cut(time)
        self._start = self._until = time
        self._averager.start(time)

    def _restart(self, time: float) -> None:
        self._history.clear()
        self._averager.start(time)

    def set_window(self, length: float) -> None:
        """Average over `length` seconds, also what has been seen already."""
        self._averager = Averager(length, len(CURVES))
        self.charts[0].window_length = length
        self._describe_window()
        self._rebuild()

    def set_selection(self, indices: Sequence[int], names: Sequence[str]) -> None:
        """Also show the contacts of these bodies."""
        self._selected = frozenset(indices)
        label = "" if not names else names[0] if len(names) == 1 else f"{len(names)} bodies"
        self.charts[0].set_curve_name(1, label)
        self._rebuild()

    def _rebuild(self) -> None:
        """Average anew what is still remembered one by one."""
        times, sizes, bodies = self._log.ordered()
        start = float(times[0]) if self._log.has_forgotten else self._start
        self._restart(start)
        self._averager.fill(self._history, times, self._share(sizes, bodies), self._until)
        self.redraw()

    def _describe_window(self) -> None:
        length = format_si(self._averager.window, "s", 1)
        self.charts[0].set_note(f"mean over {length}", "The averaging window; a right click offers others")
