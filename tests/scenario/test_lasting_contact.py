"""Contacts that last: what stands stands still, what slides slides right, and a seam between paradigms is not seen."""

from __future__ import annotations

from math import atan, cos, radians, sin
from typing import Any

import numpy as np
import pytest

from engine import World, load_scene
from engine.model.state import HELD
from engine.recording.events import EVENT_KINDS
from engine.scene.paths import set_path
from engine.scene.schema import Scene

GROUND: dict[str, Any] = {"name": "ground", "motion": "fixed", "shape": {"plane": {}}, "material": "wood"}


def make(bodies: list[dict[str, Any]], friction: float = 0.5, restitution: float = 0.2, **world: Any) -> World:
    settings: dict[str, Any] = {"contact": "hybrid"} | world
    wood = {"friction": friction, "restitution": restitution, "density": 700.0}
    return World(
        Scene.model_validate({"format": 1, "world": settings, "material": {"wood": wood}, "body": [GROUND, *bodies]})
    )


def box(name: str, size: list[float], position: list[float], **more: Any) -> dict[str, Any]:
    return {"name": name, "shape": {"box": size}, "material": "wood", "position": position} | more


def stack(count: int, **world: Any) -> World:
    return make(
        [box(f"b{k}", [0.2, 0.2, 0.1], [0, 0, 0.1 * (k + 0.5) + 1e-4 * (k + 1)]) for k in range(count)], **world
    )


def test_a_stack_of_ten_stands_still_awake() -> None:
    world = stack(10, sleep=False)
    start = world.poses()
    energy = world.energy()["total"]
    for k in range(1, 11):
        world.advance_to(k)
        assert world.energy()["total"] <= energy * (1.0 + 1e-9)
    assert np.abs(world.poses()[:, :3] - start[:, :3]).max() < 1e-4
    assert world.smallest_gap > 0.0
    assert {p for p in world.paradigms() if p != "scripted"} == {"constraint"}


def test_contact_forces_carry_the_weight_above() -> None:
    world = stack(4, sleep=False)
    world.advance_to(1.0)
    weight = 0.2 * 0.2 * 0.1 * 700.0 * 9.81
    forces = {(int(c["body_a"]), int(c["body_b"])): -float(c["force"][2]) for c in world.contacts()}
    for below in range(4):
        assert forces[(below, below + 1)] == pytest.approx((4 - below) * weight, rel=1e-6)
    assert set(world.contacts()["paradigm"]) == {"constraint"}


def test_what_sleeps_costs_nothing() -> None:
    world = stack(10)
    world.advance_to(5.0)  # asleep after half a second; their boxes are renewed once more, for good
    assert all(world.body(f"b{k}").asleep for k in range(10))
    before = world.counters["heap_pops"]
    world.advance_to(60.0)
    assert world.counters["heap_pops"] == before


def test_a_heavy_box_stands_on_a_light_one() -> None:
    light, heavy = (
        box("light", [0.2, 0.2, 0.1], [0, 0, 0.0501], mass=1.0),
        box("heavy", [0.2, 0.2, 0.1], [0, 0, 0.1502], mass=1000.0),
    )
    world = make([light, heavy], sleep=False)
    start = world.poses()
    world.advance_to(10.0)
    assert np.abs(world.poses()[:, :3] - start[:, :3]).max() < 1e-4


def on_ramp(angle: float, friction: float) -> World:
    """A box on a plane that is tilted by turning gravity."""
    gravity = [9.81 * sin(angle), 0.0, -9.81 * cos(angle)]
    return make([box("block", [0.2, 0.2, 0.1], [0, 0, 0.0501])], friction=friction, gravity=gravity, sleep=False)


def test_a_block_just_under_the_friction_angle_does_not_creep() -> None:
    world = on_ramp(0.99 * atan(0.5), 0.5)
    world.advance_to(1.0)
    start = world.body("block").position
    world.advance_to(61.0)
    assert np.linalg.norm(world.body("block").position - start) < 1e-6


