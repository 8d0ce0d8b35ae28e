"""The table of a pair's states: every row, and that what is written about it is what it does."""

from __future__ import annotations

import re

import numpy as np
import pytest

from engine import World
from engine.group import pair_states
from engine.group.lasting_contacts import switch_pair
from engine.group.pair_states import LOUD_HIT, MET, QUIET_HIT, TIME_UP, change_state, next_state, state_of
from engine.impulse.envelope import fall_time
from engine.journal import (
    BORE_NOTHING,
    CAME_FAST,
    CONSTRAINTS_ONLY,
    CRUSHED,
    FACE_BESIDE,
    GAP_OPENED,
    LAY_STILL,
    LOG_KIND,
    LOG_REASON,
    LOG_STATE,
    NEAR_IN_GROUP,
    NO_FORCES,
    NO_STEP_HELD,
    NONE,
    NOT_FINITE,
    PRESSED,
    SETTLED,
    SHOOK,
    TO_CONSTRAINT,
    TO_IMPULSE,
    TORN,
    TOUCHED_GROUP,
)
from engine.model import state as s
from engine.recording.events import REASONS, STATES
from engine.tolerances import HOLD_OFF_FALLS
from tests.scenes import body, floor, scene

pytestmark = pytest.mark.plain
FREE, SETTLING, HELD, OFF = s.PAIR_FREE, s.PAIR_SETTLING, s.PAIR_HELD, s.PAIR_HELD_OFF
ROW = 0
TABLE = {  # what free, settling, held and held off pairs become
    NONE: (FREE, SETTLING, HELD, OFF),
    LAY_STILL: (HELD, HELD, HELD, OFF),
    SETTLED: (FREE, HELD, HELD, OFF),
    TOUCHED_GROUP: (HELD, HELD, HELD, OFF),
    NEAR_IN_GROUP: (HELD, HELD, HELD, OFF),
    CONSTRAINTS_ONLY: (HELD, HELD, HELD, OFF),
    PRESSED: (HELD, HELD, HELD, HELD),
    GAP_OPENED: (FREE, SETTLING, FREE, OFF),
    CAME_FAST: (FREE, SETTLING, FREE, OFF),
    BORE_NOTHING: (FREE, SETTLING, FREE, OFF),
    FACE_BESIDE: (FREE, SETTLING, FREE, OFF),
    SHOOK: (FREE, FREE, FREE, OFF),
    NO_FORCES: (FREE, SETTLING, HELD, OFF),
    NO_STEP_HELD: (FREE, SETTLING, OFF, OFF),
    NOT_FINITE: (FREE, SETTLING, HELD, OFF),
    CRUSHED: (FREE, SETTLING, HELD, OFF),
    TORN: (FREE, SETTLING, HELD, OFF),
    QUIET_HIT: (SETTLING, SETTLING, HELD, OFF),
    LOUD_HIT: (FREE, FREE, HELD, OFF),
    TIME_UP: (FREE, SETTLING, HELD, FREE),
    MET: (HELD, HELD, HELD, HELD),
}


@pytest.mark.parametrize("event", list(TABLE))
def test_a_row_of_the_table(event: int) -> None:
    assert tuple(next_state(word, event) for word in (FREE, SETTLING, HELD, OFF)) == TABLE[event]


def test_what_is_written_is_the_table() -> None:
    """The docstring has a line for every event, under its own name, and says what it does."""
    import engine.journal as journal

    numbers = vars(journal) | vars(pair_states)
    said = {}
    for line in (pair_states.__doc__ or "").splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 6 and cells[0] != "event":
            said[numbers[re.sub(" ", "_", cells[0]).upper()]] = tuple(STATES.index(word) for word in cells[1:5])
    assert said == {event: row for event, row in TABLE.items() if event != NONE}


