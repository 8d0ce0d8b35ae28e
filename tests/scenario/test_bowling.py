"""Straight and hooking balls, thrown as the thesis throws them (Mirtich 1996, 7.1 and figure 7.10)."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World, load_scene
from engine.scene.paths import set_path
from engine.scene.schema import Scene

SWERVE = 0.337
"""How far to the right of its start the hooking ball meets the pin line [m]."""


def straight(x: float) -> Scene:
    """A straight ball that is aimed at the place x [m] of the pin line."""
    scene = set_path(load_scene("bowling"), "body.ball.position", [x, -18.1, 0.13])
    return set_path(set_path(scene, "body.ball.velocity", [0.0, 8.0, 0.0]), "body.ball.angular_velocity", [0.0] * 3)


def hook(x: float) -> Scene:
    return set_path(load_scene("bowling"), "body.ball.position", [x - SWERVE, -18.1, 0.13])


def count_felled(scene: Scene) -> int:
    """Pins that do not stand any more, or not on the lane, after 4 s."""
    world = World(scene)
    pins = [row for row, body in enumerate(scene.bodies) if body.name.startswith("row")]
    assert len(pins) == 10
    world.advance_to(4.0)
    assert world.smallest_gap > 0.0
    assert world.counters["faults"] == 0
    poses = world.poses()[pins]
    upright = 1.0 - 2.0 * (poses[:, 4] ** 2 + poses[:, 5] ** 2)
    return int(np.count_nonzero((upright < 0.95) | (np.abs(poses[:, 2]) > 0.01)))


def test_the_ball_slides_to_the_right_then_hooks_back() -> None:
    world = World(load_scene("bowling"))
    world.advance_to(1.0)
    early = world.body("ball")
    assert early.velocity[0] > 0.2
    world.advance_to(2.45)
    late = world.body("ball")
    assert -0.5 < late.position[1] < -0.11
    assert late.velocity[0] < -0.1
    # By then it rolls: what touches the lane is at rest.
    slip = np.array(late.velocity) + np.cross(late.angular_velocity, [0.0, 0.0, -0.108])
    assert np.abs(slip[:2]).max() < 1e-6
    assert late.position[0] == pytest.approx(0.08, abs=0.02)


def test_a_hook_beats_a_straight_ball_beside_the_head_pin() -> None:
    places = np.linspace(0.065, 0.115, 6)
    hooks = [count_felled(hook(float(x))) for x in places]
    straights = [count_felled(straight(float(x))) for x in places]
    assert np.mean(hooks) > np.mean(straights)
    assert max(hooks) == 10
    assert count_felled(straight(0.0)) < np.mean(straights)  # the dip at the head pin
