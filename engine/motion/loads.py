"""Forces and torques that a scene applies to free bodies: forced arcs, as exact free flight from period to period.

A force is part of a body's acceleration while it flies. One that is constant in world axes always is, and arcs stay
exact parabolas; another is held at its mean through each KICK_PERIOD. So every bound of ballistic arcs holds as it is,
and contact forces bear it as they bear weight. A torque, or a force beside the centre, changes the angular velocity of
what flies by the couple of the period around a kick, every KICK_PERIOD, as a leapfrog does; the steps of a contact
group bear it as they bear a force. What comes into a group gives back what the last kick gave ahead, and gets it again
when it leaves.

Both are of second order in the period: for a force or torque that is constant in world axes, or turns the body about a
principal axis, poses at kicks are exact. Between kicks the angular velocity of what flies is off by up to half a kick.
What joints tie is kicked in its group, too: contacts stop at the next step's start what that drives into them.

What sleeps does not turn, so that its load changes where keys say so and nowhere else. Until then it is not kicked.
"""

from __future__ import annotations

from math import floor, inf

from engine.kernel import kernel
from engine.maths.quaternions import Quat, from_axis_angle, multiply, rotate
from engine.maths.vectors import Vec3, add, add_scaled, cross, dot, norm, scale, sub, vector_at
from engine.model.model import (
    FORCE_AXES,
    FORCE_KEYS,
    FORCE_POINT,
    FREE,
    GRAVITY,
    INV_MASS,
    KEY_TIME,
    KEY_VALUE,
    KIND,
    LINKAGE,
    LOAD_UNTIL,
    TORQUE_AXES,
    TORQUE_KEYS,
    WORLD_GRAVITY,
    Floats,
    Ints,
    Model,
)
from engine.model.state import (
    ASLEEP,
    CALM_SINCE,
    COUPLE,
    HELD,
    NEXT_KICK,
    PUSH,
    PUSH_START,
    STILL_SINCE,
    WORK,
    State,
)
from engine.motion.arcs import apply_couple, evolve, is_held
from engine.motion.motion import Motion
from engine.tolerances import KICK_PERIOD


@kernel
def load_at(bodies: Floats, first: int, count: int, t: float) -> Vec3:
    """The load of the keys from row `first` on at time t."""
    k = 0
    while k < count and bodies[first + k, KEY_TIME] <= t:
        k += 1
    if k == 0 or k == count:
        return vector_at(bodies, first + max(k - 1, 0), KEY_VALUE)
    before, after = first + k - 1, first + k
    share = (t - bodies[before, KEY_TIME]) / (bodies[after, KEY_TIME] - bodies[before, KEY_TIME])
    start, end = vector_at(bodies, before, KEY_VALUE), vector_at(bodies, after, KEY_VALUE)
    return add_scaled(start, sub(end, start), share)


@kernel
def mean_load(bodies: Floats, i: int, at: int, t0: float, t1: float) -> Vec3:
    """The mean of a load of body i from t0 to t1; at: where its keys are named, FORCE_KEYS or TORQUE_KEYS.

    By what it is beside its start: of a load that stays the mean is that load, to the bit.
    """
    first, count = int(bodies[i, at]), int(bodies[i, at + 1])
    if count == 0:
        return (0.0, 0.0, 0.0)
    start = mean = load_at(bodies, first, count, t0)
    for k in range(count + 1):  # before the first key, between two, after the last
        low = t0 if k == 0 else max(t0, bodies[first + k - 1, KEY_TIME])
        high = t1 if k == count else min(t1, bodies[first + k, KEY_TIME])
        if high > low:
            more = sub(load_at(bodies, first, count, 0.5 * (low + high)), start)
            mean = add_scaled(mean, more, (high - low) / (t1 - t0))
    return mean


@kernel
def mean_force(bodies: Floats, i: int, q: Quat, t0: float, t1: float) -> Vec3:
    """The mean force on body i from t0 to t1, world axes, the body's orientation being q [N]."""
    force = mean_load(bodies, i, FORCE_KEYS, t0, t1)
    return rotate(q, force) if bodies[i, FORCE_AXES] != 0.0 else force


@kernel
def mean_couple(bodies: Floats, i: int, q: Quat, t0: float, t1: float) -> Vec3:
    """What force and torque on body i do about its centre from t0 to t1, likewise [N m]."""
    turn = mean_load(bodies, i, TORQUE_KEYS, t0, t1)
    if bodies[i, TORQUE_AXES] != 0.0:
        turn = rotate(q, turn)
    arm = rotate(q, vector_at(bodies, i, FORCE_POINT))
    return add(turn, cross(arm, mean_force(bodies, i, q, t0, t1)))


@kernel
def _load_stays_until(bodies: Floats, i: int, at: int, t: float) -> float:
    """Until when a load of body i is what it is at t [s]; t: it changes then. at: as for `mean_load`."""
    first, count = int(bodies[i, at]), int(bodies[i, at + 1])
    if count == 0:
        return inf
    now = load_at(bodies, first, count, t)
    k = 0
    while k < count and (bodies[first + k, KEY_TIME] <= t or vector_at(bodies, first + k, KEY_VALUE) == now):
        k += 1
    return inf if k == count else max(t, bodies[first + k - 1, KEY_TIME])


@kernel
def stays_until(bodies: Floats, i: int, t: float) -> float:
    """Until when force and torque on body i are, in their own axes, what they are at t [s]."""
    return min(_load_stays_until(bodies, i, FORCE_KEYS, t), _load_stays_until(bodies, i, TORQUE_KEYS, t))


