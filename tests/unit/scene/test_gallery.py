"""The bundled scenes: all of them load, say what they are, and are of real sizes."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
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


def test_the_pool_break_lies_within_what_is_measured() -> None:
    """Ranges: the comment in the scene's file."""
    scene = load_scene("pool_break")
    ball, cushion = scene.material["ball"], scene.material["cushion"]
    cloth = scene.material["cloth"]
    radius, gravity_share = 0.028575, 5.0 / 7.0
    assert 0.92 <= ball.restitution <= 0.98 and 0.03 <= ball.friction <= 0.08
    assert 0.15 <= cloth.friction <= 0.4 and 0.6 <= cushion.restitution <= 0.9
    assert 0.005 <= gravity_share * cloth.rolling_resistance / radius <= 0.015
    assert 8.0 <= scene.bodies[scene.index("cue")].velocity[0] <= 12.0
    assert 0.156 <= 4.0 / 3.0 * math.pi * radius**3 * ball.density <= 0.170 * 1.001  # [kg]
    racked = [np.array(body.position) for body in scene.bodies if body.name.startswith("ball")]
    nearest = [min(float(np.linalg.norm(a - b)) for b in racked if b is not a) - 2.0 * radius for a in racked]
    assert len(racked) == 15 and min(nearest) > 0.0 and max(nearest) < 2e-4  # [m]
