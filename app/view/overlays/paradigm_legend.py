"""The legend of the picture while bodies wear the colours of their paradigms: what is what, and how many there are."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QGridLayout, QLabel, QWidget

from app.view.layouts import heading
from app.view.overlays.card import Card
from app.view.paradigms import PARADIGMS
from app.view.theme import colours, scaled_font

_ORDER = ("free", "impulse", "mixed", "constraint", "penalty", "asleep", "scripted", "stopped")
_RARE = ("stopped", "penalty")  # shown only while there are some


class ParadigmLegend(Card):
    """In the upper right corner of its parent, above everything there."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "paradigm-legend", Qt.Corner.TopRightCorner, heading("Bodies by paradigm", 1.0))
        grid = QGridLayout(self)
        grid.setContentsMargins(14, 10, 14, 11)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        grid.addWidget(self.title, 0, 0, 1, 3)
        self._rows: dict[str, tuple[QLabel, QLabel, QLabel]] = {}
        known = {paradigm.name: paradigm for paradigm in PARADIGMS}
        for line, name in enumerate(_ORDER, start=1):
            swatch, word, number = QLabel(), QLabel(known[name].word), QLabel()
            swatch.setFixedSize(14, 14)
            number.setFont(scaled_font(figures=True))
            number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            number.setMinimumWidth(number.fontMetrics().horizontalAdvance("00000"))
            for column, label in enumerate((swatch, word, number)):
                label.setToolTip(known[name].hint)
                grid.addWidget(label, line, column)
            self._rows[name] = (swatch, word, number)
        self._paint()
        self.show_counts([0] * len(PARADIGMS))

    def show_counts(self, counts: Sequence[int]) -> None:
        """How many bodies are in each state, in the order of PARADIGMS."""
        changed = False
        for paradigm, count in zip(PARADIGMS, counts, strict=True):
            labels = self._rows[paradigm.name]
            if labels[2].text() != str(count):
                labels[2].setText(str(count))
                shown = count > 0 or paradigm.name not in _RARE
                for label in labels:
                    label.setVisible(shown)
                changed = True
        if changed:
            self.place()

    def counts(self) -> dict[str, int]:
        """What it says now, by name."""
        return {name: int(labels[2].text()) for name, labels in self._rows.items()}

    def _paint(self, _colours: object = None) -> None:
        super()._paint()
        c = colours()
        shades = {paradigm.name: paradigm.colour for paradigm in PARADIGMS}
        for name, (swatch, word, number) in self._rows.items():
            swatch.setStyleSheet(f"background: {shades[name]}; border: 1px solid {c.border}; border-radius: 7px;")
            word.setStyleSheet(f"color: {c.text};")
            number.setStyleSheet(f"color: {c.muted};")
