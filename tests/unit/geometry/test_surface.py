"""Meshes read from files, and surfaces made for drawing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from engine.geometry.errors import GeometryError
from engine.geometry.mass_properties import mass_properties
from engine.geometry.mesh_shapes import mesh_file
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
    rounded_box,
    sphere,
    superquadric,
)
from engine.geometry.surface import surface_mesh

TETRAHEDRON = convex([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
SHAPES = [sphere(1.0), capsule(0.2, 1.0), box((1.0, 2.0, 3.0)), rounded_box((1.0, 2.0, 3.0), 0.2), TETRAHEDRON]
SHAPES += [cylinder(0.5, 1.0), cone(0.5, 1.0), cone(0.5, 1.0, 0.2), ellipsoid((0.5, 0.4, 0.3))]
SHAPES += [revolved([(0.2, -0.5), (0.5, 0.0), (0.0, 0.4)]), superquadric((0.5, 0.4, 0.3), (3.0, 2.5))]


@pytest.mark.parametrize("shape", [*SHAPES, *[s.transformed((1.0, 2.0, 3.0), (0.1, 0.7, -0.3, 0.5)) for s in SHAPES]])
def test_a_surface_is_closed_and_faces_outwards(shape: Shape) -> None:
    surface = surface_mesh(shape, 96)
    assert surface is not None
    vertices, faces, normals = surface
    assert (vertices.dtype, faces.dtype, normals.dtype) == (np.float32, np.uint32, np.float32)
    flat = trimesh.Trimesh(vertices, faces, process=False)
    assert (np.einsum("ij,ij->i", flat.face_normals, normals[faces[:, 0]]) > 0.99).all()
    assert np.allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-6)
    flat.merge_vertices(digits_vertex=5, merge_norm=True)
    assert flat.is_watertight
    assert flat.volume == pytest.approx(mass_properties(shape).volume, rel=3e-3)


def test_smoothness_is_the_number_of_corners() -> None:
    def count(smoothness: int) -> int:
        surface = surface_mesh(sphere(1.0), smoothness)
        assert surface is not None
        level = surface[0][np.abs(surface[0][:, 2]) < 1e-6]
        return len(np.unique(level.round(5), axis=0))

    assert [count(n) for n in (8, 24, 48)] == [8, 24, 48]


def test_rims_are_crisp() -> None:
    surface = surface_mesh(cylinder(0.5, 1.0))
    assert surface is not None
    vertices, _, normals = surface
    rim = np.isclose(np.hypot(vertices[:, 0], vertices[:, 1]), 0.5) & np.isclose(vertices[:, 2], 0.5)
    across = np.hypot(normals[rim, 0], normals[rim, 1])
    assert (np.isclose(across, 0.0) | np.isclose(across, 1.0)).all()
    assert np.isclose(across, 0.0).sum() == np.isclose(across, 1.0).sum()


def test_flat_faces_are_shaded_flat_and_a_plane_has_no_surface() -> None:
    surface = surface_mesh(box((1.0, 1.0, 1.0)))
    assert surface is not None
    assert len(surface[0]) == 24 and len(surface[1]) == 12
    assert np.array_equal(np.sort(np.abs(surface[2]), axis=1), [[0.0, 0.0, 1.0]] * 24)
    assert surface_mesh(plane()) is None


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply", "glb"])
def test_a_mesh_file_weighs_what_it_holds(suffix: str, tmp_path: Path) -> None:
    tube = trimesh.creation.annulus(0.5, 1.0, 2.0)
    tube.export(tmp_path / f"tube.{suffix}")
    shape = mesh_file(tmp_path / f"tube.{suffix}", scale=0.1)
    assert mass_properties(shape).volume == pytest.approx(tube.volume * 1e-3, rel=1e-6)
    assert len(shape.faces) == 34  # it collides as a drum of 32 sides
    surface = surface_mesh(shape)
    assert surface is not None
    assert len(surface[1]) == len(tube.faces)  # and is drawn with its hole


def test_a_mesh_inside_out_is_turned(tmp_path: Path) -> None:
    ball = trimesh.creation.icosphere(2)
    trimesh.Trimesh(ball.vertices, ball.faces[:, ::-1], process=False).export(tmp_path / "ball.ply")
    assert mass_properties(mesh_file(tmp_path / "ball.ply")).volume == pytest.approx(ball.volume, rel=1e-6)


def test_files_that_hold_no_solid(tmp_path: Path) -> None:
    ball = trimesh.creation.icosphere(1)
    trimesh.Trimesh(ball.vertices, ball.faces[3:], process=False).export(tmp_path / "open.stl")
    with pytest.raises(GeometryError, match=r"open\.stl: the surface is not closed: \d+ edges"):
        mesh_file(tmp_path / "open.stl")
    (tmp_path / "words.obj").write_text("these are words\n")
    with pytest.raises(GeometryError, match=r"words\.obj"):
        mesh_file(tmp_path / "words.obj")
    (tmp_path / "thing.xyz123").write_bytes(b"\x00\x01")
    with pytest.raises(GeometryError, match="OBJ, STL, PLY and glTF"):
        mesh_file(tmp_path / "thing.xyz123")