def test_every_reason_has_a_row_and_words() -> None:
    assert sorted(TABLE) == list(range(len(TABLE)))
    assert len(REASONS) == TORN + 1
    assert min(QUIET_HIT, LOUD_HIT, TIME_UP, MET) == len(REASONS)  # these are not told
    assert STATES[FREE], STATES[HELD] == ("free", "held")


def test_no_event_but_being_pressed_takes_up_what_is_held_off() -> None:
    assert {event for event in TABLE if next_state(OFF, event) == HELD} == {PRESSED, MET}
    assert {event for event in TABLE if next_state(HELD, event) == OFF} == {NO_STEP_HELD}


@pytest.fixture
def world() -> World:
    """A box over a floor, apart, that has been looked at."""
    world = World(scene(floor(), body("box", {"box": [0.1, 0.1, 0.1]}, (0, 0, 0.1)), envelope=1e-3))
    world.advance_to(1e-3)
    return world


def waits(world: World) -> bool:
    """Is the pair in the event queue?"""
    state, event = world._state, len(world.names) + ROW
    return bool(state.place[event] >= 0 or state.soon_place[event] >= 0)


def change(world: World, *events: int, t: float = 1e-3) -> list[tuple[int, int]]:
    """State and quiet hits after each of these."""
    found = []
    for event in events:
        change_state(world.model, world._state, ROW, t, event)
        found.append(tuple(int(x) for x in world._state.links[ROW, [s.PAIR_STATE, s.QUIET_HITS]]))
    return found


def test_quiet_hits_are_counted_and_forgotten(world: World) -> None:
    assert change(world, QUIET_HIT, QUIET_HIT, GAP_OPENED, QUIET_HIT) == [
        (SETTLING, 1),
        (SETTLING, 2),
        (SETTLING, 2),
        (SETTLING, 3),
    ]
    assert change(world, LOUD_HIT, QUIET_HIT, SETTLED, GAP_OPENED) == [(FREE, 0), (SETTLING, 1), (HELD, 0), (FREE, 0)]


def test_what_is_held_waits_for_nothing_and_what_is_left_is_looked_at(world: World) -> None:
    assert waits(world)
    change(world, LAY_STILL, t=2e-3)
    assert not waits(world) and world._state.pairs[ROW, s.BORE_AT] == 2e-3
    change(world, CAME_FAST)
    assert world._state.soon_place[len(world.names) + ROW] >= 0


def test_hold_off_ends_with_its_time(world: World) -> None:
    change(world, LAY_STILL, NO_STEP_HELD, t=0.02)
    until = 0.02 + HOLD_OFF_FALLS * fall_time(world.model.settings, 1e-3)
    assert state_of(world.model.settings, world._state, ROW, until - 1e-9) == OFF
    assert state_of(world.model.settings, world._state, ROW, until + 1e-9) == FREE
    assert change(world, QUIET_HIT, t=until - 1e-9) == [(OFF, 0)]
    assert change(world, QUIET_HIT, t=until + 1e-9) == [(SETTLING, 1)]


def test_a_switch_is_told_with_the_state_that_it_leads_to(world: World) -> None:
    log, size = world._desk.log, world._desk.log_size
    size[0] = 0
    before = world.counters["switches"]
    for reason in (NEAR_IN_GROUP, NEAR_IN_GROUP, NO_STEP_HELD, PRESSED, GAP_OPENED, GAP_OPENED):
        switch_pair(world.model, world._state, log, size, ROW, 1e-3, reason)
    lines = log[: size[0]][:, [LOG_KIND, LOG_REASON, LOG_STATE]].astype(int).tolist()
    assert lines == [
        [TO_CONSTRAINT, NEAR_IN_GROUP, HELD],
        [TO_IMPULSE, NO_STEP_HELD, OFF],
        [TO_CONSTRAINT, PRESSED, HELD],
        [TO_IMPULSE, GAP_OPENED, FREE],
    ]
    assert world._state.counts[s.SWITCHES] - before == 4
    assert np.isfinite(world._state.pairs[ROW, s.SINCE])
