"""What joints bear in a step of their group: from what their bodies' momentum lacks when all else is counted.

What gravity and contacts do not account for of a body's change of momentum in a step its joints gave it, evenly. Its
angular momentum is about a point that goes on evenly, as the linkage's common centre does at the end: there what forces
do that change within the step is the same for both bodies of a joint (see also engine.group.joints.uneven). What
joints do at its start is an impulse, as that of a hit: against what stops what flies into a contact there, and what a
step that was cut short gave a body beyond its even part (engine.group.cut). A body of which one joint is left passes
that on through it, to the joint's other side, and so from the ends of a tree inwards. A joint that closes a loop gets
what the rows of its linkage say for the middle of the step, where impulses act; what these leave open is passed on by
the others, so that momentum is accounted for to rounding.

Trees that touch nothing go through a step by their joints alone: what these bear follows from the arcs of their bodies,
and is found when it is asked for.
"""

from __future__ import annotations

from engine.group.bodies import load_body
from engine.group.energy import own_momentum
from engine.group.work import (
    ARRESTED,
    BODIES,
    CONTACTS,
    FORCE,
    IMPULSE_AT,
    JOINT_ROWS,
    LINKAGES,
    NORMAL_AT,
    PAIRS_HELD,
    POINT,
    Q_END,
    SIDE_A,
    SIDE_B,
    START_IMPULSE,
    START_POINT,
    TORQUE,
    V_BEGUN,
    V_END,
    W_END,
    X_END,
    Q,
    V,
    W,
    Work,
    X,
)
from engine.group.work import COUPLE as CONTACT_COUPLE
from engine.joints.response import clear_changes, push_entry, spread_changes
from engine.joints.rows import factor_linkage, fill_rows, is_dynamic, load_masses, place_entry
from engine.joints.tables import LEVER_B, LINE, POSE, TAKEN, WANT, WANT_TURN, Linked
from engine.kernel import kernel
from engine.maths.quaternions import normalize, quat_at, rotate
from engine.maths.rounding import QUOTIENT
from engine.maths.vectors import Vec3, add, add_scaled, cross, scale, sub, vector_at
from engine.model.joints import (
    ANCHOR_A,
    ANCHOR_B,
    ANGULAR,
    ENTRIES,
    ENTRY_A,
    ENTRY_B,
    ENTRY_BODY,
    FIRST_ENTRY,
    FIRST_JOINT,
    FIRST_ROW,
    JOINTS,
    LINEAR,
)
from engine.model.model import ENTRY, FREE, GRAVITY, KIND, LINKAGE, MASS, Floats, Ints, Model
from engine.model.state import (
    BODY_A,
    BODY_B,
    BORNE,
    BORNE_COUPLE,
    BORNE_POINT,
    COUPLE,
    HELD_UNTIL,
    LOCAL,
    PUT_OFF,
    STRUCK,
    STRUCK_TURN,
    T0,
    UNEVEN,
    UNEVEN_TURN,
    State,
)
from engine.motion.arcs import evolve
from engine.tree.matrices import put


@kernel
def note_bearing(model: Model, state: State, work: Work, t: float, h: float, rests: bool) -> None:
    """What the joints of a group bear in the step h from t on that has been found good, into State.bearing.

    rests: the group was stopped for a trial, and stays where it is.
    """
    _note_start(model, state, work, t, rests)
    for n in range(work.sizes[LINKAGES]):
        _want_evenly(model, state, work, work.linkage[n], t, h, rests)
    _take_contacts(model, work)
    for n in range(work.sizes[LINKAGES]):
        _share_out(model, state, work, work.linkage[n])


@kernel
def put_off_bearing(model: Model, state: State, work: Work, t: float) -> None:
    """The same of a group that swings free, but what its joints bear evenly: `find_bearing` does that."""
    linkages = model.joints.linkages
    _note_start(model, state, work, t, False)
    for n in range(work.sizes[LINKAGES]):
        first = linkages[work.linkage[n], FIRST_JOINT]
        for j in range(first, first + linkages[work.linkage[n], JOINTS]):
            state.bearing[j, PUT_OFF] = 1.0


