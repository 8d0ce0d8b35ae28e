"""Scripted constant acceleration: its velocities are the rates of its poses, and no bound is ever broken."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import World
from engine.geometry.shapes import rotation_matrix
from engine.maths.quaternions import rotate
from engine.model.model import ARM, EXTENT, RADIUS
from engine.motion.arcs import bound_travel, evolve, sweep_box, time_of_travel
from engine.motion.kinematic import kinematic_acceleration
from engine.scene.build import Built, build
from tests.scenes import ball, body, floor, scene

small = st.floats(-3.0, 3.0).map(lambda x: round(x, 6))
vectors = st.tuples(small, small, small)
scripts = st.fixed_dictionaries(
    {"velocity": vectors, "acceleration": vectors, "rate": small, "angular_acceleration": small},
    optional={"axis": st.tuples(small, small, st.just(1.0)), "centre": vectors, "until": st.floats(0.1, 3.0)},
)
times = st.floats(0.0, 4.0)


def moving(script: dict[str, Any]) -> Built:
    return build(scene(body("box", {"box": [0.3, 0.2, 0.1]}, (0.5, -0.2, 0.1), motion={"accelerated": script})))


@given(scripts, times)
def test_velocities_are_the_rates_of_poses(script: dict[str, Any], t: float) -> None:
    built = moving(script)
    model, arcs, h = built.model, built.state.arcs, 1e-5
    if "until" in script and abs(t - script["until"]) < 2.0 * h:
        return
    t += h
    before, now, after = (evolve(model.bodies, model.tags, arcs, 0, t + k * h) for k in (-1, 0, 1))
    np.testing.assert_allclose(np.subtract(after.x, before.x) / (2.0 * h), now.v, atol=1e-5)
    turn = rotation_matrix(np.array(after.q)) @ rotation_matrix(np.array(before.q)).T
    spin = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / (4.0 * h)
    np.testing.assert_allclose(spin, now.w, atol=1e-5)


@given(scripts, times, st.floats(0.0, 1.0), st.tuples(small, small, st.just(0.7)))
def test_bounds_hold(script: dict[str, Any], t: float, share: float, towards: tuple[float, float, float]) -> None:
    built = moving(script)
    model, arcs = built.model, built.state.arcs
    d = np.array(towards) / np.linalg.norm(towards)
    here = evolve(model.bodies, model.tags, arcs, 0, t)
    a, b, turn, c, until = bound_travel(model.bodies, model.tags, arcs, 0, t, here.v, tuple(d), 0.1)
    assert until > t
    tau = share * min(until - t, 2.0)
    there = evolve(model.bodies, model.tags, arcs, 0, t + tau)
    assert np.dot(np.subtract(there.x, here.x), d) <= a * tau**2 + b * tau + c + 1e-9
    arm = np.array([0.15, 0.1, 0.05])
    assert np.linalg.norm(arm) == pytest.approx(model.bodies[0, ARM])
    r0, r1 = (np.array(rotate(m.q, tuple(arm))) for m in (here, there))
    assert np.dot(r1 - r0 - tau * np.cross(here.w, r0), d) <= turn * tau**2 + 1e-9
    for axis in range(3):
        low, high = sweep_box(model.bodies, model.tags, arcs, 0, t, t + tau, axis)
        assert low <= there.x[axis] + r1[axis] + 1e-9 and there.x[axis] + r1[axis] <= high + 1e-9


@given(scripts, times, st.floats(0.01, 1.0))
def test_boxes_hold_as_long_as_they_say(script: dict[str, Any], t: float, way: float) -> None:
    """In that time the box that contains the body grows along no axis by more than the way."""
    built = moving(script)
    model, arcs = built.model, built.state.arcs
    lasts = min(time_of_travel(model.bodies, model.tags, arcs, 0, way, t), 10.0)
    assert lasts > 0.0
    for axis in range(3):
        low, high = sweep_box(model.bodies, model.tags, arcs, 0, t, t, axis)
        for end in (t + 0.3 * lasts, t + lasts):
            a, b = sweep_box(model.bodies, model.tags, arcs, 0, t, end, axis)
            assert low - way - 1e-9 <= a and b <= high + way + 1e-9


@given(scripts, times, st.tuples(small, small, st.just(0.7)))
def test_no_point_accelerates_more_than_it_is_said_to(
    script: dict[str, Any], t: float, towards: tuple[float, float, float]
) -> None:
    built = moving(script)
    model, arcs, h = built.model, built.state.arcs, 1e-4
    if "until" in script and abs(t - script["until"]) < 2.0 * h:
        return
    d = np.array(towards) / np.linalg.norm(towards)
    most = kinematic_acceleration(model.bodies, model.tags, arcs, 0, t, tuple(d))
    motions = [evolve(model.bodies, model.tags, arcs, 0, t + k * h) for k in (-1, 0, 1)]
    x = [np.dot(np.add(m.x, rotate(m.q, (0.15, 0.1, 0.05))), d) for m in motions]
    assert abs(x[0] - 2.0 * x[1] + x[2]) / h**2 <= most * (1.0 + 1e-3) + 1e-4


def test_a_truck_that_does_not_turn_has_a_tight_box() -> None:
    built = moving({"acceleration": [1.0, 0.0, 0.0]})
    low, high = sweep_box(built.model.bodies, built.model.tags, built.state.arcs, 0, 0.0, 2.0, 0)
    assert (low, high) == pytest.approx((0.5 - 0.15, 0.5 + 2.0 + 0.15))
    assert built.model.bodies[0, EXTENT + 3] < built.model.bodies[0, RADIUS]


@pytest.mark.parametrize(("acceleration", "slides"), [(0.45, False), (0.55, True)])
def test_a_crate_on_a_lorry_that_sets_off(acceleration: float, slides: bool) -> None:
    """Friction carries it along up to mu g."""
    a = acceleration * 9.81
    lorry = body(
        "lorry", {"box": [6.0, 2.0, 0.2]}, (0, 0, -0.1), motion={"accelerated": {"acceleration": [a, 0.0, 0.0]}}
    )
    crate = body("crate", {"box": [0.4, 0.4, 0.4]}, (0, 0, 0.2003), mass=5.0)
    world = World(scene(lorry, crate, friction=0.5, restitution=0.0, envelope=5e-4))
    world.advance_to(1.0)
    carried = 0.5 * min(a, 0.5 * 9.81)
    behind = world.body("lorry").position[0] - world.body("crate").position[0]
    assert world.body("lorry").position[0] == pytest.approx(0.5 * a)
    assert world.body("crate").position[0] == pytest.approx(carried, rel=0.01)
    assert (behind > 0.1) == slides


def test_a_ram_that_speeds_up_hits_when_it_gets_there() -> None:
    ram = body("ram", {"box": [0.2, 1.0, 1.0]}, motion={"accelerated": {"acceleration": [2.0, 0.0, 0.0]}})
    target = ball("ball", (2.2, 0, 0), mass=1.0)
    world = World(scene(ram, target, restitution=1.0, gravity=(0, 0, 0)))
    world.advance_to(1.3)
    assert world.counters["collisions"] == 0
    world.advance_to(1.5)
    assert world.counters["collisions"] == 1
    assert world.body("ball").velocity[0] == pytest.approx(2.0 * 2.0 * np.sqrt(2.0), rel=1e-3)
    assert world.smallest_gap > 0.0


def test_braking_ends_at_rest() -> None:
    script = {"velocity": [4.0, 0.0, 0.0], "acceleration": [-2.0, 0.0, 0.0], "until": 2.0}
    world = World(scene(floor(), body("car", {"box": [1.0, 0.5, 0.5]}, (0, 0, 1), motion={"accelerated": script})))
    world.advance_to(5.0)
    assert world.body("car").position[0] == pytest.approx(4.0)
    assert world.body("car").velocity[0] == 0.0
