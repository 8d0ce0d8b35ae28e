"""Bodies that a scene begins with asleep, as if they had fallen asleep by themselves (engine.group.commit).

Each is a sleeping group of its own until the first checks of its pairs. What it lies on then lasts, without a step and
without waking anybody; sleepers that lie on each other become one group, or one would be left hanging where another is
taken away from under it.
"""

from __future__ import annotations

from math import inf

from engine.collision.pairs.hull_pairs import is_guard, is_nearer_beside
from engine.group.contacts import note_switch, take_off_heap
from engine.group.islands import hold_body, merge_groups
from engine.journal import LAY_STILL, TO_CONSTRAINT
from engine.kernel import kernel
from engine.maths.vectors import vector_at
from engine.model.joints import DRIVEN, ENTRIES, ENTRY_BODY, ENTRY_FREE, FIRST_ENTRY, Joints
from engine.model.model import FREE, KIND, Floats, Ints, Model
from engine.model.state import (
    ASLEEP,
    BODY_A,
    BODY_B,
    FEATURE_A,
    FEATURE_B,
    HELD,
    HORIZON,
    IDLE,
    LASTING,
    NORMAL,
    PATCH_POINTS,
    SHAPE_A,
    SHAPE_B,
    State,
)
from engine.motion.arcs import evolve


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
        merge_groups(state.members, state.groups, state.clock, a, b, t)
    if is_guard(model.trees, links[row, SHAPE_A], links[row, SHAPE_B]) or _is_beside(model, state, row, t):
        return  # no contact: looked at again when they wake
    links[row, LASTING] = 1
    links[row, IDLE] = 0
    state.patches[row, PATCH_POINTS] = 0.0
    take_off_heap(model, state, row)
    note_switch(model, state, log, log_size, row, t, TO_CONSTRAINT, LAY_STILL)


@kernel
def _is_beside(model: Model, state: State, row: int, t: float) -> bool:
    """Is a neighbour of the triangle that pair `row` is about nearer than that?"""
    links = state.links
    n = vector_at(state.pairs, row, NORMAL)
    _, q_a, _, _ = evolve(model.bodies, model.tags, state.arcs, links[row, BODY_A], t)
    _, q_b, _, _ = evolve(model.bodies, model.tags, state.arcs, links[row, BODY_B], t)
    away = (-n[0], -n[1], -n[2])
    return is_nearer_beside(
        model.trees, model.fans, links[row, SHAPE_A], links[row, FEATURE_A], q_a, away
    ) or is_nearer_beside(model.trees, model.fans, links[row, SHAPE_B], links[row, FEATURE_B], q_b, n)
