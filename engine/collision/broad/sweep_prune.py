"""Sweep and prune over swept boxes: box ends kept sorted along each axis (Baraff 1992, 5.3; Mirtich 1996, 2.4.4).

A box that changes moves its ends past their neighbours only, so coherence makes an update cheap; an end that passes an
opposite end of another box starts or ends an overlap on that axis. Starts are reported. Ends are not: a pair leaves
when its next check finds that its boxes no longer meet (the hysteresis of Mirtich 2.4.3).
"""

from __future__ import annotations

import numpy as np

from engine.collision.broad.boxes import boxes_meet
from engine.kernel import kernel
from engine.model.model import Floats, Ints
from engine.model.state import EXCHANGES, HIGH, LOW


@kernel
def end_value(boxes: Floats, axis: int, end: int) -> float:
    return boxes[end >> 1, (HIGH if end & 1 else LOW) + axis]


@kernel
def comes_before(boxes: Floats, axis: int, x: int, y: int) -> bool:
    """Order of two ends: by value, then low ends before high ones (boxes that touch do meet), then by body."""
    vx = end_value(boxes, axis, x)
    vy = end_value(boxes, axis, y)
    if vx != vy:
        return vx < vy
    if (x & 1) != (y & 1):
        return (x & 1) == 0
    return x < y


@kernel
def move_left(ends: Ints, spot: Ints, boxes: Floats, counts: Ints, axis: int, end: int, found: Ints, count: int) -> int:
    at = spot[axis, end]
    while at > 0:
        other = ends[axis, at - 1]
        if not comes_before(boxes, axis, end, other):
            break
        ends[axis, at] = other
        spot[axis, other] = at
        at -= 1
        if (end & 1) == 0 and (other & 1) == 1 and boxes_meet(boxes, end >> 1, other >> 1):
            found[count] = other >> 1
            count += 1
    counts[EXCHANGES] += abs(spot[axis, end] - at)
    ends[axis, at] = end
    spot[axis, end] = at
    return count


@kernel
def move_right(
    ends: Ints, spot: Ints, boxes: Floats, counts: Ints, axis: int, end: int, found: Ints, count: int
) -> int:
    at = spot[axis, end]
    last = ends.shape[1] - 1
    while at < last:
        other = ends[axis, at + 1]
        if not comes_before(boxes, axis, other, end):
            break
        ends[axis, at] = other
        spot[axis, other] = at
        at += 1
        if (end & 1) == 1 and (other & 1) == 0 and boxes_meet(boxes, end >> 1, other >> 1):
            found[count] = other >> 1
            count += 1
    counts[EXCHANGES] += abs(spot[axis, end] - at)
    ends[axis, at] = end
    spot[axis, end] = at
    return count


@kernel
def update_box(ends: Ints, spot: Ints, boxes: Floats, counts: Ints, body: int, found: Ints) -> int:
    """Bring the ends of `body`'s box, already changed in `boxes`, back into order.

    Writes into `found` (room for 3 n) the bodies whose boxes it may have begun to meet, some perhaps more than once or
    met before, and returns how many. Ends that widen the box move first, so that its two ends never pass each other.
    """
    count = 0
    low = 2 * body
    high = low + 1
    for axis in range(3):
        count = move_left(ends, spot, boxes, counts, axis, low, found, count)
        count = move_right(ends, spot, boxes, counts, axis, high, found, count)
        count = move_right(ends, spot, boxes, counts, axis, low, found, count)
        count = move_left(ends, spot, boxes, counts, axis, high, found, count)
    return count


@kernel
def sweep_all(ends: Ints, boxes: Floats, axis: int, active: Ints, place: Ints, into: Ints) -> int:
    """Every pair of boxes that meet, by one sweep along a sorted axis: rows (a, b) with a < b into `into`.

    `active` and `place` are scratch of n each. Returns the number of pairs, which may exceed the room in `into`; then
    only as many as fit are written.
    """
    count = 0
    size = 0
    for at in range(ends.shape[1]):
        end = ends[axis, at]
        body = end >> 1
        if end & 1:
            last = active[size - 1]
            active[place[body]] = last
            place[last] = place[body]
            size -= 1
            continue
        for k in range(size):
            other = active[k]
            if boxes_meet(boxes, body, other):
                if count < into.shape[0]:
                    into[count, 0] = min(body, other)
                    into[count, 1] = max(body, other)
                count += 1
        active[size] = body
        place[body] = size
        size += 1
    return count


def sort_ends(boxes: Floats) -> tuple[Ints, Ints]:
    """Box ends in order along each axis, and where each stands: `State.ends` and `State.spot` of fresh boxes."""
    n = boxes.shape[0]
    end = np.arange(2 * n)
    ends = np.empty((3, 2 * n), dtype=np.int64)
    spot = np.empty_like(ends)
    for axis in range(3):
        value = np.where(end & 1, boxes[end >> 1, HIGH + axis], boxes[end >> 1, LOW + axis])
        ends[axis] = np.lexsort((end >> 1, end & 1, value))
        spot[axis, ends[axis]] = end
    return ends, spot


def find_meeting(boxes: Floats) -> Ints:
    """Every pair of boxes that meet, (m, 2) with a < b in order of rows, by one sweep along the longest axis."""
    n = boxes.shape[0]
    ends, _ = sort_ends(boxes)
    with np.errstate(invalid="ignore"):  # a ground plane reaches from -inf to inf
        middle = 0.5 * (boxes[:, LOW : LOW + 3] + boxes[:, HIGH : HIGH + 3])
    spread = [float(np.std(column[np.isfinite(column)])) if np.isfinite(column).any() else 0.0 for column in middle.T]
    active, place = np.zeros(n + 1, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    room = 4 * n + 64
    while True:
        into = np.zeros((room, 2), dtype=np.int64)
        count = sweep_all(ends, boxes, int(np.argmax(spread)), active, place, into)
        if count <= room:
            break
        room = count
    pairs = into[:count]
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
