"""Concave bodies as trees of convex pieces under convex hulls (Mirtich 1996, 2.2.2), packed for the kernels.

The leaves of a tree are the pieces that touch; an inner node is a convex shape that holds its children. The nodes of a
body are rows of the shape pool, its root first and the children of a node side by side: what the kernels know of convex
shapes (closest features, bounds of the time of impact) holds for every node. A convex body is a tree of one node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.geometry.errors import GeometryError
from engine.geometry.hollow import bands_of
from engine.geometry.hull import convex_hull
from engine.geometry.pool import Bulk, pack_pool
from engine.geometry.shapes import BAND, PLANE, POINT, POLYHEDRON, REVOLVED, SEGMENT, Mesh, Shape, box
from engine.geometry.sheet import FANOUT, SheetTree, find_fans, pack_sheet, plan_sheet
from engine.maths.rounding import SINE

# Columns of Forest.trees, int64 (rows, TREE_WIDTH).
CHILD = 0  # row of the first child
CHILDREN = 1  # how many; 0 for a leaf
VERTEX_FANS = 2  # 6, for a triangle of a sheet: bounds in `fans` of the sheet's edges at each of its vertices
EDGE_FANS = 8  # for a triangle of a sheet: where in `fans` the vectors stand that lead on across its three edges
FACETS = 9  # of a hollow body that balls meet here: row of the root that all others meet; 0: the same
TREE_WIDTH = 10

SMOOTH = -1
"""EDGE_FANS of a stretch of a hollow body: its closest points themselves say whether a neighbour is nearer."""

_FLAT = SINE
"""Points thinner than this part of their extent [1] are a polygon, a segment or a point."""


class Forest(NamedTuple):
    """All trees of a model. geometry, topology: the shape pool; extents: sizes of nodes, to choose which to unwrap."""

    geometry: Floats
    topology: Ints
    trees: Ints  # (rows, TREE_WIDTH)
    fans: Floats  # (k, 3) unit vectors, see engine.geometry.sheet
    extents: Floats  # (rows,) diagonal of a node's box [m]; inf for a plane
    roots: tuple[int, ...]  # row of each shape
    sizes: tuple[int, ...]  # how many rows from its root on the nodes of each shape are among


@dataclass(frozen=True, eq=False)
class _Node:
    shape: Shape
    children: tuple[_Node, ...] = ()


def pack_forest(shapes: Sequence[Shape]) -> Forest:
    """Pack shapes, each given in its body frame, with the trees of those that are concave."""
    convex: list[Shape] = []
    trees: list[list[int]] = []
    sheets: list[SheetTree] = []
    roots = [0] * len(shapes)
    sizes = [1] * len(shapes)
    for k, shape in enumerate(shapes):
        if shape.sheet is None or shape.hollow:
            roots[k] = len(convex)
            for node, first in _in_rows(build_tree(shape), len(convex)):
                convex.append(node.shape)
                fans_at = SMOOTH if node.shape.kind == BAND else 0
                trees.append([first, len(node.children), 0, 0, 0, 0, 0, 0, fans_at, 0])
            sizes[k] = len(convex) - roots[k]
    rows = len(convex)
    tables = [np.array(trees, dtype=np.int64).reshape(-1, TREE_WIDTH)]
    fans = [np.zeros((1, 3))]
    for k, shape in enumerate(shapes):
        if shape.sheet is not None:
            sheets.append(plan_sheet(shape.sheet))
            if shape.hollow:
                tables[0][roots[k], FACETS] = rows
                sizes[k] = rows + len(sheets[-1]) - roots[k]
            else:
                roots[k], sizes[k] = rows, len(sheets[-1])
            table, directions = _sheet_table(sheets[-1], rows, sum(len(each) for each in fans))
            tables.append(table)
            fans.append(directions)
            rows += len(sheets[-1])
    pool = pack_pool(convex, sum(len(tree) for tree in sheets), lambda *at: _pack_sheets(sheets, *at))
    extents = np.concatenate([[_extent(shape) for shape in convex], *(tree.extents for tree in sheets)])
    return Forest(*pool, np.concatenate(tables), np.concatenate(fans), extents, tuple(roots), tuple(sizes))


def build_tree(shape: Shape) -> _Node:
    """The tree of a shape without a sheet: its pieces under hulls, at most FANOUT a node. Of a hollow one its bands."""
    if shape.hollow:
        return _Node(_box_about(shape), tuple(_Node(band) for band in bands_of(shape)))
    if not shape.pieces:
        return _Node(replace(shape, solid=None))
    return _build_node(list(shape.pieces))


def _box_about(shape: Shape) -> Shape:
    low, high = shape.bounds
    return box([float(side) for side in high - low]).transformed(0.5 * (low + high), (1.0, 0.0, 0.0, 0.0))


def _build_node(pieces: list[Shape]) -> _Node:
    if len(pieces) == 1:
        return _Node(replace(pieces[0], solid=None))
    groups = [pieces]
    while len(groups) < min(FANOUT, len(pieces)):
        largest = max(range(len(groups)), key=lambda k: len(groups[k]))
        groups[largest : largest + 1] = _halves(groups[largest])
    return _Node(hull_of(pieces), tuple(_build_node(group) for group in groups))


def _halves(pieces: list[Shape]) -> tuple[list[Shape], list[Shape]]:
    """Two halves along the longest side of the box about the pieces' middles."""
    middles = np.array([0.5 * np.add(*piece.bounds) for piece in pieces])
    order = np.argsort(middles[:, np.ptp(middles, axis=0).argmax()], kind="stable")
    half = len(pieces) // 2
    return [pieces[k] for k in order[:half]], [pieces[k] for k in order[half:]]


