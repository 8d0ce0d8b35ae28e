"""One step of a contact group: from where its bodies are to where constraint forces let them be at the step's end.

    gather      bodies, the pairs between them and with what does not answer, the points at which they touch
    solve       impulses over the step, so that no gap closes and friction does not lie (engine.constraint.sweeps)
    push        what has sunk too deep in the envelope is lifted, by velocities that are none
    try         poses at the end, true gaps there; where one is too small, again: pushed, or with half the step
    commit      held arcs, what the contacts bore, groups that have come apart, rest (engine.constraint.commit)

The gap of a lasting contact lives in a band: above 3/4 of the envelope it may close no faster than down to there in one
step, inside the band it may not close at all, below 1/4 it is pushed up. Baraff 1992, chapter 8, has no band: his
contacts are at distance zero; here nothing ever is.

Energy only falls: what a step would add to that of its group must come from the group's credit, a small part of what
its contacts took before (a stack that has sunk within its envelopes may be lifted again), or from what scripted bodies
put in. Where there is not enough, pushes and then velocities are made smaller.
"""

from __future__ import annotations

from math import sqrt

from engine.constraint.assemble import FAST, gather_group, measure_pair, release_pair
from engine.constraint.commit import commit_step, fall_asleep, may_rest
from engine.constraint.linkages import (
    begin_linkages,
    close_linkages,
    flow_linkages,
    linked_step,
    push_linked,
    shortened,
    sweep_linked,
)
from engine.constraint.load import energy_of, given_work, load_point, mean_spin, quat_at
from engine.constraint.members import book_body, book_work
from engine.constraint.newton import find_impulses, find_pushes, order_bodies
from engine.constraint.sweeps import push_along, speed_along
from engine.constraint.work import (
    BENDS,
    BODIES,
    BOUNCE,
    CONTACTS,
    CORRECTED,
    CORRECTIONS,
    COUPLE,
    ENTRIES_NEEDED,
    ENVELOPE_AT,
    GAP_AT,
    GIVEN,
    IMPULSE_AT,
    LEAST,
    LINK_ERROR,
    LINK_WORK,
    LINKAGES,
    NEEDED,
    PAIRS_HELD,
    PUSH_IMPULSE,
    PUSH_LEAST,
    Q_END,
    V_END,
    V_FLOW,
    V_PUSH,
    W_END,
    W_FLOW,
    W_PUSH,
    WARM,
    X_END,
    Q,
    V,
    W,
    Work,
    X,
)
from engine.impulse.contact import vector_at
from engine.journal import NO_STEP_HELD
from engine.kernel import inlined_kernel, kernel, leaf_kernel
from engine.maths.free_rotation import rotate_free
from engine.maths.quaternions import Quat, rotate, rotate_inverse
from engine.maths.vectors import Vec3, norm
from engine.model.model import FREE, GRAVITY, GRAVITY_NORM, KIND, LONGEST_STEP, MASS, MOMENTS, Floats, Ints, Model
from engine.model.state import (
    BODY_A,
    BODY_B,
    BOOKED,
    CALM_SINCE,
    CREDIT_LEFT,
    GAP,
    GROUP_RETRIES,
    GROUP_STEPS,
    GROUP_SWEEPS,
    LOCAL,
    MICRO_HITS,
    NORMAL,
    PAIR_ENVELOPE,
    POINT_A,
    POINT_B,
    RETRIED,
    STEP,
    State,
)
from engine.motion.arcs import evolve
from engine.motion.held import turned
from engine.tolerances import (
    BAND_HIGH,
    BAND_LOW,
    CALM_FADE,
    CALM_TIME,
    CROWD,
    CROWD_SHARE,
    HOLD_OFF_HITS,
    SWEEP_LIMIT,
    SWEEP_SHARE,
    SWEEP_SMALL,
    SWEEP_TURNS,
)

STEPPED = 0
NO_ROOM = 1

_ATTEMPTS = 24
_SHORTEST = 256.0  # a step is not made shorter than this part of the longest one for anything but gaps
_PATIENCE = 6  # after so many halvings the pairs that still come too near are left to impulses
_LEAST_GAP = 0.02  # of the envelope: smaller gaps at a step's end are not accepted, unless they were as small before


@kernel
def step_group(model: Model, state: State, work: Work, log: Floats, log_size: Ints, leader: int, t: float) -> int:
    """Make a step of the group of `leader` from t on. NO_ROOM: nothing has happened, `work` has too few rows.

    Leaves in work.body the bodies that were in the group, and in work.look those whose other pairs must be looked at.
    """
    gather_group(model, state, work, log, log_size, leader, t)
    if work.sizes[NEEDED] <= work.contact.shape[0]:
        order_bodies(work)
    outcome = NO_ROOM
    if is_roomy(work):
        _make_step(model, state, work, log, log_size, leader, t)
        outcome = STEPPED
    for at in range(work.sizes[BODIES]):
        state.members[work.body[at], LOCAL] = -1
    return outcome


