"""The event queue, a heap: every event that waits, ordered by time, then kind, then ids, so that there are no ties.

An event has an id: 0 .. n-1 are the bodies' timers, n + row is the check of a pair. `place[id]` tells where it stands,
so that its time can change without a search. Nothing is allocated. Each entry has four children and stands beside its
own time in `keys`: of a heap too large for the caches a sift reads one line a level, and there are half as many levels
as with two children.

Most events that must happen *now* wait in the heap for some later time: a body has a new arc, so its pairs are checked
at once and put off again. Such an event stays where it is, for its new time is often near the old, and stands in a
second heap as well, `soon`. All events in that one are due now.
"""

from __future__ import annotations

from math import inf

from engine.kernel import kernel
from engine.model.model import Floats, Ints
from engine.model.state import (
    ASLEEP,
    HEAP_SIZE,
    HELD,
    HORIZON,
    NEXT_KICK,
    PULL_BODY,
    PULL_NEXT,
    SOON_SIZE,
    UNTIL,
    State,
)

# Kinds, in the order in which they happen at one instant.
KICK = 0
BOX = 1
CHECK = 2
SLEEPER = 3  # whether its contacts hold it; it may be of a group that makes a step then
GROUP_STEP = 4


@kernel
def rank_of(kind: int, a: int, b: int) -> int:
    """Order of an event among those of one time: by kind, then by body rows (below 2^30)."""
    return (kind << 60) | (a << 30) | b


@kernel
def precedes(rank: Ints, time_x: float, x: int, time_y: float, y: int) -> bool:
    """Does event x come before event y? Those that never happen have no order."""
    return time_x < time_y or (time_x == time_y and time_x < inf and rank[x] < rank[y])


@kernel
def sift_up(heap: Ints, keys: Floats, place: Ints, rank: Ints, at: int) -> int:
    """Move the event that stands at `at` up to where it belongs; its new place."""
    event = heap[at]
    time = keys[at]
    while at > 0:
        parent = (at - 1) >> 2
        other = heap[parent]
        if not precedes(rank, time, event, keys[parent], other):
            break
        heap[at] = other
        keys[at] = keys[parent]
        place[other] = at
        at = parent
    heap[at] = event
    keys[at] = time
    place[event] = at
    return at


@kernel
def sift_down(heap: Ints, keys: Floats, place: Ints, rank: Ints, at: int, size: int) -> int:
    """Move the event that stands at `at` down to where it belongs; its new place."""
    event = heap[at]
    time = keys[at]
    while True:
        first = 4 * at + 1
        if first >= size:
            break
        child = first
        for k in range(first + 1, min(first + 4, size)):
            if precedes(rank, keys[k], heap[k], keys[child], heap[child]):
                child = k
        other = heap[child]
        if not precedes(rank, keys[child], other, time, event):
            break
        heap[at] = other
        keys[at] = keys[child]
        place[other] = at
        at = child
    heap[at] = event
    keys[at] = time
    place[event] = at
    return at


@kernel
def schedule(heap: Ints, keys: Floats, place: Ints, rank: Ints, size: int, event: int, time: float, order: int) -> int:
    """Put `event` into the heap, or move it, to happen at `time`. Returns the heap's new size."""
    rank[event] = order
    at = place[event]
    if at < 0:
        at = size
        size += 1
        heap[at] = event
        keys[at] = time
        sift_up(heap, keys, place, rank, at)
    else:
        keys[at] = time
        if sift_up(heap, keys, place, rank, at) == at:
            sift_down(heap, keys, place, rank, at, size)
    return size


@kernel
def cancel(heap: Ints, keys: Floats, place: Ints, rank: Ints, size: int, event: int) -> int:
    """Take `event` out of the heap if it is there. Returns the heap's new size."""
    at = place[event]
    if at < 0:
        return size
    size -= 1
    last = heap[size]
    time = keys[size]
    heap[size] = -1
    keys[size] = inf
    place[event] = -1
    if last != event:
        heap[at] = last
        keys[at] = time
        place[last] = at
        if sift_up(heap, keys, place, rank, at) == at:
            sift_down(heap, keys, place, rank, at, size)
    return size


# --- with the world -----------------------------------------------------------------------------------------------


@kernel
def next_event(state: State) -> tuple[int, float, bool]:
    """The earliest event, its time (inf: none), and whether it is one of those that are due now."""
    event = -1
    t = inf
    soon = False
    if state.counts[HEAP_SIZE] > 0:
        event = state.heap[0]
        t = state.keys[0]
    if state.counts[SOON_SIZE] > 0:
        other = state.soon[0]
        if not precedes(state.rank, t, event, state.soon_keys[0], other):
            event = other
            t = state.soon_keys[0]
            soon = True
    return event, t, soon


@kernel
def set_timer(state: State, i: int) -> None:
    """Schedule the earliest thing that body i must be woken for; none for a body that stays where it is."""
    time = state.boxes[i, UNTIL]
    kind = BOX
    if state.pull[PULL_BODY] == i and state.pull[PULL_NEXT] <= time:
        time = state.pull[PULL_NEXT]
        kind = KICK
    if state.loads[i, NEXT_KICK] <= time:
        time = state.loads[i, NEXT_KICK]
        kind = KICK
    if state.groups[i, HORIZON] < time:
        time = state.groups[i, HORIZON]
        kind = SLEEPER if state.arcs[i, HELD] == ASLEEP else GROUP_STEP
    size = state.counts[HEAP_SIZE]
    if time < inf:
        size = schedule(state.heap, state.keys, state.place, state.rank, size, i, time, rank_of(kind, i, 0))
    else:
        size = cancel(state.heap, state.keys, state.place, state.rank, size, i)
    state.counts[HEAP_SIZE] = size
