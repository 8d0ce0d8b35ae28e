"""One step of a contact group: from where its bodies are to where constraint forces let them be at the step's end.

    gather      bodies, the pairs between them and with what does not answer, the points at which they touch
    solve       impulses over the step, so that no gap closes and friction does not lie (engine.constraint.sweeps)
    push        what has sunk too deep in the envelope is lifted, by velocities that are none
    try         poses at the end, true gaps there; if one is not positive, again with half the step
    commit      held arcs, what the contacts bore, groups that have come apart, rest

The gap of a lasting contact lives in a band: above 3/4 of the envelope it may close no faster than down to there in one
step, inside the band it may not close at all, below 1/4 it is pushed up. Baraff 1992, chapter 8, has no band: his
contacts are at distance zero; here nothing ever is.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.collision.checks import check_now
from engine.collision.closest import closest
from engine.collision.hull_tree import is_guard, is_nearer_beside
from engine.collision.manifold import find_manifold
from engine.collision.pairs import next_pair
from engine.constraint.load import keep_impulses, load_body, load_point, recall_impulses
from engine.constraint.members import book_body, book_work, free_body
from engine.constraint.sweeps import push_along, speed_along, sweep_impulses, sweep_pushes
from engine.constraint.work import (
    BODIES,
    CONTACTS,
    ENVELOPE_AT,
    GAP_AT,
    GIVEN,
    IMPULSE_AT,
    LEAST,
    NEEDED,
    PAIRS_HELD,
    PUSH_IMPULSE,
    PUSH_LEAST,
    Q_END,
    ROW,
    SIDE_A,
    SIDE_B,
    V_END,
    V_PUSH,
    W_END,
    W_PUSH,
    WARM,
    X_END,
    Q,
    V,
    W,
    Work,
    X,
)
from engine.events import cancel
from engine.kernel import inlined_kernel, kernel, leaf_kernel
from engine.maths.free_rotation import rotate_free
from engine.maths.quaternions import Quat, rotate, rotate_inverse
from engine.maths.vectors import Vec3, add, cross, dot, norm, sub
from engine.model.model import (
    ARM,
    FIXED,
    FREE,
    GRAVITY,
    GRAVITY_NORM,
    KIND,
    LONGEST_STEP,
    MAY_SLEEP,
    MOMENTS,
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
    CHECKED,
    FALL_A,
    FALL_B,
    FEATURE_A,
    FEATURE_B,
    FEATURE_STEPS,
    FLOOR,
    FLOOR_TIME,
    GAP,
    GROUP_RETRIES,
    GROUP_STEPS,
    GROUP_SWEEPS,
    HEAP_SIZE,
    HELD,
    HORIZON,
    IDLE,
    LASTING,
    LEADER,
    LOCAL,
    MEMBERS,
    NEXT_MEMBER,
    NORMAL,
    PAIR_CHECKS,
    PAIR_ENVELOPE,
    PART,
    PATCH_POINTS,
    POINT_A,
    POINT_B,
    POWER,
    PROMISE,
    PULL_BODY,
    SHAPE_A,
    SHAPE_B,
    SMALLEST_GAP,
    SOON_SIZE,
    STEP,
    STEPPING,
    WORKED_UNTIL,
    State,
)
from engine.motion.arcs import evolve
from engine.motion.held import pause_held, set_held, top_speed, turned
from engine.tolerances import (
    BAND_HIGH,
    BAND_LOW,
    CALM_SPEED,
    CALM_TIME,
    CONTACT_REACH,
    ENVELOPE_FRACTION,
    SWEEP_LIMIT,
    SWEEP_SMALL,
    SWEEP_TURNS,
)

STEPPED = 0
NO_ROOM = 1

_HALVINGS = 8


@kernel
def step_group(model: Model, state: State, work: Work, leader: int, t: float) -> int:
    """Make a step of the group of `leader` from t on. NO_ROOM: nothing has happened, `work` has too few rows.

    Leaves in work.body the bodies that were in the group, and in work.look those whose other pairs must be looked at.
    """
    _gather_bodies(model, state, work, leader, t)
    _gather_contacts(model, state, work, t)
    if work.sizes[NEEDED] > work.contact.shape[0]:
        for at in range(work.sizes[BODIES]):
            state.members[work.body[at], LOCAL] = -1
        return NO_ROOM
    state.counts[GROUP_STEPS] += 1
    book_work(state.groups, state.clock, leader, t)
    for at in range(work.sizes[BODIES]):
        book_body(model.bodies, model.tags, state.arcs, state.groups, state.clock, work.body[at], t)
    calm_since = state.groups[leader, CALM_SINCE]
    if _may_rest(model, state, work, t - calm_since):
        _rest(model, state, work, leader, t)
    else:
        h = model.settings[LONGEST_STEP]
        for attempt in range(_HALVINGS):
            state.counts[GROUP_SWEEPS] += _solve(model, state, work, h, attempt)
            if _try(model, state, work, t, h) or attempt + 1 == _HALVINGS:
                break
            state.counts[GROUP_RETRIES] += 1
            h *= 0.5
        _commit(model, state, work, leader, t, h)
        _regroup(model, state, work, t, h, calm_since)
    for at in range(work.sizes[BODIES]):
        state.members[work.body[at], LOCAL] = -1
    return STEPPED


# --- gather -----------------------------------------------------------------------------------------------------------


@inlined_kernel
def _gather_bodies(model: Model, state: State, work: Work, leader: int, t: float) -> None:
    count = 0
    i = leader
    while i >= 0:
        work.body[count] = i
        work.look[count] = 0
        state.members[i, LOCAL] = count
        x, q, v, w = evolve(model.bodies, model.tags, state.arcs, i, t)
        load_body(model.bodies, work.bodies, i, count, x, q, v, w)
        count += 1
        i = state.members[i, NEXT_MEMBER]
    work.sizes[BODIES] = count


@inlined_kernel
def _gather_contacts(model: Model, state: State, work: Work, t: float) -> None:
    """Find every pair of the group that touches, and its points. Pairs that touch no more go back to the heap."""
    work.sizes[CONTACTS] = 0
    work.sizes[PAIRS_HELD] = 0
    work.sizes[NEEDED] = 0
    links = state.links
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        row = state.first_pair[i]
        while row >= 0:
            after = next_pair(links, row, i)
            a, b = links[row, BODY_A], links[row, BODY_B]
            other = b if a == i else a
            local = state.members[other, LOCAL] if model.tags[other, KIND] == FREE else -1
            mine = (local < 0 and model.tags[other, KIND] != FREE) or (local >= 0 and a == i)
            if mine and links[row, PART] < 0 and not is_guard(model.trees, links[row, SHAPE_A], links[row, SHAPE_B]):
                _gather_pair(model, state, work, row, a, b, t)
            row = after


@inlined_kernel
def _gather_pair(model: Model, state: State, work: Work, row: int, a: int, b: int, t: float) -> None:
    """If pair `row` touches, slowly, at t: rows for its points, and it lasts. Else it waits on the heap."""
    links, pairs = state.links, state.pairs
    reach = CONTACT_REACH * pairs[row, PAIR_ENVELOPE]
    lasting = links[row, LASTING] == 1
    near = lasting
    if not lasting and pairs[row, GAP] < inf:
        since = t + model.settings[LONGEST_STEP] - pairs[row, FLOOR_TIME]
        near = pairs[row, FLOOR] - (pairs[row, FALL_A] * since + pairs[row, FALL_B]) * since <= reach
    if not near:
        return
    side_a = state.members[a, LOCAL] if model.tags[a, KIND] == FREE else -1
    side_b = state.members[b, LOCAL] if model.tags[b, KIND] == FREE else -1
    x_a, q_a, v_a, w_a = evolve(model.bodies, model.tags, state.arcs, a, t)
    x_b, q_b, v_b, w_b = evolve(model.bodies, model.tags, state.arcs, b, t)
    if pairs[row, CHECKED] != t:
        _measure(model, state, row, x_a, q_a, x_b, q_b, t)
    normal = _vector(pairs, row, NORMAL)
    on_a, on_b = _vector(pairs, row, POINT_A), _vector(pairs, row, POINT_B)
    u_a = add(v_a, cross(w_a, sub(on_a, x_a)))
    u_b = add(v_b, cross(w_b, sub(on_b, x_b)))
    approach = -dot(sub(u_a, u_b), normal)
    u0 = sqrt(2.0 * model.settings[GRAVITY_NORM] * pairs[row, PAIR_ENVELOPE])
    h = model.settings[LONGEST_STEP]
    gap = pairs[row, GAP]
    touches = gap <= (reach if lasting else reach + 2.0 * max(approach, 0.0) * h) and approach <= 2.0 * u0
    if lasting and touches and links[row, IDLE] > 2 and gap > pairs[row, PAIR_ENVELOPE]:
        touches = False
    if touches and (
        is_nearer_beside(model.trees, model.fans, links[row, SHAPE_A], links[row, FEATURE_A], q_a, _minus(normal))
        or is_nearer_beside(model.trees, model.fans, links[row, SHAPE_B], links[row, FEATURE_B], q_b, normal)
    ):
        touches = False
    if not touches:
        if lasting:
            links[row, LASTING] = 0
            state.patches[row, PATCH_POINTS] = 0.0
            check_now(model, state, row, t)
        return
    count, n = find_manifold(
        model.geometry,
        model.topology,
        links[row, SHAPE_A],
        (x_a[0], x_a[1], x_a[2], q_a[0], q_a[1], q_a[2], q_a[3]),
        links[row, SHAPE_B],
        (x_b[0], x_b[1], x_b[2], q_b[0], q_b[1], q_b[2], q_b[3]),
        normal,
        on_a,
        on_b,
        max(reach, gap),
        work.scratch,
        work.points,
    )
    first = work.sizes[CONTACTS]
    work.sizes[NEEDED] += count
    if work.sizes[NEEDED] > work.contact.shape[0]:
        return
    if not lasting:
        links[row, LASTING] = 1
        links[row, IDLE] = 0
        state.patches[row, PATCH_POINTS] = 0.0
        _take_off_heap(model, state, row)
    for k in range(count):
        p = (work.points[k, 0], work.points[k, 1], work.points[k, 2])
        given = (0.0, 0.0, 0.0)
        if side_a < 0:
            given = add(v_a, cross(w_a, sub(p, x_a)))
        elif side_b < 0:
            given = _minus(add(v_b, cross(w_b, sub(p, x_b))))
        load_point(
            work.bodies, work.contact, work.contacts, first + k, row, side_a, side_b, x_a, x_b, n, work.points, k,
            given, pairs,
        )  # fmt: skip
    centre = x_a if side_a >= 0 else x_b
    leader = state.members[work.body[0], LEADER]
    before = state.groups[leader, STEP]
    share = h / before if before > 0.0 else 1.0
    recall_impulses(work.contact, work.contacts, first, count, state.patches, row, centre, share)
    work.pair[work.sizes[PAIRS_HELD]] = row
    work.gap[work.sizes[PAIRS_HELD]] = gap
    work.sizes[PAIRS_HELD] += 1
    work.sizes[CONTACTS] += count


@leaf_kernel
def _vector(table: Floats, row: int, column: int) -> Vec3:
    return (table[row, column], table[row, column + 1], table[row, column + 2])


@leaf_kernel
def _minus(a: Vec3) -> Vec3:
    return (-a[0], -a[1], -a[2])


@inlined_kernel
def _promise(model: Model, state: State, i: int) -> float:
    """What body i promises not to exceed [m/s]; inf if it follows a script, which promises nothing."""
    if model.tags[i, KIND] == FREE:
        return state.arcs[i, PROMISE] if state.arcs[i, HELD] == STEPPING else 0.0
    return 0.0 if model.tags[i, KIND] == FIXED else inf


@inlined_kernel
def _measure(model: Model, state: State, row: int, x_a: Vec3, q_a: Quat, x_b: Vec3, q_b: Quat, t: float) -> float:
    """The gap of pair `row` at poses of time t, noted with its points in the pair."""
    links, pairs = state.links, state.pairs
    gap, ax, ay, az, bx, by, bz, nx, ny, nz, feature_a, feature_b, steps = closest(
        model.geometry,
        model.topology,
        links[row, SHAPE_A],
        (x_a[0], x_a[1], x_a[2], q_a[0], q_a[1], q_a[2], q_a[3]),
        links[row, SHAPE_B],
        (x_b[0], x_b[1], x_b[2], q_b[0], q_b[1], q_b[2], q_b[3]),
        links[row, FEATURE_A],
        links[row, FEATURE_B],
    )
    state.counts[PAIR_CHECKS] += 1
    state.counts[FEATURE_STEPS] += steps
    links[row, FEATURE_A], links[row, FEATURE_B] = feature_a, feature_b
    pairs[row, GAP] = gap
    pairs[row, CHECKED] = t
    pairs[row, FLOOR] = gap
    pairs[row, FLOOR_TIME] = t
    pairs[row, POINT_A], pairs[row, POINT_A + 1], pairs[row, POINT_A + 2] = ax, ay, az
    pairs[row, POINT_B], pairs[row, POINT_B + 1], pairs[row, POINT_B + 2] = bx, by, bz
    pairs[row, NORMAL], pairs[row, NORMAL + 1], pairs[row, NORMAL + 2] = nx, ny, nz
    return gap


@inlined_kernel
def _take_off_heap(model: Model, state: State, row: int) -> None:
    """Pair `row` waits for nothing any more: its group looks after it."""
    event = model.tags.shape[0] + row
    size = state.counts[HEAP_SIZE]
    state.counts[HEAP_SIZE] = cancel(state.heap, state.keys, state.place, state.rank, size, event)
    size = state.counts[SOON_SIZE]
    state.counts[SOON_SIZE] = cancel(state.soon, state.soon_keys, state.soon_place, state.rank, size, event)


# --- solve ------------------------------------------------------------------------------------------------------------


@inlined_kernel
def _solve(model: Model, state: State, work: Work, h: float, attempt: int) -> int:
    """End velocities and pseudo-velocities of a step h; how many sweeps it took."""
    bodies, contact, contacts = work.bodies, work.contact, work.contacts
    count = work.sizes[CONTACTS]
    sunk = False
    for k in range(count):
        gap, envelope = contacts[k, GAP_AT], contacts[k, ENVELOPE_AT]
        contacts[k, LEAST] = -max(gap - BAND_HIGH * envelope, 0.0) / h
        contacts[k, PUSH_LEAST] = (BAND_LOW * envelope - gap) / h
        contacts[k, PUSH_IMPULSE] = 0.0
        sunk = sunk or gap < BAND_LOW * envelope
    small = SWEEP_SMALL * max(model.settings[GRAVITY_NORM], 1.0) * h
    limit = max(SWEEP_LIMIT, SWEEP_TURNS // max(count, 1))
    sweeps = _arrest(work, limit, small)
    for at in range(work.sizes[BODIES]):
        _free_velocities(model.bodies, bodies, work.body[at], at, h)
    share = 0.5**attempt
    for k in range(count):
        # The gap changes with the mean of the velocities, and so does the energy: what pushes must not move up.
        u = speed_along(bodies, contact, contacts, k, 0, V, W) + contacts[k, GIVEN]
        contacts[k, LEAST] = 2.0 * contacts[k, LEAST] - u
        for axis in range(3):
            p = share * contacts[k, WARM + axis]
            contacts[k, IMPULSE_AT + axis] = p
            push_along(bodies, contact, contacts, k, axis, p, V_END, W_END)
    sweeps += sweep_impulses(bodies, contact, contacts, count, limit, small)
    if sunk:
        sweep_pushes(bodies, contact, contacts, count, limit, small)
    return sweeps


@leaf_kernel
def _arrest(work: Work, limit: int, small: float) -> int:
    """Take from the velocities at the start what flies into a contact, at once; how many sweeps it took.

    From there on velocities change steadily through the step, so that it may be cut short anywhere.
    """
    bodies, contact, contacts = work.bodies, work.contact, work.contacts
    count = work.sizes[CONTACTS]
    meets = False
    for k in range(count):
        u = speed_along(bodies, contact, contacts, k, 0, V, W) + contacts[k, GIVEN]
        meets = meets or u < contacts[k, LEAST] - small
    if not meets:
        return 0
    for at in range(work.sizes[BODIES]):
        for c in range(3):
            bodies[at, V_END + c], bodies[at, W_END + c] = bodies[at, V + c], bodies[at, W + c]
    for k in range(count):
        for axis in range(3):
            contacts[k, IMPULSE_AT + axis] = 0.0
    sweeps = sweep_impulses(bodies, contact, contacts, count, limit, small)
    for at in range(work.sizes[BODIES]):
        for c in range(3):
            bodies[at, V + c], bodies[at, W + c] = bodies[at, V_END + c], bodies[at, W_END + c]
    return sweeps


@leaf_kernel
def _free_velocities(table: Floats, bodies: Floats, i: int, at: int, h: float) -> None:
    """Velocities at the step's end without contacts; pseudo-velocities zero."""
    for c in range(3):
        bodies[at, V_END + c] = bodies[at, V + c] + h * table[i, GRAVITY + c]
        bodies[at, W_END + c] = bodies[at, W + c]
        bodies[at, V_PUSH + c] = 0.0
        bodies[at, W_PUSH + c] = 0.0
    w = _vector(bodies, at, W)
    moments = (table[i, MOMENTS], table[i, MOMENTS + 1], table[i, MOMENTS + 2])
    if norm(w) * h > 1e-5 and not (moments[0] == moments[1] and moments[1] == moments[2]):
        q = (bodies[at, Q], bodies[at, Q + 1], bodies[at, Q + 2], bodies[at, Q + 3])
        q_end, spin = rotate_free(moments, q, rotate_inverse(q, w), h)
        w = rotate(q_end, spin)
        for c in range(3):
            bodies[at, W_END + c] = w[c]


