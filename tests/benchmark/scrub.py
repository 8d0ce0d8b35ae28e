"""How long a look into the past takes: `make scrub`, or `python -m tests.benchmark.scrub`. Kernels warm.

A run is followed as the window follows it, its digest noted at every frame; then times of it are gone to in random
order, each of which has to come back to the bit. Computing time of the process, which other programs do not lengthen.

Times are for reading, not for tests: no test asserts a time.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

import numpy as np

from app.simulation.history import MEGABYTES, History
from engine import World, load_scene
from engine.scene.paths import set_path
from engine.scene.schema import Scene
from engine.warm import is_warm, warm

FRAME = 1.0 / 60.0  # [s]


def pile() -> Scene:
    """Three hundred of the gallery's marbles in a narrower box, where they have come to rest after two seconds."""
    scene = set_path(load_scene("sphere_pile"), "repeat.wall.ring.radius", 0.085)
    scene = set_path(scene, "repeat.wall.shape.box", [0.02, 0.19, 0.26])
    for name in ("blue", "orange", "green", "white"):
        scene = set_path(scene, f"repeat.{name}.pour.count", 75)
        scene = set_path(scene, f"repeat.{name}.pour.size", [0.14, 0.14, 0.088])
    return scene


SCENES = {"coins": lambda: load_scene("coins"), "pile": pile}


def measure(name: str, until: float, looks: int, megabytes: float, seed: int) -> None:
    world, history = World(SCENES[name]()), History(megabytes)
    history.start(world)
    digests: dict[float, str] = {}
    began = time.process_time()
    while world.time < until:
        history.advance_to(world, min(until, world.time + FRAME))
        history.note(world)
        digests[world.time] = world.digest
    ran = time.process_time() - began
    spent, wrong = [], 0
    for t in np.random.default_rng(seed).choice(list(digests), looks).tolist():
        began = time.process_time()
        history.jump(world, t)
        history.advance_to(world, t)
        spent.append(time.process_time() - began)
        wrong += world.digest != digests[t]
    ms = 1e3 * np.array(spent)
    print(
        f"{name:<10}{len(world.names):>7}{ran:>9.1f}{ms.mean():>9.1f}{np.percentile(ms, 95):>9.1f}{ms.max():>9.1f}"
        f"{len(history.times):>10}{history.size / 1e6:>8.1f}{wrong:>8} of {looks}",
        flush=True,
    )


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="*", default=[], help=", ".join(SCENES))
    parser.add_argument("--until", type=float, default=60.0, help="length of the run [s]")
    parser.add_argument("--looks", type=int, default=200)
    parser.add_argument("--megabytes", type=float, default=MEGABYTES)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(argv)
    if not is_warm():
        warm(lambda kernel, fraction: None)
    print(
        f"{'':<10}{'bodies':>7}{'run s':>9}{'mean ms':>9}{'95 %':>9}{'most':>9}{'keyframes':>10}{'MB':>8}{'unlike':>8}"
    )
    for name in asked.scenes or SCENES:
        measure(name, asked.until, asked.looks, asked.megabytes, asked.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
