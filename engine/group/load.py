"""Filling a step's Work: bodies as they are at its start, and a row for every point of a contact."""

from __future__ import annotations

from math import sqrt

from engine.collision.narrow.frames import matrix_of
from engine.collision.narrow.manifold import POINT_GAP
from engine.group.work import (
    ARM_A,
    ARM_B,
    BOUNCE,
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
    IMPULSE_AT,
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
    W_END,
    W_FLOW,
    W_PUSH,
    WARM,
    Q,
    V,
    W,
    X,
)
from engine.kernel import kernel
from engine.maths.quaternions import Quat
from engine.maths.vectors import Vec3, any_perpendicular, cross, dot
from engine.model.model import (
    GRAVITY,
    INV_MASS,
    INV_MOMENTS,
    MASS,
    MOMENTS,
    MU_DYNAMIC,
    MU_STATIC,
    RESTITUTION,
    ROLLING,
    SPINNING,
    Floats,
    Ints,
)
from engine.model.state import (
    PAIR_ENVELOPE,
    PAIR_SURFACE,
    PATCH,
    PATCH_FRICTION,
    PATCH_IMPULSE,
    PATCH_OFFSET,
    PATCH_POINTS,
    PATCH_STRIDE,
)


@kernel
def energy_of(bodies: Floats, i: int, x: Vec3, q: Quat, v: Vec3, w: Vec3) -> float:
    """Kinetic and potential energy of free body i [J]."""
    m = matrix_of(q)
    energy = 0.0
    for k in range(3):
        spin = m[k] * w[0] + m[3 + k] * w[1] + m[6 + k] * w[2]
        energy += 0.5 * (bodies[i, MASS] * v[k] * v[k] + bodies[i, MOMENTS + k] * spin * spin)
        energy -= bodies[i, MASS] * bodies[i, GRAVITY + k] * x[k]
    return energy


@kernel
def quat_at(table: Floats, row: int, column: int) -> Quat:
    return (table[row, column], table[row, column + 1], table[row, column + 2], table[row, column + 3])


@kernel
def mean_spin(bodies: Floats, at: int) -> Vec3:
    """What turns the body of row `at` of Work.bodies through the step [rad/s]."""
    return (
        0.5 * (bodies[at, W] + bodies[at, W_END]) + bodies[at, W_PUSH] + bodies[at, W_FLOW],
        0.5 * (bodies[at, W + 1] + bodies[at, W_END + 1]) + bodies[at, W_PUSH + 1] + bodies[at, W_FLOW + 1],
        0.5 * (bodies[at, W + 2] + bodies[at, W_END + 2]) + bodies[at, W_PUSH + 2] + bodies[at, W_FLOW + 2],
    )


@kernel
def given_work(contacts: Floats, k: int) -> float:
    """What moving scripted bodies put in at point k through the step [J]."""
    work = 0.0
    for c in range(3):
        given = 0.5 * (contacts[k, GIVEN + c] + contacts[k, GIVEN_AT_START + c])
        work -= contacts[k, IMPULSE_AT + c] * given + contacts[k, COUPLE + c] * contacts[k, GIVEN_TURN + c]
    return work


@kernel
def lies_on_fixed(contact: Ints, contacts: Floats, count: int) -> bool:
    """Does one of `count` points touch something that does not answer, and does nothing move that does not?"""
    lies = False
    for k in range(count):
        for axis in range(3):
            if contacts[k, GIVEN + axis] != 0.0 or contacts[k, GIVEN_AT_START + axis] != 0.0:
                return False
        lies = lies or contact[k, SIDE_A] < 0 or contact[k, SIDE_B] < 0
    return lies


@kernel
def load_body(table: Floats, bodies: Floats, i: int, at: int, x: Vec3, q: Quat, v: Vec3, w: Vec3) -> None:
    """Row `at` of Work.bodies for body i of the model's table, as it is at the start."""
    for k in range(3):
        bodies[at, X + k] = x[k]
        bodies[at, V + k] = v[k]
        bodies[at, W + k] = w[k]
    for k in range(4):
        bodies[at, Q + k] = q[k]
    bodies[at, INV_M] = table[i, INV_MASS]
    m = matrix_of(q)
    for r in range(3):
        for c in range(3):
            s = 0.0
            for k in range(3):
                s += m[3 * r + k] * table[i, INV_MOMENTS + k] * m[3 * c + k]
            bodies[at, INV_I + 3 * r + c] = s


