"""Trying a step of a contact group: poses at its end, within its energy, and the true gaps there and on the way.

Energy only falls: what a step would add to that of its group must come from the group's credit, a small part of what
its contacts took before (a stack that has sunk within its envelopes may be lifted again), or from what scripted bodies
put in. Where there is not enough, pushes and then velocities are made smaller.
"""

from __future__ import annotations

from math import sqrt

from engine.group.contacts import measure_pair
from engine.group.joints.linkages import close_linkages
from engine.group.load import energy_of, load_point, mean_spin, quat_at
from engine.group.solve.gauss_seidel import speed_along
from engine.group.solve.impulses import push_out, small_change, sweep_limit
from engine.group.work import (
    BENDS,
    BODIES,
    CONTACTS,
    CORRECTED,
    CORRECTIONS,
    ENVELOPE_AT,
    GAP_AT,
    GIVEN,
    GIVEN_AT_START,
    LINK_WORK,
    LINKAGES,
    PAIRS_HELD,
    PUSH_LEAST,
    Q_END,
    V_END,
    V_FLOW,
    V_PUSH,
    W_END,
    W_FLOW,
    W_PUSH,
    X_END,
    Q,
    V,
    W,
    Work,
    X,
)
from engine.kernel import inlined_kernel, kernel
from engine.maths.quaternions import Quat, rotate_inverse
from engine.maths.vectors import Vec3, norm, sub, vector_at
from engine.model.model import ARM, FREE, GRAVITY, KIND, LINKAGE, MASS, Floats, Model
from engine.model.state import BODY_A, BODY_B, GAP, LOCAL, NORMAL, PAIR_ENVELOPE, POINT_A, POINT_B, State
from engine.motion.arcs import evolve
from engine.motion.ballistic import moving_spin
from engine.motion.held import evolve_held, set_held, turned
from engine.motion.linked import set_linked
from engine.tolerances import BAND_LOW

_LEAST_GAP = 0.02  # of the envelope: smaller gaps at a step's end are not accepted, unless they were as small before
_BULGE = 0.25  # of a gap: bodies that bulge less by turning are not looked at on the way
_LOOKS = 4  # parts of a step at whose ends what may dip is looked at
_LOW = 0.1  # of the envelope: smaller gaps are always looked at on the way
_SUNK = 0.5  # of the least gap: what must be left on the way, by velocities alone
_PAYS = 0.999  # of their velocities bodies keep at least when that pays for being lifted
_FURTHEST = 1.0  # rad: what turns further in a step does so about a fixed axis


@kernel
def try_step(model: Model, state: State, work: Work, t: float, h: float, ceiling: float) -> int:
    """Poses at the end of the step, and the true gaps there; how many are too small after all that pushes can do.

    ceiling: energy [J] that the bodies may have at the end.
    """
    bodies = work.bodies
    small = small_change(model, work)
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
        push_out(model, state, work, count, sweep_limit(model.settings, work, count, small), small)
    return bad if bad > 0 else _count_dips(model, state, work, t, h)


@kernel
def _count_dips(model: Model, state: State, work: Work, t: float, h: float) -> int:
    """How many gaps are too small within the step: there bodies that turn bulge into it, or pass a corner."""
    dips = _count_sinking(work, h) if work.sizes[LINKAGES] == 0 else 0
    if dips > 0:
        return dips
    for p in range(work.sizes[PAIRS_HELD]):
        row = work.pair[p]
        a, b = state.links[row, BODY_A], state.links[row, BODY_B]
        bulge = _bulge(model, state, work, a, h) + _bulge(model, state, work, b, h)
        gap = min(work.gap[p], state.pairs[row, GAP])
        if bulge < _BULGE * gap and gap > _LOW * state.pairs[row, PAIR_ENVELOPE]:
            continue
        for k in range(1, _LOOKS):
            after = k * h / _LOOKS
            x_a, q_a = _within(model, state, work, a, t, h, after)
            x_b, q_b = _within(model, state, work, b, t, h, after)
            gap = measure_pair(model, state, row, x_a, q_a, x_b, q_b, t + after)
            if not gap > least_gap(state.pairs[row, PAIR_ENVELOPE], work.gap[p]):
                dips += 1
                break
        x_a, q_a = _end_of(model, state, work, a, t + h)
        x_b, q_b = _end_of(model, state, work, b, t + h)
        measure_pair(model, state, row, x_a, q_a, x_b, q_b, t + h)
    return dips


