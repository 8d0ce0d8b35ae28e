"""Linked arcs: how a body that joints tie to others moves through one step of its contact group.

The joints' forces bend its path within the step: a parabola is right at the step's ends, but between them joints would
gape. The centre of mass follows the polynomial that has the right place, velocity and acceleration at both ends. So
does the turn since the step's start, as a vector theta along its axis in the world, whose rate is not the angular
velocity:

    w = dexp(theta) theta',    theta' = dexp^-1(theta) w        (Hairer, Lubich and Wanner 2006, III.4),

both in closed form. Speeds between the ends of a step are wrong by the fifth power of its length. Where contacts push
the body (see held arcs) it is moved by smooth steps, with no velocity. Bodies that no joint ties have such arcs too,
with velocities that change linearly: what touches at both ends of a step then does not dip between them.
"""

from __future__ import annotations

from math import cos, sin, sqrt

from engine.kernel import kernel
from engine.maths.quaternions import Quat, multiply, normalize, rotate_inverse
from engine.maths.vectors import Vec3, add, add_scaled, cross, dot, norm, scale, sub
from engine.model.model import ARM, Floats
from engine.model.state import (
    HELD_ACCELERATION,
    HELD_ALPHA,
    HELD_BENDS,
    HELD_EASE,
    HELD_FLOW,
    HELD_OMEGA,
    HELD_PUSH,
    HELD_SLACK,
    HELD_SMOOTH,
    HELD_TURN_FLOW,
    HELD_TURN_PUSH,
    HELD_UNTIL,
    OMEGA,
    OMEGA_MAX,
    ORIENTATION,
    POSITION,
    T0,
    VELOCITY,
)

_SMALL = 1e-6  # rad^2: below, series say the same to rounding
_STEEPEST = 1.5  # slope of the smooth step at its middle
_CHANGE = 3.0  # half of how fast that slope changes at most, at its ends
_LEANING = 0.07  # the largest slope of what bends an arc, as a part of the bend times the step


@kernel
def dexp(theta: Vec3, rate: Vec3) -> Vec3:
    """Angular velocity (world) of a body turned by theta whose theta changes at `rate`."""
    size2 = dot(theta, theta)
    size = norm(theta)
    first = 0.5 - size2 / 24.0 if size2 < _SMALL else 2.0 * sin(0.5 * size) ** 2 / size2
    second = 1.0 / 6.0 - size2 / 120.0 if size2 < _SMALL else (size - sin(size)) / (size2 * size)
    once = cross(theta, rate)
    return add_scaled(add_scaled(rate, once, first), cross(theta, once), second)


@kernel
def dexp_inverse(theta: Vec3, w: Vec3) -> Vec3:
    """How theta changes of a body turned by theta, less than half a turn, with angular velocity w (world)."""
    size2 = dot(theta, theta)
    size = norm(theta)
    second = 1.0 / 12.0 + size2 / 720.0
    if size2 >= _SMALL:
        second = 1.0 / size2 - (1.0 + cos(size)) / (2.0 * size * sin(size))
    once = cross(theta, w)
    return add_scaled(add_scaled(w, once, -0.5), cross(theta, once), second)


@kernel
def exp_turn(theta: Vec3, q: Quat) -> Quat:
    """q turned by theta, world axes."""
    size = norm(theta)
    s = 0.5 - size * size / 48.0 if size * size < _SMALL else sin(0.5 * size) / size
    return normalize(multiply((cos(0.5 * size), s * theta[0], s * theta[1], s * theta[2]), q))


@kernel
def turn_acceleration(theta: Vec3, rate: Vec3, alpha: Vec3) -> Vec3:
    """theta'' of a body turned by theta, not far, which changes at `rate`; alpha: angular acceleration (world)."""
    size2, growth = dot(theta, theta), dot(theta, rate)
    once = cross(theta, rate)
    alpha = add_scaled(alpha, once, growth * (1.0 / 12.0 - size2 / 180.0))
    alpha = add_scaled(alpha, cross(theta, once), growth * (1.0 / 60.0 - size2 / 1260.0))
    alpha = add_scaled(alpha, cross(rate, once), -(1.0 / 6.0 - size2 / 120.0))
    return dexp_inverse(theta, alpha)