def test_a_block_just_over_it_slides_as_it_should() -> None:
    angle = 1.01 * atan(0.5)
    world = on_ramp(angle, 0.5)
    world.advance_to(2.0)
    early = world.body("block").velocity[0]
    world.advance_to(6.0)
    acceleration = (world.body("block").velocity[0] - early) / 4.0
    assert acceleration == pytest.approx(9.81 * (sin(angle) - 0.5 * cos(angle)), rel=5e-3)


def test_friction_has_no_preferred_direction() -> None:
    disc = {"shape": {"cylinder": {"radius": 0.1, "length": 0.04}}, "material": "wood", "mass": 1.0}
    bodies, speed = [], 1.0
    for k in range(24):
        heading = radians(15.0 * k)
        bodies.append(
            disc
            | {
                "name": f"d{k}",
                "position": [2.0 * k, 0.0, 0.0201],
                "velocity": [speed * cos(heading), speed * sin(heading), 0.0],
            }
        )
    world = make(bodies, friction=0.3)
    start = world.poses()[1:, :3]
    world.advance_to(1.0)
    gone = np.linalg.norm((world.poses()[1:, :3] - start)[:, :2], axis=1)
    assert gone.max() / gone.min() - 1.0 < 5e-3
    assert gone.mean() == pytest.approx(speed**2 / (2 * 0.3 * 9.81), rel=5e-3)


def test_a_block_that_is_knocked_out_brings_the_stack_down() -> None:
    world = stack(6)
    world.advance_to(1.5)
    ball = {"name": "ball", "shape": {"sphere": {"radius": 0.05}}, "mass": 20.0, "material": "wood"}
    bodies = [box(f"b{k}", [0.2, 0.2, 0.1], [0, 0, 0.1 * (k + 0.5) + 1e-4 * (k + 1)]) for k in range(6)]
    world = make([*bodies, ball | {"position": [-1.0, 0.0, 0.16], "velocity": [20.0, 0.0, 0.0]}])
    energy = world.energy()["total"]
    world.advance_to(3.0)
    assert world.body("b5").position[2] < 0.5
    assert world.smallest_gap > 0.0
    assert world.energy()["total"] <= energy


def test_switches_are_told_with_their_reasons() -> None:
    bodies = [box("low", [0.2, 0.2, 0.1], [0, 0, 0.0501]), box("high", [0.2, 0.2, 0.1], [0, 0, 0.3])]
    world = make(bodies)
    world.advance_to(3.0)
    events = world.events()
    joined = events[events["kind"] == EVENT_KINDS.index("to_constraint")]
    assert len(joined) >= 2 and (joined["reason"] > 0).all()
    assert (events["kind"] == EVENT_KINDS.index("sleep")).any()
    assert world.body("high").asleep and world.body("low").asleep


def test_chunks_of_time_do_not_matter() -> None:
    whole, parts = stack(5), stack(5)
    whole.advance_to(0.3)
    for k in range(1, 31):
        parts.advance_to(0.01 * k if k < 30 else 0.3)
    assert np.array_equal(whole.poses(), parts.poses())
    assert np.array_equal(whole.twists(), parts.twists())


@pytest.mark.parametrize(
    ("name", "struck", "velocity"),
    [("stack_of_books", "dictionary", [4.0, 0.0, 0.0]), ("card_house", "c1 left", [0.0, 1.5, 0.0])],
)
def test_leaving_a_constraint_changes_no_velocity(name: str, struck: str, velocity: list[float]) -> None:
    """What its group lets go flies on as it was moving in the instant before."""
    world = World(set_path(load_scene(name), f"body.{struck}.velocity", velocity))
    left = 0
    while world.time < 0.5:
        if world.next_event_time > world.time:
            world.advance_to(max(world.time, float(np.nextafter(world.next_event_time, 0.0))))
        held, before = held_bodies(world), world.twists()
        world.advance_events()
        freed = held & ~held_bodies(world)
        left += int(freed.sum())
        assert np.abs(world.twists() - before)[freed].max(initial=0.0) < 1e-12
    assert left >= 1


def held_bodies(world: World) -> np.ndarray:
    return np.asarray(world.snapshot().state.arcs[:, HELD] != 0.0)
