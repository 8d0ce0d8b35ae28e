"""The points in the middle of a step: those of pairs that stand are not looked for again, and are as true."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World
from engine.scene.schema import Scene
from tests.outside_gaps import OutsideGaps
from tests.scenes import ball, body, floor, scene

N = 15


def yard() -> World:
    """A board on which N balls lie and another one rolls: one group, of which little moves."""
    board = body("board", {"box": [4.0, 0.6, 0.1]}, (0.0, 0.0, 0.0505), mass=50.0)
    balls = [ball(f"b{k}", (-1.8 + 0.22 * k, 0.15, 0.151), radius=0.05, mass=1.0) for k in range(N)]
    rolling = ball("ball", (-1.8, -0.15, 0.151), (1.0, 0.0, 0.0), radius=0.05, mass=0.2)
    said = scene(floor(), board, *balls, rolling, contact="constraint", sleep=False).model_dump(exclude_unset=True)
    said["material"]["m"] = {"friction": 0.5, "restitution": 0.0, "rolling_resistance": 0.0005}
    return World(Scene.model_validate(said))


def checks_a_step(world: World) -> float:
    """How many pairs a step of the group measures."""
    before = world.counters
    world.advance(0.1)
    now = world.counters
    return (now["pair_checks"] - before["pair_checks"]) / (now["group_steps"] - before["group_steps"])


def test_pairs_that_stand_are_measured_once_a_step_and_others_in_its_middle_and_at_its_end() -> None:
    world = yard()
    world.advance_to(0.5)
    assert world.body("ball").velocity[0] > 0.3 and world.counters["switches"] >= N + 2
    assert checks_a_step(world) < N + 2 * 2  # others: the ball on the board, and that on the floor


def test_what_stands_beside_what_moves_bears_its_weight_and_its_gaps_are_true() -> None:
    world = yard()
    gaps = OutsideGaps(world)
    for k in range(1, 41):
        world.advance_to(0.5 + 0.02 * k)
        assert gaps.smallest(world.poses()) > 0.0
    places = world.poses()
    world.advance_to(1.5)
    for k in range(N):
        i = world.names.index(f"b{k}")
        assert np.abs(world.poses()[i] - places[i]).max() < 1e-7
        contacts = world.contacts()
        its = (contacts["body_a"] == i) | (contacts["body_b"] == i)
        weight = np.abs(contacts["force"][its, 2].sum())
        assert weight == pytest.approx(9.81, rel=1e-3)
