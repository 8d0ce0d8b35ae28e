"""The selected joint over time: where it stands, how fast it moves, and what springs, motors and limits do along it."""

from __future__ import annotations

import numpy as np
from PyQt6.QtWidgets import QWidget

from app.simulation.messages import JOINT_FIELDS, Batch, Frame
from app.view.plots.chart import Chart
from app.view.plots.choices import JOINT_UNITS
from app.view.plots.history import History
from app.view.plots.legend import Curve
from app.view.plots.panel import Panel
from engine.scene.joints import WITH_POSITION, Joint

_CURVES = (
    Curve("position", "", 0, "Of the joint, 0 being where the scene places its bodies"),
    Curve("velocity", "", 1, "Of the joint"),
    Curve("effort", "", 3, "Springs, damping, friction, limits and motors along the joint; none without them"),
)
_TITLES = ("Joint position", "Joint velocity", "Joint effort")


class JointPanel(Panel):
    """Read off at least 60 times in a simulated second, of one hinge or slider, from when it is selected on."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._histories = [History(1) for _ in _CURVES]
        self._number = -1
        charts = [Chart(title, (curve,), own) for title, curve, own in zip(_TITLES, _CURVES, self._histories)]
        super().__init__(charts, parent, stretch=(1, 1, 1))
        self.set_joint(-1, None)

    def set_joint(self, number: int, joint: Joint | None) -> None:
        """Show the joint that stands at this place in the scene; none that has no position."""
        shown = joint is not None and joint.kind in WITH_POSITION
        units = JOINT_UNITS[joint.kind] if shown and joint is not None else ("", "", "")
        for chart, unit in zip(self.charts, units):
            text = f"{joint.name}, since it was selected" if shown and joint is not None else "select a hinge or slider"
            chart.set_note(text)
            chart.set_unit(unit)
        if number != self._number:
            self._number = number
            self.start_run()
            self.redraw()

    def feed(self, batch: Batch) -> None:
        samples = batch.samples[batch.samples["joint"] == self._number]
        if self._number < 0:
            return
        for history, field in zip(self._histories, JOINT_FIELDS):
            known = np.isfinite(samples[field])
            times = samples["time"][known]
            history.append(times, times, samples[field][None, known])

    def show_instant(self, frame: Frame) -> None:
        number, *values = frame.joint
        for chart, value in zip(self.charts, values):
            chart.set_instant(frame.time, [value] if number == self._number >= 0 else None)

    def start_run(self) -> None:
        for history in self._histories:
            history.clear()

    def cut(self, time: float) -> None:
        for history in self._histories:
            history.cut(time)
