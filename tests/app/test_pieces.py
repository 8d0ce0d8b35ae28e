"""Concave bodies in the viewport: whole, in pieces, picked, and cut while one watches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.view.viewport.meshes import body_set
from app.view.viewport.picking import Picker
from app.view.viewport.pieces import show_pieces
from engine.geometry.extrusion import extrusion
from engine.scene.body_shapes import make_shape
from tests.concave import HOOK, L_SHAPE, LETTER_O, dish, save
from tests.scenes import ball, body, floor, scene

DOWN = (0.0, 0.0, -1.0)


def test_pieces_stand_in_for_their_bodies() -> None:
    what = scene(floor(), body("L", L_SHAPE), ball("ball", (1, 0, 0)), body("another L", L_SHAPE, (3, 0, 0)))
    bodies = body_set(what)
    view = show_pieces(what, bodies)
    assert view is not None
    assert not view.pending
    assert view.source.tolist() == [0, 2, 1, 1, 3, 3]
    assert view.is_piece.tolist() == [0, 0, 1, 1, 1, 1]
    assert view.rows_of((1, 2)) == (1, 2, 3)
    assert len(view.drawn.planes) == 1
    # The same shape has the same meshes, every drawn body is in a group, and neighbours differ in colour.
    assert view.drawn.mesh[2:4].tolist() == view.drawn.mesh[4:6].tolist()
    assert sorted(view.drawn.order.tolist()) == list(range(6))
    assert view.drawn.starts[-1] == 5
    grey = np.full((4, 3), 0.5, dtype=np.float32)
    painted = view.paint(grey)
    assert painted[0].tolist() == [0.5, 0.5, 0.5]
    assert np.abs(painted[2] - painted[3]).max() > 0.05


def test_pieces_are_small_and_apart() -> None:
    what = scene(body("L", L_SHAPE))
    view = show_pieces(what, body_set(what))
    assert view is not None
    boxes = [(mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)) for mesh in view.drawn.meshes[1:]]
    for k, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:k]:
            assert (np.minimum(high, other_high) < np.maximum(low, other_low)).any()


def test_scenes_without_concave_bodies_have_no_pieces() -> None:
    what = scene(floor(), ball("ball", (0, 0, 1)))
    assert show_pieces(what, body_set(what)) is None


def test_a_mesh_is_whole_until_it_has_been_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAROM_CACHE_DIR", str(tmp_path / "cache"))
    hook = extrusion(HOOK["extrusion"]["rings"], HOOK["extrusion"]["height"]).solid
    assert hook is not None
    what = scene(body("hook", save(hook, tmp_path / "hook.obj"))).model_copy(update={"folder": tmp_path})
    view = show_pieces(what, body_set(what))
    assert view is not None
    assert view.pending
    assert view.source.tolist() == [0]
    make_shape(what, what.body[0])
    view = show_pieces(what, body_set(what))
    assert view is not None
    assert not view.pending
    assert len(view.source) >= 3


def test_one_picks_the_true_surface(tmp_path: Path) -> None:
    """Through the hole of an O, and into a dish."""
    ring = scene(body("O", LETTER_O))
    picker = Picker.of(body_set(ring))
    assert picker.cast((0.0, 0.0, 1.0), DOWN, body_set(ring).poses) is None
    hit = picker.cast((0.11, 0.0, 1.0), DOWN, body_set(ring).poses)
    assert hit is not None
    assert hit.point[2] == pytest.approx(0.04)
    bowl = scene(body("dish", save(dish(), tmp_path / "dish.obj"), motion="fixed"))
    bowl = bowl.model_copy(update={"folder": tmp_path})
    hit = Picker.of(body_set(bowl)).cast((0.01, 0.02, 1.0), DOWN, body_set(bowl).poses)
    assert hit is not None
    assert hit.point[2] == pytest.approx(0.0, abs=0.01)
