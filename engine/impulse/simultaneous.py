"""Contacts that collide at once: Gauss' principle of least constraint, with Coulomb friction, never creating energy.

Of all velocities that let no contact approach, u_n⁺ >= max(0, -e u_n⁻), those come about that are nearest to the ones
before in the kinetic norm (Redon 2002, eq. 5 and 6; as printed, (5) would let contacts approach that separate). That is
the complementarity problem of impulses p_n >= 0 that act only where u_n⁺ is the least allowed; with friction |p_t| <=
mu p_n, against the sliding where it slides (Baraff 1992, 9.4). It is found by Gauss-Seidel sweeps to rounding.

Newton's law of restitution may create energy, with friction or where a separating contact is pushed back. Then the
impulses are those on the line between this solution and the plastic one (e = 0, which never does): both are in the
friction cones, and the energy is quadratic in the share, so that the largest share that creates none is a root.
"""

from __future__ import annotations

from math import sqrt

from engine.impulse.cluster import (
    BODIES,
    CHOSEN,
    CONTACTS,
    DYNAMIC,
    FASTEST,
    HITS,
    IMPULSE_AT,
    LEAST,
    P_BOUNCED,
    RESTITUTION_AT,
    STATIC,
    TARGET,
    U_BEFORE,
    V_BEFORE,
    V_FIRST,
    WORK_AT,
    Cluster,
    P,
    V,
    has_unexplored,
    largest_tangential,
    note_impulse,
    own_matrix,
    push,
    velocity_at,
)
from engine.kernel import kernel
from engine.maths.vectors import Vec3, add_scaled, dot, scale, sub, vector_at

ROUNDING = 1e-12
"""Approach slower than this part of the fastest in the impact [1] is none."""

_CLOSE = 1e-14  # of the fastest approach: sweeps end when no velocity changes by more
_MOST_SWEEPS = 1000


@kernel
def simultaneous_round(c: Cluster) -> bool:
    """All contacts of the cluster collide at once, from the velocities before the impact. True: it reaches further.

    What a body passes on that is pushed for the first time is not in the tables yet: then they are all solved again.
    """
    for at in range(c.sizes[BODIES]):
        for j in range(6):
            c.twists[at, V + j] = c.twists[at, V_FIRST + j]
    choose_all(c)
    for k in range(c.sizes[CONTACTS]):
        c.contact[k, HITS] = 0
        c.contacts[k, WORK_AT] = 0.0
        for j in range(3):
            c.contacts[k, IMPULSE_AT + j] = 0.0
    resolve_together(c, 1.0)
    return has_unexplored(c)


@kernel
def choose_all(c: Cluster) -> None:
    """All contacts of the cluster are to be resolved together; notes how fast the fastest comes."""
    for k in range(c.sizes[CONTACTS]):
        c.contact[k, CHOSEN] = 1
        c.scales[FASTEST] = max(c.scales[FASTEST], -velocity_at(c, k, V)[0])


@kernel
def find_fastest(c: Cluster) -> float:
    """The largest approach of those that count [m/s]; 0: there is none."""
    fastest = 0.0
    for k in range(c.sizes[CONTACTS]):
        approach = -velocity_at(c, k, V)[0]
        if approach > c.contacts[k, LEAST] and approach > ROUNDING * c.scales[FASTEST]:
            fastest = max(fastest, approach)
    c.scales[FASTEST] = max(c.scales[FASTEST], fastest)
    return fastest


@kernel
def stop_approach(c: Cluster) -> None:
    """No contact of the cluster approaches any more: what would, stops, all at once and plastically."""
    choose_all(c)
    resolve_together(c, 0.0)


@kernel
def resolve_together(c: Cluster, bounce: float) -> None:
    """The chosen contacts collide at once; bounce: the part of their restitution that counts (0: they are plastic)."""
    for at in range(c.sizes[BODIES]):
        for j in range(6):
            c.twists[at, V_BEFORE + j] = c.twists[at, V + j]
    for k in range(c.sizes[CONTACTS]):
        if c.contact[k, CHOSEN] == 1:
            u = velocity_at(c, k, V)
            for j in range(3):
                c.contacts[k, U_BEFORE + j] = u[j]
                c.contacts[k, P + j] = 0.0
            c.contacts[k, TARGET] = bounce * c.contacts[k, RESTITUTION_AT] * max(-u[0], 0.0)
    _sweep(c)
    if _work(c) > 0.0:
        _create_nothing(c)
    for k in range(c.sizes[CONTACTS]):
        if c.contact[k, CHOSEN] == 1:
            p = vector_at(c.contacts, k, P)
            if p[0] != 0.0:
                note_impulse(c, k, p, _work_at(c, k))


@kernel
def _sweep(c: Cluster) -> None:
    """Impulses of the chosen contacts, from those they have, until their velocities obey the law."""
    count = c.sizes[CONTACTS]
    for sweep in range(_MOST_SWEEPS):
        change = 0.0
        for j in range(count):
            k = j if sweep % 2 == 0 else count - 1 - j
            if c.contact[k, CHOSEN] == 1:
                change = max(change, _update(c, k))
        if change <= _CLOSE * c.scales[FASTEST]:
            break


