"""Sleepers beside what moves: a group stands on them as on the ground, as long as their contacts go on holding them.

What sleeps takes part in no step. Where what a group loads it with changes by more than a part of what it bears, its
contacts with what stands still, above and below, take the nearest loads that hold it (engine.group.nearest_loads); then
its neighbours are looked at, round by round, as far as that makes a difference. What cannot be held wakes, when the
step ends that loads it so: until then it goes nowhere.

What strikes a sleeper is over at once, and loads nobody for longer: whom it reaches is found otherwise
(engine.group.reached). Up to that part of what they bear sleepers are held by their sleep alone; once all that touches
each other sleeps, its loads are found all together (engine.group.sleep).
"""

from __future__ import annotations

from engine.collision.pair_table import next_pair, other_of
from engine.events import set_timer
from engine.group.bodies import centre_midway, least_stir, rim_gain
from engine.group.islands import rouse_group
from engine.group.nearest_loads import hold, is_base
from engine.group.warm_start import patch_body, store_pair
from engine.group.work import (
    BODIES,
    LISTED,
    LOADED,
    LOOKS,
    PAIRS_HELD,
    STANDING,
    UNEASY,
    UNEVEN_HERE,
    UNLISTED,
    WHO,
    Work,
)
from engine.journal import NONE, WAKE, write_line
from engine.kernel import kernel
from engine.maths.quaternions import quat_at
from engine.maths.vectors import Vec3, add, add_scaled, cross, norm, scale, sub, vector_at
from engine.model.model import (
    FIRST_NODE,
    FREE,
    GRAVITY,
    KIND,
    LINKAGE,
    MASS,
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
    COUPLE,
    HELD,
    HELD_UNTIL,
    HORIZON,
    LEADER,
    LOCAL,
    NEXT_MEMBER,
    ORIENTATION,
    PAIR_HELD,
    PAIR_STATE,
    PATCH,
    PATCH_COUPLE,
    PATCH_IMPULSE,
    PATCH_OFFSET,
    PATCH_POINTS,
    PATCH_STEP,
    PATCH_STRIDE,
    POSITION,
    T0,
    State,
)
from engine.motion.arcs import evolve
from engine.tolerances import SOLVE_SWEEPS, STIRRED_BY

_MOST_LOOKS = SOLVE_SWEEPS
"""So often a sleeper is looked at in a step before it wakes.

What spreads as heat does takes rounds as the square of its reach: as far as five bodies. More looks cost more than
steps of those that they let sleep on, of whom nearly as many wake in the end."""


@kernel
def note_wake(model: Model, state: State, log: Floats, log_size: Ints, i: int, t: float) -> None:
    """Log that the group of body i, if it is asleep, is about to wake."""
    leader = state.members[i, LEADER]
    if leader >= 0 and state.arcs[leader, HELD] == ASLEEP:
        node = model.tags[i, FIRST_NODE]
        x, _, _, _ = evolve(model.bodies, model.tags, state.arcs, i, t)
        write_line(log, log_size, t, WAKE, NONE, i, i, (node, node), (0.0, 0.0, 0.0), x)


@kernel
def knows_loads(state: State, i: int) -> bool:
    """Is it known what any contact of sleeping body i bears?"""
    row = state.first_pair[i]
    while row >= 0:
        if state.links[row, PAIR_STATE] == PAIR_HELD and state.patches[row, PATCH_POINTS] > 0.0:
            return True
        row = next_pair(state.links, row, i)
    return False


@kernel
def forget_uneasy(work: Work) -> None:
    """No sleeper is to be looked at."""
    for place in range(work.sizes[UNEASY]):
        work.uneasy[work.uneasy[place, WHO], STANDING] = UNLISTED
    work.sizes[UNEASY] = 0


@kernel
def look_at_sleepers(model: Model, state: State, work: Work, log: Floats, log_size: Ints, t: float, h: float) -> bool:
    """Let what sleeps beside the group bear what the step h from t on, which has been found, loads it with, or wake.

    True: somebody woke at once, as what joints tie does, and is of the group from t on; the step is to be made again,
    and who is uneasy stays so.
    """
    for place in range(work.sizes[UNEASY]):
        i = work.uneasy[place, WHO]
        work.uneasy[i, LOOKS] = 0
    touched = work.sizes[PAIRS_HELD] if work.sizes[UNEVEN_HERE] == 1 else 0  # else nothing that sleeps is
    for p in range(touched):
        row = work.pair[p]
        i = sleeper_of(model, state, row)
        if i >= 0:
            state.patches[row, PATCH_POINTS] = 0.0
            store_pair(model, state, work, p, t, h)
            make_uneasy(work, i)
    woken = _look_around(model, state, work, log, log_size, t, h)
    if not woken:
        forget_uneasy(work)
    return woken


