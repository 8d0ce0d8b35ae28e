"""The relative velocity of two bodies at a contact point, and how an impulse there changes their velocities."""

from __future__ import annotations

from engine.group.work import ARM_A, ARM_B, INV_I, INV_M, NORMAL_AT, SIDE_A, SIDE_B, SPIN_A, SPIN_B, V_END, W_END
from engine.kernel import inner_kernel, kernel
from engine.maths.vectors import Vec3
from engine.model.model import Floats, Ints


@kernel
def speed_along(twists: Floats, contact: Ints, contacts: Floats, k: int, axis: int, v: int) -> float:
    """Part of the relative velocity at point k along its frame's axis; v: first column of the twist meant."""
    n = NORMAL_AT + 3 * axis
    total = 0.0
    a, b = contact[k, SIDE_A], contact[k, SIDE_B]
    if a >= 0:
        for c in range(3):
            total += contacts[k, n + c] * twists[a, v + c] + contacts[k, ARM_A + 3 * axis + c] * twists[a, v + 3 + c]
    if b >= 0:
        for c in range(3):
            total -= contacts[k, n + c] * twists[b, v + c] + contacts[k, ARM_B + 3 * axis + c] * twists[b, v + 3 + c]
    return total


@inner_kernel
def velocity_along(twists: Floats, contact: Ints, contacts: Floats, k: int, v: int) -> Vec3:
    """The same along all three axes of its frame, at once: u [m/s]."""
    a, b = contact[k, SIDE_A], contact[k, SIDE_B]
    u_n = u_1 = u_2 = 0.0
    if a >= 0:
        for c in range(3):
            linear, turn = twists[a, v + c], twists[a, v + 3 + c]
            u_n += contacts[k, NORMAL_AT + c] * linear + contacts[k, ARM_A + c] * turn
            u_1 += contacts[k, NORMAL_AT + 3 + c] * linear + contacts[k, ARM_A + 3 + c] * turn
            u_2 += contacts[k, NORMAL_AT + 6 + c] * linear + contacts[k, ARM_A + 6 + c] * turn
    if b >= 0:
        for c in range(3):
            linear, turn = twists[b, v + c], twists[b, v + 3 + c]
            u_n -= contacts[k, NORMAL_AT + c] * linear + contacts[k, ARM_B + c] * turn
            u_1 -= contacts[k, NORMAL_AT + 3 + c] * linear + contacts[k, ARM_B + 3 + c] * turn
            u_2 -= contacts[k, NORMAL_AT + 6 + c] * linear + contacts[k, ARM_B + 6 + c] * turn
    return u_n, u_1, u_2


@kernel
def apply_along(twists: Floats, contact: Ints, contacts: Floats, k: int, axis: int, p: float, v: int) -> None:
    """Change both bodies' velocities by the impulse p [N s] along an axis of point k's frame."""
    n = NORMAL_AT + 3 * axis
    a, b = contact[k, SIDE_A], contact[k, SIDE_B]
    if a >= 0:
        s = p * twists[a, INV_M]
        for c in range(3):
            twists[a, v + c] += s * contacts[k, n + c]
            twists[a, v + 3 + c] += p * contacts[k, SPIN_A + 3 * axis + c]
    if b >= 0:
        s = p * twists[b, INV_M]
        for c in range(3):
            twists[b, v + c] -= s * contacts[k, n + c]
            twists[b, v + 3 + c] -= p * contacts[k, SPIN_B + 3 * axis + c]


@kernel
def apply_at(
    twists: Floats, contact: Ints, contacts: Floats, k: int, p_n: float, p_1: float, p_2: float, v: int
) -> None:
    """Change both bodies' velocities, from column v on, by an impulse [N s] in point k's frame."""
    a, b = contact[k, SIDE_A], contact[k, SIDE_B]
    if a >= 0:
        apply_to(twists, a, contacts, k, p_n, p_1, p_2, v, SPIN_A)
    if b >= 0:
        apply_to(twists, b, contacts, k, -p_n, -p_1, -p_2, v, SPIN_B)


@inner_kernel
def apply_to(
    twists: Floats, at: int, contacts: Floats, k: int, p_n: float, p_1: float, p_2: float, v: int, turn: int
) -> None:
    """Change the velocities of row `at`, from column v on, by that; turn: columns of what it turns it by."""
    inv_mass = twists[at, INV_M]
    n, t = NORMAL_AT, NORMAL_AT + 3
    for c in range(3):
        p = contacts[k, n + c] * p_n + (contacts[k, t + c] * p_1 + contacts[k, t + 3 + c] * p_2)
        twists[at, v + c] += inv_mass * p
        spin = contacts[k, turn + c] * p_n + (contacts[k, turn + 3 + c] * p_1 + contacts[k, turn + 6 + c] * p_2)
        twists[at, v + 3 + c] += spin


@kernel
def apply_couple(twists: Floats, contact: Ints, k: int, couple: Vec3, w: int) -> None:
    """Change both bodies' angular velocities, from column w on, by a couple at point k, on a [N m s], world axes."""
    a, b = contact[k, SIDE_A], contact[k, SIDE_B]
    for r in range(3):
        for c in range(3):
            change = couple[0] if c == 0 else (couple[1] if c == 1 else couple[2])
            if a >= 0:
                twists[a, w + r] += twists[a, INV_I + 3 * r + c] * change
            if b >= 0:
                twists[b, w + r] -= twists[b, INV_I + 3 * r + c] * change


@inner_kernel
def dot_velocity(twists: Floats, at: int, contacts: Floats, k: int, d: int, arm: int) -> float:
    """Part along column d of the end velocity of one body at point k. Two sums: neither waits for the other."""
    v = contacts[k, d] * twists[at, V_END]
    v += contacts[k, d + 1] * twists[at, V_END + 1]
    v += contacts[k, d + 2] * twists[at, V_END + 2]
    w = contacts[k, arm] * twists[at, W_END]
    w += contacts[k, arm + 1] * twists[at, W_END + 1]
    w += contacts[k, arm + 2] * twists[at, W_END + 2]
    return v + w
