"""The books of contact groups: what each contact takes in a step, from the forces that act and how they move there.

A step's impulse p acts at one instant, between a velocity u and another (engine.group.solve): it takes -p . u of the
mean of both, to the last digit what the bodies' energies lose. It is booked as the step goes by, as if force and slip
changed evenly; a kinematic body puts in what its own velocity takes from that. What elements of joints take in a group
that touches nothing is known at every instant (engine.group.joints.taken). What no force takes, such as pushes by
position correction, is a line of its own (NUMERICS).

Between its ends a step's arcs are interpolations, and energies of bodies that turn there are a little beside what is
booked. That difference is told apart for so long (World.energy), and is numerics if a hit cuts the step short.
"""

from __future__ import annotations

from engine.group.bodies import energy_of
from engine.group.cut import cut_step
from engine.group.joints.taken import does_work_by_elements, elements_until
from engine.group.relative_velocity import velocity_along
from engine.group.work import (
    CONTACTS,
    COUPLE,
    DAMPER_OF_JOINT,
    ELEMENT,
    END,
    FRICTION_OF_JOINT,
    IMPULSE_AT,
    JOINT_ROWS,
    LOST,
    LOST_FIRST,
    MOTOR_OF_JOINT,
    PRESCRIBED_SPIN,
    PRESCRIBED_THEN,
    ROLLING_LEVER,
    SIDE_A,
    SIDE_B,
    SPINNING_LEVER,
    U_MEAN,
    U_START,
    V_END,
    V_FREE,
    WORKED,
    Work,
)
from engine.kernel import kernel, linked_kernel
from engine.maths.vectors import Vec3, add_scaled, dot, vector_at
from engine.model.model import Floats, Ints, Model
from engine.model.state import (
    ASLEEP,
    BOOKED_UNTIL,
    CAUSES,
    DAMPING,
    DISSIPATED,
    ELASTIC,
    ELASTIC_FIRST,
    ELASTIC_POWER,
    ENERGY,
    HELD,
    HELD_UNTIL,
    IMPACT,
    LEADER,
    LOSS,
    LOSS_FIRST,
    NEXT_MEMBER,
    NUMERICAL,
    NUMERICS,
    POWER,
    POWER_FIRST,
    RESISTANCE,
    SLIDING,
    STEP,
    WORK,
    State,
)
from engine.motion.arcs import evolve

Losses = tuple[float, float, float, float]


@kernel
def book_points(work: Work) -> None:
    """What every point takes in the step whose impulses have just been found; what kinematic bodies, motors put in."""
    for k in range(work.sizes[CONTACTS]):
        book_point(work, k)


@kernel
def book_point(work: Work, k: int) -> None:
    """The same of point k."""
    contacts, notes = work.contacts, work.notes
    worked = 0.0
    along = k >= work.sizes[CONTACTS] - work.sizes[JOINT_ROWS]  # a joint
    element = work.contact[k, ELEMENT] if along else END
    for cause in range(CAUSES):
        notes[k, LOST + cause] = notes[k, LOST_FIRST + cause] = 0.0
    before = velocity_along(work.twists, work.contact, contacts, k, V_FREE)
    after = velocity_along(work.twists, work.contact, contacts, k, V_END)
    for axis in range(3):
        cause = SLIDING if axis > 0 else _cause_of(element)
        p, given = contacts[k, IMPULSE_AT + axis], notes[k, PRESCRIBED_THEN + axis]
        u = given + 0.5 * (before[axis] + after[axis])
        notes[k, LOST + cause] -= p * u
        if axis == 0:
            notes[k, U_MEAN] = u
        notes[k, LOST_FIRST + cause] -= p * notes[k, U_START + axis]
        worked -= p * given
    if element == MOTOR_OF_JOINT:  # it takes nothing: it puts in, or less than nothing
        worked -= notes[k, LOST + IMPACT]
        notes[k, LOST + IMPACT] = notes[k, LOST_FIRST + IMPACT] = 0.0
    if contacts[k, ROLLING_LEVER] > 0.0 or contacts[k, SPINNING_LEVER] > 0.0:
        couple = vector_at(notes, k, COUPLE)
        given_spin = vector_at(notes, k, PRESCRIBED_SPIN)
        notes[k, LOST + RESISTANCE] = -dot(couple, add_scaled(_mean_turning(work, k), given_spin, 1.0))
        notes[k, LOST_FIRST + RESISTANCE] = notes[k, LOST + RESISTANCE]
        worked -= dot(couple, given_spin)
    notes[k, WORKED] = worked


@kernel
def _cause_of(element: int) -> int:
    """As what counts what a point takes along its normal, or a row of a joint."""
    if element == FRICTION_OF_JOINT:
        return SLIDING
    return DAMPING if element == DAMPER_OF_JOINT else IMPACT


