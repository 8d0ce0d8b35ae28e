"""A step of a first-order world, in which F = drag m v: what is not pushed stands still (Redon 2002, note 11).

    gather      bodies, the pairs between them and with static and kinematic bodies that touch, their points
    push        velocities by applied forces and the mouse's spring; by contact forces, so that no gap closes
    try         the true gaps at the step's end, as in contact groups (engine.group.gaps); else a shorter step
    commit      held arcs, what the contacts bore, what drag and friction took, groups that have come apart

A body from rest has after 1 / drag the velocity that its forces keep it at here, and contact impulses of that time
give the rest of it: the problem is that of a contact group's step, solved by the same solver. Without friction
the velocities are those that keep bodies apart and are nearest, in the kinetic norm, to what forces alone give: Gauss'
principle for velocities instead of accelerations. Friction is Coulomb's, or what the scene chooses. Velocities are
constant through a step: the method is Euler's, of first order in its length, which the gaps that it does not foresee
bound.

Energy is potential or gone: what forces put in, drag and friction take where they act. Drag takes drag v . M v.
Every free body is held from the start, alone or in a group, and never flies; nothing collides, and nothing sleeps.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.collision.narrow.manifold import Reach
from engine.collision.pair_table import next_pair
from engine.collision.pairs.hull_pairs import is_guard
from engine.first_order.drag import drag_power
from engine.group.bodies import applied_work, energy_of, free_velocities, place_at_end, rim_speed
from engine.group.books import book_points, settle_books
from engine.group.commit import commit_step
from engine.group.contact_points import load_points
from engine.group.gaps import try_step
from engine.group.gather import gather_bodies
from engine.group.measure import find_points, measure_now, touch_in_group, touches_beside
from engine.group.pair_states import MET, change_state
from engine.group.pulled import apply_spring, point_mobility, pulled_row
from engine.group.relative_velocity import apply_at, apply_couple, speed_along
from engine.group.room import is_roomy
from engine.group.solve.friction_models import aim_friction
from engine.group.solve.impulses import correct_positions
from engine.group.solve.newton import find_impulses
from engine.group.solve.ordering import find_chain, order_bodies
from engine.group.step import NO_ROOM, STEPPED
from engine.group.warm_start import start_warm
from engine.group.work import (
    APPLIED_WORK,
    BODIES,
    BY_NEWTON,
    CONTACTS,
    CORRECTED,
    CORRECTIONS,
    COUPLE,
    CUTS,
    DEBT,
    DRIVEN_HERE,
    ENTRIES_NEEDED,
    ENVELOPE_AT,
    FACTORING,
    GAP_AT,
    GROUNDED,
    IMPULSE_AT,
    LINK_WORK,
    LOAD_BEFORE,
    MISS,
    NEEDED,
    NEXT,
    PAIRS_HELD,
    PRESCRIBED_THEN,
    PSEUDO_IMPULSE,
    PSEUDO_TARGET,
    PURE_ENERGY,
    Q_END,
    SLIP,
    SMALL,
    TARGET,
    U_START,
    V_END,
    V_FREE,
    V_PSEUDO,
    W_END,
    WARM,
    WARM_COUPLE,
    X_END,
    V,
    Work,
)
from engine.journal import GAP_OPENED
from engine.kernel import kernel, linked_kernel
from engine.maths.quaternions import quat_at
from engine.maths.rounding import TINY
from engine.maths.vectors import norm, vector_at
from engine.model.model import (
    COULOMB,
    DRAG,
    FREE,
    FRICTION_MODEL,
    KIND,
    LONGEST_STEP,
    SOLVER,
    SWEEPS,
    Model,
)
from engine.model.state import (
    BODY_A,
    BODY_B,
    CHECKED,
    DAMPING,
    GAP,
    GROUP_RETRIES,
    GROUP_STEPS,
    GROUP_SWEEPS,
    LEADER,
    LOCAL,
    LOSS,
    LOSS_FIRST,
    NEXT_STEP,
    PAIR_ENVELOPE,
    PAIR_HELD,
    PAIR_STATE,
    PART,
    PATCH_POINTS,
    PULL_STIFFNESS,
    SHAPE_A,
    SHAPE_B,
    State,
)
from engine.rounds import note_step
from engine.tolerances import ALIKE, BAND_HIGH, BAND_LOW, CONTACT_REACH, ENVELOPE_AIM, MOST_MISS, SOLVE_AT_REST

_ATTEMPTS = 12
"""Times that a step is halved [1] before its bodies stand still for the shortest one."""

_PULL_SHARE = ALIKE * ALIKE
"""The mouse's spring lets go of this part of its stretch in a step, at most [1]: beyond 2 it would swing up."""


