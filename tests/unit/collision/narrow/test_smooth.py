"""Smooth solids: where they rest on a plane, answers known in closed form, and what is kept for the next time."""

from __future__ import annotations

import ast
import math
import os
import subprocess
import sys

import numpy as np
import pytest

from engine.collision.narrow.closest import Closest, Pose, closest
from engine.collision.narrow.smooth import pack_normal, unpack_normal
from engine.geometry.pool import build_pool
from engine.geometry.shapes import box, cone, cylinder, ellipsoid, plane, revolved, sphere, superquadric

CAN, COIN, HAT, EGG, PILLOW, BALL, CUBE, GROUND, TOP = range(9)
SHAPES = [
    cylinder(0.5, 1.0),
    cylinder(1.0, 0.1),
    cone(0.5, 1.0),
    ellipsoid((0.5, 0.3, 0.2)),
    superquadric((0.5, 0.4, 0.3), (4.0, 4.0)),
    sphere(0.5),
    box((1.0, 1.0, 1.0)),
    plane(),
    revolved([(0.0, -0.5), (0.5, 0.0), (0.3, 0.4)]),
]
POOL = build_pool(SHAPES)
UP = (1.0, 0.0, 0.0, 0.0)
H = math.sqrt(0.5)
LYING = (H, 0.0, H, 0.0)


def at(x: float, y: float, z: float, q: tuple[float, float, float, float] = UP) -> Pose:
    w, i, j, k = (float(c) for c in q)
    return (float(x), float(y), float(z), w, i, j, k)


def gap(a: int, pose_a: Pose, b: int, pose_b: Pose) -> Closest:
    return closest(*POOL, a, pose_a, b, pose_b, -1, -1)


KNOWN = [
    # shape, pose, shape, pose, gap, point of a, point of b, normal
    (CAN, at(1, 2, 3), GROUND, at(0, 0, 0), 2.5, (1, 2, 2.5), (1, 2, 0), (0, 0, 1)),
    (CAN, at(1, 2, 3, LYING), GROUND, at(0, 0, 0), 2.5, (1, 2, 2.5), (1, 2, 0), (0, 0, 1)),
    (CAN, at(0, 0, -0.2), GROUND, at(0, 0, 0), -0.7, (0, 0, -0.7), (0, 0, 0), (0, 0, 1)),
    (HAT, at(0, 0, 1, (0.0, 1.0, 0.0, 0.0)), GROUND, at(0, 0, 0), 0.5, (0, 0, 0.5), (0, 0, 0), (0, 0, 1)),
    (EGG, at(0, 0, 1, LYING), GROUND, at(0, 0, 0), 0.5, (0, 0, 0.5), (0, 0, 0), (0, 0, 1)),
    (PILLOW, at(0, 0, 1), GROUND, at(0, 0, 0), 0.7, (0, 0, 0.7), (0, 0, 0), (0, 0, 1)),
    (TOP, at(0, 0, 1), GROUND, at(0, 0, 0), 0.5, (0, 0, 0.5), (0, 0, 0), (0, 0, 1)),
    (BALL, at(2, 0, 0.3), CAN, at(0, 0, 0), 1.0, (1.5, 0, 0.3), (0.5, 0, 0.3), (1, 0, 0)),
    (BALL, at(0.2, 0, 3), CAN, at(0, 0, 0), 2.0, (0.2, 0, 2.5), (0.2, 0, 0.5), (0, 0, 1)),
    (BALL, at(1.5, 0, 1.5), CAN, at(0, 0, 0), math.sqrt(2) - 0.5, None, (0.5, 0, 0.5), (H, 0, H)),
    (CAN, at(2, 0, 0), CAN, at(0, 0, 0, LYING), 1.0, None, None, (1, 0, 0)),
    (CUBE, at(0, 0, 1.5), COIN, at(0, 0, 0), 0.95, None, None, (0, 0, 1)),
    (EGG, at(2, 0, 0), EGG, at(0, 0, 0), 1.0, (1.5, 0, 0), (0.5, 0, 0), (1, 0, 0)),
    (PILLOW, at(0, 0, 2), CUBE, at(0, 0, 0), 1.2, None, None, (0, 0, 1)),
    (CAN, at(0.8, 0, 0), CAN, at(0, 0, 0), -0.2, None, None, (1, 0, 0)),
    (EGG, at(0, 0.5, 0), CUBE, at(0, 0, 0), -0.3, (0, 0.2, 0), (0, 0.5, 0), (0, 1, 0)),
    (COIN, at(0, 0, 0.5), CUBE, at(0, 0, 0), -0.05, None, None, (0, 0, 1)),
]


