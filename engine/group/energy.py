"""Where energy is kept: what bodies have, what is booked as work and as dissipated, and that a step creates none.

A step may end with what the group had, with what kinematic bodies put in, and with its budget for position correction:
a small part of what its contacts took before (a stack that has sunk within its envelopes may be lifted again). Where
that is not enough, pseudo-velocities and then velocities are made smaller (`limit_energy`).

Within a step, too, velocities are so much lower than if they changed evenly that energy falls evenly (`ease_arcs`):
a step's forces are constant, and bodies that turn about what they touch are not where such forces would do no work:
between the ends of a step, where energies are right, bodies would have a little more of it, by up to 1/8 h^2 |f . a|
where contact forces f and accelerations a oppose each other. It would show, and stay if the step were cut short.

With speeds lower by the factor sqrt(1 - 2 c tau (h - tau)), tau into the step, energy is lower by 2 c tau (h - tau) of
what is kinetic. One c for the whole group, and only for groups that lie on something fixed, and on nothing that moves
by itself: what sticks or rolls goes on doing so, and momentum goes into the ground.
"""

from __future__ import annotations

from math import sqrt

from engine.collision.narrow.frames import matrix_of
from engine.group.bodies import place_at_end
from engine.group.contact_points import lies_on_static
from engine.group.work import (
    BODIES,
    COUPLE,
    IMPULSE_AT,
    PRESCRIBED,
    PRESCRIBED_AT_START,
    PRESCRIBED_SPIN,
    Q_END,
    V_END,
    V_FLOW,
    V_PSEUDO,
    W_END,
    W_PSEUDO,
    X_END,
    Q,
    V,
    W,
    Work,
    X,
)
from engine.kernel import kernel
from engine.maths.quaternions import Quat, quat_at
from engine.maths.vectors import Vec3, add_scaled, scale, sub, vector_at
from engine.model.model import GRAVITY, MASS, MOMENTS, Floats, Ints
from engine.model.state import (
    BOOKED,
    DISSIPATED,
    ELASTIC,
    ELASTIC_POWER,
    HELD_EASE,
    POLY_RATE,
    POWER,
    WORK,
    WORKED_UNTIL,
)
from engine.motion.arcs import evolve
from engine.motion.held import evolve_held

_AMPLE = 1.05  # what is more between the places looked at


_MOST = 0.25  # of the kinetic energy, at most


_PAYS = 0.999  # of their velocities bodies keep at least when that pays for being lifted


@kernel
def energy_of(bodies: Floats, i: int, x: Vec3, q: Quat, v: Vec3, w: Vec3) -> float:
    """Kinetic and potential energy of free body i [J]."""
    m = matrix_of(q)
    energy = 0.0
    for k in range(3):
        spin = m[k] * w[0] + m[3 + k] * w[1] + m[6 + k] * w[2]
        energy += 0.5 * (bodies[i, MASS] * v[k] * v[k] + bodies[i, MOMENTS + k] * spin * spin)
        energy -= bodies[i, MASS] * bodies[i, GRAVITY + k] * x[k]
    return energy


@kernel
def prescribed_work(contacts: Floats, notes: Floats, k: int) -> float:
    """What kinematic bodies put in at point k through the step [J]."""
    work = 0.0
    for c in range(3):
        prescribed = 0.5 * (contacts[k, PRESCRIBED + c] + notes[k, PRESCRIBED_AT_START + c])
        work -= contacts[k, IMPULSE_AT + c] * prescribed + notes[k, COUPLE + c] * notes[k, PRESCRIBED_SPIN + c]
    return work


@kernel
def book_body(bodies: Floats, tags: Ints, arcs: Floats, groups: Floats, clock: Floats, i: int, t: float) -> None:
    """Book what body i's energy has lost since it was last booked; it is held."""
    x, q, v, w = evolve(bodies, tags, arcs, i, t)
    energy = energy_of(bodies, i, x, q, v, w)
    clock[DISSIPATED] += groups[i, BOOKED] - energy
    groups[i, BOOKED] = energy


@kernel
def book_work(groups: Floats, clock: Floats, leader: int, t: float) -> None:
    """Book what kinematic bodies have put into a group, and what went into its springs, since it was booked."""
    work = groups[leader, POWER] * (t - groups[leader, WORKED_UNTIL])
    stored = groups[leader, ELASTIC_POWER] * (t - groups[leader, WORKED_UNTIL])
    groups[leader, WORKED_UNTIL] = t
    clock[WORK] += work
    clock[DISSIPATED] += work - stored
    groups[leader, ELASTIC] += stored


@kernel
def rebook_body(bodies: Floats, tags: Ints, arcs: Floats, groups: Floats, i: int, t: float) -> None:
    """Body i's energy has been changed at time t by what has its own books."""
    x, q, v, w = evolve(bodies, tags, arcs, i, t)
    groups[i, BOOKED] = energy_of(bodies, i, x, q, v, w)


