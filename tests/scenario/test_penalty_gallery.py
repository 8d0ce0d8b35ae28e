"""Every scene without joints runs under penalty contact: gaps may fall below zero, but the books balance."""

from __future__ import annotations

import pytest

from engine import World, load_scene
from engine.scene.gallery import bundled_scenes
from engine.scene.paths import set_path

QUICK = ("balls_in_dish", "block_on_ramp", "card_house", "coins", "jack_on_stairs", "painleve_rod", "spinning_platter")
SHORTER = {"brick_wall": 0.02, "domino_spiral": 0.02}
"""Two hundred bodies take thousands of small steps each [s]."""
JOINTED = {name for name, _ in bundled_scenes() if load_scene(name).joint}
"""Penalty contact holds no joints."""


def check_scene(name: str, until: float) -> World:
    world = World(set_path(load_scene(name), "world.contact", "penalty"))
    start = world.energy()
    scale = abs(start["kinetic"]) + abs(start["potential"])
    for k in range(1, 11):
        world.advance_to(until * k / 10)
        now = world.energy()
        balance = now["total"] + now["dissipated"] - now["work"] - start["total"]
        assert abs(balance) <= 1e-9 * scale
    assert not world.stopped
    assert world.counters["collisions"] == world.counters["faults"] == 0
    return world


@pytest.mark.parametrize("name", QUICK)
def test_a_scene_runs(name: str) -> None:
    world = check_scene(name, 0.2)
    assert world.smallest_gap < 0.0
    assert world.counters["group_steps"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, _ in bundled_scenes() if name not in JOINTED])
def test_every_scene_without_joints_runs(name: str) -> None:
    check_scene(name, SHORTER.get(name, 0.2))


def test_two_blocks_come_to_rest_as_a_stack_in_either_mode() -> None:
    """The comparison that a person makes first: `carom run block_drop`, with and without --contact penalty."""
    worlds = {mode: World(set_path(load_scene("block_drop"), "world.contact", mode)) for mode in ("hybrid", "penalty")}
    for world in worlds.values():
        world.advance_to(3.0)
    for name, height in (("lower", 0.05), ("upper", 0.14)):
        places = [world.body(name).position for world in worlds.values()]
        assert [place[2] for place in places] == pytest.approx([height] * 2, abs=3e-4)
        assert abs(places[0][:2] - places[1][:2]).max() < 0.1
    assert worlds["hybrid"].smallest_gap > 0.0 > worlds["penalty"].smallest_gap
    assert worlds["hybrid"].body("upper").asleep and not worlds["penalty"].body("upper").asleep
