"""One step of a contact group: from where its bodies are to where constraint forces let them be at the step's end.

gather      bodies, the pairs between them and with static and kinematic bodies, their points (engine.group.gather)
solve       impulses in its middle, so that no gap closes and friction obeys its law (engine.group.solve.impulses)
try         the true gaps at the end and on the way; where one is too small, again: corrected, or with half the step
commit      the bodies' arcs, what the contacts bore, islands that have come apart (engine.group.commit)
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from engine.collision.pair_table import pair_nodes
from engine.group.bodies import energy_of
from engine.group.books import settle_books
from engine.group.commit import commit_step
from engine.group.end_gaps import least_gap
from engine.group.energy import keep_momentum
from engine.group.gaps import try_step
from engine.group.gather import ALL, ALONE, gather_group, gather_more
from engine.group.joints.bearing import note_bearing, put_off_bearing
from engine.group.joints.linkages import linked_step, shortened
from engine.group.joints.trees import swings_free
from engine.group.lasting_contacts import switch_pair
from engine.group.lying_down import lay_down
from engine.group.met import note_met
from engine.group.midway import most_wandering
from engine.group.reached import forget_reached, is_stirred_around, list_struck, wake_reached
from engine.group.room import is_roomy
from engine.group.sent_on import find_sent_on, note_struck, send_on, strikes_sleepers
from engine.group.sleep import (
    fall_asleep,
    find_unbalanced,
    keep_loads,
    may_rest,
    rouse_unbalanced,
    sleep_on,
)
from engine.group.sleepers import forget_uneasy, knows_loads, look_at_group, look_at_sleepers
from engine.group.solve.contact_impulses import find_contact_impulses, lacks_forces
from engine.group.solve.impulses import begin_step, end_step, least_change, stop_hits
from engine.group.start_points import is_busy
from engine.group.step_length import allowed_by_gaps, first_length, goes_on_alike, next_length
from engine.group.work import (
    APPLIED_WORK,
    ARREST_LOSS,
    ARREST_WORK,
    BODIES,
    CONTACTS,
    DEBT,
    EVENT,
    LINK_ERROR,
    LINK_GAIN,
    LINK_LOSS,
    LINK_WORK,
    LINKAGES,
    MEETS,
    MET,
    MISS,
    NEXT,
    PAIRS_HELD,
    SQUEEZED,
    START_IMPULSE,
    START_JAM,
    START_NORMAL,
    START_POINT,
    TORN,
    TURN,
    WORKED,
    Q,
    V,
    W,
    Work,
    X,
)
from engine.journal import (
    ARREST,
    CONTACT_IMPULSE,
    LOG_STATE,
    NO_FORCES,
    NO_STEP_HELD,
    NONE,
    note_couple,
    note_normal,
    write_line,
)
from engine.kernel import kernel, linked_kernel
from engine.maths.quaternions import quat_at
from engine.maths.vectors import add, add_scaled, cross, norm, scale, sub, vector_at
from engine.model.model import (
    LONGEST_STEP,
    Floats,
    Ints,
    Model,
)
from engine.model.state import (
    ASLEEP,
    BODY_A,
    BODY_B,
    CAUSES,
    CORRECTION_BUDGET,
    DISSIPATED,
    GAP,
    GROUP_RETRIES,
    GROUP_STEPS,
    GROUP_SWEEPS,
    HELD,
    HORIZON,
    LEADER,
    LOCAL,
    NEWTON_DEBT,
    PAIR_ENVELOPE,
    PAIR_STATE,
    RETRIED,
    WORK,
    State,
)
from engine.rounds import note_step
from engine.stages import GROUP, POINTS, lap
from engine.tolerances import (
    ALIKE,
    HALVINGS,
    MOST_ATTEMPTS,
    SHORTEST_STEP,
    STEPS_KEPT,
)

STEPPED = 0
NO_ROOM = 1
CANNOT_GO_ON = 2  # no step: a body of work.sizes[TORN] or work.sizes[SQUEEZED] cannot go on

_MOST_ROUNDS = 8  # of hits that a busy group's hits bring about; what comes then cuts its step


@linked_kernel
def step_group(model: Model, state: State, work: Work, log: Floats, log_size: Ints, leader: int, t: float) -> int:
    """Make a step of the group of `leader` from t on. NO_ROOM: nothing has happened, `work` has too few rows;
    CANNOT_GO_ON: nor has anything, joints or contacts of the group ask for what no motion satisfies.

    Leaves in work.body the bodies that were in the group, and in work.look those whose other pairs must be looked at.
    """
    lap(work.watch, GROUP)
    work.sizes[MET] = 0
    asleep = state.arcs[leader, HELD] == ASLEEP
    if asleep and knows_loads(state, leader):
        work.sizes[BODIES] = 0
        state.groups[leader, HORIZON] = inf
        look_at_group(model, state, work, log, log_size, leader, t)
        return STEPPED
    leader = gather_group(model, state, work, log, log_size, leader, t, ALL if asleep else ALONE)
    lap(work.watch, POINTS)
    outcome = NO_ROOM
    if is_roomy(work):
        if asleep:
            sleep_on(model, state, work, log, log_size, t)
            outcome = STEPPED
        else:
            outcome = _make_step(model, state, work, log, log_size, leader, t)
    for at in range(work.sizes[BODIES]):
        state.members[work.body[at], LOCAL] = -1
    note_step(work.rounds, work.sizes[BODIES])
    return outcome


@kernel
def _make_step(model: Model, state: State, work: Work, log: Floats, log_size: Ints, leader: int, t: float) -> int:
    settle_books(model, state, leader, t)
    if may_rest(model, state, work, t):
        rests = _comes_to_rest(model, state, work, log, log_size, leader, t)
        if not is_roomy(work):
            return NO_ROOM
        if rests:
            return STEPPED
        leader = gather_group(model, state, work, log, log_size, leader, t, ALONE)
    leader = lay_down(model, state, work, log, log_size, leader, t)
    if work.sizes[BODIES] == 0:
        leader = gather_group(model, state, work, log, log_size, leader, t, ALONE)
    if not is_roomy(work):
        return NO_ROOM
    leader = _send_on_hits(model, state, work, log, log_size, leader, t)
    if not is_roomy(work):
        return NO_ROOM
    trial = _find_step_on_sleepers(model, state, work, log, log_size, leader, t)
    if not is_roomy(work):
        return NO_ROOM
    leader = state.members[leader, LEADER]
    if _is_lost(work):
        return CANNOT_GO_ON
    h = trial.h
    ceiling = trial.ceiling + work.link[LINK_WORK] + work.link[LINK_GAIN]
    stays = STEPS_KEPT if trial.halved else max(state.groups[leader, RETRIED] - 1.0, 1.0 if trial.shortened else 0.0)
    if work.sizes[PAIRS_HELD] > 0:
        keep_momentum(model.bodies, model.tags, work, h)
    work.link[NEXT] = next_length(model, state, work, h, trial.swings)
    if not trial.swings:
        work.link[NEXT] = min(work.link[NEXT], trial.allowed if stays > 0.0 else 2.0 * trial.allowed)
    commit_step(model, state, work, t, h, ceiling, stays)
    if trial.swings:
        put_off_bearing(model, state, work, t)
    else:
        note_bearing(model, state, work, t, h, False)
    _keep_arrests(model.tags, state, work, log, log_size, t)
    state.counts[GROUP_STEPS] += 1
    return STEPPED


@kernel
def _comes_to_rest(model: Model, state: State, work: Work, log: Floats, log_size: Ints, leader: int, t: float) -> bool:
    """The group has been slow for long enough: if all that sleeps beside it, and it, stay where they are, it falls
    asleep. If others there are awake, that is theirs to find out.

    Loads of sleepers are rough: the trial is made again from what it found, as long as it balances more of them.
    """
    whole = not is_stirred_around(model, state, work)
    before = state.members.shape[0] + 1
    while True:
        gather_group(model, state, work, log, log_size, leader, t, ALL if whole else ALONE)
        if not is_roomy(work):
            return False
        count = find_unbalanced(model, state, work, t)
        if not is_roomy(work):
            return False
        if count == 0:
            fall_asleep(model, state, work, log, log_size, t)
            return True
        if count >= before:
            rouse_unbalanced(model, state, work, log, log_size, t)
            state.groups[state.members[leader, LEADER], NEWTON_DEBT] = work.link[DEBT]
            return False
        before = count
        keep_loads(model, state, work, t, linked_step(model, work, t, model.settings[LONGEST_STEP]))


@kernel
def _send_on_hits(model: Model, state: State, work: Work, log: Floats, log_size: Ints, leader: int, t: float) -> int:
    """A busy group resolves its hits before its step; who is sent on by them, and hits what it had not seen, is
    resolved with it, unless sleepers are struck, too. Who leads it then."""
    if not is_busy(work) or work.sizes[LINKAGES] > 0:
        return leader
    for _ in range(_MOST_ROUNDS):
        h = first_length(model, state, work, leader, t, False)
        state.counts[GROUP_SWEEPS] += stop_hits(model, state, work, h, least_change(model.settings))
        if not is_roomy(work) or strikes_sleepers(model, state, work):
            break
        count = find_sent_on(model, state, work, t)
        if count == 0:
            break
        _keep_arrests(model.tags, state, work, log, log_size, t)
        send_on(model, state, work, t)
        leader = gather_more(model, state, work, log, log_size, leader, count, t)
        if not is_roomy(work):
            break
    return leader


@kernel
def _take_up_met(model: Model, state: State, work: Work, log: Floats, log_size: Ints, leader: int, t: float) -> int:
    """Points that a busy group's step has met, and that have been listed, are of those at its start; who leads it."""
    _keep_arrests(model.tags, state, work, log, log_size, t)
    note_struck(model, state, work, t)
    send_on(model, state, work, t)
    lap(work.watch, GROUP)
    leader = gather_group(model, state, work, log, log_size, leader, t, ALONE)
    lap(work.watch, POINTS)
    return _send_on_hits(model, state, work, log, log_size, leader, t) if is_roomy(work) else leader