@leaf_kernel
def is_roomy(work: Work) -> bool:
    """Are there enough rows for the group that was gathered last?"""
    return work.sizes[NEEDED] <= work.contact.shape[0] and work.sizes[ENTRIES_NEEDED] <= work.matrix.shape[0]


@kernel
def _make_step(model: Model, state: State, work: Work, log: Floats, log_size: Ints, leader: int, t: float) -> None:
    state.counts[GROUP_STEPS] += 1
    book_work(state.groups, state.clock, leader, t)
    energy = state.groups[leader, CREDIT_LEFT]
    for at in range(work.sizes[BODIES]):
        j = work.body[at]
        book_body(model.bodies, model.tags, state.arcs, state.groups, state.clock, j, t)
        energy += state.groups[j, BOOKED]
    calm_since = state.groups[leader, CALM_SINCE]
    if may_rest(model, state, work, t - calm_since):
        fall_asleep(model, state, work, log, log_size, leader, t)
        return
    h = _first_length(model, state, work, leader, t)
    ceiling = energy
    attempt = 0
    retried = False
    calm_for = t - calm_since
    fade = CALM_FADE if 0.5 * CALM_TIME < calm_for <= CALM_TIME else 1.0
    work.link[LINK_ERROR] = 0.0
    while attempt < _ATTEMPTS:
        state.counts[GROUP_SWEEPS] += solve_step(model, state, work, t, h, fade)
        shorter = shortened(work, h)
        if shorter < h and h > model.settings[LONGEST_STEP] / _SHORTEST:
            h, retried = shorter, True
            continue
        ceiling = energy
        for k in range(work.sizes[CONTACTS]):
            ceiling += given_work(work.contacts, k)
        if try_step(model, state, work, t, h, ceiling) == 0:
            break
        attempt += 1
        state.counts[GROUP_RETRIES] += 1
        h *= 0.5
        if attempt % _PATIENCE == 0:
            _release_bad(model, state, work, log, log_size, t)
            gather_group(model, state, work, log, log_size, leader, t)
            work.sizes[ENTRIES_NEEDED] = 0
    ceiling += work.link[LINK_WORK]
    commit_step(model, state, work, t, h, calm_since, ceiling, retried or attempt > 0)


@inlined_kernel
def _first_length(model: Model, state: State, work: Work, leader: int, t: float) -> float:
    """The step to begin with [s]: twice the last one at most, and no longer than that if it had to be found."""
    before = state.groups[leader, STEP]
    longest = model.settings[LONGEST_STEP]
    if before > 0.0:
        longest = min(longest, before if state.groups[leader, RETRIED] != 0.0 else 2.0 * before)
    return linked_step(model.tags, work, t, max(longest, model.settings[LONGEST_STEP] / _SHORTEST))


@kernel
def _release_bad(model: Model, state: State, work: Work, log: Floats, log_size: Ints, t: float) -> None:
    """Pairs whose gap is too small at the end of the shortest step are left to impulses for a while."""
    for p in range(work.sizes[PAIRS_HELD]):
        row = work.pair[p]
        if not state.pairs[row, GAP] > least_gap(state.pairs[row, PAIR_ENVELOPE], work.gap[p]):
            release_pair(model, state, log, log_size, row, t, NO_STEP_HELD)
            state.pairs[row, MICRO_HITS] = -HOLD_OFF_HITS


@leaf_kernel
def least_gap(envelope: float, before: float) -> float:
    """The smallest gap [m] that a step may end with: what was smaller before may not become smaller still."""
    return min(_LEAST_GAP * envelope, (1.0 - 1e-9) * before)


# --- solve ------------------------------------------------------------------------------------------------------------


