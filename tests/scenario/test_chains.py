"""Chains of rods that swing for long, undamped: trees in joint coordinates, on steps that their error chooses."""

from __future__ import annotations

import pytest

from engine import World
from tests.linkages import chain, to_the_next_step


def test_a_triple_pendulum_keeps_its_energy_for_a_hundred_seconds() -> None:
    world = World(chain(3))
    begin = world.energy()["total"]
    scale = 9.81 * (0.25 + 0.75 + 1.25)  # its weight times how far it hangs down [J]
    while world.time < 100.0:
        world.advance(0.137)  # within steps, too
        assert world.energy()["total"] == pytest.approx(begin, abs=1e-6 * scale)
        assert world.joints()["gap"].max() < 1e-7
    to_the_next_step(world)
    assert world.energy()["total"] == pytest.approx(begin, abs=1e-6 * scale)
    assert world.energy()["total"] <= begin + 1e-12 * scale
    assert world.joints()["gap"].max() < 1e-12
    assert world.counters["group_steps"] < 100 * 250


def test_a_chain_of_fifty_whips_and_keeps_its_energy() -> None:
    world = World(chain(50, length=0.1))
    begin = world.energy()["total"]
    scale = 50 * 9.81 * 2.5
    fastest = 0.0
    while world.time < 3.0:
        world.advance(0.0137)
        assert world.energy()["total"] == pytest.approx(begin, abs=1e-6 * scale)
        fastest = max(fastest, abs(world.joints()["velocity"]).max())
    assert world.joints()["gap"].max() < 1e-8
    assert fastest > 50.0


def test_a_pendulum_at_rest_takes_the_longest_steps() -> None:
    """Nothing moves, so nothing errs: no step is forced on what touches nothing."""
    scene = chain(1)
    body = scene.body[0].model_copy(
        update={"position": (0.0, 0.0, -0.25), "orientation": (0.5**0.5, 0.0, 0.5**0.5, 0.0)}
    )
    world = World(scene.model_copy(update={"body": (body,)}))
    world.advance_to(60.0)
    assert world.counters["group_steps"] < 80  # rounding sways it, by far less than a billionth
    assert abs(world.body("rod 0").velocity).max() < 1e-9
