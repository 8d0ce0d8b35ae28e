"""Contact impulses: what stops a sliding contact, without a collision, where no contact forces exist.

Where a normal force's own friction takes down what the force lifts, D_nn - mu D_nt . u_t / |u_t| <= 0 (Painleve 1895),
a point that is pressed down may find no force to hold it (Baraff 1992, chapter 10). What there is then are impulses
that take no time (chapter 13): they turn the sliding into sticking, or the contact into one that has forces again.

A step that has been solved says whether it is so: impulses that stand for forces become small with the step, those
that need no time stay. Where a loaded point slides and meets Painleve's condition, which is necessary and rare, the
step is solved once more with no length, so that nothing presses: first all such points are stopped, whatever that
takes, then every point obeys Coulomb's law. If what remains is of the size of what the step had found, within a factor
of two, that was no force: it is a contact impulse, at the step's start. A slip that the step's own accelerations make
or end is no sliding in this sense.
"""

from __future__ import annotations

from math import sqrt

from engine.group.bodies import fly_to_middle
from engine.group.contact_points import load_points
from engine.group.midway import carry_points, touch_at
from engine.group.relative_velocity import apply_along, speed_along
from engine.group.solve.arrest import book_arrest
from engine.group.solve.gauss_seidel import sweep_budget, sweep_impulses
from engine.group.solve.impulses import least_change
from engine.group.work import (
    BODIES,
    CONTACTS,
    COUPLE,
    D_NN,
    D_NT,
    D_TT,
    DYNAMIC,
    ENVELOPE_AT,
    GAP_AT,
    IMPULSE_AT,
    JAMMED,
    LINKAGES,
    NORMAL_AT,
    PAIRS_HELD,
    POINT,
    PRESCRIBED_THEN,
    SLIDES,
    SLIP,
    START_JAM,
    START_POINT,
    START_U,
    TARGET,
    U_START,
    V_END,
    V_FREE,
    V,
    Work,
)
from engine.kernel import kernel
from engine.maths.vectors import norm, sub, vector_at
from engine.model.model import Model
from engine.model.state import GROUP_SWEEPS, State
from engine.tolerances import BAND_HIGH


@kernel
def lacks_forces(work: Work) -> bool:
    """May it be that no forces exist in the step that has just been solved? It is asked once a step.

    Joints change how a point answers to its own force; what they tie passes by impulses that the step spreads.
    """
    if work.sizes[JAMMED] == 1 or work.sizes[LINKAGES] > 0:
        return False
    meets = False
    for k in range(work.sizes[CONTACTS]):
        meets = meets or _meets_painleve(work, k)
    return meets


@kernel
def _meets_painleve(work: Work, k: int) -> bool:
    """Does point k bear and slide, and does no force there lift, but for the friction that it brings?"""
    contacts, notes = work.contacts, work.notes
    if contacts[k, IMPULSE_AT] <= 0.0 or not _overwhelms(work, k):
        return False
    slip = notes[k, U_START + 1] ** 2 + notes[k, U_START + 2] ** 2
    change = 0.0
    for axis in range(3):
        u = speed_along(work.twists, work.contact, contacts, k, axis, V_FREE) + notes[k, PRESCRIBED_THEN + axis]
        change += 4.0 * (u - notes[k, U_START + axis]) ** 2  # to the middle: half of what the step changes
    return slip > change


@kernel
def _overwhelms(work: Work, k: int) -> bool:
    """Does the friction of point k, as it slides at the start, take down what a normal force there lifts?"""
    contacts, notes = work.contacts, work.notes
    mu, d_n = contacts[k, DYNAMIC], contacts[k, D_NN]
    d_1, d_2 = contacts[k, D_NT], contacts[k, D_NT + 1]
    if mu * mu * (d_1 * d_1 + d_2 * d_2) < d_n * d_n:
        return False
    u_1, u_2 = notes[k, U_START + 1], notes[k, U_START + 2]
    return d_n * sqrt(u_1 * u_1 + u_2 * u_2) <= mu * (d_1 * u_1 + d_2 * u_2)


@kernel
def find_contact_impulses(model: Model, state: State, work: Work, t: float, h: float) -> None:
    """Take from the velocities at the start of a step h, begun at t, what contact impulses stop at once.

    Leaves the points in `work` as they are at the start: the step is to be solved anew.
    """
    work.sizes[JAMMED] = 1
    _note_found(work)
    for at in range(work.sizes[BODIES]):
        fly_to_middle(model.bodies, work, at, 0.0)
    work.sizes[CONTACTS] = 0
    for p in range(work.sizes[PAIRS_HELD]):
        touch = touch_at(model, state, work, work.pair[p], t)
        count, normal = carry_points(model.bodies, work, p, touch, 0.0)
        work.first[p] = work.sizes[CONTACTS]
        load_points(work, state.pairs, touch, normal, count)
    found = remains = 0.0
    for k in range(work.sizes[CONTACTS]):
        found += _aim_now(work, k, h)
    small = least_change(model.settings)
    sweeps = 0
    most = sweep_budget(work.sizes[CONTACTS])
    while sweeps < most and _stop_once(work) > small:
        sweeps += 1
    more, _ = sweep_impulses(work, most, small)
    state.counts[GROUP_SWEEPS] += sweeps + more
    for k in range(work.sizes[CONTACTS]):
        remains += work.contacts[k, IMPULSE_AT]
    exists = not 0.5 * found < remains < 2.0 * found
    for at in range(work.sizes[BODIES]):
        for c in range(6):
            if exists:
                work.twists[at, V_END + c] = work.twists[at, V + c]
            work.twists[at, V + c] = work.twists[at, V_END + c]
    for k in range(work.sizes[CONTACTS]):
        for axis in range(3):
            if exists:
                work.contacts[k, IMPULSE_AT + axis] = work.notes[k, COUPLE + axis] = 0.0
        _end_now(work, k)


