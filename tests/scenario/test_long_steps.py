"""What rolls or slides alone makes few steps, and goes as it would with many: closed forms, and what may cut in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine import World
from engine.scene.schema import Scene
from tests.scenes import ball, body, floor, scene

G, R, GAP = 9.81, 0.1, 1e-4
STILL: dict[str, Any] = {"restitution": 0.0, "envelope": 2.0 * GAP}
MODES = pytest.mark.parametrize("contact", ["hybrid", "constraint"])


def rolling(x: float, speed: float, height: float = 0.0) -> dict[str, Any]:
    """A ball that rolls along x without slip, its lowest point half an envelope above `height`."""
    return ball("ball", (x, 0.0, height + R + GAP), (speed, 0, 0), R, angular_velocity=[0.0, speed / R, 0.0])


@MODES
def test_a_ball_that_is_thrown_flat_slides_and_then_rolls(contact: str) -> None:
    """For 2 v / (7 mu g), and then at 5/7 of its speed."""
    mu, v = 0.2, 5.0
    world = World(
        scene(
            floor(),
            ball("ball", (0, 0, R + GAP), (v, 0, 0), R),
            friction=mu,
            restitution=0.0,
            contact=contact,
            envelope=2.0 * GAP,
        )
    )
    world.advance_to(3.0)
    slides = 2.0 * v / (7.0 * mu * G)
    way = v * slides - 0.5 * mu * G * slides**2 + 5.0 / 7.0 * v * (3.0 - slides)
    assert world.body("ball").position[0] == pytest.approx(way, abs=1e-5)
    assert world.body("ball").velocity[0] == pytest.approx(5.0 / 7.0 * v, rel=1e-9)
    assert world.counters["group_steps"] < 50


def test_hours_of_rolling_take_few_steps() -> None:
    world = World(scene(floor(), rolling(0.0, 1.0), **STILL))
    world.advance_to(3600.0)
    assert world.body("ball").position[0] == pytest.approx(3600.0, rel=1e-9)
    assert world.counters["group_steps"] < 30


@MODES
def test_what_slides_onto_rough_ground_slows_down_from_there(contact: str) -> None:
    """Two slabs side by side, the second with friction: a step that begins on the one must not end on the other."""
    mu, v = 0.25, 2.0
    said = scene(
        body("ice", {"box": [4.0, 1.0, 0.1]}, (-1.0, 0, -0.05), motion="fixed") | {"material": "ice"},
        body("wood", {"box": [4.0, 1.0, 0.1]}, (3.0, 0, -0.05), motion="fixed"),
        ball("ball", (-2.0, 0, R + GAP), (v, 0, 0), R),
        friction=mu,
        contact=contact,
        **STILL,
    ).model_dump(exclude_unset=True)
    said["material"]["ice"] = {"friction": 0.0}
    world = World(Scene.model_validate(said))
    world.advance_to(2.2)
    since = 2.2 - 3.0 / v  # it has been on the wood
    slides = min(since, 2.0 * v / (7.0 * mu * G))
    assert world.body("ball").velocity[0] == pytest.approx(v - mu * G * slides, rel=5e-3)
    assert world.body("ball").angular_velocity[1] == pytest.approx(2.5 * mu * G / R * slides, rel=5e-3)


@MODES
def test_a_ball_that_leaves_a_table_falls_from_its_edge(contact: str) -> None:
    """Faster than sqrt(g r) it flies off as its centre passes the edge."""
    speed, edge = 2.0, 1.5
    table = body("table", {"box": [2.0 * edge, 1.0, 0.1]}, (0, 0, 0.95), motion="fixed")
    world = World(scene(table, rolling(-1.0, speed, 1.0), contact=contact, **STILL))
    leaves = (edge + 1.0) / speed
    for since in (0.1, 0.2, 0.3):
        world.advance_to(leaves + since)
        assert world.body("ball").position[2] == pytest.approx(1.0 + R + GAP - 0.5 * G * since**2, abs=0.01 * G * since)
        assert world.body("ball").velocity[0] == pytest.approx(speed, rel=1e-3)


@MODES
def test_what_lies_on_a_lift_goes_when_the_lift_goes(contact: str) -> None:
    keys = [
        {"time": 0.0},
        {"time": 5.0},
        {"time": 5.5, "offset": [0.0, 0.0, 0.5]},
        {"time": 9.0, "offset": [0, 0, 0.5]},
    ]
    lift = body("lift", {"box": [1.0, 1.0, 0.1]}, (0, 0, -0.05), motion={"keyframes": {"keys": keys}})
    world = World(scene(lift, ball("ball", (0, 0, R + GAP)), contact=contact, sleep=False, **STILL))
    for t in (4.0, 5.1, 5.25, 5.4, 7.0):
        world.advance_to(t)
        gap = world.body("ball").position[2] - world.body("lift").position[2] - 0.05 - R
        assert 0.0 < gap < 0.02
    assert world.body("ball").position[2] == pytest.approx(0.5 + R, abs=2.0 * GAP)


@MODES
def test_a_change_in_the_middle_of_a_long_step_counts_from_then(contact: str) -> None:
    """Gravity tilts: what rolled at a steady speed speeds up by 5/7 of what is along the ground."""
    along, since = 0.5, 1.0
    world = World(scene(floor(), rolling(0.0, 1.0), contact=contact, **STILL))
    world.advance_to(3.3)
    before = world.body("ball").velocity[0]
    world.change("world.gravity", (along, 0.0, -G))
    world.advance(since)
    assert world.body("ball").velocity[0] - before == pytest.approx(5.0 / 7.0 * along * since, rel=1e-6)


@MODES
def test_what_is_in_the_way_of_a_long_step_is_hit_in_time(contact: str) -> None:
    wall = body("wall", {"box": [0.2, 1.0, 1.0]}, (5.1, 0, 0.5), motion="fixed")
    world = World(scene(floor(), wall, rolling(0.0, 1.0), restitution=0.5, contact=contact, envelope=2.0 * GAP))
    world.advance_to(4.85)
    assert world.body("ball").velocity[0] == pytest.approx(1.0, rel=1e-9)
    world.advance_to(5.1)
    assert world.body("ball").velocity[0] < 0.0
    assert world.smallest_gap > 0.0


def test_a_turntable_takes_few_steps_and_keeps_the_circle() -> None:
    rate, ring = 2.0, 0.3
    orbit = 2.0 / 7.0 * rate
    motion = {"spinner": {"axis": [0.0, 0.0, 1.0], "rate": rate}}
    table = body("table", {"cylinder": {"radius": 1.0, "length": 0.05}}, (0, 0, -0.025), motion=motion)
    rolls = {"angular_velocity": [(rate - orbit) * ring / 0.05, 0.0, 0.0]}
    one = ball("ball", (ring, 0.0, 0.05 + GAP), (0.0, orbit * ring, 0.0), 0.05, **rolls)
    world = World(scene(table, one, friction=0.8, **STILL))
    turns = 2
    world.advance_to(turns * 2.0 * np.pi / orbit)
    assert np.hypot(*world.body("ball").position[:2]) == pytest.approx(ring, rel=1e-7)
    assert world.counters["group_steps"] < 0.6 * 240.0 * world.time
