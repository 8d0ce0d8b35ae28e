"""Contact points as springs and dashpots with regularised friction: the forces of the penalty method.

Each point of a manifold that lies `depth` deep presses with k depth (Baraff 1992, section 2.4, above equation 2-7), and
with c times the speed at which the bodies meet there. It never pulls: a force that would is zero (section 7.2).
Friction is dynamic friction that fades with the speed of sliding, mu f_n u_t / creep (equation 14-12), so that what it
holds creeps.

All is said in impulses of a step h. Bodies fly through the first half of it, are pushed, and fly on: this keeps
momentum, since the points are those of the middle. A spring's impulse is what its energy changes by over the way of its
point in the step, which hangs on the impulse (a discrete gradient; Gonzalez 1996): so it takes just that from the
bodies, also where the point touches for a part of the step only. What takes energy is found from the velocities that it
changes, all points at once, each with its share of the bodies' inverse mass, so that together they never turn a motion
round, however stiff they are.
"""

from __future__ import annotations

from math import cos, cosh, exp, log, pi, sin, sinh, sqrt, tanh

from engine.group.relative_velocity import apply_along, speed_along
from engine.group.work import (
    BODIES,
    CONTACTS,
    COUPLE,
    CREEP,
    D_MAX,
    D_NN,
    DAMPING,
    DASHPOT,
    DYNAMIC,
    GAP_AT,
    IMPULSE_AT,
    INV_I,
    INV_INERTIA,
    NORMAL_AT,
    PRESCRIBED,
    PRESCRIBED_SPIN,
    RESISTED,
    ROLLING_LEVER,
    SIDE_A,
    SIDE_B,
    SLIDES,
    SPINNING_LEVER,
    STATIC,
    STIFFNESS,
    STORED,
    STORED_FIRST,
    TOUCHED,
    V_END,
    V_FLOW,
    V_FREE,
    V_PSEUDO,
    W_END,
    Work,
)
from engine.kernel import kernel
from engine.maths.vectors import Vec3, add_scaled, dot, norm, scale, sub, vector_at
from engine.model.model import GRAVITY_NORM, INV_MASS, MASS, PENALTY_STIFFNESS, SIZE, Floats
from engine.tolerances import ACCURACY, PENALTY_SINK, PENALTY_STEPS, STANDARD_GRAVITY

_LEAST_BOUNCE = sqrt(ACCURACY)
"""Restitutions below this count as this: dashpots that leave nothing are infinitely strong."""

_ROUNDS = 12


@kernel
def damping_ratio(restitution: float) -> float:
    """The damping ratio c / (2 sqrt(k m)) of a spring and dashpot that never pull, by the restitution they make.

    A mass that meets them at speed 1 leaves them when their force, not their depth, is zero: at exp(-2 a / tan a) for
    the ratio cos a, at exp(-2 a / tanh a) for the ratio cosh a.
    """
    y = -0.5 * log(min(max(restitution, _LEAST_BOUNCE), 1.0))
    if y < 1.0:
        a = 0.5 * pi
        for _ in range(_ROUNDS):
            s, c = sin(a), cos(a)
            a -= (a * c / s - y) / (c / s - a / (s * s))
        return cos(a)
    a = y
    for _ in range(_ROUNDS):
        s = sinh(a)
        slope = 1.0 / tanh(a) - a / (s * s)
        if not slope > 0.0:
            break
        a -= (a / tanh(a) - y) / slope
    return cosh(a)


@kernel
def point_stiffness(settings: Floats, bodies: Floats, a: int, b: int) -> float:
    """Force by depth [N/m] of a contact point of bodies a and b.

    Unless the scene says it: so much that neither sinks by more than PENALTY_SINK of its size under its own weight.
    """
    if settings[PENALTY_STIFFNESS] > 0.0:
        return settings[PENALTY_STIFFNESS]
    gravity = max(settings[GRAVITY_NORM], STANDARD_GRAVITY)
    stiffness = 0.0
    if bodies[a, INV_MASS] > 0.0:
        stiffness = bodies[a, MASS] * gravity / (PENALTY_SINK * bodies[a, SIZE])
    if bodies[b, INV_MASS] > 0.0:
        stiffness = max(stiffness, bodies[b, MASS] * gravity / (PENALTY_SINK * bodies[b, SIZE]))
    return stiffness


