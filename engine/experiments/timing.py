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
from engine.stages import STAGES
from engine.world import World

PIECES = 20
"""A run is advanced in so many pieces, so that Ctrl+C is heard between them. They change nothing of the motion."""


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
    taken = []
    for k in range(repeats):
        world.restore(first)
        spent = 0.0
        for piece in range(1, PIECES + 1):
            began = time.thread_time()
            world.advance_to(until * piece / PIECES)
            spent += time.thread_time() - began
            progress((k + piece / PIECES) / repeats)
        taken.append(spent)
        world.events()  # nobody reads them: let them go
    counts = {name: count - before[name] for name, count in world.counters.items()}
    return Run(statistics.median(taken), counts, shares_of(world))


def control_share(scene: Scene, until: float) -> float:
    """What share of the processor's time controllers take up to `until` [s]: a replay runs the same without them."""
    if not any(controller.enabled for controller in scene.controller):
        return 0.0
    world, other = World(scene), World(scene, python="off")
    began = time.thread_time()
    world.advance_to(until)
    ran = time.thread_time()
    other.replay(world.inputs, until)
    return max(1.0 - (time.thread_time() - ran) / (ran - began), 0.0)


def shares_of(world: World) -> dict[str, float]:
    """Each stage's share of a world's computing time so far, 0 to 1; all 0 before the first event that is timed."""
    seconds = world.seconds
    total = sum(seconds.values())
    return {stage: seconds[stage] / total if total > 0.0 else 0.0 for stage in STAGES}


def part_of(progress: Progress, k: int, n: int) -> Progress:
    """Progress of the k-th of n equal parts of what `progress` is told of."""

    def tell(share: float) -> object:
        return progress((k + share) / n)

    return tell
