"""Updates of contact points one at a time, by the law of engine.group.solve.gauss_seidel: what is in no block."""

from __future__ import annotations

from engine.group.relative_velocity import apply_at, dot_velocity
from engine.group.solve.friction_cone import project_couple, project_friction, sticks, stop_slip
from engine.group.work import (
    AHEAD,
    AHEAD_COUPLE,
    ARM_A,
    ARM_B,
    BEFORE,
    BEFORE_COUPLE,
    BETA,
    CONTACTS,
    COUPLE,
    D_MAX,
    D_NN,
    D_NT,
    DYNAMIC,
    FIRST_SWEEP,
    FRICTION,
    IMPULSE_AT,
    NORMAL_AT,
    NORMAL_MASS,
    PRESCRIBED,
    ROLLING_LEVER,
    SIDE_A,
    SIDE_B,
    SLIDES,
    SPINNING_LEVER,
    STATIC,
    TARGET,
    V_END,
    WHOLE_MASS,
    Work,
)
from engine.kernel import inner_kernel, kernel
from engine.maths.vectors import Vec3
from engine.model.model import COULOMB, Floats, Ints


@kernel
def points_forwards(work: Work, first: int, last: int) -> float:
    """Extrapolate the impulses of the points first .. last - 1 of Work.alone, and update them one after the other; by
    how much that changes a velocity at most [m/s]."""
    contact, contacts, notes = work.contact, work.contacts, work.notes
    is_first, beta = work.link[FIRST_SWEEP] == 1.0, work.link[BETA]
    most = 0.0
    for n in range(first, last):
        k = work.alone[n]
        turns = contacts[k, ROLLING_LEVER] > 0.0 or contacts[k, SPINNING_LEVER] > 0.0
        go_on(contacts, k, IMPULSE_AT, BEFORE, AHEAD, 3, is_first, beta)
        if turns:
            go_on(notes, k, COUPLE, BEFORE_COUPLE, AHEAD_COUPLE, 3, is_first, beta)
        most = max(most, _update_impulse(work.twists, contact, contacts, notes, k))
        if turns:
            project_couple(work.twists, contact, contacts, notes, k)
    return most


@kernel
def points_back(work: Work, first: int, last: int, before: float) -> tuple[float, float]:
    """Update the same points again, from the last one on; by how much that, and what has been changed `before`, changes
    a velocity at most [m/s], and the size of all changes [J]."""
    contact, contacts, notes = work.contact, work.contacts, work.notes
    most, size = before, 0.0
    for n in range(last - 1, first - 1, -1):
        k = work.alone[n]
        change = _update_impulse(work.twists, contact, contacts, notes, k)
        turns = contacts[k, ROLLING_LEVER] > 0.0 or contacts[k, SPINNING_LEVER] > 0.0
        # A point alone is updated twice in a row: what the second time changes is what the first has left.
        most = change if work.sizes[CONTACTS] == 1 and not turns else max(most, change)
        if turns:
            project_couple(work.twists, contact, contacts, notes, k)
        for c in range(3):
            change = contacts[k, IMPULSE_AT + c] - contacts[k, BEFORE + c]
            size += change * change * contacts[k, D_NN]
    return most, size


@kernel
def update_point(twists: Floats, contact: Ints, contacts: Floats, notes: Floats, k: int) -> float:
    """Update the impulse and the couple of point k, and both bodies' velocities; by how much the impulse changes u at
    most [m/s]."""
    change = _update_impulse(twists, contact, contacts, notes, k)
    if contacts[k, ROLLING_LEVER] > 0.0 or contacts[k, SPINNING_LEVER] > 0.0:
        project_couple(twists, contact, contacts, notes, k)
    return change


@kernel
def go_on(table: Floats, row: int, value: int, before: int, ahead: int, width: int, first: bool, beta: float) -> None:
    """Extrapolate a row's values, and note where the sweep that follows begins."""
    for c in range(width):
        further = 0.0
        if first:
            table[row, ahead + c] = 0.0
        else:
            further = beta * table[row, ahead + c] if 0.0 < beta <= 1.0 else 0.0
            change = table[row, value + c] - table[row, before + c]
            table[row, ahead + c] = 0.0 if beta > 1.0 else further + change
        table[row, value + c] += further
        table[row, before + c] = table[row, value + c]


