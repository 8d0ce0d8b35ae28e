"""Where groups fall asleep: those that have been still or slow for long enough, and bodies that a scene begins with
asleep.

Still is what has come no farther in a twentieth of a second than the least net force moves it (engine.group.stillness):
it has none left, and falls asleep. Where all of a group is still, all do at once. Beside what still moves bodies do so
one by one (engine.group.lying_down). Each is a sleeping group of its own; what joints tie sleeps with its whole group.

What is only slow, as thousands are that a solve leaves a rest of, waits for half a second and falls asleep by a trial.
What is slow need not be at rest: a box that is a thousandth too steep to lie begins to slide slower than anything. So
the last ones of all that touches each other are stopped, and the forces of all that sleeps there are found once as for
a step: at rest is what no net force would move, or what is still.

Bodies that begin asleep are looked at when their pairs are checked first. What they lie on then lasts, without a step
and without waking anybody, and the same trial tells whether they may sleep on. One that lies on nothing hangs in the
air, as the scene wants it to.
"""

from __future__ import annotations

from math import inf

from engine.collision.pairs.hull_pairs import is_guard
from engine.events import set_timer
from engine.group.bodies import calm_speed, energy_of, rim_speed
from engine.group.energy import own_momentum
from engine.group.islands import hold_body, rouse_group
from engine.group.joints.bearing import note_bearing
from engine.group.joints.elements import sums_up
from engine.group.joints.linkages import linked_step
from engine.group.lasting_contacts import is_kinematic, switch_pair
from engine.group.measure import touch_of, touches_beside
from engine.group.sleepers import list_beside, list_gathered, look_at_uneasy, note_wake
from engine.group.solve.impulses import least_change, solve_step
from engine.group.stillness import has_been_still
from engine.group.warm_start import store_pair
from engine.group.work import (
    BODIES,
    BY_NEWTON,
    CONTACTS,
    ENTRIES_NEEDED,
    ENVELOPE_AT,
    GAP_AT,
    JOINT_ROWS,
    LINKAGES,
    PAIRS_HELD,
    ROW,
    U_START,
    V_END,
    W_END,
    Q,
    V,
    W,
    Work,
    X,
)
from engine.journal import LAY_STILL, NONE, SLEEP, note_couple, write_line
from engine.kernel import kernel
from engine.maths.quaternions import quat_at
from engine.maths.vectors import scale, vector_at
from engine.model.joints import DRIVEN, ENTRIES, ENTRY_BODY, ENTRY_FREE, FIRST_ENTRY, Joints
from engine.model.model import (
    FIRST_NODE,
    FREE,
    GRAVITY_NORM,
    KIND,
    LONGEST_STEP,
    MASS,
    MAY_SLEEP,
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
    DISSIPATED,
    FRESH,
    GAP,
    GROUP_SWEEPS,
    HELD,
    HORIZON,
    LEADER,
    MEMBERS,
    NEXT_MEMBER,
    NUMERICS,
    PULL_BODY,
    SHAPE_A,
    SHAPE_B,
    STEP,
    State,
)
from engine.motion.arcs import evolve
from engine.motion.held import pause_held
from engine.motion.loads import keeps_moving
from engine.motion.motion import Motion
from engine.tolerances import (
    BAND_HIGH,
    CALM_STEPS,
    DIRECT_ENTRIES,
    FINER,
    NET_SMALL,
)


@kernel
def lay_asleep(model: Model, state: State, i: int, t: float) -> None:
    """Body i, which stands still, is a sleeping group of its own from time t on [s]."""
    hold_body(model, state, i, t)
    state.arcs[i, HELD] = ASLEEP
    state.groups[i, HORIZON] = inf


@kernel
def sleeps_whole(joints: Joints, arcs: Floats, link: int) -> bool:
    """Are all free bodies of a linkage asleep, and drives nothing the others?"""
    if joints.linkages[link, DRIVEN] == 1:
        return False
    first = joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        if joints.entries[e, ENTRY_FREE] == 1 and arcs[joints.entries[e, ENTRY_BODY], HELD] != ASLEEP:
            return False
    return True


