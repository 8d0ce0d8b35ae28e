"""What is carried round on a turntable is at rest on it: it is held, and stays where it lies."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from engine import World
from tests.scenes import body, scene

G, FRICTION = 9.81, 0.3
RADIUS = 0.2
"""Of the coin's circle [m]."""


def carried(share: float, contact: str) -> World:
    """A coin on a turntable that needs this share of the friction that it has."""
    rate = sqrt(share * FRICTION * G / RADIUS)
    motion = {"spinner": {"axis": [0.0, 0.0, 1.0], "rate": rate}}
    table = body("table", {"cylinder": {"radius": 0.5, "length": 0.1}}, (0, 0, -0.05), motion=motion)
    coin = body(
        "coin",
        {"cylinder": {"radius": 0.012, "length": 0.002}},
        (RADIUS, 0.0, 0.00101),
        velocity=[0.0, rate * RADIUS, 0.0],
        angular_velocity=[0.0, 0.0, rate],
    )
    return World(scene(table, coin, friction=FRICTION, contact=contact))


@pytest.mark.parametrize("contact", ["hybrid", "constraint"])
def test_a_coin_with_half_again_the_friction_that_it_needs_stays_on_its_circle(contact: str) -> None:
    world = carried(1.0 / 1.5, contact)
    for k in range(1, 21):
        world.advance_to(float(k))
        x, y, _ = world.body("coin").position
        assert abs(np.hypot(x, y) - RADIUS) < 5e-5
    assert world.body("coin").paradigm == "constraint"
    assert world.counters["switches"] == 1


@pytest.mark.parametrize("contact", ["hybrid", "constraint"])
def test_a_coin_that_lacks_friction_slides_off(contact: str) -> None:
    world = carried(1.5, contact)
    world.advance_to(1.0)
    assert np.hypot(*world.body("coin").position[:2]) > 1.5 * RADIUS


@pytest.mark.parametrize(("contact", "off"), [("impulse", 2e-3), ("hybrid", 1e-6), ("constraint", 1e-6)])
def test_a_ball_keeps_the_circle_that_it_is_put_on_for_twenty_orbits(contact: str, off: float) -> None:
    """It rolls at two sevenths of the table's rate; by impulses alone too, though it never has credit for a lift."""
    rate, radius = 2.2, 0.04
    orbit = 2.0 / 7.0 * rate
    motion = {"spinner": {"axis": [0.0, 0.0, 1.0], "rate": rate}}
    table = body("table", {"cylinder": {"radius": 1.0, "length": 0.03}}, (0, 0, -0.015), motion=motion)
    rolls = body(
        "ball",
        {"sphere": {"radius": radius}},
        (RADIUS, 0.0, radius + 5e-5),
        velocity=[0.0, orbit * RADIUS, 0.0],
        angular_velocity=[(rate - orbit) * RADIUS / radius, 0.0, 0.0],
    )
    world = World(scene(table, rolls, friction=FRICTION, restitution=0.3, contact=contact))
    for k in range(1, 201):
        world.advance_to(k * 0.1 * 2.0 * np.pi / orbit)
        assert np.hypot(*world.body("ball").position[:2]) == pytest.approx(RADIUS, rel=off)
    assert world.smallest_gap > 0.0
