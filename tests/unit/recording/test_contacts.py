"""What contacts say of themselves between the ends of a step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine import World
from tests.scenes import body, floor, scene

G = 9.81
ENVELOPE = 1e-3
SIDE = 0.2  # of a box of 1 kg, and its friction is 0.5


@pytest.mark.parametrize(("speed", "spin"), [(1.0, 0.0), (1.0, 10.0), (3.0, 0.0)])
def test_a_ball_that_rolls_does_not_slip_at_its_contact(speed: float, spin: float) -> None:
    """It makes long steps, in which it goes far: the point at which it touches goes along with it."""
    rolls = body("ball", {"sphere": {"radius": 0.1}}, (0, 0, 0.1001), velocity=(speed, 0, 0))
    rolls["angular_velocity"] = (0, spin, 0)
    world = World(scene(floor(), rolls, envelope=1e-3, friction=0.5))
    looked = 0
    for t in np.arange(1.5, 3.0, 0.0137):
        world.advance_to(t)
        (contact,) = world.contacts()
        v, w = world.twists()[1, :3], world.twists()[1, 3:]
        assert v[0] == pytest.approx(0.1 * w[1], rel=1e-6), "it rolls"
        assert np.abs(contact["velocity"]).max() < 1e-4 * v[0]
        looked += contact["paradigm"] == "constraint"
    assert looked > 50


def test_a_box_that_tips_about_its_edge_does_not_slip_there() -> None:
    box = body("box", {"box": [0.2, 0.2, 0.2]}, (0, 0, 0.1414214 + 2e-4), velocity=(0.3, 0, 0))
    box["orientation"] = {"axis": (0, 1, 0), "degrees": 46.0}
    world = World(scene(floor(), box, envelope=1e-3, friction=0.9))
    slips = []
    for t in np.arange(0.02, 0.25, 0.0031):
        world.advance_to(t)
        slips += [np.hypot(*one["velocity"][:2]) for one in world.contacts() if one["paradigm"] == "constraint"]
    assert len(slips) > 20
    assert np.median(slips) < 0.01


def box(**more: Any) -> dict[str, Any]:
    return body("body", {"box": [SIDE, SIDE, SIDE]}, (0, 0, 0.5 * SIDE + 0.1 * ENVELOPE), mass=1.0, **more)


def round_body(kind: str, **more: Any) -> dict[str, Any]:
    """A ball or a wheel of 5 cm that may roll along x."""
    shape = {"sphere": {"radius": 0.05}} if kind == "ball" else {"cylinder": {"radius": 0.05, "length": 0.1}}
    upright = {"orientation": {"axis": (1, 0, 0), "degrees": 90.0}} if kind == "wheel" else {}
    return body("body", shape, (0, 0, 0.05 + 0.1 * ENVELOPE), mass=1.0, **upright, **more)


GROWING = {"keys": [{"time": 0.0, "value": [0, 0, 0]}, {"time": 10.0, "value": [4, 0, 0]}]}
ROLLS = {"velocity": (0.5, 0, 0), "angular_velocity": (0, 10.0, 0)}


@pytest.mark.parametrize(
    ("thing", "ahead"),
    [
        (round_body("ball", **ROLLS), 0.0),
        (round_body("wheel", **ROLLS), 0.0),
        (round_body("ball", angular_velocity=(0, 0, 20.0)), 0.0),
        (box(), 0.0),
        (box(velocity=(20.0, 0, 0)), 0.5 * 0.5 * SIDE),  # friction's moment, mu m g / 2 of its side
        (box(force={"axes": "body", "value": [4, 0, 0]}), 4.0 / G * 0.5 * SIDE),
    ],
    ids=["ball rolls", "wheel rolls", "ball spins", "box rests", "box slides", "box is pushed"],
)
def test_the_point_of_a_contact_goes_along_with_its_body_through_steps_of_any_length(
    thing: dict[str, Any], ahead: float
) -> None:
    """It lies between the surfaces, and before the body's centre by what moments of friction and loads ask for."""
    world = World(scene(floor(), thing, envelope=ENVELOPE, friction=0.5, restitution=0.0, sleep=False))
    for t in np.arange(0.5, 3.0, 0.07):
        world.advance_to(t)
        (contact,) = world.contacts()
        assert contact["paradigm"] == "constraint"
        assert 0.0 <= contact["point"][2] <= ENVELOPE
        x = world.poses()[1, :2]
        np.testing.assert_allclose(contact["point"][:2], (x[0] + ahead, x[1]), atol=2e-4)
    assert world.counters["group_steps"] < 240 * 3.0 / 4, "it makes long steps"


def test_the_point_follows_a_force_that_grows() -> None:
    """A box does not move that a growing force pushes at its centre: F h / (m g) before it the floor bears it."""
    world = World(scene(floor(), box(force=GROWING), envelope=ENVELOPE, friction=0.5, sleep=False))
    for t in (0.1, 0.5, 2.0, 5.0, 9.0, 20.0):
        world.advance_to(t)
        (contact,) = world.contacts()
        assert contact["point"][0] == pytest.approx(min(0.4 * t, 4.0) / G * 0.5 * SIDE, abs=1e-4)
        assert 0.0 <= contact["point"][2] <= ENVELOPE


@pytest.mark.parametrize("kind", ["ball", "wheel"])
def test_what_rolls_on_in_long_steps_does_not_slip(kind: str) -> None:
    world = World(scene(floor(), round_body(kind, **ROLLS), envelope=ENVELOPE, friction=0.5, sleep=False))
    for t in np.arange(0.1, 3.0, 0.13):
        world.advance_to(t)
        (contact,) = world.contacts()
        assert np.abs(contact["velocity"]).max() < 1e-6


@pytest.mark.parametrize("shape", [{"box": [SIDE, SIDE, SIDE]}, {"cylinder": {"radius": 0.1, "length": SIDE}}])
def test_what_a_turntable_carries_touches_it_outside_its_middle(shape: dict[str, Any]) -> None:
    """What draws it inwards acts at its foot, and the table bears it by omega^2 r h / g further out."""
    rate, r = 2.0, 0.5
    motion = {"spinner": {"axis": [0, 0, 1], "rate": rate}}
    table = body("table", {"cylinder": {"radius": 2.0, "length": 0.1}}, (0, 0, -0.05), motion=motion)
    thing = body("body", shape, (r, 0, 0.5 * SIDE + 0.1 * ENVELOPE), mass=1.0, velocity=(0, rate * r, 0))
    thing["angular_velocity"] = (0, 0, rate)
    world = World(scene(table, thing, envelope=ENVELOPE, friction=0.5, restitution=0.0))
    for t in np.arange(0.5, 3.0, 0.11):
        world.advance_to(t)
        (contact,) = world.contacts()
        x = world.poses()[1, :2]
        out = 1.0 + rate * rate * 0.5 * SIDE / G
        np.testing.assert_allclose(contact["point"][:2], out * x, atol=1e-3)
        assert 0.0 <= contact["point"][2] <= ENVELOPE
        assert np.abs(contact["velocity"]).max() < 1e-3
