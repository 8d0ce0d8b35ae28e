"""Switching: when a pair becomes a lasting contact, and for which reason it goes back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine import World
from engine.group.lasting_contacts import _shakes, lies_still, reach_in_step, should_last, why_released
from engine.group.measure import measure_now, touch_of
from engine.impulse.contact import COLLISION, MICROCOLLISION
from engine.impulse.envelope import fall_speed, fall_time
from engine.journal import (
    BORE_NOTHING,
    CAME_FAST,
    CONSTRAINTS_ONLY,
    GAP_OPENED,
    NONE,
    SETTLED,
    TOUCHED_GROUP,
)
from engine.model import state as s
from engine.model.model import GRAVITY_NORM, LONGEST_STEP
from engine.motion.motion import Motion, Side
from engine.tolerances import CONTACT_REACH, HOLD_OFF_FALLS, SETTLING_HITS
from tests.groups import resting
from tests.scenes import ball, body, floor, scene

pytestmark = pytest.mark.plain
ENVELOPE = 1e-3
ROW = 0
STILL = (0.0, 0.0, 0.0)
FALL = float(np.sqrt(2.0 * 9.81 * ENVELOPE))


def world_of(contact: str = "hybrid", position: float = 0.05 + 5e-4) -> World:
    """A box over a floor that has been looked at once."""
    box = body("box", {"box": [0.1, 0.1, 0.1]}, (0, 0, position))
    world = World(scene(floor(), box, contact=contact, envelope=ENVELOPE))
    while world._state.pairs[ROW, s.CHECKED] < 0.0 or not np.isfinite(world._state.pairs[ROW, s.GAP]):
        world._run(0.0, 1)
    state = world._state
    state.links[ROW, [s.PAIR_STATE, s.QUIET_HITS]] = s.PAIR_FREE, 0
    state.arcs[:, s.HELD] = 0.0
    return world


def sides(v: tuple[float, float, float] = STILL, w: tuple[float, float, float] = STILL) -> tuple[Side, Side]:
    """The floor, and the box that stands on its corner or over its middle, with these velocities."""
    here = (1.0, 0.0, 0.0, 0.0)
    under, box = Motion(STILL, here, STILL, STILL), Motion((0.0, 0.0, 0.05), here, v, w)
    return Side(0, under, (0.05, 0.05, 0.0)), Side(1, box, (0.05, 0.05, -0.05))


def hits(world: World, kinds: list[int], w: tuple[float, float, float] = STILL, t: float = 0.0) -> list[int]:
    """What is decided after each of these hits at time t."""
    return [should_last(world.model, world._state, ROW, kind, *sides(w=w), t) for kind in kinds]


QUIET, LOUD = MICROCOLLISION, COLLISION


@pytest.mark.parametrize(
    ("contact", "kinds", "reasons"),
    [
        ("impulse", [QUIET] * 20, [NONE] * 20),
        ("constraint", [QUIET], [CONSTRAINTS_ONLY]),
        ("constraint", [LOUD, QUIET], [NONE, CONSTRAINTS_ONLY]),
        ("hybrid", [QUIET] * int(SETTLING_HITS), [NONE] * (int(SETTLING_HITS) - 1) + [SETTLED]),
        ("hybrid", [LOUD] * 20, [NONE] * 20),
        (
            "hybrid",
            [QUIET] * (int(SETTLING_HITS) - 1) + [LOUD] + [QUIET] * int(SETTLING_HITS),
            [NONE] * (2 * int(SETTLING_HITS) - 1) + [SETTLED],
        ),
    ],
)
def test_after_how_many_quiet_hits_a_pair_lasts(contact: str, kinds: list[int], reasons: list[int]) -> None:
    assert hits(world_of(contact), kinds) == reasons


def test_what_is_held_off_must_settle_anew_when_its_time_is_up() -> None:
    world = world_of()
    state, until = world._state, HOLD_OFF_FALLS * fall_time(world.model.settings, ENVELOPE)
    state.links[ROW, s.PAIR_STATE], state.pairs[ROW, s.SINCE] = s.PAIR_HELD_OFF, 0.0
    assert set(hits(world, [LOUD, *[QUIET] * 100], t=0.999 * until)) == {NONE}
    assert state.links[ROW, s.PAIR_STATE] == s.PAIR_HELD_OFF and state.links[ROW, s.QUIET_HITS] == 0
    found = hits(world, [QUIET] * int(SETTLING_HITS), t=until)
    assert found == [NONE] * (int(SETTLING_HITS) - 1) + [SETTLED]


@pytest.mark.parametrize(("spin", "settles"), [(0.99, True), (1.01, False)])
def test_what_rocks_faster_than_a_microcollision_does_not_settle(spin: float, settles: bool) -> None:
    """About the diagonal of the floor at right angles to the corner's: its arm is the box's half diagonal."""
    rate = spin * FALL / (0.05 * 3.0**0.5) * 0.5**0.5
    found = hits(world_of(), [QUIET] * int(SETTLING_HITS), w=(rate, -rate, 0.0))
    assert (found[-1] == SETTLED) == settles
    assert settles or set(found) == {NONE}


def test_a_ball_that_rolls_settles_as_what_lies() -> None:
    world = World(scene(floor(), ball("ball", (0, 0, 0.1005)), envelope=ENVELOPE))
    while world._state.pairs[ROW, s.CHECKED] < 0.0:
        world._run(0.0, 1)
    world._state.links[ROW, s.PAIR_STATE] = s.PAIR_FREE
    world._state.arcs[:, s.HELD] = 0.0
    found = hits(world, [QUIET] * int(SETTLING_HITS), w=(100.0, 0.0, 50.0))
    assert found == [NONE] * (int(SETTLING_HITS) - 1) + [SETTLED]


SWINGS = {"amplitude": 0.01, "frequency": 20.0}


@pytest.mark.parametrize(
    ("motion", "shakes"),
    [
        ({"spinner": {"axis": [0.0, 0.0, 1.0], "rate": 20.0, "centre": [0.0, 0.0, -0.5]}}, False),
        ({"spinner": {"axis": [0.0, 1.0, 0.0], "rate": 20.0, "centre": [0.0, 0.0, -0.5]}}, False),
        ({"oscillator": {"direction": [1.0, 0.0, 0.0], **SWINGS}}, False),
        ({"oscillator": {"direction": [0.0, 0.0, 1.0], **SWINGS}}, True),
    ],
    ids=["turntable", "wheel", "sideways", "up and down"],
)
def test_only_what_accelerates_to_and_fro_along_the_normal_shakes(motion: dict[str, Any], shakes: bool) -> None:
    """What a wheel's rim is drawn to its axis with turns with it: it presses steadily."""
    table = body("table", {"box": [1.0, 1.0, 1.0]}, (0.0, 0.0, -0.5), motion=motion)
    world = World(scene(table, body("box", {"box": [0.1, 0.1, 0.1]}, (0.3, 0.0, 0.0505)), envelope=ENVELOPE))
    while world._state.pairs[ROW, s.CHECKED] < 0.0:
        world._run(0.0, 1)
    assert bool(_shakes(world.model, world._state, ROW, 0.0)) == shakes


