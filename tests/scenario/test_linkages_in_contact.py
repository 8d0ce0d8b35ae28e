"""Linkages in lasting contact, against closed forms and independent integrations of Lagrange's equations."""

from __future__ import annotations

from collections.abc import Sequence
from math import acos, asin, cos, degrees, pi, sin
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from engine import World
from engine.scene.schema import Scene
from engine.tolerances import JOINT_STEP
from tests.linkages import joint, linked_scene, rod

G = 9.81
FLOOR: dict[str, Any] = {"name": "floor", "motion": "fixed", "shape": {"plane": {}}}
SMOOTH = {"friction": 0.0, "restitution": 0.0}
Y = (0.0, 1.0, 0.0)
ENVELOPE = 1e-4
STEPS = (1 / 500, 1 / 1000, 1 / 2000)


def touching(
    bodies: Sequence[dict[str, Any]], joints: Sequence[dict[str, Any]], friction: float, **world: Any
) -> World:
    """Bodies are of a material of this friction, or `smooth`."""
    return World(
        Scene.model_validate(
            {
                "format": 1,
                "world": {"gravity": [0.0, 0.0, -G], **world},
                "material": {"m": {"friction": friction, "restitution": 0.0}, "smooth": SMOOTH},
                "body": [{"material": "m", **body} for body in bodies],
                "joint": list(joints),
            }
        )
    )


def orders(errors: Sequence[float]) -> np.ndarray:
    return np.log2(np.array(errors[:-1]) / np.array(errors[1:]))


# --- the order of the step --------------------------------------------------------------------------------------------

LENGTH, RADIUS, HEIGHT = 0.5, 0.02, 0.6
TIP = RADIUS + 0.5 * ENVELOPE  # height of the tip's centre


def capsule(name: str, angle: float, rate: float, centre: np.ndarray, velocity: np.ndarray) -> dict[str, Any]:
    """Angles from the vertical, in the plane y = 0."""
    return {
        "name": name,
        "shape": {"capsule": {"radius": RADIUS, "length": LENGTH}},
        "mass": 1.0,
        "position": [float(centre[0]), 0.0, float(centre[1])],
        "velocity": [float(velocity[0]), 0.0, float(velocity[1])],
        "orientation": {"axis": [0.0, 1.0, 0.0], "degrees": 180.0 - degrees(angle)},
        "angular_velocity": [0.0, -rate, 0.0],
    }


def capsule_moment() -> float:
    """Of a solid capsule of 1 kg, across."""
    tube, ball = pi * RADIUS**2 * LENGTH, 4.0 / 3.0 * pi * RADIUS**3
    share = tube / (tube + ball)
    caps = 0.4 * RADIUS**2 + LENGTH**2 / 4.0 + 3.0 * LENGTH * RADIUS / 8.0
    return share * (RADIUS**2 / 4.0 + LENGTH**2 / 12.0) + (1.0 - share) * caps


def dragged(friction: float, step: float, one: float, rate: float) -> tuple[World, list[float]]:
    """A double pendulum whose tip slides on the floor, and its angles and rates as it begins."""
    two = acos((HEIGHT - LENGTH * cos(one) - TIP) / LENGTH)
    other = -rate * sin(one) / sin(two)
    arm, along = LENGTH * np.array([sin(one), -cos(one)]), LENGTH * np.array([cos(one), sin(one)])
    arm_2, along_2 = LENGTH * np.array([sin(two), -cos(two)]), LENGTH * np.array([cos(two), sin(two)])
    hang = np.array([0.0, HEIGHT])
    bodies = [
        capsule("one", one, rate, hang + 0.5 * arm, 0.5 * rate * along),
        capsule("two", two, other, hang + arm + 0.5 * arm_2, rate * along + 0.5 * other * along_2),
    ]
    knee = (float(arm[0]), 0.0, float(HEIGHT + arm[1]))
    joints = [joint("hip", "hinge", ["one"], (0, 0, HEIGHT), Y), joint("knee", "hinge", ["one", "two"], knee, Y)]
    world = touching([FLOOR, *bodies], joints, friction, contact="constraint", envelope=ENVELOPE, step=step)
    return world, [one, two, rate, other]