@kernel
def load_point(
    bodies: Floats,
    contact: Ints,
    contacts: Floats,
    k: int,
    row: int,
    side_a: int,
    side_b: int,
    x_a: Vec3,
    x_b: Vec3,
    normal: Vec3,
    points: Floats,
    at: int,
    given: Vec3,
    turn: Vec3,
    pairs: Floats,
) -> None:
    """Row k of the contacts: point `at` of a manifold of pair `row`, between bodies at x_a and x_b.

    given, turn: velocity at the point and angular velocity of what does not answer, as parts of a's less b's (world).
    """
    contact[k, SIDE_A], contact[k, SIDE_B], contact[k, ROW], contact[k, SLIDES] = side_a, side_b, row, 0
    t1 = any_perpendicular(normal)
    t2 = cross(normal, t1)
    gap = points[at, POINT_GAP]
    # Of a body that moves against one that nothing moves the point is its own, so that it rolls on its own radius.
    shift = 0.5 * gap if side_b < 0 else (-0.5 * gap if side_a < 0 else 0.0)
    p = (
        points[at, 0] + shift * normal[0],
        points[at, 1] + shift * normal[1],
        points[at, 2] + shift * normal[2],
    )
    d_nn = d_11 = d_12 = d_22 = d_n1 = d_n2 = 0.0
    for axis in range(3):
        d = normal if axis == 0 else (t1 if axis == 1 else t2)
        for c in range(3):
            contacts[k, NORMAL_AT + 3 * axis + c] = d[c]
        contacts[k, GIVEN_AT_START + axis] = contacts[k, GIVEN + axis] = dot(given, d)
    if side_a >= 0:
        add = _load_arm(bodies, contacts, k, side_a, _less(p, x_a), ARM_A, TURN_A)
        d_nn, d_11, d_12, d_22 = d_nn + add[0], d_11 + add[1], d_12 + add[2], d_22 + add[3]
        d_n1, d_n2 = d_n1 + add[4], d_n2 + add[5]
    if side_b >= 0:
        add = _load_arm(bodies, contacts, k, side_b, _less(p, x_b), ARM_B, TURN_B)
        d_nn, d_11, d_12, d_22 = d_nn + add[0], d_11 + add[1], d_12 + add[2], d_22 + add[3]
        d_n1, d_n2 = d_n1 + add[4], d_n2 + add[5]
    contacts[k, INV_NN], contacts[k, D_NN] = 1.0 / d_nn, d_nn
    contacts[k, D_NT], contacts[k, D_NT + 1] = d_n1, d_n2
    contacts[k, D_TT], contacts[k, D_TT + 1], contacts[k, D_TT + 2] = d_11, d_12, d_22
    contacts[k, D_MAX] = 0.5 * (d_11 + d_22) + sqrt(0.25 * (d_11 - d_22) * (d_11 - d_22) + d_12 * d_12)
    contacts[k, GAP_AT] = gap
    contacts[k, ENVELOPE_AT] = pairs[row, PAIR_ENVELOPE]
    contacts[k, STATIC] = pairs[row, PAIR_SURFACE + MU_STATIC]
    contacts[k, BOUNCE] = pairs[row, PAIR_SURFACE + RESTITUTION]
    contacts[k, DYNAMIC] = pairs[row, PAIR_SURFACE + MU_DYNAMIC]
    contacts[k, PUSH_IMPULSE] = 0.0
    contacts[k, ROLL] = pairs[row, PAIR_SURFACE + ROLLING]
    contacts[k, SPIN] = pairs[row, PAIR_SURFACE + SPINNING]
    contacts[k, TURN_EASE] = 0.0
    if side_a >= 0:
        contacts[k, TURN_EASE] += bodies[side_a, INV_I] + bodies[side_a, INV_I + 4] + bodies[side_a, INV_I + 8]
    if side_b >= 0:
        contacts[k, TURN_EASE] += bodies[side_b, INV_I] + bodies[side_b, INV_I + 4] + bodies[side_b, INV_I + 8]
    for c in range(3):
        contacts[k, POINT + c] = p[c]
        contacts[k, WARM + c] = 0.0
        contacts[k, GIVEN_TURN + c] = turn[c]
        contacts[k, COUPLE + c] = 0.0