# --- try --------------------------------------------------------------------------------------------------------------


@inlined_kernel
def _try(model: Model, state: State, work: Work, t: float, h: float) -> bool:
    """Poses at the end of the step, and the true gaps there: are all of them positive?"""
    bodies = work.bodies
    for at in range(work.sizes[BODIES]):
        _place_at_end(bodies, at, h)
    good = True
    for p in range(work.sizes[PAIRS_HELD]):
        row = work.pair[p]
        a, b = state.links[row, BODY_A], state.links[row, BODY_B]
        x_a, q_a = _end_of(model, state, work, a, t + h)
        x_b, q_b = _end_of(model, state, work, b, t + h)
        before = work.gap[p]
        gap = _measure(model, state, row, x_a, q_a, x_b, q_b, t + h)
        good = good and gap > min(0.02 * state.pairs[row, PAIR_ENVELOPE], 0.5 * before)
    return good


@leaf_kernel
def _place_at_end(bodies: Floats, at: int, h: float) -> None:
    """Where a body is at the end of the step: it moves with the mean of its velocities, and is pushed."""
    for c in range(3):
        v = 0.5 * (bodies[at, V + c] + bodies[at, V_END + c]) + bodies[at, V_PUSH + c]
        bodies[at, X_END + c] = bodies[at, X + c] + h * v
    q = (bodies[at, Q], bodies[at, Q + 1], bodies[at, Q + 2], bodies[at, Q + 3])
    q = turned(q, rotate_inverse(q, _mean_spin(bodies, at)), h)
    for c in range(4):
        bodies[at, Q_END + c] = q[c]


