"""Joints with elements in the steps of their group: what hits an end of its way, what stands, and their books.

In a group that touches nothing a joint that comes to an end of its way is stopped, or bounces, at once: an impulse
along it, by the K of its whole linkage. One that comes back sooner than can be seen stays there. It is then locked, as
is one that stands against friction, for as long as what holds it is no more than an end or friction can give: all are
locked first, and the worst let go, until none is left. Where something is touched nothing is locked: ends and friction
are rows of the step's solve (engine.group.joints.ends).
"""

from __future__ import annotations

from math import inf

from engine.collision.narrow.frames import turn
from engine.group.joints.ends import keep_joint_rows
from engine.group.joints.flow import accelerate
from engine.group.work import LINKAGES, PAIRS_HELD, Work
from engine.joints.elements import measure_joint
from engine.joints.response import clear_changes, joint_work, push_entry
from engine.joints.rows import entry_matrix, factor_linkage, fill_rows, is_dynamic, solve_rates
from engine.joints.tables import AIM, CHANGE, FLOW_INV_M, FLOW_V, FLOW_W, LOCKS, LOCKS_AT, POSE, TAKEN, Linked
from engine.kernel import kernel
from engine.maths.rounding import EPSILON, ROOT, SINE
from engine.maths.vectors import Vec3, add, cross, dot, scale, sub, vector_at
from engine.model.elements import (
    AT_HIGH,
    AT_LOW,
    BEARS_HIGH,
    BEARS_LOW,
    BEGUN_AT,
    BEGUN_RATE,
    BORNE,
    BOUNCE,
    DAMPED,
    DAMPED_FIRST,
    DAMPER,
    DAMPS,
    DRIVE,
    DRIVEN_BY,
    DRIVES,
    DRY,
    EARLIER,
    HIGH,
    IN_CONTACT,
    LAST_STOP,
    LOCK,
    LOCK_FORCE,
    LOCKED_AT,
    LOOSE,
    LOW,
    MISSING,
    NEXT_TICK,
    PERIOD,
    POSITION,
    RUBBED,
    RUBBED_FIRST,
    RUBS,
    SLIDES,
    SPEED,
    STORED,
    STORED_END,
    STUCK,
    SUM_GAIN,
    TIE_WIDTH,
)
from engine.model.joints import (
    ACTING,
    ACTS,
    ANCHOR_B,
    BALL,
    ENTRIES,
    ENTRY_A,
    ENTRY_B,
    ENTRY_BODY,
    FIRST_ENTRY,
    FIRST_JOINT,
    HINGE,
    JOINT_KIND,
    JOINTS,
    LINKAGE_ROW,
    LOCK_ROW,
    ROWS,
    Joints,
)
from engine.model.model import Floats, Ints
from engine.model.state import (
    DAMPING,
    DISSIPATED,
    ELASTIC,
    ELASTIC_FIRST,
    ELASTIC_POWER,
    LEADER,
    LOSS,
    LOSS_FIRST,
    NUMERICAL,
    NUMERICS,
    POWER,
    POWER_FIRST,
    SLIDING,
    State,
)
from engine.tolerances import MOST_MISS, SAFETY
from engine.tree.elements import let_go, lock_bounds, move_event, stop_event
from engine.tree.forces import answers_speed, is_due, motor_force, spring_force, stored_energy, tick_motor

_STILL = 8.0 * ROOT  # m/s, rad/s: a joint that is slower stands
_THERE = SINE  # m, rad: and one that is so near an end of its way is there
_EXACT = 4.0 * EPSILON  # of what an impulse alone would do to the joints: rounding
_LEFT = SAFETY * SAFETY  # of what contacts have pressed a joint beyond its end is left after a step