class Trial(NamedTuple):
    """The step that has been found."""

    h: float  # its length [s]
    allowed: float  # how long it might have been, but for what it met [s]
    ceiling: float  # the energy that bodies may have at its end [J]
    shortened: bool  # it was too long at first
    halved: bool  # and what it was tried with did not hold
    swings: bool  # of trees that touch nothing


@kernel
def _find_step_on_sleepers(
    model: Model, state: State, work: Work, log: Floats, log_size: Ints, leader: int, t: float
) -> Trial:
    """The step that holds once sleepers beside the group bear what it loads them with, or have woken and are of it."""
    trial = _find_step(model, state, work, log, log_size, leader, t)
    forget_uneasy(work)
    while is_roomy(work) and not _is_lost(work):
        if list_struck(model, state, work, t, trial.h):
            wake_reached(model, state, work, log, log_size, leader, t, trial.h)
        elif not look_at_sleepers(model, state, work, log, log_size, t, trial.h):
            break
        if is_roomy(work):
            leader = gather_group(model, state, work, log, log_size, leader, t, ALONE)
        if is_roomy(work):
            trial = _find_step(model, state, work, log, log_size, leader, t)
    forget_reached(work)
    return trial


@kernel
def _find_step(model: Model, state: State, work: Work, log: Floats, log_size: Ints, leader: int, t: float) -> Trial:
    """The longest step from t on that holds, or nearly; its end is in work. It ends sooner where the group meets
    something; only errors say how long the next one may be."""
    ceiling = energy = _energy_at_start(model.bodies, state, work, leader)
    swings = swings_free(model.tags, model.joints, work)
    h = allowed = first_length(model, state, work, leader, t, swings)
    attempt, shorter, busy = 0, False, is_busy(work)
    rounds = _MOST_ROUNDS if busy and work.sizes[LINKAGES] == 0 else 0
    shortest = SHORTEST_STEP * model.settings[LONGEST_STEP]
    work.link[LINK_ERROR] = 0.0
    while attempt < MOST_ATTEMPTS and is_roomy(work):
        sweeps = begin_step(model, state, work, t, h, least_change(model.settings))
        if rounds > 0 and not strikes_sleepers(model, state, work) and note_met(model, state, work, t, h):
            state.counts[GROUP_SWEEPS] += sweeps
            leader = _take_up_met(model, state, work, log, log_size, leader, t)
            energy = _energy_at_start(model.bodies, state, work, leader)
            rounds -= 1
            continue
        if work.link[MEETS] < h and h > shortest:
            state.counts[GROUP_SWEEPS] += sweeps
            h = work.link[MEETS]
            continue
        state.counts[GROUP_SWEEPS] += sweeps + end_step(model, state, work, t, h, False)
        if not is_roomy(work):
            break
        work.link[TURN] = most_wandering(work)
        if lacks_forces(work):
            find_contact_impulses(model, state, work, t, h)
            continue
        by_flow = shortened(work.link[LINK_ERROR], h)
        if by_flow < h and h > shortest:  # what such a step tells of events is not true yet
            h, allowed, shorter = by_flow, by_flow, True
            continue
        if work.link[EVENT] < h:
            h = work.link[EVENT]
            continue
        ceiling = energy + work.link[ARREST_WORK] - work.link[LINK_LOSS] + _put_in(work)
        bad = try_step(model, state, work, t, h, ceiling)
        if busy:  # single points of thousands: they say nothing of the next step
            work.link[MISS] = 0.0
        by_gap = h * allowed_by_gaps(work)
        if by_gap < ALIKE * h and h > shortest:
            h, allowed, shorter = by_gap, by_gap, True
            continue
        if bad == 0:
            alike = h if swings else _goes_on(model, state, work, h)
            if alike >= ALIKE * h:
                break
            h, allowed, shorter = alike, alike, True
            continue
        attempt += 1
        state.counts[GROUP_RETRIES] += 1
        if work.sizes[SQUEEZED] > 0:  # a shorter one only puts it off
            break
        h *= 0.5
        allowed = allowed if busy else h
        if attempt % HALVINGS == 0:
            leader = _release_bad(model, state, work, log, log_size, leader, t)
            energy = _energy_at_start(model.bodies, state, work, leader)
    return Trial(h, allowed, ceiling, shorter, attempt > 0 and not busy, swings)


