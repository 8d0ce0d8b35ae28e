"""A row for every contact point of a step: its frame, lever arms, inverse effective masses, prescribed velocity."""

from __future__ import annotations

from math import sqrt

from engine.collision.narrow.manifold import AT, POINT_GAP
from engine.group.measure import Touch
from engine.group.work import (
    ARM_A,
    ARM_B,
    BOUNCE,
    CONTACTS,
    COUPLE,
    D_MAX,
    D_NN,
    D_NT,
    D_TT,
    DYNAMIC,
    ENVELOPE_AT,
    GAP_AT,
    GIVEN,
    GIVEN_AT_START,
    GIVEN_TURN,
    INV_I,
    INV_M,
    INV_NN,
    NORMAL_AT,
    POINT,
    PUSH_IMPULSE,
    ROLL,
    ROW,
    SIDE_A,
    SIDE_B,
    SLIDES,
    SPIN,
    STATIC,
    TURN_A,
    TURN_B,
    TURN_EASE,
    WARM,
    V,
    Work,
)
from engine.kernel import kernel
from engine.maths.vectors import Vec3, add, add_scaled, any_perpendicular, cross, dot, scale, sub, vector_at
from engine.model.model import FIXED, KIND, MU_DYNAMIC, MU_STATIC, RESTITUTION, ROLLING, SPINNING, Floats, Ints, Model
from engine.model.state import BODY_A, BODY_B, PAIR_ENVELOPE, PAIR_SURFACE, State
from engine.motion.arcs import evolve


@kernel
def lies_on_fixed(contact: Ints, contacts: Floats, count: int) -> bool:
    """Does one of `count` points touch a static body, and none a kinematic one that moves?"""
    lies = False
    for k in range(count):
        for axis in range(3):
            if contacts[k, GIVEN + axis] != 0.0 or contacts[k, GIVEN_AT_START + axis] != 0.0:
                return False
        lies = lies or contact[k, SIDE_A] < 0 or contact[k, SIDE_B] < 0
    return lies


@kernel
def prescribe_at_end(model: Model, state: State, work: Work, k: int, t: float, h: float) -> None:
    """What a scripted body of point k adds to u at the step's end, where its partner's centre has taken the point."""
    contacts = work.contacts
    side_a, side_b = work.contact[k, SIDE_A], work.contact[k, SIDE_B]
    if side_a >= 0 and side_b >= 0:
        return
    i = state.links[work.contact[k, ROW], BODY_B if side_b < 0 else BODY_A]
    if model.tags[i, KIND] == FIXED:
        return
    at = side_a if side_b < 0 else side_b
    x, _, v, w = evolve(model.bodies, model.tags, state.arcs, i, t + h)
    p = add_scaled(vector_at(contacts, k, POINT), vector_at(work.bodies, at, V), h)
    u = add(v, cross(w, sub(p, x)))
    sign = -1.0 if side_b < 0 else 1.0
    for axis in range(3):
        contacts[k, GIVEN + axis] = sign * dot(u, vector_at(contacts, k, NORMAL_AT + 3 * axis))


@kernel
def load_points(work: Work, pairs: Floats, touch: Touch, normal: Vec3, count: int) -> None:
    """Rows for the `count` points in work.points, after those that there are."""
    first = work.sizes[CONTACTS]
    for k in range(count):
        load_point(work, pairs, first + k, touch, normal, vector_at(work.points, k, AT), work.points[k, POINT_GAP])
    work.sizes[CONTACTS] += count


