"""Held arcs: a body's motion through one step of its contact group, and its rest while the group sleeps.

Through a step the body moves and turns with velocities that change linearly from its start to its end, as on a linked
arc of nothing but that; those it is said to have are a little lower where energy asks for it (see `eased`). What lifts
a sunken contact moves it without being a velocity at all. What turns too far in a step for such an arc does so about a
fixed axis, with its mean angular velocity. What comes after the step is not known yet, but bounds of other bodies'
checks need not wait for it: the body promises that no point of it will be faster than PROMISE, and its neighbours are
told when it takes that back.
"""

from __future__ import annotations

from math import cos, inf, sin, sqrt

from engine.kernel import kernel
from engine.maths.quaternions import Quat, multiply, normalize, rotate, rotate_inverse
from engine.maths.vectors import Vec3, add, add_scaled, dot, norm, scale
from engine.model.model import ARM, RADIUS, Floats
from engine.model.state import (
    ASLEEP,
    HELD,
    HELD_ACCELERATION,
    HELD_ALPHA,
    HELD_EASE,
    HELD_OMEGA,
    HELD_PUSH,
    HELD_SLACK,
    HELD_SMOOTH,
    HELD_TURN_PUSH,
    HELD_UNTIL,
    OMEGA,
    OMEGA_MAX,
    ORIENTATION,
    POSITION,
    PROMISE,
    T0,
    VELOCITY,
)
from engine.motion.linked import bound_linked, evolve_linked, push_slope


@kernel
def _read(arcs: Floats, i: int, column: int) -> Vec3:
    return (arcs[i, column], arcs[i, column + 1], arcs[i, column + 2])


@kernel
def evolve_held(arcs: Floats, i: int, t: float) -> tuple[Vec3, Quat, Vec3, Vec3]:
    """Position, orientation, velocity and world angular velocity of held body i at time t, up to its step's end."""
    if arcs[i, HELD_SMOOTH] != 0.0:
        x, q, v, w = evolve_linked(arcs, i, t)
        if arcs[i, HELD_EASE] == 0.0:
            return x, q, v, w
        slower = eased(arcs, i, t)
        return x, q, scale(v, slower), scale(w, slower)
    dt = t - arcs[i, T0]
    v, a = _read(arcs, i, VELOCITY), _read(arcs, i, HELD_ACCELERATION)
    move = add_scaled(add(v, _read(arcs, i, HELD_PUSH)), a, 0.5 * dt)
    x = add_scaled(_read(arcs, i, POSITION), move, dt)
    q = (arcs[i, ORIENTATION], arcs[i, ORIENTATION + 1], arcs[i, ORIENTATION + 2], arcs[i, ORIENTATION + 3])
    w = add_scaled(_read(arcs, i, HELD_OMEGA), _read(arcs, i, HELD_ALPHA), dt)
    slower = eased(arcs, i, t)
    return x, turned(q, _read(arcs, i, OMEGA), dt), scale(add_scaled(v, a, dt), slower), scale(w, slower)


@kernel
def eased(arcs: Floats, i: int, t: float) -> float:
    """Velocities of held body i at time t, as a part of what they would be if they changed evenly through its step.

    Squared, it is 1 at both ends of the step and least in its middle: see engine.group.energy.
    """
    return sqrt(1.0 - 2.0 * arcs[i, HELD_EASE] * (t - arcs[i, T0]) * (arcs[i, HELD_UNTIL] - t))


@kernel
def turned(q: Quat, w: Vec3, dt: float) -> Quat:
    """q after turning for dt with the constant angular velocity w (body frame, where it is constant too)."""
    rate = norm(w)
    if rate * dt == 0.0:
        return q
    s = sin(0.5 * rate * dt) / rate
    return normalize(multiply(q, (cos(0.5 * rate * dt), s * w[0], s * w[1], s * w[2])))


