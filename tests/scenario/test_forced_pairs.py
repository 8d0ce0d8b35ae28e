"""Free bodies that different forces drive at each other: they touch, and do not pass into each other."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest

from engine import World
from engine.scene.schema import Scene

SHAPES: dict[str, dict[str, Any]] = {
    "box": {"box": [0.2, 0.25, 0.3]},
    "capsule": {"capsule": {"radius": 0.05, "length": 0.2}},
    "cylinder": {"cylinder": {"radius": 0.1, "length": 0.2}},
    "ellipsoid": {"ellipsoid": [0.1, 0.15, 0.2]},
    "cone": {"cone": {"radius": 0.1, "height": 0.2}},
}


def driven(one: str, other: str, forces: tuple[float, float], contact: str) -> World:
    bodies = [
        {"name": "one", "shape": SHAPES[one], "mass": 1.0, "position": [0, 0.01, 0.005], "force": [forces[0], 0, 0]},
        {"name": "other", "shape": SHAPES[other], "mass": 1.0, "position": [0.6, 0, 0], "force": [forces[1], 0, 0]},
    ]
    data = {"format": 1, "world": {"gravity": [0, 0, 0], "contact": contact}, "body": bodies}
    return World(Scene.model_validate(data))


@pytest.mark.parametrize("contact", ["hybrid", "impulse"])
@pytest.mark.parametrize("pair", list(combinations_with_replacement(SHAPES, 2)), ids="-".join)
def test_what_forces_drive_together_touches_and_turns(pair: tuple[str, str], contact: str) -> None:
    """Off centre, so that both turn after their first hit: bounds of the next one count on how the forces differ."""
    for forces in ((50.0, -50.0), (5.0, -5.0), (100.0, 0.0)):
        world = driven(*pair, forces, contact)
        world.advance_events(60_000, 0.5)
        assert world.time == 0.5 and not world.stopped
        assert world.smallest_gap > 0.0
        assert world.momentum()[:3] == pytest.approx(np.array([0.5 * sum(forces), 0, 0]), abs=1e-9)
        energy = world.energy()
        assert energy["total"] + energy["dissipated"] - energy["work"] == pytest.approx(0.0, abs=1e-9)
