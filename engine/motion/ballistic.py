"""Ballistic arcs: a parabola and torque-free rotation, exact over any time (Mirtich 1996, 2.3.2, 2.3.3 and A.3)."""

from __future__ import annotations

from math import sqrt

from engine.kernel import kernel
from engine.maths.free_rotation import rotate_free
from engine.maths.quaternions import Quat, normalize, rotate
from engine.maths.vectors import Vec3, add_scaled, dot
from engine.model.model import ARM, GRAVITY, INV_MOMENTS, KAPPA, MOMENTS, RADIUS, REVOLUTION, Floats
from engine.model.state import OMEGA, OMEGA_MAX, ORIENTATION, POSITION, T0, VELOCITY
from engine.motion.motion import Motion


@kernel
def evolve_ballistic(bodies: Floats, arcs: Floats, i: int, t: float) -> Motion:
    """The motion of free body i at time t."""
    dt = t - arcs[i, T0]
    g = (bodies[i, GRAVITY], bodies[i, GRAVITY + 1], bodies[i, GRAVITY + 2])
    v = (arcs[i, VELOCITY], arcs[i, VELOCITY + 1], arcs[i, VELOCITY + 2])
    x = (
        arcs[i, POSITION] + dt * (v[0] + 0.5 * dt * g[0]),
        arcs[i, POSITION + 1] + dt * (v[1] + 0.5 * dt * g[1]),
        arcs[i, POSITION + 2] + dt * (v[2] + 0.5 * dt * g[2]),
    )
    q = (arcs[i, ORIENTATION], arcs[i, ORIENTATION + 1], arcs[i, ORIENTATION + 2], arcs[i, ORIENTATION + 3])
    w = (arcs[i, OMEGA], arcs[i, OMEGA + 1], arcs[i, OMEGA + 2])
    if dt != 0.0 and arcs[i, OMEGA_MAX] != 0.0:
        moments = (bodies[i, MOMENTS], bodies[i, MOMENTS + 1], bodies[i, MOMENTS + 2])
        q, w = rotate_free(moments, q, w, dt)
    v = (v[0] + dt * g[0], v[1] + dt * g[1], v[2] + dt * g[2])
    return Motion(x, q, v, rotate(q, w))


@kernel
def set_ballistic(bodies: Floats, arcs: Floats, i: int, t: float, x: Vec3, q: Quat, v: Vec3, w: Vec3) -> None:
    """Start a new arc of free body i at time t; w is the angular velocity in the body frame."""
    q = normalize(q)
    arcs[i, T0] = t
    for k in range(3):
        arcs[i, POSITION + k] = x[k]
        arcs[i, VELOCITY + k] = v[k]
        arcs[i, OMEGA + k] = w[k]
    for k in range(4):
        arcs[i, ORIENTATION + k] = q[k]
    arcs[i, OMEGA_MAX] = bound_omega(bodies, i, w)


@kernel
def bound_omega(bodies: Floats, i: int, w: Vec3) -> float:
    """Bound of |omega| for the whole of a free rotation (Mirtich 1996, eq. 2.5): its energy never changes."""
    least = min(bodies[i, MOMENTS], bodies[i, MOMENTS + 1], bodies[i, MOMENTS + 2])
    twice_energy = 0.0
    for k in range(3):
        twice_energy += bodies[i, MOMENTS + k] * w[k] * w[k]
    return sqrt(twice_energy / least)


