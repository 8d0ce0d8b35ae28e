"""What is a thousandth past its angle begins to move, and what is a thousandth short of it lies: awake and asleep."""

from __future__ import annotations

from math import atan, cos, radians, sin
from typing import Any

import numpy as np
import pytest

from engine import World
from tests.scenes import ball, body, floor, scene

G, FRICTION = 9.81, 0.5
SIDES = [0.2, 0.2, 0.1]
POST = [0.1, 0.1, 0.4]
"""A box that tips sooner than it slides."""


def tilted(angle: float, *bodies: dict[str, Any], **more: Any) -> World:
    """Bodies on a plane that is tilted by turning gravity [rad]."""
    return World(scene(floor(), *bodies, gravity=(G * sin(angle), 0.0, -G * cos(angle)), **more))


def box(sides: list[float], asleep: bool) -> dict[str, Any]:
    return body("box", {"box": sides}, (0, 0, 0.5 * sides[2] + 1e-4), asleep=asleep)


EACH = [
    pytest.mark.parametrize("contact", ["hybrid", "constraint"]),
    pytest.mark.parametrize("asleep", [False, True], ids=["awake", "asleep"]),
]


def each(test: Any) -> Any:
    for mark in EACH:
        test = mark(test)
    return test


@each
@pytest.mark.parametrize("share", [1.001, 1.003])
def test_a_box_past_the_friction_angle_slides_as_it_should(contact: str, asleep: bool, share: float) -> None:
    angle = atan(share * FRICTION)
    world = tilted(angle, box(SIDES, asleep), friction=FRICTION, contact=contact)
    world.advance_to(4.0)
    pull = G * (sin(angle) - FRICTION * cos(angle))
    assert world.body("box").velocity[0] == pytest.approx(pull * 4.0, rel=0.02)
    assert world.body("box").position[0] == pytest.approx(0.5 * pull * 16.0, rel=0.02)


@each
def test_a_box_short_of_it_lies(contact: str, asleep: bool) -> None:
    world = tilted(atan(0.999 * FRICTION), box(SIDES, asleep), friction=FRICTION, contact=contact)
    world.advance_to(4.0)
    assert world.body("box").asleep
    assert np.abs(world.body("box").position - (0.0, 0.0, 0.0501)).max() < 2e-4
    if asleep:
        assert world.counters["group_steps"] == 0


@each
def test_a_post_past_the_angle_at_which_it_tips_falls(contact: str, asleep: bool) -> None:
    world = tilted(atan(1.001 * POST[0] / POST[2]), box(POST, asleep), friction=FRICTION, contact=contact)
    world.advance_to(4.0)
    assert world.body("box").position[2] < 0.1


@each
def test_a_post_short_of_it_stands(contact: str, asleep: bool) -> None:
    world = tilted(atan(0.999 * POST[0] / POST[2]), box(POST, asleep), friction=FRICTION, contact=contact)
    world.advance_to(4.0)
    assert world.body("box").asleep
    assert world.body("box").position[2] == pytest.approx(0.2001, abs=2e-4)


@each
def test_a_ball_rolls_down_the_slightest_slope(contact: str, asleep: bool) -> None:
    angle = radians(0.05)
    at_rest = ball("ball", (0, 0, 0.1001), asleep=asleep)
    world = tilted(angle, at_rest, friction=FRICTION, contact=contact)
    world.advance_to(4.0)
    assert world.body("ball").velocity[0] == pytest.approx(5.0 / 7.0 * G * sin(angle) * 4.0, rel=0.02)
