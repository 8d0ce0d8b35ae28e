"""Trying a step: the true gaps at its end and on the way, and corrections where they are too small."""

from __future__ import annotations

from math import inf

from engine.group.bodies import mean_spin, place_at_end, place_of, pose_at_end, pose_within
from engine.group.contact_points import load_point
from engine.group.energy import limit_energy
from engine.group.joints.answers import find_answers, note_ties
from engine.group.joints.linkages import close_linkages
from engine.group.measure import Partner, Touch, measure_pair
from engine.group.relative_velocity import speed_along
from engine.group.solve.impulses import correct_positions
from engine.group.work import (
    BODIES,
    CONTACTS,
    CORRECTED,
    CORRECTIONS,
    ENVELOPE_AT,
    GAP_AT,
    JOINT_ROWS,
    LINK_GAIN,
    LINK_WORK,
    LINKAGES,
    MISS,
    PAIRS_HELD,
    PRESCRIBED,
    PSEUDO_TARGET,
    SMALL,
    U_MEAN,
    U_START,
    V_END,
    V_PSEUDO,
    W_END,
    Q,
    V,
    W,
    Work,
)
from engine.kernel import kernel
from engine.maths.quaternions import quat_at
from engine.maths.rounding import SINE
from engine.maths.vectors import add, norm, scale, sub, vector_at
from engine.model.model import ARM, Floats, Model
from engine.model.state import BODY_A, BODY_B, GAP, NORMAL, PAIR_ENVELOPE, POINT_A, POINT_B, State
from engine.motion.ballistic import moving_spin
from engine.stages import GAPS, GROUP, lap
from engine.tolerances import ALIKE, BAND_LOW, HALVINGS, LOW, MOST_MISS

_LOOKS = HALVINGS // 2  # parts of a step at whose ends what may dip is looked at


@kernel
def try_step(model: Model, state: State, work: Work, t: float, h: float, ceiling: float) -> int:
    """Poses at the end of the step, and the true gaps there; how many are too small after all corrections.

    ceiling: energy [J] that the bodies may have at the end.
    """
    lap(work.watch, GROUP)
    twists, poses = work.twists, work.poses
    bad = 0
    work.link[MISS] = 0.0
    for iteration in range(CORRECTIONS + 1):
        if work.sizes[LINKAGES] > 0 and work.sizes[PAIRS_HELD] > 0:
            for at in range(work.sizes[BODIES]):
                place_at_end(twists, poses, at, h)
            close_linkages(model.bodies, model.tags, state.arcs, state.members, model.joints, work, t + h, h)
        limit_energy(model.bodies, work, h, ceiling + work.link[LINK_WORK] + work.link[LINK_GAIN])
        bad = 0
        before = work.sizes[CORRECTED]
        for p in range(work.sizes[PAIRS_HELD]):
            row = work.pair[p]
            a, b = state.links[row, BODY_A], state.links[row, BODY_B]
            x_a, q_a = pose_at_end(model, state, work, a, t + h)
            x_b, q_b = pose_at_end(model, state, work, b, t + h)
            gap = measure_pair(model, state, row, x_a, q_a, x_b, q_b, t + h)
            if iteration == 0:
                envelope = state.pairs[row, PAIR_ENVELOPE]
                lacking = min(work.gap[p] + _foreseen_change(work, p, h), BAND_LOW * envelope) - gap
                work.link[MISS] = max(work.link[MISS], lacking / envelope)
            if not gap > least_gap(state.pairs[row, PAIR_ENVELOPE], work.gap[p]):
                bad += 1
                if iteration < CORRECTIONS:
                    rest = (0.0, 0.0, 0.0)
                    side_a = Partner(a, place_of(model.tags, state.members, a), x_a, q_a, rest, rest)
                    side_b = Partner(b, place_of(model.tags, state.members, b), x_b, q_b, rest, rest)
                    _add_correction(state.pairs, work, Touch(row, side_a, side_b), h)
        if bad == 0 or iteration == CORRECTIONS:
            break
        count = work.sizes[CORRECTED]
        if work.sizes[LINKAGES] > 0:
            note_ties(model.tags, model.joints, work, before, count)
            find_answers(model.tags, model.joints, work, before, count)
        correct_positions(model, work, count, work.link[SMALL])
    if bad == 0:
        bad = _count_dips(model, state, work, t, h)
    lap(work.watch, GAPS)
    return bad


