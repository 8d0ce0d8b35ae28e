"""Who belongs to which contact group: joining, merging, splitting and leaving, as lists in the State."""

from __future__ import annotations

from math import inf

from engine.collision.pair_table import next_pair
from engine.group.bodies import applied_power, energy_of
from engine.group.books import add_point, add_power, close_step, settle_books
from engine.group.joints.elements import book_elements, first_body
from engine.group.stillness import look_whether_still, stir
from engine.group.work import (
    APPLIED_WORK,
    BODIES,
    CONTACTS,
    CUTS,
    DEBT,
    ENERGY_END,
    GROUNDED,
    LINK_WORK,
    LINKAGES,
    NEXT,
    PURE_ENERGY,
    SIDE_A,
    SIDE_B,
    Q,
    V,
    W,
    Work,
    X,
)
from engine.impulse.envelope import lift_energy
from engine.joints.rows import is_dynamic
from engine.kernel import kernel
from engine.maths.quaternions import quat_at, rotate_inverse
from engine.maths.vectors import vector_at
from engine.model.joints import ACTING, ENTRIES, ENTRY_BODY, ENTRY_FREE, FIRST_ENTRY, Joints
from engine.model.model import (
    CONTACT,
    FIRST_ORDER,
    FREE,
    KIND,
    LINKAGE,
    LONGEST_STEP,
    PENALTY,
    Floats,
    Ints,
    Model,
)
from engine.model.state import (
    ASLEEP,
    BODY_A,
    BODY_B,
    BOOKED_UNTIL,
    CAUSES,
    CORRECTION_BUDGET,
    CUT_DEBT,
    ELASTIC,
    ENERGY,
    FRESH,
    GROUND,
    HELD,
    HORIZON,
    LEADER,
    LOCAL,
    LOSS,
    MEMBERS,
    NEWTON_DEBT,
    NEXT_MEMBER,
    NEXT_STEP,
    NUMERICAL,
    PAIR_HELD,
    PAIR_STATE,
    POWER,
    PULL_BODY,
    PULL_NEXT,
    RETRIED,
    SPEED_BOUND,
    STEP,
    STEPPING,
    State,
)
from engine.motion.arcs import evolve, is_finite_arc, is_still
from engine.motion.ballistic import set_ballistic
from engine.motion.held import fastest_point, pause_held
from engine.motion.loads import resume_kicks, settle_kick
from engine.motion.motion import Motion
from engine.tolerances import CUT_STEPS


@kernel
def hold_body(model: Model, state: State, i: int, t: float) -> None:
    """Body i, which flies, becomes a group of its own at time t, about to make its first step."""
    bodies, arcs, members, groups = model.bodies, state.arcs, state.members, state.groups
    settle_kick(model, state, i, t, False)
    x, q, v, w = evolve(bodies, model.tags, arcs, i, t)
    arcs[i, HELD] = STEPPING
    pause_held(arcs, i, t, Motion(x, q, v, w))
    arcs[i, SPEED_BOUND] = fastest_point(bodies, i, v, w)
    members[i, LEADER] = i
    members[i, NEXT_MEMBER] = -1
    members[i, MEMBERS] = 1
    members[i, LOCAL] = -1
    members[i, FRESH] = 1
    groups[i, HORIZON] = t
    stir(state, i, t)
    groups[i, STEP] = 0.0
    groups[i, RETRIED] = 0.0
    groups[i, ELASTIC] = groups[i, NEXT_STEP] = groups[i, NEWTON_DEBT] = groups[i, CUT_DEBT] = 0.0
    groups[i, BOOKED_UNTIL] = t
    groups[i, GROUND] = 0.0
    groups[i, ENERGY] = energy_of(bodies, i, x, q, v, w)
    close_step(groups, i)


