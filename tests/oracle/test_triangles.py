"""Gaps between triangles of a sheet and convex shapes, against coal."""

from __future__ import annotations

import coal
import numpy as np
import pytest

from engine.collision.narrow.closest import closest
from engine.geometry.hull_tree import EDGE_FANS, pack_forest, sheet
from engine.geometry.shapes import Mesh, Shape, box, capsule, convex, rotation_matrix, sphere
from tests.outside_gaps import _Part, _Triangle

RNG = np.random.default_rng(11)
SHAPES = [sphere(0.2), capsule(0.1, 0.5), box((0.3, 0.5, 0.2)), convex(RNG.normal(size=(20, 3)) * 0.2)]
REQUEST = coal.DistanceRequest()
REQUEST.gjk_tolerance = 1e-10
REQUEST.gjk_max_iterations = 1000


@pytest.mark.parametrize("shape", SHAPES, ids=["ball", "capsule", "box", "polyhedron"])
def test_gaps_of_triangles(shape: Shape) -> None:
    for _ in range(150):
        corners = RNG.normal(size=(3, 3)) * RNG.choice([0.05, 0.5, 5.0], size=(1, 3))
        check(shape, corners, RNG.normal(size=4), RNG.normal(size=3) * 0.7)


@pytest.mark.parametrize("shape", SHAPES[2:], ids=["box", "polyhedron"])
def test_gaps_of_triangles_in_special_positions(shape: Shape) -> None:
    """Faces parallel to the triangle, edges parallel to its edges, corners over its corners, a hair away."""
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    flat = np.array([1.0, 0.0, 0.0, 0.0])
    for height in (1e-7, 1e-4, 0.1):
        for x, y in ((0.3, 0.3), (0.15, 0.0), (0.0, 0.0), (-0.15, 0.25), (-0.4, 0.5), (0.7, 0.7)):
            low = float(shape.vertices[:, 2].min())
            check(shape, corners, flat, np.array([x, y, height - low]))
            check(shape, corners, np.array([0.0, 1.0, 0.0, 0.0]), np.array([x, y, height + shape.vertices[:, 2].max()]))


def check(shape: Shape, corners: np.ndarray, q: np.ndarray, position: np.ndarray) -> None:
    q = q / np.linalg.norm(q)
    forest = pack_forest([shape, sheet(Mesh(corners, np.array([[0, 1, 2]])))])
    (leaf,) = np.flatnonzero(forest.trees[:, EDGE_FANS] > 0)
    pose = (*position.tolist(), *q.tolist())
    here = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    gap, *points = closest(forest.geometry, forest.topology, 0, pose, int(leaf), here, -1, -1)
    back, *_ = closest(forest.geometry, forest.topology, int(leaf), here, 0, pose, -1, -1)
    part, triangle = _Part(shape), _Triangle(corners)
    turn = rotation_matrix(q)
    theirs = coal.distance(
        part.hull, part.at(turn, position), triangle.hull, triangle.at(np.eye(3), np.zeros(3)), REQUEST,
        coal.DistanceResult(),
    )  # fmt: skip
    theirs -= part.thickness
    size = float(np.abs(corners).max()) + 1.0
    if theirs > 1e-9:
        assert gap == pytest.approx(theirs, abs=1e-8 * size)
        assert np.linalg.norm(np.subtract(points[0:3], points[3:6])) == pytest.approx(gap, abs=1e-9 * size)
    else:
        assert gap < 1e-8 * size
    assert back == pytest.approx(gap, abs=1e-9 * size)
