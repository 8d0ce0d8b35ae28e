"""Polynomial arcs: how a body moves through one step of its contact group.

The centre of mass follows the polynomial that has the right place, velocity and acceleration at both ends: the forces
of joints bend a path within the step, and with a parabola joints would gape there. So does the turn since the step's
start, as a vector theta along its axis in the world, whose rate is not the angular velocity:

    w = dexp(theta) theta',    theta' = dexp^-1(theta) w        (Hairer, Lubich and Wanner 2006, III.4),

both in closed form. Between the ends speeds would be wrong by the fifth power of the step's length; where it is known
how the body goes through its middle, a bulge leads it through that place with that velocity and acceleration, and they
are by the eighth. Pseudo-velocities (see held arcs) move the body by smooth steps. Where no joint ties the body,
velocities change linearly: what touches at both ends of a step then does not dip between them.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from engine.kernel import kernel
from engine.maths.quaternions import Quat, multiply, normalize
from engine.maths.small_turns import half_turn, inverse_share, turn_shares
from engine.maths.vectors import Vec3, add, add_scaled, cross, dot, norm, scale, sub, vector_at
from engine.model.model import ARM, Floats
from engine.model.state import (
    HELD_ACCELERATION,
    HELD_ALPHA,
    HELD_OMEGA,
    HELD_PUSH,
    HELD_UNTIL,
    OMEGA_MAX,
    ORIENTATION,
    POLY_BENDS,
    POLY_BULGE,
    POLY_FLOW,
    POLY_RATE,
    POLY_SLACK,
    POLY_TURN_FLOW,
    POLY_TURN_PUSH,
    POSITION,
    T0,
    VELOCITY,
)
from engine.motion.motion import Motion

_STEEPEST = 1.5  # slope of the smooth step at its middle
_CHANGE = 3.0  # half of how fast that slope changes at most, at its ends
_SWELLING = (3.44, 1.0, 0.181)  # the largest slopes of the parts of a bulge, as parts of them over the step's length
_BENDING = (24.0, 7.91, 2.27)  # and how fast those change at most
_LEANING = 0.07  # the largest slope of what bends an arc, as a part of the bend times the step

Bends = tuple[Vec3, Vec3, Vec3, Vec3]
Bulge = tuple[Vec3, Vec3, Vec3]
Ways = tuple[float, float, float, float, float, float]


class Course(NamedTuple):
    """How a body goes through a step, besides where and how fast it starts (world axes).

    It moves by the step's length times the mean of the velocities at both ends, `flow` and `push`.
    """

    v_end: Vec3  # velocities at the end
    w_end: Vec3
    flow: Vec3  # mean velocity less the mean of those at both ends [m/s]
    turn_flow: Vec3  # the same of its turn [rad/s]
    push: Vec3  # pseudo-velocities
    turn_push: Vec3
    bends: Bends  # see POLY_BENDS
    bulge: Bulge  # see POLY_BULGE
    turn_bulge: Bulge


@kernel
def dexp(theta: Vec3, rate: Vec3) -> Vec3:
    """Angular velocity (world) of a body turned by theta whose theta changes at `rate`."""
    first, second = turn_shares(dot(theta, theta))
    once = cross(theta, rate)
    return add_scaled(add_scaled(rate, once, first), cross(theta, once), second)


@kernel
def dexp_inverse(theta: Vec3, w: Vec3) -> Vec3:
    """How theta changes of a body turned by theta, less than half a turn, with angular velocity w (world)."""
    once = cross(theta, w)
    return add_scaled(add_scaled(w, once, -0.5), cross(theta, once), inverse_share(dot(theta, theta)))


@kernel
def exp_turn(theta: Vec3, q: Quat) -> Quat:
    """q turned by theta, world axes."""
    c, s = half_turn(dot(theta, theta))
    return normalize(multiply((c, s * theta[0], s * theta[1], s * theta[2]), q))


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
def ways_within(s: float, h: float) -> Ways:
    """How far flow, bends at both ends and the parts of a bulge have come at the part s of a step h."""
    rest, y = 1.0 - s, s - 0.5
    both = s * rest
    bend = 0.5 * h * h * both * both
    swollen = 64.0 * both * both * both
    return h * s * s * (3.0 - 2.0 * s), bend * rest, bend * s, swollen, swollen * y, swollen * y * y


@kernel
def speeds_within(s: float, h: float) -> Ways:
    """And how fast they come then [1/s times as much]."""
    rest, y = 1.0 - s, s - 0.5
    both = s * rest
    p = 4.0 * both
    steep = p * p / h
    return (
        6.0 * both,
        0.5 * h * both * rest * (2.0 * rest - 3.0 * s),
        0.5 * h * both * s * (3.0 * rest - 2.0 * s),
        -24.0 * y * steep,
        (p - 24.0 * y * y) * steep,
        (2.0 * p - 24.0 * y * y) * y * steep,
    )


@kernel
def find_bulge(lacks: Vec3, slow: Vec3, straight: Vec3) -> Bulge:
    """The bulge that moves the middle of a step by `lacks` [m], and makes it faster and bends it by so much more, times
    the step's length and its square [m]."""
    return lacks, slow, add_scaled(scale(lacks, 12.0), straight, 0.5)


