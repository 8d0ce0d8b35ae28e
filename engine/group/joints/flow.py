"""The flow of linkages: where gravity and the forces of joints alone take their bodies in a step, nearly exactly.

Joints act on accelerations as in Baraff 1992, 2.5, by the second rates of their rows. They are integrated by a step
of Dormand and Prince's method of order 5 (1980), which tells its error: where it is too large the step of the contact
group is made again, shorter. What is left of errors in the joints is then taken out: poses and velocities go to those
nearest by mass that the joints allow.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.group.work import Work
from engine.joints.elements import act_on_entries, begin_entries, note_locks
from engine.joints.rows import (
    entry_matrix,
    factor_linkage,
    fill_rows,
    is_dynamic,
    load_masses,
    place_entry,
    solve_rates,
)
from engine.joints.tables import (
    AIM,
    BEGIN,
    BIAS,
    ERROR,
    FLOW_A,
    FLOW_ALPHA,
    FLOW_INV_I,
    FLOW_V,
    FLOW_W,
    POSE,
    RATES,
    SHIFT,
    SHIFT_TURN,
    STAGE_WIDTH,
)
from engine.kernel import kernel
from engine.maths.rounding import DIFFERENCE, QUOTIENT
from engine.maths.vectors import cross, norm, vector_at
from engine.model.joints import DRIVEN, ENTRIES, ENTRY_BODY, FIRST_ENTRY, LINKAGE_ROW, ROWS, Joints
from engine.model.model import GRAVITY, MOMENTS, RADIUS, Floats, Ints
from engine.motion.arcs import evolve
from engine.motion.polynomial import exp_turn
from engine.tolerances import ACCURACY
from engine.tree.dormand_prince_5 import ERROR as ERROR_OF_STEP
from engine.tree.dormand_prince_5 import LAST, NODES, SLOPES, STAGES
from engine.tree.flow import slow_speed

_APART = DIFFERENCE  # s: between the velocities whose difference tells how a kinematic body accelerates
_ITERATIONS = 4
_NEAR = 10.0 * ACCURACY  # what an iteration of closing joints leaves of how far they gape
_EXACT = QUOTIENT  # what accelerations lack, as a part of what they would without joints


@kernel
def drive_entry(bodies: Floats, tags: Ints, arcs: Floats, joints: Joints, flow: Floats, e: int, t: float) -> None:
    """Entry e, which is static or kinematic, as it is at time t: pose, velocities, accelerations."""
    place_entry(bodies, tags, arcs, joints, flow, e, t)
    i = joints.entries[e, ENTRY_BODY]
    for k in range(3):
        flow[e, FLOW_A + k] = flow[e, FLOW_ALPHA + k] = 0.0
    if i >= 0 and norm(vector_at(flow, e, FLOW_V)) + norm(vector_at(flow, e, FLOW_W)) > 0.0:
        _, _, v_next, w_next = evolve(bodies, tags, arcs, i, t + _APART)
        _, _, v_last, w_last = evolve(bodies, tags, arcs, i, t - _APART)
        for k in range(3):
            flow[e, FLOW_A + k] = (v_next[k] - v_last[k]) / (2.0 * _APART)
            flow[e, FLOW_ALPHA + k] = (w_next[k] - w_last[k]) / (2.0 * _APART)


@kernel
def accelerate(
    bodies: Floats, tags: Ints, arcs: Floats, joints: Joints, work: Work, link: int, t: float, time: float
) -> None:
    """Accelerations of a linkage's entries at time t, for the poses and velocities of those which are dynamic.

    time: what elements of joints take at their speeds is noted for so long [s].
    """
    flow, rows, values = work.flow, work.rows, work.values
    first = joints.linkages[link, FIRST_ENTRY]
    last = first + joints.linkages[link, ENTRIES]
    for e in range(first, last):
        if not is_dynamic(tags, joints, e) and joints.linkages[link, DRIVEN] == 1:
            drive_entry(bodies, tags, arcs, joints, flow, e, t)
    load_masses(bodies, joints, flow, link)
    for e in range(first, last):
        if is_dynamic(tags, joints, e):
            _fly_free(bodies, flow, e, joints.entries[e, ENTRY_BODY])
    act_on_entries(joints, flow, work.ties, link, time)
    fill_rows(joints, flow, rows, link)
    begin = joints.linkages[link, LINKAGE_ROW]
    for r in range(begin, begin + joints.linkages[link, ROWS]):
        rows[r, AIM] = -rows[r, BIAS]
    factor_linkage(joints, flow, rows, values, link)
    solve_rates(joints, flow, rows, values, link, FLOW_A, _EXACT)


@kernel
def _fly_free(bodies: Floats, flow: Floats, e: int, i: int) -> None:
    """Accelerations of entry e without joints: gravity, and Euler's equations."""
    m = entry_matrix(flow, e)
    w = (flow[e, FLOW_W], flow[e, FLOW_W + 1], flow[e, FLOW_W + 2])
    spin = (
        bodies[i, MOMENTS] * (m[0] * w[0] + m[3] * w[1] + m[6] * w[2]),
        bodies[i, MOMENTS + 1] * (m[1] * w[0] + m[4] * w[1] + m[7] * w[2]),
        bodies[i, MOMENTS + 2] * (m[2] * w[0] + m[5] * w[1] + m[8] * w[2]),
    )
    momentum = (
        m[0] * spin[0] + m[1] * spin[1] + m[2] * spin[2],
        m[3] * spin[0] + m[4] * spin[1] + m[5] * spin[2],
        m[6] * spin[0] + m[7] * spin[1] + m[8] * spin[2],
    )
    couple = cross(momentum, w)
    for k in range(3):
        at = FLOW_INV_I + 3 * k
        flow[e, FLOW_A + k] = bodies[i, GRAVITY + k]
        flow[e, FLOW_ALPHA + k] = flow[e, at] * couple[0] + flow[e, at + 1] * couple[1] + flow[e, at + 2] * couple[2]


