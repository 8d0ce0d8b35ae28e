"""Gallery scenes of jointed bodies do what their notes say."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World, load_scene
from engine.scene.paths import set_path


@pytest.mark.parametrize("balls", [1, 2, 3])
def test_as_many_balls_leave_a_cradle_as_came(balls: int) -> None:
    scene = load_scene("newtons_cradle")
    for k in range(balls):
        scene = set_path(scene, f"joint.hinge {k + 1}.position", 0.7)
    world = World(scene)
    world.advance_to(0.55)  # most of half a swing
    angles = world.joints()["position"][::2]
    left, stayed = angles[5 - balls :], angles[: 5 - balls]
    assert (left < -0.4).all(), angles
    assert (np.abs(stayed) < 0.05).all(), angles
    assert world.smallest_gap > 0.0
    energy = world.energy()
    assert abs(energy["numerics"]) < 1e-6 * energy["total"]


def test_the_cradle_swings_on() -> None:
    world = World(load_scene("newtons_cradle"))
    first, last = [], []
    for t in np.arange(2.0, 4.0, 0.02):
        world.advance_to(float(t))
        angles = world.joints()["position"][::2]
        first.append(angles[0])
        last.append(angles[4])
    assert max(first) > 0.55 and min(last) < -0.55


def test_butterflies_part_after_seven_seconds_and_keep_their_energy() -> None:
    world = World(load_scene("butterfly"))
    total = world.energy()["total"]
    lower = [world.names.index(f"lower {k}") for k in range(1, 21)]

    def spread() -> float:
        places = world.poses()[lower, :3]
        return float(np.abs(places - places[0]).max())

    world.advance_to(5.0)
    assert spread() < 1e-3
    world.advance_to(10.0)
    assert spread() > 0.1
    assert world.energy()["total"] == pytest.approx(total, abs=1e-6)
