"""Gaps of smooth solids, proved from outside: by duality for thousands of pairs, and against coal where it converges.

Along any unit direction n, the support functions h give n.(x_a - x_b) - h_a(-n) - h_b(n) <= distance; any two points of
the bodies give a distance that is no smaller. Both by formulas that the engine has no part in.
"""

from __future__ import annotations

import coal
import numpy as np
import pytest
from numpy.typing import NDArray

from engine.collision.narrow.closest import Pose, closest
from engine.geometry.pool import build_pool
from engine.geometry.shapes import rotation_matrix
from tests.smooth_solids import OTHERS, SMOOTH, Solid

SOLIDS = [*SMOOTH, *OTHERS]
POOL = build_pool([solid.shape for solid in SOLIDS])


def random_pose(rng: np.random.Generator, reach: float, near: float = 0.3) -> Pose:
    place, q = rng.normal(size=3), rng.normal(size=4)
    place *= reach * rng.choice([1.0, 1.0, 3.0]) * rng.uniform(near, 1.1) / np.linalg.norm(place)
    x, y, z, w, i, j, k = (float(c) for c in (*place, *(q / np.linalg.norm(q))))
    return (x, y, z, w, i, j, k)


def turned(rng: np.random.Generator) -> Pose:
    _, _, _, w, i, j, k = random_pose(rng, 1.0)
    return (0.0, 0.0, 0.0, w, i, j, k)


def bounds(a: Solid, pose_a: Pose, b: Solid, pose_b: Pose, found: tuple) -> tuple[float, float, float]:  # type: ignore[type-arg]
    """The distance from below by the normal, from above by the points, and how far these are outside of the bodies."""
    turn_a, turn_b = rotation_matrix(pose_a[3:]), rotation_matrix(pose_b[3:])
    x_a, x_b, n = np.array(pose_a[:3]), np.array(pose_b[:3]), np.array(found[7:10])
    n /= np.linalg.norm(n)
    lower = n @ (x_a - x_b) - a.reach(-turn_a.T @ n) - b.reach(turn_b.T @ n)
    p_a, p_b = np.array(found[1:4]), np.array(found[4:7])
    outside = -min(a.inside(turn_a.T @ (p_a - x_a)), b.inside(turn_b.T @ (p_b - x_b)))
    return float(lower), float(np.linalg.norm(p_a - p_b)), outside


@pytest.mark.parametrize("first", range(len(SMOOTH)))
def test_gaps_are_proved_by_duality(first: int) -> None:
    rng = np.random.default_rng(first)
    proved = 0
    a = SOLIDS[first]
    for second, b in enumerate(SOLIDS):
        for _ in range(40):
            pose_a, pose_b = random_pose(rng, a.radius + b.radius), turned(rng)
            found = closest(*POOL, first, pose_a, second, pose_b, -1, -1)
            if found[0] < 1e-9:
                continue
            proved += 1
            size = max(found[0], 2.0 * a.radius, 2.0 * b.radius)
            lower, upper, outside = bounds(a, pose_a, b, pose_b, found)
            assert outside <= 1e-9 * size
            assert lower - 1e-9 * size <= found[0] <= upper + 1e-9 * size
            assert upper - lower <= 2e-9 * size
            # The other way round it is the same pair.
            back = closest(*POOL, second, pose_b, first, pose_a, -1, -1)
            assert back[0] == pytest.approx(found[0], abs=1e-9 * size)
    assert proved > 100


def test_gaps_are_those_of_coal() -> None:
    """coal's search now and then stops short, by up to a tenth of the size; three quarters agree to 1e-8."""
    rng = np.random.default_rng(11)
    request = coal.DistanceRequest()
    request.gjk_tolerance = 1e-12
    request.gjk_max_iterations = 5000
    known = [row for row, solid in enumerate(SOLIDS) if solid.outside is not None]
    errors = []
    for _ in range(3000):
        first, second = (int(row) for row in rng.choice(known, 2))
        if first >= len(SMOOTH) and second >= len(SMOOTH):
            continue
        a, b = SOLIDS[first], SOLIDS[second]
        pose_a, pose_b = random_pose(rng, a.radius + b.radius), turned(rng)
        places = [coal.Transform3s(rotation_matrix(pose[3:]), np.array(pose[:3])) for pose in (pose_a, pose_b)]
        theirs = coal.distance(a.outside, places[0], b.outside, places[1], request, coal.DistanceResult())
        ours = closest(*POOL, first, pose_a, second, pose_b, -1, -1)[0]
        if ours > 1e-9:
            errors.append(abs(ours - theirs) / max(ours, 2.0 * a.radius, 2.0 * b.radius))
    assert len(errors) > 1200
    assert np.quantile(errors, 0.75) < 1e-8


