"""Bowls, funnels and rings: their outlines, the facets behind them, and what is drawn."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
import trimesh

from engine.geometry.errors import GeometryError
from engine.geometry.hollow import bands_of, bowl, facet_error, funnel, ring
from engine.geometry.hull_tree import CHILDREN, FACETS, pack_forest
from engine.geometry.shapes import BAND, Shape, sphere
from engine.geometry.surface import surface_mesh

SHAPES = [
    bowl(0.5, 0.3, 0.02),
    bowl(0.5, 0.9, 0.02),
    funnel(0.4, 0.1, 0.3, 0.02),
    funnel(0.4, 0.0, 0.3, 0.02),
    ring(0.5, 0.2, 0.03),
    ring(0.5, 0.2, 0.03, 0.2),
]


def drawn(shape: Shape, smoothness: int) -> tuple[trimesh.Trimesh, np.ndarray]:
    surface = surface_mesh(shape, smoothness)
    assert surface is not None
    vertices, triangles, normals = surface
    return trimesh.Trimesh(vertices.astype(float), triangles, process=True), normals[triangles]


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_drawn_is_closed_and_its_normals_point_outwards(shape: Shape) -> None:
    mesh, _ = drawn(shape, 64)
    assert mesh.is_watertight and mesh.volume > 0.0
    surface = surface_mesh(shape, 64)
    assert surface is not None
    vertices, triangles, normals = surface
    corners = vertices[triangles].astype(float)
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.einsum("ij,ij->i", flat, normals[triangles].mean(axis=1)) > -1e-10).all()


def test_volumes() -> None:
    cap = pi * 0.3**2 * (1.5 - 0.3) / 3.0
    outer = pi * 0.32**2 * (3.0 * 0.52 - 0.32) / 3.0
    assert drawn(bowl(0.5, 0.3, 0.02), 800)[0].volume == pytest.approx(outer - cap, rel=1e-3)
    assert drawn(ring(0.5, 0.2, 0.03), 800)[0].volume == pytest.approx(pi * 0.2 * (0.53**2 - 0.5**2), rel=1e-3)


@pytest.mark.parametrize("shape", SHAPES)
def test_facets_lie_behind_the_surface_by_little(shape: Shape) -> None:
    assert shape.sheet is not None
    facets = trimesh.Trimesh(shape.sheet.vertices, shape.sheet.faces, process=True)
    assert facets.is_watertight
    assert 0.9 < facets.volume / drawn(shape, 800)[0].volume < 1.0
    assert 0.0 < facet_error(shape) < 0.01


def test_an_edge_belongs_to_one_stretch() -> None:
    for shape in SHAPES:
        owned = sum(sum(band.parts[11:13]) for band in bands_of(shape) if band.parts[13] == 1.0)
        edges = sum(stretch.end[0] > 0.0 for stretch in shape.hollow)
        tips = sum(stretch.end[0] == 0.0 and not stretch.inside for stretch in shape.hollow)
        assert owned == edges + tips


def test_balls_have_a_root_of_their_own() -> None:
    forest = pack_forest([SHAPES[0], sphere(0.1)])
    root = forest.roots[0]
    facets = forest.trees[root, FACETS]
    assert forest.trees[root, CHILDREN] == len(bands_of(SHAPES[0])) and facets > root
    assert forest.trees[facets, CHILDREN] > 0 and forest.trees[facets, FACETS] == 0
    assert forest.sizes == (len(forest.trees) - root, 1)
    assert all(band.kind == BAND for band in bands_of(SHAPES[0]))


def test_what_cannot_be() -> None:
    with pytest.raises(GeometryError, match="deep at most"):
        bowl(0.5, 0.99, 0.01)
    with pytest.raises(GeometryError, match="bottom radius"):
        funnel(0.2, 0.3, 0.1, 0.01)
    with pytest.raises(GeometryError, match="groove"):
        ring(0.5, 0.2, 0.01, 0.05)


@pytest.mark.parametrize("shape", SHAPES)
def test_no_facet_comes_nearer_to_what_is_inside_than_the_surface(shape: Shape) -> None:
    assert shape.sheet is not None
    inner = shape.hollow[0]
    around = np.random.default_rng(9)
    corners = shape.sheet.vertices[shape.sheet.faces]
    spots = np.einsum("ntk,nt->nk", corners, around.dirichlet((1.0, 1.0, 1.0), len(corners)))
    rho, z = np.hypot(spots[:, 0], spots[:, 1]), spots[:, 2]
    if inner.centre is not None:
        reach = np.hypot(inner.end[0] - inner.centre[0], inner.end[1] - inner.centre[1])
        off = np.hypot(rho - inner.centre[0], z - inner.centre[1]) - reach
        off = np.where(rho < inner.centre[0], 1.0, off)
    else:
        slope = (inner.end[0] - inner.start[0]) / (inner.end[1] - inner.start[1])
        off = rho - (inner.start[0] + slope * (z - inner.start[1]))
    assert off.min() > -1e-5 * shape.bounding_radius