def _in_rows(root: _Node, row: int) -> list[tuple[_Node, int]]:
    """The nodes of a tree in the order of their rows, each with that of its first child; the root stands at `row`."""
    line = [root]
    out: list[tuple[_Node, int]] = []
    for node in line:
        out.append((node, row + len(line) if node.children else 0))
        line.extend(node.children)
    return out


def _sheet_table(tree: SheetTree, row: int, fan: int) -> tuple[Ints, Floats]:
    """The rows of `trees` of a sheet whose root stands at `row`, and its directions, which begin at `fan`."""
    table = np.zeros((len(tree), TREE_WIDTH), dtype=np.int64)
    inner = len(tree.first)
    table[:inner, CHILD] = tree.first + row
    table[:inner, CHILDREN] = tree.count
    directions, places = find_fans(tree)
    table[inner:, VERTEX_FANS : VERTEX_FANS + 6] = places[:, :6] + fan
    table[inner:, EDGE_FANS] = places[:, 6] + fan
    return table, directions


def _pack_sheets(sheets: Sequence[SheetTree], at_float: int, at_int: int) -> list[Bulk]:
    packed = []
    for tree in sheets:
        packed.append(pack_sheet(tree, at_float, at_int))
        at_float += packed[-1].floats.size
        at_int += packed[-1].ints.size
    return packed


def _extent(shape: Shape) -> float:
    if shape.kind == PLANE:
        return float("inf")
    low, high = shape.bounds
    return float(np.linalg.norm(high - low))


# --- making such shapes ---------------------------------------------------------------------------------------------


def hull_of(pieces: Sequence[Shape]) -> Shape:
    """A convex shape that holds convex shapes: the hull of their cores, grown by the largest of their radii.

    Smooth cores are taken as the boxes about them.
    """
    return _hull_of_points(np.concatenate([_corners(piece) for piece in pieces]), max(piece.radius for piece in pieces))


def _corners(piece: Shape) -> Floats:
    """Points whose hull holds the core of a convex shape."""
    if piece.kind < REVOLVED:
        return piece.vertices
    centre, axes = piece.frame
    if piece.kind == REVOLVED:
        wide = max(radius for radius, _ in piece.profile)
        low, high = np.array([-wide, -wide, piece.profile[0][1]]), np.array([wide, wide, piece.profile[-1][1]])
    else:
        high = np.array(piece.semi_axes)
        low = -high
    signs = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
    return np.asarray(centre + (low + signs * (high - low)) @ axes)


def _hull_of_points(points: Floats, radius: float) -> Shape:
    """The hull of points that may lie in a plane, on a line or at one place."""
    centre = points.mean(axis=0)
    _, spread, axes = np.linalg.svd(points - centre, full_matrices=False)
    thickness = spread / np.sqrt(len(points))
    extent = float(np.abs(points - centre).max())
    if not extent > 0.0:
        return Shape(POINT, centre[None, :], radius=radius)
    if len(points) < 3 or thickness[1] <= _FLAT * extent:
        along = (points - centre) @ axes[0]
        return Shape(SEGMENT, points[[int(along.argmin()), int(along.argmax())]], radius=radius)
    if len(points) < 4 or thickness[2] <= _FLAT * extent:
        return Shape(POLYHEDRON, *_polygon((points - centre) @ axes[:2].T, points), radius=radius)
    vertices, faces = convex_hull(points)
    return Shape(POLYHEDRON, vertices, faces, radius=radius)


def _polygon(flat: Floats, points: Floats) -> tuple[Floats, tuple[tuple[int, ...], ...]]:
    """Points of a plane as a polyhedron with two faces, back to back."""
    from scipy.spatial import ConvexHull

    loop = ConvexHull(flat).vertices
    ring = tuple(range(len(loop)))
    return points[loop], (ring, ring[::-1])


def compound(pieces: Sequence[Shape]) -> Shape:
    """The union of convex shapes, in a common frame. Where pieces overlap, their matter is there twice.

    Raises GeometryError if there is no piece, or one is a plane or itself concave.
    """
    if not pieces:
        raise GeometryError("a compound needs at least one piece")
    if any(piece.kind == PLANE or piece.pieces or piece.sheet is not None for piece in pieces):
        raise GeometryError("the pieces of a compound must be convex and have an end")
    return replace(hull_of(pieces), pieces=tuple(pieces))


def sheet(mesh: Mesh) -> Shape:
    """The triangles of a mesh, open or closed, as they are: for static and kinematic bodies."""
    low, high = mesh.vertices[mesh.faces].min(axis=(0, 1)), mesh.vertices[mesh.faces].max(axis=(0, 1))
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    return Shape(POLYHEDRON, corners, solid=mesh, sheet=mesh)
