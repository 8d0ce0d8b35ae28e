"""A world is gone as soon as nobody holds it: it may be a gigabyte, and the collector comes by rarely."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from engine import World, load_scene
from engine.scene.schema import Scene


@pytest.fixture
def without_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("without_collector")
@pytest.mark.parametrize("name", ["coins", "cart_pole", "four_bar"])
def test_a_world_that_nobody_holds_is_gone(name: str) -> None:
    scene: Scene = load_scene(name)
    world = World(scene, "off")
    world.advance_to(0.05)
    assert world.row(world.names[-1]) == len(world.names) - 1
    kept = world.snapshot()
    world.restore(kept)
    world.contacts(), world.energy(), world.joints(), world.events()
    gone = weakref.ref(world)
    del world
    assert gone() is None
