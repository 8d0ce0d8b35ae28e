"""Forces and torques that a scene applies to free bodies.

A constant force in world axes is part of a body's acceleration while it flies: its arcs stay exact parabolas. For all
else a body is kicked as by the mouse's spring (`pull.py`): it flies exact ballistic arcs, and every KICK_PERIOD its
velocities change by the impulse of the load over the period around that time, as a leapfrog does. Poses at kicks are
exact to second order in the period, for a constant load in world axes or about a principal axis exact; between kicks
velocities are off by up to half a kick.
"""

from __future__ import annotations

from math import floor, inf

from engine.kernel import kernel
from engine.maths.quaternions import rotate
from engine.maths.vectors import Vec3, add, add_scaled, cross, dot, vector_at
from engine.model.model import (
    FORCE_AXES,
    FORCE_KEYS,
    FORCE_POINT,
    FREE,
    KEY_TIME,
    KEY_VALUE,
    KIND,
    LOAD_UNTIL,
    PUSH,
    TORQUE_AXES,
    TORQUE_KEYS,
    Floats,
    Ints,
)
from engine.model.state import WORK
from engine.motion.arcs import apply_couple, apply_impulse, evolve
from engine.motion.motion import Motion, Side
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
    start = vector_at(bodies, before, KEY_VALUE)
    end = vector_at(bodies, after, KEY_VALUE)
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
def mean_loads(bodies: Floats, i: int, motion: Motion, t0: float, t1: float) -> tuple[Vec3, Vec3]:
    """The impulse [N s] and the couple about the centre [N m s] of body i's kicks from t0 to t1, world axes."""
    q = motion.q
    p = sum_load(bodies, i, FORCE_KEYS, t0, t1)
    if bodies[i, FORCE_AXES] != 0.0:
        p = rotate(q, p)
    push = vector_at(bodies, i, PUSH)  # of this only the moment is left: it moves the body all the time
    couple = cross(rotate(q, vector_at(bodies, i, FORCE_POINT)), add_scaled(p, push, t1 - t0))
    turn = sum_load(bodies, i, TORQUE_KEYS, t0, t1)
    if bodies[i, TORQUE_AXES] != 0.0:
        turn = rotate(q, turn)
    return p, add(couple, turn)


@kernel
def kick_load(bodies: Floats, tags: Ints, arcs: Floats, kicks: Floats, clock: Floats, i: int, t: float) -> bool:
    """Give body i what its loads amount to in the period around t; False if it cannot be moved.

    Books the kinetic energy that the kick adds as work put in.
    """
    half = 0.5 * KICK_PERIOD
    kicks[i] = (floor(t / KICK_PERIOD + 0.5) + 1.0) * KICK_PERIOD
    if kicks[i] - half >= bodies[i, LOAD_UNTIL]:
        kicks[i] = inf
    if tags[i, KIND] != FREE:
        kicks[i] = inf
        return False
    motion = evolve(bodies, tags, arcs, i, t)
    p, couple = mean_loads(bodies, i, motion, max(t - half, 0.0), t + half)
    apply_impulse(bodies, tags, arcs, Side(i, motion, (0.0, 0.0, 0.0)), p, t)
    apply_couple(bodies, tags, arcs, i, evolve(bodies, tags, arcs, i, t), couple, t)
    after = evolve(bodies, tags, arcs, i, t)
    clock[WORK] += 0.5 * (dot(add(motion.v, after.v), p) + dot(add(motion.w, after.w), couple))
    return True
