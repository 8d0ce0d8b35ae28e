"""Marbles that resist rolling settle in a box. Newton's method, which does not know of that, comes to no end there, and
must not be asked in every step; and no step of all of them is made again because one flies in too fast."""

from __future__ import annotations

from engine import World, load_scene
from engine.group import work as wk
from engine.model import state as s
from engine.scene.paths import set_path
from engine.scene.schema import Scene

MARBLES = 40


def pile(marbles: int, half: float, pour: float) -> Scene:
    """So many marbles of the gallery's pile, in a box of walls so far from its middle, poured over a square [m]."""
    scene = set_path(load_scene("sphere_pile"), "repeat.wall.ring.radius", half)
    scene = set_path(scene, "repeat.wall.shape.box", [0.02, 2.0 * half + 0.09, 0.26])
    for name in ("blue", "orange", "green", "white"):
        scene = set_path(scene, f"repeat.{name}.pour.count", marbles // 4)
        scene = set_path(scene, f"repeat.{name}.pour.size", [pour, pour, 0.088])
    return scene


def test_what_still_flies_in_is_swept_on() -> None:
    world = World(pile(800, 0.17, 0.298))
    world.advance(0.4)
    assert world.counters["group_steps"] > 1000
    assert world.counters["group_retries"] <= 1
    assert world.smallest_gap > 0.0


def test_marbles_come_to_rest_and_sleep() -> None:
    """What sweeps leave is no noise that keeps them awake."""
    world = World(pile(400, 0.12, 0.198))
    while world.time < 3.0 and sum(world.asleep()) < 400:
        world.advance(0.1)
    assert world.time < 2.0 and world.energy()["kinetic"] == 0.0
    assert abs(world.energy()["numerics"]) < 1e-3 * world.energy()["dissipated"]


def test_newtons_method_waits_until_sweeps_have_taken_as_long() -> None:
    waited = sum(_steps_that_wait(World(pile(MARBLES, 0.06, pour))) for pour in (0.079, 0.08, 0.081))
    assert waited > 20  # how often one pile asks in vain is chance


def _steps_that_wait(world: World) -> int:
    """In how many steps until all sleep sweeps make up for Newton's method, which is not asked before they have."""
    waited = 0
    while world.time < 2.0 and sum(world.asleep()) < MARBLES:
        debt, before = world._state.groups[:, s.NEWTON_DEBT].max(), dict(world.counters)
        world.advance_events(1)
        left, after, sizes = world._state.groups[:, s.NEWTON_DEBT].max(), world.counters, world._desk.work.sizes
        if debt > 0.0 and left != debt and after["group_steps"] > before["group_steps"]:  # not of another group
            waited += left < debt
            assert sizes[wk.BY_NEWTON] == 0
            swept = (after["group_sweeps"] - before["group_sweeps"]) * sizes[wk.CONTACTS]
            assert left < debt or swept >= debt
    assert sum(world.asleep()) == MARBLES
    return waited