def test_a_coherent_start_changes_nothing() -> None:
    rng = np.random.default_rng(5)
    taken, cold = 0, 0
    for _ in range(150):
        first, second = int(rng.integers(len(SMOOTH))), int(rng.integers(len(SOLIDS)))
        a, b = SOLIDS[first], SOLIDS[second]
        pose_a, pose_b = random_pose(rng, a.radius + b.radius, 0.8), turned(rng)
        fa = fb = -1
        for step in range(12):
            moved = np.array(pose_a) + 0.01 * rng.normal(size=7) * (rng.random() < 0.9)
            moved[3:] /= np.linalg.norm(moved[3:])
            x, y, z, w, i, j, k = (float(c) for c in moved)
            pose_a = (x, y, z, w, i, j, k)
            warm = closest(*POOL, first, pose_a, second, pose_b, fa, fb)
            fresh = closest(*POOL, first, pose_a, second, pose_b, -1, -1)
            size = a.radius + b.radius
            assert warm[0] == pytest.approx(fresh[0], abs=1e-9 * size)
            fa, fb = warm[10], warm[11]
            taken, cold = taken + (warm[12] if step else 0), cold + (fresh[12] if step else 0)
    assert taken < 0.4 * cold


DEGENERATE = [
    # solids, where a is and how it is turned, gap
    (1, 1, (0.3, 0.0, 0.1), (1.0, 0.0, 0.0, 0.0), 0.02),  # coin flat on coin
    (0, 10, (0.1, 0.05, 0.8), (1.0, 0.0, 0.0, 0.0), 0.1),  # can on box
    (0, 10, (0.1, 0.05, 0.8), (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0), 0.1),  # can lying on box
    (0, 0, (1.2, 0.0, 0.3), (1.0, 0.0, 0.0, 0.0), 0.2),  # cans side by side
    (0, 0, (1.2, 0.0, 0.0), (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0), 0.2),  # crossed
    (0, 13, (0.8, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), 0.1),  # along a capsule
    (3, 0, (0.0, 0.0, 1.2), (0.0, 1.0, 0.0, 0.0), 0.2),  # apex on an end
    (3, 3, (0.0, 0.0, 1.25), (0.0, 1.0, 0.0, 0.0), 0.25),  # apex on apex
    (5, 10, (0.0, 0.0, 0.5), (1.0, 0.0, 0.0, 0.0), 0.1),  # ellipsoid over a face
    (7, 7, (0.0, 0.0, 0.7), (1.0, 0.0, 0.0, 0.0), 0.1),  # flat places face to face
    (8, 10, (0.0, 0.0, 0.6), (1.0, 0.0, 0.0, 0.0), 0.1),
    (6, 6, (2.5, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), 0.5),  # sharp edges
]


@pytest.mark.parametrize("case", DEGENERATE)
def test_flat_on_flat_has_one_gap_from_any_start(case: tuple) -> None:  # type: ignore[type-arg]
    first, second, place, q, gap = case
    x, y, z, w, i, j, k = (float(c) for c in (*place, *q))
    pose_a: Pose = (x, y, z, w, i, j, k)
    pose_b: Pose = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    size = SOLIDS[first].radius + SOLIDS[second].radius
    found = closest(*POOL, first, pose_a, second, pose_b, -1, -1)
    assert found[0] == pytest.approx(gap, abs=1e-9 * size)
    lower, upper, outside = bounds(SOLIDS[first], pose_a, SOLIDS[second], pose_b, found)
    assert upper - lower <= 2e-9 * size and outside <= 1e-9 * size
    rng = np.random.default_rng(1)
    for _ in range(40):
        other = closest(*POOL, first, random_pose(rng, 2.0 * size), second, pose_b, -1, -1)
        again = closest(*POOL, first, pose_a, second, pose_b, other[10], other[11])
        assert again[0] == pytest.approx(found[0], abs=1e-9 * size)


def test_depths_are_those_of_the_best_of_many_directions() -> None:
    """Of bodies that meet, the depth is the least over all directions: compared with 4,000 of them, refined."""
    from scipy.optimize import minimize

    rng = np.random.default_rng(9)
    directions = rng.normal(size=(4000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    met = 0
    for _ in range(60):
        first, second = int(rng.integers(len(SMOOTH))), int(rng.integers(len(SOLIDS)))
        a, b = SOLIDS[first], SOLIDS[second]
        pose_a, pose_b = random_pose(rng, 0.4 * (a.radius + b.radius), 0.05), turned(rng)
        found = closest(*POOL, first, pose_a, second, pose_b, -1, -1)
        if found[0] >= 0.0:
            continue
        met += 1
        turn_a, turn_b = rotation_matrix(pose_a[3:]), rotation_matrix(pose_b[3:])
        x = np.array(pose_a[:3])

        def depth(n: NDArray[np.float64], a=a, b=b, turn_a=turn_a, turn_b=turn_b, x=x) -> float:  # type: ignore[no-untyped-def]
            n = n / np.linalg.norm(n)
            return float(a.reach(-turn_a.T @ n) + b.reach(turn_b.T @ n) - n @ x)

        best = min(directions, key=depth)
        least = minimize(depth, best, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-12}).fun
        size = a.radius + b.radius
        assert -found[0] == pytest.approx(depth(np.array(found[7:10])), abs=1e-9 * size)
        assert -found[0] <= least + 1e-6 * size
        assert np.allclose(np.subtract(found[1:4], found[4:7]), found[0] * np.array(found[7:10]), atol=1e-6 * size)
        again = closest(*POOL, first, pose_a, second, pose_b, 0, 0)
        assert again[0] == pytest.approx(found[0], abs=1e-9 * size)
    assert met > 25
