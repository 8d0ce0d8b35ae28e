"""How the cost of an event and the memory of a body grow with the number of bodies, for each broad phase.

`python -m tests.benchmark.scaling`. Bodies move and collide at constant density; an event's cost should not know how
many others there are. What is printed last is the exponent p of a fit cost ~ n^p from the fewest to the most bodies.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from engine import World
from engine.experiments.hashing import settling_dice
from engine.scene.schema import BROAD_PHASES, Scene

COUNTS = (100, 316, 1000, 3162, 10000)
RADIUS = 0.1
EVENTS = 5000
RUNS = 40


class Cost(NamedTuple):
    """One world's figures: processor seconds an event (of its quickest stretch), bytes of State a body."""

    event: float
    memory: float


def gas(n: int) -> dict[str, Any]:
    """n balls in a box of six walls, no gravity, nothing lost: each has 125 r^3 of room."""
    rng = np.random.default_rng(n)
    side = math.ceil(n ** (1.0 / 3.0) - 1e-9)
    pitch = 5.0 * RADIUS
    cells = [(x, y, z) for x in range(side) for y in range(side) for z in range(side)][:n]
    bodies = _balls((np.array(cells) + 0.5) * pitch, rng.normal(0.0, 1.0, (n, 3)))
    return _scene([*_walls(np.array([side * pitch] * 3)), *bodies], 0.0)


def ground(n: int) -> dict[str, Any]:
    """n balls that bounce for ever on one ground, in a pen of four walls: each has 16 r^2 of floor."""
    rng = np.random.default_rng(n)
    side = math.ceil(math.sqrt(n) - 1e-9)
    pitch = 4.0 * RADIUS
    cells = np.array([(x, y) for x in range(side) for y in range(side)][:n], dtype=np.float64)
    places = np.column_stack([(cells + 0.5) * pitch, rng.uniform(1.5 * RADIUS, 8.0 * RADIUS, n)])
    velocities = rng.normal(0.0, 0.5, (n, 3)) * [1.0, 1.0, 0.0]
    return _scene([*_walls(np.array([side * pitch, side * pitch, math.inf])), *_balls(places, velocities)], 9.81)


def settling(n: int) -> dict[str, Any]:
    """n dice that fall on one ground and settle: what coordinate sorting likes least (Mirtich 1996, 2.4.4)."""
    return settling_dice(n, RADIUS)


LAYOUTS: dict[str, Callable[[int], dict[str, Any]]] = {"gas": gas, "ground": ground, "settling": settling}


def _balls(places: np.ndarray, velocities: np.ndarray) -> list[dict[str, Any]]:
    return [
        {
            "name": f"ball{k}",
            "shape": {"sphere": {"radius": RADIUS}},
            "position": [float(c) for c in place],
            "velocity": [float(c) for c in velocity],
        }
        for k, (place, velocity) in enumerate(zip(places, velocities, strict=True))
    ]


def _walls(size: np.ndarray) -> list[dict[str, Any]]:
    """Planes about the room from the origin to `size` [m]; none where it has no end."""
    turns = {
        "x0": ([0.0, 1.0, 0.0], 90.0),
        "x1": ([0.0, 1.0, 0.0], -90.0),
        "y0": ([1.0, 0.0, 0.0], -90.0),
        "y1": ([1.0, 0.0, 0.0], 90.0),
        "z0": ([1.0, 0.0, 0.0], 0.0),
        "z1": ([1.0, 0.0, 0.0], 180.0),
    }
    walls = []
    for name, (axis, degrees) in turns.items():
        along, far = "xyz".index(name[0]), name[1] == "1"
        if far and not math.isfinite(size[along]):
            continue
        place = [float(size[along]) if far and k == along else 0.0 for k in range(3)]
        walls.append(
            {
                "name": f"wall {name}",
                "motion": "fixed",
                "shape": {"plane": {}},
                "position": place,
                "orientation": {"axis": axis, "degrees": degrees},
            }
        )
    return walls


def _scene(bodies: list[dict[str, Any]], g: float) -> dict[str, Any]:
    return {
        "format": 1,
        "world": {"gravity": [0.0, 0.0, -g]},
        "material": {"m": {"restitution": 1.0, "friction": 0.0}},
        "body": [body | {"material": "m"} for body in bodies],
    }


def measure(layout: str, broad_phase: str, counts: Sequence[int], runs: int = RUNS) -> list[Cost]:
    """Run a world of each count to a steady state, then time stretches of events, turn by turn: whatever else the
    machine does meets all of them."""
    worlds = []
    for n in counts:
        document = LAYOUTS[layout](n)
        world = World(Scene.model_validate(document | {"world": document["world"] | {"broad_phase": broad_phase}}))
        world.advance_to(0.3)
        world.advance_events(EVENTS)
        worlds.append(world)
    least = [math.inf] * len(worlds)
    for _ in range(runs):
        for k, world in enumerate(worlds):
            began = time.thread_time()
            happened = world.advance_events(EVENTS)
            least[k] = min(least[k], (time.thread_time() - began) / happened)
    sizes = [sum(array.nbytes for array in world.snapshot().state) / len(world.names) for world in worlds]
    return [Cost(cost, size) for cost, size in zip(least, sizes, strict=True)]


def exponent(counts: Sequence[int], values: Sequence[float]) -> float:
    """p of the least-squares fit values ~ counts^p."""
    return float(np.polyfit(np.log(counts), np.log(values), 1)[0])


def main(layouts: Sequence[str], broad_phases: Sequence[str], counts: Sequence[int], runs: int) -> None:
    """Print a row a layout and broad phase."""
    for layout in layouts:
        for broad_phase in broad_phases:
            costs = measure(layout, broad_phase, counts, runs)
            events = " ".join(f"{1e6 * cost.event:7.2f}" for cost in costs)
            memory = " ".join(f"{cost.memory:7.0f}" for cost in costs)
            growth = exponent(counts, [cost.event for cost in costs])
            print(f"{layout:<10}{broad_phase:<18}{'us an event':<13}{events}   n^{growth:.3f}", flush=True)
            growth = exponent(counts, [cost.memory for cost in costs])
            print(f"{'':<28}{'bytes a body':<13}{memory}   n^{growth:.3f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Time events against the number of bodies.")
    parser.add_argument("--layouts", nargs="*", default=list(LAYOUTS), choices=list(LAYOUTS))
    parser.add_argument("--broad-phases", nargs="*", default=list(BROAD_PHASES[:-1]), choices=BROAD_PHASES)
    parser.add_argument("--counts", nargs="*", type=int, default=list(COUNTS))
    parser.add_argument("--runs", type=int, default=RUNS)
    options = parser.parse_args()
    main(options.layouts, options.broad_phases, options.counts, options.runs)
