"""Trees of convex pieces: every node holds what is below it, masses are those of the pieces, sheets are whole."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from engine.geometry.errors import GeometryError
from engine.geometry.hull_tree import CHILD, CHILDREN, EDGE_FANS, VERTEX_FANS, Forest, compound, pack_forest, sheet
from engine.geometry.mass_properties import mass_properties
from engine.geometry.pool import CORE_RADIUS, RADIUS, SCALARS, support
from engine.geometry.shapes import Mesh, Shape, box, capsule, plane, sphere
from engine.geometry.sheet import FANOUT
from engine.geometry.surface import surface_mesh
from tests.concave import dish, grid

NO_TURN = (1.0, 0.0, 0.0, 0.0)
DIRECTIONS = np.random.default_rng(5).normal(size=(50, 3))


def at(shape: Shape, x: float, y: float, z: float) -> Shape:
    return shape.transformed((x, y, z), NO_TURN)


def reach(forest: Forest, row: int, direction: np.ndarray) -> float:
    """How far a node reaches along a direction."""
    d = tuple(float(c) for c in direction)
    core = float(np.dot(support(forest.geometry, forest.topology, row, d), direction))
    return core + float(forest.geometry[SCALARS * row + RADIUS]) * float(np.linalg.norm(direction))


def check_nesting(forest: Forest, root: int, size: int) -> list[int]:
    """Every child lies inside its parent, every node has one parent; returns the leaves."""
    parents = dict.fromkeys(range(root, root + size), 0)
    leaves = []
    for row in parents:
        first, count = forest.trees[row, CHILD], forest.trees[row, CHILDREN]
        assert count <= FANOUT
        if count == 0:
            leaves.append(row)
        for child in range(first, first + count):
            parents[child] += 1
            assert forest.extents[child] <= forest.extents[row] * (1.0 + 1e-12)
            for direction in DIRECTIONS:
                assert reach(forest, child, direction) <= reach(forest, row, direction) + 1e-12
    assert parents.pop(root) == 0
    assert set(parents.values()) <= {1}
    return leaves


def test_pieces_stand_under_hulls() -> None:
    ring = [at(box((0.3, 0.3, 0.2)), np.cos(a), np.sin(a), 0.1 * a) for a in np.arange(40) * 0.157]
    shape = compound([*ring, at(sphere(0.1), 3.0, 0.0, 0.0)])
    forest = pack_forest([sphere(1.0), shape, box((1.0, 1.0, 1.0))])
    assert forest.sizes[0] == forest.sizes[2] == 1
    leaves = check_nesting(forest, forest.roots[1], forest.sizes[1])
    assert len(leaves) == 41
    assert forest.trees[forest.roots[1], CHILDREN] == FANOUT


@pytest.mark.parametrize(
    "pieces",
    [
        [sphere(0.3)],
        [at(sphere(0.1), -1.0, 0.0, 0.0), at(sphere(0.3), 1.0, 0.0, 0.0)],
        [at(sphere(0.1), x, y, 2.0) for x, y in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0))],
        [capsule(0.1, 1.0), at(capsule(0.2, 1.0), 0.0, 0.0, 3.0)],
    ],
)
def test_hulls_of_balls_in_a_row_or_in_a_plane(pieces: list[Shape]) -> None:
    forest = pack_forest([compound(pieces)])
    assert len(check_nesting(forest, 0, forest.sizes[0])) == len(pieces)


def test_a_compound_weighs_what_its_pieces_weigh() -> None:
    a, b = box((0.3, 0.1, 0.1)), at(box((0.1, 0.1, 0.3)), 0.1, 0.0, 0.2)
    ours = mass_properties(compound([a, b]))
    whole = trimesh.util.concatenate(
        [
            trimesh.creation.box((0.3, 0.1, 0.1)),
            trimesh.creation.box((0.1, 0.1, 0.3), trimesh.transformations.translation_matrix((0.1, 0.0, 0.2))),
        ]
    )
    assert ours.volume == pytest.approx(whole.volume)
    assert ours.centre == pytest.approx(whole.center_mass)
    assert ours.inertia == pytest.approx(whole.moment_inertia, abs=1e-12)
    assert mass_properties(compound([a, a])).volume == pytest.approx(2.0 * 0.003)


def test_a_compound_is_drawn_as_its_pieces() -> None:
    surface = surface_mesh(compound([box((1.0, 1.0, 1.0)), at(box((1.0, 1.0, 1.0)), 3.0, 0.0, 0.0)]))
    assert surface is not None
    vertices, faces, _ = surface
    assert len(faces) == 24
    assert trimesh.Trimesh(vertices, faces).volume == pytest.approx(2.0)


def test_a_compound_moves_with_its_pieces() -> None:
    shape = compound([at(sphere(0.1), 1.0, 0.0, 0.0), at(sphere(0.2), -1.0, 0.0, 0.0)])
    moved = shape.transformed((0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0))
    assert moved.pieces[0].vertices[0] == pytest.approx((-1.0, 0.0, 1.0))
    assert shape.bounding_radius == pytest.approx(1.2)
    assert shape.arm == pytest.approx(1.0)


@pytest.mark.parametrize("pieces", [[], [plane()], [compound([sphere(1.0)])]])
def test_what_is_no_compound(pieces: list[Shape]) -> None:
    with pytest.raises(GeometryError):
        compound(pieces)


@pytest.mark.parametrize("mesh", [dish(), grid(9, 7, 0.1), Mesh(np.eye(3), np.array([[0, 1, 2]]))])
def test_a_sheet_is_a_tree_of_all_its_triangles(mesh: Mesh) -> None:
    forest = pack_forest([box((1.0, 1.0, 1.0)), sheet(mesh)])
    leaves = check_nesting(forest, forest.roots[1], forest.sizes[1])
    assert len(leaves) == len(mesh.faces)
    corners = mesh.vertices[mesh.faces]
    found = np.array([[support_of(forest, row, d) for d in DIRECTIONS[:4]] for row in leaves])
    wanted = np.array([[(triangle @ d).max() for d in DIRECTIONS[:4]] for triangle in corners])
    assert np.sort(found, axis=0) == pytest.approx(np.sort(wanted, axis=0))
    radii = forest.geometry[: SCALARS * len(forest.trees)].reshape(-1, SCALARS)[leaves, CORE_RADIUS]
    assert radii.max() == pytest.approx(np.linalg.norm(corners, axis=2).max())


def support_of(forest: Forest, row: int, direction: np.ndarray) -> float:
    return reach(forest, row, direction)


def test_fans_lead_into_neighbours() -> None:
    """On a flat grid every fan lies in the plane; across inner edges there is one, across the rim there is none."""
    forest = pack_forest([sheet(grid(4, 4, 0.25))])
    rims = 0
    for row in np.flatnonzero(forest.trees[:, EDGE_FANS] > 0):
        for edge in range(3):
            into = forest.fans[forest.trees[row, EDGE_FANS] + edge]
            rims += not into.any()
            assert into[2] == 0.0
            assert np.linalg.norm(into) == pytest.approx(1.0) or not into.any()
        for vertex in range(3):
            first, last = forest.trees[row, VERTEX_FANS + 2 * vertex : VERTEX_FANS + 2 * vertex + 2]
            assert 2 <= last - first <= 6
    assert rims == 16


def test_a_large_sheet_takes_memory_in_proportion() -> None:
    small, large = pack_forest([sheet(grid(40, 40, 0.1))]), pack_forest([sheet(grid(80, 80, 0.1))])

    def size(forest: Forest) -> int:
        return sum(array.nbytes for array in forest[:5])

    assert size(large) / size(small) == pytest.approx(4.0, rel=0.1)
    assert size(large) < 1200 * 2 * 80 * 80


def test_triangles_without_area_are_no_sheet() -> None:
    with pytest.raises(GeometryError, match="without area"):
        pack_forest([sheet(Mesh(np.zeros((3, 3)), np.array([[0, 1, 2]])))])