@kernel
def stand_joints(
    bodies: Floats, tags: Ints, arcs: Floats, joints: Joints, state_joints: Floats, work: Work, link: int,
    longest: float, t: float,
) -> tuple[bool, float]:  # fmt: skip
    """Hits and locks of a linkage whose entries and rows are loaded at time t, as its step begins.

    longest: step [s]; what comes back to an end within a part of it stays there. Have velocities in the flow changed,
    and what have kinematic bodies put in [J]?
    """
    flow, rows, ties = work.flow, work.rows, work.ties
    if not _look_at_joints(joints, state_joints, work, link, t):
        return False, 0.0
    fill_rows(joints, flow, rows, link)
    factor_linkage(joints, flow, rows, work.values, link)
    put_in = solve_rates(joints, flow, rows, work.values, link, FLOW_V, _STILL * _STILL)
    first = joints.linkages[link, FIRST_JOINT]
    after = first + joints.linkages[link, JOINTS]
    bounced = True
    while bounced:  # each once at most
        bounced = False
        for j in range(first, after):
            if joints.joints[j, LOCK_ROW] >= 0:
                ties[j, SPEED] = measure_joint(joints, flow, j, ties[j, POSITION])[1]
                ties[j, SLIDES] = _way_of(joints.elements, ties, j)
                end, closing = _end_of(joints.elements, ties, j)
                if end != LOOSE and closing > _STILL and t - ties[j, LAST_STOP] > MOST_MISS * longest:
                    ties[j, LAST_STOP] = t
                    if joints.elements[j, BOUNCE] > 0.0:
                        put_in += _bounce(joints, work, link, j)
                        bounced = True
    put_in += _lock_joints(joints, work, link)
    _let_go(bodies, tags, arcs, joints, work, link, t)
    for j in range(first, after):
        if joints.joints[j, ACTS] == 0 or joints.joints[j, JOINT_KIND] == BALL:
            continue
        ties[j, BEGUN_RATE] = measure_joint(joints, flow, j, ties[j, POSITION])[1]
        if joints.joints[j, LOCK_ROW] >= 0:
            ties[j, SPEED] = ties[j, BEGUN_RATE]
    begin = joints.linkages[link, LINKAGE_ROW]
    for r in range(begin, begin + joints.linkages[link, ROWS]):
        rows[r, AIM] = 0.0
    return True, put_in


@kernel
def _look_at_joints(joints: Joints, state_joints: Floats, work: Work, link: int, t: float) -> bool:
    """Positions and speeds of the joints of a linkage at time t, nothing locked. Is one to be locked?"""
    ties, elements = work.ties, joints.elements
    touches = work.sizes[PAIRS_HELD] > 0
    found = False
    first = joints.linkages[link, FIRST_JOINT]
    for j in range(first, first + joints.linkages[link, JOINTS]):
        for k in range(TIE_WIDTH):
            ties[j, k] = state_joints[j, k]
        for column in (SLIDES, STORED, LOCK_FORCE, BEARS_LOW, BEARS_HIGH):
            ties[j, column] = 0.0
        ties[j, LOCK] = LOOSE
        if joints.joints[j, ACTS] == 0 or joints.joints[j, JOINT_KIND] == BALL:
            continue
        ties[j, POSITION], ties[j, SPEED], _ = measure_joint(joints, work.flow, j, ties[j, POSITION])
        ties[j, DAMPS] = 0.0 if touches else elements[j, DAMPER]
        ties[j, DRIVES] = 0.0 if touches and answers_speed(elements, j) else 1.0
        ties[j, BEGUN_AT], ties[j, BEGUN_RATE] = ties[j, POSITION], ties[j, SPEED]
        ties[j, STORED] = stored_energy(elements, j, ties[j, POSITION])
        tick_motor(elements, ties, j, ties[j, POSITION], ties[j, SPEED], t)
        if joints.joints[j, LOCK_ROW] >= 0:
            work.rows[joints.joints[j, LOCK_ROW], LOCKS] = 0.0
            if touches:
                continue
            ties[j, SLIDES] = _way_of(elements, ties, j)
            found = found or (elements[j, DRY] > 0.0 and abs(ties[j, SPEED]) <= _STILL)
            found = found or _end_of(elements, ties, j)[0] != LOOSE
    return found


