"""The pairs that are checked next, as lines, and their legend: until when the first is safe by the engine's bound."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QLabel, QWidget

from app.simulation.messages import Records
from app.view.layouts import heading, vbox
from app.view.overlays.card import Card
from app.view.plots.axes import format_si
from app.view.theme import Colours, scaled_font
from app.view.viewport.overlays import Overlay, segments_overlay
from engine.arrays import Floats

PAIRS = 24
"""Pairs that have lines."""


class PairLegend(Card):
    """Which pair is checked next, when, and how far apart the two were at their last check."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "pair-legend", Qt.Corner.TopRightCorner, heading("Pairs checked next", 1.0))
        self.safe, self.pair = QLabel(), QLabel()
        for label in (self.safe, self.pair):
            label.setFont(scaled_font(figures=True))
        self.setToolTip("No pair can touch before its next check: bounds on its motion and its gap say so")
        vbox(self, self.title, self.safe, self.pair, margins=(14, 10, 14, 11), spacing=4)
        self._paint()

    def show_first(self, rows: Records, time: float, names: Sequence[str]) -> None:
        """Tells of the first of the heap's rows, read at `time` [s]; goes away where there are none."""
        self.setVisible(len(rows) > 0)
        if not len(rows):
            return
        first = rows[0]
        left = max(float(first["time"]) - time, 0.0)
        a, b = (names[row] if row < len(names) else "" for row in (int(first["body_a"]), int(first["body_b"])))
        gap = float(first["gap"])
        apart = f"gap {format_si(gap, 'm', 3)}" if isfinite(gap) else "not checked yet"
        safe = f"safe for {format_si(left, 's', 3)}, all of them" if isfinite(left) else "safe: none come nearer"
        said = (safe, f"first {a} and {b}, {apart}")
        if said != (self.safe.text(), self.pair.text()):
            self.safe.setText(said[0])
            self.pair.setText(said[1])
            self.place()


def pair_segments(rows: Records) -> Floats:
    """Lines between the closest points of pairs, (m, 2, 3)."""
    return np.stack([rows["point_a"], rows["point_b"]], axis=1).astype(float)


def pair_overlay(heap: Records, c: Colours) -> Overlay:
    """Lines between the closest points of the pairs that are checked next."""
    return segments_overlay(pair_segments(heap[:PAIRS]), c.series[3], 1.5)
