"""The stopwatch laps to the right stages, costs nothing of the motion, and its shares add up."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World, load_scene
from engine.scene.paths import set_path
from engine.stages import (
    CLOSEST,
    FIRST,
    GROUP,
    HEAP,
    SAMPLED,
    STAGES,
    STEPS,
    WATCH_WIDTH,
    StageClock,
    end_step,
    lap,
    start_watch,
    watch_step,
)


def test_only_sampled_events_are_timed() -> None:
    watch = np.zeros(WATCH_WIDTH, dtype=np.int64)
    start_watch(watch, SAMPLED + 1)
    lap(watch, HEAP)
    clock = StageClock(watch)
    clock.took(1.0)
    assert sum(clock.seconds.values()) == 0.0
    for _ in range(50):  # a lap may be lost to the system, not fifty of them
        start_watch(watch, 2 * SAMPLED)
        lap(watch, CLOSEST)
    clock.took(0.5)
    assert clock.seconds["closest"] == pytest.approx(1.5), "what could not be told before is shared out now"


def test_a_longer_stage_has_the_larger_share() -> None:
    watch = np.zeros(WATCH_WIDTH, dtype=np.int64)
    for _ in range(20):
        start_watch(watch, 0)
        lap(watch, HEAP)
        np.sort(np.arange(2000.0)[::-1])
        lap(watch, CLOSEST)
    clock = StageClock(watch)
    clock.took(1.0)
    assert clock.seconds["closest"] > 0.8


def test_every_step_of_a_group_is_timed_and_stands_for_itself_alone() -> None:
    watch = np.zeros(WATCH_WIDTH, dtype=np.int64)
    start_watch(watch, SAMPLED + 1)  # an event that is not timed
    weight = watch_step(watch)
    np.sort(np.arange(2000.0)[::-1])
    end_step(watch, weight)
    lap(watch, HEAP)
    once = int(watch[FIRST + GROUP])
    assert once > 0
    assert watch[FIRST + HEAP] == 0
    before, within = [], []
    for _ in range(20):  # others may have the processor meanwhile
        watch[:] = 0
        start_watch(watch, SAMPLED)  # one that is, and stands for those that are not
        np.sort(np.arange(2000.0)[::-1])
        weight = watch_step(watch)
        end_step(watch, weight)
        assert weight == SAMPLED
        before.append(int(watch[FIRST + HEAP]))
        within.append(int(watch[FIRST + GROUP]))
    assert min(before) > SAMPLED * min(within), "a step of nothing"


def test_seconds_of_a_world_add_up_to_its_computing_time() -> None:
    world = World(load_scene("pool_break"))
    assert sum(world.seconds.values()) == 0.0
    world.advance_to(0.5)
    seconds = world.seconds
    assert list(seconds) == [*STAGES, "control"]
    assert all(seconds[stage] > 0.0 for stage in STAGES if stage not in STEPS), "the balls are all in flight"
    assert seconds["control"] == 0.0
    assert 0.0 < sum(seconds.values()) <= world.wall * (1 + 1e-9)


def test_steps_of_contact_groups_are_told_apart() -> None:
    """A wall at rest: its points are found twice a step, Newton's method and sweeps bear its weight, gaps are tried."""
    world = World(set_path(load_scene("brick_wall"), "world.sleep", False))
    world.advance_to(0.3)
    seconds = world.seconds
    assert sum(seconds[stage] for stage in STEPS) > 0.5 * world.wall
    assert all(seconds[stage] > 0.0 for stage in STEPS)
    assert seconds["collision"] < 0.1 * world.wall