@kernel
def _note_found(work: Work) -> None:
    """Note at the points of the start what the nearest ones bore in the step, and whether they would have closed."""
    start = work.start
    for p in range(work.sizes[PAIRS_HELD]):
        for j in range(work.begun[p], work.begun[p + 1]):
            for c in range(3):
                start[j, START_JAM + c] = 0.0
        last = work.first[p + 1] if p + 1 < work.sizes[PAIRS_HELD] else work.sizes[CONTACTS]
        for k in range(work.first[p], last):
            best, least = work.begun[p], -1.0
            for j in range(work.begun[p], work.begun[p + 1]):
                away = norm(sub(vector_at(work.notes, k, POINT), vector_at(start, j, START_POINT)))
                if least < 0.0 or away < least:
                    best, least = j, away
            start[best, START_JAM] += work.contacts[k, IMPULSE_AT]
            u = speed_along(work.twists, work.contact, work.contacts, k, 0, V_FREE) + work.notes[k, PRESCRIBED_THEN]
            if u < work.contacts[k, TARGET]:
                start[best, START_JAM + 1] = 1.0


@kernel
def _aim_now(work: Work, k: int, h: float) -> float:
    """Point k where no time passes: what bore in the step, or else had closed, may not close; nor else what is near,
    faster than in the step.

    What it bore along its normal [N s].
    """
    contacts, notes, start = work.contacts, work.notes, work.start
    for axis in range(3):
        u = speed_along(work.twists, work.contact, contacts, k, axis, V) + notes[k, PRESCRIBED_THEN + axis]
        notes[k, U_START + axis] = u
        contacts[k, IMPULSE_AT + axis] = 0.0
    notes[k, SLIP], notes[k, SLIP + 1] = notes[k, U_START + 1], notes[k, U_START + 2]
    found = start[k, START_JAM]
    closes = found > 0.0 or start[k, START_JAM + 1] == 1.0
    room = 0.0 if closes else max(notes[k, GAP_AT] - BAND_HIGH * notes[k, ENVELOPE_AT], 0.0)
    contacts[k, TARGET] = min(notes[k, U_START], -room / h)
    work.contact[k, SLIDES] = 1 if closes and _overwhelms(work, k) else 0
    return found


@kernel
def _stop_once(work: Work) -> float:
    """A sweep that stops the sliding of the points that are marked by SLIDES, whatever friction that takes.

    By how much it changes a velocity at most [m/s].
    """
    contact, contacts = work.contact, work.contacts
    most = 0.0
    for k in range(work.sizes[CONTACTS]):
        for axis in range(3 if contact[k, SLIDES] == 1 else 1):
            u = speed_along(work.twists, contact, contacts, k, axis, V_END) + work.notes[k, PRESCRIBED_THEN + axis]
            d = contacts[k, D_NN] if axis == 0 else contacts[k, D_TT + (0 if axis == 1 else 2)]
            before = contacts[k, IMPULSE_AT + axis]
            after = before - (u - (contacts[k, TARGET] if axis == 0 else 0.0)) / d
            contacts[k, IMPULSE_AT + axis] = max(after, 0.0) if axis == 0 else after
            change = contacts[k, IMPULSE_AT + axis] - before
            apply_along(work.twists, contact, contacts, k, axis, change, V_END)
            most = max(most, abs(change) * d)
    return most


@kernel
def _end_now(work: Work, k: int) -> None:
    """Book what remains at point k, and note it with the velocity that it leaves."""
    contacts, notes, start = work.contacts, work.notes, work.start
    book_arrest(work, k)
    for c in range(3):
        start[k, START_U + c] = start[k, START_JAM + c] = 0.0
    for axis in range(3):
        u = speed_along(work.twists, work.contact, contacts, k, axis, V_END) + notes[k, PRESCRIBED_THEN + axis]
        notes[k, U_START + axis] = u
        for c in range(3):
            n = contacts[k, NORMAL_AT + 3 * axis + c]
            start[k, START_U + c] += u * n
            start[k, START_JAM + c] += contacts[k, IMPULSE_AT + axis] * n
