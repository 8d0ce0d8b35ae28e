"""A motor that answers speeds, in a group that touches something: its own law, to second order, and no energy lost."""

from __future__ import annotations

from math import exp

import pytest

from engine import World
from engine.scene.schema import Scene
from tests.scenes import ball, body, floor, scene

RADIUS, FRAME, WHEEL = 0.1, 4.0, 0.5
INERTIA = 0.4 * WHEEL * RADIUS**2
MASS = FRAME + 4.0 * WHEEL
WHEELS = ((-0.3, -0.2), (-0.3, 0.2), (0.3, -0.2), (0.3, 0.2))
SOUGHT = 20.0  # rad/s


def cart(motor: dict[str, object], friction: float, step: float = 1.0 / 240.0) -> World:
    """A frame on four balls, each on an axle with the same motor, that stands on the ground."""
    frame = body("frame", {"box": [0.8, 0.2, 0.05]}, (0.0, 0.0, 0.25), mass=FRAME, group="cart")
    height = RADIUS + 1.5e-4  # within the envelope
    wheels, axles = [], []
    for n, (x, y) in enumerate(WHEELS):
        wheels.append(ball(f"wheel {n}", (x, y, height), radius=RADIUS, mass=WHEEL, group="cart"))
        axle = {"name": f"axle {n}", "kind": "hinge", "bodies": ["frame", f"wheel {n}"], "point": [x, y, height]}
        axles.append(axle | {"axis": [0, 1, 0], "motor": motor})
    bare = scene(floor(), frame, *wheels, friction=friction, restitution=0.0, contact="hybrid", step=step)
    return World(Scene.model_validate(bare.model_dump(exclude_unset=True) | {"joint": axles}))


def numerics(world: World) -> float:
    energy = world.energy()
    return abs(energy["numerics"]) / energy["work"]


def rolled(step: float) -> float:
    """How far the speed of a cart that rolls is from v = r w (1 - exp(-a t)), as a part of r w."""
    kv = 0.03
    world = cart({"velocity": 0.0, "kv": kv}, 5.0, step)
    world.advance_to(0.1)  # it stands
    for n in range(len(WHEELS)):
        world.drive(f"axle {n}", "velocity", SOUGHT)
    world.advance_to(0.35)
    rate = 4.0 * kv / (RADIUS**2 * (MASS + 4.0 * INERTIA / RADIUS**2))
    exact = RADIUS * SOUGHT * (1.0 - exp(-rate * 0.25))
    assert numerics(world) < 1e-7
    return abs(float(world.body("frame").velocity[0]) - exact) / (RADIUS * SOUGHT)


def test_what_rolls_speeds_up_as_its_motors_let_it() -> None:
    assert rolled(1.0 / 240.0) < 2e-6


@pytest.mark.parametrize("kv", [0.02, 0.2, 2.0])
def test_what_slips_turns_as_fast_as_friction_lets_its_motors(kv: float) -> None:
    """The force of friction is mu m g; a wheel turns slower than its motor seeks by what that needs, r mu m g / kv."""
    friction = 0.05
    world = cart({"velocity": SOUGHT, "kv": kv}, friction)
    world.advance_to(0.5)
    pushed = friction * MASS * 9.81
    assert float(world.body("frame").velocity[0]) == pytest.approx(0.5 * pushed / (MASS), rel=2e-2)
    lacks = SOUGHT - world.joints()["velocity"]
    assert lacks == pytest.approx([0.25 * RADIUS * pushed / kv] * 4, rel=0.1)
    assert numerics(world) < 1e-6


def test_a_motor_bears_no_more_than_its_limit() -> None:
    world = cart({"velocity": SOUGHT, "kv": 2.0, "limit": 0.1}, 5.0)
    world.advance_to(0.5)
    exact = 4.0 * 0.1 / RADIUS / (MASS + 4.0 * INERTIA / RADIUS**2) * 0.5
    assert float(world.body("frame").velocity[0]) == pytest.approx(exact, rel=1e-4)
    assert world.energy()["work"] == pytest.approx(world.energy()["kinetic"], rel=1e-3)
    assert numerics(world) < 1e-6