@kernel
def swell(x: Vec3, bulge: Bulge, first: float, second: float, third: float) -> Vec3:
    """x and the parts of a bulge, times so much."""
    return add_scaled(add_scaled(add_scaled(x, bulge[0], first), bulge[1], second), bulge[2], third)


@kernel
def bulge_of(table: Floats, i: int, column: int) -> Bulge:
    """The parts of a bulge that stand in row i from a column on."""
    return vector_at(table, i, column), vector_at(table, i, column + 3), vector_at(table, i, column + 6)


@kernel
def _swelling(arcs: Floats, i: int, column: int) -> float:
    """No faster does a bulge come in its step [m/s], [rad/s]."""
    first, second, third = bulge_of(arcs, i, column)
    size = _SWELLING[0] ** 2 * dot(first, first) + _SWELLING[1] ** 2 * dot(second, second)
    return sqrt(3.0 * (size + _SWELLING[2] ** 2 * dot(third, third))) * arcs[i, POLY_RATE]


@kernel
def _leaning(arcs: Floats, i: int, column: int) -> float:
    """No faster do bends at both ends, in these columns, lead on in its step [m/s], [rad/s]."""
    first, last = vector_at(arcs, i, column), vector_at(arcs, i, column + 3)
    return _LEANING * sqrt(2.0 * (dot(first, first) + dot(last, last))) / arcs[i, POLY_RATE]


@kernel
def bend_of_arc(flow: Vec3, push: Vec3, bend_0: Vec3, bend_1: Vec3, bulge: Bulge, h: float) -> float:
    """The most that these bend the path of a step h, besides its velocities [m] or [rad]: the largest second derivative
    times the square of h."""
    bend = 2.0 * _CHANGE * h * (norm(flow) + norm(push)) + h * h * (norm(bend_0) + norm(bend_1))
    return bend + _BENDING[0] * norm(bulge[0]) + _BENDING[1] * norm(bulge[1]) + _BENDING[2] * norm(bulge[2])


@kernel
def place_along(arcs: Floats, i: int, t: float, axis: int) -> float:
    """Where the centre of mass of body i is at time t along a world axis [m]."""
    dt = t - arcs[i, T0]
    moved, bend_0, bend_1, first, second, third = ways_within(dt * arcs[i, POLY_RATE], 1.0 / arcs[i, POLY_RATE])
    x = arcs[i, POSITION + axis] + dt * (arcs[i, VELOCITY + axis] + 0.5 * dt * arcs[i, HELD_ACCELERATION + axis])
    x += moved * (arcs[i, POLY_FLOW + axis] + arcs[i, HELD_PUSH + axis])
    x += bend_0 * arcs[i, POLY_BENDS + axis] + bend_1 * arcs[i, POLY_BENDS + 3 + axis]
    x += first * arcs[i, POLY_BULGE + axis] + second * arcs[i, POLY_BULGE + 3 + axis]
    return x + third * arcs[i, POLY_BULGE + 6 + axis]


