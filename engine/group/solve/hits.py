"""Hits at the start of a step, stopped point by point, as far as that goes on.

Of thousands of points few are hit in most steps. Only those are stopped, one after the other, and what comes in then at
the other points of their bodies is next: it ends where nothing does any more, and what a hit does not reach stays to
the bit. So are the few that sweeps over all points leave, which all others would have to wait for.

Each of these impulses takes energy, but for those at points that shall bounce: what all of an arrest make together is
looked at when it is over (engine.group.solve.arrest).
"""

from __future__ import annotations

from engine.group.end_gaps import least_within
from engine.group.relative_velocity import speed_along
from engine.group.solve.point_sweeps import update_point
from engine.group.work import (
    BODIES,
    CONTACTS,
    ENVELOPE_AT,
    GAP_AT,
    IMPULSE_AT,
    JOINT_ROWS,
    PRESCRIBED_THEN,
    SIDE_A,
    SIDE_B,
    V_END,
    Work,
)
from engine.kernel import kernel


@kernel
def comes_in(work: Work, k: int) -> bool:
    """Is point k to be stopped?"""
    u = speed_along(work.twists, work.contact, work.contacts, k, 0, V_END) + work.notes[k, PRESCRIBED_THEN]
    return bool(u < work.lowest[k])


@kernel
def flies_in(work: Work, h: float) -> bool:
    """Is a point still so fast that it comes too near in a step h in which it is slowed down evenly? Only such points
    are to be stopped from now on."""
    any_does = False
    for k in range(work.sizes[CONTACTS] - work.sizes[JOINT_ROWS]):
        gap = work.notes[k, GAP_AT]
        work.lowest[k] = min(2.0 * (least_within(work.notes[k, ENVELOPE_AT], gap) - gap) / h, 0.0)
        any_does = comes_in(work, k) or any_does
    return any_does


@kernel
def stop_points(work: Work, most: int, many: int, small: float) -> tuple[int, bool]:
    """Stop what comes in at the points of a group without joints, by no more than `most` updates of points, and as long
    as no more than `many` are to be stopped: how many it took, and is that all?

    What changes the velocity at a point by more than `small` [m/s] asks all points that bear something there again.
    """
    count = work.sizes[CONTACTS]
    first = waiting = made = 0
    for k in range(count):
        work.listed[k] = 0
        if comes_in(work, k):
            waiting = _list(work, k, first, waiting)
    if waiting > many:
        return 0, False
    _list_points(work)
    while 0 < waiting <= many and made < most:
        k = work.flying[first]
        first = first + 1 if first + 1 < count else 0
        waiting -= 1
        work.listed[k] = 0
        changed = update_point(work.twists, work.contact, work.contacts, work.notes, k) > small
        made += 1
        for side in (SIDE_A, SIDE_B):
            at = work.contact[k, side]
            if at < 0:
                continue
            for place in range(work.points_from[at], work.points_from[at + 1]):
                j = work.points_of[place]
                bears = changed and work.contacts[j, IMPULSE_AT] > 0.0
                if work.listed[j] == 0 and (bears or comes_in(work, j)):
                    waiting = _list(work, j, first, waiting)
    return made, waiting == 0


@kernel
def _list(work: Work, k: int, first: int, waiting: int) -> int:
    """Point k waits behind all others that do; how many do then."""
    count = work.sizes[CONTACTS]
    place = first + waiting
    work.flying[place if place < count else place - count] = k
    work.listed[k] = 1
    return waiting + 1


@kernel
def _list_points(work: Work) -> None:
    """work.points_of[work.points_from[at] .. work.points_from[at + 1]]: the points of body `at`."""
    begin, bodies = work.points_from, work.sizes[BODIES]
    for at in range(bodies + 1):
        begin[at] = 0
    for k in range(work.sizes[CONTACTS]):
        for side in (SIDE_A, SIDE_B):
            if work.contact[k, side] >= 0:
                begin[work.contact[k, side]] += 1
    total = 0
    for at in range(bodies):
        total += begin[at]
        begin[at] = total
    begin[bodies] = total
    for k in range(work.sizes[CONTACTS]):
        for side in (SIDE_A, SIDE_B):
            at = work.contact[k, side]
            if at >= 0:
                begin[at] -= 1
                work.points_of[begin[at]] = k
