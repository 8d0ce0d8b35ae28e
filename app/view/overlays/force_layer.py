"""Arrows of forces over the picture: all to one scale, which the picture gives, and a legend that says it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PyQt6.QtCore import QObject, Qt, QTimer
from PyQt6.QtWidgets import QGridLayout, QLabel, QWidget

from app.view.contacts.arrows import LEAST, force_arrows
from app.view.force_arrows import RULE
from app.view.layouts import caption, hbox, heading, vbox
from app.view.overlays.card import Card
from app.view.plots.axes import format_si
from app.view.theme import colours, scaled_font, theme
from app.view.viewport.viewport import Viewport
from engine.arrays import Floats

STEP = "of the step, or of hits"
"""Whose forces they are that the engine itself finds."""
_WIDTH = 230  # [px]


@dataclass(frozen=True, eq=False)
class Forces:
    """Forces of one kind."""

    word: str  # what they are, for the legend
    points: Floats  # (k, 3) [m]
    forces: Floats  # (k, 3) [N]
    largest: float  # that counts for the scale [N]
    series: int  # colour, among the theme's series
    width: float  # [px]
    through: bool = False
    least: float = LEAST  # of the largest: smaller ones are left out


class ForceLayer(QObject):
    """Draws the forces that it is given by name, and draws them anew when the camera moves."""

    def __init__(self, viewport: Viewport) -> None:
        super().__init__(viewport)
        self._viewport = viewport
        self._sets: dict[str, Forces] = {}
        self.legend = ForceLegend(viewport)
        viewport.camera_changed.connect(self.draw)
        theme().changed.connect(self.draw)

    def set(self, name: str, forces: Forces | None) -> None:
        """Shows other forces under a name; None takes them away."""
        if forces is not None:
            self._sets[name] = forces
        elif self._sets.pop(name, None) is not None:
            self._viewport.set_overlay_arrows(name, None, None, "#000000")
        else:
            return
        self.draw()

    def draw(self, _what: object = None) -> None:
        """Draws all of them."""
        if not self._sets:
            self.legend.hide()
            return
        largest = max(one.largest for one in self._sets.values())
        words: dict[str, int] = {}
        longest = 0.0
        for name, one in self._sets.items():
            longest = max(longest, float(np.linalg.norm(one.forces, axis=1).max(initial=0.0)))
            shown, arrows = force_arrows(one.forces, largest, picture_height(self._viewport), one.least)
            shade = colours().series[one.series]
            self._viewport.set_overlay_arrows(name, one.points[shown], arrows, shade, one.width, through=one.through)
            if shown.any():
                words[one.word] = one.series
        self.legend.show_sets(words, longest)


def picture_height(viewport: Viewport) -> float:
    """Height [m] of what the picture shows at the distance that the camera looks at."""
    return viewport.camera.height


class ForceLegend(Card):
    """In the lower right corner of its parent: whose arrows are whose, on which body, and how long."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "force-legend", Qt.Corner.BottomRightCorner, heading("Contact forces", 1.0))
        self._shown: tuple[object, ...] = ()
        self.length = QLabel()
        self.length.setFont(scaled_font(figures=True))
        self._rows = QWidget()
        self._grid = QGridLayout(self._rows)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(1, 1)
        self.rule = caption(RULE, wrapped=True)
        self.rule.setFixedSize(_WIDTH, self.rule.heightForWidth(_WIDTH))
        self.setToolTip(RULE)
        head = hbox(None, (self.title, 1), self.length, spacing=14)
        vbox(self, head, self._rows, self.rule, margins=(14, 10, 14, 11), spacing=5)
        self._paint()

    def show_sets(self, words: dict[str, int], largest: float) -> None:
        """What is drawn, with its colours among the theme's series, and the force of the longest arrow [N]."""
        self.length.setText(f"longest {format_si(largest, 'N', 3)}" if largest > 0.0 else "")
        shown = (colours().scheme, *words.items())
        if shown != self._shown:
            self._shown = shown
            while (item := self._grid.takeAt(0)) is not None:
                if (widget := item.widget()) is not None:
                    widget.deleteLater()
            for row, (word, series) in enumerate(words.items()):
                swatch = QLabel()
                swatch.setFixedSize(16, 6)
                swatch.setStyleSheet(f"background: {colours().series[series]}; border-radius: 3px;")
                self._grid.addWidget(swatch, row, 0)
                self._grid.addWidget(QLabel(word), row, 1)
            QTimer.singleShot(0, self.place)  # once the new rows have their sizes
        self.setVisible(bool(words))
        self.place()

    def fit(self, height: int) -> None:
        """The rule is left to the pointer where the card would take more than a third of the picture's height."""
        self.adjustSize()
        without = self.height() - (0 if self.rule.isHidden() else self.rule.height())
        room = without + self.rule.height() <= height // 3
        if room == self.rule.isHidden():
            self.rule.setVisible(room)
            self.adjustSize()