@kernel
def free_body(model: Model, state: State, i: int, t: float) -> None:
    """Body i leaves its group, which has been taken apart, at time t: its velocities stay what they are."""
    x, q, v, w = evolve(model.bodies, model.tags, state.arcs, i, t)
    state.arcs[i, HELD] = 0.0
    set_ballistic(model.bodies, state.arcs, i, t, x, q, v, rotate_inverse(q, w))
    settle_kick(model, state, i, t, True)
    if state.pull[PULL_BODY] == i and state.pull[PULL_NEXT] == inf:
        state.pull[PULL_NEXT] = t  # no steps bear the mouse's spring any more: it kicks what flies
    state.members[i, LEADER] = -1
    state.groups[i, HORIZON] = inf
    state.groups[i, CORRECTION_BUDGET] = 0.0


@kernel
def merge_groups(members: Ints, groups: Floats, a: int, b: int) -> None:
    """Make one group of those of bodies a and b, whose books are settled: the smaller is taken into the larger."""
    one, other = members[a, LEADER], members[b, LEADER]
    if one == other:
        return
    if members[other, MEMBERS] > members[one, MEMBERS] or (
        members[other, MEMBERS] == members[one, MEMBERS] and other < one
    ):
        one, other = other, one
    i = last = other
    while i >= 0:
        members[i, LEADER] = one
        last = i
        i = members[i, NEXT_MEMBER]
    members[last, NEXT_MEMBER] = members[one, NEXT_MEMBER]
    members[one, NEXT_MEMBER] = other
    members[one, MEMBERS] += members[other, MEMBERS]
    groups[one, CORRECTION_BUDGET] += groups[other, CORRECTION_BUDGET]
    groups[other, CORRECTION_BUDGET] = 0.0
    groups[one, ENERGY] += groups[other, ENERGY]
    groups[one, ELASTIC] += groups[other, ELASTIC]
    groups[one, CUT_DEBT] += groups[other, CUT_DEBT]
    groups[other, ELASTIC] = groups[other, CUT_DEBT] = 0.0
    groups[other, HORIZON] = inf


@kernel
def rouse_group(model: Model, state: State, i: int, t: float) -> None:
    """The group of body i makes a step at t, awake if it was asleep."""
    arcs, members, groups = state.arcs, state.members, state.groups
    leader = members[i, LEADER]
    settle_books(model, state, leader, t)
    if arcs[leader, HELD] == ASLEEP:
        j = leader
        while j >= 0:
            arcs[j, HELD] = STEPPING
            stir(state, j, t)
            resume_kicks(model, state, j, t)
            j = members[j, NEXT_MEMBER]
        _join_neighbours(model, state, leader, t)
        leader = members[i, LEADER]
    groups[leader, HORIZON] = t


@kernel
def _join_neighbours(model: Model, state: State, leader: int, t: float) -> None:
    """The group of `leader` has woken at t: it joins those that have lain on it, or it on them, as on the ground."""
    links, members = state.links, state.members
    j = leader
    for _ in range(members[leader, MEMBERS]):
        after = members[j, NEXT_MEMBER]  # lists grow in front of the second, or behind the last
        row = state.first_pair[j]
        while row >= 0:
            other = links[row, BODY_B] if links[row, BODY_A] == j else links[row, BODY_A]
            held = links[row, PAIR_STATE] == PAIR_HELD and model.tags[other, KIND] == FREE
            if held and members[other, LEADER] >= 0 and state.arcs[other, HELD] == STEPPING:
                settle_books(model, state, members[other, LEADER], t)
                merge_groups(members, state.groups, j, other)
            row = next_pair(links, row, j)
        j = after


@kernel
def join_bodies(model: Model, state: State, a: int, b: int, t: float) -> int:
    """Bodies a and b, of which one at least is free, are of one group from t on, and make a step at t; its leader.

    One that is awake lies on a sleeping one as on the ground.
    """
    first = -1
    rests = is_still(model.tags, state.arcs, a) and is_still(model.tags, state.arcs, b)
    for k in range(2):
        i = a if k == 0 else b
        if model.tags[i, KIND] != FREE or (state.arcs[i, HELD] == ASLEEP and not rests):
            continue
        if state.members[i, LEADER] < 0:
            hold_body(model, state, i, t)
        rouse_group(model, state, i, t)
        if first < 0:
            first = i
            continue
        merge_groups(state.members, state.groups, first, i)
    leader = state.members[first, LEADER]
    state.groups[leader, HORIZON] = t
    return leader


