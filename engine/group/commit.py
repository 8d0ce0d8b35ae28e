"""The end of a contact group's step: held arcs, what the contacts bore, groups that have come apart, rest."""

from __future__ import annotations

from math import inf, sqrt

from engine.group.energy import ease_arcs
from engine.group.islands import book_body, free_body
from engine.group.joints.flow import answers
from engine.group.load import energy_of, given_work, keep_impulses, quat_at
from engine.group.trial import lay_arc
from engine.group.work import (
    BODIES,
    CONTACTS,
    LINK_WORK,
    LINKAGES,
    PAIRS_HELD,
    Q_END,
    ROW,
    SIDE_A,
    SIDE_B,
    SWEPT,
    V_END,
    V_PUSH,
    W_END,
    W_PUSH,
    X_END,
    Q,
    V,
    W,
    Work,
    X,
)
from engine.journal import NONE, SLEEP, write_line
from engine.kernel import inlined_kernel, kernel
from engine.maths.vectors import Vec3, norm, vector_at
from engine.model.joints import DRIVEN, ENTRIES, ENTRY_BODY, FIRST_ENTRY, Joints
from engine.model.model import (
    ARM,
    ENVELOPE,
    FIRST_NODE,
    FIXED,
    FREE,
    GRAVITY_NORM,
    KIND,
    LINKAGE,
    MASS,
    MAY_SLEEP,
    RADIUS,
    SIZE,
    Floats,
    Ints,
    Model,
)
from engine.model.state import (
    ASLEEP,
    BODY_A,
    BODY_B,
    CALM_SINCE,
    CREDIT_LEFT,
    FALL_A,
    FALL_B,
    FRESH,
    GAP,
    HELD,
    HELD_SMOOTH,
    HORIZON,
    IDLE,
    LEADER,
    LOCAL,
    MEMBERS,
    NEXT_MEMBER,
    POWER,
    PROMISE,
    PULL_BODY,
    RETRIED,
    SMALLEST_GAP,
    STEP,
    STEPPING,
    SWEPT_UNTIL,
    WORKED_UNTIL,
    State,
)
from engine.motion.held import pause_held, top_speed
from engine.motion.linked import linked_speed
from engine.tolerances import CALM_SPEED, CALM_TIME, ENVELOPE_FRACTION


@kernel
def commit_step(
    model: Model, state: State, work: Work, t: float, h: float, calm_since: float, ceiling: float, stays: float
) -> None:
    """Let the bodies of a step that was found good move through it, from t to t + h, as groups of their own.

    ceiling: the energy [J] that they may have at its end; what is left of it is credit. stays: so many steps are to be
    no longer than this one.
    """
    for at in range(work.sizes[BODIES]):
        x, v, w = (
            vector_at(work.bodies, at, X_END),
            vector_at(work.bodies, at, V_END),
            vector_at(work.bodies, at, W_END),
        )
        ceiling -= energy_of(model.bodies, work.body[at], x, quat_at(work.bodies, at, Q_END), v, w)
    _set_arcs(model, state, work, t, h)
    if work.sizes[LINKAGES] == 0:
        ease_arcs(model.bodies, state.arcs, work, t, h, ceiling)
    _keep_contacts(model, state, work)
    _regroup(model, state, work, t, h, calm_since, max(ceiling, 0.0), stays)


@inlined_kernel
def _set_arcs(model: Model, state: State, work: Work, t: float, h: float) -> None:
    bodies, arcs = work.bodies, state.arcs
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        state.members[i, FRESH] = 0
        lay_arc(arcs, i, bodies, at, model.tags[i, LINKAGE] >= 0, t, h)
        if arcs[i, HELD_SMOOTH] == 0.0:
            speed = norm(vector_at(bodies, at, V_PUSH)) + norm(vector_at(bodies, at, W_PUSH)) * model.bodies[i, ARM]
        else:
            speed = linked_speed(arcs, i, model.bodies[i, ARM])
        v, w = vector_at(bodies, at, V), vector_at(bodies, at, W)
        v_end, w_end = vector_at(bodies, at, V_END), vector_at(bodies, at, W_END)
        speed += max(top_speed(model.bodies, i, v, w), top_speed(model.bodies, i, v_end, w_end))
        calm = calm_speed(model.settings, model.bodies[i, SIZE])
        if speed > arcs[i, PROMISE]:
            arcs[i, PROMISE] = max(2.0 * speed, 4.0 * calm)
            work.look[at] = 1
        elif 16.0 * max(speed, 2.0 * calm) < arcs[i, PROMISE]:
            arcs[i, PROMISE] = max(2.0 * speed, 4.0 * calm)


