"""Figures 7.21 and 7.22: speed and lean of the bicycle on its course, beside those that its controller wanted (Mirtich
1996, 7.3). The thesis gives curves of its own course, and no numbers."""

from __future__ import annotations

import json
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats
from engine.experiments.plot import Axis, Plot, Series, Span
from engine.experiments.table import Cell, Column, Progress, Table
from engine.experiments.timing import find_example
from engine.world import World

EVERY = 0.05  # [s]
STRETCHES = (
    ("start", 0.0),
    ("slalom", 6.0),
    ("turn", 37.0),
    ("wall", 61.0),
    ("ramp and stairs", 65.0),
    ("ice", 76.5),
    ("jump", 85.0),
    ("turn back", 93.0),
    ("second lap", 119.0),
)
"""What of the course begins after so much of the way [m]."""

ROUGH = ("ramp and stairs", "ice", "jump")


class Ride(NamedTuple):
    """What the controller remembers of a ride, at each of `times`."""

    times: Floats  # (n,) [s]
    way: Floats  # (n,) along the course [m]
    lean: Floats  # (n,) to the left [rad]
    wanted_lean: Floats  # (n,)
    speed: Floats  # (n,) of the rear wheel [m/s]
    wanted_speed: Floats  # (n,)

    def stretches(self) -> list[Span]:
        """When it is where [s]."""
        names = [max((begin, name) for name, begin in STRETCHES if begin <= way)[1] for way in self.way]
        spans = []
        for name, _ in STRETCHES:
            here = [time for time, at in zip(self.times.tolist(), names, strict=True) if at == name]
            if here:
                spans.append(Span(name, here[0], here[-1]))
        return spans


def record_ride(world: World, until: float, progress: Progress) -> Ride:
    """The bicycle's ride from the start of its world up to `until` [s]."""
    keys = ("way", "lean", "wanted lean", "speed", "wanted speed")
    rows = []
    for k in range(round(until / EVERY) + 1):
        world.advance_to(k * EVERY)
        state = json.loads(world.snapshot().said.memories[0].state or "{}")
        rows.append([world.time, *(state[key] for key in keys)])
        progress(k * EVERY / until)
    return Ride(*np.array(rows).T)


def measure_speed(repeats: int, progress: Progress, until: float = 38.9) -> Table:
    """Speed on the course. The run is the same every time, so `repeats` does not matter."""
    ride = _ride(until, progress)
    title = "Forward speed of the bicycle on its course (Mirtich 1996, figure 7.21)"
    curves = None if ride is None else (ride.speed, ride.wanted_speed)
    return _table("figure_7_21", title, ("speed", "forward speed [m/s]"), ride, curves)


def measure_lean(repeats: int, progress: Progress, until: float = 38.9) -> Table:
    """Lean on the course. The run is the same every time, so `repeats` does not matter."""
    ride = _ride(until, progress)
    title = "Roll angle of the bicycle on its course (Mirtich 1996, figure 7.22)"
    curves = None if ride is None else (np.degrees(ride.lean), np.degrees(ride.wanted_lean))
    return _table("figure_7_22", title, ("lean", "roll angle, to the left [deg]"), ride, curves)


def _ride(until: float, progress: Progress) -> Ride | None:
    scene = find_example("bicycle")
    return None if scene is None else record_ride(World(scene), until, progress)


def _table(
    name: str, title: str, what: tuple[str, str], ride: Ride | None, curves: tuple[Floats, Floats] | None
) -> Table:
    """what: what it is called in JSON, and in words with its unit. curves: as it was, and as it was wanted."""
    key, label = what
    unit = label[label.index("[") + 1 : -1]
    columns = (
        Column("stretch", "stretch"),
        Column("begin_s", "from [s]", ".1f"),
        Column("least", f"least [{unit}]", ".2f"),
        Column("most", f"most [{unit}]", ".2f"),
        Column("rms", f"off by, rms [{unit}]", ".2f"),
        Column("worst", f"off by at most [{unit}]", ".2f"),
    )
    if ride is None or curves is None:
        return Table(name, title, columns, [("no such scene", None, None, None, None, None)])
    seen, wanted = curves
    rows: list[tuple[Cell, ...]] = []
    for span in ride.stretches():
        here = (ride.times >= span.begin) & (ride.times <= span.end)
        off = (seen - wanted)[here]
        worst = float(np.abs(off).max())
        numbers = (span.begin, float(seen[here].min()), float(seen[here].max()), float(np.sqrt((off**2).mean())), worst)
        rows.append((span.name, *numbers))
    notes = ("The thesis draws the ride on its own course, without numbers.",)
    series = {"time_s": ride.times.tolist(), key: seen.tolist(), f"wanted_{key}": wanted.tolist()}
    drawn = (
        Series("wanted", ride.times.tolist(), wanted.tolist(), "paper"),
        Series("bicycle", ride.times.tolist(), seen.tolist(), "steps"),
    )
    rough = [span for span in ride.stretches() if span.name in ROUGH]
    spans = (Span(", ".join(ROUGH), rough[0].begin, rough[-1].end),) if rough else ()
    return Table(name, title, columns, rows, notes, series, Plot(Axis("time [s]"), Axis(label), drawn, spans))
