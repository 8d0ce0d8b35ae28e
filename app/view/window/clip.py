"""What a bundled scene that computes slower than it runs is going to do, shown as soon as it is opened."""

from __future__ import annotations

from PyQt6.QtCore import QObject
from PyQt6.QtWidgets import QWidget

from app.document.document import Document
from app.view.overlays.clip_card import ClipCard
from app.view.recording.clips import PLAYED, RATE, clip


class Clip(QObject):
    """Plays the clip of a scene that has one over the picture, until it is closed or the scene is edited."""

    def __init__(self, document: Document, viewport: QWidget) -> None:
        super().__init__(viewport)
        self.card = ClipCard(viewport, PLAYED)
        self._document = document
        self._opening = False
        document.opened.connect(self._note_opening)
        document.scene_changed.connect(lambda _scene, _what: self._show())

    def _note_opening(self) -> None:
        self._opening = True

    def _show(self) -> None:
        opened, self._opening = self._opening, False
        file = clip(self._document.name)
        if opened and self._document.path is None and file.is_file():
            self.card.play(file, f"Recorded, {RATE // PLAYED} times as slow")
        else:
            self.card.stop()
