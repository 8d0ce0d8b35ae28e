"""What every point's velocity shall be after the impulses of a step, and those that the search for them begins with."""

from __future__ import annotations

from math import sqrt

from engine.group.arrivals import set_band
from engine.group.joints.answers import apply_tied, apply_tied_couple
from engine.group.joints.ends import aim_joint_row
from engine.group.relative_velocity import apply_at, apply_couple, velocity_along
from engine.group.solve.friction_models import aim_friction
from engine.group.work import (
    BAND_TARGET,
    CONTACTS,
    COUPLE,
    IMPULSE_AT,
    JOINT_ROWS,
    LINKAGES,
    PRESCRIBED,
    PRESCRIBED_THEN,
    ROLLING_LEVER,
    SLIP,
    SLIP_LEFT,
    SPINNING_LEVER,
    TARGET,
    TURNED,
    U_START,
    V_END,
    V_FREE,
    W_END,
    WARM,
    WARM_COUPLE,
    Work,
)
from engine.kernel import kernel
from engine.maths.vectors import add, vector_at
from engine.model.model import LONGEST_STEP, Model
from engine.model.state import State


@kernel
def aim_points(model: Model, state: State, work: Work, h: float, afresh: bool) -> None:
    """What every point's velocity shall be after the impulses, and those to begin with.

    Normal: the gap changes with the mean of the velocities before and after, and stays in its band. Tangential: what
    u_t changes by in flight from the start to where impulses act, c, it changes by again to the end, u_t + c. What
    sticks has none there; but it may not leave with more slip than it came with, or friction would do work. Slip that
    steps leave where a point runs about its bodies goes back and forth: taken away each time, from one side, it would
    drive these. What slides is opposed by its slip before and after (engine.group.solve.friction_cone.opposed_slip).
    """
    twists, contact, contacts, notes = work.twists, work.contact, work.contacts, work.notes
    linked = work.sizes[LINKAGES] > 0
    whole = h / model.settings[LONGEST_STEP]
    share = 0.0 if afresh else whole
    points = work.sizes[CONTACTS] - work.sizes[JOINT_ROWS]
    for k in range(points, work.sizes[CONTACTS]):
        set_band(work, k, h)
        aim_joint_row(model.joints, work, k, share)
    for k in range(points):
        aim_point(model, state, work, k, h)
        for axis in range(3):
            contacts[k, IMPULSE_AT + axis] = share * notes[k, WARM + axis]
            notes[k, COUPLE + axis] = whole * notes[k, WARM_COUPLE + axis]  # Newton's method finds none
        p, couple = vector_at(contacts, k, IMPULSE_AT), vector_at(notes, k, COUPLE)
        resists = contacts[k, ROLLING_LEVER] > 0.0 or contacts[k, SPINNING_LEVER] > 0.0
        if linked:
            apply_tied(model.joints, work, k, p[0], p[1], p[2], V_END)
            if resists:
                apply_tied_couple(model.joints, work, k, couple, V_END)
        else:
            apply_at(twists, contact, contacts, k, p[0], p[1], p[2], V_END)
            if resists:
                apply_couple(twists, contact, k, couple, W_END)


@kernel
def aim_point(model: Model, state: State, work: Work, k: int, h: float) -> None:
    """The same of point k."""
    twists, contact, contacts, notes = work.twists, work.contact, work.contacts, work.notes
    u_free, given = velocity_along(twists, contact, contacts, k, V_FREE), vector_at(notes, k, PRESCRIBED_THEN)
    u, u_1, u_2 = add(u_free, given)
    came_1, came_2 = notes[k, U_START + 1], notes[k, U_START + 2]
    came = sqrt(came_1 * came_1 + came_2 * came_2)
    slips = 1.0 - notes[k, SLIP_LEFT] / came if came > notes[k, SLIP_LEFT] else 0.0
    c_1, c_2 = u_1 - slips * came_1, u_2 - slips * came_2
    most, size = u_1 * u_1 + u_2 * u_2, c_1 * c_1 + c_2 * c_2
    if size > most:
        c_1, c_2 = sqrt(most / size) * c_1, sqrt(most / size) * c_2
    contacts[k, PRESCRIBED] = notes[k, PRESCRIBED_THEN]
    contacts[k, PRESCRIBED + 1] = notes[k, PRESCRIBED_THEN + 1] + c_1
    contacts[k, PRESCRIBED + 2] = notes[k, PRESCRIBED_THEN + 2] + c_2
    notes[k, SLIP], notes[k, SLIP + 1] = u_1 - c_1, u_2 - c_2
    aim_friction(model, state, work, k, h)
    set_band(work, k, h)
    # The gap changes with the mean of the velocities before and after. What comes in at the start all the same does not
    # fly back, but for what the rule itself leaves at the ends of steps in which a point runs about its bodies.
    band, u_start = notes[k, BAND_TARGET], notes[k, U_START]
    contacts[k, TARGET] = 2.0 * band - u - max(band - u_start - notes[k, TURNED], 0.0)
