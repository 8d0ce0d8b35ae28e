"""Marbles that resist rolling settle in a narrow box: Newton's method, which does not know of that, comes to no end
there, and must not be asked in every step."""

from __future__ import annotations

import pytest

from engine import World, load_scene
from engine.group import work as wk
from engine.model import state as s
from engine.scene.paths import set_path
from engine.scene.schema import Scene

MARBLES = 60


@pytest.fixture
def pile() -> Scene:
    """Marbles of the gallery's pile in a box of ten centimetres."""
    scene = set_path(load_scene("sphere_pile"), "repeat.wall.ring.radius", 0.05)
    scene = set_path(scene, "repeat.wall.shape.box", [0.02, 0.19, 0.26])
    for name in ("blue", "orange", "green", "white"):
        scene = set_path(scene, f"repeat.{name}.pour.count", MARBLES // 4)
        scene = set_path(scene, f"repeat.{name}.pour.size", [0.08, 0.08, 0.088])
    return scene


def test_newtons_method_waits_until_sweeps_have_taken_as_long(pile: Scene) -> None:
    world = World(pile)
    waited = 0
    while world.time < 2.0 and sum(world.asleep()) < MARBLES:
        debt, steps = world._state.groups[:, s.NEWTON_DEBT].max(), world.counters["group_steps"]
        world.advance_events(1)
        left = world._state.groups[:, s.NEWTON_DEBT].max()
        if debt > 0.0 and left != debt and world.counters["group_steps"] > steps:  # not a step of another group
            waited += 1
            assert world._desk.work.sizes[wk.BY_NEWTON] == 0
            assert left < debt
    assert waited > 5
    assert sum(world.asleep()) == MARBLES
