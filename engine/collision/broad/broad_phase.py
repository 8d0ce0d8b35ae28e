"""The broad phase: which boxes begin to meet. One interface, five ways, chosen by the scene.

    hierarchical hash   labels change in tiles that a box enters or leaves (Mirtich 1996, 2.4.2): `follow_box`
    counting hash       the same, with the thesis's close counters, for comparison: `follow_box`
    standard hash       every box that changes is stored anew (Mirtich 1996, 2.4.1): `restore_box`
    sweep and prune     box ends kept in order along three axes (Baraff 1992, 5.3): `update_box`
    none                every pair waits in the event queue from the start, and boxes have no end

A body comes here when its arc leaves the box that is stored for it. The first four report the same bodies and so give
the same motion to the last bit. Without a broad phase pairs are first checked at another time, and so on from there:
hits come at other moments within the same tolerance.

A pair leaves the event queue when a check finds that its boxes no longer meet, never before (the hysteresis of 2.4.3).
"""

from __future__ import annotations

from math import ceil, isfinite, log2

import numpy as np

from engine.collision.broad.close_pairs import grow_close, make_close
from engine.collision.broad.spatial_hash import (
    Hash,
    follow_box,
    gather_close,
    gather_large,
    gather_tiles,
    hash_of,
    restore_box,
    store_boxes,
)
from engine.collision.broad.sweep_prune import sort_ends, update_box
from engine.collision.broad.tiles import MAX_RESOLUTIONS, TILE_SHIFT
from engine.collision.pair_table import grow_pairs
from engine.geometry.sheet import FANOUT
from engine.kernel import kernel
from engine.model.model import (
    BROAD_PHASE,
    COUNTING_HASH,
    FINEST_TILE,
    HEADS,
    NO_BROAD_PHASE,
    RADIUS,
    RESOLUTIONS,
    STANDARD_HASH,
    SWEEP_PRUNE,
    USED_RESOLUTIONS,
    Floats,
    Ints,
    Model,
)
from engine.model.state import (
    CLOSE_PAIRS,
    FIRST_LARGE,
    FREE_RECORD,
    HIGH,
    LOW,
    PAIRS,
    RECORD_LABELS,
    RECORD_NEXT,
    RECORD_WIDTH,
    RESOLUTION,
    TILE_WIDTH,
    UNTIL,
    State,
)
from engine.tolerances import BOX_MARGIN, BOX_TRAVEL, MANY_LARGE, TILE_ALPHA


@kernel
def update_broad_phase(model: Model, state: State, i: int, found: Ints) -> int:
    """Tell the broad phase that body i's box has changed. Writes into `found` (room for 3 n) the bodies whose boxes it
    may have begun to meet, some perhaps more than once or met before, and returns how many."""
    kind = model.settings[BROAD_PHASE]
    count = 0
    if kind == SWEEP_PRUNE:
        count = update_box(state.ends, state.spot, state.boxes, state.counts, i, found)
    elif kind != NO_BROAD_PHASE:
        tiling = (
            model.settings[FINEST_TILE],
            int(model.settings[USED_RESOLUTIONS]),
            int(model.settings[RESOLUTIONS]),
            int(model.settings[HEADS]),
        )
        if kind == STANDARD_HASH:
            restore_box(state.boxes, state.tiles, state.labels, state.records, state.counts, tiling, i)
        else:
            follow_box(model.tags, state.boxes, hash_of(state), tiling, kind == COUNTING_HASH, i)
        if kind == COUNTING_HASH:
            count = gather_close(state.boxes, state.close, state.first_close, i, found)
        else:
            count = gather_tiles(state.boxes, state.tiles, state.records, state.counts, tiling, i, found)
        count = gather_large(state.boxes, state.tiles, state.counts, tiling[2], i, found, count)
    return count


@kernel
def lacks_room(model: Model, state: State) -> bool:
    """Might the next event, which renews two boxes or unwraps a pair, need more rows for pairs than there are?"""
    need = 2 * model.tags.shape[0]
    short = state.links.shape[0] - state.counts[PAIRS] < max(need, FANOUT)
    if model.settings[BROAD_PHASE] == COUNTING_HASH:
        short = short or state.close.shape[0] - state.counts[CLOSE_PAIRS] < need
    return short