def dragged_rates(friction: float, y: np.ndarray) -> np.ndarray:
    """Lagrange's equations with the tip's height held, and Coulomb's friction where it touches."""
    one, two, w_one, w_two = y
    c, s, half, moment = cos(one - two), sin(one - two), LENGTH / 2, capsule_moment()
    mass = np.array([[half**2 + moment + LENGTH**2, LENGTH * half * c], [LENGTH * half * c, half**2 + moment]])
    force = [
        -LENGTH * half * s * w_two**2 - (half + LENGTH) * G * sin(one),
        LENGTH * half * s * w_one**2 - half * G * sin(two),
    ]
    up = LENGTH * np.array([sin(one), sin(two)])
    along = LENGTH * np.array([cos(one), cos(two)]) + np.array([0.0, RADIUS])
    bend = LENGTH * (cos(one) * w_one**2 + cos(two) * w_two**2)
    drag = up - friction * np.sign(along @ [w_one, w_two]) * along
    whole = np.block([[mass, -drag[:, None]], [up[None], np.zeros((1, 1))]])
    return np.array([w_one, w_two, *np.linalg.solve(whole, [*force, -bend])[:2]])


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_a_tip_that_slides_is_followed_to_second_order(friction: float) -> None:
    times = np.linspace(0.0, 0.12, 9)
    errors = []
    for step in STEPS:
        world, start = dragged(friction, step, 0.3, 1.0)
        begun = world.energy()["total"]
        reference = solve_ivp(
            lambda _, y: dragged_rates(friction, y), (0.0, 0.12), start, "DOP853", times, rtol=1e-12, atol=1e-13
        )
        error = 0.0
        for time, (one, *_) in zip(times[1:], reference.y.T[1:], strict=True):
            world.advance_to(float(time))
            x, _, z = world.body("one").position
            error = max(error, abs(x - 0.5 * LENGTH * sin(one)), abs(z - HEIGHT + 0.5 * LENGTH * cos(one)))
        errors.append(error)
        energy = world.energy()
        assert world.joints()["gap"].max() < 1e-14
        assert abs(energy["total"] + energy["dissipated"] - begun) < 1e-12 and abs(energy["numerics"]) < 1e-11
    assert errors[0] < 1e-7
    assert (orders(errors) > 1.9).all()


CRANK, REACH, LEVEL = 0.1, 0.3, 0.3
CART, BOX = 1.0, 2.0


def crank_at(angle: float, rate: float) -> tuple[float, float, float, float]:
    """Of a slider-crank: where the slider is, how it moves, the rod's angle and its rate."""
    lean = asin(CRANK * sin(angle) / REACH)
    turn = CRANK * cos(angle) * rate / (REACH * cos(lean))
    return CRANK * cos(angle) + REACH * cos(lean), -CRANK * sin(angle) * rate - REACH * sin(lean) * turn, lean, turn


def crank_energy(angle: float, rate: float) -> tuple[float, float]:
    """Kinetic and potential energy of crank, rod, slider and box."""
    _, speed, _, turn = crank_at(angle, rate)
    pin = CRANK * rate * np.array([-sin(angle), cos(angle)])
    centre = 0.5 * (pin + np.array([speed, 0.0]))
    crank = (CRANK**2 + 0.02**2) / 12 + CRANK**2 / 4
    spin = 0.5 * crank * rate**2 + 0.5 * (REACH**2 + 0.02**2) / 12 * turn**2
    return spin + 0.5 * float(centre @ centre) + 0.5 * (CART + BOX) * speed**2, G * CRANK * sin(angle)


