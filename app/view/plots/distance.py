"""How far bodies are from where the pinned run has them: the largest distance over time."""

from __future__ import annotations

import numpy as np
from PyQt6.QtWidgets import QWidget

from app.simulation.messages import Batch
from app.view.plots.axes import LOG
from app.view.plots.chart import Chart
from app.view.plots.history import History
from app.view.plots.legend import Curve
from app.view.plots.panel import Panel
from engine.scene.schema import Scene

CURVES = (
    Curve("largest", "m", 3, "Of all bodies that both runs have, by powers of ten; nothing is drawn where it is 0"),
)


class DistancePanel(Panel):
    """Read off wherever both runs stand at the same time."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._history = History(len(CURVES))
        self._note = ""
        self._largest = 0.0  # [m]
        super().__init__([Chart("Distance from the pinned run", CURVES, self._history, scale=LOG)], parent)
        self.set_pinned(None)

    def set_pinned(self, scene: Scene | None) -> None:
        self.start_run()
        self._say("" if scene is not None else "Analyse, Pin this run: then play another")
        self.redraw()

    def _say(self, note: str) -> None:
        if note != self._note:
            self._note = note
            self.charts[0].set_note(note)

    def add(self, time: float, metres: float) -> None:
        """A distance [m] at a time [s]; what lies before the newest is known already."""
        span = self._history.span
        if np.isfinite(metres) and (span is None or time > span[1]):
            at = np.array([time])
            self._history.append(at, at, np.array([[metres]]))
            self._largest = max(self._largest, metres)
            self._say("" if self._largest else "0 so far: nothing to draw by powers of ten")

    def feed(self, batch: Batch) -> None:
        """Nothing: distances come by `add`."""

    def start_run(self) -> None:
        self._largest = 0.0
        self._history.clear()

    def cut(self, time: float) -> None:
        known = self._history.stretch(0.0, time, 1 << 16)
        self._largest = float(known.high[0][known.end < time].max(initial=0.0))
        self._history.cut(time)