@kernel
def evolve_polynomial(arcs: Floats, i: int, t: float) -> Motion:
    """The motion of body i at time t, up to its step's end."""
    dt = t - arcs[i, T0]
    s, h = dt * arcs[i, POLY_RATE], 1.0 / arcs[i, POLY_RATE]
    moved, bend_0, bend_1, first, second, third = ways_within(s, h)
    slope, lean_0, lean_1, steep, steeper, steepest = speeds_within(s, h)
    bulge, turn_bulge = bulge_of(arcs, i, POLY_BULGE), bulge_of(arcs, i, POLY_BULGE + 9)
    at_0, at_1 = vector_at(arcs, i, POLY_BENDS), vector_at(arcs, i, POLY_BENDS + 3)
    turn_0, turn_1 = vector_at(arcs, i, POLY_BENDS + 6), vector_at(arcs, i, POLY_BENDS + 9)
    v, a, flow = vector_at(arcs, i, VELOCITY), vector_at(arcs, i, HELD_ACCELERATION), vector_at(arcs, i, POLY_FLOW)
    x = add_scaled(vector_at(arcs, i, POSITION), add_scaled(v, a, 0.5 * dt), dt)
    x = add_scaled(x, add(flow, vector_at(arcs, i, HELD_PUSH)), moved)
    x = add_scaled(add_scaled(x, at_0, bend_0), at_1, bend_1)
    x = swell(x, bulge, first, second, third)
    v = add_scaled(add_scaled(v, a, dt), flow, slope)
    v = add_scaled(add_scaled(v, at_0, lean_0), at_1, lean_1)
    v = swell(v, bulge, steep, steeper, steepest)
    w, alpha, flow = vector_at(arcs, i, HELD_OMEGA), vector_at(arcs, i, HELD_ALPHA), vector_at(arcs, i, POLY_TURN_FLOW)
    theta = add_scaled(scale(add_scaled(w, alpha, 0.5 * dt), dt), flow, moved)
    theta = add_scaled(add_scaled(theta, turn_0, bend_0), turn_1, bend_1)
    theta = swell(theta, turn_bulge, first, second, third)
    rate = add_scaled(add_scaled(w, alpha, dt), flow, slope)
    rate = swell(rate, turn_bulge, steep, steeper, steepest)
    w = dexp(theta, add_scaled(add_scaled(rate, turn_0, lean_0), turn_1, lean_1))
    q = (arcs[i, ORIENTATION], arcs[i, ORIENTATION + 1], arcs[i, ORIENTATION + 2], arcs[i, ORIENTATION + 3])
    return Motion(x, exp_turn(add_scaled(theta, vector_at(arcs, i, POLY_TURN_PUSH), moved), q), v, w)


