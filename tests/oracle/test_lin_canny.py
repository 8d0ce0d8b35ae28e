"""Distances of convex polyhedra against coal, from cold and from coherent starts."""

from __future__ import annotations

import coal
import numpy as np
import pytest

from engine.collision.closest import closest
from engine.geometry.pool import build_pool
from engine.geometry.shapes import Shape, box, convex, rotation_matrix

TOLERANCE = 1e-9


def random_shapes(rng: np.random.Generator) -> list[Shape]:
    """Blobs, near-spheres, needles, plates and boxes of many sizes."""
    shapes = []
    for k in range(24):
        points = rng.normal(size=(int(rng.integers(4, 80)), 3)) * np.exp(0.7 * rng.normal(size=3))
        if k % 3 == 0:
            points /= np.linalg.norm(points, axis=1)[:, None]
        shapes.append(convex(points))
    shapes += [box(tuple(np.exp(rng.normal(size=3)))) for _ in range(6)]
    return [*shapes, box((1.0, 1.0, 0.001)), box((2.0, 0.01, 0.01))]


def hull_of(shape: Shape) -> coal.ConvexBase:
    points = coal.StdVec_Vec3s()
    for vertex in shape.vertices:
        points.append(vertex)
    return coal.ConvexBase.convexHull(points, False, "")


def check_pairs(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shapes = random_shapes(rng)
    hulls = [hull_of(shape) for shape in shapes]
    pool = build_pool(shapes)
    request = coal.DistanceRequest()
    request.gjk_tolerance = 1e-12
    request.gjk_max_iterations = 10_000
    apart = 0
    while apart < count:
        i, j = (int(k) for k in rng.integers(len(shapes), size=2))
        diameter = shapes[i].bounding_radius + shapes[j].bounding_radius
        features = (-1, -1)
        x = rng.normal(size=3)
        x *= diameter * rng.uniform(0.3, 1.6) / np.linalg.norm(x)
        q = rng.normal(size=4)
        for step in range(4):  # the first from cold, the others from the features of the one before
            q = q / np.linalg.norm(q)
            pose_a = (float(x[0]), float(x[1]), float(x[2]), float(q[0]), float(q[1]), float(q[2]), float(q[3]))
            pose_b = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
            found = closest(*pool, i, pose_a, j, pose_b, *features)
            cold = closest(*pool, i, pose_a, j, pose_b, -1, -1)
            features = (found[10], found[11])
            scale = max(found[0], diameter)
            assert found[0] == pytest.approx(cold[0], abs=1e-12 * scale)
            result = coal.DistanceResult()
            placed = coal.Transform3s(rotation_matrix(q), x), coal.Transform3s(np.eye(3), np.zeros(3))
            outside = coal.distance(hulls[i], placed[0], hulls[j], placed[1], request, result)
            if outside > TOLERANCE * scale:
                apart += 1
                assert abs(found[0] - outside) <= TOLERANCE * scale, (i, j, pose_a, step)
                points = np.array(found[1:4]), np.array(found[4:7])
                assert np.linalg.norm(points[0] - points[1]) == pytest.approx(found[0], abs=1e-12 * scale)
            else:
                assert found[0] <= 10 * TOLERANCE * scale
            x = x + 0.02 * diameter * rng.normal(size=3)
            q = q + 0.05 * rng.normal(size=4)


def test_ten_thousand_distances_agree_with_coal() -> None:
    check_pairs(10_000, seed=1)


def test_a_deep_pair_has_a_depth_that_separates_it() -> None:
    rng = np.random.default_rng(3)
    shapes = random_shapes(rng)
    pool = build_pool(shapes)
    deep = 0
    for _ in range(400):
        i, j = (int(k) for k in rng.integers(len(shapes), size=2))
        x, q = 0.2 * rng.normal(size=3), rng.normal(size=4)
        q /= np.linalg.norm(q)
        pose_b = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        found = closest(*pool, i, (*x, *q), j, pose_b, -1, -1)
        if found[0] > -1e-6:
            continue
        deep += 1
        normal = np.array(found[7:10])
        moved = x + normal * (1e-9 - found[0])
        size = shapes[i].bounding_radius + shapes[j].bounding_radius
        assert closest(*pool, i, (*moved, *q), j, pose_b, -1, -1)[0] >= -1e-9 * size
        # No axis of the two shapes' faces needs less.
        a = shapes[i].vertices @ rotation_matrix(q).T + x
        for face in shapes[j].faces:
            p, r, s = (shapes[j].vertices[k] for k in face[:3])
            n = np.cross(r - p, s - p)
            n /= np.linalg.norm(n)
            assert -found[0] <= (shapes[j].vertices @ n).max() - (a @ n).min() + 1e-9 * size
    assert deep > 100