@kernel
def find_bearing(model: Model, state: State, work: Work) -> None:
    """What joints bear in the steps under way in which that has been put off, into State.bearing."""
    linkages = model.joints.linkages
    for link in range(linkages.shape[0]):
        if linkages[link, JOINTS] == 0 or state.bearing[linkages[link, FIRST_JOINT], PUT_OFF] == 0.0:
            continue
        t, h = _load_step(model, state, work, link)
        _want_evenly(model, state, work, link, t, h, False)  # nothing, where a step has just been cut short
        _share_out(model, state, work, link)
        for e in range(linkages[link, FIRST_ENTRY], linkages[link, FIRST_ENTRY] + linkages[link, ENTRIES]):
            if is_dynamic(model.tags, model.joints, e):
                state.members[model.joints.entries[e, ENTRY_BODY], LOCAL] = -1


@kernel
def _load_step(model: Model, state: State, work: Work, link: int) -> tuple[float, float]:
    """The bodies of a tree in the rows of their own numbers, at both ends of their arcs; when these begin, and how
    long they are [s]."""
    joints, arcs = model.joints, state.arcs
    t = h = 0.0
    first = joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        if not is_dynamic(model.tags, joints, e):
            continue
        i = at = joints.entries[e, ENTRY_BODY]
        state.members[i, LOCAL] = at
        t, h = arcs[i, T0], arcs[i, HELD_UNTIL] - arcs[i, T0]
        x, q, v, w = evolve(model.bodies, model.tags, arcs, i, t)
        load_body(model.bodies, work, i, at, x, q, v, w)
        put(work.poses, at, FORCE, (0.0, 0.0, 0.0))  # what touches nothing is kicked
        put(work.poses, at, TORQUE, vector_at(state.loads, i, COUPLE))
        x, q, v, w = evolve(model.bodies, model.tags, arcs, i, arcs[i, HELD_UNTIL])
        put(work.poses, at, X_END, x)
        put(work.twists, at, V_END, v)
        put(work.twists, at, W_END, w)
        for k in range(4):
            work.poses[at, Q_END + k] = q[k]
    return t, h


@kernel
def _note_start(model: Model, state: State, work: Work, t: float, rests: bool) -> None:
    """What joints bear at the start of the step, t, into their columns STRUCK."""
    joints = model.joints
    if not _want_at_start(model, state, work, rests):
        return
    for n in range(work.sizes[LINKAGES]):
        link = work.linkage[n]
        first = joints.linkages[link, FIRST_ENTRY]
        for e in range(first, first + joints.linkages[link, ENTRIES]):
            _place(model, state, work, e, t, 0.0)
        _share_out(model, state, work, link)
        _keep_struck(joints.linkages, state.bearing, link)


@kernel
def _want_evenly(model: Model, state: State, work: Work, link: int, t: float, h: float, rests: bool) -> None:
    """The entries of a linkage in the middle of the step h from t on, and what they want in it but for contacts."""
    joints = model.joints
    first = joints.linkages[link, FIRST_ENTRY]
    on = _goes_on(model, state, work, link)
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        _place(model, state, work, e, t, 0.0 if rests else h)
        if is_dynamic(model.tags, joints, e):
            _want_all(model, state, work, e, h, on, rests)


@kernel
def _place(model: Model, state: State, work: Work, e: int, t: float, h: float) -> None:
    """Entry e where the velocities at both ends take it till the middle of the step h from t on; 0: at its start."""
    if not is_dynamic(model.tags, model.joints, e):
        place_entry(model.bodies, model.tags, state.arcs, model.joints, work.flow, e, t + 0.5 * h)
        return
    at = state.members[model.joints.entries[e, ENTRY_BODY], LOCAL]
    x, q = vector_at(work.poses, at, X), quat_at(work.poses, at, Q)
    if h > 0.0:
        v, v_end = vector_at(work.twists, at, V), vector_at(work.twists, at, V_END)
        x = add_scaled(x, add_scaled(scale(v, 0.75), v_end, 0.25), 0.5 * h)
        end = quat_at(work.poses, at, Q_END)
        sign = 1.0 if q[0] * end[0] + q[1] * end[1] + q[2] * end[2] + q[3] * end[3] >= 0.0 else -1.0
        q = normalize((q[0] + sign * end[0], q[1] + sign * end[1], q[2] + sign * end[2], q[3] + sign * end[3]))
    put(work.flow, e, POSE, x)
    for k in range(4):
        work.flow[e, POSE + 3 + k] = q[k]


