"""Gathering a group for its step: its bodies, the pairs between them and with static and kinematic bodies, the points.

Once a step it is decided here which contacts last (engine.group.lasting_contacts): some go back to impulses, and what
has come near inside the group stays with it.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.collision.pair_table import next_pair
from engine.events import set_timer
from engine.group.bodies import load_body, place_of
from engine.group.books import settle_books
from engine.group.islands import hold_body, merge_groups, rouse_group
from engine.group.joints.answers import note_ties
from engine.group.joints.ends import rows_needed
from engine.group.joints.linkages import list_linkage
from engine.group.lasting_contacts import is_kinematic, reach_in_step, switch_pair
from engine.group.measure import measure_now, slip_of, touch_in_group
from engine.group.met import count_met
from engine.group.own_pairs import IN_TURN, may_join, may_meet, touches
from engine.group.pair_tasks import find_points_at_start, lay_points_at_start, list_pairs
from engine.group.pulled import bear_pull
from engine.group.room import correction_rows
from engine.group.sleepers import note_wake
from engine.group.solve.ordering import find_chain
from engine.group.start_points import is_busy, keep_found
from engine.group.warm_start import patch_force
from engine.group.work import (
    ANSWERS_NEEDED,
    ARREST_LOSS,
    ARREST_WORK,
    ARRESTED,
    BODIES,
    CONTACTS,
    CUTS,
    DEBT,
    DRIVEN_HERE,
    ENTRIES_NEEDED,
    FACTORING,
    FORCE,
    GROUNDED,
    JAMMED,
    JOINT_ROWS,
    LINK_LOSS,
    LINKAGES,
    LONGEST,
    MISS,
    NEEDED,
    PAIRS_HELD,
    PAIRS_LISTED,
    RING,
    SLEEPERS_HERE,
    SQUEEZED,
    TORN,
    TORQUE,
    TURN,
    UNEVEN_HERE,
    Work,
)
from engine.impulse.envelope import fall_speed
from engine.joints.rows import hangs_free
from engine.journal import NEAR_IN_GROUP, NONE
from engine.kernel import kernel
from engine.maths.vectors import dot, norm, vector_at
from engine.model.model import FREE, KIND, LINKAGE, SPINNER, Floats, Ints, Model
from engine.model.state import (
    ASLEEP,
    BODY_A,
    BODY_B,
    CAUSES,
    COUPLE,
    CUT_DEBT,
    FRESH,
    GAP,
    HELD,
    HELD_UNTIL,
    HORIZON,
    LEADER,
    LOCAL,
    MEMBERS,
    NEWTON_DEBT,
    NEXT_MEMBER,
    NORMAL,
    PAIR_ENVELOPE,
    PAIR_HELD,
    PAIR_STATE,
    State,
)
from engine.motion.arcs import evolve
from engine.motion.kinematic import kinematic_acceleration
from engine.tolerances import LOW

# What sleeps beside a group is gathered with it, from body to body:
ALONE = 0  # none of it
REACHED = 1  # those of which Work.uneasy tells a ring, see engine.group.reached
ALL = 2


@kernel
def gather_group(
    model: Model, state: State, work: Work, log: Floats, log_size: Ints, i: int, t: float, far: int
) -> int:
    """Bodies and contacts of the group of body i at time t; who leads it then. work.sizes[NEEDED] tells how many rows
    they take.

    It stands on sleepers as on the ground, but wakes those on which it comes down; one that it lets go of is looked at
    next. far: which of those that sleep on it, or below it, are gathered with it.
    """
    while not _gather(model, state, work, log, log_size, state.members[i, LEADER], t, far):
        pass
    return int(state.members[i, LEADER])


@kernel
def _gather(
    model: Model, state: State, work: Work, log: Floats, log_size: Ints, leader: int, t: float, far: int
) -> bool:
    """The same, of the group of `leader`. False: somebody has woken, who belongs to the group now."""
    gather_bodies(model, state, work, leader, t)
    work.sizes[CONTACTS] = work.sizes[JOINT_ROWS] = 0
    work.sizes[PAIRS_HELD] = work.sizes[PAIRS_LISTED] = 0
    work.sizes[NEEDED] = 0
    work.sizes[ARRESTED] = work.sizes[JAMMED] = work.sizes[DRIVEN_HERE] = work.sizes[UNEVEN_HERE] = 0
    work.sizes[SLEEPERS_HERE] = 0
    for cause in range(CAUSES):
        work.link[ARREST_LOSS + cause] = 0.0
    work.link[ARREST_WORK] = work.link[LINK_LOSS] = 0.0
    work.sizes[GROUNDED] = 0
    for n in range(work.sizes[LINKAGES]):
        if not hangs_free(model.tags, model.joints, work.linkage[n]):
            work.sizes[GROUNDED] = 1
    work.link[LONGEST] = inf
    work.link[TURN] = work.link[MISS] = 0.0
    work.link[FACTORING], work.sizes[ENTRIES_NEEDED] = 0.0, 0  # Newton's matrix has no order before it is asked for
    work.link[DEBT], work.link[CUTS] = state.groups[leader, NEWTON_DEBT], state.groups[leader, CUT_DEBT]
    if not _gather_pairs(model, state, work, log, log_size, leader, 0, t, far):
        return False
    work.sizes[NEEDED] += rows_needed(model.joints, work)
    _prepare_solve(model, state, work, t)
    return True


@kernel
def _prepare_solve(model: Model, state: State, work: Work, t: float) -> None:
    """What the mouse pulls, how far sweeps have to carry impulses, and what room the answers of linkages need."""
    work.link[LONGEST] = min(work.link[LONGEST], bear_pull(model, state, work, t))
    find_chain(model, state, work)
    work.sizes[ANSWERS_NEEDED] = work.sizes[TORN] = work.sizes[SQUEEZED] = 0
    if work.sizes[LINKAGES] > 0 and work.sizes[NEEDED] <= work.contact.shape[0]:
        note_ties(model.tags, model.joints, work, 0, work.sizes[CONTACTS])


@kernel
def _gather_pairs(
    model: Model, state: State, work: Work, log: Floats, log_size: Ints, leader: int, first: int, t: float, far: int
) -> bool:
    """The pairs of the group's bodies from place `first` on; those before have had theirs gathered."""
    links = state.links
    busy = is_busy(work)
    listed = list_pairs(model, state, work, t) if first == 0 and far == ALONE else 0
    at = first
    while at < work.sizes[BODIES]:
        if at < listed and work.owns[at] != IN_TURN:
            for k in range(work.owns[at]):
                _list_pair(model, state, work, log, log_size, work.own[at, k], t)
            at += 1
            continue
        i = work.body[at]
        row = state.first_pair[i]
        while row >= 0:
            after = next_pair(links, row, i)
            a, b = links[row, BODY_A], links[row, BODY_B]
            other = b if a == i else a
            free = model.tags[other, KIND] == FREE
            beside = free and state.members[other, LOCAL] < 0  # nobody of the group
            if free and not beside and a != i and state.members[other, LOCAL] >= first:
                row = after  # it is the other's
                continue
            near = touches(model, state, row)
            held = links[row, PAIR_STATE] == PAIR_HELD
            if beside and near:
                if held and _comes_too(work, other, far):
                    _add_sleepers(model, state, work, other, t)
                elif busy:
                    _take_in(model, state, work, leader, row, other, t)
                beside = state.members[other, LOCAL] < 0
            sleeps = beside and not _comes_too(work, other, far) and state.arcs[other, HELD] == ASLEEP
            if sleeps and near and _comes_down(model, state, work, row, other, t):
                _wake(model, state, work, log, log_size, other, t)
                return False
            mine = not free or sleeps or (not beside and (a == i or state.members[other, LOCAL] < first))
            if mine and near and (held or may_join(model.settings, state, row, busy, t)):
                _list_pair(model, state, work, log, log_size, row, t)
            row = after
        at += 1
    _take_listed(model, state, work, log, log_size, t)
    return True