@kernel
def split_group(model: Model, state: State, work: Work, t: float, h: float, left: float, stays: float) -> None:
    """Bodies that hang together through contacts are a group each; what touches nothing any more flies."""
    root = work.root
    share = max(work.link[CUTS] - CUT_STEPS * h / model.settings[LONGEST_STEP], 0.0) / work.sizes[BODIES]
    for at in range(work.sizes[BODIES]):
        root[at] = at if model.settings[CONTACT] == FIRST_ORDER else -1  # there nothing flies
    for k in range(work.sizes[CONTACTS]):
        a, b = work.contact[k, SIDE_A], work.contact[k, SIDE_B]
        if a >= 0 and root[a] < 0:
            root[a] = a
        if b >= 0 and root[b] < 0:
            root[b] = b
        if a >= 0 and b >= 0:
            _unite(root, a, b)
    for n in range(work.sizes[LINKAGES]):
        _unite_linkage(model.tags, model.joints, state.members, root, work.linkage[n])
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        if root[at] < 0:
            free_body(model, state, i, t)
            work.look[at] = 1
            continue
        top = _find(root, at)
        if top == at:
            _begin_group(state, work, at, t, h)
            state.groups[i, RETRIED] = stays
        else:
            _append(state, work, top, at)
        look_whether_still(model, state, work, at, t, h)
        budget = min(lift_energy(model.bodies, model.settings, i), left)
        left -= budget
        leader = work.body[top]
        state.groups[leader, CORRECTION_BUDGET] += budget
        state.groups[leader, CUT_DEBT] += share
        x, q = vector_at(work.poses, at, X), quat_at(work.poses, at, Q)
        v, w = vector_at(work.twists, at, V), vector_at(work.twists, at, W)
        state.groups[leader, ENERGY] += energy_of(model.bodies, i, x, q, v, w)
        state.groups[leader, NUMERICAL] += work.poses[at, PURE_ENERGY] - work.poses[at, ENERGY_END]
        add_power(state.groups, leader, work.poses[at, APPLIED_WORK] / h, applied_power(work, at))
    if work.link[LINK_WORK] != 0.0:
        # Whatever the linkages of a group were driven by, it stays one group as long as it is one step.
        power = work.link[LINK_WORK] / h
        add_power(state.groups, work.body[_find(root, _first_linked(model.tags, work))], power, power)
    _book_linkages(model, state, work, h)
    for k in range(work.sizes[CONTACTS]):
        side = work.contact[k, SIDE_A] if work.contact[k, SIDE_A] >= 0 else work.contact[k, SIDE_B]
        add_point(state.groups, work.body[_find(root, side)], work.notes, k, h)
    if work.sizes[LINKAGES] > 0 or model.settings[CONTACT] == PENALTY:
        # Integrated ahead: what is left of the balance is the integration's own.
        for at in range(work.sizes[BODIES]):
            if root[at] == at:
                _book_rest(state.groups, work.body[at])


@kernel
def _book_linkages(model: Model, state: State, work: Work, h: float) -> None:
    """What elements of joints take in a step h, into the books of the groups that their linkages are of."""
    for n in range(work.sizes[LINKAGES]):
        link = work.linkage[n]
        if model.joints.linkages[link, ACTING] > 0:
            one = first_body(model.tags, model.joints, link)
            book_elements(model.joints, state.groups, work.ties, link, state.members[one, LEADER], h)


@kernel
def _book_rest(groups: Floats, leader: int) -> None:
    """What a step takes besides what its contacts do, if that is not known of its own: all the rest."""
    rest = groups[leader, ENERGY] + groups[leader, POWER] * groups[leader, STEP]
    for cause in range(CAUSES):
        rest -= groups[leader, LOSS + cause]
    groups[leader, NUMERICAL] += rest


