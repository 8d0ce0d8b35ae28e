"""Shapes: what they are made of, and the errors that tell people what to change."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from engine.geometry.errors import GeometryError
from engine.geometry.mesh_shapes import mesh_file
from engine.geometry.polyhedron import find_features
from engine.geometry.shapes import (
    Shape,
    box,
    capsule,
    cone,
    convex,
    cylinder,
    ellipsoid,
    plane,
    revolved,
    rotation_matrix,
    rounded_box,
    sphere,
    superquadric,
)
from engine.geometry.surface import surface_mesh

CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-2.0, 2.0) for z in (-3.0, 3.0)])


def test_a_box_has_its_features() -> None:
    shape = box((2.0, 4.0, 6.0))
    features = find_features(shape.vertices, shape.faces)
    assert len(shape.vertices) == 8 and len(features.edges) == 12 and len(shape.faces) == 6
    assert np.array_equal(features.offsets, np.abs(features.normals @ [1.0, 2.0, 3.0]))
    assert all(len(halves) == 3 for halves in features.edges_of_vertex)


@pytest.mark.parametrize("turn", [(1.0, 0.0, 0.0, 0.0), (0.3, -0.5, 0.7, 0.1)])
def test_a_hull_of_a_boxs_points_is_the_box(turn: tuple[float, ...]) -> None:
    inner = np.random.default_rng(1).uniform(-1.0, 1.0, (50, 3))
    on_faces = np.array([[1.0, 0.3, 0.2], [0.0, 0.0, 3.0], [1.0, 2.0, 0.0]])  # in a face, on its middle, on an edge
    shape = convex(np.vstack([CORNERS, inner, on_faces]) @ rotation_matrix(turn).T + [5.0, 6.0, 7.0])
    features = find_features(shape.vertices, shape.faces)
    assert len(shape.vertices) == 8 and len(features.edges) == 12
    assert [len(face) for face in shape.faces] == [4] * 6
    assert (features.normals @ shape.vertices.mean(axis=0) < features.offsets).all()


def test_a_drum_has_two_round_faces() -> None:
    angles = np.arange(60) * np.pi / 30.0
    rim = np.column_stack([np.cos(angles), np.sin(angles)])
    shape = convex(np.vstack([np.column_stack([rim, np.full(60, z)]) for z in (-0.1, 0.1)]))
    assert sorted(len(face) for face in shape.faces) == [4] * 60 + [60, 60]


def test_a_hull_keeps_every_point_inside() -> None:
    rng = np.random.default_rng(2)
    for size in (4, 5, 9, 40, 400):
        points = rng.normal(size=(size, 3)) * [10.0, 1.0, 0.01]
        shape = convex(points)
        features = find_features(shape.vertices, shape.faces)
        assert (points @ features.normals.T - features.offsets).max() < 1e-12 * np.abs(points).max()
        assert len(shape.vertices) - len(features.edges) + len(shape.faces) == 2


def test_moving_a_shape() -> None:
    quarter = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))
    moved = capsule(0.1, 2.0).transformed((1.0, 2.0, 3.0), (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0))
    assert np.allclose(moved.vertices, [[0.0, 2.0, 3.0], [2.0, 2.0, 3.0]])
    assert moved.bounding_radius == pytest.approx(np.sqrt(17.0) + 0.1)
    assert np.allclose(box((2.0, 4.0, 6.0)).transformed((0.0, 0.0, 0.0), quarter).vertices[7], [-2.0, 1.0, 3.0])
    ground = plane().transformed((0.0, 0.0, 2.0), quarter)
    assert np.allclose(ground.vertices, [[0.0, 0.0, 2.0], [0.0, 0.0, 1.0]])
    assert ground.bounding_radius == np.inf
    assert np.array_equal(sphere(0.5).transformed((0.0,) * 3, (1.0, 0.0, 0.0, 0.0)).vertices, [[0.0, 0.0, 0.0]])


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: sphere(-1.0), "radius of a sphere must be a positive number: got -1"),
        (lambda: sphere(float("nan")), "radius of a sphere"),
        (lambda: capsule(0.1, 0.0), "length of a capsule"),
        (lambda: box((1.0, 2.0)), "needs three sides"),
        (lambda: box((1.0, -2.0, 3.0)), "y side of a box"),
        (lambda: rounded_box((1.0, 2.0, 3.0), 0.5), "less than half its smallest side"),
        (lambda: cylinder(0.0, 1.0), "radius of a cylinder"),
        (lambda: cone(0.1, -1.0), "height of a cone"),
        (lambda: ellipsoid((1.0, 2.0)), "an ellipsoid needs three"),
        (lambda: superquadric((1.0, 1.0, 1.0), (0.5, 2.0)), "below 1 it is not convex"),
        (lambda: superquadric((1.0, 1.0, 1.0), (2.0, 50.0)), "from 1.2 to 10"),
        (lambda: revolved([(0.0, 0.0), (0.0, 1.0)]), "two or more rims"),
        (lambda: revolved([(1.0, 0.0), (1.0, 0.0)]), "from low to high"),
        (lambda: revolved([(1.0, 0.0), (0.2, 1.0), (1.0, 2.0)]), "bend inwards at every rim"),
        (lambda: convex([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), "at least four points: got 3"),
        (lambda: convex([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [3, 4, 0], [5, 1, 0]]), "one plane"),
        (lambda: convex([[0.0, 0, 0]] * 9), "one plane"),
        (lambda: convex([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, np.inf]]), "finite"),
        (lambda: convex([[0.0, 0], [1, 0], [0, 1], [0, 0]]), "three numbers"),
        (lambda: mesh_file("nowhere.stl"), "there is no mesh file"),
        (lambda: mesh_file("nowhere.stl", -2.0), "scale of a mesh"),
        (lambda: sphere(1.0).transformed((0.0,) * 3, (0.0,) * 4), "quaternion 0"),
    ],
)
def test_errors_say_what_is_wrong(build: Callable[[], Shape], says: str) -> None:
    with pytest.raises(GeometryError, match=says) as caught:
        build()
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("shape", [cylinder(0.5, 1.0), cone(0.4, 1.0), cone(0.4, 1.0, 0.6), ellipsoid((0.3, 0.2, 0.1))])
def test_smooth_solids_reach_as_far_as_their_boxes_and_balls_say(shape: Shape) -> None:
    moved = shape.transformed((0.3, -0.2, 0.1), (0.9, 0.3, -0.2, 0.1))
    vertices = surface_mesh(moved, 200)[0].astype(float)  # type: ignore[index]
    low, high = moved.bounds
    assert np.allclose(vertices.min(axis=0), low, atol=1e-3) and np.allclose(vertices.max(axis=0), high, atol=1e-3)
    furthest = np.linalg.norm(vertices, axis=1).max()
    assert furthest - 1e-6 <= moved.bounding_radius <= 1.25 * furthest


def test_the_furthest_corner_of_a_superquadric_is_on_its_ball() -> None:
    for exponents in ((4.0, 4.0), (3.0, 6.0), (8.0, 1.5), (1.5, 8.0)):
        shape = superquadric((0.5, 0.4, 0.3), exponents)
        vertices = surface_mesh(shape, 400)[0].astype(float)  # type: ignore[index]
        assert shape.bounding_radius == pytest.approx(np.linalg.norm(vertices, axis=1).max(), rel=1e-3)


def test_open_and_inconsistent_surfaces_are_refused() -> None:
    shape = box((1.0, 1.0, 1.0))
    with pytest.raises(GeometryError, match="not closed: 4 edges"):
        find_features(shape.vertices, shape.faces[1:])
    with pytest.raises(GeometryError, match="run it the same way"):
        find_features(shape.vertices, (shape.faces[0][::-1], *shape.faces[1:]))
    with pytest.raises(GeometryError, match="no area"):
        find_features(shape.vertices * [1.0, 1.0, 0.0], shape.faces)
