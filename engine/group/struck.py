"""Bodies of a group that arrests at the start of its step have struck, each by itself (engine.group.pair_tasks)."""

from __future__ import annotations

from engine.collision.pair_table import next_pair, other_of
from engine.group.bodies import calm_speed, place_of, rim_speed
from engine.group.own_pairs import touches
from engine.group.work import V, W, Work
from engine.kernel import kernel
from engine.maths.vectors import Vec3, norm, sub, vector_at
from engine.model.model import ARM, LONGEST_STEP, SIZE, Model
from engine.model.state import (
    FALL_A,
    FALL_B,
    FLOOR,
    FLOOR_TIME,
    PAIR_ENVELOPE,
    PAIR_HELD,
    PAIR_STATE,
    State,
)
from engine.motion.arcs import evolve
from engine.tolerances import CONTACT_REACH

UNHURT = 0
STRUCK = 1
SENT_ON = 2  # so that it may meet what the step knows nothing of


@kernel
def look_whether_struck(model: Model, state: State, work: Work, at: int, t: float) -> None:
    """Has body `at` of the group been struck at t, and may it meet others by that? One of the above, into work.root.

    What a hit makes no faster than what rests comes nowhere by it.
    """
    i, change = work.body[at], struck_by(model, state, work, at, t)
    work.root[at] = STRUCK if change > 0.0 else UNHURT
    if change <= calm_speed(model.settings, model.bodies[i, SIZE]):
        return
    row = state.first_pair[i]
    while row >= 0 and work.root[at] != SENT_ON:
        # Most are too far apart, which is in the rows' first cache lines; whether they are surfaces is not.
        if state.links[row, PAIR_STATE] != PAIR_HELD and may_come_near(model, state, work, row, i, t):
            if touches(model, state, row):
                work.root[at] = SENT_ON
        row = next_pair(state.links, row, i)


@kernel
def struck_by(model: Model, state: State, work: Work, at: int, t: float) -> float:
    """By how much arrests at t have changed the velocity of a point of body `at` at most [m/s]."""
    i = work.body[at]
    _, _, v, w = evolve(model.bodies, model.tags, state.arcs, i, t)
    by_v, by_w = sub(vector_at(work.twists, at, V), v), sub(vector_at(work.twists, at, W), w)
    return rim_speed(model.bodies, i, by_v, by_w)


@kernel
def is_unseen(model: Model, state: State, row: int) -> bool:
    """Is pair `row` one of two surfaces, and no contact of the group?"""
    return state.links[row, PAIR_STATE] != PAIR_HELD and touches(model, state, row)


@kernel
def may_come_near(model: Model, state: State, work: Work, row: int, i: int, t: float) -> bool:
    """By what is known of the gap of pair `row` of body i so far, and how fast its bodies are, may it touch within the
    longest step?"""
    pairs, bodies, other = state.pairs, model.bodies, other_of(state.links, row, i)
    since = t - pairs[row, FLOOR_TIME]
    floor = pairs[row, FLOOR] - (pairs[row, FALL_A] * since + pairs[row, FALL_B]) * since
    v_a, w_a = _velocities(model, state, work, i, t)
    v_b, w_b = _velocities(model, state, work, other, t)
    fastest = norm(sub(v_a, v_b)) + bodies[i, ARM] * norm(w_a) + bodies[other, ARM] * norm(w_b)
    return not floor - fastest * model.settings[LONGEST_STEP] > CONTACT_REACH * pairs[row, PAIR_ENVELOPE]


@kernel
def _velocities(model: Model, state: State, work: Work, i: int, t: float) -> tuple[Vec3, Vec3]:
    """Of body i at t, whether it is of the group or not."""
    at = place_of(model.tags, state.members, i)
    if at >= 0:
        return vector_at(work.twists, at, V), vector_at(work.twists, at, W)
    _, _, v, w = evolve(model.bodies, model.tags, state.arcs, i, t)
    return v, w
