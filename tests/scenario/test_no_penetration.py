"""No scene ever shows a gap below zero to an outside distance check at 1 kHz, and none gains energy."""

from __future__ import annotations

import pytest

from engine import World, load_scene
from engine.scene.gallery import bundled_scenes
from tests.outside_gaps import OutsideGaps

RATE = 1000.0
DEFAULT_UNTIL = 0.5
SHORTER = {"brick_wall": 0.1, "creature_war": 0.2, "domino_spiral": 0.05, "convex_pile": 0.14, "sphere_pile": 0.13}
"""Hundreds of bodies take the outside library long [s]."""
LATER = {"convex_pile": 0.11, "sphere_pile": 0.11}
"""And thousands longer: they are looked at from when they begin to hit each other [s]."""


@pytest.mark.parametrize("name", [name for name, _ in bundled_scenes()])
def test_gaps_stay_positive_and_energy_never_rises(name: str) -> None:
    check_scene(name, SHORTER.get(name, DEFAULT_UNTIL))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, _ in bundled_scenes()])
def test_gaps_stay_positive_and_energy_never_rises_to_the_end(name: str) -> None:
    check_scene(name, None)


def check_scene(name: str, until: float | None) -> None:
    world = World(load_scene(name))
    outside = OutsideGaps(world)
    start = world.energy()
    scale = max(abs(start["kinetic"]), abs(start["potential"]), 1e-9)
    first = int(RATE * LATER.get(name, 0.0)) if until else 0
    for k in range(first + 1, int(RATE * (until or world.scene.world.until or 3.0)) + 1):
        world.advance_to(k / RATE)
        assert outside.smallest(world.poses()) > 0.0, f"at t = {world.time}"
        now = world.energy()
        # The rule holds where a step ends; between its ends an arc is an interpolation.
        assert now["total"] <= start["total"] + now["work"] + 1e-5 * scale, f"at t = {world.time}"
        assert abs(now["total"] + now["dissipated"] - now["work"] - start["total"]) <= 1e-9 * scale
    assert world.smallest_gap > 0.0
