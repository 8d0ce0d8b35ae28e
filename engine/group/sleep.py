"""Where groups fall asleep: those that have been slow for long enough, and bodies that a scene begins with asleep.

What is slow need not be at rest: a box that is a thousandth too steep to lie begins to slide slower than anything. So
the group is stopped for a trial, and its forces are found once as for a step: at rest is what no net force would move.

Each body that begins asleep is a sleeping group of its own until the first checks of its pairs. What it lies on then
lasts, without a step and without waking anybody; sleepers that lie on each other become one group, or one would be left
hanging where another is taken away from under it. Then the same trial tells whether the group may sleep on. One that
lies on nothing hangs in the air, as the scene wants it to.
"""

from __future__ import annotations

from math import inf

from engine.collision.pairs.hull_pairs import is_guard
from engine.events import set_timer
from engine.group.bodies import calm_speed, energy_of, rim_speed
from engine.group.islands import hold_body, merge_groups, rouse_group
from engine.group.joints.bearing import note_bearing
from engine.group.joints.elements import sums_up
from engine.group.joints.linkages import linked_step
from engine.group.lasting_contacts import is_kinematic, switch_pair
from engine.group.measure import touch_of, touches_beside
from engine.group.solve.impulses import least_change, solve_step
from engine.group.warm_start import store_pair
from engine.group.work import (
    BODIES,
    CONTACTS,
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
from engine.journal import LAY_STILL, NONE, SLEEP, WAKE, write_line
from engine.kernel import kernel
from engine.maths.quaternions import quat_at
from engine.maths.vectors import vector_at
from engine.model.joints import DRIVEN, ENTRIES, ENTRY_BODY, ENTRY_FREE, FIRST_ENTRY, Joints
from engine.model.model import FIRST_NODE, FREE, GRAVITY_NORM, KIND, LONGEST_STEP, MAY_SLEEP, SIZE, Floats, Ints, Model
from engine.model.state import (
    ASLEEP,
    BODY_A,
    BODY_B,
    DISSIPATED,
    FRESH,
    GAP,
    GROUP_SWEEPS,
    HELD,
    HORIZON,
    LEADER,
    NEXT_KICK,
    NUMERICS,
    PULL_BODY,
    SHAPE_A,
    SHAPE_B,
    STEP,
    State,
)
from engine.motion.arcs import evolve
from engine.motion.held import pause_held
from engine.motion.motion import Motion
from engine.tolerances import BAND_HIGH, CALM_STEPS, FINER, NET_SMALL


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
    if model.tags[a, KIND] == FREE and model.tags[b, KIND] == FREE:
        merge_groups(state.members, state.groups, a, b)
    guard = is_guard(model.trees, links[row, SHAPE_A], links[row, SHAPE_B])
    if guard or touches_beside(model, state, touch_of(model, state, row, t)):
        return  # no contact: looked at again when they wake
    switch_pair(model, state, log, log_size, row, t, LAY_STILL)
    leader = state.members[a if model.tags[a, KIND] == FREE else b, LEADER]
    state.groups[leader, HORIZON] = t
    set_timer(state, leader)


@kernel
def may_rest(model: Model, state: State, work: Work, calm_for: float) -> bool:
    """Has the group been slow for long enough [s], and does nothing that moves bear on it?"""
    if (
        model.settings[MAY_SLEEP] == 0.0
        or calm_for < CALM_STEPS * model.settings[LONGEST_STEP]
        or work.sizes[CONTACTS] == 0
    ):
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
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        speed = rim_speed(model.bodies, i, vector_at(work.twists, at, V), vector_at(work.twists, at, W))
        if (
            speed > calm_speed(model.settings, model.bodies[i, SIZE])
            or state.pull[PULL_BODY] == i
            or state.loads[i, NEXT_KICK] < inf
        ):
            return False
    return True


@kernel
def is_balanced(model: Model, state: State, work: Work, t: float) -> bool:
    """Would the group, stopped at t, stay where it is? Leaves its velocities and gaps in `work` changed.

    Pairs count as closed where they are nearest, however far that is.
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
    state.counts[GROUP_SWEEPS] += solve_step(model, state, work, t, h, 1.0, least_change(model.settings))
    for at in range(work.sizes[BODIES]):
        calm = calm_speed(model.settings, model.bodies[work.body[at], SIZE])
        most = NET_SMALL * max(model.settings[GRAVITY_NORM] * h, calm)
        v, w = vector_at(work.twists, at, V_END), vector_at(work.twists, at, W_END)
        if rim_speed(model.bodies, work.body[at], v, w) > most:
            return False
    return True


@kernel
def sleep_on(model: Model, state: State, work: Work, log: Floats, log_size: Ints, leader: int, t: float) -> None:
    """The group of `leader`, which a scene begins with asleep, has been gathered: it sleeps on, or wakes."""
    zero = (0.0, 0.0, 0.0)
    balanced = is_balanced(model, state, work, t)
    for at in range(work.sizes[BODIES]):
        balanced = balanced and state.arcs[work.body[at], HELD] == ASLEEP
    if not balanced:
        node = model.tags[leader, FIRST_NODE]
        write_line(log, log_size, t, WAKE, NONE, leader, leader, (node, node), zero, vector_at(work.poses, 0, X))
        rouse_group(model, state, leader, t)
        return
    _keep_loads(model, state, work, leader, t)


@kernel
def _keep_loads(model: Model, state: State, work: Work, leader: int, t: float) -> None:
    """The group of `leader` makes no more steps: its contacts bear what they did in the trial, found to the end."""
    h = linked_step(model, work, t, model.settings[LONGEST_STEP])
    least = FINER * least_change(model.settings)
    state.counts[GROUP_SWEEPS] += solve_step(model, state, work, t, h, 1.0, least)
    state.groups[leader, HORIZON] = inf
    state.groups[leader, STEP] = h
    note_bearing(model, state, work, t, h, True)
    k = 0
    while k < work.sizes[CONTACTS] - work.sizes[JOINT_ROWS]:
        k, _ = store_pair(work, k, state.patches)


@kernel
def fall_asleep(model: Model, state: State, work: Work, log: Floats, log_size: Ints, leader: int, t: float) -> None:
    """The group falls asleep: its bodies stand still, and nothing of it waits on the heap."""
    zero = (0.0, 0.0, 0.0)
    poses = work.poses
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        q = quat_at(poses, at, Q)
        _, _, v, w = evolve(model.bodies, model.tags, state.arcs, i, t)
        state.clock[DISSIPATED + NUMERICS] += energy_of(model.bodies, i, zero, q, v, w)
        pause_held(state.arcs, i, t, Motion(vector_at(poses, at, X), q, zero, zero))
        state.arcs[i, HELD] = ASLEEP
        state.members[i, FRESH] = 1
        work.look[at] = 1
    _keep_loads(model, state, work, leader, t)
    node = model.tags[leader, FIRST_NODE]
    write_line(log, log_size, t, SLEEP, NONE, leader, leader, (node, node), zero, vector_at(poses, 0, X))
