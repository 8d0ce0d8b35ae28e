"""Penalty contact against closed forms of springs, dashpots and friction; and what the mode promises besides."""

from __future__ import annotations

from math import cos, pi, radians, sin, sqrt, tan
from typing import Any

import numpy as np
import pytest
from numba import config
from numba.core.runtime import _nrt_python, rtsys

from engine import World
from engine.group.solve.friction_models import creep_speed
from engine.model.state import POSITION
from engine.penalty.springs import point_stiffness
from engine.scene.problems import SceneError
from engine.scene.schema import Scene
from engine.tolerances import PENALTY_SINK

RADIUS, SIDE, DENSITY = 0.05, 0.1, 700.0
BALL = {"sphere": {"radius": RADIUS}}
BALL_MASS = 4.0 / 3.0 * pi * RADIUS**3 * DENSITY
CUBE_MASS = SIDE**3 * DENSITY
GROUND: dict[str, Any] = {"name": "ground", "motion": "fixed", "shape": {"plane": {}}, "material": "wood"}


def make(bodies: list[dict[str, Any]], friction: float = 0.5, restitution: float = 0.2, **more: Any) -> World:
    settings: dict[str, Any] = {"contact": "penalty"} | more.pop("world", {})
    wood = {"friction": friction, "restitution": restitution, "density": DENSITY} | more
    scene = {"format": 1, "world": settings, "material": {"wood": wood}, "body": bodies}
    return World(Scene.model_validate(scene))


def ball(z: float, **more: Any) -> dict[str, Any]:
    return {"name": "ball", "shape": BALL, "material": "wood", "position": [0, 0, z]} | more


def cube(name: str, z: float, **more: Any) -> dict[str, Any]:
    return {"name": name, "shape": {"box": [SIDE] * 3}, "material": "wood", "position": [0, 0, z]} | more


def imbalance(world: World) -> float:
    """Energy [J] that is neither there, nor dissipated, nor put in, less that at the start of the world."""
    now, then = world.energy(), World(world.scene).energy()
    return now["total"] + now["dissipated"] - now["work"] - then["total"]


# --- momentum -------------------------------------------------------------------------------------------------------


def test_two_balls_that_meet_askew_keep_their_momentum() -> None:
    """Their forces act in the middle of a step, at one point, about where the centres are then."""
    meets = [ball(0.0, name="left", position=[-0.06, 0, 0], velocity=[1.0, 0.0, 0.0], angular_velocity=[0, 3, 9])]
    meets.append(ball(0.0, name="right", position=[0.06, 0.04, 0.02], velocity=[-1.0, 0.0, 0.0]))
    world = make(meets, world={"gravity": [0.0, 0.0, 0.0]})
    start = world.momentum()
    world.advance_to(0.3)
    assert world.smallest_gap < -1e-6, "they have pressed each other"
    np.testing.assert_allclose(world.momentum(), start, atol=1e-13 * float(np.abs(start).max()) + 1e-15)


# --- closed forms -----------------------------------------------------------------------------------------------------


def test_a_ball_sinks_by_its_weight_over_the_stiffness() -> None:
    world = make([GROUND, ball(RADIUS + 1e-4)])
    world.advance_to(0.5)
    assert world.body("ball").position[2] - RADIUS == pytest.approx(-PENALTY_SINK * 2 * RADIUS, rel=1e-6)
    (contact,) = world.contacts()
    assert abs(contact["force"][2]) == pytest.approx(BALL_MASS * 9.81, rel=1e-9)
    assert contact["gap"] == pytest.approx(world.body("ball").position[2] - RADIUS)
    assert (contact["paradigm"], world.paradigms()[1]) == ("penalty", "penalty")