@linked_kernel
def step_first_order(model: Model, state: State, work: Work, leader: int, t: float) -> int:
    """Make a step of the group of `leader` from t on. NO_ROOM: nothing has happened, `work` has too few rows.

    Leaves in work.body the bodies that were in the group, and in work.look those whose other pairs must be looked at.
    """
    _gather(model, state, work, leader, t)
    outcome = NO_ROOM
    if is_roomy(work):
        _move_bodies(model, state, work, leader, t)
        outcome = STEPPED
    for at in range(work.sizes[BODIES]):
        state.members[work.body[at], LOCAL] = -1
    note_step(work.rounds, work.sizes[BODIES])
    return outcome


@kernel
def _move_bodies(model: Model, state: State, work: Work, leader: int, t: float) -> None:
    settle_books(model, state, leader, t)
    at = pulled_row(state)
    if at >= 0:
        apply_spring(state, work, at, state.pull[PULL_STIFFNESS], 0.0)  # drag is the damper
    h = _first_length(model, state, work, leader)
    attempt = 0
    _find_velocities(model, state, work, h)
    while try_step(model, state, work, t, h, inf) > 0 and attempt < _ATTEMPTS:
        attempt += 1
        state.counts[GROUP_RETRIES] += 1
        h *= 0.5
        if attempt < _ATTEMPTS:
            _find_velocities(model, state, work, h)
        else:
            _stand_still(model, state, work, h)
    by_gap = sqrt(MOST_MISS / max(work.link[MISS], TINY))
    work.link[NEXT] = min(h * min(by_gap, 2.0), model.settings[LONGEST_STEP])
    commit_step(model, state, work, t, h, -inf, 0.0)
    for at in range(work.sizes[BODIES]):
        group = state.members[work.body[at], LEADER]
        taken = h * drag_power(model, work, at)
        state.groups[group, LOSS + DAMPING] += taken
        state.groups[group, LOSS_FIRST + DAMPING] += taken
    state.counts[GROUP_STEPS] += 1


@kernel
def _first_length(model: Model, state: State, work: Work, leader: int) -> float:
    """The step to begin with [s]: as the last one's gaps allow, and short against what the mouse's spring takes."""
    longest = model.settings[LONGEST_STEP]
    if state.groups[leader, NEXT_STEP] > 0.0:
        longest = min(longest, state.groups[leader, NEXT_STEP])
    at = pulled_row(state)
    if at >= 0:
        rate = state.pull[PULL_STIFFNESS] * point_mobility(state, work, at) / model.settings[DRAG]
        longest = min(longest, _PULL_SHARE / rate)
    return longest


@kernel
def _find_velocities(model: Model, state: State, work: Work, h: float) -> None:
    """What the bodies do through a step h, and what contacts bear of it; their losses."""
    drag, bodies = model.settings[DRAG], model.bodies
    fastest = 0.0
    for at in range(work.sizes[BODIES]):
        for c in range(6):
            work.twists[at, V + c] = 0.0
        free_velocities(bodies, work, at, 1.0 / drag)
        v, w = vector_at(work.twists, at, V_END), vector_at(work.twists, at, W_END)
        fastest = max(fastest, rim_speed(bodies, work.body[at], v, w))
    work.sizes[CORRECTED] = work.sizes[CONTACTS]
    sunk = False
    for k in range(work.sizes[CONTACTS]):
        _aim_point(model, state, work, k, h)
        fastest = max(fastest, norm(vector_at(work.notes, k, PRESCRIBED_THEN)))
        sunk = sunk or work.notes[k, GAP_AT] < BAND_LOW * work.notes[k, ENVELOPE_AT]
    work.link[SMALL] = max(SOLVE_AT_REST * fastest, TINY)
    work.sizes[BY_NEWTON] = 1 if work.sizes[ENTRIES_NEEDED] > 0 else 0
    state.counts[GROUP_SWEEPS] += find_impulses(model, work, work.link[SMALL], 0)
    _keep_velocities(model, state, work, h, drag * h)
    if sunk:
        correct_positions(model, work, work.sizes[CONTACTS], work.link[SMALL])


@kernel
def _aim_point(model: Model, state: State, work: Work, k: int, h: float) -> None:
    """How fast point k may close, so that its gap stays in its band, and the impulse of 1 / drag to begin with."""
    contacts, notes = work.contacts, work.notes
    gap, envelope = notes[k, GAP_AT], notes[k, ENVELOPE_AT]
    contacts[k, TARGET] = -max(gap - BAND_HIGH * envelope, 0.0) / h
    contacts[k, PSEUDO_TARGET] = (BAND_LOW * envelope - gap) / h
    contacts[k, PSEUDO_IMPULSE] = 0.0
    aim_friction(model, state, work, k, h)
    notes[k, LOAD_BEFORE] = notes[k, WARM]
    notes[k, SLIP] = notes[k, SLIP + 1] = 0.0
    for axis in range(3):
        contacts[k, IMPULSE_AT + axis] = notes[k, WARM + axis]
        notes[k, COUPLE + axis] = notes[k, WARM_COUPLE + axis]
    p = vector_at(contacts, k, IMPULSE_AT)
    apply_at(work.twists, work.contact, contacts, k, p[0], p[1], p[2], V_END)
    apply_couple(work.twists, work.contact, k, vector_at(notes, k, COUPLE), W_END)


