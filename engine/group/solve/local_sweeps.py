"""Impulses where few points of many come in: sweeps over those, and over what their impulses reach.

A point that has no impulse, and whose condition holds, changes nothing until a body of it is moved. So a sweep over all
of them (engine.group.solve.gauss_seidel) would find the same; where something flies into a pile at rest, most of them
need not be asked.
"""

from __future__ import annotations

from engine.group.solve.gauss_seidel import sweep_budget, sweep_listed, velocity_at
from engine.group.work import (
    AHEAD,
    AHEAD_COUPLE,
    BEFORE,
    BEFORE_COUPLE,
    BETA,
    BODIES,
    CONTACTS,
    COUPLE,
    FIRST_SWEEP,
    IMPULSE_AT,
    SIDE_A,
    SIDE_B,
    SLIDES,
    TARGET,
    Work,
)
from engine.kernel import kernel


@kernel
def sweep_reached(work: Work, small: float) -> int:
    """Impulses, from none at all, until no point's velocity changes by more than `small` [m/s]; how many sweeps it
    took."""
    for k in range(work.sizes[CONTACTS]):
        work.colour[k] = work.contact[k, SLIDES] = 0
        for c in range(3):
            work.contacts[k, IMPULSE_AT + c] = work.contacts[k, BEFORE + c] = work.contacts[k, AHEAD + c] = 0.0
            work.notes[k, COUPLE + c] = work.notes[k, BEFORE_COUPLE + c] = work.notes[k, AHEAD_COUPLE + c] = 0.0
    for at in range(work.sizes[BODIES]):
        work.taken[at] = 1
    sweeps = 0
    beta = before = 0.0
    count = _list_reached(work, 0)
    while count > 0 and sweeps < sweep_budget(work.sizes[CONTACTS]):
        work.link[BETA], work.link[FIRST_SWEEP] = beta, 1.0 if sweeps == 0 else 0.0
        most, size = sweep_listed(work, count)
        sweeps += 1
        _mark_moved(work, count)
        more = _list_reached(work, count)
        if more == count and most <= small:
            break
        count = more
        beta = size / before if before > 0.0 else 0.0
        before = size
    return sweeps


@kernel
def _mark_moved(work: Work, count: int) -> None:
    """work.taken: which bodies have impulses of the points listed so far."""
    for at in range(work.sizes[BODIES]):
        work.taken[at] = 0
    for place in range(count):
        k = work.order[place]
        if work.contacts[k, IMPULSE_AT] > 0.0:
            for side in (SIDE_A, SIDE_B):
                if work.contact[k, side] >= 0:
                    work.taken[work.contact[k, side]] = 1


@kernel
def _list_reached(work: Work, count: int) -> int:
    """Add to the order, of which `count` points are there, those that come in now with a body that has been moved; how
    many there are then."""
    contact, contacts = work.contact, work.contacts
    for k in range(work.sizes[CONTACTS]):
        a, b = contact[k, SIDE_A], contact[k, SIDE_B]
        if work.colour[k] == 1 or not ((a >= 0 and work.taken[a] == 1) or (b >= 0 and work.taken[b] == 1)):
            continue
        u_n, _, _ = velocity_at(work.twists, contact, contacts, k)
        if u_n < contacts[k, TARGET]:
            work.colour[k] = 1
            work.order[count] = k
            count += 1
    return count
