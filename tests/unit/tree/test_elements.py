"""When elements of joints end a step: crossings of cubics, locks that let go."""

from __future__ import annotations

from math import inf, sin

import numpy as np
import pytest

from engine.model import elements as e
from engine.tree.elements import crossing, let_go, lock_bounds, move_event


def test_a_crossing_is_the_first_from_below() -> None:
    def at(t: float) -> tuple[float, float]:
        return (t - 0.2) * (t - 0.5) * (t - 0.9), (t - 0.5) * (t - 0.9) + (t - 0.2) * (t - 0.9) + (t - 0.2) * (t - 0.5)

    assert crossing(at(0.0), at(1.0), 1.0) == pytest.approx(0.2, abs=1e-9)
    assert crossing(at(0.3), at(1.0), 0.7) == pytest.approx(0.6, abs=1e-9)  # what begins above must come back first
    assert crossing(at(0.55), at(0.8), 0.25) == inf


def test_a_crossing_found_again_on_shorter_steps_comes_to_the_true_one() -> None:
    h = 0.9
    for _ in range(6):
        found = crossing((-0.3, 1.0), (sin(h) - 0.3, float(np.cos(h))), h)
        h = found if found < h else h
    assert h == pytest.approx(float(np.arcsin(0.3)), rel=1e-9)


def tie(lock: float) -> np.ndarray:
    ties = np.zeros((1, e.TIE_WORK_WIDTH))
    ties[0, e.LOCK] = lock
    return ties


def test_an_end_pushes_and_friction_holds_so_much() -> None:
    elements = np.zeros((1, e.ELEMENT_WIDTH))
    elements[0, e.DRY] = 2.0
    assert lock_bounds(elements, tie(e.AT_LOW), 0) == (-2.0, inf)
    assert lock_bounds(elements, tie(e.AT_HIGH), 0) == (-inf, 2.0)
    assert lock_bounds(elements, tie(e.STUCK), 0) == (-2.0, 2.0)
    assert let_go(elements, tie(e.STUCK), 0, 0.0, 4.0, 0.1) == pytest.approx(0.05)
    assert let_go(elements, tie(e.AT_LOW), 0, 0.0, 4.0, 0.1) == inf
    assert let_go(elements, tie(e.AT_LOW), 0, 2.0, -6.0, 0.1) == pytest.approx(0.05)


def test_what_was_pressed_beyond_an_end_and_comes_back_is_stopped_where_it_turns() -> None:
    elements = np.zeros((1, e.ELEMENT_WIDTH))
    elements[0, e.LOW], elements[0, e.HIGH] = 0.0, 1.0

    def pulled(q: float, speed: float, pull: float, h: float) -> float:
        end = q + speed * h + pull * h * h / 2, speed + pull * h
        return move_event(elements, tie(e.LOOSE), 0, (q, speed), end, h)

    for end, way in ((0.0, 1.0), (1.0, -1.0)):
        there, back = end - way * 1e-3, pulled(end - way * 1e-3, way * 0.1, -way * 50.0, 0.02)
        assert back == pytest.approx(2.0 * 0.1 / 50.0, abs=1e-7)  # it comes back to where it was: that is its end now
        assert pulled(there, way * 0.1, way * 50.0, 0.02) == inf  # it leaves
        assert pulled(there, way * 1.0, -way * 50.0, 0.02) == inf  # it is still inside
    assert pulled(0.5, -1.0, -50.0, 0.2) == pytest.approx((-1.0 + 51.0**0.5) / 50.0)
