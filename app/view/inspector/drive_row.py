"""A slider that drives the motor of a joint while the scene runs. The scene itself stays as it is."""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import pi

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QLabel, QSlider, QWidget

from app.view.forms.numbers import number_text
from app.view.layouts import caption, hbox, vbox
from app.view.theme import scaled_font
from app.view.units import unit_text
from engine.control.orders import MotorOrder
from engine.scene.joints import Joint

_STEPS = 1000
_PATIENCE = 1.0  # s: for the run to say what it was told


class DriveRow(QWidget):
    """`driven` says what the motor is to seek, and the target. The slider follows what others tell the motor."""

    driven = pyqtSignal(str, float)

    def __init__(self, joint: Joint, drivers: Sequence[str] = ()) -> None:
        """drivers: the controllers that run and set this motor; while there are any, the slider only shows."""
        super().__init__()
        assert joint.motor is not None
        self._joint = joint
        self._told: tuple[str, float, float] | None = None  # what was said here last, and when [s]
        self.seeks = ""
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setObjectName("Drive")
        self.slider.setRange(0, _STEPS)
        self.slider.setEnabled(not drivers)
        self.value = QLabel()
        self.value.setFont(scaled_font(figures=True))
        self.value.setMinimumWidth(84)
        self.value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        text = caption(
            f"Set by {', '.join(drivers)}: switch it off to drive it by hand."
            if drivers
            else "Drives it in the run that you see, from now on; the scene stays as it is.",
            wrapped=True,
        )
        vbox(self, hbox(None, (self.slider, 1), self.value, spacing=8), text, spacing=3)
        seeks = next(name for name in ("position", "velocity", "effort") if getattr(joint.motor, name) is not None)
        self._show(seeks, float(getattr(joint.motor, seeks)))
        self.slider.valueChanged.connect(self._moved)

    def follow(self, order: MotorOrder, now: float | None = None) -> None:
        """Shows what the motor seeks in the run. now: the wall's clock [s].

        Not while a hand is on the slider, nor before what the hand said has come there.
        """
        now = time.monotonic() if now is None else now
        if self._told is not None and (order.seeks, order.target) != self._told[:2] and now < self._told[2] + _PATIENCE:
            return
        self._told = None
        if not self.slider.isSliderDown():
            self._show(order.seeks, order.target)

    def _moved(self, step: int) -> None:
        target = self.low + (self.high - self.low) * step / _STEPS
        self._told = (self.seeks, target, time.monotonic())
        self._say(target)
        self.driven.emit(self.seeks, target)

    def _show(self, seeks: str, target: float) -> None:
        """The slider at a target, without saying so to anybody."""
        if seeks != self.seeks:
            self.seeks = seeks
            self.low, self.high = _range(self._joint, seeks, target)
            self.slider.setAccessibleName(f"{seeks} that the motor seeks")
        step = round(_STEPS * (target - self.low) / (self.high - self.low))
        was = self.slider.blockSignals(True)
        self.slider.setValue(min(max(step, 0), _STEPS))
        self.slider.blockSignals(was)
        self._say(target)

    def _say(self, target: float) -> None:
        units = {"position": ("m", "rad"), "velocity": ("m/s", "rad/s"), "effort": ("N", "N m")}[self.seeks]
        unit = units[self._joint.kind == "hinge"]
        self.value.setText(f"{number_text(round(target, 3))} {unit_text(unit)}")


def _range(joint: Joint, seeks: str, start: float) -> tuple[float, float]:
    """From where to where a target may go: the joint's limits, half a turn or a metre, what the motor can bear."""
    assert joint.motor is not None
    if seeks == "position" and joint.limits is not None:
        return joint.limits
    if seeks == "position":
        reach = pi if joint.kind == "hinge" else 1.0
        return min(-reach, start), max(reach, start)
    most = max(2.0 * abs(start), 10.0)
    if seeks == "effort" and joint.motor.limit is not None:
        most = joint.motor.limit
    return -most, most
