"""A row for every contact point of a step: its frame, lever arms, inverse effective masses, prescribed velocity."""

from __future__ import annotations

from math import sqrt

from engine.collision.narrow.manifold import AT, POINT_GAP
from engine.group.measure import Touch
from engine.group.work import (
    ARM_A,
    ARM_B,
    CONTACTS,
    COUPLE,
    D_MAX,
    D_NN,
    D_NT,
    D_TT,
    DYNAMIC,
    ENVELOPE_AT,
    FRICTION,
    GAP_AT,
    INV_I,
    INV_INERTIA,
    INV_M,
    NORMAL_AT,
    NORMAL_MASS,
    POINT,
    PRESCRIBED,
    PRESCRIBED_SPIN,
    PRESCRIBED_THEN,
    PSEUDO_IMPULSE,
    RESTITUTION_AT,
    ROLLING_LEVER,
    ROW,
    SIDE_A,
    SIDE_B,
    SLIDES,
    SLIP_LEFT,
    SPIN_A,
    SPIN_B,
    SPINNING_LEVER,
    STATIC,
    TANGENT_MASS,
    THEN,
    TURNED,
    WARM,
    WARM_COUPLE,
    WHOLE_MASS,
    Work,
)
from engine.kernel import kernel
from engine.maths.vectors import Vec3, add, add_scaled, any_perpendicular, cross, dot, scale, sub, vector_at
from engine.model.model import MU_DYNAMIC, MU_STATIC, RESTITUTION, ROLLING, SPINNING, Floats
from engine.model.state import PAIR_ENVELOPE, PAIR_SURFACE


@kernel
def load_points(work: Work, pairs: Floats, touch: Touch, normal: Vec3, count: int) -> None:
    """Rows for the `count` points in work.points, after those that there are."""
    load_points_at(work, pairs, touch, normal, work.sizes[CONTACTS], count)
    work.sizes[CONTACTS] += count


@kernel
def load_points_at(work: Work, pairs: Floats, touch: Touch, normal: Vec3, first: int, count: int) -> None:
    """The same in rows from `first` on."""
    for k in range(count):
        load_point(work, pairs, first + k, touch, normal, vector_at(work.points, k, AT), work.points[k, POINT_GAP])


@kernel
def load_point(work: Work, pairs: Floats, k: int, touch: Touch, normal: Vec3, p: Vec3, gap: float) -> None:
    """Row k of the contacts: a point p half way between the surfaces of a pair, `gap` [m] apart along the normal."""
    contact, contacts, notes = work.contact, work.contacts, work.notes
    row, a, b = touch.row, touch.a, touch.b
    contact[k, SIDE_A], contact[k, SIDE_B], contact[k, ROW] = a.place, b.place, row
    contact[k, SLIDES] = contact[k, FRICTION] = 0
    contact[k, THEN] = -1
    notes[k, TURNED] = notes[k, SLIP_LEFT] = 0.0
    t1 = any_perpendicular(normal)
    t2 = cross(normal, t1)
    prescribed = _prescribed_velocity(touch, p)
    for axis in range(3):
        d = normal if axis == 0 else (t1 if axis == 1 else t2)
        for c in range(3):
            contacts[k, NORMAL_AT + 3 * axis + c] = d[c]
        notes[k, PRESCRIBED_THEN + axis] = contacts[k, PRESCRIBED + axis] = dot(prescribed, d)
    # Against a static or kinematic body the point is the other's own, so that it rolls on its own radius.
    p = add_scaled(p, normal, 0.5 * gap if b.place < 0 else (-0.5 * gap if a.place < 0 else 0.0))
    _load_arms(work, k, touch, p)
    notes[k, GAP_AT], notes[k, ENVELOPE_AT] = gap, pairs[row, PAIR_ENVELOPE]
    contacts[k, STATIC] = pairs[row, PAIR_SURFACE + MU_STATIC]
    contacts[k, DYNAMIC] = pairs[row, PAIR_SURFACE + MU_DYNAMIC]
    notes[k, RESTITUTION_AT] = pairs[row, PAIR_SURFACE + RESTITUTION]
    contacts[k, ROLLING_LEVER] = pairs[row, PAIR_SURFACE + ROLLING]
    contacts[k, SPINNING_LEVER] = pairs[row, PAIR_SURFACE + SPINNING]
    contacts[k, PSEUDO_IMPULSE] = 0.0
    resists = contacts[k, ROLLING_LEVER] > 0.0 or contacts[k, SPINNING_LEVER] > 0.0
    spin = prescribed_spin(touch) if resists else (0.0, 0.0, 0.0)
    for c in range(3):
        notes[k, PRESCRIBED_SPIN + c] = spin[c]
        notes[k, WARM + c] = notes[k, WARM_COUPLE + c] = notes[k, COUPLE + c] = 0.0


