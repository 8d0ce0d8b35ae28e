"""Numbers with units, as they are typed: `5 cm` where metres are asked for, `30 rpm` where radians a second are."""

from __future__ import annotations

import re
import threading
from functools import cache
from typing import Any

from app.view.arithmetic import parse_number

_READING = threading.Lock()

_UNIT_TEXT = {"m/s2": "m/s²", "rad/s2": "rad/s²", "kg/m3": "kg/m³", "kg m2": "kg m²", "deg": "°"}


def unit_text(unit: str) -> str:
    """How a unit is written on the screen."""
    return _UNIT_TEXT.get(unit, unit)


def parse_quantity(text: str, unit: str) -> float:
    """A number in `unit`: arithmetic, with or without a unit of the same kind after it.

    ValueError with a sentence if it is neither, or the unit is of another kind.
    """
    try:
        return parse_number(text)
    except ValueError:
        number, given = _split(text)
        if not given:
            raise
    asked = unit_text(unit) or "no unit"
    registry = _registry()
    try:
        source = registry.parse_units(_spelled(given))
        base = registry.get_base_units(source)[1]  # of cm to the power of a thousand it has none either
    except Exception as error:  # pint's own errors, and those of the parsers below it
        raise ValueError(f"“{given}” is no unit that is known; this is in {asked}") from error
    for one in unit.split(", "):
        goal = registry.parse_units(_spelled(one))
        # Radians count: turns a second are no hertz.
        if base == registry.get_base_units(goal)[1]:
            return float(f"{registry.Quantity(number, source).to(goal).magnitude:.15g}")  # as typed, without rounding
    raise ValueError(f"“{given}” does not fit: this is in {asked}")


def load_units() -> None:
    """Reads the table of units, which takes half a second, beside what goes on."""
    if not _read.cache_info().currsize:
        threading.Thread(target=_registry, name="units", daemon=True).start()


def _split(text: str) -> tuple[float, str]:
    """The number at the beginning, and the unit after it; "" if there is no such number."""
    text = text.strip()
    for end in range(len(text) - 1, 0, -1):
        if not (text[end].isalpha() or text[end] in "°%" or re.match(r"1?/\D", text[end:])):
            continue
        try:
            return parse_number(text[:end]), text[end:]
        except ValueError:
            continue
    return 0.0, ""


def _spelled(unit: str) -> str:
    """As pint reads it: kg m2 is kg*m**2."""
    unit = f"1{unit}" if unit.startswith("/") else unit
    powers = re.sub(r"(?<=[^\W\d])(\d)", r"**\1", unit.strip().replace("²", "2").replace("³", "3").replace("^", ""))
    return re.sub(r"\s*[\s·]\s*", "*", powers)


def _registry() -> Any:
    """The table of units. Whoever asks while another thread reads it waits: pint does not read two at once."""
    with _READING:
        return _read()


@cache
def _read() -> Any:
    import pint  # here: it takes as long to read as the rest of the window, and few type a unit

    return pint.UnitRegistry()