@kernel
def _way_of(elements: Floats, ties: Floats, j: int) -> float:
    """The way in which joint j slides against friction; 0: it has none, or stands."""
    if elements[j, DRY] == 0.0 or abs(ties[j, SPEED]) <= _STILL:
        return 0.0
    return 1.0 if ties[j, SPEED] > 0.0 else -1.0


@kernel
def _end_of(elements: Floats, ties: Floats, j: int) -> tuple[float, float]:
    """The end of its way at which joint j is and does not leave, else LOOSE, and how fast it goes on there."""
    if ties[j, POSITION] <= elements[j, LOW] + _THERE and ties[j, SPEED] <= _STILL:
        return AT_LOW, -ties[j, SPEED]
    if ties[j, POSITION] >= elements[j, HIGH] - _THERE and ties[j, SPEED] >= -_STILL:
        return AT_HIGH, ties[j, SPEED]
    return LOOSE, 0.0


@kernel
def _bounce(joints: Joints, work: Work, link: int, j: int) -> float:
    """Joint j hits an end of its way: an impulse along it changes the velocities of the whole linkage. What kinematic
    bodies put in [J]."""
    flow, ties = work.flow, work.ties
    linked = Linked(joints, flow, work.rows, work.values)
    _, rate, u = measure_joint(joints, flow, j, ties[j, POSITION])
    clear_changes(linked, link)
    _push_along(joints, linked, j, u)
    solve_rates(joints, flow, work.rows, work.values, link, CHANGE, _EXACT)
    first = joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        for k in range(6):
            flow[e, FLOW_V + k] += flow[e, CHANGE + k]
    gained = measure_joint(joints, flow, j, ties[j, POSITION])[1] - rate
    p = -(1.0 + joints.elements[j, BOUNCE]) * rate / gained
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        for k in range(6):
            flow[e, FLOW_V + k] += (p - 1.0) * flow[e, CHANGE + k]
    return float(p * (joint_work(linked, link)[0] - _prescribed_along(joints, flow, j, u)))


@kernel
def _push_along(joints: Joints, linked: Linked, j: int, u: Vec3) -> None:
    """A unit impulse along the axis u of hinge or slider j, on its second side, and its reverse on the first."""
    flow = linked.flow
    a, b = joints.joints[j, ENTRY_A], joints.joints[j, ENTRY_B]
    back, nothing = scale(u, -1.0), (0.0, 0.0, 0.0)
    if joints.joints[j, JOINT_KIND] == HINGE:
        push_entry(linked, a, nothing, back)
        push_entry(linked, b, nothing, u)
    else:
        r_b = turn(entry_matrix(flow, b), vector_at(joints.frames, j, ANCHOR_B))
        r_a = add(sub(vector_at(flow, b, POSE), vector_at(flow, a, POSE)), r_b)
        push_entry(linked, a, back, cross(r_a, back))
        push_entry(linked, b, u, cross(r_b, u))


@kernel
def _prescribed_along(joints: Joints, flow: Floats, j: int, u: Vec3) -> float:
    """The part of the speed of hinge or slider j along its axis u that kinematic sides prescribe."""
    a, b = joints.joints[j, ENTRY_A], joints.joints[j, ENTRY_B]
    of_a, of_b = vector_at(flow, a, FLOW_W), vector_at(flow, b, FLOW_W)
    if joints.joints[j, JOINT_KIND] != HINGE:
        r_b = turn(entry_matrix(flow, b), vector_at(joints.frames, j, ANCHOR_B))
        r_a = add(sub(vector_at(flow, b, POSE), vector_at(flow, a, POSE)), r_b)
        of_a = add(vector_at(flow, a, FLOW_V), cross(of_a, r_a))
        of_b = add(vector_at(flow, b, FLOW_V), cross(of_b, r_b))
    total = dot(u, of_b) if flow[b, FLOW_INV_M] == 0.0 else 0.0
    return total - dot(u, of_a) if flow[a, FLOW_INV_M] == 0.0 else total


