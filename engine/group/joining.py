"""How bodies come into contact groups, and how a group hears of a hit on one of its bodies."""

from __future__ import annotations

from engine.events import set_timer
from engine.group.books import settle_group
from engine.group.islands import join_bodies, merge_groups, rouse_group
from engine.group.lasting_contacts import switch_pair
from engine.group.sleep import sleeps_whole, stay_asleep
from engine.group.sleepers import note_wake
from engine.journal import LAY_STILL
from engine.kernel import kernel
from engine.model.joints import ENTRIES, ENTRY_BODY, ENTRY_FREE, FIRST_ENTRY
from engine.model.model import Floats, Ints, Model
from engine.model.state import ASLEEP, BODY_A, BODY_B, BOOKED_UNTIL, HELD, LEADER, State
from engine.motion.arcs import is_held, is_still


@kernel
def tie(model: Model, state: State, log: Floats, log_size: Ints, row: int, t: float, reason: int) -> None:
    """From t on constraint forces keep the contact of pair `row`: the step that its group makes now takes it up."""
    a, b = state.links[row, BODY_A], state.links[row, BODY_B]
    if is_still(model.tags, state.arcs, a) and is_still(model.tags, state.arcs, b):
        note_wake(model, state, log, log_size, a, t)
        note_wake(model, state, log, log_size, b, t)
    switch_pair(model, state, log, log_size, row, t, reason)
    set_timer(state, join_bodies(model, state, a, b, t))


@kernel
def rest_on(model: Model, state: State, log: Floats, log_size: Ints, row: int, t: float) -> None:
    """The bodies of pair `row`, looked at for the first time, lie on each other: sleepers do so as they are."""
    a, b = state.links[row, BODY_A], state.links[row, BODY_B]
    if is_still(model.tags, state.arcs, a) and is_still(model.tags, state.arcs, b):
        stay_asleep(model, state, log, log_size, row, t)
    else:
        tie(model, state, log, log_size, row, t, LAY_STILL)


@kernel
def tie_linkages(model: Model, state: State) -> None:
    """Bodies that joints tie are one contact group from the start, asleep if all of them are."""
    joints = model.joints
    for link in range(joints.linkages.shape[0]):
        sleep = sleeps_whole(joints, state.arcs, link)
        top = -1
        first = joints.linkages[link, FIRST_ENTRY]
        for e in range(first, first + joints.linkages[link, ENTRIES]):
            i = joints.entries[e, ENTRY_BODY]
            if joints.entries[e, ENTRY_FREE] == 1:
                top = i if top < 0 else top
                if sleep:
                    merge_groups(state.members, state.groups, top, i)
                    continue
                if state.arcs[i, HELD] == ASLEEP:
                    rouse_group(model, state, i, 0.0)
                join_bodies(model, state, top, i, 0.0)
        for e in range(first, first + joints.linkages[link, ENTRIES]):
            if joints.entries[e, ENTRY_FREE] == 1:
                set_timer(state, joints.entries[e, ENTRY_BODY])


@kernel
def cut_short(model: Model, state: State, i: int, t: float) -> bool:
    """If body i is held, its group's step ends at t and another begins. False if that is so already."""
    leader = state.members[i, LEADER] if is_held(model.tags, state.arcs, i) else -1
    if leader < 0 or state.arcs[leader, HELD] == ASLEEP or state.groups[leader, BOOKED_UNTIL] == t:
        return False
    rouse_group(model, state, i, t)
    set_timer(state, leader)
    return True


@kernel
def open_books(model: Model, state: State, i: int, t: float) -> None:
    """Before an impulse acts on body i: if it is held, book what its group's step has taken so far."""
    if is_held(model.tags, state.arcs, i):
        settle_group(model, state, i, t)


@kernel
def close_books(model: Model, state: State, log: Floats, log_size: Ints, i: int, t: float) -> None:
    """After an impulse acted on body i: if it is held, its group makes a new step."""
    if is_held(model.tags, state.arcs, i):
        note_wake(model, state, log, log_size, i, t)
        rouse_group(model, state, i, t)
        set_timer(state, state.members[i, LEADER])
