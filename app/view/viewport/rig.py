"""Holds the viewport's camera and lets it glide from one view to another."""

from __future__ import annotations

from typing import Any

from PyQt6.QtCore import QEasingCurve, QObject, QVariantAnimation, pyqtSignal

from app.view.viewport.camera import CameraState, blend

GLIDE = 180
"""The camera takes so long [ms] to frame something."""


class CameraRig(QObject):
    """A camera that can be put somewhere or sent there. `chosen`: not merely guessed before the window had a size."""

    changed = pyqtSignal(object)  # CameraState

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.state = CameraState()
        self.chosen = False
        self._ends = (self.state, self.state)
        self._glide = QVariantAnimation(self)
        self._glide.setDuration(GLIDE)
        self._glide.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._glide.setStartValue(0.0)
        self._glide.setEndValue(1.0)
        self._glide.valueChanged.connect(self._glide_on)

    def put(self, state: CameraState, chosen: bool = True) -> None:
        """Looks from there at once."""
        self._glide.stop()
        self.chosen = chosen
        self._show(state)

    def send(self, state: CameraState, glide: bool = True) -> None:
        """Glides there, or goes at once."""
        self.put(self.state if glide else state)
        if glide:
            self._ends = (self.state, state)
            self._glide.start()

    def stop(self) -> None:
        """Ends a glide where it is."""
        self._glide.stop()

    def _glide_on(self, share: Any) -> None:
        start, end = self._ends
        self._show(end if share >= 1.0 else blend(start, end, float(share)))

    def _show(self, state: CameraState) -> None:
        self.state = state
        self.changed.emit(state)