def pushing(step: float, friction: float, angle: float, rate: float) -> World:
    """A slider-crank whose slider pushes a box along the floor."""
    x, speed, _, turn = crank_at(angle, rate)
    hub, slide = (0.0, 0.0, LEVEL), (x, 0.0, LEVEL)
    pin = (CRANK * cos(angle), 0.0, LEVEL + CRANK * sin(angle))
    moves = CRANK * rate * np.array([-sin(angle), 0.0, cos(angle)])
    crank = rod("crank", hub, pin, group="links", velocity=(0.5 * moves).tolist(), angular_velocity=[0, -rate, 0])
    link = rod("rod", pin, slide, group="links", angular_velocity=[0.0, turn, 0.0])
    link["velocity"] = (0.5 * (moves + [speed, 0.0, 0.0])).tolist()
    still = {"velocity": [speed, 0.0, 0.0]}
    cart = {"name": "cart", "shape": {"box": [0.1, 0.1, 0.1]}, "mass": CART, "position": list(slide), **still}
    gap = 0.5 * ENVELOPE
    box = {"name": "box", "shape": {"box": [0.3, 0.3, 2.0 * LEVEL]}, "mass": BOX, **still}
    box["position"] = [x + 0.2 + gap, 0.0, LEVEL + gap]
    joints = [
        joint("hub", "hinge", ["crank"], hub, Y),
        joint("pin", "hinge", ["crank", "rod"], pin, Y),
        joint("wrist", "hinge", ["rod", "cart"], slide, Y),
        joint("rail", "slider", ["cart"], slide, (1, 0, 0)),
    ]
    bodies = [FLOOR, crank, link, cart | {"material": "smooth"}, box]
    return touching(bodies, joints, friction, contact="constraint", envelope=ENVELOPE, step=step)


