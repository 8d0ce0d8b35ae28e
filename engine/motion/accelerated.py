"""Scripted arcs of constant acceleration: a body that travels, and turns about an axis that travels with it.

The axis goes through a point c(t) = c0 + v t + a t^2 / 2, and the body has turned by rate t + alpha t^2 / 2 about it.
After a time it may accelerate no more: then it goes on as it is.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.kernel import kernel
from engine.maths.quaternions import from_axis_angle, multiply, rotate
from engine.maths.vectors import Vec3, add, add_scaled, cross, dot, norm, scale, sub, vector_at
from engine.model.model import ARM, EXTENT, RADIUS, SCRIPT, TRAVEL, Floats
from engine.model.state import POSITION
from engine.motion.motion import Motion
from engine.motion.scripted import read_axis, read_start

# Where its numbers stand in SCRIPT.
_AXIS = 0
_RATE = 3
_ALPHA = 4
_CENTRE = 5
_UNTIL = 8


@kernel
def evolve_accelerated(bodies: Floats, arcs: Floats, i: int, t: float) -> Motion:
    """Pose and twist at time t: exact."""
    x0, q0 = read_start(arcs, i)
    axis, centre = read_axis(bodies, i, _AXIS), read_axis(bodies, i, _CENTRE)
    v, a = vector_at(bodies, i, TRAVEL), vector_at(bodies, i, TRAVEL + 3)
    rate, alpha, until = bodies[i, SCRIPT + _RATE], bodies[i, SCRIPT + _ALPHA], bodies[i, SCRIPT + _UNTIL]
    dt = min(t, until)
    rest = t - dt
    travelled = add_scaled(scale(v, t), a, dt * (0.5 * dt + rest))
    turn = from_axis_angle(axis, rate * t + alpha * dt * (0.5 * dt + rest))
    arm = rotate(turn, sub(x0, centre))
    w = scale(axis, rate + alpha * dt)
    x = add(add(centre, travelled), arm)
    return Motion(x, multiply(turn, q0), add(add_scaled(v, a, dt), cross(w, arm)), w)


@kernel
def bound_accelerated(
    bodies: Floats, arcs: Floats, i: int, t: float, v: Vec3, d: Vec3
) -> tuple[float, float, float, float]:
    """TOI coefficients (A, B, Q), see bound_ballistic, and until when they hold.

    What travels does so as a parabola, exactly. A turn that gets faster is bounded for a while: at most until it is
    twice as fast, or from rest has turned by half a radian.
    """
    rate, alpha, until = _turning_at(bodies, i, t)
    holds = until
    if alpha > 0.0:
        lasts = max(rate, sqrt(alpha)) / alpha
        rate += alpha * min(lasts, until - t)
        holds = min(holds, t + lasts)
    travel, turn, orbit = _accelerations(bodies, arcs, i, t, d, rate, alpha)
    return 0.5 * (travel + orbit * turn), dot(v, d), 0.5 * turn * bodies[i, ARM], holds


@kernel
def most_acceleration(bodies: Floats, arcs: Floats, i: int, t: float, d: Vec3) -> float:
    """An acceleration [m/s^2] along the unit vector d, or against it, that no point of body i exceeds at time t."""
    rate, alpha, _ = _turning_at(bodies, i, t)
    travel, turn, orbit = _accelerations(bodies, arcs, i, t, d, rate, alpha)
    return abs(travel) + turn * (orbit + bodies[i, ARM])


@kernel
def _turning_at(bodies: Floats, i: int, t: float) -> tuple[float, float, float]:
    """Sizes of angular velocity and angular acceleration at time t, and until when that acceleration is so."""
    until = bodies[i, SCRIPT + _UNTIL]
    rate = abs(bodies[i, SCRIPT + _RATE] + bodies[i, SCRIPT + _ALPHA] * min(t, until))
    if t >= until:
        return rate, 0.0, inf
    return rate, abs(bodies[i, SCRIPT + _ALPHA]), until


@kernel
def _accelerations(
    bodies: Floats, arcs: Floats, i: int, t: float, d: Vec3, rate: float, alpha: float
) -> tuple[float, float, float]:
    """Along d: how the axis accelerates, and a point a metre from it does besides; how far the body's origin is."""
    travel = dot(vector_at(bodies, i, TRAVEL + 3), d) if t < bodies[i, SCRIPT + _UNTIL] else 0.0
    axis = read_axis(bodies, i, _AXIS)
    along = dot(axis, d)
    across = sqrt(max(0.0, 1.0 - along * along))
    x0, _ = read_start(arcs, i)
    return travel, (rate * rate + alpha) * across, norm(sub(x0, read_axis(bodies, i, _CENTRE)))


@kernel
def sweep_accelerated(bodies: Floats, arcs: Floats, i: int, t0: float, t1: float, axis: int) -> tuple[float, float]:
    """Interval along a world axis that contains body i throughout [t0, t1]; of one that turns, its whole orbit."""
    v, a = bodies[i, TRAVEL + axis], bodies[i, TRAVEL + 3 + axis]
    until = bodies[i, SCRIPT + _UNTIL]
    low, high = inf, -inf
    turns_back = -v / a if a != 0.0 else inf
    for k in range(3):
        t = t0 if k == 0 else t1 if k == 1 else turns_back
        if t0 <= t <= t1 and (k < 2 or t <= until):
            dt = min(t, until)
            x = v * t + a * dt * (t - 0.5 * dt)
            low, high = min(low, x), max(high, x)
    x0 = arcs[i, POSITION + axis]
    centre = bodies[i, SCRIPT + _CENTRE + axis]
    if bodies[i, SCRIPT + _RATE] == 0.0 and bodies[i, SCRIPT + _ALPHA] == 0.0:
        return x0 + low + bodies[i, EXTENT + axis], x0 + high + bodies[i, EXTENT + 3 + axis]
    start, _ = read_start(arcs, i)
    reach = norm(sub(start, read_axis(bodies, i, _CENTRE))) + bodies[i, RADIUS]
    return centre + low - reach, centre + high + reach


@kernel
def accelerated_travel(bodies: Floats, i: int, distance: float, t: float) -> float:
    """A time [s] from t on in which the axis of body i moves at most `distance` [m] along any world axis."""
    dt = min(t, bodies[i, SCRIPT + _UNTIL])
    longest = inf
    for axis in range(3):
        a = bodies[i, TRAVEL + 3 + axis]
        v = abs(bodies[i, TRAVEL + axis] + dt * a)
        pace = v + sqrt(v * v + 2.0 * abs(a) * distance)
        if pace * longest > 2.0 * distance:
            longest = 2.0 * distance / pace
    return longest