@kernel
def _update(c: Cluster, k: int) -> float:
    """Contact k's impulse by the velocity that it has now; by how much that changes it at least [m/s]."""
    matrix = own_matrix(c, k)
    p = vector_at(c.contacts, k, P)
    u = velocity_at(c, k, V)
    normal = max(p[0] - (u[0] - c.contacts[k, TARGET]) / matrix[2], 0.0)
    change = abs(normal - p[0]) * matrix[2]
    if normal != p[0]:
        push(c, k, (normal - p[0], 0.0, 0.0))
    x, y = p[1], p[2]
    mu = max(c.contacts[k, STATIC], c.contacts[k, DYNAMIC])
    stiff = largest_tangential(matrix)
    if mu > 0.0 and stiff > 0.0:
        u = velocity_at(c, k, V)
        x, y = p[1] - u[1] / stiff, p[2] - u[2] / stiff
        size = sqrt(x * x + y * y)
        if size > mu * normal:
            most = c.contacts[k, DYNAMIC] * normal
            x, y = x * most / size, y * most / size
        change = max(change, max(abs(x - p[1]), abs(y - p[2])) * stiff)
        if x != p[1] or y != p[2]:
            push(c, k, (0.0, x - p[1], y - p[2]))
    c.contacts[k, P], c.contacts[k, P + 1], c.contacts[k, P + 2] = normal, x, y
    return change


@kernel
def _work_at(c: Cluster, k: int) -> float:
    """What contact k's impulse has done [J]: p by the mean of the velocities before and after."""
    u = add_scaled(vector_at(c.contacts, k, U_BEFORE), velocity_at(c, k, V), 1.0)
    return 0.5 * dot(vector_at(c.contacts, k, P), u)


@kernel
def _work(c: Cluster) -> float:
    work = 0.0
    for k in range(c.sizes[CONTACTS]):
        if c.contact[k, CHOSEN] == 1:
            work += _work_at(c, k)
    return work


@kernel
def _create_nothing(c: Cluster) -> None:
    """Replace impulses that create energy by the largest share of them, over the plastic ones, that does not."""
    for k in range(c.sizes[CONTACTS]):
        if c.contact[k, CHOSEN] == 1:
            for j in range(3):
                c.contacts[k, P_BOUNCED + j] = c.contacts[k, P + j]
                c.contacts[k, P + j] = 0.0
            c.contacts[k, TARGET] = 0.0
    _go_back(c)
    _sweep(c)
    least = _work(c)
    if least > 0.0:  # but for what sweeps have left
        shorten(c)
        least = min(_work(c), 0.0)
    # Work of the plastic impulses p and s more of those that are missing, m: least + s u⁺·m + s² / 2 m·W m.
    slope = whole = 0.0
    for k in range(c.sizes[CONTACTS]):
        if c.contact[k, CHOSEN] == 1:
            more = sub(vector_at(c.contacts, k, P_BOUNCED), vector_at(c.contacts, k, P))
            slope += dot(more, velocity_at(c, k, V))
            for j in range(3):
                c.contacts[k, P_BOUNCED + j] = more[j]
    for k in range(c.sizes[CONTACTS]):
        if c.contact[k, CHOSEN] == 1:
            push(c, k, vector_at(c.contacts, k, P_BOUNCED))
    for k in range(c.sizes[CONTACTS]):
        if c.contact[k, CHOSEN] == 1:
            whole += dot(vector_at(c.contacts, k, P_BOUNCED), velocity_at(c, k, V))
    bend = whole - slope
    root = sqrt(max(slope * slope - 2.0 * bend * least, 0.0))
    share = min(-2.0 * least / (slope + root), 1.0) if slope + root > 0.0 else 0.0
    for k in range(c.sizes[CONTACTS]):
        if c.contact[k, CHOSEN] == 1:
            more = vector_at(c.contacts, k, P_BOUNCED)
            push(c, k, scale(more, share - 1.0))
            for j in range(3):
                c.contacts[k, P + j] += share * more[j]


@kernel
def shorten(c: Cluster) -> None:
    """Make all impulses of the chosen contacts shorter alike, until together they create nothing."""
    along = after = 0.0
    for k in range(c.sizes[CONTACTS]):
        if c.contact[k, CHOSEN] == 1:
            p = vector_at(c.contacts, k, P)
            along += dot(p, vector_at(c.contacts, k, U_BEFORE))
            after += dot(p, velocity_at(c, k, V))
    share = min(max(-2.0 * along / (after - along), 0.0), 1.0) if after > along else 0.0
    for k in range(c.sizes[CONTACTS]):
        if c.contact[k, CHOSEN] == 1:
            p = vector_at(c.contacts, k, P)
            less: Vec3 = scale(p, share - 1.0)
            push(c, k, less)
            for j in range(3):
                c.contacts[k, P + j] += less[j]


@kernel
def _go_back(c: Cluster) -> None:
    """All bodies have the velocities again that they had before the chosen contacts were resolved."""
    for at in range(c.sizes[BODIES]):
        for j in range(6):
            c.twists[at, V + j] = c.twists[at, V_BEFORE + j]
