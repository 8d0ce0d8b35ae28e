"""Contacts that collide at once: Gauss' principle of least constraint, with Coulomb friction, never creating energy.

Of all velocities that let no contact approach, u_n⁺ >= max(0, -e u_n⁻), those come about that are nearest to the ones
before in the kinetic norm (Redon 2002, eq. 5 and 6; as printed, (5) would let contacts approach that separate). That is
the complementarity problem of impulses p_n >= 0 that act only where u_n⁺ is the least allowed; with friction |p_t| <=
mu p_n, against the sliding where it slides (Baraff 1992, 9.4). It is found by projected gradients that run ahead
(Nesterov's; back to where they are when they turn), of all contacts at once: what is symmetric stays so to rounding,
whatever is left when they end, and of impulses that are not unique those are found that are near least norm. Where they
are few, Newton's method takes what gradients have found to its end (engine.impulse.newton).

Newton's law of restitution may create energy, with friction or where a separating contact is pushed back. Then the
impulses are those on the line between this solution and the plastic one (e = 0, which never does): both are in the
friction cones, and the energy is quadratic in the share, so that the largest share that creates none is a root.
"""

from __future__ import annotations

from math import sqrt

from engine.impulse.cluster import (
    BODIES,
    CONTACTS,
    DYNAMIC,
    ENDLESS,
    FASTEST,
    HITS,
    IMPULSE_AT,
    INV_M,
    LEAST,
    MOVER_A,
    MOVER_B,
    P_AHEAD,
    P_BOUNCED,
    P_NEXT,
    PRESCRIBED,
    RESTITUTION_AT,
    SHARE_A,
    SHARE_B,
    SHARED,
    STATIC,
    TARGET,
    U_BEFORE,
    V_FIRST,
    WORK_AT,
    Cluster,
    P,
    V,
    has_unexplored,
    hold_joints,
    in_world,
    note_impulse,
    push,
    velocity_at,
)
from engine.impulse.newton import are_few, jump, velocities_with, velocity_with, weigh
from engine.kernel import kernel
from engine.maths.rounding import SINE, TINY
from engine.maths.vectors import Vec3, add_scaled, dot, scale, sub, vector_at
from engine.tolerances import ACCURACY, WITHOUT_END

ROUNDING = SINE
"""Approach slower than this part of the fastest in the impact [1] is none."""

_CLOSE = SINE / 8.0
"""Iterations end when every velocity is as the law says to this part of it [1]."""

_NEARLY = ACCURACY * ACCURACY
"""And so do approaches, if friction will not end, which shifts them [1]."""

_MOST_ITERATIONS = 1000
"""What is missing after so many is little, and creates no energy."""


@kernel
def simultaneous_round(c: Cluster) -> bool:
    """All contacts of the cluster collide at once, from the velocities before the impact. True: it reaches further.

    What a body passes on that is pushed for the first time is not in the tables yet: then they are all solved again.
    """
    for at in range(c.sizes[BODIES]):
        for j in range(6):
            c.twists[at, V + j] = c.twists[at, V_FIRST + j]
    find_fastest(c)
    for k in range(c.sizes[CONTACTS]):
        c.contact[k, HITS] = 0
        c.contacts[k, WORK_AT] = 0.0
        for j in range(3):
            c.contacts[k, IMPULSE_AT + j] = 0.0
    solve_together(c, 0, c.sizes[CONTACTS], 1.0)
    note_impulses(c, 0, c.sizes[CONTACTS])
    return has_unexplored(c)


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
def stop_approach(c: Cluster) -> bool:
    """No contact of the cluster approaches any more: what would, stops, all at once and plastically. False: none does.

    That is the end of contacts that would hit each other ever slower, and of those slower than the fall through the
    envelope: they stand for lasting ones.
    """
    fastest = 0.0
    for k in range(c.sizes[CONTACTS]):
        fastest = max(fastest, -velocity_at(c, k, V)[0])
    if not fastest > ROUNDING * c.scales[FASTEST]:
        return False
    solve_together(c, 0, c.sizes[CONTACTS], 0.0)
    note_impulses(c, 0, c.sizes[CONTACTS])
    return True