@kernel
def _want_at_start(model: Model, state: State, work: Work, rests: bool) -> bool:
    """What the momentum of entries has changed by at the start of the step, and in one that was cut short there,
    besides by what stopped them, into their columns WANT. Is it more than rounding, of any?"""
    loads, joints = state.loads, model.joints
    if not (_is_uneven(model, state, work) or work.sizes[ARRESTED] > 0 or _has_jumped(model, work, rests)):
        return False
    for n in range(work.sizes[LINKAGES]):
        first = joints.linkages[work.linkage[n], FIRST_ENTRY]
        for e in range(first, first + joints.linkages[work.linkage[n], ENTRIES]):
            if not is_dynamic(model.tags, joints, e):
                continue
            i = joints.entries[e, ENTRY_BODY]
            at = state.members[i, LOCAL]
            p, turn = vector_at(loads, i, UNEVEN), vector_at(loads, i, UNEVEN_TURN)
            put(loads, i, UNEVEN, (0.0, 0.0, 0.0))
            put(loads, i, UNEVEN_TURN, (0.0, 0.0, 0.0))
            if not rests:
                dv = sub(vector_at(work.twists, at, V), vector_at(work.twists, at, V_BEGUN))
                dw = sub(vector_at(work.twists, at, W), vector_at(work.twists, at, V_BEGUN + 3))
                p = add_scaled(p, dv, model.bodies[i, MASS])
                turn = add(turn, own_momentum(model.bodies, i, quat_at(work.poses, at, Q), dw))
            put(work.flow, e, WANT, p)
            put(work.flow, e, WANT_TURN, turn)
    if not rests:
        _take_arrests(model, state, work)
    return True


@kernel
def _is_uneven(model: Model, state: State, work: Work) -> bool:
    """Has a body of a linkage been given anything beyond an even part of a step?"""
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        if model.tags[i, LINKAGE] >= 0:
            for k in range(3):
                if state.loads[i, UNEVEN + k] != 0.0 or state.loads[i, UNEVEN_TURN + k] != 0.0:
                    return True
    return False


@kernel
def _has_jumped(model: Model, work: Work, rests: bool) -> bool:
    """Has the velocity of a body of a linkage changed at the step's start, by more than rounding?"""
    twists = work.twists
    for at in range(0 if rests else work.sizes[BODIES]):
        if model.tags[work.body[at], LINKAGE] >= 0:
            for k in range(3):
                dv, dw = twists[at, V + k] - twists[at, V_BEGUN + k], twists[at, W + k] - twists[at, V_BEGUN + 3 + k]
                if abs(dv) > QUOTIENT or abs(dw) > QUOTIENT:
                    return True
    return False


@kernel
def _keep_struck(linkages: Ints, bearing: Floats, link: int) -> None:
    """What the joints of a linkage have just been found to bear they were given at once."""
    first = linkages[link, FIRST_JOINT]
    for j in range(first, first + linkages[link, JOINTS]):
        p = vector_at(bearing, j, BORNE)
        turn = add(vector_at(bearing, j, BORNE_COUPLE), cross(vector_at(bearing, j, BORNE_POINT), p))
        for k in range(3):
            bearing[j, STRUCK + k] += p[k]
            bearing[j, STRUCK_TURN + k] += turn[k]


@kernel
def _goes_on(model: Model, state: State, work: Work, link: int) -> Vec3:
    """The velocity of a linkage's centre of mass at the step's end [m/s]."""
    joints = model.joints
    mass = 0.0
    p = (0.0, 0.0, 0.0)
    first = joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        if is_dynamic(model.tags, joints, e):
            i = joints.entries[e, ENTRY_BODY]
            mass += model.bodies[i, MASS]
            p = add_scaled(p, vector_at(work.twists, state.members[i, LOCAL], V_END), model.bodies[i, MASS])
    return scale(p, 1.0 / mass)


