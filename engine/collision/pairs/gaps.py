"""The gap of a pair: measured from the features of the last time, and noted with the pair."""

from __future__ import annotations

from engine.collision.narrow.closest import closest
from engine.collision.narrow.frames import Nearest, pose_of
from engine.kernel import kernel
from engine.maths.quaternions import Quat
from engine.maths.vectors import Vec3
from engine.model.model import Floats, Model
from engine.model.state import (
    CHECKED,
    FEATURE_A,
    FEATURE_B,
    FEATURE_STEPS,
    GAP,
    NORMAL,
    PAIR_CHECKS,
    POINT_A,
    POINT_B,
    SHAPE_A,
    SHAPE_B,
    State,
)


@kernel
def measure_gap(model: Model, state: State, row: int, x_a: Vec3, q_a: Quat, x_b: Vec3, q_b: Quat, t: float) -> Nearest:
    """The closest points of pair `row` at poses of time t; notes the gap."""
    links = state.links
    gap, ax, ay, az, bx, by, bz, nx, ny, nz, feature_a, feature_b, steps = closest(
        model.geometry, model.topology, links[row, SHAPE_A], pose_of(x_a, q_a), links[row, SHAPE_B], pose_of(x_b, q_b),
        links[row, FEATURE_A], links[row, FEATURE_B],
    )  # fmt: skip
    state.counts[PAIR_CHECKS] += 1
    state.counts[FEATURE_STEPS] += steps
    links[row, FEATURE_A], links[row, FEATURE_B] = feature_a, feature_b
    state.pairs[row, GAP] = gap
    state.pairs[row, CHECKED] = t
    return Nearest((ax, ay, az), (bx, by, bz), (nx, ny, nz))


@kernel
def note_points(pairs: Floats, row: int, nearest: Nearest) -> None:
    """Note with pair `row` where its surfaces are closest."""
    for k in range(3):
        pairs[row, POINT_A + k] = nearest.on_a[k]
        pairs[row, POINT_B + k] = nearest.on_b[k]
        pairs[row, NORMAL + k] = nearest.normal[k]
