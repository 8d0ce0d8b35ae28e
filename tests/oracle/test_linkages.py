"""Linkages against closed forms and independent integrations of Lagrange's equations."""

from __future__ import annotations

from math import asin, cos, pi, radians, sin, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

from engine import World
from tests.linkages import chain, joint, linked_scene, rod, to_the_next_step, turn_matrix

G = 9.81
LENGTH, WIDTH = 0.5, 0.02
MOMENT = (LENGTH**2 + WIDTH**2) / 12  # of a rod of 1 kg about its centre, across


def swing(degrees: float) -> World:
    """A rod on a hinge, let go at an angle from where it hangs."""
    end = (LENGTH * sin(radians(degrees)), 0.0, -LENGTH * cos(radians(degrees)))
    return World(linked_scene([rod("rod", (0, 0, 0), end)], [joint("pivot", "hinge", ["rod"], (0, 0, 0), (0, 1, 0))]))


@pytest.mark.parametrize("degrees", [10.0, 90.0, 170.0])
def test_a_pendulum_needs_the_time_that_the_elliptic_integral_says(degrees: float) -> None:
    world = swing(degrees)
    inertia = MOMENT + LENGTH**2 / 4
    quarter = sqrt(inertia / (G * LENGTH / 2)) * ellipk(sin(radians(degrees) / 2) ** 2)
    for k in range(1, 8):
        world.advance_to(k * quarter)
        angle = radians(degrees) * (1, 0, -1, 0)[k % 4]
        centre = [LENGTH / 2 * sin(angle), 0.0, -LENGTH / 2 * cos(angle)]
        assert np.abs(world.body("rod").position - centre).max() < 1e-8


def test_a_double_pendulum_follows_lagranges_equations() -> None:
    world = World(chain(2))

    def rates(_: float, y: np.ndarray) -> list[float]:
        one, two, w_one, w_two = y
        c, s = cos(one - two), sin(one - two)
        half = LENGTH / 2
        matrix = [[half**2 + MOMENT + LENGTH**2, LENGTH * half * c], [LENGTH * half * c, half**2 + MOMENT]]
        right = [
            -LENGTH * half * s * w_two**2 - (half + LENGTH) * G * sin(one),
            LENGTH * half * s * w_one**2 - half * G * sin(two),
        ]
        return [w_one, w_two, *np.linalg.solve(matrix, right)]

    times = np.arange(0.1, 2.01, 0.1)
    reference = solve_ivp(rates, (0, 2), [pi / 2, pi / 2, 0, 0], "DOP853", times, rtol=1e-12, atol=1e-13)
    for time, (one, two, w_one, w_two) in zip(times, reference.y.T, strict=True):
        world.advance_to(float(time))
        tip = [LENGTH * (sin(one) + sin(two) / 2), 0.0, -LENGTH * (cos(one) + cos(two) / 2)]
        assert np.abs(world.body("rod 1").position - tip).max() < 1e-8
        assert world.body("rod 0").angular_velocity[1] == pytest.approx(-w_one, abs=1e-6)
        assert world.body("rod 1").angular_velocity[1] == pytest.approx(-w_two, abs=1e-6)


def hung_on_a_ball(body: dict[str, Any], copies: int, contact: str) -> World:
    """A body on a ball joint at the origin: in one copy it is a tree, in two it moves on rows."""
    ties = [joint(f"pivot {k}", "ball", [body["name"]], (0, 0, 0)) for k in range(copies)]
    return World(linked_scene([body], ties, contact=contact))


EVERY_WAY = [
    pytest.mark.parametrize("contact", ["hybrid", "constraint", "impulse"]),
    pytest.mark.parametrize("copies", [1, 2], ids=["tree", "rows"]),
]


def every_way(test: Any) -> Any:
    for mark in EVERY_WAY:
        test = mark(test)
    return test


