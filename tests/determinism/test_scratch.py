"""What a step leaves in its scratch is no part of the simulation: whatever stands there, the bits are the same."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World, load_scene
from engine.scene.paths import set_path

TICK = 0.0025  # [s]
UNTIL = 0.4  # [s]


def spoil(world: World) -> None:
    """Write over every number of the groups' scratch but those that stand for what never moves."""
    work = world._desk.work
    for name, table in zip(work._fields, work, strict=True):
        if name not in ("limbs", "rounds") and table.dtype.kind == "f":
            table[: -1 if name == "twists" else None] = 137.5
    work.rounds.told[:] = 137.5


@pytest.mark.parametrize(
    ("scene", "contact"),
    [
        ("stacking_arm", "hybrid"),
        ("part_sorter", "hybrid"),
        ("coins", "hybrid"),
        ("coins", "penalty"),
        ("stone_arch", "constraint"),
        ("creature_war", "impulse"),
    ],
)
def test_scratch_is_no_memory(scene: str, contact: str) -> None:
    described = set_path(load_scene(scene), "world.contact", contact)
    clean, spoilt = World(described), World(described)
    for t in np.arange(TICK, UNTIL, TICK):
        spoil(spoilt)
        clean.advance_to(float(t))
        spoilt.advance_to(float(t))
    assert spoilt.digest == clean.digest
