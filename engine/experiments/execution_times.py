"""Table 7.1: how long the thesis's pure impulse examples take (Mirtich 1996, 7.4), on one processor then and now."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import NamedTuple

from engine.experiments.table import Cell, Column, Progress, Table
from engine.experiments.timing import find_example, part_of, time_scene

TARGET = 300.0
"""A processor of today is some hundred times a 200 MHz R4400: so many times faster is faster than its age."""


class Example(NamedTuple):
    """A row of table 7.1: seconds simulated, seconds they took."""

    name: str
    scene: str
    simulated: float
    thesis: float


EXAMPLES = (
    Example("dominos", "dominos", 1.2, 3.7),
    Example("block drop", "block_drop", 0.8, 0.4),
    Example("block on ramp", "block_on_ramp", 5.0, 1.4),
    Example("chain of balls", "chain_of_balls", 2.5, 3.0),
    Example("balls in dish", "balls_in_dish", 5.8, 14.0),
    Example("coins", "coins", 3.6, 16.7),
    Example("pool break", "pool_break", 3.0, 27.0),
    Example("bowling", "bowling", 5.0, 18.0),
    Example("ball on spinning platter", "spinning_platter", 40.0, 54.3),
    Example("rattleback top", "rattleback", 10.0, 12.0),
    Example("part feeder chute", "part_feeder_chute", 5.0, 33.0),
    Example("exploding text", "exploding_text", 4.0, 18.0),
)

COLUMNS = (
    Column("example", "example"),
    Column("simulated_s", "simulated [s]", ".1f"),
    Column("thesis_s", "thesis [s]", ".1f"),
    Column("ours_ms", "ours [ms]", ".2f"),
    Column("faster", "times faster", ".0f"),
    Column("real_time_factor", "times real time", ".0f"),
    Column("events", "events", ",d"),
    Column("mainly", "mainly in"),
)


def measure_times(repeats: int, progress: Progress, examples: Sequence[Example] = EXAMPLES) -> Table:
    """Run each example for the thesis's time, `repeats` times; medians."""
    rows: list[tuple[Cell, ...]] = []
    factors = []
    for k, example in enumerate(examples):
        scene = find_example(example.scene, contact="impulse")
        if scene is None:
            rows.append((example.name, example.simulated, example.thesis, "no such scene", None, None, None, None))
            continue
        run = time_scene(scene, example.simulated, repeats, part_of(progress, k, len(examples)))
        factors.append(example.thesis / run.seconds)
        largest = sorted(run.shares.items(), key=lambda item: -item[1])[:2]
        mainly = ", ".join(f"{stage} {100.0 * share:.0f} %" for stage, share in largest)
        speed = example.simulated / run.seconds
        numbers = (1e3 * run.seconds, factors[-1], speed, run.counts["heap_pops"])
        rows.append((example.name, example.simulated, example.thesis, *numbers, mainly))
    notes = [f"Processor time, median of {repeats}. The thesis: SGI Indigo II, 200 MHz R4400."]
    if factors:
        good = sum(factor >= TARGET for factor in factors)
        notes.append(
            f"{good} of {len(factors)} at {TARGET:.0f} times or more; the middle one {statistics.median(factors):.0f},"
            f" from {min(factors):.0f} to {max(factors):.0f}."
        )
    return Table("table_7_1", "Execution times (Mirtich 1996, table 7.1)", COLUMNS, rows, tuple(notes))
