"""Distances and depths of convex shapes against coal and qhull, from cold, coherent and arbitrary starts."""

from __future__ import annotations

import coal
import numpy as np
import pytest
import trimesh
from scipy.spatial import ConvexHull

from engine.collision.narrow.closest import Pose, closest
from engine.geometry.polyhedron import Floats, find_features
from engine.geometry.pool import EDGE_COUNT, FACE_COUNT, HEADER, VERTEX_COUNT, ShapePool, build_pool
from engine.geometry.shapes import POINT, SEGMENT, Shape, box, capsule, convex, rotation_matrix, rounded_box, sphere

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


def random_pose(rng: np.random.Generator, reach: float) -> Pose:
    x = rng.normal(size=3)
    x *= reach / np.linalg.norm(x)
    q = rng.normal(size=4)
    q /= np.linalg.norm(q)
    return (float(x[0]), float(x[1]), float(x[2]), float(q[0]), float(q[1]), float(q[2]), float(q[3]))


def placed(shape: Shape, pose: Pose) -> Floats:
    return shape.vertices @ rotation_matrix(pose[3:]).T + pose[:3]


def random_features(rng: np.random.Generator, pool: ShapePool, i: int, j: int) -> tuple[int, int]:
    """A vertex, edge or face of each to start from; where no walk can start from such a pair, it starts from cold."""

    def one(shape: int) -> int:
        counts = [int(pool.topology[HEADER * shape + count]) for count in (VERTEX_COUNT, EDGE_COUNT, FACE_COUNT)]
        kind = int(rng.choice([k for k in range(3) if counts[k] > 0]))
        return 4 * int(rng.integers(counts[kind])) + kind

    return one(i), one(j)


def test_depths_are_those_of_the_minkowski_difference() -> None:
    """Where cores meet, the depth is the distance of 0 from the nearest face of the hull of all differences (qhull)."""
    rng = np.random.default_rng(4)
    shapes = random_shapes(rng)
    pool = build_pool(shapes)
    deep = 0
    while deep < 200:
        i, j = (int(k) for k in rng.integers(len(shapes), size=2))
        size = shapes[i].bounding_radius + shapes[j].bounding_radius
        pose_a = random_pose(rng, size * rng.uniform(0.0, 0.5))
        pose_b = random_pose(rng, size)
        pose_a = (pose_a[0] + pose_b[0], pose_a[1] + pose_b[1], pose_a[2] + pose_b[2], *pose_a[3:])
        found = closest(*pool, i, pose_a, j, pose_b, *random_features(rng, pool, i, j))
        if found[0] > 0.0:
            continue
        deep += 1
        a, b = placed(shapes[i], pose_a), placed(shapes[j], pose_b)
        differences = (a[:, None, :] - b[None, :, :]).reshape(-1, 3)
        assert -found[0] == pytest.approx(-ConvexHull(differences).equations[:, 3].max(), abs=1e-10 * size)
        # The normal is the way out, and the points are on both surfaces, the depth apart.
        n = np.array(found[7:10])
        assert (a @ n).min() - (b @ n).max() == pytest.approx(found[0], abs=1e-13 * size)
        assert np.allclose(np.subtract(found[1:4], found[4:7]), found[0] * n, rtol=0.0, atol=1e-13 * size)


def random_contact(rng: np.random.Generator, shape: Shape) -> tuple[Floats, Floats]:
    """A point on the core, and a direction in which it is the furthest: on a face, on an edge or at a vertex."""
    if shape.kind == POINT:
        return np.zeros(3), np.array([0.0, 0.0, 1.0])
    if shape.kind == SEGMENT:
        return rng.uniform(0.0, 1.0) * shape.vertices[0], np.array([1.0, 0.0, 0.0])
    features = find_features(shape.vertices, shape.faces)
    start, end, left, right = features.edges[rng.integers(len(features.edges))]
    share = rng.choice([0.0, 1.0, rng.uniform()])
    along = rng.choice([0.0, rng.uniform()])
    point = shape.vertices[start] * (1.0 - along) + shape.vertices[end] * along
    if share == 1.0 and along > 0.0:
        point = 0.5 * (point + shape.vertices[list(shape.faces[left])].mean(axis=0))
    normal = features.normals[left] * share + features.normals[right] * (1.0 - share)
    return point, normal / np.linalg.norm(normal)