@kernel
def solve_step(model: Model, state: State, work: Work, t: float, h: float, fade: float) -> int:
    """End velocities and pseudo-velocities of a step h; how many sweeps it took.

    fade: of what contacts bore, this part is where the search for what they bear begins.
    """
    bodies, contact, contacts = work.bodies, work.contact, work.contacts
    count = work.sizes[CONTACTS]
    work.sizes[CORRECTED] = count
    sunk = False
    for k in range(count):
        gap, envelope = contacts[k, GAP_AT], contacts[k, ENVELOPE_AT]
        contacts[k, LEAST] = -max(gap - BAND_HIGH * envelope, 0.0) / h
        contacts[k, PUSH_LEAST] = (BAND_LOW * envelope - gap) / h
        contacts[k, PUSH_IMPULSE] = 0.0
        sunk = sunk or gap < BAND_LOW * envelope
    small = _small_change(model, work)
    if small > _least_change(model.settings):
        work.sizes[ENTRIES_NEEDED] = 0  # where something slides or hits, sweeps are quick enough
    limit = sweep_limit(count)
    linked = work.sizes[LINKAGES] > 0
    work.link[LINK_WORK] = 0.0
    if linked:
        begin_linkages(model.bodies, model.tags, state.arcs, state.members, model.joints, work, t)
    sweeps = _arrest(model, state, work, limit, small)
    for at in range(work.sizes[BODIES]):
        free_velocities(model.bodies, bodies, work.body[at], at, h)
    if linked:
        flow_linkages(
            model.bodies, model.tags, model.settings, state.arcs, state.members, model.joints, work, t, h
        )  # fmt: skip
    share = fade * h / model.settings[LONGEST_STEP]
    for k in range(count):
        # The gap changes with the mean of the velocities, and so does the energy: what pushes must not move up.
        # As far as it came nearer it goes away again: all points of a patch together can, whatever they are.
        u = speed_along(bodies, contact, contacts, k, 0, V, W) + contacts[k, GIVEN]
        contacts[k, LEAST] = 2.0 * contacts[k, LEAST] - u
        for axis in range(3):
            p = share * contacts[k, WARM + axis]
            contacts[k, IMPULSE_AT + axis] = p
            contacts[k, COUPLE + axis] = 0.0
            push_along(bodies, contact, contacts, k, axis, p, V_END, W_END)
    sweeps += _sweep(model, state, work, limit, small, fade != 1.0)
    if sunk:
        _push(model, state, work, count, limit, small)
    return sweeps


@leaf_kernel
def _least_change(settings: Floats) -> float:
    """That change [m/s] in a group at rest."""
    return SWEEP_SMALL * max(settings[GRAVITY_NORM], 1.0) * settings[LONGEST_STEP]


@kernel
def _small_change(model: Model, work: Work) -> float:
    """A change of velocity [m/s] below which sweeps need not go on."""
    fastest = 0.0
    for k in range(work.sizes[CONTACTS]):
        square = 0.0
        for axis in range(3):
            u = speed_along(work.bodies, work.contact, work.contacts, k, axis, V, W) + work.contacts[k, GIVEN + axis]
            square += u * u
        fastest = max(fastest, square)
    share = SWEEP_SHARE if work.sizes[BODIES] < CROWD else CROWD_SHARE
    return max(_least_change(model.settings), share * sqrt(fastest))


@inlined_kernel
def _sweep(model: Model, state: State, work: Work, limit: int, small: float, directly: bool) -> int:
    count = work.sizes[CONTACTS]
    if work.sizes[LINKAGES] == 0:
        return find_impulses(model.bodies, work, limit, small, directly)
    return sweep_linked(model.tags, state.members, model.joints, work, limit, small) if count > 0 else 0


@inlined_kernel
def _push(model: Model, state: State, work: Work, count: int, limit: int, small: float) -> None:
    if work.sizes[LINKAGES] == 0:
        find_pushes(model.bodies, work, count, limit, small)
    else:
        push_linked(model.tags, state.members, model.joints, work, count, limit, small)