@kernel
def _lock_joints(joints: Joints, work: Work, link: int) -> float:
    """Lock what is at an end of its way or stands against friction, and stop it. What kinematic bodies put in [J]."""
    flow, rows, ties = work.flow, work.rows, work.ties
    first = joints.linkages[link, FIRST_JOINT]
    for j in range(first, first + joints.linkages[link, JOINTS]):
        if joints.joints[j, LOCK_ROW] < 0:
            continue
        end, _ = _end_of(joints.elements, ties, j)
        if end == LOOSE and joints.elements[j, DRY] > 0.0 and abs(ties[j, SPEED]) <= _STILL:
            end = STUCK
        ties[j, LOCK] = end
        if ties[j, LOCK] != LOOSE:
            _set_lock(joints, work, j)
    fill_rows(joints, flow, rows, link)
    factor_linkage(joints, flow, rows, work.values, link)
    return float(solve_rates(joints, flow, rows, work.values, link, FLOW_V, _STILL * _STILL))


@kernel
def _set_lock(joints: Joints, work: Work, j: int) -> None:
    row, q = joints.joints[j, LOCK_ROW], work.ties[j, POSITION]
    inside = min(max(q, joints.elements[j, LOW]), joints.elements[j, HIGH])
    work.rows[row, LOCKS] = 1.0
    work.rows[row, LOCKS_AT] = work.ties[j, LOCKED_AT] = inside + _LEFT * (q - inside)
    work.ties[j, SLIDES] = 0.0


@kernel
def _loosen(joints: Joints, work: Work, j: int, way: float) -> None:
    """Joint j is locked no longer, and moves that way if at all."""
    work.ties[j, LOCK] = LOOSE
    work.rows[joints.joints[j, LOCK_ROW], LOCKS] = 0.0
    work.ties[j, SLIDES] = way if joints.elements[j, DRY] > 0.0 else 0.0


@kernel
def _let_go(bodies: Floats, tags: Ints, arcs: Floats, joints: Joints, work: Work, link: int, t: float) -> None:
    """Of what is locked let go what neither ends nor friction can hold, the worst first."""
    rows, ties = work.rows, work.ties
    first = joints.linkages[link, FIRST_JOINT]
    worst = 0
    while worst >= 0:
        accelerate(bodies, tags, arcs, joints, work, link, t, 0.0)
        worst, way, most = -1, 0.0, 0.0
        for j in range(first, first + joints.linkages[link, JOINTS]):
            if joints.joints[j, LOCK_ROW] < 0 or ties[j, LOCK] == LOOSE:
                continue
            force = rows[joints.joints[j, LOCK_ROW], TAKEN]
            low, high = lock_bounds(joints.elements, ties, j)
            if max(low - force, force - high) > most:
                worst, way, most = j, 1.0 if force < low else -1.0, max(low - force, force - high)
        if worst >= 0:
            _loosen(joints, work, worst, way)


# --- within the step ----------------------------------------------------------------------------------------------


@kernel
def linkage_event(joints: Joints, work: Work, link: int, h: float) -> float:
    """As `engine.tree.elements.next_event`, of a linkage that has flowed by its rows: they are as at the step's end."""
    ties, elements = work.ties, joints.elements
    event = inf
    if joints.linkages[link, ACTING] == 0:
        return event
    first = joints.linkages[link, FIRST_JOINT]
    for j in range(first, first + joints.linkages[link, JOINTS]):
        if joints.joints[j, LOCK_ROW] < 0:
            continue
        if ties[j, LOCK] != LOOSE:
            force = work.rows[joints.joints[j, LOCK_ROW], TAKEN]
            event = min(event, let_go(elements, ties, j, ties[j, LOCK_FORCE], force, h))
            continue
        q, rate, _ = measure_joint(joints, work.flow, j, ties[j, POSITION])
        a = (rate - ties[j, SPEED]) / h
        start, end = (ties[j, POSITION], ties[j, SPEED]), (q, rate)
        event = min(event, move_event(elements, ties, j, start, end, h))
        event = min(event, stop_event(ties, j, (start[1], a), (rate, a), h))
    return event if event < (1.0 - _THERE) * h else inf


