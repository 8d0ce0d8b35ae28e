"""Every body is on an arc. Of what kind is asked here, of kinematic bodies in `kinematic`; the rest of the engine only
calls these functions."""

from __future__ import annotations

from math import inf, sqrt

from engine.kernel import kernel
from engine.maths.quaternions import rotate, rotate_inverse
from engine.maths.rounding import LARGEST, TINY
from engine.maths.vectors import Vec3, add, cross, norm
from engine.model.model import (
    EXTENT,
    FIXED,
    FREE,
    GRAVITY,
    INV_MASS,
    INV_MOMENTS,
    KIND,
    SPINNER,
    Floats,
    Ints,
)
from engine.model.state import ARC_WIDTH, ASLEEP, HELD, HIGH, LOW, POLY_RATE, POSITION, SPEED_BOUND, T0, UNTIL, VELOCITY
from engine.motion.ballistic import (
    ballistic_velocity,
    bound_ballistic,
    bound_turning,
    evolve_ballistic,
    gravity_of,
    moving_spin,
    set_ballistic,
    sweep_ballistic,
)
from engine.motion.held import bound_held, evolve_held, fastest_point, pause_held, sweep_held, turns_with
from engine.motion.kinematic import bound_kinematic, evolve_kinematic, kinematic_travel, sweep_kinematic
from engine.motion.motion import Motion, Side
from engine.motion.scripted import read_start