@kernel
def _load_arms(work: Work, k: int, touch: Touch, p: Vec3) -> None:
    """Where the impulse of point k acts, and how both bodies answer."""
    contacts, a, b = work.contacts, touch.a, touch.b
    for c in range(6):
        contacts[k, D_NN + c] = 0.0
    inv_inertia = 0.0
    if a.place >= 0:
        inv_inertia += _add_arm(work.twists, contacts, k, a.place, sub(p, a.x), ARM_A, SPIN_A)
    if b.place >= 0:
        inv_inertia += _add_arm(work.twists, contacts, k, b.place, sub(p, b.x), ARM_B, SPIN_B)
    invert_block(contacts, k)
    d_11, d_12, d_22 = contacts[k, D_TT], contacts[k, D_TT + 1], contacts[k, D_TT + 2]
    contacts[k, D_MAX] = 0.5 * (d_11 + d_22) + sqrt(0.25 * (d_11 - d_22) * (d_11 - d_22) + d_12 * d_12)
    work.notes[k, INV_INERTIA] = inv_inertia
    for c in range(3):
        work.notes[k, POINT + c] = p[c]


@kernel
def move_point(work: Work, k: int, touch: Touch, p: Vec3) -> None:
    """The impulse of point k acts at p instead, with the frame that it has."""
    _load_arms(work, k, touch, p)
    prescribed = _prescribed_velocity(touch, p)
    for axis in range(3):
        d = vector_at(work.contacts, k, NORMAL_AT + 3 * axis)
        work.notes[k, PRESCRIBED_THEN + axis] = dot(prescribed, d)


@kernel
def invert_block(contacts: Floats, k: int) -> None:
    """The inverses of the block D of point k, of its normal and of its tangential part: sweeps need them often."""
    d_n1, d_n2 = contacts[k, D_NT], contacts[k, D_NT + 1]
    d_11, d_12, d_22 = contacts[k, D_TT], contacts[k, D_TT + 1], contacts[k, D_TT + 2]
    scale = 1.0 / (d_11 * d_22 - d_12 * d_12)
    t_11, t_12, t_22 = scale * d_22, -scale * d_12, scale * d_11
    contacts[k, NORMAL_MASS] = 1.0 / contacts[k, D_NN]
    contacts[k, TANGENT_MASS], contacts[k, TANGENT_MASS + 1], contacts[k, TANGENT_MASS + 2] = t_11, t_12, t_22
    w_1, w_2 = t_11 * d_n1 + t_12 * d_n2, t_12 * d_n1 + t_22 * d_n2
    mass = 1.0 / (contacts[k, D_NN] - w_1 * d_n1 - w_2 * d_n2)
    contacts[k, WHOLE_MASS] = mass
    contacts[k, WHOLE_MASS + 1], contacts[k, WHOLE_MASS + 2] = -mass * w_1, -mass * w_2
    contacts[k, WHOLE_MASS + 3] = t_11 + mass * w_1 * w_1
    contacts[k, WHOLE_MASS + 4] = t_12 + mass * w_1 * w_2
    contacts[k, WHOLE_MASS + 5] = t_22 + mass * w_2 * w_2


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
def prescribed_spin(touch: Touch) -> Vec3:
    """Its angular velocity likewise [rad/s]."""
    if touch.a.place < 0:
        return touch.a.w
    if touch.b.place < 0:
        return scale(touch.b.w, -1.0)
    return (0.0, 0.0, 0.0)


@kernel
def _add_arm(twists: Floats, contacts: Floats, k: int, at: int, r: Vec3, arm: int, spin: int) -> float:
    """Lever arms of one body at point k, and its part of the contact's own block D. Returns its part of INV_INERTIA."""
    d_nn = d_11 = d_22 = twists[at, INV_M]
    d_12 = d_n1 = d_n2 = 0.0
    i_x, i_y, i_z = vector_at(twists, at, INV_I), vector_at(twists, at, INV_I + 3), vector_at(twists, at, INV_I + 6)
    n, t_1 = vector_at(contacts, k, NORMAL_AT), vector_at(contacts, k, NORMAL_AT + 3)
    j_n, j_1, j_2 = cross(r, n), cross(r, t_1), cross(r, vector_at(contacts, k, NORMAL_AT + 6))
    s_n = (dot(i_x, j_n), dot(i_y, j_n), dot(i_z, j_n))
    s_1 = (dot(i_x, j_1), dot(i_y, j_1), dot(i_z, j_1))
    s_2 = (dot(i_x, j_2), dot(i_y, j_2), dot(i_z, j_2))
    for c in range(3):
        contacts[k, arm + c], contacts[k, arm + 3 + c], contacts[k, arm + 6 + c] = j_n[c], j_1[c], j_2[c]
        contacts[k, spin + c], contacts[k, spin + 3 + c], contacts[k, spin + 6 + c] = s_n[c], s_1[c], s_2[c]
        d_nn += j_n[c] * s_n[c]
        d_11 += j_1[c] * s_1[c]
        d_12 += j_1[c] * s_2[c]
        d_22 += j_2[c] * s_2[c]
        d_n1 += j_n[c] * s_1[c]
        d_n2 += j_n[c] * s_2[c]
    contacts[k, D_NN] += d_nn
    contacts[k, D_NT] += d_n1
    contacts[k, D_NT + 1] += d_n2
    contacts[k, D_TT] += d_11
    contacts[k, D_TT + 1] += d_12
    contacts[k, D_TT + 2] += d_22
    most = 0.0
    for row in (i_x, i_y, i_z):
        most = max(most, abs(row[0]) + abs(row[1]) + abs(row[2]))
    return most