def test_a_slider_crank_that_pushes_a_box_is_followed_to_second_order() -> None:
    friction, angle, rate, tiny = 0.2, pi + 0.35, 8.0, 1e-5
    time = 38 * JOINT_STEP * STEPS[0]  # [s], where steps end

    def rates(_: float, y: np.ndarray) -> list[float]:
        at, w = y

        def mass(angle: float) -> float:
            return 2.0 * crank_energy(angle, 1.0)[0]

        bend = (mass(at + tiny) - mass(at - tiny)) / (2.0 * tiny)
        weight = (crank_energy(at + tiny, 0.0)[1] - crank_energy(at - tiny, 0.0)[1]) / (2.0 * tiny)
        return [w, (-0.5 * bend * w * w - weight - friction * BOX * G * crank_at(at, 1.0)[1]) / mass(at)]

    errors = []
    for step in STEPS:
        world = pushing(step, friction, angle, rate)
        world.advance_to(time)
        end = solve_ivp(rates, (0.0, time), [angle, rate], "DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
        errors.append(abs(float(world.body("cart").position[0]) - crank_at(*end)[0]))
        assert world.joints()["gap"].max() < 1e-11  # closed to QUOTIENT of the smallest radius
    assert errors[0] < 2e-6
    assert (orders(errors) > 1.6).all(), "as far as solves are exact"


# --- what is nearly jammed ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("contact", ["impulse", "constraint", "hybrid"])
@pytest.mark.parametrize("lean", [5.0, 0.5, 0.05])
def test_a_smooth_slider_that_jams_gains_nothing(lean: float, contact: str) -> None:
    """A box on a rail that leads into the floor, by a small angle."""
    along = np.array([cos(np.radians(lean)), 0.0, -sin(np.radians(lean))])
    box = {"name": "box", "shape": {"box": [0.2, 0.2, 0.2]}, "mass": 1.0, "position": [0.0, 0.0, 0.101]}
    rail = joint("rail", "slider", ["box"], (0.0, 0.0, 0.101), along.tolist())
    world = touching([FLOOR, box | {"velocity": along.tolist()}], [rail], 0.0, contact=contact)
    begun = world.energy()["total"]
    for _ in range(200):
        world.advance(0.01)
        assert world.energy()["total"] <= begun + 1e-12
    assert world.smallest_gap > 0.0 and world.joints()["gap"][0] < 1e-12


def test_a_link_pressed_between_its_joint_and_the_ground_is_no_flood_of_events() -> None:
    peg = {"name": "peg", "motion": "fixed", "shape": {"box": [0.1, 0.1, 0.1]}, "position": [0.6, 0.0, -0.0603]}
    beam = rod("beam", (0, 0, 0), (1, 0, 0))
    world = touching([peg, beam], [joint("pivot", "hinge", ["beam"], (0, 0, 0), Y)], 0.5, contact="hybrid")
    world.advance_to(2.0)
    assert world.counters["heap_pops"] < 1500
    load = -world.contacts()["force"][:, 2].sum()
    assert 0.5 / 0.65 * G - 0.01 < load < 0.5 / 0.55 * G + 0.01, "by the lever of where the peg bears"
    assert world.joints()["force"][0, 2] + load == pytest.approx(G, rel=1e-6)


# --- loops that close through contact --------------------------------------------------------------------------------


def test_a_car_of_four_wheels_rolls_100_m_straight() -> None:
    wheel, speed = 0.3, 10.0
    height = wheel + 2e-4
    moves = {"velocity": [speed, 0.0, 0.0]}
    chassis = {"name": "chassis", "shape": {"box": [2.0, 1.0, 0.3]}, "mass": 200.0, **moves}
    bodies = [FLOOR, chassis | {"position": [0.0, 0.0, height + 0.2]}]
    joints = []
    for k, (x, y) in enumerate([(0.8, 0.6), (0.8, -0.6), (-0.8, 0.6), (-0.8, -0.6)]):
        bodies.append(
            {
                "name": f"wheel {k}",
                "shape": {"cylinder": {"radius": wheel, "length": 0.15}},
                "mass": 10.0,
                "position": [x, y, height],
                "orientation": {"axis": [1.0, 0.0, 0.0], "degrees": 90.0},
                "angular_velocity": [0.0, speed / wheel, 0.0],
                **moves,
            }
        )
        joints.append(joint(f"axle {k}", "hinge", ["chassis", f"wheel {k}"], (x, y, height), Y))
    world = touching(bodies, joints, 0.8)
    world.advance_to(10.0)
    x, y, z = world.body("chassis").position
    assert x == pytest.approx(100.0, abs=1e-6)
    assert abs(y) < 1e-6 and z == pytest.approx(height + 0.2, abs=1e-6)
    assert world.joints()["gap"].max() < 1e-12
    assert -world.contacts()["force"][:, 2].sum() == pytest.approx(240.0 * G, rel=1e-6)
    assert abs(world.energy()["dissipated"]) < 1e-6


def gripper(share: float, friction: float) -> World:
    """Two sliders that squeeze a block of 1 kg by `share` of the force that holds it."""
    force, gap = share * G / (2.0 * friction), 1e-4
    bodies: list[dict[str, Any]] = [{"name": "block", "shape": {"box": [0.2, 0.2, 0.2]}, "mass": 1.0}]
    joints = []
    for name, side in (("left", -1.0), ("right", 1.0)):
        x = side * (0.15 + gap)
        finger = {"name": name, "shape": {"box": [0.1, 0.1, 0.1]}, "mass": 0.5, "position": [x, 0.0, 0.0]}
        bodies.append(finger | {"force": [-side * force, 0.0, 0.0]})
        joints.append(joint(f"rail {name}", "slider", [name], (x, 0.0, 0.0), (1.0, 0.0, 0.0)))
    return touching(bodies, joints, friction, contact="hybrid")


@pytest.mark.parametrize("friction", [0.2, 0.5])
def test_a_gripper_holds_what_it_squeezes_enough(friction: float) -> None:
    world = gripper(1.01, friction)
    world.advance_to(2.0)
    assert np.abs(world.body("block").position).max() < 1e-8
    assert world.asleep()[0]
    assert np.abs(world.contacts()["force"][:, 2]).sum() == pytest.approx(G, rel=1e-6)


@pytest.mark.parametrize("friction", [0.2, 0.5])
def test_it_lets_slip_what_it_does_not(friction: float) -> None:
    world = gripper(0.99, friction)
    world.advance_to(1.0)
    assert world.body("block").position[2] == pytest.approx(-0.5 * 0.01 * G, rel=1e-2)


# --- what a spring presses --------------------------------------------------------------------------------------------


def test_what_a_sprung_lever_presses_against_a_wall_stays_where_it_is() -> None:
    """Its spring would throw the lever through the box in half a step: of that, points see what they come along
    themselves, not what the lever's centre does."""
    lever = {"name": "lever", "shape": {"box": [0.2, 0.05, 0.01]}, "position": [0.1, 0.0, 0.1], "mass": 0.05}
    box = {"name": "box", "shape": {"box": [0.03, 0.03, 0.03]}, "position": [0.18, 0.0, 0.1201], "mass": 0.05}
    wall = {"name": "wall", "motion": "fixed", "shape": {"box": [0.1, 0.1, 0.02]}, "position": [0.18, 0.0, 0.1452]}
    pin = joint("pin", "hinge", ("floor", "lever"), (0.0, 0.0, 0.1), Y) | {"spring": {"stiffness": 5.0, "rest": -0.1}}
    world = touching([FLOOR, lever, box, wall], [pin], 0.5, sleep=False)
    world.advance_to(0.2)
    there, had = world.poses(), world.energy()
    world.advance_to(1.0)
    assert world.poses() == pytest.approx(there, abs=1e-6)
    assert abs(world.energy()["numerics"] - had["numerics"]) < 1e-6
    # The lever leans by its share of the envelope, and so presses on the edge of the box that is further out.
    angle, weight = world.joints()["position"][0], 0.05 * G
    presses = sum(abs(f["force"] @ f["normal"]) for f in world.contacts() if world.names[f["body_b"]] == "wall")
    assert presses == pytest.approx((5.0 * (angle + 0.1) - 0.1 * weight) / 0.195 - weight, rel=0.01)


@pytest.mark.parametrize("gap", [0.0, 1e-6, 1e-5])
@pytest.mark.parametrize("reach", [0.0, 0.2])
def test_what_joints_tie_is_lifted_from_where_it_was_laid_too_low(gap: float, reach: float) -> None:
    """By impulses alone, as what is not tied is: an arm swings down on a block that stands on the ground."""
    ground = {"name": "ground", "shape": {"plane": {}}, "motion": "fixed"}
    block = {"name": "block", "shape": {"box": [0.4, 0.4, 0.1]}, "mass": 10.0, "position": [0, 0, 0.05 + gap]}
    bar = {"name": "bar", "shape": {"box": [0.4, 0.05, 0.05]}, "mass": 1.0, "position": [reach, 0, 0.3]}
    tied = joint("hinge", "hinge", ["block", "bar"], (0, 0, 0.3), (0, -1, 0)) | {"damping": 1.0}
    world = World(linked_scene([ground, block, bar], [tied], collide=True, contact="impulse"))
    whole = world.energy()["total"]
    world.advance_events(20_000, 1.0)
    assert world.time == 1.0 and not world.stopped
    energy = world.energy()
    assert energy["total"] + energy["dissipated"] == pytest.approx(whole, abs=1e-12)
    assert energy["total"] < whole + 0.06  # what lifts both by an envelope
    assert world.body("block").position[2] == pytest.approx(0.05, abs=5e-4)
    swung = World(linked_scene([ground, block, bar], [tied], collide=True))
    swung.advance_to(1.0)
    assert world.joint(0)[0] == pytest.approx(swung.joint(0)[0], abs=2e-3)