@kernel
def _want_all(model: Model, state: State, work: Work, e: int, h: float, on: Vec3, rests: bool) -> None:
    """What the momentum of entry e changes by in the step besides by its weight and loads, into its column WANT; on:
    how its linkage goes on."""
    bodies, i = model.bodies, model.joints.entries[e, ENTRY_BODY]
    at = state.members[i, LOCAL]
    p = scale(vector_at(bodies, i, GRAVITY), -h * bodies[i, MASS])
    p = add_scaled(p, vector_at(work.poses, at, FORCE), -h)
    turn = scale(vector_at(work.poses, at, TORQUE), -h)
    if not rests:
        p = add_scaled(p, sub(vector_at(work.twists, at, V_END), vector_at(work.twists, at, V)), bodies[i, MASS])
        begun = own_momentum(bodies, i, quat_at(work.poses, at, Q), vector_at(work.twists, at, W))
        ended = own_momentum(bodies, i, quat_at(work.poses, at, Q_END), vector_at(work.twists, at, W_END))
        turn = add(turn, add(sub(ended, begun), _shaken(bodies, work, i, at, h, on)))
    put(work.flow, e, WANT, p)
    put(work.flow, e, WANT_TURN, turn)


@kernel
def _shaken(bodies: Floats, work: Work, i: int, at: int, h: float, on: Vec3) -> Vec3:
    """What forces that change within the step do about the centre of body i less than their means would [N m s].

    They move it by more than the mean of its velocities: m way x (v - V), V being how its linkage goes on.
    """
    v, v_end = vector_at(work.twists, at, V), vector_at(work.twists, at, V_END)
    way = add_scaled(sub(vector_at(work.poses, at, X_END), vector_at(work.poses, at, X)), add(v, v_end), -0.5 * h)
    return scale(cross(way, sub(v_end, on)), bodies[i, MASS])


@kernel
def _take_contacts(model: Model, work: Work) -> None:
    """Take from that what contacts give in the step."""
    for k in range(work.sizes[CONTACTS] - work.sizes[JOINT_ROWS]):
        p = (0.0, 0.0, 0.0)
        for axis in range(3):
            p = add_scaled(p, vector_at(work.contacts, k, NORMAL_AT + 3 * axis), work.contacts[k, IMPULSE_AT + axis])
        for end in range(2):
            at = work.contact[k, SIDE_A if end == 0 else SIDE_B]
            if at >= 0 and model.tags[work.body[at], LINKAGE] >= 0:
                e = model.tags[work.body[at], ENTRY]
                arm = sub(vector_at(work.notes, k, POINT), vector_at(work.flow, e, POSE))
                turn = add(cross(arm, p), vector_at(work.notes, k, CONTACT_COUPLE))
                _take(work.flow, e, p, turn, 1.0 if end == 0 else -1.0)


@kernel
def _take_arrests(model: Model, state: State, work: Work) -> None:
    """Take from it what has stopped, at the start, what flew into a contact."""
    for pair in range(work.sizes[PAIRS_HELD]):
        for end in range(2):
            i = state.links[work.pair[pair], BODY_A if end == 0 else BODY_B]
            if model.tags[i, KIND] != FREE or model.tags[i, LINKAGE] < 0:
                continue
            x = vector_at(work.poses, state.members[i, LOCAL], X)
            for k in range(work.begun[pair], work.begun[pair + 1]):
                p = vector_at(work.start, k, START_IMPULSE)
                turn = add(
                    cross(sub(vector_at(work.start, k, START_POINT), x), p),
                    vector_at(work.start, k, START_IMPULSE + 3),
                )
                _take(work.flow, model.tags[i, ENTRY], p, turn, 1.0 if end == 0 else -1.0)


@kernel
def _take(flow: Floats, e: int, p: Vec3, turn: Vec3, sign: float) -> None:
    for k in range(3):
        flow[e, WANT + k] -= sign * p[k]
        flow[e, WANT_TURN + k] -= sign * turn[k]


@kernel
def _share_out(model: Model, state: State, work: Work, link: int) -> None:
    """Share what the bodies of a linkage want out among its joints."""
    joints = model.joints
    first, count = joints.linkages[link, FIRST_JOINT], joints.linkages[link, JOINTS]
    begin = joints.linkages[link, FIRST_ENTRY]
    for e in range(begin, begin + joints.linkages[link, ENTRIES]):
        work.waiting[e] = 0
    for j in range(first, first + count):
        work.shared[j] = 0
        work.waiting[joints.joints[j, ENTRY_A]] += 1
        work.waiting[joints.joints[j, ENTRY_B]] += 1
        put(state.bearing, j, BORNE_POINT, _joint_at(model, work, j))
    left = count
    guessed = forwards = False
    while left > 0:
        before = left
        for step in range(count):
            j = first + (step if forwards else count - 1 - step)
            if work.shared[j] == 0 and _pass_on(model, state, work, j):
                left -= 1
        forwards = not forwards
        if left == before:
            if not guessed:
                _guess(model, work, link)
                guessed = True
            j = first
            while work.shared[j] == 1:
                j += 1
            _bear_guess(model, state, work, j)
            left -= 1


