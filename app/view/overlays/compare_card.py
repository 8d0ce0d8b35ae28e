"""The card over the picture that says how far the run is from the one that is pinned, and where they parted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QGridLayout, QLabel, QWidget

from app.simulation.difference import Apart, Difference
from app.view.events.words import say_event
from app.view.layouts import caption, heading, vbox
from app.view.overlays.card import Card
from app.view.plots.axes import format_si
from app.view.theme import scaled_font

MODES = {
    "impulse": "impulses", "constraint": "constraint forces", "hybrid": "hybrid", "penalty": "penalty",
}  # fmt: skip
_WIDTH = 300  # of its words [px]
_BESIDE = 76  # what else a card takes of the width, with its margins [px]


class CompareCard(Card):
    """In the upper right corner of its parent, while a run is pinned: what falls ends below."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "compare-card", Qt.Corner.TopRightCorner, heading("", 1.0))
        self.distance, self.difference = QLabel(), QLabel()
        self.note = caption(wrapped=True)
        self._swatch = QLabel()
        self._swatch.setFixedSize(14, 14)
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        grid.addWidget(self._swatch, 0, 0)
        self._labels = (self.title, self.distance, self.difference, self.note)
        for row, label in enumerate(self._labels):
            label.setWordWrap(True)
            grid.addWidget(label, row, 1)
        self.distance.setFont(scaled_font(figures=True))
        vbox(self, grid, margins=(14, 10, 14, 10))
        self._paint()

    def fit(self, height: int) -> None:
        """Low and wide where it would take more than a third of the picture's height."""
        parent = self.parentWidget()
        self._set_width(_WIDTH)
        if parent is not None and 3 * self.height() > height:
            self._set_width(max(_WIDTH, parent.width() - _BESIDE))

    def _set_width(self, width: int) -> None:
        for label in self._labels:
            label.setFixedWidth(width)
        if (layout := self.layout()) is not None:
            layout.invalidate()
            layout.activate()
        self.adjustSize()

    def set_ghost_colour(self, colour: str) -> None:
        """The colour that its bodies wear in the picture."""
        self._swatch.setStyleSheet(f"background: {colour}; border-radius: 3px;")

    def show_run(self, title: str, mode: str) -> None:
        """Which run it is."""
        self._say(self.title, f"Pinned: {title}, {MODES.get(mode, mode)}")

    def show_apart(self, apart: Apart | None, lag: float) -> None:
        """How far they are apart; lag: of the pinned run behind this one [s]."""
        if apart is None:
            text = "Computing the pinned run"
        elif not apart.name:
            text = "No body has the same name in both"
        elif apart.same:
            text = "Every body is where its ghost is, to the bit"
        else:
            text = f"Farthest from its ghost: {apart.name}, {format_si(apart.distance, 'm')}"
        self._say(self.distance, text + (f"\nThe ghost lags {format_si(lag, 's', 2)} behind" if lag else ""))

    def show_difference(self, found: Difference | None, names: Sequence[str]) -> None:
        """The first event that is not in both runs."""
        text = "The same events so far" if found is None else f"First difference: {say_difference(found, names)}"
        self._say(self.difference, text)

    def show_note(self, text: str) -> None:
        """What else there is to know, such as bodies that are left out."""
        self._say(self.note, text)
        self.note.setVisible(bool(text))

    def _say(self, label: QLabel, text: str) -> None:
        if label.text() != text:
            label.setText(text)
            if not self.isHidden():
                self.place()


def say_difference(found: Difference, names: Sequence[str]) -> str:
    """ "t = 0.512000 s, collision: ball – floor, not in the pinned run"."""
    own, pinned = found.event, found.pinned
    if own is not None and pinned is not None and _alike(own, pinned):
        what, how = own, _say_how(own, pinned)
    elif own is not None and float(own["time"]) == found.time:
        what, how = own, "not in the pinned run"
    else:
        assert pinned is not None
        what, how = pinned, "not in this run"
    said = say_event(what, names)
    return f"t = {found.time:.6f} s, {said[:1].lower()}{said[1:]}, {how}"


def _alike(own: np.void, pinned: np.void) -> bool:
    return all(own[field] == pinned[field] for field in ("kind", "body_a", "body_b"))


def _say_how(own: np.void, pinned: np.void) -> str:
    """In what the same event of both differs."""
    later = float(own["time"]) - float(pinned["time"])
    if later:
        return f"{format_si(abs(later), 's')} {'earlier' if later < 0.0 else 'later'} than in the pinned run"
    sizes = [float(np.linalg.norm(event["impulse"])) for event in (own, pinned)]
    if sizes[0] != sizes[1]:
        return f"with {format_si(sizes[0], 'N s')} instead of {format_si(sizes[1], 'N s')}"
    return "with another impulse, point or reason"
