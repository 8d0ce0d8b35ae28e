"""Impending motion over the paused scene: an arrow of each formulation at every body that touches something."""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QObject

from app.document import placement
from app.document.copies import names_of
from app.document.document import Document
from app.simulation.impending import ImpendingResult, ImpendingSolver
from app.simulation.messages import Frame
from app.view.overlays.impending_card import SERIES, ImpendingCard
from app.view.theme import colours, theme
from app.view.viewport.overlays import pixel_slope
from app.view.viewport.viewport import Viewport
from engine.arrays import Floats

NAMES = ("impending forces", "impending gauss", "impending descent")
_LONGEST = 2.0  # arrow of the largest acceleration, in typical sizes of a body
_WIDTH, _BESIDE = 5.0, 11.0  # of an arrow, and from one to the next [pixels]
_STILL = 1e-6  # accelerations below this part of the largest free one are none


class Impending(QObject):
    """Has the contact problem of the paused scene worked out, and draws what comes back."""

    def __init__(self, document: Document, viewport: Viewport) -> None:
        super().__init__(viewport)  # so that signals no longer come when the window is gone
        self._document, self._viewport = document, viewport
        self._solver = ImpendingSolver(self)
        self._solver.solved.connect(self._take)
        self.card = ImpendingCard(viewport)
        self._on = False
        self._frictionless = True
        self._asked: tuple[int, bool] | None = None  # the problem that was asked about, and how
        self._ticket = 0
        self._frame: Frame | None = None
        self.result: ImpendingResult | None = None
        viewport.camera_changed.connect(self._draw)
        document.selection_changed.connect(self._fill_card)
        theme().changed.connect(self._draw)

    def set_on(self, on: bool) -> None:
        """Switches arrows and card."""
        self._on = on
        self.card.setVisible(on)
        if not on:
            self._forget()
        self._fill_card()

    def set_frictionless(self, on: bool) -> None:
        """Whether friction is ignored where there is some; else nothing is shown of such scenes."""
        self._frictionless = on
        self.card.friction.setChecked(on)
        if self._on:
            self.show_frame(self._frame)

    def close(self) -> None:
        """Ends the thread."""
        self._solver.close()

    def show_frame(self, frame: Frame | None) -> None:
        """Has the problem of a new frame worked out; a frame without one belongs to a running simulation."""
        self._frame = frame
        if not self._on:
            return
        problem = None if frame is None else frame.problem
        if problem is None:
            self._forget()
            self._fill_card()
        elif self._asked != (id(problem), self._frictionless):
            self._asked = (id(problem), self._frictionless)
            self._ticket = self._solver.ask(problem, self._frictionless)

    def _take(self, ticket: int, result: ImpendingResult) -> None:
        if ticket == self._ticket and self._on and self._asked is not None:
            self.result = result
            self._draw()
            self._fill_card()

    def _forget(self) -> None:
        self._asked, self.result = None, None
        self._draw()

    def _fill_card(self, _what: object = None) -> None:
        if self._on:
            names = names_of(self._document.scene)
            self.card.show_result(self.result, tuple(self._document.selected_rows()), names)

    def _draw(self, _what: object = None) -> None:
        """Three arrows side by side at each centre of mass, as the camera sees it; a dot where nothing moves."""
        view = self._viewport
        motion = None if self.result is None else self.result.motion
        if self.result is None or motion is None:
            for name in NAMES:
                view.set_overlay_arrows(name, None, None, "#000000")
            view.set_overlay_segments("impending rest", None, "#000000")
            return
        centre = self.result.problem.centre
        ways = [a[:, :3] for a in (motion.forces, motion.gauss, motion.steepness * motion.descent)]
        lengths = [np.linalg.norm(way, axis=1) for way in ways]
        least = _STILL * float(np.linalg.norm(motion.free[:, :3], axis=1).max(initial=0.0))
        largest = max(float(length.max(initial=0.0)) for length in lengths)
        scale = _LONGEST * placement.typical_size(self._document.scene) / largest if largest > least else 0.0
        aside = self._aside(centre, ways[0])
        for k, (name, way, length) in enumerate(zip(NAMES, ways, lengths)):
            shown = length > least
            shade = colours().series[SERIES[k]]
            tails = centre + (k - 1) * aside
            view.set_overlay_arrows(name, tails[shown], scale * way[shown], shade, _WIDTH, through=True)
        still = np.all([length <= least for length in lengths], axis=0)
        dots = np.repeat(centre[still, None, :], 2, axis=1)
        view.set_overlay_segments("impending rest", dots, colours().text, 9.0, through=True)

    def _aside(self, origins: Floats, ways: Floats) -> Floats:
        """From one arrow to the next: across the arrow and across the line of sight, so many pixels, (n, 3)."""
        camera = self._viewport.camera
        sight = origins - np.asarray(camera.position)
        depth = np.linalg.norm(sight, axis=1, keepdims=True)
        across = np.cross(ways, sight)
        size = np.linalg.norm(across, axis=1, keepdims=True)
        across = np.divide(across, size, out=np.zeros_like(across), where=size > 0.0)
        return np.asarray(across * depth * _BESIDE * pixel_slope(camera.fov, self._viewport.view_size[1]))
