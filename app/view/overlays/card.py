"""Cards over the picture: each has a corner, and goes aside where another one stands."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, QRect, Qt
from PyQt6.QtGui import QHideEvent, QShowEvent
from PyQt6.QtWidgets import QFrame, QWidget

from app.view.theme import colours, theme

_MARGIN = 12  # [px] from the picture's edges
_GAP = 12  # [px] between two cards


class Card(QFrame):
    """As large as what it says. Of two that want the same place, the later one of the parent's goes aside."""

    def __init__(self, parent: QWidget, name: str, corner: Qt.Corner) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._right = corner in (Qt.Corner.TopRightCorner, Qt.Corner.BottomRightCorner)
        self._bottom = corner in (Qt.Corner.BottomLeftCorner, Qt.Corner.BottomRightCorner)
        theme().changed.connect(self._paint)
        parent.installEventFilter(self)
        self.hide()

    def place(self) -> None:
        """All cards of the parent go where they belong, and in front."""
        parent = self.parentWidget()
        if parent is None:
            return
        taken: list[QRect] = []
        for card in parent.findChildren(Card, options=Qt.FindChildOption.FindDirectChildrenOnly):
            if not card.isHidden():
                card.fit(parent.height())
                taken.append(card._room_in(parent.rect(), taken))
                card.move(taken[-1].topLeft())
                card.raise_()

    def fit(self, height: int) -> None:
        """As large as what it says, over a picture so high [px]."""
        self.adjustSize()

    def _room_in(self, picture: QRect, taken: list[QRect]) -> QRect:
        """Its corner, or as near to it as there is room, in the same row first; its corner where there is none."""
        inside = picture.adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        corner = QRect(inside.topLeft(), self.size())
        if self._right:
            corner.moveRight(inside.right())
        if self._bottom:
            corner.moveBottom(inside.bottom())
        if not taken:
            return corner
        across = [corner.x(), *(x for t in taken for x in (t.left() - _GAP - corner.width(), t.right() + 1 + _GAP))]
        down = [corner.y(), *(y for t in taken for y in (t.top() - _GAP - corner.height(), t.bottom() + 1 + _GAP))]
        rooms = [corner.translated(x - corner.x(), y - corner.y()) for x in across for y in down]
        free = [room for room in rooms if inside.contains(room) and not any(_are_near(room, t) for t in taken)]
        return min(free, key=lambda room: (abs(room.y() - corner.y()), abs(room.x() - corner.x())), default=corner)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        if event is not None and event.type() == QEvent.Type.Resize and not self.isHidden():
            self.place()
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent | None) -> None:
        super().showEvent(event)
        self.place()

    def hideEvent(self, event: QHideEvent | None) -> None:
        super().hideEvent(event)
        self.place()

    def _paint(self, _colours: object = None) -> None:
        c = colours()
        self.setStyleSheet(
            f"QFrame#{self.objectName()} {{ background: {c.panel}; border: 1px solid {c.border}; border-radius: 8px; }}"
        )


def _are_near(one: QRect, other: QRect) -> bool:
    """Is there no gap between them?"""
    return one.adjusted(-_GAP, -_GAP, _GAP, _GAP).intersects(other)
