"""Linkages in a step of their contact group.

    begin       velocities at the start go onto the joints: a push of one body becomes one of all
    fly         where gravity and joints alone take the bodies (engine.group.joints.flow, .trees): to the middle of the
                step, and on to its end. There they are what free flight is to bodies that are alone
    answer      in the middle a linkage answers impulses as a whole (engine.group.joints.answers)
    close       poses and velocities at the end go onto the joints, whatever pushes did

Impulses between two exact flights are of second order, as for bodies that are alone, and take the energy that they
book. What touches nothing flows through its step at once. What a body does beyond moving with the mean of its
velocities (see engine.group.step) is kept as V_FLOW, W_FLOW.
"""

from __future__ import annotations

from math import ceil, floor, inf

from engine.group.bodies import load_inverse_inertia
from engine.group.energy import keep_spins
from engine.group.joints.answers import bear_impulses
from engine.group.joints.arcs import bend_arc, write_end
from engine.group.joints.books import book_elements, book_gain, book_stop, energy_at_start
from engine.group.joints.elements import (
    carry_losses,
    linkage_event,
    mark_joints,
    motor_event,
    stand_joints,
)
from engine.group.joints.flow import close_poses, drive_entry, follow_linkage
from engine.group.joints.free_flow import Momenta, keep_momenta, momenta_of
from engine.group.joints.trees import (
    astray,
    close_tree,
    flow_tree,
    lead_tree,
    load_tree,
    moves_apart,
    settle_tree,
    swing_tree,
)
from engine.group.work import (
    ARRESTED,
    BODIES,
    BY_NEWTON,
    EVENT,
    LINK_ERROR,
    LINK_GAIN,
    LINK_WORK,
    LINKAGES,
    PAIRS_HELD,
    Q_ACT,
    TORN,
    UNCUT,
    V_APPLIED,
    V_BEGUN,
    V_END,
    V_FREE,
    X_ACT,
    X_END,
    V,
    W,
    Work,
    X,
)
from engine.joints.rows import (
    factor_linkage,
    fill_rows,
    hangs_free,
    is_dynamic,
    is_tree,
    load_masses,
    most_lacking,
    solve_rates,
)
from engine.joints.tables import FLOW_V, FLOW_W, POSE
from engine.kernel import kernel
from engine.maths.quaternions import quat_at
from engine.maths.rounding import QUOTIENT, ROOT, TINY
from engine.maths.vectors import norm, vector_at
from engine.model.joints import (
    ACTING,
    DRIVEN,
    ENTRIES,
    ENTRY_BODY,
    FIRST_ENTRY,
    Joints,
)
from engine.model.model import LINKAGE, LONGEST_STEP, Floats, Ints, Model
from engine.model.state import LOCAL, State
from engine.tolerances import (
    ACCURACY,
    ALIKE,
    END_SKIN,
    FLOW_ERROR,
    JOINT_STEP,
    JOINT_TURN,
    MOST_MISS,
    SAFETY,
    SHORTEST_STEP,
)
from engine.tree.elements import next_event
from engine.tree.flow import begin_flow
from engine.tree.methods import EIGHTH, FIFTH

_ON_TIME = 64.0 * ROOT  # of a step: so near to a round time is at it
_IN_CONTACT = ACCURACY * MOST_MISS  # of the fastest speed: so far astray may flows between impulses be
_GAPES = END_SKIN  # of the smallest body's radius: joints that cannot be closed better than that contradict each other


@kernel
def list_linkage(tags: Ints, joints: Joints, work: Work, i: int, at: int) -> None:
    """Note the linkage of body i, in row `at`, among those of the group, unless another body of it stands before i."""
    link = tags[i, LINKAGE]
    if link < 0:
        return
    for c in range(6):
        work.twists[at, V_BEGUN + c] = work.twists[at, V + c]
    e = joints.linkages[link, FIRST_ENTRY]
    while not is_dynamic(tags, joints, e):
        e += 1
    if joints.entries[e, ENTRY_BODY] == i:
        work.linkage[work.sizes[LINKAGES]] = link
        work.sizes[LINKAGES] += 1