@kernel
def evolve(bodies: Floats, tags: Ints, arcs: Floats, i: int, t: float) -> Motion:
    """The motion of body i at time t."""
    kind = tags[i, KIND]
    if kind == FREE:
        if arcs[i, HELD] != 0.0:
            return evolve_held(arcs, i, t)
        return evolve_ballistic(bodies, arcs, i, t)
    if kind != FIXED:
        return evolve_kinematic(bodies, tags, arcs, i, t)
    x, q = read_start(arcs, i)
    return Motion(x, q, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@kernel
def bound_travel(
    bodies: Floats, tags: Ints, arcs: Floats, i: int, t: float, v: Vec3, d: Vec3, slack: float
) -> tuple[float, float, float, float, float]:
    """TOI coefficients (A, B, Q, C, until) of body i along the unit vector d from time t on, its velocity being v.

    It travels at most A tau^2 + B tau + C, and its rotation moves a point by Q tau^2 more than its present velocity
    would (see bound_ballistic), as long as t + tau <= until. slack [m]: the way for which the bound should be tight;
    C is at most half of it.
    """
    kind = tags[i, KIND]
    a = b = turn = c = 0.0
    until = inf
    if kind == FREE:
        if arcs[i, HELD] != 0.0:
            a, b, turn, until = bound_held(bodies, arcs, i, t, v, d)
        else:
            a, b, turn = bound_ballistic(bodies, arcs, i, v, d)
    elif kind != FIXED:
        a, b, turn, c, until = bound_kinematic(bodies, tags, arcs, i, t, v, d, slack)
    return a, b, turn, c, until


@kernel
def bound_any_way(bodies: Floats, tags: Ints, arcs: Floats, i: int, t: float) -> tuple[float, float]:
    """A, B: no point of body i travels more than A tau^2 + B tau from t on, whatever the direction.

    Inf for kinematic bodies. For a held body it holds beyond its step, until its speed bound is raised.
    """
    if tags[i, KIND] == FIXED:
        return 0.0, 0.0
    if tags[i, KIND] != FREE:
        return 0.0, inf
    if arcs[i, HELD] != 0.0:
        return 0.0, arcs[i, SPEED_BOUND] if arcs[i, HELD] != ASLEEP else 0.0
    turn, spin = bound_turning(bodies, arcs, i)
    return 0.5 * norm(gravity_of(bodies, i)) + turn, norm(ballistic_velocity(bodies, arcs, i, t)) + spin


@kernel
def is_held(tags: Ints, arcs: Floats, i: int) -> bool:
    """Is body i held by its contact group, which steps or sleeps?"""
    return tags[i, KIND] == FREE and arcs[i, HELD] != 0.0


@kernel
def is_still(tags: Ints, arcs: Floats, i: int) -> bool:
    """Is body i static, or asleep?"""
    return tags[i, KIND] == FIXED or (tags[i, KIND] == FREE and arcs[i, HELD] == ASLEEP)


@kernel
def surface_spin(bodies: Floats, tags: Ints, arcs: Floats, i: int, motion: Motion, t: float) -> Vec3:
    """The part of body i's turning at time t that moves its surface (world axes)."""
    _, q, _, w = motion
    if tags[i, KIND] != FREE:
        return w
    if arcs[i, HELD] != 0.0:
        w = turns_with(arcs, i, q, w, t)
    return moving_spin(bodies, i, q, w)


@kernel
def sweep_box(bodies: Floats, tags: Ints, arcs: Floats, i: int, t0: float, t1: float, axis: int) -> tuple[float, float]:
    """Interval along a world axis that contains body i throughout [t0, t1].

    A spinner's box holds for ever and is made with the world.
    """
    kind = tags[i, KIND]
    if kind == FREE:
        if arcs[i, HELD] != 0.0:
            return sweep_held(bodies, arcs, i, t0, t1, axis)
        return sweep_ballistic(bodies, arcs, i, t0, t1, axis)
    if kind != FIXED and kind != SPINNER:
        return sweep_kinematic(bodies, tags, arcs, i, t0, t1, axis)
    x = arcs[i, POSITION + axis]
    return x + bodies[i, EXTENT + axis], x + bodies[i, EXTENT + 3 + axis]


@kernel
def box_holds(bodies: Floats, tags: Ints, arcs: Floats, boxes: Floats, i: int, t: float) -> bool:
    """Does the stored box contain body i from t on until it runs out?"""
    until = boxes[i, UNTIL]
    if tags[i, KIND] == FREE and arcs[i, HELD] == 0.0:  # asked after every hit
        for axis in range(3):
            low, high = sweep_ballistic(bodies, arcs, i, t, until, axis)
            if low < boxes[i, LOW + axis] or high > boxes[i, HIGH + axis]:
                return False
        return True
    for axis in range(3):
        low, high = sweep_box(bodies, tags, arcs, i, t, until, axis)
        if low < boxes[i, LOW + axis] or high > boxes[i, HIGH + axis]:
            return False
    return True


@kernel
def apply_impulse(bodies: Floats, tags: Ints, arcs: Floats, side: Side, p: Vec3, t: float) -> None:
    """Begin a new arc at t from the motion of one side of a contact, changed by the impulse p [N s] there (world)."""
    i, (x, q, v, w), r = side
    if tags[i, KIND] != FREE:
        return
    s = bodies[i, INV_MASS]
    v = (v[0] + s * p[0], v[1] + s * p[1], v[2] + s * p[2])
    apply_couple(bodies, tags, arcs, i, Motion(x, q, v, w), cross(r, p), t)


@kernel
def apply_couple(bodies: Floats, tags: Ints, arcs: Floats, i: int, motion: Motion, couple: Vec3, t: float) -> None:
    """Begin a new arc of body i at t from its motion, its spin changed by a couple impulse [N m s] (world)."""
    if tags[i, KIND] != FREE:
        return
    x, q, v, w = motion
    torque = rotate_inverse(q, couple)
    body_w = rotate_inverse(q, w)
    body_w = (
        body_w[0] + bodies[i, INV_MOMENTS] * torque[0],
        body_w[1] + bodies[i, INV_MOMENTS + 1] * torque[1],
        body_w[2] + bodies[i, INV_MOMENTS + 2] * torque[2],
    )
    if arcs[i, HELD] != 0.0:
        keep_on(bodies, arcs, i, Motion(x, q, v, rotate(q, body_w)), t)
    else:
        set_ballistic(bodies, arcs, i, t, x, q, v, body_w)


@kernel
def apply_twist(bodies: Floats, arcs: Floats, i: int, motion: Motion, dv: Vec3, dw: Vec3, t: float) -> None:
    """Begin a new arc of free body i at t from its motion, its velocities changed by dv and dw (world)."""
    x, q, v, w = motion
    v, w = add(v, dv), add(w, dw)
    if arcs[i, HELD] != 0.0:
        keep_on(bodies, arcs, i, Motion(x, q, v, w), t)
    else:
        set_ballistic(bodies, arcs, i, t, x, q, v, rotate_inverse(q, w))


@kernel
def keep_on(bodies: Floats, arcs: Floats, i: int, motion: Motion, t: float) -> None:
    """Held body i keeps on from t as it moves now: its group makes a new step at once."""
    pause_held(arcs, i, t, motion)
    arcs[i, SPEED_BOUND] = max(arcs[i, SPEED_BOUND], fastest_point(bodies, i, motion.v, motion.w))


@kernel
def time_of_travel(bodies: Floats, tags: Ints, arcs: Floats, i: int, distance: float, t: float) -> float:
    """A time [s] from t on in which body i moves at most `distance` along any axis; inf if it never moves more."""
    if tags[i, KIND] != FREE:
        return kinematic_travel(bodies, tags, i, distance, t)
    if arcs[i, HELD] != 0.0:
        return inf if arcs[i, HELD] == ASLEEP else distance / max(arcs[i, SPEED_BOUND], TINY)
    since = t - arcs[i, T0]
    longest = inf
    for axis in range(3):
        g = bodies[i, GRAVITY + axis]
        v = abs(arcs[i, VELOCITY + axis] + since * g)
        pace = v + sqrt(v * v + 2.0 * abs(g) * distance)
        if pace * longest > 2.0 * distance:
            longest = 2.0 * distance / pace
    return longest


@kernel
def is_finite_arc(arcs: Floats, i: int) -> bool:
    """Are all numbers of body i's arc finite, and small enough that their squares are?"""
    total = 0.0
    for k in range(ARC_WIDTH if arcs[i, POLY_RATE] != 0.0 else POLY_RATE):
        total += arcs[i, k]
    return abs(total) < LARGEST
