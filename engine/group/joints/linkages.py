"""Linkages in a step of their contact group: joints and contacts in one problem.

    begin       velocities at the start go onto the joints: a push of one body becomes one of all
    flow        where gravity and joints alone take the bodies (engine.group.joints.flow), and what contacts then change
    hold        an exact iteration of all joints, between sweeps over the contacts (engine.group.solve.joint_sweeps)
    close       poses and velocities at the end go onto the joints, whatever the contacts did

What a body does beyond moving with the mean of its velocities (see engine.group.step) is kept as V_FLOW, W_FLOW.
"""

from __future__ import annotations

from math import ceil, floor, inf

from engine.group.bodies import energy_of
from engine.group.joints.elements import (
    elements_took,
    forget_holds,
    linkage_event,
    motor_event,
    note_hold,
    stand_joints,
)
from engine.group.joints.flow import LAST_STAGE, close_poses, drive_entry, follow_linkage
from engine.group.joints.trees import begin_tree, bulge_arcs, flow_tree, is_tree, load_tree
from engine.group.work import (
    ARRESTED,
    BENDS,
    BODIES,
    CONTACTS,
    EVENT,
    LINK_ERROR,
    LINK_GAIN,
    LINK_WORK,
    LINKAGES,
    Q_END,
    UNCUT,
    V_END,
    V_FLOW,
    V_PSEUDO,
    W_END,
    W_FLOW,
    W_PSEUDO,
    X_END,
    Q,
    V,
    W,
    Work,
    X,
)
from engine.joints.rows import factor_linkage, fill_rows, is_dynamic, load_masses, most_lacking, row_rate, solve_rates
from engine.joints.tables import AIM, FLOW_V, FLOW_W, POSE, RATES, STAGE_WIDTH
from engine.kernel import kernel
from engine.maths.quaternions import quat_at, turn_between
from engine.maths.vectors import Vec3, norm, sub, vector_at
from engine.model.joints import (
    ACTING,
    ANGULAR,
    DRIVEN,
    ENTRIES,
    ENTRY_A,
    ENTRY_B,
    ENTRY_BODY,
    FIRST_ENTRY,
    FIRST_JOINT,
    FIRST_ROW,
    JOINTS,
    LINEAR,
    Joints,
)
from engine.model.model import LINKAGE, Floats, Ints
from engine.model.state import LOCAL
from engine.motion.polynomial import dexp_inverse, turn_acceleration
from engine.tolerances import JOINT_SMALL, JOINT_STEP, JOINT_TURN


@kernel
def list_linkage(tags: Ints, joints: Joints, work: Work, i: int) -> None:
    """Note the linkage of body i among those of the group, unless another body of it stands before i."""
    link = tags[i, LINKAGE]
    if link < 0:
        return
    e = joints.linkages[link, FIRST_ENTRY]
    while not is_dynamic(tags, joints, e):
        e += 1
    if joints.entries[e, ENTRY_BODY] == i:
        work.linkage[work.sizes[LINKAGES]] = link
        work.sizes[LINKAGES] += 1


@kernel
def linked_step(tags: Ints, work: Work, t: float, h: float) -> float:
    """The step [s] that a group makes at t instead of h, if it has linkages: short, and to round times where it may."""
    if work.sizes[LINKAGES] == 0:
        return h
    h = min(h, JOINT_STEP)
    for at in range(work.sizes[BODIES]):
        if tags[work.body[at], LINKAGE] >= 0:
            h = min(h, JOINT_TURN / max(norm(vector_at(work.twists, at, W)), 1e-3))
    left = (floor(t / JOINT_STEP + 1e-6) + 1.0) * JOINT_STEP - t
    if left < 0.05 * JOINT_STEP:
        left += JOINT_STEP
    return left / ceil(left / h - 1e-6)


@kernel
def shortened(wrong: float, h: float) -> float:
    """The step [s] to try instead of h, if the error of its flow is larger than is allowed, 1; else h."""
    return h * max(0.2, 0.9 * wrong**-0.2) if wrong > 1.0 else h


@kernel
def _load(
    bodies: Floats, tags: Ints, arcs: Floats, members: Ints, joints: Joints, work: Work, link: int, t: float, x: int,
    v: int,
) -> None:  # fmt: skip
    """Entries of a linkage at time t, and their rows: dynamic bodies with the poses and twists in those columns."""
    flow = work.flow
    first = joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        if not is_dynamic(tags, joints, e):
            drive_entry(bodies, tags, arcs, joints, flow, e, t)
            continue
        at = members[joints.entries[e, ENTRY_BODY], LOCAL]
        for k in range(3):
            flow[e, POSE + k] = work.poses[at, x + k]
            flow[e, FLOW_V + k] = work.twists[at, v + k]
            flow[e, FLOW_W + k] = work.twists[at, v + 3 + k]
        for k in range(4):
            flow[e, POSE + 3 + k] = work.poses[at, x + 3 + k]
    load_masses(bodies, joints, flow, link)
    fill_rows(joints, flow, work.rows, link)


