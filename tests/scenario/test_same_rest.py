"""Where things come to rest does not tell whether constraints or impulses brought them there."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ks_2samp

from engine import World
from engine.scene.schema import Scene

SEEDS = 200


def dropped(seed: int, contact: str) -> World:
    """Two blocks after three seconds, dropped one over the other, each a little turned."""
    rng = np.random.default_rng(seed)
    bodies: list[dict[str, object]] = [{"name": "ground", "motion": "fixed", "shape": {"plane": {}}, "material": "m"}]
    for k in range(2):
        axis = rng.normal(size=3)
        turn = {"axis": (axis / np.linalg.norm(axis)).tolist(), "degrees": float(rng.uniform(0.0, 15.0))}
        place = [*rng.uniform(-0.02, 0.02, 2).tolist(), 0.1 + 0.16 * k]
        block = {"shape": {"box": [0.2, 0.2, 0.1]}, "material": "m", "position": place, "orientation": turn}
        bodies.append({"name": f"block{k}", **block})
    material = {"m": {"friction": 0.5, "restitution": 0.3, "density": 700}}
    scene = {"format": 1, "title": "two", "world": {"contact": contact}, "material": material, "body": bodies}
    world = World(Scene.model_validate(scene))
    world.advance_to(3.0)
    return world


def way(world: World, name: str) -> float:
    """How far from the axis body `name` lies [m]."""
    x, y, _ = world.body(name).position
    return float(np.hypot(x, y))


@pytest.mark.slow
def test_two_blocks_rest_where_impulses_would_let_them() -> None:
    """By Kolmogorov's and Smirnov's test; heights differ, as impulses let bodies tremble within the envelope."""
    rests: dict[str, list[tuple[float, float]]] = {"hybrid": [], "impulse": []}
    for contact, found in rests.items():
        for seed in range(SEEDS):
            world = dropped(seed, contact)
            assert world.smallest_gap > 0.0
            assert world.counters["switches"] <= 4 * 3
            found.append((way(world, "block0"), way(world, "block1")))
    for block in range(2):
        one, other = ([rest[block] for rest in rests[contact]] for contact in ("hybrid", "impulse"))
        assert ks_2samp(one, other).pvalue > 0.01


def test_blocks_that_settle_by_constraints_settle() -> None:
    for seed in range(8):
        world = dropped(seed, "hybrid")
        assert world.smallest_gap > 0.0
        assert world.body("block0").asleep and world.body("block1").asleep
        assert world.counters["switches"] <= 4 * 3
