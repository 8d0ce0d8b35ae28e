"""Where groups fall asleep: those that have been slow for long enough, and bodies that a scene begins with asleep.

Each of the latter is a sleeping group of its own until the first checks of its pairs. What it lies on then lasts,
without a step and without waking anybody; sleepers that lie on each other become one group, or one would be left
hanging where another is taken away from under it.
"""

from __future__ import annotations

from math import inf

from engine.collision.pairs.hull_pairs import is_guard
from engine.group.bodies import calm_speed, energy_of, rim_speed
from engine.group.islands import hold_body, merge_groups
from engine.group.lasting_contacts import hold_pair, is_kinematic, note_switch
from engine.group.measure import touch_of, touches_beside
from engine.group.work import BODIES, CONTACTS, LINKAGES, PAIRS_HELD, Q, V, W, Work, X
from engine.journal import LAY_STILL, NONE, SLEEP, TO_CONSTRAINT, write_line
from engine.kernel import kernel
from engine.maths.quaternions import quat_at
from engine.maths.vectors import vector_at
from engine.model.joints import DRIVEN, ENTRIES, ENTRY_BODY, ENTRY_FREE, FIRST_ENTRY, Joints
from engine.model.model import FIRST_NODE, FREE, KIND, MAY_SLEEP, SIZE, Floats, Ints, Model
from engine.model.state import (
    ASLEEP,
    BODY_A,
    BODY_B,
    DISSIPATED,
    FRESH,
    HELD,
    HORIZON,
    NEXT_KICK,
    NUMERICS,
    PULL_BODY,
    SHAPE_A,
    SHAPE_B,
    State,
)
from engine.motion.held import pause_held
from engine.motion.motion import Motion
from engine.tolerances import CALM_TIME


@kernel
def lay_asleep(bodies: Floats, tags: Ints, arcs: Floats, members: Ints, groups: Floats, i: int, t: float) -> None:
    """Body i, which stands still, is a sleeping group of its own from time t on [s]."""
    hold_body(bodies, tags, arcs, members, groups, i, t)
    arcs[i, HELD] = ASLEEP
    groups[i, HORIZON] = inf


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
    hold_pair(model.tags, state, row)
    note_switch(model, state, log, log_size, row, t, TO_CONSTRAINT, LAY_STILL)


@kernel
def may_rest(model: Model, state: State, work: Work, calm_for: float) -> bool:
    """Has the group been slow for long enough [s], and does nothing that moves bear on it?"""
    if model.settings[MAY_SLEEP] == 0.0 or calm_for < CALM_TIME or work.sizes[CONTACTS] == 0:
        return False
    for n in range(work.sizes[LINKAGES]):
        if model.joints.linkages[work.linkage[n], DRIVEN] == 1:
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
def fall_asleep(model: Model, state: State, work: Work, log: Floats, log_size: Ints, leader: int, t: float) -> None:
    """The group falls asleep: its bodies stand still, and nothing of it waits on the heap."""
    zero = (0.0, 0.0, 0.0)
    poses = work.poses
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        q = quat_at(poses, at, Q)
        v, w = vector_at(work.twists, at, V), vector_at(work.twists, at, W)
        state.clock[DISSIPATED + NUMERICS] += energy_of(model.bodies, i, zero, q, v, w)
        pause_held(state.arcs, i, t, Motion(vector_at(poses, at, X), q, zero, zero))
        state.arcs[i, HELD] = ASLEEP
        state.members[i, FRESH] = 1
        work.look[at] = 1
    state.groups[leader, HORIZON] = inf
    node = model.tags[leader, FIRST_NODE]
    write_line(log, log_size, t, SLEEP, NONE, leader, leader, (node, node), zero, vector_at(poses, 0, X))
