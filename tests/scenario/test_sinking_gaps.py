"""Corners that rest together hit in turns; the gap must not sink a little with each of their hits."""

from __future__ import annotations

import pytest

from engine import World, load_scene
from engine.scene.paths import apply_setting


@pytest.mark.parametrize(
    "changes",
    [
        ["material.rubber.restitution=0.0"],
        ["world.envelope=2e-6", "body.block.shape.box=[0.4, 0.3, 0.1]"],
    ],
)
def test_a_block_held_on_a_ramp_keeps_its_gap(changes: list[str]) -> None:
    scene = load_scene("block_on_ramp")
    for change in changes:
        scene = apply_setting(scene, change)
    world = World(scene)
    world.advance_to(3.0)
    settled = world.smallest_gap
    assert settled > 0.0
    world.advance_to(5.0)
    assert world.smallest_gap > 0.5 * settled
