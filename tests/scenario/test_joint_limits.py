"""Limits, springs and friction of joints where contacts press on them."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World
from tests.linkages import joint, linked_scene, rod


def balance(world: World) -> float:
    energy = world.energy()
    return energy["total"] + energy["dissipated"] - energy["work"]


def shelf(**more: object) -> World:
    """A bar of 1 kg and 1 m on a hinge at its end, level, and a ball that falls on it near the other."""
    ball = {"name": "ball", "shape": {"sphere": {"radius": 0.05}}, "mass": 1.0, "position": [0.8, 0, 0.2]}
    hinge = joint("hinge", "hinge", ["bar"], (0, 0, 0), (0, 1, 0)) | more
    return World(linked_scene([rod("bar", (0, 0, 0), (1, 0, 0), width=0.05), ball], [hinge], collide=True))


def test_a_shelf_at_its_limit_bears_what_falls_on_it() -> None:
    world = shelf(limits=[-1.0, 0.0])
    whole = balance(world)
    for t in (0.1, 0.3, 0.6, 1.5):
        world.advance_to(t)
        assert abs(world.joints()["position"][0]) < 1e-6
        assert balance(world) == pytest.approx(whole, abs=1e-9)
    assert world.body("ball").position[2] == pytest.approx(0.075, abs=2e-4)
    assert world.body("ball").asleep and abs(world.energy()["numerics"]) < 1e-6
    assert abs(world.joints()["effort"][0]) == pytest.approx(9.81 * (0.5 + 0.8), rel=1e-3)


@pytest.mark.slow
def test_a_shelf_on_friction_holds_until_it_is_loaded() -> None:
    """The bar alone needs 4.9 N m, with the ball at rest on it 12.8 N m: 10 N m hold the one and not both."""
    world = shelf(friction=10.0)
    whole = balance(world)
    world.advance_to(0.15)
    assert abs(world.joints()["position"][0]) < 1e-9
    world.advance_to(1.0)
    assert world.joints()["position"][0] > 0.05
    assert balance(world) == pytest.approx(whole, abs=1e-9) and world.energy()["sliding"] > 0.1


def test_a_spring_plate_carries_a_ball_at_its_sag() -> None:
    """A plate on a vertical slide with spring and damper: at rest the spring bears plate and ball."""
    plate = {"name": "plate", "shape": {"box": [0.4, 0.4, 0.02]}, "mass": 0.5, "position": [0, 0, 0]}
    ball = {"name": "ball", "shape": {"box": [0.1, 0.1, 0.1]}, "mass": 1.0, "position": [0, 0, 0.0602]}
    slide = joint("slide", "slider", ["plate"], (0, 0, 0), (0, 0, 1)) | {"spring": 200.0, "damping": 15.0}
    world = World(linked_scene([plate, ball], [slide], collide=True))
    whole = balance(world)
    world.advance_to(3.0)
    assert world.joints()["position"][0] == pytest.approx(-1.5 * 9.81 / 200.0, abs=2e-3)
    assert np.abs(world.body("ball").velocity).max() < 1e-3
    assert balance(world) == pytest.approx(whole, abs=1e-9)
    energy = world.energy()
    assert energy["damping"] == pytest.approx(1.5 * 9.81 * 0.07358 / 2, rel=5e-2)


def standing(**more: object) -> World:
    """A foot of 2 kg that lies on the floor, and on its hinge a shank of 1 kg whose centre is 2 cm behind that."""
    floor = {"name": "floor", "motion": "fixed", "shape": {"plane": {}}}
    foot = {"name": "foot", "shape": {"box": [0.3, 0.1, 0.1]}, "mass": 2.0, "position": [0, 0, 0.0502]}
    shank = {"name": "shank", "shape": {"box": [0.05, 0.05, 0.4]}, "mass": 1.0, "position": [-0.02, 0, 0.31]}
    hinge = joint("ankle", "hinge", ["foot", "shank"], (0, 0, 0.105), (0, 1, 0)) | more
    return World(linked_scene([floor, foot, shank], [hinge], collide=True, sleep=False))


@pytest.mark.parametrize("limits", [[0.0, 2.0], [0.0, 1e-7]])
def test_what_stands_leans_on_its_limit(limits: list[float]) -> None:
    """The end bears the shank's weight on its arm, step by step without an event, and keeps its place."""
    world = standing(limits=limits)
    whole = balance(world)
    world.advance_to(0.2)
    steps = world.counters["group_steps"]
    world.advance_to(0.7)
    assert world.counters["group_steps"] - steps == pytest.approx(150, abs=5)
    assert abs(world.joints()["position"][0]) < 1e-6 and abs(world.joints()["velocity"][0]) < 1e-4
    assert world.joints()["effort"][0] == pytest.approx(9.81 * 0.02, rel=1e-2)
    assert balance(world) == pytest.approx(whole, abs=1e-9)


