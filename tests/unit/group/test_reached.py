"""Sleepers that are gathered with what moves beside them; whole runs are in tests/scenario/test_sleepers.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine import World
from engine.group import work as wk
from engine.group.gather import ALONE, REACHED, gather_group
from engine.group.reached import (
    _list_group,
    _list_rings,
    forget_reached,
    is_stirred_around,
    list_struck,
    wake_reached,
)
from engine.group.sleepers import least_to_wake
from engine.model import state as s
from engine.scene.schema import Scene
from engine.tolerances import STIRRED_BY
from tests.scenes import ball, body, floor, scene

pytestmark = pytest.mark.plain

G = 9.81
H = 1.0 / 240.0


def tower(count: int, x: float = 0.0, name: str = "b") -> list[dict[str, Any]]:
    """Boxes of 1 kg that lie asleep on each other."""
    shape = {"box": [0.1, 0.1, 0.1]}
    return [body(f"{name}{k}", shape, (x, 0, 0.0501 + 0.1001 * k), mass=1.0, asleep=True) for k in range(count)]


def lying(*bodies: dict[str, Any], **more: Any) -> World:
    """A world whose sleepers have been found to bear what they do; one of its materials is slippery."""
    described = scene(floor(), contact="hybrid", restitution=0.0).model_dump(exclude_unset=True, by_alias=True)
    described["body"] += bodies
    described["material"]["ice"] = {"friction": 0.02, "restitution": 0.0}
    world = World(Scene.model_validate(described | more))
    world.advance_to(0.01)
    return world


def gather(world: World, name: str, far: int = ALONE) -> list[str]:
    """The names of the bodies that are gathered with the group of one."""
    state, desk = world._state, world._desk
    gather_group(world.model, state, desk.work, desk.log, desk.log_size, world.row(name), world.time, far)
    return [world.names[i] for i in desk.work.body[: desk.work.sizes[wk.BODIES]]]


def rings(world: World) -> list[int]:
    names = [name for name in world.names if name.startswith("b")]
    return [int(world._desk.work.uneasy[world.row(name), wk.RING]) for name in sorted(names)]


def test_rings_are_as_many_contacts_away() -> None:
    world = lying(*tower(5))
    state, work = world._state, world._desk.work
    _list_group(state, work, world.row("b4"), 1)
    assert _list_rings(world.model, state, work, 3)
    assert rings(world) == [0, 0, 3, 2, 1]
    assert not _list_rings(world.model, state, work, 3)
    assert _list_rings(world.model, state, work, 4)
    assert rings(world) == [0, 4, 3, 2, 1]
    forget_reached(work)
    assert rings(world) == [0] * 5 and work.sizes[wk.AROUND] == 0


def test_so_many_rings_are_gathered_with_what_lies_on_them() -> None:
    world = lying(*tower(4), body("top", {"box": [0.1, 0.1, 0.1]}, (0, 0, 0.4505), mass=1.0))
    state, work = world._state, world._desk.work
    assert world.asleep()[1:].tolist() == [True] * 4 + [False]
    _list_group(state, work, world.row("b3"), 1)
    _list_rings(world.model, state, work, 2)
    assert gather(world, "top", REACHED) == ["top", "b3", "b2"]
    sides = work.contact[: work.sizes[wk.CONTACTS], [wk.SIDE_A, wk.SIDE_B]]
    assert {tuple(pair) for pair in np.sort(sides, axis=1).tolist()} == {(0, 1), (1, 2), (-1, 2)}, "b1 is ground"
    forget_reached(work)
    assert gather(world, "top") == ["top"]


def test_what_joints_tie_comes_whole() -> None:
    weld = {"kind": "weld", "name": "tie", "bodies": ["b0", "b1"], "point": [0.0, 0.0, 0.1]}
    world = lying(*tower(2), joint=[weld])
    assert world.asleep()[1:].all()
    _list_group(world._state, world._desk.work, world.row("b1"), 1)
    assert rings(world) == [1, 1]


@pytest.mark.parametrize(("x", "stirred"), [(0.2, True), (2.0, False)])
def test_whether_others_are_awake_around(x: float, stirred: bool) -> None:
    """Two balls roll on one sleeping slab, or each on its own."""
    slabs = [body("b0", {"box": [1.0, 0.3, 0.1]}, (0, 0, 0.0501), mass=2.0, asleep=True)]
    slabs.append(body("b1", {"box": [1.0, 0.3, 0.1]}, (2, 0, 0.0501), mass=2.0, asleep=True))
    rolling = [ball(name, (at, 0, 0.1502), (0.1, 0, 0), radius=0.05, mass=0.1) for name, at in (("one", 0), ("two", x))]
    world = lying(*slabs, *rolling)
    world.advance_to(0.1)
    assert world.asleep()[1:].tolist() == [True, True, False, False]
    assert gather(world, "one") == ["one"]
    assert is_stirred_around(world.model, world._state, world._desk.work) is stirred
    assert world._desk.work.sizes[wk.AROUND] == 0


def test_what_bears_others_is_moved_with_them() -> None:
    """Half of what its contacts bear, but no less than its weight: 2 + 3 weights at the bottom of a tower of three."""
    world = lying(*tower(3))
    least = [least_to_wake(world.model, world._state, world.row(f"b{k}")) for k in range(3)]
    assert least == pytest.approx([STIRRED_BY * G * weights for weights in (2.5, 1.5, 1.0)], rel=1e-4)


def strike(world: World, name: str, impulse: tuple[float, float, float]) -> bool:
    """Let what lies on a body strike it so in its middle [N s], as if found at a step's start: is it listed?"""
    state, work = world._state, world._desk.work
    gather(world, "top")
    row = work.pair[0]
    sign = 1.0 if state.links[row, s.BODY_A] == world.row(name) else -1.0
    work.start[: work.sizes[wk.CONTACTS]] = 0.0
    work.start[0, wk.START_IMPULSE : wk.START_IMPULSE + 3] = sign * np.array(impulse)
    work.start[0, wk.START_POINT : wk.START_POINT + 3] = world.body(name).position
    return list_struck(world.model, state, work, world.time, H)


