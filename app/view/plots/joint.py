"""The selected joint over time: where it stands, how fast it moves, and what springs, motors and limits do along it."""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QWidget

from app.simulation.messages import JOINT_FIELDS, Batch, Frame
from app.view.plots.chart import Chart
from app.view.plots.choices import JOINT_UNITS
from app.view.plots.curve_panel import CurvePanel, RunCurves
from app.view.plots.legend import Curve
from engine.scene.joints import WITH_POSITION, Joint
from engine.scene.schema import Scene

_CURVES = (
    Curve("position", "", 0, "Of the joint, 0 being where the scene places its bodies"),
    Curve("velocity", "", 1, "Of the joint"),
    Curve("effort", "", 3, "Springs, damping, friction, limits and motors along the joint; none without them"),
)
_TITLES = ("Joint position", "Joint velocity", "Joint effort")


class JointCurves(RunCurves):
    """Of the joint at a place in a scene, -1: of none."""

    def __init__(self, number: int) -> None:
        super().__init__(*(1 for _ in _CURVES))
        self.number = number

    def look_at(self, number: int) -> None:
        """At another joint, of which nothing is known yet."""
        if number != self.number:
            self.number = number
            self.start_run()

    def feed(self, batch: Batch) -> None:
        if self.number < 0:
            return
        samples = batch.samples[batch.samples["joint"] == self.number]
        for history, field in zip(self.histories, JOINT_FIELDS, strict=True):
            known = np.isfinite(samples[field])
            times = samples["time"][known]
            history.append(times, times, samples[field][None, known])


class JointPanel(CurvePanel[JointCurves]):
    """Read off at least 60 times in a simulated second, of one hinge or slider, from when it is selected on.

    `pinned_wanted`: the place of the joint that is to be read in the scene of the pinned run, too; -1: of none.
    """

    pinned_wanted = pyqtSignal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        own = JointCurves(-1)
        self._joint: Joint | None = None
        self._pinned_joints: tuple[Joint, ...] = ()
        charts = [Chart(title, (curve,), known) for title, curve, known in zip(_TITLES, _CURVES, own.histories)]
        super().__init__(own, charts, parent, stretch=(1, 1, 1))
        self.set_joint(-1, None)

    def set_joint(self, number: int, joint: Joint | None) -> None:
        """Show the joint that stands at this place in the scene; none that has no position."""
        shown = joint is not None and joint.kind in WITH_POSITION
        units = JOINT_UNITS[joint.kind] if shown and joint is not None else ("", "", "")
        for chart, unit in zip(self.charts, units):
            text = f"{joint.name}, since it was selected" if shown and joint is not None else "select a hinge or slider"
            chart.set_note(text)
            chart.set_unit(unit)
        self._joint = joint
        if number != self.own.number:
            self.own.look_at(number)
            self._follow_pinned()
            self.redraw()

    def curves_of_pinned(self, scene: Scene) -> JointCurves:
        self._pinned_joints = tuple(scene.joint)
        return JointCurves(-1)

    def set_pinned(self, scene: Scene | None) -> None:
        super().set_pinned(scene)
        self._follow_pinned()

    def _follow_pinned(self) -> None:
        """The joint of the same name and kind in the pinned run."""
        if self.pinned is not None:
            joint = self._joint
            named = [
                joint is not None and (one.name, one.kind) == (joint.name, joint.kind) for one in self._pinned_joints
            ]
            self.pinned.look_at(named.index(True) if True in named else -1)
            self.pinned_wanted.emit(self.pinned.number)

    def show_instant(self, frame: Frame) -> None:
        number, *values = frame.joint
        for chart, value in zip(self.charts, values):
            chart.set_instant(frame.time, [value] if number == self.own.number >= 0 else None)