@kernel
def limit_energy(bodies: Floats, work: Work, h: float, ceiling: float) -> None:
    """Poses at the end of the step. Where the bodies would have more energy there than `ceiling`, they are slowed down
    a little, for on curved ways they get faster as they sink; then corrections become smaller, then the velocities at
    the end, and with them the way; at last those at the start.

    Potential energy changes with the mean of the velocities at both ends: E(s) = E(0) + L s + K s² when those at the
    end are s times what they are.
    """
    twists, poses = work.twists, work.poses
    now = way = rise = lift = kinetic = 0.0
    for at in range(work.sizes[BODIES]):
        place_at_end(twists, poses, at, h)
        i = work.body[at]
        q, v, w = quat_at(poses, at, Q_END), vector_at(twists, at, V_END), vector_at(twists, at, W_END)
        kinetic += energy_of(bodies, i, (0.0, 0.0, 0.0), q, v, w)
        for c in range(3):
            weight = bodies[i, MASS] * bodies[i, GRAVITY + c]
            now -= weight * poses[at, X + c]
            way -= weight * h * (0.5 * twists[at, V + c] + twists[at, V_FLOW + c])
            rise -= weight * 0.5 * h * twists[at, V_END + c]
            lift -= weight * h * twists[at, V_PSEUDO + c]
    over = now + way + lift - ceiling
    if over + rise + kinetic <= 0.0:
        return
    push = first = 1.0
    last = _slowed(over, rise, kinetic)
    if last < _PAYS and lift > 0.0:
        last = _PAYS
        push = 1.0 - min((over + (rise + kinetic * last) * last) / lift, 1.0)
    over -= (1.0 - push) * lift
    if over + (rise + kinetic * last) * last > 0.0:
        last = _slowed(over, rise, kinetic)
        over += (rise + kinetic * last) * last
        if over > 0.0 and way > 0.0:
            first = max(0.0, 1.0 - over / way)
    for at in range(work.sizes[BODIES]):
        for c in range(3):
            twists[at, V_PSEUDO + c] *= push
            twists[at, W_PSEUDO + c] *= push
            twists[at, V_END + c] *= last
            twists[at, W_END + c] *= last
            twists[at, V + c] *= first
            twists[at, W + c] *= first
        place_at_end(twists, poses, at, h)


@kernel
def _slowed(over: float, rise: float, kinetic: float) -> float:
    """The largest part s of 1 with over + rise s + kinetic s^2 <= 0; 0 if there is none."""
    if kinetic <= 0.0:
        return 1.0 if over + rise <= 0.0 else 0.0
    root = sqrt(max(rise * rise - 4.0 * kinetic * over, 0.0))
    return max(0.0, min(1.0, (root - rise) / (2.0 * kinetic)))


@kernel
def ease_arcs(bodies: Floats, arcs: Floats, work: Work, t: float, h: float, left: float) -> None:
    """Ease the arcs of the group's bodies, which have been laid from t to t + h.

    left: energy [J] that they might have at the end besides. What position correction lifts may use it up, and what the
    step gains; only the rest of it is taken from the velocities.
    """
    if not lies_on_static(work):
        return
    zero = (0.0, 0.0, 0.0)
    twists, poses, count = work.twists, work.poses, work.sizes[BODIES]
    start = end = moves = lift = 0.0
    for at in range(count):
        i = work.body[at]
        v, w = vector_at(twists, at, V), vector_at(twists, at, W)
        v_end, w_end = vector_at(twists, at, V_END), vector_at(twists, at, W_END)
        push = scale(vector_at(twists, at, V_PSEUDO), h)
        way = sub(sub(vector_at(poses, at, X_END), vector_at(poses, at, X)), push)
        lift += energy_of(bodies, i, push, quat_at(poses, at, Q), zero, zero)
        start += energy_of(bodies, i, zero, quat_at(poses, at, Q), v, w)
        moves += energy_of(bodies, i, zero, quat_at(poses, at, Q_END), v_end, w_end)
        end += energy_of(bodies, i, way, quat_at(poses, at, Q_END), v_end, w_end)
    if start + moves == 0.0:
        return
    ease = 0.0
    for place in range(3):
        s = 0.1 + 0.4 * place
        smooth = s * s * (3.0 - 2.0 * s)
        energy = kinetic = 0.0
        for at in range(count):
            i = work.body[at]
            x, q, v, w = evolve_held(arcs, i, t + s * h)
            lifted = smooth if arcs[i, POLY_RATE] != 0.0 else s
            way = add_scaled(sub(x, vector_at(poses, at, X)), vector_at(twists, at, V_PSEUDO), -lifted * h)
            kinetic += energy_of(bodies, i, zero, q, v, w)
            energy += energy_of(bodies, i, way, q, v, w)
        over = energy - ((1.0 - s) * start + s * end)
        if lift > 0.0:
            over += max(lift * (smooth - s) - left - (1.0 - s) * (end + lift - start), 0.0)
        if over > 0.0 and kinetic > 0.0:
            ease = max(ease, min(_AMPLE * over / (s * (1.0 - s)), 4.0 * _MOST * kinetic) / kinetic)
    for at in range(count):
        arcs[work.body[at], HELD_EASE] = 0.5 * ease / (h * h)