@leaf_kernel
def _mean_spin(bodies: Floats, at: int) -> Vec3:
    return (
        0.5 * (bodies[at, W] + bodies[at, W_END]) + bodies[at, W_PUSH],
        0.5 * (bodies[at, W + 1] + bodies[at, W_END + 1]) + bodies[at, W_PUSH + 1],
        0.5 * (bodies[at, W + 2] + bodies[at, W_END + 2]) + bodies[at, W_PUSH + 2],
    )


@inlined_kernel
def _end_of(model: Model, state: State, work: Work, i: int, t: float) -> tuple[Vec3, Quat]:
    """Pose at the end of the step, at t, of a body of the group or of one that does not answer."""
    at = state.members[i, LOCAL] if model.tags[i, KIND] == FREE else -1
    if at >= 0:
        return _vector(work.bodies, at, X_END), (
            work.bodies[at, Q_END],
            work.bodies[at, Q_END + 1],
            work.bodies[at, Q_END + 2],
            work.bodies[at, Q_END + 3],
        )
    x, q, _, _ = evolve(model.bodies, model.tags, state.arcs, i, t)
    return x, q


# --- commit -----------------------------------------------------------------------------------------------------------


@inlined_kernel
def _commit(model: Model, state: State, work: Work, leader: int, t: float, h: float) -> None:
    """Held arcs through the step, and what the contacts bore."""
    bodies, arcs = work.bodies, state.arcs
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        v_end, w_end, push = _vector(bodies, at, V_END), _vector(bodies, at, W_END), _vector(bodies, at, V_PUSH)
        v, w = _vector(bodies, at, V), _vector(bodies, at, W)
        q = (bodies[at, Q], bodies[at, Q + 1], bodies[at, Q + 2], bodies[at, Q + 3])
        spin = _mean_spin(bodies, at)
        set_held(arcs, i, t, _vector(bodies, at, X), q, v, w, t + h, v_end, w_end, push, spin)
        speed = norm(push) + norm(_vector(bodies, at, W_PUSH)) * model.bodies[i, ARM]
        speed += max(top_speed(model.bodies, i, v, w), top_speed(model.bodies, i, v_end, w_end))
        calm = _calm_speed(model, i)
        if speed > arcs[i, PROMISE]:
            arcs[i, PROMISE] = max(2.0 * speed, 4.0 * calm)
            work.look[at] = 1
        elif 16.0 * max(speed, 2.0 * calm) < arcs[i, PROMISE]:
            arcs[i, PROMISE] = max(2.0 * speed, 4.0 * calm)
    k = 0
    while k < work.sizes[CONTACTS]:
        row = work.contact[k, ROW]
        first = k
        while k < work.sizes[CONTACTS] and work.contact[k, ROW] == row:
            k += 1
        side_a = work.contact[first, SIDE_A]
        at = side_a if side_a >= 0 else work.contact[first, SIDE_B]
        centre = _vector(bodies, at, X)
        borne = keep_impulses(work.contact, work.contacts, first, k - first, state.patches, row, centre)
        state.links[row, IDLE] = 0 if borne > 0.0 else state.links[row, IDLE] + 1
        state.clock[SMALLEST_GAP] = min(state.clock[SMALLEST_GAP], state.pairs[row, GAP])
        way = _promise(model, state, state.links[row, BODY_A]) + _promise(model, state, state.links[row, BODY_B])
        state.pairs[row, FALL_A] = 0.0
        state.pairs[row, FALL_B] = way


