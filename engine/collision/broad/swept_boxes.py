"""Swept boxes: what contains a body for a while, longer for what is alone than for what moves in a crowd."""

from __future__ import annotations

from engine.collision.pair_table import next_pair
from engine.kernel import kernel
from engine.model.model import FREE, KIND, RADIUS, Floats, Ints
from engine.model.state import ASLEEP, HELD, HIGH, LEADER, LOW, MEMBERS, PARENT, STEPPING, UNTIL
from engine.motion.arcs import sweep_box, time_of_travel
from engine.tolerances import (
    BOX_HORIZON,
    BOX_MARGIN,
    BOX_STALE,
    BOX_TRAVEL,
    CROWD,
    CROWD_BOX_STALE,
    CROWD_BOX_TRAVEL,
    CROWD_PAIRS,
    LONE_BOX_TRAVEL,
)


@kernel
def write_box(
    bodies: Floats, tags: Ints, arcs: Floats, boxes: Floats, i: int, travel: float, stale: float, t: float
) -> bool:
    """A box that contains body i for `travel` radii of its way from t on. Has it changed?

    Along an axis on which the old box still holds and is not wider than `stale` times what it has to be it stays as it
    is: what bounces, rests or slides in a crowd then passes nobody's box ends.
    """
    radius = bodies[i, RADIUS]
    horizon = time_of_travel(bodies, tags, arcs, i, travel * radius, t)
    if arcs[i, HELD] != ASLEEP:
        horizon = min(BOX_HORIZON, horizon)
    margin = BOX_MARGIN * radius
    changed = False
    for axis in range(3):
        low, high = sweep_box(bodies, tags, arcs, i, t, t + horizon, axis)
        room = boxes[i, HIGH + axis] - boxes[i, LOW + axis]
        if boxes[i, LOW + axis] > low or boxes[i, HIGH + axis] < high or room > stale * (high - low):
            boxes[i, LOW + axis] = low - margin
            boxes[i, HIGH + axis] = high + margin
            changed = True
    boxes[i, UNTIL] = t + horizon
    return changed


@kernel
def box_travel(tags: Ints, arcs: Floats, members: Ints, links: Ints, first_pair: Ints, i: int) -> tuple[float, float]:
    """For how long a way body i's next box is made [radii], and how much wider than needed an old one may be [1]."""
    if is_crowded(tags, arcs, members, links, first_pair, i):
        return CROWD_BOX_TRAVEL, CROWD_BOX_STALE
    return BOX_TRAVEL if has_company(links, first_pair, i) else LONE_BOX_TRAVEL, BOX_STALE


@kernel
def has_company(links: Ints, first_pair: Ints, i: int) -> bool:
    """Is body i near more than two others, the ground among them?"""
    row = first_pair[i]
    for _ in range(2):
        if row < 0:
            return False
        row = next_pair(links, row, i)
    return row >= 0


@kernel
def is_crowded(tags: Ints, arcs: Floats, members: Ints, links: Ints, first_pair: Ints, i: int) -> bool:
    """Is body i in a crowd that is awake, or near so many others as if it were?"""
    if tags[i, KIND] == FREE and arcs[i, HELD] == STEPPING and members[members[i, LEADER], MEMBERS] >= CROWD:
        return True
    near = 0
    row = first_pair[i]
    for _ in range(2 * CROWD_PAIRS):
        if row < 0:
            return False
        near += links[row, PARENT] < 0
        if near >= CROWD_PAIRS:
            return True
        row = next_pair(links, row, i)
    return False
