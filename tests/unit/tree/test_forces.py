"""Forces along joints: springs are slopes of what they store, motors do what their law says and no more."""

from __future__ import annotations

from math import inf, pi

import numpy as np
import pytest

from engine.model import elements as e
from engine.tree.forces import counted_on, element_force, is_due, motor_law, stored_energy, tick_motor


def row(**said: float) -> np.ndarray:
    elements = np.zeros((1, e.ELEMENT_WIDTH))
    elements[0, e.STRONGEST] = inf
    for name, value in said.items():
        elements[0, getattr(e, name)] = value
    return elements


def ties() -> np.ndarray:
    return np.zeros((1, e.TIE_WORK_WIDTH))


@pytest.mark.parametrize("q", [-0.7, 0.1, 0.4])
def test_a_spring_pulls_down_the_slope_of_what_it_stores(q: float) -> None:
    elements = row(STIFFNESS=7.0, REST=0.2, GAS=0.5, GAS_END=-1.0)
    step = 1e-6
    slope = (stored_energy(elements, 0, q + step) - stored_energy(elements, 0, q - step)) / (2 * step)
    assert element_force(elements, ties(), 0, q, 0.0) == pytest.approx(-slope, rel=1e-8)


def test_a_sealed_cylinder_pushes_away_from_its_end_on_either_side() -> None:
    elements = row(GAS=0.5, GAS_END=1.0)
    assert element_force(elements, ties(), 0, 1.1, 0.0) > 0.0 > element_force(elements, ties(), 0, 0.9, 0.0)


def test_dampers_and_friction_oppose() -> None:
    elements, moving = row(DRY=3.0), ties()
    moving[0, e.SLIDES], moving[0, e.DAMPS] = -1.0, 2.0
    assert element_force(elements, moving, 0, 0.0, -0.5) == pytest.approx(1.0 + 3.0)


def test_motors_seek_and_have_an_end() -> None:
    position = row(MOTOR=e.HOLDS_POSITION, TARGET=1.0, GAIN=10.0, RATE_GAIN=2.0, SUM_GAIN=4.0)
    assert motor_law(position, 0, 0.4, 0.5, 0.25) == pytest.approx(6.0 - 1.0 + 1.0)
    speed = row(MOTOR=e.HOLDS_SPEED, TARGET=2.0, RATE_GAIN=3.0, STRONGEST=1.5)
    assert motor_law(speed, 0, 9.0, 1.9, 0.0) == pytest.approx(0.3)
    assert motor_law(speed, 0, 9.0, -5.0, 0.0) == 1.5
    assert motor_law(speed, 0, 9.0, 5.0, 0.0) == -1.5


def test_a_motor_ticks_when_it_is_due_and_sums_up_what_it_can_do_something_about() -> None:
    elements = row(MOTOR=e.HOLDS_POSITION, TARGET=1.0, GAIN=1.0, SUM_GAIN=1.0, PERIOD=0.1, STRONGEST=2.0)
    held = ties()
    tick_motor(elements, held, 0, 0.0, 0.0, 0.0)
    assert held[0, e.DRIVE] == pytest.approx(1.1) and held[0, e.NEXT_TICK] == pytest.approx(0.1)
    tick_motor(elements, held, 0, 0.5, 0.0, 0.05)
    assert held[0, e.DRIVE] == pytest.approx(1.1)  # not yet
    tick_motor(elements, held, 0, -5.0, 0.0, 0.1)
    assert held[0, e.DRIVE] == 2.0 and held[0, e.MISSING] == pytest.approx(0.1)  # too weak: nothing is summed up


def test_a_tick_that_rounding_alone_puts_off_is_due() -> None:
    """A step up to it would be a rounding long, and what contacts bear in that is noise."""
    elements, held = row(MOTOR=e.HOLDS_SPEED, PERIOD=0.01), ties()
    held[0, e.NEXT_TICK] = np.nextafter(18.77, 19.0)
    assert is_due(elements, held, 0, 18.77)
    assert not is_due(elements, held, 0, 18.7699)


def test_angles_count_whole_turns() -> None:
    assert counted_on(0.1, 6.0 * pi) == pytest.approx(6.0 * pi + 0.1)
    assert counted_on(3.0, -3.2) == pytest.approx(3.0 - 2.0 * pi)
    assert counted_on(-3.1, 3.1) == pytest.approx(-3.1 + 2.0 * pi)
