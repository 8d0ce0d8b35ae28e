"""Friction cones: at each contact the forces that its friction allows, coloured by how much of them is used.

A cone stands on its contact about the normal, as wide as the coefficient of friction says; a line in it is the contact
force, all of one height. Green ones have much left, red ones slide or are about to. The contact card says the same
shares as numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PyQt6.QtCore import QObject, Qt
from PyQt6.QtWidgets import QLabel, QWidget

from app.document.copies import names_of
from app.document.document import Document
from app.simulation.messages import Frame
from app.view.contacts.rows import ContactRows, contact_rows
from app.view.layouts import caption, hbox, heading, vbox
from app.view.overlays.card import Card
from app.view.overlays.force_layer import picture_height
from app.view.theme import Colours, colours, scaled_font
from app.view.viewport.overlays import Overlay, segments_overlay
from app.view.viewport.viewport import Viewport
from engine.arrays import Floats, Ints

SHADES = ("#2fa36b", "#86b648", "#d9b832", "#e58a2c", "#d8323c")
"""From nothing used to all of it: each a fifth of the cone, the last one what is within a hundredth of sliding, too."""
UNKNOWN = "#9aa0a8"
"""Nothing presses, or nothing rubs."""
_HEIGHT = 0.055  # of the picture's height
_WIDEST = 2.5  # coefficient of friction of the widest cone that is drawn
_AROUND = 24
_NAME = "friction cones"


def shade_of(used: Floats) -> Ints:
    """Place in SHADES of shares of the cone, -1 where they are not known."""
    place = np.minimum(np.nan_to_num(used) * len(SHADES), len(SHADES) - 1).astype(np.int64)
    return np.where(np.isnan(used), -1, np.where(used > 0.99, len(SHADES) - 1, place))


def cone_lines(points: Floats, axes: Floats, friction: Floats, height: float) -> Floats:
    """Rims and sides of cones (k, lines, 2, 3) with their tips at `points`, `height` [m] along unit `axes`."""
    helper = np.where(np.abs(axes[:, 2:]) < 0.9, [[0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0]])
    side = np.cross(axes, helper)
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    other = np.cross(axes, side)
    angle = np.linspace(0.0, 2.0 * np.pi, _AROUND + 1)
    radius = height * np.minimum(friction, _WIDEST)
    around = np.cos(angle)[None, :, None] * side[:, None] + np.sin(angle)[None, :, None] * other[:, None]
    rim = points[:, None] + height * axes[:, None] + radius[:, None, None] * around
    sides = np.stack([np.broadcast_to(points[:, None], rim[:, :-1:3].shape), rim[:, :-1:3]], axis=2)
    return np.concatenate([np.stack([rim[:, :-1], rim[:, 1:]], axis=2), sides], axis=1)


def cone_overlays(rows: ContactRows, height: float, c: Colours) -> dict[str, Overlay]:
    """The cones by colour, and in each a line to where the force leaves it, or would; height: of the picture [m]."""
    height *= _HEIGHT
    lines, shades = cone_lines(rows.point, rows.along, rows.mu, height), shade_of(rows.used)
    drawn = {
        f"{_NAME} {place}": segments_overlay(lines[shades == (place if place < len(SHADES) else -1)], colour, 1.6, True)
        for place, colour in enumerate((*SHADES, UNKNOWN))
    }
    pressing = rows.normal > 1e-6 * float(rows.normal.max(initial=0.0))
    reach = rows.force[pressing] * (height / rows.normal[pressing])[:, None]
    ends = np.stack([rows.point[pressing], rows.point[pressing] + reach], axis=1)
    return drawn | {f"{_NAME} forces": segments_overlay(ends, c.text, 2.5, True)}


class ConeLayer(QObject):
    """Draws the cones of the selected bodies' contacts, of all if none is selected."""

    def __init__(self, document: Document, viewport: Viewport) -> None:
        super().__init__(viewport)
        self._document, self._viewport = document, viewport
        self._selected: tuple[int, ...] = ()
        self.legend = ConeLegend(viewport)

    def set_selection(self, rows: Sequence[int]) -> None:
        """Whose contacts are drawn from the next frame on."""
        self._selected = tuple(rows)

    def draw(self, frame: Frame) -> None:
        """Draws those of a frame."""
        if frame.contacts is None:
            self.clear()
            return
        rows = contact_rows(frame, self._selected)
        for name, overlay in cone_overlays(rows, picture_height(self._viewport), colours()).items():
            self._viewport.set_overlay(name, overlay)
        if rows.left_out:  # what bears little may use most of what it is allowed
            rows = contact_rows(frame, self._selected, len(frame.contacts))
        self.legend.show_most(rows, names_of(self._document.scene))
        self.legend.show()

    def clear(self) -> None:
        """Takes them away."""
        for place in (*range(len(SHADES) + 1), "forces"):
            self._viewport.set_overlay_segments(f"{_NAME} {place}", None, UNKNOWN)
        self.legend.hide()


class ConeLegend(Card):
    """What the colours mean, and which contact uses most."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "cone-legend", Qt.Corner.TopRightCorner, heading("Friction cones, used", 1.0))
        self.most = QLabel()
        self.most.setFont(scaled_font(figures=True))
        swatches = []
        for shade in SHADES:
            swatch = QLabel()
            swatch.setFixedSize(30, 8)
            swatch.setStyleSheet(f"background: {shade};")
            swatches.append(swatch)
        ramp = QWidget()
        hbox(ramp, caption("none "), *swatches, caption(" all, sliding"), spacing=0)
        self.setToolTip("Friction force over the most that friction allows, as the contact card says it")
        vbox(self, self.title, ramp, self.most, margins=(14, 10, 14, 11), spacing=5)
        self._paint()

    def show_most(self, rows: ContactRows, names: Sequence[str]) -> None:
        """The contact that uses most of its cone, with the number."""
        known = np.flatnonzero(~np.isnan(rows.used))
        said = "no contact presses and rubs"
        if len(known):
            k = known[int(np.argmax(rows.used[known]))]
            on, other = (names[row] if row < len(names) else "" for row in (rows.on[k], rows.other[k]))
            said = f"most {rows.used[k]:.2f}: {on} on {other}"
        if said != self.most.text():
            self.most.setText(said)
            self.place()