def test_a_stack_sinks_by_the_weight_above_over_four_springs() -> None:
    stiffness = 1e6
    world = make(
        [GROUND, cube("low", 0.5 * SIDE + 1e-5), cube("high", 1.5 * SIDE + 2e-5)],
        world={"penalty_stiffness": stiffness},
    )
    world.advance_to(0.5)
    sunk = {int(contact["body_a"]): float(contact["gap"]) for contact in world.contacts()}
    weight = CUBE_MASS * 9.81
    assert sunk[0] == pytest.approx(-2 * weight / (4 * stiffness), rel=1e-4)
    assert sunk[1] == pytest.approx(-weight / (4 * stiffness), rel=1e-4)
    assert world.energy()["elastic"] == pytest.approx(0.5 * 4 * stiffness * (sunk[0] ** 2 + sunk[1] ** 2), rel=1e-3)


@pytest.mark.parametrize("speed", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("restitution", [0.3, 0.5, 0.8, 1.0])
def test_a_ball_bounces_as_the_pair_says(restitution: float, speed: float) -> None:
    world = make(
        [GROUND, ball(1.02 * RADIUS, velocity=[0, 0, -speed])], restitution=restitution, world={"gravity": [0, 0, 0]}
    )
    world.advance_to(0.05)
    assert world.paradigms()[1] == "free"
    assert world.body("ball").velocity[2] == pytest.approx(restitution * speed, rel=0.02)


def test_a_bounce_takes_half_a_period_and_goes_as_deep_as_the_spring_lets_it() -> None:
    stiffness = 5e4
    world = make(
        [GROUND, ball(RADIUS + 1e-3, velocity=[0, 0, -1.0])],
        restitution=1.0,
        world={"gravity": [0, 0, 0], "penalty_stiffness": stiffness},
    )
    rate = sqrt(stiffness / BALL_MASS)
    times = np.arange(0.0, 0.05, 2e-5)
    heights = []
    for time in times:
        world.advance_to(time)
        heights.append(world.body("ball").position[2] - RADIUS)
    inside = times[np.array(heights) < 0.0]
    assert inside[-1] - inside[0] == pytest.approx(pi / rate, rel=0.02)
    assert min(heights) == pytest.approx(-1.0 / rate, rel=0.02)
    assert world.smallest_gap == pytest.approx(-1.0 / rate, rel=0.03)  # shown truly
    assert world.body("ball").velocity[2] == pytest.approx(1.0, rel=0.01)


def on_ramp(angle: float, friction: float, shape: dict[str, Any], height: float, **more: Any) -> World:
    """A body on a plane that is tilted by turning gravity."""
    gravity = [9.81 * sin(angle), 0.0, -9.81 * cos(angle)]
    body = {"name": "it", "shape": shape, "material": "wood", "position": [0, 0, height + 1e-5]}
    return make([GROUND, body], friction, 0.0, world={"gravity": gravity}, **more)


def test_a_block_slides_down_a_steep_ramp() -> None:
    angle, friction = radians(30), 0.3
    world = on_ramp(angle, friction, {"box": [0.2, 0.2, 0.1]}, 0.05)
    world.advance_to(0.1)
    before = world.body("it").velocity[0]
    world.advance_to(0.6)
    slope = (world.body("it").velocity[0] - before) / 0.5
    assert slope == pytest.approx(9.81 * (sin(angle) - friction * cos(angle)), rel=1e-4)
    assert imbalance(world) == pytest.approx(0.0, abs=1e-11)


def test_a_block_that_is_held_creeps_slowly() -> None:
    angle, friction = radians(20), 0.8
    world = on_ramp(angle, friction, {"box": [0.2, 0.2, 0.1]}, 0.05)
    world.advance_to(0.2)
    before = world.body("it").position[0]
    world.advance_to(0.7)
    creep = (world.body("it").position[0] - before) / 0.5
    bound = creep_speed(world.model.settings, world.model.bodies, 0, 1)
    assert 0.0 < creep < 2.0 * bound * tan(angle) / friction
    assert not world.body("it").asleep


def test_a_ball_rolls_down_a_ramp() -> None:
    angle = radians(20)
    world = on_ramp(angle, 0.8, BALL, RADIUS)
    world.advance_to(0.5)
    body = world.body("it")
    assert body.velocity[0] == pytest.approx(5.0 / 7.0 * 9.81 * sin(angle) * 0.5, rel=2e-3)
    assert body.angular_velocity[1] * RADIUS == pytest.approx(body.velocity[0], rel=2e-3)


def test_resistance_brakes_rolling_and_spinning() -> None:
    lever = 5e-4
    rolling = make(
        [GROUND, ball(RADIUS + 1e-5, velocity=[1, 0, 0], angular_velocity=[0, 1 / RADIUS, 0])],
        rolling_resistance=lever,
    )
    rolling.advance_to(0.5)
    slower = lever * 9.81 / (RADIUS * (1 + 2 / 5))
    assert rolling.body("ball").velocity[0] == pytest.approx(1.0 - 0.5 * slower, rel=1e-3)
    spinning = make([GROUND, ball(RADIUS + 1e-5, angular_velocity=[0, 0, 20])], spinning_resistance=lever)
    spinning.advance_to(0.5)
    slower = lever * BALL_MASS * 9.81 / (0.4 * BALL_MASS * RADIUS**2)
    assert spinning.body("ball").angular_velocity[2] == pytest.approx(20 - 0.5 * slower, rel=1e-3)


# --- what the mode promises -------------------------------------------------------------------------------------------


def tumble() -> World:
    """Boxes and a ball that fall on a tray that shakes and on each other."""
    tray = {
        "name": "tray",
        "motion": {"oscillator": {"direction": [0.6, 0, 0.8], "amplitude": 0.01, "frequency": 8.0}},
        "shape": {"box": [0.6, 0.6, 0.1]},
        "material": "wood",
        "position": [0, 0, -0.05],
    }
    boxes = [
        cube(f"b{k}", 0.12 + 0.15 * k, orientation={"axis": [1, k + 1, 0.3], "degrees": 20.0 * k}) for k in range(3)
    ]
    return make([tray, *boxes, ball(0.6, velocity=[0.1, 0, -1.0])], restitution=0.4)


def test_the_books_balance_at_any_time() -> None:
    world = tumble()
    start = world.energy()["total"]
    for _ in range(40):
        world.advance(0.0173)
        energy = world.energy()
        assert energy["elastic"] >= -1e-12
        assert energy["total"] + energy["dissipated"] - energy["work"] == pytest.approx(start, abs=1e-9)
        parts = ("kinetic", "potential", "elastic", "interpolation")
        assert energy["total"] == pytest.approx(sum(energy[part] for part in parts))
    assert world.smallest_gap < 0.0
    assert world.counters["collisions"] == world.counters["microcollisions"] == world.counters["switches"] == 0


def test_a_bounce_without_loss_dissipates_nothing() -> None:
    world = make([GROUND, ball(0.3)], restitution=1.0, friction=0.0)
    start = world.energy()["total"]
    world.advance_to(2.0)
    assert abs(world.energy()["dissipated"]) < 1e-5 * start
    assert world.momentum()[:2] == pytest.approx(0.0, abs=1e-12)


def test_the_same_bits_however_it_is_cut_up() -> None:
    once, again, chunks = tumble(), tumble(), tumble()
    once.advance_to(0.5)
    again.advance_to(0.5)
    for k in range(1, 101):
        chunks.advance_to(0.5 * k / 100)
        chunks.contacts(), chunks.energy()
    assert once.digest == again.digest == chunks.digest
    back = once.snapshot()
    once.advance_to(0.7)
    again.restore(back)
    again.advance_to(0.7)
    assert once.digest == again.digest


def test_two_balls_exchange_momentum() -> None:
    left, right = ball(1.0, velocity=[1, 0, 0]), ball(1.0, name="other", position=[0.102, 0.02, 1.0])
    world = make([left, right], restitution=0.8, world={"gravity": [0, 0, 0]})
    before = world.momentum()
    world.advance_to(0.05)
    after = world.momentum()
    np.testing.assert_allclose(after[:3], before[:3], atol=1e-15)
    np.testing.assert_allclose(after[3:], before[3:], atol=1e-3 * BALL_MASS * RADIUS)  # forces lag half a step
    assert world.paradigms() == ["free", "free"]


def test_stiffness_follows_the_heavier_body_or_the_scene() -> None:
    bodies = [GROUND, ball(0.5), cube("heavy", 1.0, mass=50.0)]
    world = make(bodies)
    size = world.model.bodies[2, 14]
    assert point_stiffness(world.model.settings, world.model.bodies, 1, 2) == pytest.approx(
        50.0 * 9.81 / (PENALTY_SINK * size), rel=1e-9
    )
    said = make(bodies, world={"penalty_stiffness": 123.0})
    assert point_stiffness(said.model.settings, said.model.bodies, 1, 2) == 123.0


def test_a_concave_body_lies_on_a_concave_floor() -> None:
    table = {
        "compound": {
            "pieces": [{"shape": {"box": [0.3, 0.3, 0.04]}, "position": [0, 0, 0.1]}]
            + [
                {"shape": {"box": [0.04, 0.04, 0.08]}, "position": [x, y, 0.04]}
                for x in (-0.1, 0.1)
                for y in (-0.1, 0.1)
            ]
        }
    }
    floor = {
        "compound": {"pieces": [{"shape": {"box": [0.5, 1.0, 0.1]}, "position": [x, 0, -0.05]} for x in (-0.25, 0.25)]}
    }
    world = make(
        [
            {"name": "floor", "motion": "fixed", "shape": floor, "material": "wood"},
            {"name": "table", "shape": table, "material": "wood", "position": [0, 0, 0.01]},
        ]
    )
    world.advance_to(0.5)
    weight = world.model.bodies[1, 0] * 9.81
    contacts = world.contacts()
    assert len(contacts) == 4 and (contacts["gap"] < 0.0).all()
    assert abs(contacts["force"].sum(axis=0)[2]) == pytest.approx(weight, rel=1e-4)
    assert world.body("table").position[2] == pytest.approx(0.0, abs=1e-4)


def test_a_world_with_joints_is_refused() -> None:
    scene = Scene.model_validate(
        {
            "format": 1,
            "world": {"contact": "penalty"},
            "body": [{"name": "wheel", "shape": BALL}],
            "joint": [{"name": "axle", "kind": "ball", "bodies": ["wheel"], "point": [0, 0, 0]}],
        }
    )
    with pytest.raises(SceneError, match="cannot hold joints"):
        World(scene)


def test_a_body_that_is_no_longer_finite_leaves_its_group() -> None:
    world = make(
        [GROUND, cube("low", 0.5 * SIDE + 1e-5), cube("mid", 1.5 * SIDE + 2e-5), cube("high", 2.5 * SIDE + 3e-5)]
    )
    world.advance_to(0.2)
    broken = world.snapshot()
    broken.state.arcs[2, POSITION] = np.nan
    world.restore(broken)
    world.advance_to(0.4)
    assert world.stopped == (2,)
    assert world.paradigms() == ["scripted", "penalty", "stopped", "penalty"]
    assert np.isfinite([*world.energy().values()]).all()


@pytest.mark.skipif(config.DISABLE_JIT, reason="Python allocates")
def test_steps_allocate_nothing() -> None:
    made = []
    world = make([GROUND, cube("low", 0.5 * SIDE + 1e-5), cube("high", 1.5 * SIDE + 2e-5)])
    world.advance_to(0.1)
    _nrt_python.memsys_enable_stats()
    for duration in (0.01, 0.5):
        before = rtsys.get_allocation_stats().alloc
        world.advance(duration)
        made.append(rtsys.get_allocation_stats().alloc - before)
    _nrt_python.memsys_disable_stats()
    assert made[0] == made[1]