@kernel
def look_at_group(model: Model, state: State, work: Work, log: Floats, log_size: Ints, leader: int, t: float) -> None:
    """Something has let go of the sleeping group of `leader`, or loads it otherwise, at t: let contacts hold it, or
    wake it."""
    i = leader
    while i >= 0:
        make_uneasy(work, i)
        i = state.members[i, NEXT_MEMBER]
    look_at_uneasy(model, state, work, log, log_size, t)


@kernel
def list_beside(model: Model, state: State, work: Work) -> bool:
    """Make uneasy what sleeps beside what has been gathered, and touches it. Is there any?"""
    found = False
    for p in range(work.sizes[PAIRS_HELD]):
        for side in (BODY_A, BODY_B):
            i = state.links[work.pair[p], side]
            if model.tags[i, KIND] == FREE and state.members[i, LOCAL] < 0 and state.arcs[i, HELD] == ASLEEP:
                make_uneasy(work, i)
                found = True
    return found


@kernel
def list_gathered(model: Model, state: State, work: Work) -> None:
    """Make uneasy what has been gathered and sleeps, but for what joints tie: of the loads of thousands a solve leaves
    some that hold their bodies only nearly."""
    for at in range(work.sizes[BODIES]):
        if model.tags[work.body[at], LINKAGE] < 0 and state.arcs[work.body[at], HELD] == ASLEEP:
            make_uneasy(work, work.body[at])


@kernel
def look_at_uneasy(model: Model, state: State, work: Work, log: Floats, log_size: Ints, t: float) -> None:
    """Let sleepers that are uneasy, and those that their loads make so, be held by their contacts, or wake."""
    while _look_around(model, state, work, log, log_size, t, 0.0):
        pass
    forget_uneasy(work)


@kernel
def sleeper_of(model: Model, state: State, row: int) -> int:
    """The body of pair `row` of the group that sleeps; -1: none does."""
    for side in (BODY_A, BODY_B):
        i = state.links[row, side]
        if model.tags[i, KIND] == FREE and state.arcs[i, HELD] == ASLEEP:
            return int(i)
    return -1


@kernel
def make_uneasy(work: Work, i: int) -> None:
    """Sleeping body i is to be looked at."""
    if work.uneasy[i, STANDING] == UNLISTED:
        work.uneasy[work.sizes[UNEASY], WHO] = i
        work.sizes[UNEASY] += 1
        work.uneasy[i, LOOKS] = 0
    work.uneasy[i, STANDING] = LOADED


@kernel
def _look_around(model: Model, state: State, work: Work, log: Floats, log_size: Ints, t: float, h: float) -> bool:
    """Look at all that is uneasy until nobody is, or somebody wakes. Has anybody?"""
    again, woken = True, False
    while again and not woken:
        again, woken = _settle(model, state, work, log, log_size, t, h)
    return woken


@kernel
def _settle(
    model: Model, state: State, work: Work, log: Floats, log_size: Ints, t: float, h: float
) -> tuple[bool, bool]:
    """Look once at all that is uneasy: its contacts hold it, or it wakes. Is somebody uneasy then; did any wake?

    h: of the step from t on that loads it, when it wakes as that ends; 0: there is none.
    """
    again = woken = False
    for place in range(work.sizes[UNEASY]):
        i = work.uneasy[place, WHO]
        before = work.uneasy[i, STANDING]
        work.uneasy[i, STANDING] = LISTED
        if before == LISTED or state.arcs[i, HELD] != ASLEEP:
            continue
        if state.groups[state.members[i, LEADER], HORIZON] <= t + h:
            continue  # it is going to be looked at by itself
        work.uneasy[i, LOOKS] += 1
        force, couple = net_load(model, state, work, i, t, h)
        q = quat_at(state.arcs, i, ORIENTATION)
        least = least_to_wake(model, state, i)
        if rim_gain(model.bodies, i, q, force, couple) <= least:
            continue
        again = True
        may = model.tags[i, LINKAGE] < 0 and work.uneasy[i, LOOKS] <= _MOST_LOOKS
        if may and hold(model, state, work, i, force, couple, least):
            stir_around(model, state, work, i)
        elif h > 0.0 and model.tags[i, LINKAGE] < 0:
            state.groups[state.members[i, LEADER], HORIZON] = t + h
            set_timer(state, state.members[i, LEADER])
        else:
            wake(model, state, log, log_size, i, t)
            woken = True
    return again, woken