@leaf_kernel
def calm_speed(settings: Floats, size: float) -> float:
    """A body whose every point is slower than this [m/s] is at rest: a part of the fall through its envelope."""
    return (
        CALM_SPEED * sqrt(2.0 * settings[GRAVITY_NORM] * ENVELOPE_FRACTION * size)
        if settings[GRAVITY_NORM] > 0.0
        else 1e-4 * size
    )


@inlined_kernel
def _calm_speed(model: Model, i: int) -> float:
    return calm_speed(model.settings, model.bodies[i, SIZE])


@inlined_kernel
def _regroup(model: Model, state: State, work: Work, t: float, h: float, calm_since: float) -> None:
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
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        if root[at] < 0:
            free_body(model.bodies, model.tags, state.arcs, state.members, state.groups, state.clock, i, t)
            work.look[at] = 1
            continue
        top = _find(root, at)
        if top == at:
            _begin_group(state, work, at, t, h, calm_since)
        else:
            _append(state, work, top, at)
        speed = top_speed(model.bodies, i, _vector(work.bodies, at, V_END), _vector(work.bodies, at, W_END))
        if speed > _calm_speed(model, i):
            state.groups[work.body[top], CALM_SINCE] = t + h
    for k in range(work.sizes[CONTACTS]):
        power = 0.0
        for axis in range(3):
            power -= work.contacts[k, IMPULSE_AT + axis] * work.contacts[k, GIVEN + axis] / h
        if power != 0.0:
            side = work.contact[k, SIDE_A] if work.contact[k, SIDE_A] >= 0 else work.contact[k, SIDE_B]
            state.groups[work.body[_find(root, side)], POWER] += power


