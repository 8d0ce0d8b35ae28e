"""Tilings of space at several resolutions, and the labels of boxes in their tiles (Mirtich 1996, 2.4.1 and 2.4.2).

Resolution k has cubic tiles of side rho_k; the finest is 0, and rho_k+1 = rho_k / alpha (the thesis numbers them from
the coarsest). A box's own resolution is the finest in use with size / rho <= beta = 1, the least beta, which makes the
tiles to look into fewest (Theorem 3): along each axis a box lies in at most two tiles of its own resolution, and of
every coarser one. Its label stands in all of these: as a *resident* at its own resolution, as a *guest* at the coarser
ones. Two boxes are close if they share a tile at the coarser of their own resolutions (Definition 1), where at least
one of them is a resident: so guests need never look at guests, and many small boxes may share a large tile.

A bucket has two lists of labels, residents and guests. Labels never move: of the tiles that a box touches at one
resolution no two agree in the parity of all three coordinates, so parity gives each its row, found without a search.
Tiles 2^19 apart have the same key, which makes boxes close that are not, and no more than that.
"""

from __future__ import annotations

from math import floor, log2

from engine.collision.pairs import hash_slot
from engine.kernel import leaf_kernel
from engine.model.model import Floats, Ints
from engine.model.state import HIGH, LABEL_BODY, LABEL_KEY, LABEL_NEXT, LABEL_PREV, LOW
from engine.tolerances import TILE_ALPHA

MAX_RESOLUTIONS = 31

TILE_SHIFT = round(-log2(TILE_ALPHA))

_WRAP = (1 << 19) - 1
_FARTHEST = float(1 << 52)


@leaf_kernel
def tile_of(x: float, finest: float) -> int:
    """Coordinate of the tile of the finest resolution that holds x [m] (Mirtich 1996, eq. 2.7); of NaN, the first."""
    place = x / finest
    if not place > -_FARTHEST:
        return -(1 << 52)
    return floor(min(place, _FARTHEST))


@leaf_kernel
def tile_key(resolution: int, x: int, y: int, z: int) -> int:
    return (resolution << 57) | ((x & _WRAP) << 38) | ((y & _WRAP) << 19) | (z & _WRAP)


@leaf_kernel
def label_row(resolutions: int, body: int, resolution: int, x: int, y: int, z: int) -> int:
    """The row of a body's label in one of the tiles that it touches."""
    return ((body * resolutions + resolution) << 3) | ((x & 1) << 2) | ((y & 1) << 1) | (z & 1)


@leaf_kernel
def residents_of(buckets: Ints, key: int) -> int:
    """Where the list of a tile's residents starts in `buckets`; that of its guests is the entry after it."""
    return 2 * hash_slot(key, buckets.shape[0] // 2 - 1)


@leaf_kernel
def insert_label(labels: Ints, buckets: Ints, at: int, row: int, key: int, body: int) -> None:
    """Put a label at the front of the list that starts at buckets[at]."""
    head = buckets[at]
    labels[row, LABEL_KEY] = key
    labels[row, LABEL_BODY] = body
    labels[row, LABEL_NEXT] = head
    labels[row, LABEL_PREV] = -1
    if head >= 0:
        labels[head, LABEL_PREV] = row
    buckets[at] = row


@leaf_kernel
def remove_label(labels: Ints, buckets: Ints, at: int, row: int) -> None:
    """Take a label out of the list that starts at buckets[at]."""
    after = labels[row, LABEL_NEXT]
    before = labels[row, LABEL_PREV]
    if before >= 0:
        labels[before, LABEL_NEXT] = after
    else:
        buckets[at] = after
    if after >= 0:
        labels[after, LABEL_PREV] = before


@leaf_kernel
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
