"""A world is changed while it runs: physics follows from that instant on, books stay closed, a replay is bit-exact."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World, load_scene
from engine.recording.inputs import from_json, to_json
from engine.recording.snapshot import Snapshot
from engine.scene.paths import set_path
from engine.scene.reading import parse_scene
from engine.scene.schema import Scene

SLIDE = """
format = 1
[material.wood]
friction = 0.6
restitution = 0.0
[[body]]
name = "floor"
motion = "fixed"
shape.box = [8.0, 4.0, 0.2]
position = [0.0, 0.0, -0.1]
orientation = { axis = [0.0, 1.0, 0.0], degrees = 20.0 }
material = "wood"
[[body]]
name = "block"
shape.box = [0.4, 0.4, 0.2]
mass = 2.0
position = [0.06844, 0.0, 0.08803]
orientation = { axis = [0.0, 1.0, 0.0], degrees = 20.0 }
material = "wood"
[[body]]
name = "ball"
shape.sphere = { radius = 0.1 }
mass = 1.0
position = [0.0, 6.0, 5.0]
"""


@pytest.fixture
def scene() -> Scene:
    return parse_scene(SLIDE.encode(), "slide", None)


def balance(world: World) -> float:
    energy = world.energy()
    return energy["total"] + energy["dissipated"] - energy["work"]


def test_a_block_that_rests_slides_when_friction_is_lowered_and_holds_when_it_is_raised(scene: Scene) -> None:
    world = World(scene)
    world.advance_to(1.0)
    there, start = world.body("block").position.copy(), balance(world)
    assert np.linalg.norm(world.body("block").velocity) < 1e-3
    world.change("material.wood.friction", 0.2)
    world.advance_to(1.5)
    speed = np.linalg.norm(world.body("block").velocity)
    expected = 9.81 * (np.sin(np.radians(20)) - 0.2 * np.cos(np.radians(20))) * 0.5
    assert speed == pytest.approx(expected, rel=0.02), "Coulomb"
    assert np.linalg.norm(world.body("block").position - there) > 0.1
    world.change("material.wood.friction", 0.8)
    world.advance_to(2.5)
    assert np.linalg.norm(world.body("block").velocity) < 1e-3
    assert balance(world) == pytest.approx(start, abs=1e-3)


def test_gravity_mass_and_velocity_change_at_the_instant_and_books_stay_closed(scene: Scene) -> None:
    world = World(scene)
    world.advance_to(0.2)
    start, before = balance(world), world.body("ball")
    world.change("body.ball.mass", 3.0)
    world.change("world.gravity", [0.0, 0.0, -2.0])
    world.change("body.ball.velocity", [1.0, 0.0, 0.5])
    after = world.body("ball")
    np.testing.assert_array_equal(after.position, before.position)
    np.testing.assert_allclose(after.velocity, (1.0, 0.0, 0.5), atol=1e-15)
    assert balance(world) == pytest.approx(start, abs=1e-9)
    world.advance_to(0.5)
    np.testing.assert_allclose(world.body("ball").velocity, (1.0, 0.0, 0.5 - 2.0 * 0.3), atol=1e-12)
    np.testing.assert_allclose(
        world.body("ball").position, before.position + (0.3, 0.0, 0.5 * 0.3 - 0.5 * 2.0 * 0.09), atol=1e-12
    )
    assert world.momentum()[0] == pytest.approx(3.0, abs=1e-2), "three kilograms at a metre a second, and the block"
    assert balance(world) == pytest.approx(start, abs=1e-3)


def test_changes_come_again_to_the_bit_from_the_log_and_from_a_snapshot(scene: Scene) -> None:
    world = World(scene)
    world.advance_to(0.5)
    world.change("material.wood.friction", 0.1)
    world.advance_to(0.8)
    kept = Snapshot.from_bytes(world.snapshot().to_bytes())
    assert kept.digest == world.digest
    world.advance_to(1.0)
    middle = world.digest
    world.change("world.gravity", [0.0, 0.0, -5.0])
    world.change("body.block.mass", 5.0)
    world.change("body.block.velocity", [0.0, 0.3, 0.0])
    world.advance_to(1.4)
    assert world.changes == (
        ("body.block.mass", (5.0,)),
        ("material.wood.friction", (0.1,)),
        ("world.gravity", (0.0, 0.0, -5.0)),
    )
    again = World(scene)
    again.replay(from_json(to_json(world.inputs)), 1.4)
    assert again.digest == world.digest
    for other in (world, again, World(scene)):
        other.restore(kept)
        assert other.changes == (("material.wood.friction", (0.1,)),)
        other.advance_to(1.0)
        assert other.digest == middle


@pytest.mark.parametrize("path", ["world.envelope", "body.floor.mass", "body.nobody.mass", "material.wood.density"])
def test_what_cannot_change_while_it_runs_is_refused(scene: Scene, path: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        World(scene).change(path, 1.0)


@pytest.mark.parametrize("mode", ["impulse", "constraint", "penalty", "first order"])
def test_books_and_replays_hold_with_every_kind_of_contact(mode: str) -> None:
    ramp = load_scene("block_on_ramp")
    scene = set_path(ramp, "world.order", 1) if mode == "first order" else set_path(ramp, "world.contact", mode)
    world = World(scene)
    world.advance_to(0.2)
    start = balance(world)
    world.change("world.gravity", [1.0, 0.0, -4.0])
    world.change("material.rubber.friction", 0.05)
    world.change("body.block.mass", 20.0)
    world.advance_to(0.4)
    assert balance(world) == pytest.approx(start, abs=1e-9)
    again = World(scene)
    again.replay(world.inputs, 0.4)
    assert again.digest == world.digest
