"""Rows and columns of widgets, and the labels that head and explain them."""

from __future__ import annotations

from typing import TypeVar

from PyQt6.QtCore import QEvent, QSize
from PyQt6.QtGui import QFont, QHelpEvent
from PyQt6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QLayout, QToolTip, QVBoxLayout, QWidget
from superqt import QElidingLabel

from app.view.theme import scaled_font

Part = QWidget | QLayout | tuple[QWidget | QLayout, int] | int | None
"""What stands in a row or column: a widget or a layout, perhaps with its share of the room that is left, a gap [px], or
None where all the room that is left goes."""
Margins = tuple[int, int, int, int]  # left, top, right, bottom [px]
Box = TypeVar("Box", bound=QBoxLayout)


def hbox(holder: QWidget | None, *parts: Part, margins: Margins = (0, 0, 0, 0), spacing: int = -1) -> QHBoxLayout:
    """Parts side by side, as the layout of `holder` if there is one; spacing [px], the style's if below 0."""
    return _fill(QHBoxLayout(holder), parts, margins, spacing)


def vbox(holder: QWidget | None, *parts: Part, margins: Margins = (0, 0, 0, 0), spacing: int = -1) -> QVBoxLayout:
    """The same with the parts one above the other."""
    return _fill(QVBoxLayout(holder), parts, margins, spacing)


def _fill(box: Box, parts: tuple[Part, ...], margins: Margins, spacing: int) -> Box:
    box.setContentsMargins(*margins)
    box.setSpacing(spacing)
    for part in parts:
        what, share = part if isinstance(part, tuple) else (part, 0)
        if isinstance(what, QWidget):
            box.addWidget(what, share)
        elif isinstance(what, QLayout):
            box.addLayout(what, share)
        elif what is None:
            box.addStretch(1)
        else:
            box.addSpacing(what)
    return box


class TextLine(QElidingLabel):  # type: ignore[misc]
    """A line of text that ends in an ellipsis where there is no room: it never widens what it stands in.

    It asks for the room of the whole text all the same, and the pointer shows what is cut.
    """

    def __init__(self, text: str = "", name: str = "") -> None:
        super().__init__(text)
        self.setObjectName(name)

    @property
    def is_cut(self) -> bool:
        return bool(self._elidedText() != self.text())

    def _elidedText(self) -> str:
        return self.fontMetrics().elidedText(self.text(), self.elideMode(), self.contentsRect().width())

    def sizeHint(self) -> QSize:
        margins = self.contentsMargins()
        width = self.fontMetrics().horizontalAdvance(self.text()) + margins.left() + margins.right()
        return QSize(width + 1, super().sizeHint().height())

    def setText(self, text: str | None) -> None:
        super().setText(text or "")
        self.updateGeometry()

    def event(self, event: QEvent | None) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and self.is_cut:
            QToolTip.showText(event.globalPos(), "\n".join(filter(None, (self.text(), self.toolTip()))), self)
            return True
        return bool(super().event(event))


def without_keys(text: str) -> str:
    """A text for a button or a menu that shows as it is: a lone “&” would mark a key."""
    return text.replace("&", "&&")


def heading(text: str, scale: float) -> QLabel:
    """A label in bold, `scale` times the window's size of type."""
    label = QLabel(text)
    label.setFont(scaled_font(scale, QFont.Weight.DemiBold))
    return label


def caption(text: str = "", wrapped: bool = False) -> QLabel:
    """A label in the muted colour of what explains other things."""
    label = QLabel(text)
    label.setObjectName("caption")
    label.setWordWrap(wrapped)
    return label
