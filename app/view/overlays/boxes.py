"""What the broad phase knows: swept boxes, which contain their bodies for a while, and the tiles of the spatial hash.

Until when a box is safe to be believed is the engine's own bound: two bodies whose boxes are apart cannot touch before
the earlier of the two. The legend says which box has to be renewed first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PyQt6.QtCore import QObject, Qt
from PyQt6.QtWidgets import QGridLayout, QLabel, QWidget

from app.document.copies import names_of
from app.document.document import Document
from app.simulation.messages import Frame, Records
from app.view.layouts import heading
from app.view.overlays.card import Card
from app.view.plots.axes import format_si
from app.view.theme import Colours, colours, scaled_font
from app.view.viewport.overlays import Overlay, segments_overlay
from app.view.viewport.viewport import Viewport
from engine.arrays import Floats, Ints

MOST = 1500
"""Boxes that are drawn; of more, those that have to be renewed first."""
SHADES = (1, 3, 0, 5, 2, 4)
"""Of the theme's series, the tiles from the finest size on."""
_TILES = "hash tiles"
_CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
_EDGES = np.array([(a, b) for a in range(8) for b in range(a + 1, 8) if bin(a ^ b).count("1") == 1])


def box_lines(low: Floats, high: Floats) -> Floats:
    """The edges of boxes (k, 3), (12 k, 2, 3)."""
    corners = low[:, None] + _CORNERS * (high - low)[:, None]
    return np.asarray(corners[:, _EDGES].reshape(-1, 2, 3))


def renewed(boxes: Records) -> Ints:
    """Rows of the boxes that have bounds and an end, the first to end first."""
    rows = np.flatnonzero(np.isfinite(boxes["low"]).all(axis=1) & np.isfinite(boxes["until"]))
    return np.asarray(rows[np.argsort(boxes["until"][rows], kind="stable")])


def tiles_in_use(boxes: Records) -> tuple[Floats, Ints]:
    """The tiles that boxes which are renewed lie in at their own size: sides (k,) [m] and places (k, 3), each once."""
    rows = renewed(boxes)
    boxes = boxes[rows[boxes["tile"][rows] > 0.0]]
    tiles = {
        (float(box["tile"]), x, y, z)
        for box in boxes
        for x in {int(box["first"][0]), int(box["last"][0])}
        for y in {int(box["first"][1]), int(box["last"][1])}
        for z in {int(box["first"][2]), int(box["last"][2])}
    }
    found = sorted(tiles)
    return (
        np.array([tile[0] for tile in found], dtype=float),
        np.array([tile[1:] for tile in found], dtype=np.int64).reshape(-1, 3),
    )


def swept_overlays(boxes: Records, selected: Sequence[int], c: Colours) -> dict[str, Overlay]:
    """The swept boxes, those of selected bodies more strongly."""
    rows = renewed(boxes)
    chosen = np.isin(rows, np.asarray(selected, dtype=np.int64))
    return {
        name: segments_overlay(box_lines(boxes["low"][shown], boxes["high"][shown]), shade, width)
        for name, shown, shade, width in (
            ("swept boxes", rows[~chosen][:MOST], c.series[0], 1.2),
            ("swept boxes selected", rows[chosen], c.warning, 2.4),
        )
    }


def tile_overlays(sides: Floats, places: Ints, c: Colours) -> dict[str, Overlay]:
    """Tiles of these sides (k,) [m] at these places (k, 3), a colour for each size."""
    drawn = {}
    for k, size in enumerate(np.unique(sides)):
        low = places[sides == size] * size
        shade = c.series[SHADES[k % len(SHADES)]]
        drawn[f"{_TILES} {k}"] = segments_overlay(box_lines(low, low + size), shade, 1.0)
    return drawn


class BoxLayer(QObject):
    """Draws swept boxes and tiles, each if it is on."""

    def __init__(self, document: Document, viewport: Viewport) -> None:
        super().__init__(viewport)
        self._document, self._viewport = document, viewport
        self._selected: tuple[int, ...] = ()
        self._sizes = 0  # of tiles that are drawn
        self.legend = BoxLegend(viewport)

    def set_selection(self, rows: Sequence[int]) -> None:
        """Whose boxes stand out from the next frame on."""
        self._selected = tuple(rows)

    def draw_boxes(self, frame: Frame) -> None:
        """Draws the swept boxes of a frame."""
        if frame.boxes is None:
            return
        for name, overlay in swept_overlays(frame.boxes, self._selected, colours()).items():
            self._viewport.set_overlay(name, overlay)
        self.legend.show_boxes(frame.boxes, frame.time, names_of(self._document.scene))

    def draw_tiles(self, frame: Frame) -> None:
        """Draws the tiles that boxes lie in, a colour for each size."""
        if frame.boxes is None:
            return
        sides, places = tiles_in_use(frame.boxes)
        drawn = tile_overlays(sides, places, colours())
        for k in range(max(len(drawn), self._sizes)):
            self._viewport.set_overlay(f"{_TILES} {k}", drawn.get(f"{_TILES} {k}"))
        self._sizes = len(drawn)
        self.legend.show_tiles(sides)

    def clear(self, name: str) -> None:
        """Takes "swept" boxes or "tiles" away."""
        if name == "swept":
            for part in ("swept boxes", "swept boxes selected"):
                self._viewport.set_overlay_segments(part, None, "#000000")
        else:
            for k in range(self._sizes):
                self._viewport.set_overlay(f"{_TILES} {k}", None)
            self._sizes = 0
        self.legend.forget(name)


class BoxLegend(Card):
    """Counts, and until when the first box holds."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "box-legend", Qt.Corner.TopRightCorner, heading("Broad phase", 1.0))
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(14, 10, 14, 11)
        self._grid.setVerticalSpacing(4)
        self._grid.addWidget(self.title, 0, 0)
        self.said = {name: QLabel() for name in ("swept", "until", "tiles", "sizes")}
        for line, label in enumerate(self.said.values(), start=1):
            label.setFont(scaled_font(figures=True))
            label.hide()
            self._grid.addWidget(label, line, 0)
        self.setToolTip("Bodies whose boxes are apart cannot touch before one of the boxes has to be renewed")
        self._paint()

    def show_boxes(self, boxes: Records, time: float, names: Sequence[str]) -> None:
        """How many there are, and whose holds least long."""
        rows = renewed(boxes)
        self._say("swept", f"{len(rows)} swept boxes" if len(rows) else "no boxes that have bounds")
        said = ""
        if len(rows):
            first = int(rows[0])
            left = max(float(boxes["until"][first]) - time, 0.0)
            said = f"safe for {format_si(left, 's', 3)}: {names[first] if first < len(names) else ''}"
        self._say("until", said)

    def show_tiles(self, sides: Floats) -> None:
        """How many are in use, and of what sizes."""
        sizes, counts = np.unique(sides, return_counts=True)
        self._say("tiles", f"{len(sides)} tiles of the hash in use" if len(sides) else "no spatial hash")
        words = [format_si(float(size), "m", 3) for size in sizes]
        parts = " · ".join(f"{count} of {word}" for count, word in zip(counts, words, strict=True))
        self._say("sizes", f"by side: {parts}" if parts else "")

    def forget(self, name: str) -> None:
        """Says no more of "swept" boxes or "tiles"."""
        for part in ("swept", "until") if name == "swept" else ("tiles", "sizes"):
            self._say(part, "")

    def _say(self, name: str, said: str) -> None:
        label = self.said[name]
        if label.text() != said:
            label.setText(said)
            label.setVisible(bool(said))
            self.setVisible(any(each.text() for each in self.said.values()))
            self.place()
