"""What the two sides of a contact answer: bodies that are alone, and links of linkages with all that they are tied to.

Both sides may be links of one linkage: then their answers are one matrix, not the sum of two.
"""

from __future__ import annotations

from engine.impulse.collision_matrix import K6, response, without_rounding
from engine.joints.response import (
    clear_changes,
    joint_work,
    linkage_of,
    load_linkage,
    note_struck,
    push_entry,
    spread_changes,
    strike_linkage,
    test_impulse,
)
from engine.joints.tables import CHANGE, CHANGE_TURN, Linked
from engine.kernel import kernel, linked_kernel
from engine.maths.quaternions import Quat, rotate, rotate_inverse
from engine.maths.rounding import QUOTIENT
from engine.maths.vectors import Vec3, cross, scale, vector_at
from engine.model.model import ENTRY, INV_MASS, INV_MOMENTS, Floats, Ints, Model
from engine.model.state import DISSIPATED, NUMERICS, WORK, State
from engine.motion.arcs import apply_couple, apply_impulse
from engine.motion.motion import Side

_FORBIDDEN = QUOTIENT  # of what a link would move if it were alone: less is the rounding of what joints forbid
_NONE: K6 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel
def body_response(bodies: Floats, i: int, q: Quat, r: Vec3) -> K6:
    """Body i's part of K if it is alone, world axes."""
    moments = (bodies[i, INV_MOMENTS], bodies[i, INV_MOMENTS + 1], bodies[i, INV_MOMENTS + 2])
    return response(bodies[i, INV_MASS], moments, q, r)


@kernel
def load_sides(bodies: Floats, tags: Ints, arcs: Floats, linked: Linked, a: int, b: int, t: float) -> None:
    """Load the linkages of bodies a and b at time t."""
    one, other = linkage_of(tags, a), linkage_of(tags, b)
    for side in range(2):  # a kernel calls a linked one in one place only
        link = one if side == 0 else other
        if link >= 0 and (side == 0 or other != one):
            load_linkage(bodies, tags, arcs, linked, link, t)


@kernel
def pair_response(bodies: Floats, tags: Ints, linked: Linked, side_a: Side, side_b: Side) -> tuple[K6, K6]:
    """Both sides' parts of K, world axes; of two links of one linkage the first has all of it. They are loaded."""
    part_a = body_response(bodies, side_a.body, side_a.motion.q, side_a.r)
    part_b = body_response(bodies, side_b.body, side_b.motion.q, side_b.r)
    one, other = linkage_of(tags, side_a.body), linkage_of(tags, side_b.body)
    if one >= 0:
        least = part_a[0] + part_a[1] + part_a[2]
        entry = -1
        if one == other:
            entry = tags[side_b.body, ENTRY]
            least += part_b[0] + part_b[1] + part_b[2]
            part_b = _NONE
        part_a = _tied_response(linked, one, tags[side_a.body, ENTRY], side_a.r, entry, side_b.r, least)
    if other >= 0 and other != one:
        least = part_b[0] + part_b[1] + part_b[2]
        part_b = _tied_response(linked, other, tags[side_b.body, ENTRY], side_b.r, -1, side_b.r, least)
    return part_a, part_b


@kernel
def _tied_response(linked: Linked, link: int, e: int, r: Vec3, other: int, r_other: Vec3, alone: float) -> K6:
    """As `link_response`; alone: what moves if nothing is tied [kg^-1]."""
    return link_response(linked, link, e, r, other, r_other, _FORBIDDEN * alone)


@linked_kernel
def link_response(linked: Linked, link: int, e: int, r: Vec3, other: int, r_other: Vec3, least: float) -> K6:
    """K of a link's point, or of two of one linkage, by test impulses (Mirtich 1996, eq. 5.13)."""
    x = test_impulse(linked, link, e, r, other, r_other, (1.0, 0.0, 0.0))
    y = test_impulse(linked, link, e, r, other, r_other, (0.0, 1.0, 0.0))
    z = test_impulse(linked, link, e, r, other, r_other, (0.0, 0.0, 1.0))
    return without_rounding((x[0], y[1], z[2], 0.5 * (y[2] + z[1]), 0.5 * (x[2] + z[0]), 0.5 * (x[1] + y[0])), least)


