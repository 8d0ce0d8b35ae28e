"""Rolling and spinning resistance: what a contact's soft patch takes from a body that rolls or spins on it.

A hit of normal impulse p_n brings a couple impulse with it, at most r_roll p_n about an axis in the tangent plane and
r_spin p_n about the normal (r: levers, lengths of the material pair). Each is opposed to that part of the relative
angular velocity and no larger than what stops it, and both together still oppose what is left: they take energy.
Impulses of resting contact add up to weight x time, so a rolling ball decelerates at r_roll g / (R (1 + 2/5)), and one
that spins on the spot at r_spin m g / I, whatever the microcollisions are like.
"""

from __future__ import annotations

from math import sqrt

from engine.impulse.pair_response import couple_response, turn_sides
from engine.joints.tables import Linked
from engine.kernel import kernel
from engine.maths.vectors import Vec3, add_scaled, cross, dot, sub, vector_at
from engine.model.model import FREE, KIND, ROLLING, SPINNING, Floats, Ints, Model
from engine.model.state import CREDIT, DISSIPATED, NORMAL, PAIR_SURFACE, RESISTANCE, WORK, State
from engine.motion.arcs import evolve
from engine.motion.motion import Side
from engine.tolerances import ALIKE

_KEPT_LIFT = ALIKE  # the bodies part at this share of their speed at least


@kernel
def brake_turning(
    model: Model, state: State, linked: Linked, row: int, side_a: Side, side_b: Side, p: Vec3, t: float
) -> Vec3:
    """After a hit p of pair `row` at the offsets of its sides: new arcs, slowed down by the surfaces' resistance.

    Returns the couple impulse on a [N m s] (world).
    """
    bodies, tags, arcs, pairs = model.bodies, model.tags, state.arcs, state.pairs
    if not (pairs[row, PAIR_SURFACE + ROLLING] > 0.0 or pairs[row, PAIR_SURFACE + SPINNING] > 0.0):
        return (0.0, 0.0, 0.0)
    a, b = side_a.body, side_b.body
    side_a = Side(a, evolve(bodies, tags, arcs, a, t), side_a.r)
    side_b = Side(b, evolve(bodies, tags, arcs, b, t), side_b.r)
    couple = resist_turning(bodies, tags, pairs, state.clock, linked, row, side_a, side_b, p)
    turn_sides(model, state, linked, side_a, side_b, couple, t)
    return couple


@kernel
def resist_turning(
    bodies: Floats,
    tags: Ints,
    pairs: Floats,
    clock: Floats,
    linked: Linked,
    row: int,
    side_a: Side,
    side_b: Side,
    p: Vec3,
) -> Vec3:
    """The couple impulse on a [N m s] (world), -that on b, that follows the impulse p of a hit of pair `row`.

    Motions are those after the hit. Books what it dissipates, which the pair may draw on, and the work of kinematic
    bodies.
    """
    a, (_, _, v_a, w_a), r_a = side_a
    b, (_, _, v_b, w_b), r_b = side_b
    normal = vector_at(pairs, row, NORMAL)
    press = dot(p, normal)
    w = sub(w_a, w_b)
    along = dot(w, normal)
    rolling = add_scaled(w, normal, -along)
    roll = _stopping_couple(bodies, tags, linked, side_a, side_b, rolling, pairs[row, PAIR_SURFACE + ROLLING] * press)
    spinning = (normal[0] * along, normal[1] * along, normal[2] * along)
    spin = _stopping_couple(bodies, tags, linked, side_a, side_b, spinning, pairs[row, PAIR_SURFACE + SPINNING] * press)
    couple = (roll[0] + spin[0], roll[1] + spin[1], roll[2] + spin[2])
    # Both together take energy up to where the turning about their common axis ends.
    turn_a, turn_b, move_a, move_b = couple_response(bodies, tags, linked, side_a, side_b, couple)
    taken = -dot(w, couple)
    inverse_inertia = dot(couple, turn_a) + dot(couple, turn_b)
    if not (taken > 0.0 and inverse_inertia > 0.0):
        return (0.0, 0.0, 0.0)
    share = min(1.0, taken / inverse_inertia)
    # They must not turn the bodies into each other again.
    lift = dot(sub(sub(v_a, cross(r_a, w_a)), sub(v_b, cross(r_b, w_b))), normal)
    sink = -dot(normal, cross(turn_a, r_a)) - dot(normal, cross(turn_b, r_b))
    sink -= dot(normal, move_a) + dot(normal, move_b)
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
def _stopping_couple(
    bodies: Floats, tags: Ints, linked: Linked, side_a: Side, side_b: Side, w: Vec3, limit: float
) -> Vec3:
    """The couple impulse on a, against the part w of the relative turning, that ends it, or of size `limit`."""
    speed = sqrt(dot(w, w))
    if not (speed > 0.0 and limit > 0.0):
        return (0.0, 0.0, 0.0)
    axis = (w[0] / speed, w[1] / speed, w[2] / speed)
    turn_a, turn_b, _, _ = couple_response(bodies, tags, linked, side_a, side_b, axis)
    inverse_inertia = dot(axis, turn_a) + dot(axis, turn_b)
    if inverse_inertia <= 0.0:
        return (0.0, 0.0, 0.0)
    size = min(limit, speed / inverse_inertia)
    return (-size * axis[0], -size * axis[1], -size * axis[2])
