"""The table goes round its eight places, chairs keep theirs at it, and the bottle jumps onto it (Mirtich 1996, 7.3)."""

from __future__ import annotations

import json

import numpy as np
import pytest

from engine import World, load_scene
from engine.maths.quaternions import conjugate, multiply, rotate_inverse

TOP = 0.74  # of the table [m]
HALF_TOP = np.array([0.65, 0.38])  # of its length and width [m]
FOOT = 0.05  # of the bottle, and a little [m]


def seen_from_table(world: World, name: str) -> tuple[np.ndarray, float]:
    """Where a body is at the table [m], and how it is turned there about the upright [rad]."""
    table, one = world.body("table"), world.body(name)
    turn = tuple(table.orientation)
    away = rotate_inverse(turn, tuple(np.subtract(one.position, table.position)))
    w, _, _, k = multiply(conjugate(turn), tuple(one.orientation))
    return np.array(away), 2.0 * np.arctan2(k, w)


def upright(world: World, name: str) -> bool:
    _, i, j, _ = world.body(name).orientation
    return bool(1.0 - 2.0 * (i * i + j * j) > 0.999)


def memory(world: World, name: str) -> dict[str, float]:
    said = next(one for one in world.snapshot().said.memories if one.name == name)
    state: dict[str, float] = json.loads(said.state or "{}")
    return state


def check_chairs(world: World) -> None:
    """Each stands at its own place, less what it scoots in, and faces the table."""
    for controller in world.scene.controller:
        if not controller.name.startswith("chair"):
            continue
        place, turn = seen_from_table(world, controller.name)
        goal = np.array([controller.settings["along"], controller.settings["across"]], float)
        goal *= 1.0 - memory(world, controller.name)["in"] / np.hypot(*goal)
        assert np.abs(place[:2] - goal).max() < 0.03, controller.name
        facing = np.arctan2(-goal[1], 0.0) if goal[1] else np.arctan2(0.0, -goal[0])
        assert abs(np.remainder(turn - facing + np.pi, 2 * np.pi) - np.pi) < 0.05, controller.name
        assert upright(world, controller.name)


def check_bottle(world: World) -> None:
    """It stands on the table with the whole of its foot, where its bounces have left it."""
    place, _ = seen_from_table(world, "bottle")
    assert place[2] == pytest.approx(TOP, abs=2e-3)
    assert (np.abs(place[:2]) < HALF_TOP - FOOT).all()
    assert upright(world, "bottle")


def test_chairs_find_their_places_and_the_bottle_jumps() -> None:
    world = World(load_scene("furniture"))
    highest = 0.0
    for t in np.arange(0.1, 3.55, 0.1):
        world.advance_to(float(t))
        highest = max(highest, float(world.body("bottle").position[2]))
    assert TOP + 0.3 < highest < TOP + 0.45
    check_bottle(world)
    check_chairs(world)
    wall = [memory(world, f"chair {k}")["in"] for k in (1, 2)]
    assert min(wall) > 0.03  # by the north wall
    assert max(memory(world, f"chair {k}")["in"] for k in (3, 4, 5, 6)) == 0.0
    assert world.smallest_gap > 0.0


@pytest.mark.slow
def test_the_table_goes_round_and_all_that_belongs_to_it_follows() -> None:
    world = World(load_scene("furniture"))
    start = World(world.scene, python="off").energy()["total"]
    reached = []
    for t in np.arange(0.1, 36.0, 0.1):
        world.advance_to(float(t))
        state = memory(world, "table")
        if state["stood"] > 65 and len(reached) == state["place"]:
            reached.append(world.body("table").position[:2])
            check_chairs(world)
            check_bottle(world)
    assert len(reached) == 8
    assert min(x for x, _ in reached) < -3.0 and max(x for x, _ in reached) > 3.0  # both rooms
    books = world.energy()
    assert books["total"] + books["dissipated"] - books["work"] == pytest.approx(start, abs=1e-6)
    assert abs(books["numerics"]) < 1e-3 * books["dissipated"]
    assert world.smallest_gap > 0.0

    world.pull("bottle", (0.0, 0.0, 0.2), (1.2, -1.6, 0.9), 36.0)
    world.advance_to(37.5)
    world.release()
    world.advance_to(38.1)
    assert world.body("bottle").position[2] < 0.5
    world.advance_to(43.0)
    check_bottle(world)