@kernel
def motor_event(joints: Joints, work: Work, link: int, t: float, h: float) -> float:
    """After which time of the step h from t on a motor of a linkage ticks [s]; inf: none does within it."""
    event = inf
    if joints.linkages[link, ACTING] == 0:
        return event
    first = joints.linkages[link, FIRST_JOINT]
    for j in range(first, first + joints.linkages[link, JOINTS]):
        ticks = joints.joints[j, ACTS] == 1 and joints.elements[j, PERIOD] > 0.0
        if ticks and not is_due(joints.elements, work.ties, j, t):
            event = min(event, work.ties[j, NEXT_TICK] - t)
    return event if event < (1.0 - _THERE) * h else inf


@kernel
def sums_up(joints: Joints, link: int) -> bool:
    """Does a motor of a linkage sum up what is missing? Then what stands may move later all the same."""
    first = joints.linkages[link, FIRST_JOINT]
    most = 0.0
    for j in range(first, first + joints.linkages[link, JOINTS]):
        most = max(most, joints.elements[j, SUM_GAIN])
    return most > 0.0


@kernel
def mark_joints(joints: Joints, work: Work, link: int) -> None:
    """Positions and speeds of the joints of a linkage that is loaded, as a part of the step begins."""
    if joints.linkages[link, ACTING] == 0:
        return
    first = joints.linkages[link, FIRST_JOINT]
    for j in range(first, first + joints.linkages[link, JOINTS]):
        if joints.joints[j, ACTS] == 1 and joints.joints[j, JOINT_KIND] != BALL:
            position, speed, _ = measure_joint(joints, work.flow, j, work.ties[j, POSITION])
            work.ties[j, POSITION], work.ties[j, SPEED] = position, speed


@kernel
def carry_losses(joints: Joints, work: Work, link: int, ends: bool) -> None:
    """Keep what elements of a linkage took in the first half of a step; ends: add it to that in the second."""
    if joints.linkages[link, ACTING] == 0:
        return
    ties = work.ties
    first = joints.linkages[link, FIRST_JOINT]
    for j in range(first, first + joints.linkages[link, JOINTS]):
        if ends:
            ties[j, DAMPED] += ties[j, EARLIER]
            ties[j, RUBBED] += ties[j, EARLIER + 1]
            ties[j, DRIVEN_BY] += ties[j, EARLIER + 2]
            ties[j, DAMPED_FIRST] = _first_for(ties[j, EARLIER], ties[j, DAMPED])
            ties[j, RUBBED_FIRST] = _first_for(ties[j, EARLIER + 1], ties[j, RUBBED])
        else:
            for k in range(3):
                ties[j, EARLIER + k] = ties[j, DAMPED if k == 0 else (RUBBED if k == 1 else DRIVEN_BY)]


@kernel
def _first_for(earlier: float, whole: float) -> float:
    """What would be taken in a step that goes on as at its start, for so much to be taken in its first half.

    Books have a parabola of what is taken, first s + (whole - first) s^2; it never falls.
    """
    return min(max(4.0 * earlier - whole, 0.0), 2.0 * whole)


@kernel
def elements_took(joints: Joints, work: Work, link: int) -> float:
    """What elements of a linkage have taken in the step, and stored, less what motors have put in [J]."""
    took = 0.0
    if joints.linkages[link, ACTING] == 0:
        return took
    first = joints.linkages[link, FIRST_JOINT]
    for j in range(first, first + joints.linkages[link, JOINTS]):
        if joints.joints[j, ACTS] == 0:
            continue
        took += work.ties[j, DAMPED]
        if joints.joints[j, JOINT_KIND] != BALL:
            q, _, _ = measure_joint(joints, work.flow, j, work.ties[j, POSITION])
            took += stored_energy(joints.elements, j, q) - work.ties[j, STORED]
            took += work.ties[j, RUBBED] - work.ties[j, DRIVEN_BY]
    return took


