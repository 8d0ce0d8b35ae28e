"""The impulses of one step of a contact group, of a given length: velocities at its end, and pseudo-velocities.

    arrest      what flies into a contact stops, or bounces, at once
    fly         gravity, free turning and joints, to the middle of the step
    bear        impulses over the step, so that no gap closes and friction does not lie: by sweeps, or Newton's method
    fly on      to the end
    correct     what has sunk too deep in the envelope is lifted by pseudo-velocities

Impulses in the middle of two free flights are of second order, keep momentum, and take exactly the energy that they
book: free flight is exact (engine.motion.ballistic), and that of linkages as good as (engine.group.joints.flow).

The gap of a lasting contact lives in a band: above 3/4 of the envelope it may close no faster than down to there in one
step, inside the band it may not close at all, below 1/4 it is corrected. Baraff 1992, chapter 8, has no band: his
contacts are at distance zero; here nothing ever is.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.group.bodies import (
    applied_work,
    are_unequal,
    await_flow,
    energy_of,
    fastest_rim,
    fly_to_end,
    fly_to_middle,
    free_velocities,
    impulse_twist,
    place_at_end,
)
from engine.group.books import book_points
from engine.group.energy import ALL, note_spins, turning_momentum
from engine.group.joints.answers import apply_tied_loads, find_answers, note_ties
from engine.group.joints.ends import add_joint_rows, note_begun
from engine.group.joints.linkages import begin_linkages, fly_linkages_on, fly_linkages_to_middle, swing_linkages
from engine.group.pair_tasks import find_points_midway
from engine.group.relative_velocity import velocity_along
from engine.group.room import is_roomy
from engine.group.solve.aims import aim_points
from engine.group.solve.arrest import arrest
from engine.group.solve.discrete_gradient import move_points
from engine.group.solve.joint_sweeps import correct_tied
from engine.group.solve.newton import find_corrections, find_impulses
from engine.group.solve.ordering import order_bodies
from engine.group.work import (
    APPLIED_WORK,
    ARRESTED,
    BODIES,
    BY_NEWTON,
    CONTACTS,
    CORRECTED,
    COUPLE,
    DEBT,
    DRIVEN_HERE,
    ENVELOPE_AT,
    EVENT,
    GAP_AT,
    GROUNDED,
    IMPULSE_AT,
    IN_PLACE,
    JOINT_ROWS,
    LINK_GAIN,
    LINK_WORK,
    LINKAGES,
    LOST,
    MEETS,
    PAIRS_HELD,
    PRESCRIBED_THEN,
    PURE_ENERGY,
    PURE_MOMENTUM,
    Q_ACT,
    SMALL,
    SQUEEZED,
    TORN,
    V_END,
    V_FLOW,
    W_END,
    W_FLOW,
    V,
    W,
    Work,
    X,
)
from engine.kernel import kernel
from engine.maths.quaternions import quat_at
from engine.maths.vectors import vector_at
from engine.model.model import (
    COULOMB,
    FRICTION_MODEL,
    GRAVITY_NORM,
    LINKAGE,
    LONGEST_STEP,
    NEWTON,
    RADIUS,
    SOLVER,
    SWEEPS,
    Floats,
    Model,
)
from engine.model.state import CAUSES, State
from engine.stages import GAPS, GROUP, POINTS, lap
from engine.tolerances import ACCURACY, BAND_LOW, SOLVE_AT_REST, SOLVE_MOVING

_STANDS = ACCURACY
"""Of the least change: what a body at rest may be left with, times the square of the number of bodies."""


@kernel
def solve_step(model: Model, state: State, work: Work, t: float, h: float, afresh: bool, least: float) -> int:
    """End velocities and pseudo-velocities of a step h from t on; how many sweeps it took. See its two halves."""
    sweeps = begin_step(model, state, work, t, h, least)
    return sweeps + end_step(model, state, work, t, h, afresh)


@kernel
def begin_step(model: Model, state: State, work: Work, t: float, h: float, least: float) -> int:
    """A step h from t on up to where its impulses act: what flies into contacts is stopped, the rest flies to the
    middle, and points are found there; how many sweeps it took.

    What the step meets on the way is known then (work.link[MEETS]). least: changes of velocity below this [m/s] end
    a search for impulses.
    """
    linked = work.sizes[LINKAGES] > 0
    work.link[LINK_WORK] = work.link[LINK_GAIN] = 0.0
    work.link[MEETS] = work.link[EVENT] = inf
    work.sizes[TORN] = work.sizes[SQUEEZED] = 0
    small = solve_tolerance(model.bodies, model.settings, work, least)
    if work.sizes[BY_NEWTON] == 1:
        order_bodies(model, state, work)
        if not is_roomy(work):
            return 0
    if linked:
        longest = model.settings[LONGEST_STEP]
        begin_linkages(
            model.bodies, model.tags, state.arcs, state.members, model.joints, state.joints, work, longest, t
        )
    sweeps = 0
    if work.sizes[ARRESTED] == 0:
        if linked:
            add_joint_rows(model, work, 0.0)
        sweeps = _stop_hits(model, state, work, h, small)
    if not is_roomy(work) or _swings(work):
        return sweeps
    for at in range(work.sizes[BODIES]):
        fly_to_middle(model.bodies, work, at, h)
    if linked:
        fly_linkages_to_middle(model, state, work, t, h)
    lap(work.watch, GROUP)
    find_points_midway(model, state, work, t, h)  # a longer step has left others
    lap(work.watch, POINTS)
    return sweeps


@kernel
def stop_hits(model: Model, state: State, work: Work, h: float, least: float) -> int:
    """What flies into contacts of a group without joints at the start of a step h is stopped, or bounces; how many
    sweeps it took. The step may then begin, or the group be gathered again as it goes on from there."""
    small = solve_tolerance(model.bodies, model.settings, work, least)
    if work.sizes[BY_NEWTON] == 1:
        order_bodies(model, state, work)
    return _stop_hits(model, state, work, h, small) if is_roomy(work) else 0


@kernel
def _stop_hits(model: Model, state: State, work: Work, h: float, small: float) -> int:
    sweeps = arrest(model, state, work, h, small)
    note_begun(work)
    work.sizes[IN_PLACE] = 1
    return sweeps


@kernel
def end_step(model: Model, state: State, work: Work, t: float, h: float, afresh: bool) -> int:
    """The rest of it: impulses in the middle, and free flight to the end; how many sweeps it took.

    afresh: the search for what contacts bear begins from nothing, not from what they bore.
    """
    linked = work.sizes[LINKAGES] > 0
    if not is_roomy(work):
        return 0
    if _swings(work):
        _swing(model, state, work, t, h)
        return 0
    if linked:
        add_joint_rows(model, work, h)
        note_ties(model.tags, model.joints, work, 0, work.sizes[CONTACTS])
    if not is_roomy(work):
        return 0
    if linked:
        find_answers(model.bodies, model.tags, model.joints, work, 0, work.sizes[CONTACTS])
        apply_tied_loads(model.tags, model.joints, work, h)
    aim_points(model, state, work, h, afresh)
    sweeps = find_impulses(model, work, work.link[SMALL], 0)
    # Points of linkages stay: all that is tied to them answers, each time anew.
    if not linked and move_points(model, state, work, t, h):
        sweeps += find_impulses(model, work, work.link[SMALL], sweeps)
    book_points(work)
    limit_impulses(model.bodies, work)
    for at in range(work.sizes[BODIES]):
        work.poses[at, APPLIED_WORK] = applied_work(work, at, h)
    _fly_on(model, state, work, t, h)
    _lift_sunk(model, work, work.link[SMALL])
    return sweeps


@kernel
def _swings(work: Work) -> bool:
    """Is this a group of linkages that touches nothing?"""
    return work.sizes[LINKAGES] > 0 and work.sizes[PAIRS_HELD] == 0


@kernel
def _lift_sunk(model: Model, work: Work, small: float) -> None:
    """Pseudo-velocities for a step in whose middle a gap is below its band."""
    count = work.sizes[CORRECTED] = work.sizes[CONTACTS]
    sunk = False
    for k in range(count):
        sunk = sunk or work.notes[k, GAP_AT] < BAND_LOW * work.notes[k, ENVELOPE_AT]
    if sunk:
        lap(work.watch, GROUP)
        correct_positions(model, work, count, small)
        lap(work.watch, GAPS)


@kernel
def limit_impulses(bodies: Floats, work: Work) -> None:
    """Where the impulses would put in energy all together, by what a solve leaves, they are smaller: they put in none.

    What the part s of them takes, -p . (u + u') / 2, is -a s - b s^2: b is the kinetic energy of the change they make.
    """
    taken = made = 0.0
    for k in range(work.sizes[CONTACTS]):
        for cause in range(CAUSES):
            taken += work.notes[k, LOST + cause]
    if taken >= 0.0:
        return
    for at in range(work.sizes[BODIES]):
        v, w = impulse_twist(work, at)
        made += energy_of(bodies, work.body[at], (0.0, 0.0, 0.0), quat_at(work.poses, at, Q_ACT), v, w)
    less = min(-taken / made, 1.0) if made > 0.0 else 1.0
    for at in range(work.sizes[BODIES]):
        v, w = impulse_twist(work, at)
        for c in range(3):
            work.twists[at, V_END + c] -= less * v[c]
            work.twists[at, W_END + c] -= less * w[c]
    for k in range(work.sizes[CONTACTS]):
        for axis in range(3):
            work.contacts[k, IMPULSE_AT + axis] *= 1.0 - less
            work.notes[k, COUPLE + axis] *= 1.0 - less
    book_points(work)


@kernel
def _swing(model: Model, state: State, work: Work, t: float, h: float) -> None:
    """The step of a group with linkages that touches nothing."""
    for at in range(work.sizes[BODIES]):
        if model.tags[work.body[at], LINKAGE] >= 0:
            await_flow(work, at)
            continue
        free_velocities(model.bodies, work, at, h)
        work.poses[at, APPLIED_WORK] = applied_work(work, at, h)
    swing_linkages(model.bodies, model.tags, model.settings, state.arcs, state.members, model.joints, work, t, h)
    work.sizes[CORRECTED] = 0


@kernel
def _fly_on(model: Model, state: State, work: Work, t: float, h: float) -> None:
    """From where impulses act to the step's end; what energy and momentum are there, but for corrections."""
    if work.sizes[LINKAGES] > 0:
        _fly_on_linked(model, state, work, t, h)
    else:
        for at in range(work.sizes[BODIES]):
            work.poses[at, PURE_ENERGY] = fly_to_end(model.bodies, work, at, h)
    if work.sizes[GROUNDED] == 0:
        for at in range(work.sizes[BODIES]):
            place_at_end(work.twists, work.poses, at, h)
        momentum = turning_momentum(model.bodies, model.tags, work, ALL, vector_at(work.poses, 0, X))
        for c in range(3):
            work.link[PURE_MOMENTUM + c] = momentum[c]
    elif stands(model.bodies, model.settings, work):
        # What the sweeps have left of the weight of a group at rest moves nobody.
        for at in range(work.sizes[BODIES]):
            for c in range(3):
                work.twists[at, V + c] = work.twists[at, W + c] = work.twists[at, V_FLOW + c] = 0.0
                work.twists[at, V_END + c] = work.twists[at, W_END + c] = work.twists[at, W_FLOW + c] = 0.0


@kernel
def _fly_on_linked(model: Model, state: State, work: Work, t: float, h: float) -> None:
    """The flow of linkages is not exact to rounding: what it gains or loses is booked with the numerics."""
    for at in range(work.sizes[BODIES]):
        if model.tags[work.body[at], LINKAGE] < 0:
            fly_to_end(model.bodies, work, at, h)
        work.poses[at, PURE_ENERGY] = 0.0
    fly_linkages_on(model, state, work, t, h)
    note_spins(model.bodies, model.tags, model.joints, work)


@kernel
def stands(bodies: Floats, settings: Floats, work: Work) -> bool:
    """Is the group at rest on something that nothing moves, but for what sweeps may leave of its weight?

    That would move a wall: not far, but never twice the same, so that its loads had to be found anew in every step.
    Fewer bodies leave less, as its square, and a single one that begins to roll on the slightest slope is no error.
    """
    still = min(_STANDS * work.sizes[BODIES] ** 2, 1.0) * least_change(settings)
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        for c in range(3):
            for start in (V, V_END):
                if abs(work.twists[at, start + c]) > still:
                    return False
                if abs(work.twists[at, start + 3 + c]) * bodies[i, RADIUS] > still:
                    return False
    return work.sizes[DRIVEN_HERE] == 0


@kernel
def least_change(settings: Floats) -> float:
    """That change [m/s] in a group at rest."""
    return SOLVE_AT_REST * settings[GRAVITY_NORM] * settings[LONGEST_STEP]


@kernel
def solve_tolerance(bodies: Floats, settings: Floats, work: Work, least: float) -> float:
    """The change of a point's velocity [m/s] below which a solve is done, also left in work.link.

    Where bodies and what they touch are slower than a group at rest need know, or their masses differ by more than
    sweeps pass on, sweeps that are slow are followed by Newton's method, which knows Coulomb's cone only: at rest
    what it finds lasts for many steps. Where it came to no end, sweeps take as long again before its next attempt.
    """
    fastest = 0.0
    for k in range(work.sizes[CONTACTS] - work.sizes[JOINT_ROWS]):
        square = 0.0
        u = velocity_along(work.twists, work.contact, work.contacts, k, V)
        for axis in range(3):
            square += (u[axis] + work.notes[k, PRESCRIBED_THEN + axis]) ** 2
        fastest = max(fastest, square)
    quickest = fastest_rim(bodies, work, V)
    small = SOLVE_MOVING * sqrt(fastest)
    slow = max(small, SOLVE_MOVING * quickest) <= least
    asked = slow or settings[SOLVER] == NEWTON or are_unequal(bodies, work)
    waits = settings[SOLVER] != NEWTON and work.link[DEBT] > 0.0
    may = settings[SOLVER] != SWEEPS and settings[FRICTION_MODEL] == COULOMB and not waits
    work.sizes[BY_NEWTON] = 1 if asked and may and work.sizes[CONTACTS] > 0 else 0
    work.link[SMALL] = max(small, least)
    return work.link[SMALL]


@kernel
def correct_positions(model: Model, work: Work, count: int, small: float) -> None:
    """Pseudo-velocities at the points 0 .. count - 1, to `small` [m/s]."""
    if work.sizes[LINKAGES] == 0:
        find_corrections(model, work, count, small)
    else:
        correct_tied(model.joints, work, count, small)
