"""Picking by ray cast: the same body, and the same point of it, as the picture shows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from app.view.viewport import camera as cam
from app.view.viewport.camera import CameraState
from app.view.viewport.meshes import body_set
from app.view.viewport.picking import Picker
from engine.geometry.shapes import rotation_matrix
from engine.scene.schema import Scene

SIZE = (400, 300)
TURN = {"axis": (1.0, 2.0, -0.5), "degrees": 50.0}


def make(*bodies: dict[str, Any]) -> Scene:
    return Scene.model_validate({"format": 1, "body": [{"name": f"b{k}", **body} for k, body in enumerate(bodies)]})


SHAPES: list[dict[str, Any]] = [
    {"sphere": {"radius": 0.4}},
    {"box": (0.3, 0.8, 0.5)},
    {"capsule": {"radius": 0.2, "length": 0.6}},
    {"rounded_box": {"size": (0.6, 0.4, 0.5), "radius": 0.1}},
    {"cylinder": {"radius": 0.3, "length": 0.5}},
    {"prism": {"sides": 7, "radius": 0.4, "height": 0.3}},
]


def distance_inside(kind: str, value: Any, local: NDArray[np.float64]) -> float:
    """Signed distance of a point from a surface, negative inside, by closed forms."""
    if kind == "sphere":
        return float(np.linalg.norm(local)) - value.radius
    if kind == "capsule":
        z = float(np.clip(local[2], -value.length / 2, value.length / 2))
        return float(np.linalg.norm(local - (0.0, 0.0, z))) - value.radius
    if kind == "cylinder":
        past = np.array([np.hypot(local[0], local[1]) - value.radius, abs(local[2]) - value.length / 2])
        return float(np.linalg.norm(np.maximum(past, 0.0)) + min(past.max(), 0.0))
    size, radius = (value, 0.0) if kind == "box" else (value.size, value.radius)
    past = np.abs(local) - (np.array(size) / 2 - radius)
    return float(np.linalg.norm(np.maximum(past, 0.0)) + min(past.max(), 0.0)) - radius


@pytest.mark.parametrize("shape", SHAPES[:5], ids=lambda shape: next(iter(shape)))
def test_the_local_point_lies_on_the_shape_and_the_world_point_is_the_same(shape: dict[str, Any]) -> None:
    scene = make({"shape": shape, "position": (0.2, -0.1, 0.3), "orientation": TURN})
    bodies = body_set(scene)
    picker = Picker.of(bodies)
    view = CameraState((1.5, -2.0, 1.2), (0.2, -0.1, 0.3))
    hits = 0
    for x, y in np.random.default_rng(1).uniform((100, 75), (300, 225), (200, 2)):
        origin, direction = cam.pixel_ray(x, y, view, SIZE)
        hit = picker.cast(origin, direction, bodies.poses)
        if hit is None:
            continue
        hits += 1
        local = np.array(hit.local)
        body = scene.body[0]
        assert abs(distance_inside(body.shape.kind, body.shape.value, local)) < 3e-3  # round meshes have corners
        turned = rotation_matrix(bodies.poses[0, 3:]) @ local + bodies.poses[0, :3]
        assert turned == pytest.approx(hit.point, abs=1e-9)
        assert cam.project(hit.point, view, SIZE)[:2] == pytest.approx((x, y), abs=1e-6)
        # Nothing of the body lies between the eye and the point.
        assert hit.distance == pytest.approx(float(np.linalg.norm(np.array(hit.point) - origin)))
        before = rotation_matrix(bodies.poses[0, 3:]).T @ (np.array(hit.point) - 0.01 * direction - bodies.poses[0, :3])
        assert distance_inside(body.shape.kind, body.shape.value, before) > -3e-3
    assert hits > 40


def test_the_nearest_of_two_is_picked() -> None:
    scene = make(
        {"shape": {"box": (1.0, 1.0, 1.0)}, "position": (0.0, 2.0, 0.0)},
        {"shape": {"sphere": {"radius": 0.3}}, "position": (0.0, 0.0, 0.0)},
    )
    bodies = body_set(scene)
    picker = Picker.of(bodies)
    front = picker.cast((0.0, -5.0, 0.0), (0.0, 1.0, 0.0), bodies.poses)
    behind = picker.cast((0.0, 9.0, 0.0), (0.0, -1.0, 0.0), bodies.poses)
    assert front is not None and front.body == 1
    assert front.point == pytest.approx((0.0, -0.3, 0.0))
    assert behind is not None and behind.body == 0
    assert behind.point == pytest.approx((0.0, 2.5, 0.0))


def test_beside_everything_there_is_nothing() -> None:
    bodies = body_set(make({"shape": {"box": (1.0, 1.0, 1.0)}}))
    assert Picker.of(bodies).cast((0.0, -5.0, 0.9), (0.0, 1.0, 0.0), bodies.poses) is None
    assert Picker.of(bodies).cast((0.0, 5.0, 0.0), (0.0, 1.0, 0.0), bodies.poses) is None


def test_a_corner_of_the_bounding_ball_is_not_the_body() -> None:
    bodies = body_set(make({"shape": {"box": (2.0, 0.1, 0.1)}}))
    assert Picker.of(bodies).cast((0.0, -5.0, 0.5), (0.0, 1.0, 0.0), bodies.poses) is None


def test_a_tilted_plane_is_met_from_above_only() -> None:
    scene = make({"shape": {"plane": {}}, "motion": "fixed", "orientation": {"axis": (0.0, 1.0, 0.0), "degrees": 30.0}})
    bodies = body_set(scene)
    picker = Picker.of(bodies)
    hit = picker.cast((0.0, 0.0, 2.0), (0.0, 0.0, -1.0), bodies.poses)
    assert hit is not None
    assert hit.point == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
    assert picker.cast((0.0, 0.0, -2.0), (0.0, 0.0, 1.0), bodies.poses) is None


def test_many_bodies_against_brute_force() -> None:
    """1000 turned bodies of all shapes but balls: the picker finds what a search over all triangles in numpy finds."""
    rng = np.random.default_rng(7)
    turns = rng.normal(size=(1000, 4))
    scene = make(
        *(
            {
                "shape": SHAPES[1 + k % (len(SHAPES) - 1)],
                "position": tuple(rng.uniform(-8, 8, 3)),
                "orientation": tuple(turns[k]),
            }
            for k in range(1000)
        )
    )
    bodies = body_set(scene)
    picker = Picker.of(bodies)
    corners = [
        (bodies.meshes[mesh].vertices * bodies.scale[row]) @ rotation_matrix(bodies.poses[row, 3:]).T
        + bodies.poses[row, :3]
        for row, mesh in enumerate(bodies.mesh)
    ]
    triangles = [points[bodies.meshes[mesh].faces] for points, mesh in zip(corners, bodies.mesh, strict=True)]
    owner = np.repeat(np.arange(1000), [len(part) for part in triangles])
    all_triangles = np.concatenate(triangles)
    found = 0
    for _ in range(20):
        origin = rng.uniform(-12, 12, 3)
        direction = rng.normal(size=3) - 0.2 * origin
        direction /= np.linalg.norm(direction)
        expected = nearest_triangle(origin, direction, all_triangles)
        hit = picker.cast(origin, direction, bodies.poses)
        if expected is None:
            continue
        found += 1
        assert hit is not None
        assert hit.body == owner[expected[0]]
        assert hit.distance == pytest.approx(expected[1], abs=1e-4)  # vertices are single precision
    assert found >= 10


def nearest_triangle(
    origin: NDArray[np.float64], direction: NDArray[np.float64], triangles: NDArray[np.float64]
) -> tuple[int, float] | None:
    """Index and distance of the first triangle on a ray, by solving for all of them at once."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    matrix = np.stack([b - a, c - a, np.broadcast_to(-direction, a.shape)], axis=2).astype(float)
    regular = np.abs(np.linalg.det(matrix)) > 1e-15
    u, v, t = np.linalg.solve(matrix[regular], (origin - a[regular])[..., None])[..., 0].T
    inside = (u >= 0) & (v >= 0) & (u + v <= 1) & (t > 0)
    if not inside.any():
        return None
    rows = np.flatnonzero(regular)[inside]
    nearest = int(np.argmin(t[inside]))
    return int(rows[nearest]), float(t[inside][nearest])
