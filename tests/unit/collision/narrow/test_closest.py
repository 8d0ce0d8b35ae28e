"""Gap, closest points and normal of pairs whose answer is known in closed form; starts that must not matter."""

from __future__ import annotations

import ast
import math
import os
import subprocess
import sys

import numpy as np
import pytest

from engine.collision.narrow.closest import Closest, Pose, closest
from engine.collision.narrow.features import EDGE, FACE, VERTEX
from engine.geometry.pool import EDGE_COUNT, FACE_COUNT, HEADER, VERTEX_COUNT, build_pool
from engine.geometry.shapes import box, capsule, convex, plane, rounded_box, sphere

BALL, PILL, CUBE, SOFT, GROUND, PLATE, GEM = range(7)
_GEM = np.random.default_rng(1).normal(size=(25, 3))
POOL = build_pool(
    [
        sphere(0.5),
        capsule(0.1, 1.0),
        box((1.0, 1.0, 1.0)),
        rounded_box((1.0, 1.0, 1.0), 0.2),
        plane(),
        box((2.0, 2.0, 0.001)),
        convex(_GEM),
    ]
)
UP = (1.0, 0.0, 0.0, 0.0)
H = math.sqrt(0.5)
LYING = (H, 0.0, H, 0.0)  # a capsule along x


def at(x: float, y: float, z: float, q: tuple[float, float, float, float] = UP) -> Pose:
    w, i, j, k = (float(c) for c in q)  # all floats: the kernel is compiled once
    return (float(x), float(y), float(z), w, i, j, k)


def gap(a: int, pose_a: Pose, b: int, pose_b: Pose, features: tuple[int, int] = (-1, -1)) -> Closest:
    return closest(*POOL, a, pose_a, b, pose_b, *features)


KNOWN = [
    # shape, pose, shape, pose, gap, point of a, point of b, normal
    (BALL, at(0, 0, 3), BALL, at(0, 0, 0), 2.0, (0, 0, 2.5), (0, 0, 0.5), (0, 0, 1)),
    (BALL, at(0.6, 0, 0), BALL, at(0, 0, 0), -0.4, (0.1, 0, 0), (0.5, 0, 0), (1, 0, 0)),
    (BALL, at(1, 1, 1), BALL, at(1, 1, 1), -1.0, (1, 1, 0.5), (1, 1, 1.5), (0, 0, 1)),
    (BALL, at(1, 2, 3), GROUND, at(5, 5, 0), 2.5, (1, 2, 2.5), (1, 2, 0), (0, 0, 1)),
    (GROUND, at(5, 5, 0), BALL, at(1, 2, 3), 2.5, (1, 2, 0), (1, 2, 2.5), (0, 0, -1)),
    (BALL, at(1, 2, 3), GROUND, at(-1, 0, 0, LYING), 1.5, (0.5, 2, 3), (-1, 2, 3), (1, 0, 0)),
    (PILL, at(0, 0, 3), GROUND, at(0, 0, 1), 1.4, (0, 0, 2.4), (0, 0, 1), (0, 0, 1)),
    (CUBE, at(0, 0, 2, (H, H, 0, 0)), GROUND, at(0, 0, 0), 1.5, None, None, (0, 0, 1)),
    (PILL, at(0, 0, 0.7), PILL, at(0, 0, -0.7), 0.2, (0, 0, 0.1), (0, 0, -0.1), (0, 0, 1)),
    (PILL, at(0, 0.5, 0), PILL, at(0, 0, 0.2, LYING), 0.3, (0, 0.4, 0.2), (0, 0.1, 0.2), (0, 1, 0)),
    (PILL, at(0, 0.5, 0), PILL, at(0, 0, 0.2), 0.3, None, None, (0, 1, 0)),
    (BALL, at(2, 0, 0), CUBE, at(0, 0, 0), 1.0, (1.5, 0, 0), (0.5, 0, 0), (1, 0, 0)),
    (BALL, at(1.5, 1.5, 0.2), CUBE, at(0, 0, 0), math.sqrt(2) - 0.5, None, (0.5, 0.5, 0.2), (H, H, 0)),
    (BALL, at(0.3, 0, 0.1), CUBE, at(0, 0, 0), -0.7, (-0.2, 0, 0.1), (0.5, 0, 0.1), (1, 0, 0)),
    (PILL, at(0, 0, 2, LYING), CUBE, at(0, 0, 0), 1.4, None, None, (0, 0, 1)),
    (PILL, at(0.3, 0.2, 0.9), CUBE, at(0, 0, 0), -0.2, (0.3, 0.2, 0.3), (0.3, 0.2, 0.5), (0, 0, 1)),
    (CUBE, at(0, 0, 3), CUBE, at(0, 0, 0), 2.0, None, None, (0, 0, 1)),
    (CUBE, at(0, 0, 0.9), CUBE, at(0, 0, 0), -0.1, None, None, (0, 0, 1)),
    (CUBE, at(2, 2, 2), CUBE, at(0, 0, 0), math.sqrt(3), (1.5,) * 3, (0.5,) * 3, (3**-0.5,) * 3),
    (SOFT, at(2, 2, 2), SOFT, at(0, 0, 0), 1.4 * math.sqrt(3) - 0.4, None, None, (3**-0.5,) * 3),
    (CUBE, at(0.2, 0.1, 0.51), PLATE, at(0, 0, 0), 0.0095, None, None, (0, 0, 1)),
    (CUBE, at(0.2, 0.1, -0.51), PLATE, at(0, 0, 0), 0.0095, None, None, (0, 0, -1)),
]