@kernel
def _copy_in(tags: Ints, members: Ints, joints: Joints, work: Work, link: int, v: int) -> None:
    """Velocities of a linkage's bodies from those columns of Work.twists."""
    first = joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        if is_dynamic(tags, joints, e):
            at = members[joints.entries[e, ENTRY_BODY], LOCAL]
            for k in range(3):
                work.flow[e, FLOW_V + k] = work.twists[at, v + k]
                work.flow[e, FLOW_W + k] = work.twists[at, v + 3 + k]


@kernel
def _hold(tags: Ints, members: Ints, joints: Joints, work: Work, link: int, v: int) -> None:
    """Velocities in the flow onto the joints, and into those columns of Work.twists."""
    work.link[LINK_WORK] += solve_rates(joints, work.flow, work.rows, work.values, link, FLOW_V, JOINT_SMALL)
    if v == V_END:
        note_hold(joints, work, link)
    _copy_out(tags, members, joints, work, link, v)


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
def hold_linkages(tags: Ints, members: Ints, joints: Joints, work: Work, v: int) -> None:
    """An iteration of the joints: the velocities in those columns of Work.twists become the nearest that they allow."""
    for n in range(work.sizes[LINKAGES]):
        _copy_in(tags, members, joints, work, work.linkage[n], v)
        _hold(tags, members, joints, work, work.linkage[n], v)


@kernel
def aim_rows(joints: Joints, flow: Floats, rows: Floats, link: int, now: bool) -> None:
    """Rows shall keep the rates that they have now, or have none."""
    first = joints.linkages[link, FIRST_JOINT]
    for j in range(first, first + joints.linkages[link, JOINTS]):
        a, b, row = joints.joints[j, ENTRY_A], joints.joints[j, ENTRY_B], joints.joints[j, FIRST_ROW]
        for r in range(row, row + joints.joints[j, LINEAR] + joints.joints[j, ANGULAR]):
            rows[r, AIM] = row_rate(flow, rows, r, a, b, FLOW_V) if now else 0.0


@kernel
def begin_linkages(
    bodies: Floats, tags: Ints, arcs: Floats, members: Ints, joints: Joints, ties: Floats, work: Work, t: float
) -> None:
    """Rows and matrices for the poses at the start, t; velocities there onto the joints. ties: State.joints."""
    work.link[LINK_WORK] = 0.0
    if work.sizes[ARRESTED] == 0:
        work.link[UNCUT] = 0.0
    for n in range(work.sizes[LINKAGES]):
        link = work.linkage[n]
        if joints.linkages[link, ACTING] > 0 and work.sizes[ARRESTED] == 0:
            _load(bodies, tags, arcs, members, joints, work, link, t, X, V)
            if stand_joints(bodies, tags, arcs, joints, ties, work, link, t):
                _copy_out(tags, members, joints, work, link, V)
        if work.sizes[CONTACTS] == 0 and is_tree(tags, joints, link):
            begin_tree(bodies, tags, arcs, members, joints, work, link, t)
            continue
        _load(bodies, tags, arcs, members, joints, work, link, t, X, V)
        if work.sizes[CONTACTS] == 0 and most_lacking(joints, work.flow, work.rows, link) <= JOINT_SMALL:
            continue
        factor_linkage(joints, work.flow, work.rows, work.values, link)
        _hold(tags, members, joints, work, link, V)


@kernel
def flow_linkages(
    bodies: Floats, tags: Ints, settings: Floats, arcs: Floats, members: Ints, joints: Joints, work: Work, t: float,
    h: float,
) -> None:  # fmt: skip
    """Velocities at the step's end, and the flow, without contacts; where there are some, rows to go on from there."""
    work.link[LINK_ERROR] = work.link[LINK_GAIN] = 0.0
    work.link[EVENT] = inf
    for n in range(work.sizes[LINKAGES]):
        link = work.linkage[n]
        tree = is_tree(tags, joints, link)
        forget_holds(joints, work, link)
        work.link[EVENT] = min(work.link[EVENT], motor_event(joints, work, link, t, h))
        if tree:
            if work.sizes[CONTACTS] > 0:
                load_tree(bodies, tags, arcs, members, joints, work, link, t)
            wrong = flow_tree(bodies, tags, settings, arcs, joints, work, link, t, h)
        else:
            _load(bodies, tags, arcs, members, joints, work, link, t, X, V)
            wrong = follow_linkage(bodies, tags, settings, arcs, joints, work, link, t, h)
            work.link[EVENT] = min(work.link[EVENT], linkage_event(joints, work, link, h))
            close_poses(bodies, tags, joints, work.flow, work.rows, work.values, link)
            solve_rates(joints, work.flow, work.rows, work.values, link, FLOW_V, JOINT_SMALL)
        _take_end(bodies, tags, members, joints, work, link, h)
        if tree and work.sizes[CONTACTS] == 0:
            wrong = max(wrong, bulge_arcs(bodies, tags, settings, arcs, members, joints, work, link, t, h))
        work.link[LINK_ERROR] = max(work.link[LINK_ERROR], wrong)
        if work.sizes[CONTACTS] > 0:
            _load(bodies, tags, arcs, members, joints, work, link, t, X, V_END)
            factor_linkage(joints, work.flow, work.rows, work.values, link)
            aim_rows(joints, work.flow, work.rows, link, True)
    if work.link[LINK_ERROR] <= 1.0:
        work.link[UNCUT] = max(work.link[UNCUT], h)


