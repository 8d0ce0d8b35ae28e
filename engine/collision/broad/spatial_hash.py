"""The spatial hash over swept boxes, with coherence and without (Mirtich 1996, 2.4.1 to 2.4.3).

With coherence (2.4.2), a box that changes stores and removes its label only where it enters and leaves tiles; without,
the standard scheme, it takes all its labels out and stores them again. Either way it then looks at everyone in its
tiles. With close counters, as in the thesis, it looks only into tiles that it enters and leaves: the counters remember
with whom it shares the others. There they pay, for every box is stored at every step; here a box comes only when its
body has left the last one, so most tiles are new, and keeping the counters costs more than it saves.

The thesis reports all that share a tile, and so culls less than coordinate sorting does (2.4.4). Here only those are
reported whose boxes meet, so that all broad phases find the same pairs.

What is larger than the coarsest tile (grounds, tables, whatever has no bounds) stands in a list of its own, against
which every box that changes is tested: such bodies touch no tiles, and a static one costs nothing by itself.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.collision.broad.boxes import boxes_meet
from engine.collision.broad.close_pairs import count_close
from engine.collision.broad.tiles import (
    TILE_SHIFT,
    below,
    body_of,
    find_tiles,
    insert_label,
    key_of,
    label_of,
    label_place,
    remove_label,
    residents_of,
    tile_key,
    top_of,
)
from engine.collision.pair_table import next_pair
from engine.kernel import kernel
from engine.model.model import FREE, KIND, Floats, Ints
from engine.model.state import (
    BODY_A,
    BODY_B,
    BUCKET_CHECKS,
    CLOSE_PAIRS,
    FIRST_LARGE,
    HASH_UPDATES,
    NEXT_LARGE,
    RECORD_LABELS,
    RECORD_SIZE,
    RESOLUTION,
    TILE_HIGH,
    TILE_LOW,
    State,
)

Tile = tuple[int, int, int, int]  # resolution, x y z
Tiles = tuple[int, int, int, int, int, int]  # first and last tile at one resolution: low x y z, high x y z
Tiling = tuple[float, int, int, int]  # side of the finest tiles, used resolutions, their number, records with heads


@kernel
def tiles_of(tiles: Ints, i: int) -> Tiles:
    """The tiles of body i at the finest resolution."""
    return (
        tiles[i, TILE_LOW],
        tiles[i, TILE_LOW + 1],
        tiles[i, TILE_LOW + 2],
        tiles[i, TILE_HIGH],
        tiles[i, TILE_HIGH + 1],
        tiles[i, TILE_HIGH + 2],
    )


@kernel
def coarsen(fine: Tiles, k: int) -> Tiles:
    """The tiles of resolution k that hold those of the finest."""
    s = k * TILE_SHIFT
    return (fine[0] >> s, fine[1] >> s, fine[2] >> s, fine[3] >> s, fine[4] >> s, fine[5] >> s)


@kernel
def holds_tile(tiles: Tiles, x: int, y: int, z: int) -> bool:
    return tiles[0] <= x <= tiles[3] and tiles[1] <= y <= tiles[4] and tiles[2] <= z <= tiles[5]


@kernel
def join_large(tiles: Ints, counts: Ints, i: int) -> None:
    """Put body i into the list of those that are too large for tiles."""
    tiles[i, NEXT_LARGE] = counts[FIRST_LARGE]
    counts[FIRST_LARGE] = i


@kernel
def leave_large(tiles: Ints, counts: Ints, i: int) -> None:
    """Take body i out of that list, which is short."""
    before = -1
    at = counts[FIRST_LARGE]
    while at != i:
        before = at
        at = tiles[at, NEXT_LARGE]
    if before < 0:
        counts[FIRST_LARGE] = tiles[i, NEXT_LARGE]
    else:
        tiles[before, NEXT_LARGE] = tiles[i, NEXT_LARGE]


@kernel
def place_box(boxes: Floats, tiles: Ints, counts: Ints, tiling: Tiling, i: int) -> int:
    """Write body i's tiles for its box, and keep the list of the large true. Returns its own resolution."""
    finest, used, resolutions, _ = tiling
    own, lx, ly, lz, hx, hy, hz = find_tiles(boxes, i, finest, used, resolutions)
    was_large = tiles[i, RESOLUTION] == resolutions
    if own == resolutions and not was_large:
        join_large(tiles, counts, i)
    elif was_large and own < resolutions:
        leave_large(tiles, counts, i)
    first = (lx, ly, lz)
    last = (hx, hy, hz)
    for axis in range(3):
        tiles[i, TILE_LOW + axis] = first[axis]
        tiles[i, TILE_HIGH + axis] = last[axis]
    tiles[i, RESOLUTION] = own
    return own


