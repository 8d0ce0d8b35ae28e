"""A linkage whose step is cut short: its bodies go on where joints have bent their arcs to, not where an even change of
their momentum would have brought them. What that gave them beyond an even change is noted for the joints that did it.

Angular momentum is about a point that goes on evenly, through the common centre in the middle of the step, with what
that has at the end: a joint's force has the same moment about it for both of its bodies, whenever it acts. A linkage
that hangs on nothing has, as a whole, changed evenly: between their ends arcs are interpolations, and where these have
its momentum astray, its bodies go on with what is lacking as one rigid body.
"""

from __future__ import annotations

from engine.group.energy import own_inertia, own_momentum
from engine.impulse.collision_matrix import K6, add_k, factor_k, response, solve_k
from engine.joints.rows import hangs_free, is_dynamic
from engine.kernel import kernel
from engine.maths.vectors import Vec3, add, add_scaled, cross, scale, sub, vector_at
from engine.model.joints import ENTRIES, ENTRY_BODY, FIRST_ENTRY
from engine.model.model import MASS, Floats, Model
from engine.model.state import HELD_UNTIL, T0, UNEVEN, UNEVEN_TURN, State
from engine.motion.arcs import evolve
from engine.motion.held import go_on_with
from engine.motion.motion import Motion
from engine.tree.matrices import put


@kernel
def cut_linkage(model: Model, state: State, link: int, t: float) -> None:
    """The step under way of a linkage ends at t already."""
    joints = model.joints
    first = joints.linkages[link, FIRST_ENTRY]
    last = first + joints.linkages[link, ENTRIES]
    point, on = _frame(model, state, link, t)
    mass = 0.0
    centre = push = turn = (0.0, 0.0, 0.0)
    for e in range(first, last):
        if not is_dynamic(model.tags, joints, e):
            continue
        i = joints.entries[e, ENTRY_BODY]
        if state.arcs[i, HELD_UNTIL] <= t:
            return
        x = evolve(model.bodies, model.tags, state.arcs, i, t).x
        p, couple = _beyond(model, state, i, point, on, t)
        _note(state.loads, i, p, couple)
        mass += model.bodies[i, MASS]
        centre = add_scaled(centre, x, model.bodies[i, MASS])
        push = add(push, p)
        turn = add(turn, add(cross(x, p), couple))
    centre = scale(centre, 1.0 / mass)
    v = spin = (0.0, 0.0, 0.0)
    if hangs_free(model.tags, joints, link):
        v = scale(push, -1.0 / mass)
        spin = _spin_for(model, state, link, centre, sub(cross(centre, push), turn), t)
    for e in range(first, last):
        if is_dynamic(model.tags, joints, e):
            _go_on(model, state, joints.entries[e, ENTRY_BODY], centre, v, spin, t)


@kernel
def _frame(model: Model, state: State, link: int, t: float) -> tuple[Vec3, Vec3]:
    """Where the point is at t that goes on evenly, and its velocity."""
    joints, arcs = model.joints, state.arcs
    mass = h = s = 0.0
    x = v = v_end = (0.0, 0.0, 0.0)
    first = joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        if is_dynamic(model.tags, joints, e):
            i = joints.entries[e, ENTRY_BODY]
            begun, ends = _ends(model, state, i)
            h, s = arcs[i, HELD_UNTIL] - arcs[i, T0], t - arcs[i, T0]
            mass += model.bodies[i, MASS]
            x = add_scaled(x, begun.x, model.bodies[i, MASS])
            v = add_scaled(v, begun.v, model.bodies[i, MASS])
            v_end = add_scaled(v_end, ends.v, model.bodies[i, MASS])
    # In the middle as in engine.group.joints.bearing, and from there on as at the end.
    way = add_scaled(scale(v, 0.375 * h), v_end, s - 0.375 * h)
    return scale(add(x, way), 1.0 / mass), scale(v_end, 1.0 / mass)


@kernel
def _ends(model: Model, state: State, i: int) -> tuple[Motion, Motion]:
    """The motion of body i at the start of its step, and at the end that it was to have."""
    begun = evolve(model.bodies, model.tags, state.arcs, i, state.arcs[i, T0])
    return begun, evolve(model.bodies, model.tags, state.arcs, i, state.arcs[i, HELD_UNTIL])


@kernel
def _beyond(model: Model, state: State, i: int, point: Vec3, on: Vec3, t: float) -> tuple[Vec3, Vec3]:
    """How far the momentum of body i at t is from an even change, and its angular momentum, about its centre."""
    mass = model.bodies[i, MASS]
    begun, ends = _ends(model, state, i)
    now = evolve(model.bodies, model.tags, state.arcs, i, t)
    h, since = state.arcs[i, HELD_UNTIL] - state.arcs[i, T0], t - state.arcs[i, T0]
    s = since / h
    p = scale(sub(sub(now.v, begun.v), scale(sub(ends.v, begun.v), s)), mass)
    had = _momentum(model.bodies, i, begun, add_scaled(point, on, -since), on)
    has = _momentum(model.bodies, i, now, point, on)
    will_have = _momentum(model.bodies, i, ends, add_scaled(point, on, h - since), on)
    turn = sub(sub(has, had), scale(sub(will_have, had), s))
    return p, sub(turn, cross(sub(now.x, point), p))


@kernel
def _momentum(bodies: Floats, i: int, motion: Motion, about: Vec3, on: Vec3) -> Vec3:
    """Angular momentum of body i about a point that goes on with a velocity [N m s]."""
    orbital = cross(sub(motion.x, about), sub(motion.v, on))
    return add_scaled(own_momentum(bodies, i, motion.q, motion.w), orbital, bodies[i, MASS])


@kernel
def _note(loads: Floats, i: int, p: Vec3, couple: Vec3) -> None:
    put(loads, i, UNEVEN, add(vector_at(loads, i, UNEVEN), p))
    put(loads, i, UNEVEN_TURN, add(vector_at(loads, i, UNEVEN_TURN), couple))


@kernel
def _spin_for(model: Model, state: State, link: int, centre: Vec3, momentum: Vec3, t: float) -> Vec3:
    """The angular velocity with which a linkage that hangs on nothing, as one body, has that angular momentum."""
    joints, bodies = model.joints, model.bodies
    inertia: K6 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    first = joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        i = joints.entries[e, ENTRY_BODY]
        x, q, _, _ = evolve(bodies, model.tags, state.arcs, i, t)
        m = bodies[i, MASS]
        inertia = add_k(inertia, response(0.0, (m, m, m), (1.0, 0.0, 0.0, 0.0), sub(x, centre)))
        inertia = add_k(inertia, own_inertia(bodies, i, q))
    factor, regular = factor_k(inertia)
    return solve_k(factor, momentum) if regular else (0.0, 0.0, 0.0)


@kernel
def _go_on(model: Model, state: State, i: int, centre: Vec3, v: Vec3, spin: Vec3, t: float) -> None:
    """Body i goes on from t faster by v [m/s], and turning faster by `spin` about a centre [rad/s]."""
    now = evolve(model.bodies, model.tags, state.arcs, i, t)
    more = add(v, cross(spin, sub(now.x, centre)))
    _note(state.loads, i, scale(more, model.bodies[i, MASS]), own_momentum(model.bodies, i, now.q, spin))
    go_on_with(model.bodies, state.arcs, i, Motion(now.x, now.q, add(now.v, more), add(now.w, spin)), t)
