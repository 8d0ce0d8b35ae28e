"""Rows and columns of widgets, and the labels that head and explain them."""

from __future__ import annotations

from typing import TypeVar

from PyQt6.QtGui import QFont
from PyQt6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QLayout, QVBoxLayout, QWidget

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
