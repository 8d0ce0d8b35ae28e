"""Saving: what was saved is what is loaded, comments stay, and a file is never half written."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import trimesh
from hypothesis import given, settings

from engine import load_scene
from engine.files import replace_file
from engine.resources import scenes_dir
from engine.scene.gallery import bundled_scenes
from engine.scene.paths import remove_body, rename, set_path
from engine.scene.problems import SceneError
from engine.scene.reading import parse_scene
from engine.scene.schema import Pair, Scene
from engine.scene.text import scene_text
from engine.scene.writing import keep_scene, missing_files, named_files, save_scene
from tests.unit.scene.strategies import scenes

OLD = """\
# A scene for tests.

format = 1
title = "x"  # the title

# how it pulls
[world]
gravity = [
  0,   # nothing sideways
  0,
  -9.81,  # down
]

# ---- stuff ----

# of trees
[material.wood]
friction = 0.3  # measured
[material.felt]
friction = 0.9

# ---- bodies ----

# the first
[[body]]
name = "a"  # A
shape = { sphere = { radius = 0.1 } }  # round
position = [0, 0, 5]
# the tail of a

# the second
[[body]]
name = "b"
material = "wood"
  # its look
  [body.shape]
  box = [1, 1, 1]  # cube

# the third
[[body]]
name = "c"
position = [0, 0, 9]
shape = { capsule = { radius = 0.1, length = 1 } }
motion = { spinner = { axis = [0, 0, 1], rate = 3 } }  # turns

