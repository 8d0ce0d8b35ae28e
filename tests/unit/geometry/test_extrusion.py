"""Extrusions: their pieces tile them exactly, their mass and surface are the true ones."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from engine.geometry.errors import GeometryError
from engine.geometry.extrusion import extrusion
from engine.geometry.mass_properties import mass_properties
from engine.geometry.surface import surface_mesh
from tests.concave import circle

SQUARE = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
L_RING = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]]


@pytest.mark.parametrize(
    "rings, area, most",
    [
        ([SQUARE], 4.0, 1),
        ([SQUARE[::-1]], 4.0, 1),
        ([L_RING], 4.0, 2),
        ([SQUARE, (0.5 * np.array(SQUARE)).tolist()], 3.0, 8),
        ([SQUARE, (0.5 * np.array(SQUARE)).tolist(), (0.25 * np.array(SQUARE)).tolist()], 3.25, 9),
        ([SQUARE, (np.array(SQUARE) + [3.0, 0.0]).tolist()], 8.0, 2),
        ([[[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]]], 2.0, 1),
    ],
    ids=["square", "clockwise", "L", "frame", "island", "two parts", "straight corners"],
)
def test_pieces_tile_the_outline(rings: list[list[list[float]]], area: float, most: int) -> None:
    shape = extrusion(rings, 0.5)
    assert len(shape.pieces) <= most
    assert sum(mass_properties(piece).volume for piece in shape.pieces) == pytest.approx(0.5 * area)
    assert mass_properties(shape).volume == pytest.approx(0.5 * area)
    surface = surface_mesh(shape)
    assert surface is not None
    assert trimesh.Trimesh(*surface[:2]).is_watertight


@given(st.lists(st.floats(0.3, 1.0), min_size=3, max_size=14))
def test_stars_of_any_spikes(radii: list[float]) -> None:
    angles = 2.0 * np.pi * np.arange(len(radii)) / len(radii)
    ring = np.array(radii)[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    shape = extrusion([ring, circle(0.1, 5)], 1.0)
    x, y = ring.T
    u, v = np.roll(ring, -1, axis=0).T
    hole = mass_properties(extrusion([circle(0.1, 5)], 1.0)).volume
    area = 0.5 * abs(float((x * v - y * u).sum())) - hole
    assert sum(mass_properties(piece).volume for piece in shape.pieces) == pytest.approx(area)
    assert mass_properties(shape).volume == pytest.approx(area)


@pytest.mark.parametrize(
    "rings, said",
    [
        ([[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]], "cross"),
        ([SQUARE, [[0.5, 0.5], [2.0, 0.5], [2.0, 2.0]]], "cross"),
        ([SQUARE, SQUARE], "cross"),
        ([[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]], "no area"),
        ([[[0.0, 0.0], [1.0, 0.0], [1.0, np.nan]]], "finite"),
    ],
)
def test_what_is_no_outline(rings: list[list[list[float]]], said: str) -> None:
    with pytest.raises(GeometryError, match=said):
        extrusion(rings, 1.0)


def test_a_height_must_be_positive() -> None:
    with pytest.raises(GeometryError, match="height"):
        extrusion([SQUARE], 0.0)
