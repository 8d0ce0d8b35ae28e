"""What becomes of a body's pairs when it begins a new arc: they are checked again, now or later, or leave.

The times of a pair's checks were bounded with the old arc, so it is checked at once. But between a free body and a mesh
that never moves there are dozens of pairs, few of them near: for the others it is enough to know that the gap cannot
have closed yet, and when it could at the earliest, wherever the closest points may be by then. The gap was measured
once; since then it has fallen no faster than the coefficients that are kept with the pair allow.
"""

from __future__ import annotations

from math import sqrt

from engine.collision.boxes import boxes_meet
from engine.collision.checks import check_now, part, schedule_check
from engine.collision.hull_tree import wrap
from engine.collision.pairs import next_pair
from engine.collision.toi import first_root
from engine.kernel import inlined_kernel, leaf_kernel
from engine.model.model import ARM, FIXED, FREE, GRAVITY, KIND, Floats, Ints, Model
from engine.model.state import (
    BODY_A,
    BODY_B,
    FALL_A,
    FALL_B,
    FLOOR,
    FLOOR_TIME,
    OMEGA,
    PAIR_ENVELOPE,
    PARENT,
    PART,
    VELOCITY,
    State,
)
from engine.motion.ballistic import bound_ballistic
from engine.tolerances import FAR


@inlined_kernel
def look_again(model: Model, state: State, i: int, except_row: int, t: float) -> None:
    """Body i has a new arc from t on: of its pairs those whose boxes still meet are checked, and the others leave.

    In a body's list what a pair was unwrapped into comes before that pair.
    """
    links = state.links
    row = state.first_pair[i]
    while row >= 0:
        after = next_pair(links, row, i)
        if row != except_row:
            if not boxes_meet(state.boxes, links[row, BODY_A], links[row, BODY_B]):
                if links[row, PARENT] < 0:
                    wrap(model, state, row)
                    part(model, state, row)
            elif links[row, PART] < 0:
                wait = 0.0
                if links[row, PARENT] >= 0:
                    other = links[row, BODY_B] if links[row, BODY_A] == i else links[row, BODY_A]
                    wait = time_to_close(model.bodies, model.tags, state.arcs, state.pairs, row, i, other, t)
                if wait > 0.0:
                    schedule_check(model, state, row, t + wait)
                else:
                    check_now(model, state, row, t)
        row = after


@leaf_kernel
def time_to_close(
    bodies: Floats, tags: Ints, arcs: Floats, pairs: Floats, row: int, i: int, other: int, t: float
) -> float:
    """Time [s] from t on, at which body i's arc begins, in which the pair does not touch; 0 if it may be near."""
    if tags[other, KIND] != FIXED or tags[i, KIND] != FREE:
        return 0.0
    since = t - pairs[row, FLOOR_TIME]
    floor = pairs[row, FLOOR] - (pairs[row, FALL_A] * since + pairs[row, FALL_B]) * since
    envelope = pairs[row, PAIR_ENVELOPE]
    if not floor > FAR * envelope:
        return 0.0
    zero = (0.0, 0.0, 0.0)
    _, _, turn = bound_ballistic(bodies, arcs, i, zero, zero)
    fall_a = 0.5 * length_at(bodies, i, GRAVITY) + turn
    fall_b = length_at(arcs, i, VELOCITY) + length_at(arcs, i, OMEGA) * bodies[i, ARM]
    pairs[row, FLOOR] = floor
    pairs[row, FLOOR_TIME] = t
    pairs[row, FALL_A] = fall_a
    pairs[row, FALL_B] = fall_b
    return first_root(fall_a, fall_b, floor - envelope)


@leaf_kernel
def length_at(table: Floats, row: int, column: int) -> float:
    """Length of the vector that begins in a column of a table."""
    x, y, z = table[row, column], table[row, column + 1], table[row, column + 2]
    return sqrt(x * x + y * y + z * z)
