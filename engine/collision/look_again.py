"""What becomes of a body's pairs when it begins a new arc: they are checked again, now or later, or leave.

The times of a pair's checks were bounded with the old arc, so it is checked at once. But between a free body and a mesh
that never moves there are dozens of pairs, few of them near: for the others it is enough to know that the gap cannot
have closed yet, and when it could at the earliest, wherever the closest points may be by then. The gap was measured
once; since then it has fallen no faster than the coefficients that are kept with the pair allow. A check that waits for
a time a little earlier than it could stays where it is, for most of the cost is the order of the heap.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.collision.boxes import boxes_meet
from engine.collision.checks import check_now, part, schedule_check
from engine.collision.hull_tree import wrap
from engine.collision.pairs import next_pair
from engine.collision.toi import first_root
from engine.kernel import inlined_kernel, kernel
from engine.model.model import ARM, FIXED, FREE, GRAVITY, KIND, Floats, Ints, Model
from engine.model.state import (
    BODY_A,
    BODY_B,
    FALL_A,
    FALL_B,
    FLOOR,
    FLOOR_TIME,
    HELD,
    LASTING,
    OMEGA,
    PAIR_ENVELOPE,
    PARENT,
    PART,
    VELOCITY,
    State,
)
from engine.motion.ballistic import bound_ballistic
from engine.tolerances import FAR, SOONER


@inlined_kernel
def look_again(model: Model, state: State, i: int, except_row: int, t: float) -> None:
    """Body i has a new arc from t on: of its pairs those whose boxes still meet are checked, and the others leave.

    A pair that is unwrapped looks now and then by itself whether it can be wrapped; but if both bodies lay still it
    waits for ever, until now. In a body's list what a pair was unwrapped into comes before that pair.
    """
    links = state.links
    fall_a, fall_b = quickest_fall(model.bodies, model.tags, state.arcs, i)
    row = state.first_pair[i]
    while row >= 0:
        after = next_pair(links, row, i)
        if row != except_row and links[row, LASTING] == 0:
            if links[row, PARENT] >= 0:
                if links[row, PART] < 0:
                    other = links[row, BODY_B] if links[row, BODY_A] == i else links[row, BODY_A]
                    wait = 0.0
                    if model.tags[other, KIND] == FIXED:
                        wait = time_to_close(state.pairs, row, fall_a, fall_b, t)
                    due = state.keys[state.place[model.tags.shape[0] + row]]
                    if not wait > 0.0:
                        check_now(model, state, row, t)
                    elif due > t + wait or due < t + SOONER * wait:
                        schedule_check(model, state, row, t + wait)
                elif waits_for_ever(model, state, row):
                    check_now(model, state, row, t)
            elif not boxes_meet(state.boxes, links[row, BODY_A], links[row, BODY_B]):
                wrap(model, state, row)
                part(model, state, row)
            elif links[row, PART] < 0 or waits_for_ever(model, state, row):
                check_now(model, state, row, t)
        row = after


@inlined_kernel
def waits_for_ever(model: Model, state: State, row: int) -> bool:
    """Is pair `row`, which is on the heap, there for no time at all?"""
    return state.keys[state.place[model.tags.shape[0] + row]] == inf


@kernel
def quickest_fall(bodies: Floats, tags: Ints, arcs: Floats, i: int) -> tuple[float, float]:
    """A, B: on its new arc body i comes nearer to anything at rest by at most A τ² + B τ; inf unless it flies."""
    if tags[i, KIND] != FREE or arcs[i, HELD] != 0.0:
        return inf, inf
    zero = (0.0, 0.0, 0.0)
    _, _, turn = bound_ballistic(bodies, arcs, i, zero, zero)
    fall_a = 0.5 * length_at(bodies, i, GRAVITY) + turn
    return fall_a, length_at(arcs, i, VELOCITY) + length_at(arcs, i, OMEGA) * bodies[i, ARM]


@kernel
def time_to_close(pairs: Floats, row: int, fall_a: float, fall_b: float, t: float) -> float:
    """Time [s] from t on in which a pair does not touch, if its gap falls as told from then on; 0 if it may be near."""
    since = t - pairs[row, FLOOR_TIME]
    floor = pairs[row, FLOOR] - (pairs[row, FALL_A] * since + pairs[row, FALL_B]) * since
    envelope = pairs[row, PAIR_ENVELOPE]
    if not (floor > FAR * envelope and fall_a < inf):
        return 0.0
    pairs[row, FLOOR] = floor
    pairs[row, FLOOR_TIME] = t
    pairs[row, FALL_A] = fall_a
    pairs[row, FALL_B] = fall_b
    return first_root(fall_a, fall_b, floor - envelope)


@kernel
def length_at(table: Floats, row: int, column: int) -> float:
    """Length of the vector that begins in a column of a table."""
    x, y, z = table[row, column], table[row, column + 1], table[row, column + 2]
    return sqrt(x * x + y * y + z * z)
