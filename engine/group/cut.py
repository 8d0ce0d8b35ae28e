"""A step that something cuts short: its bodies end it there and then, with what its forces have given them till then.

Within a step an arc is an interpolation. Where it is cut short, bodies get the angular velocities with which their
angular momentum has changed evenly, as forces that stay the same let it: about their own centres, or, in a group that
touches nothing fixed, about the common one. About that a force between two of its bodies, which act on each other at
one point, has opposite moments all the time; about their own centres, which move on beside each other, it has not.

Bodies that joints tie go on as they are (engine.group.joints.uneven): joints bend them within a step. What a free group
with such bodies then lacks, all turn on together by, as at the end of a step (engine.group.energy).
"""

from __future__ import annotations

from engine.group.energy import own_inertia, own_momentum
from engine.group.joints.uneven import cut_linkage
from engine.impulse.collision_matrix import K6, add_k, factor_k, response, solve_k
from engine.impulse.pair_response import turn_by
from engine.kernel import kernel
from engine.maths.vectors import Vec3, add, add_scaled, cross, scale, sub
from engine.model.model import LINKAGE, MASS, Floats, Ints, Model
from engine.model.state import (
    CUT_DEBT,
    FRESH,
    GROUND,
    HELD_UNTIL,
    MEMBERS,
    NEXT_MEMBER,
    T0,
    State,
)
from engine.motion.arcs import evolve
from engine.motion.held import go_on_with
from engine.motion.motion import Motion

Frame = tuple[Vec3, Vec3]
"""A point and its velocity."""


@kernel
def cut_step(model: Model, state: State, leader: int, t: float) -> None:
    """The step under way of the group of `leader` ends at t already."""
    bodies, tags, members = model.bodies, model.tags, state.members
    free = state.groups[leader, GROUND] == 0.0
    frames = _common_frames(bodies, tags, state, leader, t)
    momentum = (0.0, 0.0, 0.0)
    tied = False
    since = h = 0.0
    i = leader
    while i >= 0:
        if state.arcs[i, HELD_UNTIL] > t:
            since, h = t - state.arcs[i, T0], state.arcs[i, HELD_UNTIL] - state.arcs[i, T0]
        tied = tied or tags[i, LINKAGE] >= 0
        momentum = add(momentum, _even_momentum(bodies, tags, state.arcs, i, free, frames, t))
        i = members[i, NEXT_MEMBER]
    i = leader
    while i >= 0:
        if tags[i, LINKAGE] < 0:
            _cut_arc(bodies, tags, state.arcs, i, free, frames, t)
        else:
            cut_linkage(model, state, tags[i, LINKAGE], t)
        members[i, FRESH] = 1
        i = members[i, NEXT_MEMBER]
    if h > 0.0:
        state.groups[leader, CUT_DEBT] += members[leader, MEMBERS] * (1.0 - since / h)
    if free and tied and h > 0.0:
        _turn_together(bodies, tags, state, leader, frames[1], _strayed(frames, since, h), momentum, t)


@kernel
def _common_frames(bodies: Floats, tags: Ints, state: State, leader: int, t: float) -> tuple[Frame, Frame, Frame]:
    """The common centre of the bodies that are within the step: at its start, at t, and at the end it was to have."""
    arcs = state.arcs
    mass = 0.0
    x_0 = v_0 = x_t = v_t = x_1 = v_1 = (0.0, 0.0, 0.0)
    i = leader
    while i >= 0:
        if arcs[i, HELD_UNTIL] > t:
            m = bodies[i, MASS]
            first = evolve(bodies, tags, arcs, i, arcs[i, T0])
            now, last = evolve(bodies, tags, arcs, i, t), evolve(bodies, tags, arcs, i, arcs[i, HELD_UNTIL])
            mass += m
            x_0, v_0 = add_scaled(x_0, first.x, m), add_scaled(v_0, first.v, m)
            x_t, v_t = add_scaled(x_t, now.x, m), add_scaled(v_t, now.v, m)
            x_1, v_1 = add_scaled(x_1, last.x, m), add_scaled(v_1, last.v, m)
        i = state.members[i, NEXT_MEMBER]
    part = 1.0 / mass if mass > 0.0 else 0.0
    return (
        (scale(x_0, part), scale(v_0, part)),
        (scale(x_t, part), scale(v_t, part)),
        (scale(x_1, part), scale(v_1, part)),
    )


