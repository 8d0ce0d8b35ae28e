"""What flies into the contacts of a group at the start of its step: it is stopped there, at once, or bounces."""

from __future__ import annotations

from math import inf

from engine.group.arrivals import BOUNCE, NOTHING
from engine.group.bodies import (
    energy_of,
)
from engine.group.books import book_point
from engine.group.joints.answers import bear_impulses, find_answers, note_ties
from engine.group.joints.linkages import add_rows_of_trees
from engine.group.pair_tasks import find_arrivals, note_starts
from engine.group.room import is_roomy
from engine.group.solve.endless import grow_without_end, note_growth
from engine.group.solve.gauss_seidel import sweep_budget
from engine.group.solve.hits import flies_in, stop_points
from engine.group.solve.newton import find_impulses
from engine.group.solve.sweeping import begin_sweeping, end_sweeping, sweep_further
from engine.group.work import (
    ARREST_LOSS,
    ARREST_WORK,
    ARRESTED,
    BAND_TARGET,
    BODIES,
    BY_NEWTON,
    CONTACTS,
    COUPLE,
    FLIES_IN,
    IMPULSE_AT,
    LINKAGES,
    LOST,
    SIDE_A,
    SIDE_B,
    TARGET,
    U_START,
    V_END,
    V_FREE,
    W_END,
    WORKED,
    Q,
    V,
    W,
    Work,
)
from engine.kernel import kernel
from engine.maths.quaternions import quat_at
from engine.maths.vectors import vector_at
from engine.model.model import (
    Floats,
    Model,
)
from engine.model.state import CAUSES, State
from engine.tolerances import FIRST_SWEEPS, HALVINGS, SOLVE_SWEEPS, SOLVE_UPDATES

_PARTS = SOLVE_SWEEPS // FIRST_SWEEPS  # of a budget of sweeps, after each of which it is asked what still flies in

_FEW_HIT = 64
"""Where more points are to be stopped at once, and more than a sixteenth of all, it goes on everywhere."""

_ROUNDS = HALVINGS  # budgets that follow the first part: a step of half the length would be found anew, as often
_FIRST_ROUNDS = _ROUNDS // 4  # of them, before what flies in then is stopped point by point


@kernel
def arrest(model: Model, state: State, work: Work, h: float, small: float) -> int:
    """Take from the velocities at the start what flies into a contact, at once; how many sweeps it took. Leaves in
    work.root which bodies something flies into.

    From there on velocities change steadily through the step, so that it may be cut short anywhere. What gaps need not
    know can wait for the impulses in the middle of it. What comes faster than a microcollision, as it may where a group
    is busy, bounces; if together that made energy, nothing does.
    """
    contacts, notes = work.contacts, work.notes
    count = work.sizes[CONTACTS]
    work.sizes[ARRESTED] = 1
    found = find_arrivals(model, state, work, h, small)
    meets, bounces = found != NOTHING, found == BOUNCE
    _mark_hit(work, meets)
    sweeps = 0
    if meets:
        if work.sizes[LINKAGES] > 0:
            note_ties(model.tags, model.joints, work, 0, count)
            if not is_roomy(work):
                return 0
            add_rows_of_trees(model, work)
            find_answers(model.bodies, model.tags, model.joints, work, 0, count)
        sweeps = _stop_at(model, work, h, small)
    made = 0.0
    if bounces:
        for at in range(work.sizes[BODIES]):
            made += _kinetic(model.bodies, work, at, V_END, W_END) - _kinetic(model.bodies, work, at, V, W)
    if made > 0.0:
        for k in range(count):
            contacts[k, TARGET] = notes[k, BAND_TARGET]
        sweeps += _stop_at(model, work, h, small)
    _end_arrest(model, state, work, meets)
    if meets:
        for n in range(work.sizes[LINKAGES]):
            work.link[ARREST_WORK] += bear_impulses(model.tags, model.joints, work, work.linkage[n], 0.0)
    return sweeps


@kernel
def _mark_hit(work: Work, meets: bool) -> None:
    """Which bodies something flies into, into work.root; meets: there is something."""
    for at in range(work.sizes[BODIES]):
        work.root[at] = 0
    for k in range(work.sizes[CONTACTS] if meets else 0):
        if work.contact[k, FLIES_IN] == 1:
            for side in (SIDE_A, SIDE_B):
                if work.contact[k, side] >= 0:
                    work.root[work.contact[k, side]] = 1


