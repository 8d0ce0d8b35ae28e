"""Contact points of known configurations, and of boxes on boxes against scipy's half-space intersections."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial import ConvexHull, HalfspaceIntersection

from engine.collision.narrow.closest import closest
from engine.collision.narrow.frames import ClosestPoints
from engine.collision.narrow.manifold import AT, MOST_POINTS, POINT_GAP, POINT_WIDTH, SCRATCH_ROWS, Reach, find_manifold
from engine.geometry.pool import build_pool
from engine.geometry.shapes import box, capsule, cylinder, ellipsoid, plane, rounded_box, sphere, superquadric

BALL, PILL, CUBE, SOFT, GROUND, CAN, EGG, SLAB, BAR, DIE, WHEEL, PEARL = range(12)
POOL = build_pool(
    [
        sphere(0.5),
        capsule(0.1, 1.0),
        box((1.0, 1.0, 1.0)),
        rounded_box((1.0, 1.0, 1.0), 0.2),
        plane(),
        cylinder(0.5, 1.0),
        ellipsoid((0.3, 0.4, 0.5)),
        box((2.0, 0.5, 0.2)),
        box((2.0, 0.25, 0.25)),
        superquadric((0.3, 0.4, 0.5), (4.0, 5.0)),
        superquadric((0.5, 0.5, 0.2), (2.0, 8.0)),
        sphere(0.01),
    ]
)
UP = (1.0, 0.0, 0.0, 0.0)
H = math.sqrt(0.5)
GAP = 1e-3


def about(axis: str, angle: float) -> tuple[float, float, float, float]:
    q = [math.cos(angle / 2), 0.0, 0.0, 0.0]
    q[1 + "xyz".index(axis)] = math.sin(angle / 2)
    return (q[0], q[1], q[2], q[3])


def at(x: float, y: float, z: float, q: tuple[float, float, float, float] = UP) -> tuple[float, ...]:
    return (float(x), float(y), float(z), *(float(c) for c in q))


def manifold(a: int, pose_a: tuple[float, ...], b: int, pose_b: tuple[float, ...], reach: float = 5e-3):
    found = closest(*POOL, a, pose_a, b, pose_b, -1, -1)
    points = np.full((MOST_POINTS, POINT_WIDTH), np.nan)
    count, normal = find_manifold(
        *POOL,
        a,
        pose_a,
        b,
        pose_b,
        ClosestPoints(found[1:4], found[4:7], found[7:10]),
        Reach(reach, reach),
        np.zeros((SCRATCH_ROWS, 3)),
        points,
    )
    return points[:count, AT : AT + 3], points[:count, POINT_GAP], np.array(normal)


CORNERS = [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)]
KNOWN = [
    ("a ball on the ground", BALL, at(1, 2, 0.5 + GAP), GROUND, at(0, 0, 0), [(1, 2)]),
    ("the ground under a ball", GROUND, at(0, 0, 0), BALL, at(1, 2, 0.5 + GAP), [(1, 2)]),
    ("a box on the ground", CUBE, at(0, 0, 0.5 + GAP), GROUND, at(0, 0, 0), CORNERS),
    ("the ground under a box", GROUND, at(0, 0, 0), CUBE, at(0, 0, 0.5 + GAP), CORNERS),
    ("a box on an equal box", CUBE, at(0, 0, 1 + GAP), CUBE, at(0, 0, 0), CORNERS),
    (
        "a box half over another",
        CUBE,
        at(0.5, 0, 1 + GAP),
        CUBE,
        at(0, 0, 0),
        [(0, -0.5), (0, 0.5), (0.5, -0.5), (0.5, 0.5)],
    ),
    ("a box on its edge", CUBE, at(0, 0, H + GAP, about("x", math.pi / 4)), GROUND, at(0, 0, 0), [(-0.5, 0), (0.5, 0)]),
    (
        "a box on another's edge",
        CUBE,
        at(0, 0, H + 0.5 + GAP),
        CUBE,
        at(0, 0, 0, about("x", math.pi / 4)),
        [(-0.5, 0), (0.5, 0)],
    ),
    (
        "two long edges",
        BAR,
        at(0.3, 0, 0.25 * 2 * H + GAP, about("x", math.pi / 4)),
        BAR,
        at(0, 0, 0, about("x", math.pi / 4)),
        [(-0.7, 0), (1, 0)],
    ),
    (
        "a rounded box on the ground",
        SOFT,
        at(0, 0, 0.5 + GAP),
        GROUND,
        at(0, 0, 0),
        [(-0.3, -0.3), (-0.3, 0.3), (0.3, -0.3), (0.3, 0.3)],
    ),
    ("a capsule that lies", PILL, at(0, 0, 0.1 + GAP, (H, 0, H, 0)), GROUND, at(0, 0, 0), [(-0.5, 0), (0.5, 0)]),
    ("a capsule that stands", PILL, at(0, 0, 0.6 + GAP), GROUND, at(0, 0, 0), [(0, 0)]),
    (
        "a capsule along a capsule",
        PILL,
        at(0.4, 0, 0.2 + GAP, (H, 0, H, 0)),
        PILL,
        at(0, 0, 0, (H, 0, H, 0)),
        [(-0.1, 0), (0.5, 0)],
    ),
    ("a capsule across a capsule", PILL, at(0, 0, 0.2 + GAP, (H, 0, H, 0)), PILL, at(0, 0, 0, (H, H, 0, 0)), [(0, 0)]),
    ("a can that lies on a box", CAN, at(0.2, 0, 1 + GAP, (H, 0, H, 0)), CUBE, at(0, 0, 0), [(-0.3, 0), (0.5, 0)]),
    ("an egg on a box", EGG, at(0.2, 0, 1 + GAP), CUBE, at(0, 0, 0), [(0.2, 0)]),
]


@pytest.mark.parametrize(
    ("a", "pose_a", "b", "pose_b", "expected"), [row[1:] for row in KNOWN], ids=[row[0] for row in KNOWN]
)
def test_known_patches(a, pose_a, b, pose_b, expected) -> None:
    points, gaps, normal = manifold(a, pose_a, b, pose_b)
    got = sorted((round(x, 6) + 0.0, round(y, 6) + 0.0) for x, y, _ in points)
    np.testing.assert_allclose(got, sorted(expected), atol=2e-3)
    up = 1.0 if pose_a[2] > pose_b[2] else -1.0
    np.testing.assert_allclose(normal, (0, 0, up), atol=1e-6)
    np.testing.assert_allclose(gaps, gap_of(a, pose_a, b, pose_b), atol=1e-9)


def gap_of(a: int, pose_a: tuple[float, ...], b: int, pose_b: tuple[float, ...]) -> float:
    return closest(*POOL, a, pose_a, b, pose_b, -1, -1)[0]


def test_points_out_of_reach_do_not_count() -> None:
    tilt = 0.01
    points, gaps, _ = manifold(CUBE, at(0, 0, 0.51, about("y", tilt)), GROUND, at(0, 0, 0), reach=0.01)
    assert len(points) == 2
    assert (points[:, 0] > 0).all()
    assert gaps == pytest.approx(0.51 - 0.5 * math.cos(tilt) - 0.5 * math.sin(tilt))


def test_a_can_stands_on_its_rim_and_leans_on_its_lowest_point() -> None:
    points, gaps, _ = manifold(CAN, at(0, 0, 0.5 + GAP), GROUND, at(0, 0, 0))
    assert len(points) == MOST_POINTS
    assert ConvexHull(points[:, :2]).volume > 0.7 * math.pi * 0.25
    np.testing.assert_allclose(gaps, GAP)
    lean = 1e-3
    points, gaps, _ = manifold(CAN, at(0, 0, 0.5 + 1e-3, about("y", lean)), GROUND, at(0, 0, 0))
    lowest = points[gaps.argmin()]
    np.testing.assert_allclose(lowest[:2], (0.5, 0), atol=1e-3)
    assert gaps.min() == pytest.approx(0.5 + 1e-3 - 0.5 * math.cos(lean) - 0.5 * math.sin(lean), abs=1e-9)


def test_boxes_on_boxes_cover_what_they_share() -> None:
    """The patch of random boxes laid on each other is as large as scipy's intersection of their outlines."""
    rng = np.random.default_rng(5)
    for _ in range(200):
        turn, x, y = rng.uniform(-math.pi, math.pi), *rng.uniform(-0.9, 0.9, 2)
        shared = outline(0.0, 0.0, 0.0, (0.5, 0.5)), outline(x, y, turn, (1.0, 0.25))
        area = intersection_area(*shared)
        points, gaps, normal = manifold(SLAB, at(x, y, 0.6 + GAP, about("z", turn)), CUBE, at(0, 0, 0))
        if area < 1e-3:
            continue
        np.testing.assert_allclose(normal, (0, 0, 1), atol=1e-6)
        np.testing.assert_allclose(gaps, GAP, atol=1e-9)
        for half_planes in shared:
            assert (half_planes[:, :2] @ points[:, :2].T + half_planes[:, 2:] <= 1e-6).all()
        mine = ConvexHull(points[:, :2]).volume
        assert mine == pytest.approx(area, rel=0.12)


