"""Cylinders, cones, ellipsoids and superquadrics in the window: added, edited in the inspector, drawn, picked."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from app.view.forms.numbers import NumberBox, VectorBox
from app.view.viewport.meshes import PLAIN, STRIPES, body_set
from app.view.window.main_window import MainWindow
from engine import load_scene
from engine.scene.paths import set_path
from engine.scene.schema import Scene

ROWS = {
    "cylinder": [("Radius", NumberBox), ("Length", NumberBox)],
    "cone": [("Radius", NumberBox), ("Height", NumberBox), ("Top radius", NumberBox)],
    "ellipsoid": [("Semi-axes", VectorBox)],
    "bowl": [("Radius", NumberBox), ("Depth", NumberBox), ("Thickness", NumberBox)],
    "funnel": [("Top radius", NumberBox), ("Bottom radius", NumberBox), ("Height", NumberBox)],
    "ring": [("Radius", NumberBox), ("Width", NumberBox), ("Groove", NumberBox)],
    "superquadric": [("Semi-axes", VectorBox), ("Exponent across", NumberBox), ("Exponent along", NumberBox)],
}


@pytest.mark.parametrize("kind", ROWS)
def test_smooth_shapes_are_added_and_have_their_rows(window: MainWindow, ready: Callable[[], None], kind: str) -> None:
    window.files.open_path("pool_break")
    window.editing.add(kind)
    ready()
    body = window.document.scene.body[-1]
    assert body.shape.kind == kind
    window.document.select([body.name])
    for name, box in ROWS[kind]:
        assert window.inspector.page.findChild(box, name) is not None, name
    assert not window.banner.isVisible(), window.banner.text.text()


def test_attached_masses_have_rows(window: MainWindow) -> None:
    window.files.open_path("rattleback")
    window.document.select(["balanced"])
    assert window.inspector.page.findChild(NumberBox, "Point mass 1") is None
    window.document.select(["rattleback"])
    assert window.inspector.page.findChild(NumberBox, "Point mass 1") is not None


def test_what_is_round_has_stripes_if_it_can_roll() -> None:
    coins = load_scene("coins")
    bodies = body_set(coins)
    patterns = {body.name: bodies.meshes[bodies.mesh[row]].pattern for row, body in enumerate(coins.body)}
    assert patterns.pop("plate") == PLAIN
    assert set(patterns.values()) == {STRIPES}


def test_attached_masses_are_drawn() -> None:
    scene = load_scene("rattleback")
    bodies = body_set(scene)
    plain, bumpy = (bodies.meshes[bodies.mesh[scene.index(name)]] for name in ("balanced", "rattleback"))
    place = np.array(scene.body[scene.index("rattleback")].attached[0].position)
    assert len(bumpy.vertices) > len(plain.vertices)
    near = np.linalg.norm(bumpy.vertices[len(plain.vertices) :] - place, axis=1)
    assert 0.0 < near.max() < 0.01
    ball: Scene = set_path(scene, "body.balanced.shape", {"sphere": {"radius": 0.03}})
    ball = set_path(ball, "body.balanced.attached", [{"mass": 0.03, "position": [0.03, 0.0, 0.0]}])
    drawn = body_set(ball)
    row = ball.index("balanced")
    assert np.allclose(drawn.scale[row], 1.0) and drawn.radii[row] > 0.03
