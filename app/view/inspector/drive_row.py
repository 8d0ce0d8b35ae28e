"""A slider that drives the motor of a joint while the scene runs. The scene itself stays as it is."""

from __future__ import annotations

from math import pi

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QLabel, QSlider, QWidget

from app.view.forms.numbers import number_text, unit_text
from app.view.layouts import caption, hbox, vbox
from app.view.theme import scaled_font
from engine.scene.joints import Joint

_STEPS = 1000


class DriveRow(QWidget):
    """`driven` says what the motor is to seek, and the target."""

    driven = pyqtSignal(str, float)

    def __init__(self, joint: Joint) -> None:
        super().__init__()
        assert joint.motor is not None
        motor = joint.motor
        self.seeks = next(name for name in ("position", "velocity", "effort") if getattr(motor, name) is not None)
        turns = joint.kind == "hinge"
        units = {"position": ("m", "rad"), "velocity": ("m/s", "rad/s"), "effort": ("N", "N m")}[self.seeks]
        self._unit = units[turns]
        start = float(getattr(motor, self.seeks))
        self.low, self.high = _range(joint, self.seeks, start)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setObjectName("Drive")
        self.slider.setAccessibleName(f"{self.seeks} that the motor seeks")
        self.slider.setRange(0, _STEPS)
        self.slider.setValue(round(_STEPS * (start - self.low) / (self.high - self.low)))
        self.value = QLabel()
        self.value.setFont(scaled_font(figures=True))
        self.value.setMinimumWidth(84)
        self.value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        text = caption("Drives it in the run that you see, from now on; the scene stays as it is.", wrapped=True)
        vbox(self, hbox(None, (self.slider, 1), self.value, spacing=8), text, spacing=3)
        self._show(start)
        self.slider.valueChanged.connect(self._moved)

    def _moved(self, step: int) -> None:
        target = self.low + (self.high - self.low) * step / _STEPS
        self._show(target)
        self.driven.emit(self.seeks, target)

    def _show(self, target: float) -> None:
        self.value.setText(f"{number_text(round(target, 3))} {unit_text(self._unit)}")


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
