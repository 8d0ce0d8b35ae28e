"""Sleepers that are gathered with what moves beside them: whom a hit reaches, and whom a group's rest concerns.

A hit on a sleeping pile passes on from body to body, and where it ends nobody knows but the step itself. So what has
struck sleepers makes a trial step together with them and with what touches them, so many contacts away as it may move:
twice as far, until nobody moves there. Who would end the step faster than its sleep may bear, and hangs together with
what moves by others that do, wakes at the step's start. The others are the ground that they have been, and what they
bear of the hit is over with the step.
"""

from __future__ import annotations

from engine.collision.pair_table import next_pair, other_of
from engine.group.bodies import place_of, rim_gain, rim_speed
from engine.group.gather import REACHED, gather_group
from engine.group.nearest_loads import is_held_by_ground
from engine.group.room import is_roomy
from engine.group.sleepers import least_to_wake, net_load, sleeper_of, wake
from engine.group.solve.impulses import least_change, solve_step
from engine.group.work import (
    AROUND,
    BODIES,
    NEAR,
    PAIRS_HELD,
    RING,
    START_IMPULSE,
    START_POINT,
    UNEVEN_HERE,
    V_END,
    W_END,
    Work,
)
from engine.kernel import kernel
from engine.maths.quaternions import quat_at
from engine.maths.vectors import add, add_scaled, cross, scale, sub, vector_at
from engine.model.model import FREE, KIND, LINKAGE, Floats, Ints, Model
from engine.model.state import (
    ASLEEP,
    BODY_A,
    BODY_B,
    HELD,
    LEADER,
    LOCAL,
    NEXT_MEMBER,
    ORIENTATION,
    PAIR_HELD,
    PAIR_STATE,
    POSITION,
    State,
)

# What Work.root tells of a body of the trial.
_STAYS = 0
_MOVES = 1
_WAKES = 2  # it moves, and others pass on what moves it; or it is awake


@kernel
def forget_reached(work: Work) -> None:
    """No sleeper is gathered with a group."""
    for place in range(work.sizes[AROUND]):
        work.uneasy[work.uneasy[place, NEAR], RING] = 0
    work.sizes[AROUND] = 0


@kernel
def list_struck(model: Model, state: State, work: Work, t: float, h: float) -> bool:
    """List the sleepers that what flew into the group's contacts at the start of the step h from t on strikes, by more
    than their sleep and the ground may bear, unless they have been gathered in a trial already. Are there any?"""
    if work.sizes[UNEVEN_HERE] == 0:  # nothing that sleeps is touched
        return False
    before = work.sizes[AROUND]
    for p in range(work.sizes[PAIRS_HELD]):
        i = sleeper_of(model, state, work.pair[p])
        for c in range(6 if i >= 0 else 0):
            work.jolts[i, c] = 0.0
    for p in range(work.sizes[PAIRS_HELD]):
        i = sleeper_of(model, state, work.pair[p])
        if i >= 0:
            _add_jolt(state, work, p, i, h)
    for p in range(work.sizes[PAIRS_HELD]):
        i = sleeper_of(model, state, work.pair[p])
        if i >= 0 and work.uneasy[i, RING] == 0 and _is_struck(model, state, work, i, t, h):
            _list_group(state, work, i, 1)
    return bool(work.sizes[AROUND] > before)


@kernel
def wake_reached(
    model: Model, state: State, work: Work, log: Floats, log_size: Ints, leader: int, t: float, h: float
) -> None:
    """Wake whom of the sleepers that have been listed, and of those around them, the hits of the step h from t on move.

    The group of `leader` is to be gathered again.
    """
    rings = 3
    _list_rings(model, state, work, rings)
    while _moves_far(model, state, work, log, log_size, leader, t, h, rings):
        rings *= 2
        if not _list_rings(model, state, work, rings):
            break
    if not is_roomy(work):
        return
    while _pass_on(model, state, work):
        pass
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        if work.root[at] == _WAKES and state.arcs[i, HELD] == ASLEEP:
            wake(model, state, log, log_size, i, t)


@kernel
def is_stirred_around(model: Model, state: State, work: Work) -> bool:
    """Is anybody awake who is not of the group that has been gathered, but touches it, or touches what sleeps beside
    it, from body to body?"""
    found = False
    for at in range(work.sizes[BODIES]):
        found = found or _list_beside(model, state, work, work.body[at], 1)
    place = 0
    while place < work.sizes[AROUND] and not found:
        found = _list_beside(model, state, work, work.uneasy[place, NEAR], 1)
        place += 1
    forget_reached(work)
    return found