@kernel
def _foreseen_change(work: Work, p: int, h: float) -> float:
    """By how much a pair's gap should change in the step, by how its points move in it [m]."""
    contacts, notes = work.contacts, work.notes
    last = work.first[p + 1] if p + 1 < work.sizes[PAIRS_HELD] else work.sizes[CONTACTS] - work.sizes[JOINT_ROWS]
    before = after = inf
    for k in range(work.first[p], last):
        u = notes[k, U_MEAN] + speed_along(work.twists, work.contact, contacts, k, 0, V_PSEUDO)
        before, after = min(before, notes[k, GAP_AT]), min(after, notes[k, GAP_AT] + h * u)
    return after - before


@kernel
def _count_dips(model: Model, state: State, work: Work, t: float, h: float) -> int:
    """How many gaps are too small within the step: there bodies that turn bulge into it, or pass a corner."""
    dips = _count_sinking(work, h)
    if dips > 0:
        return dips
    for p in range(work.sizes[PAIRS_HELD]):
        row = work.pair[p]
        a, b = state.links[row, BODY_A], state.links[row, BODY_B]
        bulge = _bulge(model, state, work, a, h) + _bulge(model, state, work, b, h)
        gap = min(work.gap[p], state.pairs[row, GAP])
        if bulge < ALIKE * ALIKE * gap and gap > LOW * state.pairs[row, PAIR_ENVELOPE]:
            continue
        for k in range(1, _LOOKS):
            after = k * h / _LOOKS
            x_a, q_a = pose_within(model, state, work, a, t, h, after)
            x_b, q_b = pose_within(model, state, work, b, t, h, after)
            gap = measure_pair(model, state, row, x_a, q_a, x_b, q_b, t + after)
            if not gap > least_gap(state.pairs[row, PAIR_ENVELOPE], work.gap[p]):
                dips += 1
                break
        x_a, q_a = pose_at_end(model, state, work, a, t + h)
        x_b, q_b = pose_at_end(model, state, work, b, t + h)
        measure_pair(model, state, row, x_a, q_a, x_b, q_b, t + h)
    return dips


@kernel
def _count_sinking(work: Work, h: float) -> int:
    """How many points come too near on the way at their velocities: what an arrest has left in a crowd may do that.

    gap + u t + (u_end - u) t^2 / 2h is least at -u h / (u_end - u), if that is within the step.
    """
    contacts, notes = work.contacts, work.notes
    sinking = 0
    for k in range(work.sizes[CONTACTS] - work.sizes[JOINT_ROWS]):
        u = notes[k, U_START]
        if u >= 0.0:
            continue
        more = speed_along(work.twists, work.contact, contacts, k, 0, V_END) + contacts[k, PRESCRIBED] - u
        lowest = notes[k, GAP_AT] - 0.5 * h * u * u / more if more > -u else notes[k, GAP_AT]
        sinking += lowest < ALIKE * least_gap(notes[k, ENVELOPE_AT], notes[k, GAP_AT])
    return sinking


@kernel
def _bulge(model: Model, state: State, work: Work, i: int, h: float) -> float:
    """By how much a point of body i of the group leaves its chord through the step: by turning, by changing velocities.

    They may turn round: what comes near in the first half of a step may be as far as before at its end.
    """
    at = place_of(model.tags, state.members, i)
    if at < 0:
        return 0.0
    twists, poses = work.twists, work.poses
    w, w_end = vector_at(twists, at, W), vector_at(twists, at, W_END)
    turn = h * norm(moving_spin(model.bodies, i, quat_at(poses, at, Q), mean_spin(twists, at)))
    turn = turn * turn + h * norm(sub(w_end, w))
    change = h * norm(sub(vector_at(twists, at, V_END), vector_at(twists, at, V)))
    return 0.125 * (model.bodies[i, ARM] * turn + change)


@kernel
def least_gap(envelope: float, before: float) -> float:
    """The smallest gap [m] that a step may end with: what was smaller before may not become smaller still."""
    return min(MOST_MISS * envelope, (1.0 - SINE) * before)


@kernel
def _add_correction(pairs: Floats, work: Work, touch: Touch, h: float) -> None:
    """A row that moves a pair apart where it comes too near at the step's end, unforeseen by its points."""
    k, row = work.sizes[CORRECTED], touch.row
    work.sizes[CORRECTED] = k + 1
    gap, envelope = pairs[row, GAP], pairs[row, PAIR_ENVELOPE]
    on_a, on_b = vector_at(pairs, row, POINT_A), vector_at(pairs, row, POINT_B)
    load_point(work, pairs, k, touch, vector_at(pairs, row, NORMAL), scale(add(on_a, on_b), 0.5), gap)
    u = speed_along(work.twists, work.contact, work.contacts, k, 0, V_PSEUDO)
    work.contacts[k, PSEUDO_TARGET] = u + (BAND_LOW * envelope - gap) / h
