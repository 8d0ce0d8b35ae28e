"""How fast the engine is here: `make bench`, or `python -m tests.benchmark.speed`. Kernels warm, medians of 20 runs.

Times are for reading, not for tests: no test asserts a time.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from engine import World, load_scene
from engine.scene.schema import Scene
from engine.warm import is_warm, warm

RUNS = 20
EVENTS = 2000
GALLERY = ("pool_break", "coins", "block_drop", "chain_of_balls", "dominos", "block_on_ramp", "free_tumble")

Layout = Literal["diagonal", "ground"]
LAYOUTS: tuple[Layout, ...] = ("diagonal", "ground")


class Timing(NamedTuple):
    """One scene's runs: seconds simulated, of the wall (median, least, most) and of the processor (median); events."""

    simulated: float
    median: float
    least: float
    most: float
    processor: float
    events: int


def time_scene(scene: Scene, until: float, runs: int = RUNS) -> Timing:
    """Run a scene from its start to `until` [s] again and again; building it is not timed."""
    world = World(scene)
    first = world.snapshot()
    walls, processor = [], []
    for _ in range(runs):
        world.restore(first)
        before = world.counters["heap_pops"]
        began, began_processor = time.perf_counter(), time.thread_time()
        world.advance_to(until)
        walls.append(time.perf_counter() - began)
        processor.append(time.thread_time() - began_processor)
    events = world.counters["heap_pops"] - before
    return Timing(until, statistics.median(walls), min(walls), max(walls), statistics.median(processor), events)


def separated(units: int, layout: Layout) -> Scene:
    """Balls that bounce for ever, each on a plate of its own and far from the others: two bodies a unit.

    "diagonal": the units are apart along every axis. "ground": they stand side by side on one level, so that along z
    all boxes overlap, which is what sweep and prune likes least.
    """
    body: list[dict[str, Any]] = []
    side = math.isqrt(units - 1) + 1
    for k in range(units):
        x, y, z = (3.0 * k,) * 3 if layout == "diagonal" else (3.0 * (k % side), 3.0 * (k // side), 0.0)
        plate = {"motion": "fixed", "shape": {"box": [1.0, 1.0, 0.2]}, "position": [x, y, z]}
        ball = {"shape": {"sphere": {"radius": 0.1}}, "position": [x, y, z + 0.5 + 0.01 * (k % 10)]}
        body += [{"name": f"plate{k}", **plate}, {"name": f"ball{k}", **ball}]
    return Scene.model_validate(
        {
            "format": 1,
            "material": {"bouncy": {"restitution": 1.0, "friction": 0.0}},
            "body": [item | {"material": "bouncy"} for item in body],
        }
    )


def event_cost(units: int, layout: Layout, runs: int = RUNS) -> float:
    """Processor seconds an event in `separated`: the median of `runs` stretches of EVENTS events."""
    world = World(separated(units, layout))
    world.advance_to(0.5)
    costs = []
    for _ in range(runs):
        began = time.thread_time()
        happened = world.advance_events(EVENTS)
        costs.append((time.thread_time() - began) / happened)
    return statistics.median(costs)


def main(scenes: Sequence[str] = GALLERY, runs: int = RUNS, say: Callable[[str], None] = print) -> None:
    """Print the table."""
    if not is_warm():
        warm(lambda kernel, fraction: None)
    say(f"medians of {runs}")
    say(f"{'scene':<16}{'simulated':>11}{'wall':>12}{'range':>22}{'processor':>13}{'real time':>12}{'events/s':>12}")
    for name in scenes:
        scene = load_scene(name)
        timing = time_scene(scene, scene.world.until or 3.0, runs)
        say(
            f"{name:<16}{timing.simulated:>9.2f} s{1e3 * timing.median:>9.1f} ms"
            f"{1e3 * timing.least:>9.1f} .. {1e3 * timing.most:>6.1f} ms{1e3 * timing.processor:>10.1f} ms"
            f"{timing.simulated / timing.median:>11.1f}x{timing.events / timing.processor:>12,.0f}"
        )
    for layout in LAYOUTS:
        few, many = event_cost(5, layout, runs), event_cost(5000, layout, runs)
        say(
            f"an event, {layout}: {1e6 * few:.2f} us with 10 bodies, {1e6 * many:.2f} us with 10,000,"
            f" ratio {many / few:.2f}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Time the gallery and the cost of an event.")
    parser.add_argument("scenes", nargs="*", default=GALLERY)
    parser.add_argument("--runs", type=int, default=RUNS)
    options = parser.parse_args()
    main(options.scenes, options.runs)
