"""Bodies that are squeezed between each other where nothing falls: their hits do not multiply without end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine import World
from tests.scenes import ball, body, scene


def crate(shape: str, count: int, filled: float, restitution: float) -> World:
    """count³ bodies in a crate of a metre, each as large as `filled` of its cell, at about 1 m/s every way."""
    rng = np.random.default_rng(1)
    bodies: list[dict[str, Any]] = []
    for axis in range(3):
        for side in (-1, 1):
            place, sides = np.zeros(3), np.full(3, 1.2)
            place[axis], sides[axis] = 0.55 * side, 0.1
            bodies.append(body(f"wall{axis}{side}", {"box": sides.tolist()}, place.tolist(), motion="fixed"))
    size = filled / count
    for k, cell in enumerate(np.ndindex(count, count, count)):
        place, velocity = (np.array(cell) - 0.5 * (count - 1)) / count, rng.normal(size=3)
        if shape == "ball":
            bodies.append(ball(f"b{k}", place.tolist(), velocity.tolist(), radius=0.5 * size))
        else:
            turns = rng.normal(size=3).tolist()
            turning = {"velocity": velocity.tolist(), "angular_velocity": turns}
            bodies.append(body(f"b{k}", {"box": 3 * [size]}, place.tolist(), **turning))
    gravity = (0, 0, 0)
    return World(scene(*bodies, friction=0.3, restitution=restitution, gravity=gravity, contact="impulse"))


@pytest.mark.parametrize(
    ("shape", "filled", "restitution"), [("ball", 0.95, 0.0), ("box", 0.9, 0.0), ("box", 0.95, 0.2)]
)
def test_a_full_crate_runs_on(shape: str, filled: float, restitution: float) -> None:
    """Without restitution hits would repeat ever slower and ever sooner: time would no longer move on."""
    world = crate(shape, 3, filled, restitution)
    energy = world.energy()["total"]
    for k in range(1, 21):
        world.advance_to(0.1 * k)
        assert world.energy()["total"] <= energy * (1.0 + 1e-12)
        energy = world.energy()["total"]
    assert world.counters["collisions"] < 15_000
    assert world.smallest_gap > 0.0
    inside = np.abs(world.poses()[6:, :3])
    assert inside.max() < 0.5
