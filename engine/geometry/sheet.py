"""A surface of triangles as a tree of boxes, packed for the kernels: made in bulk, for a hundred thousand of them.

The triangles are cut in halves along the longest side of the box about their centres, three times for each level of the
tree, so that a node has eight children. Inner nodes are boxes along the axes of the body's frame, leaves are triangles:
polyhedra of two faces, back to back, so that they touch from both sides. All boxes share one block of topology, and so
do all triangles: a triangle takes about 700 bytes, whatever the size of the mesh.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats, Ints
from engine.geometry.errors import GeometryError
from engine.geometry.pool import (
    CORE_RADIUS,
    EDGE_WIDTH,
    HEADER,
    INTO_LEFT,
    INTO_RIGHT,
    LENGTH,
    SCALARS,
    Bulk,
    pack_shape,
)
from engine.geometry.shapes import POLYHEDRON, Mesh, Shape, box
from engine.tolerances import ACCURACY

FANOUT = 8
"""Children of a node, at most."""

_THIN = 10.0 * ACCURACY
"""No side of a box is less than this part of its diagonal [1]: a flat one would have faces without area."""

_TRIANGLE = Shape(POLYHEDRON, np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), ((0, 1, 2), (0, 2, 1)))


@dataclass(frozen=True, eq=False)
class SheetTree:
    """The tree of a sheet. Inner nodes come first, the root at 0 and the children of a node in a row; then triangles.

    triangles (t, 3, 3): corners [m]. vertices (t, 3): numbers of the corners. low, high (m, 3): boxes of the inner
    nodes [m]. first, count (m,): children.
    """

    triangles: Floats
    vertices: Ints
    low: Floats
    high: Floats
    first: Ints
    count: Ints

    def __len__(self) -> int:
        return len(self.low) + len(self.triangles)

    @property
    def extents(self) -> Floats:
        """Diagonals of the nodes' boxes [m], in order of rows."""
        return np.linalg.norm(np.concatenate([self.high - self.low, np.ptp(self.triangles, axis=1)]), axis=1)


def plan_sheet(mesh: Mesh) -> SheetTree:
    """Order the triangles of a mesh into a tree. Raises GeometryError if one of them has no area."""
    corners = mesh.vertices[mesh.faces]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    if len(corners) == 0 or not areas.all():
        raise GeometryError("the mesh has a triangle without area" if len(corners) else "the mesh has no triangles")
    order, levels = _cut(corners.mean(axis=1))
    corners = np.ascontiguousarray(corners[order])
    low, high = corners.min(axis=1), corners.max(axis=1)
    sizes = [len(bounds) - 1 for bounds in levels]
    starts = np.cumsum([0, *sizes])
    first, count = [], []
    for level, bounds in enumerate(levels):
        if level + 1 < len(levels):
            branches = sizes[level + 1] // sizes[level]
            first.append(starts[level + 1] + branches * np.arange(sizes[level]))
            count.append(np.full(sizes[level], branches))
        else:
            first.append(starts[-1] + bounds[:-1])
            count.append(np.diff(bounds))
    lows = np.concatenate([np.minimum.reduceat(low, bounds[:-1]) for bounds in levels])
    highs = np.concatenate([np.maximum.reduceat(high, bounds[:-1]) for bounds in levels])
    thin = _THIN * np.linalg.norm(highs - lows, axis=1)[:, None]
    grow = 0.5 * np.maximum(thin - (highs - lows), 0.0)
    return SheetTree(
        corners, mesh.faces[order], lows - grow, highs + grow, np.concatenate(first), np.concatenate(count)
    )