@pytest.mark.parametrize("case", KNOWN)
def test_known_answers(case: tuple) -> None:  # type: ignore[type-arg]
    a, pose_a, b, pose_b, expected, point_a, point_b, normal = case
    found = gap(a, pose_a, b, pose_b)
    assert found[0] == pytest.approx(expected, abs=1e-14)
    assert np.allclose(found[7:10], normal, rtol=0.0, atol=1e-14)
    for point, known in ((found[1:4], point_a), (found[4:7], point_b)):
        assert known is None or np.allclose(point, known, rtol=0.0, atol=1e-14)
    across = np.subtract(found[1:4], found[4:7])
    assert np.allclose(across, np.multiply(expected, normal), rtol=0.0, atol=1e-14)
    mirrored = gap(b, pose_b, a, pose_a)
    assert mirrored[0] == pytest.approx(expected, abs=1e-14)
    if expected > -0.7:  # concentric balls have no normal of their own to mirror
        assert np.allclose(mirrored[7:10], np.negative(normal), rtol=0.0, atol=1e-14)


def test_two_planes_never_meet() -> None:
    assert gap(GROUND, at(0, 0, 0), GROUND, at(0, 0, -1))[0] == math.inf


def all_features(shape: int) -> list[int]:
    header = POOL.topology[HEADER * shape : HEADER * (shape + 1)]
    return [
        4 * k + kind
        for kind, count in ((VERTEX, VERTEX_COUNT), (EDGE, EDGE_COUNT), (FACE, FACE_COUNT))
        for k in range(int(header[count]))
    ]


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [(CUBE, CUBE, 1.3), (CUBE, CUBE, 0.7), (PILL, GEM, 2.5), (GEM, CUBE, 2.0), (PLATE, CUBE, 0.55), (PILL, PILL, 0.3)],
)
def test_the_start_does_not_matter(a: int, b: int, distance: float) -> None:
    rng = np.random.default_rng(9)
    q = rng.normal(size=4)
    q /= np.linalg.norm(q)
    pose_a, pose_b = at(0.1, 0.2, distance), at(0, 0, 0, tuple(q))
    cold = gap(a, pose_a, b, pose_b)
    assert gap(a, pose_a, b, pose_b, (cold[10], cold[11]))[12] == 0  # coherent: nothing to do
    for fa in all_features(a):
        for fb in all_features(b):
            found = gap(a, pose_a, b, pose_b, (fa, fb))
            assert found[0] == pytest.approx(cold[0], abs=1e-14)
            assert np.allclose(found[7:10], cold[7:10], rtol=0.0, atol=1e-12)


def test_it_is_a_function_of_its_arguments() -> None:
    pose_a, pose_b = at(0.3, 0.2, 1.4, (0.5, 0.5, -0.5, 0.5)), at(0, 0, 0)
    first = gap(GEM, pose_a, CUBE, pose_b, (8, 4))
    gap(CUBE, pose_b, PLATE, pose_a)
    assert gap(GEM, pose_a, CUBE, pose_b, (8, 4)) == first


def test_a_pose_that_is_not_finite_still_gets_an_answer() -> None:
    nowhere = at(math.nan, 0, 0)
    for a in (BALL, PILL, CUBE, GEM):
        for b in (BALL, GROUND, CUBE, GEM):
            assert not math.isfinite(gap(a, nowhere, b, at(0, 0, 0))[0])


def test_it_is_the_same_in_plain_python() -> None:
    cases = [
        (a, (0.2, 0.1, z, 0.5, 0.5, 0.1, 0.7), b)
        for a in (BALL, PILL, CUBE)
        for b in (PILL, CUBE, GROUND)
        for z in (0.4, 1.8)
    ]
    program = (
        "from engine.collision.narrow.closest import closest\n"
        "from engine.geometry.pool import build_pool\n"
        "from engine.geometry.shapes import box, capsule, plane, rounded_box, sphere\n"
        "p = build_pool([sphere(0.5), capsule(0.1, 1.0), box((1., 1., 1.)), rounded_box((1., 1., 1.), 0.2), plane()])\n"
        f"for a, pose, b in {cases}:\n"
        "    print([float(x) for x in closest(*p, a, pose, b, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), -1, -1)])\n"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    out = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    plain = [ast.literal_eval(line) for line in out.stdout.splitlines()]
    compiled = [gap(a, pose, b, at(0, 0, 0)) for a, pose, b in cases]
    np.testing.assert_allclose(plain, compiled, rtol=0.0, atol=1e-13)
