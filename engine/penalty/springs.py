"""Contact points as springs and dashpots with regularised friction: the forces of the penalty method.

Each point of a manifold that lies `depth` deep presses with k depth (Baraff 1992, section 2.4, above equation 2-7), and
with c times the speed at which the bodies meet there. It never pulls: a force that would is zero (section 7.2).
Friction is dynamic friction that fades with the speed of sliding, mu f_n u_t / creep (equation 14-12), so that what it
holds creeps.

All is said in impulses of a step h. Bodies drift through the first half of it, are pushed, and drift on: the leapfrog,
which keeps an undamped bounce's energy. Where a point touches for a part of the step only, so does its spring. What
takes energy is found from the velocities that it changes, all points at once, each with its share of the bodies'
ease, so that together they never turn a motion round, however stiff they are.
"""

from __future__ import annotations

from math import cos, cosh, exp, log, pi, sin, sinh, sqrt, tanh

from engine.group.relative_velocity import push_along, speed_along
from engine.group.work import (
    BODIES,
    CONTACTS,
    COUPLE,
    D_MAX,
    D_NN,
    DYNAMIC,
    GAP_AT,
    GIVEN,
    GIVEN_TURN,
    IMPULSE_AT,
    INV_I,
    LEAST,
    NORMAL_AT,
    ROLL,
    SIDE_A,
    SIDE_B,
    SLIDES,
    SPIN,
    STATIC,
    STIFF_AT,
    TURN_EASE,
    V_END,
    W_END,
    WARM,
    V,
    W,
    Work,
)
from engine.kernel import kernel
from engine.maths.vectors import Vec3, add_scaled, dot, norm, scale, sub, vector_at
from engine.model.model import GRAVITY_NORM, INV_MASS, MASS, PENALTY_STIFFNESS, SIZE, Floats
from engine.tolerances import PENALTY_CREEP, PENALTY_SINK, PENALTY_STEPS, STANDARD_GRAVITY

# Columns of Work.contacts that other steps use for what this one does not have.
STIFFNESS = STIFF_AT  # k [N/m]; 0: the point bears nothing
DAMPING = STIFF_AT + 1  # c [N s/m]
TOUCHED = STIFF_AT + 2  # for how long the point lies inside in the step [s]
CREEP = STIFF_AT + 3  # speed of sliding up to which friction fades [m/s]
STORED = STIFF_AT + 4  # energy of its spring at the step's start [J]
STORED_END = STIFF_AT + 5  # and at its end [J]

_LEAST_BOUNCE = 0.01
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
def creep_speed(settings: Floats, bodies: Floats, a: int, b: int) -> float:
    """Up to this speed of sliding [m/s] friction between bodies a and b fades."""
    gravity = max(settings[GRAVITY_NORM], STANDARD_GRAVITY)
    return PENALTY_CREEP * sqrt(gravity * min(bodies[a, SIZE], bodies[b, SIZE]))


@kernel
def set_spring(contacts: Floats, k: int, stiffness: float, ratio: float, creep: float) -> None:
    """Make contact point k a spring of this stiffness, with a dashpot of this damping ratio."""
    contacts[k, STIFFNESS] = stiffness
    contacts[k, DAMPING] = 2.0 * ratio * sqrt(stiffness / contacts[k, D_NN])
    contacts[k, CREEP] = creep


@kernel
def longest_step(work: Work, longest: float) -> float:
    """A step [s] short against the period of every motion that the springs can make, if all of them press.

    No eigenvalue of J M^-1 J^T K is larger than the largest n k D_nn: n points of one body share its ease at most.
    """
    fastest = 0.0
    _count_points(work, STIFFNESS)
    for k in range(work.sizes[CONTACTS]):
        fastest = max(fastest, _share(work, k) * work.contacts[k, STIFFNESS] * work.contacts[k, D_NN])
    if fastest <= 0.0:
        return longest
    return min(longest, 2.0 * pi / (PENALTY_STEPS * sqrt(fastest)))


@kernel
def _count_points(work: Work, column: int) -> None:
    """To work.queue, by body: how many points there are whose entry in a column of the contacts is positive."""
    for at in range(work.sizes[BODIES]):
        work.queue[at] = 0
    for k in range(work.sizes[CONTACTS]):
        if work.contacts[k, column] > 0.0:
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
def press(work: Work, h: float) -> None:
    """The springs' impulses over a step h, by how deep they are as the bodies drift; velocities at its end change.

    Their energies at both ends are linear springs' of the depths there.
    """
    contacts = work.contacts
    for k in range(work.sizes[CONTACTS]):
        u = speed_along(work.bodies, work.contact, contacts, k, 0, V, W) + contacts[k, GIVEN]
        depth = -contacts[k, GAP_AT]
        overlap, time = overlap_in(depth, depth - h * u, h)
        contacts[k, TOUCHED] = time if contacts[k, STIFFNESS] > 0.0 else 0.0
        contacts[k, IMPULSE_AT] = contacts[k, STIFFNESS] * overlap
        contacts[k, STORED] = 0.5 * contacts[k, STIFFNESS] * max(depth, 0.0) ** 2
        for c in range(1, 3):
            contacts[k, IMPULSE_AT + c] = 0.0
        for c in range(3):
            contacts[k, COUPLE + c] = 0.0
        push_along(work.bodies, work.contact, contacts, k, 0, contacts[k, IMPULSE_AT], V_END, W_END)


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
    contacts = work.contacts
    _count_points(work, TOUCHED)
    for k in range(work.sizes[CONTACTS]):
        contacts[k, LEAST] = 0.0
        if contacts[k, TOUCHED] > 0.0:
            u = speed_along(work.bodies, work.contact, contacts, k, 0, V, W)
            u += speed_along(work.bodies, work.contact, contacts, k, 0, V_END, W_END)
            ease = _share(work, k) * contacts[k, D_NN]
            done = 1.0 - exp(-contacts[k, DAMPING] * contacts[k, TOUCHED] * ease)
            contacts[k, LEAST] = max(-done * (0.5 * u + contacts[k, GIVEN]) / ease, -contacts[k, IMPULSE_AT])
    for k in range(work.sizes[CONTACTS]):
        contacts[k, IMPULSE_AT] += contacts[k, LEAST]
        push_along(work.bodies, work.contact, contacts, k, 0, contacts[k, LEAST], V_END, W_END)


