"""Triangles and normals of a shape's surface, for drawing."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

import numpy as np

from engine.arrays import Floats, Ints
from engine.geometry.hollow import hollow_surface
from engine.geometry.mass_properties import box_frame
from engine.geometry.polyhedron import face_planes
from engine.geometry.shapes import PLANE, POINT, REVOLVED, SEGMENT, Mesh, Shape
from engine.geometry.smooth_surface import Surface, smooth_surface
from engine.maths.rounding import TINY


def surface_mesh(shape: Shape, smoothness: int = 48) -> Surface | None:
    """Vertices (n, 3) [m], triangles (m, 3) counter-clockwise from outside, unit normals (n, 3); None for a plane.

    Flat faces have vertices of their own, so that they are shaded flat; round parts are smooth, with about `smoothness`
    corners around a full circle.
    """
    if shape.kind == PLANE:
        return None
    if shape.hollow:
        points, outward, triangles = hollow_surface(shape, max(smoothness, 3))
        return points.astype(np.float32), triangles.astype(np.uint32), outward.astype(np.float32)
    if shape.solid is None and shape.pieces:
        return _together([surface_mesh(piece, smoothness) for piece in shape.pieces])
    if shape.solid is not None:
        return _triangles(shape.solid)
    if shape.kind >= REVOLVED:
        sphere = _round(np.eye(3), np.zeros(3), np.zeros(3), 1.0, smoothness)
        return smooth_surface(shape, sphere, smoothness)
    if shape.radius == 0.0:
        return _flat(shape.vertices, shape.faces)
    if shape.kind == POINT:
        axes, sides, centre = np.eye(3), np.zeros(3), shape.vertices[0]
    elif shape.kind == SEGMENT:
        axes, sides, centre = _segment_frame(shape.vertices)
    else:
        axes, sides, centre = box_frame(shape)
        if np.linalg.det(axes) < 0.0:
            axes = axes[:, [1, 0, 2]]
            sides = sides[[1, 0, 2]]
    return _round(axes, sides / 2.0, centre, shape.radius, smoothness)


def _triangles(mesh: Mesh) -> Surface:
    """Each triangle flat, with vertices of its own."""
    corners = mesh.vertices[mesh.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), TINY)
    faces = np.arange(3 * len(corners), dtype=np.uint32).reshape(-1, 3)
    return corners.reshape(-1, 3).astype(np.float32), faces, np.repeat(normals, 3, axis=0).astype(np.float32)


def _together(surfaces: Sequence[Surface | None]) -> Surface:
    """Several surfaces as one."""
    parts = [surface for surface in surfaces if surface is not None]
    firsts = np.cumsum([0, *(len(vertices) for vertices, _, _ in parts)])
    faces = [triangles + np.uint32(first) for first, (_, triangles, _) in zip(firsts, parts)]
    return (
        np.concatenate([part[0] for part in parts]),
        np.concatenate(faces),
        np.concatenate([part[2] for part in parts]),
    )


def _flat(vertices: Floats, faces: tuple[tuple[int, ...], ...]) -> Surface:
    """Each face as a fan of triangles with vertices of its own."""
    counts = np.array([len(loop) for loop in faces])
    starts = np.cumsum(counts) - counts
    corners = vertices[[vertex for loop in faces for vertex in loop]]
    fans = [
        [start, start + k, start + k + 1]
        for start, count in zip(starts, counts, strict=True)
        for k in range(1, count - 1)
    ]
    normals = np.repeat(face_planes(vertices, faces)[0], counts, axis=0)
    return corners.astype(np.float32), np.array(fans, dtype=np.uint32), normals.astype(np.float32)


def _round(axes: Floats, half: Floats, centre: Floats, radius: float, smoothness: int) -> Surface:
    """A box of half sides `half`, any of them 0, grown by a radius: a sphere in the form of a cube, pulled apart.

    Each side of the cube is a grid of directions, even in angle. Where a coordinate of the direction changes sign, the
    grid has that line twice, once for each end of the box; what lies between is flat.
    """
    steps = max(1, round(smoothness / 8))
    angles = np.linspace(-pi / 4.0, pi / 4.0, 2 * steps + 1)
    points, normals, triangles = [], [], []
    first = 0
    for w in range(3):
        u, v = (w + 1) % 3, (w + 2) % 3
        for sign in (-1.0, 1.0):
            across_u, ends_u = _grid_lines(angles, steps, half[u])
            across_v, ends_v = _grid_lines(angles, steps, half[v])
            direction = np.empty((len(across_u), len(across_v), 3))
            direction[:, :, u] = across_u[:, None]
            direction[:, :, v] = across_v[None, :]
            direction[:, :, w] = sign
            direction /= np.linalg.norm(direction, axis=2, keepdims=True)
            corner = np.empty_like(direction)
            corner[:, :, u] = ends_u[:, None]
            corner[:, :, v] = ends_v[None, :]
            corner[:, :, w] = sign * half[w]
            points.append((corner + radius * direction).reshape(-1, 3))
            normals.append(direction.reshape(-1, 3))
            triangles.append(first + _grid_triangles(len(across_u), len(across_v), sign > 0.0))
            first += len(points[-1])
    vertices = np.concatenate(points) @ axes.T + centre
    turned = np.concatenate(normals) @ axes.T
    return vertices.astype(np.float32), np.concatenate(triangles).astype(np.uint32), turned.astype(np.float32)


def _grid_lines(angles: Floats, steps: int, half: float) -> tuple[Floats, Floats]:
    """Tangents of the grid's lines, and the end of the box that each belongs to; the middle one twice if half > 0."""
    if half == 0.0:
        return np.tan(angles), np.zeros(len(angles))
    twice = np.concatenate([angles[: steps + 1], angles[steps:]])
    return np.tan(twice), np.repeat([-half, half], steps + 1)


def _grid_triangles(rows: int, columns: int, outwards: bool) -> Ints:
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)[None, :]).reshape(-1, 1)
    fan = [0, columns, columns + 1, 0, columns + 1, 1] if outwards else [0, columns + 1, columns, 0, 1, columns + 1]
    return (corner + np.array(fan)).reshape(-1, 3)


def _segment_frame(ends: Floats) -> tuple[Floats, Floats, Floats]:
    along = ends[1] - ends[0]
    length = float(np.linalg.norm(along))
    axis = along / length
    side = np.eye(3)[int(np.abs(axis).argmin())]
    x = np.cross(side, axis)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis]), np.array([0.0, 0.0, length]), ends.mean(axis=0)
