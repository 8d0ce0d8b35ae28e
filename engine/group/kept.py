"""What each body and each pair of a group keeps of a step that was found good."""

from __future__ import annotations

from math import inf

from engine.group.bodies import calm_speed, energy_of, lay_arc
from engine.group.warm_start import store_pair
from engine.group.work import (
    ENERGY_END,
    Q_END,
    V_END,
    V_PSEUDO,
    W_END,
    W_PSEUDO,
    X_END,
    V,
    W,
    Work,
)
from engine.kernel import kernel
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
    SPEED_BOUND,
    STEPPING,
    State,
)
from engine.motion.held import fastest_point
from engine.motion.polynomial import excess_speed


@kernel
def keep_body(model: Model, state: State, work: Work, at: int, t: float, h: float) -> None:
    """The arc of body `at` through the step h from t on, how fast it may be, and the energy that it has then."""
    twists, arcs, i = work.twists, state.arcs, work.body[at]
    x_end, q_end = vector_at(work.poses, at, X_END), quat_at(work.poses, at, Q_END)
    v, w = vector_at(twists, at, V), vector_at(twists, at, W)
    v_end, w_end = vector_at(twists, at, V_END), vector_at(twists, at, W_END)
    work.poses[at, ENERGY_END] = energy_of(model.bodies, i, x_end, q_end, v_end, w_end)
    state.members[i, FRESH] = 0
    lay_arc(arcs, i, twists, work.poses, at, model.tags[i, LINKAGE] >= 0, t, h)
    if arcs[i, POLY_RATE] == 0.0:
        speed = norm(vector_at(twists, at, V_PSEUDO)) + norm(vector_at(twists, at, W_PSEUDO)) * model.bodies[i, ARM]
    else:
        speed = excess_speed(arcs, i, model.bodies[i, ARM])
    speed += max(fastest_point(model.bodies, i, v, w), fastest_point(model.bodies, i, v_end, w_end))
    # The looser a bound, the sooner pairs are checked and boxes renewed; but a raise has all pairs looked at.
    least = max(speed, 2.0 * calm_speed(model.settings, model.bodies[i, SIZE]))
    is_raised = speed > arcs[i, SPEED_BOUND]
    if is_raised or arcs[i, SPEED_BOUND] > 2.5 * least:
        arcs[i, SPEED_BOUND] = 1.5 * least
    if is_raised:
        work.look[at] = 1


@kernel
def keep_pair(model: Model, state: State, work: Work, p: int, t: float, h: float) -> float:
    """What pair p bore in the step h from t on, and how fast its gap may fall; its gap [m], inf if it has no points."""
    row, load = work.pair[p], store_pair(model, state, work, p, t, h)
    if load < 0.0:
        return inf
    if load > 0.0:
        state.pairs[row, BORE_AT] = t + h
    a, b = state.links[row, BODY_A], state.links[row, BODY_B]
    state.pairs[row, FALL_A] = 0.0
    state.pairs[row, FALL_B] = _speed_bound(model.tags, state.arcs, a) + _speed_bound(model.tags, state.arcs, b)
    return float(state.pairs[row, GAP])


@kernel
def _speed_bound(tags: Ints, arcs: Floats, i: int) -> float:
    """The speed that no point of body i exceeds until its neighbours are told [m/s]; inf: it is kinematic."""
    if tags[i, KIND] == FREE:
        return arcs[i, SPEED_BOUND] if arcs[i, HELD] == STEPPING else 0.0
    return 0.0 if tags[i, KIND] == FIXED else inf
