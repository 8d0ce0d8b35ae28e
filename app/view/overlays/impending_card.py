"""The card over the picture that says whose arrows are whose, and how far the three formulations are apart."""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QCheckBox, QGridLayout, QLabel, QWidget

from app.simulation.impending import ImpendingResult
from app.view.layouts import heading, vbox
from app.view.microscope.words import count, say_contacts
from app.view.overlays.card import Card
from app.view.theme import colours, scaled_font
from engine.analysis.contact_problem import ContactProblem
from engine.analysis.impending import ImpendingMotion
from engine.analysis.motion_space import kinetic_norm
from engine.solvers.solution import SOLVED, STATUS_NAMES

FORMULATIONS = ("Contact forces", "Gauss' principle", "Steepest descent")
SERIES = (0, 1, 3)
"""Their colours among those of the theme's series."""

_HINTS = (
    "Non-penetration forces: a linear complementarity problem, by Dantzig's algorithm",
    "The feasible acceleration nearest to the unconstrained one, by Wilhelmsen's nearest-point algorithm",
    "Direction of steepest descent of potential energy in the kinetic metric, by Goldfarb and Idnani's dual method",
)
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class ImpendingCard(Card):
    """In the upper left corner of its parent. `frictionless_changed`: what the person wants of friction."""

    frictionless_changed = pyqtSignal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "impending-card", Qt.Corner.TopLeftCorner, heading("Impending motion", 1.05))
        self.head = QLabel()
        self.head.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.values = [QLabel() for _ in FORMULATIONS]
        self.disagreement = QLabel()
        self.said = QLabel()
        self.said.setWordWrap(True)
        self.said.setFixedWidth(250)
        self.friction = QCheckBox("Ignore friction")
        self.friction.setToolTip("All three formulations are frictionless")
        self.friction.clicked.connect(lambda _checked: self.frictionless_changed.emit())
        self._swatches = [QLabel() for _ in FORMULATIONS]
        self._table = QWidget()
        grid = QGridLayout(self._table)
        grid.setContentsMargins(0, 2, 0, 2)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        self._captions = [self.head, self.said]
        grid.addWidget(self.head, 0, 1, 1, 2)
        for row, (name, hint) in enumerate(zip(FORMULATIONS, _HINTS), start=1):
            label = QLabel(name)
            label.setToolTip(hint)
            self.values[row - 1].setToolTip(hint)
            grid.addWidget(self._swatches[row - 1], row, 0)
            grid.addWidget(label, row, 1)
            grid.addWidget(self.values[row - 1], row, 2)
        apart = QLabel("Disagreement")
        apart.setToolTip("The larger of ‖a₁ − a₂‖ / ‖a unconstrained‖ and ‖a₁ / ‖a₁‖ − descent direction‖")
        grid.addWidget(apart, len(FORMULATIONS) + 1, 1)
        grid.addWidget(self.disagreement, len(FORMULATIONS) + 1, 2)
        for value in (*self.values, self.disagreement):
            value.setFont(scaled_font(figures=True))
            value.setAlignment(Qt.AlignmentFlag.AlignRight)
        vbox(self, self.title, self._table, self.said, self.friction, margins=(14, 10, 14, 10), spacing=5)
        self._paint()

    def show_result(self, result: ImpendingResult | None, selected: tuple[int, ...], names: tuple[str, ...]) -> None:
        """Shows what is known; None: the simulation runs. selected: rows of bodies; the first that touches counts."""
        motion = None if result is None else result.motion
        self._table.setVisible(motion is not None)
        if result is None:
            self.said.setText("Shown while the simulation is paused.")
        elif motion is None:
            self.said.setText(result.reason)
        else:
            place = next((k for k, row in enumerate(result.problem.bodies) if int(row) in selected), -1)
            name = "" if place < 0 else names[int(result.problem.bodies[place])]
            self._show_numbers(result.problem, motion, place, name)
            self.said.setText(_say(result, motion))
        self.place()

    def _show_numbers(self, problem: ContactProblem, motion: ImpendingMotion, place: int, name: str) -> None:
        found = (motion.forces, motion.gauss, motion.steepness * motion.descent)
        if place >= 0:
            self.head.setText(f"{name}, m/s²")
            numbers = [float(np.linalg.norm(a[place, :3])) for a in found]
        else:
            self.head.setText("relative to unconstrained")
            free = kinetic_norm(problem, motion.free.reshape(-1))
            numbers = [kinetic_norm(problem, a.reshape(-1)) / free if free else 0.0 for a in found]
        for label, number, status in zip(self.values, numbers, motion.status):
            label.setText(f"{number:.6f}" if status == SOLVED else STATUS_NAMES[status])
        self.disagreement.setText(power_of_ten(motion.disagreement))

    def _paint(self, _colours: object = None) -> None:
        super()._paint()
        c = colours()
        for swatch, k in zip(self._swatches, SERIES):
            swatch.setFixedSize(16, 6)
            swatch.setStyleSheet(f"background: {c.series[k]}; border-radius: 3px;")
        for caption in self._captions:
            caption.setStyleSheet(f"color: {c.muted};")


def _say(result: ImpendingResult, motion: ImpendingMotion) -> str:
    """One or two sentences about what the numbers are of."""
    what = f"{count(len(result.problem.bodies), 'body')}, {say_contacts(result.problem.nodes)}"
    if all(motion.rest):
        return f"{what}. All three: at rest."
    if result.moving:
        return f"{what}, as if released from rest here."
    return f"{what}."


def power_of_ten(x: float) -> str:
    """2.0 × 10⁻¹⁴; 0 is 0."""
    if not x > 0.0:
        return "0"
    digits, _, power = f"{x:.1e}".partition("e")
    return f"{digits} × 10{str(int(power)).translate(_RAISED)}"