def turn_onto(u: Floats, v: Floats) -> Floats:
    """A rotation matrix that takes the unit vector u to v."""

    def frame(x: Floats) -> Floats:
        y = np.cross(x, [0.3, 0.5, 0.8])
        y /= np.linalg.norm(y)
        return np.column_stack([x, y, np.cross(x, y)])

    return frame(v) @ frame(u).T


def check_contacts(count: int, seed: int) -> None:
    """Features laid on each other, nearly or exactly parallel, a tiny gap or depth apart, from any start.

    What bounds the answer needs no library: a point of each core is an upper bound of the distance, and the extent of
    both along any direction a lower one. A direction between two points is as good as rounding over their distance.
    """
    rng = np.random.default_rng(seed)
    drum = np.array([[np.cos(k * np.pi / 16), np.sin(k * np.pi / 16), z] for k in range(32) for z in (-0.1, 0.1)])
    cubes = [box((1.0, 1.0, 1.0)), box((1.0, 1.0, 1.0)), box((3.0, 0.5, 0.01))]
    shapes = [*random_shapes(rng), *cubes, convex(drum), convex(trimesh.creation.icosphere(2).vertices)]
    blurred = [(s.vertices @ rotation_matrix(rng.normal(size=4)).T).astype(np.float32) for s in shapes[-5:]]
    shapes += [convex(vertices) for vertices in blurred]  # coplanar only to single precision
    shapes += [sphere(0.1), capsule(0.1, 1.0), capsule(0.1, 1.0)]
    pool = build_pool(shapes)

    def tiny() -> float:
        return float(rng.choice([0.0, 10.0 ** rng.uniform(-17.0, -2.0)]))

    for _ in range(count):
        i, j = (int(k) for k in rng.integers(len(shapes), size=2))
        (p, n_p), (q, n_q) = random_contact(rng, shapes[i]), random_contact(rng, shapes[j])
        tilt = tiny() * rng.normal(size=3)
        turn = rotation_matrix((1.0, *(0.5 * tilt))) @ turn_onto(n_p, -n_q)
        x = q + n_q * tiny() * rng.choice([-1.0, 1.0, 1.0]) - turn @ p
        trace = trimesh.transformations.quaternion_from_matrix(np.block([[turn, np.zeros((3, 1))], [np.eye(4)[3:]]]))
        pose_a = (float(x[0]), float(x[1]), float(x[2]), *(float(c) for c in trace / np.linalg.norm(trace)))
        pose_b = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        size = shapes[i].bounding_radius + shapes[j].bounding_radius + np.linalg.norm(x)
        found = closest(*pool, i, pose_a, j, pose_b, -1, -1)
        n = np.array(found[7:10])
        apart = found[0] + shapes[i].radius + shapes[j].radius
        a, b = placed(shapes[i], pose_a), placed(shapes[j], pose_b)
        blur = 1e-12 + 2e-15 * size / max(abs(apart), 1e-11 * size)
        assert (a @ n).min() - (b @ n).max() == pytest.approx(apart, abs=blur * size)
        assert np.dot(np.subtract(found[1:4], found[4:7]), n) == pytest.approx(found[0], abs=1e-13 * size)
        assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-14)
        for _ in range(4):
            again = closest(*pool, i, pose_a, j, pose_b, *random_features(rng, pool, i, j))
            assert again[0] == pytest.approx(found[0], abs=1e-10 * size)


