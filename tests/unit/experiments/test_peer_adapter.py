"""What the peers' harness says of a body reaches Carom: its inertia, where its shape sits, ellipsoids."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.model.model import MASS, MOMENTS
from tests.benchmark.peer_adapter import Carom

HALF = np.sqrt(0.5)


def harness_scene(*bodies: dict[str, Any]) -> dict[str, Any]:
    common = {"mat": "m", "static": False, "mass": 2.0, "inertia": [0.1, 0.12, 0.2]}
    common |= {"quat": [1.0, 0.0, 0.0, 0.0], "v": [0.0, 0.0, 0.0], "w": [0.0, 0.0, 0.0], "shape_pos": [0.0, 0.0, 0.0]}
    return {
        "bodies": [common | body for body in bodies],
        "joints": [],
        "mats": {"m": {"mu": 0.5, "e": 0.0}},
        "pairs": [],
        "g": [0.0, 0.0, -9.81],
        "size": 0.2,
        "collide": False,
    }


def test_a_shape_beside_the_centre_flies_about_the_centre() -> None:
    shape = {"type": "box", "h": [0.1, 0.2, 0.3]}
    thrown = {"name": "a", "shape": shape, "pos": [1.0, 2.0, 3.0], "quat": [HALF, 0.0, HALF, 0.0]}
    thrown |= {"shape_pos": [0.05, -0.02, 0.1], "shape_quat": [HALF, HALF, 0.0, 0.0]}
    thrown |= {"v": [1.0, 0.0, 0.0], "w": [0.3, 2.0, 0.1]}
    engine = Carom(harness_scene(thrown), 0.01)
    row = engine._world.model.bodies[0]
    assert row[MASS] == 2.0 and sorted(np.round(row[MOMENTS : MOMENTS + 3], 12)) == [0.1, 0.12, 0.2]
    centres, turns, v, w = engine.state()
    np.testing.assert_allclose(centres[0], thrown["pos"], atol=1e-12)
    np.testing.assert_allclose(turns[0] * np.sign(turns[0, 0]), thrown["quat"], atol=1e-12)
    np.testing.assert_allclose([v[0], w[0]], [thrown["v"], thrown["w"]], atol=1e-12)
    corner = engine._world.poses()[0, :3]
    np.testing.assert_allclose(corner, [1.0 + 0.1, 2.0 - 0.02, 3.0 - 0.05], atol=1e-12)
    engine.step(30)
    centres, turns, _, w = engine.state()
    np.testing.assert_allclose(centres[0], [1.3, 2.0, 3.0 - 0.5 * 9.81 * 0.09], atol=1e-12)
    # Angular momentum, with the principal axes along the body's frame, stays.
    from engine.geometry.shapes import rotation_matrix

    moments = np.diag([0.1, 0.12, 0.2])
    before, after = (rotation_matrix(np.array(q)) for q in (thrown["quat"], turns[0]))
    np.testing.assert_allclose(
        after @ moments @ after.T @ w[0], before @ moments @ before.T @ np.array(thrown["w"]), atol=1e-12
    )


def test_an_ellipsoid_is_known() -> None:
    body = {"name": "egg", "shape": {"type": "ellipsoid", "axes": [0.1, 0.2, 0.3]}, "pos": [0.0, 0.0, 1.0]}
    engine = Carom(harness_scene(body), 0.01)
    assert engine._world.scene.bodies[0].shape.ellipsoid == (0.1, 0.2, 0.3)