@leaf_kernel
def sweep_limit(count: int) -> int:
    return max(SWEEP_LIMIT, SWEEP_TURNS // max(count, 1))


@kernel
def _arrest(model: Model, state: State, work: Work, limit: int, small: float) -> int:
    """Take from the velocities at the start what flies into a contact, at once; how many sweeps it took.

    From there on velocities change steadily through the step, so that it may be cut short anywhere. What comes faster
    than a microcollision, as it may in a crowd, bounces; if together that made energy, nothing does.
    """
    contacts = work.contacts
    count = work.sizes[CONTACTS]
    meets = bounces = False
    for k in range(count):
        u = speed_along(work.bodies, work.contact, contacts, k, 0, V, W) + contacts[k, GIVEN]
        least = contacts[k, LEAST]
        if u < least - small:
            meets = True
            fast = FAST * sqrt(2.0 * model.settings[GRAVITY_NORM] * contacts[k, ENVELOPE_AT])
            if -u > fast and contacts[k, BOUNCE] > 0.0:
                bounces = True
                least = -contacts[k, BOUNCE] * u
        contacts[k, BOUNCE], contacts[k, LEAST] = contacts[k, LEAST], least
    sweeps = 0
    if meets:
        sweeps = _stop_at(model, state, work, limit, small)
    made = 0.0
    if bounces:
        for at in range(work.sizes[BODIES]):
            made += _kinetic(model.bodies, work, at, V_END, W_END) - _kinetic(model.bodies, work, at, V, W)
    for k in range(count):
        contacts[k, LEAST] = contacts[k, BOUNCE]
    if made > 0.0:
        sweeps += _stop_at(model, state, work, limit, small)
    if meets:
        for at in range(work.sizes[BODIES]):
            for c in range(6):
                work.bodies[at, V + c] = work.bodies[at, V_END + c]
    return sweeps


@inlined_kernel
def _stop_at(model: Model, state: State, work: Work, limit: int, small: float) -> int:
    """End velocities: those at the start, less what flies into a contact."""
    for at in range(work.sizes[BODIES]):
        for c in range(6):
            work.bodies[at, V_END + c] = work.bodies[at, V + c]
    for k in range(work.sizes[CONTACTS]):
        for axis in range(3):
            work.contacts[k, IMPULSE_AT + axis] = 0.0
            work.contacts[k, COUPLE + axis] = 0.0
    return _sweep(model, state, work, limit, small, False)


@leaf_kernel
def _kinetic(table: Floats, work: Work, at: int, v: int, w: int) -> float:
    """Kinetic energy of row `at` of the bodies [J]."""
    bodies = work.bodies
    zero = (0.0, 0.0, 0.0)
    return energy_of(
        table, work.body[at], zero, quat_at(bodies, at, Q), vector_at(bodies, at, v), vector_at(bodies, at, w)
    )


@leaf_kernel
def free_velocities(table: Floats, bodies: Floats, i: int, at: int, h: float) -> None:
    """Velocities at the step's end without contacts; pseudo-velocities zero."""
    for c in range(3):
        bodies[at, V_END + c] = bodies[at, V + c] + h * table[i, GRAVITY + c]
        bodies[at, W_END + c] = bodies[at, W + c]
        bodies[at, V_PUSH + c] = 0.0
        bodies[at, W_PUSH + c] = 0.0
        bodies[at, V_FLOW + c] = 0.0
        bodies[at, W_FLOW + c] = 0.0
    for c in range(12):
        bodies[at, BENDS + c] = 0.0
    w = vector_at(bodies, at, W)
    moments = (table[i, MOMENTS], table[i, MOMENTS + 1], table[i, MOMENTS + 2])
    if norm(w) * h > 1e-5 and not (moments[0] == moments[1] and moments[1] == moments[2]):
        q = quat_at(bodies, at, Q)
        q_end, spin = rotate_free(moments, q, rotate_inverse(q, w), h)
        w = rotate(q_end, spin)
        for c in range(3):
            bodies[at, W_END + c] = w[c]


# --- try --------------------------------------------------------------------------------------------------------------


@kernel
def try_step(model: Model, state: State, work: Work, t: float, h: float, ceiling: float) -> int:
    """Poses at the end of the step, and the true gaps there; how many are too small after all that pushes can do.

    ceiling: energy [J] that the bodies may have at the end.
    """
    bodies = work.bodies
    small = _small_change(model, work)
    bad = 0
    for turn in range(CORRECTIONS + 1):
        if work.sizes[LINKAGES] > 0 and work.sizes[CONTACTS] > 0:
            for at in range(work.sizes[BODIES]):
                place_at_end(bodies, at, h)
            close_linkages(model.bodies, model.tags, state.arcs, state.members, model.joints, work, t + h, h)
        _end_within(model, work, h, ceiling + work.link[LINK_WORK])
        bad = 0
        for p in range(work.sizes[PAIRS_HELD]):
            row = work.pair[p]
            a, b = state.links[row, BODY_A], state.links[row, BODY_B]
            x_a, q_a = _end_of(model, state, work, a, t + h)
            x_b, q_b = _end_of(model, state, work, b, t + h)
            gap = measure_pair(model, state, row, x_a, q_a, x_b, q_b, t + h)
            if not gap > least_gap(state.pairs[row, PAIR_ENVELOPE], work.gap[p]):
                bad += 1
                if turn < CORRECTIONS:
                    _add_correction(model, state, work, row, x_a, x_b, h)
        if bad == 0 or turn == CORRECTIONS:
            break
        count = work.sizes[CORRECTED]
        _push(model, state, work, count, sweep_limit(count), small)
    return bad


@kernel
def _end_within(model: Model, work: Work, h: float, ceiling: float) -> None:
    """Poses at the end of the step. Where the bodies would have more energy there than `ceiling`, pushes become
    smaller, then the velocities at the end, and with them the way; at last those at the start.

    Potential energy changes with the mean of the velocities at both ends: E(s) = E(0) + L s + K s² when those at the
    end are s times what they are.
    """
    bodies = work.bodies
    now = way = rise = lift = kinetic = 0.0
    for at in range(work.sizes[BODIES]):
        place_at_end(bodies, at, h)
        i = work.body[at]
        q, v, w = quat_at(bodies, at, Q_END), vector_at(bodies, at, V_END), vector_at(bodies, at, W_END)
        kinetic += energy_of(model.bodies, i, (0.0, 0.0, 0.0), q, v, w)
        for c in range(3):
            weight = model.bodies[i, MASS] * model.bodies[i, GRAVITY + c]
            now -= weight * bodies[at, X + c]
            way -= weight * h * (0.5 * bodies[at, V + c] + bodies[at, V_FLOW + c])
            rise -= weight * 0.5 * h * bodies[at, V_END + c]
            lift -= weight * h * bodies[at, V_PUSH + c]
    over = now + way + rise + lift + kinetic - ceiling
    if over <= 0.0:
        return
    push = 1.0 - min(over / lift, 1.0) if lift > 0.0 else 1.0
    over = now + way + push * lift - ceiling
    last = first = 1.0
    if over + rise + kinetic > 0.0:
        last = 0.0
        if kinetic > 0.0:
            root = sqrt(max(rise * rise - 4.0 * kinetic * over, 0.0))
            last = max(0.0, min(1.0, (root - rise) / (2.0 * kinetic)))
        over += (rise + kinetic * last) * last
        if over > 0.0 and way > 0.0:
            first = max(0.0, 1.0 - over / way)
    for at in range(work.sizes[BODIES]):
        for c in range(3):
            bodies[at, V_PUSH + c] *= push
            bodies[at, W_PUSH + c] *= push
            bodies[at, V_END + c] *= last
            bodies[at, W_END + c] *= last
            bodies[at, V + c] *= first
            bodies[at, W + c] *= first
        place_at_end(bodies, at, h)


@leaf_kernel
def place_at_end(bodies: Floats, at: int, h: float) -> None:
    """Where a body is at the end of the step: it moves with the mean of its velocities, and is pushed."""
    for c in range(3):
        v = 0.5 * (bodies[at, V + c] + bodies[at, V_END + c]) + bodies[at, V_PUSH + c] + bodies[at, V_FLOW + c]
        bodies[at, X_END + c] = bodies[at, X + c] + h * v
    q = quat_at(bodies, at, Q)
    q = turned(q, rotate_inverse(q, mean_spin(bodies, at)), h)
    for c in range(4):
        bodies[at, Q_END + c] = q[c]


@inlined_kernel
def _end_of(model: Model, state: State, work: Work, i: int, t: float) -> tuple[Vec3, Quat]:
    """Pose at the end of the step, at t, of a body of the group or of one that does not answer."""
    at = state.members[i, LOCAL] if model.tags[i, KIND] == FREE else -1
    if at >= 0:
        return vector_at(work.bodies, at, X_END), quat_at(work.bodies, at, Q_END)
    x, q, _, _ = evolve(model.bodies, model.tags, state.arcs, i, t)
    return x, q


@inlined_kernel
def _add_correction(model: Model, state: State, work: Work, row: int, x_a: Vec3, x_b: Vec3, h: float) -> None:
    """A row that pushes pair `row` apart where it comes too near at the step's end, unforeseen by its points."""
    k = work.sizes[CORRECTED]
    work.sizes[CORRECTED] = k + 1
    pairs, links = state.pairs, state.links
    a, b = links[row, BODY_A], links[row, BODY_B]
    side_a = state.members[a, LOCAL] if model.tags[a, KIND] == FREE else -1
    side_b = state.members[b, LOCAL] if model.tags[b, KIND] == FREE else -1
    gap, envelope = pairs[row, GAP], pairs[row, PAIR_ENVELOPE]
    for c in range(3):
        work.points[0, c] = 0.5 * (pairs[row, POINT_A + c] + pairs[row, POINT_B + c])
    work.points[0, 3] = gap
    zero = (0.0, 0.0, 0.0)
    load_point(
        work.bodies, work.contact, work.contacts, k, row, side_a, side_b, x_a, x_b, vector_at(pairs, row, NORMAL),
        work.points, 0, zero, zero, pairs,
    )  # fmt: skip
    u = speed_along(work.bodies, work.contact, work.contacts, k, 0, V_PUSH, W_PUSH)
    work.contacts[k, PUSH_LEAST] = u + (BAND_LOW * envelope - gap) / h
