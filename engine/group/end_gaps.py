"""A pair at the end of a step that is being tried, and on the way: its true gap, and what that lacks."""

from __future__ import annotations

from math import inf

from engine.collision.narrow.frames import pose_of
from engine.collision.pairs.gaps import measure_gap
from engine.group.bodies import mean_spin, place_of, pose_at_end, pose_within
from engine.group.measure import hold_floor, measure_pair
from engine.group.midway import stands_to_end
from engine.group.relative_velocity import speed_along
from engine.group.work import (
    CONTACTS,
    GAP_AT,
    JOINT_ROWS,
    PAIRS_HELD,
    U_MEAN,
    V_END,
    V_PSEUDO,
    W_END,
    X_END,
    Q,
    V,
    W,
    Work,
    X,
)
from engine.kernel import kernel
from engine.maths.quaternions import quat_at
from engine.maths.rounding import SINE
from engine.maths.vectors import dot, norm, sub, vector_at
from engine.model.model import ARM, Model
from engine.model.state import BODY_A, BODY_B, CHECKED, GAP, NORMAL, PAIR_ENVELOPE, State
from engine.motion.ballistic import moving_spin
from engine.tolerances import ALIKE, BAND_LOW, HALVINGS, LOW, MOST_MISS

_LOOKS = HALVINGS // 2  # parts of a step at whose ends what may dip is looked at


@kernel
def measure_end(model: Model, state: State, work: Work, p: int, t: float, h: float) -> float:
    """Measure pair p at the end of the step h from t on. By how much it lacks there what was foreseen, of its
    envelope [1]."""
    row = work.pair[p]
    if stands_to_end(model, state, work, p, h):
        _go_along(model, state, work, p, t + h)
        return 0.0
    a, b = state.links[row, BODY_A], state.links[row, BODY_B]
    x_a, q_a = pose_at_end(model, state, work, a, t + h)
    x_b, q_b = pose_at_end(model, state, work, b, t + h)
    gap = measure_pair(model, state, row, x_a, q_a, x_b, q_b, t + h)
    envelope = state.pairs[row, PAIR_ENVELOPE]
    return (min(work.gap[p] + _foreseen_change(work, p, h), BAND_LOW * envelope) - gap) / envelope


@kernel
def _go_along(model: Model, state: State, work: Work, p: int, t: float) -> None:
    """The gap of pair p, which stands, at the end of the step, t: as far as its bodies come along its normal."""
    row, pairs = work.pair[p], state.pairs
    gap, normal = work.gap[p], vector_at(pairs, row, NORMAL)
    for side in range(2):
        at = place_of(model.tags, state.members, state.links[row, BODY_A if side == 0 else BODY_B])
        if at >= 0:
            way = dot(sub(vector_at(work.poses, at, X_END), vector_at(work.poses, at, X)), normal)
            gap += way if side == 0 else -way
    pairs[row, GAP] = gap
    hold_floor(pairs, row, t)


@kernel
def _foreseen_change(work: Work, p: int, h: float) -> float:
    """By how much a pair's gap should change in the step, by how its points move in it [m]."""
    contacts, notes = work.contacts, work.notes
    last = work.first[p + 1] if p + 1 < work.sizes[PAIRS_HELD] else work.sizes[CONTACTS] - work.sizes[JOINT_ROWS]
    before = after = inf
    for k in range(work.first[p], last):
        u = notes[k, U_MEAN] + speed_along(work.twists, work.contact, contacts, k, 0, V_PSEUDO)
        before, after = min(before, notes[k, GAP_AT]), min(after, notes[k, GAP_AT] + h * u)
    return after - before


@kernel
def dips(model: Model, state: State, work: Work, p: int, t: float, h: float) -> bool:
    """Is the gap of pair p too small within the step? There bodies that turn bulge into it, or pass a corner."""
    row = work.pair[p]
    a, b = state.links[row, BODY_A], state.links[row, BODY_B]
    bulge = _bulge(model, state, work, a, h) + _bulge(model, state, work, b, h)
    gap = min(work.gap[p], state.pairs[row, GAP])
    if bulge < ALIKE * ALIKE * gap and gap > LOW * state.pairs[row, PAIR_ENVELOPE]:
        return False
    dipped = False
    pairs = state.pairs
    at_end, checked = pairs[row, GAP], pairs[row, CHECKED]
    for k in range(1, _LOOKS):
        after = k * h / _LOOKS
        x_a, q_a = pose_within(model, state, work, a, t, h, after)
        x_b, q_b = pose_within(model, state, work, b, t, h, after)
        pose_a, pose_b = pose_of(x_a, q_a), pose_of(x_b, q_b)
        measure_gap(model.geometry, model.topology, pairs, state.links, state.counts, row, pose_a, pose_b, t + after)
        if not pairs[row, GAP] > least_gap(pairs[row, PAIR_ENVELOPE], work.gap[p]):
            dipped = True
            break
    pairs[row, GAP], pairs[row, CHECKED] = at_end, checked
    return dipped


@kernel
def _bulge(model: Model, state: State, work: Work, i: int, h: float) -> float:
    """By how much a point of body i of the group leaves its chord through the step: by turning, by changing velocities.

    They may turn round: what comes near in the first half of a step may be as far as before at its end.
    """
    at = place_of(model.tags, state.members, i)
    if at < 0:
        return 0.0
    twists, poses = work.twists, work.poses
    change = h * norm(sub(vector_at(twists, at, V_END), vector_at(twists, at, V)))
    if model.bodies[i, ARM] == 0.0:  # no spin moves the surface of a ball
        return 0.125 * change
    w, w_end = vector_at(twists, at, W), vector_at(twists, at, W_END)
    turn = h * norm(moving_spin(model.bodies, i, quat_at(poses, at, Q), mean_spin(twists, at)))
    turn = turn * turn + h * norm(sub(w_end, w))
    return 0.125 * (model.bodies[i, ARM] * turn + change)


@kernel
def least_gap(envelope: float, before: float) -> float:
    """The smallest gap [m] that a step may end with: what was smaller before may not become smaller still."""
    return min(MOST_MISS * envelope, (1.0 - SINE) * before)


@kernel
def least_within(envelope: float, before: float) -> float:
    """And that it may have on the way, as far as the velocities of its points tell [m]."""
    return ALIKE * least_gap(envelope, before)