class Hash(NamedTuple):
    """The arrays of the spatial hash, as in the State."""

    tiles: Ints
    labels: Ints
    records: Ints
    close: Ints
    close_table: Ints
    first_close: Ints
    counts: Ints


@kernel
def hash_of(state: State) -> Hash:
    """The spatial hash of a State."""
    return Hash(
        state.tiles, state.labels, state.records, state.close, state.close_table, state.first_close, state.counts
    )


# --- with coherence -----------------------------------------------------------------------------------------------


@kernel
def count_list(tags: Ints, hashed: Hash, head: int, key: int, i: int, step: int) -> None:
    """Add `step` to the counters of body i with all that have a label of the tile `key` in a bucket's records."""
    records = hashed.records
    free = tags[i, KIND] == FREE
    record = top_of(records, head)
    while record >= 0:
        for column in range(RECORD_LABELS, RECORD_LABELS + records[record, RECORD_SIZE]):
            entry = records[record, column]
            if key_of(entry) == key:
                j = body_of(entry)
                if free or tags[j, KIND] == FREE:
                    count_close(hashed.close, hashed.close_table, hashed.first_close, hashed.counts, i, j, step)
        record = below(records, record, head)


@kernel
def cross_border(
    tags: Ints, hashed: Hash, tiling: Tiling, counting: bool, i: int, tile: Tile, guest: int, step: int
) -> None:
    """Body i enters a tile (step 1) or leaves it (step -1), as a guest (1) or as a resident (0)."""
    _, _, resolutions, heads = tiling
    k, x, y, z = tile
    key = tile_key(k, x, y, z)
    head = residents_of(key, heads)
    label = label_of(i, k, x, y, z)
    place = label_place(label, resolutions)
    hashed.counts[BUCKET_CHECKS] += 1
    if step < 0:
        remove_label(hashed.labels, hashed.records, hashed.counts, head + guest, place, resolutions)
    if counting:
        count_list(tags, hashed, head, key, i, step)
        if guest == 0:
            count_list(tags, hashed, head + 1, key, i, step)
    if step > 0:
        insert_label(hashed.labels, hashed.records, hashed.counts, head + guest, label, place, key)


@kernel
def follow_box(tags: Ints, boxes: Floats, hashed: Hash, tiling: Tiling, counting: bool, i: int) -> None:
    """Bring the labels of body i, whose box has changed, up to date: only in tiles that it enters or leaves."""
    tiles, counts = hashed.tiles, hashed.counts
    _, used, resolutions, _ = tiling
    old_own = tiles[i, RESOLUTION]
    if old_own == -1:
        old_own = resolutions
    old = tiles_of(tiles, i)
    own = place_box(boxes, tiles, counts, tiling, i)
    new = tiles_of(tiles, i)
    moved = False
    for k in range(min(old_own, own), resolutions):
        if (used >> k) & 1 == 0:
            continue
        left = coarsen(old, k)
        entered = coarsen(new, k)
        same_role = k >= old_own and k >= own and (k == old_own) == (k == own)
        if same_role and left == entered:
            continue
        moved = True
        if k >= old_own:
            guest = 0 if k == old_own else 1
            for x in range(left[0], left[3] + 1):
                for y in range(left[1], left[4] + 1):
                    for z in range(left[2], left[5] + 1):
                        if not (same_role and holds_tile(entered, x, y, z)):
                            cross_border(tags, hashed, tiling, counting, i, (k, x, y, z), guest, -1)
        if k >= own:
            guest = 0 if k == own else 1
            for x in range(entered[0], entered[3] + 1):
                for y in range(entered[1], entered[4] + 1):
                    for z in range(entered[2], entered[5] + 1):
                        if not (same_role and holds_tile(left, x, y, z)):
                            cross_border(tags, hashed, tiling, counting, i, (k, x, y, z), guest, 1)
    if moved:
        counts[HASH_UPDATES] += 1


@kernel
def gather_close(boxes: Floats, close: Ints, first_close: Ints, i: int, found: Ints) -> int:
    """Write into `found` the bodies that are close to body i and whose boxes meet its box; how many."""
    count = 0
    row = first_close[i]
    while row >= 0:
        j = close[row, BODY_B] if close[row, BODY_A] == i else close[row, BODY_A]
        if boxes_meet(boxes, i, j):
            found[count] = j
            count += 1
        row = next_pair(close, row, i)
    return count


