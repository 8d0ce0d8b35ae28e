"""What arrests at the start of a busy group's step send on: bodies that hit others there and then hit what the step has
not seen.

What will hit a group is gathered by how it comes. A body that is struck goes otherwise, and meets what it would have
left alone: within the same step, and each such hit would cut it.
"""

from __future__ import annotations

from engine.collision.pair_table import next_pair, other_of
from engine.group.measure import hold_floor, measure_now, slip_of, touch_in_group, touches_beside
from engine.group.own_pairs import may_meet
from engine.group.pair_states import state_of
from engine.group.pair_tasks import look_who_is_struck
from engine.group.sleepers import sleeper_of
from engine.group.struck import SENT_ON, STRUCK, UNHURT, is_unseen, may_come_near, struck_by
from engine.group.work import (
    ARREST_LOSS,
    ARREST_WORK,
    ARRESTED,
    BODIES,
    PAIRS_HELD,
    START_IMPULSE,
    UNEVEN_HERE,
    Q,
    V,
    W,
    Work,
    X,
)
from engine.kernel import kernel
from engine.maths.quaternions import quat_at
from engine.maths.vectors import dot, norm, vector_at
from engine.model.model import FREE, KIND, Model
from engine.model.state import (
    CAUSES,
    FALL_A,
    FALL_B,
    FRESH,
    LEADER,
    LOCAL,
    MEMBERS,
    NORMAL,
    PAIR_HELD_OFF,
    State,
)
from engine.motion.held import go_on_with
from engine.motion.motion import Motion


@kernel
def find_sent_on(model: Model, state: State, work: Work, t: float) -> int:
    """Pairs of which the step knows nothing yet, and that meet within a longest step from t on because one of their
    bodies has been struck, into work.sent, and how many they are; one of two struck bodies may be there twice.

    Leaves in work.root who has been struck at all.
    """
    count = 0
    look_who_is_struck(model, state, work, t)
    for at in range(work.sizes[BODIES]):
        if work.root[at] != SENT_ON:
            continue
        i = work.body[at]
        row = state.first_pair[i]
        while row >= 0:
            unseen = is_unseen(model, state, row) and count < len(work.sent)
            if unseen and _is_sent_on(model, state, work, row, i, t):
                work.sent[count] = row
                count += 1
            row = next_pair(state.links, row, i)
    return count


@kernel
def note_struck(model: Model, state: State, work: Work, t: float) -> None:
    """Who has been struck, into work.root."""
    for at in range(work.sizes[BODIES]):
        work.root[at] = STRUCK if struck_by(model, state, work, at, t) > 0.0 else UNHURT


@kernel
def strikes_sleepers(model: Model, state: State, work: Work) -> bool:
    """Has something that sleeps been struck? It holds that in the step to come, or wakes and the step is made again:
    what struck it is not sent on before."""
    if work.sizes[UNEVEN_HERE] == 0:  # nothing that sleeps is touched
        return False
    for p in range(work.sizes[PAIRS_HELD]):
        if sleeper_of(model, state, work.pair[p]) < 0:
            continue
        for k in range(work.begun[p], work.begun[p + 1]):
            if norm(vector_at(work.start, k, START_IMPULSE)) > 0.0:
                return True
    return False


@kernel
def _is_sent_on(model: Model, state: State, work: Work, row: int, i: int, t: float) -> bool:
    """Does pair `row` of struck body i meet in the step, as one of those that the group may take in?"""
    members, pairs = state.members, state.pairs
    other = other_of(state.links, row, i)
    its = members[other, LEADER] if model.tags[other, KIND] == FREE else -1
    if its >= 0 and members[other, LOCAL] < 0 and members[its, MEMBERS] >= members[members[i, LEADER], MEMBERS]:
        return False
    if state_of(model.settings, state, row, t) == PAIR_HELD_OFF:
        return False
    if not may_come_near(model, state, work, row, i, t):
        return False
    touch = touch_in_group(model, state, work, row, t)
    measure_now(model, state, touch, t)
    approach = -dot(slip_of(pairs, touch), vector_at(pairs, row, NORMAL))
    if approach <= 0.0:
        return False
    hold_floor(pairs, row, t)
    pairs[row, FALL_A], pairs[row, FALL_B] = 0.0, approach
    return may_meet(model.settings, pairs, row, t) and not touches_beside(model, state, touch)


@kernel
def send_on(model: Model, state: State, work: Work, t: float) -> None:
    """Bodies of the group that have been struck go on from t with the velocities that they have now.

    They may be struck again; what that took has been booked.
    """
    for at in range(work.sizes[BODIES]):
        if work.root[at] == UNHURT:
            continue
        i = work.body[at]
        x, q = vector_at(work.poses, at, X), quat_at(work.poses, at, Q)
        v, w = vector_at(work.twists, at, V), vector_at(work.twists, at, W)
        go_on_with(model.bodies, state.arcs, i, Motion(x, q, v, w), t)
        state.members[i, FRESH] = work.look[at] = 1
    for cause in range(CAUSES):
        work.link[ARREST_LOSS + cause] = 0.0
    work.link[ARREST_WORK] = 0.0
    work.sizes[ARRESTED] = 0
