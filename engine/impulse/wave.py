"""An impact that runs through all closed contacts as a wave: shares by stored energy (Liu, Zhao and Brogliato 2008).

While contacts are compressed they store energy, and the impulses that they pass on grow in the proportion

    dP_i / dP_j = (E_i / E_j)^(eta / (eta + 1)),

eta = 3/2 of Hertz's contacts, all equally stiff (their eq. 3.14; "Frictionless multiple impacts in multibody systems
I", Proc. R. Soc. A 464). A contact stores the work of its compression and gives e² of it back (energetic restitution):
it lets go when that is spent, and may be compressed again.

With E = s^(eta + 1) / (eta + 1) that is dP = s^eta dT, the same T for all, and ds = -u_n dT in compression, or
-u_n / e² dT as it gives back: regular where contacts begin with nothing stored. T is a time in units that do not
matter, as the stiffness does not; positions stand still. All contacts go on together, in leapfrog steps, and what is
symmetric stays so to rounding. Friction obeys Coulomb along the way: dP_t opposes the slip, mu dP_n, or what stops it.

Equal balls in a row do not hand on all of it to the last: as of real ones that touch, some of it is dispersed.
"""

from __future__ import annotations

from math import sqrt

from engine.impulse.cluster import (
    BODIES,
    CONTACTS,
    DYNAMIC,
    FASTEST,
    HITS,
    IMPULSE_AT,
    K_AT,
    LEAST,
    MOVER_A,
    MOVER_B,
    RESTITUTION_AT,
    ROUNDS,
    SHARED,
    SQUASH,
    STATIC,
    U_BEFORE,
    V_FIRST,
    WORK_AT,
    Cluster,
    P,
    V,
    has_unexplored,
    hold_joints,
    push,
    velocity_at,
)
from engine.impulse.simultaneous import ROUNDING, find_fastest, shorten, stiffest, stop_approach
from engine.kernel import kernel
from engine.maths.rounding import TINY
from engine.maths.vectors import Vec3, add, dot, scale, vector_at
from engine.tolerances import ACCURACY, WAVE_SHARE

ELASTICITY = 1.5
"""eta, the power of a contact's compression with which its force grows [1]: of Hertz's."""

TURN = 10.0 * WAVE_SHARE
"""A step is this part of 1 / omega at most, of the stiffest contact that the impact's energy could make [1]."""

SLOWEST = ACCURACY * WAVE_SHARE
"""What approaches slower than this part of the fastest [1] is stopped at the end, all at once."""

MOST_STEPS = 50_000
"""Of a wave: what is stored then is lost, and what still approaches stops at once."""


@kernel
def wave_round(c: Cluster) -> bool:
    """One step of the wave. False: it has run out, and no contact approaches any more."""
    fastest = find_fastest(c)
    c.sizes[ROUNDS] += 1
    limit = SLOWEST * c.scales[FASTEST]
    loaded = fastest > limit
    for k in range(c.sizes[CONTACTS]):
        loaded = loaded or c.contacts[k, SQUASH] > 0.0
    if not loaded or c.sizes[ROUNDS] > MOST_STEPS:
        for k in range(c.sizes[CONTACTS]):
            c.contacts[k, SQUASH] = 0.0
        _create_nothing(c)
        return find_fastest(c) > 0.0 and stop_approach(c) and has_unexplored(c)
    step = _length(c)
    step *= _kick(c, step)
    for k in range(c.sizes[CONTACTS]):
        _squash(c, k, step, limit)
    return True


@kernel
def _length(c: Cluster) -> float:
    """The step to make, in units of T."""
    least, most = c.contacts[0, K_AT + 2], 0.0
    _count_loaded(c)
    stiff = 0.0
    for k in range(c.sizes[CONTACTS]):
        least = min(least, c.contacts[k, K_AT + 2])
        most = max(most, c.contacts[k, K_AT + 2])
        stiff = max(stiff, stiffest(c, k, 0))
    u = c.scales[FASTEST]
    power = 1.0 / (ELASTICITY + 1.0)
    shallow = (0.5 * (ELASTICITY + 1.0) * u * u / most) ** power
    deep = (0.5 * (ELASTICITY + 1.0) * u * u / least) ** power
    omega = sqrt(ELASTICITY * deep ** (ELASTICITY - 1.0) * max(stiff, most))
    return min(WAVE_SHARE * shallow / u, TURN / omega)


