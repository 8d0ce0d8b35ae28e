"""Rolling and spinning resistance: what a contact's soft patch takes from a body that rolls or spins on it.

A hit of normal impulse p_n brings a couple impulse with it, at most r_roll p_n about an axis in the tangent plane and
r_spin p_n about the normal (r: levers, lengths of the material pair). Each is the one that takes most energy: opposed
to that part of the relative angular velocity, and no larger than what stops it. Impulses of resting contact add up to
weight x time, so a rolling ball decelerates at r_roll g / (R (1 + 2/5)), and one that spins on the spot at
r_spin m g / I, whatever the microcollisions are like.
"""

from __future__ import annotations

from math import sqrt

from engine.impulse.contact import vector_at
from engine.kernel import kernel
from engine.maths.quaternions import Quat, rotate, rotate_inverse
from engine.maths.vectors import Vec3, add_scaled, cross, dot, sub
from engine.model.model import FREE, INV_MOMENTS, KIND, ROLLING, SPINNING, Floats, Ints
from engine.model.state import CREDIT, DISSIPATED, NORMAL, PAIR_SURFACE, WORK

_KEPT_LIFT = 0.5  # at least this share of the bodies' speed of separation is left


@kernel
def turn_by(bodies: Floats, i: int, q: Quat, couple: Vec3) -> Vec3:
    """Change of angular velocity (world) that a couple impulse [N m s] (world) makes; zero for scripted bodies."""
    c = rotate_inverse(q, couple)
    return rotate(
        q,
        (bodies[i, INV_MOMENTS] * c[0], bodies[i, INV_MOMENTS + 1] * c[1], bodies[i, INV_MOMENTS + 2] * c[2]),
    )


@kernel
def resist_turning(
    bodies: Floats,
    tags: Ints,
    pairs: Floats,
    clock: Floats,
    row: int,
    a: int,
    b: int,
    q_a: Quat,
    v_a: Vec3,
    w_a: Vec3,
    r_a: Vec3,
    q_b: Quat,
    v_b: Vec3,
    w_b: Vec3,
    r_b: Vec3,
    p: Vec3,
) -> Vec3:
    """The couple impulse on a [N m s] (world), -that on b, that follows the impulse p of a hit of pair `row`.

    Twists are those after the hit. Books what it dissipates, which
    the pair may draw on, and the work of scripted bodies.
    """
    normal = vector_at(pairs, row, NORMAL)
    press = dot(p, normal)
    w = sub(w_a, w_b)
    along = dot(w, normal)
    rolling = add_scaled(w, normal, -along)
    speed = sqrt(dot(rolling, rolling))
    lift = dot(sub(sub(v_a, cross(r_a, w_a)), sub(v_b, cross(r_b, w_b))), normal)
    couple = (0.0, 0.0, 0.0)
    if speed > 0.0:
        axis = (rolling[0] / speed, rolling[1] / speed, rolling[2] / speed)
        limit = pairs[row, PAIR_SURFACE + ROLLING] * press
        size, lift = brake(bodies, a, b, q_a, r_a, q_b, r_b, axis, normal, speed, limit, lift)
        couple = add_scaled(couple, axis, -size)
    turned = sub(turn_by(bodies, a, q_a, couple), turn_by(bodies, b, q_b, (-couple[0], -couple[1], -couple[2])))
    along += dot(turned, normal)
    axis = normal if along > 0.0 else (-normal[0], -normal[1], -normal[2])
    limit = pairs[row, PAIR_SURFACE + SPINNING] * press
    size, lift = brake(bodies, a, b, q_a, r_a, q_b, r_b, axis, normal, abs(along), limit, lift)
    couple = add_scaled(couple, axis, -size)
    after_a = turn_by(bodies, a, q_a, couple)
    after_b = turn_by(bodies, b, q_b, (-couple[0], -couple[1], -couple[2]))
    lost = -dot(w, couple) - 0.5 * dot(sub(after_a, after_b), couple)
    clock[DISSIPATED] += lost
    pairs[row, CREDIT] += max(lost, 0.0)
    if tags[a, KIND] != FREE:
        clock[WORK] -= dot(couple, w_a)
    if tags[b, KIND] != FREE:
        clock[WORK] += dot(couple, w_b)
    return couple


@kernel
def brake(
    bodies: Floats,
    a: int,
    b: int,
    q_a: Quat,
    r_a: Vec3,
    q_b: Quat,
    r_b: Vec3,
    axis: Vec3,
    normal: Vec3,
    speed: float,
    limit: float,
    lift: float,
) -> tuple[float, float]:
    """Size of the couple impulse that slows the relative turning `speed` >= 0 about `axis`, and the lift that is left.

    It takes at most what stops the turning, so that it never gives energy. Where it would turn the bodies into each
    other again it is cut so that they part at half their speed `lift` at least.
    """
    turn_a = turn_by(bodies, a, q_a, axis)
    turn_b = turn_by(bodies, b, q_b, axis)
    ease = dot(axis, turn_a) + dot(axis, turn_b)
    if ease <= 0.0 or limit <= 0.0:
        return 0.0, lift
    size = min(limit, speed / ease)
    sink = dot(normal, cross(turn_a, r_a)) + dot(normal, cross(turn_b, r_b))
    if size * sink > (1.0 - _KEPT_LIFT) * lift:
        size = (1.0 - _KEPT_LIFT) * max(lift, 0.0) / sink
    return size, lift - size * sink
