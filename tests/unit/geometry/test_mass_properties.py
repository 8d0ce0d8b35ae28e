"""Mass properties: frames, moved shapes, and what has none."""

from __future__ import annotations

import numpy as np
import pytest

from engine.geometry.errors import GeometryError
from engine.geometry.mass_properties import attach_masses, mass_properties, principal_frame
from engine.geometry.shapes import (
    POLYHEDRON,
    Mesh,
    Shape,
    box,
    capsule,
    cone,
    convex,
    cylinder,
    ellipsoid,
    plane,
    rotation_matrix,
    rounded_box,
    sphere,
    superquadric,
)

TURN = (0.4, -0.3, 0.8, 0.1)
SHIFT = np.array([0.5, -2.0, 1.0])
TETRAHEDRON = convex([[0.0, 0, 0], [5, 0, 0], [0, 4, 0], [0, 0, 3]])


SHAPES = [sphere(0.3), capsule(0.2, 1.0), box((1.0, 2.0, 3.0)), rounded_box((1.0, 2.0, 3.0), 0.2), TETRAHEDRON]
SMOOTH = [cylinder(0.5, 1.3), cone(0.5, 1.2), ellipsoid((0.5, 0.3, 0.2)), superquadric((0.5, 0.4, 0.3), (4.0, 6.0))]


@pytest.mark.parametrize("shape", SHAPES + SMOOTH)
def test_moving_a_shape_moves_its_mass(shape: Shape) -> None:
    here, there = mass_properties(shape), mass_properties(shape.transformed(SHIFT, TURN))
    turn = rotation_matrix(TURN)
    scale = np.trace(here.inertia)
    assert there.volume == pytest.approx(here.volume, rel=1e-13)
    assert np.allclose(there.centre, turn @ here.centre + SHIFT, rtol=0.0, atol=1e-13)
    assert np.allclose(there.inertia, turn @ here.inertia @ turn.T, rtol=0.0, atol=1e-13 * scale)
    moments, q = principal_frame(there.inertia)
    axes = rotation_matrix(q)
    assert np.allclose(axes @ np.diag(moments) @ axes.T, there.inertia, rtol=0.0, atol=1e-13 * scale)


def test_a_box_is_a_box() -> None:
    found = mass_properties(box((1.0, 2.0, 3.0)))
    assert found.volume == pytest.approx(6.0, rel=1e-15)
    assert np.allclose(found.inertia, np.diag([6.5, 5.0, 2.5]), rtol=0.0, atol=1e-14)
    assert np.array_equal(found.centre, np.zeros(3))


def test_a_rounded_box_tends_to_a_box_and_to_a_ball() -> None:
    hard, soft = mass_properties(box((1.0, 2.0, 3.0))), mass_properties(rounded_box((1.0, 2.0, 3.0), 1e-9))
    assert np.allclose(hard.inertia, soft.inertia, rtol=1e-8)
    ball, cube = mass_properties(sphere(0.5)), mass_properties(rounded_box((1.0, 1.0, 1.0), 0.5 - 1e-9))
    assert cube.volume == pytest.approx(ball.volume, rel=1e-7)
    assert np.allclose(ball.inertia, cube.inertia, rtol=1e-7, atol=1e-15)


def test_a_rounded_box_by_counting_points() -> None:
    inside = np.random.default_rng(5).uniform(-0.5, 0.5, (400_000, 3)) * [1.0, 2.0, 3.0]
    core = np.clip(inside, [-0.3, -0.8, -1.3], [0.3, 0.8, 1.3])
    inside = inside[np.linalg.norm(inside - core, axis=1) <= 0.2]
    found = mass_properties(rounded_box((1.0, 2.0, 3.0), 0.2))
    assert found.volume == pytest.approx(6.0 * len(inside) / 400_000, rel=5e-3)
    squares = (inside**2).mean(axis=0) * found.volume
    assert np.allclose(np.diag(found.inertia), squares.sum() - squares, rtol=5e-3)


