"""Straight and hooking balls, thrown as the thesis throws them (Mirtich 1996, 7.1 and figure 7.10)."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World, load_scene
from engine.experiments.bowling import HOOK, STRAIGHT, Kind, Throw, throw_ball

SWERVE = 0.332
"""How far to the right of its start the hooking ball crosses the pin line [m]."""


def fell(kind: Kind, place: float) -> int:
    """Pins that a ball fells which is aimed at a place of the pin line [m]."""
    found = throw_ball(Throw(kind, place - (SWERVE if kind is HOOK else 0.0)))
    assert found.place == pytest.approx(place, abs=0.001)
    return found.felled


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
    hooks = [fell(HOOK, float(x)) for x in places]
    straights = [fell(STRAIGHT, float(x)) for x in places]
    assert np.mean(hooks) > np.mean(straights)
    assert max(hooks) == 10
    assert fell(STRAIGHT, 0.0) < np.mean(straights)  # the dip at the head pin


def test_what_strikes_the_left_strikes_the_right() -> None:
    assert [fell(STRAIGHT, -x) for x in (0.07, 0.16)] == [fell(STRAIGHT, x) for x in (0.07, 0.16)]