@inlined_kernel
def _keep_contacts(model: Model, state: State, work: Work) -> None:
    """Remember what every pair bore, and how fast its gap may fall."""
    k = 0
    while k < work.sizes[CONTACTS]:
        row = work.contact[k, ROW]
        first = k
        while k < work.sizes[CONTACTS] and work.contact[k, ROW] == row:
            k += 1
        side_a = work.contact[first, SIDE_A]
        at = side_a if side_a >= 0 else work.contact[first, SIDE_B]
        centre = vector_at(work.bodies, at, X)
        borne = keep_impulses(work.contact, work.contacts, first, k - first, state.patches, row, centre)
        state.links[row, IDLE] = 0 if borne > 0.0 else state.links[row, IDLE] + 1
        state.clock[SMALLEST_GAP] = min(state.clock[SMALLEST_GAP], state.pairs[row, GAP])
        a, b = state.links[row, BODY_A], state.links[row, BODY_B]
        way = _promise(model.tags, state.arcs, a) + _promise(model.tags, state.arcs, b)
        state.pairs[row, FALL_A] = 0.0
        state.pairs[row, FALL_B] = way


@kernel
def _promise(tags: Ints, arcs: Floats, i: int) -> float:
    """What body i promises not to exceed [m/s]; inf if it follows a script, which promises nothing."""
    if tags[i, KIND] == FREE:
        return arcs[i, PROMISE] if arcs[i, HELD] == STEPPING else 0.0
    return 0.0 if tags[i, KIND] == FIXED else inf


@kernel
def rim_speed(bodies: Floats, i: int, v: Vec3, w: Vec3) -> float:
    """The speed [m/s] that no point of body i exceeds with this twist, those of a ball that spins in place included."""
    return norm(v) + bodies[i, RADIUS] * norm(w)


@kernel
def calm_speed(settings: Floats, size: float) -> float:
    """A body whose every point is slower than this [m/s] is at rest: a part of the fall through its envelope."""
    if settings[GRAVITY_NORM] > 0.0:
        return CALM_SPEED * sqrt(2.0 * settings[GRAVITY_NORM] * ENVELOPE_FRACTION * size)
    return 1e-4 * size


# --- groups -----------------------------------------------------------------------------------------------------------


@inlined_kernel
def _regroup(
    model: Model, state: State, work: Work, t: float, h: float, calm_since: float, left: float, stays: float
) -> None:
    """Bodies that hang together through contacts are a group each; what touches nothing any more flies."""
    root = work.root
    for at in range(work.sizes[BODIES]):
        root[at] = -1
    for k in range(work.sizes[CONTACTS]):
        a, b = work.contact[k, SIDE_A], work.contact[k, SIDE_B]
        if a >= 0 and root[a] < 0:
            root[a] = a
        if b >= 0 and root[b] < 0:
            root[b] = b
        if a >= 0 and b >= 0:
            _unite(root, a, b)
    for n in range(work.sizes[LINKAGES]):
        _unite_linkage(model.tags, model.joints, state.members, work, work.linkage[n])
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        if root[at] < 0:
            free_body(model.bodies, model.tags, state.arcs, state.members, state.groups, state.clock, i, t)
            work.look[at] = 1
            continue
        top = _find(root, at)
        if top == at:
            _begin_group(state, work, at, t, h, calm_since)
            state.groups[i, RETRIED] = stays
        else:
            _append(state, work, top, at)
        speed = rim_speed(model.bodies, i, vector_at(work.bodies, at, V_END), vector_at(work.bodies, at, W_END))
        if speed > calm_speed(model.settings, model.bodies[i, SIZE]):
            state.groups[work.body[top], CALM_SINCE] = t + h
        envelope = model.settings[ENVELOPE]
        if envelope == 0.0:
            envelope = ENVELOPE_FRACTION * model.bodies[i, SIZE]
        credit = model.bodies[i, MASS] * model.settings[GRAVITY_NORM] * envelope
        credit = min(credit, left)
        left -= credit
        state.groups[work.body[top], CREDIT_LEFT] += credit
    if work.link[LINK_WORK] != 0.0:
        # Whatever the linkages of a group were driven by, it stays one group as long as it is one step.
        state.groups[work.body[_find(root, _first_linked(model.tags, work))], POWER] += work.link[LINK_WORK] / h
    for k in range(work.sizes[CONTACTS]):
        power = given_work(work.contacts, k) / h
        if power != 0.0:
            side = work.contact[k, SIDE_A] if work.contact[k, SIDE_A] >= 0 else work.contact[k, SIDE_B]
            state.groups[work.body[_find(root, side)], POWER] += power


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
def _unite_linkage(tags: Ints, joints: Joints, members: Ints, work: Work, link: int) -> None:
    """Bodies that joints tie stay together, whether they touch or not."""
    top = -1
    first = joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        if not answers(tags, joints, e):
            continue
        at = members[joints.entries[e, ENTRY_BODY], LOCAL]
        if work.root[at] < 0:
            work.root[at] = at
        if top >= 0:
            _unite(work.root, top, at)
        top = at