def _cut(centres: Floats) -> tuple[Ints, list[Ints]]:
    """An order of the triangles, and for each level the bounds of its nodes' triangles in that order."""
    order = np.arange(len(centres))
    bounds = np.array([0, len(centres)])
    levels = [bounds]
    while np.diff(bounds).max() > FANOUT:
        for _ in range(3):
            sizes = np.diff(bounds)
            if sizes.max() <= FANOUT:
                break
            node = np.repeat(np.arange(len(sizes)), sizes)
            here = centres[order]
            spread = np.maximum.reduceat(here, bounds[:-1]) - np.minimum.reduceat(here, bounds[:-1])
            along = here[np.arange(len(here)), spread.argmax(axis=1)[node]]
            order = order[np.lexsort((order, along, node))]
            bounds = np.sort(np.concatenate([bounds, bounds[:-1] + sizes // 2]))
        levels.append(bounds)
    return order, levels


def pack_sheet(tree: SheetTree, at_float: int, at_int: int) -> Bulk:
    """The sheet's rows of a pool, whose arrays so far end at the given places."""
    box_floats, box_ints, box_header = pack_shape(box((1.0, 1.0, 1.0)), 0, at_int)
    three_floats, three_ints, three_header = pack_shape(_TRIANGLE, 0, at_int + len(box_ints))
    boxes = _pack_boxes(tree, box_floats)
    triangles = _pack_triangles(tree.triangles)
    header = np.zeros((len(tree), HEADER), dtype=np.int64)
    header[: len(boxes), : len(box_header)] = box_header
    header[len(boxes) :, : len(three_header)] = three_header
    # The places of the floats, which the templates count from 0, move with the row; those of the integers are shared.
    header[: len(boxes), 4:7] += (at_float + len(box_floats) * np.arange(len(boxes)))[:, None]
    at_float += boxes.size
    header[len(boxes) :, 4:7] += (at_float + len(three_floats) * np.arange(len(triangles)))[:, None]
    scalars = np.zeros((len(tree), SCALARS))
    corners = np.maximum(np.abs(tree.low), np.abs(tree.high))
    scalars[: len(boxes), CORE_RADIUS] = np.linalg.norm(corners, axis=1)
    scalars[len(boxes) :, CORE_RADIUS] = np.linalg.norm(tree.triangles, axis=2).max(axis=1)
    floats = np.concatenate([boxes.ravel(), triangles.ravel()])
    return Bulk(floats, np.concatenate([box_ints, three_ints]), header, scalars)


def _pack_boxes(tree: SheetTree, template: Floats) -> Floats:
    """The float parts of the inner nodes, (m, ...), from that of the unit box about the origin."""
    rows = np.tile(template, (len(tree.low), 1))
    middle, sides = 0.5 * (tree.low + tree.high), tree.high - tree.low
    corners = middle[:, None, :] + template[:24].reshape(8, 3) * sides[:, None, :]
    rows[:, :24] = corners.reshape(-1, 24)
    edges = template[24 : 24 + 12 * EDGE_WIDTH].reshape(12, EDGE_WIDTH)
    rows[:, 24 + LENGTH : 24 + 12 * EDGE_WIDTH : EDGE_WIDTH] = sides @ np.abs(edges[:, :3]).T
    normals = template[24 + 12 * EDGE_WIDTH :].reshape(6, 4)[:, :3]
    rows[:, 24 + 12 * EDGE_WIDTH + 3 :: 4] = middle @ normals.T + 0.5 * sides @ np.abs(normals).T
    return rows


def _pack_triangles(corners: Floats) -> Floats:
    """The float parts of the triangles, (t, ...): three vertices, three edges, two faces."""
    count = len(corners)
    follower = np.roll(corners, -1, axis=1)
    along = follower - corners
    length = np.linalg.norm(along, axis=2, keepdims=True)
    along = along / length
    normal = np.cross(along[:, 0], follower[:, 1] - corners[:, 1])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    edges = np.zeros((count, 3, EDGE_WIDTH))
    edges[:, :, :3] = along
    edges[:, :, LENGTH] = length[:, :, 0]
    into = np.cross(normal[:, None, :], along)
    edges[:, :, INTO_LEFT : INTO_LEFT + 3] = into
    edges[:, :, INTO_RIGHT : INTO_RIGHT + 3] = into
    offset = np.einsum("ij,ij->i", normal, corners.mean(axis=1))[:, None]
    faces = np.concatenate([normal, offset, -normal, -offset], axis=1)
    return np.concatenate([corners.reshape(count, 9), edges.reshape(count, -1), faces], axis=1)


# --- neighbours --------------------------------------------------------------------------------------------------


def find_fans(tree: SheetTree) -> tuple[Floats, Ints]:
    """Directions (k, 3) in which the sheet goes on from edges and vertices of its triangles, and where they stand.

    places (t, 7): for each triangle, bounds of those at each of its three vertices (start, end: along the sheet's
    edges), and where the three vectors stand that lead, perpendicular to its edges, into the triangles beyond them:
    unit vectors, or zero where there is none.
    """
    faces = tree.vertices
    used, faces = np.unique(faces, return_inverse=True)
    faces = faces.reshape(-1, 3)
    points = np.zeros((len(used), 3))
    points[faces.ravel()] = tree.triangles.reshape(-1, 3)
    start, end = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    both = np.unique(np.concatenate([np.stack([start, end], 1), np.stack([end, start], 1)]), axis=0)
    along = points[both[:, 1]] - points[both[:, 0]]
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    first = np.searchsorted(both[:, 0], np.arange(len(used) + 1))
    into = _across_edges(points, faces, start, end)
    places = np.zeros((len(faces), 7), dtype=np.int64)
    places[:, 0:6:2] = first[faces]
    places[:, 1:6:2] = first[faces + 1]
    places[:, 6] = len(along) + 3 * np.arange(len(faces))
    return np.concatenate([along, into.reshape(-1, 3)]), places


def _across_edges(points: Floats, faces: Ints, start: Ints, end: Ints) -> Floats:
    """For each edge of each triangle (t, 3, 3) the unit vector into the other triangle, 0 if there is none.

    An edge that three or more triangles share counts as a rim: it is never passed on to one of them.
    """
    apex = np.roll(faces, -2, axis=1).ravel()
    edge = points[end] - points[start]
    edge /= np.linalg.norm(edge, axis=1, keepdims=True)
    into = points[apex] - points[start]
    into -= np.einsum("ij,ij->i", into, edge)[:, None] * edge
    into /= np.linalg.norm(into, axis=1, keepdims=True)
    key = np.minimum(start, end) * len(points) + np.maximum(start, end)
    order = np.argsort(key, kind="stable")
    _, begin, count = np.unique(key[order], return_index=True, return_counts=True)
    pairs = begin[count == 2]
    one, other = order[pairs], order[pairs + 1]
    across = np.zeros_like(into)
    across[one], across[other] = into[other], into[one]
    return across.reshape(-1, 3, 3)
