"""The packed shapes: supports, climbing, boxes and radii, against looking at every vertex."""

from __future__ import annotations

import numpy as np
import pytest

from engine.geometry.pool import bounding_radius, build_pool, climb, support, support_vertex, swept_extent, vertex_of
from engine.geometry.shapes import box, capsule, convex, plane, rotation_matrix, rounded_box, sphere

_RNG = np.random.default_rng(7)
_BALL = _RNG.normal(size=(300, 3))
SHAPES = [
    sphere(0.3),
    capsule(0.2, 1.0),
    box((1.0, 2.0, 3.0)),
    rounded_box((1.0, 2.0, 3.0), 0.2),
    convex(_BALL / np.linalg.norm(_BALL, axis=1)[:, None]),
    convex(_RNG.normal(size=(30, 3)) * [3.0, 1.0, 0.1]),
]
POOL = build_pool([*SHAPES, plane()])
GROUND = len(SHAPES)


def directions(count: int) -> list[tuple[float, float, float]]:
    rng = np.random.default_rng(3)
    return [(float(x), float(y), float(z)) for x, y, z in rng.normal(size=(count, 3))]


@pytest.mark.parametrize("shape", range(len(SHAPES)))
def test_the_support_is_the_furthest_vertex(shape: int) -> None:
    vertices = SHAPES[shape].vertices
    for d in directions(200):
        furthest = (vertices @ d).max()
        assert np.dot(support(*POOL, shape, d), d) == pytest.approx(furthest, abs=1e-14)
        start = support_vertex(*POOL, shape, (-d[0], -d[1], -d[2]))
        assert np.dot(vertex_of(*POOL, shape, climb(*POOL, shape, d, start)), d) == pytest.approx(furthest, abs=1e-14)


@pytest.mark.parametrize("shape", range(len(SHAPES)))
def test_the_extent_is_tight(shape: int) -> None:
    rng = np.random.default_rng(4)
    for _ in range(50):
        q = rng.normal(size=4)
        q /= np.linalg.norm(q)
        placed = SHAPES[shape].vertices @ rotation_matrix(q).T
        radius = SHAPES[shape].radius
        expected = [*(placed.min(axis=0) - radius), *(placed.max(axis=0) + radius)]
        assert np.allclose(swept_extent(*POOL, shape, tuple(q)), expected, rtol=0.0, atol=1e-14)


def test_radii() -> None:
    for row, shape in enumerate(SHAPES):
        reach = np.linalg.norm(shape.vertices, axis=1).max() + shape.radius
        assert bounding_radius(POOL.geometry, row) == pytest.approx(reach, rel=1e-15)
    assert bounding_radius(POOL.geometry, GROUND) == np.inf


def test_a_plane_ends_only_along_its_normal() -> None:
    inf = np.inf
    assert swept_extent(*POOL, GROUND, (1.0, 0.0, 0.0, 0.0)) == (-inf, -inf, -inf, inf, inf, 0.0)
    assert swept_extent(*POOL, GROUND, (0.0, 1.0, 0.0, 0.0)) == (-inf, -inf, 0.0, inf, inf, inf)
    tilted = swept_extent(*POOL, GROUND, (0.8, 0.6, 0.0, 0.0))
    assert tilted == (-inf, -inf, -inf, inf, inf, inf)


def test_climbing_ends_where_nothing_is_finite() -> None:
    nan = float("nan")
    assert 0 <= climb(*POOL, 4, (nan, nan, nan), 5) < 300
