"""Rolling and spinning resistance: what a contact's soft patch takes from a body that rolls or spins on it.

A hit of normal impulse p_n brings a couple impulse with it, at most r_roll p_n about an axis in the tangent plane and
r_spin p_n about the normal (r: levers, lengths of the material pair). Each is opposed to that part of the relative
angular velocity and no larger than what stops it, and both together still oppose what is left: they take energy.
Impulses of resting contact add up to weight x time, so a rolling ball decelerates at r_roll g / (R (1 + 2/5)), and one
that spins on the spot at r_spin m g / I, whatever the microcollisions are like.
"""

from __future__ import annotations

from math import sqrt

from engine.kernel import kernel
from engine.maths.quaternions import Quat, rotate, rotate_inverse
from engine.maths.vectors import Vec3, add_scaled, cross, dot, sub, vector_at
from engine.model.model import FREE, INV_MOMENTS, KIND, ROLLING, SPINNING, Floats, Ints
from engine.model.state import CREDIT, DISSIPATED, NORMAL, PAIR_SURFACE, RESISTANCE, WORK
from engine.motion.arcs import apply_couple, evolve
from engine.motion.motion import Side

_KEPT_LIFT = 0.5  # the bodies part at this share of their speed at least


@kernel
def turn_by(bodies: Floats, i: int, q: Quat, couple: Vec3) -> Vec3:
    """Change of angular velocity (world) that a couple impulse [N m s] (world) makes; zero where nothing moves it."""
    c = rotate_inverse(q, couple)
    return rotate(
        q,
        (bodies[i, INV_MOMENTS] * c[0], bodies[i, INV_MOMENTS + 1] * c[1], bodies[i, INV_MOMENTS + 2] * c[2]),
    )


@kernel
def brake_turning(
    bodies: Floats, tags: Ints, arcs: Floats, pairs: Floats, clock: Floats,
    row: int, side_a: Side, side_b: Side, p: Vec3, t: float,
) -> Vec3:  # fmt: skip
    """After a hit p of pair `row` at the offsets of its sides: new arcs, slowed down by the surfaces' resistance.

    Returns the couple impulse on a [N m s] (world).
    """
    if not (pairs[row, PAIR_SURFACE + ROLLING] > 0.0 or pairs[row, PAIR_SURFACE + SPINNING] > 0.0):
        return (0.0, 0.0, 0.0)
    a, b = side_a.body, side_b.body
    after_a, after_b = evolve(bodies, tags, arcs, a, t), evolve(bodies, tags, arcs, b, t)
    c = resist_turning(bodies, tags, pairs, clock, row, Side(a, after_a, side_a.r), Side(b, after_b, side_b.r), p)
    apply_couple(bodies, tags, arcs, a, after_a, c, t)
    apply_couple(bodies, tags, arcs, b, after_b, (-c[0], -c[1], -c[2]), t)
    return c


@kernel
def resist_turning(
    bodies: Floats,
    tags: Ints,
    pairs: Floats,
    clock: Floats,
    row: int,
    side_a: Side,
    side_b: Side,
    p: Vec3,
) -> Vec3:
    """The couple impulse on a [N m s] (world), -that on b, that follows the impulse p of a hit of pair `row`.

    Motions are those after the hit. Books what it dissipates, which the pair may draw on, and the work of kinematic
    bodies.
    """
    a, (_, q_a, v_a, w_a), r_a = side_a
    b, (_, q_b, v_b, w_b), r_b = side_b
    normal = vector_at(pairs, row, NORMAL)
    press = dot(p, normal)
    w = sub(w_a, w_b)
    along = dot(w, normal)
    rolling = add_scaled(w, normal, -along)
    roll = stopping_couple(bodies, a, b, q_a, q_b, rolling, pairs[row, PAIR_SURFACE + ROLLING] * press)
    spinning = (normal[0] * along, normal[1] * along, normal[2] * along)
    spin = stopping_couple(bodies, a, b, q_a, q_b, spinning, pairs[row, PAIR_SURFACE + SPINNING] * press)
    couple = (roll[0] + spin[0], roll[1] + spin[1], roll[2] + spin[2])
    # Both together take energy up to where the turning about their common axis ends.
    turn_a = turn_by(bodies, a, q_a, couple)
    turn_b = turn_by(bodies, b, q_b, couple)
    taken = -dot(w, couple)
    inverse_inertia = dot(couple, turn_a) + dot(couple, turn_b)
    if not (taken > 0.0 and inverse_inertia > 0.0):
        return (0.0, 0.0, 0.0)
    share = min(1.0, taken / inverse_inertia)
    # They must not turn the bodies into each other again.
    lift = dot(sub(sub(v_a, cross(r_a, w_a)), sub(v_b, cross(r_b, w_b))), normal)
    sink = -dot(normal, cross(turn_a, r_a)) - dot(normal, cross(turn_b, r_b))
    if share * sink > (1.0 - _KEPT_LIFT) * lift:
        share = (1.0 - _KEPT_LIFT) * max(lift, 0.0) / sink if sink > 0.0 else 0.0
    couple = (share * couple[0], share * couple[1], share * couple[2])
    lost = share * (taken - 0.5 * share * inverse_inertia)
    clock[DISSIPATED + RESISTANCE] += lost
    pairs[row, CREDIT] += lost
    if tags[a, KIND] != FREE:
        clock[WORK] -= dot(couple, w_a)
    if tags[b, KIND] != FREE:
        clock[WORK] += dot(couple, w_b)
    return couple


@kernel
def stopping_couple(bodies: Floats, a: int, b: int, q_a: Quat, q_b: Quat, w: Vec3, limit: float) -> Vec3:
    """The couple impulse on a, against the part w of the relative turning, that ends it, or of size `limit`."""
    speed = sqrt(dot(w, w))
    if not (speed > 0.0 and limit > 0.0):
        return (0.0, 0.0, 0.0)
    axis = (w[0] / speed, w[1] / speed, w[2] / speed)
    inverse_inertia = dot(axis, turn_by(bodies, a, q_a, axis)) + dot(axis, turn_by(bodies, b, q_b, axis))
    if inverse_inertia <= 0.0:
        return (0.0, 0.0, 0.0)
    size = min(limit, speed / inverse_inertia)
    return (-size * axis[0], -size * axis[1], -size * axis[2])
