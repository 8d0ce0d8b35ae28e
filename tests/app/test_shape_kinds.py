"""Another kind of shape: as large as the one before, however often it changes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import pytest
from PyQt6.QtWidgets import QWidget

from app.document import edits
from app.document.placement import size_of
from app.view.forms.rows import ChoiceBox
from app.view.window.main_window import MainWindow
from engine.scene.schema import Scene
from engine.scene.shapes import SHAPE_KINDS, BodyShape

SIZES = (0.2, 0.346, 0.12345, 2.01, 0.1 + 0.2)
KINDS = [kind for kind in SHAPE_KINDS if kind not in ("plane", "mesh", "convex")]
SCENE = """
format = 1
[[body]]
name = "brick"
shape = { box = [0.2, 0.1, 0.05] }
position = [0, 0, 1]
[[body]]
name = "dumbbell"
position = [1, 0, 1]
[[body.shape.compound.pieces]]
shape = { box = [0.2, 0.2, 0.2] }
[[body.shape.compound.pieces]]
shape = { convex = { vertices = [[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.3]] } }
position = [0, 0, 0.25]
"""


@pytest.fixture
def opened(window: MainWindow, ready: Callable[[], None], tmp_path: Path) -> MainWindow:
    (tmp_path / "kinds.toml").write_text(SCENE)
    window.files.open_path(tmp_path / "kinds.toml")
    ready()
    return window


def choose(page: QWidget, kind: str, place: int = 0) -> None:
    box = page.findChildren(ChoiceBox, "Kind")[place]
    box.setCurrentIndex(box.findData(kind))
    box.activated.emit(box.currentIndex())


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_shape_that_is_made_has_the_size_that_was_asked_for(kind: str, size: float) -> None:
    assert size_of(edits.shape_of(kind, size)) == pytest.approx(size, rel=1e-9)


@pytest.mark.parametrize("size", SIZES)
def test_another_kind_and_back_is_the_same_shape(size: float) -> None:
    scene = Scene(format=1)
    for first, second in permutations(KINDS, 2):
        shape = edits.shape_of(first, size)
        for _ in range(3):
            other = edits.as_kind(scene, shape, second)
            assert other.kind == second and size_of(other) == pytest.approx(size, rel=1e-9)
            assert edits.as_kind(scene, other, first) == shape, f"{first} to {second}"


def test_a_mesh_and_a_hull_keep_their_size(tmp_path: Path) -> None:
    (tmp_path / "wedge.obj").write_text("v 0 0 0\nv 3 0 0\nv 0 2 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
    scene = Scene(format=1, folder=tmp_path)
    mesh = BodyShape.model_validate({"mesh": {"file": "wedge.obj", "scale": 0.1}})
    hull = BodyShape.model_validate({"convex": {"vertices": [[0, 0, 0], [0.3, 0, 0], [0, 0.2, 0], [0, 0, 0.1]]}})
    for shape in (mesh, hull):
        assert edits.as_kind(scene, shape, "box").value == (0.3, 0.3, 0.3)


def test_what_has_no_size_becomes_as_large_as_others() -> None:
    plane = edits.shape_of("plane", 1.0)
    assert edits.as_kind(Scene(format=1), plane, "box").value == (0.5, 0.5, 0.5)


def test_kinds_that_are_chosen_keep_the_size_and_undo_brings_the_old_shape(opened: MainWindow) -> None:
    document = opened.document
    before = document.scene
    document.select(("brick",))
    for kind in ("sphere", "capsule", "prism", "box"):
        choose(opened.inspector.page, kind)
        assert size_of(document.scene.body[0].shape) == pytest.approx(0.2)
    for _ in range(4):
        document.undo()
    assert document.scene == before


def test_the_kind_that_it_is_changes_nothing(opened: MainWindow) -> None:
    document = opened.document
    document.select(("brick",))
    choose(opened.inspector.page, "box")
    assert document.scene.body[0].shape.value == (0.2, 0.1, 0.05) and not document.undo_stack.canUndo()
    document.select(("dumbbell",))
    choose(opened.inspector.page, "convex", 2)
    assert not document.undo_stack.canUndo()


def test_a_piece_is_as_large_as_it_was_just_before(opened: MainWindow) -> None:
    document = opened.document
    document.select(("dumbbell",))
    document.set_value("body.dumbbell.shape.compound.pieces[0].shape.box", [0.1, 0.4, 0.1])
    for kind in ("sphere", "prism", "box"):
        choose(opened.inspector.page, kind, 1)
        assert size_of(document.scene.body[1].shape.value.pieces[0].shape) == pytest.approx(0.4)
    choose(opened.inspector.page, "box", 2)
    assert document.scene.body[1].shape.value.pieces[1].shape.value == (0.3, 0.3, 0.3)
