"""Sleepers beside what moves: a group stands on them as on the ground, as long as their contacts go on holding them.

What sleeps takes part in no step. Where what a group loads it with changes by more than a part of its weight, the
forces of its other contacts are found anew, so that they hold it; and those of the sleepers below, which they load, as
far down as that makes a difference. What cannot be held wakes, there and then: the step that woke it is made again
with it, and where that does not end nearby, with all that touches. Up to that part of a weight sleepers are held by
their sleep alone; once all that touches each other sleeps, its loads are found all together (engine.group.sleep).
"""

from __future__ import annotations

from engine.collision.pair_table import next_pair
from engine.events import set_timer
from engine.group.bodies import calm_speed, rim_speed
from engine.group.islands import rouse_group
from engine.group.warm_start import patch_force, store_pair
from engine.group.work import (
    BODIES,
    CONTACTS,
    JOINT_ROWS,
    LISTED,
    LOADED,
    LOOKS,
    PAIRS_HELD,
    ROW,
    STANDING,
    START_IMPULSE,
    START_POINT,
    UNEASY,
    UNLISTED,
    WHO,
    Work,
)
from engine.impulse.pair_response import turn_by
from engine.journal import NONE, WAKE, write_line
from engine.kernel import kernel
from engine.maths.quaternions import quat_at
from engine.maths.rounding import TINY
from engine.maths.vectors import Vec3, add, add_scaled, cross, dot, norm, point_velocity, scale, sub, vector_at
from engine.model.model import (
    FIRST_NODE,
    FREE,
    GRAVITY,
    GRAVITY_NORM,
    INV_MASS,
    KIND,
    LINKAGE,
    LONGEST_STEP,
    MASS,
    MU_STATIC,
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
    HORIZON,
    LEADER,
    NORMAL,
    ORIENTATION,
    PAIR_HELD,
    PAIR_STATE,
    PAIR_SURFACE,
    PATCH,
    PATCH_COUPLE,
    PATCH_IMPULSE,
    PATCH_OFFSET,
    PATCH_POINTS,
    PATCH_STEP,
    PATCH_STRIDE,
    POSITION,
    STEPPING,
    State,
)
from engine.motion.arcs import evolve
from engine.tolerances import ALIKE, SOLVE_SWEEPS, STIRRED_BY


@kernel
def note_wake(model: Model, state: State, log: Floats, log_size: Ints, i: int, t: float) -> None:
    """Log that the group of body i, if it is asleep, is about to wake."""
    leader = state.members[i, LEADER]
    if leader >= 0 and state.arcs[leader, HELD] == ASLEEP:
        node = model.tags[i, FIRST_NODE]
        x, _, _, _ = evolve(model.bodies, model.tags, state.arcs, i, t)
        write_line(log, log_size, t, WAKE, NONE, i, i, (node, node), (0.0, 0.0, 0.0), x)


@kernel
def least_stir(settings: Floats, size: float) -> float:
    """A sleeper that its contacts speed up by less than this stays asleep [m/s^2]; size: of the body [m]."""
    return STIRRED_BY * max(settings[GRAVITY_NORM], calm_speed(settings, size) / settings[LONGEST_STEP])


@kernel
def knows_loads(model: Model, state: State, i: int) -> bool:
    """Is it known what any contact of sleeping body i with what stands still bears?"""
    row = state.first_pair[i]
    while row >= 0:
        if _is_base(model, state, row, i):
            return True
        row = next_pair(state.links, row, i)
    return False


@kernel
def _is_base(model: Model, state: State, row: int, i: int) -> bool:
    """Does pair `row` of sleeping body i bear on what stands still, too?"""
    other = _other_of(state, row, i)
    still = model.tags[other, KIND] != FREE or state.arcs[other, HELD] == ASLEEP
    return still and state.links[row, PAIR_STATE] == PAIR_HELD and state.patches[row, PATCH_POINTS] > 0.0


@kernel
def look_at_sleepers(model: Model, state: State, work: Work, log: Floats, log_size: Ints, t: float, h: float) -> bool:
    """Let what sleeps beside the group bear what the step h from t on, which has been found, loads it with, or wake.

    True: somebody woke, who is of the group from t on; the step is to be made again.
    """
    work.sizes[UNEASY] = 0
    for p in range(work.sizes[PAIRS_HELD]):
        row = work.pair[p]
        i = _sleeper_of(model, state, row)
        if i >= 0:
            first = work.first[p]
            state.patches[row, PATCH_POINTS] = 0.0
            if first < work.sizes[CONTACTS] - work.sizes[JOINT_ROWS] and work.contact[first, ROW] == row:
                store_pair(model, state, work, first, h)
            _make_uneasy(work, i)
    for p in range(work.sizes[PAIRS_HELD]):
        i = _sleeper_of(model, state, work.pair[p])
        if i >= 0:
            _add_jolt(state, work, p, i, h)
    return _settle(model, state, work, log, log_size, t)


