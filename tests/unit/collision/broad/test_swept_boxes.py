"""Boxes in a crowd are narrow, and hold for a while."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World
from engine.model import state as s
from engine.tolerances import BOX_MARGIN, BOX_TRAVEL, LAY_WAIT
from tests.scenes import ball, floor, scene

RADIUS = 0.05
STEP = 1.0 / 240.0


def room(world: World, name: str) -> float:
    """By how much the box of a ball is wider than the ball, along x [radii]."""
    box = world._state.boxes[world.names.index(name)]
    return float((box[s.HIGH] - box[s.LOW]) / RADIUS - 2.0)


def test_boxes_of_what_is_slow_in_a_crowd_are_narrow() -> None:
    """Twenty-five balls roll slowly side by side."""
    pitch = 2.2 * RADIUS
    crowd = [
        ball(f"b{k}", (pitch * (k % 5), pitch * (k // 5), RADIUS + 1e-4), (0.01, 0.0, 0.0), radius=RADIUS)
        for k in range(25)
    ]
    world = World(scene(floor(), *crowd, restitution=0.0))
    world.advance_to(1.0)
    for name in ("b6", "b12", "b18"):
        assert room(world, name) < 4.0 * BOX_MARGIN
    updates = world.counters["box_updates"]
    world.advance_to(2.0)
    assert world.counters["box_updates"] - updates <= 25 * (1.5 / (LAY_WAIT * STEP))


def test_what_is_fast_in_a_crowd_shares_its_way_with_those_it_is_near() -> None:
    """A ball that flies over others: its box is as long as its share of the way, however soon that is over."""
    others = [ball(f"b{k}", (2.2 * RADIUS * k, 0.0, RADIUS + 1e-4), radius=RADIUS) for k in range(8)]
    flying = ball("flying", (0.0, 0.0, 4.0 * RADIUS), (3.0, 0.0, 0.0), radius=RADIUS)
    world = World(scene(floor(), *others, flying, gravity=(0, 0, 0)))
    world.advance_to(0.1)
    assert 2.0 * BOX_MARGIN < room(world, "flying") <= BOX_TRAVEL + 4.0 * BOX_MARGIN


@pytest.mark.parametrize("speed", [0.0, 0.02, 1.0])
def test_boxes_contain_their_balls(speed: float) -> None:
    crowd = [
        ball(
            f"b{k}", (2.05 * RADIUS * k, 0.01 * (k % 2), RADIUS + 1e-4), (speed * (k % 3 - 1), 0.0, 0.0), radius=RADIUS
        )
        for k in range(12)
    ]
    world = World(scene(floor(), *crowd, restitution=0.3))
    for n in range(1, 60):
        world.advance_to(0.02 * n)
        at = world.poses()[1:, :3]
        boxes = world._state.boxes[1:]
        assert np.all(boxes[:, s.LOW : s.LOW + 3] <= at - RADIUS) and np.all(
            boxes[:, s.HIGH : s.HIGH + 3] >= at + RADIUS
        )