@inner_kernel
def _update_impulse(twists: Floats, contact: Ints, contacts: Floats, notes: Floats, k: int) -> float:
    """Update the impulse of point k, and both bodies' velocities; by how much that changes u at most [m/s].

    Velocities are read once and written once: what the normal impulse does to u_t is known from D.
    """
    change, d_n, d_1, d_2 = improve_point(contact, contacts, notes, k, velocity_at(twists, contact, contacts, k))
    if change != 0.0:
        apply_at(twists, contact, contacts, k, d_n, d_1, d_2, V_END)
    return change


@inner_kernel
def velocity_at(twists: Floats, contact: Ints, contacts: Floats, k: int) -> Vec3:
    """u of point k for the end velocities, in its frame [m/s]."""
    a, b = contact[k, SIDE_A], contact[k, SIDE_B]
    u_n, u_1, u_2 = contacts[k, PRESCRIBED], contacts[k, PRESCRIBED + 1], contacts[k, PRESCRIBED + 2]
    if a >= 0:
        u_n += dot_velocity(twists, a, contacts, k, NORMAL_AT, ARM_A)
        u_1 += dot_velocity(twists, a, contacts, k, NORMAL_AT + 3, ARM_A + 3)
        u_2 += dot_velocity(twists, a, contacts, k, NORMAL_AT + 6, ARM_A + 6)
    if b >= 0:
        u_n -= dot_velocity(twists, b, contacts, k, NORMAL_AT, ARM_B)
        u_1 -= dot_velocity(twists, b, contacts, k, NORMAL_AT + 3, ARM_B + 3)
        u_2 -= dot_velocity(twists, b, contacts, k, NORMAL_AT + 6, ARM_B + 6)
    return u_n, u_1, u_2


@inner_kernel
def improve_point(contact: Ints, contacts: Floats, notes: Floats, k: int, u: Vec3) -> tuple[float, float, float, float]:
    """Set the impulse of point k, which has u, to what its condition asks for.

    By how much that changes u at most [m/s], and by how much the impulse [N s].
    """
    u_n, u_1, u_2 = u
    if contacts[k, WHOLE_MASS] > 0.0 and sticks(contact, contacts, k, u_n, u_1, u_2):
        d_n, d_1, d_2 = stop_slip(contacts, k, u_n, u_1, u_2)
        contact[k, SLIDES] = 0
        contacts[k, IMPULSE_AT] += d_n
        contacts[k, IMPULSE_AT + 1] += d_1
        contacts[k, IMPULSE_AT + 2] += d_2
        return max(abs(d_n) * contacts[k, D_NN], (abs(d_1) + abs(d_2)) * contacts[k, D_MAX]), d_n, d_1, d_2
    return _update_point(contact, contacts, notes, k, u)


@inner_kernel
def _update_point(contact: Ints, contacts: Floats, notes: Floats, k: int, u: Vec3) -> tuple[float, float, float, float]:
    """Set the normal impulse of point k, which has u, to what its condition asks for, then its friction for that load.

    By how much that changes u at most [m/s], and by how much the impulse [N s].
    """
    u_n, u_1, u_2 = u
    before = contacts[k, IMPULSE_AT]
    load = max(before - (u_n - contacts[k, TARGET]) * contacts[k, NORMAL_MASS], 0.0)
    d_n, d_1, d_2 = load - before, 0.0, 0.0
    contacts[k, IMPULSE_AT] = load
    change = abs(d_n) * contacts[k, D_NN]
    if contacts[k, DYNAMIC] > 0.0 or contacts[k, STATIC] > 0.0:
        none = load == before == contacts[k, IMPULSE_AT + 1] == contacts[k, IMPULSE_AT + 2] == 0.0
        if none and contact[k, FRICTION] == COULOMB:  # it is open and stays so
            contact[k, SLIDES] = 1 if u_1 != 0.0 or u_2 != 0.0 else 0
            return 0.0, 0.0, 0.0, 0.0
        u_1 += d_n * contacts[k, D_NT]
        u_2 += d_n * contacts[k, D_NT + 1]
        d_1, d_2 = project_friction(contact, contacts, notes, k, load, u_1, u_2)
        change = max(change, (abs(d_1) + abs(d_2)) * contacts[k, D_MAX])
    return change, d_n, d_1, d_2
