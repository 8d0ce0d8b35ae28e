"""A pair at one instant: how its bodies move, the gap between them, and the points at which they touch."""

from __future__ import annotations

from typing import NamedTuple

from engine.collision.narrow.closest import closest
from engine.collision.narrow.manifold import find_manifold
from engine.collision.pairs.hull_pairs import is_nearer_beside
from engine.group.bodies import place_of
from engine.group.work import Work
from engine.kernel import kernel
from engine.maths.quaternions import Quat
from engine.maths.vectors import Vec3, add, cross, sub, vector_at
from engine.model.model import Floats, Model
from engine.model.state import (
    BODY_A,
    BODY_B,
    CHECKED,
    FALL_A,
    FALL_B,
    FEATURE_A,
    FEATURE_B,
    FEATURE_STEPS,
    FLOOR,
    FLOOR_TIME,
    GAP,
    NORMAL,
    PAIR_CHECKS,
    POINT_A,
    POINT_B,
    SHAPE_A,
    SHAPE_B,
    State,
)
from engine.motion.arcs import evolve


class Side(NamedTuple):
    """One body of a pair, and how it moves at the instant."""

    body: int
    place: int  # in Work.body; -1: it is static or kinematic
    x: Vec3
    q: Quat
    v: Vec3
    w: Vec3


class Touch(NamedTuple):
    """A pair at one instant."""

    row: int
    a: Side
    b: Side


@kernel
def touch_of(model: Model, state: State, row: int, t: float) -> Touch:
    """Pair `row` at time t."""
    a, b = state.links[row, BODY_A], state.links[row, BODY_B]
    return Touch(row, _side_of(model, state, a, t), _side_of(model, state, b, t))


@kernel
def _side_of(model: Model, state: State, i: int, t: float) -> Side:
    x, q, v, w = evolve(model.bodies, model.tags, state.arcs, i, t)
    return Side(i, place_of(model.tags, state.members, i), x, q, v, w)


@kernel
def measure_pair(model: Model, state: State, row: int, x_a: Vec3, q_a: Quat, x_b: Vec3, q_b: Quat, t: float) -> float:
    """The gap of pair `row` at poses of time t, noted with its points in the pair."""
    links, pairs = state.links, state.pairs
    gap, ax, ay, az, bx, by, bz, nx, ny, nz, feature_a, feature_b, steps = closest(
        model.geometry,
        model.topology,
        links[row, SHAPE_A],
        (x_a[0], x_a[1], x_a[2], q_a[0], q_a[1], q_a[2], q_a[3]),
        links[row, SHAPE_B],
        (x_b[0], x_b[1], x_b[2], q_b[0], q_b[1], q_b[2], q_b[3]),
        links[row, FEATURE_A],
        links[row, FEATURE_B],
    )
    state.counts[PAIR_CHECKS] += 1
    state.counts[FEATURE_STEPS] += steps
    links[row, FEATURE_A], links[row, FEATURE_B] = feature_a, feature_b
    pairs[row, GAP] = gap
    pairs[row, CHECKED] = t
    pairs[row, FLOOR] = gap
    pairs[row, FALL_B] += 2.0 * pairs[row, FALL_A] * (t - pairs[row, FLOOR_TIME])
    pairs[row, FLOOR_TIME] = t
    pairs[row, POINT_A], pairs[row, POINT_A + 1], pairs[row, POINT_A + 2] = ax, ay, az
    pairs[row, POINT_B], pairs[row, POINT_B + 1], pairs[row, POINT_B + 2] = bx, by, bz
    pairs[row, NORMAL], pairs[row, NORMAL + 1], pairs[row, NORMAL + 2] = nx, ny, nz
    return gap


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
def is_beside(model: Model, state: State, touch: Touch) -> bool:
    """Is a neighbour of the triangle that a pair is about nearer than that?"""
    links, row = state.links, touch.row
    n = vector_at(state.pairs, row, NORMAL)
    away = (-n[0], -n[1], -n[2])
    return is_nearer_beside(
        model.trees, model.fans, links[row, SHAPE_A], links[row, FEATURE_A], touch.a.q, away
    ) or is_nearer_beside(model.trees, model.fans, links[row, SHAPE_B], links[row, FEATURE_B], touch.b.q, n)


@kernel
def find_points(model: Model, state: State, work: Work, touch: Touch, reach: float) -> tuple[int, Vec3]:
    """The contact points of a measured pair with gaps up to `reach` [m], into work.points: how many, their normal."""
    links, pairs, row = state.links, state.pairs, touch.row
    x_a, q_a, x_b, q_b = touch.a.x, touch.a.q, touch.b.x, touch.b.q
    return find_manifold(
        model.geometry,
        model.topology,
        links[row, SHAPE_A],
        (x_a[0], x_a[1], x_a[2], q_a[0], q_a[1], q_a[2], q_a[3]),
        links[row, SHAPE_B],
        (x_b[0], x_b[1], x_b[2], q_b[0], q_b[1], q_b[2], q_b[3]),
        vector_at(pairs, row, NORMAL),
        vector_at(pairs, row, POINT_A),
        vector_at(pairs, row, POINT_B),
        reach,
        work.scratch,
        work.points,
    )