@kernel
def _comes_too(work: Work, other: int, far: int) -> bool:
    """Is sleeping body `other` one of those that are gathered with the group?"""
    return bool(far == ALL or (far == REACHED and work.uneasy[other, RING] > 0))


@kernel
def gather_more(
    model: Model, state: State, work: Work, log: Floats, log_size: Ints, leader: int, count: int, t: float
) -> int:
    """Gather the first `count` pairs of work.sent, too, of a busy group whose bodies and contacts have been gathered
    at t, and whoever comes with them; who leads it then."""
    links, members = state.links, state.members
    first = work.sizes[BODIES]
    for n in range(count):
        row = work.sent[n]
        if links[row, PAIR_STATE] == PAIR_HELD:
            continue
        for side in (BODY_A, BODY_B):
            other = links[row, side]
            if model.tags[other, KIND] != FREE or members[other, LOCAL] >= 0:
                continue
            if state.arcs[other, HELD] != ASLEEP:
                _take_in(model, state, work, leader, row, other, t)
            elif _comes_down(model, state, work, row, other, t):
                _wake(model, state, work, log, log_size, other, t)
                return gather_group(model, state, work, log, log_size, leader, t, ALONE)
        if _is_of(model, members, links[row, BODY_A], first) and _is_of(model, members, links[row, BODY_B], first):
            if may_join(model.settings, state, row, True, t):
                _list_pair(model, state, work, log, log_size, row, t)
                _take_listed(model, state, work, log, log_size, t)
    if not _gather_pairs(model, state, work, log, log_size, leader, first, t, ALONE):
        return gather_group(model, state, work, log, log_size, leader, t, ALONE)
    _prepare_solve(model, state, work, t)
    return leader


