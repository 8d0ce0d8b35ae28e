"""A step that something cuts short: its bodies end it there and then, with what its forces have given them till then.

Within a step an arc is an interpolation. Where it is cut short, bodies get the angular velocities with which their
angular momentum has changed evenly, as forces that stay the same let it. A group that touches nothing fixed has in all
what it should have then: its bodies turn on together by so much, as at the end of a step (engine.group.energy).

Bodies that joints tie go on as they are (engine.group.joints.uneven): joints bend them within a step.
"""

from __future__ import annotations

from engine.group.energy import own_inertia, own_momentum
from engine.group.joints.uneven import cut_linkage
from engine.impulse.collision_matrix import K6, add_k, factor_k, response, solve_k
from engine.impulse.pair_response import turn_by
from engine.kernel import kernel
from engine.maths.vectors import Vec3, add, add_scaled, cross, scale, sub, vector_at
from engine.model.model import LINKAGE, MASS, Floats, Ints, Model
from engine.model.state import (
    FRESH,
    GROUND,
    HELD_UNTIL,
    NEXT_MEMBER,
    POSITION,
    T0,
    State,
)
from engine.motion.arcs import evolve
from engine.motion.ballistic import gravity_of
from engine.motion.held import go_on_with
from engine.motion.motion import Motion


@kernel
def cut_step(model: Model, state: State, leader: int, t: float) -> None:
    """The step under way of the group of `leader` ends at t already."""
    bodies, tags, members = model.bodies, model.tags, state.members
    about = vector_at(state.arcs, leader, POSITION)
    momentum = (0.0, 0.0, 0.0)
    i = leader
    while i >= 0:
        momentum = add(momentum, _even_momentum(bodies, tags, state.arcs, i, about, t))
        i = members[i, NEXT_MEMBER]
    i = leader
    while i >= 0:
        if tags[i, LINKAGE] < 0:
            _cut_arc(bodies, tags, state.arcs, i, t)
        else:
            cut_linkage(model, state, tags[i, LINKAGE], t)
        members[i, FRESH] = 1
        i = members[i, NEXT_MEMBER]
    if state.groups[leader, GROUND] == 0.0:
        _turn_together(bodies, tags, state, leader, about, momentum, t)


@kernel
def _even_momentum(bodies: Floats, tags: Ints, arcs: Floats, i: int, about: Vec3, t: float) -> Vec3:
    """What body i has at t of the group's angular momentum about a point, by an even change [N m s]."""
    start, until = arcs[i, T0], arcs[i, HELD_UNTIL]
    if until <= t:
        return _momentum_about(bodies, i, evolve(bodies, tags, arcs, i, t), about)
    first, last = evolve(bodies, tags, arcs, i, start), evolve(bodies, tags, arcs, i, until)
    begun = _momentum_about(bodies, i, first, about)
    forces = sub(
        sub(_momentum_about(bodies, i, last, about), begun), _weight_turns(bodies, i, first, about, until - start)
    )
    weight = _weight_turns(bodies, i, first, about, t - start)
    return add_scaled(add(begun, weight), forces, (t - start) / (until - start))


@kernel
def _cut_arc(bodies: Floats, tags: Ints, arcs: Floats, i: int, t: float) -> None:
    """The arc of body i ends at t, with the angular momentum that it has by an even change."""
    start, until = arcs[i, T0], arcs[i, HELD_UNTIL]
    if until <= t:
        return
    first, last = evolve(bodies, tags, arcs, i, start), evolve(bodies, tags, arcs, i, until)
    x, q, v, w = evolve(bodies, tags, arcs, i, t)
    s = (t - start) / (until - start)
    own, own_end = own_momentum(bodies, i, first.q, first.w), own_momentum(bodies, i, last.q, last.w)
    lacks = sub(add_scaled(own, sub(own_end, own), s), own_momentum(bodies, i, q, w))
    go_on_with(bodies, arcs, i, Motion(x, q, v, add(w, turn_by(bodies, i, q, lacks))), t)


@kernel
def _momentum_about(bodies: Floats, i: int, motion: Motion, about: Vec3) -> Vec3:
    """Angular momentum of body i about a point [N m s]."""
    orbital = cross(sub(motion.x, about), scale(motion.v, bodies[i, MASS]))
    return add(orbital, own_momentum(bodies, i, motion.q, motion.w))


@kernel
def _weight_turns(bodies: Floats, i: int, first: Motion, about: Vec3, time: float) -> Vec3:
    """What the weight of body i gives it of that in a time; what forces move it by cancels out in a free group."""
    way = add_scaled(scale(sub(first.x, about), time), first.v, 0.5 * time * time)
    return scale(cross(way, gravity_of(bodies, i)), bodies[i, MASS])


@kernel
def _turn_together(
    bodies: Floats, tags: Ints, state: State, leader: int, about: Vec3, momentum: Vec3, t: float
) -> None:
    """Turn a group on, as one rigid body, so that this is its angular momentum about a point [N m s]."""
    arcs, members = state.arcs, state.members
    mass = 0.0
    moment = (0.0, 0.0, 0.0)
    lacks = momentum
    i = leader
    while i >= 0:
        motion = evolve(bodies, tags, arcs, i, t)
        mass += bodies[i, MASS]
        moment = add_scaled(moment, sub(motion.x, about), bodies[i, MASS])
        lacks = sub(lacks, _momentum_about(bodies, i, motion, about))
        i = members[i, NEXT_MEMBER]
    centre = add_scaled(about, moment, 1.0 / mass)
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
