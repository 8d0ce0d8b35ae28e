"""What contacts bear in all: normal parts of their forces and the parts across, told apart in one way everywhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.kernel import kernel
from engine.maths.vectors import add_scaled, dot, norm, vector_at


def split_forces(force: Floats, normal: Floats) -> tuple[Floats, Floats]:
    """The parts of forces or impulses (k, 3) along their contacts' normals, pressing, and the sizes of those across."""
    pressing, across = np.empty(len(force)), np.empty(len(force))
    split_vectors(np.array(force, dtype=float), np.array(normal, dtype=float), pressing, across)
    return pressing, across


@kernel
def split_vectors(vectors: Floats, normals: Floats, along: Floats, across: Floats) -> None:
    """Parts of vectors (k, 3) along unit normals (k, 3), and the sizes of what is left."""
    for k in range(vectors.shape[0]):
        v, n = vector_at(vectors, k, 0), vector_at(normals, k, 0)
        along[k] = dot(v, n)
        across[k] = norm(add_scaled(v, n, -along[k]))


def total_forces(contacts: NDArray[np.void]) -> tuple[float, float]:
    """Sums over contacts of a world of the normal forces and of the sizes of the friction forces [N]."""
    pressing, across = split_forces(contacts["force"], contacts["normal"])
    return float(pressing.sum()), float(across.sum())
