"""A step that runs out of room goes on otherwise than one that has it: who goes on from a snapshot has as much room as
the world had that it is of."""

from __future__ import annotations

import pytest

from engine import World, desk
from engine.model import state as s
from tests.scenario.test_crowds import pile


def few_rows(n: int, joints: object, grown: int) -> tuple[int, int]:
    """So few at first that a pile needs more when it comes together."""
    rows = 8
    for _ in range(grown):
        rows += rows // 2
    return rows, 0


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk, "_rows", few_rows)


def test_a_world_that_goes_on_from_a_snapshot_has_its_room(narrow: None) -> None:
    world = World(pile(3, 4))
    assert len(world._desk.work.contact) == 8
    world.advance_to(0.2)
    snapshot = world.snapshot()
    rows = len(world._desk.work.contact)
    assert rows > 100 and world._state.counts[s.GROWN] > 5
    assert len(world._desk.log) >= desk.LINES_EACH * rows
    world.advance_to(0.3)
    other = World(pile(3, 4))
    other.restore(snapshot)
    assert len(other._desk.work.contact) == rows
    other.advance_to(0.3)
    assert other.digest == world.digest


def test_a_world_that_goes_back_has_the_room_it_had_then(narrow: None) -> None:
    world = World(pile(3, 4))
    snapshot = world.snapshot()
    world.advance_to(0.2)
    once = world.digest
    world.restore(snapshot)
    assert len(world._desk.work.contact) == 8
    world.advance_to(0.2)
    assert world.digest == once


def test_growing_leaves_the_stopwatch_running(narrow: None) -> None:
    world = World(pile(3, 4))
    world.advance_to(0.2)
    before = world.seconds
    world.advance_to(0.25)
    assert world._desk.work.watch is world._desk.watch
    assert all(world.seconds[stage] > before[stage] for stage in ("group", "points", "sweeps", "gaps"))
