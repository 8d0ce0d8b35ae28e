"""On which body the arrow of a contact force is drawn: one rule for overlay, contact card and microscope."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.arrays import Bools, Floats, Ints

RULE = "On the selected body, else on the one that moves, of two that move on the upper one"
_LEVEL = 1e-9
"""Normals that rise by less than this count as level: the force is then drawn on the first body."""


def on_first(bodies: Ints, moves: Bools, normals: Floats, selected: Sequence[int]) -> Bools:
    """Whether forces are drawn on the first body of each contact, (k,), and not on the second.

    bodies: rows (k, 2). moves: whether they answer to forces (k, 2). normals: (k, 3), towards the first.
    """
    mine = np.isin(bodies, np.asarray(selected, dtype=np.int64))
    mine = np.where(mine.any(axis=1, keepdims=True), mine, moves)
    return np.asarray(mine[:, 0] & (~mine[:, 1] | (normals[:, 2] >= -_LEVEL)))