@kernel
def rub(work: Work) -> None:
    """Friction by the speeds at the end of the step: mu p_n against the sliding, mu p_n u / edge where that is slow.

    The edge is the creep, or what mu p_n would stop: it never turns the sliding round.
    """
    contacts = work.contacts
    _count_points(work, IMPULSE_AT)
    for k in range(work.sizes[CONTACTS]):
        press_by = contacts[k, IMPULSE_AT]
        work.contact[k, SLIDES] = 0
        if not press_by > 0.0:
            continue
        u1 = speed_along(work.bodies, work.contact, contacts, k, 1, V_END, W_END) + contacts[k, GIVEN + 1]
        u2 = speed_along(work.bodies, work.contact, contacts, k, 2, V_END, W_END) + contacts[k, GIVEN + 2]
        speed = sqrt(u1 * u1 + u2 * u2)
        limit = contacts[k, STATIC] * press_by
        edge = max(contacts[k, CREEP], _share(work, k) * contacts[k, D_MAX] * limit)
        if speed > edge:
            work.contact[k, SLIDES] = 1
            limit, edge = contacts[k, DYNAMIC] * press_by, speed
        contacts[k, IMPULSE_AT + 1] = -limit * u1 / edge
        contacts[k, IMPULSE_AT + 2] = -limit * u2 / edge
    for k in range(work.sizes[CONTACTS]):
        for axis in range(1, 3):
            p = contacts[k, IMPULSE_AT + axis]
            push_along(work.bodies, work.contact, contacts, k, axis, p, V_END, W_END)


@kernel
def brake(work: Work) -> None:
    """Couples of resistance to rolling and spinning: what stops them, or what the points' loads allow."""
    contacts, resisted = work.contacts, False
    for k in range(work.sizes[CONTACTS]):
        lever = max(contacts[k, ROLL], contacts[k, SPIN])
        contacts[k, WARM] = lever * contacts[k, IMPULSE_AT]
        resisted = resisted or contacts[k, WARM] > 0.0
    if not resisted:
        return
    _count_points(work, WARM)
    for k in range(work.sizes[CONTACTS]):
        if contacts[k, WARM] > 0.0:
            n = vector_at(contacts, k, NORMAL_AT)
            w = _turning(work, k)
            ease = _share(work, k) * contacts[k, TURN_EASE]
            spin = scale(n, dot(w, n))
            by_roll = _against(sub(w, spin), contacts[k, ROLL] * contacts[k, IMPULSE_AT], ease)
            couple = add_scaled(by_roll, _against(spin, contacts[k, SPIN] * contacts[k, IMPULSE_AT], ease), 1.0)
            for c in range(3):
                contacts[k, COUPLE + c] = couple[c]
    for k in range(work.sizes[CONTACTS]):
        if contacts[k, WARM] > 0.0:
            couple = vector_at(contacts, k, COUPLE)
            _turn(work, work.contact[k, SIDE_A], couple, 1.0)
            _turn(work, work.contact[k, SIDE_B], couple, -1.0)


@kernel
def _turning(work: Work, k: int) -> Vec3:
    """Angular velocity of body a of point k at the step's end, less that of body b [rad/s]."""
    w = vector_at(work.contacts, k, GIVEN_TURN)
    if work.contact[k, SIDE_A] >= 0:
        w = add_scaled(w, vector_at(work.bodies, work.contact[k, SIDE_A], W_END), 1.0)
    if work.contact[k, SIDE_B] >= 0:
        w = sub(w, vector_at(work.bodies, work.contact[k, SIDE_B], W_END))
    return w


@kernel
def _against(w: Vec3, limit: float, ease: float) -> Vec3:
    """A couple impulse of size `limit` against w, or the one that ends w."""
    size = max(norm(w), ease * limit)
    return scale(w, -limit / size) if size > 0.0 else (0.0, 0.0, 0.0)


@kernel
def _turn(work: Work, at: int, couple: Vec3, sign: float) -> None:
    """Change the angular velocity at the end of the body in row `at` by a couple impulse; -1: of none."""
    if at < 0:
        return
    bodies = work.bodies
    for c in range(3):
        i = INV_I + 3 * c
        bodies[at, W_END + c] += sign * dot((bodies[at, i], bodies[at, i + 1], bodies[at, i + 2]), couple)


@kernel
def note_stored(work: Work, h: float) -> None:
    """The springs' energies at the end of the step, by how the bodies move in it."""
    contacts = work.contacts
    for k in range(work.sizes[CONTACTS]):
        u = speed_along(work.bodies, work.contact, contacts, k, 0, V, W)
        u += speed_along(work.bodies, work.contact, contacts, k, 0, V_END, W_END)
        depth = max(-contacts[k, GAP_AT] - h * (0.5 * u + contacts[k, GIVEN]), 0.0)
        contacts[k, STORED_END] = 0.5 * contacts[k, STIFFNESS] * depth * depth