@kernel
def _end_arrest(model: Model, state: State, work: Work, meets: bool) -> None:
    """The points as they are at the start, once nothing flies into them any more; the velocities of the bodies."""
    twists = work.twists
    for at in range(work.sizes[BODIES]):
        for c in range(6):
            twists[at, V_FREE + c] = twists[at, V + c]
    note_starts(model, state, work, meets)
    if not meets:
        return
    for k in range(work.sizes[CONTACTS]):
        _book_arrest(work, k)
    for at in range(work.sizes[BODIES]):
        for c in range(6):
            twists[at, V + c] = twists[at, V_END + c]


@kernel
def book_arrest(work: Work, k: int) -> None:
    """What point k has taken by stopping what flew into it, and what a kinematic body put in."""
    book_point(work, k)
    _book_arrest(work, k)


@kernel
def _book_arrest(work: Work, k: int) -> None:
    """The same once its own books say so."""
    for cause in range(CAUSES):
        work.link[ARREST_LOSS + cause] += work.notes[k, LOST + cause]
    work.link[ARREST_WORK] += work.notes[k, WORKED]


@kernel
def _begin_stop(work: Work, small: float) -> None:
    """Nothing has been stopped yet. What is hit is stopped at all its points; at others, what that makes worse."""
    contact, contacts, notes = work.contact, work.contacts, work.notes
    for at in range(work.sizes[BODIES]):
        for c in range(6):
            work.twists[at, V_END + c] = work.twists[at, V + c]
    for k in range(work.sizes[CONTACTS]):
        for axis in range(3):
            contacts[k, IMPULSE_AT + axis] = notes[k, COUPLE + axis] = 0.0
        a, b = contact[k, SIDE_A], contact[k, SIDE_B]
        hit = (a >= 0 and work.root[a] == 1) or (b >= 0 and work.root[b] == 1)
        work.lowest[k] = min(contacts[k, TARGET], inf if hit else notes[k, U_START]) - small


@kernel
def _stop_at(model: Model, work: Work, h: float, small: float) -> int:
    """End velocities: those at the start, less what flies into a contact; how many sweeps it took.

    Of many points few are hit in most steps: there, point by point first, as far as that goes on, and nothing changes
    at the others. If it goes on at many, all points are swept. That ends where none is too fast for a step h: what
    is left then, the impulses in its middle take. As long as one is it goes on, which costs less than a shorter step of
    all; soon at those points alone.
    """
    _begin_stop(work, small)
    count, linked = work.sizes[CONTACTS], work.sizes[LINKAGES] > 0
    budget, sweeps = sweep_budget(count), 0
    if count * budget > SOLVE_UPDATES and not linked:
        made, ends = stop_points(work, count, max(count // 16, _FEW_HIT), small)
        sweeps = made // count
        if ends or not flies_in(work, h):
            return sweeps
    if work.sizes[BY_NEWTON] == 1:
        sweeps += find_impulses(model, work, small, 0)
        if not flies_in(work, h):
            return sweeps
    ends = False
    begin_sweeping(work)
    for _ in range(1 + _PARTS * (_ROUNDS if linked else _FIRST_ROUNDS)):
        more, most = sweep_further(model, work, budget // _PARTS, small)
        sweeps += more
        ends = most <= small or not flies_in(work, h)
        if ends:
            break
    end_sweeping(work)
    for _ in range(_ROUNDS if not (ends or linked) else 0):
        note_growth(work)
        made, ends = stop_points(work, budget * count, count, inf)
        sweeps += made // count
        if ends or grow_without_end(model.bodies, work):
            break
    return sweeps


@kernel
def _kinetic(bodies: Floats, work: Work, at: int, v: int, w: int) -> float:
    """Kinetic energy of row `at` of the bodies [J]."""
    twists = work.twists
    zero = (0.0, 0.0, 0.0)
    return energy_of(
        bodies, work.body[at], zero, quat_at(work.poses, at, Q), vector_at(twists, at, v), vector_at(twists, at, w)
    )
