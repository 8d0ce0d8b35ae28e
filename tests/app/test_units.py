"""Numbers with units: what is typed in another unit comes out in the field's own, and what does not fit is told."""

from __future__ import annotations

import math
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from pytestqt.qtbot import QtBot

import engine.scene
from app.view import units
from app.view.forms.numbers import NumberBox
from app.view.units import load_units, parse_quantity


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("5 cm", "m", 0.05),
        ("5cm", "m", 0.05),
        ("2 in", "m", 0.0508),
        ("1e-3 km", "m", 1.0),
        ("(1+2)/4 mm", "m", 0.00075),
        ("0,5 mm", "m", 0.0005),
        ("30 rpm", "rad/s", math.pi),
        ("2*pi rad", "deg", 360.0),
        ("45°", "rad", math.pi / 4),
        ("0.5 g", "kg", 0.0005),
        ("36 km/h", "m/s", 10.0),
        ("7.8 g/cm3", "kg/m3", 7800.0),
        ("7.8 g/cm³", "kg/m3", 7800.0),
        ("2 g cm2", "kg m2", 2e-7),
        ("3 kN", "N, N m", 3000.0),
        ("3 kN m", "N, N m", 3000.0),
        ("90 deg", "m, rad", math.pi / 2),
        ("40 ms", "s", 0.04),
        ("3 1/s", "1/s", 3.0),
        ("30 /min", "1/s", 0.5),
        ("25 %", "", 0.25),
        ("2*g", "m/s2", 19.62),
        ("0.057/2", "m", 0.0285),
    ],
)
def test_what_is_typed_comes_out_in_the_fields_unit(text: str, unit: str, value: float) -> None:
    assert parse_quantity(text, unit) == pytest.approx(value, rel=1e-14)


def test_round_numbers_stay_round() -> None:
    assert parse_quantity("2 g/cm3", "kg/m3") == 2000.0
    assert parse_quantity("7 cm", "m") == 0.07


@pytest.mark.parametrize(
    ("text", "unit", "said"),
    [
        ("5 kg", "m", "does not fit: this is in m"),
        ("5 m", "", "does not fit: this is in no unit"),
        ("60 rpm", "Hz", "does not fit"),  # a turn is 2 pi radians: not to be mistaken for one a second
        ("5 furlings", "m", "no unit that is known"),
        ("five", "m", "is not a number"),
        ("cm", "m", "is not a number"),
        ("1/0 m", "m", "is not a number"),
        ("5 km2266", "m", "no unit that is known"),  # beyond all numbers in metres
    ],
)
def test_what_does_not_fit_is_told(text: str, unit: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        parse_quantity(text, unit)


def test_every_unit_of_the_format_is_known() -> None:
    found = set()
    for file in Path(engine.scene.__file__).parent.glob("*.py"):
        found |= set(re.findall(r'unit="([^"]+)"', file.read_text(encoding="utf-8")))
    assert len(found) > 15
    for unit in found:
        for one in unit.split(", "):
            assert parse_quantity(f"3 {one}", unit) == 3.0, unit


def test_a_box_takes_units_and_keeps_what_does_not_fit(qtbot: QtBot) -> None:
    box = NumberBox("m")
    qtbot.addWidget(box)
    box.show()
    box.set_value(1.0)
    taken, refused = [], []
    box.committed.connect(lambda value, _gesture: taken.append(value))
    box.rejected.connect(refused.append)
    for text in ("25 mm", "3 kg"):
        box.selectAll()
        QTest.keyClicks(box, text)
        QTest.keyClick(box, Qt.Key.Key_Return)
    assert taken == [0.025]
    assert refused == ["“kg” does not fit: this is in m"]
    assert box.text() == "3 kg" and box.property("invalid")


def test_units_are_read_once_whoever_asks_meanwhile() -> None:
    """Two windows that open at once, and somebody who types: pint does not read its table twice at a time."""
    units._read.cache_clear()
    with ThreadPoolExecutor(4) as pool:
        load_units()
        load_units()
        found = list(pool.map(lambda _: parse_quantity("5 cm", "m"), range(8)))
    assert found == [0.05] * 8
    for thread in threading.enumerate():
        if thread.name == "units":
            thread.join()
    assert units._read.cache_info().misses == 1
