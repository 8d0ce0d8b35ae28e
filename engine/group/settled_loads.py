"""What contacts of sleepers bear, for who looks: loads that hold each of them whole.

Beside what moves sleepers bear the loads of when they were last stirred (engine.group.sleepers); the rest, up to that
part of a weight, their sleep bears. Which loads do bear it is found here when it is asked for, from those: one body
after the other takes the nearest that hold it, and those that it loads are looked at again, until all are held, but for
those that wake when the step ends that loads them. Nobody wakes, and nothing that moves knows of it.
"""

from __future__ import annotations

from math import inf

from engine.group.bodies import least_stir, rim_gain
from engine.group.nearest_loads import hold
from engine.group.sleepers import forget_uneasy, least_to_wake, make_uneasy, net_load, stir_around
from engine.group.work import LISTED, STANDING, UNEASY, WHO, Work
from engine.kernel import kernel
from engine.maths.quaternions import quat_at
from engine.model.model import FREE, KIND, LINKAGE, SIZE, Floats, Ints, Model
from engine.model.state import ASLEEP, HELD, HORIZON, LEADER, ORIENTATION, STEPPING, State
from engine.tolerances import ACCURACY, ALIKE, FINER, STIRRED_BY

_SETTLED = ALIKE * ALIKE * FINER * ACCURACY / STIRRED_BY
"""A body is held where its contacts speed it up by less than this part of the least stir [1], 8e-7 g: a quarter of what
a solve at rest leaves."""


@kernel
def is_stirred(tags: Ints, arcs: Floats) -> bool:
    """Does a part of what lasting contacts hold sleep, and a part of it move?"""
    sleeps = moves = False
    for i in range(arcs.shape[0]):
        if tags[i, KIND] == FREE:
            sleeps = sleeps or arcs[i, HELD] == ASLEEP
            moves = moves or arcs[i, HELD] == STEPPING
    return sleeps and moves


@kernel
def settle_loads(model: Model, state: State, work: Work, stored: Floats, most: int) -> int:
    """Let contacts of sleepers hold them, in state.patches, by about `most` changes of those that are stored or less;
    how many it took.

    Where no loads hold some of them whole, their sleep goes on to bear a part of what it may, a small one first; or
    what it has borne.
    """
    changes = _settle(model, state, work, _SETTLED, most)
    for part in (FINER, ALIKE, 1.0):
        if _are_held(model, state, work):
            return changes
        _take_back(state, stored)
        changes += _settle(model, state, work, part, most)
    if not _are_held(model, state, work):
        _take_back(state, stored)
    return changes


@kernel
def _take_back(state: State, stored: Floats) -> None:
    """Contacts bear what is stored."""
    for row in range(len(stored)):
        for c in range(stored.shape[1]):
            state.patches[row, c] = stored[row, c]


@kernel
def _settle(model: Model, state: State, work: Work, part: float, most: int) -> int:
    """The same, but for that part of the least stir."""
    for i in range(state.arcs.shape[0]):
        if _sleeps_on(model, state, i):
            make_uneasy(work, i)
    changes, before = 0, -1
    while before < changes < most:
        before = changes
        changes += _hold_once(model, state, work, part)
    forget_uneasy(work)
    return changes


@kernel
def _sleeps_on(model: Model, state: State, i: int) -> bool:
    """Does body i sleep, without joints, and is nobody to look at it when the step ends that loads it?"""
    asleep = model.tags[i, KIND] == FREE and state.arcs[i, HELD] == ASLEEP
    return bool(asleep and model.tags[i, LINKAGE] < 0 and not state.groups[state.members[i, LEADER], HORIZON] < inf)


@kernel
def _are_held(model: Model, state: State, work: Work) -> bool:
    """Does no sleeper's sleep bear more than it may?"""
    for i in range(state.arcs.shape[0]):
        if _sleeps_on(model, state, i):
            force, couple = net_load(model, state, work, i, 0.0, 0.0)
            gain = rim_gain(model.bodies, i, quat_at(state.arcs, i, ORIENTATION), force, couple)
            if gain > least_to_wake(model, state, i):
                return False
    return True


@kernel
def _hold_once(model: Model, state: State, work: Work, part: float) -> int:
    """Look once at all that is uneasy; how many of them take other loads."""
    changes = 0
    for place in range(work.sizes[UNEASY]):
        i = work.uneasy[place, WHO]
        before = work.uneasy[i, STANDING]
        work.uneasy[i, STANDING] = LISTED
        if before == LISTED or not _sleeps_on(model, state, i):
            continue
        force, couple = net_load(model, state, work, i, 0.0, 0.0)
        least = part * least_stir(model.settings, model.bodies[i, SIZE])
        if rim_gain(model.bodies, i, quat_at(state.arcs, i, ORIENTATION), force, couple) <= least:
            continue
        if hold(model, state, work, i, force, couple, least):
            stir_around(model, state, work, i)
            changes += 1
    return changes
