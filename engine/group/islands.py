"""Who belongs to which contact group: joining, merging, splitting and leaving, as lists in the State."""

from __future__ import annotations

from math import inf

from engine.group.load import energy_of
from engine.kernel import inlined_kernel, kernel
from engine.maths.quaternions import rotate_inverse
from engine.model.model import FREE, KIND, Floats, Ints, Model
from engine.model.state import (
    ASLEEP,
    BOOKED,
    CALM_SINCE,
    CREDIT_LEFT,
    DISSIPATED,
    ELASTIC,
    ELASTIC_POWER,
    FRESH,
    HELD,
    HELD_EASE,
    HORIZON,
    LEADER,
    LOCAL,
    MEMBERS,
    NEXT_MEMBER,
    POWER,
    PROMISE,
    RETRIED,
    STEP,
    STEPPING,
    SWEPT_UNTIL,
    WORK,
    WORKED_UNTIL,
    State,
)
from engine.motion.arcs import evolve
from engine.motion.ballistic import set_ballistic
from engine.motion.held import pause_held, top_speed


@kernel
def hold_body(bodies: Floats, tags: Ints, arcs: Floats, members: Ints, groups: Floats, i: int, t: float) -> None:
    """Body i, which flies, becomes a group of its own at time t, about to make its first step."""
    x, q, v, w = evolve(bodies, tags, arcs, i, t)
    arcs[i, HELD] = STEPPING
    pause_held(arcs, i, t, x, q, v, w)
    arcs[i, PROMISE] = top_speed(bodies, i, v, w)
    members[i, LEADER] = i
    members[i, NEXT_MEMBER] = -1
    members[i, MEMBERS] = 1
    members[i, LOCAL] = -1
    members[i, FRESH] = 1
    groups[i, HORIZON] = t
    groups[i, CALM_SINCE] = t
    groups[i, SWEPT_UNTIL] = 0.0
    groups[i, STEP] = 0.0
    groups[i, RETRIED] = 0.0
    groups[i, CREDIT_LEFT] = 0.0
    groups[i, POWER] = 0.0
    groups[i, WORKED_UNTIL] = t
    groups[i, BOOKED] = energy_of(bodies, i, x, q, v, w)


@kernel
def free_body(
    bodies: Floats, tags: Ints, arcs: Floats, members: Ints, groups: Floats, clock: Floats, i: int, t: float
) -> None:
    """Body i leaves its group, which has been taken apart, at time t: its velocities stay what they are."""
    x, q, v, w = evolve(bodies, tags, arcs, i, t)
    book_body(bodies, tags, arcs, groups, clock, i, t)
    arcs[i, HELD] = arcs[i, HELD_EASE] = 0.0
    set_ballistic(bodies, arcs, i, t, x, q, v, rotate_inverse(q, w))
    members[i, LEADER] = -1
    groups[i, HORIZON] = inf


@kernel
def book_body(bodies: Floats, tags: Ints, arcs: Floats, groups: Floats, clock: Floats, i: int, t: float) -> None:
    """Book what body i's energy has lost since it was last booked; it is held."""
    x, q, v, w = evolve(bodies, tags, arcs, i, t)
    energy = energy_of(bodies, i, x, q, v, w)
    clock[DISSIPATED] += groups[i, BOOKED] - energy
    groups[i, BOOKED] = energy


@kernel
def book_work(groups: Floats, clock: Floats, leader: int, t: float) -> None:
    """Book what moving scripted bodies have put into a group, and what went into its springs, since it was booked."""
    work = groups[leader, POWER] * (t - groups[leader, WORKED_UNTIL])
    stored = groups[leader, ELASTIC_POWER] * (t - groups[leader, WORKED_UNTIL])
    groups[leader, WORKED_UNTIL] = t
    clock[WORK] += work
    clock[DISSIPATED] += work - stored
    groups[leader, ELASTIC] += stored


@kernel
def rebook_body(bodies: Floats, tags: Ints, arcs: Floats, groups: Floats, i: int, t: float) -> None:
    """Body i's energy has been changed at time t by what has its own books."""
    x, q, v, w = evolve(bodies, tags, arcs, i, t)
    groups[i, BOOKED] = energy_of(bodies, i, x, q, v, w)


@kernel
def merge_groups(members: Ints, groups: Floats, clock: Floats, a: int, b: int, t: float) -> None:
    """Make one group of those of bodies a and b: the smaller is taken into the larger."""
    one, other = members[a, LEADER], members[b, LEADER]
    if one == other:
        return
    if members[other, MEMBERS] > members[one, MEMBERS] or (
        members[other, MEMBERS] == members[one, MEMBERS] and other < one
    ):
        one, other = other, one
    book_work(groups, clock, one, t)
    book_work(groups, clock, other, t)
    i = last = other
    while i >= 0:
        members[i, LEADER] = one
        last = i
        i = members[i, NEXT_MEMBER]
    members[last, NEXT_MEMBER] = members[one, NEXT_MEMBER]
    members[one, NEXT_MEMBER] = other
    members[one, MEMBERS] += members[other, MEMBERS]
    groups[one, CREDIT_LEFT] += groups[other, CREDIT_LEFT]
    groups[one, POWER] += groups[other, POWER]
    groups[other, POWER] = 0.0
    groups[one, ELASTIC] += groups[other, ELASTIC]
    groups[one, ELASTIC_POWER] += groups[other, ELASTIC_POWER]
    groups[other, ELASTIC] = groups[other, ELASTIC_POWER] = 0.0
    groups[other, HORIZON] = inf


@kernel
def rouse_group(arcs: Floats, members: Ints, groups: Floats, clock: Floats, i: int, t: float) -> None:
    """The group of body i makes a step at t, awake if it was asleep."""
    leader = members[i, LEADER]
    book_work(groups, clock, leader, t)
    if arcs[leader, HELD] == ASLEEP:
        groups[leader, CALM_SINCE] = t
        j = leader
        while j >= 0:
            arcs[j, HELD] = STEPPING
            j = members[j, NEXT_MEMBER]
    groups[leader, HORIZON] = t


@inlined_kernel
def join_bodies(model: Model, state: State, a: int, b: int, t: float) -> int:
    """Bodies a and b, of which one at least is free, are of one group from t on, and make a step at t; its leader."""
    first = -1
    for k in range(2):
        i = a if k == 0 else b
        if model.tags[i, KIND] != FREE:
            continue
        if state.members[i, LEADER] < 0:
            hold_body(model.bodies, model.tags, state.arcs, state.members, state.groups, i, t)
        rouse_group(state.arcs, state.members, state.groups, state.clock, i, t)
        if first < 0:
            first = i
            continue
        merge_groups(state.members, state.groups, state.clock, first, i, t)
    leader = state.members[first, LEADER]
    state.groups[leader, HORIZON] = t
    return leader
