"""What becomes of a body's pairs when it begins a new arc: they are checked again, now or later, or leave.

The times of a pair's checks were bounded with the old arc. But of a body's pairs few are near, in a pile as on a mesh:
for the others it is enough to know that the gap cannot have closed yet, and when it could at the earliest, wherever the
closest points may be by then. The gap was measured once; since then it has fallen no faster than the coefficients that
are kept with the pair allow. A check that waits for a time a little earlier than it could stays where it is, for most
of the cost is the order of the queue.
"""

from __future__ import annotations

from math import inf

from engine.collision.broad.boxes import boxes_meet
from engine.collision.pair_table import next_pair
from engine.collision.pairs.checks import check_now, schedule_check
from engine.collision.pairs.hull_pairs import separate
from engine.collision.pairs.time_of_impact import first_root
from engine.kernel import kernel
from engine.maths.vectors import norm, sub
from engine.model.model import FREE, KIND, Floats, Ints, Model
from engine.model.state import (
    BODY_A,
    BODY_B,
    FALL_A,
    FALL_B,
    FLOOR,
    FLOOR_TIME,
    HELD,
    PAIR_ENVELOPE,
    PAIR_HELD,
    PAIR_STATE,
    PARENT,
    PART,
    State,
)
from engine.motion.arcs import bound_any_way
from engine.motion.ballistic import ballistic_velocity, bound_turning, gravity_of
from engine.tolerances import ALIKE, FAR


@kernel
def look_again(model: Model, state: State, i: int, except_row: int, t: float) -> None:
    """Body i has a new arc from t on: of its pairs those whose boxes still meet are checked, and the others leave.

    A pair that is unwrapped looks now and then by itself whether it can be wrapped; but if both bodies lay still it
    waits for ever, until now. In a body's list what a pair was unwrapped into comes before that pair.
    """
    links = state.links
    row = state.first_pair[i]
    while row >= 0:
        after = next_pair(links, row, i)
        if row != except_row and links[row, PAIR_STATE] != PAIR_HELD:
            if links[row, PARENT] < 0 and not boxes_meet(state.boxes, links[row, BODY_A], links[row, BODY_B]):
                separate(model, state, row)
            elif links[row, PART] < 0:
                look_when_near(model, state, row, t)
            elif waits_for_ever(model, state, row):
                check_now(model, state, row, t)
        row = after


@kernel
def look_when_near(model: Model, state: State, row: int, t: float) -> None:
    """Check pair `row`, of which one body has a new arc from t on, as soon as it may be near."""
    a, b = state.links[row, BODY_A], state.links[row, BODY_B]
    fall_a, fall_b = bound_closing(model.bodies, model.tags, state.arcs, a, b, t)
    wait = time_to_close(state.pairs, row, fall_a, fall_b, t)
    due = state.keys[state.place[model.tags.shape[0] + row]]
    if not wait > 0.0:
        check_now(model, state, row, t)
    elif due > t + wait or due < t + ALIKE * wait:
        schedule_check(model, state, row, t + wait)


@kernel
def waits_for_ever(model: Model, state: State, row: int) -> bool:
    """Does pair `row` wait in the event queue for no time at all?"""
    return state.keys[state.place[model.tags.shape[0] + row]] == inf


@kernel
def bound_closing(bodies: Floats, tags: Ints, arcs: Floats, a: int, b: int, t: float) -> tuple[float, float]:
    """A, B: bodies a and b come nearer to each other by at most A tau^2 + B tau from t on; inf if one is kinematic.

    Of two that fly only what tells them apart counts: they fall alike.
    """
    if flies(tags, arcs, a) and flies(tags, arcs, b):
        fall = sub(gravity_of(bodies, a), gravity_of(bodies, b))
        slip = sub(ballistic_velocity(bodies, arcs, a, t), ballistic_velocity(bodies, arcs, b, t))
        turn_a, spin_a = bound_turning(bodies, arcs, a)
        turn_b, spin_b = bound_turning(bodies, arcs, b)
        return 0.5 * norm(fall) + turn_a + turn_b, norm(slip) + spin_a + spin_b
    fall_a, way_a = bound_any_way(bodies, tags, arcs, a, t)
    fall_b, way_b = bound_any_way(bodies, tags, arcs, b, t)
    return fall_a + fall_b, way_a + way_b


@kernel
def flies(tags: Ints, arcs: Floats, i: int) -> bool:
    return tags[i, KIND] == FREE and arcs[i, HELD] == 0.0


@kernel
def time_to_close(pairs: Floats, row: int, fall_a: float, fall_b: float, t: float) -> float:
    """Time [s] from t on in which a pair does not touch, if its gap falls as told from then on; 0 if it may be near."""
    since = t - pairs[row, FLOOR_TIME]
    floor = pairs[row, FLOOR] - (pairs[row, FALL_A] * since + pairs[row, FALL_B]) * since
    envelope = pairs[row, PAIR_ENVELOPE]
    if not (floor > FAR * envelope and fall_a < inf and fall_b < inf):
        return 0.0
    pairs[row, FLOOR] = floor
    pairs[row, FLOOR_TIME] = t
    pairs[row, FALL_A] = fall_a
    pairs[row, FALL_B] = fall_b
    return first_root(fall_a, fall_b, floor - envelope)
