"""What the first sweeps of an arrest leave that still flies in: stopped point by point, as far as that goes on.

Sweeps pass a hit on from body to body, and what some of them leave is at few points, which all others wait for. Here
only those are stopped, one after the other, and what flies in then at the other points of their bodies is next: it ends
where nothing comes too near any more. Each of these impulses takes energy, but for those at points that shall bounce:
what all of an arrest make together is looked at when it is over (engine.group.solve.arrest).
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
    JOINT_ROWS,
    PRESCRIBED_THEN,
    SIDE_A,
    SIDE_B,
    V_END,
    Work,
)
from engine.kernel import kernel


@kernel
def flies_in(work: Work, h: float) -> bool:
    """Is a point still so fast that it comes too near in a step h in which it is slowed down evenly?"""
    k, count = 0, work.sizes[CONTACTS] - work.sizes[JOINT_ROWS]
    while k < count and not _flies_in_at(work, k, h):
        k += 1
    return k < count


@kernel
def stop_last(work: Work, h: float, most: int) -> int:
    """Stop what still flies into the points of a group without joints, by no more than `most` updates of points; how
    many it took."""
    count = work.sizes[CONTACTS]
    _list_points(work)
    first = waiting = 0
    for k in range(count):
        work.listed[k] = 0
        if _flies_in_at(work, k, h):
            waiting = _list(work, k, first, waiting)
    made = 0
    while waiting > 0 and made < most:
        k = work.flying[first]
        first = first + 1 if first + 1 < count else 0
        waiting -= 1
        work.listed[k] = 0
        if not _flies_in_at(work, k, h):
            continue
        update_point(work.twists, work.contact, work.contacts, work.notes, k)
        made += 1
        for side in (SIDE_A, SIDE_B):
            at = work.contact[k, side]
            if at < 0:
                continue
            for place in range(work.points_from[at], work.points_from[at + 1]):
                j = work.points_of[place]
                if work.listed[j] == 0 and _flies_in_at(work, j, h):
                    waiting = _list(work, j, first, waiting)
    return made


@kernel
def _flies_in_at(work: Work, k: int, h: float) -> bool:
    u = speed_along(work.twists, work.contact, work.contacts, k, 0, V_END) + work.notes[k, PRESCRIBED_THEN]
    gap = work.notes[k, GAP_AT]
    return bool(u < 0.0 and gap + 0.5 * h * u < least_within(work.notes[k, ENVELOPE_AT], gap))


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
