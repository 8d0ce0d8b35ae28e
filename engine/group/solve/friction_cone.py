"""Coulomb's isotropic cone at a contact point: the nearest impulse in it, for sweeps and for Newton's method.

Sweeps know the load first: friction then lies in a disc of radius mu times it. They try to stop the sliding; where
that leaves the disc, they go down the slope of one and the same length in all directions and back onto the disc, whose
fixed points are those of sliding against the slip before and after, whatever the heading: that never does work.
Newton's method projects the whole impulse onto the cone, and needs to know how that changes. Couples of resistance to
rolling and spinning are bounded by the load likewise. Other laws are in engine.group.solve.friction_models.
"""

from __future__ import annotations

from math import sqrt

from engine.group.relative_velocity import apply_couple, speed_along
from engine.group.solve.friction_models import bounding_load, project_onto_square, slip_per_impulse
from engine.group.work import (
    COUPLE,
    D_MAX,
    D_NN,
    D_TT,
    DYNAMIC,
    FRICTION,
    IMPULSE_AT,
    INV_INERTIA,
    LEAST,
    LIFT,
    MOST,
    MU,
    NORMAL_AT,
    OPPOSED,
    PRESCRIBED,
    PRESCRIBED_SPIN,
    ROLLING_LEVER,
    SIDE_A,
    SIDE_B,
    SLIDES,
    SLIP,
    SOFT,
    SPINNING_LEVER,
    SPRING_IMPULSE,
    SPRING_SLOPE,
    STATIC,
    TANGENT_MASS,
    TARGET,
    W_END,
    WHOLE_MASS,
    Work,
)
from engine.kernel import inner_kernel, kernel
from engine.maths.vectors import Vec3
from engine.model.model import COULOMB, QUADRATIC, Floats, Ints


@inner_kernel
def stop_slip(contacts: Floats, k: int, u_n: float, u_1: float, u_2: float) -> tuple[float, float, float]:
    """What point k's impulse must change by to bring u, as it is, to (target, 0, 0) [N s], D being its own block."""
    u_n -= contacts[k, TARGET]
    m_n1, m_n2 = contacts[k, WHOLE_MASS + 1], contacts[k, WHOLE_MASS + 2]
    m_11, m_12, m_22 = contacts[k, WHOLE_MASS + 3], contacts[k, WHOLE_MASS + 4], contacts[k, WHOLE_MASS + 5]
    d_n = -(contacts[k, WHOLE_MASS] * u_n + m_n1 * u_1 + m_n2 * u_2)
    return d_n, -(m_n1 * u_n + m_11 * u_1 + m_12 * u_2), -(m_n2 * u_n + m_12 * u_1 + m_22 * u_2)


@inner_kernel
def sticks(contact: Ints, contacts: Floats, k: int, u_n: float, u_1: float, u_2: float) -> bool:
    """Would the impulse that stops the slip of point k lie in Coulomb's cone, and would it come in without one?"""
    if contacts[k, STATIC] == 0.0 or contact[k, FRICTION] != COULOMB:
        return False
    alone = u_n
    for c in range(3):
        alone -= contacts[k, D_NN + c] * contacts[k, IMPULSE_AT + c]
    if alone >= contacts[k, TARGET]:
        return False
    d_n, d_1, d_2 = stop_slip(contacts, k, u_n, u_1, u_2)
    load = contacts[k, IMPULSE_AT] + d_n
    hold = contacts[k, STATIC] * load
    q_1, q_2 = contacts[k, IMPULSE_AT + 1] + d_1, contacts[k, IMPULSE_AT + 2] + d_2
    return load > 0.0 and q_1 * q_1 + q_2 * q_2 <= hold * hold


