"""Reading the broad phase without changing it: the swept boxes of bodies, and the tiles in which the hash has them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.collision.broad.tiles import TILE_SHIFT
from engine.model.model import BROAD_PHASE, FINEST_TILE, NO_BROAD_PHASE, RESOLUTIONS, SWEEP_PRUNE, Model
from engine.model.state import HIGH, LOW, RESOLUTION, TILE_HIGH, TILE_LOW, UNTIL, State

SWEPT_BOX = np.dtype(
    [
        ("low", "f8", 3),
        ("high", "f8", 3),
        ("until", "f8"),
        ("tile", "f8"),
        ("first", "i8", 3),
        ("last", "i8", 3),
    ]
)
"""A body is between `low` and `high` [m] until `until` [s]; without bounds where there is no broad phase. In the
spatial hash it lies in the cubic tiles of side `tile` [m] from `first` to `last`: tile (i, j, k) begins at i, j and k
sides. `tile` is 0 for what is larger than all tiles, and where there is no hash."""


def read_boxes(model: Model, state: State) -> NDArray[np.void]:
    """The swept boxes (SWEPT_BOX) of all bodies, in scene order."""
    n = len(model.tags)
    out = np.zeros(n, dtype=SWEPT_BOX)
    out["low"] = state.boxes[:n, LOW : LOW + 3]
    out["high"] = state.boxes[:n, HIGH : HIGH + 3]
    out["until"] = state.boxes[:n, UNTIL]
    if model.settings[BROAD_PHASE] in (SWEEP_PRUNE, NO_BROAD_PHASE):
        return out
    own = state.tiles[:n, RESOLUTION]
    stored = np.flatnonzero((own >= 0) & (own < int(model.settings[RESOLUTIONS])))
    shift = TILE_SHIFT * own[stored]
    out["tile"][stored] = model.settings[FINEST_TILE] * 2.0**shift
    out["first"][stored] = state.tiles[stored, TILE_LOW : TILE_LOW + 3] >> shift[:, None]
    out["last"][stored] = state.tiles[stored, TILE_HIGH : TILE_HIGH + 3] >> shift[:, None]
    return out
