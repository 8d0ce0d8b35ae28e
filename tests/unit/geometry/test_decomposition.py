"""Meshes in convex pieces: cut once, the same each time, close to the mesh, of the mesh's own mass."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from engine.geometry.decomposition import decompose, is_decomposed, listen
from engine.geometry.mass_properties import mass_properties
from engine.geometry.shapes import Mesh, Shape

TORUS = trimesh.creation.torus(1.0, 0.3, major_sections=10, minor_sections=6)


def test_a_torus_is_cut_once_and_keeps_its_hole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAROM_CACHE_DIR", str(tmp_path))
    mesh = Mesh(np.asarray(TORUS.vertices), np.asarray(TORUS.faces))
    assert not is_decomposed(mesh)
    said: list[str] = []
    with listen(said.append):
        first = decompose(mesh, "ring.obj")
        assert is_decomposed(mesh)
        again = decompose(mesh, "ring.obj")
    assert said == ["Cutting ring.obj into convex pieces", ""]
    assert len(first.pieces) >= 6
    for piece, same in zip(first.pieces, again.pieces, strict=True):
        assert piece.vertices.tobytes() == same.vertices.tobytes()
        # Nothing fills the hole.
        assert not trimesh.Trimesh(*_triangles(piece)).contains([[0.0, 0.0, 0.0]])[0]
    assert mass_properties(first).volume == pytest.approx(TORUS.volume)
    pieces = sum(mass_properties(piece).volume for piece in first.pieces)
    assert pieces == pytest.approx(TORUS.volume, rel=0.25)


def _triangles(piece: Shape) -> tuple[np.ndarray, list[tuple[int, int, int]]]:
    faces = [(loop[0], loop[k], loop[k + 1]) for loop in piece.faces for k in range(1, len(loop) - 1)]
    return piece.vertices, faces
