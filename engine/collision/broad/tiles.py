"""Tilings of space at several resolutions, and the labels of boxes in their tiles (Mirtich 1996, 2.4.1 and 2.4.2).

Resolution k has cubic tiles of side rho_k; the finest is 0, and rho_k+1 = rho_k / alpha (the thesis numbers them from
the coarsest). A box's own resolution is the finest in use with size / rho <= beta = 1, the least beta, which makes the
tiles to look into fewest (Theorem 3): along each axis a box lies in at most two tiles of its own resolution, and of
every coarser one. Its label stands in all of these: as a *resident* at its own resolution, as a *guest* at the coarser
ones. Two boxes are close if they share a tile at the coarser of their own resolutions (Definition 1), where at least
one of them is a resident: so guests need never look at guests, and many small boxes may share a large tile.

The hash table has a record for the residents and one for the guests of each bucket, with room for a few labels side by
side, so that looking into a tile reads one or two lines of memory and follows no list; more labels spill into further
records. A label is a number that says whose it is and where: of the tiles that a box touches at one resolution no two
agree in the parity of all three coordinates, so resolution and parities number a body's labels. `State.labels` tells in
which place of which record a label stands. Beside it stands a 31-bit key of its tile; tiles that share a bucket rarely
share their key, too, which makes boxes close that are not, and no more than that.
"""

from __future__ import annotations

from math import floor, log2

from engine.collision.pair_table import hash_slot
from engine.kernel import kernel
from engine.model.model import Floats, Ints
from engine.model.state import FREE_RECORD, HIGH, LOW, RECORD_LABELS, RECORD_NEXT, RECORD_SIZE, RECORD_WIDTH
from engine.tolerances import TILE_ALPHA

MAX_RESOLUTIONS = 16
TILE_SHIFT = round(-log2(TILE_ALPHA))
LABEL_BITS = 7
"""Labels of a body are numbered by three bits of parity and four of resolution."""

_WRAP = (1 << 19) - 1
_FARTHEST = float(1 << 52)
_LABEL = (1 << 32) - 1


@kernel
def tile_of(x: float, finest: float) -> int:
    """Coordinate of the tile of the finest resolution that holds x [m] (Mirtich 1996, eq. 2.7); of NaN, the first."""
    place = x / finest
    if not place > -_FARTHEST:
        return -(1 << 52)
    return floor(min(place, _FARTHEST))


@kernel
def tile_key(resolution: int, x: int, y: int, z: int) -> int:
    """A number of 31 bits for a tile."""
    mixed = ((x & _WRAP) * 73856093) ^ ((y & _WRAP) * 19349663) ^ ((z & _WRAP) * 83492791) ^ (resolution * 2654435761)
    return (mixed ^ (mixed >> 31)) & 0x7FFFFFFF


@kernel
def label_of(body: int, resolution: int, x: int, y: int, z: int) -> int:
    """The label of a body in one of the tiles that it touches."""
    return (body << LABEL_BITS) | (resolution << 3) | ((x & 1) << 2) | ((y & 1) << 1) | (z & 1)


@kernel
def residents_of(key: int, heads: int) -> int:
    """First record of a tile's residents; that of its guests comes after it. heads: records that start a bucket."""
    return 2 * hash_slot(key, heads // 2 - 1)


@kernel
def top_of(records: Ints, head: int) -> int:
    """The record, of those that start with `head`, that is not full yet: the first, or the last of those that spill."""
    return records[head, RECORD_NEXT] if records[head, RECORD_NEXT] >= 0 else head


@kernel
def below(records: Ints, record: int, head: int) -> int:
    """The record before `record` in a bucket's list; -1 before the head."""
    return records[record, RECORD_NEXT] if record != head else -1


@kernel
def insert_label(labels: Ints, records: Ints, counts: Ints, head: int, label: int, place: int, key: int) -> None:
    """Put a label of a tile into a bucket; place: its entry in `labels`."""
    top = top_of(records, head)
    if records[top, RECORD_SIZE] == RECORD_WIDTH - RECORD_LABELS:
        spill = counts[FREE_RECORD]
        counts[FREE_RECORD] = records[spill, RECORD_NEXT]
        records[spill, RECORD_NEXT] = top
        records[spill, RECORD_SIZE] = 0
        records[head, RECORD_NEXT] = spill
        top = spill
    column = RECORD_LABELS + records[top, RECORD_SIZE]
    records[top, RECORD_SIZE] += 1
    records[top, column] = (key << 32) | label
    labels[place] = top * RECORD_WIDTH + column


@kernel
def remove_label(labels: Ints, records: Ints, counts: Ints, head: int, place: int, resolutions: int) -> None:
    """Take a label out of a bucket: the last one of the bucket moves into its place."""
    top = top_of(records, head)
    records[top, RECORD_SIZE] -= 1
    last = records[top, RECORD_LABELS + records[top, RECORD_SIZE]]
    hole = labels[place]
    records[hole // RECORD_WIDTH, hole % RECORD_WIDTH] = last
    labels[label_place(last & _LABEL, resolutions)] = hole
    labels[place] = -1
    if top != head and records[top, RECORD_SIZE] == 0:
        under = records[top, RECORD_NEXT]
        records[head, RECORD_NEXT] = under if under != head else -1
        records[top, RECORD_NEXT] = counts[FREE_RECORD]
        counts[FREE_RECORD] = top


@kernel
def label_place(label: int, resolutions: int) -> int:
    """The entry of a label in `State.labels`."""
    return (label >> LABEL_BITS) * (resolutions << 3) + (label & ((1 << LABEL_BITS) - 1))


@kernel
def body_of(entry: int) -> int:
    """Whose label an entry of a record is."""
    return (entry & _LABEL) >> LABEL_BITS


@kernel
def key_of(entry: int) -> int:
    """The key of the tile in which it stands."""
    return entry >> 32


@kernel
def find_tiles(
    boxes: Floats, body: int, finest: float, used: int, resolutions: int
) -> tuple[int, int, int, int, int, int, int]:
    """Own resolution of a body's box, and its first and last tiles at the finest: k, low x y z, high x y z.

    `used` has a bit for each resolution that is in use. A box without bounds, or larger than the coarsest tile, has
    `resolutions` for its own.
    """
    size = 0.0
    for axis in range(3):
        extent = boxes[body, HIGH + axis] - boxes[body, LOW + axis]
        if not extent <= size:
            size = extent
    lx = tile_of(boxes[body, LOW], finest)
    ly = tile_of(boxes[body, LOW + 1], finest)
    lz = tile_of(boxes[body, LOW + 2], finest)
    hx = tile_of(boxes[body, HIGH], finest)
    hy = tile_of(boxes[body, HIGH + 1], finest)
    hz = tile_of(boxes[body, HIGH + 2], finest)
    own = 0
    rho = finest
    while own < resolutions:
        shift = own * TILE_SHIFT
        # Rounding might make a third tile of a box that just fits.
        spread = max((hx >> shift) - (lx >> shift), (hy >> shift) - (ly >> shift), (hz >> shift) - (lz >> shift))
        if (used >> own) & 1 and size <= rho and spread <= 1:
            break
        own += 1
        rho /= TILE_ALPHA
    return own, lx, ly, lz, hx, hy, hz