@kernel
def linked_step(model: Model, work: Work, t: float, h: float) -> float:
    """The step [s] that a group makes at t instead of h, if it has linkages: short, and to round times where it may."""
    if work.sizes[LINKAGES] == 0:
        return h
    longest = JOINT_STEP * model.settings[LONGEST_STEP]
    h = min(h, longest)
    for at in range(work.sizes[BODIES]):
        if model.tags[work.body[at], LINKAGE] >= 0:
            h = min(h, JOINT_TURN / max(norm(vector_at(work.twists, at, W)), TINY))
    left = (floor(t / longest + _ON_TIME) + 1.0) * longest - t
    if left < (1.0 - SAFETY) * longest:
        left += longest
    return left / ceil(left / h - _ON_TIME)


@kernel
def shortened(wrong: float, h: float) -> float:
    """The step [s] to try instead of h, if the error of its flow is larger than is allowed, 1; else h."""
    return h * max(ALIKE * ALIKE, SAFETY * wrong ** (-1.0 / 5.0)) if wrong > 1.0 else h


@kernel
def _load(
    bodies: Floats, tags: Ints, arcs: Floats, members: Ints, joints: Joints, work: Work, link: int, t: float, x: int,
    v: int,
) -> None:  # fmt: skip
    """Entries of a linkage at time t, and their rows: dynamic bodies with the poses and twists in those columns."""
    _place(bodies, tags, arcs, members, joints, work, link, t, x, v)
    _add_rows(bodies, joints, work, link)


@kernel
def _add_rows(bodies: Floats, joints: Joints, work: Work, link: int) -> None:
    """Masses and rows of a linkage whose entries are placed."""
    load_masses(bodies, joints, work.flow, link)
    fill_rows(joints, work.flow, work.rows, link)


@kernel
def _place(
    bodies: Floats, tags: Ints, arcs: Floats, members: Ints, joints: Joints, work: Work, link: int, t: float, x: int,
    v: int,
) -> None:  # fmt: skip
    flow = work.flow
    first = joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        work.tied[e] = -1
        if not is_dynamic(tags, joints, e):
            drive_entry(bodies, tags, arcs, joints, flow, e, t)
            continue
        at = members[joints.entries[e, ENTRY_BODY], LOCAL]
        work.tied[e] = at
        for k in range(3):
            flow[e, POSE + k] = work.poses[at, x + k]
            flow[e, FLOW_V + k] = work.twists[at, v + k]
            flow[e, FLOW_W + k] = work.twists[at, v + 3 + k]
        for k in range(4):
            flow[e, POSE + 3 + k] = work.poses[at, x + 3 + k]


@kernel
def _hold(tags: Ints, members: Ints, joints: Joints, work: Work, link: int, v: int) -> float:
    """Velocities in the flow onto the joints, and into those columns of Work.twists. What kinematic bodies put in
    [J]."""
    put_in = solve_rates(joints, work.flow, work.rows, work.values, link, FLOW_V, QUOTIENT)
    _copy_out(tags, members, joints, work, link, v)
    return float(put_in)


@kernel
def _copy_out(tags: Ints, members: Ints, joints: Joints, work: Work, link: int, v: int) -> None:
    first = joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        if is_dynamic(tags, joints, e):
            at = members[joints.entries[e, ENTRY_BODY], LOCAL]
            for k in range(3):
                work.twists[at, v + k] = work.flow[e, FLOW_V + k]
                work.twists[at, v + 3 + k] = work.flow[e, FLOW_W + k]