@kernel
def _add_jolt(state: State, work: Work, p: int, i: int, h: float) -> None:
    """What pair p bears of such hits on sleeping body i, as if throughout the step h."""
    sign = 1.0 if state.links[work.pair[p], BODY_A] == i else -1.0
    for k in range(work.begun[p], work.begun[p + 1]):
        given = scale(vector_at(work.start, k, START_IMPULSE), sign / h)
        arm = sub(vector_at(work.start, k, START_POINT), vector_at(state.arcs, i, POSITION))
        turn = add_scaled(cross(arm, given), vector_at(work.start, k, START_IMPULSE + 3), sign / h)
        for c in range(3):
            work.jolts[i, c] += given[c]
            work.jolts[i, 3 + c] += turn[c]


@kernel
def _is_struck(model: Model, state: State, work: Work, i: int, t: float, h: float) -> bool:
    """Do they speed up sleeping body i by more than its sleep may bear? What the ground bears goes no further."""
    jolt, turn = vector_at(work.jolts, i, 0), vector_at(work.jolts, i, 3)
    least = least_to_wake(model, state, i)
    if rim_gain(model.bodies, i, quat_at(state.arcs, i, ORIENTATION), jolt, turn) <= least:
        return False
    if model.tags[i, LINKAGE] >= 0:
        return True
    force, couple = net_load(model, state, work, i, t, h)
    return not is_held_by_ground(model, state, work, i, add(force, jolt), add(couple, turn), least)


@kernel
def _list_group(state: State, work: Work, i: int, ring: int) -> None:
    """Those of the group of sleeping body i, which joints tie if they are more than one, are gathered from now on."""
    i = state.members[i, LEADER]
    while i >= 0:
        work.uneasy[work.sizes[AROUND], NEAR] = i
        work.sizes[AROUND] += 1
        work.uneasy[i, RING] = ring
        i = state.members[i, NEXT_MEMBER]


@kernel
def _list_rings(model: Model, state: State, work: Work, rings: int) -> bool:
    """And those that touch sleepers that have been listed, from body to body, so many rings in all. Are there more?"""
    before = work.sizes[AROUND]
    place = 0
    while place < work.sizes[AROUND]:
        i = work.uneasy[place, NEAR]
        if work.uneasy[i, RING] < rings:
            _list_beside(model, state, work, i, work.uneasy[i, RING] + 1)
        place += 1
    return bool(work.sizes[AROUND] > before)


@kernel
def _list_beside(model: Model, state: State, work: Work, i: int, ring: int) -> bool:
    """The sleepers that body i touches, and that are neither of the group nor listed yet. Does it touch others that are
    awake?"""
    stirred = False
    row = state.first_pair[i]
    while row >= 0:
        other = other_of(state.links, row, i)
        held = state.links[row, PAIR_STATE] == PAIR_HELD and model.tags[other, KIND] == FREE
        if held and state.members[other, LOCAL] < 0 and work.uneasy[other, RING] == 0:
            if state.arcs[other, HELD] == ASLEEP:
                _list_group(state, work, other, ring)
            else:
                stirred = True
        row = next_pair(state.links, row, i)
    return stirred


@kernel
def _moves_far(
    model: Model,
    state: State,
    work: Work,
    log: Floats,
    log_size: Ints,
    leader: int,
    t: float,
    h: float,
    rings: int,
) -> bool:
    """Make the trial step; who moves in it, in Work.root. Does a sleeper in the last ring?"""
    gather_group(model, state, work, log, log_size, leader, t, REACHED)
    if not is_roomy(work):
        return False
    solve_step(model, state, work, t, h, False, least_change(model.settings))
    far = False
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        if state.arcs[i, HELD] != ASLEEP:
            work.root[at] = _WAKES
            continue
        v, w = vector_at(work.twists, at, V_END), vector_at(work.twists, at, W_END)
        moves = rim_speed(model.bodies, i, v, w) > h * least_to_wake(model, state, i)
        work.root[at] = _MOVES if moves else _STAYS
        far = far or (moves and work.uneasy[i, RING] >= rings)
    return far


@kernel
def _pass_on(model: Model, state: State, work: Work) -> bool:
    """Whom what wakes, or is awake, touches wakes if it moves. Is there anybody?"""
    found = False
    for p in range(work.sizes[PAIRS_HELD]):
        at = place_of(model.tags, state.members, state.links[work.pair[p], BODY_A])
        to = place_of(model.tags, state.members, state.links[work.pair[p], BODY_B])
        if at >= 0 and to >= 0 and work.root[at] + work.root[to] == _MOVES + _WAKES:
            work.root[at] = work.root[to] = _WAKES
            found = True
    return found