@kernel
def _note_rates(flow: Floats, e: int, stage: int) -> None:
    """Rates of pose and velocities of entry e, as those of a stage."""
    at = RATES + STAGE_WIDTH * stage
    w0, w1, w2 = 0.5 * flow[e, FLOW_W], 0.5 * flow[e, FLOW_W + 1], 0.5 * flow[e, FLOW_W + 2]
    a, b, c, d = flow[e, POSE + 3], flow[e, POSE + 4], flow[e, POSE + 5], flow[e, POSE + 6]
    flow[e, at + 3] = -w0 * b - w1 * c - w2 * d
    flow[e, at + 4] = w0 * a + w1 * d - w2 * c
    flow[e, at + 5] = w1 * a + w2 * b - w0 * d
    flow[e, at + 6] = w2 * a + w0 * c - w1 * b
    for k in range(3):
        flow[e, at + k] = flow[e, FLOW_V + k]
        flow[e, at + 7 + k] = flow[e, FLOW_A + k]
        flow[e, at + 10 + k] = flow[e, FLOW_ALPHA + k]


@kernel
def _go_on(flow: Floats, e: int, stage: int, h: float) -> None:
    """Pose and velocities of entry e at a stage of a step h."""
    for k in range(STAGE_WIDTH):
        s = 0.0
        for j in range(stage):
            s += SLOPES[stage][j] * flow[e, RATES + STAGE_WIDTH * j + k]
        flow[e, POSE + k] = flow[e, BEGIN + k] + h * s
    a, b, c, d = flow[e, POSE + 3], flow[e, POSE + 4], flow[e, POSE + 5], flow[e, POSE + 6]
    share = 1.0 / sqrt(a * a + b * b + c * c + d * d)
    for k in range(3, 7):
        flow[e, POSE + k] *= share


@kernel
def follow_linkage(
    bodies: Floats,
    tags: Ints,
    settings: Floats,
    arcs: Floats,
    joints: Joints,
    work: Work,
    link: int,
    t: float,
    h: float,
) -> float:
    """Move a linkage from t to t + h: in `flow`, from poses and velocities to those at the end, rows and matrix too.

    How large the error is, as a part of the fastest speed.
    """
    flow = work.flow
    first = joints.linkages[link, FIRST_ENTRY]
    last = first + joints.linkages[link, ENTRIES]
    begin_entries(joints, flow, work.ties, link, h)
    for e in range(first, last):
        for k in range(STAGE_WIDTH):
            flow[e, BEGIN + k] = flow[e, POSE + k]
    for stage in range(STAGES):
        for e in range(first, last):
            if stage > 0 and is_dynamic(tags, joints, e):
                _go_on(flow, e, stage, h)
        time = h * SLOPES[LAST][stage] if stage < LAST else 0.0
        accelerate(bodies, tags, arcs, joints, work, link, t + NODES[stage] * h, time)
        if stage == 0:
            note_locks(joints, work.rows, work.ties, link)
        for e in range(first, last):
            _note_rates(flow, e, stage)
    return _estimate_error(bodies, tags, settings, joints, flow, link, h)


