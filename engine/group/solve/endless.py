"""Contacts that no velocities satisfy: what moves by script presses bodies against what stands, or against each other.

With u = J v + u_s, u_n >= target asks of velocities v, for any impulses p that only press, that (Jᵀp)·v >= p·(target -
u_s): some body is as fast as p·(target - u_s) / sum |(Jᵀp)_i| at least. Where that is far faster than what came, there
are none (Farkas). The p that proves it is what impulses grow by while they are sought: once they hold all that can be
held, they grow against each other, and Jᵀp is next to nothing. What sticks is taken to go on sticking.
"""

from __future__ import annotations

from engine.group.bodies import fastest_rim
from engine.group.relative_velocity import speed_along
from engine.group.work import (
    BODIES,
    CONTACTS,
    DRIVEN_HERE,
    IMPULSE_AT,
    JOINT_ROWS,
    PRESCRIBED_THEN,
    SIDE_A,
    SIDE_B,
    SPRING_IMPULSE,
    SQUEEZED,
    TARGET,
    V_END,
    V_MOVED,
    Work,
)
from engine.kernel import kernel
from engine.maths.vectors import norm, sub, vector_at
from engine.model.model import MASS, MOMENTS, RADIUS, Floats
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
    """From here on impulses, and the velocities that they give, are watched. Newton's method keeps nothing there
    between its rounds."""
    if work.sizes[DRIVEN_HERE] == 0:
        return
    for at in range(work.sizes[BODIES]):
        for c in range(6):
            work.twists[at, V_MOVED + c] = work.twists[at, V_END + c]
    for k in range(work.sizes[CONTACTS]):
        for c in range(3):
            work.notes[k, SPRING_IMPULSE + c] = work.contacts[k, IMPULSE_AT + c]


@kernel
def grow_without_end(bodies: Floats, work: Work) -> bool:
    """Do they, as far as they have grown since, prove that no velocities satisfy the points of the group? Leaves in
    work.sizes which body is pressed most by what moves by script."""
    if work.sizes[DRIVEN_HERE] == 0:
        return False
    fastest = fastest_rim(bodies, work, V_END)
    pressed = most = 0.0
    worst = -1
    for k in range(work.sizes[CONTACTS] - work.sizes[JOINT_ROWS]):
        p = sub(vector_at(work.contacts, k, IMPULSE_AT), vector_at(work.notes, k, SPRING_IMPULSE))
        given = vector_at(work.notes, k, PRESCRIBED_THEN)
        fastest = max(fastest, norm(given))
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
def _net_force(bodies: Floats, work: Work) -> float:
    """By how much impulses have grown on each body, whichever of its points that moves most: summed up [N s]."""
    total = 0.0
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        v = sub(vector_at(work.twists, at, V_END), vector_at(work.twists, at, V_MOVED))
        w = sub(vector_at(work.twists, at, V_END + 3), vector_at(work.twists, at, V_MOVED + 3))
        moment = max(bodies[i, MOMENTS], bodies[i, MOMENTS + 1], bodies[i, MOMENTS + 2])
        total += max(bodies[i, MASS] * norm(v), moment * norm(w) / bodies[i, RADIUS])
    return total