@kernel
def look_at_sleeper(model: Model, state: State, work: Work, log: Floats, log_size: Ints, i: int, t: float) -> None:
    """Something has let go of sleeping body i at t: let its other contacts hold it, or wake it."""
    work.sizes[UNEASY] = 0
    _make_uneasy(work, i)
    _settle(model, state, work, log, log_size, t)


@kernel
def wake_gathered(model: Model, state: State, work: Work, log: Floats, log_size: Ints, t: float) -> None:
    """All sleepers that have been gathered with a group wake."""
    for at in range(work.sizes[BODIES]):
        if state.arcs[work.body[at], HELD] == ASLEEP:
            _wake(model, state, log, log_size, work.body[at], t)


@kernel
def _sleeper_of(model: Model, state: State, row: int) -> int:
    """The body of pair `row` of the group that sleeps; -1: none does."""
    for side in (BODY_A, BODY_B):
        i = state.links[row, side]
        if model.tags[i, KIND] == FREE and state.arcs[i, HELD] == ASLEEP:
            return int(i)
    return -1


@kernel
def _make_uneasy(work: Work, i: int) -> None:
    """Sleeping body i is to be looked at."""
    if work.uneasy[i, STANDING] == UNLISTED:
        work.uneasy[work.sizes[UNEASY], WHO] = i
        work.sizes[UNEASY] += 1
        work.uneasy[i, LOOKS] = 0
        for c in range(6):
            work.jolts[i, c] = 0.0
    work.uneasy[i, STANDING] = LOADED


@kernel
def _add_jolt(state: State, work: Work, p: int, i: int, h: float) -> None:
    """What flew into pair p at the start of a step h, and was stopped, is borne by sleeping body i throughout it."""
    sign = 1.0 if state.links[work.pair[p], BODY_A] == i else -1.0
    for k in range(work.begun[p], work.begun[p + 1]):
        given = scale(vector_at(work.start, k, START_IMPULSE), sign / h)
        arm = sub(vector_at(work.start, k, START_POINT), vector_at(state.arcs, i, POSITION))
        turn = add_scaled(cross(arm, given), vector_at(work.start, k, START_IMPULSE + 3), sign / h)
        for c in range(3):
            work.jolts[i, c] += given[c]
            work.jolts[i, 3 + c] += turn[c]


@kernel
def _settle(model: Model, state: State, work: Work, log: Floats, log_size: Ints, t: float) -> bool:
    """Look at all that is uneasy, until its contacts hold it or it wakes. Did any?"""
    woken, again = False, True
    while again:
        again = False
        place = 0
        while place < work.sizes[UNEASY]:  # it grows on the way
            i = work.uneasy[place, WHO]
            place += 1
            before = work.uneasy[i, STANDING]
            work.uneasy[i, STANDING] = LISTED
            if before == LISTED or state.arcs[i, HELD] != ASLEEP:
                continue
            if state.groups[state.members[i, LEADER], HORIZON] <= t:
                continue  # it is going to be looked at by itself
            work.uneasy[i, LOOKS] += 1
            force, couple = _net_load(model, state, work, i, t)
            falls = _lies_on_awake(model, state, i)
            if not falls and _gain(model, state, i, force, couple) <= least_stir(model.settings, model.bodies[i, SIZE]):
                continue
            again = True
            may = not falls and model.tags[i, LINKAGE] < 0 and work.uneasy[i, LOOKS] <= SOLVE_SWEEPS
            if not may or not _hold(model, state, work, i, force, couple, t):
                _stir_above(model, state, work, i)
                _wake(model, state, log, log_size, i, t)
                woken = True
    for place in range(work.sizes[UNEASY]):
        work.uneasy[work.uneasy[place, WHO], STANDING] = UNLISTED
    return woken


@kernel
def _lies_on_awake(model: Model, state: State, i: int) -> bool:
    """Does sleeping body i lie on one that is awake, which would not feel its weight? A sleeper is as the ground."""
    row = state.first_pair[i]
    while row >= 0:
        other = _other_of(state, row, i)
        awake = model.tags[other, KIND] == FREE and state.arcs[other, HELD] == STEPPING
        if awake and state.links[row, PAIR_STATE] == PAIR_HELD and holds_up(model, state, row, i):
            return True
        row = next_pair(state.links, row, i)
    return False