@kernel
def least_to_wake(model: Model, state: State, i: int) -> float:
    """What would speed up the rim of sleeping body i by more than this wakes it [m/s^2].

    What loads it by n of its weights moves with it: no share of gravity moves them all unless it is n times that of the
    body alone. n: half of what its contacts bear, since each load passes on.
    """
    links, patches = state.links, state.patches
    borne = 0.0
    row = state.first_pair[i]
    while row >= 0:
        if links[row, PAIR_STATE] == PAIR_HELD and patches[row, PATCH_POINTS] > 0.0:
            for k in range(int(patches[row, PATCH_POINTS])):
                at = PATCH + PATCH_STRIDE * k
                borne += norm(vector_at(patches, row, at + PATCH_IMPULSE)) / patches[row, PATCH_STEP]
        row = next_pair(links, row, i)
    least = least_stir(model.settings, model.bodies[i, SIZE])
    return max(least, STIRRED_BY * 0.5 * borne / model.bodies[i, MASS])


@kernel
def stir_around(model: Model, state: State, work: Work, i: int) -> None:
    """The sleepers whose contacts with sleeping body i bear another load now are to be looked at."""
    row = state.first_pair[i]
    while row >= 0:
        other = other_of(state.links, row, i)
        if model.tags[other, KIND] == FREE and is_base(model, state, row, i):
            make_uneasy(work, other)
        row = next_pair(state.links, row, i)


@kernel
def wake(model: Model, state: State, log: Floats, log_size: Ints, i: int, t: float) -> None:
    """Sleeping body i wakes. It has been slow all the same: all may fall asleep together as soon as the others have."""
    calm_since = state.rest[i, CALM_SINCE]
    note_wake(model, state, log, log_size, i, t)
    rouse_group(model, state, i, t)
    set_timer(state, state.members[i, LEADER])
    state.rest[i, CALM_SINCE] = calm_since


@kernel
def net_load(model: Model, state: State, work: Work, i: int, t: float, h: float) -> tuple[Vec3, Vec3]:
    """Force [N] and couple about its centre [N m] on sleeping body i by its weight, loads and lasting contacts.

    h: of the step from t on that is being found, 0 if none is.
    """
    links, patches = state.links, state.patches
    force = scale(vector_at(model.bodies, i, GRAVITY), model.bodies[i, MASS])
    couple = vector_at(state.loads, i, COUPLE)
    row = state.first_pair[i]
    while row >= 0:
        if links[row, PAIR_STATE] == PAIR_HELD and patches[row, PATCH_POINTS] > 0.0:
            rate = (1.0 if links[row, BODY_A] == i else -1.0) / patches[row, PATCH_STEP]
            centre = sub(_patch_middle(model, state, work, row, t, h), vector_at(state.arcs, i, POSITION))
            couple = add_scaled(couple, vector_at(patches, row, PATCH_COUPLE), rate)
            for k in range(int(patches[row, PATCH_POINTS])):
                at = PATCH + PATCH_STRIDE * k
                p = scale(vector_at(patches, row, at + PATCH_IMPULSE), rate)
                force = add(force, p)
                couple = add(couple, cross(add(centre, vector_at(patches, row, at + PATCH_OFFSET)), p))
        row = next_pair(links, row, i)
    return force, couple


@kernel
def _patch_middle(model: Model, state: State, work: Work, row: int, t: float, h: float) -> Vec3:
    """Where the body from whose centre the patch of pair `row` is measured is in the middle of its step [m]: of that
    which is being found, h long from t on, if it takes part, else of that which it is in."""
    i = patch_body(model.tags, state.links, row)
    if h > 0.0 and state.members[i, LOCAL] >= 0:
        return centre_midway(model, state, work, i, t, h)
    middle = 0.5 * (state.arcs[i, T0] + state.arcs[i, HELD_UNTIL])
    x, _, _, _ = evolve(model.bodies, model.tags, state.arcs, i, middle)
    return x