@inner_kernel
def project_friction(
    contact: Ints, contacts: Floats, notes: Floats, k: int, load: float, u_1: float, u_2: float
) -> tuple[float, float]:
    """Set the friction of point k, which slides with u_1, u_2 [m/s] at the end, for its load; how it changes [N s]."""
    if contact[k, FRICTION] == QUADRATIC:
        return project_onto_square(contact, contacts, notes, k, load, u_1, u_2)
    load = bounding_load(contact, notes, k, load)
    fade = slip_per_impulse(contact, contacts, notes, k, load)
    p1, p2 = contacts[k, IMPULSE_AT + 1], contacts[k, IMPULSE_AT + 2]
    m11, m12, m22 = contacts[k, TANGENT_MASS], contacts[k, TANGENT_MASS + 1], contacts[k, TANGENT_MASS + 2]
    if fade > 0.0:
        d11, d12, d22 = contacts[k, D_TT] + fade, contacts[k, D_TT + 1], contacts[k, D_TT + 2] + fade
        scale = 1.0 / (d11 * d22 - d12 * d12)
        m11, m12, m22 = scale * d22, -scale * d12, scale * d11
    r1, r2 = u_1 + fade * p1, u_2 + fade * p2
    q1 = p1 - (m11 * r1 + m12 * r2)
    q2 = p2 - (m12 * r1 + m22 * r2)
    hold = contacts[k, STATIC] * load
    contact[k, SLIDES] = 0
    if q1 * q1 + q2 * q2 > hold * hold:
        contact[k, SLIDES] = 1
        step = 1.0 / contacts[k, D_MAX]
        u_1, u_2 = opposed_slip(notes, k, u_1, u_2)
        q1, q2 = p1 - step * u_1, p2 - step * u_2
        drag = contacts[k, DYNAMIC] * load
        size = sqrt(q1 * q1 + q2 * q2)
        if size > drag:
            q1 *= drag / size
            q2 *= drag / size
    contacts[k, IMPULSE_AT + 1] = q1
    contacts[k, IMPULSE_AT + 2] = q2
    return q1 - p1, q2 - p2


@inner_kernel
def opposed_slip(notes: Floats, k: int, u_1: float, u_2: float) -> tuple[float, float]:
    """The slip that friction opposes where point k slides, with u_1, u_2 at the end: that and the slip before [m/s].

    Opposed to their sum it takes energy, and its direction is the step's mean to second order. Of the slip before no
    more counts than there is at the end, and then half of both, which changes as fast as the slip: what slows down
    comes to stick without a jump, and sweeps come to an end.
    """
    then_1, then_2 = notes[k, SLIP], notes[k, SLIP + 1]
    before, now = then_1 * then_1 + then_2 * then_2, u_1 * u_1 + u_2 * u_2
    if now >= before:
        return u_1 + then_1, u_2 + then_2
    share = sqrt(now / before)
    return 0.5 * (u_1 + share * then_1), 0.5 * (u_2 + share * then_2)


@kernel
def project_couple(twists: Floats, contact: Ints, contacts: Floats, notes: Floats, k: int) -> None:
    """Set the couple of resistance at point k, and both bodies' velocities."""
    apply_couple(twists, contact, k, update_couple(twists, contact, contacts, notes, k), W_END)


@kernel
def update_couple(twists: Floats, contact: Ints, contacts: Floats, notes: Floats, k: int) -> Vec3:
    """Set the couple of resistance to rolling and spinning at point k: what stops them, or what its load allows.

    By how much it changes [N m s].
    """
    a, b = contact[k, SIDE_A], contact[k, SIDE_B]
    n0, n1, n2 = contacts[k, NORMAL_AT], contacts[k, NORMAL_AT + 1], contacts[k, NORMAL_AT + 2]
    b0, b1, b2 = notes[k, COUPLE], notes[k, COUPLE + 1], notes[k, COUPLE + 2]
    along = held = 0.0
    for c in range(3):
        w = notes[k, PRESCRIBED_SPIN + c]
        if a >= 0:
            w += twists[a, W_END + c]
        if b >= 0:
            w -= twists[b, W_END + c]
        notes[k, COUPLE + c] -= w / notes[k, INV_INERTIA]
        along += notes[k, COUPLE + c] * contacts[k, NORMAL_AT + c]
        held += notes[k, COUPLE + c] * notes[k, COUPLE + c]
    load = contacts[k, IMPULSE_AT]
    across = sqrt(max(held - along * along, 0.0))
    roll = min(1.0, contacts[k, ROLLING_LEVER] * load / across) if across > 0.0 else 0.0
    spin = max(-contacts[k, SPINNING_LEVER] * load, min(contacts[k, SPINNING_LEVER] * load, along))
    for c in range(3):
        n = n0 if c == 0 else (n1 if c == 1 else n2)
        notes[k, COUPLE + c] = roll * (notes[k, COUPLE + c] - along * n) + spin * n
    return notes[k, COUPLE] - b0, notes[k, COUPLE + 1] - b1, notes[k, COUPLE + 2] - b2