@kernel
def _is_of(model: Model, members: Ints, i: int, count: int) -> bool:
    """Is body i one of the first `count` of the group, or no free body?"""
    return model.tags[i, KIND] != FREE or 0 <= members[i, LOCAL] < count


@kernel
def _add_sleepers(model: Model, state: State, work: Work, other: int, t: float) -> None:
    """Body `other` touches the group: rows for it, and those of its group, if it sleeps."""
    if state.members[other, LOCAL] >= 0 or state.arcs[other, HELD] != ASLEEP:
        return
    its = state.members[other, LEADER]
    _add_bodies(model, state, work, its, state.members[its, MEMBERS], t)


@kernel
def _comes_down(model: Model, state: State, work: Work, row: int, other: int, t: float) -> bool:
    """Does the group come down on sleeping body `other`, of pair `row`, within a step, so that it moves it?

    What does so from on high is an impact, unless the group is busy. What joints tie bears with all of them, and wakes
    at once.
    """
    held = state.links[row, PAIR_STATE] == PAIR_HELD
    if not held and not may_meet(model.settings, state.pairs, row, t):
        return False
    if held and model.tags[other, LINKAGE] >= 0:
        return True
    if not is_busy(work):
        return False
    touch = touch_in_group(model, state, work, row, t)
    measure_now(model, state, touch, t)
    envelope = state.pairs[row, PAIR_ENVELOPE]
    approach = -dot(slip_of(state.pairs, touch), vector_at(state.pairs, row, NORMAL))
    near = state.pairs[row, GAP] <= reach_in_step(model.settings, envelope, approach)
    return near and approach > fall_speed(model.settings, envelope)


@kernel
def _wake(model: Model, state: State, work: Work, log: Floats, log_size: Ints, other: int, t: float) -> None:
    """Sleeping body `other` is of the group from t on."""
    note_wake(model, state, log, log_size, other, t)
    rouse_group(model, state, other, t)
    settle_books(model, state, state.members[work.body[0], LEADER], t)
    merge_groups(state.members, state.groups, work.body[0], other)


@kernel
def gather_bodies(model: Model, state: State, work: Work, leader: int, t: float) -> None:
    """Rows for the bodies of the group of `leader`, as they are at time t."""
    for at in range(work.sizes[BODIES]):
        state.members[work.body[at], LOCAL] = -1
    work.sizes[BODIES] = 0
    work.sizes[LINKAGES] = 0
    _add_bodies(model, state, work, leader, state.members[leader, MEMBERS], t)


@kernel
def _add_bodies(model: Model, state: State, work: Work, i: int, more: int, t: float) -> None:
    """Rows for body i and those after it in its group's list, `more` in all."""
    count = work.sizes[BODIES]
    for _ in range(more):
        work.body[count] = i
        # What was bounded with an arc that now ends early must be bounded again; speed bounds hold beyond a step's end.
        work.look[count] = 1 if state.arcs[i, HELD_UNTIL] > t or state.members[i, FRESH] == 1 else 0
        state.members[i, LOCAL] = count
        x, q, v, w = evolve(model.bodies, model.tags, state.arcs, i, t)
        load_body(model.bodies, work, i, count, x, q, v, w)
        for c in range(3):
            work.poses[count, FORCE + c] = 0.0
            work.poses[count, TORQUE + c] = state.loads[i, COUPLE + c]
        list_linkage(model.tags, model.joints, work, i, count)
        count += 1
        i = state.members[i, NEXT_MEMBER]
    work.sizes[BODIES] = count


@kernel
def _take_in(model: Model, state: State, work: Work, leader: int, row: int, other: int, t: float) -> None:
    """The busy group of `leader` takes in body `other`, and those of its group, if it may come to touch in its step.

    Hits on it are resolved together with all that it bears, in its own time, or each would cost a step of it.
    """
    members = state.members
    its = members[other, LEADER]
    if its >= 0 and (state.arcs[other, HELD] == ASLEEP or members[its, MEMBERS] >= members[leader, MEMBERS]):
        return
    if not may_meet(model.settings, state.pairs, row, t):
        return
    touch = touch_in_group(model, state, work, row, t)
    measure_now(model, state, touch, t)
    approach = -dot(slip_of(state.pairs, touch), vector_at(state.pairs, row, NORMAL))
    if state.pairs[row, GAP] > reach_in_step(model.settings, state.pairs[row, PAIR_ENVELOPE], approach):
        return
    if its < 0:
        hold_body(model, state, other, t)
        its = other
    more = members[its, MEMBERS]
    settle_books(model, state, its, t)
    merge_groups(members, state.groups, leader, its)
    _add_bodies(model, state, work, its, more, t)