@every_way
@pytest.mark.parametrize("degrees", [10.0, 45.0, 80.0])
def test_a_conical_pendulum_goes_round_without_a_lag(degrees: float, contact: str, copies: int) -> None:
    """A ball turns with its string at w^2 = g / (l cos a), whatever its own moment: from its first step on."""
    tilt = radians(degrees)
    rate = sqrt(G / (LENGTH * cos(tilt)))
    radius, depth = LENGTH * sin(tilt), LENGTH * cos(tilt)
    bob = {"name": "bob", "shape": {"sphere": {"radius": 0.05}}, "mass": 1.0, "position": [radius, 0.0, -depth]}
    turning = {"velocity": [0.0, rate * radius, 0.0], "angular_velocity": [0.0, 0.0, rate]}
    world = hung_on_a_ball(bob | turning, copies, contact)
    for k in range(1, 21):
        world.advance_to(0.1 * k)
        angle = rate * world.time
        place = [radius * cos(angle), radius * sin(angle), -depth]
        assert np.abs(world.body("bob").position - place).max() < 1e-11


@every_way
def test_a_box_that_hangs_by_a_corner_follows_eulers_equations(contact: str, copies: int) -> None:
    """About the joint, in the axes of the box: I w' = c x m g - w x I w."""
    size, mass = np.array([0.3, 0.2, 0.1]), 2.0
    centre = 0.5 * size  # from the corner
    inertia = mass / 3 * (size @ size * np.eye(3)) - mass / 4 * np.outer(size, size) - mass / 12 * np.diag(size**2)
    begin = np.array([0.9, 0.2, -0.3, 0.1]) / sqrt(0.95)
    turn, spin = turn_matrix(begin), np.array([3.0, -2.0, 5.0])
    box = {
        "name": "box",
        "shape": {"box": size.tolist()},
        "mass": mass,
        "position": (turn @ centre).tolist(),
        "orientation": begin.tolist(),
        "velocity": np.cross(spin, turn @ centre).tolist(),
        "angular_velocity": spin.tolist(),
    }
    world = hung_on_a_ball(box, copies, contact)

    def rates(_: float, y: np.ndarray) -> list[float]:
        q, w = y[:4], y[4:]
        weight = turn_matrix(q).T @ np.array([0.0, 0.0, -mass * G])
        turns = np.linalg.solve(inertia, np.cross(centre, weight) - np.cross(w, inertia @ w))
        return [*(0.5 * np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))])), *turns]

    times = np.arange(0.1, 2.01, 0.1)
    reference = solve_ivp(rates, (0, 2.01), [*begin, *(turn.T @ spin)], "DOP853", times, rtol=1e-12, atol=1e-13)
    for time, y in zip(times, reference.y.T, strict=True):
        world.advance_to(float(time))
        turn, found = turn_matrix(y[:4]), world.body("box")
        assert np.abs(turn_matrix(found.orientation) - turn).max() < 1e-7
        assert np.abs(found.position - turn @ centre).max() < 1e-8
        assert np.abs(found.angular_velocity - turn @ y[4:]).max() < 3e-7


def test_a_top_on_a_ball_joint_keeps_what_eulers_equations_keep() -> None:
    """Energy, and angular momentum about the vertical and about its own axis (Goldstein 2002, 5.7)."""
    body = {
        "name": "top",
        "shape": {"cylinder": {"radius": 0.1, "length": 0.02}},
        "mass": 1.0,
        "position": [0.12, 0.0, 0.16],
        "orientation": {"axis": [0.0, 1.0, 0.0], "degrees": float(np.degrees(asin(0.6)))},
        "angular_velocity": [48.0, 0.0, 64.0],
    }
    spin = np.cross(body["angular_velocity"], body["position"])
    world = World(linked_scene([body | {"velocity": spin.tolist()}], [joint("tip", "ball", ["top"], (0, 0, 0))]))

    def kept() -> list[float]:
        top, energy = world.body("top"), world.energy()["total"]
        axis = top.position / np.linalg.norm(top.position)
        about_axis = 0.5 * 0.1**2 * float(axis @ top.angular_velocity)
        return [energy, float(world.momentum()[5]), about_axis]

    begin = kept()
    lowest = 1.0
    while world.time < 2.0:
        world.advance(0.0137)
        assert kept() == pytest.approx(begin, rel=2e-6)
        lowest = min(lowest, float(world.body("top").position[2]))
    assert -0.1 < lowest < 0.1  # it nods
    to_the_next_step(world)
    assert kept() == pytest.approx(begin, rel=1e-8)


