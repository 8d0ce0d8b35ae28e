"""Swept boxes: what contains a body for a while, longer for what is alone than for what moves in a crowd."""

from __future__ import annotations

from engine.kernel import kernel
from engine.model.model import RADIUS, Floats, Ints
from engine.model.state import ASLEEP, HELD, HIGH, LOW, NEAR, UNTIL
from engine.motion.arcs import sweep_box, time_of_travel
from engine.tolerances import ALIKE, BOX_MARGIN, BOX_TRAVEL

MOST_NEAR = 15.0
"""More boxes that a body's box meets do not count: it is short enough."""


@kernel
def write_box(
    bodies: Floats, tags: Ints, arcs: Floats, boxes: Floats, i: int, travel: float, longest: float, t: float
) -> bool:
    """A box that contains body i for `travel` radii of its way from t on, for `longest` [s] at most. Has it changed?

    Along an axis on which the old box still holds and has no more than twice the room that it needs it stays as it is:
    what bounces, rests or slides in a crowd then passes nobody's box ends.
    """
    radius = bodies[i, RADIUS]
    horizon = time_of_travel(bodies, tags, arcs, i, travel * radius, t)
    if arcs[i, HELD] != ASLEEP:
        horizon = min(longest, horizon)
    margin = BOX_MARGIN * radius
    changed = False
    for axis in range(3):
        low, high = sweep_box(bodies, tags, arcs, i, t, t + horizon, axis)
        now_low, now_high = sweep_box(bodies, tags, arcs, i, t, t, axis)
        width = now_high - now_low
        room, least = boxes[i, HIGH + axis] - boxes[i, LOW + axis] - width, high - low - width + 2.0 * margin
        if boxes[i, LOW + axis] > low or boxes[i, HIGH + axis] < high or ALIKE * room > least:
            boxes[i, LOW + axis] = low - margin
            boxes[i, HIGH + axis] = high + margin
            changed = True
    boxes[i, UNTIL] = t + horizon
    return changed


@kernel
def box_travel(bodies: Floats, boxes: Floats, i: int) -> float:
    """For how long a way body i's next box is made [radii]: the shorter, the more others the box may bother.

    What is near nothing has a box twice as long as its last: however fast it flies, its boxes are few.
    """
    near = min(boxes[i, NEAR], MOST_NEAR)
    if near > 0.0:
        return BOX_TRAVEL / (1.0 + near)
    longest = 0.0
    for axis in range(3):
        longest = max(longest, boxes[i, HIGH + axis] - boxes[i, LOW + axis])
    return max(BOX_TRAVEL, 2.0 * longest / bodies[i, RADIUS])
