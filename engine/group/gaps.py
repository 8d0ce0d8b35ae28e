"""Trying a step: the true gaps at its end and on the way, and corrections where they are too small."""

from __future__ import annotations

from engine.group.bodies import place_at_end, place_of, pose_at_end
from engine.group.contact_points import load_point
from engine.group.end_gaps import least_gap, least_within
from engine.group.energy import limit_energy
from engine.group.joints.answers import find_answers, note_ties
from engine.group.joints.linkages import close_linkages
from engine.group.measure import Partner, Touch
from engine.group.pair_tasks import count_dips, measure_ends
from engine.group.relative_velocity import speed_along
from engine.group.room import correction_rows
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
    SQUEEZED,
    U_START,
    V_END,
    V_PSEUDO,
    Work,
)
from engine.kernel import kernel
from engine.maths.vectors import add, scale, vector_at
from engine.model.model import Model
from engine.model.state import BODY_A, BODY_B, GAP, NORMAL, PAIR_ENVELOPE, POINT_A, POINT_B, State
from engine.stages import GAPS, GROUP, lap
from engine.tolerances import BAND_LOW, LOW


@kernel
def try_step(model: Model, state: State, work: Work, t: float, h: float, ceiling: float) -> int:
    """Poses at the end of the step, and the true gaps there; how many are too small after all corrections.

    ceiling: energy [J] that the bodies may have at the end.
    """
    lap(work.watch, GROUP)
    twists, poses = work.twists, work.poses
    bad, most = 0, work.sizes[CONTACTS] + correction_rows(work.sizes[PAIRS_HELD])
    for iteration in range(CORRECTIONS + 1):
        if work.sizes[LINKAGES] > 0 and work.sizes[PAIRS_HELD] > 0:
            for at in range(work.sizes[BODIES]):
                place_at_end(twists, poses, at, h)
            close_linkages(model.bodies, model.tags, state.arcs, state.members, model.joints, work, t + h, h)
        limit_energy(model, work, h, ceiling + work.link[LINK_WORK] + work.link[LINK_GAIN])
        lacking = measure_ends(model, state, work, t, h)
        if iteration == 0:
            work.link[MISS] = lacking
        bad = 0
        before = work.sizes[CORRECTED]
        for p in range(work.sizes[PAIRS_HELD]):
            row = work.pair[p]
            if not state.pairs[row, GAP] > least_gap(state.pairs[row, PAIR_ENVELOPE], work.gap[p]):
                bad += 1
                if iteration < CORRECTIONS and work.sizes[CORRECTED] < most:
                    _add_correction(model, state, work, row, t, h)
        if bad == 0 or iteration == CORRECTIONS:
            break
        count = work.sizes[CORRECTED]
        if work.sizes[LINKAGES] > 0:
            note_ties(model.tags, model.joints, work, before, count)
            find_answers(model.bodies, model.tags, model.joints, work, before, count)
        correct_positions(model, work, count, work.link[SMALL])
    if bad == 0:
        bad = _count_sinking(work, h)
    if bad == 0:
        bad = count_dips(model, state, work, t, h)
    if work.sizes[SQUEEZED] > 0:
        bad += _count_squeezed(state, work)
    if bad == 0:
        work.sizes[SQUEEZED] = 0
    lap(work.watch, GAPS)
    return bad


@kernel
def _count_squeezed(state: State, work: Work) -> int:
    """How many pairs of what is squeezed have sunk so deep that they need the room that is left."""
    low = 0
    for p in range(work.sizes[PAIRS_HELD]):
        row = work.pair[p]
        if state.pairs[row, GAP] < LOW * state.pairs[row, PAIR_ENVELOPE]:
            low += 1
    return low


@kernel
def _count_sinking(work: Work, h: float) -> int:
    """How many points come too near on the way at their velocities: what an arrest has left may do that.

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
        sinking += lowest < least_within(notes[k, ENVELOPE_AT], notes[k, GAP_AT])
    return sinking


@kernel
def _add_correction(model: Model, state: State, work: Work, row: int, t: float, h: float) -> None:
    """A row that moves a pair apart where it comes too near at the step's end, unforeseen by its points."""
    pairs = state.pairs
    touch = Touch(row, _side(model, state, work, row, BODY_A, t + h), _side(model, state, work, row, BODY_B, t + h))
    k = work.sizes[CORRECTED]
    work.sizes[CORRECTED] = k + 1
    gap, envelope = pairs[row, GAP], pairs[row, PAIR_ENVELOPE]
    on_a, on_b = vector_at(pairs, row, POINT_A), vector_at(pairs, row, POINT_B)
    load_point(work, pairs, k, touch, vector_at(pairs, row, NORMAL), scale(add(on_a, on_b), 0.5), gap)
    u = speed_along(work.twists, work.contact, work.contacts, k, 0, V_PSEUDO)
    work.contacts[k, PSEUDO_TARGET] = u + (BAND_LOW * envelope - gap) / h


@kernel
def _side(model: Model, state: State, work: Work, row: int, column: int, t: float) -> Partner:
    """One body of a pair at the step's end."""
    i, rest = state.links[row, column], (0.0, 0.0, 0.0)
    x, q = pose_at_end(model, state, work, i, t)
    return Partner(i, place_of(model.tags, state.members, i), x, q, rest, rest)
