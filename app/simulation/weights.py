"""What bodies weigh."""

from __future__ import annotations

import numpy as np

from app.simulation.messages import WorldLike, frozen
from engine.arrays import Floats
from engine.model.model import MASS, WORLD_GRAVITY


def weights_of(world: WorldLike) -> Floats | None:
    """Weights of the bodies of a world, (n,), 0 of static and kinematic ones [N]; None where nothing is built yet."""
    if world.model is None:
        return None
    gravity = np.linalg.norm(world.model.settings[WORLD_GRAVITY : WORLD_GRAVITY + 3])
    weights: Floats = frozen(gravity * world.model.bodies[:, MASS])
    return weights
