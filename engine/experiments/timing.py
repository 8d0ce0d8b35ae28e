"""Timing a scene: the same run again and again from one snapshot, on the processor's clock, kernels warm."""

from __future__ import annotations

import statistics
import time
from typing import NamedTuple

from engine.experiments.table import Progress
from engine.scene.gallery import bundled_scenes
from engine.scene.paths import set_path
from engine.scene.reading import load_scene
from engine.scene.schema import Scene
from engine.world import World

PIECES = 20
"""A long run is advanced in so many pieces, so that Ctrl+C is heard between them. They change nothing of the motion."""

PIECE = 0.1
"""None of them is shorter [s]: each costs ten microseconds."""


class Run(NamedTuple):
    """What a run took: median processor seconds, how much each counter rose, and each stage's share of the time."""

    seconds: float
    counts: dict[str, int]
    shares: dict[str, float]


def find_example(name: str, **settings: str) -> Scene | None:
    """A scene of the gallery with its `world.contact` and other settings changed; None if there is none so called."""
    path = dict(bundled_scenes()).get(name)
    if path is None:
        return None
    scene = load_scene(path)
    for key, value in settings.items():
        scene = set_path(scene, f"world.{key}", value)
    return scene


def time_scene(scene: Scene, until: float, repeats: int, progress: Progress) -> Run:
    """Run a scene from its start to `until` [s] `repeats` times; building it is not timed."""
    world = World(scene)
    first, before = world.snapshot(), world.counters
    taken: list[float] = []
    pieces = PIECES
    for k in range(repeats):
        world.restore(first)
        spent = 0.0
        for piece in range(1, pieces + 1):
            began = time.thread_time()
            world.advance_to(until * piece / pieces)
            spent += time.thread_time() - began
            progress((k + piece / pieces) / repeats)
        taken.append(spent)
        pieces = min(PIECES, 1 + int(spent / PIECE))
        world.events()  # nobody reads them: let them go
    counts = {name: count - before[name] for name, count in world.counters.items()}
    return Run(statistics.median(taken), counts, shares_of(world))


def shares_of(world: World) -> dict[str, float]:
    """The share of each stage and of control in a world's computing time so far, 0 to 1; all 0 before the first event
    that is timed."""
    seconds = world.seconds
    total = sum(seconds.values())
    return {stage: spent / total if total > 0.0 else 0.0 for stage, spent in seconds.items()}


def part_of(progress: Progress, k: int, n: int) -> Progress:
    """Progress of the k-th of n equal parts of what `progress` is told of."""

    def tell(share: float) -> object:
        return progress((k + share) / n)

    return tell
