"""Corners that rest together hit in turns; the gap must not sink a little with each of their hits."""

from __future__ import annotations

import pytest

from engine import World, load_scene
from engine.scene.paths import apply_setting
from tests.scenes import body, floor, scene


@pytest.mark.parametrize(
    "changes",
    [
        ["material.rubber.restitution=0.0"],
        ["world.envelope=2e-6", "body.block.shape.box=[0.4, 0.3, 0.1]"],
    ],
)
def test_a_block_held_on_a_ramp_keeps_its_gap(changes: list[str]) -> None:
    ramp = load_scene("block_on_ramp")
    for change in changes:
        ramp = apply_setting(ramp, change)
    world = World(ramp)
    world.advance_to(3.0)
    settled = world.smallest_gap
    assert settled > 0.0
    world.advance_to(5.0)
    assert world.smallest_gap > 0.5 * settled


def test_a_heavy_slab_does_not_press_light_posts_to_the_ground() -> None:
    """Three posts between it and the floor, that begin a quarter of their envelopes from either, and have no credit."""
    posts = [
        body(f"post{k}", {"box": [0.04, 0.04, 0.3]}, (x, y, 0.15 + 4e-5))
        for k, (x, y) in enumerate([(0.2, 0.0), (-0.1, 0.17), (-0.1, -0.17)])
    ]
    slab = body("slab", {"box": [0.5, 0.5, 0.03]}, (0.0, 0.0, 0.315 + 8e-5))
    world = World(scene(floor(), *posts, slab, contact="impulse"))
    world.advance_to(0.6)
    assert world.smallest_gap > 1e-5
    assert world.counters["microcollisions"] < 60_000
