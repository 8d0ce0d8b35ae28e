"""Springs between two bodies: what they hold is a function of where the bodies are, that no corner makes jump."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.arrays import Floats
from engine.collision.narrow.closest import closest
from engine.collision.narrow.frames import ClosestPoints
from engine.collision.narrow.manifold import OUTLINE_ROWS, POINT_GAP, SCRATCH_ROWS
from engine.geometry.pool import build_pool
from engine.geometry.shapes import box, cylinder, plane, sphere
from engine.group.work import SHARE, SPRING_WIDTH
from engine.penalty.patches import find_springs
from engine.tolerances import RIM_CORNERS

GROUND, CUBE, TABLE, COIN, BALL = range(5)
POOL = build_pool([plane(), box((1.0, 1.0, 1.0)), box((0.8, 0.6, 0.2)), cylinder(0.5, 0.1), sphere(0.5)])
DEEP = 1e-3


def turned(axis: tuple[float, float, float], degrees: float) -> tuple[float, float, float, float]:
    half = math.radians(0.5 * degrees)
    a = np.array(axis) / np.linalg.norm(axis) * math.sin(half)
    return (math.cos(half), float(a[0]), float(a[1]), float(a[2]))


def springs(a: int, x: tuple[float, ...], q: tuple[float, ...], b: int, reach: float = 5e-3) -> Floats:
    """Of shape a at x, turned by q, on shape b at the origin, (k, SPRING_WIDTH)."""
    pose, there = tuple(float(c) for c in (*x, *q)), (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    found = closest(*POOL, a, pose, b, there, -1, -1)
    nearest = ClosestPoints(found[1:4], found[4:7], found[7:10])
    points = np.full((OUTLINE_ROWS, SPRING_WIDTH), np.nan)
    count, _ = find_springs(*POOL, a, pose, b, there, nearest, reach, np.zeros((SCRATCH_ROWS, 3)), points)
    return points[:count]


def stored(points: Floats) -> float:
    """Energy of the springs of stiffness 1 [J]."""
    return float(0.5 * (points[:, SHARE] * np.maximum(-points[:, POINT_GAP], 0.0) ** 2).sum())


UP = (1.0, 0.0, 0.0, 0.0)


def test_shares_of_what_is_known() -> None:
    assert springs(CUBE, (0, 0, 0.5 - DEEP), UP, GROUND)[:, SHARE] == pytest.approx([1.0] * 4)
    assert springs(BALL, (0, 0, 0.5 - DEEP), UP, GROUND)[:, SHARE] == pytest.approx([1.0])
    coin = springs(COIN, (0, 0, 0.05 - DEEP), UP, GROUND)
    assert coin[:, SHARE] == pytest.approx([1.0] * RIM_CORNERS)
    edge = springs(CUBE, (0, 0, 0.5 * math.sqrt(2.0) - DEEP), turned((1, 0, 0), 45), GROUND)
    assert edge[:, SHARE] == pytest.approx([1.0, 1.0])
    corner = springs(CUBE, (0, 0, 0.5 * math.sqrt(3.0) - DEEP), turned((1, -1, 0), 54.7356), GROUND)
    assert corner[:, SHARE] == pytest.approx([1.0])


def test_the_corners_of_a_patch_share_four_points_between_them() -> None:
    random = np.random.default_rng(3)
    many = 0
    for _ in range(200):
        x, y = random.uniform(-0.6, 0.6, 2)
        points = springs(CUBE, (x, y, 0.6 - DEEP), turned((0, 0, 1), random.uniform(0, 90)), TABLE)
        assert points[:, SHARE].sum() == pytest.approx(4.0)
        assert points[:, POINT_GAP] == pytest.approx(-DEEP)
        many = max(many, len(points))
    assert many >= 6, "corners that edges have cut off"


@pytest.mark.parametrize("lean", [0.0, 0.03])
def test_what_springs_hold_does_not_jump_as_corners_pass_over_edges(lean: float) -> None:
    """A cube slides and turns over the edges and corners of a table: what its springs hold never changes at once."""
    held, counts = [], set()
    steps = 4000
    for k in range(steps):
        s = k / steps
        turn = np.array(turned((0, 0, 1), 20 + 50 * s))
        tilt = turned((1, 1, 0), lean)
        q = (
            turn[0] * tilt[0] - turn[3] * tilt[3],
            turn[0] * tilt[1] - turn[3] * tilt[2],
            turn[0] * tilt[2] + turn[3] * tilt[1],
            turn[3] * tilt[0] + turn[0] * tilt[3],
        )
        points = springs(CUBE, (-0.7 + 1.2 * s, 0.5 - 0.6 * s, 0.6 - DEEP), q, TABLE)
        counts.add(len(points))
        held.append(stored(points))
    assert len(counts) >= 3
    assert np.abs(np.diff(held)).max() < 2e-3 * max(held)


def test_a_coin_that_leans_holds_the_same_whichever_way_it_leans() -> None:
    """By how far it leans and how deep it is: nothing else; and that goes on as it lies down."""
    course = []
    for lean in 60.0 * np.linspace(0.0, 1.0, 400) ** 3:
        low = 0.5 * math.sin(math.radians(lean)) + 0.05 * math.cos(math.radians(lean)) - DEEP
        around = [
            stored(springs(COIN, (0, 0, low), turned((math.cos(way), math.sin(way), 0), lean), GROUND))
            for way in (0.1, 1.3, 2.9)
        ]
        assert around == pytest.approx([around[0]] * 3, rel=1e-6)
        course.append(around[0])
    assert course[0] == pytest.approx(0.5 * RIM_CORNERS * DEEP**2)
    assert course[-1] == pytest.approx(0.5 * DEEP**2)
    assert np.abs(np.diff(course)).max() < 0.1 * course[0]
    assert (np.diff(course) < 1e-12).all()


def test_springs_out_of_reach_are_left_out_and_change_no_other() -> None:
    tilted = springs(CUBE, (0, 0, 0.5 + 0.5 * math.sin(math.radians(1.0)) - DEEP), turned((1, 0, 0), 1.0), GROUND)
    assert len(tilted) == 2
    assert tilted[:, SHARE] == pytest.approx([1.0, 1.0])
