"""Free flight through the whole world: what arcs keep, however long they are and however often they are read."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World
from tests.scenes import ball, body, scene

UNTIL = 1000.0


def test_energy_and_momentum_after_a_thousand_seconds() -> None:
    tumbler = body(
        "tumbler", {"box": [0.3, 0.2, 0.1]}, angular_velocity=[0.01, 8.0, 0.02], velocity=[0.3, -0.2, 0.1], mass=2.0
    )
    world = World(scene(tumbler, gravity=(0, 0, 0)))
    energy, momentum = world.energy()["kinetic"], world.momentum()
    for k in range(1, 51):
        world.advance_to(UNTIL * k / 50)
        assert world.energy()["kinetic"] == pytest.approx(energy, rel=1e-12)
        assert np.allclose(world.momentum(), momentum, rtol=0.0, atol=1e-12 * np.linalg.norm(momentum[3:]))
    assert world.counters["pair_checks"] == 0
    flown = World(scene(tumbler, gravity=(0, 0, 0)))
    flown.advance_to(UNTIL)
    assert np.array_equal(flown.poses(), world.poses())


@pytest.mark.parametrize("contact", ["hybrid", "impulse"])
def test_days_of_free_fall_cost_what_happens_in_them(contact: str) -> None:
    """Boxes of a fixed length of its way would be renewed a hundred thousand times a second in the end."""
    world = World(scene(ball("first", (0, 0, 0), mass=1.0), ball("second", (3, 0, 0), mass=1.0), contact=contact))
    world.advance_to(1e5)
    assert world.counters["heap_pops"] < 150_000
    assert world.body("first").position[2] == pytest.approx(-0.5 * 9.81 * 1e10, rel=1e-12)
