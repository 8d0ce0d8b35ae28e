"""Table 7.1: how long the thesis's examples take (Mirtich 1996, 7.4), on one processor then and now; and table 7.2,
where the time of the controlled ones goes."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import NamedTuple

from engine.experiments.table import Cell, Column, Progress, Table
from engine.experiments.timing import find_example, part_of, time_scene
from engine.stages import STEPS

TARGET = 300.0
"""A processor of today is some hundred times a 200 MHz R4400: so many times faster is faster than its age."""


class Example(NamedTuple):
    """A row of table 7.1: seconds simulated, seconds they took, and the contacts that the thesis had.

    Pure impulse examples have impulses alone. Hybrid ones had impulses at contacts and constraints at joints.
    """

    name: str
    scene: str
    simulated: float
    thesis: float
    contact: str = "impulse"


PASSIVE = (
    Example("see-saw", "see_saw", 7.0, 22.3, "hybrid"),
    Example("part sorter", "part_sorter", 2.5, 53.7, "hybrid"),
    Example("triple pendulum", "triple_pendulum", 6.0, 155.0, "hybrid"),
)
CONTROLLED = (
    Example("furniture arranging", "furniture", 35.9, 1884.0, "hybrid"),
    Example("bicycle", "bicycle", 38.9, 1208.0, "hybrid"),
    Example("creature war", "creature_war", 21.2, 844.0, "hybrid"),
)
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
    *PASSIVE,
    *CONTROLLED,
)
MISSING = "no such scene"

COLUMNS = (
    Column("example", "example"),
    Column("simulated_s", "simulated [s]", ".1f"),
    Column("thesis_s", "thesis [s]", ".1f"),
    Column("ours_ms", "ours [ms]", ".2f"),
    Column("faster", "times faster", ".0f"),
    Column("real_time_factor", "times real time", ".0f"),
    Column("events", "events", ",d"),
    Column("mainly", "mainly in"),
    Column("impulse_ms", "by impulses alone [ms]", ".2f"),
    Column("impulse_faster", "times faster", ".0f"),
)


def measure_times(repeats: int, progress: Progress, examples: Sequence[Example] = EXAMPLES) -> Table:
    """Run each example for the thesis's time, `repeats` times; medians.

    By our own contacts, and pure impulse examples by impulses alone as well.
    """
    rows: list[tuple[Cell, ...]] = []
    factors: list[float] = []
    missing, late = [], []
    for k, example in enumerate(examples):
        scene = find_example(example.scene, contact="hybrid")
        known = (example.name, example.simulated, example.thesis)
        if scene is None:
            missing.append(example.name)
            rows.append((*known, MISSING, *(None,) * 6))
            continue
        pure = example.contact == "impulse"
        told = part_of(progress, k, len(examples))
        run = time_scene(scene, example.simulated, repeats, part_of(told, 0, 2) if pure else told)
        factors.append(example.thesis / run.seconds)
        largest = sorted(run.shares.items(), key=lambda item: -item[1])[:2]
        mainly = ", ".join(f"{stage} {100.0 * share:.0f} %" for stage, share in largest)
        speed = example.simulated / run.seconds
        if speed <= 1.0:
            late.append(example.name)
        alone: tuple[Cell, Cell] = (None, None)
        if pure:
            by_impulses = find_example(example.scene, contact="impulse")
            assert by_impulses is not None
            seconds = time_scene(by_impulses, example.simulated, repeats, part_of(told, 1, 2)).seconds
            alone = (1e3 * seconds, example.thesis / seconds)
        rows.append((*known, 1e3 * run.seconds, factors[-1], speed, run.counts["heap_pops"], mainly, *alone))
    notes = [
        f"Processor time, median of {repeats}, of the engine as it is; the thesis: SGI Indigo II, 200 MHz R4400, by"
        " impulses alone but for joints."
    ]
    if factors:
        good = sum(factor >= TARGET for factor in factors)
        notes.append(
            f"{good} of {len(factors)} at {TARGET:.0f} times or more; the middle one {statistics.median(factors):.0f},"
            f" from {min(factors):.0f} to {max(factors):.0f}. Slower than real time: {', '.join(late) or 'none'}."
        )
    if missing:
        notes.append(f"Missing: {', '.join(missing)}.")
    return Table("table_7_1", "Execution times (Mirtich 1996, table 7.1)", COLUMNS, rows, tuple(notes))


WORK = {
    "dynamics": (("motion", *STEPS), "forward dynamics"),
    "detection": (("heap", "broad_phase", "closest", "bound"), "collision detection"),
    "response": (("collision",), "collision response"),
}
"""Our stages by the thesis's kinds of work. Steps of contact groups count as dynamics, with the forces of contacts that
last."""

THESIS_SHARES = {
    "furniture": (4.0, 92.6, 3.3, 0.1),
    "bicycle": (80.6, 15.5, 3.5, 0.5),
    "creature_war": (72.1, 19.3, 3.2, 5.4),
}
SHARE_COLUMNS = (
    Column("example", "example"),
    *(
        Column(f"{who}{kind}", f"{text}{', thesis' if who else ''} [%]", ".1f")
        for kind, text in [*((kind, text) for kind, (_, text) in WORK.items()), ("control", "control")]
        for who in ("", "thesis_")
    ),
)


def measure_shares(repeats: int, progress: Progress, examples: Sequence[Example] = (*CONTROLLED, *PASSIVE)) -> Table:
    """Where the computing time of examples goes [%], ours beside table 7.2's; the passive ones have none there."""
    rows: list[tuple[Cell, ...]] = []
    missing = []
    for k, example in enumerate(examples):
        scene = find_example(example.scene, contact="hybrid")
        ours: list[Cell] = [MISSING, None, None, None]
        if scene is None:
            missing.append(example.name)
        else:
            shares = time_scene(scene, example.simulated, repeats, part_of(progress, k, len(examples))).shares
            parts = [100.0 * sum(shares[stage] for stage in stages) for stages, _ in WORK.values()]
            ours = [*parts, 100.0 * shares["control"]]
        theirs = THESIS_SHARES.get(example.scene, (None,) * 4)
        rows.append((example.name, *(cell for pair in zip(ours, theirs, strict=True) for cell in pair)))
    notes = ["Steps of contact groups are dynamics here: joints, and what contacts that last bear."]
    if missing:
        notes.append(f"Missing: {', '.join(missing)}.")
    return Table("table_7_2", "Where the time goes (Mirtich 1996, table 7.2)", SHARE_COLUMNS, rows, tuple(notes))
