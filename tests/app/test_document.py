"""The document: edits and their undo, selection, files, the journal."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from app.actions.editing import SHAPES
from app.document import edits, placement
from app.document.document import Document
from app.document.journal import Journal, leftovers
from app.document.settings import recent_files
from engine.control.trust import is_trusted
from engine.scene import paths
from engine.scene.problems import SceneError
from engine.scene.reading import load_scene
from engine.scene.writing import save_scene


@pytest.fixture
def document(qtbot, stored) -> Document:
    made = Document()
    made.load("pool_break")
    return made


def velocity(document: Document) -> tuple[float, ...]:
    return document.scene.body[document.scene.index("cue")].velocity


def test_an_edit_can_be_undone_and_redone(document: Document) -> None:
    start = document.scene
    document.set_value("body.cue.velocity", [1, 2, 3])
    assert velocity(document) == (1, 2, 3) and document.is_modified
    document.undo()
    assert document.scene == start and not document.is_modified
    document.redo()
    assert velocity(document) == (1, 2, 3)


def test_edits_of_one_gesture_are_one_step(document: Document) -> None:
    for speed in (1.0, 2.0, 3.0):
        document.set_value("body.cue.velocity", [speed, 0, 0], merge_key=("velocity", 1))
    document.set_value("body.cue.velocity", [9, 0, 0], merge_key=("velocity", 2))
    assert document.undo_stack.count() == 2
    document.undo()
    assert velocity(document) == (3, 0, 0)
    document.undo()
    assert velocity(document) == (8, 0, 0)


def test_a_gesture_that_comes_back_leaves_no_step(document: Document) -> None:
    document.set_value("body.cue.velocity", [1, 0, 0], merge_key="drag")
    document.set_value("body.cue.velocity", [8, 0, 0], merge_key="drag")
    assert not document.undo_stack.canUndo() and not document.is_modified


def test_an_edit_that_cannot_be_changes_nothing(document: Document) -> None:
    before = document.scene
    with pytest.raises(SceneError, match="radius"):
        document.set_value("body.cue.shape.sphere.radius", -1)
    with pytest.raises(SceneError):
        document.set_value("body.nobody.mass", 1)
    assert document.scene is before and not document.undo_stack.canUndo()


def test_undo_covers_adding_deleting_renaming_and_materials(document: Document) -> None:
    start = document.scene
    scene, name = edits.add_body(document.scene, edits.shape_of("box", 0.1))
    document.edit("add", scene, (name,))
    document.edit("delete", paths.remove_body(document.scene, "ball1", "ball2"), ())
    document.edit("rename", paths.rename(document.scene, "body.cue", "white"), ("white",))
    document.edit("material", paths.rename(document.scene, "material.ball", "phenolic"))
    document.edit("delete material", edits.delete_material(document.scene, "cushion"))
    assert document.scene.body[document.scene.index("white")].material == "phenolic"
    assert all("cushion" not in pair.materials for pair in document.scene.pair)
    for _ in range(5):
        document.undo()
    assert document.scene == start


def test_selection_follows_undo_and_drops_what_is_gone(document: Document) -> None:
    document.select(["cue", "ball1", "nobody", "cue"])
    assert document.selection == ("cue", "ball1")
    document.edit("delete", paths.remove_body(document.scene, "ball1"))
    assert document.selection == ("cue",)
    document.undo()
    assert document.selection == ("cue", "ball1")


def test_bodies_and_other_things_are_not_selected_together(document: Document) -> None:
    document.set_focus("material.ball")
    document.select(["cue"])
    assert document.focus == "" and document.selection == ("cue",)
    document.set_focus("world")
    assert document.selection == () and document.focus == "world"


def test_a_bundled_scene_has_no_file_and_saving_gives_it_one(document: Document, tmp_path: Path) -> None:
    assert document.path is None
    document.set_value("body.cue.velocity", [5, 0, 0])
    document.save_as(tmp_path / "mine.toml")
    assert not document.is_modified and document.path == tmp_path / "mine.toml"
    assert load_scene(tmp_path / "mine.toml") == document.scene
    assert recent_files() == [tmp_path / "mine.toml"]
    document.undo()
    assert document.is_modified


def test_loading_something_bad_keeps_what_is_open(document: Document, tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text("format = 1\n[[body]]\nname = 'a'\n")
    before = document.scene
    with pytest.raises(SceneError):
        document.load(bad)
    assert document.scene is before


def test_meshes_move_along_when_a_scene_is_saved_elsewhere(qtbot, stored, tmp_path: Path) -> None:
    document = Document()
    document.load("free_tumble")
    files = {body.shape.mesh.file for body in document.scene.body if body.shape.mesh is not None}
    assert files, "this test wants a scene with meshes"
    document.save_as(tmp_path / "moved.toml")
    assert all((tmp_path / file).is_file() for file in files)
    assert load_scene(tmp_path / "moved.toml") == document.scene


def test_the_folder_is_the_file_s_however_far_one_goes_back(qtbot, stored, tmp_path: Path) -> None:
    """Undo brought the folder of before along, where the scene was saved in another one since."""
    document = Document()
    document.load("cart_pole")
    document.set_value("title", "first")
    document.save_as(tmp_path / "mine.toml")
    document.set_value("title", "second")
    document.undo()
    assert document.scene.folder == tmp_path and document.scene.title == "first" and not document.is_modified
    document.undo()
    assert document.scene.folder == tmp_path and document.is_modified
    document.redo()
    assert document.scene.folder == tmp_path and not document.is_modified
    (tmp_path / "cart_pole.py").write_text("# another one\n")
    document.undo()
    document.save_as(tmp_path / "mine.toml")
    assert (tmp_path / "cart_pole.py").read_text() == "# another one\n"


def test_files_of_what_is_undone_come_along_to_another_folder(qtbot, stored, tmp_path: Path) -> None:
    """The scene that was saved did not name them."""
    document = Document()
    document.load("free_tumble")
    with_meshes = [body for body in document.scene.body if body.shape.mesh is not None]
    mesh = tmp_path / with_meshes[0].shape.mesh.file
    document.edit("delete", paths.remove_body(document.scene, *(body.name for body in with_meshes)))
    document.save_as(tmp_path / "mine.toml")
    assert not mesh.exists()
    document.undo()
    assert document.scene.folder == tmp_path and mesh.is_file()
    document.save_as(tmp_path / "mine.toml")
    assert load_scene(tmp_path / "mine.toml") == document.scene


def test_python_that_may_run_may_run_where_it_is_copied_to(
    qtbot, stored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Carom's own stopped silently when its scene was saved; another file of that name may not run."""
    monkeypatch.setattr("engine.control.trust._store", lambda: tmp_path / "trusted")
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    document = Document()
    document.load("cart_pole")
    document.save_as(first / "mine.toml")
    assert is_trusted(first / "cart_pole.py")
    document.edit("delete", document.scene.model_copy(update={"controller": ()}))
    (second / "cart_pole.py").write_text("# another one\n")
    document.save_as(second / "mine.toml")
    document.undo()
    assert document.scene.controller and document.scene.folder == second
    assert not is_trusted(second / "cart_pole.py")