@kernel
def couple_response(
    bodies: Floats, tags: Ints, linked: Linked, side_a: Side, side_b: Side, couple: Vec3
) -> tuple[Vec3, Vec3, Vec3, Vec3]:
    """What a couple [N m s] (world) on a, and its reverse on b, does to a's turning and to that of b, reversed; then to
    the velocities of their centres of mass likewise, which it leaves alone where nothing ties them."""
    turn_a = turn_by(bodies, side_a.body, side_a.motion.q, couple)
    turn_b = turn_by(bodies, side_b.body, side_b.motion.q, couple)
    move_a = move_b = (0.0, 0.0, 0.0)
    begin_push(tags, linked, side_a.body, side_b.body)
    push_side(tags, linked, side_a, move_a, couple)
    push_side(tags, linked, side_b, move_a, scale(couple, -1.0))
    one, other = linkage_of(tags, side_a.body), linkage_of(tags, side_b.body)
    for side in range(2):
        link = one if side == 0 else other
        if link >= 0 and (side == 0 or other != one):
            spread_changes(linked, link)
    if one >= 0:
        e = tags[side_a.body, ENTRY]
        turn_a, move_a = vector_at(linked.flow, e, CHANGE_TURN), vector_at(linked.flow, e, CHANGE)
    if other >= 0:
        e = tags[side_b.body, ENTRY]
        turn_b = scale(vector_at(linked.flow, e, CHANGE_TURN), -1.0)
        move_b = scale(vector_at(linked.flow, e, CHANGE), -1.0)
    return turn_a, turn_b, move_a, move_b


@kernel
def turn_by(bodies: Floats, i: int, q: Quat, couple: Vec3) -> Vec3:
    """Change of angular velocity (world) that a couple impulse [N m s] (world) makes of body i if it is alone."""
    c = rotate_inverse(q, couple)
    return rotate(
        q,
        (bodies[i, INV_MOMENTS] * c[0], bodies[i, INV_MOMENTS + 1] * c[1], bodies[i, INV_MOMENTS + 2] * c[2]),
    )


@kernel
def begin_push(tags: Ints, linked: Linked, a: int, b: int) -> None:
    """Nothing changes the linkages of bodies a and b yet."""
    one, other = linkage_of(tags, a), linkage_of(tags, b)
    if one >= 0:
        clear_changes(linked, one)
    if other >= 0 and other != one:
        clear_changes(linked, other)


@kernel
def push_side(tags: Ints, linked: Linked, side: Side, p: Vec3, couple: Vec3) -> None:
    """An impulse p and a couple change one side's link, if it is one, as if it were alone."""
    if linkage_of(tags, side.body) >= 0:
        push_entry(linked, tags[side.body, ENTRY], p, couple)


@linked_kernel
def end_push(model: Model, state: State, linked: Linked, link: int, t: float) -> None:
    """What has pushed links of a linkage becomes new arcs of all its bodies, and what its joints did is booked."""
    spread_changes(linked, link)
    put_in, came = joint_work(linked, link)
    state.clock[WORK] += put_in
    state.clock[DISSIPATED + NUMERICS] -= came
    note_struck(state.bearing, linked, link)
    strike_linkage(model.bodies, model.tags, state.arcs, linked, link, t)


@kernel
def strike_sides(model: Model, state: State, linked: Linked, side_a: Side, side_b: Side, p: Vec3, t: float) -> None:
    """An impulse p [N s] (world) at the contact on a, and its reverse on b: new arcs of all that they reach."""
    bodies, tags, arcs = model.bodies, model.tags, state.arcs
    back = scale(p, -1.0)
    if linkage_of(tags, side_a.body) < 0:
        apply_impulse(bodies, tags, arcs, side_a, p, t)
    if linkage_of(tags, side_b.body) < 0:
        apply_impulse(bodies, tags, arcs, side_b, back, t)
    begin_push(tags, linked, side_a.body, side_b.body)
    push_side(tags, linked, side_a, p, cross(side_a.r, p))
    push_side(tags, linked, side_b, back, cross(side_b.r, back))
    _end_both(model, state, linked, side_a.body, side_b.body, t)


@kernel
def turn_sides(model: Model, state: State, linked: Linked, side_a: Side, side_b: Side, couple: Vec3, t: float) -> None:
    """The same of a couple impulse [N m s] (world) on a, and its reverse on b."""
    bodies, tags, arcs = model.bodies, model.tags, state.arcs
    back = (-couple[0], -couple[1], -couple[2])
    if linkage_of(tags, side_a.body) < 0:
        apply_couple(bodies, tags, arcs, side_a.body, side_a.motion, couple, t)
    if linkage_of(tags, side_b.body) < 0:
        apply_couple(bodies, tags, arcs, side_b.body, side_b.motion, back, t)
    begin_push(tags, linked, side_a.body, side_b.body)
    push_side(tags, linked, side_a, (0.0, 0.0, 0.0), couple)
    push_side(tags, linked, side_b, (0.0, 0.0, 0.0), back)
    _end_both(model, state, linked, side_a.body, side_b.body, t)


@kernel
def _end_both(model: Model, state: State, linked: Linked, a: int, b: int, t: float) -> None:
    one, other = linkage_of(model.tags, a), linkage_of(model.tags, b)
    for side in range(2):
        link = one if side == 0 else other
        if link >= 0 and (side == 0 or other != one):
            end_push(model, state, linked, link, t)
