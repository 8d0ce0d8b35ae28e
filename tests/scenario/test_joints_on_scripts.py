"""Joints on bodies that move as scripted: what such bodies put in, and what joints with friction and ends do there."""

from __future__ import annotations

from math import cos, pi, sin, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from engine import World
from engine.scene.schema import Scene
from tests.linkages import joint, linked_scene

SHAKE = {"oscillator": {"direction": [1.0, 0.0, 0.0], "amplitude": 0.1, "frequency": 2.0}}
SPIN = {"spinner": {"axis": [0.0, 1.0, 0.0], "rate": 6.0}}
STARTS_WITH = 0.1 * 4.0 * pi  # m/s, of what shakes
INERTIA = (0.05**2 + 0.4**2) / 12.0 + 0.2**2  # of the arm about its hinge, in kg m^2


def balance(world: World) -> float:
    energy = world.energy()
    return energy["total"] + energy["dissipated"] - energy["work"]


def arm(motion: dict[str, Any], kind: str = "hinge", gravity: float = -9.81, **more: Any) -> World:
    """An arm of 1 kg that hangs at rest from a body which moves as scripted."""
    base = {"name": "base", "shape": {"box": [0.1, 0.1, 0.1]}, "motion": motion}
    bar = {"name": "arm", "shape": {"box": [0.05, 0.05, 0.4]}, "mass": 1.0, "position": [0, 0, -0.2]}
    axis = (0, 1, 0) if kind == "hinge" else None
    tied = joint("hinge", kind, ["base", "arm"], (0, 0, 0), axis) | more
    return World(linked_scene([base, bar], [tied], gravity=(0, 0, gravity)))


def test_a_script_that_starts_at_once_does_twice_the_work_that_its_load_keeps() -> None:
    """A mass that is brought to a speed u at once takes m u^2 of work, and half of it is lost by the impact."""
    world = arm(SHAKE, "weld", gravity=0.0)
    world.advance_to(0.0)
    energy = world.energy()
    assert energy["kinetic"] == pytest.approx(0.5 * STARTS_WITH**2, rel=1e-12)
    assert energy["work"] == pytest.approx(STARTS_WITH**2, rel=1e-12)
    assert energy["impact"] == pytest.approx(0.5 * STARTS_WITH**2, rel=1e-12)
    for t in (0.001, 0.05, 0.3):
        world.advance_to(t)
        assert balance(world) == pytest.approx(0.0, abs=1e-12)
        assert world.energy()["numerics"] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("more", [{"friction": 0.3}, {"damping": 0.3}, {"friction": 0.3, "limits": [-3.0, 3.0]}])
def test_an_arm_that_is_jerked_swings_on_as_its_equation_says(more: dict[str, Any]) -> None:
    world = arm(SHAKE, **more)
    world.advance_to(0.0)
    whole = balance(world)
    rate = 0.2 * STARTS_WITH / INERTIA
    assert world.joint(0)[1] == pytest.approx(rate, rel=1e-12)
    dry, damping = more.get("friction", 0.0), more.get("damping", 0.0)

    def swing(t: float, y: np.ndarray) -> list[float]:
        push = -0.2 * 4.0 * pi * STARTS_WITH * sin(4.0 * pi * t) * cos(y[0])
        return [y[1], (push - 9.81 * 0.2 * sin(y[0]) - dry * np.sign(y[1]) - damping * y[1]) / INERTIA]

    for t in (0.001, 0.0041, 0.0083, 0.05, 0.09):  # it comes to rest after that, for the first time
        world.advance_to(t)
        angle, speed, _ = world.joint(0)
        exact = solve_ivp(swing, (0.0, t), [0.0, rate], rtol=1e-10, atol=1e-12).y[:, -1]
        assert angle == pytest.approx(exact[0], abs=2e-6)
        assert speed == pytest.approx(exact[1], abs=2e-4)
        assert world.joints()["gap"][0] < 1e-12
        assert balance(world) == pytest.approx(whole, abs=1e-9)


@pytest.mark.parametrize("motion", [SPIN, SHAKE])
@pytest.mark.parametrize("restitution", [0.0, 0.4, 1.0])
def test_ends_on_a_body_that_moves_have_its_work(motion: dict[str, Any], restitution: float) -> None:
    """Where the arm bounces the base goes on as it does: p times its rate is what it puts in."""
    world = arm(motion, limits=[-0.3, 0.3], limit_restitution=restitution)
    world.advance_to(0.0)
    whole = balance(world)
    low = high = 0.0
    for t in np.linspace(0.01, 1.0, 100):
        world.advance_to(float(t))
        low, high = min(low, world.joint(0)[0]), max(high, world.joint(0)[0])
        assert balance(world) == pytest.approx(whole, abs=1e-9)
    assert low > -0.3 - 1e-6 and high < 0.3 + 1e-6 and max(-low, high) > 0.29
    assert abs(world.energy()["numerics"]) < 1e-5


def cam(**world: Any) -> World:
    """A square cam of side 0.1 m turns at 3 rad/s; a follower of 1 kg on a damped rail is pressed on it by a spring."""
    turns = {"spinner": {"axis": [0.0, 0.0, 1.0], "rate": 3.0}}
    square = {"name": "cam", "shape": {"box": [0.1, 0.1, 0.05]}, "motion": turns}
    follower = {"name": "follower", "shape": {"box": [0.1, 0.2, 0.05]}, "mass": 1.0, "position": [0.1002, 0.0, 0.0]}
    rail = joint("rail", "slider", ["follower"], (0.1002, 0, 0), (1, 0, 0))
    rail |= {"spring": {"stiffness": 100.0, "rest": -0.1}, "damping": 2.0}
    smooth = {"friction": 0.0, "restitution": 0.0}
    bodies = [square | {"material": "smooth"}, follower | {"material": "smooth"}]
    said = linked_scene(bodies, [rail], collide=True, **world).model_dump(exclude_unset=True, by_alias=True)
    return World(Scene.model_validate(said | {"material": {"smooth": smooth}}))


@pytest.mark.parametrize(("step", "near"), [(1.0 / 240.0, 0.1), (1.0 / 2000.0, 0.02)])
def test_a_cam_puts_in_what_its_corners_and_the_damper_take(step: float, near: float) -> None:
    """At each of four corners the follower, which comes at -u, is taken along at u: m (2 u)^2 / 2 is lost.

    Between them x = r cos(phi) about the corner that bears: the damper takes c times the integral of its speed squared.
    """
    r, rate = 0.05 * sqrt(2.0), 3.0
    u = r * rate * sin(0.25 * pi)
    damped = 2.0 * r * r * rate * (0.25 * pi - 0.5)  # of each quarter turn
    world = cam(step=step)
    whole = balance(world)
    world.advance_to(2.0 * pi / rate)
    energy = world.energy()
    assert abs(energy["numerics"]) < 1e-9 and balance(world) == pytest.approx(whole, abs=1e-12)
    assert energy["damping"] == pytest.approx(4.0 * damped, rel=0.01)
    assert energy["work"] == pytest.approx(4.0 * (2.0 * u * u + damped), rel=near)
