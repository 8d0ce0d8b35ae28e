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


def test_trap_doors_open_for_what_their_springs_do_not_hold() -> None:
    scene = load_scene("trap_doors")
    world = World(scene)
    before = world.energy()
    world.advance_to(3.0)
    fell = {}
    for name in world.names:
        if name.startswith("block "):
            fell[name.removeprefix("block ")] = bool(world.body(name).position[2] < 0.2)
    for row, couple in (("front", 1.0), ("middle", 2.0), ("back", 4.0)):
        for kind, mass in (("light", 0.3), ("medium", 1.0), ("heavy", 2.5)):
            assert fell[f"{row} {kind}"] == (9.81 * (0.5 * 0.15 + mass * 0.18) > couple), (row, kind)
    joints = world.joints()
    assert np.abs(joints["position"]).max() < 1e-4  # all shut again
    assert np.abs(joints["velocity"]).max() < 1e-6
    after = world.energy()
    assert after["total"] + after["dissipated"] == pytest.approx(before["total"], rel=1e-9)
    assert abs(after["numerics"]) < 2e-3 * after["dissipated"]
    assert world.smallest_gap > 0.0


def test_eight_balls_pass_the_see_saw_and_it_comes_level_again() -> None:
    scene = load_scene("see_saw")
    world = World(scene)
    before = world.energy()["total"]
    balls = [world.names.index(f"ball {k}") for k in range(1, 9)]
    most = 0.0
    for t in np.arange(0.0, 9.0, 0.02):
        world.advance_to(float(t))
        most = max(most, float(np.abs(world.joints()["position"][0])))
    assert most > 0.8  # it tips
    assert (world.poses()[balls, 2] < 0.05).all()  # all lie in the drawer
    assert (np.abs(world.poses()[balls, :2]) < (0.3, 0.25)).all()
    assert abs(world.joints()["position"][0]) < 0.1
    after = world.energy()
    assert after["total"] + after["dissipated"] == pytest.approx(before, rel=1e-9)
    assert abs(after["numerics"]) < 1e-4 * after["dissipated"]
    assert world.smallest_gap > 0.0