[[camera]]
position = [1, 2, 3]
# the end
"""


def parse(text: str) -> Scene:
    return parse_scene(text.encode(), "s.toml", overlaps=False)


@settings(max_examples=150, deadline=None)
@given(scenes())
def test_a_fresh_text_reads_as_the_same_scene(scene: Scene) -> None:
    assert parse(scene_text(scene)) == scene


@settings(max_examples=60, deadline=None)
@given(scenes(), scenes())
def test_any_scene_can_be_saved_over_any_other(new: Scene, old: Scene) -> None:
    text = scene_text(new, scene_text(old))
    assert parse(text) == new
    assert scene_text(new, text) == text


def test_load_save_load_gives_the_same_scene(tmp_path: Path) -> None:
    for name, path in bundled_scenes():
        scene = load_scene(path)
        saved = save_scene(scene, tmp_path / f"{name}.toml")
        again = load_scene(tmp_path / f"{name}.toml")
        assert again == scene
        assert again.folder == saved.folder == tmp_path


@pytest.mark.parametrize("path", sorted(scenes_dir().glob("*.toml")), ids=lambda path: path.stem)
def test_saving_an_unchanged_scene_changes_no_byte(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / path.name
    text = path.read_bytes()
    copy.write_bytes(text)
    save_scene(load_scene(path), copy)
    assert copy.read_bytes() == text


def comments(text: str) -> list[str]:
    return re.findall(r"# .*", text)


def with_copy(scene: Scene, name: str, row: int) -> Scene:
    """The scene with a copy of its first body, beside it, before row `row`."""
    copy = scene.body[0].model_copy(update={"name": name, "position": (1.0, 0.0, 0.0)})
    return scene.model_copy(update={"body": (*scene.body[:row], copy, *scene.body[row:])})


KEEPING: dict[str, Callable[[Scene], Scene]] = {
    "gravity": lambda s: set_path(s, "world.gravity[2]", -1.5),
    "new field": lambda s: set_path(s, "body.a.velocity", (1, 2, 3)),
    "new field before a nested table": lambda s: set_path(s, "body.b.position", (1, 2, 3)),
    "duplicate": lambda s: with_copy(s, "a2", 1),
    "rename body": lambda s: rename(s, "body.a", "ball"),
    "motion": lambda s: set_path(s, "body.c.motion", "free"),
    "asleep": lambda s: set_path(s, "body.b.asleep", True),
    "spinner": lambda s: set_path(s, "body.c.motion.spinner.centre", [1, 1, 1]),
    "turn": lambda s: set_path(s, "body.b.orientation", {"axis": [1, 0, 0], "degrees": 2.5}),
    "material": lambda s: set_path(s, "material.new", {"friction": 0.1}),
    "density": lambda s: set_path(s, "material.felt.density", 3),
    "note": lambda s: set_path(s, "note.text", 'hi "you"\nthere'),
    "title": lambda s: set_path(s, "title", ""),
    "order": lambda s: s.model_copy(update={"body": s.body[::-1]}),
    "pair": lambda s: s.model_copy(update={"pair": (Pair(materials=("wood", "felt"), friction=1.0),)}),
    "add": lambda s: with_copy(s, "new", 0),
}


@pytest.mark.parametrize("change", KEEPING.values(), ids=KEEPING.keys())
def test_comments_stay_where_something_changes(change: Callable[[Scene], Scene]) -> None:
    new = change(parse(OLD))
    text = scene_text(new, OLD)
    assert parse(text) == new
    assert sorted(comments(text)) == sorted(comments(OLD))


def test_only_the_lines_that_change_are_touched() -> None:
    new = set_path(parse(OLD), "world.gravity[2]", -1.5)
    assert scene_text(new, OLD) == OLD.replace("-9.81,  # down", "-1.5,  # down")


def test_only_the_comments_of_what_is_removed_go() -> None:
    text = scene_text(remove_body(parse(OLD), "a"), OLD)
    gone = {"# the first", "# A", "# round", "# the tail of a"}
    assert sorted(comments(text)) == sorted(line for line in comments(OLD) if line not in gone)
    text = scene_text(set_path(rename(parse(OLD), "material.wood", "oak"), "material.felt", None), OLD)
    assert "# ---- stuff ----" in text
    assert "# of trees" not in text


def test_foreign_line_ends_stay() -> None:
    new = set_path(parse(OLD), "body.a.velocity", (1, 2, 3))
    text = scene_text(new, OLD.replace("\n", "\r\n"))
    assert text == scene_text(new, OLD).replace("\n", "\r\n")


def test_tables_in_unusual_order_still_save_right() -> None:
    old = 'world.envelope = 0.1\nformat = 1\nbody = [{ name = "a", shape.sphere.radius = 1 }]\n'
    old += "[material]\nx = {}\n[note]\n"
    new = set_path(set_path(parse(old), "body.a.mass", 3), "material.y", {})
    new = set_path(set_path(new, "world.until", 2), "material.x", None)
    assert parse(scene_text(new, old)) == new


def test_an_unreadable_old_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_bytes(b"\xff = [")
    save_scene(parse(OLD), path)
    assert load_scene(path, overlaps=False) == parse(OLD)


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.toml"
    path.write_text(OLD)

    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    for name in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, fail)
            with pytest.raises(SceneError, match="No space left on device"):
                save_scene(set_path(parse(OLD), "title", "new"), path)
        assert path.read_text() == OLD
        assert os.listdir(tmp_path) == ["s.toml"]


def test_saving_where_that_is_impossible_says_so(tmp_path: Path) -> None:
    for path in (tmp_path / "no" / "s.toml", tmp_path):
        with pytest.raises(SceneError, match="cannot be written"):
            save_scene(parse(OLD), path)


def test_permissions_and_links_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "s.toml", tmp_path / "link.toml"
    path.write_text(OLD)
    path.chmod(0o640)
    link.symlink_to(path)
    save_scene(set_path(parse(OLD), "title", "new"), link)
    assert link.is_symlink()
    assert 'title = "new"' in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o640


def test_meshes_go_along_to_another_folder(tmp_path: Path) -> None:
    scene = load_scene("free_tumble")
    path = tmp_path / "copy.toml"
    save_scene(scene, path)
    assert (tmp_path / "meshes" / "t_handle.obj").read_bytes() == (scenes_dir() / "meshes/t_handle.obj").read_bytes()
    (tmp_path / "meshes" / "t_handle.obj").write_text("other")
    with pytest.raises(SceneError, match="another file of the same name"):
        save_scene(scene, path)


def with_controller(folder: Path) -> Scene:
    """A scene with a controller, in a folder of its own."""
    folder.mkdir()
    (folder / "push.py").write_text("class Controller:\n    pass\n")
    text = OLD + '\n[[controller]]\nname = "push"\nfile = "push.py"\nrate = 100\n'
    return parse_scene(text.encode(), "old.toml", folder)


def test_a_file_that_is_gone_does_not_keep_a_scene_from_being_saved(tmp_path: Path) -> None:
    scene, there = with_controller(tmp_path / "here"), tmp_path / "there"
    there.mkdir()
    assert missing_files(scene) == []
    (tmp_path / "here" / "push.py").unlink()
    saved = save_scene(scene, there / "s.toml")
    assert 'file = "push.py"' in (there / "s.toml").read_text()
    assert missing_files(scene) == missing_files(saved) == ["push.py"]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene, there = with_controller(tmp_path / "here"), tmp_path / "there"
    there.mkdir()
    read = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path.name == "push.py":
            raise PermissionError(13, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(SceneError) as caught:
        save_scene(scene, there / "s.toml")
    (problem,) = caught.value.problems
    assert problem.file == str(tmp_path / "here" / "push.py")
    assert (problem.message, problem.hint) == ("cannot be read: Permission denied", "a readable file")
    assert os.listdir(there) == []


@pytest.mark.parametrize(("number", "hint"), [(28, "a disk with room on it"), (13, "a folder to write in")])
def test_what_would_be_right_fits_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, hint: str
) -> None:
    def fail(*_arguments: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(SceneError) as caught:
        save_scene(parse(OLD), tmp_path / "s.toml")
    assert [problem.hint for problem in caught.value.problems] == [hint]
    monkeypatch.undo()
    with pytest.raises(SceneError, match="a folder that is there"):
        save_scene(parse(OLD), tmp_path / "no" / "s.toml")


def test_a_copy_that_is_kept_follows_the_files_and_outlives_them(tmp_path: Path) -> None:
    scene, kept = with_controller(tmp_path / "here"), tmp_path / "kept"
    kept.mkdir()
    keep_scene(scene, kept / "scene.toml")
    (tmp_path / "here" / "push.py").write_text("# changed\n")
    later = set_path(scene, "title", "later")
    keep_scene(later, kept / "scene.toml")
    assert (kept / "push.py").read_text() == "# changed\n"
    (tmp_path / "here" / "push.py").unlink()
    keep_scene(set_path(later, "title", "last"), kept / "scene.toml")
    assert load_scene(kept / "scene.toml", overlaps=False).title == "last"
    assert (kept / "push.py").read_text() == "# changed\n"


def test_what_a_killed_writer_left_is_removed_in_time(tmp_path: Path) -> None:
    path, parts = tmp_path / "my [1].toml", [tmp_path / f".my [1].toml.{name}.part" for name in ("old", "new")]
    for part in (*parts, tmp_path / ".other.toml.old.part"):
        part.touch()
    os.utime(parts[0], (0.0, 0.0))
    replace_file(path, b"whole")
    assert path.read_bytes() == b"whole"
    assert [part.exists() for part in parts] == [False, True] and (tmp_path / ".other.toml.old.part").exists()


def test_a_byte_order_mark_costs_no_comments(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes(b"\xef\xbb\xbf" + OLD.encode())
    save_scene(set_path(load_scene(path), "body.a.position", [0, 0, 6]), path)
    assert path.read_text().count("#") == OLD.count("#")


def test_files_that_a_mesh_is_made_of_come_along(tmp_path: Path) -> None:
    made = trimesh.creation.box((0.2, 0.2, 0.2)).scene().export(file_type="gltf")
    source, target = tmp_path / "one", tmp_path / "two"
    for folder in (source / "meshes", target):
        folder.mkdir(parents=True)
    for name, data in made.items():
        (source / "meshes" / name).write_bytes(data)
    (source / "x.toml").write_text(
        'format = 1\n[[body]]\nname = "a"\nshape = { mesh = { file = "meshes/model.gltf" } }\nposition = [0, 0, 1]\n'
    )
    scene = load_scene(source / "x.toml")
    assert {f"meshes/{name}" for name in made} == set(named_files(scene))
    save_scene(scene, target / "x.toml")
    assert load_scene(target / "x.toml") == scene.model_copy(update={"folder": target})