@kernel
def _take_end(bodies: Floats, tags: Ints, members: Ints, joints: Joints, work: Work, link: int, h: float) -> None:
    """The end of a flow into the step's bodies; what it gained it gained from its elements, and what drives it."""
    flow = work.flow
    first = joints.linkages[link, FIRST_ENTRY]
    gained = 0.0
    zero = (0.0, 0.0, 0.0)
    driven = joints.linkages[link, DRIVEN] == 1
    moved = driven or joints.linkages[link, ACTING] > 0
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        if not is_dynamic(tags, joints, e):
            continue
        i = joints.entries[e, ENTRY_BODY]
        at = members[i, LOCAL]
        if moved:
            v, w = vector_at(work.twists, at, V), vector_at(work.twists, at, W)
            gained -= energy_of(bodies, i, zero, quat_at(work.poses, at, Q), v, w)
            v, w = vector_at(flow, e, FLOW_V), vector_at(flow, e, FLOW_W)
            way = sub(vector_at(flow, e, POSE), vector_at(work.poses, at, X))
            gained += energy_of(bodies, i, way, quat_at(flow, e, POSE + 3), v, w)
        turn = _write_end(work.twists, work.poses, at, flow, e, h)
        _write_bends(work.twists, work.poses, at, flow, e, turn, h)
    took = elements_took(joints, work, link)
    work.link[LINK_WORK] += gained + took if driven else 0.0
    work.link[LINK_GAIN] += -took if driven else gained


@kernel
def _write_end(twists: Floats, poses: Floats, at: int, flow: Floats, e: int, h: float) -> Vec3:
    """The velocities of entry e as those at the end of row `at`, and what flow leads to its pose. How far it turns."""
    turn = turn_between(quat_at(poses, at, Q), quat_at(flow, e, POSE + 3))
    for k in range(3):
        twists[at, V_END + k], twists[at, W_END + k] = flow[e, FLOW_V + k], flow[e, FLOW_W + k]
        mean = 0.5 * (twists[at, V + k] + twists[at, V_END + k]) + twists[at, V_PSEUDO + k]
        twists[at, V_FLOW + k] = (flow[e, POSE + k] - poses[at, X + k]) / h - mean
        mean = 0.5 * (twists[at, W + k] + twists[at, W_END + k]) + twists[at, W_PSEUDO + k]
        twists[at, W_FLOW + k] = turn[k] / h - mean
    return turn


@kernel
def _write_bends(twists: Floats, poses: Floats, at: int, flow: Floats, e: int, turn: Vec3, h: float) -> None:
    """Accelerations at both ends of the flow of entry e, less those of the cubic that has its ends and velocities."""
    last = RATES + STAGE_WIDTH * LAST_STAGE
    w = vector_at(twists, at, W)
    rate = dexp_inverse(turn, vector_at(flow, e, FLOW_W))
    bent = turn_acceleration(turn, rate, vector_at(flow, e, last + 10))
    for k in range(3):
        mean = (flow[e, FLOW_V + k] - twists[at, V + k]) / h
        curl = 6.0 / h * ((flow[e, POSE + k] - poses[at, X + k]) / h - 0.5 * (flow[e, FLOW_V + k] + twists[at, V + k]))
        poses[at, BENDS + k] = flow[e, RATES + 7 + k] - mean - curl
        poses[at, BENDS + 3 + k] = flow[e, last + 7 + k] - mean + curl
        mean = (rate[k] - w[k]) / h
        curl = 6.0 / h * (turn[k] / h - 0.5 * (rate[k] + w[k]))
        poses[at, BENDS + 6 + k] = flow[e, RATES + 10 + k] - mean - curl
        poses[at, BENDS + 9 + k] = bent[k] - mean + curl


@kernel
def close_linkages(
    bodies: Floats, tags: Ints, arcs: Floats, members: Ints, joints: Joints, work: Work, t: float, h: float
) -> None:
    """Poses and velocities at the step's end t onto the joints, as far as contacts have changed them."""
    flow = work.flow
    for n in range(work.sizes[LINKAGES]):
        link = work.linkage[n]
        _load(bodies, tags, arcs, members, joints, work, link, t, X_END, V_END)
        factor_linkage(joints, flow, work.rows, work.values, link)
        close_poses(bodies, tags, joints, flow, work.rows, work.values, link)
        _hold(tags, members, joints, work, link, V_END)
        first = joints.linkages[link, FIRST_ENTRY]
        for e in range(first, first + joints.linkages[link, ENTRIES]):
            if not is_dynamic(tags, joints, e):
                continue
            at = members[joints.entries[e, ENTRY_BODY], LOCAL]
            _write_end(work.twists, work.poses, at, flow, e, h)
            for k in range(3):
                work.poses[at, X_END + k] = flow[e, POSE + k]
            for k in range(4):
                work.poses[at, Q_END + k] = flow[e, POSE + 3 + k]
