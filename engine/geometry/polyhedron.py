"""Features of a closed polyhedron: its edges, and who meets whom. Plain numpy, run once per shape.

A face is a loop of vertex numbers, counter-clockwise from outside. An edge runs from `start` to `end` as in the loop
of its `left` face; its `right` face runs it backwards. Lin-Canny walks from a feature to the features that touch it, so
the lists in both directions are made here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.geometry.errors import GeometryError

Loops = tuple[tuple[int, ...], ...]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Features:
    """Adjacency and planes of a polyhedron. A half edge is 2 * edge, or 2 * edge + 1 when run backwards."""

    edges: Ints  # (e, 4) start, end, left face, right face
    normals: Floats  # (f, 3) unit, outward
    offsets: Floats  # (f,) normal . x = offset on the face [m]
    edges_of_vertex: tuple[tuple[int, ...], ...]  # half edges that leave the vertex
    edges_of_face: tuple[tuple[int, ...], ...]  # half edges along the loop


def face_planes(vertices: Floats, faces: Loops) -> tuple[Floats, Floats]:
    """Unit normals (f, 3) by Newell's sum, and offsets (f,) [m] through the mean of each face's vertices."""
    normals = np.empty((len(faces), 3))
    offsets = np.empty(len(faces))
    for k, loop in enumerate(faces):
        ring = vertices[list(loop)]
        centred = ring - ring[0]
        area = np.cross(centred, np.roll(centred, -1, axis=0)).sum(axis=0)
        length = float(np.linalg.norm(area))
        if length == 0.0:
            raise GeometryError(f"face {k} has no area; remove it or move its vertices apart")
        normals[k] = area / length
        offsets[k] = float((ring @ normals[k]).mean())
    return normals, offsets


def find_features(vertices: Floats, faces: Loops) -> Features:
    """Edges, adjacency and planes of the closed polyhedron (vertices (v, 3) [m], faces).

    Raises GeometryError if an edge does not join exactly two faces that run it in opposite directions.
    """
    edge_of: dict[tuple[int, int], int] = {}
    rows: list[list[int]] = []
    edges_of_face: list[tuple[int, ...]] = []
    edges_of_vertex: list[list[int]] = [[] for _ in range(len(vertices))]
    for face, loop in enumerate(faces):
        halves = []
        for start, end in zip(loop, loop[1:] + loop[:1], strict=True):
            edge = edge_of.get((end, start))
            if edge is not None and rows[edge][3] < 0:
                rows[edge][3] = face
                halves.append(2 * edge + 1)
                continue
            if (start, end) in edge_of:
                raise GeometryError(f"the edge from vertex {start} to {end} belongs to two faces of the same sense")
            edge = len(rows)
            edge_of[start, end] = edge
            rows.append([start, end, face, -1])
            edges_of_vertex[start].append(2 * edge)
            edges_of_vertex[end].append(2 * edge + 1)
            halves.append(2 * edge)
        edges_of_face.append(tuple(halves))
    for start, end, _, right in rows:
        if right < 0:
            raise GeometryError(f"the surface is open at the edge from vertex {start} to {end}; it must be closed")
    normals, offsets = face_planes(vertices, faces)
    return Features(
        np.array(rows, dtype=np.int64).reshape(-1, 4),
        normals,
        offsets,
        tuple(tuple(halves) for halves in edges_of_vertex),
        tuple(edges_of_face),
    )
