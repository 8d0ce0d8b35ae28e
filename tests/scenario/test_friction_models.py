"""Friction as a scene chooses it: Coulomb's cone and Baraff's three approximations (1992, section 14.2)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from engine import World
from engine.scene.schema import FRICTION_MODELS
from engine.tolerances import CREEP_SHARE
from tests.scenes import body, floor, scene

G = 9.81
MU = 0.4
PUCK = {"cylinder": {"radius": 0.1, "height": 0.04}}
TILE = {"box": [0.2, 0.2, 0.04]}


def sliding(model: str, angle: float, speed: float = 1.0, **world: Any) -> World:
    """A flat tile that is pushed off along the floor, in a direction."""
    push = [speed * float(np.cos(angle)), speed * float(np.sin(angle)), 0.0]
    tile = body("tile", TILE, (0, 0, 0.0201), velocity=push)
    return World(
        scene(floor(), tile, friction=MU, restitution=0.0, contact="constraint", friction_model=model, **world)
    )


def way(world: World) -> np.ndarray:
    """How far the tile gets."""
    start = np.array(world.body("tile").position)
    world.advance_to(2.0)
    return np.asarray((np.array(world.body("tile").position) - start)[:2])


@pytest.mark.parametrize("angle", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("model", ["coulomb", "lotstedt", "dynamic"])
def test_what_is_alike_in_all_directions_slides_as_far_in_each(model: str, angle: float) -> None:
    """v^2 / 2 mu g, straight; Lötstedt's by the first step further, in which there is no load before."""
    went = way(sliding(model, angle))
    expected = 1.0 / (2.0 * MU * G)
    late = 1.0 / 240.0 if model == "lotstedt" else 0.0
    assert np.hypot(*went) == pytest.approx(expected + late, rel=0.02)
    assert np.arctan2(went[1], went[0]) == pytest.approx(angle, abs=0.01)


def test_two_axes_apart_stop_a_tile_by_each_and_bend_its_way() -> None:
    """Each part of the velocity has friction of its own: v_x^2 / 2 mu g and v_y^2 / 2 mu g."""
    for angle in (0.0, 0.3, np.pi / 4):
        went = way(sliding("quadratic", angle))
        expected = np.array([np.cos(angle), np.sin(angle)]) ** 2 / (2.0 * MU * G)
        assert went == pytest.approx(expected, abs=0.02 / (2.0 * MU * G))


def on_slope(model: str, share: float) -> World:
    """A tile on a slope of which friction has to hold this share of what it can."""
    slope = float(np.arctan(share * MU))
    pull = [G * np.sin(slope), 0.0, -G * np.cos(slope)]
    tile = body("tile", TILE, (0, 0, 0.0201))
    return World(
        scene(
            floor(),
            tile,
            friction=MU,
            restitution=0.0,
            gravity=[float(x) for x in pull],
            contact="constraint",
            friction_model=model,
        )
    )


@pytest.mark.parametrize("model", ["coulomb", "lotstedt", "quadratic"])
def test_what_friction_can_hold_stands_and_falls_asleep(model: str) -> None:
    world = on_slope(model, 0.6)
    world.advance_to(2.0)
    assert abs(world.body("tile").position[0]) < 1e-3
    assert world.body("tile").asleep


def test_dynamic_friction_holds_nothing_it_creeps() -> None:
    """At the share of the speed from which on friction is whole that its load is of what friction can hold."""
    world = on_slope("dynamic", 0.6)
    world.advance_to(1.0)
    creep = CREEP_SHARE * np.sqrt(G * world.model.bodies[1, 14])
    before = world.body("tile").position[0]
    world.advance_to(2.0)
    assert world.body("tile").position[0] - before == pytest.approx(0.6 * creep, rel=0.02)
    assert not world.body("tile").asleep


def test_lotstedts_friction_is_a_step_behind_its_load() -> None:
    """In its first step nothing rubs: there was no load before."""
    step = 1.0 / 240.0
    for model, lost in (("coulomb", MU * G * step), ("lotstedt", 0.0)):
        world = sliding(model, 0.0)
        world.advance_to(0.999 * step)
        assert world.body("tile").velocity[0] == pytest.approx(1.0 - lost, abs=0.05 * MU * G * step)


@pytest.mark.parametrize("model", FRICTION_MODELS)
def test_the_books_close_and_no_energy_is_made(model: str) -> None:
    tiles = [body(f"t{k}", TILE, (0.01 * k, 0, 0.0201 + 0.0402 * k), velocity=[0.5 * k, 0.3, 0.0]) for k in range(4)]
    world = World(scene(floor(), *tiles, friction=MU, contact="constraint", friction_model=model))
    start = world.energy()
    totals = [start["total"]]
    for k in range(1, 51):
        world.advance_to(0.02 * k)
        energy = world.energy()
        totals.append(energy["total"])
        balance = energy["total"] + energy["dissipated"] - energy["work"]
        assert balance == pytest.approx(start["total"], abs=1e-9 * start["kinetic"])
    assert all(later <= earlier + 1e-8 * start["kinetic"] for earlier, later in pairwise(totals))
    assert energy["sliding"] > 0.5 * start["kinetic"]


@pytest.mark.parametrize("model", FRICTION_MODELS)
def test_what_touches_nothing_fixed_keeps_its_momentum(model: str) -> None:
    pushed = {"force": [0.0, 0.0, 30.0]}
    tiles = [
        body("lower", TILE, (0, 0, 0), **pushed),
        body("upper", TILE, (0.03, 0, 0.0401), velocity=[0.4, 0.2, 0.0], force=[0.0, 0.0, -30.0]),
    ]
    nowhere = (0.0, 0.0, 0.0)
    world = World(scene(*tiles, friction=MU, gravity=nowhere, contact="constraint", friction_model=model))
    before = world.momentum()
    for k in range(1, 6):
        world.advance_to(0.05 * k)
        assert np.abs(world.momentum()[:3] - before[:3]).max() < 1e-12 * np.linalg.norm(before)