@kernel
def changes_by_keys(bodies: Floats, i: int, t: float) -> bool:
    """Does what is applied to body i change, in its own axes, within a period of the kick at t?"""
    return stays_until(bodies, i, t - KICK_PERIOD) < t + KICK_PERIOD


@kernel
def load_from(model: Model, state: State, i: int, t: float) -> tuple[Vec3, Vec3]:
    """Force [N] and torque [N m] on free body i in the period from t on, world axes, on the mean."""
    _, q, _, w = evolve(model.bodies, model.tags, state.arcs, i, t)
    q = _turned(q, w, 0.5 * KICK_PERIOD)
    force = mean_force(model.bodies, i, q, t, t + KICK_PERIOD)
    return force, mean_couple(model.bodies, i, q, t, t + KICK_PERIOD)


@kernel
def is_borne(tags: Ints, arcs: Floats, i: int) -> bool:
    """Do steps of a contact group bear the torque on body i, instead of kicks?"""
    return is_held(tags, arcs, i) and tags[i, LINKAGE] < 0


@kernel
def keeps_moving(model: Model, state: State, i: int, t: float) -> bool:
    """Does what is applied to body i, which is held, let it not rest at t: by kicks, or as it changes?"""
    kicked = state.loads[i, NEXT_KICK] < inf
    return kicked and (not is_borne(model.tags, state.arcs, i) or changes_by_keys(model.bodies, i, t))


@kernel
def changes_load(model: Model, state: State, i: int, t: float) -> bool:
    """Is what acts on body i from t on not what its group's step bears already? Schedules the next kick."""
    bodies, loads = model.bodies, state.loads
    loads[i, NEXT_KICK] = (floor(t / KICK_PERIOD + 0.5) + 1.0) * KICK_PERIOD
    if t >= bodies[i, LOAD_UNTIL] or model.tags[i, KIND] != FREE:
        loads[i, NEXT_KICK] = inf
    if model.tags[i, KIND] != FREE or not is_borne(model.tags, state.arcs, i):
        return model.tags[i, KIND] == FREE
    if state.arcs[i, HELD] == ASLEEP and not changes_by_keys(bodies, i, t):
        stays = stays_until(bodies, i, t)
        loads[i, NEXT_KICK] = floor(stays / KICK_PERIOD) * KICK_PERIOD if stays < inf else inf
        return False
    force, couple = load_from(model, state, i, t)
    return force != vector_at(loads, i, PUSH) or couple != vector_at(loads, i, COUPLE)


@kernel
def resume_kicks(model: Model, state: State, i: int, t: float) -> None:
    """Body i has woken at t: it may turn, and its load with it."""
    if t < model.bodies[i, LOAD_UNTIL]:
        after = (floor(t / KICK_PERIOD) + 1.0) * KICK_PERIOD
        state.loads[i, NEXT_KICK] = min(state.loads[i, NEXT_KICK], after if after > t else after + KICK_PERIOD)


@kernel
def load_couple(model: Model, state: State, i: int, t: float) -> tuple[bool, Motion, Vec3]:
    """Give free body i force and torque of the period from t on; its motion, and the couple of the period around t
    [N m s].

    False if a group bears the torque: then no kick does. What the force does follows from the way (`read_work`).
    """
    bodies, loads = model.bodies, state.loads
    half = 0.5 * KICK_PERIOD
    motion = evolve(bodies, model.tags, state.arcs, i, t)
    push, torque = load_from(model, state, i, t)
    done = dot(vector_at(loads, i, PUSH), motion.x) - loads[i, PUSH_START]
    loads[i, PUSH_START] = dot(push, motion.x) - done
    for k in range(3):
        loads[i, PUSH + k] = push[k]
        loads[i, COUPLE + k] = torque[k] if model.tags[i, LINKAGE] < 0 else 0.0
        bodies[i, GRAVITY + k] = model.settings[WORLD_GRAVITY + k] + push[k] * bodies[i, INV_MASS]
    if changes_by_keys(bodies, i, t):
        # What has lain still under other forces may not under these. What turns with the body does as that does.
        state.rest[i, CALM_SINCE] = state.rest[i, STILL_SINCE] = t
    begin, end = max(t - half, 0.0), t + half
    around = scale(mean_couple(bodies, i, motion.q, begin, end), end - begin)
    return not is_borne(model.tags, state.arcs, i), motion, around


@kernel
def _turn(model: Model, state: State, i: int, before: Motion, couple: Vec3, t: float) -> None:
    """A couple impulse [N m s] (world) acts on body i at t; its work is put in."""
    apply_couple(model.bodies, model.tags, state.arcs, i, before, couple, t)
    after = evolve(model.bodies, model.tags, state.arcs, i, t)
    state.clock[WORK] += 0.5 * dot(add(before.w, after.w), couple)


@kernel
def settle_kick(model: Model, state: State, i: int, t: float, ahead: bool) -> None:
    """Give body i, or take back, what the kick before t gives of the couple that acts after t, less what it lacks."""
    couple = vector_at(state.loads, i, COUPLE)
    if couple != (0.0, 0.0, 0.0):
        time = state.loads[i, NEXT_KICK] - 0.5 * KICK_PERIOD - t
        motion = evolve(model.bodies, model.tags, state.arcs, i, t)
        _turn(model, state, i, motion, scale(couple, time if ahead else -time), t)


@kernel
def _turned(q: Quat, w: Vec3, time: float) -> Quat:
    """Orientation q after turning at w (world axes) for a time."""
    rate = norm(w)
    if rate == 0.0:
        return q
    return multiply(from_axis_angle(scale(w, 1.0 / rate), rate * time), q)