@kernel
def _strayed(frames: tuple[Frame, Frame, Frame], since: float, h: float) -> Vec3:
    """How far the common centre is from where it flies [m]: joints bend the arcs of what they tie between the ends."""
    (begun, v), (now, _), (_, v_end) = frames
    flown = add_scaled(scale(v, since), sub(v_end, v), 0.5 * since * since / h)
    return sub(now, add(begun, flown))


@kernel
def _even_momentum(
    bodies: Floats, tags: Ints, arcs: Floats, i: int, free: bool, frames: tuple[Frame, Frame, Frame], t: float
) -> Vec3:
    """The angular momentum of body i at t by an even change: of a free group's about the common centre [N m s]."""
    start, until = arcs[i, T0], arcs[i, HELD_UNTIL]
    if until <= t:
        return _momentum(bodies, i, evolve(bodies, tags, arcs, i, t), free, frames[1])
    had = _momentum(bodies, i, evolve(bodies, tags, arcs, i, start), free, frames[0])
    would_have = _momentum(bodies, i, evolve(bodies, tags, arcs, i, until), free, frames[2])
    return add_scaled(had, sub(would_have, had), (t - start) / (until - start))


@kernel
def _cut_arc(
    bodies: Floats, tags: Ints, arcs: Floats, i: int, free: bool, frames: tuple[Frame, Frame, Frame], t: float
) -> None:
    """The arc of body i ends at t, with the angular momentum that it has by an even change."""
    if arcs[i, HELD_UNTIL] <= t:
        return
    now = evolve(bodies, tags, arcs, i, t)
    lacks = sub(_even_momentum(bodies, tags, arcs, i, free, frames, t), _momentum(bodies, i, now, free, frames[1]))
    go_on_with(bodies, arcs, i, Motion(now.x, now.q, now.v, add(now.w, turn_by(bodies, i, now.q, lacks))), t)


@kernel
def _momentum(bodies: Floats, i: int, motion: Motion, free: bool, frame: Frame) -> Vec3:
    """Angular momentum of body i about its own centre; in a free group, about that of the frame [N m s]."""
    own = own_momentum(bodies, i, motion.q, motion.w)
    if not free:
        return own
    return add_scaled(own, cross(sub(motion.x, frame[0]), sub(motion.v, frame[1])), bodies[i, MASS])


@kernel
def _turn_together(
    bodies: Floats, tags: Ints, state: State, leader: int, frame: Frame, strayed: Vec3, momentum: Vec3, t: float
) -> None:
    """Turn a group on, as one rigid body, to this angular momentum about the frame's point [N m s].

    strayed: how far that is from where it should be [m]; about any other point the group has what it should have.
    """
    arcs, members = state.arcs, state.members
    mass = 0.0
    moment = (0.0, 0.0, 0.0)
    lacks = momentum
    i = leader
    while i >= 0:
        motion = evolve(bodies, tags, arcs, i, t)
        mass += bodies[i, MASS]
        moment = add_scaled(moment, motion.x, bodies[i, MASS])
        lacks = sub(lacks, _momentum(bodies, i, motion, True, frame))
        i = members[i, NEXT_MEMBER]
    centre = scale(moment, 1.0 / mass)
    lacks = add_scaled(lacks, cross(strayed, frame[1]), -mass)
    inertia: K6 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    i = leader
    while i >= 0:
        x, q, _, _ = evolve(bodies, tags, arcs, i, t)
        m = bodies[i, MASS]
        inertia = add_k(inertia, response(0.0, (m, m, m), (1.0, 0.0, 0.0, 0.0), sub(x, centre)))
        inertia = add_k(inertia, own_inertia(bodies, i, q))
        i = members[i, NEXT_MEMBER]
    factor, regular = factor_k(inertia)
    spin = solve_k(factor, lacks) if regular else (0.0, 0.0, 0.0)
    i = leader
    while i >= 0:
        x, q, v, w = evolve(bodies, tags, arcs, i, t)
        go_on_with(bodies, arcs, i, Motion(x, q, add(v, cross(spin, sub(x, centre))), add(w, spin)), t)
        i = members[i, NEXT_MEMBER]