@kernel
def _kick(c: Cluster, step: float) -> float:
    """What is compressed pushes for a step, all contacts at once, but no longer than one of them takes to come to rest.

    What part of the step that is: from there on that contact gives back.
    """
    count = c.sizes[CONTACTS]
    f = c.contacts
    for k in range(count):
        if f[k, SQUASH] > 0.0:
            u = velocity_at(c, k, V)
            p = _pushes(c, k, u, step * f[k, SQUASH] ** ELASTICITY)
            for j in range(3):
                f[k, U_BEFORE + j] = u[j]
                f[k, P + j] = p[j]
    for k in range(count):
        if f[k, SQUASH] > 0.0:
            push(c, k, vector_at(f, k, P))
    hold_joints(c, 0, count)
    part = 1.0
    for k in range(count):
        if f[k, SQUASH] > 0.0 and f[k, U_BEFORE] < -ROUNDING * c.scales[FASTEST]:
            after = velocity_at(c, k, V)[0]
            if after > 0.0:
                part = min(part, f[k, U_BEFORE] / (f[k, U_BEFORE] - after))
    for k in range(count):
        if f[k, SQUASH] > 0.0 and part < 1.0:
            push(c, k, scale(vector_at(f, k, P), part - 1.0))
    hold_joints(c, 0, count)
    for k in range(count):
        if f[k, SQUASH] > 0.0:
            p = scale(vector_at(f, k, P), part)
            both = add(vector_at(f, k, U_BEFORE), velocity_at(c, k, V))
            f[k, WORK_AT] += 0.5 * dot(p, both)
            c.contact[k, HITS] = 1
            for j in range(3):
                f[k, IMPULSE_AT + j] += p[j]
    return part


@kernel
def _count_loaded(c: Cluster) -> None:
    """How many compressed contacts each body has, or each linkage."""
    for at in range(c.sizes[BODIES]):
        c.body[at, SHARED] = 0
    for k in range(c.sizes[CONTACTS]):
        if c.contacts[k, SQUASH] > 0.0:
            for side in range(2):
                at = c.contact[k, MOVER_A if side == 0 else MOVER_B]
                if at >= 0:
                    c.body[at, SHARED] += 1


@kernel
def _pushes(c: Cluster, k: int, u: Vec3, normal: float) -> Vec3:
    """The impulse of contact k that brings the normal impulse with it [N s]: friction stops its slip, or opposes it."""
    slip = sqrt(u[1] * u[1] + u[2] * u[2])
    if not slip > 0.0:
        return (normal, 0.0, 0.0)
    # So much of the slip is this contact's to stop that all of a body's together do not reverse it.
    stops = slip / max(stiffest(c, k, 1), TINY)
    if stops > max(c.contacts[k, STATIC], c.contacts[k, DYNAMIC]) * normal:
        stops = c.contacts[k, DYNAMIC] * normal
    return (normal, -stops * u[1] / slip, -stops * u[2] / slip)


@kernel
def _squash(c: Cluster, k: int, step: float, limit: float) -> None:
    """How far contact k is compressed a step later; what approaches slower than `limit` [m/s] does not begin to be."""
    s, u = c.contacts[k, SQUASH], velocity_at(c, k, V)[0]
    if s == 0.0 and -u <= max(c.contacts[k, LEAST], limit):
        return
    e = c.contacts[k, RESTITUTION_AT]
    if u < -ROUNDING * c.scales[FASTEST]:
        s -= step * u
    elif max(u, 0.0) * step >= s * e * e:
        s = 0.0
    else:
        s -= step * max(u, 0.0) / (e * e)
    c.contacts[k, SQUASH] = s


@kernel
def _create_nothing(c: Cluster) -> None:
    """If the steps have made energy, by their errors, all impulses are shorter alike."""
    work = 0.0
    for k in range(c.sizes[CONTACTS]):
        work += c.contacts[k, WORK_AT]
    if not work > 0.0:
        return
    for k in range(c.sizes[CONTACTS]):
        u = velocity_at(c, k, V_FIRST)
        for j in range(3):
            c.contacts[k, U_BEFORE + j] = u[j]
            c.contacts[k, P + j] = c.contacts[k, IMPULSE_AT + j]
    shorten(c, 0, c.sizes[CONTACTS])
    for k in range(c.sizes[CONTACTS]):
        p = vector_at(c.contacts, k, P)
        both = add(vector_at(c.contacts, k, U_BEFORE), velocity_at(c, k, V))
        c.contacts[k, WORK_AT] = 0.5 * dot(p, both)
        for j in range(3):
            c.contacts[k, IMPULSE_AT + j] = p[j]
