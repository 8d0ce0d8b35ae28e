"""What elements of joints do in a step that something cuts short is booked as what it is, and not as numerics."""

from __future__ import annotations

import pytest

from engine import World
from engine.scene.schema import Scene
from tests.scenes import ball, body, scene


def swinging(contact: str, motor: dict[str, object] | None = None, speed: float = -3.0) -> World:
    """A ball flies against a rod that has a stiff spring, a damper, dry friction and perhaps a motor."""
    rod = body("rod", {"box": [0.04, 0.04, 0.4]}, (0.0, 0.0, 0.8), mass=0.3)
    flying = ball("ball", (0.2, 0.0, 0.7), (speed, 0.0, 0.0), radius=0.03, mass=0.2)
    pin = {"name": "pin", "kind": "hinge", "bodies": ["rod"], "point": [0, 0, 1.0], "axis": [0, 1, 0]}
    pin |= {"spring": {"stiffness": 60.0}, "damping": 0.5, "friction": 0.05}
    if motor is not None:
        pin["motor"] = motor
    said = scene(rod, flying, contact=contact).model_dump(exclude_unset=True)
    return World(Scene.model_validate(said | {"joint": [pin]}))


@pytest.mark.parametrize("contact", ["impulse", "hybrid"])
def test_a_hit_finds_what_spring_damper_and_friction_have_taken(contact: str) -> None:
    world = swinging(contact)
    world.advance_to(0.5)
    energy = world.energy()
    assert energy["damping"] > 0.05 and energy["sliding"] > 1e-3 and len(world.events()) > 0
    assert abs(energy["numerics"]) < 1e-7 * energy["damping"]


def test_a_hit_finds_what_a_motor_has_put_in() -> None:
    world = swinging("impulse", {"position": 0.0, "kp": 200.0, "kv": 3.0})
    world.advance_to(0.5)
    energy = world.energy()
    assert abs(energy["work"]) > 0.05 and len(world.events()) > 0
    assert abs(energy["numerics"]) < 1e-7 * abs(energy["work"])


def test_an_order_within_a_step_changes_nothing_that_went_before() -> None:
    world = swinging("hybrid", {"position": 0.3, "kp": 200.0, "kv": 3.0}, 0.0)
    world.advance_to(0.0517)
    before = world.energy()["work"]
    world.drive("pin", "position", -0.5, 50.0)
    assert world.energy()["work"] == pytest.approx(before, rel=1e-3)
    world.advance_to(0.5)
    energy = world.energy()
    assert abs(energy["numerics"]) < 1e-7 * abs(energy["work"])
