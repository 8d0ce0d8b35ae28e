"""What leads bodies of a linkage through a step, from where and how its flow has left them.

Where a tree swings, its arcs go through the middle of the step, too: a bulge adds to a path what the middle lacks.
"""

from __future__ import annotations

from engine.group.work import BENDS, BULGE, V_END, V_FLOW, V_PSEUDO, W_END, W_FLOW, W_PSEUDO, X_END, Q, V, W, Work, X
from engine.joints.tables import FLOW_V, FLOW_W, POSE, RATES, STAGE_WIDTH
from engine.kernel import kernel
from engine.maths.quaternions import quat_at, turn_between
from engine.maths.vectors import Vec3, add, add_scaled, scale, sub, vector_at
from engine.model.model import Floats
from engine.motion.polynomial import (
    Bulge,
    Ways,
    dexp,
    dexp_inverse,
    find_bulge,
    speeds_within,
    swell,
    turn_acceleration,
    ways_within,
)
from engine.tree.dormand_prince_5 import LAST
from engine.tree.matrices import put

_LOOK = 0.75  # of a step: where the arcs of trees are looked at

# Columns of the entries of a tree that swings, among the rates of stages that it has not.
MIDDLE = RATES + 2 * STAGE_WIDTH  # how they are in the middle of their step; after it, accelerations
TURNS = RATES + 4 * STAGE_WIDTH  # 2 x 9, courses of their turns up to there, and to the end

Begun = tuple[Vec3, Vec3]
Bends = tuple[Vec3, Vec3, Vec3]
Course = tuple[Vec3, Vec3, Vec3]
"""How far something has come since the start of a step, how fast it is then, and its acceleration."""


@kernel
def write_end(work: Work, at: int, e: int, h: float) -> Vec3:
    """Where and how entry e has come in a step h, as the end of row `at`. How far it turns."""
    turn = turn_between(quat_at(work.poses, at, Q), quat_at(work.flow, e, POSE + 3))
    _lead_to(work.twists, work.poses, at, work.flow, e, turn, h)
    return turn


@kernel
def _lead_to(twists: Floats, poses: Floats, at: int, flow: Floats, e: int, turn: Vec3, h: float) -> None:
    """Pose and velocities of entry e as those at the end of row `at`, and what flow leads there, turned by `turn`."""
    for k in range(7):
        poses[at, X_END + k] = flow[e, POSE + k]
    for k in range(3):
        twists[at, V_END + k], twists[at, W_END + k] = flow[e, FLOW_V + k], flow[e, FLOW_W + k]
        mean = 0.5 * (twists[at, V + k] + twists[at, V_END + k]) + twists[at, V_PSEUDO + k]
        twists[at, V_FLOW + k] = (flow[e, POSE + k] - poses[at, X + k]) / h - mean
        mean = 0.5 * (twists[at, W + k] + twists[at, W_END + k]) + twists[at, W_PSEUDO + k]
        twists[at, W_FLOW + k] = turn[k] / h - mean


@kernel
def turn_course(turn: Vec3, w: Vec3, alpha: Vec3) -> Course:
    """The course of a turn: as a vector, from angular velocity and acceleration."""
    rate = dexp_inverse(turn, w)
    return turn, rate, turn_acceleration(turn, rate, alpha)


@kernel
def bend_arc(work: Work, at: int, e: int, turn: Vec3, h: float) -> None:
    """Lead row `at`, whose end is written, as the flow of entry e does at both ends of a step h; it turns so far."""
    twists, poses, flow = work.twists, work.poses, work.flow
    _bend(poses, at, 0, _begun(twists, at, flow, e, 0), _end(poses, at, flow, e), h)
    alpha = vector_at(flow, e, RATES + STAGE_WIDTH * LAST + 10)
    _bend(poses, at, 1, _begun(twists, at, flow, e, 1), turn_course(turn, vector_at(flow, e, FLOW_W), alpha), h)


@kernel
def swell_arc(work: Work, at: int, e: int, flat: bool, h: float) -> tuple[Vec3, Vec3]:
    """Lead row `at` as the flow of entry e does at both ends and in the middle of a step h: its velocities where arcs
    are looked at. flat: it turns about an axis that stands."""
    twists, poses, flow = work.twists, work.poses, work.flow
    way = sub(vector_at(flow, e, MIDDLE), vector_at(poses, at, X))
    middle = way, vector_at(flow, e, MIDDLE + 7), vector_at(flow, e, MIDDLE + STAGE_WIDTH + 7)
    begun, end = _begun(twists, at, flow, e, 0), _end(poses, at, flow, e)
    bends, bulge = _swell(poses, at, 0, begun, middle, end, h)
    v = _speed_along(begun, end, bends, bulge, h)
    middle, begun, end = _course_at(flow, e, TURNS), _begun(twists, at, flow, e, 1), _course_at(flow, e, TURNS + 9)
    bends, bulge = _swell(poses, at, 1, begun, middle, end, h)
    w = _speed_along(begun, end, bends, bulge, h)
    if not flat:
        w = dexp(_way_along(begun, end, bends, bulge, h), w)
    _lead_to(twists, poses, at, flow, e, end[0], h)
    return v, w