@kernel
def load_point(work: Work, pairs: Floats, k: int, touch: Touch, normal: Vec3, p: Vec3, gap: float) -> None:
    """Row k of the contacts: a point p half way between the surfaces of a pair, `gap` [m] apart along the normal."""
    bodies, contact, contacts = work.bodies, work.contact, work.contacts
    row, a, b = touch.row, touch.a, touch.b
    contact[k, SIDE_A], contact[k, SIDE_B], contact[k, ROW], contact[k, SLIDES] = a.place, b.place, row, 0
    t1 = any_perpendicular(normal)
    t2 = cross(normal, t1)
    given = _prescribed_velocity(touch, p)
    for axis in range(3):
        d = normal if axis == 0 else (t1 if axis == 1 else t2)
        for c in range(3):
            contacts[k, NORMAL_AT + 3 * axis + c] = d[c]
        contacts[k, GIVEN_AT_START + axis] = contacts[k, GIVEN + axis] = dot(given, d)
    # Against a static or kinematic body the point is the other's own, so that it rolls on its own radius.
    p = add_scaled(p, normal, 0.5 * gap if b.place < 0 else (-0.5 * gap if a.place < 0 else 0.0))
    for c in range(6):
        contacts[k, D_NN + c] = 0.0
    contacts[k, TURN_EASE] = 0.0
    if a.place >= 0:
        _add_arm(bodies, contacts, k, a.place, sub(p, a.x), ARM_A, TURN_A)
    if b.place >= 0:
        _add_arm(bodies, contacts, k, b.place, sub(p, b.x), ARM_B, TURN_B)
    contacts[k, INV_NN] = 1.0 / contacts[k, D_NN]
    d_11, d_12, d_22 = contacts[k, D_TT], contacts[k, D_TT + 1], contacts[k, D_TT + 2]
    contacts[k, D_MAX] = 0.5 * (d_11 + d_22) + sqrt(0.25 * (d_11 - d_22) * (d_11 - d_22) + d_12 * d_12)
    contacts[k, GAP_AT], contacts[k, ENVELOPE_AT] = gap, pairs[row, PAIR_ENVELOPE]
    contacts[k, STATIC] = pairs[row, PAIR_SURFACE + MU_STATIC]
    contacts[k, DYNAMIC] = pairs[row, PAIR_SURFACE + MU_DYNAMIC]
    contacts[k, BOUNCE] = pairs[row, PAIR_SURFACE + RESTITUTION]
    contacts[k, ROLL] = pairs[row, PAIR_SURFACE + ROLLING]
    contacts[k, SPIN] = pairs[row, PAIR_SURFACE + SPINNING]
    contacts[k, PUSH_IMPULSE] = 0.0
    turn = _prescribed_turning(contacts, k, touch)
    for c in range(3):
        contacts[k, POINT + c], contacts[k, GIVEN_TURN + c] = p[c], turn[c]
        contacts[k, WARM + c] = contacts[k, COUPLE + c] = 0.0


@kernel
def _prescribed_velocity(touch: Touch, p: Vec3) -> Vec3:
    """The velocity of a pair's static or kinematic body at p, as a part of a's less b's [m/s]."""
    a, b = touch.a, touch.b
    if a.place < 0:
        return add(a.v, cross(a.w, sub(p, a.x)))
    if b.place < 0:
        return scale(add(b.v, cross(b.w, sub(p, b.x))), -1.0)
    return (0.0, 0.0, 0.0)


@kernel
def _prescribed_turning(contacts: Floats, k: int, touch: Touch) -> Vec3:
    """Its angular velocity likewise [rad/s], where point k resists turning."""
    if contacts[k, ROLL] > 0.0 or contacts[k, SPIN] > 0.0:
        if touch.a.place < 0:
            return touch.a.w
        if touch.b.place < 0:
            return scale(touch.b.w, -1.0)
    return (0.0, 0.0, 0.0)


@kernel
def _add_arm(bodies: Floats, contacts: Floats, k: int, at: int, r: Vec3, arm: int, turn: int) -> None:
    """Lever arms of one body at point k, and its part of the contact's own block D and of TURN_EASE."""
    d_nn = d_11 = d_22 = bodies[at, INV_M]
    d_12 = d_n1 = d_n2 = 0.0
    for axis in range(3):
        j = cross(r, vector_at(contacts, k, NORMAL_AT + 3 * axis))
        for c in range(3):
            contacts[k, arm + 3 * axis + c] = j[c]
            contacts[k, turn + 3 * axis + c] = dot(vector_at(bodies, at, INV_I + 3 * c), j)
    for c in range(3):
        d_nn += contacts[k, arm + c] * contacts[k, turn + c]
        d_11 += contacts[k, arm + 3 + c] * contacts[k, turn + 3 + c]
        d_12 += contacts[k, arm + 3 + c] * contacts[k, turn + 6 + c]
        d_22 += contacts[k, arm + 6 + c] * contacts[k, turn + 6 + c]
        d_n1 += contacts[k, arm + c] * contacts[k, turn + 3 + c]
        d_n2 += contacts[k, arm + c] * contacts[k, turn + 6 + c]
    contacts[k, D_NN] += d_nn
    contacts[k, D_NT] += d_n1
    contacts[k, D_NT + 1] += d_n2
    contacts[k, D_TT] += d_11
    contacts[k, D_TT + 1] += d_12
    contacts[k, D_TT + 2] += d_22
    contacts[k, TURN_EASE] += bodies[at, INV_I] + bodies[at, INV_I + 4] + bodies[at, INV_I + 8]