@kernel
def set_cones(work: Work, count: int, v: int) -> None:
    """Friction of every point in this round, what it opposes besides the slip at the end, and the lift that its cone
    would give it, by de Saxce's correction. They stay as they are now: then springs have a potential.
    """
    contact, contacts, notes = work.contact, work.contacts, work.notes
    for k in range(count):
        notes[k, MU] = contacts[k, STATIC]
        notes[k, LIFT] = notes[k, OPPOSED] = notes[k, OPPOSED + 1] = 0.0
        if contact[k, SLIDES] == 1:
            u1 = speed_along(work.twists, contact, contacts, k, 1, v) + contacts[k, PRESCRIBED + 1]
            u2 = speed_along(work.twists, contact, contacts, k, 2, v) + contacts[k, PRESCRIBED + 2]
            slip_1, slip_2 = opposed_slip(notes, k, u1, u2)
            notes[k, OPPOSED], notes[k, OPPOSED + 1] = slip_1 - u1, slip_2 - u2
            notes[k, MU] = contacts[k, DYNAMIC]
            notes[k, LIFT] = notes[k, MU] * sqrt(slip_1 * slip_1 + slip_2 * slip_2)


@kernel
def project_onto_cone(work: Work, k: int, v: int, s: float, q: float) -> None:
    """The nearest impulse in the cone of friction of point k to q, u's tangential parts added, and its derivative."""
    contacts, notes = work.contacts, work.notes
    u1 = speed_along(work.twists, work.contact, contacts, k, 1, v) + contacts[k, PRESCRIBED + 1] + notes[k, OPPOSED]
    u2 = speed_along(work.twists, work.contact, contacts, k, 2, v) + contacts[k, PRESCRIBED + 2] + notes[k, OPPOSED + 1]
    q1, q2 = contacts[k, IMPULSE_AT + 1] - s * u1, contacts[k, IMPULSE_AT + 2] - s * u2
    size = sqrt(q1 * q1 + q2 * q2)
    mu = notes[k, MU]
    nn = n1 = n2 = g11 = g12 = g22 = 0.0
    if size <= mu * q:  # also where nothing is to be borne yet: what touches is taken as held
        nn, g11, g22 = s, s, s
    elif mu * size <= -q:
        q = q1 = q2 = 0.0
    else:
        share = 1.0 / (1.0 + mu * mu)
        q = share * (q + mu * size)
        d1, d2 = q1 / size, q2 / size
        q1, q2 = mu * q * d1, mu * q * d2
        along, across = s * share * mu * mu, s * mu * q / size
        nn, n1, n2 = s * share, s * share * mu * d1, s * share * mu * d2
        g11 = along * d1 * d1 + across * d2 * d2
        g12 = (along - across) * d1 * d2
        g22 = along * d2 * d2 + across * d1 * d1
    notes[k, SPRING_IMPULSE], notes[k, SPRING_IMPULSE + 1], notes[k, SPRING_IMPULSE + 2] = q, q1, q2
    notes[k, SPRING_SLOPE], notes[k, SPRING_SLOPE + 1], notes[k, SPRING_SLOPE + 2] = nn, n1, n2
    notes[k, SPRING_SLOPE + 3], notes[k, SPRING_SLOPE + 4], notes[k, SPRING_SLOPE + 5] = g11, g12, g22


@kernel
def project_onto_bounds(work: Work, k: int, s: float, q: float) -> None:
    """The nearest impulse to q that joint row k may have, and its derivative; a damper is a spring itself."""
    notes = work.notes
    if notes[k, SOFT] > 0.0:
        q, s = (q - work.contacts[k, IMPULSE_AT]) / (s * notes[k, SOFT]), 1.0 / notes[k, SOFT]
    inside = notes[k, LEAST] < q < notes[k, MOST]
    notes[k, SPRING_IMPULSE] = min(max(q, notes[k, LEAST]), notes[k, MOST])
    notes[k, SPRING_SLOPE] = s if inside else 0.0
    for c in range(1, 3):
        notes[k, SPRING_IMPULSE + c] = 0.0
    for c in range(1, 6):
        notes[k, SPRING_SLOPE + c] = 0.0
