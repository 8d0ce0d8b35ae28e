"""Sweeps over the contact points of a group with linkages: as engine.group.solve.gauss_seidel, by what these answer.

Every update changes the velocities of all that the point's bodies are tied to, so no joint ever opens.
"""

from __future__ import annotations

from engine.group.joints.answers import apply_tied, apply_tied_couple
from engine.group.relative_velocity import speed_along
from engine.group.solve.friction_cone import update_couple
from engine.group.solve.gauss_seidel import note_direction, sweep_budget
from engine.group.solve.point_sweeps import go_on, improve_point, velocity_at
from engine.group.work import (
    AHEAD,
    AHEAD_COUPLE,
    BEFORE,
    BEFORE_COUPLE,
    BETA,
    BODIES,
    CONTACTS,
    COUPLE,
    D_NN,
    FIRST_SWEEP,
    IMPULSE_AT,
    JOINT_ROWS,
    LEAST,
    MOST,
    NORMAL_MASS,
    PRESCRIBED,
    PSEUDO_IMPULSE,
    PSEUDO_TARGET,
    ROLLING_LEVER,
    SOFT,
    SPINNING_LEVER,
    TARGET,
    V_AHEAD,
    V_BEFORE,
    V_END,
    V_PSEUDO,
    Work,
)
from engine.kernel import kernel
from engine.model.joints import Joints
from engine.model.model import Floats


@kernel
def sweep_tied(joints: Joints, work: Work, limit: int, small: float) -> tuple[int, float]:
    """As `go_on_sweeping`, but as often as it may."""
    sweeps, most = 0, 0.0
    for _ in range(limit):
        most, size = _sweep_tied_once(joints, work)
        note_direction(work, size)
        sweeps += 1
        if most <= small:
            break
    return sweeps, most


@kernel
def _sweep_tied_once(joints: Joints, work: Work) -> tuple[float, float]:
    """As `sweep_once`."""
    first, beta = work.link[FIRST_SWEEP] == 1.0, work.link[BETA]
    twists, contacts, notes = work.twists, work.contacts, work.notes
    count = work.sizes[CONTACTS]
    points = count - work.sizes[JOINT_ROWS]
    for at in range(work.sizes[BODIES]):
        go_on(twists, at, V_END, V_BEFORE, V_AHEAD, 6, first, beta)
    for k in range(count):
        go_on(contacts, k, IMPULSE_AT, BEFORE, AHEAD, 3, first, beta)
        go_on(notes, k, COUPLE, BEFORE_COUPLE, AHEAD_COUPLE, 3, first, beta)
    most = size = 0.0
    for step in range(2 * count):
        k = step if step < count else 2 * count - 1 - step
        if k >= points:
            u_along = speed_along(twists, work.contact, contacts, k, 0, V_END) + contacts[k, PRESCRIBED]
            before = contacts[k, IMPULSE_AT]
            contacts[k, IMPULSE_AT] = row_impulse(contacts, notes, k, u_along)
            change = contacts[k, IMPULSE_AT] - before
            apply_tied(joints, work, k, change, 0.0, 0.0, V_END)
            most = max(most, abs(change) * contacts[k, D_NN])
            continue
        u = velocity_at(twists, work.contact, contacts, k)
        change, d_n, d_1, d_2 = improve_point(work.contact, contacts, notes, k, u)
        if change != 0.0:
            apply_tied(joints, work, k, d_n, d_1, d_2, V_END)
        most = max(most, change)
        if contacts[k, ROLLING_LEVER] > 0.0 or contacts[k, SPINNING_LEVER] > 0.0:
            apply_tied_couple(joints, work, k, update_couple(twists, work.contact, contacts, notes, k), V_END)
    for k in range(count):
        for c in range(3):
            d = contacts[k, IMPULSE_AT + c] - contacts[k, BEFORE + c]
            size += d * d * contacts[k, D_NN]
    return most, size


@kernel
def row_impulse(contacts: Floats, notes: Floats, k: int, u: float) -> float:
    """The impulse that the condition of joint row k, which has u, asks for [N s]."""
    before = contacts[k, IMPULSE_AT]
    soft = notes[k, SOFT]
    after = before - (u - contacts[k, TARGET] + soft * before) / (contacts[k, D_NN] + soft)
    return min(max(after, notes[k, LEAST]), notes[k, MOST])


@kernel
def correct_tied(joints: Joints, work: Work, count: int, small: float) -> None:
    """As `sweep_corrections`, but by plain sweeps, now forwards, now back, so that no correction opens a joint."""
    contacts = work.contacts
    for sweep in range(sweep_budget(count)):
        most = 0.0
        for place in range(count):
            k = count - 1 - place if sweep % 2 == 1 else place
            u = speed_along(work.twists, work.contact, contacts, k, 0, V_PSEUDO)
            before = contacts[k, PSEUDO_IMPULSE]
            after = max(before - (u - contacts[k, PSEUDO_TARGET]) * contacts[k, NORMAL_MASS], 0.0)
            contacts[k, PSEUDO_IMPULSE] = after
            apply_tied(joints, work, k, after - before, 0.0, 0.0, V_PSEUDO)
            most = max(most, abs(after - before) * contacts[k, D_NN])
        if most <= small:
            return
