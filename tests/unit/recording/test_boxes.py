"""Swept boxes and tiles as they are read: held against where bodies are, and against the pairs that are checked."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from engine import World, load_scene
from engine.recording.boxes import SWEPT_BOX
from engine.scene.paths import set_path

RADIUS = 0.1
BALLS = "\n".join(
    f"""
[[body]]
name = "ball{k}"
shape = {{ sphere = {{ radius = {RADIUS} }} }}
position = [{0.23 * (k % 4)}, {0.25 * (k // 4)}, {0.4 + 0.05 * k}]
velocity = [{0.3 * (k % 3) - 0.3}, {0.2 - 0.1 * k}, 0]
"""
    for k in range(8)
)
SCENE = f"""
format = 1
[[body]]
name = "floor"
motion = "fixed"
shape = {{ plane = {{}} }}
{BALLS}
"""


def world_at(tmp_path: Path, broad_phase: str, time: float) -> World:
    path = tmp_path / "balls.toml"
    path.write_text(SCENE)
    world = World(set_path(load_scene(path), "world.broad_phase", broad_phase))
    world.advance_to(time)
    return world


@pytest.mark.parametrize("time", [0.0, 0.13, 0.6])
def test_boxes_hold_their_bodies_and_what_meets_is_checked(tmp_path: Path, time: float) -> None:
    world = world_at(tmp_path, "hierarchical_hash", time)
    boxes = world.swept_boxes()
    assert boxes.dtype == SWEPT_BOX and len(boxes) == 9
    assert not np.isfinite(boxes["low"][0]).all()  # the floor
    low, high, at = boxes["low"][1:], boxes["high"][1:], world.poses()[1:, :3]
    assert (low <= at - RADIUS + 1e-9).all() and (high >= at + RADIUS - 1e-9).all()
    assert (boxes["until"][1:] >= time).all()
    heap = world.heap(1000)
    checked = {frozenset(map(int, pair)) for pair in zip(heap["body_a"], heap["body_b"], strict=True)}
    checked |= {frozenset(map(int, pair)) for pair in world.touching()}
    meeting = {
        frozenset((a, b))
        for a, b in itertools.combinations(range(1, 9), 2)
        if (boxes["low"][a] <= boxes["high"][b]).all() and (boxes["low"][b] <= boxes["high"][a]).all()
    }
    assert meeting <= checked
    assert meeting or time > 0.0


def test_a_box_is_safe_until_its_end(tmp_path: Path) -> None:
    """A body that nothing disturbs is inside its box up to then, and the box is another one afterwards."""
    world = world_at(tmp_path, "hierarchical_hash", 0.0)
    boxes = world.swept_boxes()
    row = 8  # the highest one, which hits nothing so soon
    until = float(boxes["until"][row])
    for share in np.linspace(0.0, 1.0, 9):
        world.advance_to(share * until)
        at = world.poses()[row, :3]
        assert (boxes["low"][row] <= at - RADIUS + 1e-9).all() and (boxes["high"][row] >= at + RADIUS - 1e-9).all()
    world.advance_to(until + 1e-6)
    assert world.swept_boxes()["until"][row] > until


def test_tiles_cover_the_boxes(tmp_path: Path) -> None:
    boxes = world_at(tmp_path, "hierarchical_hash", 0.3).swept_boxes()[1:]
    side = boxes["tile"][:, None]
    assert (side > 0.0).all()
    assert (boxes["first"] * side <= boxes["low"]).all() and ((boxes["last"] + 1) * side >= boxes["high"]).all()
    assert ((boxes["first"] + 1) * side >= boxes["low"]).all() and (boxes["last"] * side <= boxes["high"]).all()
    assert (boxes["last"] - boxes["first"] <= 1).all()  # along each axis at most two
    assert (boxes["high"] - boxes["low"] <= side).all()


@pytest.mark.parametrize("broad_phase", ["sweep_prune", "none"])
def test_without_a_hash_there_are_no_tiles(tmp_path: Path, broad_phase: str) -> None:
    boxes = world_at(tmp_path, broad_phase, 0.1).swept_boxes()
    assert (boxes["tile"] == 0.0).all()
    assert np.isfinite(boxes["low"][1:]).all() == (broad_phase == "sweep_prune")