@kernel
def bound_ballistic(bodies: Floats, arcs: Floats, i: int, v: Vec3, d: Vec3) -> tuple[float, float, float]:
    """TOI coefficients (A, B, Q) of free body i from a time at which its velocity is v (Mirtich 1996, eqs 2.2, 2.3).

    The centre of mass travels at most A tau^2 + B tau along the unit vector d, here exactly. Rotation moves a core
    point by its present velocity about the centre, times tau, and at most Q tau^2 more, since
    |omega x (omega x r) + alpha x r| is bounded by (omega_max^2 + alpha_max) ARM. A sphere's surface does not move
    when it spins: its ARM is 0. Nor does that of a body of revolution when it spins about its axis: it moves as the
    axis turns, by w = omega less its part along the axis. w keeps its length and precesses at L / I, since the axis
    does.
    """
    a = 0.5 * (bodies[i, GRAVITY] * d[0] + bodies[i, GRAVITY + 1] * d[1] + bodies[i, GRAVITY + 2] * d[2])
    b = v[0] * d[0] + v[1] * d[1] + v[2] * d[2]
    if bodies[i, REVOLUTION] < 0.0:
        omega = arcs[i, OMEGA_MAX]
        return a, b, 0.5 * bodies[i, ARM] * omega * omega * (1.0 + bodies[i, KAPPA])
    axis = int(bodies[i, REVOLUTION])
    x, y = arcs[i, OMEGA + (axis + 1) % 3], arcs[i, OMEGA + (axis + 2) % 3]
    tilting = x * x + y * y
    spin = arcs[i, OMEGA + axis] * bodies[i, MOMENTS + axis] * bodies[i, INV_MOMENTS + (axis + 1) % 3]
    return a, b, 0.5 * bodies[i, ARM] * (tilting + sqrt(tilting * (tilting + spin * spin)))


@kernel
def gravity_of(bodies: Floats, i: int) -> Vec3:
    return bodies[i, GRAVITY], bodies[i, GRAVITY + 1], bodies[i, GRAVITY + 2]


@kernel
def ballistic_velocity(bodies: Floats, arcs: Floats, i: int, t: float) -> Vec3:
    """The velocity of free body i at time t [m/s]."""
    v = (arcs[i, VELOCITY], arcs[i, VELOCITY + 1], arcs[i, VELOCITY + 2])
    return add_scaled(v, gravity_of(bodies, i), t - arcs[i, T0])


@kernel
def bound_turning(bodies: Floats, arcs: Floats, i: int) -> tuple[float, float]:
    """A, B: turning takes no point of free body i further than A tau^2 + B tau."""
    zero = (0.0, 0.0, 0.0)
    _, _, turn = bound_ballistic(bodies, arcs, i, zero, zero)
    return turn, arcs[i, OMEGA_MAX] * bodies[i, ARM]


@kernel
def moving_spin(bodies: Floats, i: int, q: Quat, w: Vec3) -> Vec3:
    """The part of body i's angular velocity w (world) that moves its surface: for a body of revolution, no spin."""
    if bodies[i, REVOLUTION] < 0.0:
        return w
    along = revolution_axis(bodies, i, q)
    return add_scaled(w, along, -dot(w, along))


@kernel
def revolution_axis(bodies: Floats, i: int, q: Quat) -> Vec3:
    """The axis of body i, one of revolution (world)."""
    axis = int(bodies[i, REVOLUTION])
    return rotate(q, (1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0))


@kernel
def sweep_ballistic(bodies: Floats, arcs: Floats, i: int, t0: float, t1: float, axis: int) -> tuple[float, float]:
    """Interval along a world axis that contains free body i throughout [t0, t1] (Mirtich 1996, 2.4 and 2.5)."""
    g = bodies[i, GRAVITY + axis]
    x = arcs[i, POSITION + axis]
    v = arcs[i, VELOCITY + axis]
    start = t0 - arcs[i, T0]
    end = t1 - arcs[i, T0]
    x0 = x + start * (v + 0.5 * start * g)
    x1 = x + end * (v + 0.5 * end * g)
    low = min(x0, x1)
    high = max(x0, x1)
    if g != 0.0:
        turn = -v / g
        if start < turn < end:
            extreme = x - 0.5 * v * v / g
            low = min(low, extreme)
            high = max(high, extreme)
    return low - bodies[i, RADIUS], high + bodies[i, RADIUS]