def test_friction_of_a_joint_holds_what_stands_or_lets_it_fall() -> None:
    """What leans with 0.196 N m is held by 0.3 N m; 0.1 N m take what they can of the fall."""
    held = standing(friction=0.3)
    held.advance_to(0.5)
    assert abs(held.joints()["position"][0]) < 1e-6
    assert held.joints()["effort"][0] == pytest.approx(9.81 * 0.02, rel=1e-2)
    falls = standing(friction=0.1)
    whole = balance(falls)
    falls.advance_to(0.3)
    turned = -falls.joints()["position"][0]
    assert turned > 0.02 and falls.joints()["effort"][0] == pytest.approx(0.1, rel=1e-6)
    assert falls.energy()["sliding"] == pytest.approx(0.1 * turned, rel=1e-3)
    assert balance(falls) == pytest.approx(whole, abs=1e-9)


def test_a_damper_takes_nothing_of_what_stands() -> None:
    """A spring holds what leans: once it has come to rest its damper takes nothing, and nothing is put back."""
    world = standing(spring=20.0, damping=0.5)
    world.advance_to(1.5)
    assert world.joints()["position"][0] == pytest.approx(-9.81 * 0.02 / (20.0 - 9.81 * 0.205), rel=1e-3)
    before = world.energy()
    world.advance_to(1.8)
    after = world.energy()
    assert after["damping"] - before["damping"] < 1e-8
    assert abs(after["numerics"] - before["numerics"]) < 1e-8


def test_a_joint_bounces_at_its_limit_while_its_linkage_stands() -> None:
    """A block of 0.5 kg falls 0.2 m down its slide on a heavy base: with e = 0.5 it comes up to a quarter of that."""
    floor = {"name": "floor", "motion": "fixed", "shape": {"plane": {}}}
    base = {"name": "base", "shape": {"box": [0.3, 0.3, 0.1]}, "mass": 5.0, "position": [0, 0, 0.0502]}
    block = {"name": "block", "shape": {"box": [0.1, 0.1, 0.1]}, "mass": 0.5, "position": [0, 0, 0.5]}
    slide = joint("slide", "slider", ["base", "block"], (0, 0, 0.5), (0, 0, 1))
    slide |= {"limits": [-0.2, 1.0], "limit_restitution": 0.5}
    world = World(linked_scene([floor, base, block], [slide], collide=True, sleep=False))
    whole = balance(world)
    hit = (2 * 0.2 / 9.81) ** 0.5
    world.advance_to(1.5 * hit)
    assert world.joints()["position"][0] == pytest.approx(-0.15, abs=2e-4)
    assert world.joints()["velocity"][0] == pytest.approx(0.0, abs=2e-3)
    world.advance_to(2.0)
    assert world.joints()["position"][0] == pytest.approx(-0.2, abs=1e-6)
    assert balance(world) == pytest.approx(whole, abs=1e-9)


def test_a_slider_crank_starts_at_its_dead_centre_with_friction_in_its_slider() -> None:
    """Where the slider cannot move its friction holds nothing: the motor comes to its speed at once."""
    width = 0.05
    piston = {"name": "piston", "shape": {"box": [0.1, 0.1, 0.1]}, "mass": 1.0, "position": [0.6, 0, 0]}
    bodies = [
        rod("crank", (0, 0, 0), (0.2, 0, 0), width=width),
        rod("rod", (0.2, 0, 0), (0.6, 0, 0), width=width),
        piston,
    ]
    joints = [
        joint("main", "hinge", ["crank"], (0, 0, 0), (0, 1, 0)) | {"motor": {"velocity": 5.0, "kv": 20.0}},
        joint("pin", "hinge", ["crank", "rod"], (0.2, 0, 0), (0, 1, 0)),
        joint("wrist", "hinge", ["rod", "piston"], (0.6, 0, 0), (0, 1, 0)),
        joint("slide", "slider", ["piston"], (0.6, 0, 0), (1, 0, 0)) | {"friction": 2.0},
    ]
    world = World(linked_scene(bodies, joints))
    whole = balance(world)
    world.advance_events(5000, 2.0)
    assert world.time == 2.0
    assert world.joints()["position"][0] == pytest.approx(10.0, abs=0.1)
    turn = world.joints()["position"][0]
    exact = 0.2 * np.cos(turn) + np.sqrt(0.4**2 - (0.2 * np.sin(turn)) ** 2) - 0.6
    assert world.joints()["position"][3] == pytest.approx(exact, abs=1e-9)
    assert balance(world) == pytest.approx(whole, abs=1e-9)
    assert world.energy()["sliding"] == pytest.approx(2.0 * way_of_slider(turn), rel=1e-3)


def way_of_slider(turn: float) -> float:
    """How far the slider of that crank has come, to and fro [m]."""
    angles = np.linspace(0.0, turn, 100_001)
    places = 0.2 * np.cos(angles) + np.sqrt(0.4**2 - (0.2 * np.sin(angles)) ** 2)
    return float(np.abs(np.diff(places)).sum())