@leaf_kernel
def _find(root: Ints, at: int) -> int:
    while root[at] != at:
        root[at] = root[root[at]]
        at = root[at]
    return at


@leaf_kernel
def _unite(root: Ints, a: int, b: int) -> None:
    """The smaller place stays on top, so that a group's leader comes first in it."""
    a, b = _find(root, a), _find(root, b)
    if a < b:
        root[b] = a
    elif b < a:
        root[a] = b


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


@inlined_kernel
def _may_rest(model: Model, state: State, work: Work, calm_for: float) -> bool:
    """Has the group been slow for long enough, and does nothing that moves bear on it?"""
    if model.settings[MAY_SLEEP] == 0.0 or calm_for < CALM_TIME or work.sizes[CONTACTS] == 0:
        return False
    for p in range(work.sizes[PAIRS_HELD]):
        row = work.pair[p]
        a, b = state.links[row, BODY_A], state.links[row, BODY_B]
        if model.tags[a, KIND] not in (FREE, FIXED) or model.tags[b, KIND] not in (FREE, FIXED):
            return False
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        if top_speed(model.bodies, i, _vector(work.bodies, at, V), _vector(work.bodies, at, W)) > _calm_speed(model, i):
            return False
        if state.pull[PULL_BODY] == i:
            return False
    return True


@inlined_kernel
def _rest(model: Model, state: State, work: Work, leader: int, t: float) -> None:
    """The group falls asleep: its bodies stand still, and nothing of it waits on the heap."""
    zero = (0.0, 0.0, 0.0)
    bodies = work.bodies
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        q = (bodies[at, Q], bodies[at, Q + 1], bodies[at, Q + 2], bodies[at, Q + 3])
        pause_held(state.arcs, i, t, _vector(bodies, at, X), q, zero, zero)
        state.arcs[i, HELD] = ASLEEP
        book_body(model.bodies, model.tags, state.arcs, state.groups, state.clock, i, t)
        work.look[at] = 1
    state.groups[leader, HORIZON] = inf
    state.groups[leader, POWER] = 0.0
