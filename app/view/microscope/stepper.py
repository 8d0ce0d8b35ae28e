"""Buttons and a slider that go through the steps of a run."""

from __future__ import annotations

from PyQt6.QtCore import QSize, Qt, QTimer, pyqtSignal
from PyQt6.QtWidgets import QSlider, QToolButton, QWidget

from app.view.layouts import hbox
from app.view.theme import icon, theme

_PLAYED = 3000  # [ms] in which all steps are shown
_SLOWEST, _FASTEST = 600, 40  # [ms] between steps that are played

_BUTTONS = (
    ("first", "mdi6.page-first", "To the start, all forces zero (Home)"),
    ("previous", "mdi6.chevron-left", "One step back (←)"),
    ("play", "mdi6.play-outline", "Play the steps"),
    ("next", "mdi6.chevron-right", "One step forward (→)"),
    ("last", "mdi6.page-last", "To the solution (End)"),
)


class Stepper(QWidget):
    """Chooses one of the steps 0 … count - 1."""

    changed = pyqtSignal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.slider.setPageStep(10)
        self.slider.valueChanged.connect(self._on_value)
        self.buttons: dict[str, QToolButton] = {}
        for name, _symbol, hint in _BUTTONS:
            button = QToolButton()
            button.setObjectName(f"step_{name}")
            button.setToolTip(hint)
            button.setIconSize(QSize(18, 18))
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.clicked.connect(lambda _checked=False, name=name: self.go(name))
            self.buttons[name] = button
        hbox(self, *self.buttons.values(), 6, (self.slider, 1), spacing=1)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._play_on)
        self._stride = 1
        theme().changed.connect(self._paint)
        self.set_steps(0, 0)

    def set_steps(self, count: int, step: int) -> None:
        """Another run: so many steps, and the one to stand at. Says nothing."""
        self._timer.stop()
        self.slider.blockSignals(True)
        self.slider.setRange(0, max(count - 1, 0))
        self.slider.setValue(step)
        self.slider.blockSignals(False)
        self._paint()

    @property
    def step(self) -> int:
        return self.slider.value()

    @property
    def at_end(self) -> bool:
        return self.slider.value() == self.slider.maximum()

    def go(self, where: str) -> None:
        """ "first", "previous", "next", "last", or "play" (which also stops)."""
        if where == "play":
            self._toggle()
            return
        self._timer.stop()
        last, step = self.slider.maximum(), self.slider.value()
        self.slider.setValue({"first": 0, "previous": step - 1, "next": step + 1, "last": last}[where])
        self._paint()

    def go_to(self, step: int) -> None:
        self._timer.stop()
        self.slider.setValue(step)
        self._paint()

    def _toggle(self) -> None:
        if self._timer.isActive():
            self._timer.stop()
        else:
            if self.at_end:
                self.slider.setValue(0)
            steps = max(self.slider.maximum() - self.slider.value(), 1)
            self._timer.start(min(max(_PLAYED // steps, _FASTEST), _SLOWEST))
            self._stride = max(1, round(steps * _FASTEST / _PLAYED))
        self._paint()

    def _play_on(self) -> None:
        self.slider.setValue(self.slider.value() + self._stride)
        if self.at_end:
            self._timer.stop()
            self._paint()

    def _on_value(self, step: int) -> None:
        self._paint()
        self.changed.emit(step)

    def _paint(self, _palette: object = None) -> None:
        moving, at_start, none = self._timer.isActive(), self.slider.value() == 0, self.slider.maximum() == 0
        for name, symbol, _hint in _BUTTONS:
            self.buttons[name].setIcon(icon("mdi6.pause" if name == "play" and moving else symbol))
        for name, off in (("first", at_start), ("previous", at_start), ("next", self.at_end), ("last", self.at_end)):
            self.buttons[name].setEnabled(not off)
        self.buttons["play"].setEnabled(not none)
        self.slider.setEnabled(not none)

    def hideEvent(self, event: object) -> None:
        """Nothing plays unseen."""
        self._timer.stop()
        self._paint()
