"""How near balls are to bowls, funnels and rings, against the outlines as thousands of points."""

from __future__ import annotations

from math import hypot, inf

import numpy as np
import pytest

from engine.collision.narrow.bands import BESIDE, reach_band, room_at
from engine.collision.narrow.closest import closest
from engine.geometry.hollow import bowl, funnel, ring
from engine.geometry.hull_tree import CHILD, CHILDREN, Forest, pack_forest
from engine.geometry.pool import HEADER, VERTICES
from engine.geometry.shapes import Shape, sphere
from tests.unit.geometry.test_hollow import SHAPES

RADIUS = 0.01
IDENTITY = (1.0, 0.0, 0.0, 0.0)


def outline(shape: Shape) -> np.ndarray:
    points = []
    for stretch in shape.hollow:
        s = np.linspace(0.0, 1.0, 4001)[:, None]
        line = np.array(stretch.start) + s * (np.array(stretch.end) - np.array(stretch.start))
        if stretch.centre is not None:
            first, last = (np.array(end) - stretch.centre for end in (stretch.start, stretch.end))
            angle = np.arccos(first @ last / (first @ first))
            line = (np.sin((1.0 - s) * angle) * first + np.sin(s * angle) * last) / np.sin(angle) + stretch.centre
        points.append(line)
    return np.vstack(points)


def leaves(forest: Forest) -> range:
    root = forest.roots[0]
    return range(forest.trees[root, CHILD], forest.trees[root, CHILD] + forest.trees[root, CHILDREN])


@pytest.mark.parametrize("shape", SHAPES)
def test_the_nearest_contact_is_the_nearest_place(shape: Shape) -> None:
    forest = pack_forest([shape, sphere(RADIUS)])
    points = outline(shape)
    rng = np.random.default_rng(5)
    for p in rng.uniform(-0.8, 0.8, (100, 3)):
        off = points - (hypot(p[0], p[1]), p[2])
        expected = np.hypot(off[:, 0], off[:, 1]).min() - RADIUS
        found = []
        for leaf in leaves(forest):
            ball, wall = (*p, *IDENTITY), (0.0, 0.0, 0.0, *IDENTITY)
            a = closest(forest.geometry, forest.topology, forest.roots[1], ball, leaf, wall, -1, -1)
            b = closest(forest.geometry, forest.topology, leaf, wall, forest.roots[1], ball, -1, -1)
            assert a[0] == b[0] and np.allclose(a[7:10], -np.array(b[7:10]))
            assert np.allclose(np.array(a[1:4]) - a[4:7], a[0] * np.array(a[7:10]), atol=1e-12)
            assert a[0] >= expected - 1e-5
            if a[11] != BESIDE:
                found.append(a)
        nearest = min(found)
        assert nearest[0] == pytest.approx(expected, abs=1e-5)
        on_b = np.array(nearest[4:7])
        off = points - (hypot(on_b[0], on_b[1]), on_b[2])
        assert np.hypot(off[:, 0], off[:, 1]).min() < 2e-4


@pytest.mark.parametrize("shape", SHAPES)
def test_gaps_change_by_no_more_than_balls_move(shape: Shape) -> None:
    forest = pack_forest([shape])
    rng = np.random.default_rng(6)
    for leaf in leaves(forest):
        k = forest.topology[HEADER * leaf + VERTICES]
        for p in rng.uniform(-0.7, 0.7, (100, 3)):
            q = p + rng.normal(size=3) * 0.05
            one, other = (reach_band(forest.geometry, k, (float(x), float(y), float(z)))[0] for x, y, z in (p, q))
            assert abs(one - other) <= np.linalg.norm(p - q) * (1.0 + 1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_ball_of_the_room_meets_the_stretch_nowhere_else(shape: Shape) -> None:
    forest = pack_forest([shape])
    rng = np.random.default_rng(7)
    known = 0
    for leaf in leaves(forest):
        k = forest.topology[HEADER * leaf + VERTICES]
        for x, y, z in rng.uniform(-0.6, 0.6, (60, 3)):
            p = np.array((x, y, z))
            room = room_at(forest.geometry, k, (x, y, z))
            d, n, _ = reach_band(forest.geometry, k, (x, y, z))
            if room == 0.0:
                continue
            known += 1
            room = min(room, 5.0) if room != inf else 5.0
            centre = p + (room - d) * np.array(n)
            reach, _, _ = reach_band(forest.geometry, k, tuple(map(float, centre)))
            assert reach >= room - 1e-9
    assert known > 15


def test_a_ball_on_the_axis_of_a_cone_is_held_from_three_sides() -> None:
    forest = pack_forest([funnel(0.4, 0.0, 0.4, 0.02), sphere(0.1)])
    ball, wall = (0.0, 0.0, 0.0, *IDENTITY), (0.0, 0.0, 0.0, *IDENTITY)
    found = [
        closest(forest.geometry, forest.topology, forest.roots[1], ball, leaf, wall, -1, -1)
        for leaf in list(leaves(forest))[:3]
    ]
    assert all(each[11] != BESIDE for each in found)
    assert np.ptp([each[0] for each in found]) < 1e-15
    normals = np.array([each[7:10] for each in found])
    assert normals.sum(axis=0) == pytest.approx((0.0, 0.0, 3.0 / np.sqrt(2.0)), abs=1e-12)


def test_a_ball_outside_is_not_held_from_the_sides() -> None:
    for shape in (funnel(0.4, 0.1, 0.3, 0.02), ring(0.5, 0.2, 0.03), bowl(0.5, 0.3, 0.02)):
        forest = pack_forest([shape, sphere(0.3)])
        for x in np.linspace(0.3, 1.5, 40):
            ball, wall = (x, 0.0, -0.4, *IDENTITY), (0.0, 0.0, 0.0, *IDENTITY)
            for leaf in list(leaves(forest))[1:3]:
                found = closest(forest.geometry, forest.topology, forest.roots[1], ball, leaf, wall, -1, -1)
                nearest = closest(forest.geometry, forest.topology, forest.roots[1], ball, leaf - 1, wall, -1, -1)
                assert found[11] == BESIDE or found[0] > 0.0 or nearest[0] < 0.0
