"""Six hollow caps slide down a chute, through its opening and onto a plate (Mirtich 1996, 7.1 and figure 7.13)."""

from __future__ import annotations

import numpy as np

from engine import World, load_scene

MOUTH = np.array([0.35 * np.cos(np.radians(28)), 0.34 - 0.35 * np.sin(np.radians(28))])
"""Where the chute ends, x and z [m]."""


def test_the_caps_leave_by_the_opening_and_come_to_rest_on_the_plate() -> None:
    scene = load_scene("part_feeder_chute")
    world = World(scene)
    caps = [row for row, body in enumerate(scene.bodies) if body.motion == "free"]
    assert len(caps) == 6
    assert all(len(world.shapes[row].pieces) == 10 for row in caps)
    before, left = world.poses()[caps, :3], 0
    for k in range(1, 201):
        world.advance_to(0.01 * k)
        now = world.poses()[caps, :3]
        leaves = (before[:, 0] < MOUTH[0]) & (now[:, 0] >= MOUTH[0])
        assert np.all(np.abs(now[leaves, 1]) < 0.05)
        assert np.all(now[leaves, 2] > MOUTH[1])
        left += int(leaves.sum())
        before = now
    assert left == 6
    world.advance_to(3.0)
    assert np.all((now[:, 2] < 0.03) & (np.abs(now[:, 0] - 0.6) < 0.65) & (np.abs(now[:, 1]) < 0.65))
    assert np.ptp(now[:, 0]) > 0.1  # spread out
    assert np.linalg.norm(world.poses()[caps, :3] - now, axis=1).max() < 0.3
    assert world.energy()["kinetic"] < 1e-3 * world.energy()["dissipated"]