@kernel
def _less(p: Vec3, x: Vec3) -> Vec3:
    return (p[0] - x[0], p[1] - x[1], p[2] - x[2])


@kernel
def _load_arm(
    bodies: Floats, contacts: Floats, k: int, side: int, r: Vec3, arm: int, turn: int
) -> tuple[float, float, float, float, float, float]:
    """Lever arms of one body at point k, and its part of the contact's own block D: nn, 11, 12, 22, n1, n2."""
    d_nn = d_11 = d_22 = bodies[side, INV_M]
    d_12 = d_n1 = d_n2 = 0.0
    for axis in range(3):
        n = NORMAL_AT + 3 * axis
        j = cross(r, (contacts[k, n], contacts[k, n + 1], contacts[k, n + 2]))
        for c in range(3):
            contacts[k, arm + 3 * axis + c] = j[c]
            i = INV_I + 3 * c
            contacts[k, turn + 3 * axis + c] = (
                bodies[side, i] * j[0] + bodies[side, i + 1] * j[1] + bodies[side, i + 2] * j[2]
            )
    for c in range(3):
        d_nn += contacts[k, arm + c] * contacts[k, turn + c]
        d_11 += contacts[k, arm + 3 + c] * contacts[k, turn + 3 + c]
        d_12 += contacts[k, arm + 3 + c] * contacts[k, turn + 6 + c]
        d_22 += contacts[k, arm + 6 + c] * contacts[k, turn + 6 + c]
        d_n1 += contacts[k, arm + c] * contacts[k, turn + 3 + c]
        d_n2 += contacts[k, arm + c] * contacts[k, turn + 6 + c]
    return d_nn, d_11, d_12, d_22, d_n1, d_n2


@kernel
def recall_impulses(
    contact: Ints, contacts: Floats, first: int, count: int, patches: Floats, row: int, centre: Vec3, share: float
) -> None:
    """Start the points first.. of pair `row` from what the nearest points of its last step bore, times share.

    centre: of the free body from which the patch's offsets are measured. Each old point serves one new point.
    """
    old = int(patches[row, PATCH_POINTS])
    taken = 0
    for k in range(first, first + count):
        best, least = -1, 1e300
        for j in range(old):
            if taken & (1 << j):
                continue
            at = PATCH + PATCH_STRIDE * j + PATCH_OFFSET
            away = 0.0
            for c in range(3):
                d = contacts[k, POINT + c] - centre[c] - patches[row, at + c]
                away += d * d
            if away < least:
                best, least = j, away
        if best < 0:
            continue
        taken |= 1 << best
        at = PATCH + PATCH_STRIDE * best + PATCH_IMPULSE
        p = (share * patches[row, at], share * patches[row, at + 1], share * patches[row, at + 2])
        for axis in range(3):
            n = NORMAL_AT + 3 * axis
            contacts[k, WARM + axis] = dot(p, (contacts[k, n], contacts[k, n + 1], contacts[k, n + 2]))
        contacts[k, WARM] = max(contacts[k, WARM], 0.0)


@kernel
def keep_impulses(
    contact: Ints, contacts: Floats, first: int, count: int, patches: Floats, row: int, centre: Vec3
) -> float:
    """Remember what the points first.. of pair `row` bore; the sum of their normal impulses [N s]."""
    patches[row, PATCH_POINTS] = count
    patches[row, PATCH_FRICTION] = 0.0
    total = 0.0
    for j in range(count):
        k = first + j
        at = PATCH + PATCH_STRIDE * j
        total += contacts[k, IMPULSE_AT]
        if contact[k, SLIDES] == 1:
            patches[row, PATCH_FRICTION] = 1.0
        for c in range(3):
            patches[row, at + PATCH_OFFSET + c] = contacts[k, POINT + c] - centre[c]
            p = 0.0
            for axis in range(3):
                p += contacts[k, IMPULSE_AT + axis] * contacts[k, NORMAL_AT + 3 * axis + c]
            patches[row, at + PATCH_IMPULSE + c] = p
    return total