@kernel
def set_spring(
    contacts: Floats, notes: Floats, k: int, stiffness: float, share: float, ratio: float, creep: float
) -> None:
    """Make contact point k a spring with this share of a stiffness, and of a dashpot of this damping ratio."""
    notes[k, STIFFNESS] = share * stiffness
    notes[k, DAMPING] = share * 2.0 * ratio * sqrt(stiffness / contacts[k, D_NN])
    notes[k, CREEP] = creep


@kernel
def longest_step(work: Work, longest: float) -> float:
    """A step [s] short against the period of every motion that the springs can make, if all of them press.

    No eigenvalue of J M^-1 J^T K is larger than the largest n k D_nn: n points share one body's inverse mass at most.
    """
    fastest = 0.0
    _count_points(work, work.notes, STIFFNESS)
    for k in range(work.sizes[CONTACTS]):
        fastest = max(fastest, _share(work, k) * work.notes[k, STIFFNESS] * work.contacts[k, D_NN])
    if fastest <= 0.0:
        return longest
    return min(longest, 2.0 * pi / (PENALTY_STEPS * sqrt(fastest)))


@kernel
def _count_points(work: Work, table: Floats, column: int) -> None:
    """To work.queue, by body: how many points there are whose entry in a column of a table is positive."""
    for at in range(work.sizes[BODIES]):
        work.queue[at] = 0
    for k in range(work.sizes[CONTACTS]):
        if table[k, column] > 0.0:
            a, b = work.contact[k, SIDE_A], work.contact[k, SIDE_B]
            if a >= 0:
                work.queue[a] += 1
            if b >= 0:
                work.queue[b] += 1


@kernel
def _share(work: Work, k: int) -> float:
    """How many points, k among them, a body of point k has at most, as counted last."""
    a, b = work.contact[k, SIDE_A], work.contact[k, SIDE_B]
    return float(max(work.queue[a] if a >= 0 else 0, work.queue[b] if b >= 0 else 0))


@kernel
def stored_at_start(work: Work, h: float) -> float:
    """Note the springs' energies by their depths at the start of the step h; their sum [J]."""
    total = 0.0
    for k in range(work.sizes[CONTACTS]):
        depth, _ = depths(work, k, h)
        work.notes[k, STORED] = 0.5 * work.notes[k, STIFFNESS] * max(depth, 0.0) ** 2
        total += work.notes[k, STORED]
    return total


@kernel
def depths(work: Work, k: int, h: float) -> tuple[float, float]:
    """How deep point k lies at both ends of the step h [m], negative: apart. It is as deep as in the middle there but
    for how its bodies fly to it and on."""
    given = work.contacts[k, PRESCRIBED]
    before = speed_along(work.twists, work.contact, work.contacts, k, 0, V_FREE) + given
    after = speed_along(work.twists, work.contact, work.contacts, k, 0, V_END) + given
    return 0.5 * h * before - work.notes[k, GAP_AT], -0.5 * h * after - work.notes[k, GAP_AT]


@kernel
def load_springs(work: Work, h: float) -> None:
    """The springs' impulses over a step h, with the velocities at its end as found so far; friction's are none yet."""
    contacts, notes = work.contacts, work.notes
    for k in range(work.sizes[CONTACTS]):
        depth, end = depths(work, k, h)
        overlap, time = overlap_in(depth, end, h)
        notes[k, TOUCHED] = time if notes[k, STIFFNESS] > 0.0 else 0.0
        contacts[k, IMPULSE_AT] = notes[k, STIFFNESS] * overlap
        for c in range(1, 3):
            contacts[k, IMPULSE_AT + c] = 0.0
        for c in range(3):
            notes[k, COUPLE + c] = 0.0


