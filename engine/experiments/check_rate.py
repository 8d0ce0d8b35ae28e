"""Figure 7.8: how often gaps are measured through a pool break (Mirtich 1996, 7.1)."""

from __future__ import annotations

import itertools

import numpy as np

from engine.experiments.plot import Axis, Plot, Series
from engine.experiments.table import Cell, Column, Progress, Table
from engine.experiments.timing import find_example
from engine.world import World

BIN = 0.01  # [s]
AFTER = 1.0  # the break is over [s]
THESIS = 3000.0  # checks a second after the break


def measure_check_rate(repeats: int, progress: Progress, until: float = 3.0) -> Table:
    """Checks a second in bins of 10 ms. The run is the same every time, so `repeats` does not matter."""
    columns = (
        Column("span", "simulated time [s]"),
        Column("mean_hz", "checks a second, mean", ",.0f"),
        Column("most_hz", "most in 10 ms", ",.0f"),
        Column("thesis_hz", "thesis, about", ",.0f"),
    )
    title = "Collision checks through a pool break (Mirtich 1996, figure 7.8)"
    scene = find_example("pool_break", contact="impulse")
    if scene is None:
        return Table("figure_7_8", title, columns, [("no such scene", None, None, None)])
    world = World(scene)
    total = [world.counters["pair_checks"]]
    bins = round(until / BIN)
    for k in range(1, bins + 1):
        world.advance_to(k * BIN)
        total.append(world.counters["pair_checks"])
        progress(k / bins)
    rates = np.diff(total) / BIN
    edges = [edge for edge in (0.0, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5) if edge < until] + [until]
    spans = list(itertools.pairwise(edges))
    if until > AFTER:
        spans.append((AFTER, until))
    rows: list[tuple[Cell, ...]] = []
    for k, (begin, end) in enumerate(spans):
        here = rates[round(begin / BIN) : round(end / BIN)]
        name = f"all after {begin:g}" if k == len(edges) - 1 else f"{begin:g} to {end:g}"
        rows.append((name, float(here.mean()), float(here.max()), THESIS if k == len(edges) - 1 else None))
    most = int(rates.argmax())
    notes = (f"At most {rates[most]:,.0f} checks a second, in the 10 ms from {most * BIN:.2f} s on.",)
    series = {"bin_s": [BIN], "rates_hz": rates.tolist()}
    return Table("figure_7_8", title, columns, rows, notes, series, _plot(rates.tolist(), until))


def _plot(rates: list[float], until: float) -> Plot:
    ours = Series("Carom, in bins of 10 ms", [k * BIN for k in range(len(rates))], rates, "steps")
    thesis = Series("thesis, after the break, about", (AFTER, until), (THESIS, THESIS), "paper")
    return Plot(Axis("time [s]"), Axis("collision checks a second [Hz]"), (ours, thesis))
