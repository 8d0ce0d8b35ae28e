"""Values and bodies by names: what works, and what the errors say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.scene.paths import (
    apply_setting,
    get_path,
    remove_body,
    rename,
    set_path,
    unique_name,
)
from engine.scene.problems import SceneError
from engine.scene.schema import Scene

SCENE = Scene.model_validate(
    {
        "format": 1,
        "material": {"wood": {}, "felt": {"friction": 0.9}},
        "pair": [{"materials": ["wood", "felt"], "friction": 0.1}],
        "body": [
            {"name": "cue", "shape": {"sphere": {"radius": 1.0}}, "material": "wood"},
            {"name": "box 1", "shape": {"box": [1, 2, 3]}, "motion": {"spinner": {"axis": [0, 0, 1], "rate": 2}}},
        ],
        "camera": [{"position": [1, 1, 1]}],
    }
)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("body.cue.velocity=[8,0,0]", (8.0, 0.0, 0.0)),
        ("body.cue.velocity.1 = 3", 3.0),
        ("body.cue.velocity[1]=3", 3.0),
        ("body[1].mass=3", 3.0),
        ("body.box 1.colour=#ff0000", "#ff0000"),
        ("body.box 1.motion.spinner.rate=-4", -4.0),
        ("body.box 1.motion=fixed", "fixed"),
        ("body.cue.orientation={axis=[0,0,1], degrees=30}", None),
        ("body.cue.shape={box=[1,1,1]}", None),
        ("body.cue.shape.sphere.radius=0.5", 0.5),
        ("world.envelope=1e-4", 1e-4),
        ("world.gravity=[0,0,0]", (0.0, 0.0, 0.0)),
        ("world.microcollision=thesis", "thesis"),
        ("material.wood.friction=0.3", 0.3),
        ("material.glass={friction=0.1}", None),
        ("pair.wood+felt.friction=0.2", 0.2),
        ("camera.main.position[2]=9", 9.0),
        ("title=Two words", "Two words"),
        ('note.look_for=["a", "b"]', ("a", "b")),
    ],
)
def test_settings(setting: str, value: object) -> None:
    before = SCENE.model_copy(deep=True)
    after = apply_setting(SCENE, setting)
    assert after != SCENE
    assert before == SCENE
    path = setting.partition("=")[0].strip()
    if value is not None:
        assert get_path(after, path) == value
    assert set_path(after, path, get_path(after, path)) == after
    # Nothing else has changed.
    top = path.replace("[", ".").split(".")[0]
    for part in ("title", "note", "world", "material", "pair", "body", "camera"):
        assert part == top or getattr(after, part) == getattr(SCENE, part)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("body.queue.mass=3", 'there is no body "queue" (bodies: cue, box 1)'),
        ("body.cu.mass=3", 'there is no body "cu" (did you mean "cue"?)'),
        ("body.cue.mas=3", 'body.cue.mas: unknown key (did you mean "mass"?)'),
        ("body.cue.mass=-2", "body.cue.mass: is -2 (more than 0 kg)"),
        ("body.cue.mass=3 kg", 'body.cue.mass: is "3 kg" (a bare number in kg: 3)'),
        ("body.cue.velocity[7]=3", "there is no 7 here (there is: 0, 1, 2)"),
        ("body.cue.velocity=", '"" is no value'),
        ("body.cue.velocity=[1,2]", "has 2 entries (a list of 3 numbers in m/s)"),
        ("body.cue.motion.spinner.rate=1", 'there is no "spinner" here'),
        ("body.cue.shape={convex={vertices=[[0,0,0]]}}", "has fewer than 4 different points"),
        ("body.cue.material=glass", 'there is no material "glass" (materials: wood, felt)'),
        ("body.cue.name=box 1", 'another body is called "box 1" too'),
        ("body.cue.density=1\nmass=2", "is no value"),
        ("body=3", "holds several parts (name one: body.NAME)"),
        ("bod.cue.mass=3", 'there is no "bod" in a scene (did you mean "body"?)'),
        ("body..mass=3", "is no path"),
        ("body[7].mass=3", "there is no body[7] (there are 2)"),
        ("format=2", 'there is no "format" in a scene'),
        ("folder=here", 'there is no "folder" in a scene'),
        ("title.x=3", "the title has nothing inside it"),
        ("world.contact=penalti", 'world.contact: is "penalti" (did you mean "penalty"?)'),
        ("world.penalty_stiffness=0", "world.penalty_stiffness: is 0 (more than 0 N/m)"),
        ("world.gravity=[0,0]", "world.gravity: has 2 entries"),
        ("material.wod.friction=1", 'there is no material "wod" (did you mean "wood"?)'),
        ("material.wood={friction=-1}", "material.wood.friction: is -1 (0 or more)"),
        ("material.wood.rolling_resistance=1e9", "material.wood.rolling_resistance: is 1000000000.0 (at most 1e+07 m)"),
        ("no equals sign", "is no setting"),
    ],
)
def test_settings_that_are_wrong_say_why_in_one_line(setting: str, message: str) -> None:
    with pytest.raises(SceneError) as caught:
        apply_setting(SCENE, setting)
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_values_may_be_arrays_models_and_none() -> None:
    scene = set_path(SCENE, "body.cue.position", np.array([1.0, 2.0, 3.0]))
    scene = set_path(scene, "body.cue.mass", np.float64(2.0))
    assert scene.body[0].position == (1.0, 2.0, 3.0)
    assert set_path(scene, "body.cue.mass", None).body[0].mass is None
    assert set_path(scene, "body.cue", SCENE.body[0]) == SCENE
    assert set_path(SCENE, "body.cue", None).body == SCENE.body[1:]
    assert set_path(set_path(SCENE, "pair[0]", None), "material.felt", None).material.keys() == {"wood"}


def test_what_others_refer_to_cannot_be_taken_away() -> None:
    with pytest.raises(SceneError, match='there is no material "wood"'):
        set_path(SCENE, "material.wood", None)


def test_get_path_says_what_there_is() -> None:
    assert get_path(SCENE, "body.cue").name == "cue"
    assert get_path(SCENE, "body.box 1.shape.box[2]") == 3.0
    with pytest.raises(SceneError, match='did you mean "position"'):
        get_path(SCENE, "body.cue.positon")


def test_bodies_are_removed_and_names_are_unique() -> None:
    assert [body.name for body in remove_body(SCENE, "cue").body] == ["box 1"]
    assert remove_body(SCENE, "cue", "box 1").body == ()
    assert [unique_name(SCENE, wish) for wish in ("cue", "box 1", "new")] == ["cue2", "box2", "new"]
    for wrong in (lambda: remove_body(SCENE, "x"), lambda: SCENE.index("x")):
        with pytest.raises((SceneError, KeyError)):
            wrong()


def test_renaming_takes_references_along() -> None:
    oak = rename(SCENE, "material.wood", "oak")
    assert list(oak.material) == ["oak", "felt"]
    assert oak.body[0].material == "oak"
    assert oak.pair[0].materials == ("oak", "felt")
    assert rename(SCENE, "body.cue", "white").body[0].name == "white"
    for path, name in [("material.wood", "felt"), ("material.wood", "a.b"), ("body.cue", "box 1"), ("world", "x")]:
        with pytest.raises(SceneError):
            rename(SCENE, path, name)


def test_a_slider_needs_no_look_at_the_whole_scene() -> None:
    """Only the part that is named is looked at: another body may even be wrong meanwhile."""
    wrong = SCENE.body[1].model_copy(update={"mass": -1.0})
    scene: Any = SCENE.model_copy(update={"body": (SCENE.body[0], wrong)})
    assert set_path(scene, "body.cue.mass", 2).body[0].mass == 2.0