@kernel
def _stir_above(model: Model, state: State, work: Work, i: int) -> None:
    """What sleeps on body i, which is about to wake, is to be looked at."""
    row = state.first_pair[i]
    while row >= 0:
        other = _other_of(state, row, i)
        asleep = model.tags[other, KIND] == FREE and state.arcs[other, HELD] == ASLEEP
        if asleep and state.links[row, PAIR_STATE] == PAIR_HELD and holds_up(model, state, row, other):
            _make_uneasy(work, other)
        row = next_pair(state.links, row, i)


@kernel
def _other_of(state: State, row: int, i: int) -> int:
    """The body of pair `row` beside body i."""
    return int(state.links[row, BODY_B] if state.links[row, BODY_A] == i else state.links[row, BODY_A])


@kernel
def _wake(model: Model, state: State, log: Floats, log_size: Ints, i: int, t: float) -> None:
    """Sleeping body i wakes. It has been slow all the same: all may fall asleep together as soon as the others have."""
    calm_since = state.groups[i, CALM_SINCE]
    note_wake(model, state, log, log_size, i, t)
    rouse_group(model, state, i, t)
    set_timer(state, state.members[i, LEADER])
    state.groups[i, CALM_SINCE] = calm_since


@kernel
def holds_up(model: Model, state: State, row: int, i: int) -> bool:
    """Does the other body of pair `row` bear a part of the weight of body i that matters?"""
    weight = vector_at(model.bodies, i, GRAVITY)
    up = -dot(patch_force(state.patches, row), weight) / max(norm(weight), TINY)
    if state.links[row, BODY_B] == i:
        up = -up
    return up > ALIKE * model.bodies[i, MASS] * least_stir(model.settings, model.bodies[i, SIZE])


@kernel
def _gain(model: Model, state: State, i: int, force: Vec3, couple: Vec3) -> float:
    """How fast the rim of sleeping body i would gain speed by this load [m/s^2]."""
    q = quat_at(state.arcs, i, ORIENTATION)
    v = scale(force, model.bodies[i, INV_MASS])
    return float(rim_speed(model.bodies, i, v, turn_by(model.bodies, i, q, couple)))


@kernel
def _net_load(model: Model, state: State, work: Work, i: int, t: float) -> tuple[Vec3, Vec3]:
    """Force [N] and couple about its centre [N m] on sleeping body i by its weight, loads and lasting contacts."""
    links, patches = state.links, state.patches
    force = add_scaled(vector_at(work.jolts, i, 0), vector_at(model.bodies, i, GRAVITY), model.bodies[i, MASS])
    couple = add(vector_at(work.jolts, i, 3), vector_at(state.loads, i, COUPLE))
    row = state.first_pair[i]
    while row >= 0:
        if links[row, PAIR_STATE] == PAIR_HELD and patches[row, PATCH_POINTS] > 0.0:
            rate = (1.0 if links[row, BODY_A] == i else -1.0) / patches[row, PATCH_STEP]
            from_centre = _offset(model, state, row, i, t)
            couple = add_scaled(couple, vector_at(patches, row, PATCH_COUPLE), rate)
            for k in range(int(patches[row, PATCH_POINTS])):
                at = PATCH + PATCH_STRIDE * k
                p = scale(vector_at(patches, row, at + PATCH_IMPULSE), rate)
                force = add(force, p)
                couple = add(couple, cross(add(from_centre, vector_at(patches, row, at + PATCH_OFFSET)), p))
        row = next_pair(links, row, i)
    return force, couple


@kernel
def _offset(model: Model, state: State, row: int, i: int, t: float) -> Vec3:
    """From the centre of sleeping body i to that from which the patch of pair `row`, of it, is measured [m]."""
    first = state.links[row, BODY_A]
    if model.tags[first, KIND] != FREE:
        first = state.links[row, BODY_B]
    if first == i:
        return (0.0, 0.0, 0.0)
    x, _, _, _ = evolve(model.bodies, model.tags, state.arcs, first, t)
    return sub(x, vector_at(state.arcs, i, POSITION))


