"""What is squeezed: held where it can be, by the forces of statics, and stopped and told of where nothing holds it."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, radians, sin, tan
from typing import Any

import numpy as np
import pytest

from engine import World
from engine.recording.events import EVENT_KINDS, REASONS
from engine.scene.schema import Scene
from tests.fuzz.worlds import random_world
from tests.scenes import ball, body, floor, scene

WEIGHT = 9.81


def slot(half: float, friction: float, contact: str) -> Scene:
    """A ball of 1 kg above two plates that lean apart by `half` degrees each, from where they meet."""
    c, s = cos(radians(half)), sin(radians(half))

    def plate(name: str, side: int) -> dict[str, Any]:
        turn = {"axis": [0.0, 1.0, 0.0], "degrees": side * half}
        place = (side * (0.5 * s + 0.05 * c), 0, 0.5 * c - 0.05 * s)
        return body(name, {"box": [0.1, 1, 1]}, place, motion="fixed", orientation=turn)

    dropped = ball("ball", (0.01, 0, 1.2), mass=1.0)
    return scene(plate("left", -1), plate("right", 1), dropped, friction=friction, restitution=0.3, contact=contact)


@pytest.mark.parametrize("contact", ["hybrid", "constraint"])
@pytest.mark.parametrize(("half", "friction"), [(10.0, 0.0), (10.0, 0.3), (5.0, 0.05), (6.0, 0.0)])
def test_a_ball_in_a_narrowing_slot_is_held_by_the_forces_of_statics(
    half: float, friction: float, contact: str
) -> None:
    world = World(slot(half, friction, contact))
    world.advance_to(4.0)
    contacts = world.contacts()
    assert len(contacts) == 2
    forces = np.where((contacts["body_a"] == world.row("ball"))[:, None], contacts["force"], -contacts["force"])
    assert forces.sum(axis=0) == pytest.approx([0.0, 0.0, WEIGHT], abs=1e-6 * WEIGHT)
    if friction == 0.0:
        normal = WEIGHT / (2.0 * sin(radians(half)))
        assert np.linalg.norm(forces, axis=1) == pytest.approx(normal, rel=1e-6)
    assert world.stopped == ()
    assert world.smallest_gap > 0.0


def test_a_ball_in_a_narrowing_slot_comes_to_rest_by_impulses_alone() -> None:
    world = World(slot(10.0, 0.3, "impulse"))
    world.advance_to(3.0)
    before = world.body("ball").position
    world.advance_to(4.0)
    assert world.body("ball").position == pytest.approx(before, abs=1e-3)
    assert world.smallest_gap > 0.0


def moves(*keys: tuple[float, float, float, float]) -> dict[str, Any]:
    """A path through (time, offset)."""
    return {"keyframes": {"keys": [{"time": t, "offset": [x, y, z]} for t, x, y, z in keys]}}


SHAPES: dict[str, dict[str, Any]] = {"ball": {"sphere": {"radius": 0.1}}, "box": {"box": [0.2, 0.2, 0.2]}}
OTHERS = ("bouncing", "resting")


def others() -> list[dict[str, Any]]:
    """What goes on elsewhere."""
    return [
        body("ground", {"box": [2, 2, 0.2]}, (5, 0, -0.1), motion="fixed"),
        ball("bouncing", (5, 0, 1), mass=1.0),
        body("resting", {"box": [0.2, 0.2, 0.2]}, (5.5, 0, 0.1001), mass=1.0),
    ]


def lift(contact: str, shape: str) -> Scene:
    """A lift brings something under a ceiling, and goes on through it."""
    up = moves((0.0, 0, 0, 0), (1.0, 0, 0, 0.6), (1.6, 0, 0, 0))
    return scene(
        *others(),
        body("lift", {"box": [1, 1, 0.2]}, (0, 0, -0.1), motion=up),
        body("ceiling", {"box": [1, 1, 0.2]}, (0, 0, 0.6), motion="fixed"),
        body("load", SHAPES[shape], (0, 0, 0.1001), mass=1.0),
        restitution=0.3,
        contact=contact,
    )


def press(contact: str, shape: str) -> Scene:
    """Two jaws close on something."""

    def jaw(name: str, side: int) -> dict[str, Any]:
        closes = moves((0.0, 0, 0, 0), (0.2, -0.15 * side, 0, 0), (0.4, 0, 0, 0))
        return body(name, {"box": [0.2, 1, 1]}, (0.25 * side, 0, 0), motion=closes)

    load = body("load", SHAPES[shape], (0.02, 0, 0), mass=1.0)
    return scene(*others(), jaw("left", -1), jaw("right", 1), load, restitution=0.3, contact=contact)


def wedge(half: float) -> Scene:
    """Two jaws that lean apart by `half` degrees each close on a ball without friction."""

    def jaw(name: str, side: int) -> dict[str, Any]:
        turn = {"axis": [0.0, 1.0, 0.0], "degrees": side * half}
        place = (side * (0.05 + 0.1004) / cos(radians(half)), 0, 0)
        closes = {"accelerated": {"velocity": [-0.5 * side, 0.0, 0.0]}}
        return body(name, {"box": [0.1, 1, 1]}, place, motion=closes, orientation=turn)

    return scene(
        jaw("left", -1),
        jaw("right", 1),
        ball("ball", (0, 0, 0), mass=1.0),
        friction=0.0,
        restitution=0.0,
        gravity=(0, 0, 0),
    )


def row(count: int, acceleration: float, friction: float) -> Scene:
    """A plate presses a row of boxes against a wall, from rest."""
    gap = 1e-4
    boxes = [
        body(f"box {i}", {"box": [0.2, 0.2, 0.2]}, (i * (0.2 + gap), 0, 0.1 + gap), mass=1.0) for i in range(count)
    ]
    presses = {"accelerated": {"acceleration": [-acceleration, 0.0, 0.0]}}
    return scene(
        floor(),
        body("wall", {"box": [0.2, 1, 1]}, (-0.2 - gap, 0, 0.5), motion="fixed"),
        *boxes,
        body("plate", {"box": [0.2, 1, 1]}, (count * (0.2 + gap), 0, 0.55), motion=presses),
        friction=friction,
        restitution=0.0,
    )


def kept(world: World) -> float:
    energy = world.energy()
    return energy["total"] + energy["dissipated"] - energy["work"]


@pytest.mark.parametrize("seed", [370, 372])
def test_a_light_body_that_a_heavy_one_lands_on_is_hit_often_and_goes_on(seed: int) -> None:
    """A body a hundred times as heavy takes hundreds of hits at one instant to come to rest on it."""
    world = World(Scene.model_validate(random_world(seed)))
    world.advance_to(0.3)
    assert world.stopped == ()


def test_an_impact_whose_impulses_are_found_slowly_crushes_nothing_that_no_script_presses() -> None:
    """3 t fall through 13 kg onto 5 kg: the impulses still grow when the iterations are over."""
    world = World(Scene.model_validate(random_world(158)))
    world.advance_to(1.1)
    assert world.stopped == ()


@pytest.mark.parametrize("contact", ["hybrid", "impulse", "constraint"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("squeeze", [lift, press])
def test_what_is_crushed_is_stopped_and_told_of_and_the_others_go_on(
    squeeze: Callable[[str, str], Scene], shape: str, contact: str
) -> None:
    world, alone = World(squeeze(contact, shape)), World(scene(*others(), restitution=0.3, contact=contact))
    whole = kept(world)
    for each in (world, alone):
        each.advance_to(2.0)
    assert world.time == 2.0
    assert world.stopped == (world.row("load"),)
    assert world.why_stopped("load").startswith("crushed")
    assert world.body("load").paradigm == "stopped"
    events = world.events()
    stops = events[events["kind"] == EVENT_KINDS.index("stop")]
    assert [REASONS[why] for why in stops["reason"]] == [world.why_stopped("load")]
    for name in OTHERS:
        assert np.array_equal(world.poses()[world.row(name)], alone.poses()[alone.row(name)])
        assert np.array_equal(world.twists()[world.row(name)], alone.twists()[alone.row(name)])
    assert kept(world) == pytest.approx(whole, abs=1e-6)
    assert world.smallest_gap > 0.0
    assert world.counters["heap_pops"] < 5000


def test_a_body_that_begins_inside_another_is_stopped_where_it_cannot_be_held() -> None:
    block = body("block", {"box": [1, 1, 1]}, (0, 0, 0), motion="fixed")
    world = World(scene(block, body("inside", SHAPES["box"], (0.1, 0.05, 0.1), mass=1.0), *others()))
    world.advance_to(1.0)
    assert world.why_stopped("inside").startswith("crushed")
    assert world.body("resting").velocity == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)


@pytest.mark.parametrize("contact", ["hybrid", "constraint"])
@pytest.mark.parametrize("ratio", [1e3, 1e4, 1e6])
def test_a_heavy_body_rests_on_a_light_one(ratio: float, contact: str) -> None:
    light = body("light", SHAPES["box"], (0, 0, 0.1001), mass=1.0)
    heavy = body("heavy", SHAPES["box"], (0, 0, 0.3003), mass=ratio)
    world = World(scene(floor(), light, heavy, contact=contact))
    world.advance_to(4.0)
    assert world.stopped == ()
    assert world.smallest_gap > 0.0
    assert world.body("heavy").position == pytest.approx([0.0, 0.0, 0.3], abs=1e-3)
    assert world.forces()["normal"] == pytest.approx((2.0 * ratio + 1.0) * WEIGHT, rel=1e-6)
    assert world.counters["heap_pops"] < 300


@pytest.mark.parametrize("contact", ["hybrid", "impulse", "constraint"])
def test_a_row_of_bodies_between_jaws_is_stopped_body_by_body(contact: str) -> None:
    def jaw(name: str, side: int) -> dict[str, Any]:
        closes = moves((0.0, 0, 0, 0), (0.5, -0.45 * side, 0, 0), (1.0, 0, 0, 0))
        return body(name, {"box": [0.2, 1, 1]}, (0.6 * side, 0, 0), motion=closes)

    row = [body(f"box {k}", SHAPES["box"], (0.22 * (k - 1), 0, 0), mass=1.0) for k in range(3)]
    shelf = body("shelf", {"box": [1.5, 0.3, 0.1]}, (0, 0, -0.1503), motion="fixed")
    world = World(scene(jaw("left", -1), jaw("right", 1), *row, shelf, contact=contact))
    whole = kept(world)
    world.advance_to(1.5)
    assert [world.names[i] for i in world.stopped] == ["box 0", "box 1", "box 2"]
    assert kept(world) == pytest.approx(whole, abs=1e-6)
    assert world.smallest_gap > 0.0


def test_what_joints_tie_to_a_crushed_body_is_stopped_with_it() -> None:
    plain = press("hybrid", "box").model_dump(mode="json", exclude_unset=True)
    plain["body"].append(body("tail", {"box": [0.1, 0.1, 0.1]}, (0.02, 0.3, 0.0), mass=1.0))
    hinge = {"kind": "hinge", "bodies": ["load", "tail"], "point": [0.02, 0.15, 0.0], "axis": [1.0, 0.0, 0.0]}
    world = World(Scene.model_validate(plain | {"joint": [{"name": "hinge", **hinge}]}))
    whole = kept(world)
    world.advance_to(1.0)
    assert [world.names[i] for i in world.stopped] == ["load", "tail"]
    assert kept(world) == pytest.approx(whole, abs=1e-6)


def test_a_lift_that_rises_slowly_stops_what_it_presses_against_the_ceiling() -> None:
    up = moves((0.0, 0, 0, 0), (30.0, 0, 0, 0.3))
    moving = body("lift", {"box": [1, 1, 0.2]}, (0, 0, -0.1), motion=up)
    ceiling = body("ceiling", {"box": [1, 1, 0.2]}, (0, 0, 0.4), motion="fixed")
    world = World(scene(moving, ceiling, ball("ball", (0, 0, 0.1001), mass=1.0)))
    world.advance_to(30.0)
    assert world.why_stopped("ball").startswith("crushed")
    assert world.smallest_gap > 0.0


def test_a_script_that_jumps_costs_no_more_before_and_after() -> None:
    jump = moves((0.0, 0, 0, 0), (0.1, 0, 0, 0), (0.10001, 10, 0, 0))
    plate = body("plate", {"box": [0.2, 1, 1]}, (-5, 0, 0.6), motion=jump)
    world = World(scene(plate, floor(), body("box", SHAPES["box"], (0, 3, 0.15), mass=1.0)))
    world.advance_to(2.0)
    assert world.counters["heap_pops"] < 1000


@pytest.mark.parametrize("contact", ["hybrid", "impulse", "constraint"])
def test_a_plate_of_a_billionth_of_its_side_lies_still(contact: str) -> None:
    world = World(scene(floor(), body("plate", {"box": [1, 1, 1e-9]}, (0, 0, 0.1), mass=1.0), contact=contact))
    world.advance_to(2.0)
    assert world.body("plate").position == pytest.approx([0, 0, 0], abs=1e-3)
    assert world.smallest_gap > 0.0


@pytest.mark.parametrize("half", [20.0, 5.0, 1.0])
def test_what_a_wedge_drives_out_is_not_crushed_however_fast(half: float) -> None:
    world = World(wedge(half))
    world.advance_to(0.01)
    assert world.stopped == ()
    assert world.body("ball").velocity == pytest.approx([0.0, 0.0, 0.5 / tan(radians(half))], rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("friction", [0.0, 0.4])
@pytest.mark.parametrize(("count", "acceleration"), [(1, 0.001), (1, 0.1), (3, 0.1), (10, 0.1)])
def test_what_is_pressed_slowly_is_crushed_at_once_and_without_ado(
    count: int, acceleration: float, friction: float
) -> None:
    """What presses it goes through it, and the others stay. Halving steps until gaps are used up takes for ever."""
    world = World(row(count, acceleration, friction))
    closes = (2.0 * (count + 1) * 1e-4 / acceleration) ** 0.5
    world.advance_to(2.0 * closes)
    pressed = world.row(f"box {count - 1}")
    assert world.stopped == (pressed,)
    assert world.why_stopped(pressed).startswith("crushed")
    events = world.events()
    (when,) = events["time"][events["kind"] == EVENT_KINDS.index("stop")]
    assert when < closes
    assert world.smallest_gap > 0.0
    assert world.counters["group_retries"] < 50


@pytest.mark.parametrize(("mass", "speed", "count"), [(100.0, 0.1, 1), (900.0, 1.0, 1), (300.0, 0.1, 10)])
def test_what_pushes_something_heavy_along_is_not_crushed(mass: float, speed: float, count: int) -> None:
    """What rests on the floor by its friction, or asleep, gives way."""
    gap = 1e-4
    light = [body(f"{i}", {"box": [0.1, 0.1, 0.1]}, (i * (0.1 + gap), 0, 0.05 + gap), mass=1.0) for i in range(count)]
    at = (count * (0.1 + gap) - 0.05 + 0.25, 0, 0.25 + gap)
    heavy = body("heavy", {"box": [0.5, 0.5, 0.5]}, at, mass=mass)
    pushes = {"accelerated": {"velocity": [speed, 0.0, 0.0]}}
    plate = body("plate", {"box": [0.2, 1, 1]}, (-0.16, 0, 0.55), motion=pushes)
    world = World(scene(floor(), plate, *light, heavy, friction=0.5, restitution=0.0))
    world.advance_to(0.2 / speed)
    assert world.stopped == ()
    assert world.body("heavy").position[0] - at[0] == pytest.approx(0.19, abs=2e-3)
    assert world.smallest_gap > 0.0