@kernel
def _is_lost(work: Work) -> bool:
    """Is there a body whose joints or contacts no motion satisfies?"""
    return work.sizes[TORN] > 0 or work.sizes[SQUEEZED] > 0


@kernel
def _goes_on(model: Model, state: State, work: Work, h: float) -> float:
    """How long the step, which holds, may be for all to go on as it does; a longest step always may [s]."""
    longest = model.settings[LONGEST_STEP]
    return h if h <= longest else max(goes_on_alike(model, state, work, h), longest)


@kernel
def _energy_at_start(bodies: Floats, state: State, work: Work, leader: int) -> float:
    """What bodies have, but for what kinematic ones have put in at this start already, and what corrections may add
    [J]."""
    energy = -work.link[ARREST_WORK]
    for at in range(work.sizes[BODIES]):
        x, q = vector_at(work.poses, at, X), quat_at(work.poses, at, Q)
        v, w = vector_at(work.twists, at, V), vector_at(work.twists, at, W)
        energy += energy_of(bodies, work.body[at], x, q, v, w)
    return float(state.groups[leader, CORRECTION_BUDGET] + energy)


@kernel
def _put_in(work: Work) -> float:
    """What kinematic bodies and applied torques put into the step [J]."""
    total = 0.0
    for k in range(work.sizes[CONTACTS]):
        total += work.notes[k, WORKED]
    for at in range(work.sizes[BODIES]):
        total += work.poses[at, APPLIED_WORK]
    return total


