"""Shapes from mesh files: the convex hull, the solid in convex pieces, or the bare triangles."""

from __future__ import annotations

from pathlib import Path

from engine.geometry.decomposition import decompose
from engine.geometry.hull import convex_hull
from engine.geometry.hull_tree import sheet
from engine.geometry.mesh_files import read_mesh, read_triangles
from engine.geometry.shapes import POLYHEDRON, Shape


def mesh_file(path: str | Path, scale: float = 1.0) -> Shape:
    """The solid in a mesh file (OBJ, STL, PLY, glTF, ...), its numbers times `scale` in metres.

    It collides as its convex hull; its mass and its looks are the true mesh's. Raises GeometryError if the file cannot
    be read or its surface is not closed.
    """
    solid = read_mesh(Path(path), scale)
    vertices, faces = convex_hull(solid.vertices)
    return Shape(POLYHEDRON, vertices, faces, solid=solid)


def concave_mesh_file(path: str | Path, scale: float = 1.0) -> Shape:
    """The same solid in convex pieces, which follow its true surface. Cutting it takes seconds, once for each file."""
    return decompose(read_mesh(Path(path), scale), Path(path).name)


def mesh_surface(path: str | Path, scale: float = 1.0) -> Shape:
    """The triangles in a mesh file as they are, closed or not, for a static or kinematic body."""
    return sheet(read_triangles(Path(path), scale))