@inlined_kernel
def _begin_group(state: State, work: Work, at: int, t: float, h: float, calm_since: float) -> None:
    i = work.body[at]
    members, groups = state.members, state.groups
    members[i, LEADER] = i
    members[i, NEXT_MEMBER] = -1
    members[i, MEMBERS] = 1
    work.last[at] = i
    groups[i, HORIZON] = t + h
    groups[i, STEP] = h
    groups[i, POWER] = 0.0
    groups[i, WORKED_UNTIL] = t
    groups[i, CALM_SINCE] = calm_since
    groups[i, SWEPT_UNTIL] = work.link[SWEPT]
    groups[i, CREDIT_LEFT] = 0.0


@inlined_kernel
def _append(state: State, work: Work, top: int, at: int) -> None:
    i, leader = work.body[at], work.body[top]
    state.members[work.last[top], NEXT_MEMBER] = i
    state.members[i, NEXT_MEMBER] = -1
    state.members[i, LEADER] = leader
    state.members[leader, MEMBERS] += 1
    state.groups[i, HORIZON] = inf
    work.last[top] = i


# --- rest -------------------------------------------------------------------------------------------------------------


@kernel
def may_rest(model: Model, state: State, work: Work, calm_for: float) -> bool:
    """Has the group been slow for long enough [s], and does nothing that moves bear on it?"""
    if model.settings[MAY_SLEEP] == 0.0 or calm_for < CALM_TIME or work.sizes[CONTACTS] == 0:
        return False
    for n in range(work.sizes[LINKAGES]):
        if model.joints.linkages[work.linkage[n], DRIVEN] == 1:
            return False
    for p in range(work.sizes[PAIRS_HELD]):
        row = work.pair[p]
        a, b = state.links[row, BODY_A], state.links[row, BODY_B]
        if model.tags[a, KIND] not in (FREE, FIXED) or model.tags[b, KIND] not in (FREE, FIXED):
            return False
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        speed = rim_speed(model.bodies, i, vector_at(work.bodies, at, V), vector_at(work.bodies, at, W))
        if speed > calm_speed(model.settings, model.bodies[i, SIZE]) or state.pull[PULL_BODY] == i:
            return False
    return True


@kernel
def fall_asleep(model: Model, state: State, work: Work, log: Floats, log_size: Ints, leader: int, t: float) -> None:
    """The group falls asleep: its bodies stand still, and nothing of it waits on the heap."""
    zero = (0.0, 0.0, 0.0)
    bodies = work.bodies
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        q = quat_at(bodies, at, Q)
        pause_held(state.arcs, i, t, vector_at(bodies, at, X), q, zero, zero)
        state.arcs[i, HELD] = ASLEEP
        state.members[i, FRESH] = 1
        book_body(model.bodies, model.tags, state.arcs, state.groups, state.clock, i, t)
        work.look[at] = 1
    state.groups[leader, HORIZON] = inf
    state.groups[leader, POWER] = 0.0
    node = model.tags[leader, FIRST_NODE]
    write_line(log, log_size, t, SLEEP, NONE, leader, leader, zero, vector_at(bodies, 0, X), node, node)