@kernel
def _count_sinking(work: Work, h: float) -> int:
    """How many points come too near on the way at their velocities: what an arrest has left in a crowd may do that.

    gap + u t + (u_end - u) t^2 / 2h is least at -u h / (u_end - u), if that is within the step.
    """
    contacts = work.contacts
    sinking = 0
    for k in range(work.sizes[CONTACTS]):
        u = speed_along(work.bodies, work.contact, contacts, k, 0, V, W) + contacts[k, GIVEN_AT_START]
        if u >= 0.0:
            continue
        more = speed_along(work.bodies, work.contact, contacts, k, 0, V_END, W_END) + contacts[k, GIVEN] - u
        lowest = contacts[k, GAP_AT] - 0.5 * h * u * u / more if more > -u else contacts[k, GAP_AT]
        sinking += lowest < _SUNK * least_gap(contacts[k, ENVELOPE_AT], contacts[k, GAP_AT])
    return sinking


@kernel
def _bulge(model: Model, state: State, work: Work, i: int, h: float) -> float:
    """By how much a point of body i of the group leaves its chord through the step: by turning, by changing velocities.

    They may turn round: what comes near in the first half of a step may be as far as before at its end.
    """
    at = state.members[i, LOCAL] if model.tags[i, KIND] == FREE else -1
    if at < 0:
        return 0.0
    bodies = work.bodies
    w, w_end = vector_at(bodies, at, W), vector_at(bodies, at, W_END)
    turn = h * norm(moving_spin(model.bodies, i, quat_at(bodies, at, Q), mean_spin(bodies, at)))
    turn = turn * turn + h * norm(sub(w_end, w))
    change = h * norm(sub(vector_at(bodies, at, V_END), vector_at(bodies, at, V)))
    return 0.125 * (model.bodies[i, ARM] * turn + change)


@inlined_kernel
def _within(model: Model, state: State, work: Work, i: int, t: float, h: float, after: float) -> tuple[Vec3, Quat]:
    """Pose of a body of the group, on the arc that it is going to have, or of another, some time after t."""
    at = state.members[i, LOCAL] if model.tags[i, KIND] == FREE else -1
    if at < 0:
        x, q, _, _ = evolve(model.bodies, model.tags, state.arcs, i, t + after)
        return x, q
    lay_arc(work.trial, 0, work.bodies, at, model.tags[i, LINKAGE] >= 0, t, h)
    x, q, _, _ = evolve_held(work.trial, 0, t + after)
    return x, q


@kernel
def lay_arc(arcs: Floats, i: int, bodies: Floats, at: int, tied: bool, t: float, h: float) -> None:
    """The arc of a step from t on of row `at` of Work.bodies, into row i of the arcs; tied: by joints."""
    x, q = vector_at(bodies, at, X), quat_at(bodies, at, Q)
    v, w, push = vector_at(bodies, at, V), vector_at(bodies, at, W), vector_at(bodies, at, V_PUSH)
    v_end, w_end, turn = vector_at(bodies, at, V_END), vector_at(bodies, at, W_END), vector_at(bodies, at, W_PUSH)
    spin = mean_spin(bodies, at)
    if not tied and norm(spin) * h > _FURTHEST:
        set_held(arcs, i, t, x, q, v, w, t + h, v_end, w_end, push, spin)
        return
    flow, bend = vector_at(bodies, at, V_FLOW), vector_at(bodies, at, W_FLOW)
    set_linked(arcs, i, t, x, q, v, w, t + h, v_end, w_end, flow, bend, push, turn, bodies, at, BENDS)


@kernel
def _end_within(model: Model, work: Work, h: float, ceiling: float) -> None:
    """Poses at the end of the step. Where the bodies would have more energy there than `ceiling`, they are slowed down
    a little, for on curved ways they get faster as they sink; then pushes become smaller, then the velocities at the
    end, and with them the way; at last those at the start.

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
    over = now + way + lift - ceiling
    if over + rise + kinetic <= 0.0:
        return
    push = first = 1.0
    last = _slowed(over, rise, kinetic)
    if last < _PAYS and lift > 0.0:
        last = _PAYS
        push = 1.0 - min((over + (rise + kinetic * last) * last) / lift, 1.0)
    over -= (1.0 - push) * lift
    if over + (rise + kinetic * last) * last > 0.0:
        last = _slowed(over, rise, kinetic)
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


@kernel
def _slowed(over: float, rise: float, kinetic: float) -> float:
    """The largest part s of 1 with over + rise s + kinetic s^2 <= 0; 0 if there is none."""
    if kinetic <= 0.0:
        return 1.0 if over + rise <= 0.0 else 0.0
    root = sqrt(max(rise * rise - 4.0 * kinetic * over, 0.0))
    return max(0.0, min(1.0, (root - rise) / (2.0 * kinetic)))


@kernel
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


@kernel
def least_gap(envelope: float, before: float) -> float:
    """The smallest gap [m] that a step may end with: what was smaller before may not become smaller still."""
    return min(_LEAST_GAP * envelope, (1.0 - 1e-9) * before)