@kernel
def stay_asleep(model: Model, state: State, log: Floats, log_size: Ints, row: int, t: float) -> None:
    """The contact of pair `row` lasts from t on and nobody wakes: its bodies sleep, or are fixed."""
    links = state.links
    a, b = links[row, BODY_A], links[row, BODY_B]
    guard = is_guard(model.trees, links[row, SHAPE_A], links[row, SHAPE_B])
    if guard or touches_beside(model, state, touch_of(model, state, row, t)):
        return  # no contact: looked at again when they wake
    switch_pair(model, state, log, log_size, row, t, LAY_STILL)
    for side in range(2):
        i = a if side == 0 else b
        if model.tags[i, KIND] == FREE:
            leader = state.members[i, LEADER]
            state.groups[leader, HORIZON] = t
            set_timer(state, leader)


@kernel
def is_slow(model: Model, state: State, work: Work, at: int, t: float) -> bool:
    """Is body `at` of the group slower than what rests at t, and does nothing but contacts, and loads that stay, act
    on it?"""
    i = work.body[at]
    speed = rim_speed(model.bodies, i, vector_at(work.twists, at, V), vector_at(work.twists, at, W))
    pulled = state.pull[PULL_BODY] == i or keeps_moving(model, state, i, t)
    return speed <= calm_speed(model.settings, model.bodies[i, SIZE]) and not pulled


@kernel
def may_rest(model: Model, state: State, work: Work, t: float) -> bool:
    """Has the group been slow, or still, for long enough at t, and does nothing that moves bear on it?"""
    if model.settings[MAY_SLEEP] == 0.0 or work.sizes[CONTACTS] == 0:
        return False
    calm, still = -inf, True
    for at in range(work.sizes[BODIES]):
        calm = max(calm, state.rest[work.body[at], CALM_SINCE])
        still = still and has_been_still(model, state, work.body[at])
    if t - calm < CALM_STEPS * model.settings[LONGEST_STEP] and not still:
        return False
    for n in range(work.sizes[LINKAGES]):
        link = work.linkage[n]
        if model.joints.linkages[link, DRIVEN] == 1 or sums_up(model.joints, link):
            return False
    for p in range(work.sizes[PAIRS_HELD]):
        row = work.pair[p]
        a, b = state.links[row, BODY_A], state.links[row, BODY_B]
        if is_kinematic(model.tags, a) or is_kinematic(model.tags, b):
            return False
    slow = True
    for at in range(work.sizes[BODIES]):
        slow = slow and is_slow(model, state, work, at, t)
    return slow


@kernel
def find_unbalanced(model: Model, state: State, work: Work, t: float) -> int:
    """Which bodies of the group, stopped at t, would not stay where they are, 1 in work.root; how many. Leaves its
    velocities and gaps in `work` changed.

    Pairs count as closed where they are nearest, however far that is. What has not moved for long needs no trial: of
    thousands a solve leaves more than the least force.
    """
    for at in range(work.sizes[BODIES]):
        for c in range(3):
            work.twists[at, V + c] = work.twists[at, W + c] = 0.0
    h = linked_step(model, work, t, model.settings[LONGEST_STEP])
    for k in range(work.sizes[CONTACTS] - work.sizes[JOINT_ROWS]):
        for c in range(3):
            work.notes[k, U_START + c] = 0.0
        nearest = state.pairs[work.contact[k, ROW], GAP]
        work.notes[k, GAP_AT] -= max(nearest - BAND_HIGH * work.notes[k, ENVELOPE_AT], 0.0)
    state.counts[GROUP_SWEEPS] += solve_step(model, state, work, t, h, False, least_change(model.settings))
    count = 0
    for at in range(work.sizes[BODIES]):
        calm = calm_speed(model.settings, model.bodies[work.body[at], SIZE])
        most = NET_SMALL * max(model.settings[GRAVITY_NORM] * h, calm)
        v, w = vector_at(work.twists, at, V_END), vector_at(work.twists, at, W_END)
        moves = rim_speed(model.bodies, work.body[at], v, w) > most
        work.root[at] = 1 if moves and not has_been_still(model, state, work.body[at]) else 0
        count += work.root[at]
    return count


@kernel
def rouse_unbalanced(model: Model, state: State, work: Work, log: Floats, log_size: Ints, t: float) -> None:
    """Bodies that a trial found to move stay awake for some time, or wake. Others that sleep bear what it has kept, if
    that holds them."""
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        if work.root[at] == 1:
            note_wake(model, state, log, log_size, i, t)
            rouse_group(model, state, i, t)
            state.rest[i, CALM_SINCE] = t
    list_gathered(model, state, work)
    look_at_uneasy(model, state, work, log, log_size, t)


