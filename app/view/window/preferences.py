"""Preferences: what holds for every scene and from one start to the next. What is chosen counts at once."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QComboBox, QFormLayout, QLabel, QPushButton, QWidget

from app.document.settings import (
    LEAST_MEGABYTES,
    MOST_MEGABYTES,
    history_megabytes,
    settings,
    store_history_megabytes,
)
from app.simulation.simulation import Simulation
from app.view.forms.numbers import NumberBox
from app.view.layouts import caption, hbox, vbox
from app.view.theme import theme
from app.view.window.beside import BesideDialog
from app.view.window.looks import LookActions
from app.view.window.playback import Playback
from engine.control.trust import forget_trust, trusted_files

_REFRESH = 250  # [ms]
_SCHEMES: tuple[Literal["dark", "light"], ...] = ("dark", "light")


class PreferencesDialog(BesideDialog):
    """Colours, memory for the past of a run, and what Python is trusted."""

    def __init__(self, parent: QWidget, simulation: Simulation, playback: Playback, looks: LookActions) -> None:
        super().__init__(parent, "Preferences", _REFRESH)
        self.setObjectName("preferences")
        self.setMinimumWidth(460)
        self._simulation, self._playback, self._looks = simulation, playback, looks
        self.colours = QComboBox()
        self.colours.addItems(scheme.capitalize() for scheme in _SCHEMES)
        self.colours.activated.connect(lambda row: looks.set_theme(_SCHEMES[row]))
        self.memory = NumberBox("MB")
        self.memory.committed.connect(lambda value, _gesture: self._set_memory(value))
        self.taken = caption(wrapped=True)
        self.trusted = QLabel()
        self.forget = QPushButton("Forget")
        self.forget.setAutoDefault(False)
        self.forget.setToolTip("Scenes ask again before they run Python that is not Carom’s own")
        self.forget.clicked.connect(self._forget)
        form = QFormLayout()
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        form.setHorizontalSpacing(18)
        form.setVerticalSpacing(10)
        form.addRow("Colours", self.colours)
        form.addRow("Memory for the past", vbox(None, self.memory, self.taken, spacing=4))
        form.addRow("Trusted Python", hbox(None, self.trusted, None, self.forget))
        place = caption(f"Kept in {Path(settings().fileName())}", wrapped=True)
        place.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        vbox(self, form, 8, place, margins=(16, 16, 16, 14))
        looks.preferences_wanted.connect(self.open_beside)
        looks.changed.connect(self.refresh)

    def open_beside(self) -> None:
        """Show it without holding up the window."""
        self.memory.set_value(history_megabytes())
        super().open_beside()

    def refresh(self) -> None:
        """Show what holds now."""
        self.colours.setCurrentIndex(_SCHEMES.index(theme().scheme))
        frame = self._playback.frame
        if self.memory.property("invalid"):
            self.taken.setText(f"The past may take from {LEAST_MEGABYTES:g} to {MOST_MEGABYTES:g} MB")
        elif frame is None or not frame.keyframes:
            self.taken.setText("A run can be taken back to any time of it")
        else:
            count, megabytes = len(frame.keyframes), frame.held / 1e6
            taken = "1 keyframe" if count == 1 else f"{count} keyframes"
            self.taken.setText(f"{taken} of {frame.end:.4g} s: {megabytes:.3g} MB now")
        count = trusted_files()
        self.trusted.setText("none" if count == 0 else "1 file" if count == 1 else f"{count} files")
        self.forget.setEnabled(count > 0)

    def _set_memory(self, value: object) -> None:
        if not isinstance(value, int | float) or not LEAST_MEGABYTES <= value <= MOST_MEGABYTES:
            self.memory.set_invalid(True)
        else:
            self.memory.set_invalid(False)
            store_history_megabytes(float(value))
            self._simulation.set_memory(float(value))
        self.refresh()

    def _forget(self) -> None:
        try:
            forget_trust()
        except OSError as error:
            self._looks.said.emit(f"What is trusted cannot be forgotten: {error.strerror}")
        self.refresh()
