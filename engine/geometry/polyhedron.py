"""Features of a closed polyhedron: its edges and their adjacency. Plain numpy, run once per shape.

A face is a loop of vertex numbers, counter-clockwise from outside. An edge runs from `start` to `end` as in the loop
of its `left` face; its `right` face runs it backwards. Lin-Canny walks from a feature to the features that touch it, so
the lists in both directions are made here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats, Ints
from engine.geometry.errors import GeometryError

Loops = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Features:
    """Adjacency and planes of a polyhedron. A half edge is 2 * edge, or 2 * edge + 1 when run backwards."""

    edges: Ints  # (e, 4) start, end, left face, right face
    normals: Floats  # (f, 3) unit, outward
    offsets: Floats  # (f,) normal . x = offset on the face [m]
    edges_of_vertex: tuple[tuple[int, ...], ...]  # half edges that leave the vertex
    edges_of_face: tuple[tuple[int, ...], ...]  # half edges along the loop


def face_planes(vertices: Floats, faces: Loops) -> tuple[Floats, Floats]:
    """Unit normals (f, 3) by Newell's sum, and offsets (f,) [m] through the mean of each face's vertices.

    Raises GeometryError for a face without area.
    """
    ring = np.array([vertex for loop in faces for vertex in loop], dtype=np.int64)
    follower = np.array([vertex for loop in faces for vertex in loop[1:] + loop[:1]], dtype=np.int64)
    counts = np.array([len(loop) for loop in faces])
    starts = np.cumsum(counts) - counts
    origin = np.repeat(vertices[ring[starts]], counts, axis=0)  # sums about a vertex of the face cancel least
    areas = np.add.reduceat(np.cross(vertices[ring] - origin, vertices[follower] - origin), starts, axis=0)
    lengths = np.linalg.norm(areas, axis=1)
    if not lengths.all():
        raise GeometryError(f"face {int(lengths.argmin())} has no area; remove it or move its vertices apart")
    normals = areas / lengths[:, None]
    heights = np.einsum("ij,ij->i", vertices[ring], np.repeat(normals, counts, axis=0))
    return normals, np.add.reduceat(heights, starts) / counts


def find_features(vertices: Floats, faces: Loops) -> Features:
    """Edges, adjacency and planes of the closed polyhedron (vertices (v, 3) [m], faces).

    Raises GeometryError if the surface is not closed, or a face has no area.
    """
    edges, edges_of_face = find_edges(faces)
    edges_of_vertex: list[list[int]] = [[] for _ in range(len(vertices))]
    for edge, (start, end, _, _) in enumerate(edges.tolist()):
        edges_of_vertex[start].append(2 * edge)
        edges_of_vertex[end].append(2 * edge + 1)
    normals, offsets = face_planes(vertices, faces)
    return Features(edges, normals, offsets, tuple(tuple(halves) for halves in edges_of_vertex), edges_of_face)


def find_edges(faces: Loops) -> tuple[Ints, Loops]:
    """Edges (e, 4) as start, end, left face, right face; and the half edges along each face's loop.

    Raises GeometryError if an edge does not join exactly two faces that run it in opposite directions.
    """
    edge_of: dict[tuple[int, int], int] = {}
    rows: list[list[int]] = []
    edges_of_face: list[tuple[int, ...]] = []
    for face, loop in enumerate(faces):
        halves = []
        for start, end in zip(loop, loop[1:] + loop[:1], strict=True):
            edge = edge_of.get((end, start))
            if edge is not None and rows[edge][3] < 0:
                rows[edge][3] = face
                halves.append(2 * edge + 1)
                continue
            if (start, end) in edge_of:
                raise GeometryError(
                    f"the edge from vertex {start} to {end} belongs to two faces that run it the same way; "
                    "each edge must join two faces whose vertices are listed counter-clockwise from outside"
                )
            edge_of[start, end] = len(rows)
            halves.append(2 * len(rows))
            rows.append([start, end, face, -1])
        edges_of_face.append(tuple(halves))
    still_open = [row for row in rows if row[3] < 0]
    if still_open:
        raise GeometryError(
            f"the surface is not closed: {len(still_open)} edges belong to one face only, "
            f"the first from vertex {still_open[0][0]} to {still_open[0][1]}"
        )
    return np.array(rows, dtype=np.int64).reshape(-1, 4), tuple(edges_of_face)
