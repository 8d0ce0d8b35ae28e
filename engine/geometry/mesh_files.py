"""Triangle meshes from files, read by trimesh (imported here only: it takes a second)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.geometry.errors import GeometryError
from engine.geometry.polyhedron import face_planes, find_edges
from engine.geometry.shapes import Mesh, positive


def read_triangles(path: Path, scale: float) -> Mesh:
    """The triangles in a file, closed or not, their coordinates multiplied by `scale`. Those without area are left out.

    Raises GeometryError if there is no such file, or no mesh in it.
    """
    import trimesh

    scale = positive(scale, "the scale of a mesh")
    if not path.is_file():
        raise GeometryError(f"there is no mesh file {path}")
    try:
        loaded = trimesh.load_mesh(path)
    except Exception as problem:
        raise GeometryError(
            f"{path.name} is no mesh that can be read ({problem}); OBJ, STL, PLY and glTF can"
        ) from problem
    if not isinstance(loaded, trimesh.Trimesh) or len(loaded.faces) == 0:
        raise GeometryError(f"{path.name} has no triangles in it")
    loaded.merge_vertices(merge_tex=True, merge_norm=True)
    loaded.update_faces(loaded.nondegenerate_faces())
    vertices = np.asarray(loaded.vertices, dtype=np.float64) * scale
    return Mesh(vertices, np.ascontiguousarray(loaded.faces, dtype=np.int64))


def read_mesh(path: Path, scale: float) -> Mesh:
    """The closed triangle mesh in a file, its coordinates multiplied by `scale`, facing outwards.

    Raises GeometryError if there is no such file, no mesh in it, or its surface is not closed.
    """
    mesh = read_triangles(path, scale)
    vertices, faces = mesh.vertices, mesh.faces
    loops = tuple(tuple(face) for face in faces.tolist())
    try:
        find_edges(loops)
        face_planes(vertices, loops)
    except GeometryError as problem:
        raise GeometryError(f"{path.name}: {problem}") from problem
    corners = vertices[faces] - vertices.mean(axis=0)
    if np.linalg.det(corners).sum() < 0.0:
        faces = faces[:, ::-1]
    return Mesh(vertices, np.ascontiguousarray(faces))