@kernel
def _keep_arrests(tags: Ints, state: State, work: Work, log: Floats, log_size: Ints, t: float) -> None:
    """Log and book what has been stopped at once at the start of the group's step."""
    log_arrests(tags, state, work, log, log_size, t, START_IMPULSE, ARREST, NONE)
    log_arrests(tags, state, work, log, log_size, t, START_JAM, CONTACT_IMPULSE, NO_FORCES)
    for cause in range(CAUSES):
        state.clock[DISSIPATED + cause] += work.link[ARREST_LOSS + cause]
    state.clock[WORK] += work.link[ARREST_WORK]


@kernel
def log_arrests(
    tags: Ints, state: State, work: Work, log: Floats, log_size: Ints, t: float, column: int, kind: int, reason: int
) -> None:
    """Log what has been stopped at once at the start of the group's step, a line of this kind for each pair.

    column: of the impulses and their couples in Work.start, those of arrests or contact impulses.
    """
    for p in range(work.sizes[PAIRS_HELD]):
        total = 0.0
        for k in range(work.begun[p], work.begun[p + 1]):
            total += norm(vector_at(work.start, k, column))
        if total == 0.0:  # as of most pairs
            continue
        impulse = couple = centre = (0.0, 0.0, 0.0)
        for k in range(work.begun[p], work.begun[p + 1]):
            given = vector_at(work.start, k, column)
            point = vector_at(work.start, k, START_POINT)
            impulse = add(impulse, given)
            couple = add(couple, add(cross(point, given), vector_at(work.start, k, column + 3)))
            centre = add_scaled(centre, point, norm(given))
        row = work.pair[p]
        a, b = state.links[row, BODY_A], state.links[row, BODY_B]
        at = scale(centre, 1.0 / total)
        write_line(log, log_size, t, kind, reason, a, b, pair_nodes(tags, state.links, row), impulse, at)
        note_normal(log, log_size, vector_at(work.start, work.begun[p], START_NORMAL))
        log[log_size[0] - 1, LOG_STATE] = state.links[row, PAIR_STATE]
        note_couple(log, log_size[0] - 1, sub(couple, cross(at, impulse)))


@kernel
def _release_bad(model: Model, state: State, work: Work, log: Floats, log_size: Ints, leader: int, t: float) -> int:
    """Pairs whose gap is too small at the end of the shortest step are left to impulses for a while. Who leads the
    group, which is gathered without them."""
    for p in range(work.sizes[PAIRS_HELD]):
        row = work.pair[p]
        if not state.pairs[row, GAP] > least_gap(state.pairs[row, PAIR_ENVELOPE], work.gap[p]):
            switch_pair(model, state, log, log_size, row, t, NO_STEP_HELD)
    return gather_group(model, state, work, log, log_size, leader, t, ALONE)