@kernel
def first_body(tags: Ints, joints: Joints, link: int) -> int:
    """The first body of a linkage that moves as forces will."""
    e = joints.linkages[link, FIRST_ENTRY]
    while not is_dynamic(tags, joints, e):
        e += 1
    return joints.entries[e, ENTRY_BODY]


# --- books --------------------------------------------------------------------------------------------------------


@kernel
def keep_elements(joints: Joints, state: State, work: Work, h: float) -> None:
    """How the joints of a group stand after a step h, for the next one.

    Springs count with what they hold where the step began: a step that is cut short has booked its share.
    """
    ties = work.ties
    held, acts = 0.0, False
    for n in range(work.sizes[LINKAGES]):
        link = work.linkage[n]
        if joints.linkages[link, ACTING] == 0:
            continue
        acts = True
        first = joints.linkages[link, FIRST_JOINT]
        for j in range(first, first + joints.linkages[link, JOINTS]):
            if joints.joints[j, ACTS] == 0:
                continue
            held += ties[j, STORED]
            if joints.joints[j, JOINT_KIND] == BALL:
                ties[j, RUBBED] = ties[j, RUBBED_FIRST] = ties[j, DRIVEN_BY] = ties[j, STORED_END] = 0.0
                continue
            q, _, _ = measure_joint(joints, work.flow, j, ties[j, POSITION])
            ties[j, STORED_END] = stored_energy(joints.elements, j, q)
            state.joints[j, POSITION] = q
            state.joints[j, LAST_STOP] = ties[j, LAST_STOP]
            state.joints[j, LOCK] = ties[j, LOCK]
            for column in (DRIVE, MISSING, NEXT_TICK):
                state.joints[j, column] = ties[j, column]
            state.joints[j, BORNE] = ties[j, LOCK_FORCE] if ties[j, LOCK] != LOOSE else 0.0
            state.joints[j, RUBS] = 0.0
            if work.sizes[PAIRS_HELD] > 0 and joints.joints[j, LOCK_ROW] >= 0:
                state.joints[j, LOCK] = IN_CONTACT
    keep_joint_rows(state.joints, work, h)
    if acts:
        leader = state.members[work.body[0], LEADER]
        state.clock[DISSIPATED + NUMERICS] += state.groups[leader, ELASTIC] - held


@kernel
def book_elements(joints: Joints, groups: Floats, ties: Floats, link: int, leader: int, h: float) -> None:
    """What elements of a linkage take in a step h, and what flows into its springs, into the books of its group."""
    first = joints.linkages[link, FIRST_JOINT]
    for j in range(first, first + joints.linkages[link, JOINTS]):
        if joints.joints[j, ACTS] == 0:
            continue
        gained = ties[j, STORED_END] - ties[j, STORED]
        groups[leader, ELASTIC] += ties[j, STORED]
        groups[leader, ELASTIC_POWER] += gained / h
        groups[leader, NUMERICAL] -= gained
        groups[leader, LOSS + DAMPING] += ties[j, DAMPED]
        groups[leader, LOSS_FIRST + DAMPING] += ties[j, DAMPED_FIRST]
        groups[leader, LOSS + SLIDING] += ties[j, RUBBED]
        groups[leader, LOSS_FIRST + SLIDING] += ties[j, RUBBED_FIRST]
        groups[leader, POWER] += ties[j, DRIVEN_BY] / h
        if joints.joints[j, JOINT_KIND] != BALL:
            q, rate = ties[j, BEGUN_AT], ties[j, BEGUN_RATE]
            groups[leader, ELASTIC_FIRST] += spring_force(joints.elements, j, q) * rate
            groups[leader, POWER_FIRST] += ties[j, DRIVES] * motor_force(joints.elements, ties, j, q, rate) * rate