def grow(model: Model, state: State) -> State:
    """The same State with room for what `lacks_room` misses."""
    need = 2 * len(model.tags)
    while len(state.links) - state.counts[PAIRS] < max(need, FANOUT):
        state = grow_pairs(state)
    if model.settings[BROAD_PHASE] == COUNTING_HASH:
        while len(state.close) - state.counts[CLOSE_PAIRS] < need:
            state = grow_close(state, max(len(state.close) // 2, need))
    return state


# --- with the world -----------------------------------------------------------------------------------------------


def choose_tiling(bodies: Floats, boxes: Floats) -> tuple[float, int, int]:
    """The side of the finest tiles [m], a bit for each resolution that is in use, and the number of resolutions.

    Resolutions follow the sizes that boxes can have: those that are renewed, from rest to the longest way; the others
    as they are (Mirtich 1996, 2.4.1 and Lemma 1; 2.4.3 uses the bodies' radii). Of the boxes that last for ever, up to
    MANY_LARGE may be larger than the largest tile.
    """
    moving = boxes[:, UNTIL] < np.inf
    radius = bodies[: len(boxes)][moving, RADIUS]
    least, most = 2.0 * (1.0 + BOX_MARGIN) * radius, (2.0 * (1.0 + BOX_MARGIN) + BOX_TRAVEL) * radius
    with np.errstate(invalid="ignore"):
        still = np.max(boxes[~moving, HIGH : HIGH + 3] - boxes[~moving, LOW : LOW + 3], axis=1, initial=0.0)
    still = np.sort(still[np.isfinite(still)])
    largest = max(np.max(most, initial=0.0), still[-1 - MANY_LARGE] if len(still) > MANY_LARGE else 0.0)
    still = still[(still <= largest) & (still > 0.0)]
    smallest = min(np.min(least, initial=np.inf), np.min(still, initial=np.inf))
    if not isfinite(smallest):
        return 1.0, 0, 0
    finest = float(smallest) / TILE_ALPHA
    used = 0
    for low, high in [*zip(least, most, strict=True), *zip(still, still, strict=True)]:
        first, last = (max(0, ceil(log2(size / finest) / TILE_SHIFT)) for size in (low, high))
        for k in range(first, min(last + 1, MAX_RESOLUTIONS)):
            used |= 1 << k
    return finest, used, used.bit_length()


def enter_broad_phase(model: Model, state: State) -> State:
    """The State with the arrays that its broad phase needs, every box stored."""
    n = len(model.tags)
    kind = model.settings[BROAD_PHASE]
    if kind == SWEEP_PRUNE:
        ends, spot = sort_ends(state.boxes)
        return state._replace(ends=ends, spot=spot)
    if kind == NO_BROAD_PHASE:
        return state
    resolutions = int(model.settings[RESOLUTIONS])
    heads = 32
    while heads < 4 * n:
        heads *= 2
    model.settings[HEADS] = heads
    tiles = np.zeros((n, TILE_WIDTH), dtype=np.int64)
    tiles[:, RESOLUTION] = -1
    # A record spills only when it is full, so all labels there can be need no more than these.
    room = RECORD_WIDTH - RECORD_LABELS
    records = np.zeros((heads + (8 * resolutions * n + room - 1) // room, RECORD_WIDTH), dtype=np.int64)
    records[:heads, RECORD_NEXT] = -1
    records[heads:, RECORD_NEXT] = np.arange(heads + 1, len(records) + 1)
    state.counts[[FREE_RECORD, FIRST_LARGE]] = heads, -1
    close, close_table = make_close(n + 64 if kind == COUNTING_HASH else 0)
    state = state._replace(
        tiles=tiles,
        labels=np.full(8 * resolutions * n, -1, dtype=np.int64),
        records=records,
        close=close,
        close_table=close_table,
        first_close=np.full(n, -1, dtype=np.int64),
    )
    tiling = (float(model.settings[FINEST_TILE]), int(model.settings[USED_RESOLUTIONS]), resolutions, heads)
    at = 0
    while True:
        hashed = Hash(
            state.tiles, state.labels, state.records, state.close, state.close_table, state.first_close, state.counts
        )
        at = store_boxes(model.tags, state.boxes, hashed, tiling, bool(kind == COUNTING_HASH), at)
        if at == n:
            return state
        state = grow_close(state, len(state.close))