def test_features_that_nearly_touch_and_are_nearly_parallel() -> None:
    check_contacts(2_000, seed=5)


@pytest.mark.slow
def test_many_features_that_nearly_touch_and_are_nearly_parallel() -> None:
    check_contacts(100_000, seed=6)


def test_round_shapes_agree_with_coal() -> None:
    """Cores with a radius: balls, capsules, rounded boxes and boxes, with coal's own shapes of these kinds."""
    rng = np.random.default_rng(7)
    shapes = [sphere(0.3), sphere(1.1), capsule(0.2, 1.0), capsule(0.05, 3.0), box((1.0, 0.5, 0.1))]
    others = [
        coal.Sphere(0.3),
        coal.Sphere(1.1),
        coal.Capsule(0.2, 1.0),
        coal.Capsule(0.05, 3.0),
        coal.Box(1.0, 0.5, 0.1),
    ]
    shapes.append(rounded_box((1.2, 0.7, 0.5), 0.1))
    others.append(coal.Box(1.0, 0.5, 0.3))
    others[-1].setSweptSphereRadius(0.1)
    pool = build_pool(shapes)
    request = coal.DistanceRequest()
    request.gjk_tolerance = 1e-12
    request.gjk_max_iterations = 10_000
    for _ in range(3_000):
        i, j = (int(k) for k in rng.integers(len(shapes), size=2))
        size = shapes[i].bounding_radius + shapes[j].bounding_radius
        pose_a, pose_b = random_pose(rng, size * rng.uniform(0.6, 2.0)), random_pose(rng, 1e-9)
        transforms = [coal.Transform3s(rotation_matrix(pose[3:]), np.array(pose[:3])) for pose in (pose_a, pose_b)]
        outside = coal.distance(others[i], transforms[0], others[j], transforms[1], request, coal.DistanceResult())
        if outside > 0.0:
            found = closest(*pool, i, pose_a, j, pose_b, -1, -1)[0]
            assert found == pytest.approx(outside, abs=TOLERANCE * max(outside, size))


def test_a_sphere_of_twenty_thousand_faces() -> None:
    """Distances agree with coal as it goes round a box, and following it takes few steps (Mirtich 1996, 2.2.1)."""
    fine = convex(trimesh.creation.icosphere(5).vertices)
    assert len(fine.faces) == 20_480
    shapes = [fine, box((1.0, 2.0, 0.5))]
    hulls = [hull_of(shape) for shape in shapes]
    pool = build_pool(shapes)
    request = coal.DistanceRequest()
    request.gjk_tolerance = 1e-12
    request.gjk_max_iterations = 10_000
    here = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    features = (-1, -1)
    steps = 0
    for k in range(300):
        angle = 0.02 * k
        x = np.array([2.3 * np.cos(angle), 3.0 * np.sin(angle), 0.3])
        q = np.array([np.cos(angle), 0.6 * np.sin(angle), 0.0, 0.8 * np.sin(angle)])
        pose = (float(x[0]), float(x[1]), float(x[2]), float(q[0]), float(q[1]), float(q[2]), float(q[3]))
        found = closest(*pool, 0, pose, 1, here, *features)
        features = (found[10], found[11])
        steps += found[12] if k else 0
        transforms = coal.Transform3s(rotation_matrix(q), x), coal.Transform3s(np.eye(3), np.zeros(3))
        outside = coal.distance(hulls[0], transforms[0], hulls[1], transforms[1], request, coal.DistanceResult())
        assert found[0] == pytest.approx(outside, abs=2.0 * TOLERANCE)
        assert closest(*pool, 0, pose, 1, here, -1, -1)[0] == pytest.approx(found[0], abs=1e-13)
    assert steps < 300 * 10
    inside = closest(*pool, 0, (0.2, 0.1, 0.0, 1.0, 0.0, 0.0, 0.0), 0, here, *features)
    assert -2.0 < inside[0] < -1.7
