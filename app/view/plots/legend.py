"""The legend of a chart: names its curves and reads them out.

Its entries paint themselves: made of labels, each with a style sheet of its own, they would be a third of all widgets
of the window, and what takes longest when its colours change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QSizePolicy, QWidget

from app.view.plots.axes import format_si
from app.view.theme import Colours, scaled_font

_SWATCH, _DASHES, _GAP = 12, 18, 5  # [px]
_SIZE = 0.9  # of the type, of the window's
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True)
class Curve:
    """What one curve of a chart shows. `colour` is an index into the theme's series; -1 is the text's colour."""

    name: str
    unit: str
    colour: int
    hint: str = ""


class Key(QWidget):
    """An entry of the legend: a swatch, a name, the value; a click switches its curve on and off."""

    toggled = pyqtSignal(bool)

    def __init__(self, curve: Curve) -> None:
        super().__init__()
        self.name = curve.name
        self._unit = curve.unit
        self._on = True
        self._value = "–"
        self._size = QSize()
        self._shade = self._muted = self._text = self._faint = ""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setToolTip("\n".join(filter(None, (curve.hint, "Click to hide or show"))))
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    @property
    def is_on(self) -> bool:
        return self._on and bool(self.name)

    @property
    def value(self) -> str:
        """The value as it is read out."""
        return self._value

    def set_colours(self, shade: str, palette: Colours) -> None:
        self._shade, self._muted, self._text, self._faint = shade, palette.muted, palette.text, palette.faint
        self._name_font, self._value_font = scaled_font(_SIZE), scaled_font(_SIZE, figures=True)
        self._fit()

    def set_name(self, name: str) -> None:
        self.name = name
        self.setVisible(bool(name))
        self._fit()

    def set_unit(self, unit: str) -> None:
        """Another unit, for values that are shown from now on."""
        self._unit = unit
        self._fit()

    def show_value(self, value: float | None) -> None:
        text = "–" if value is None or not self._on else format_si(value, self._unit)
        if text != self._value:
            self._value = text
            self._fit()

    def _fit(self) -> None:
        """Asks for the room that the texts take; a value has as much as most values need, so that nothing jumps."""
        names, values = QFontMetrics(self._name_font), QFontMetrics(self._value_font)
        self._value_at = _SWATCH + _GAP + names.horizontalAdvance(self.name) + _GAP
        widest = max(values.horizontalAdvance(text) for text in (self._value, "000.0 m" + self._unit))
        size = QSize(self._value_at + widest, max(names.height(), values.height()))
        if size != self._size:
            self._size = size
            self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return self._size

    def minimumSizeHint(self) -> QSize:
        return self._size

    def paintEvent(self, _event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        place = QRectF(0, round(self.height() / 2) - 1, _SWATCH, 2)
        painter.fillRect(place, QColor(self._shade if self._on else self._faint))
        texts = (
            (_SWATCH + _GAP, self.name, self._name_font, self._muted),
            (self._value_at, self._value, self._value_font, self._text),
        )
        for left, text, font, colour in texts:
            painter.setFont(font)
            painter.setPen(QColor(colour if self._on else self._faint))
            painter.drawText(self.rect().adjusted(left, 0, 0, 0), _LEFT, text)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        self._on = not self._on
        self.update()
        self.toggled.emit(self._on)


class LineKey(QWidget):
    """An entry for a line that is dotted or dashed, there only while it says something."""

    def __init__(self, style: Literal["dotted", "dashed"]) -> None:
        super().__init__()
        self.style_of_line = Qt.PenStyle.DotLine if style == "dotted" else Qt.PenStyle.DashLine
        self.text = ""
        self._colour = ""
        self._font = scaled_font(_SIZE, figures=True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.hide()

    def say(self, text: str) -> None:
        if text != self.text:
            self.text = text
            self.updateGeometry()
            self.update()
        self.setVisible(bool(text))

    def set_colours(self, palette: Colours) -> None:
        self._colour = palette.muted
        self._font = scaled_font(_SIZE, figures=True)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self._font)
        return QSize(_DASHES + _GAP + metrics.horizontalAdvance(self.text), metrics.height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.setPen(QPen(QColor(self._colour), 2, self.style_of_line, Qt.PenCapStyle.FlatCap))
        middle = round(self.height() / 2)
        painter.drawLine(QPointF(0, middle), QPointF(_DASHES, middle))
        painter.setFont(self._font)
        painter.setPen(QColor(self._colour))
        painter.drawText(self.rect().adjusted(_DASHES + _GAP, 0, 0, 0), _LEFT, self.text)