@kernel
def set_held(
    arcs: Floats,
    i: int,
    t: float,
    x: Vec3,
    q: Quat,
    v: Vec3,
    w: Vec3,
    until: float,
    v_end: Vec3,
    w_end: Vec3,
    push: Vec3,
    spin: Vec3,
) -> None:
    """Start a held arc of body i at time t, good until `until`: velocities go from v, w to v_end, w_end; it moves as
    they say plus `push`, and turns with `spin` (all world axes). The promise is the caller's."""
    h = until - t
    turn = rotate_inverse(q, spin)
    arcs[i, T0] = t
    for k in range(3):
        arcs[i, POSITION + k] = x[k]
        arcs[i, VELOCITY + k] = v[k]
        arcs[i, OMEGA + k] = turn[k]
        arcs[i, HELD_OMEGA + k] = w[k]
        arcs[i, HELD_PUSH + k] = push[k]
        arcs[i, HELD_ACCELERATION + k] = (v_end[k] - v[k]) / h if h > 0.0 else 0.0
        arcs[i, HELD_ALPHA + k] = (w_end[k] - w[k]) / h if h > 0.0 else 0.0
    for k in range(4):
        arcs[i, ORIENTATION + k] = q[k]
    arcs[i, OMEGA_MAX] = norm(spin)
    arcs[i, HELD_SLACK] = 0.0
    arcs[i, HELD_UNTIL] = until
    arcs[i, HELD_SMOOTH] = arcs[i, HELD_EASE] = 0.0


@kernel
def pause_held(arcs: Floats, i: int, t: float, x: Vec3, q: Quat, v: Vec3, w: Vec3) -> None:
    """A held arc of body i that goes on as it is: its group makes a step at once."""
    zero = (0.0, 0.0, 0.0)
    set_held(arcs, i, t, x, q, v, w, t, v, w, zero, w)


@kernel
def bound_held(bodies: Floats, arcs: Floats, i: int, t: float, v: Vec3, d: Vec3) -> tuple[float, float, float, float]:
    """TOI coefficients (A, B, Q) of held body i from time t on, its velocity being v then, and until when they hold."""
    if arcs[i, HELD] == ASLEEP:
        return 0.0, 0.0, 0.0, inf
    v = scale(v, 1.0 / eased(arcs, i, t))
    if arcs[i, HELD_SMOOTH] != 0.0:
        return bound_linked(bodies, arcs, i, t, v, d)
    a = 0.5 * dot(_read(arcs, i, HELD_ACCELERATION), d)
    b = dot(add(v, _read(arcs, i, HELD_PUSH)), d)
    # Twice what a turn about a fixed axis needs: the axis of a body of revolution turns too.
    return a, b, bodies[i, ARM] * arcs[i, OMEGA_MAX] * arcs[i, OMEGA_MAX], arcs[i, HELD_UNTIL]


@kernel
def turns_with(arcs: Floats, i: int, q: Quat, w: Vec3, t: float) -> Vec3:
    """How held body i turns, pushes and all, while its angular velocity is w at time t, at orientation q (world)."""
    if arcs[i, HELD] == ASLEEP:
        return w
    if arcs[i, HELD_SMOOTH] != 0.0:
        turn = scale(w, 1.0 / eased(arcs, i, t))
        return add_scaled(turn, _read(arcs, i, HELD_TURN_PUSH), push_slope(arcs, i, t))
    return rotate(q, _read(arcs, i, OMEGA))


@kernel
def moves_with(arcs: Floats, i: int, q: Quat, v: Vec3, w: Vec3, t: float) -> tuple[Vec3, Vec3]:
    """How held body i moves and turns, pushes and all, while its velocities are v and w at time t."""
    if arcs[i, HELD] == ASLEEP:
        return v, w
    slope = push_slope(arcs, i, t) if arcs[i, HELD_SMOOTH] != 0.0 else 1.0
    move = add_scaled(scale(v, 1.0 / eased(arcs, i, t)), _read(arcs, i, HELD_PUSH), slope)
    return move, turns_with(arcs, i, q, w, t)


@kernel
def top_speed(bodies: Floats, i: int, v: Vec3, w: Vec3) -> float:
    """The speed [m/s] that no point of body i exceeds with this twist."""
    return norm(v) + bodies[i, ARM] * norm(w)


@kernel
def sweep_held(bodies: Floats, arcs: Floats, i: int, t0: float, t1: float, axis: int) -> tuple[float, float]:
    """Interval along a world axis that contains held body i throughout [t0, t1], by its promise."""
    x, _, _, _ = evolve_held(arcs, i, t0)
    reach = bodies[i, RADIUS]
    if arcs[i, HELD] != ASLEEP:
        reach += arcs[i, PROMISE] * (t1 - t0)
    return x[axis] - reach, x[axis] + reach
