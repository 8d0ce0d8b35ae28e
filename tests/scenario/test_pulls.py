"""The mouse's spring on what lies on something: against statics, and against the closed form of a damped oscillator."""

from __future__ import annotations

from math import atan2, cos, exp, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from engine import World
from engine.arrays import Floats
from engine.scene.schema import Scene
from tests.scenes import body, floor, scene

G = 9.81
DENSITY = 1000.0
MASS = DENSITY * 0.2 * 0.2 * 0.1
MU = 0.5
DAMPING_RATIO = 0.7
"""Of the spring with the body's mass."""


def block(name: str = "b", height: float = 0.0501, **more: Any) -> dict[str, Any]:
    return body(name, {"box": [0.2, 0.2, 0.1]}, (0, 0, height), **more)


def on_floor(*blocks: dict[str, Any], friction: float = MU, contact: str = "hybrid") -> Scene:
    return scene(floor(), *blocks, friction=friction, restitution=0.0, contact=contact)


def contact_force(world: World, name: str) -> Floats:
    """What all contacts do to a body [N]."""
    row, contacts = world.row(name), world.contacts()
    total = np.zeros(3)
    for side, sign in (("body_a", 1.0), ("body_b", -1.0)):
        total += sign * contacts["force"][contacts[side] == row].sum(axis=0)
    return total


def oscillator(stretch: float, k: float, time: float, lost: float = 0.0) -> float:
    """How far the spring has drawn a body, which begins at rest, against a force `lost` that stays as it is [m]."""
    rate, aim = sqrt(k / MASS), stretch - lost / k
    swing = rate * sqrt(1.0 - DAMPING_RATIO**2)
    phase = atan2(DAMPING_RATIO, sqrt(1.0 - DAMPING_RATIO**2))
    return aim * (1.0 - exp(-DAMPING_RATIO * rate * time) * cos(swing * time - phase) / cos(phase))


@pytest.mark.parametrize("asleep", [False, True])
def test_what_friction_holds_stays_and_bears_the_pull(asleep: bool) -> None:
    world = World(on_floor(block(asleep=asleep)))
    world.advance_to(0.5)
    before = world.body("b").position
    pull = 0.9 * MU * MASS * G
    world.pull("b", (0, 0, -0.05), (pull / 1000.0, 0, before[2] - 0.05), 1000.0)
    world.advance(2.0)
    assert np.abs(world.body("b").position - before).max() < 1e-7
    assert contact_force(world, "b") == pytest.approx([-pull, 0.0, MASS * G], abs=1e-3 * pull)
    energy = world.energy()
    assert energy["kinetic"] < 1e-12 and abs(energy["work"]) < 1e-6


def test_a_brick_low_in_a_tower_is_held_by_what_lies_on_it() -> None:
    world = World(on_floor(*(block(f"b{k}", 0.05 + 0.1 * k + 1e-4 * (k + 1), asleep=True) for k in range(8))))
    world.advance_to(0.1)
    before = world.poses()
    pull = 0.9 * MU * 7 * MASS * G  # six lie on it, and what lies on one holds nobody
    world.pull("b1", (0, 0, 0), (0, pull / 5000.0, before[2, 2]), 5000.0)
    world.advance(1.0)
    assert np.abs(world.poses() - before).max() < 1e-6
    assert contact_force(world, "b1") == pytest.approx([0.0, -pull, MASS * G], abs=1e-3 * pull)
    world.move_pull((0, 1.2 * pull / 5000.0, before[2, 2]))
    world.advance(0.2)
    assert world.body("b1").position[1] > 1e-3


@pytest.mark.parametrize(("friction", "contact"), [(0.0, "hybrid"), (MU, "hybrid"), (MU, "penalty")])
def test_what_slides_on_the_floor_comes_as_a_damped_oscillator(friction: float, contact: str) -> None:
    world = World(on_floor(block(), friction=friction, contact=contact))
    world.advance_to(0.5)
    k, stretch = 60.0 * MASS, 0.5
    world.pull("b", (0, 0, 0), (stretch, 0, world.body("b").position[2]), k)
    work = world.energy()["work"]
    for time in (0.05, 0.1, 0.2, 0.3):
        world.advance_to(0.5 + time)
        came = world.body("b").position[0]
        assert came == pytest.approx(oscillator(stretch, k, time, friction * MASS * G), rel=0.02, abs=3e-5)
    energy = world.energy()
    assert energy["work"] - work == pytest.approx(energy["kinetic"] + friction * MASS * G * came, rel=0.01)


def test_what_is_lifted_flies_up_to_where_the_spring_carries_it() -> None:
    """Kicks take over from steps where contact ends: the closed form holds across that, up to their period."""
    world = World(on_floor(block()))
    world.advance_to(0.5)
    low = world.body("b").position[2]
    k, stretch = 100.0 * MASS, 0.4
    world.pull("b", (0, 0, 0), (0, 0, low + stretch), k)
    for time in (0.05, 0.1, 0.2, 0.4, 1.0):
        world.advance_to(0.5 + time)
        assert world.body("b").position[2] - low == pytest.approx(oscillator(stretch, k, time, MASS * G), abs=2e-3)
    assert world.paradigms()[1] != "constraint"


def test_released_it_slides_on_and_owes_nothing() -> None:
    world = World(on_floor(block()))
    world.advance_to(0.5)
    world.pull("b", (0, 0, 0), (1.0, 0, world.body("b").position[2]), 60.0 * MASS)
    world.advance(0.1234)  # in the midst of a step
    world.release()
    speed, start = world.body("b").velocity[0], world.body("b").position[0]
    work = world.energy()["work"]
    world.advance(2.0)
    assert world.energy()["work"] == pytest.approx(work, abs=1e-9)
    assert world.body("b").position[0] - start == pytest.approx(speed**2 / (2.0 * MU * G), rel=1e-2)


def test_kicks_are_often_enough_for_a_stiff_spring() -> None:
    """Pulled by a corner it may go on turning about that, but with no more than the spring had."""
    world = World(scene(block(), gravity=(0, 0, 0), contact="hybrid"))
    k, target = 1e7, np.array([0.11, 0.1, 0.1])
    world.pull("b", (0.1, 0.1, 0.05), target.tolist(), k)
    for _ in range(50):
        world.advance(1e-3)
        assert world.energy()["kinetic"] < 0.5 * k * 0.01**2
    (x, y, z), turn = world.body("b").position, Rotation.from_quat(np.roll(world.poses()[0, 3:], -1))
    assert turn.apply([0.1, 0.1, 0.05]) + (x, y, z) == pytest.approx(target, abs=1e-3)


def test_steps_are_short_enough_for_a_stiff_spring() -> None:
    world = World(on_floor(block(), friction=0.1))
    world.advance_to(0.5)
    k, stretch, low = 1e7, 0.01, world.body("b").position[2]
    world.pull("b", (0, 0, 0), (stretch, 0, low), k)
    highest = 0.0
    for _ in range(100):
        world.advance(1e-3)
        highest = max(highest, world.energy()["kinetic"])
    assert highest < 0.5 * k * stretch**2
    assert world.energy()["kinetic"] < 1e-9
    assert world.body("b").position == pytest.approx([stretch, 0.0, low], abs=1e-5)
