"""An interrupted run stands after an event, just as one that was asked for as many events does."""

from __future__ import annotations

from math import inf

from engine import World
from engine.collision.broad.broad_phase import grow
from engine.pipeline import BUDGET, GROW, INTERRUPT
from tests.scenes import ball, floor, scene


def test_what_was_enlarged_for_an_event_is_not_seen_without_it() -> None:
    digests = []
    for flag, budget, status in ((1, 9, INTERRUPT), (0, 1, BUDGET)):
        world = World(scene(ball("ball", (0, 0, 1)), floor(), broad_phase="counting_hash"))
        cut = world._state._replace(close=world._state.close[:0], close_table=world._state.close_table[:0])
        world._desk.flag[0] = flag
        assert world._advance(world.model, cut, world._desk, inf, budget) == GROW
        state = grow(world.model, cut)
        assert world._advance(world.model, state, world._desk, inf, budget) == status
        world._state = state
        assert world.event == 1
        digests.append(world.digest)
    assert digests[0] == digests[1]