def test_cylinders_cones_and_ellipsoids_by_the_textbook() -> None:
    can = mass_properties(cylinder(0.5, 1.3))
    assert can.volume == pytest.approx(np.pi * 0.25 * 1.3, rel=1e-14)
    across = 0.25 / 4.0 + 1.3**2 / 12.0
    assert np.allclose(can.inertia, can.volume * np.diag([across, across, 0.125]), rtol=1e-14, atol=1e-16)
    hat = mass_properties(cone(0.5, 1.2))
    assert hat.volume == pytest.approx(np.pi * 0.25 * 1.2 / 3.0, rel=1e-14)
    assert np.allclose(hat.centre, [0.0, 0.0, -0.3], rtol=0.0, atol=1e-15)
    across = 3.0 / 80.0 * (4.0 * 0.25 + 1.44)
    assert np.allclose(hat.inertia, hat.volume * np.diag([across, across, 0.3 * 0.25]), rtol=1e-13, atol=1e-16)
    egg = mass_properties(ellipsoid((0.5, 0.3, 0.2)))
    assert egg.volume == pytest.approx(4.0 / 3.0 * np.pi * 0.03, rel=1e-14)
    assert np.allclose(egg.inertia, egg.volume / 5.0 * np.diag([0.13, 0.29, 0.34]), rtol=1e-13, atol=1e-16)
    stump = mass_properties(cone(0.5, 1.2, 0.2))
    whole, top = mass_properties(cone(0.5, 2.0)), mass_properties(cone(0.2, 0.8))
    assert stump.volume == pytest.approx(whole.volume - top.volume, rel=1e-14)


def test_superquadrics_by_integration() -> None:
    from scipy.integrate import dblquad

    a, b, c, p, q = 0.5, 0.4, 0.3, 3.0, 5.0

    def half(x: float, y: float) -> float:
        rest = 1.0 - (x**p + y**p) ** (q / p)
        return float(c * max(rest, 0.0) ** (1.0 / q))

    def integrate(power_x: int, power_z: int) -> float:
        # x, y in units of a, b; the column at (x, y) reaches from -half to half.
        value, _ = dblquad(
            lambda y, x: (a * x) ** power_x * half(x, y) ** (1 + power_z) / (1 + power_z),
            0.0, 1.0, 0.0, lambda x: (1.0 - x**p) ** (1.0 / p), epsabs=1e-9,
        )  # fmt: skip
        return 8.0 * a * b * value

    found = mass_properties(superquadric((a, b, c), (p, q)))
    squares = 0.5 * np.trace(found.inertia) - np.diag(found.inertia)
    assert found.volume == pytest.approx(integrate(0, 0), rel=1e-6)
    assert squares[0] == pytest.approx(integrate(2, 0), rel=1e-6)
    assert squares[2] == pytest.approx(integrate(0, 2), rel=1e-6)


def test_attached_masses_move_the_centre_and_turn_the_axes() -> None:
    egg = mass_properties(ellipsoid((0.1, 0.04, 0.02)))
    density = 0.5 / egg.volume
    place = np.array([0.05, 0.02, 0.0])
    mass, centre, inertia = attach_masses(0.5, egg.centre, density * egg.inertia, [(0.03, place)])
    assert mass == pytest.approx(0.53)
    assert np.allclose(centre, 0.03 / 0.53 * place)
    # By Steiner, about the origin: the sum of the two.
    about = inertia + 0.53 * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    assert np.allclose(about, density * egg.inertia + 0.03 * (place @ place * np.eye(3) - np.outer(place, place)))
    _, q = principal_frame(inertia)
    assert 0.0 < 2.0 * np.degrees(np.arcsin(abs(q[3]))) < 45.0


def test_a_diagonal_inertia_keeps_its_axes() -> None:
    moments, q = principal_frame(np.diag([3.0, 1.0, 2.0]))
    assert np.array_equal(moments, [3.0, 1.0, 2.0])
    assert np.array_equal(q, [1.0, 0.0, 0.0, 0.0])
    turn = rotation_matrix((1.0, 0.01, 0.02, -0.03))
    moments, q = principal_frame(turn @ np.diag([3.0, 1.0, 2.0]) @ turn.T)
    assert np.allclose(moments, [3.0, 1.0, 2.0])  # a small turn, not another order of the axes
    assert q[0] > 0.999


def test_what_has_no_mass() -> None:
    with pytest.raises(GeometryError, match="plane has no mass"):
        mass_properties(plane())
    faces = np.array(TETRAHEDRON.faces)
    with pytest.raises(GeometryError, match="point inwards"):
        mass_properties(Mesh(TETRAHEDRON.vertices, faces[:, ::-1]))
    with pytest.raises(GeometryError, match="not closed: 3 edges"):
        mass_properties(Mesh(TETRAHEDRON.vertices, faces[1:]))
    with pytest.raises(GeometryError, match="only a rounded box"):
        mass_properties(Shape(POLYHEDRON, TETRAHEDRON.vertices, TETRAHEDRON.faces, radius=0.1))
