"""The gap of a pair: measured from the features of the last time, and noted with the pair."""

from __future__ import annotations

from engine.collision.narrow.closest import closest
from engine.collision.narrow.frames import ClosestPoints, Pose
from engine.kernel import kernel
from engine.model.model import Floats, Ints
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
)


@kernel
def measure_gap(
    geometry: Floats,
    topology: Ints,
    pairs: Floats,
    links: Ints,
    counts: Ints,
    row: int,
    pose_a: Pose,
    pose_b: Pose,
    t: float,
) -> ClosestPoints:
    """The closest points of pair `row` at poses of time t; notes the gap."""
    gap, ax, ay, az, bx, by, bz, nx, ny, nz, feature_a, feature_b, steps = closest(
        geometry, topology, links[row, SHAPE_A], pose_a, links[row, SHAPE_B], pose_b,
        links[row, FEATURE_A], links[row, FEATURE_B],
    )  # fmt: skip
    counts[PAIR_CHECKS] += 1
    counts[FEATURE_STEPS] += steps
    links[row, FEATURE_A], links[row, FEATURE_B] = feature_a, feature_b
    pairs[row, GAP] = gap
    pairs[row, CHECKED] = t
    return ClosestPoints((ax, ay, az), (bx, by, bz), (nx, ny, nz))


@kernel
def note_points(pairs: Floats, row: int, nearest: ClosestPoints) -> None:
    """Note with pair `row` where its surfaces are closest."""
    for k in range(3):
        pairs[row, POINT_A + k] = nearest.on_a[k]
        pairs[row, POINT_B + k] = nearest.on_b[k]
        pairs[row, NORMAL + k] = nearest.normal[k]
