"""What a check notes with its pair."""

from __future__ import annotations

from engine.kernel import kernel
from engine.maths.vectors import Vec3
from engine.model.model import Floats
from engine.model.state import NORMAL, POINT_A, POINT_B


@kernel
def note_points(pairs: Floats, row: int, point_a: Vec3, point_b: Vec3, normal: Vec3) -> None:
    """Where the surfaces of pair `row` are closest [m], and the unit normal there, from b to a (world)."""
    for k in range(3):
        pairs[row, POINT_A + k] = point_a[k]
        pairs[row, POINT_B + k] = point_b[k]
        pairs[row, NORMAL + k] = normal[k]
