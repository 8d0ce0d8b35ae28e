"""Cards over the picture: each has a corner, goes aside where another one stands, and folds where none has room."""

from __future__ import annotations

from itertools import count

from PyQt6.QtCore import QEvent, QObject, QRect, QSize, Qt
from PyQt6.QtGui import QHideEvent, QMouseEvent, QPainter, QPaintEvent, QShowEvent
from PyQt6.QtWidgets import QFrame, QLabel, QWidget

from app.view.theme import colours, icon, theme

_MARGIN = 12  # [px] from the picture's edges
_GAP = 12  # [px] between two cards
_UNDER = 10  # [px] under a title, where the rest is folded
_CHEVRON = 18  # [px]
_BESIDE = 32  # [px] right of the title of a folded card, for the sign that there is more
_DIRECT = Qt.FindChildOption.FindDirectChildrenOnly
_opened = count(1)


class Card(QFrame):
    """As large as what it says. Of two that want the same place, the later one of the parent's goes aside.

    Where there is no room for all of them whole, those that were opened last stay so; the others fold to their titles,
    and a click on one opens it.
    """

    def __init__(self, parent: QWidget, name: str, corner: Qt.Corner, title: QLabel) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.title = title
        self.opened = 0
        """The larger, the later."""
        self._folded = False
        self._right = corner in (Qt.Corner.TopRightCorner, Qt.Corner.BottomRightCorner)
        self._bottom = corner in (Qt.Corner.BottomLeftCorner, Qt.Corner.BottomRightCorner)
        theme().changed.connect(self._paint)
        parent.installEventFilter(self)
        self.hide()

    @property
    def folded(self) -> bool:
        """Is only its title seen?"""
        return self._folded

    def place(self) -> None:
        """All cards of the parent go where they belong, and in front."""
        parent = self.parentWidget()
        if parent is None:
            return
        _arrange(parent.rect(), _shown(parent))

    def fit(self, height: int) -> None:
        """As large as what it says, over a picture so high [px]."""
        self.adjustSize()

    def unfold(self) -> None:
        """Its parts go where they belong again."""
        if (layout := self.layout()) is not None:
            layout.setEnabled(True)
            if self._folded:
                layout.invalidate()
            layout.activate()

    def take(self, room: QRect, folded: bool) -> None:
        """Goes where it has been given room. Folded, all of its parts but the title wait where nobody sees them."""
        if folded != self._folded:
            self._folded = folded
            self.setCursor(Qt.CursorShape.PointingHandCursor if folded else Qt.CursorShape.ArrowCursor)
        if (layout := self.layout()) is not None:
            layout.activate()
            layout.setEnabled(not folded)
        self.setGeometry(room)
        if folded:
            for part in self.findChildren(QWidget, options=_DIRECT):
                part.move(part.x(), part.y() if part is self.title else room.height())
        self.raise_()

    def title_size(self) -> QSize:
        """Of the card when it is folded."""
        place = self.title.geometry()
        return QSize(place.x() + self.title.sizeHint().width() + _BESIDE, place.y() + place.height() + _UNDER)

    def room_in(self, inside: QRect, size: QSize, taken: list[QRect]) -> QRect | None:
        """Its corner, or as near to it as there is room, in the same row first; None where there is no room."""
        corner = QRect(inside.topLeft(), size)
        if self._right:
            corner.moveRight(inside.right())
        if self._bottom:
            corner.moveBottom(inside.bottom())
        width, height = size.width(), size.height()
        across = {corner.x(), *(x for t in taken for x in (t.left() - _GAP - width, t.right() + 1 + _GAP))}
        down = {corner.y(), *(y for t in taken for y in (t.top() - _GAP - height, t.bottom() + 1 + _GAP))}
        within = [x for x in across if inside.left() <= x <= inside.right() + 1 - width]
        within.sort(key=lambda x: abs(x - corner.x()))
        for y in sorted(down, key=lambda y: abs(y - corner.y())):
            if not inside.top() <= y <= inside.bottom() + 1 - height:
                continue
            level = [t for t in taken if t.top() - _GAP < y + height and y < t.bottom() + 1 + _GAP]
            for x in within:
                if all(x + width <= t.left() - _GAP or t.right() + 1 + _GAP <= x for t in level):
                    return QRect(x, y, width, height)
        return None

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        parent = self.parentWidget()
        if parent is not None and event is not None and event.type() == QEvent.Type.Resize:
            if self in _shown(parent)[:1]:  # one of them for all
                self.place()
        return super().eventFilter(watched, event)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        if self._folded:
            self.opened = next(_opened)
            self.place()
        super().mousePressEvent(event)

    def showEvent(self, event: QShowEvent | None) -> None:
        super().showEvent(event)
        if event is None or not event.spontaneous():
            self.opened = next(_opened)
        self.place()

    def hideEvent(self, event: QHideEvent | None) -> None:
        super().hideEvent(event)
        self.place()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        super().paintEvent(event)
        if self._folded:
            sign = QRect(0, 0, _CHEVRON, _CHEVRON)
            sign.moveCenter(self.title.geometry().center())
            sign.moveRight(self.width() - 8)
            icon("mdi6.chevron-down").paint(QPainter(self), sign)

    def _paint(self, _colours: object = None) -> None:
        c = colours()
        self.setStyleSheet(
            f"QFrame#{self.objectName()} {{ background: {c.panel}; border: 1px solid {c.border}; border-radius: 8px; }}"
        )


def _shown(parent: QWidget) -> list[Card]:
    cards = parent.findChildren(Card, options=_DIRECT)
    return [card for card in cards if not card.isHidden()]


def _arrange(picture: QRect, cards: list[Card]) -> None:
    """All are whole where there is room; where not, as many as can be, those that were opened last first."""
    for card in cards:
        card.unfold()
        card.fit(picture.height())
    inside = picture.adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
    whole = cards
    rooms = _rooms(inside, cards, whole)
    if None in rooms.values():
        whole = []
        for card in sorted(cards, key=lambda card: card.opened, reverse=True):
            if not whole or None not in _rooms(inside, cards, [*whole, card]).values():
                whole.append(card)
        rooms = _rooms(inside, cards, whole)
    for card, room in rooms.items():
        if room is None:  # the one that is whole is seen in part, other titles wait outside until there is room
            at = inside.topLeft() if card in whole else picture.bottomRight()
            room = QRect(at, card.size())
        card.take(room, card not in whole)


def _rooms(inside: QRect, cards: list[Card], whole: list[Card]) -> dict[Card, QRect | None]:
    """Where each goes, with only some of them whole, which choose first."""
    taken: list[QRect] = []
    rooms: dict[Card, QRect | None] = {}
    for card in sorted(cards, key=lambda card: card not in whole):
        room = card.room_in(inside, card.size() if card in whole else card.title_size(), taken)
        rooms[card] = room
        if room is not None:
            taken.append(room)
    return rooms