def test_what_was_edited_while_it_was_saved_moves_along(document: Document, tmp_path: Path) -> None:
    began = document.scene
    saved = save_scene(began, tmp_path / "mine.toml")
    document.set_value("title", "edited since")
    document.belong_to(saved, tmp_path / "mine.toml", began)
    assert document.scene.folder == tmp_path and document.scene.title == "edited since" and document.is_modified


def test_new_bodies_do_not_overlap_what_is_there(document: Document) -> None:
    scene = document.scene
    cue = scene.body[scene.index("cue")].position
    for kind in [kind for kind in SHAPES if kind != "plane"]:
        scene, name = edits.add_body(scene, edits.shape_of(kind, placement.typical_size(scene)), (cue[0], cue[1], 0.0))
        body = scene.body[scene.index(name)]
        for other in scene.body[:-1]:
            if other.motion == "free":
                reach = placement.bounding_radius(body.shape) + placement.bounding_radius(other.shape)
                gap = sum((a - b) ** 2 for a, b in zip(body.position, other.position)) ** 0.5 - reach
                assert gap > 0, f"{name} overlaps {other.name}"


def test_new_bodies_are_as_large_as_the_others(document: Document) -> None:
    assert placement.typical_size(document.scene) == pytest.approx(2 * 0.028575)
    assert placement.typical_size(edits.starter_scene()) == 0.5


