"""Contacts that no velocities satisfy: what moves by script presses bodies against what stands, or against each other.

With u = J v + u_s, u_n >= target asks of velocities v that (Jᵀp)·v >= p_n target - p·u_s, for any impulses p in the
cones of friction: some body is as fast as that by sum |(Jᵀp)_i| at least. Where it is far faster than what came, there
are no such velocities (Farkas). The p that proves it is what impulses grow by while they are sought: once they hold all
that can be held, they grow against each other, and Jᵀp is next to nothing. Friction counts as far as it can go on
growing, with the normal impulse of its point; what sleeps may give way, and proves nothing.
"""

from __future__ import annotations

from math import hypot

from engine.group.bodies import fastest_rim
from engine.group.relative_velocity import speed_along
from engine.group.work import (
    ARM_A,
    ARM_B,
    BODIES,
    CONTACTS,
    DRIVEN_HERE,
    DYNAMIC,
    IMPULSE_AT,
    JOINT_ROWS,
    NORMAL_AT,
    PRESCRIBED_THEN,
    SIDE_A,
    SIDE_B,
    SLEEPERS_HERE,
    SPRING_IMPULSE,
    SQUEEZED,
    STATIC,
    TARGET,
    V_END,
    V_MOVED,
    Work,
)
from engine.kernel import kernel
from engine.maths.vectors import Vec3, norm, sub, vector_at
from engine.model.model import RADIUS, Floats
from engine.tolerances import WITHOUT_END


@kernel
def most_approach(work: Work) -> float:
    """By how much a point approaches faster than it may, at most [m/s]."""
    most = 0.0
    for k in range(work.sizes[CONTACTS] - work.sizes[JOINT_ROWS]):
        u = speed_along(work.twists, work.contact, work.contacts, k, 0, V_END) + work.notes[k, PRESCRIBED_THEN]
        most = max(most, work.contacts[k, TARGET] - u)
    return most


@kernel
def note_growth(work: Work) -> None:
    """From here on impulses are watched. Newton's method keeps nothing there between its rounds."""
    for k in range(work.sizes[CONTACTS]):
        for axis in range(3):
            work.notes[k, SPRING_IMPULSE + axis] = work.contacts[k, IMPULSE_AT + axis]


@kernel
def grow_without_end(bodies: Floats, work: Work) -> bool:
    """Do they, as far as they have grown since, prove that no velocities satisfy the points of the group? Leaves in
    work.sizes which body is pressed most by what moves by script."""
    if work.sizes[DRIVEN_HERE] == 0 or work.sizes[SLEEPERS_HERE] == 1:
        return False
    for at in range(work.sizes[BODIES]):
        for c in range(6):
            work.twists[at, V_MOVED + c] = 0.0
    fastest = fastest_rim(bodies, work, V_END)
    pressed = most = 0.0
    worst = -1
    for k in range(work.sizes[CONTACTS] - work.sizes[JOINT_ROWS]):
        given = vector_at(work.notes, k, PRESCRIBED_THEN)
        fastest = max(fastest, norm(given))
        p = _growth(work, k)
        _press(work, k, p)
        asked = p[0] * (work.contacts[k, TARGET] - given[0])
        pressed += asked - max(p[1] * given[1] + p[2] * given[2], 0.0)
        if asked > most and given != (0.0, 0.0, 0.0):
            most, worst = asked, k
    if worst < 0 or pressed <= WITHOUT_END * fastest * _net_force(bodies, work):
        return False
    a, b = work.contact[worst, SIDE_A], work.contact[worst, SIDE_B]
    work.sizes[SQUEEZED] = 1 + work.body[a if a >= 0 else b]
    return True


@kernel
def _growth(work: Work, k: int) -> Vec3:
    """By how much the impulse of point k has grown, as far as it can go on to [N s]. One that gets smaller hands load
    to others of its pair."""
    p = sub(vector_at(work.contacts, k, IMPULSE_AT), vector_at(work.notes, k, SPRING_IMPULSE))
    rubs, most = hypot(p[1], p[2]), max(work.contacts[k, STATIC], work.contacts[k, DYNAMIC]) * max(p[0], 0.0)
    share = most / rubs if rubs > most else 1.0
    return p[0], share * p[1], share * p[2]


@kernel
def _press(work: Work, k: int, p: Vec3) -> None:
    """Add what the impulse p of point k, in its frame, does to its bodies, and its moment."""
    a, b = work.contact[k, SIDE_A], work.contact[k, SIDE_B]
    for axis in range(3):
        part = p[0] if axis == 0 else (p[1] if axis == 1 else p[2])
        for c in range(3):
            column = 3 * axis + c
            if a >= 0:
                work.twists[a, V_MOVED + c] += part * work.contacts[k, NORMAL_AT + column]
                work.twists[a, V_MOVED + 3 + c] += part * work.contacts[k, ARM_A + column]
            if b >= 0:
                work.twists[b, V_MOVED + c] -= part * work.contacts[k, NORMAL_AT + column]
                work.twists[b, V_MOVED + 3 + c] -= part * work.contacts[k, ARM_B + column]


@kernel
def _net_force(bodies: Floats, work: Work) -> float:
    """What that leaves on all bodies together, each at the most of its points [N s]."""
    total = 0.0
    for at in range(work.sizes[BODIES]):
        force, moment = norm(vector_at(work.twists, at, V_MOVED)), norm(vector_at(work.twists, at, V_MOVED + 3))
        total += max(force, moment / bodies[work.body[at], RADIUS])
    return total
