"""Axes that write their unit at every tick, with an SI prefix; and scales on which zero and ten decades both fit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QRectF

from app.view.theme import Colours, fitted_font, scaled_font
from engine.arrays import Floats

_PREFIXES = {-12: "p", -9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T"}


def format_si(value: float, unit: str, digits: int = 4) -> str:
    """A value to `digits` figures with an SI prefix, such as "12.50 mJ"; "–" when it is not known.

    Far beyond the prefixes it is a power of ten: a residual of rounding may be as small as numbers go.
    """
    if not math.isfinite(value):
        return "–"
    if value == 0.0:
        return f"0 {unit}".rstrip()
    power = math.floor(math.log10(abs(value)) + 1e-12)
    power = math.floor(math.log10(abs(float(f"{value:.{digits - 1}e}"))))  # rounding may reach the next decade
    if unit == "":
        if 0 <= power < 15 and float(value).is_integer():
            return f"{value:,.0f}".replace(",", "\u2009")
    if not -15 <= power < 18:
        return f"{value:.{digits - 1}e} {unit}".rstrip()
    exponent = min(max(3 * (power // 3), -12), 12)
    decimals = max(0, digits - 1 - (power - exponent))
    return f"{value / 10.0**exponent:.{decimals}f} {_PREFIXES[exponent]}{unit}".rstrip()


_BESIDE_LABEL = 8  # [px] of an axis that its labels leave free


class _Axis(pg.AxisItem):  # type: ignore[misc]
    """An axis with a grid and one level of ticks: half the lines to paint, and calmer than pyqtgraph's three."""

    def __init__(self, orientation: str, unit: str) -> None:
        super().__init__(orientation)
        self._unit = unit
        self.enableAutoSIPrefix(False)
        self.setStyle(tickLength=-4, tickTextOffset=6, autoExpandTextSpace=False)

    def set_unit(self, unit: str) -> None:
        """Another unit of the ticks."""
        self._unit = unit
        self._fit_font()
        self.picture = None
        self.update()

    def _fit_font(self) -> None:
        """pyqtgraph leaves labels out that are wider than their axis: where its width is given, they are condensed."""
        font = scaled_font(0.8, figures=True)
        if self.orientation == "left" and self.fixedWidth is not None:
            font = fitted_font(font, f"-000 m{self._unit}", self.fixedWidth - _BESIDE_LABEL)
        self.setTickFont(font)

    def set_colours(self, palette: Colours, grid: int) -> None:
        """Paint it under the curves, with grid lines as opaque as `grid`, 0 to 255."""
        self.setPen(pg.mkPen(palette.border))
        self.setTextPen(pg.mkPen(palette.muted))
        self.setTickPen(pg.mkPen(palette.plot_grid))
        self._fit_font()
        self.setGrid(grid)
        self.setZValue(-1000)

    def boundingRect(self) -> QRectF:
        """Wide enough for the labels of ticks at the very ends, which pyqtgraph leaves out when there is a grid."""
        rect = super().boundingRect()
        return rect.adjusted(0, -8, 0, 8) if self.orientation == "left" else rect.adjusted(-20, 0, 20, 0)


class SiAxis(_Axis):
    """Linear; ticks such as "250 mJ". All ticks of an axis share one prefix."""

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        wanted = (high - low) * (64.0 if self.orientation == "bottom" else 30.0) / max(size, 1.0)
        decade = 10.0 ** math.floor(math.log10(max(wanted, 1e-300)))
        return [(next(step * decade for step in (1, 2, 5, 10) if step * decade >= wanted * (1.0 - 1e-9)), 0.0)]

    def tickStrings(self, values: Any, scale: float, spacing: float) -> list[str]:
        largest = max((abs(value) for value in values), default=0.0)
        if largest == 0.0 or not math.isfinite(largest):
            return [f"{value:g}" for value in values]
        exponent = min(max(3 * math.floor(math.log10(largest) / 3 + 1e-9), -12), 12)
        if exponent == 3 and largest < 10_000.0 and self._unit in ("s", ""):
            exponent = 0  # 1500 s, not 1.5 ks
        factor = 10.0**-exponent
        places = max(0, math.ceil(-math.log10(spacing * factor) - 1e-9))
        unit = f" {_PREFIXES[exponent]}{self._unit}".rstrip()
        return [f"{value * factor + 0.0:.{places}f}{unit}" if abs(value) > 1e-3 * spacing else "0" for value in values]


class DecadeAxis(_Axis):
    """For values that were transformed by a `Scale`: ticks at whole decades."""

    def __init__(self, orientation: str, unit: str, scale: Scale) -> None:
        super().__init__(orientation, unit)
        self._scale = scale

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        room = max(2, int(size / 24.0))
        bottom, top = self._scale.decades(low, high)
        if top - bottom < 3 and 3 * (top - bottom + 1) <= room + 2:  # too few whole decades to read from
            values = [digit * 10.0**decade for decade in range(bottom, top + 1) for digit in (1, 2, 5)]
        else:
            values = [10.0**decade for decade in range(bottom, top + 1, max(1, math.ceil((top - bottom) / room)))]
        if self._scale.has_zero and low <= 0.0 and top >= 2:
            values = [value for value in values if value > 1.0]  # 1 would be written over 0
        places = [self._scale.place(value) for value in values]
        return [(1.0, [place for place in places if low <= place <= high] + self._zero(low))]

    def _zero(self, low: float) -> list[float]:
        return [0.0] if self._scale.has_zero and low <= 0.0 else []

    def tickStrings(self, values: Any, scale: float, spacing: float) -> list[str]:
        plain = [self._scale.value(place) for place in values]
        return [format_si(value, self._unit, 1) if value > 1e-12 else "0" for value in plain]


class Scale:
    """How values are laid out along an axis."""

    def __init__(
        self,
        forward: Callable[[Floats], Floats],
        backward: Callable[[Floats], Floats],
        has_zero: bool,
        is_linear: bool = False,
    ) -> None:
        self.forward, self.backward, self.has_zero, self.is_linear = forward, backward, has_zero, is_linear

    def place(self, value: float) -> float:
        """Where a value lies along the axis."""
        return float(self.forward(np.array([value]))[0])

    def value(self, place: float) -> float:
        """The value at a place along the axis."""
        return float(self.backward(np.array([place]))[0])

    def decades(self, low: float, high: float) -> tuple[int, int]:
        """The powers of ten at or below two places; not under 1 where zero is shown."""
        top = math.floor(math.log10(max(self.value(high), 1e-300)) + 1e-9)
        bottom = math.floor(math.log10(max(self.value(low), 1e-300)) + 1e-9)
        return (max(bottom, 0), max(top, 0)) if self.has_zero else (bottom, top)


def _log(values: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(values > 0.0, np.log10(values), np.nan)


LINEAR = Scale(lambda values: values, lambda values: values, has_zero=True, is_linear=True)
LOG = Scale(_log, lambda values: np.power(10.0, values), has_zero=False)
"""Powers of ten; zero and below have no place and leave a gap."""
LOG_FROM_ZERO = Scale(lambda v: np.log10(1.0 + v), lambda v: np.power(10.0, v) - 1.0, has_zero=True)
"""Powers of ten for rates: log10(1 + v), so that nothing happening is shown too."""
