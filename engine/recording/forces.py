"""What contacts bear in all: normal parts of their forces and the parts across, told apart in one way everywhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats


def split_forces(force: Floats, normal: Floats) -> tuple[Floats, Floats]:
    """The parts of forces or impulses (k, 3) along their contacts' normals, pressing, and the sizes of those across."""
    pressing = np.einsum("kc,kc->k", force, normal)
    return pressing, np.linalg.norm(force - pressing[:, None] * normal, axis=1)


def total_forces(contacts: NDArray[np.void]) -> tuple[float, float]:
    """Sums over contacts of a world of the normal forces and of the sizes of the friction forces [N]."""
    pressing, across = split_forces(contacts["force"], contacts["normal"])
    return float(pressing.sum()), float(across.sum())