@kernel
def begin_linkages(
    bodies: Floats, tags: Ints, arcs: Floats, members: Ints, joints: Joints, ties: Floats, work: Work, longest: float,
    t: float,
) -> None:  # fmt: skip
    """Rows and matrices for the poses at the start, t; velocities there onto the joints, as by a hit.

    ties: State.joints. longest: step [s].
    """
    work.link[LINK_WORK] = work.link[LINK_ERROR] = work.link[LINK_GAIN] = 0.0
    work.link[EVENT] = inf
    if work.sizes[ARRESTED] == 0:
        work.link[UNCUT] = 0.0
    for n in range(work.sizes[LINKAGES]):
        link = work.linkage[n]
        if joints.linkages[link, ACTING] > 0 and work.sizes[ARRESTED] == 0:
            _load(bodies, tags, arcs, members, joints, work, link, t, X, V)
            had = energy_at_start(bodies, tags, members, joints, work, link)
            changed, put_in = stand_joints(bodies, tags, arcs, joints, ties, work, link, longest, t)
            if changed:
                _copy_out(tags, members, joints, work, link, V)
                book_stop(work, had, energy_at_start(bodies, tags, members, joints, work, link), put_in)
        tree = is_tree(tags, joints, link)
        if tree:
            load_tree(bodies, tags, arcs, members, joints, work, link, t, X, V)
        else:
            _load(bodies, tags, arcs, members, joints, work, link, t, X, V)
        if _moves_apart(tags, joints, work, link):
            had = energy_at_start(bodies, tags, members, joints, work, link)
            if tree:
                put_in = settle_tree(bodies, members, joints, work, link, X, V)
            else:
                factor_linkage(joints, work.flow, work.rows, work.values, link)
                put_in = _hold(tags, members, joints, work, link, V)
            book_stop(work, had, energy_at_start(bodies, tags, members, joints, work, link), put_in)
        if tree and work.sizes[PAIRS_HELD] > 0:
            _place(bodies, tags, arcs, members, joints, work, link, t, X, V)


@kernel
def _moves_apart(tags: Ints, joints: Joints, work: Work, link: int) -> bool:
    """Do the bodies of a linkage, which is loaded, move as its joints do not allow?"""
    if is_tree(tags, joints, link):
        return moves_apart(joints.trees, work, link)
    return work.sizes[PAIRS_HELD] > 0 or most_lacking(joints, work.flow, work.rows, link) > QUOTIENT


@kernel
def add_rows_of_trees(model: Model, work: Work) -> None:
    """Rows and matrices of trees that are placed: few steps ask for them."""
    bodies, joints = model.bodies, model.joints
    for n in range(work.sizes[LINKAGES]):
        link = work.linkage[n]
        if is_tree(model.tags, joints, link):
            _add_rows(bodies, joints, work, link)
            factor_linkage(joints, work.flow, work.rows, work.values, link)


@kernel
def swing_linkages(
    bodies: Floats, tags: Ints, settings: Floats, arcs: Floats, members: Ints, joints: Joints, work: Work, t: float,
    h: float,
) -> None:  # fmt: skip
    """Velocities at the step's end, and the flow, of linkages in a group that touches nothing."""
    for n in range(work.sizes[LINKAGES]):
        link = work.linkage[n]
        work.link[EVENT] = min(work.link[EVENT], motor_event(joints, work, link, t, h))
        flows_by_joints = is_tree(tags, joints, link)
        if flows_by_joints:
            free, begun = _begin_momenta(bodies, tags, joints, work, link)
            wrong = swing_tree(bodies, tags, settings, arcs, members, joints, work, link, t, h)
            if wrong > 1.0 and h > SHORTEST_STEP * settings[LONGEST_STEP]:
                work.link[LINK_ERROR] = wrong
                return  # the step is going to be made again
            if free:
                keep_momenta(bodies, joints, work.flow, link, begun, h)
        else:
            _load(bodies, tags, arcs, members, joints, work, link, t, X, V)
            wrong = _follow(bodies, tags, settings, arcs, joints, work, link, t, h) / FLOW_ERROR
        book_gain(bodies, tags, members, joints, work, link, X, V)
        book_elements(joints, work, link)
        if flows_by_joints:
            wrong = max(wrong, lead_tree(bodies, tags, settings, arcs, members, joints, work, link, t, h))
        first = joints.linkages[link, FIRST_ENTRY]
        for e in range(first, first + joints.linkages[link, ENTRIES]):
            if not flows_by_joints and is_dynamic(tags, joints, e):
                at = members[joints.entries[e, ENTRY_BODY], LOCAL]
                bend_arc(work, at, e, write_end(work, at, e, h), h)
        work.link[LINK_ERROR] = max(work.link[LINK_ERROR], wrong)
    if work.link[LINK_ERROR] <= 1.0:
        work.link[UNCUT] = max(work.link[UNCUT], h)


