"""Mass properties against trimesh on concave meshes, and against tables 6.1 and 6.2 (Mirtich 1996)."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from engine.geometry.mass_properties import mass_properties, polyhedron_integrals, principal_frame
from engine.geometry.shapes import Mesh, box, capsule, convex, rounded_box, sphere


def concave_meshes() -> list[trimesh.Trimesh]:
    """An annulus, an L-shaped bar, a bumpy ball and a torus, none of them where its centre of mass is."""
    ell = trimesh.creation.extrude_triangulation(
        np.array([[0.0, 0], [3, 0], [3, 1], [1, 1], [1, 2], [0, 2]]),
        np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]),
        0.7,
    )
    bumpy = trimesh.creation.icosphere(3)
    bumpy.vertices *= 1.0 + 0.3 * np.sin(5 * bumpy.vertices[:, :1]) * np.cos(4 * bumpy.vertices[:, 1:2])
    meshes = [trimesh.creation.annulus(0.4, 1.0, 0.5), ell, bumpy, trimesh.creation.torus(1.0, 0.25)]
    rng = np.random.default_rng(5)
    for mesh in meshes:
        mesh.apply_transform(trimesh.transformations.random_rotation_matrix(rng.random(3)))
        mesh.apply_translation(rng.normal(size=3))
    return meshes


@pytest.mark.parametrize("mesh", concave_meshes(), ids=["annulus", "ell", "bumpy", "torus"])
def test_concave_meshes_agree_with_trimesh(mesh: trimesh.Trimesh) -> None:
    assert mesh.is_watertight and not mesh.is_convex
    ours = mass_properties(Mesh(np.asarray(mesh.vertices), np.asarray(mesh.faces)))
    assert ours.volume == pytest.approx(mesh.volume, rel=1e-12)
    assert np.allclose(ours.centre, mesh.center_mass, rtol=0, atol=1e-12)
    assert np.allclose(ours.inertia, mesh.moment_inertia, rtol=0, atol=1e-11 * np.trace(mesh.moment_inertia))
    moments, q = principal_frame(ours.inertia)
    turn = trimesh.transformations.quaternion_matrix(q)[:3, :3]
    assert np.allclose(turn @ np.diag(moments) @ turn.T, ours.inertia, atol=1e-12 * np.trace(ours.inertia))


def test_table_6_1() -> None:
    cube = box((20.0, 20.0, 20.0))
    tetrahedron = convex([[0.0, 0, 0], [5, 0, 0], [0, 4, 0], [0, 0, 3]])
    expected = {
        "cube": (8000, 0, 0, 0, 8e5 / 3, 8e5 / 3, 8e5 / 3, 0, 0, 0),
        "tetrahedron": (10, 12.5, 10, 7.5, 25, 16, 9, 10, 6, 7.5),
    }
    for name, shape in (("cube", cube), ("tetrahedron", tetrahedron)):
        assert np.allclose(polyhedron_integrals(shape.vertices, shape.faces), expected[name], rtol=1e-14, atol=1e-10)


def test_table_6_2() -> None:
    """Ever finer approximations of a unit sphere: T_1 and T_xx as printed, T_x and T_yz zero but for rounding."""
    printed = [(2.536, 0.3670), (3.659, 0.6692), (4.047, 0.7911), (4.153, 0.8258), (4.180, 0.8347), (4.187, 0.8370)]
    for level, (volume, second) in enumerate(printed):
        mesh = trimesh.creation.icosphere(level)
        assert len(mesh.faces) == 20 * 4**level
        faces = tuple(tuple(int(v) for v in face) for face in mesh.faces)
        t = polyhedron_integrals(np.asarray(mesh.vertices), faces)
        assert t[0] == pytest.approx(volume, abs=6e-4)
        assert t[4] == pytest.approx(second, abs=6e-5)
        assert abs(t[1]) < 1e-14 and abs(t[8]) < 1e-14


def test_round_shapes_in_closed_form() -> None:
    assert mass_properties(sphere(0.3)).inertia[0, 0] == pytest.approx(8 / 15 * np.pi * 0.3**5, rel=1e-14)
    r, length = 0.2, 0.7
    pill = mass_properties(capsule(r, length))
    assert pill.volume == pytest.approx(np.pi * r**2 * (length + 4 / 3 * r), rel=1e-14)
    fine = trimesh.creation.capsule(height=length, radius=r, count=[256, 256])
    fine.apply_translation(-fine.center_mass)
    assert np.allclose(np.diag(pill.inertia), np.diag(fine.moment_inertia), rtol=2e-3)
    # A rounded box lies between the box inside it and the box around it, and near the hull of balls at its corners.
    size, radius = (0.5, 0.4, 0.3), 0.05
    soft = mass_properties(rounded_box(size, radius))
    ball = trimesh.creation.icosphere(5, radius=radius).vertices
    corners = [[x, y, z] for x in (-0.2, 0.2) for y in (-0.15, 0.15) for z in (-0.1, 0.1)]
    hull = trimesh.convex.convex_hull(np.vstack([ball + corner for corner in corners]))
    assert soft.volume == pytest.approx(hull.volume, rel=1e-3)
    assert np.allclose(np.diag(soft.inertia), np.diag(hull.moment_inertia), rtol=2e-3)