def test_who_is_struck() -> None:
    """By more than sleep bears of it throughout the step; not again once a trial has been made with it."""
    world = lying(*tower(4), body("top", {"box": [0.1, 0.1, 0.1]}, (0, 0, 0.4505), mass=1.0))
    work = world._desk.work
    least = least_to_wake(world.model, world._state, world.row("b3")) * H
    assert not strike(world, "b3", (0.0, 0.0, -0.9 * least))
    assert strike(world, "b3", (0.0, 0.0, -1.1 * least))
    assert rings(world) == [0, 0, 0, 1]
    assert not strike(world, "b3", (0.0, 0.0, -10.0 * least))
    forget_reached(work)


@pytest.mark.parametrize(("impulse", "struck"), [((0.0, 0.0, -0.3), False), ((0.3, 0.0, 0.0), True)])
def test_what_the_ground_bears_strikes_nobody(impulse: tuple[float, float, float], struck: bool) -> None:
    """A box on the floor is pressed down by seven weights throughout a step, or aside by as many."""
    world = lying(*tower(1), body("top", {"box": [0.1, 0.1, 0.1]}, (0, 0, 0.1503), mass=1.0))
    assert world.asleep()[1:].tolist() == [True, False]
    assert strike(world, "b0", impulse) is struck
    forget_reached(world._desk.work)


def test_only_what_a_hit_moves_wakes() -> None:
    """What slides on the upper of two boxes takes it along, and the slippery one below sleeps on."""
    low = body("b0", {"box": [0.4, 0.4, 0.1]}, (0, 0, 0.0501), mass=5.0, asleep=True) | {"material": "ice"}
    high = body("b1", {"box": [0.1, 0.1, 0.1]}, (0, 0, 0.1502), mass=1.0, asleep=True)
    world = lying(low, high, body("top", {"box": [0.1, 0.1, 0.1]}, (0, 0, 0.2504), mass=1.0))
    state, desk = world._state, world._desk
    row = world.row("top")
    assert world.asleep()[1:].tolist() == [True, True, False]
    _list_group(state, desk.work, world.row("b1"), 1)
    state.arcs[row, s.VELOCITY] = 2.0  # along x, on the upper box
    wake_reached(world.model, state, desk.work, desk.log, desk.log_size, row, world.time, H)
    forget_reached(desk.work)
    assert world.asleep()[1:].tolist() == [True, False, False]
