"""Axis-aligned boxes that contain bodies for a while: whether two of them meet."""

from __future__ import annotations

from engine.kernel import kernel
from engine.model.model import Floats
from engine.model.state import HIGH, LOW


@kernel
def boxes_meet(boxes: Floats, a: int, b: int) -> bool:
    """Do the boxes of two bodies overlap? Boxes that touch do."""
    for axis in range(3):
        if boxes[a, LOW + axis] > boxes[b, HIGH + axis] or boxes[b, LOW + axis] > boxes[a, HIGH + axis]:
            return False
    return True
