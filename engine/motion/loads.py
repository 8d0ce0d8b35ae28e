"""Forces and torques that a scene applies to free bodies: forced arcs, as exact free flight from period to period.

A force is part of a body's acceleration while it flies. One that is constant in world axes always is, and arcs stay
exact parabolas; another is held at its mean through each KICK_PERIOD. So every bound of ballistic arcs holds as it is,
and contact forces bear it as they bear weight. A torque, or a force beside the centre, changes the angular velocity by
the couple of the period around a kick, every KICK_PERIOD, as a leapfrog does.

Both are of second order in the period: for a force or torque that is constant in world axes, or turns the body about a
principal axis, poses at kicks are exact. Between kicks the angular velocity is off by up to half a kick. A contact
group stops at its next step's start what a kick drives into its contacts, and does not report that as a force.
"""

from __future__ import annotations

from math import floor, inf

from engine.kernel import kernel
from engine.maths.quaternions import Quat, from_axis_angle, multiply, rotate
from engine.maths.vectors import Vec3, add, add_scaled, cross, dot, norm, scale, vector_at
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
    LOAD_UNTIL,
    TORQUE_AXES,
    TORQUE_KEYS,
    WORLD_GRAVITY,
    Floats,
    Model,
)
from engine.model.state import NEXT_KICK, PUSH, PUSH_START, State
from engine.motion.arcs import evolve
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
    return add_scaled(add_scaled(start, start, -share), end, share)


@kernel
def sum_load(bodies: Floats, i: int, at: int, t0: float, t1: float) -> Vec3:
    """The integral of a load of body i from t0 to t1; at: where its keys are named, FORCE_KEYS or TORQUE_KEYS."""
    first, count = int(bodies[i, at]), int(bodies[i, at + 1])
    total = (0.0, 0.0, 0.0)
    for k in range(count + 1 if count > 0 else 0):  # before the first key, between two, after the last
        low = t0 if k == 0 else max(t0, bodies[first + k - 1, KEY_TIME])
        high = t1 if k == count else min(t1, bodies[first + k, KEY_TIME])
        if high > low:
            total = add_scaled(total, load_at(bodies, first, count, 0.5 * (low + high)), high - low)
    return total


@kernel
def sum_force(bodies: Floats, i: int, q: Quat, t0: float, t1: float) -> Vec3:
    """The impulse of the force on body i from t0 to t1, world axes, the body's orientation being q [N s]."""
    p = sum_load(bodies, i, FORCE_KEYS, t0, t1)
    return rotate(q, p) if bodies[i, FORCE_AXES] != 0.0 else p


@kernel
def sum_couple(bodies: Floats, i: int, q: Quat, t0: float, t1: float) -> Vec3:
    """What force and torque on body i do about its centre from t0 to t1, likewise [N m s]."""
    turn = sum_load(bodies, i, TORQUE_KEYS, t0, t1)
    if bodies[i, TORQUE_AXES] != 0.0:
        turn = rotate(q, turn)
    arm = rotate(q, vector_at(bodies, i, FORCE_POINT))
    return add(turn, cross(arm, sum_force(bodies, i, q, t0, t1)))


@kernel
def load_couple(model: Model, state: State, i: int, t: float) -> tuple[bool, Motion, Vec3]:
    """Give body i the force of the period from t on; its motion, and the couple of the period around t [N m s].

    False if it cannot be moved. What the force does follows from the way (`read_work`).
    """
    bodies, loads = model.bodies, state.loads
    loads[i, NEXT_KICK] = (floor(t / KICK_PERIOD + 0.5) + 1.0) * KICK_PERIOD
    if t >= bodies[i, LOAD_UNTIL] or model.tags[i, KIND] != FREE:
        loads[i, NEXT_KICK] = inf
    motion = evolve(bodies, model.tags, state.arcs, i, t)
    if model.tags[i, KIND] != FREE:
        return False, motion, (0.0, 0.0, 0.0)
    half = 0.5 * KICK_PERIOD
    midway = _turned(motion.q, motion.w, half)
    push = scale(sum_force(bodies, i, midway, t, t + KICK_PERIOD), 1.0 / KICK_PERIOD)
    couple = sum_couple(bodies, i, motion.q, max(t - half, 0.0), t + half)
    done = dot(vector_at(loads, i, PUSH), motion.x) - loads[i, PUSH_START]
    loads[i, PUSH_START] = dot(push, motion.x) - done
    for k in range(3):
        loads[i, PUSH + k] = push[k]
        bodies[i, GRAVITY + k] = model.settings[WORLD_GRAVITY + k] + push[k] * bodies[i, INV_MASS]
    return True, motion, couple


@kernel
def _turned(q: Quat, w: Vec3, time: float) -> Quat:
    """Orientation q after turning at w (world axes) for a time."""
    rate = norm(w)
    if rate == 0.0:
        return q
    return multiply(from_axis_angle(scale(w, 1.0 / rate), rate * time), q)
