"""The impulses of one step of a contact group, of a given length: velocities at its end, and pushes.

    arrest      what flies into a contact stops, or bounces, at once
    fly         gravity and free turning, and the flow of linkages
    bear        impulses over the step, so that no gap closes and friction does not lie: by sweeps, or Newton's method
    push        what has sunk too deep in the envelope is lifted, by velocities that are none

The gap of a lasting contact lives in a band: above 3/4 of the envelope it may close no faster than down to there in one
step, inside the band it may not close at all, below 1/4 it is pushed up. Baraff 1992, chapter 8, has no band: his
contacts are at distance zero; here nothing ever is.
"""

from __future__ import annotations

from math import sqrt

from engine.group.bodies import free_velocities
from engine.group.contact_points import lies_on_fixed, prescribe_at_end
from engine.group.energy import energy_of
from engine.group.joints.linkages import begin_linkages, flow_linkages
from engine.group.lasting_contacts import FAST
from engine.group.relative_velocity import push_by, speed_along
from engine.group.solve.joint_sweeps import push_linked, sweep_linked
from engine.group.solve.newton import find_impulses, find_pushes
from engine.group.work import (
    BODIES,
    BOUNCE,
    CONTACTS,
    CORRECTED,
    COUPLE,
    ENVELOPE_AT,
    GAP_AT,
    GIVEN,
    GIVEN_AT_START,
    IMPULSE_AT,
    LEAST,
    LINK_WORK,
    LINKAGES,
    PUSH_IMPULSE,
    PUSH_LEAST,
    RESTLESS,
    V_END,
    W_END,
    WARM,
    Q,
    V,
    W,
    Work,
)
from engine.kernel import kernel
from engine.maths.quaternions import quat_at
from engine.maths.vectors import vector_at
from engine.model.model import GRAVITY_NORM, LONGEST_STEP, RADIUS, Floats, Model
from engine.model.state import State
from engine.tolerances import (
    BAND_HIGH,
    BAND_LOW,
    CROWD_SHARE,
    HEAP_SWEEPS,
    HEAP_TURNS,
    MOVING_SWEEPS,
    MOVING_TURNS,
    SWEEP_LIMIT,
    SWEEP_SHARE,
    SWEEP_SMALL,
    SWEEP_TURNS,
)

_STANDS = 1e-4  # of the least change: what a body at rest may be left with, times the square of the number of bodies
_PUSHED = 0.02  # what pushes may lack, where what they lift moves on anyway


@kernel
def solve_step(model: Model, state: State, work: Work, t: float, h: float, fade: float) -> int:
    """End velocities and pseudo-velocities of a step h; how many sweeps it took.

    fade: of what contacts bore, this part is where the search for what they bear begins.
    """
    bodies, contact, contacts = work.bodies, work.contact, work.contacts
    count = work.sizes[CONTACTS]
    work.sizes[CORRECTED] = count
    sunk = False
    for k in range(count):
        for axis in range(3):
            contacts[k, GIVEN + axis] = contacts[k, GIVEN_AT_START + axis]
        gap, envelope = contacts[k, GAP_AT], contacts[k, ENVELOPE_AT]
        contacts[k, LEAST] = -max(gap - BAND_HIGH * envelope, 0.0) / h
        contacts[k, PUSH_LEAST] = (BAND_LOW * envelope - gap) / h
        contacts[k, PUSH_IMPULSE] = 0.0
        sunk = sunk or gap < BAND_LOW * envelope
    small = small_change(model, work)
    limit = sweep_limit(model.settings, work, count, small)
    linked = work.sizes[LINKAGES] > 0
    work.link[LINK_WORK] = 0.0
    if linked:
        begin_linkages(model.bodies, model.tags, state.arcs, state.members, model.joints, work, t)
    sweeps = _arrest(model, state, work, limit, small)
    for at in range(work.sizes[BODIES]):
        free_velocities(model.bodies, bodies, work.body[at], at, h)
    if linked:
        flow_linkages(
            model.bodies, model.tags, model.settings, state.arcs, state.members, model.joints, work, t, h
        )  # fmt: skip
    share = fade * h / model.settings[LONGEST_STEP]
    for k in range(count):
        at_start = contacts[k, GIVEN]
        prescribe_at_end(model, state, work, k, t, h)
        # The gap changes with the mean of the velocities, and so does the energy: what pushes must not move up.
        # As far as it came nearer it goes away again: all points of a patch together can, whatever they are.
        u = speed_along(bodies, contact, contacts, k, 0, V, W) + at_start
        contacts[k, LEAST] = 2.0 * contacts[k, LEAST] - u
        for axis in range(3):
            contacts[k, IMPULSE_AT + axis] = share * contacts[k, WARM + axis]
            contacts[k, COUPLE + axis] = 0.0
        p = vector_at(contacts, k, IMPULSE_AT)
        push_by(bodies, contact, contacts, k, p[0], p[1], p[2], V_END)
    sweeps += _sweep(model, state, work, limit, small, fade != 1.0)
    if not linked and stands(model, work):
        for at in range(work.sizes[BODIES]):
            for c in range(6):
                bodies[at, V + c] = bodies[at, V_END + c] = 0.0
    if sunk:
        push_out(model, state, work, count, limit, small)
    return sweeps


@kernel
def is_quiet(model: Model, work: Work) -> bool:
    """Does nothing in the group slide or hit? Where something does, sweeps are quick enough."""
    return small_change(model, work) <= least_change(model.settings)


@kernel
def least_change(settings: Floats) -> float:
    """That change [m/s] in a group at rest."""
    return SWEEP_SMALL * max(settings[GRAVITY_NORM], 1.0) * settings[LONGEST_STEP]


