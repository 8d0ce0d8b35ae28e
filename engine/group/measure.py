"""A pair at one instant: how its bodies move, the gap between them, and the points at which they touch."""

from __future__ import annotations

from typing import NamedTuple

from engine.collision.narrow.frames import ClosestPoints, pose_of
from engine.collision.narrow.manifold import Reach, find_manifold
from engine.collision.pairs.gaps import measure_gap, note_points
from engine.collision.pairs.hull_pairs import is_beside
from engine.group.bodies import place_of
from engine.group.work import Q, V, W, Work, X
from engine.kernel import kernel
from engine.maths.quaternions import Quat, quat_at
from engine.maths.vectors import Vec3, add, cross, sub, vector_at
from engine.model.model import Floats, Model
from engine.model.state import (
    BODY_A,
    BODY_B,
    CHECKED,
    FALL_A,
    FALL_B,
    FLOOR,
    FLOOR_TIME,
    GAP,
    NORMAL,
    POINT_A,
    POINT_B,
    SHAPE_A,
    SHAPE_B,
    State,
)
from engine.motion.arcs import evolve


class Partner(NamedTuple):
    """One body of a pair, its place among those of the step, and how it moves at the instant."""

    body: int
    place: int  # in Work.body; -1: it is static or kinematic
    x: Vec3
    q: Quat
    v: Vec3
    w: Vec3


class Touch(NamedTuple):
    """A pair at one instant."""

    row: int
    a: Partner
    b: Partner


@kernel
def touch_of(model: Model, state: State, row: int, t: float) -> Touch:
    """Pair `row` at time t."""
    a, b = state.links[row, BODY_A], state.links[row, BODY_B]
    return Touch(row, _partner(model, state, a, t), _partner(model, state, b, t))


@kernel
def touch_in_group(model: Model, state: State, work: Work, row: int, t: float) -> Touch:
    """Pair `row` at time t, at which the group of its bodies was gathered."""
    a, b = state.links[row, BODY_A], state.links[row, BODY_B]
    return Touch(row, _member(model, state, work, a, t), _member(model, state, work, b, t))


@kernel
def _member(model: Model, state: State, work: Work, i: int, t: float) -> Partner:
    at = place_of(model.tags, state.members, i)
    if at < 0:
        return _partner(model, state, i, t)
    x, q = vector_at(work.poses, at, X), quat_at(work.poses, at, Q)
    return Partner(i, at, x, q, vector_at(work.twists, at, V), vector_at(work.twists, at, W))


@kernel
def _partner(model: Model, state: State, i: int, t: float) -> Partner:
    x, q, v, w = evolve(model.bodies, model.tags, state.arcs, i, t)
    return Partner(i, place_of(model.tags, state.members, i), x, q, v, w)


@kernel
def measure_pair(model: Model, state: State, row: int, x_a: Vec3, q_a: Quat, x_b: Vec3, q_b: Quat, t: float) -> float:
    """The gap of pair `row` at poses of time t, noted with its points in the pair."""
    pairs = state.pairs
    nearest = measure_gap(
        model.geometry, model.topology, pairs, state.links, state.counts, row, pose_of(x_a, q_a), pose_of(x_b, q_b), t
    )
    note_points(pairs, row, nearest)
    hold_floor(pairs, row, t)
    return pairs[row, GAP]


@kernel
def hold_floor(pairs: Floats, row: int, t: float) -> None:
    """The gap of pair `row`, which is known at t, falls from there on as was bounded before."""
    pairs[row, FLOOR] = pairs[row, GAP]
    pairs[row, FALL_B] += 2.0 * pairs[row, FALL_A] * (t - pairs[row, FLOOR_TIME])
    pairs[row, FLOOR_TIME] = t


@kernel
def measure_now(model: Model, state: State, touch: Touch, t: float) -> None:
    """Measure a pair at time t, unless its check has just done so."""
    if state.pairs[touch.row, CHECKED] != t:
        measure_pair(model, state, touch.row, touch.a.x, touch.a.q, touch.b.x, touch.b.q, t)


@kernel
def slip_of(pairs: Floats, touch: Touch) -> Vec3:
    """The velocity of a at its closest point, less that of b at its own [m/s]."""
    a, b, row = touch.a, touch.b, touch.row
    u_a = add(a.v, cross(a.w, sub(vector_at(pairs, row, POINT_A), a.x)))
    u_b = add(b.v, cross(b.w, sub(vector_at(pairs, row, POINT_B), b.x)))
    return sub(u_a, u_b)


@kernel
def touches_beside(model: Model, state: State, touch: Touch) -> bool:
    """Is a neighbour of the triangle that a measured pair is about nearer than that?"""
    normal = vector_at(state.pairs, touch.row, NORMAL)
    return is_beside(model.trees, model.fans, state.links, touch.row, normal, touch.a.q, touch.b.q)


@kernel
def find_points(model: Model, state: State, work: Work, touch: Touch, reach: Reach) -> tuple[int, Vec3]:
    """The contact points of a measured pair, into work.points: how many, their normal."""
    links, row = state.links, touch.row
    pose_a, pose_b = pose_of(touch.a.x, touch.a.q), pose_of(touch.b.x, touch.b.q)
    return find_manifold(
        model.geometry, model.topology, links[row, SHAPE_A], pose_a, links[row, SHAPE_B], pose_b,
        closest_points_of(state.pairs, row), reach, work.scratch, work.points,
    )  # fmt: skip


@kernel
def closest_points_of(pairs: Floats, row: int) -> ClosestPoints:
    """Those of a measured pair, and its normal."""
    return ClosestPoints(vector_at(pairs, row, POINT_A), vector_at(pairs, row, POINT_B), vector_at(pairs, row, NORMAL))
