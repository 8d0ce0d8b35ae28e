"""The pairs of each body of a group that may be contacts of it at the start of its step, listed body by body.

A task reads of all bodies and writes to the rows of its own ones only (engine.group.pair_tasks). Where a pair may bring
in a body that is not of the group, the others' pairs depend on it: those bodies are gathered in turn
(engine.group.gather).
"""

from __future__ import annotations

from math import inf

from engine.collision.pair_table import next_pair, other_of
from engine.collision.pairs.hull_pairs import is_guard
from engine.group.pair_states import state_of
from engine.group.start_points import is_busy
from engine.group.work import MOST_OWN, Work
from engine.kernel import kernel
from engine.model.model import CONTACT, FREE, IMPULSE, KIND, LINKAGE, LONGEST_STEP, Floats, Model
from engine.model.state import (
    ASLEEP,
    BODY_A,
    FALL_A,
    FALL_B,
    FLOOR,
    FLOOR_TIME,
    GAP,
    HELD,
    LEADER,
    LOCAL,
    MEMBERS,
    PAIR_ENVELOPE,
    PAIR_HELD,
    PAIR_HELD_OFF,
    PAIR_STATE,
    PART,
    SHAPE_A,
    SHAPE_B,
    State,
)
from engine.tolerances import CONTACT_REACH

IN_TURN = -1


@kernel
def list_own_pairs(model: Model, state: State, work: Work, at: int, t: float) -> None:
    """List the pairs of body `at` that may be contacts of its group at t, of two members those of a, in work.own; how
    many they are, or IN_TURN, in work.owns."""
    links, i, busy = state.links, work.body[at], is_busy(work)
    count = 0
    row = state.first_pair[i]
    while row >= 0 and count != IN_TURN:
        other = other_of(links, row, i)
        free = model.tags[other, KIND] == FREE
        beside = free and state.members[other, LOCAL] < 0
        if not free or beside or links[row, BODY_A] == i:
            # Most are too far apart, which is in the rows' first cache lines; whether they are surfaces is not.
            comes_in = beside and _may_come_in(model, state, row, i, other, busy, t)
            is_own = not beside or state.arcs[other, HELD] == ASLEEP
            held = links[row, PAIR_STATE] == PAIR_HELD
            listed = is_own and (held or may_join(model.settings, state, row, busy, t))
            if (comes_in or listed) and touches(model, state, row):
                full = comes_in or count == MOST_OWN
                if not full:
                    work.own[at, count] = row
                count = IN_TURN if full else count + 1
        row = next_pair(links, row, i)
    work.owns[at] = count


@kernel
def touches(model: Model, state: State, row: int) -> bool:
    """Is pair `row` one of two surfaces, which may touch?"""
    links = state.links
    return links[row, PART] < 0 and not is_guard(model.trees, links[row, SHAPE_A], links[row, SHAPE_B])


@kernel
def _may_come_in(model: Model, state: State, row: int, i: int, other: int, busy: bool, t: float) -> bool:
    """May body `other`, which is not of the group of body i, come to be of it by pair `row`?"""
    if state.arcs[other, HELD] == ASLEEP:
        held = state.links[row, PAIR_STATE] == PAIR_HELD
        tied = held and model.tags[other, LINKAGE] >= 0
        return tied or (busy and (held or may_meet(model.settings, state.pairs, row, t)))
    members = state.members
    its, mine = members[other, LEADER], members[i, LEADER]
    smaller = its < 0 or members[its, MEMBERS] < members[mine, MEMBERS]
    return busy and smaller and may_meet(model.settings, state.pairs, row, t)


@kernel
def may_meet(settings: Floats, pairs: Floats, row: int, t: float) -> bool:
    """By what is known of its gap, may pair `row` touch within the longest step from t on?"""
    if not pairs[row, GAP] < inf:
        return True
    since = t + settings[LONGEST_STEP] - pairs[row, FLOOR_TIME]
    fallen = (pairs[row, FALL_A] * since + pairs[row, FALL_B]) * since
    return pairs[row, FLOOR] - fallen <= CONTACT_REACH * pairs[row, PAIR_ENVELOPE]


@kernel
def may_join(settings: Floats, state: State, row: int, busy: bool, t: float) -> bool:
    """May pair `row`, which is left to impulses so far, become a lasting contact in this step?"""
    if settings[CONTACT] == IMPULSE or not (busy or state.pairs[row, GAP] != inf):
        return False
    return may_meet(settings, state.pairs, row, t) and state_of(settings, state, row, t) != PAIR_HELD_OFF
