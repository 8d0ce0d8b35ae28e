"""What acts on bodies that have lain still may set them in motion: they fall asleep only under what holds them."""

from __future__ import annotations

from math import atan, cos, sin
from typing import Any

import numpy as np
import pytest

from engine import World
from engine.scene.schema import Scene
from tests.scenes import body, floats, floor, scene

G = 9.81
MASS = 2.0


def pressed(*keys: tuple[float, tuple[float, float, float]]) -> dict[str, Any]:
    return {"keys": [{"time": time, "value": floats(value)} for time, value in keys]}


def plate(name: str = "b", height: float = 0.0101, **more: Any) -> dict[str, Any]:
    return body(name, {"box": [0.4, 0.4, 0.02]}, (0, 0, height), mass=MASS, **more)


@pytest.mark.parametrize("contact", ["hybrid", "constraint"])
@pytest.mark.parametrize("last", [1.0001, 3.0])
def test_what_is_lifted_by_more_than_its_weight_flies(contact: str, last: float) -> None:
    force = pressed((1.0, (0, 0, 0)), (last, (0, 0, 1.02 * MASS * G)))
    world = World(scene(floor(), plate(force=force), contact=contact))
    world.advance_to(last)
    z, v = world.body("b").position[2], world.body("b").velocity[2]
    world.advance(2.0)
    assert not world.body("b").asleep
    assert world.body("b").position[2] - z == pytest.approx(2.0 * v + 0.5 * 0.02 * G * 2.0**2, rel=0.01)


def test_a_push_that_friction_does_not_hold_moves_what_has_lain_still() -> None:
    force = pressed((1.0, (0, 0, 0)), (3.0, (0.61 * MASS * G, 0, 0)))
    world = World(scene(floor(), plate(force=force), friction=0.6, contact="hybrid"))
    world.advance_to(5.0)
    assert world.body("b").velocity[0] == pytest.approx(0.01 * G * 2.0 + 0.5 * 0.01 * G * (2.0 / 61.0), rel=0.05)


@pytest.mark.parametrize("by_mouse", [False, True])
def test_what_was_pressed_to_a_wall_falls_when_that_ends(by_mouse: bool) -> None:
    """With what was held by it."""
    wall = body("wall", {"box": [0.2, 2, 2]}, (-0.1, 0, 0), motion="fixed")
    load = {} if by_mouse else {"force": pressed((1.0, (-90, 0, 0)), (1.001, (0, 0, 0)))}
    boxes = [body(name, {"box": [0.1, 0.1, 0.1]}, (x, 0, 0), mass=1.0) for name, x in (("a", 0.0501), ("b", 0.1502))]
    world = World(scene(wall, boxes[0], boxes[1] | load, friction=0.8, restitution=0.0, contact="hybrid"))
    if by_mouse:
        world.pull("b", (0, 0, 0), (0.1502 - 0.09, 0, 0.01), 1000.0)
    world.advance_to(1.0)
    z = world.poses()[1:, 2]
    assert np.abs(z).max() < 0.02
    if by_mouse:
        world.release()
    world.advance_to(1.4)
    assert (world.poses()[1:, 2] - z < -0.4).all()


# --- static friction beyond dynamic friction ----------------------------------------------------------------------


def slippery(shape: dict[str, Any], height: float) -> Scene:
    said = scene(floor(), body("b", shape, (0, 0, height), mass=MASS), contact="hybrid").model_dump(
        mode="json", exclude_unset=True
    )
    said["material"]["m"] = {"friction": 0.3, "static_friction": 0.6, "restitution": 0.0}
    return Scene.model_validate(said)


SHAPES = [
    ({"box": [0.4, 0.4, 0.02]}, 0.0101),
    ({"box": [0.2, 0.2, 0.1]}, 0.0501),
    ({"cylinder": {"radius": 0.1, "length": 0.02}}, 0.0101),
    ({"box": [0.1, 0.1, 0.1]}, 0.0501),
]


@pytest.mark.parametrize(("shape", "height"), SHAPES)
def test_static_friction_holds_as_far_as_it_reaches(shape: dict[str, Any], height: float) -> None:
    for slope in (0.4, 0.5, 0.59, 0.61):
        world = World(slippery(shape, height))
        world.advance_to(1.0)
        angle = atan(slope)
        world.change("world.gravity", (G * sin(angle), 0, -G * cos(angle)))
        world.advance(0.5)
        if slope < 0.6:
            assert abs(world.body("b").velocity[0]) < 1e-6, slope
        else:
            assert world.body("b").velocity[0] == pytest.approx(0.5 * G * cos(angle) * (slope - 0.3), rel=0.1)


@pytest.mark.parametrize(("shape", "height"), SHAPES)
def test_what_slides_under_dynamic_friction_stops_as_that_says(shape: dict[str, Any], height: float) -> None:
    said = slippery(shape, height).model_dump(mode="json", exclude_unset=True)
    said["body"][1]["velocity"] = [1.0, 0.0, 0.0]
    world = World(Scene.model_validate(said))
    world.advance_to(1.0)
    assert world.body("b").position[0] == pytest.approx(1.0 / (2.0 * 0.3 * G), rel=0.02)
