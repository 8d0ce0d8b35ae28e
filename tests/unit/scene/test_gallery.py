"""The bundled scenes: all of them load, say what they are, and are of real sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import load_scene
from engine.scene import gallery
from engine.scene.checks import find_problems
from engine.scene.gallery import bundled_scenes

NAMES = [name for name, _ in bundled_scenes()]
FIRST = {"dominos", "block_drop", "block_on_ramp", "chain_of_balls", "pool_break", "coins", "free_tumble"}
SMOOTH = {"rattleback", "discs"}


def test_the_gallery_holds_the_scenes_of_the_thesis() -> None:
    assert set(NAMES) >= FIRST | SMOOTH


@pytest.mark.parametrize("name", NAMES)
def test_a_bundled_scene_explains_itself(name: str) -> None:
    scene = load_scene(name)
    assert scene.title
    assert scene.note.text
    assert scene.note.look_for
    assert scene.world.until
    assert scene.camera
    assert any(body.motion == "free" for body in scene.bodies)
    assert find_problems(scene) == []


def test_bare_names_are_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_scene("pool_break").index("cue") > 0
    (tmp_path / "pool_break").write_text('format = 1\ntitle = "mine"\n')
    assert load_scene("pool_break").title == "mine"  # a file that is there comes first


def test_an_installed_package_brings_its_scenes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "b.toml").write_text("format = 1\n")
    (tmp_path / "a.toml").write_text("format = 1\n")
    (tmp_path / "notes.txt").write_text("no scene")
    monkeypatch.setattr(gallery, "scenes_dir", lambda: tmp_path)
    assert bundled_scenes() == [("a", tmp_path / "a.toml"), ("b", tmp_path / "b.toml")]
    assert load_scene("a").folder == tmp_path


@pytest.mark.parametrize("name", NAMES)
def test_notes_promise_what_there_is(name: str) -> None:
    """There is no timeline to go back on."""
    note = load_scene(name, overlaps=False).note
    assert not any("scrub" in text for text in (note.text, *note.look_for))