def test_a_four_bar_linkage_stands_where_geometry_says() -> None:
    ground, crank, coupler, rocker = 0.4, 0.12, 0.4, 0.3

    def tip(angle: float) -> np.ndarray:
        """Where coupler and rocker meet: the crossing of two circles, always the upper one."""
        pin, far = np.array([crank * cos(angle), crank * sin(angle)]), np.array([ground, 0.0])
        between = far - pin
        distance = float(np.linalg.norm(between))
        along = (distance**2 + coupler**2 - rocker**2) / (2 * distance)
        height = sqrt(coupler**2 - along**2)
        return pin + along * between / distance + height * np.array([-between[1], between[0]]) / distance

    start = tip(0.3)
    pin = (crank * cos(0.3), 0.0, crank * sin(0.3))
    meet, far = (start[0], 0.0, start[1]), (ground, 0.0, 0.0)
    bodies = [rod("crank", (0, 0, 0), pin, 5.0), rod("coupler", pin, meet), rod("rocker", far, meet)]
    axis = (0, 1, 0)
    joints = [
        joint("axle", "hinge", ["crank"], (0, 0, 0), axis),
        joint("pin", "hinge", ["crank", "coupler"], pin, axis),
        joint("meet", "hinge", ["coupler", "rocker"], meet, axis),
        joint("pivot", "hinge", ["rocker"], far, axis),
    ]
    bodies[0]["angular_velocity"] = [0.0, -14.0, 0.0]
    world = World(linked_scene(bodies, joints))
    turned = 0.0
    for _ in range(60):
        world.advance(0.031)
        at = world.joints()
        angle = 0.3 - float(at["position"][0])
        turned = max(turned, abs(float(at["velocity"][0])))
        assert np.abs(at["point"][2][[0, 2]] - tip(angle)).max() < 1e-8
        assert at["gap"].max() < 1e-8 and at["tilt"].max() < 1e-8
    assert turned > 5.0


def test_a_shaken_pendulum_takes_the_work_that_is_put_in() -> None:
    """Mathieu's equation: the pivot goes up and down; energy less work stays what it was."""
    frequency, amplitude = 3.0, 0.05
    shaker = {
        "name": "shaker",
        "shape": {"box": [0.1, 0.1, 0.1]},
        "motion": {"oscillator": {"direction": [0.0, 0.0, 1.0], "amplitude": amplitude, "frequency": frequency}},
    }
    end = (LENGTH * sin(1.0), 0.0, -LENGTH * cos(1.0))
    speed = 2 * pi * frequency * amplitude
    moving = rod("rod", (0, 0, 0), end) | {"velocity": [0.0, 0.0, speed]}
    world = World(linked_scene([shaker, moving], [joint("pivot", "hinge", ["shaker", "rod"], (0, 0, 0), (0, 1, 0))]))
    rate = 2 * pi * frequency

    def rates(t: float, y: np.ndarray) -> list[float]:
        weight = G - amplitude * rate**2 * sin(rate * t)
        return [y[1], -weight * (LENGTH / 2) * sin(y[0]) / (LENGTH**2 / 4 + MOMENT)]

    begin = world.energy()["total"]
    reference = solve_ivp(rates, (0, 2), [1.0, 0.0], "DOP853", rtol=1e-12, atol=1e-13, dense_output=True)
    for time in np.arange(0.1, 2.01, 0.1):
        world.advance_to(float(time))
        away = 1.0 - world.joints()[0]["position"] - reference.sol(time)[0]
        assert abs((away + pi) % (2 * pi) - pi) < 1e-7
        energy = world.energy()
        assert energy["total"] - energy["work"] == pytest.approx(begin, abs=1e-6)
    assert abs(world.energy()["work"]) > 0.01