@kernel
def _hold(model: Model, state: State, work: Work, i: int, force: Vec3, couple: Vec3, t: float) -> bool:
    """Find forces of the contacts of sleeping body i with what stands still that hold it under this load, by sweeps.

    What it holds up itself loads it. What sleeps below becomes uneasy. False: they do not, and stay as they are.
    """
    patches = state.patches
    count = _list_base(model, state, work, i)
    h = model.settings[LONGEST_STEP]
    v = scale(force, h * model.bodies[i, INV_MASS])
    w = scale(turn_by(model.bodies, i, quat_at(state.arcs, i, ORIENTATION), couple), h)
    most = ALIKE * h * least_stir(model.settings, model.bodies[i, SIZE])
    sweeps = 0
    while rim_speed(model.bodies, i, v, w) > most and sweeps < SOLVE_SWEEPS:
        k = 0
        for place in range(count):
            row = work.order[place]
            k = k + 1 if place > 0 and work.order[place - 1] == row else 0
            v, w = _press(model, state, row, k, i, _offset(model, state, row, i, t), v, w)
        sweeps += 1
    held = rim_speed(model.bodies, i, v, w) <= most
    k = 0
    for place in range(count):
        row = work.order[place]
        k = k + 1 if place > 0 and work.order[place - 1] == row else 0
        other = _other_of(state, row, i)
        if held and model.tags[other, KIND] == FREE:
            _make_uneasy(work, other)
        for c in range(3):
            if not held:
                patches[row, PATCH + PATCH_STRIDE * k + PATCH_IMPULSE + c] = work.scratch[place, c]
    return held


@kernel
def _list_base(model: Model, state: State, work: Work, i: int) -> int:
    """The points that may hold sleeping body i: rows of their pairs in work.order, what they bear in work.scratch. As
    many as there is room for."""
    room = min(work.scratch.shape[0], work.order.shape[0])
    count = 0
    row = state.first_pair[i]
    while row >= 0:
        other = _other_of(state, row, i)
        above = model.tags[other, KIND] == FREE and holds_up(model, state, row, other)
        if not above and _is_base(model, state, row, i):
            for k in range(int(state.patches[row, PATCH_POINTS])):
                if count < room:
                    work.order[count] = row
                    for c in range(3):
                        at = PATCH + PATCH_STRIDE * k + PATCH_IMPULSE
                        work.scratch[count, c] = state.patches[row, at + c]
                    count += 1
        row = next_pair(state.links, row, i)
    return count


@kernel
def _press(
    model: Model, state: State, row: int, k: int, i: int, from_centre: Vec3, v: Vec3, w: Vec3
) -> tuple[Vec3, Vec3]:
    """Point k of pair `row` stops body i there, as far as load and friction may; its velocities after that.

    The load first, then friction in its disc: as in a sweep over points (engine.group.solve.gauss_seidel).
    """
    patches, pairs = state.patches, state.pairs
    at = PATCH + PATCH_STRIDE * k
    sign = 1.0 if state.links[row, BODY_A] == i else -1.0
    share = sign * model.settings[LONGEST_STEP] / patches[row, PATCH_STEP]
    n = scale(vector_at(pairs, row, NORMAL), sign)
    r = add(from_centre, vector_at(patches, row, at + PATCH_OFFSET))
    p = scale(vector_at(patches, row, at + PATCH_IMPULSE), share)
    u = point_velocity(v, w, r)
    load = dot(p, n)
    more = max(-dot(u, n) / _response(model, state, i, r, n), -load)
    v, w = _pushed(model, state, i, r, v, w, scale(n, more))
    u = point_velocity(v, w, r)
    slip = add_scaled(u, n, -dot(u, n))
    across = add_scaled(p, n, -load)
    speed = norm(slip)
    if speed > 0.0:
        d = scale(slip, 1.0 / speed)
        across = add_scaled(across, d, -speed / _response(model, state, i, r, d))
    most, size = pairs[row, PAIR_SURFACE + MU_STATIC] * (load + more), norm(across)
    if size > most:
        across = scale(across, most / size)
    change = sub(across, add_scaled(p, n, -load))
    v, w = _pushed(model, state, i, r, v, w, change)
    after = add_scaled(across, n, load + more)
    for c in range(3):
        patches[row, at + PATCH_IMPULSE + c] = after[c] / share
    return v, w


@kernel
def _response(model: Model, state: State, i: int, r: Vec3, d: Vec3) -> float:
    """By how much an impulse of 1 along d at r changes the velocity of body i there along d [1/kg]."""
    moment = cross(r, d)
    turn = turn_by(model.bodies, i, quat_at(state.arcs, i, ORIENTATION), moment)
    return model.bodies[i, INV_MASS] + dot(moment, turn)


@kernel
def _pushed(model: Model, state: State, i: int, r: Vec3, v: Vec3, w: Vec3, p: Vec3) -> tuple[Vec3, Vec3]:
    """Velocities of body i after an impulse p at r."""
    turn = turn_by(model.bodies, i, quat_at(state.arcs, i, ORIENTATION), cross(r, p))
    return add_scaled(v, p, model.bodies[i, INV_MASS]), add(w, turn)
