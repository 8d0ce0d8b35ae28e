"""What comes in at each contact point at the start of a step, and what is noted of it there once that is stopped.

A task writes to the rows of its own points only (engine.group.pair_tasks).
"""

from __future__ import annotations

from math import sqrt

from engine.group.lasting_contacts import FAST
from engine.group.relative_velocity import velocity_along
from engine.group.work import (
    BAND_TARGET,
    COUPLE,
    ENVELOPE_AT,
    FLIES_IN,
    GAP_AT,
    IMPULSE_AT,
    NORMAL_AT,
    POINT,
    PRESCRIBED,
    PRESCRIBED_THEN,
    PSEUDO_IMPULSE,
    PSEUDO_TARGET,
    RESTITUTION_AT,
    SLIP,
    START_GAP,
    START_IMPULSE,
    START_JAM,
    START_NORMAL,
    START_POINT,
    START_U,
    TARGET,
    TURNED,
    U_START,
    V_END,
    V,
    Work,
)
from engine.kernel import kernel
from engine.model.model import GRAVITY_NORM, Model
from engine.tolerances import BAND_HIGH, BAND_LOW, MOST_MISS

# What comes in at points.
NOTHING = 0
HIT = 1
BOUNCE = 2


@kernel
def set_band(work: Work, k: int, h: float) -> None:
    """How fast the gap of point k may close in a step h, and how fast it must open by pseudo-velocities."""
    contacts, notes = work.contacts, work.notes
    gap, envelope = notes[k, GAP_AT], notes[k, ENVELOPE_AT]
    notes[k, BAND_TARGET] = -max(gap - BAND_HIGH * envelope, 0.0) / h
    contacts[k, PSEUDO_TARGET] = (BAND_LOW * envelope - gap) / h
    contacts[k, PSEUDO_IMPULSE] = 0.0


@kernel
def note_arrival(model: Model, work: Work, k: int, h: float, small: float) -> int:
    """What comes in at point k at the start of a step h: one of the above; its target is what it is stopped at, or
    bounces with. Less than `small` [m/s] counts as nothing."""
    contacts, notes = work.contacts, work.notes
    set_band(work, k, h)
    came = velocity_along(work.twists, work.contact, contacts, k, V)
    for axis in range(3):
        u = came[axis] + notes[k, PRESCRIBED_THEN + axis]
        contacts[k, PRESCRIBED + axis] = notes[k, PRESCRIBED_THEN + axis]
        contacts[k, IMPULSE_AT + axis] = 0.0
        notes[k, U_START + axis] = u
    notes[k, SLIP], notes[k, SLIP + 1] = notes[k, U_START + 1], notes[k, U_START + 2]
    u, target = notes[k, U_START], notes[k, BAND_TARGET]
    # What comes in as the last step may have left it flies back in the middle of this one: it dips by u h / 4.
    miss = MOST_MISS * notes[k, ENVELOPE_AT] / h
    slack = max(small, miss, min(notes[k, TURNED], 4.0 * miss))
    found = NOTHING
    if u < target - slack:
        found = HIT
        fast = FAST * sqrt(2.0 * model.settings[GRAVITY_NORM] * notes[k, ENVELOPE_AT])
        if -u > fast and notes[k, RESTITUTION_AT] > 0.0:
            found = BOUNCE
            target = -notes[k, RESTITUTION_AT] * u
    contacts[k, TARGET] = target
    work.contact[k, FLIES_IN] = 1 if found != NOTHING else 0
    return found


@kernel
def note_start(work: Work, k: int, stopped: bool) -> None:
    """Point k as it is at the start of the step; stopped: hits have been, which may have changed how it moves."""
    contacts, notes, start = work.contacts, work.notes, work.start
    for c in range(3):
        start[k, START_POINT + c], start[k, START_U + c] = notes[k, POINT + c], 0.0
        start[k, START_IMPULSE + c] = start[k, START_JAM + c] = start[k, START_JAM + 3 + c] = 0.0
        start[k, START_IMPULSE + 3 + c] = notes[k, COUPLE + c] if stopped else 0.0
        start[k, START_NORMAL + c] = contacts[k, NORMAL_AT + c]
    start[k, START_GAP] = notes[k, GAP_AT]
    left = velocity_along(work.twists, work.contact, contacts, k, V_END) if stopped else (0.0, 0.0, 0.0)
    for axis in range(3):
        p, u, given = contacts[k, IMPULSE_AT + axis], notes[k, U_START + axis], notes[k, PRESCRIBED_THEN + axis]
        if stopped:
            u = notes[k, U_START + axis] = left[axis] + given
        for c in range(3):
            start[k, START_U + c] += u * contacts[k, NORMAL_AT + 3 * axis + c]
            start[k, START_IMPULSE + c] += p * contacts[k, NORMAL_AT + 3 * axis + c]
