"""Bounds of the time at which a ball may touch a hollow solid next: never late, and not much too early."""

from __future__ import annotations

from math import cos, sin

import numpy as np
import pytest

from engine import World
from tests.scenes import ball, body, scene

BOWL = {"bowl": {"radius": 0.5, "depth": 0.45, "thickness": 0.02}}
RING = {"ring": {"radius": 0.4, "width": 0.3, "thickness": 0.05, "groove": 0.2}}


@pytest.mark.parametrize("shape", [BOWL, RING])
@pytest.mark.parametrize("motion", ["fixed", {"spinner": {"axis": [1.0, 0.2, 0.0], "rate": 1.5}}])
def test_balls_that_fly_about_inside_never_get_into_the_wall(shape: dict[str, object], motion: object) -> None:
    rng = np.random.default_rng(8)
    for _ in range(4):
        at = rng.uniform(-0.1, 0.1, 3) + ((0.0, 0.0, 0.3) if "bowl" in shape else (0.0, 0.0, 0.0))
        flies = ball("ball", at, rng.normal(size=3) * 2.0, radius=0.05)
        world = World(
            scene(body("wall", shape, motion=motion), flies, restitution=1.0, contact="impulse", gravity=(0, 0, -2))
        )
        world.advance_to(1.0)
        assert world.smallest_gap > 0.0


def test_a_ball_that_skims_along_a_bowl_is_looked_at_as_seldom_as_on_a_plane() -> None:
    """A way u along the wall closes the gap by u^2 / (2 (R - r))."""
    radius, arm = 0.05, 0.4  # of the 0.45 that there are
    start = (arm * sin(0.3), 0.0, 0.5 - arm * cos(0.3))
    along = (2.0 * cos(0.3), 0.0, 2.0 * sin(0.3))
    world = World(scene(body("wall", BOWL, motion="fixed"), ball("ball", start, along, radius), contact="impulse"))
    world.advance_to(0.06)
    assert world.counters["collisions"] == 0
    assert world.counters["pair_checks"] < 120
