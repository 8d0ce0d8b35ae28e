"""What is squeezed: held where it can be, by the forces of statics, and stopped and told of where nothing holds it."""

from __future__ import annotations

from math import cos, radians, sin
from typing import Any

import numpy as np
import pytest

from engine import World
from engine.scene.schema import Scene
from tests.scenes import ball, body, scene

WEIGHT = 9.81


def slot(half: float, friction: float, contact: str) -> Scene:
    """A ball of 1 kg above two plates that lean apart by `half` degrees each, from where they meet."""
    c, s = cos(radians(half)), sin(radians(half))

    def plate(name: str, side: int) -> dict[str, Any]:
        turn = {"axis": [0.0, 1.0, 0.0], "degrees": side * half}
        place = (side * (0.5 * s + 0.05 * c), 0, 0.5 * c - 0.05 * s)
        return body(name, {"box": [0.1, 1, 1]}, place, motion="fixed", orientation=turn)

    dropped = ball("ball", (0.01, 0, 1.2), mass=1.0)
    return scene(plate("left", -1), plate("right", 1), dropped, friction=friction, restitution=0.3, contact=contact)


@pytest.mark.parametrize("contact", ["hybrid", "constraint"])
@pytest.mark.parametrize(("half", "friction"), [(10.0, 0.0), (10.0, 0.3), (5.0, 0.05), (6.0, 0.0)])
def test_a_ball_in_a_narrowing_slot_is_held_by_the_forces_of_statics(
    half: float, friction: float, contact: str
) -> None:
    world = World(slot(half, friction, contact))
    world.advance_to(4.0)
    contacts = world.contacts()
    assert len(contacts) == 2
    forces = np.where((contacts["body_a"] == world.row("ball"))[:, None], contacts["force"], -contacts["force"])
    assert forces.sum(axis=0) == pytest.approx([0.0, 0.0, WEIGHT], abs=1e-6 * WEIGHT)
    if friction == 0.0:
        normal = WEIGHT / (2.0 * sin(radians(half)))
        assert np.linalg.norm(forces, axis=1) == pytest.approx(normal, rel=1e-6)
    assert world.stopped == ()
    assert world.smallest_gap > 0.0


def test_a_ball_in_a_narrowing_slot_comes_to_rest_by_impulses_alone() -> None:
    world = World(slot(10.0, 0.3, "impulse"))
    world.advance_to(3.0)
    assert np.linalg.norm(world.body("ball").velocity) < 0.02
    assert world.smallest_gap > 0.0