@kernel
def _pass_on(model: Model, state: State, work: Work, j: int) -> bool:
    """Give joint j what a body of which it is the last wants; False: it is of none."""
    joints, flow = model.joints, work.flow
    for side in range(2):
        e = joints.joints[j, ENTRY_B if side == 0 else ENTRY_A]
        if is_dynamic(model.tags, joints, e) and work.waiting[e] == 1:
            sign = 1.0 if side == 0 else -1.0
            p, turn = scale(vector_at(flow, e, WANT), sign), scale(vector_at(flow, e, WANT_TURN), sign)
            arm = sub(vector_at(state.bearing, j, BORNE_POINT), vector_at(flow, e, POSE))
            _bear(model, state, work, j, side, p, sub(turn, cross(arm, p)))
            return True
    return False


@kernel
def _bear(model: Model, state: State, work: Work, j: int, done: int, p: Vec3, couple: Vec3) -> None:
    """Joint j gives its body b an impulse p at its point, and a couple, and takes them from a.

    done: the side of which it is the last joint, 0: b, 1: a; that wants nothing more. 2: neither.
    """
    joints, flow = model.joints, work.flow
    put(state.bearing, j, BORNE, p)
    put(state.bearing, j, BORNE_COUPLE, couple)
    state.bearing[j, PUT_OFF] = 0.0
    work.shared[j] = 1
    for side in range(2):
        e = joints.joints[j, ENTRY_B if side == 0 else ENTRY_A]
        work.waiting[e] -= 1
        if side != done:
            arm = sub(vector_at(state.bearing, j, BORNE_POINT), vector_at(flow, e, POSE))
            _take(flow, e, p, add(cross(arm, p), couple), 1.0 if side == 0 else -1.0)


@kernel
def _joint_at(model: Model, work: Work, j: int) -> Vec3:
    """The point of joint j where entries are placed, as a body that moves has it."""
    joints = model.joints
    moves = is_dynamic(model.tags, joints, joints.joints[j, ENTRY_B])
    e = joints.joints[j, ENTRY_B if moves else ENTRY_A]
    anchor = vector_at(joints.frames, j, ANCHOR_B if moves else ANCHOR_A)
    return add(vector_at(work.flow, e, POSE), rotate(quat_at(work.flow, e, POSE + 3), anchor))


@kernel
def _guess(model: Model, work: Work, link: int) -> None:
    """What the rows of a linkage, placed, say that its joints give, into their column TAKEN, reversed."""
    joints = model.joints
    linked = Linked(joints, work.flow, work.rows, work.values)
    load_masses(model.bodies, joints, work.flow, link)
    fill_rows(joints, work.flow, work.rows, link)
    factor_linkage(joints, work.flow, work.rows, work.values, link)
    clear_changes(linked, link)
    first = joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        if is_dynamic(model.tags, joints, e):
            push_entry(linked, e, vector_at(work.flow, e, WANT), vector_at(work.flow, e, WANT_TURN))
    spread_changes(linked, link)


@kernel
def _bear_guess(model: Model, state: State, work: Work, j: int) -> None:
    joints, rows = model.joints, work.rows
    p = couple = (0.0, 0.0, 0.0)
    row = joints.joints[j, FIRST_ROW]
    for r in range(row, row + joints.joints[j, LINEAR] + joints.joints[j, ANGULAR]):
        p = add_scaled(p, vector_at(rows, r, LINE), -rows[r, TAKEN])
        couple = add_scaled(couple, vector_at(rows, r, LEVER_B), -rows[r, TAKEN])
    arm = sub(vector_at(state.bearing, j, BORNE_POINT), vector_at(work.flow, joints.joints[j, ENTRY_B], POSE))
    _bear(model, state, work, j, 2, p, sub(couple, cross(arm, p)))
