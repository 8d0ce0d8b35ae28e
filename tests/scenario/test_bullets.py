"""Bullets through paper: nothing is ever passed, however thin and however fast."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine import World
from tests.scenes import body, scene

PLATE = {"box": [0.4, 0.4, 0.001]}
BULLETS: dict[str, dict[str, Any]] = {
    "ball": {"sphere": {"radius": 0.004}},
    "box": {"box": [0.006, 0.004, 0.009]},
    "capsule": {"capsule": {"radius": 0.003, "length": 0.01}},
}
SIDE = {"axis": [1.0, 0.0, 0.0], "degrees": 90.0}


def shoot(plate: dict[str, Any], bullet: dict[str, Any], velocity: list[float], start: list[float]) -> World:
    shot = body("bullet", bullet, start, velocity=velocity, mass=0.01, angular_velocity=[3.0, 100.0, 1.0])
    return World(scene(plate, shot, gravity=(0, 0, 0), friction=0.3, restitution=0.3))


@pytest.mark.parametrize("speed", [1.0, 30.0, 1000.0])
@pytest.mark.parametrize("shape", BULLETS)
@pytest.mark.parametrize("plate", ["standing", "moving", "spinning"])
def test_flat_on(plate: str, shape: str, speed: float) -> None:
    motion: Any = {
        "standing": "fixed",
        "moving": {"oscillator": {"direction": [0.0, 0.0, 1.0], "amplitude": 0.02, "frequency": 15.0}},
        "spinning": {"spinner": {"axis": [0.0, 0.0, 1.0], "rate": 200.0}},
    }[plate]
    world = shoot(body("plate", PLATE, motion=motion), BULLETS[shape], [0.0, 0.0, -speed], [0.05, 0.02, 0.3])
    world.advance_to(0.6 / speed)
    assert world.counters["collisions"] + world.counters["microcollisions"] > 0
    assert world.body("bullet").position[2] > world.body("plate").position[2]
    assert world.smallest_gap > 0.0


@pytest.mark.parametrize("shape", BULLETS)
def test_a_free_plate_is_carried_along_and_not_passed(shape: str) -> None:
    plate = body("plate", PLATE, mass=0.1)
    world = shoot(plate, BULLETS[shape], [0.0, 0.0, -1000.0], [0.0, 0.0, 0.3])
    world.advance_to(4e-4)
    assert world.counters["collisions"] > 0
    assert world.body("plate").velocity[2] < -1.0
    assert world.body("bullet").position[2] > world.body("plate").position[2]
    assert world.smallest_gap > 0.0


@pytest.mark.parametrize("speed", [1.0, 1000.0])
@pytest.mark.parametrize("offset", [0.0, 0.003])
def test_edge_on(offset: float, speed: float) -> None:
    """The plate stands on its edge in the bullet's way."""
    plate = body("plate", PLATE, motion="fixed", orientation=SIDE)
    world = shoot(plate, BULLETS["ball"], [0.0, 0.0, -speed], [0.0, offset, 0.5])
    world.advance_to(0.7 / speed)
    assert world.counters["collisions"] > 0
    assert world.smallest_gap > 0.0
    x, y, z = world.body("bullet").position
    assert z > 0.2 or abs(y) > 0.004


def test_a_plate_that_sweeps_round_hits_what_stands_in_its_way() -> None:
    """Spinning about its own edge line at 1,000 rad/s: its rim moves at 200 m/s."""
    paddle = body("plate", PLATE, orientation=SIDE, motion={"spinner": {"axis": [0.0, 0.0, 1.0], "rate": 1000.0}})
    target = body("bullet", BULLETS["ball"], [0.0, 0.15, 0.0], mass=0.01)
    world = World(scene(paddle, target, gravity=(0, 0, 0)))
    world.advance_to(0.01)
    assert world.counters["collisions"] > 0
    assert np.linalg.norm(world.body("bullet").velocity) > 50.0
    assert world.smallest_gap > 0.0
