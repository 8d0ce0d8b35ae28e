"""Bodies that ignore others: read, checked, followed when bodies are renamed or removed, and true in the world."""

from __future__ import annotations

import pytest

from engine import World
from engine.scene.filters import ignored_pairs
from engine.scene.overlaps import find_overlaps
from engine.scene.paths import remove_body, rename
from engine.scene.problems import SceneError
from engine.scene.reading import parse_scene
from engine.scene.schema import Scene

FLOOR = """format = 1
[[body]]
name = "floor"
motion = "fixed"
shape = { plane = {} }
[[body]]
name = "low"
shape = { sphere = { radius = 0.1 } }
position = [0, 0, 0.1001]
asleep = true
"""
HIGH = """[[body]]
name = "high"
shape = { sphere = { radius = 0.1 } }
position = [0, 0, 0.5]
"""


def read(text: str) -> Scene:
    return parse_scene(text.encode(), "scene.toml", None, overlaps=False)


def test_names_are_followed() -> None:
    scene = read(FLOOR + HIGH + 'ignores = ["low", "floor"]\n')
    assert ignored_pairs(scene) == [(0, 2), (1, 2)]
    assert rename(scene, "body.low", "under").body[2].ignores == ("under", "floor")
    assert remove_body(scene, "low").body[1].ignores == ("floor",)
    assert ignored_pairs(read(FLOOR + HIGH + 'ignores = ["*"]\n')) == [(0, 2), (1, 2)]


def test_names_that_lead_nowhere_are_found() -> None:
    with pytest.raises(SceneError) as caught:
        read(FLOOR + HIGH + 'ignores = ["floor", "lo"]\n')
    assert str(caught.value) == ('scene.toml:15: body.high.ignores[1]: there is no body "lo" (did you mean "low"?)')


def test_overlaps_that_are_ignored_are_none() -> None:
    scene = read(FLOOR + HIGH.replace("0.5", "0.15"))
    assert len(find_overlaps(scene)) == 1
    assert not find_overlaps(read(FLOOR + HIGH.replace("0.5", "0.15") + 'ignores = ["low"]\n'))


def test_a_body_falls_through_those_that_it_ignores_and_lands_on_the_rest() -> None:
    world = World(read(FLOOR + HIGH + 'ignores = ["low"]\n'))
    world.advance_to(1.5)
    assert world.body("high").position[2] == pytest.approx(0.1, abs=2e-3)
    assert world.body("low").position[2] == pytest.approx(0.1001, abs=2e-3)