@kernel
def _read(arcs: Floats, i: int, column: int) -> Vec3:
    return (arcs[i, column], arcs[i, column + 1], arcs[i, column + 2])


@kernel
def evolve_linked(arcs: Floats, i: int, t: float) -> tuple[Vec3, Quat, Vec3, Vec3]:
    """Position, orientation, velocity and world angular velocity of linked body i at time t, up to its step's end."""
    dt = t - arcs[i, T0]
    s = dt * arcs[i, HELD_SMOOTH]
    moved = dt * s * (3.0 - 2.0 * s)  # h times the smooth step
    rest = 1.0 - s
    slope = 6.0 * s * rest
    h = 1.0 / arcs[i, HELD_SMOOTH]
    bend_0, bend_1 = 0.5 * h * h * s * s * rest * rest * rest, 0.5 * h * h * s * s * s * rest * rest
    lean_0 = 0.5 * h * s * rest * rest * (2.0 * rest - 3.0 * s)
    lean_1 = 0.5 * h * s * s * rest * (3.0 * rest - 2.0 * s)
    at_0, at_1 = _read(arcs, i, HELD_BENDS), _read(arcs, i, HELD_BENDS + 3)
    turn_0, turn_1 = _read(arcs, i, HELD_BENDS + 6), _read(arcs, i, HELD_BENDS + 9)
    v, a, flow = _read(arcs, i, VELOCITY), _read(arcs, i, HELD_ACCELERATION), _read(arcs, i, HELD_FLOW)
    x = add_scaled(_read(arcs, i, POSITION), add_scaled(v, a, 0.5 * dt), dt)
    x = add_scaled(x, add(flow, _read(arcs, i, HELD_PUSH)), moved)
    x = add_scaled(add_scaled(x, at_0, bend_0), at_1, bend_1)
    v = add_scaled(add_scaled(v, a, dt), flow, slope)
    v = add_scaled(add_scaled(v, at_0, lean_0), at_1, lean_1)
    w, alpha, flow = _read(arcs, i, HELD_OMEGA), _read(arcs, i, HELD_ALPHA), _read(arcs, i, HELD_TURN_FLOW)
    theta = add_scaled(scale(add_scaled(w, alpha, 0.5 * dt), dt), flow, moved)
    theta = add_scaled(add_scaled(theta, turn_0, bend_0), turn_1, bend_1)
    rate = add_scaled(add_scaled(w, alpha, dt), flow, slope)
    w = dexp(theta, add_scaled(add_scaled(rate, turn_0, lean_0), turn_1, lean_1))
    q = (arcs[i, ORIENTATION], arcs[i, ORIENTATION + 1], arcs[i, ORIENTATION + 2], arcs[i, ORIENTATION + 3])
    return x, exp_turn(add_scaled(theta, _read(arcs, i, HELD_TURN_PUSH), moved), q), v, w


