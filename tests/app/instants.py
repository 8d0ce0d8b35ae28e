"""An instant of a run, known twice: by a window that stands there, and by a run without one.

The numbers of the second source are `carom run --json`'s and those of a world of its own. Texts are read here with
other words than the window writes them with.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from app.__main__ import main
from app.view.plots.chart import Chart
from app.view.window.main_window import MainWindow
from engine import World, load_scene
from tests.app.test_timeline import run_until, settle

_PREFIXES = {"": 1.0, "p": 1e-12, "n": 1e-9, "µ": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_NUMBER = r"[-−]?\d[\d.]*(?:e[-+]?\d+)?"


@dataclass(frozen=True)
class Instant:
    """Where a window stands, and what is true there."""

    window: MainWindow
    told: dict[str, Any]  # by `carom run --json`
    world: World  # another one, at that time
    events: np.ndarray  # all that it has logged since the start

    @property
    def time(self) -> float:
        return float(self.told["time"])

    def of_body(self, name: str) -> list[dict[str, Any]]:
        """The contacts of a body."""
        return [contact for contact in self.told["contacts"] if name in contact["bodies"]]

    @property
    def busiest(self) -> str:
        """The body that moves by itself and has most contacts, of those that the scene says one by one; else ""."""
        free = [body.name for body in self.window.document.scene.body if body.motion == "free"]
        return max(free, key=lambda name: len(self.of_body(name)), default="")


def run_past(qtbot: Any, window: MainWindow, time: float) -> None:
    """Runs to a time, pauses, and goes a frame on: a pause may come between two events of one instant."""
    run_until(qtbot, window, time)
    QTest.keyClick(window, Qt.Key.Key_Right)
    settle(qtbot, window)


def second_source(window: MainWindow, capsys: Any) -> Instant:
    """The instant at which the window stands, by a run without it."""
    frame, name = window.playback.frame, window.document.name
    assert frame is not None and frame.contacts is not None
    capsys.readouterr()
    assert main(["run", name, "--until", repr(frame.time), "--json", "--trust"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["time"] == frame.time
    world = World(load_scene(name), python="run")
    world.advance_to(frame.time)
    assert world.digest == told["digest"]
    return Instant(window, told, world, world.events())


def number(text: str, unit: str) -> float:
    """The number before a unit in a text, in the unit without a prefix; nan where a dash says that it is not known."""
    if text.strip() == "–":
        return math.nan
    prefixes = "[" + "".join(_PREFIXES) + "]?"
    (found,) = re.findall(rf"({_NUMBER}) ({prefixes}){re.escape(unit)}(?![\w²/])", text)
    return float(found[0].replace("−", "-")) * _PREFIXES[found[1]]


def vector(text: str, after: str) -> list[float]:
    """The three numbers in brackets after some words."""
    (inside,) = re.findall(rf"{re.escape(after)} \(([^)]*)\)", text)
    return [float(part.replace("−", "-")) for part in inside.split(",")]


def legend(chart: Chart) -> dict[str, str]:
    """What a chart that can be seen says of its curves."""
    assert chart.isVisible()
    chart.refresh(chart._now)
    return {key.name: key.value for key in chart._keys if key.name}


def said(value: float, scale: float = 0.0) -> Any:
    """As a number is written: to three figures at least; less than a millionth of the scale may be nothing."""
    return pytest.approx(value, rel=6e-4, abs=max(1e-6 * abs(scale), 1e-15))
