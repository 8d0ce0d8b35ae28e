"""Held arcs: a body's motion through one step of its contact group, and its rest while the group sleeps.

Through a step the body follows a polynomial arc; what turns too far in a step for such an arc does so about a fixed
axis, with its mean angular velocity. What lifts a sunken contact is a pseudo-velocity: it moves the body and has no
energy. What comes after the step is not known yet, but bounds of other bodies' checks need not wait for it: no point of
the body is faster than its SPEED_BOUND, and its neighbours are told when that is raised.
"""

from __future__ import annotations

from math import inf

from engine.kernel import kernel
from engine.maths.quaternions import Quat, multiply, normalize, rotate, rotate_inverse
from engine.maths.small_turns import half_turn
from engine.maths.vectors import Vec3, add, add_scaled, dot, norm, vector_at
from engine.model.model import ARM, RADIUS, Floats
from engine.model.state import (
    ASLEEP,
    HELD,
    HELD_ACCELERATION,
    HELD_ALPHA,
    HELD_OMEGA,
    HELD_PUSH,
    HELD_TURN,
    HELD_UNTIL,
    OMEGA_MAX,
    ORIENTATION,
    POLY_RATE,
    POLY_SLACK,
    POLY_TURN_PUSH,
    POSITION,
    SPEED_BOUND,
    T0,
    VELOCITY,
)
from engine.motion.motion import Motion
from engine.motion.polynomial import bound_polynomial, evolve_polynomial, place_along, push_slope


@kernel
def evolve_held(arcs: Floats, i: int, t: float) -> Motion:
    """The motion of held body i at time t, up to its step's end."""
    if arcs[i, POLY_RATE] != 0.0:
        return evolve_polynomial(arcs, i, t)
    dt = t - arcs[i, T0]
    v, a = vector_at(arcs, i, VELOCITY), vector_at(arcs, i, HELD_ACCELERATION)
    move = add_scaled(add(v, vector_at(arcs, i, HELD_PUSH)), a, 0.5 * dt)
    x = add_scaled(vector_at(arcs, i, POSITION), move, dt)
    q = (arcs[i, ORIENTATION], arcs[i, ORIENTATION + 1], arcs[i, ORIENTATION + 2], arcs[i, ORIENTATION + 3])
    w = add_scaled(vector_at(arcs, i, HELD_OMEGA), vector_at(arcs, i, HELD_ALPHA), dt)
    return Motion(x, turned(q, vector_at(arcs, i, HELD_TURN), dt), add_scaled(v, a, dt), w)


@kernel
def turned(q: Quat, w: Vec3, dt: float) -> Quat:
    """q after turning for dt with the constant angular velocity w (body frame, where it is constant too)."""
    rate = norm(w)
    if rate * dt == 0.0:
        return q
    c, s = half_turn((rate * dt) ** 2)
    s *= dt
    return normalize(multiply(q, (c, s * w[0], s * w[1], s * w[2])))


@kernel
def set_held(
    arcs: Floats,
    i: int,
    t: float,
    until: float,
    start: Motion,
    v_end: Vec3,
    w_end: Vec3,
    push: Vec3,
    spin: Vec3,
) -> None:
    """Start a held arc of body i at time t, good until `until`: velocities go from those at the start to v_end, w_end;
    it moves as they say plus the pseudo-velocity `push`, and turns with `spin` (all world axes). The speed bound is the
    caller's."""
    x, q, v, w = start
    h = until - t
    turn = rotate_inverse(q, spin)
    arcs[i, T0] = t
    for k in range(3):
        arcs[i, POSITION + k] = x[k]
        arcs[i, VELOCITY + k] = v[k]
        arcs[i, HELD_TURN + k] = turn[k]
        arcs[i, HELD_OMEGA + k] = w[k]
        arcs[i, HELD_PUSH + k] = push[k]
        arcs[i, HELD_ACCELERATION + k] = (v_end[k] - v[k]) / h if h > 0.0 else 0.0
        arcs[i, HELD_ALPHA + k] = (w_end[k] - w[k]) / h if h > 0.0 else 0.0
    for k in range(4):
        arcs[i, ORIENTATION + k] = q[k]
    arcs[i, OMEGA_MAX] = norm(spin)
    arcs[i, POLY_SLACK] = 0.0
    arcs[i, HELD_UNTIL] = until
    arcs[i, POLY_RATE] = 0.0