@kernel
def press(work: Work) -> None:
    """Let the springs' impulses change the velocities at the step's end."""
    for k in range(work.sizes[CONTACTS]):
        apply_along(work.twists, work.contact, work.contacts, k, 0, work.contacts[k, IMPULSE_AT], V_END)


@kernel
def overlap_in(depth: float, end: float, h: float) -> tuple[float, float]:
    """Of a depth [m] that changes steadily in a time h: the integral of what is positive [m s], and how long it is."""
    if depth >= 0.0 and end >= 0.0:
        return 0.5 * h * (depth + end), h if depth + end > 0.0 else 0.0
    if depth <= 0.0 and end <= 0.0:
        return 0.0, 0.0
    inside = max(depth, end)
    time = h * inside / abs(depth - end)
    return 0.5 * inside * time, time


@kernel
def damp(work: Work) -> None:
    """The dashpots' impulses, by the mean speed at which points meet in the step; none makes its point pull."""
    contacts, notes = work.contacts, work.notes
    _count_points(work, notes, TOUCHED)
    for k in range(work.sizes[CONTACTS]):
        notes[k, DASHPOT] = 0.0
        if notes[k, TOUCHED] > 0.0:
            u = speed_along(work.twists, work.contact, contacts, k, 0, V_FREE)
            u += speed_along(work.twists, work.contact, contacts, k, 0, V_END)
            inv_mass = _share(work, k) * contacts[k, D_NN]
            done = 1.0 - exp(-notes[k, DAMPING] * notes[k, TOUCHED] * inv_mass)
            notes[k, DASHPOT] = max(-done * (0.5 * u + contacts[k, PRESCRIBED]) / inv_mass, -contacts[k, IMPULSE_AT])
    for k in range(work.sizes[CONTACTS]):
        contacts[k, IMPULSE_AT] += notes[k, DASHPOT]
        apply_along(work.twists, work.contact, contacts, k, 0, notes[k, DASHPOT], V_END)


@kernel
def rub(work: Work) -> None:
    """Friction by the speeds that springs and dashpots leave: mu p_n against the sliding, mu p_n u / edge where it is
    slow.

    The edge is the creep, or what mu p_n would stop: it never turns the sliding round.
    """
    contacts, notes = work.contacts, work.notes
    _count_points(work, contacts, IMPULSE_AT)
    for k in range(work.sizes[CONTACTS]):
        press_by = contacts[k, IMPULSE_AT]
        work.contact[k, SLIDES] = 0
        if not press_by > 0.0:
            continue
        u1 = speed_along(work.twists, work.contact, contacts, k, 1, V_END) + contacts[k, PRESCRIBED + 1]
        u2 = speed_along(work.twists, work.contact, contacts, k, 2, V_END) + contacts[k, PRESCRIBED + 2]
        speed = sqrt(u1 * u1 + u2 * u2)
        limit = contacts[k, STATIC] * press_by
        edge = max(notes[k, CREEP], _share(work, k) * contacts[k, D_MAX] * limit)
        if speed > edge:
            work.contact[k, SLIDES] = 1
            limit, edge = contacts[k, DYNAMIC] * press_by, speed
        contacts[k, IMPULSE_AT + 1] = -limit * u1 / edge
        contacts[k, IMPULSE_AT + 2] = -limit * u2 / edge
    for k in range(work.sizes[CONTACTS]):
        for axis in range(1, 3):
            p = contacts[k, IMPULSE_AT + axis]
            apply_along(work.twists, work.contact, contacts, k, axis, p, V_END)


