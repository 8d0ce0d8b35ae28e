"""The event heap: every event that waits, ordered by time, then kind, then ids, so that there are no ties.

An event has an id: 0 .. n-1 are the bodies' timers, n + row is the check of a pair. `place[id]` tells where it stands,
so that its time can change in O(log n) without a search. Nothing is allocated.
"""

from __future__ import annotations

from engine.kernel import inlined_kernel, kernel
from engine.model.model import Floats, Ints

# Kinds, in the order in which they happen at one instant.
KICK = 0
BOX = 1
CHECK = 2


@kernel
def rank_of(kind: int, a: int, b: int) -> int:
    """Order of an event among those of one time: by kind, then by body rows (below 2^30)."""
    return (kind << 60) | (a << 30) | b


@inlined_kernel
def precedes(due: Floats, rank: Ints, x: int, y: int) -> bool:
    return due[x] < due[y] or (due[x] == due[y] and rank[x] < rank[y])


@inlined_kernel
def sift_up(heap: Ints, place: Ints, due: Floats, rank: Ints, at: int) -> int:
    """Move the event that stands at `at` up to where it belongs; its new place."""
    event = heap[at]
    while at > 0:
        parent = (at - 1) >> 1
        other = heap[parent]
        if not precedes(due, rank, event, other):
            break
        heap[at] = other
        place[other] = at
        at = parent
    heap[at] = event
    place[event] = at
    return at


@inlined_kernel
def sift_down(heap: Ints, place: Ints, due: Floats, rank: Ints, at: int, size: int) -> int:
    """Move the event that stands at `at` down to where it belongs; its new place."""
    event = heap[at]
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and precedes(due, rank, heap[child + 1], heap[child]):
            child += 1
        other = heap[child]
        if not precedes(due, rank, other, event):
            break
        heap[at] = other
        place[other] = at
        at = child
    heap[at] = event
    place[event] = at
    return at


@kernel
def schedule(heap: Ints, place: Ints, due: Floats, rank: Ints, size: int, event: int, time: float, order: int) -> int:
    """Put `event` into the heap, or move it, to happen at `time`. Returns the heap's new size."""
    due[event] = time
    rank[event] = order
    at = place[event]
    if at < 0:
        at = size
        size += 1
        heap[at] = event
        sift_up(heap, place, due, rank, at)
    elif sift_up(heap, place, due, rank, at) == at:
        sift_down(heap, place, due, rank, at, size)
    return size


@kernel
def cancel(heap: Ints, place: Ints, due: Floats, rank: Ints, size: int, event: int) -> int:
    """Take `event` out of the heap if it is there. Returns the heap's new size."""
    at = place[event]
    if at < 0:
        return size
    size -= 1
    last = heap[size]
    heap[size] = -1
    place[event] = -1
    if last != event:
        heap[at] = last
        place[last] = at
        if sift_up(heap, place, due, rank, at) == at:
            sift_down(heap, place, due, rank, at, size)
    return size
