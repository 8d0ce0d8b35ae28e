"""The legend of a chart: names its curves and reads them out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QMouseEvent
from PyQt6.QtWidgets import QLabel, QWidget

from app.view.layouts import hbox
from app.view.plots.axes import format_si
from app.view.theme import Colours, scaled_font


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
        self._swatch = QLabel()
        self._swatch.setFixedSize(12, 2)
        self._label = QLabel(curve.name)
        self._value = QLabel("–")
        hbox(self, self._swatch, self._label, self._value, spacing=5)
        self.setToolTip("\n".join(filter(None, (curve.hint, "Click to hide or show"))))
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    @property
    def is_on(self) -> bool:
        return self._on and bool(self.name)

    def set_colours(self, shade: str, palette: Colours) -> None:
        self._shade, self._palette = shade, palette
        self._label.setFont(scaled_font(0.9))
        self._value.setFont(scaled_font(0.9, figures=True))
        self._value.setMinimumWidth(self._value.fontMetrics().horizontalAdvance("000.0 m" + self._unit))
        self._paint()

    def _paint(self) -> None:
        palette = self._palette
        self._swatch.setStyleSheet(f"background: {self._shade if self._on else palette.faint};")
        self._label.setStyleSheet(f"color: {palette.muted if self._on else palette.faint};")
        self._value.setStyleSheet(f"color: {palette.text if self._on else palette.faint};")

    def set_name(self, name: str) -> None:
        self.name = name
        self._label.setText(name)
        self.setVisible(bool(name))

    def set_unit(self, unit: str) -> None:
        """Another unit, for values that are shown from now on."""
        self._unit = unit

    def show_value(self, value: float | None) -> None:
        self._value.setText("–" if value is None or not self._on else format_si(value, self._unit))

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        self._on = not self._on
        self._paint()
        self.toggled.emit(self._on)


class LineKey(QWidget):
    """An entry for a line that is dotted or dashed, there only while it says something."""

    def __init__(self, style: Literal["dotted", "dashed"]) -> None:
        super().__init__()
        self._style = style
        self._swatch, self._label = QLabel(), QLabel()
        self._swatch.setFixedSize(18, 2)
        hbox(self, self._swatch, self._label, spacing=5)
        self.hide()

    @property
    def text(self) -> str:
        return self._label.text()

    def say(self, text: str) -> None:
        self._label.setText(text)
        self.setVisible(bool(text))

    def set_colours(self, palette: Colours) -> None:
        self._label.setFont(scaled_font(0.9, figures=True))
        self._label.setStyleSheet(f"color: {palette.muted};")
        self._swatch.setStyleSheet(f"border: 0 {self._style} {palette.muted}; border-top-width: 2px;")
