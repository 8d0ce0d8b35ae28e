"""Hulls of meshes that a scene can hold, and inertia that a body can have."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from engine.importing.robot import Frame, Mass
from engine.importing.solids import MOST_CORNERS, hull_shape, joined, quaternion, sound_inertia


def test_large_hulls_are_thinned_out_and_say_by_how_much() -> None:
    directions = np.random.default_rng(1).normal(size=(3000, 3))
    points = directions / np.linalg.norm(directions, axis=1)[:, None] * [1.0, 0.5, 0.2]
    shape, inside = hull_shape(points)
    assert shape.convex is not None and len(shape.convex.vertices) == MOST_CORNERS
    kept = ConvexHull(shape.convex.vertices)
    worst = (points @ kept.equations[:, :3].T + kept.equations[:, 3]).max()
    assert worst == pytest.approx(inside, rel=1e-6) and inside < 0.03
    assert kept.volume > 0.9 * ConvexHull(points).volume


def test_small_hulls_stay_what_they_are() -> None:
    box = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 2.0) for z in (0.0, 3.0)])
    shape, inside = hull_shape(np.vstack([box, [[0.5, 0.5, 0.5]]]))
    assert shape.convex is not None and inside == 0.0
    assert {tuple(one) for one in shape.convex.vertices} == {tuple(one) for one in box.tolist()}
    with pytest.raises(ValueError, match="encloses no volume"):
        hull_shape(box[box[:, 2] == 0.0])


def test_inertia_is_made_sound_only_where_it_is_not() -> None:
    good = np.diag([1.0, 2.0, 2.5])
    assert sound_inertia(good) == (pytest.approx(good), False)
    tensor, changed = sound_inertia(np.diag([0.0, 1.0, 3.0]))
    least, middle, most = np.linalg.eigvalsh(tensor)
    assert changed and least > 0.0 and most == pytest.approx(3.0) and least + middle >= most * (1.0 - 1e-12)


def test_masses_add_up_as_steiner_says() -> None:
    ball = Mass(2.0, np.zeros(3), 0.1 * np.eye(3))
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    moved = ball.inside(Frame(turn, np.array([1.0, 0.0, 0.0])))
    both = joined([ball, moved])
    assert both.mass == 4.0
    np.testing.assert_allclose(both.centre, [0.5, 0.0, 0.0])
    np.testing.assert_allclose(both.inertia, np.diag([0.2, 1.2, 1.2]), atol=1e-12)
    assert quaternion(turn) == pytest.approx((0.5**0.5, 0.0, 0.0, 0.5**0.5))