@pytest.mark.parametrize("case", KNOWN)
def test_known_answers(case: tuple) -> None:  # type: ignore[type-arg]
    a, pose_a, b, pose_b, expected, point_a, point_b, normal = case
    found = gap(a, pose_a, b, pose_b)
    assert found[0] == pytest.approx(expected, abs=1e-12)
    assert np.allclose(found[7:10], normal, rtol=0.0, atol=1e-9)
    for point, known in ((found[1:4], point_a), (found[4:7], point_b)):
        assert known is None or np.allclose(point, known, rtol=0.0, atol=1e-9)
    assert np.allclose(np.subtract(found[1:4], found[4:7]), np.multiply(expected, normal), rtol=0.0, atol=1e-9)
    mirrored = gap(b, pose_b, a, pose_a)
    assert mirrored[0] == pytest.approx(expected, abs=1e-12)
    assert np.allclose(mirrored[7:10], np.negative(normal), rtol=0.0, atol=1e-9)


def test_a_tilted_coin_touches_the_ground_at_its_lowest_rim() -> None:
    for tilt in (1e-9, 1e-6, 0.01, 0.5):
        q = (math.cos(tilt / 2), 0.0, math.sin(tilt / 2), 0.0)
        found = gap(COIN, at(0, 0, 2, q), GROUND, at(0, 0, 0))
        assert found[0] == pytest.approx(2.0 - math.sin(tilt) - 0.05 * math.cos(tilt), abs=1e-15)
        assert found[1] == pytest.approx(math.cos(tilt) - 0.05 * math.sin(tilt), abs=1e-6)


def test_a_cylinder_that_lies_is_held_under_its_centre_of_mass() -> None:
    """Also if that is not the middle of its side."""
    pool = build_pool([cylinder(0.1, 1.0).transformed((0.0, 0.0, 0.2), UP), plane()])
    found = closest(*pool, 0, at(0, 0, 0.3, LYING), 1, at(0, 0, 0), -1, -1)
    assert found[1:4] == pytest.approx((0.0, 0.0, 0.2), abs=1e-12)
    standing = closest(*pool, 0, at(0, 0, 0.5), 1, at(0, 0, 0), -1, -1)
    assert standing[1:4] == pytest.approx((0.0, 0.0, 0.2), abs=1e-12)


def test_normals_are_packed_to_a_millionth() -> None:
    for n in np.random.default_rng(1).normal(size=(200, 3)):
        n /= np.linalg.norm(n)
        back = unpack_normal(pack_normal((float(n[0]), float(n[1]), float(n[2]))))
        assert np.linalg.norm(np.subtract(back, n)) < 4e-6
    for n in np.vstack([np.eye(3), -np.eye(3)]):
        assert np.allclose(unpack_normal(pack_normal((float(n[0]), float(n[1]), float(n[2])))), n, atol=4e-6)


def test_it_is_the_same_in_plain_python() -> None:
    cases = [case[:3] for case in KNOWN if case[2] != GROUND][:8]
    cases = [(int(a), pose, int(b)) for a, pose, b in cases]
    program = (
        "from engine.collision.narrow.closest import closest\n"
        "from engine.geometry.pool import build_pool\n"
        "from engine.geometry.shapes import *\n"
        "shapes = [cylinder(0.5, 1.0), cylinder(1.0, 0.1), cone(0.5, 1.0), ellipsoid((0.5, 0.3, 0.2)),"
        " superquadric((0.5, 0.4, 0.3), (4.0, 4.0)), sphere(0.5), box((1.0, 1.0, 1.0))]\n"
        "p = build_pool(shapes)\n"
        f"for a, pose, b in {cases}:\n"
        "    print([float(x) for x in closest(*p, a, pose, b, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), -1, -1)])\n"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    out = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    plain = np.array([ast.literal_eval(line)[:10] for line in out.stdout.splitlines()])
    compiled = np.array([gap(a, pose, b, at(0, 0, 0))[:10] for a, pose, b in cases])
    np.testing.assert_allclose(plain[:, 0], compiled[:, 0], rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(plain, compiled, rtol=0.0, atol=1e-7)


@pytest.mark.parametrize("sunk", [1e-9, 1e-4, 3e-3, 0.05])
@pytest.mark.parametrize("a", [EGG, HAT, CAN, CUBE])
def test_a_body_that_has_sunk_into_an_end_is_measured_from_the_last_time_as_afresh(a: int, sunk: float) -> None:
    """Its depth is proved then, in a step; where the edge of the end is too near for that, it is searched as before."""
    rng = np.random.default_rng(3)
    for x in (0.0, 0.7, 0.999):
        turn = rng.normal(size=4)
        q = tuple(turn / np.linalg.norm(turn))
        above = gap(a, at(x, 0.0, 2.0, q), COIN, at(0, 0, 0))
        height = 2.0 - above[0]
        kept = gap(a, at(x, 0.0, height + 1e-3, q), COIN, at(0, 0, 0))
        pose = at(x, 0.0, height - sunk, q)
        again = closest(*POOL, a, pose, COIN, at(0, 0, 0), kept[10], kept[11])
        afresh = gap(a, pose, COIN, at(0, 0, 0))
        np.testing.assert_allclose(again[:10], afresh[:10], rtol=0.0, atol=1e-8)
        assert again[0] == pytest.approx(afresh[0], abs=1e-12)
        if x == 0.0 and sunk < 0.05:
            assert again[12] == 1 and again[0] == pytest.approx(-sunk, abs=1e-12)