@kernel
def _estimate_error(
    bodies: Floats, tags: Ints, settings: Floats, joints: Joints, flow: Floats, link: int, h: float
) -> float:
    """The largest error that a step h makes in the speed of a point, as a part of what is fast in the linkage."""
    first = joints.linkages[link, FIRST_ENTRY]
    most = fastest = 0.0
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        if not is_dynamic(tags, joints, e):
            continue
        reach = bodies[joints.entries[e, ENTRY_BODY], RADIUS]
        move = turn = fast = spin = 0.0
        for k in range(3):
            v = w = 0.0
            for j in range(STAGES):
                v += ERROR_OF_STEP[j] * flow[e, RATES + STAGE_WIDTH * j + 7 + k]
                w += ERROR_OF_STEP[j] * flow[e, RATES + STAGE_WIDTH * j + 10 + k]
            move += v * v
            turn += w * w
            fast += flow[e, FLOW_V + k] * flow[e, FLOW_V + k]
            spin += flow[e, FLOW_W + k] * flow[e, FLOW_W + k]
        most = max(most, h * (sqrt(move) + reach * sqrt(turn)))
        fastest = max(fastest, sqrt(fast) + reach * sqrt(spin), slow_speed(settings, reach))
    return most / fastest if fastest > 0.0 else 0.0


@kernel
def close_poses(
    bodies: Floats, tags: Ints, joints: Joints, flow: Floats, rows: Floats, values: Floats, link: int
) -> float:
    """Move the bodies of a linkage, whose rows are filled and factored, until its joints are closed.

    By how much they gape still, as a part of the smallest body's radius.
    """
    first = joints.linkages[link, FIRST_ENTRY]
    last = first + joints.linkages[link, ENTRIES]
    begin = joints.linkages[link, LINKAGE_ROW]
    size = inf
    for e in range(first, last):
        if is_dynamic(tags, joints, e):
            size = min(size, bodies[joints.entries[e, ENTRY_BODY], RADIUS])
    most = _aim_to_close(rows, begin, begin + joints.linkages[link, ROWS])
    for iteration in range(_ITERATIONS):
        if most <= QUOTIENT * size:
            break
        for e in range(first, last):
            for k in range(6):
                flow[e, SHIFT + k] = 0.0
        solve_rates(joints, flow, rows, values, link, SHIFT, _NEAR)
        for e in range(first, last):
            if is_dynamic(tags, joints, e):
                _shift(flow, e)
        load_masses(bodies, joints, flow, link)
        fill_rows(joints, flow, rows, link)
        if iteration > 0:
            factor_linkage(joints, flow, rows, values, link)
        most = _aim_to_close(rows, begin, begin + joints.linkages[link, ROWS])
    for r in range(begin, begin + joints.linkages[link, ROWS]):
        rows[r, AIM] = 0.0
    return most / size


@kernel
def _aim_to_close(rows: Floats, begin: int, end: int) -> float:
    """Rows begin .. end - 1 aim at the shifts that close their joints: the largest of them."""
    most = 0.0
    for r in range(begin, end):
        most = max(most, abs(rows[r, ERROR]))
        rows[r, AIM] = -rows[r, ERROR]
    return most


@kernel
def _shift(flow: Floats, e: int) -> None:
    q = (flow[e, POSE + 3], flow[e, POSE + 4], flow[e, POSE + 5], flow[e, POSE + 6])
    q = exp_turn(vector_at(flow, e, SHIFT_TURN), q)
    for k in range(3):
        flow[e, POSE + k] += flow[e, SHIFT + k]
    for k in range(4):
        flow[e, POSE + 3 + k] = q[k]