@kernel
def sleep_on(model: Model, state: State, work: Work, log: Floats, log_size: Ints, t: float) -> None:
    """All that a scene begins with asleep, and that touches, has been gathered: it sleeps on, or wakes."""
    stays = find_unbalanced(model, state, work, t) == 0
    for at in range(work.sizes[BODIES]):
        stays = stays and state.arcs[work.body[at], HELD] == ASLEEP
    if stays:
        _end_trial(model, state, work, log, log_size, t)
        return
    leader = work.body[0]
    note_wake(model, state, log, log_size, leader, t)
    for at in range(work.sizes[BODIES]):
        rouse_group(model, state, work.body[at], t)
    for at in range(work.sizes[BODIES]):
        set_timer(state, work.body[at])


@kernel
def _end_trial(model: Model, state: State, work: Work, log: Floats, log_size: Ints, t: float) -> None:
    """Bodies that have been gathered make no more steps: contacts bear what they did in the trial, found to the end.

    From nothing, if Newton's method finds it so: loads that are not unique then follow from how bodies lie and not from
    what was before, with least norm. Else from what they bore; as where others sleep beside them, which have borne
    that, and which have to bear what has been found.
    """
    h = linked_step(model, work, t, model.settings[LONGEST_STEP])
    least = FINER * least_change(model.settings)
    found = False
    beside = list_beside(model, state, work)
    if not beside and 0 < work.sizes[ENTRIES_NEEDED] <= DIRECT_ENTRIES:
        state.counts[GROUP_SWEEPS] += solve_step(model, state, work, t, h, True, least)
        found = work.sizes[BY_NEWTON] == 1
    if not found:
        state.counts[GROUP_SWEEPS] += solve_step(model, state, work, t, h, False, least)
    for at in range(work.sizes[BODIES]):
        leader = state.members[work.body[at], LEADER]
        state.groups[leader, HORIZON] = inf
        state.groups[leader, STEP] = h
        set_timer(state, leader)
    note_bearing(model, state, work, t, h, True)
    keep_loads(model, state, work, t, h)
    list_gathered(model, state, work)
    look_at_uneasy(model, state, work, log, log_size, t)


@kernel
def keep_loads(model: Model, state: State, work: Work, t: float, h: float) -> None:
    """What contacts bear in a trial of length h, at t, is what they bear from now on."""
    for p in range(work.sizes[PAIRS_HELD]):
        store_pair(model, state, work, p, t, h)


@kernel
def fall_asleep(model: Model, state: State, work: Work, log: Floats, log_size: Ints, t: float) -> None:
    """What has been gathered falls asleep: its bodies stand still, and nothing of it waits on the heap."""
    alone = work.sizes[LINKAGES] == 0
    for at in range(work.sizes[BODIES]):
        if state.arcs[work.body[at], HELD] != ASLEEP:
            stop_body(model, state, work, log, log_size, at, t)
            if alone:
                set_apart(state, work.body[at])
        else:
            work.look[at] = 0
    _end_trial(model, state, work, log, log_size, t)


@kernel
def stop_body(model: Model, state: State, work: Work, log: Floats, log_size: Ints, at: int, t: float) -> None:
    """Body `at` stands still from t on, asleep. The line of it tells what has stopped it."""
    i = work.body[at]
    x, q = vector_at(work.poses, at, X), quat_at(work.poses, at, Q)
    _, _, v, w = evolve(model.bodies, model.tags, state.arcs, i, t)
    zero = (0.0, 0.0, 0.0)
    state.clock[DISSIPATED + NUMERICS] += energy_of(model.bodies, i, zero, q, v, w)
    pause_held(state.arcs, i, t, Motion(x, q, zero, zero))
    state.arcs[i, HELD] = ASLEEP
    state.members[i, FRESH] = 1
    work.look[at] = 1
    node = model.tags[i, FIRST_NODE]
    write_line(log, log_size, t, SLEEP, NONE, i, i, (node, node), scale(v, -model.bodies[i, MASS]), x)
    note_couple(log, log_size[0] - 1, scale(own_momentum(model.bodies, i, q, w), -1.0))


@kernel
def set_apart(state: State, i: int) -> None:
    """Body i is a group of its own."""
    state.members[i, LEADER], state.members[i, NEXT_MEMBER], state.members[i, MEMBERS] = i, -1, 1