@kernel
def fly_linkages_to_middle(model: Model, state: State, work: Work, t: float, h: float) -> None:
    """Let linkages fly half the step h from its start, t, to where its impulses act; rows and matrices there."""
    joints = model.joints
    _fly_half(model, state, work, t, h, X, V, X_ACT, V_FREE)
    for n in range(work.sizes[LINKAGES]):
        link = work.linkage[n]
        carry_losses(joints, work, link, False)
        first = joints.linkages[link, FIRST_ENTRY]
        for e in range(first, first + joints.linkages[link, ENTRIES]):
            at = work.tied[e]
            if at >= 0:
                for c in range(6):
                    work.twists[at, V_END + c] = work.twists[at, V_FREE + c]
                    work.twists[at, V_APPLIED + c] = 0.0
                load_inverse_inertia(model.bodies, work.twists, work.body[at], at, quat_at(work.poses, at, Q_ACT))
        middle = t + 0.5 * h
        _place(model.bodies, model.tags, state.arcs, state.members, joints, work, link, middle, X_ACT, V_FREE)
        if work.sizes[BY_NEWTON] == 1 or joints.linkages[link, DRIVEN] == 1 or not is_tree(model.tags, joints, link):
            _add_rows(model.bodies, joints, work, link)
            factor_linkage(joints, work.flow, work.rows, work.values, link)


@kernel
def fly_linkages_on(model: Model, state: State, work: Work, t: float, h: float) -> None:
    """Let them fly on to the end of the step h, begun at t."""
    joints = model.joints
    for n in range(work.sizes[LINKAGES]):
        if joints.linkages[work.linkage[n], DRIVEN] == 1:
            work.link[LINK_WORK] += bear_impulses(model.tags, joints, work, work.linkage[n], h)
    before = work.link[EVENT]
    work.link[EVENT] = inf
    _fly_half(model, state, work, t + 0.5 * h, h, X_ACT, V_END, X_END, V_END)
    work.link[EVENT] = min(before, 0.5 * h + work.link[EVENT])
    if work.link[LINK_ERROR] <= 1.0:
        work.link[UNCUT] = max(work.link[UNCUT], h)
    for n in range(work.sizes[LINKAGES]):
        carry_losses(joints, work, work.linkage[n], True)
        book_elements(joints, work, work.linkage[n])
        first = joints.linkages[work.linkage[n], FIRST_ENTRY]
        for e in range(first, first + joints.linkages[work.linkage[n], ENTRIES]):
            if work.tied[e] >= 0:
                write_end(work, work.tied[e], e, h)


@kernel
def _fly_half(model: Model, state: State, work: Work, t: float, h: float, x: int, v: int, to_x: int, to_v: int) -> None:
    """From t on for half of h: from poses and twists in columns x and v to those in to_x and to_v."""
    bodies, tags, arcs, members, joints = model.bodies, model.tags, state.arcs, state.members, model.joints
    for n in range(work.sizes[LINKAGES]):
        link = work.linkage[n]
        work.link[EVENT] = min(work.link[EVENT], motor_event(joints, work, link, t, 0.5 * h))
        if is_tree(tags, joints, link):
            wrong = _follow_tree(model, state, work, link, t, 0.5 * h, x, v)
        else:
            _load(bodies, tags, arcs, members, joints, work, link, t, x, v)
            mark_joints(joints, work, link)
            wrong = _follow(bodies, tags, model.settings, arcs, joints, work, link, t, 0.5 * h) / _IN_CONTACT
        work.link[LINK_ERROR] = max(work.link[LINK_ERROR], wrong)
        book_gain(bodies, tags, members, joints, work, link, x, v)
        first = joints.linkages[link, FIRST_ENTRY]
        for e in range(first, first + joints.linkages[link, ENTRIES]):
            at = work.tied[e]
            if at >= 0:
                for k in range(7):
                    work.poses[at, to_x + k] = work.flow[e, POSE + k]
                for k in range(3):
                    work.twists[at, to_v + k] = work.flow[e, FLOW_V + k]
                    work.twists[at, to_v + 3 + k] = work.flow[e, FLOW_W + k]


