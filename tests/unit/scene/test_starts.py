"""Joints that say how they start turn and move all that hangs from them, and set it going."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
import pytest

from engine import World
from engine.scene.checks import find_problems
from engine.scene.poses import start_poses
from tests.linkages import joint, linked_scene, rod


def arm(one: dict[str, float], other: dict[str, float], flip: bool = False) -> World:
    """Two rods along x, 0.5 m each, on hinges about y; `flip`: the second joint names its bodies the other way."""
    rods = [rod("upper", (0, 0, 0), (0.5, 0, 0)), rod("lower", (0.5, 0, 0), (1.0, 0, 0))]
    names = ["lower", "upper"] if flip else ["upper", "lower"]
    joints = [
        joint("shoulder", "hinge", ["upper"], (0, 0, 0), (0, 1, 0)) | one,
        joint("elbow", "hinge", names, (0.5, 0, 0), (0, 1, 0)) | other,
    ]
    scene = linked_scene(rods, joints)
    assert find_problems(scene) == []
    world = World(scene)
    assert np.abs(np.array(start_poses(scene)) - world.poses()).max() < 1e-12
    return world


@pytest.mark.parametrize("flip", [False, True])
def test_positions_add_up_along_a_chain(flip: bool) -> None:
    world = arm({"position": 0.4}, {"position": -0.7 if flip else 0.7}, flip)
    elbow = 0.5 * np.array([cos(0.4), 0.0, -sin(0.4)])
    centre = elbow + 0.25 * np.array([cos(1.1), 0.0, -sin(1.1)])
    assert np.abs(world.body("lower").position - centre).max() < 1e-12
    assert world.joints()["position"] == pytest.approx([0.4, -0.7 if flip else 0.7], abs=1e-12)
    assert world.joints()["gap"].max() < 1e-12


def test_velocities_add_up_along_a_chain() -> None:
    world = arm({"position": 0.4, "velocity": 1.5}, {"position": 0.7, "velocity": -0.5})
    assert world.joints()["velocity"] == pytest.approx([1.5, -0.5], abs=1e-12)
    assert world.body("lower").angular_velocity[1] == pytest.approx(1.0)
    before = world.joints()["gap"].max()
    world.advance_to(0.01)
    assert world.joints()["gap"].max() < before + 1e-9 and abs(world.energy()["numerics"]) < 1e-8


def test_a_hinge_may_start_after_whole_turns() -> None:
    world = arm({"position": 4.0 * pi + 0.1, "spring": {"stiffness": 1.0}}, {})
    assert world.joints()["position"][0] == pytest.approx(4.0 * pi + 0.1)
    assert world.energy()["elastic"] == pytest.approx(0.5 * (4.0 * pi + 0.1) ** 2)
    world.advance_to(0.2)
    assert 10.0 < world.joints()["position"][0] < 4.0 * pi + 0.1


def test_a_slider_moves_what_hangs_from_it() -> None:
    blocks = [{"name": name, "shape": {"box": [0.1] * 3}, "position": [k, 0, 0]} for k, name in enumerate("ab")]
    joints = [
        joint("x", "slider", ["a"], (0, 0, 0), (1, 0, 0)) | {"position": 0.2, "velocity": 1.0},
        joint("z", "slider", ["a", "b"], (1, 0, 0), (0, 0, 2)) | {"position": 0.3, "velocity": -2.0},
    ]
    world = World(linked_scene(blocks, joints))
    assert world.body("a").position == pytest.approx([0.2, 0, 0]) and world.body("a").velocity == pytest.approx(
        [1, 0, 0]
    )
    assert world.body("b").position == pytest.approx([1.2, 0, 0.3])
    assert world.body("b").velocity == pytest.approx([1, 0, -2])
