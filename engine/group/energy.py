"""Velocities within a step: so much lower than if they changed evenly that energy does.

A step's forces are constant, and bodies that turn about what they touch are not where such forces would do no work:
between the ends of a step, where energies are right, bodies would have a little more of it, by up to 1/8 h^2 |f . a|
where contact forces f and accelerations a oppose each other. It would show, and stay if the step were cut short.

With speeds lower by the factor sqrt(1 - 2 c tau (h - tau)), tau into the step, energy is lower by 2 c tau (h - tau) of
what is kinetic. One c for the whole group, and only for groups that lie on something fixed, and on nothing that moves
by itself: what sticks or rolls goes on doing so, and momentum goes into the ground.
"""

from __future__ import annotations

from engine.group.load import energy_of, lies_on_fixed, quat_at
from engine.group.work import BODIES, CONTACTS, Q_END, V_END, V_PUSH, W_END, X_END, Q, V, W, Work, X
from engine.kernel import kernel
from engine.maths.vectors import add_scaled, scale, sub, vector_at
from engine.model.model import Floats
from engine.model.state import HELD_EASE, HELD_SMOOTH
from engine.motion.held import evolve_held

_AMPLE = 1.05  # what is more between the places looked at
_MOST = 0.25  # of the kinetic energy, at most


@kernel
def ease_arcs(table: Floats, arcs: Floats, work: Work, t: float, h: float, left: float) -> None:
    """Ease the arcs of the group's bodies, which have been laid from t to t + h.

    left: energy [J] that they might have at the end besides. What pushes lift may use it up, and what the step gains;
    only the rest of it is taken from the velocities.
    """
    if not lies_on_fixed(work.contact, work.contacts, work.sizes[CONTACTS]):
        return
    zero = (0.0, 0.0, 0.0)
    bodies, count = work.bodies, work.sizes[BODIES]
    start = end = moves = lift = 0.0
    for at in range(count):
        i = work.body[at]
        v, w = vector_at(bodies, at, V), vector_at(bodies, at, W)
        v_end, w_end = vector_at(bodies, at, V_END), vector_at(bodies, at, W_END)
        push = scale(vector_at(bodies, at, V_PUSH), h)
        way = sub(sub(vector_at(bodies, at, X_END), vector_at(bodies, at, X)), push)
        lift += energy_of(table, i, push, quat_at(bodies, at, Q), zero, zero)
        start += energy_of(table, i, zero, quat_at(bodies, at, Q), v, w)
        moves += energy_of(table, i, zero, quat_at(bodies, at, Q_END), v_end, w_end)
        end += energy_of(table, i, way, quat_at(bodies, at, Q_END), v_end, w_end)
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
            lifted = smooth if arcs[i, HELD_SMOOTH] != 0.0 else s
            way = add_scaled(sub(x, vector_at(bodies, at, X)), vector_at(bodies, at, V_PUSH), -lifted * h)
            kinetic += energy_of(table, i, zero, q, v, w)
            energy += energy_of(table, i, way, q, v, w)
        over = energy - ((1.0 - s) * start + s * end)
        if lift > 0.0:
            over += max(lift * (smooth - s) - left - (1.0 - s) * (end + lift - start), 0.0)
        if over > 0.0 and kinetic > 0.0:
            ease = max(ease, min(_AMPLE * over / (s * (1.0 - s)), 4.0 * _MOST * kinetic) / kinetic)
    for at in range(count):
        arcs[work.body[at], HELD_EASE] = 0.5 * ease / (h * h)
