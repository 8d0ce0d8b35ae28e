"""Pacing against a clock that the test turns by hand."""

import math

import pytest

from app.simulation.pacing import TOLERANCE, WINDOW, Pacer


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def run(pacer: Pacer, clock: Clock, seconds: float, ability: float = math.inf, start: float = 0.0) -> float:
    """Plays `seconds` of the wall in ticks of 1/60 s with a simulation that manages `ability` times real time."""
    time = start
    for _ in range(round(seconds * 60)):
        clock.now += 1 / 60
        time = min(pacer.due(), time + ability / 60)
        pacer.advanced(time)
    return time


@pytest.mark.parametrize("speed", [0.01, 0.5, 1.0, 10.0])
def test_simulation_time_follows_the_wall_at_the_chosen_speed(clock: Clock, speed: float) -> None:
    pacer = Pacer(clock)
    pacer.set_speed(speed)
    pacer.start(5.0)
    time = run(pacer, clock, 2.0, start=5.0)
    assert time == pytest.approx(5.0 + 2.0 * speed)
    assert pacer.achieved == pytest.approx(speed)
    assert not pacer.behind
    assert pacer.written_off == 0.0


def test_achieved_is_unknown_at_first(clock: Clock) -> None:
    pacer = Pacer(clock)
    assert math.isnan(pacer.achieved)
    pacer.start(0.0)
    run(pacer, clock, 0.1)
    assert math.isnan(pacer.achieved)
    assert not pacer.behind


def test_a_short_delay_is_caught_up(clock: Clock) -> None:
    pacer = Pacer(clock)
    pacer.start(0.0)
    run(pacer, clock, 1.0)
    clock.now += 0.5 * TOLERANCE
    time = run(pacer, clock, 1.0, start=1.0)
    assert time == pytest.approx(2.0 + 0.5 * TOLERANCE)
    assert pacer.written_off == 0.0


def test_a_long_delay_is_written_off_and_told(clock: Clock) -> None:
    pacer = Pacer(clock)
    pacer.start(0.0)
    run(pacer, clock, 1.0)
    clock.now += 3.0
    pacer.advanced(1.0)
    assert pacer.behind
    assert pacer.written_off == pytest.approx(3.0)
    assert pacer.due() == pytest.approx(1.0)
    time = run(pacer, clock, 1.0, start=1.0)
    assert time == pytest.approx(2.0), "it must not race to make up for the stall"
    assert not pacer.behind, "half a second after the stall all is well again"


@pytest.mark.parametrize("ability", [0.02, 0.5, 0.9])
def test_what_cannot_keep_up_is_behind_all_the_time(clock: Clock, ability: float) -> None:
    pacer = Pacer(clock)
    pacer.start(0.0)
    time = run(pacer, clock, 2.0, ability)
    for _ in range(300):
        time = run(pacer, clock, 1 / 60, ability, start=time)
        assert pacer.behind
    assert pacer.achieved == pytest.approx(ability, rel=1e-6)


def test_a_new_speed_holds_from_now_on(clock: Clock) -> None:
    pacer = Pacer(clock)
    pacer.start(0.0)
    time = run(pacer, clock, 1.0)
    pacer.set_speed(0.1)
    assert pacer.due() == pytest.approx(1.0)
    assert run(pacer, clock, 1.0, start=time) == pytest.approx(1.1)


def test_as_fast_as_possible_is_never_behind(clock: Clock) -> None:
    pacer = Pacer(clock)
    pacer.set_speed(math.inf)
    pacer.start(0.0)
    assert pacer.due() == math.inf
    run(pacer, clock, 2 * WINDOW, ability=0.3)
    assert not pacer.behind
    assert pacer.achieved == pytest.approx(0.3)


@pytest.mark.parametrize("speed", [0.0, -1.0, math.nan])
def test_a_speed_is_above_zero(clock: Clock, speed: float) -> None:
    with pytest.raises(ValueError, match="above zero"):
        Pacer(clock).set_speed(speed)