@kernel
def set_polynomial(arcs: Floats, i: int, t: float, until: float, start: Motion, course: Course) -> None:
    """Start a polynomial arc of body i at time t, good until `until`. The speed bound is the caller's."""
    x, q, v, w = start
    v_end, w_end, flow, turn_flow, push, turn_push, bends, bulge, turn_bulge = course
    h = until - t
    theta = scale(add_scaled(turn_flow, add(w, w_end), 0.5), h)
    rate = dexp_inverse(theta, w_end)
    bend = sub(scale(theta, 1.0 / h), scale(add(w, rate), 0.5))
    arcs[i, T0] = t
    for k in range(3):
        arcs[i, POSITION + k] = x[k]
        arcs[i, VELOCITY + k] = v[k]
        arcs[i, HELD_OMEGA + k] = w[k]
        arcs[i, HELD_PUSH + k] = push[k]
        arcs[i, POLY_FLOW + k] = flow[k]
        arcs[i, POLY_TURN_PUSH + k] = turn_push[k]
        arcs[i, POLY_TURN_FLOW + k] = bend[k]
        arcs[i, HELD_ACCELERATION + k] = (v_end[k] - v[k]) / h
        arcs[i, HELD_ALPHA + k] = (rate[k] - w[k]) / h
    for k in range(4):
        arcs[i, ORIENTATION + k] = q[k]
    for part in range(4):
        for k in range(3):
            arcs[i, POLY_BENDS + 3 * part + k] = bends[part][k]
    for part in range(3):
        for k in range(3):
            arcs[i, POLY_BULGE + 3 * part + k] = bulge[part][k]
            arcs[i, POLY_BULGE + 9 + 3 * part + k] = turn_bulge[part][k]
    arcs[i, HELD_UNTIL] = until
    arcs[i, POLY_RATE] = 1.0 / h
    leaning = _leaning(arcs, i, POLY_BENDS + 6) + _swelling(arcs, i, POLY_BULGE + 9)
    more = _STEEPEST * (norm(bend) + norm(turn_push)) + leaning
    fastest = sqrt(max(dot(w, w), dot(rate, rate))) + more
    fastest *= 1.0 + 0.5 * norm(theta)  # the axis of the turn turns
    arcs[i, OMEGA_MAX] = fastest
    arcs[i, POLY_SLACK] = 0.0
    if leaning + dot(flow, flow) > 0.0:
        arcs[i, POLY_SLACK] = norm(sub(rate, w)) + 2.0 * more + 0.5 * h * fastest * fastest


@kernel
def bound_polynomial(
    bodies: Floats, arcs: Floats, i: int, t: float, v: Vec3, d: Vec3
) -> tuple[float, float, float, float]:
    """TOI coefficients (A, B, Q) of body i from time t on, its velocity being v, and until when they hold."""
    push, ease = dot(vector_at(arcs, i, HELD_PUSH), d), _CHANGE * arcs[i, POLY_RATE]
    a = 0.5 * dot(vector_at(arcs, i, HELD_ACCELERATION), d) + ease * abs(push)
    b = dot(v, d) + push_slope(arcs, i, t) * push + 2.0 * _STEEPEST * norm(vector_at(arcs, i, POLY_FLOW))
    b += 2.0 * (_swelling(arcs, i, POLY_BULGE) + _leaning(arcs, i, POLY_BENDS)) + arcs[i, POLY_SLACK] * bodies[i, ARM]
    # |dw/dt| <= 1.75 (|theta''|) + 0.5 |w|^2 while the body turns by 1 rad at most; half of that, and as in held arcs.
    alpha = norm(vector_at(arcs, i, HELD_ALPHA)) + 6.0 * arcs[i, POLY_RATE] * norm(vector_at(arcs, i, POLY_TURN_FLOW))
    alpha += ease * norm(vector_at(arcs, i, POLY_TURN_PUSH))
    turn = bodies[i, ARM] * (1.5 * arcs[i, OMEGA_MAX] * arcs[i, OMEGA_MAX] + 1.8 * alpha)
    return a, b, turn, arcs[i, HELD_UNTIL]


@kernel
def push_slope(arcs: Floats, i: int, t: float) -> float:
    """How fast the pseudo-velocities of body i move it at time t, as a part of how fast they do on average [1]."""
    s = (t - arcs[i, T0]) * arcs[i, POLY_RATE]
    return 6.0 * s * (1.0 - s)


@kernel
def excess_speed(arcs: Floats, i: int, arm: float) -> float:
    """By how much a point of body i may be faster within its step than at both ends [m/s]; arm: how far out."""
    move = _STEEPEST * (norm(vector_at(arcs, i, POLY_FLOW)) + norm(vector_at(arcs, i, HELD_PUSH)))
    turn = max(arcs[i, OMEGA_MAX] - norm(vector_at(arcs, i, HELD_OMEGA)), 0.0)
    return move + _swelling(arcs, i, POLY_BULGE) + _leaning(arcs, i, POLY_BENDS) + turn * arm