@kernel
def _keep_velocities(model: Model, state: State, work: Work, h: float, share: float) -> None:
    """The velocities that were found last hold from the step's start to its end. What bodies lose and are given by it.

    share: of the impulses that contacts have now, those of the step.
    """
    twists, contacts, notes, bodies = work.twists, work.contacts, work.notes, model.bodies
    for at in range(work.sizes[BODIES]):
        for c in range(6):
            twists[at, V + c] = twists[at, V_FREE + c] = twists[at, V_END + c]
        work.poses[at, APPLIED_WORK] = applied_work(work, at, h)
        place_at_end(twists, work.poses, at, h)
        x, q = vector_at(work.poses, at, X_END), quat_at(work.poses, at, Q_END)
        work.poses[at, PURE_ENERGY] = energy_of(bodies, work.body[at], x, q, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    for k in range(work.sizes[CONTACTS]):
        for axis in range(3):
            contacts[k, IMPULSE_AT + axis] *= share
            notes[k, COUPLE + axis] *= share
            u = speed_along(twists, work.contact, contacts, k, axis, V)
            notes[k, U_START + axis] = u + notes[k, PRESCRIBED_THEN + axis]
    book_points(work)


@kernel
def _stand_still(model: Model, state: State, work: Work, h: float) -> None:
    """Where no step is short enough nothing moves in this one, half as long as the last that was tried."""
    for at in range(work.sizes[BODIES]):
        for c in range(6):
            work.twists[at, V_END + c] = work.twists[at, V_PSEUDO + c] = 0.0
    _keep_velocities(model, state, work, h, 0.5)


@kernel
def _gather(model: Model, state: State, work: Work, leader: int, t: float) -> None:
    """Bodies and contacts of the group of `leader` at time t. work.sizes[NEEDED] tells how many rows they take."""
    gather_bodies(model, state, work, leader, t)
    for entry in (CONTACTS, PAIRS_HELD, NEEDED, ENTRIES_NEEDED, DRIVEN_HERE):
        work.sizes[entry] = 0
    work.link[FACTORING] = 0.0
    work.sizes[GROUNDED] = 1  # drag acts from outside
    work.link[LINK_WORK] = work.link[DEBT] = work.link[CUTS] = 0.0
    rise = 1.0 / model.settings[DRAG]
    links, pairs = state.links, state.pairs
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        row = state.first_pair[i]
        while row >= 0:
            after = next_pair(links, row, i)
            a = links[row, BODY_A]
            other = links[row, BODY_B] if a == i else a
            mine = model.tags[other, KIND] != FREE or (state.members[other, LOCAL] >= 0 and a == i)
            met = pairs[row, CHECKED] == t and pairs[row, GAP] <= ENVELOPE_AIM * pairs[row, PAIR_ENVELOPE]
            if mine and (met or links[row, PAIR_STATE] == PAIR_HELD):
                if links[row, PART] < 0 and not is_guard(model.trees, links[row, SHAPE_A], links[row, SHAPE_B]):
                    _gather_contact(model, state, work, row, rise, t)
            row = after
    if work.sizes[NEEDED] > work.contact.shape[0]:
        return
    find_chain(model, state, work)
    if model.settings[SOLVER] != SWEEPS and model.settings[FRICTION_MODEL] == COULOMB and work.sizes[CONTACTS] > 0:
        order_bodies(model, state, work)


@kernel
def _gather_contact(model: Model, state: State, work: Work, row: int, rise: float, t: float) -> None:
    """Rows for the points of pair `row`, which touches or has touched; if its gap has opened, it waits on the heap.

    rise: the time 1 / drag; impulses are those of a step as long.
    """
    pairs = state.pairs
    touch = touch_in_group(model, state, work, row, t)
    measure_now(model, state, touch, t)
    gap, reach = pairs[row, GAP], CONTACT_REACH * pairs[row, PAIR_ENVELOPE]
    if gap > reach:
        change_state(model, state, row, t, GAP_OPENED)
        return
    count, normal = find_points(model, state, work, touch, Reach(reach, reach))
    work.sizes[NEEDED] += count + CORRECTIONS
    if work.sizes[NEEDED] > work.contact.shape[0]:
        return
    change_state(model, state, row, t, MET)
    if touches_beside(model, state, touch):
        state.patches[row, PATCH_POINTS] = 0.0
        return  # the triangle beside bears it
    first, held = work.sizes[CONTACTS], work.sizes[PAIRS_HELD]
    load_points(work, pairs, touch, normal, count)
    centre = touch.a.x if touch.a.place >= 0 else touch.b.x
    start_warm(work.contacts, work.notes, first, count, state.patches, row, centre, rise)
    work.pair[held], work.gap[held], work.first[held] = row, gap, first
    work.sizes[PAIRS_HELD] = held + 1