def test_only_edits_that_change_the_motion_count_as_such(document: Document) -> None:
    scene = document.scene
    for path, value, same in (
        ("body.cue.colour", "#ff0000", True),
        ("title", "Another", True),
        ("material.ball.colour", "#00ff00", True),
        ("material.ball.look", "metal", True),
        ("world.until", 9.0, True),
        ("body.cue.name", "white", True),
        ("body.cue.mass", 0.2, False),
        ("world.gravity", [0, 0, -1], False),
        ("material.ball.friction", 0.5, False),
    ):
        assert edits.same_physics(scene, paths.set_path(scene, path, value)) is same, path


def test_the_journal_brings_unsaved_work_back(document: Document, tmp_path: Path) -> None:
    journal = Journal(document, tmp_path)
    document.set_value("body.cue.velocity", [5, 0, 0])
    journal.write()
    journal.scribe.finish()
    assert leftovers(tmp_path) == [], "as long as its process lives, nobody else takes it"
    for lock in tmp_path.glob("*.lock"):
        lock.unlink()  # as if the process had died
    found = leftovers(tmp_path)
    assert [leftover.read() for leftover in found] == [document.scene] and found[0].run is None
    other = Document()
    other.restore(document.scene, found[0].path, found[0].name, found[0].modified)
    assert other.is_modified and other.title == "Pool break"
    found[0].discard()
    assert leftovers(tmp_path) == []


def test_what_was_brought_back_and_is_given_up_is_not_asked_about_again(document: Document) -> None:
    document.restore(document.scene, None, "lost")
    assert document.is_modified
    document.give_up()
    assert not document.is_modified


def test_the_journal_forgets_what_was_saved(document: Document, tmp_path: Path) -> None:
    journal = Journal(document, tmp_path / "journal")
    document.set_value("body.cue.velocity", [5, 0, 0])
    journal.write()
    journal.scribe.finish()
    assert list((tmp_path / "journal").rglob("*.toml"))
    document.save_as(tmp_path / "mine.toml")
    journal.scribe.finish()
    assert not list((tmp_path / "journal").rglob("*.toml"))
    journal.close()


def test_the_first_edit_after_opening_or_saving_is_journalled_by_itself(
    qtbot, document: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.document.journal._DELAY", 10)
    folder = tmp_path / "journal"
    journal = Journal(document, folder)
    document.set_value("body.cue.velocity", [5, 0, 0])
    qtbot.waitUntil(lambda: len(list(folder.rglob("scene.toml"))) == 1, timeout=2000)
    document.save_as(tmp_path / "mine.toml")
    journal.scribe.finish()
    document.set_value("body.cue.velocity", [6, 0, 0])
    qtbot.waitUntil(lambda: len(list(folder.rglob("scene.toml"))) == 1, timeout=2000)
    journal.close()


def test_nothing_stays_behind_in_the_journal(qtbot, stored, tmp_path: Path) -> None:
    document = Document()
    document.load("free_tumble")  # which has meshes
    folder = tmp_path / "journal"
    journal = Journal(document, folder)
    document.set_value("title", "Mine")
    journal.write()
    journal.scribe.finish()
    assert len(list(folder.rglob("*"))) > 3, "scene, a word about it, its meshes, a lock"
    journal.close()
    assert list(folder.rglob("*")) == []
    path = str(folder / "gone.lock")
    die = f"import os; from PyQt6.QtCore import QLockFile; a = QLockFile({path!r}); a.lock(); os._exit(0)"
    subprocess.run([sys.executable, "-c", die], check=True)
    assert Path(path).is_file()
    assert leftovers(folder) == [] and list(folder.rglob("*")) == []


def test_unsaved_work_with_overlaps_is_found_again(document: Document, tmp_path: Path) -> None:
    journal = Journal(document, tmp_path)
    document.set_value("body.ball1.position", list(document.scene.body[document.scene.index("cue")].position))
    journal.write()
    journal.scribe.finish()
    for lock in tmp_path.glob("*.lock"):
        lock.unlink()  # as if the process had died
    assert [leftover.read() for leftover in leftovers(tmp_path)] == [document.scene]
    journal.close()