def test_on_a_body_that_is_held_a_quiet_hit_is_enough() -> None:
    world = world_of()
    world._state.arcs[1, s.HELD] = s.STEPPING
    assert hits(world, [LOUD, QUIET]) == [NONE, TOUCHED_GROUP]


@pytest.mark.parametrize(
    ("contact", "gap", "v", "w", "still"),
    [
        ("hybrid", 0.5, STILL, STILL, True),
        ("constraint", 0.5, STILL, STILL, True),
        ("impulse", 0.5, STILL, STILL, False),
        ("hybrid", 1.01 * CONTACT_REACH, STILL, STILL, False),
        ("hybrid", 0.5, (0.0, 0.0, -0.99 * FALL), STILL, True),
        ("hybrid", 0.5, (0.0, 0.0, -1.01 * FALL), STILL, False),
        ("hybrid", 0.5, (0.0, 0.0, 1.01 * FALL), STILL, False),
        ("hybrid", 0.5, (3.0, 0.0, 0.0), STILL, True),  # what slides is held
        ("hybrid", 0.5, STILL, (0.0, 0.0, 1.0), True),
        ("hybrid", 0.5, STILL, (50.0, 0.0, 0.0), False),
    ],
)
def test_what_lies_still_when_it_is_first_looked_at(
    contact: str, gap: float, v: tuple[float, float, float], w: tuple[float, float, float], still: bool
) -> None:
    world = world_of(contact)
    world._state.pairs[ROW, s.GAP] = gap * ENVELOPE
    assert lies_still(world.model, world._state, ROW, *sides(v, w), 0.0) == still