def outline(x: float, y: float, turn: float, half: tuple[float, float]) -> np.ndarray:
    """Half planes a x + b y + c <= 0 of a rectangle."""
    c, s = math.cos(turn), math.sin(turn)
    normals = np.array([(c, s), (-c, -s), (-s, c), (s, -c)])
    return np.column_stack([normals, -normals @ (x, y) - np.repeat(half, 2)])


def intersection_area(a: np.ndarray, b: np.ndarray) -> float:
    from scipy.optimize import linprog

    planes = np.concatenate([a, b])
    # The largest inscribed circle gives the point inside that the intersection starts from.
    inner = linprog(
        [0, 0, -1],
        A_ub=np.column_stack([planes[:, :2], np.ones(8)]),
        b_ub=-planes[:, 2],
        bounds=[(None, None)] * 2 + [(0, None)],
    )
    if inner.status != 0 or inner.x[2] < 1e-3:
        return 0.0
    return ConvexHull(HalfspaceIntersection(planes, inner.x[:2]).intersections).volume


def test_both_orders_give_the_same_patch() -> None:
    rng = np.random.default_rng(8)
    for _ in range(50):
        pose = at(*rng.uniform(-0.4, 0.4, 2), 0.6 + GAP, about("z", rng.uniform(-3, 3)))
        points, gaps, normal = manifold(SLAB, pose, CUBE, at(0, 0, 0))
        swapped, swapped_gaps, swapped_normal = manifold(CUBE, at(0, 0, 0), SLAB, pose)
        np.testing.assert_allclose(normal, -swapped_normal, atol=1e-9)
        if len(points) < MOST_POINTS:
            assert len(points) == len(swapped)
            far = np.linalg.norm(points[:, None] - swapped[None], axis=2).min(axis=1)
            assert far.max() < 0.05


