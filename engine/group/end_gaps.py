"""A pair at the end of a step that is being tried, and on the way: its true gap, and what that lacks."""

from __future__ import annotations

from math import inf

from engine.collision.narrow.frames import pose_of
from engine.collision.pairs.gaps import measure_gap
from engine.group.bodies import lay_trial, mean_spin, place_of, pose_at_end, pose_within
from engine.group.measure import hold_floor, measure_pair
from engine.group.midway import stands_to_end
from engine.group.relative_velocity import speed_along
from engine.group.work import (
    BENDS,
    BULGE,
    CONTACTS,
    GAP_AT,
    JOINT_ROWS,
    OFF_CHORD,
    PAIRS_HELD,
    U_MEAN,
    V_END,
    V_FLOW,
    V_PSEUDO,
    W_END,
    W_FLOW,
    W_PSEUDO,
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
from engine.model.model import ARM, Floats, Model
from engine.model.state import BODY_A, BODY_B, CHECKED, GAP, NORMAL, PAIR_ENVELOPE, State
from engine.motion.ballistic import moving_spin
from engine.motion.polynomial import bend_of_arc, bulge_of
from engine.tolerances import ALIKE, BAND_LOW, MOST_MISS, SHORTEST_STEP


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
    """Is the gap of pair p too small within the step? There bodies that turn bulge into it, or pass a corner.

    Between two instants it is no smaller than at the nearer of both, less what the bodies bulge on the way from one to
    the other, which falls as the square of how far that is: so far at a time is looked ahead.
    """
    row, pairs = work.pair[p], state.pairs
    at_end, checked, envelope = pairs[row, GAP], pairs[row, CHECKED], pairs[row, PAIR_ENVELOPE]
    bulge = 0.0
    for side in (BODY_A, BODY_B):
        at = place_of(model.tags, state.members, state.links[row, side])
        if at >= 0:
            bulge += work.poses[at, OFF_CHORD]
    least, lowest = least_gap(envelope, work.gap[p]), least_within(envelope, work.gap[p])
    gap, after, part, dipped, laid = work.gap[p], 0.0, 1.0, False, False
    while after < 1.0:
        ahead = at_end
        if after + part < 1.0:
            if not laid:
                lay_trial(model, state, work, 0, state.links[row, BODY_A], t, h)
                lay_trial(model, state, work, 1, state.links[row, BODY_B], t, h)
                laid = True
            ahead = _gap_within(model, state, work, p, t + (after + part) * h)
        if not ahead > least:
            dipped = True
            break
        if part > SHORTEST_STEP and bulge * part * part > ALIKE * ALIKE * (min(gap, ahead) - lowest):
            part *= 0.5
            continue
        after += part
        gap = ahead
        if part < 1.0 - after and (after / part) % 2.0 == 0.0:
            part *= 2.0
    pairs[row, GAP], pairs[row, CHECKED] = at_end, checked
    return dipped


@kernel
def _gap_within(model: Model, state: State, work: Work, p: int, t: float) -> float:
    """The gap [m] of pair p, whose row is written, at time t within the step, whose arcs are in Work.trial."""
    row = work.pair[p]
    x_a, q_a = pose_within(model, state, work, 0, state.links[row, BODY_A], t)
    x_b, q_b = pose_within(model, state, work, 1, state.links[row, BODY_B], t)
    pose_a, pose_b = pose_of(x_a, q_a), pose_of(x_b, q_b)
    measure_gap(model.geometry, model.topology, state.pairs, state.links, state.counts, row, pose_a, pose_b, t)
    return state.pairs[row, GAP]


@kernel
def note_bulge(bodies: Floats, work: Work, at: int, h: float) -> None:
    """By how much a point of body `at` of the group may leave its chord through the step: by turning, by changing
    velocities, by what moves it besides them: an eighth of the most that any of that bends its path.

    They may turn round: what comes near in the first half of a step may be as far as before at its end.
    """
    i, twists, poses = work.body[at], work.twists, work.poses
    arm = bodies[i, ARM]
    bend = h * norm(sub(vector_at(twists, at, V_END), vector_at(twists, at, V)))
    bend += bend_of_arc(
        vector_at(twists, at, V_FLOW),
        vector_at(twists, at, V_PSEUDO),
        vector_at(poses, at, BENDS),
        vector_at(poses, at, BENDS + 3),
        bulge_of(poses, at, BULGE),
        h,
    )
    if arm > 0.0:  # no spin moves the surface of a ball
        w, w_end = vector_at(twists, at, W), vector_at(twists, at, W_END)
        turn = h * norm(moving_spin(bodies, i, quat_at(poses, at, Q), mean_spin(twists, at)))
        turn = turn * turn + h * norm(sub(w_end, w))
        turn += bend_of_arc(
            vector_at(twists, at, W_FLOW),
            vector_at(twists, at, W_PSEUDO),
            vector_at(poses, at, BENDS + 6),
            vector_at(poses, at, BENDS + 9),
            bulge_of(poses, at, BULGE + 9),
            h,
        )
        bend += arm * turn
    poses[at, OFF_CHORD] = 0.125 * bend


@kernel
def least_gap(envelope: float, before: float) -> float:
    """The smallest gap [m] that a step may end with: what was smaller before may not become smaller still."""
    return min(MOST_MISS * envelope, (1.0 - SINE) * before)


@kernel
def least_within(envelope: float, before: float) -> float:
    """And that it may have on the way, as far as the velocities of its points tell [m]."""
    return ALIKE * least_gap(envelope, before)