@kernel
def _follow_tree(model: Model, state: State, work: Work, link: int, t: float, h: float, x: int, v: int) -> float:
    """Move a tree from t to t + h, into work.flow, from the poses and twists in those columns: how large the error is,
    as a part of what is allowed.

    Steps in contact are short: the method of fewer stages does in most of them.
    """
    bodies, tags, arcs, members, joints = model.bodies, model.tags, state.arcs, state.members, model.joints
    load_tree(bodies, tags, arcs, members, joints, work, link, t, x, v)
    free, begun = _begin_momenta(bodies, tags, joints, work, link)
    method = FIFTH
    begin_flow(bodies, tags, joints, work.limbs, work.ties, link, h, method)
    wrong = flow_tree(bodies, tags, model.settings, arcs, joints, work, link, t, h, method) / _IN_CONTACT
    if wrong > 1.0:
        method = EIGHTH
        load_tree(bodies, tags, arcs, members, joints, work, link, t, x, v)
        begin_flow(bodies, tags, joints, work.limbs, work.ties, link, h, method)
        wrong = astray(flow_tree(bodies, tags, model.settings, arcs, joints, work, link, t, h, method), _IN_CONTACT)
    work.link[EVENT] = min(work.link[EVENT], next_event(joints, work.limbs, work.ties, link, h, method, True))
    if free:
        keep_momenta(bodies, joints, work.flow, link, begun, h)
    return wrong


@kernel
def _follow(
    bodies: Floats, tags: Ints, settings: Floats, arcs: Floats, joints: Joints, work: Work, link: int, t: float,
    h: float,
) -> float:  # fmt: skip
    """Move a linkage that is no tree and is loaded from t to t + h, in work.flow: how large the error is, as a part of
    the fastest speed."""
    free, begun = _begin_momenta(bodies, tags, joints, work, link)
    wrong = follow_linkage(bodies, tags, settings, arcs, joints, work, link, t, h)
    work.link[EVENT] = min(work.link[EVENT], linkage_event(joints, work, link, h))
    _close(bodies, tags, joints, work, link)
    solve_rates(joints, work.flow, work.rows, work.values, link, FLOW_V, QUOTIENT)
    if free:
        keep_momenta(bodies, joints, work.flow, link, begun, h)
    return wrong


@kernel
def _begin_momenta(bodies: Floats, tags: Ints, joints: Joints, work: Work, link: int) -> tuple[bool, Momenta]:
    """Does a linkage hang on nothing, and the momenta that it has then before it flows."""
    zero = (0.0, 0.0, 0.0)
    if not hangs_free(tags, joints, link):
        return False, (zero, zero, zero)
    return True, momenta_of(bodies, joints, work.flow, link)


@kernel
def _close(bodies: Floats, tags: Ints, joints: Joints, work: Work, link: int) -> None:
    """Joints of a linkage are closed; where they ask for what does not go together, that is noted."""
    if close_poses(bodies, tags, joints, work.flow, work.rows, work.values, link) <= _GAPES:
        return
    first = joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        if is_dynamic(tags, joints, e):
            work.sizes[TORN] = 1 + joints.entries[e, ENTRY_BODY]


@kernel
def close_linkages(
    bodies: Floats, tags: Ints, arcs: Floats, members: Ints, joints: Joints, work: Work, t: float, h: float
) -> None:
    """Poses and velocities at the step's end t onto the joints, as far as contacts have changed them."""
    for n in range(work.sizes[LINKAGES]):
        link = work.linkage[n]
        if is_tree(tags, joints, link):
            close_tree(bodies, tags, arcs, members, joints, work, link, t)
        else:
            _load(bodies, tags, arcs, members, joints, work, link, t, X_END, V_END)
            factor_linkage(joints, work.flow, work.rows, work.values, link)
            _close(bodies, tags, joints, work, link)
            work.link[LINK_WORK] += _hold(tags, members, joints, work, link, V_END)
        first = joints.linkages[link, FIRST_ENTRY]
        for e in range(first, first + joints.linkages[link, ENTRIES]):
            if not is_dynamic(tags, joints, e):
                continue
            write_end(work, members[joints.entries[e, ENTRY_BODY], LOCAL], e, h)
    keep_spins(bodies, tags, joints, work)