# --- without counters ---------------------------------------------------------------------------------------------


@kernel
def gather_list(boxes: Floats, records: Ints, head: int, key: int, i: int, found: Ints, count: int) -> int:
    """Add to `found` those with a label of the tile `key` in a bucket's records whose boxes meet that of body i."""
    record = top_of(records, head)
    while record >= 0:
        for column in range(RECORD_LABELS, RECORD_LABELS + records[record, RECORD_SIZE]):
            entry = records[record, column]
            j = body_of(entry)
            if key_of(entry) == key and j != i and boxes_meet(boxes, i, j):
                known = False
                for at in range(count):
                    known = known or found[at] == j
                if not known:
                    found[count] = j
                    count += 1
        record = below(records, record, head)
    return count


@kernel
def gather_tiles(boxes: Floats, tiles: Ints, records: Ints, counts: Ints, tiling: Tiling, i: int, found: Ints) -> int:
    """Write into `found` the bodies that share a tile with body i and whose boxes meet its box; how many."""
    _, used, resolutions, heads = tiling
    own = tiles[i, RESOLUTION]
    count = 0
    for k in range(own, resolutions):
        if (used >> k) & 1 == 0:
            continue
        lx, ly, lz, hx, hy, hz = coarsen(tiles_of(tiles, i), k)
        for x in range(lx, hx + 1):
            for y in range(ly, hy + 1):
                for z in range(lz, hz + 1):
                    counts[BUCKET_CHECKS] += 1
                    key = tile_key(k, x, y, z)
                    head = residents_of(key, heads)
                    count = gather_list(boxes, records, head, key, i, found, count)
                    if k == own:
                        count = gather_list(boxes, records, head + 1, key, i, found, count)
    return count


@kernel
def restore_box(boxes: Floats, tiles: Ints, labels: Ints, records: Ints, counts: Ints, tiling: Tiling, i: int) -> None:
    """Take all labels of body i out of the hash and store them again, without coherence (Mirtich 1996, 2.4.1)."""
    _, used, resolutions, heads = tiling
    counts[HASH_UPDATES] += 1
    for storing in range(2):
        own = place_box(boxes, tiles, counts, tiling, i) if storing == 1 else tiles[i, RESOLUTION]
        if own == -1:
            continue
        for k in range(own, resolutions):
            if (used >> k) & 1 == 0:
                continue
            guest = 0 if k == own else 1
            lx, ly, lz, hx, hy, hz = coarsen(tiles_of(tiles, i), k)
            for x in range(lx, hx + 1):
                for y in range(ly, hy + 1):
                    for z in range(lz, hz + 1):
                        counts[BUCKET_CHECKS] += 1
                        key = tile_key(k, x, y, z)
                        head = residents_of(key, heads) + guest
                        label = label_of(i, k, x, y, z)
                        place = label_place(label, resolutions)
                        if storing == 1:
                            insert_label(labels, records, counts, head, label, place, key)
                        else:
                            remove_label(labels, records, counts, head, place, resolutions)


@kernel
def gather_large(boxes: Floats, tiles: Ints, counts: Ints, resolutions: int, i: int, found: Ints, count: int) -> int:
    """Add to `found` the bodies without tiles whose boxes meet that of body i. If it is one of them, look at all."""
    if tiles[i, RESOLUTION] == resolutions:
        count = 0
        for j in range(tiles.shape[0]):
            if j != i and boxes_meet(boxes, i, j):
                found[count] = j
                count += 1
        return count
    j = counts[FIRST_LARGE]
    while j >= 0:
        if boxes_meet(boxes, i, j):
            found[count] = j
            count += 1
        j = tiles[j, NEXT_LARGE]
    return count


# --- with the world -----------------------------------------------------------------------------------------------


@kernel
def store_boxes(tags: Ints, boxes: Floats, hashed: Hash, tiling: Tiling, counting: bool, start: int) -> int:
    """Store the boxes of all bodies from row `start` on, for the first time. Returns the first for which the rows for
    close pairs may not suffice, or the number of bodies."""
    n = tags.shape[0]
    for i in range(start, n):
        if counting and hashed.close.shape[0] - hashed.counts[CLOSE_PAIRS] < n:
            return i
        follow_box(tags, boxes, hashed, tiling, counting, i)
    return n
