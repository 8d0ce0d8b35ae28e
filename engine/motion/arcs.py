"""Every body is on an arc. This file alone asks of what kind; the rest of the engine only calls these functions."""

from __future__ import annotations

from engine.kernel import kernel
from engine.maths.quaternions import Quat, rotate_inverse
from engine.maths.vectors import Vec3, cross
from engine.model.model import (
    FREE,
    INV_MASS,
    INV_MOMENTS,
    KIND,
    OSCILLATOR,
    SPINNER,
    Floats,
    Ints,
)
from engine.model.state import VELOCITY
from engine.motion.ballistic import bound_ballistic, evolve_ballistic, moving_spin, set_ballistic, sweep_ballistic
from engine.motion.scripted import bound_oscillator, bound_spinner, evolve_oscillator, evolve_spinner, read_start


@kernel
def evolve(bodies: Floats, tags: Ints, arcs: Floats, i: int, t: float) -> tuple[Vec3, Quat, Vec3, Vec3]:
    """Position of the centre of mass, orientation, velocity and angular velocity (world axes) of body i at time t."""
    kind = tags[i, KIND]
    if kind == FREE:
        return evolve_ballistic(bodies, arcs, i, t)
    if kind == SPINNER:
        return evolve_spinner(bodies, arcs, i, t)
    if kind == OSCILLATOR:
        return evolve_oscillator(bodies, arcs, i, t)
    x, q = read_start(arcs, i)
    return x, q, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)


@kernel
def bound_travel(bodies: Floats, tags: Ints, arcs: Floats, i: int, v: Vec3, d: Vec3) -> tuple[float, float, float]:
    """TOI coefficients (A, B, Q) of body i along the unit vector d, from a moment at which its velocity is v."""
    kind = tags[i, KIND]
    if kind == FREE:
        return bound_ballistic(bodies, arcs, i, v, d)
    if kind == SPINNER:
        return bound_spinner(bodies, arcs, i, v, d)
    if kind == OSCILLATOR:
        return bound_oscillator(bodies, i, v, d)
    return 0.0, 0.0, 0.0


@kernel
def surface_spin(bodies: Floats, tags: Ints, i: int, q: Quat, w: Vec3) -> Vec3:
    """The part of body i's angular velocity w (world axes) that moves its surface."""
    return moving_spin(bodies, i, q, w) if tags[i, KIND] == FREE else w


@kernel
def sweep_box(bodies: Floats, arcs: Floats, i: int, t0: float, t1: float, axis: int) -> tuple[float, float]:
    """Interval along a world axis that contains free body i throughout [t0, t1].

    Scripted bodies repeat themselves: their boxes hold for ever and are made with the world.
    """
    return sweep_ballistic(bodies, arcs, i, t0, t1, axis)


@kernel
def apply_impulse(
    bodies: Floats, tags: Ints, arcs: Floats, i: int, t: float, x: Vec3, q: Quat, v: Vec3, w: Vec3, r: Vec3, p: Vec3
) -> None:
    """Begin a new arc at t from pose (x, q) and twist (v, w), changed by the impulse p [N s] at offset r (world)."""
    if tags[i, KIND] != FREE:
        return
    torque = rotate_inverse(q, cross(r, p))
    body_w = rotate_inverse(q, w)
    body_w = (
        body_w[0] + bodies[i, INV_MOMENTS] * torque[0],
        body_w[1] + bodies[i, INV_MOMENTS + 1] * torque[1],
        body_w[2] + bodies[i, INV_MOMENTS + 2] * torque[2],
    )
    s = bodies[i, INV_MASS]
    set_ballistic(bodies, arcs, i, t, x, q, (v[0] + s * p[0], v[1] + s * p[1], v[2] + s * p[2]), body_w)


@kernel
def speed_at_start(arcs: Floats, i: int) -> float:
    """Largest component of the velocity with which the arc of body i began [m/s]."""
    return max(abs(arcs[i, VELOCITY]), abs(arcs[i, VELOCITY + 1]), abs(arcs[i, VELOCITY + 2]))
