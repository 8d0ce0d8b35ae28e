"""The end of a contact group's step: its bodies' arcs, what its contacts bore, its islands as groups."""

from __future__ import annotations

from math import inf

from engine.group.bodies import calm_speed, energy_of, lay_arc
from engine.group.islands import split_group
from engine.group.joints.elements import keep_elements
from engine.group.warm_start import store_pair
from engine.group.work import (
    BODIES,
    CONTACTS,
    ENERGY_END,
    JOINT_ROWS,
    Q_END,
    ROW,
    V_END,
    V_PSEUDO,
    W_END,
    W_PSEUDO,
    X_END,
    V,
    W,
    Work,
)
from engine.kernel import kernel, linked_kernel
from engine.maths.quaternions import quat_at
from engine.maths.vectors import norm, vector_at
from engine.model.model import ARM, FIXED, FREE, KIND, LINKAGE, SIZE, Floats, Ints, Model
from engine.model.state import (
    BODY_A,
    BODY_B,
    BORE_AT,
    FALL_A,
    FALL_B,
    FRESH,
    GAP,
    HELD,
    POLY_RATE,
    SMALLEST_GAP,
    SPEED_BOUND,
    STEPPING,
    State,
)
from engine.motion.held import fastest_point
from engine.motion.polynomial import excess_speed


@linked_kernel
def commit_step(model: Model, state: State, work: Work, t: float, h: float, ceiling: float, stays: float) -> None:
    """Let the bodies of a step that was found good move through it, from t to t + h, as groups of their own.

    ceiling: the energy [J] that they may have at its end; what is left is the budget for position correction. stays: so
    many steps are to be no longer than this one.
    """
    for at in range(work.sizes[BODIES]):
        x, v, w = (
            vector_at(work.poses, at, X_END),
            vector_at(work.twists, at, V_END),
            vector_at(work.twists, at, W_END),
        )
        energy = energy_of(model.bodies, work.body[at], x, quat_at(work.poses, at, Q_END), v, w)
        work.poses[at, ENERGY_END] = energy
        ceiling -= energy
    _set_arcs(model, state, work, t, h)
    keep_elements(model.joints, state, work, h)
    _keep_contacts(model, state, work, t, h)
    split_group(model, state, work, t, h, max(ceiling, 0.0), stays)


@kernel
def _set_arcs(model: Model, state: State, work: Work, t: float, h: float) -> None:
    twists, arcs = work.twists, state.arcs
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        state.members[i, FRESH] = 0
        lay_arc(arcs, i, twists, work.poses, at, model.tags[i, LINKAGE] >= 0, t, h)
        if arcs[i, POLY_RATE] == 0.0:
            speed = norm(vector_at(twists, at, V_PSEUDO)) + norm(vector_at(twists, at, W_PSEUDO)) * model.bodies[i, ARM]
        else:
            speed = excess_speed(arcs, i, model.bodies[i, ARM])
        v, w = vector_at(twists, at, V), vector_at(twists, at, W)
        v_end, w_end = vector_at(twists, at, V_END), vector_at(twists, at, W_END)
        speed += max(fastest_point(model.bodies, i, v, w), fastest_point(model.bodies, i, v_end, w_end))
        # The looser a bound, the sooner pairs are checked and boxes renewed; but a raise has all pairs looked at.
        least = max(speed, 2.0 * calm_speed(model.settings, model.bodies[i, SIZE]))
        is_raised = speed > arcs[i, SPEED_BOUND]
        if is_raised or arcs[i, SPEED_BOUND] > 2.5 * least:
            arcs[i, SPEED_BOUND] = 1.5 * least
        if is_raised:
            work.look[at] = 1


@kernel
def _keep_contacts(model: Model, state: State, work: Work, t: float, h: float) -> None:
    """Store what every pair bore in the step h from t on, and how fast its gap may fall."""
    k = 0
    while k < work.sizes[CONTACTS] - work.sizes[JOINT_ROWS]:
        row = work.contact[k, ROW]
        k, borne = store_pair(model, state, work, k, h)
        if borne > 0.0:
            state.pairs[row, BORE_AT] = t + h
        state.clock[SMALLEST_GAP] = min(state.clock[SMALLEST_GAP], state.pairs[row, GAP])
        a, b = state.links[row, BODY_A], state.links[row, BODY_B]
        approach = _speed_bound(model.tags, state.arcs, a) + _speed_bound(model.tags, state.arcs, b)
        state.pairs[row, FALL_A] = 0.0
        state.pairs[row, FALL_B] = approach


@kernel
def _speed_bound(tags: Ints, arcs: Floats, i: int) -> float:
    """The speed that no point of body i exceeds until its neighbours are told [m/s]; inf: it is kinematic."""
    if tags[i, KIND] == FREE:
        return arcs[i, SPEED_BOUND] if arcs[i, HELD] == STEPPING else 0.0
    return 0.0 if tags[i, KIND] == FIXED else inf