@kernel
def set_linked(
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
    flow: Vec3,
    turn_flow: Vec3,
    push: Vec3,
    turn_push: Vec3,
    bends: Floats,
    row: int,
    column: int,
) -> None:
    """Start a linked arc of body i at time t, good until `until`: velocities go from v, w to v_end, w_end.

    It moves by h times the mean of the velocities and `flow`, of which `turn_flow` is the part that turns, and is
    pushed by `push` and `turn_push` besides (all world axes). bends[row, column] and on: 12, see HELD_BENDS. The
    promise is the caller's.
    """
    h = until - t
    theta = scale(add_scaled(turn_flow, add(w, w_end), 0.5), h)
    rate = dexp_inverse(theta, w_end)
    bend = sub(scale(theta, 1.0 / h), scale(add(w, rate), 0.5))
    turn = rotate_inverse(q, add(scale(theta, 1.0 / h), turn_push))
    arcs[i, T0] = t
    for k in range(3):
        arcs[i, POSITION + k] = x[k]
        arcs[i, VELOCITY + k] = v[k]
        arcs[i, OMEGA + k] = turn[k]
        arcs[i, HELD_OMEGA + k] = w[k]
        arcs[i, HELD_PUSH + k] = push[k]
        arcs[i, HELD_FLOW + k] = flow[k]
        arcs[i, HELD_TURN_PUSH + k] = turn_push[k]
        arcs[i, HELD_TURN_FLOW + k] = bend[k]
        arcs[i, HELD_ACCELERATION + k] = (v_end[k] - v[k]) / h
        arcs[i, HELD_ALPHA + k] = (rate[k] - w[k]) / h
    for k in range(4):
        arcs[i, ORIENTATION + k] = q[k]
    for k in range(12):
        arcs[i, HELD_BENDS + k] = bends[row, column + k]
    leaning = _LEANING * h * (norm(_read(arcs, i, HELD_BENDS + 6)) + norm(_read(arcs, i, HELD_BENDS + 9)))
    more = _STEEPEST * (norm(bend) + norm(turn_push)) + leaning
    fastest = max(norm(w), norm(rate)) + more
    fastest *= 1.0 + 0.5 * norm(theta)  # the axis of the turn turns
    arcs[i, OMEGA_MAX] = fastest
    arcs[i, HELD_SLACK] = 0.0
    if leaning + norm(flow) + norm(turn_flow) > 0.0:
        arcs[i, HELD_SLACK] = norm(sub(rate, w)) + 2.0 * more + 0.5 * h * fastest * fastest
    arcs[i, HELD_UNTIL] = until
    arcs[i, HELD_SMOOTH] = 1.0 / h
    arcs[i, HELD_EASE] = 0.0


@kernel
def bound_linked(bodies: Floats, arcs: Floats, i: int, t: float, v: Vec3, d: Vec3) -> tuple[float, float, float, float]:
    """TOI coefficients (A, B, Q) of linked body i from time t on, its velocity being v, and until when they hold."""
    push, ease = dot(_read(arcs, i, HELD_PUSH), d), _CHANGE * arcs[i, HELD_SMOOTH]
    a = 0.5 * dot(_read(arcs, i, HELD_ACCELERATION), d) + ease * abs(push)
    b = dot(v, d) + push_slope(arcs, i, t) * push + 2.0 * _STEEPEST * norm(_read(arcs, i, HELD_FLOW))
    leaning = norm(_read(arcs, i, HELD_BENDS)) + norm(_read(arcs, i, HELD_BENDS + 3))
    b += 2.0 * _LEANING * leaning / arcs[i, HELD_SMOOTH] + arcs[i, HELD_SLACK] * bodies[i, ARM]
    # |dw/dt| <= 1.75 (|theta''|) + 0.5 |w|^2 while the body turns by 1 rad at most; half of that, and as in held arcs.
    alpha = norm(_read(arcs, i, HELD_ALPHA)) + 6.0 * arcs[i, HELD_SMOOTH] * norm(_read(arcs, i, HELD_TURN_FLOW))
    alpha += ease * norm(_read(arcs, i, HELD_TURN_PUSH))
    turn = bodies[i, ARM] * (1.5 * arcs[i, OMEGA_MAX] * arcs[i, OMEGA_MAX] + 1.8 * alpha)
    return a, b, turn, arcs[i, HELD_UNTIL]


@kernel
def push_slope(arcs: Floats, i: int, t: float) -> float:
    """How fast the pushes of linked body i move it at time t, as a part of how fast they do on average [1]."""
    s = (t - arcs[i, T0]) * arcs[i, HELD_SMOOTH]
    return 6.0 * s * (1.0 - s)


@kernel
def linked_speed(arcs: Floats, i: int, arm: float) -> float:
    """By how much a point of linked body i may be faster within its step than at both ends [m/s]; arm: how far out."""
    ends = arcs[i, HELD_OMEGA] ** 2 + arcs[i, HELD_OMEGA + 1] ** 2 + arcs[i, HELD_OMEGA + 2] ** 2
    leaning = norm(_read(arcs, i, HELD_BENDS)) + norm(_read(arcs, i, HELD_BENDS + 3))
    move = _STEEPEST * (norm(_read(arcs, i, HELD_FLOW)) + norm(_read(arcs, i, HELD_PUSH)))
    turn = max(arcs[i, OMEGA_MAX] - sqrt(ends), 0.0)
    return move + _LEANING * leaning / arcs[i, HELD_SMOOTH] + turn * arm