@kernel
def stands(model: Model, work: Work) -> bool:
    """Is the group at rest on something that nothing moves, but for what sweeps may leave of its weight?

    That would move a wall: not far, but never twice the same, so that its loads had to be found anew in every step.
    Fewer bodies leave less, as its square, and a single one that begins to roll on the slightest slope is no error.
    """
    still = min(_STANDS * work.sizes[BODIES] ** 2, 1.0) * least_change(model.settings)
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        for c in range(3):
            for start in (V, V_END):
                if abs(work.bodies[at, start + c]) > still:
                    return False
                if abs(work.bodies[at, start + 3 + c]) * model.bodies[i, RADIUS] > still:
                    return False
    return lies_on_fixed(work.contact, work.contacts, work.sizes[CONTACTS])


@kernel
def small_change(model: Model, work: Work) -> float:
    """A change of velocity [m/s] below which sweeps need not go on.

    It grows with the square of the number of bodies, from what a single one is followed to up to what a crowd is: so
    does the number of sweeps that a change takes to get from one end of a group to the other.
    """
    fastest = 0.0
    for k in range(work.sizes[CONTACTS]):
        square = 0.0
        for axis in range(3):
            u = speed_along(work.bodies, work.contact, work.contacts, k, axis, V, W) + work.contacts[k, GIVEN + axis]
            square += u * u
        fastest = max(fastest, square)
    share = min(SWEEP_SHARE * work.sizes[BODIES] ** 2, CROWD_SHARE)
    return max(least_change(model.settings), share * sqrt(fastest))


@kernel
def _sweep(model: Model, state: State, work: Work, limit: int, small: float, directly: bool) -> int:
    count = work.sizes[CONTACTS]
    if work.sizes[LINKAGES] == 0:
        return find_impulses(model.bodies, work, limit, small, small > least_change(model.settings), directly)
    return sweep_linked(model.tags, state.members, model.joints, work, limit, small) if count > 0 else 0


@kernel
def push_out(model: Model, state: State, work: Work, count: int, limit: int, small: float) -> None:
    """Pushes at the points 0 .. count - 1, to `small` [m/s]; in a group that moves, to a part of the fastest."""
    if small > least_change(model.settings):
        for k in range(count):
            small = max(small, _PUSHED * work.contacts[k, PUSH_LEAST])
    if work.sizes[LINKAGES] == 0:
        find_pushes(model.bodies, work, count, limit, small)
    else:
        push_linked(model.tags, state.members, model.joints, work, count, limit, small)


@kernel
def sweep_limit(settings: Floats, work: Work, count: int, small: float) -> int:
    """The most sweeps over `count` points of a group whose velocities need be known to `small` [m/s]."""
    if small > least_change(settings) or work.sizes[RESTLESS] == 1:
        most = min(MOVING_SWEEPS, max(HEAP_SWEEPS, HEAP_TURNS // max(count, 1)))
        return max(most, MOVING_TURNS // max(count, 1))
    return max(SWEEP_LIMIT, SWEEP_TURNS // max(count, 1))


@kernel
def _arrest(model: Model, state: State, work: Work, limit: int, small: float) -> int:
    """Take from the velocities at the start what flies into a contact, at once; how many sweeps it took.

    From there on velocities change steadily through the step, so that it may be cut short anywhere. What comes faster
    than a microcollision, as it may in a crowd, bounces; if together that made energy, nothing does.
    """
    contacts = work.contacts
    count = work.sizes[CONTACTS]
    meets = bounces = False
    for k in range(count):
        u = speed_along(work.bodies, work.contact, contacts, k, 0, V, W) + contacts[k, GIVEN]
        least = contacts[k, LEAST]
        if u < least - small:
            meets = True
            fast = FAST * sqrt(2.0 * model.settings[GRAVITY_NORM] * contacts[k, ENVELOPE_AT])
            if -u > fast and contacts[k, BOUNCE] > 0.0:
                bounces = True
                least = -contacts[k, BOUNCE] * u
        contacts[k, BOUNCE], contacts[k, LEAST] = contacts[k, LEAST], least
    sweeps = 0
    if meets:
        sweeps = _stop_at(model, state, work, limit, small)
    made = 0.0
    if bounces:
        for at in range(work.sizes[BODIES]):
            made += _kinetic(model.bodies, work, at, V_END, W_END) - _kinetic(model.bodies, work, at, V, W)
    for k in range(count):
        contacts[k, LEAST] = contacts[k, BOUNCE]
    if made > 0.0:
        sweeps += _stop_at(model, state, work, limit, small)
    if meets:
        for at in range(work.sizes[BODIES]):
            for c in range(6):
                work.bodies[at, V + c] = work.bodies[at, V_END + c]
    return sweeps


@kernel
def _stop_at(model: Model, state: State, work: Work, limit: int, small: float) -> int:
    """End velocities: those at the start, less what flies into a contact."""
    for at in range(work.sizes[BODIES]):
        for c in range(6):
            work.bodies[at, V_END + c] = work.bodies[at, V + c]
    for k in range(work.sizes[CONTACTS]):
        for axis in range(3):
            work.contacts[k, IMPULSE_AT + axis] = 0.0
            work.contacts[k, COUPLE + axis] = 0.0
    return _sweep(model, state, work, limit, small, False)


@kernel
def _kinetic(table: Floats, work: Work, at: int, v: int, w: int) -> float:
    """Kinetic energy of row `at` of the bodies [J]."""
    bodies = work.bodies
    zero = (0.0, 0.0, 0.0)
    return energy_of(
        table, work.body[at], zero, quat_at(bodies, at, Q), vector_at(bodies, at, v), vector_at(bodies, at, w)
    )