@kernel
def _begun(twists: Floats, at: int, flow: Floats, e: int, turns: int) -> Begun:
    """Velocity and acceleration at the start; turns: 1 for the turn."""
    return vector_at(twists, at, V + 3 * turns), vector_at(flow, e, RATES + 7 + 3 * turns)


@kernel
def _end(poses: Floats, at: int, flow: Floats, e: int) -> Course:
    way = sub(vector_at(flow, e, POSE), vector_at(poses, at, X))
    return way, vector_at(flow, e, FLOW_V), vector_at(flow, e, RATES + STAGE_WIDTH * LAST + 7)


@kernel
def _course_at(flow: Floats, e: int, column: int) -> Course:
    return vector_at(flow, e, column), vector_at(flow, e, column + 3), vector_at(flow, e, column + 6)


@kernel
def _bend(poses: Floats, at: int, turns: int, begun: Begun, end: Course, h: float) -> Bends:
    """Accelerations at both ends, less those of the cubic that has its ends and velocities; before them the mean
    velocity, less the mean of those at both ends."""
    gained = scale(sub(end[1], begun[0]), 1.0 / h)
    flow = add_scaled(scale(end[0], 1.0 / h), add(begun[0], end[1]), -0.5)
    first = add_scaled(sub(begun[1], gained), flow, -6.0 / h)
    last = add_scaled(sub(end[2], gained), flow, 6.0 / h)
    put(poses, at, BENDS + 6 * turns, first)
    put(poses, at, BENDS + 6 * turns + 3, last)
    return flow, first, last


@kernel
def _swell(
    poses: Floats, at: int, turns: int, begun: Begun, middle: Course, end: Course, h: float
) -> tuple[Bends, Bulge]:
    """The same, and the bulge that leads through the middle."""
    bends = _bend(poses, at, turns, begun, end, h)
    none = (0.0, 0.0, 0.0)
    lacks = sub(middle[0], _way(begun, end, bends, (none, none, none), ways_within(0.5, h), 0.5, h))
    slow = sub(middle[1], _speed(begun, end, bends, (none, none, none), speeds_within(0.5, h), 0.5))
    straight = add_scaled(sub(middle[2], scale(sub(end[1], begun[0]), 1.0 / h)), add(bends[1], bends[2]), 0.25)
    bulge = find_bulge(lacks, scale(slow, h), scale(straight, h * h))
    for part in range(3):
        put(poses, at, BULGE + 9 * turns + 3 * part, bulge[part])
    return bends, bulge


@kernel
def _way_along(begun: Begun, end: Course, bends: Bends, bulge: Bulge, h: float) -> Vec3:
    """How far an arc has come where arcs are looked at."""
    return _way(begun, end, bends, bulge, ways_within(_LOOK, h), _LOOK, h)


@kernel
def _speed_along(begun: Begun, end: Course, bends: Bends, bulge: Bulge, h: float) -> Vec3:
    """And how fast it is there."""
    return _speed(begun, end, bends, bulge, speeds_within(_LOOK, h), _LOOK)


@kernel
def _way(begun: Begun, end: Course, bends: Bends, bulge: Bulge, ways: Ways, s: float, h: float) -> Vec3:
    moved, bend_0, bend_1, first, second, third = ways
    x = add_scaled(scale(begun[0], s * h * (1.0 - 0.5 * s)), end[1], 0.5 * s * s * h)
    x = add_scaled(add_scaled(add_scaled(x, bends[0], moved), bends[1], bend_0), bends[2], bend_1)
    return swell(x, bulge, first, second, third)


@kernel
def _speed(begun: Begun, end: Course, bends: Bends, bulge: Bulge, speeds: Ways, s: float) -> Vec3:
    slope, lean_0, lean_1, steep, steeper, steepest = speeds
    v = add_scaled(add_scaled(scale(begun[0], 1.0 - s), end[1], s), bends[0], slope)
    v = add_scaled(add_scaled(v, bends[1], lean_0), bends[2], lean_1)
    return swell(v, bulge, steep, steeper, steepest)