@kernel
def _find(root: Ints, at: int) -> int:
    while root[at] != at:
        root[at] = root[root[at]]
        at = root[at]
    return at


@kernel
def _unite(root: Ints, a: int, b: int) -> None:
    """The smaller place stays on top, so that a group's leader comes first in it."""
    a, b = _find(root, a), _find(root, b)
    if a < b:
        root[b] = a
    elif b < a:
        root[a] = b


@kernel
def _first_linked(tags: Ints, work: Work) -> int:
    at = 0
    while tags[work.body[at], LINKAGE] < 0:
        at += 1
    return at


@kernel
def _unite_linkage(tags: Ints, joints: Joints, members: Ints, root: Ints, link: int) -> None:
    """Bodies that joints tie stay together, whether they touch or not."""
    top = -1
    first = joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        if not is_dynamic(tags, joints, e):
            continue
        at = members[joints.entries[e, ENTRY_BODY], LOCAL]
        if root[at] < 0:
            root[at] = at
        if top >= 0:
            _unite(root, top, at)
        top = at


@kernel
def _begin_group(state: State, work: Work, at: int, t: float, h: float) -> None:
    i = work.body[at]
    members, groups = state.members, state.groups
    members[i, LEADER] = i
    members[i, NEXT_MEMBER] = -1
    members[i, MEMBERS] = 1
    work.last[at] = i
    groups[i, HORIZON] = t + h
    groups[i, STEP] = h
    groups[i, ENERGY] = groups[i, ELASTIC] = 0.0
    groups[i, BOOKED_UNTIL] = t
    close_step(groups, i)
    groups[i, NEXT_STEP] = work.link[NEXT]
    groups[i, NEWTON_DEBT] = work.link[DEBT]
    groups[i, GROUND] = float(work.sizes[GROUNDED])
    groups[i, CORRECTION_BUDGET] = groups[i, CUT_DEBT] = 0.0


@kernel
def _append(state: State, work: Work, top: int, at: int) -> None:
    i, leader = work.body[at], work.body[top]
    state.members[work.last[top], NEXT_MEMBER] = i
    state.members[i, NEXT_MEMBER] = -1
    state.members[i, LEADER] = leader
    state.members[leader, MEMBERS] += 1
    state.groups[i, HORIZON] = inf
    work.last[top] = i


@kernel
def bodies_due(state: State, i: int, t: float) -> int:
    """How many bodies make a step when the timer of body i rings at time t [s]."""
    return int(state.members[i, MEMBERS]) if state.groups[i, HORIZON] <= t else 0


@kernel
def find_lost(arcs: Floats, members: Ints, leader: int) -> int:
    """A body of the group of `leader` whose numbers are not finite; -1: there is none."""
    i = leader
    while i >= 0:
        if not is_finite_arc(arcs, i):
            return i
        i = members[i, NEXT_MEMBER]
    return -1


@kernel
def allow_lift(model: Model, state: State, row: int) -> None:
    """The bodies of pair `row` were laid without a gap: corrections may spend what lifts them by their envelopes, and
    with them what joints tie to them."""
    for side in (BODY_A, BODY_B):
        i = state.links[row, side]
        if model.tags[i, KIND] != FREE:
            continue
        link = model.tags[i, LINKAGE]
        energy = lift_energy(model.bodies, model.settings, i) if link < 0 else 0.0
        first = model.joints.linkages[link, FIRST_ENTRY] if link >= 0 else 0
        last = first + model.joints.linkages[link, ENTRIES] if link >= 0 else 0
        for e in range(first, last):
            if model.joints.entries[e, ENTRY_FREE] == 1:
                energy += lift_energy(model.bodies, model.settings, model.joints.entries[e, ENTRY_BODY])
        state.groups[i if state.members[i, LEADER] < 0 else state.members[i, LEADER], CORRECTION_BUDGET] += energy