@kernel
def _mean_turning(work: Work, k: int) -> Vec3:
    """Angular velocity of body a of point k less that of b, on the mean of before and after the impulses [rad/s]."""
    w = (0.0, 0.0, 0.0)
    for side in range(2):
        at = work.contact[k, SIDE_A if side == 0 else SIDE_B]
        if at >= 0:
            half = 0.5 if side == 0 else -0.5
            w = add_scaled(w, vector_at(work.twists, at, V_FREE + 3), half)
            w = add_scaled(w, vector_at(work.twists, at, V_END + 3), half)
    return w


@kernel
def taken_until(model: Model, state: State, leader: int, t: float) -> tuple[Losses, float, float]:
    """What a group's contacts and joints have taken in its step by time t, by cause; what was put in; what flowed into
    springs."""
    if t < state.arcs[leader, HELD_UNTIL] and does_work_by_elements(model, state, leader):
        damped, rubbed, work, stored = elements_until(model, state, leader, t)
        return (rubbed, 0.0, 0.0, damped), work, stored
    return _booked_until(state.groups, leader, t)


@kernel
def _booked_until(groups: Floats, leader: int, t: float) -> tuple[Losses, float, float]:
    """The same, as if forces and slip changed evenly."""
    h = groups[leader, STEP]
    s = min((t - groups[leader, BOOKED_UNTIL]) / h, 1.0) if h > 0.0 else 1.0
    a = _gone(groups[leader, LOSS_FIRST], groups[leader, LOSS], s)
    b = _gone(groups[leader, LOSS_FIRST + 1], groups[leader, LOSS + 1], s)
    c = _gone(groups[leader, LOSS_FIRST + 2], groups[leader, LOSS + 2], s)
    d = _gone(groups[leader, LOSS_FIRST + 3], groups[leader, LOSS + 3], s)
    work = h * _gone(groups[leader, POWER_FIRST], groups[leader, POWER], s)
    stored = h * _gone(groups[leader, ELASTIC_FIRST], groups[leader, ELASTIC_POWER], s)
    return (a, b, c, d), work, stored


@kernel
def _gone(first: float, whole: float, s: float) -> float:
    """What has gone of an amount in the part s of a step, which begins as if it were to be `first`: a parabola."""
    return s * (first + s * (whole - first))


@kernel
def members_energy(bodies: Floats, tags: Ints, arcs: Floats, members: Ints, leader: int, t: float) -> float:
    """The energy of the bodies of a group at time t [J]."""
    energy = 0.0
    i = leader
    while i >= 0:
        x, q, v, w = evolve(bodies, tags, arcs, i, t)
        energy += energy_of(bodies, i, x, q, v, w)
        i = members[i, NEXT_MEMBER]
    return energy


@linked_kernel
def settle_books(model: Model, state: State, leader: int, t: float) -> None:
    """Book what the step of a group has taken up to time t, where it ends now if not before: another one begins."""
    groups, clock = state.groups, state.clock
    if groups[leader, BOOKED_UNTIL] == t or state.arcs[leader, HELD] == ASLEEP:
        groups[leader, BOOKED_UNTIL] = t
        return
    losses, work, stored = taken_until(model, state, leader, t)
    taken = 0.0
    for cause in range(CAUSES):
        clock[DISSIPATED + cause] += losses[cause]
        taken += losses[cause]
    clock[WORK] += work
    groups[leader, ELASTIC] += stored
    if t < state.arcs[leader, HELD_UNTIL]:
        cut_step(model, state, leader, t)
        energy = members_energy(model.bodies, model.tags, state.arcs, state.members, leader, t)
        clock[DISSIPATED + NUMERICS] += groups[leader, ENERGY] - taken - stored + work - energy
    else:
        clock[DISSIPATED + NUMERICS] += groups[leader, NUMERICAL]
    groups[leader, BOOKED_UNTIL] = t
    close_step(groups, leader)


@kernel
def settle_group(model: Model, state: State, i: int, t: float) -> None:
    """The same of the group of body i, which is held."""
    settle_books(model, state, state.members[i, LEADER], t)


@kernel
def close_step(groups: Floats, leader: int) -> None:
    """Nothing of the step of a group is left to be booked."""
    for cause in range(CAUSES):
        groups[leader, LOSS + cause] = groups[leader, LOSS_FIRST + cause] = 0.0
    groups[leader, POWER] = groups[leader, POWER_FIRST] = 0.0
    groups[leader, ELASTIC_POWER] = groups[leader, ELASTIC_FIRST] = groups[leader, NUMERICAL] = 0.0


@kernel
def add_point(groups: Floats, leader: int, notes: Floats, k: int, h: float) -> None:
    """Add what point k takes in a step h to the books of its group."""
    for cause in range(CAUSES):
        groups[leader, LOSS + cause] += notes[k, LOST + cause]
        groups[leader, LOSS_FIRST + cause] += notes[k, LOST_FIRST + cause]
    power = notes[k, WORKED] / h
    add_power(groups, leader, power, power)


@kernel
def add_power(groups: Floats, leader: int, power: float, first: float) -> None:
    """Add what puts in so much through the step on the mean, and at its start [W], to the books of its group."""
    groups[leader, POWER] += power
    groups[leader, POWER_FIRST] += first