@kernel
def solve_together(c: Cluster, first: int, end: int, bounce: float) -> None:
    """The contacts in rows first .. end - 1 collide at once: their impulses, as P, act.

    bounce: the part of their restitution that counts (0: they are plastic).
    """
    f = c.contacts
    for k in range(first, end):
        u = velocity_at(c, k, V)
        for j in range(3):
            f[k, U_BEFORE + j] = u[j]
        f[k, TARGET] = bounce * f[k, RESTITUTION_AT] * max(-u[0], 0.0)
    _iterate(c, first, end)
    if _work(c, first, end) > 0.0:
        _create_nothing(c, first, end)


@kernel
def note_impulses(c: Cluster, first: int, end: int) -> None:
    """What P of these contacts is becomes part of the impact."""
    for k in range(first, end):
        if c.contacts[k, P] != 0.0:
            note_impulse(c, k, vector_at(c.contacts, k, P), work_at(c, k))


@kernel
def _iterate(c: Cluster, first: int, end: int) -> None:
    """Impulses of these contacts, from none, until their velocities obey the law.

    Bodies touch at more points than they have freedoms, and where those do not quite lie in a plane, not all can stick
    to a body that turns: their friction would grow against each other for long, and move nothing. After a while what is
    left of slip is none, if it does not matter; and of few contacts the longer that takes, the less does.
    """
    count_shared(c, first, end)
    for k in range(first, end):
        for j in range(3):
            c.contacts[k, P + j] = c.contacts[k, P_AHEAD + j] = 0.0
    few = are_few(first, end)
    if few:
        weigh(c, first, end)
        for k in range(first, end):
            c.bounds[k - first, 0], c.bounds[k - first, 1] = _bounds(c, k)
    look = max(8, (end - first) ** 2 // 3)  # gradients know by then what slides, and a jump takes no longer
    first_look = look
    pace = 1.0
    halfway = 0.0
    left = True
    for number in range(_MOST_ITERATIONS):
        looks = number == look
        if looks and few and jump(c, first, end, 0.5 * _CLOSE * c.scales[FASTEST]):
            pace = 1.0
        change, slip, uphill = _improve_all(c, first, end, few)
        fastest, minds = c.scales[FASTEST], number / first_look
        if minds < 1.0:
            left = max(change, slip) > _CLOSE * fastest
        else:  # Newton's method has been asked, and asked again, and cannot do better
            minds = minds if few else 1.0
            left = change > _NEARLY * minds * fastest or slip > ACCURACY * minds * fastest
        pace = 1.0 if uphill > 0.0 else pace
        faster = 0.5 * (1.0 + sqrt(1.0 + 4.0 * pace * pace))
        ahead = (pace - 1.0) / faster
        ends = not left or number == _MOST_ITERATIONS - 1
        for k in range(first, end):
            more = _go_on(c, k, 0.0 if ends else ahead)
            if not few:
                push(c, k, more)
        if not few:
            hold_joints(c, first, end)
        if number == _MOST_ITERATIONS // 2:
            halfway = _sum_normal(c, first, end)
        if ends:
            break
        if looks:
            look *= 2
        pace = faster
    if few:
        for k in range(first, end):
            push(c, k, vector_at(c.contacts, k, P))
        hold_joints(c, first, end)
    if left and c.scales[FASTEST] > 0.0:
        _note_endless(c, first, end, halfway)


@kernel
def most_impulse(c: Cluster) -> float:
    """Normal impulses are no more than this together [N s], unless they press against each other."""
    return WITHOUT_END * _mass(c) * c.scales[FASTEST]


@kernel
def _mass(c: Cluster) -> float:
    mass = 0.0
    for at in range(c.sizes[BODIES]):
        mass += 1.0 / c.twists[at, INV_M]
    return mass


@kernel
def _note_endless(c: Cluster, first: int, end: int, halfway: float) -> None:
    """If the impulses of these contacts, once `halfway` in all [N s], grow without end, note the largest.

    Of any velocities v that satisfy them p·u >= 0, so that what moves by script, at u_s, asks for (Jᵀp)·v >= -p·u_s:
    for |v| >= -p·u_s / |p|, in the kinetic norm. That proves it, where such v are far faster than what came.
    """
    if _sum_normal(c, first, end) <= 1.5 * halfway:
        return
    largest = first
    pressed = square = 0.0
    for k in range(first, end):
        p = vector_at(c.contacts, k, P)
        pressed -= dot(in_world(c, k, p), vector_at(c.contacts, k, PRESCRIBED))
        square += dot(p, sub(velocity_at(c, k, V), vector_at(c.contacts, k, U_BEFORE)))
        largest = k if p[0] > c.contacts[largest, P] else largest
    if pressed > WITHOUT_END * c.scales[FASTEST] * sqrt(_mass(c) * max(square, 0.0)):
        c.sizes[ENDLESS] = largest + 1


@kernel
def _sum_normal(c: Cluster, first: int, end: int) -> float:
    total = 0.0
    for k in range(first, end):
        total += c.contacts[k, P]
    return total


@kernel
def count_shared(c: Cluster, first: int, end: int) -> None:
    """How many of these contacts each body has, or each linkage."""
    for more in range(2):
        for k in range(first, end):
            for side in range(2):
                at = c.contact[k, MOVER_A if side == 0 else MOVER_B]
                if at >= 0:
                    c.body[at, SHARED] = more * (c.body[at, SHARED] + 1)


@kernel
def stiffest(c: Cluster, k: int, across: int) -> float:
    """A bound of what contact k feels of all that were counted, along the normal (0) or across it (1) [1/kg].

    Of one body, or linkage, the matrix of n contacts is no larger than n times what each has of it alone.
    """
    a, b = c.contact[k, MOVER_A], c.contact[k, MOVER_B]
    bound = 0.0
    if a >= 0:
        bound += c.body[a, SHARED] * c.contacts[k, SHARE_A + across]
    if b >= 0:
        bound += c.body[b, SHARED] * c.contacts[k, SHARE_B + across]
    return bound


@kernel
def _bounds(c: Cluster, k: int) -> tuple[float, float]:
    """Its matrix is no larger than twice its normal and its tangential part [1/kg]."""
    return 2.0 * stiffest(c, k, 0), 2.0 * max(stiffest(c, k, 1), TINY)


@kernel
def _improve_all(c: Cluster, first: int, end: int, few: bool) -> tuple[float, float, float]:
    """As `_improve`, of all these contacts: the most that is missing, and how much they turn back together."""
    change = slip = uphill = 0.0
    if few:
        velocities_with(c, first, end, P_AHEAD)
    for k in range(first, end):
        if few:
            bounds = c.bounds[k - first, 0], c.bounds[k - first, 1]
            gap, slides, turns = _improve(c, k, velocity_with(c, first, k), bounds)
        else:
            gap, slides, turns = _improve(c, k, velocity_at(c, k, V), _bounds(c, k))
        change, slip, uphill = max(change, gap), max(slip, slides), uphill + turns
    return change, slip, uphill


@kernel
def _improve(c: Cluster, k: int, u: Vec3, bounds: tuple[float, float]) -> tuple[float, float, float]:
    """Contact k's next impulse, by the velocity u that those ahead give it; what is missing along the normal, and
    across it [m/s], and whether it turns back."""
    f = c.contacts
    across, along = bounds
    normal = max(f[k, P_AHEAD] - (u[0] - f[k, TARGET]) / across, 0.0)
    x, y = f[k, P_AHEAD + 1] - u[1] / along, f[k, P_AHEAD + 2] - u[2] / along
    size = sqrt(x * x + y * y)
    if size > max(f[k, STATIC], f[k, DYNAMIC]) * normal:
        most = f[k, DYNAMIC] * normal
        x, y = x * most / size, y * most / size
    more = (normal - f[k, P_AHEAD], x - f[k, P_AHEAD + 1], y - f[k, P_AHEAD + 2])
    turns = across * more[0] * (f[k, P] - normal)
    turns += along * (more[1] * (f[k, P + 1] - x) + more[2] * (f[k, P + 2] - y))
    f[k, P_NEXT], f[k, P_NEXT + 1], f[k, P_NEXT + 2] = normal, x, y
    return abs(more[0]) * across, max(abs(more[1]), abs(more[2])) * along, turns


@kernel
def _go_on(c: Cluster, k: int, ahead: float) -> Vec3:
    """Contact k has its next impulse, and a part of what that changes more, from where it is improved again; by how
    much that has changed [N s]."""
    f = c.contacts
    before = vector_at(f, k, P_AHEAD)
    for j in range(3):
        f[k, P_AHEAD + j] = f[k, P_NEXT + j] + ahead * (f[k, P_NEXT + j] - f[k, P + j])
        f[k, P + j] = f[k, P_NEXT + j]
    return sub(vector_at(f, k, P_AHEAD), before)


@kernel
def work_at(c: Cluster, k: int) -> float:
    """What contact k's impulse has done [J]: p by the mean of the velocities before and after."""
    u = add_scaled(vector_at(c.contacts, k, U_BEFORE), velocity_at(c, k, V), 1.0)
    return 0.5 * dot(vector_at(c.contacts, k, P), u)


@kernel
def _work(c: Cluster, first: int, end: int) -> float:
    work = 0.0
    for k in range(first, end):
        work += work_at(c, k)
    return work


@kernel
def _create_nothing(c: Cluster, first: int, end: int) -> None:
    """Replace impulses that create energy by the largest share of them, over the plastic ones, that does not."""
    for k in range(first, end):
        for j in range(3):
            c.contacts[k, P_BOUNCED + j] = c.contacts[k, P + j]
        c.contacts[k, TARGET] = 0.0
        push(c, k, scale(vector_at(c.contacts, k, P), -1.0))
    hold_joints(c, first, end)
    _iterate(c, first, end)
    least = _work(c, first, end)
    if least > 0.0:  # but for what is missing
        shorten(c, first, end)
        least = min(_work(c, first, end), 0.0)
    # Work of the plastic impulses p and s more of those that are missing, m: least + s u⁺·m + s² / 2 m·W m.
    slope = whole = 0.0
    for k in range(first, end):
        more = sub(vector_at(c.contacts, k, P_BOUNCED), vector_at(c.contacts, k, P))
        slope += dot(more, velocity_at(c, k, V))
        for j in range(3):
            c.contacts[k, P_BOUNCED + j] = more[j]
    for k in range(first, end):
        push(c, k, vector_at(c.contacts, k, P_BOUNCED))
    hold_joints(c, first, end)
    for k in range(first, end):
        whole += dot(vector_at(c.contacts, k, P_BOUNCED), velocity_at(c, k, V))
    bend = whole - slope
    root = sqrt(max(slope * slope - 2.0 * bend * least, 0.0))
    if slope > 0.0:
        share = min(-2.0 * least / (slope + root), 1.0)
    else:
        share = min((root - slope) / bend, 1.0) if bend > 0.0 else 0.0
    for k in range(first, end):
        more = vector_at(c.contacts, k, P_BOUNCED)
        push(c, k, scale(more, share - 1.0))
        for j in range(3):
            c.contacts[k, P + j] += share * more[j]
    hold_joints(c, first, end)


@kernel
def shorten(c: Cluster, first: int, end: int) -> None:
    """Make all impulses of these contacts shorter alike, until together they create nothing."""
    along = after = 0.0
    for k in range(first, end):
        p = vector_at(c.contacts, k, P)
        along += dot(p, vector_at(c.contacts, k, U_BEFORE))
        after += dot(p, velocity_at(c, k, V))
    share = min(max(-2.0 * along / (after - along), 0.0), 1.0) if after > along else 0.0
    for k in range(first, end):
        p = vector_at(c.contacts, k, P)
        less: Vec3 = scale(p, share - 1.0)
        push(c, k, less)
        for j in range(3):
            c.contacts[k, P + j] += less[j]
    hold_joints(c, first, end)
