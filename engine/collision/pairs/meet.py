"""Bodies whose boxes begin to meet become pairs: a new box, who is new in it, a row for each."""

from __future__ import annotations

from math import inf

from engine.collision.broad.broad_phase import update_broad_phase
from engine.collision.broad.swept_boxes import box_travel, write_box
from engine.collision.pair_table import find_pair, make_pair, may_touch, remember_pair
from engine.collision.pairs.checks import check_now, count_near, schedule_check
from engine.collision.pairs.hull_pairs import root_against
from engine.kernel import kernel
from engine.model.model import ENVELOPE, LONGEST_STEP, MATERIAL, SHAPE, SIZE, SURFACE_WIDTH, Ints, Model
from engine.model.state import BOX_UPDATES, PAIR_ENVELOPE, PAIR_SURFACE, State
from engine.tolerances import BOX_TRAVEL, ENVELOPE_FRACTION, LAY_WAIT, LONGEST_WAIT


@kernel
def renew_box(model: Model, state: State, found: Ints, i: int, t: float) -> None:
    """A new swept box for body i, and a check for every body whose box it begins to meet."""
    state.counts[BOX_UPDATES] += 1
    travel = box_travel(model.bodies, state.boxes, i)
    crowd = travel < BOX_TRAVEL  # who is in one walks through all his pairs in every step
    longest = (LAY_WAIT if crowd else LONGEST_WAIT) * model.settings[LONGEST_STEP]
    if not crowd:
        longest = max(longest, t)  # what is alone stays so for about as long again
    if write_box(model.bodies, model.tags, state.arcs, state.boxes, i, travel, longest, t):
        meet_found(model, state, found, i, t)


@kernel
def meet_found(model: Model, state: State, found: Ints, i: int, t: float) -> None:
    """Body i's box has changed: a pair, and a check, for every body whose box it begins to meet."""
    count = update_broad_phase(model, state, i, found)
    for k in range(keep_new(model, state, i, found, count)):
        pair_up(model, state, min(i, found[k]), max(i, found[k]), t)


@kernel
def keep_new(model: Model, state: State, i: int, found: Ints, count: int) -> int:
    """Of the bodies `found[:count]` keep those, once each and in order, with which body i has no pair but may touch.

    In order, for pairs stand in a body's list as they were made, and contacts are resolved as they stand there: how a
    broad phase comes upon them must not matter.
    """
    kept = 0
    for k in range(count):
        j = found[k]
        a, b = min(i, j), max(i, j)
        if not may_touch(model.tags, model.joints.mates, a, b) or find_pair(state.table, a, b) >= 0:
            continue
        at = kept
        while at > 0 and found[at - 1] > j:
            at -= 1
        if at > 0 and found[at - 1] == j:
            continue
        for later in range(kept, at, -1):
            found[later] = found[later - 1]
        found[at] = j
        kept += 1
    return kept


@kernel
def pair_up(model: Model, state: State, a: int, b: int, t: float) -> None:
    """Make the pair (a < b), and check it at once."""
    tags = model.tags
    shape_a = root_against(model.topology, model.trees, tags[a, SHAPE], tags[b, SHAPE])
    shape_b = root_against(model.topology, model.trees, tags[b, SHAPE], tags[a, SHAPE])
    row = make_pair(state.pairs, state.links, state.first_pair, state.counts, a, b, shape_a, shape_b, -1)
    remember_pair(state.table, a, b, row)
    count_near(state, row, 1.0)
    envelope = model.settings[ENVELOPE]
    if envelope == 0.0:
        envelope = ENVELOPE_FRACTION * min(model.bodies[a, SIZE], model.bodies[b, SIZE])
    state.pairs[row, PAIR_ENVELOPE] = envelope
    for k in range(SURFACE_WIDTH):
        state.pairs[row, PAIR_SURFACE + k] = model.surfaces[tags[a, MATERIAL], tags[b, MATERIAL], k]
    schedule_check(model, state, row, inf)
    check_now(model, state, row, t)
