"""Scripted arcs: unalterable formulas of time, impervious to impulses (Mirtich 1996, 2.5)."""

from __future__ import annotations

from math import cos, sin, sqrt

from engine.kernel import kernel
from engine.maths.quaternions import Quat, from_axis_angle, multiply, rotate
from engine.maths.vectors import Vec3, add, cross, dot, sub
from engine.model.model import ARM, SCRIPT, Floats
from engine.model.state import ORIENTATION, POSITION


@kernel
def read_start(arcs: Floats, i: int) -> tuple[Vec3, Quat]:
    """Position and orientation of scripted body i at time 0."""
    x = (arcs[i, POSITION], arcs[i, POSITION + 1], arcs[i, POSITION + 2])
    q = (arcs[i, ORIENTATION], arcs[i, ORIENTATION + 1], arcs[i, ORIENTATION + 2], arcs[i, ORIENTATION + 3])
    return x, q


@kernel
def read_axis(bodies: Floats, i: int, at: int) -> Vec3:
    return (bodies[i, SCRIPT + at], bodies[i, SCRIPT + at + 1], bodies[i, SCRIPT + at + 2])


@kernel
def evolve_spinner(bodies: Floats, arcs: Floats, i: int, t: float) -> tuple[Vec3, Quat, Vec3, Vec3]:
    """A turntable: constant angular velocity about an axis through its centre of rotation."""
    x0, q0 = read_start(arcs, i)
    axis = read_axis(bodies, i, 0)
    rate = bodies[i, SCRIPT + 3]
    centre = read_axis(bodies, i, 4)
    turn = from_axis_angle(axis, rate * t)
    arm = rotate(turn, sub(x0, centre))
    w = (axis[0] * rate, axis[1] * rate, axis[2] * rate)
    return add(centre, arm), multiply(turn, q0), cross(w, arm), w


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


@kernel
def evolve_oscillator(bodies: Floats, arcs: Floats, i: int, t: float) -> tuple[Vec3, Quat, Vec3, Vec3]:
    """A vibrating body: x0 + amplitude sin(frequency t + phase), orientation constant."""
    x0, q0 = read_start(arcs, i)
    amplitude = read_axis(bodies, i, 0)
    angular = bodies[i, SCRIPT + 3]
    angle = angular * t + bodies[i, SCRIPT + 4]
    s = sin(angle)
    c = angular * cos(angle)
    x = (x0[0] + amplitude[0] * s, x0[1] + amplitude[1] * s, x0[2] + amplitude[2] * s)
    return x, q0, (amplitude[0] * c, amplitude[1] * c, amplitude[2] * c), (0.0, 0.0, 0.0)


@kernel
def bound_oscillator(bodies: Floats, i: int, v: Vec3, d: Vec3) -> tuple[float, float, float]:
    """TOI coefficients (A, B, Q), see bound_ballistic: acceleration never exceeds amplitude times frequency squared."""
    angular = bodies[i, SCRIPT + 3]
    return 0.5 * angular * angular * abs(dot(read_axis(bodies, i, 0), d)), dot(v, d), 0.0
