"""What rides on the inside of a turning drum is pressed on by nothing but its turning round: its contact lasts."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World
from engine.recording.forces import split_forces
from tests.scenes import ball, body, scene

RADIUS, SIZE, MASS = 2.0, 0.1, 1.0
"""Of the drum [m], of the ball that rides on it [m], and its mass [kg]."""


def riding(rate: float, gravity: float) -> World:
    """A drum about a vertical axis, and a ball that goes round with it at its wall."""
    motion = {"spinner": {"axis": [0.0, 0.0, 1.0], "rate": rate}}
    drum = body("drum", {"ring": {"radius": RADIUS, "width": 4.0, "thickness": 0.1}}, (0, 0, 0), motion=motion)
    at = RADIUS - SIZE - 3e-4
    rider = ball("ball", (at, 0.0, 0.0), radius=SIZE, mass=MASS, velocity=[0.0, rate * at, 0.0])
    rider["angular_velocity"] = [0.0, 0.0, rate]
    return World(scene(drum, rider, friction=0.8, restitution=0.2, gravity=[0.0, 0.0, -gravity]))


@pytest.mark.parametrize(("rate", "gravity"), [(2.0, 0.0), (6.0, 0.0), (6.0, 9.81)])
def test_a_ball_on_the_wall_of_a_drum_is_held_there_and_pressed_by_what_draws_it_round(
    rate: float, gravity: float
) -> None:
    """It rolls up and down on the wall meanwhile, as a golf ball in a hole (Gualtieri and others 2006)."""
    world = riding(rate, gravity)
    world.advance_to(1.0)
    for k in range(1, 11):
        world.advance_to(1.0 + 0.1 * k)
        x, y, z = world.body("ball").position
        assert abs(np.hypot(x, y) - (RADIUS - SIZE)) < 5e-4
        fallen = 2.5 * gravity / rate**2 * (1.0 - np.cos(np.sqrt(2.0 / 7.0) * rate * world.time))
        assert z == pytest.approx(-fallen, abs=2e-3)
    contacts = world.contacts()
    pressing, _ = split_forces(contacts["force"], contacts["normal"])
    # Of one step: chords of the circle meet at angles, at which it goes to and fro within its envelope.
    assert pressing.sum() == pytest.approx(MASS * rate**2 * (RADIUS - SIZE), rel=0.03)
    assert world.body("ball").paradigm == "constraint"
    assert world.counters["collisions"] + world.counters["microcollisions"] < 1000
