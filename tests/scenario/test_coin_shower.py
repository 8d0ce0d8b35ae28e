"""Fifty coins fall on a tray: all come to rest, flat or on each other, and none passes through anything."""

from __future__ import annotations

import numpy as np

from engine import World, load_scene
from engine.maths.quaternions import rotate

REST = 2e-3
"""A coin that a train of microcollisions holds moves no further than this in half a second [m]."""


def test_fifty_coins_come_to_rest_on_the_tray() -> None:
    world = World(load_scene("coin_shower"))
    coins = [row for row, name in enumerate(world.names) if name.startswith("coin.")]
    assert len(coins) == 50
    world.advance_to(2.0)
    before = world.poses()[coins]
    world.advance_to(2.5)
    after = world.poses()[coins]
    assert np.linalg.norm(after[:, :3] - before[:, :3], axis=1).max() < REST
    assert np.abs(after[:, :2]).max() < 0.16, "within the rim"
    assert after[:, 2].min() > 0.5 * 0.00175, "above the tray"
    upright = np.abs([rotate(tuple(pose[3:]), (0.0, 0.0, 1.0))[2] for pose in after])
    contacts = world.contacts()
    for row in np.array(coins)[upright < 0.5]:
        touching = {
            int(c["body_b"] if c["body_a"] == row else c["body_a"])
            for c in contacts
            if row in (c["body_a"], c["body_b"])
        }
        assert touching & set(coins), "what stands on edge leans on another coin"
    assert np.count_nonzero(upright > 0.99) >= 40, "most lie flat"
    assert world.smallest_gap > 0.0
