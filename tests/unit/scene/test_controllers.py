"""Controllers in scene files: what is wrong with them, changing, saving and moving them."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.scene.paths import get_path, remove_body, rename, set_path
from engine.scene.problems import SceneError
from engine.scene.reading import load_scene, parse_scene
from engine.scene.schema import Scene
from engine.scene.writing import save_scene

TEXT = """format = 1
[[body]]
name = "cart"
shape = { sphere = { radius = 0.1 } }
[[joint]]
name = "rail"
kind = "slider"
bodies = ["cart"]
point = [0, 0, 0]
axis = [1, 0, 0]
motor = { effort = 0, limit = 5 }
# who drives
[[controller]]
name = "driver"
file = "driver.py"
rate = 100  # often
bodies = ["cart"]
joints = ["rail"]
settings = { gain = 3, calm = true, mood = "good" }
"""


def read(folder: Path, text: str = TEXT) -> Scene:
    (folder / "driver.py").write_text("")
    return parse_scene(text.encode(), "s.toml", folder, overlaps=False)


@pytest.mark.parametrize(
    "old, new, said",
    [
        ('["rail"]', '["rial"]', 's.toml:18: controller.driver.joints[0]: there is no joint "rial"'),
        ('["cart"]\njoints', '["crat"]\njoints', 's.toml:17: controller.driver.bodies[0]: there is no body "crat"'),
        ('"driver.py"', '"other.py"', 's.toml:15: controller.driver.file: there is no file "other.py"'),
        ('"driver.py"', '"../driver.py"', "lies outside the scene's folder"),
        ('"driver.py"', '"driver.txt"', "is no Python file"),
        ("rate = 100", "rate = 0", "s.toml:16: controller.driver.rate"),
        ("settings", "setings", "unknown key"),
        ("effort = 0", "effort = 0, position = 1", "says position and effort"),
        ("effort = 0", "effort = 0, kp = 1", "joint.rail.motor.kp: is nothing of a motor that is given its effort"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(SceneError) as failure:
        read(tmp_path, TEXT.replace(old, new))
    assert said in str(failure.value)


def test_a_scene_is_saved_with_its_files_and_comments(tmp_path: Path) -> None:
    scene, there = read(tmp_path), tmp_path / "there"
    there.mkdir()
    (tmp_path / "s.toml").write_text(TEXT)
    changed = set_path(scene, "controller.driver.rate", 50)
    saved = save_scene(changed, tmp_path / "s.toml")
    assert (tmp_path / "s.toml").read_text() == TEXT.replace("rate = 100", "rate = 50")
    save_scene(saved, there / "s.toml")
    again = load_scene(there / "s.toml", overlaps=False)
    assert again == changed
    assert (there / "driver.py").is_file()


def test_names_of_bodies_and_joints_follow(tmp_path: Path) -> None:
    scene = read(tmp_path)
    renamed = rename(rename(scene, "body.cart", "sled"), "joint.rail", "track")
    assert renamed.controller[0].bodies == ("sled",)
    assert renamed.controller[0].joints == ("track",)
    assert remove_body(scene, "cart").controller[0].joints == ()
    assert set_path(scene, "joint.rail", None).controller[0].joints == ()
    assert get_path(scene, "controller.driver.settings.gain") == 3
    with pytest.raises(SceneError, match="there is no joint"):
        set_path(scene, "controller.driver.joints", ["nothing"])