@pytest.mark.parametrize(
    ("gap", "speed", "lasting", "idle", "reason"),
    [
        (0.5, 0.0, True, 0, NONE),
        (0.99 * CONTACT_REACH, 0.0, True, 0, NONE),
        (1.01 * CONTACT_REACH, 0.0, True, 0, GAP_OPENED),
        (0.5, 1.9, True, 0, NONE),
        (0.5, 2.1, True, 0, CAME_FAST),
        (0.5, -2.1, True, 0, NONE),  # it leaves: the gap will open
        (0.5, 0.0, True, 3.9, NONE),
        (0.5, 0.0, True, 4.1, NONE),  # it bears nothing, but is near
        (1.5, 0.0, True, 3.9, NONE),
        (1.5, 0.0, True, 4.1, BORE_NOTHING),
        (0.5, 0.0, False, 0, NONE),
        (1.5, 0.0, False, 0, GAP_OPENED),
    ],
)
def test_why_a_contact_is_released(gap: float, speed: float, lasting: bool, idle: float, reason: int) -> None:
    """gap in envelopes, speed of approach in falls through one; idle for so many falls."""
    group = resting(floor(), body("box", {"box": [0.1, 0.1, 0.1]}, (0, 0, 0.0505)), envelope=ENVELOPE)
    state = group.state
    state.arcs[1, s.POSITION + 2] = 0.05 + gap * ENVELOPE
    state.arcs[1, s.VELOCITY + 2] = -speed * FALL
    state.pairs[ROW, s.CHECKED] = -1.0
    state.links[ROW, s.PAIR_STATE] = s.PAIR_HELD if lasting else s.PAIR_FREE
    state.pairs[ROW, s.BORE_AT] = -idle * fall_time(group.model.settings, ENVELOPE)
    touch = touch_of(group.model, state, ROW, 0.0)
    measure_now(group.model, state, touch, 0.0)
    assert state.pairs[ROW, s.GAP] == pytest.approx(gap * ENVELOPE)
    assert why_released(group.model, state, touch, False, 0.0) == reason


@pytest.mark.parametrize(("load", "reason"), [(0.0, BORE_NOTHING), (1.0, NONE)])
def test_what_bears_is_not_released_however_long_ago_it_was_found(load: float, reason: int) -> None:
    """Contacts of sleepers bear without a step."""
    group = resting(floor(), body("box", {"box": [0.1, 0.1, 0.1]}, (0, 0, 0.0505)), envelope=ENVELOPE)
    state = group.state
    state.arcs[1, s.POSITION + 2] = 0.05 + 1.5 * ENVELOPE
    state.pairs[ROW, s.CHECKED] = -1.0
    state.links[ROW, s.PAIR_STATE] = s.PAIR_HELD
    state.pairs[ROW, s.BORE_AT] = -1.0
    state.patches[ROW, s.PATCH_POINTS] = state.patches[ROW, s.PATCH_STEP] = 1.0
    state.patches[ROW, s.PATCH + s.PATCH_IMPULSE + 2] = load
    touch = touch_of(group.model, state, ROW, 0.0)
    measure_now(group.model, state, touch, 0.0)
    assert why_released(group.model, state, touch, False, 0.0) == reason


def test_the_reach_of_a_step_is_how_far_a_body_falls_in_it_and_some_more() -> None:
    settings = world_of().model.settings
    h, g = settings[LONGEST_STEP], settings[GRAVITY_NORM]
    assert fall_speed(settings, ENVELOPE) == pytest.approx(FALL)
    for speed in (0.0, 0.1, 3.0):
        assert reach_in_step(settings, ENVELOPE, speed) > speed * h + 0.5 * g * h * h + ENVELOPE
    assert reach_in_step(settings, ENVELOPE, -1.0) == reach_in_step(settings, ENVELOPE, 0.0)
