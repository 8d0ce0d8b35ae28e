"""What the broad phase costs and what it saves: table 2.1, figure 2.16 and section 2.4.4 (Mirtich 1996)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from engine.experiments.plot import Axis, Plot, Series
from engine.experiments.replay import Boxes, record_boxes, time_boxes
from engine.experiments.table import Cell, Column, Progress, Table
from engine.experiments.timing import find_example, part_of, shares_of, time_scene
from engine.scene.paths import set_path
from engine.scene.schema import Scene
from engine.world import World

SCHEMES = ("standard_hash", "counting_hash", "hierarchical_hash")


class Example(NamedTuple):
    """A row of table 2.1: seconds simulated, millions of cycles with standard and with coherence hashing."""

    name: str
    scene: str
    simulated: float
    standard: float
    coherent: float


EXAMPLES = (
    Example("coins", "coins", 3.6, 361.0, 58.0),
    Example("bowling", "bowling", 5.0, 2188.0, 314.0),
    Example("rattleback top", "rattleback", 10.0, 641.0, 107.0),
    Example("part feeder chute", "part_feeder_chute", 5.0, 409.0, 57.0),
)


def compare_hashes(repeats: int, progress: Progress, examples: Sequence[Example] = EXAMPLES) -> Table:
    """Table 2.1: every box stored anew, against storing only what has changed (with close counters and without)."""
    columns = (
        Column("example", "example"),
        Column("scheme", "broad phase"),
        Column("boxes", "boxes renewed", ",d"),
        Column("buckets", "buckets checked", ",d"),
        Column("fewer_buckets", "fewer by", ".1f"),
        Column("hashing_us", "hashing [us]", ",.1f"),
        Column("faster", "times faster", ".1f"),
        Column("thesis_megacycles", "thesis [Mcycles]", ".0f"),
        Column("thesis_faster", "thesis: faster", ".1f"),
    )
    rows: list[tuple[Cell, ...]] = []
    for k, example in enumerate(examples):
        scenes = [find_example(example.scene, contact="impulse", broad_phase=scheme) for scheme in SCHEMES]
        first: tuple[int, float] | None = None
        record: Boxes | None = None
        for j, (scheme, scene) in enumerate(zip(SCHEMES, scenes)):
            if scene is None:
                rows.append((example.name, "no such scene", *[None] * 7))
                break
            part = part_of(progress, len(SCHEMES) * k + j, len(SCHEMES) * len(examples))
            record = record or record_boxes(scene, example.simulated, part_of(part, 0, 2))
            run = time_scene(scene, example.simulated, 1, part_of(part, 1, 2))
            alone = set_path(scene, "world.broad_phase", "none")
            spent = time_boxes(scene, record, repeats) - time_boxes(alone, record, repeats)
            buckets = run.counts["bucket_checks"]
            first = first or (buckets, spent)
            thesis = (
                (example.standard, None) if j == 0
                else (example.coherent, example.standard / example.coherent) if j == 1
                else (None, None)
            )  # fmt: skip
            ratios = (_ratio(first[0], buckets), _ratio(first[1], spent))
            name = example.name if j == 0 else ""
            counts = (run.counts["box_updates"], buckets)
            rows.append((name, scheme, *counts, ratios[0], 1e6 * spent, ratios[1], *thesis))
    notes = (
        "counting_hash keeps the thesis's counters of close pairs; hierarchical_hash, the default, does without.",
        "The motion is the same to the bit in all three. Hashing: the boxes that the run renewed are stored again,",
        f"without the rest of it, less what this costs with no broad phase; least of {repeats}.",
        "The thesis renews boxes with each integration, here they last.",
    )
    return Table("table_2_1", "Hashing schemes (Mirtich 1996, table 2.1)", columns, rows, notes)


def _ratio(a: float, b: float) -> float | None:
    return a / b if b > 0.0 else None


def compare_heaps(repeats: int, progress: Progress, until: float = 3.6, step: float = 0.01) -> Table:
    """Figure 2.16: the heap with and without a broad phase, looked at every `step` seconds while eight coins fall."""
    columns = (
        Column("broad_phase", "broad phase"),
        Column("pairs_mean", "pairs, mean", ".1f"),
        Column("pairs_most", "most", "d"),
        Column("heap_mean", "heap, mean", ".1f"),
        Column("heap_most", "most", "d"),
        Column("checks", "gaps measured", ",d"),
        Column("run_ms", "a run [ms]", ".2f"),
    )
    kinds = ("hierarchical_hash", "none")
    rows: list[tuple[Cell, ...]] = []
    curves: list[Series] = []
    for k, kind in enumerate(kinds):
        scene = find_example("coins", contact="impulse", broad_phase=kind)
        if scene is None:
            rows.append(("no such scene", None, None, None, None, None, None))
            break
        run = time_scene(scene, until, repeats, part_of(progress, k, len(kinds)))
        world = World(scene)
        seen = []
        for tick in range(1, round(until / step) + 1):
            world.advance_to(tick * step)
            seen.append((world.counters["pairs"], world.counters["heap_size"]))
        pairs, heap = np.array(seen).T
        sizes = (float(pairs.mean()), int(pairs.max()), float(heap.mean()), int(heap.max()))
        rows.append((kind, *sizes, run.counts["pair_checks"], 1e3 * run.seconds))
        times = [tick * step for tick in range(1, len(seen) + 1)]
        curves.append(
            Series("no broad phase" if kind == "none" else "hierarchical hash", times, pairs.tolist(), "steps")
        )
    notes = (
        "The heap holds an event for each pair and, with a broad phase, one for the box of each body that moves.",
        "The thesis shows two pictures, no numbers.",
    )
    plot = Plot(Axis("time [s]"), Axis("pairs in the heap"), tuple(curves))
    return Table("figure_2_16", "The heap of eight coins (Mirtich 1996, figure 2.16)", columns, rows, notes, plot=plot)


def compare_sorting(
    repeats: int, progress: Progress, counts: Sequence[int] = (30, 100, 300, 1000), events: int = 5000
) -> Table:
    """Section 2.4.4: dice settle on one floor, where their boxes cluster along the vertical; per event, at n dice."""
    columns = (
        Column("dice", "dice", ",d"),
        Column("scheme", "broad phase"),
        Column("exchanges", "exchanges an event", ".2f"),
        Column("tiles", "tiles entered or left", ".3f"),
        Column("buckets", "buckets checked", ".2f"),
        Column("broad_phase_us", "broad phase [us]", ".3f"),
        Column("event_us", "an event [us]", ".2f"),
    )
    schemes = ("hierarchical_hash", "sweep_prune")
    rows: list[tuple[Cell, ...]] = []
    growth: dict[str, list[float]] = {scheme: [] for scheme in schemes}
    for k, n in enumerate(counts):
        for j, scheme in enumerate(schemes):
            document = settling_dice(n)
            document["world"]["broad_phase"] = scheme
            part = part_of(progress, len(schemes) * k + j, len(schemes) * len(counts))
            cost = _settle(World(Scene.model_validate(document)), repeats, events, part)
            growth[scheme].append(cost[3])
            rows.append((n if j == 0 else None, scheme, *cost))
    notes = [
        f"From {SETTLING:g} s on, {repeats} times {events} events. "
        "The thesis expects sorting to suffer from the clustering, and hashing not to."
    ]
    if len(counts) > 1:
        rises = [f"{values[-1] / values[0]:.1f} times as dear ({scheme})" for scheme, values in growth.items()]
        notes.append(f"From {counts[0]} to {counts[-1]} dice an event's broad phase becomes {', '.join(rises)}.")
    return Table("section_2_4_4", "Hashing against sorting (Mirtich 1996, 2.4.4)", columns, rows, tuple(notes))


SETTLING = 0.3
"""Dice are measured from this time on [s]: the first have landed."""


def _settle(world: World, repeats: int, events: int, progress: Progress) -> tuple[float, float, float, float, float]:
    """Exchanges, hash updates, bucket checks, broad phase [us] and all [us], each by event, over many events."""
    pieces = 10
    for piece in range(1, pieces + 1):
        world.advance_to(SETTLING * piece / pieces)
        progress(0.5 * piece / pieces)
    before, happened, spent = world.counters, 0, 0.0
    for k in range(repeats):
        began = time.thread_time()
        happened += world.advance_events(events)
        spent += time.thread_time() - began
        progress(0.5 + 0.5 * (k + 1) / repeats)
    work = [(world.counters[name] - before[name]) / happened for name in ("exchanges", "hash_updates", "bucket_checks")]
    event = 1e6 * spent / happened
    return work[0], work[1], work[2], event * shares_of(world)["broad_phase"], event


def settling_dice(n: int, size: float = 0.1) -> dict[str, Any]:
    """A scene: n dice that fall on one floor and settle. The seed is n."""
    rng = np.random.default_rng(n)
    side = int(np.ceil(np.sqrt(n) - 1e-9))
    bodies: list[dict[str, Any]] = [{"name": "floor", "motion": "fixed", "shape": {"plane": {}}, "material": "m"}]
    for k in range(n):
        turn = [float(c) for c in rng.normal(size=4)]
        place = [4.0 * size * (k % side), 4.0 * size * (k // side), float(rng.uniform(2.0, 4.0)) * size]
        shape = {"box": [size, size, size]}
        bodies.append({"name": f"die{k}", "shape": shape, "position": place, "orientation": turn, "material": "m"})
    return {
        "format": 1,
        "world": {"gravity": [0.0, 0.0, -9.81]},
        "material": {"m": {"restitution": 0.3, "friction": 0.5}},
        "body": bodies,
    }
