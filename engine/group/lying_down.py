"""Bodies that fall asleep one by one, beside others of their group that still move.

Each is a sleeping group of its own. It must have been still, nothing but contacts and loads that stay may act on it,
and what moves may not bear it: others lie on sleepers as on the ground, but what sleeps on what moves would have to be
held by its sleep, as soon as that gives way. So a pile falls asleep from the ground up.
"""

from __future__ import annotations

from math import inf

from engine.collision.pair_table import next_pair, other_of
from engine.events import set_timer
from engine.group.bodies import least_stir, place_of, rim_speed
from engine.group.lasting_contacts import is_kinematic
from engine.group.sleep import is_slow, set_apart, stop_body
from engine.group.stillness import has_been_still
from engine.group.warm_start import patch_force
from engine.group.work import BODIES, GROUNDED, PAIRS_HELD, Work
from engine.kernel import kernel
from engine.maths.vectors import dot, vector_at
from engine.model.model import (
    GRAVITY,
    GRAVITY_NORM,
    LINKAGE,
    LONGEST_STEP,
    MASS,
    MAY_SLEEP,
    SIZE,
    Floats,
    Ints,
    Model,
)
from engine.model.state import (
    BODY_A,
    BODY_B,
    CORRECTION_BUDGET,
    CUT_DEBT,
    ELASTIC,
    GROUP_WIDTH,
    HELD_ACCELERATION,
    HELD_ALPHA,
    HORIZON,
    LEADER,
    LOCAL,
    MEMBERS,
    NEXT_MEMBER,
    PAIR_HELD,
    PAIR_STATE,
    STEP,
    State,
)
from engine.tolerances import ALIKE, LAY_WAIT


@kernel
def lay_down(model: Model, state: State, work: Work, log: Floats, log_size: Ints, leader: int, t: float) -> int:
    """Those of the group that rest, if others do not, fall asleep at t; who leads the others.

    work.sizes[BODIES] is 0 then: they must be gathered again.
    """
    period = LAY_WAIT * model.settings[LONGEST_STEP]
    if int(t / period) == int((t - state.groups[leader, STEP]) / period):
        return leader
    count = _find_resting(model, state, work, t)
    # To gather the others anew, and whom they wake, costs about as much as a few of many save until the next time.
    if count == work.sizes[BODIES] or 4 * count < work.sizes[BODIES]:
        return leader
    first = last = -1
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        state.members[i, LOCAL] = -1
        if work.root[at] == 1:
            continue
        if first < 0:
            first = i
            for c in range(GROUP_WIDTH):
                state.groups[i, c] = state.groups[leader, c]
        else:
            state.members[last, NEXT_MEMBER] = i
        state.members[i, LEADER] = first
        last = i
    state.members[last, NEXT_MEMBER] = -1
    state.members[first, MEMBERS] = work.sizes[BODIES] - count
    for at in range(work.sizes[BODIES]):
        if work.root[at] == 1:
            _lay_body(model, state, work, log, log_size, at, t)
    work.sizes[BODIES] = 0
    set_timer(state, first)
    return int(first)


@kernel
def _find_resting(model: Model, state: State, work: Work, t: float) -> int:
    """Which bodies of the group may fall asleep by themselves, 1 in work.root; how many."""
    if model.settings[MAY_SLEEP] == 0.0 or work.sizes[GROUNDED] == 0:
        return 0
    for at in range(work.sizes[BODIES]):
        work.root[at] = 1 if _rests(model, state, work, at, t) else 0
    for p in range(work.sizes[PAIRS_HELD]):
        a, b = state.links[work.pair[p], BODY_A], state.links[work.pair[p], BODY_B]
        if is_kinematic(model.tags, a):
            work.root[state.members[b, LOCAL]] = 0
        elif is_kinematic(model.tags, b):
            work.root[state.members[a, LOCAL]] = 0
    while _keep_awake(model, state, work):
        pass
    count = 0
    for at in range(work.sizes[BODIES]):
        count += work.root[at]
    return count


@kernel
def _keep_awake(model: Model, state: State, work: Work) -> bool:
    """What those that stay awake bear stays awake, too. Is there any of the group?"""
    found = False
    for at in range(work.sizes[BODIES]):
        if work.root[at] == 1 and _lies_on_awake(model, state, work, work.body[at]):
            work.root[at] = 0
            found = True
    return found


@kernel
def _lies_on_awake(model: Model, state: State, work: Work, i: int) -> bool:
    """Do those that stay awake push body i up by more of its weight than its sleep may bear?"""
    gravity = vector_at(model.bodies, i, GRAVITY)
    borne = 0.0
    row = state.first_pair[i]
    while row >= 0:
        other = other_of(state.links, row, i)
        place = place_of(model.tags, state.members, other)
        if state.links[row, PAIR_STATE] == PAIR_HELD and place >= 0 and work.root[place] == 0:
            sign = -1.0 if state.links[row, BODY_A] == i else 1.0
            borne += max(sign * dot(patch_force(state.patches, row), gravity), 0.0)
        row = next_pair(state.links, row, i)
    least = least_stir(model.settings, model.bodies[i, SIZE])
    return borne > least * model.bodies[i, MASS] * model.settings[GRAVITY_NORM]


@kernel
def _rests(model: Model, state: State, work: Work, at: int, t: float) -> bool:
    """Has body `at` of the group been still for long enough, without joints, and does nothing speed it up?"""
    i = work.body[at]
    if model.tags[i, LINKAGE] >= 0 or not has_been_still(model, state, i) or not is_slow(model, state, work, at, t):
        return False
    gains = rim_speed(
        model.bodies, i, vector_at(state.arcs, i, HELD_ACCELERATION), vector_at(state.arcs, i, HELD_ALPHA)
    )
    return gains <= ALIKE * least_stir(model.settings, model.bodies[i, SIZE])


@kernel
def _lay_body(model: Model, state: State, work: Work, log: Floats, log_size: Ints, at: int, t: float) -> None:
    """Body `at` falls asleep by itself."""
    i = work.body[at]
    stop_body(model, state, work, log, log_size, at, t)
    set_apart(state, i)
    state.groups[i, HORIZON] = inf
    state.groups[i, CORRECTION_BUDGET] = state.groups[i, ELASTIC] = state.groups[i, CUT_DEBT] = 0.0
    set_timer(state, i)