SIDES = {
    "-x": (0.3, about("y", -math.pi / 2)),
    "+x": (0.3, about("y", math.pi / 2)),
    "-y": (0.4, about("x", math.pi / 2)),
    "+y": (0.4, about("x", -math.pi / 2)),
    "-z": (0.5, UP),
    "+z": (0.5, about("x", math.pi)),
}
"""Half heights of the die, and turns that bring a side of it down."""


@pytest.mark.parametrize("side", list(SIDES))
def test_a_superquadric_lies_on_what_is_flat_of_its_side(side: str) -> None:
    """Four points of its surface, a ten-thousandth of its height higher than the middle, far apart; and the middle."""
    half, q = SIDES[side]
    pose = at(0, 0, half + GAP, q)
    points, gaps, normal = manifold(DIE, pose, GROUND, at(0, 0, 0))
    assert normal == pytest.approx((0, 0, 1))
    assert len(points) == 5
    order = np.argsort(gaps)
    assert gaps[order] == pytest.approx([GAP] + 4 * [GAP + 1e-4 * half], rel=1e-9)
    corners = points[order[1:], :2]
    assert np.abs(corners).min() > 0.03
    for x, y in corners:  # they are on the surface: a small ball below one is as far as it should be
        assert gap_of(DIE, pose, PEARL, at(x, y, -0.01)) == pytest.approx(GAP + 1e-4 * half, abs=1e-6)


def test_what_rolls_of_a_superquadric_touches_at_one_point() -> None:
    """A wheel has no flat on its tread, but on its faces."""
    rolls, _, _ = manifold(WHEEL, at(0, 0, 0.5 + GAP, about("x", math.pi / 2)), GROUND, at(0, 0, 0))
    lies, _, _ = manifold(WHEEL, at(0, 0, 0.2 + GAP), GROUND, at(0, 0, 0))
    assert (len(rolls), len(lies)) == (1, 5)
