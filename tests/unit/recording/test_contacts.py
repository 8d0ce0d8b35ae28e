"""What contacts say of themselves between the ends of a step."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World
from tests.scenes import body, floor, scene


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
