"""Scripted arcs that repeat themselves: formulas of time, for kinematic bodies (Mirtich 1996, 2.5)."""

from __future__ import annotations

from math import atan2, ceil, cos, hypot, pi, sin, sqrt

from engine.kernel import kernel
from engine.maths.quaternions import Quat, from_axis_angle, multiply, rotate
from engine.maths.vectors import Vec3, add, cross, dot, sub
from engine.model.model import ARM, EXTENT, SCRIPT, Floats
from engine.model.state import ORIENTATION, POSITION
from engine.motion.motion import Motion
from engine.tolerances import ALIKE

# Where a cycler's numbers stand in SCRIPT.
_ALONG = 0
_ACROSS = 3
_RATE = 6
_PHASE = 7


@kernel
def read_start(arcs: Floats, i: int) -> tuple[Vec3, Quat]:
    """Position and orientation of kinematic body i at time 0."""
    x = (arcs[i, POSITION], arcs[i, POSITION + 1], arcs[i, POSITION + 2])
    q = (arcs[i, ORIENTATION], arcs[i, ORIENTATION + 1], arcs[i, ORIENTATION + 2], arcs[i, ORIENTATION + 3])
    return x, q


@kernel
def read_axis(bodies: Floats, i: int, at: int) -> Vec3:
    return (bodies[i, SCRIPT + at], bodies[i, SCRIPT + at + 1], bodies[i, SCRIPT + at + 2])


# --- spinner ------------------------------------------------------------------------------------------------------


@kernel
def evolve_spinner(bodies: Floats, arcs: Floats, i: int, t: float) -> Motion:
    """A turntable: constant angular velocity about an axis through its centre of rotation."""
    x0, q0 = read_start(arcs, i)
    axis = read_axis(bodies, i, 0)
    rate = bodies[i, SCRIPT + 3]
    centre = read_axis(bodies, i, 4)
    turn = from_axis_angle(axis, rate * t)
    arm = rotate(turn, sub(x0, centre))
    w = (axis[0] * rate, axis[1] * rate, axis[2] * rate)
    return Motion(add(centre, arm), multiply(turn, q0), cross(w, arm), w)


@kernel
def bound_spinner(bodies: Floats, arcs: Floats, i: int, v: Vec3, d: Vec3) -> tuple[float, float, float]:
    """TOI coefficients (A, B, Q), see bound_ballistic. Only d's part across the axis counts."""
    rate = bodies[i, SCRIPT + 3]
    along = dot(read_axis(bodies, i, 0), d)
    across = sqrt(max(0.0, 1.0 - along * along))
    x0, _ = read_start(arcs, i)
    offset = sub(x0, read_axis(bodies, i, 4))
    orbit = sqrt(dot(offset, offset))
    return 0.5 * rate * rate * across * orbit, dot(v, d), 0.5 * rate * rate * across * bodies[i, ARM]


# --- cycler and oscillator ----------------------------------------------------------------------------------------


@kernel
def evolve_cycler(bodies: Floats, arcs: Floats, i: int, t: float) -> Motion:
    """A body on an ellipse: x0 + along cos(rate t + phase) + across sin(rate t + phase), orientation constant.

    An oscillator is one whose `along` is zero.
    """
    x0, q0 = read_start(arcs, i)
    along = read_axis(bodies, i, _ALONG)
    across = read_axis(bodies, i, _ACROSS)
    rate = bodies[i, SCRIPT + _RATE]
    angle = rate * t + bodies[i, SCRIPT + _PHASE]
    c = cos(angle)
    s = sin(angle)
    x = (
        x0[0] + along[0] * c + across[0] * s,
        x0[1] + along[1] * c + across[1] * s,
        x0[2] + along[2] * c + across[2] * s,
    )
    v = (
        rate * (across[0] * c - along[0] * s),
        rate * (across[1] * c - along[1] * s),
        rate * (across[2] * c - along[2] * s),
    )
    return Motion(x, q0, v, (0.0, 0.0, 0.0))


@kernel
def bound_cycler(bodies: Floats, i: int, t: float, v: Vec3, d: Vec3, slack: float) -> tuple[float, float, float]:
    """TOI coefficients (A, B) of cycler i along the unit vector d from time t, and the least way C it has left along d.

    Along d it swings as a cosine of some amplitude, so that its speed is at most rate x amplitude (Mirtich 1996,
    eq. 2.14) and its acceleration at most rate^2 x amplitude (2.15). Of these two bounds the one is taken that is
    tighter when `slack` [m] is used up. Where the way that is left before it turns round is a small part of the slack,
    A = B = 0 and C is that way: however long it swings, it comes no nearer.
    """
    p = dot(read_axis(bodies, i, _ALONG), d)
    q = dot(read_axis(bodies, i, _ACROSS), d)
    amplitude = hypot(p, q)
    rate = bodies[i, SCRIPT + _RATE]
    angle = rate * t + bodies[i, SCRIPT + _PHASE]
    left = amplitude - p * cos(angle) - q * sin(angle)
    if left <= ALIKE * slack:
        return 0.0, 0.0, max(left, 0.0)
    speed = dot(v, d)
    if 2.0 * (rate * amplitude - speed) < rate * slack:
        return 0.0, rate * amplitude, 0.0
    return 0.5 * rate * rate * amplitude, speed, 0.0


@kernel
def sweep_cycler(bodies: Floats, arcs: Floats, i: int, t0: float, t1: float, axis: int) -> tuple[float, float]:
    """Interval along a world axis that contains cycler i throughout [t0, t1]: exact (Mirtich 1996, figure 2.19)."""
    p = bodies[i, SCRIPT + _ALONG + axis]
    q = bodies[i, SCRIPT + _ACROSS + axis]
    amplitude = hypot(p, q)
    # Along the axis it moves as amplitude x cos(angle), whose crests lie at the even multiples of pi.
    rate = bodies[i, SCRIPT + _RATE]
    lead = bodies[i, SCRIPT + _PHASE] - atan2(q, p)
    first = rate * t0 + lead
    last = rate * t1 + lead
    low = amplitude * min(cos(first), cos(last))
    high = amplitude * max(cos(first), cos(last))
    if 2.0 * pi * ceil(first / (2.0 * pi)) <= last:
        high = amplitude
    if 2.0 * pi * ceil((first - pi) / (2.0 * pi)) + pi <= last:
        low = -amplitude
    x = arcs[i, POSITION + axis]
    return x + low + bodies[i, EXTENT + axis], x + high + bodies[i, EXTENT + 3 + axis]


@kernel
def cycler_acceleration(bodies: Floats, i: int, d: Vec3) -> float:
    """The largest acceleration of cycler i along the unit vector d (Mirtich 1996, eq. 2.15) [m/s^2]."""
    rate = bodies[i, SCRIPT + _RATE]
    return rate * rate * hypot(dot(read_axis(bodies, i, _ALONG), d), dot(read_axis(bodies, i, _ACROSS), d))


@kernel
def cycler_speed(bodies: Floats, i: int) -> float:
    """A speed that cycler i never exceeds [m/s]."""
    along = read_axis(bodies, i, _ALONG)
    across = read_axis(bodies, i, _ACROSS)
    return bodies[i, SCRIPT + _RATE] * sqrt(dot(along, along) + dot(across, across))