@kernel
def brake(work: Work) -> None:
    """Couples of resistance to rolling and spinning: what stops them, or what the points' loads allow."""
    contacts, notes, resisted = work.contacts, work.notes, False
    for k in range(work.sizes[CONTACTS]):
        lever = max(contacts[k, ROLLING_LEVER], contacts[k, SPINNING_LEVER])
        notes[k, RESISTED] = lever * contacts[k, IMPULSE_AT]
        resisted = resisted or notes[k, RESISTED] > 0.0
    if not resisted:
        return
    _count_points(work, notes, RESISTED)
    for k in range(work.sizes[CONTACTS]):
        if notes[k, RESISTED] > 0.0:
            n = vector_at(contacts, k, NORMAL_AT)
            w = _turning(work, k)
            inv_inertia = _share(work, k) * notes[k, INV_INERTIA]
            spin = scale(n, dot(w, n))
            by_roll = _against(sub(w, spin), contacts[k, ROLLING_LEVER] * contacts[k, IMPULSE_AT], inv_inertia)
            couple = add_scaled(
                by_roll, _against(spin, contacts[k, SPINNING_LEVER] * contacts[k, IMPULSE_AT], inv_inertia), 1.0
            )
            for c in range(3):
                notes[k, COUPLE + c] = couple[c]
    for k in range(work.sizes[CONTACTS]):
        if notes[k, RESISTED] > 0.0:
            couple = vector_at(notes, k, COUPLE)
            _turn(work, work.contact[k, SIDE_A], couple, 1.0)
            _turn(work, work.contact[k, SIDE_B], couple, -1.0)


@kernel
def _turning(work: Work, k: int) -> Vec3:
    """Angular velocity of body a of point k after those impulses, less that of body b [rad/s]."""
    w = vector_at(work.notes, k, PRESCRIBED_SPIN)
    if work.contact[k, SIDE_A] >= 0:
        w = add_scaled(w, vector_at(work.twists, work.contact[k, SIDE_A], W_END), 1.0)
    if work.contact[k, SIDE_B] >= 0:
        w = sub(w, vector_at(work.twists, work.contact[k, SIDE_B], W_END))
    return w


@kernel
def _against(w: Vec3, limit: float, inv_mass: float) -> Vec3:
    """A couple impulse of size `limit` against w, or the one that ends w."""
    size = max(norm(w), inv_mass * limit)
    return scale(w, -limit / size) if size > 0.0 else (0.0, 0.0, 0.0)


@kernel
def _turn(work: Work, at: int, couple: Vec3, sign: float) -> None:
    """Change the angular velocity at the end of the body in row `at` by a couple impulse; -1: of none."""
    if at < 0:
        return
    twists = work.twists
    for c in range(3):
        i = INV_I + 3 * c
        twists[at, W_END + c] += sign * dot((twists[at, i], twists[at, i + 1], twists[at, i + 2]), couple)


@kernel
def swing(work: Work, h: float) -> None:
    """Let bodies go through the step h as springs push them, whose forces grow or slacken on the way: what meets them
    there and cuts the step short finds the energy that there was.

    A force with a first moment about the step's middle makes the mean velocity smaller by as much. The step moves
    bodies by the mean of the velocities at its ends all the same: a pseudo-velocity makes up for it.
    """
    notes, twists = work.notes, work.twists
    for k in range(work.sizes[CONTACTS]):
        depth, end = depths(work, k, h)
        inside, part = max(depth, 0.0), notes[k, TOUCHED] / h
        grown = notes[k, STIFFNESS] * (max(end, 0.0) - inside)
        moment = h * grown * part * (0.25 - part / 6.0)
        apply_along(twists, work.contact, work.contacts, k, 0, -moment, V_FLOW)
        # How the energy begins to change: by the speed at the start, or where it is nothing at one end by the mean.
        first = notes[k, STIFFNESS] * -2.0 * (depth + notes[k, GAP_AT]) if part == 1.0 else grown
        notes[k, STORED_FIRST] = inside * first
    for at in range(work.sizes[BODIES]):
        for c in range(3):
            twists[at, V_PSEUDO + c] = -twists[at, V_FLOW + c]