@kernel
def pause_held(arcs: Floats, i: int, t: float, motion: Motion) -> None:
    """A held arc of body i that goes on as it is: its group makes a step at once."""
    zero = (0.0, 0.0, 0.0)
    set_held(arcs, i, t, t, motion, motion.v, motion.w, zero, motion.w)


@kernel
def go_on_with(bodies: Floats, arcs: Floats, i: int, motion: Motion, t: float) -> None:
    """Held body i goes on from t with another motion, until its group makes a step at once."""
    pause_held(arcs, i, t, motion)
    arcs[i, SPEED_BOUND] = max(arcs[i, SPEED_BOUND], fastest_point(bodies, i, motion.v, motion.w))


@kernel
def bound_held(bodies: Floats, arcs: Floats, i: int, t: float, v: Vec3, d: Vec3) -> tuple[float, float, float, float]:
    """TOI coefficients (A, B, Q) of held body i from time t on, its velocity being v then, and until when they hold."""
    if arcs[i, HELD] == ASLEEP:
        return 0.0, 0.0, 0.0, inf
    if arcs[i, POLY_RATE] != 0.0:
        return bound_polynomial(bodies, arcs, i, t, v, d)
    a = 0.5 * dot(vector_at(arcs, i, HELD_ACCELERATION), d)
    b = dot(add(v, vector_at(arcs, i, HELD_PUSH)), d)
    # Twice what a turn about a fixed axis needs: the axis of a body of revolution turns too.
    return a, b, bodies[i, ARM] * arcs[i, OMEGA_MAX] * arcs[i, OMEGA_MAX], arcs[i, HELD_UNTIL]


@kernel
def turns_with(arcs: Floats, i: int, q: Quat, w: Vec3, t: float) -> Vec3:
    """How held body i turns, pseudo-velocities and all, while its angular velocity is w at time t (world axes)."""
    if arcs[i, HELD] == ASLEEP:
        return w
    if arcs[i, POLY_RATE] != 0.0:
        return add_scaled(w, vector_at(arcs, i, POLY_TURN_PUSH), push_slope(arcs, i, t))
    return rotate(q, vector_at(arcs, i, HELD_TURN))


@kernel
def moves_with(arcs: Floats, i: int, motion: Motion, t: float) -> Motion:
    """The motion of held body i at time t with its pseudo-velocities added to its velocities."""
    if arcs[i, HELD] == ASLEEP:
        return motion
    x, q, v, w = motion
    slope = push_slope(arcs, i, t) if arcs[i, POLY_RATE] != 0.0 else 1.0
    move = add_scaled(v, vector_at(arcs, i, HELD_PUSH), slope)
    return Motion(x, q, move, turns_with(arcs, i, q, w, t))


@kernel
def fastest_point(bodies: Floats, i: int, v: Vec3, w: Vec3) -> float:
    """The speed [m/s] that no point of body i exceeds with this twist."""
    return norm(v) + bodies[i, ARM] * norm(w)


@kernel
def _place_held(arcs: Floats, i: int, t: float, axis: int) -> float:
    """Where the centre of mass of held body i is at time t along a world axis [m]."""
    dt = t - arcs[i, T0]
    if dt == 0.0:  # asked after every step
        return float(arcs[i, POSITION + axis])
    if arcs[i, POLY_RATE] != 0.0:
        return place_along(arcs, i, t, axis)
    v = arcs[i, VELOCITY + axis] + arcs[i, HELD_PUSH + axis] + 0.5 * dt * arcs[i, HELD_ACCELERATION + axis]
    return arcs[i, POSITION + axis] + dt * v


@kernel
def sweep_held(bodies: Floats, arcs: Floats, i: int, t0: float, t1: float, axis: int) -> tuple[float, float]:
    """Interval along a world axis that contains held body i throughout [t0, t1], by its speed bound."""
    x = _place_held(arcs, i, t0, axis)
    reach = bodies[i, RADIUS]
    if arcs[i, HELD] != ASLEEP:
        reach += arcs[i, SPEED_BOUND] * (t1 - t0)
    return x - reach, x + reach
