"""`[[repeat]]`: one template, many bodies, the same ones every time."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World
from engine.geometry.shapes import rotation_matrix
from engine.scene.paths import apply_setting, get_path, rename, set_path
from engine.scene.problems import SceneError
from engine.scene.reading import parse_scene
from engine.scene.schema import Scene
from engine.scene.text import scene_text

TEXT = """\
format = 1

[material.bone]
friction = 0.4
restitution = 0.3

[[body]]
name = "table"
motion = "fixed"
shape = { plane = {} }
position = [0, 0, -1]

# Dice, as many as fit.
[[repeat]]
name = "die"
shape = { box = [0.02, 0.02, 0.02] }  # casino dice are 19 mm
material = "bone"
position = [0, 0, 0.5]
velocity = [1, 0, 0]
pour = { count = 40, size = [0.2, 0.2, 0.4], distance = 0.036, seed = 3 }

[[repeat]]
name = "coin"
shape = { prism = { sides = 12, radius = 0.01, height = 0.002 } }
position = [0, 0, 2]
velocity = [1, 0, 0]
ring = { count = 4, radius = 0.2 }
"""


@pytest.fixture
def scene() -> Scene:
    return parse_scene(TEXT.encode(), "dice.toml")


def test_names_rows_and_owners(scene: Scene) -> None:
    names = [body.name for body in scene.bodies]
    assert names == ["table", *(f"die.{k}" for k in range(40)), *(f"coin.{k}" for k in range(4))]
    assert scene.index("die.0") == 1
    assert [scene.owner(row) for row in (0, 1, 40, 41, 44)] == [
        ("body", 0), ("repeat", 0), ("repeat", 0), ("repeat", 1), ("repeat", 1),
    ]  # fmt: skip
    world = World(scene)
    assert list(world.names) == names
    assert world.body("die.7").position == pytest.approx(scene.bodies[8].position)


def test_a_pour_keeps_its_distance_and_its_box_and_follows_its_seed(scene: Scene) -> None:
    def centres(s: Scene) -> np.ndarray:
        return np.array([body.position for body in s.repeat[0].bodies])

    here = centres(scene)
    apart = np.linalg.norm(here[:, None] - here[None], axis=2)[~np.eye(40, dtype=bool)]
    assert apart.min() >= 0.036
    assert np.abs(here - (0.0, 0.0, 0.5)).max(axis=0) == pytest.approx([0.1, 0.1, 0.2], abs=0.02)
    assert np.array_equal(centres(parse_scene(TEXT.encode(), "dice.toml")), here)
    assert not np.array_equal(centres(apply_setting(scene, "repeat.die.pour.seed=4")), here)
    turned = [np.array(body.orientation) for body in scene.repeat[0].bodies]
    assert np.allclose([np.linalg.norm(q) for q in turned], 1.0)
    assert len({tuple(q) for q in turned}) == 40
    upright = set_path(scene, "repeat.die.pour.turned", False)
    assert {body.quaternion for body in upright.repeat[0].bodies} == {(1.0, 0.0, 0.0, 0.0)}


def test_random_turns_have_no_favourite_direction() -> None:
    pour = {"count": 4000, "size": [1.0, 1.0, 1.0], "distance": 0.05}
    ball = {"name": "b", "shape": {"sphere": {"radius": 0.01}}, "pour": pour}
    scene = Scene.model_validate({"format": 1, "repeat": [ball]})
    axes = np.array([rotation_matrix(np.array(body.quaternion)) for body in scene.bodies])
    assert np.abs(axes.mean(axis=0)).max() < 0.05
    assert np.allclose((axes**2).mean(axis=0), 1 / 3, atol=0.03)


def test_a_ring_turns_its_bodies_and_their_velocities(scene: Scene) -> None:
    coins = scene.repeat[1].bodies
    assert np.allclose([coin.position for coin in coins], [(0.2, 0, 2), (0, 0.2, 2), (-0.2, 0, 2), (0, -0.2, 2)])
    assert np.allclose([coin.velocity for coin in coins], [(1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0)])
    half = np.sqrt(0.5)
    assert coins[1].quaternion == pytest.approx((half, 0, 0, half))


def test_grids_and_stacks_count_from_the_template() -> None:
    brick = {
        "name": "brick",
        "shape": {"box": [0.2, 0.1, 0.1]},
        "position": [1.0, 2.0, 3.0],
        "velocity": [1.0, 0.0, 0.0],
    }
    grid = {"grid": {"count": [2, 1, 2], "spacing": [0.3, 9.0, 0.2]}}
    tower = {"name": "tower", "stack": {"count": 3, "step": [0.0, 0.0, 0.2], "degrees": 90.0}}
    scene = Scene.model_validate({"format": 1, "repeat": [brick | grid, brick | tower]})
    assert np.allclose(
        [body.position for body in scene.bodies],
        [(1, 2, 3), (1.3, 2, 3), (1, 2, 3.2), (1.3, 2, 3.2), (1, 2, 3), (1, 2, 3.2), (1, 2, 3.4)],
    )
    assert scene.bodies[6].quaternion == pytest.approx((0, 0, 0, 1), abs=1e-15)
    assert {body.velocity for body in scene.bodies} == {(1.0, 0.0, 0.0)}


def test_paths_reach_the_template_and_the_layout(scene: Scene) -> None:
    assert get_path(scene, "repeat.die.pour.count") == 40
    fewer = apply_setting(apply_setting(scene, "repeat.die.pour.count=5"), "repeat.die.mass=0.02")
    assert len(fewer.bodies) == 1 + 5 + 4
    assert fewer.bodies[3].mass == 0.02
    assert [body.name for body in rename(scene, "repeat.coin", "cent").bodies][-1] == "cent.3"
    assert rename(scene, "material.bone", "ivory").bodies[1].material == "ivory"
    with pytest.raises(SceneError, match="did you mean"):
        set_path(scene, "repeat.dei.mass", 1.0)
    with pytest.raises(SceneError, match="there is room for"):
        set_path(scene, "repeat.die.pour.distance", 0.1)


def test_saving_keeps_the_comments_and_edits_the_template_only(scene: Scene) -> None:
    edited = set_path(scene, "repeat.die.pour.count", 41)
    assert scene_text(edited, TEXT) == TEXT.replace("count = 40", "count = 41")
    assert parse_scene(scene_text(edited).encode(), "fresh.toml") == edited