@kernel
def _list_pair(model: Model, state: State, work: Work, log: Floats, log_size: Ints, row: int, t: float) -> None:
    """Pair `row` may be a contact of the group. Of many that may, few are: a full list is looked at at once."""
    if work.sizes[PAIRS_LISTED] == work.pair.shape[0]:
        _take_listed(model, state, work, log, log_size, t)
    if work.sizes[NEEDED] <= work.contact.shape[0]:
        work.pair[work.sizes[PAIRS_LISTED]] = row
        work.sizes[PAIRS_LISTED] += 1


@kernel
def _take_listed(model: Model, state: State, work: Work, log: Floats, log_size: Ints, t: float) -> None:
    """Of the pairs that have been listed those that touch, slowly, at t last: rows for their points. Others wait on
    the heap."""
    if work.sizes[NEEDED] > work.contact.shape[0]:
        return
    first, last = work.sizes[PAIRS_HELD], work.sizes[PAIRS_LISTED]
    work.sizes[PAIRS_LISTED] = first
    find_points_at_start(model, state, work, first, last, t)
    held, rows = first, work.sizes[CONTACTS]
    for p in range(first, last):
        if work.reason[p] == NONE:
            held += 1
            rows += work.many[p] + count_met(work, work.pair[p])
    work.sizes[NEEDED] = rows + correction_rows(held)
    if work.sizes[NEEDED] > work.contact.shape[0]:
        return
    held, rows = first, work.sizes[CONTACTS]
    for p in range(first, last):
        row = work.pair[p]
        if work.reason[p] != NONE:
            _let_go(model, state, log, log_size, row, t, work.reason[p])
            continue
        switch_pair(model, state, log, log_size, row, t, NEAR_IN_GROUP)
        keep_found(work, p, held)
        work.first[held] = work.begun[held] = rows
        rows += work.many[held] + count_met(work, row)
        held += 1
        work.begun[held] = rows
        _look_at_ground(model, state, work, row, t)
    work.sizes[PAIRS_HELD] = work.sizes[PAIRS_LISTED] = held
    work.sizes[CONTACTS] = rows
    lay_points_at_start(model, state, work, first, held, t)


@kernel
def _let_go(model: Model, state: State, log: Floats, log_size: Ints, row: int, t: float, reason: int) -> None:
    """Pair `row` is no contact of the group, or no longer: a sleeper that it has lain on is looked at next."""
    held = state.links[row, PAIR_STATE] == PAIR_HELD
    switch_pair(model, state, log, log_size, row, t, reason)
    if not held or state.links[row, PAIR_STATE] == PAIR_HELD or norm(patch_force(state.patches, row)) == 0.0:
        return
    for side in (BODY_A, BODY_B):
        i = state.links[row, side]
        if model.tags[i, KIND] == FREE and state.members[i, LOCAL] < 0:
            state.groups[state.members[i, LEADER], HORIZON] = t
            set_timer(state, state.members[i, LEADER])


@kernel
def _may_change(tags: Ints, arcs: Floats, i: int) -> bool:
    """May body i, which belongs to no group that moves, begin to go otherwise by itself: by its script, or it wakes?"""
    if tags[i, KIND] == FREE:
        return arcs[i, HELD] == ASLEEP
    return is_kinematic(tags, i) and tags[i, KIND] != SPINNER


@kernel
def _look_at_ground(model: Model, state: State, work: Work, row: int, t: float) -> None:
    """Of a body of pair `row` that is not of the group: does it move, may it begin to move otherwise, and in how long a
    step does a kinematic one leave its chord by no more than a part of the envelope?"""
    normal = vector_at(state.pairs, row, NORMAL)
    most = 0.0
    for side in (BODY_A, BODY_B):
        i = state.links[row, side]
        if place_of(model.tags, state.members, i) >= 0:
            continue
        work.sizes[GROUNDED] = 1
        _, _, v, w = evolve(model.bodies, model.tags, state.arcs, i, t)
        if norm(v) + norm(w) > 0.0:
            work.sizes[DRIVEN_HERE] = 1
        if _may_change(model.tags, state.arcs, i):
            work.sizes[UNEVEN_HERE] = 1
        if model.tags[i, KIND] == FREE and state.arcs[i, HELD] == ASLEEP:
            work.sizes[SLEEPERS_HERE] = 1
        if is_kinematic(model.tags, i):
            most = max(most, kinematic_acceleration(model.bodies, model.tags, state.arcs, i, t, normal))
    if most > 0.0:
        envelope = state.pairs[row, PAIR_ENVELOPE]
        work.link[LONGEST] = min(work.link[LONGEST], sqrt(8.0 * LOW * envelope / most))
