"""Loads by their keys: means, and how long each stays what it is."""

from __future__ import annotations

from math import inf, nextafter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model import model as m
from engine.motion.loads import mean_couple, mean_force, mean_load, stays_until
from engine.scene.build import build
from tests.scenes import body, scene

pytestmark = pytest.mark.plain

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
PERIOD = 1e-3


def bodies(**applied: Any) -> np.ndarray:
    return build(scene(body("box", {"box": [0.3, 0.2, 0.1]}, **applied))).model.bodies


def keyed(*keys: tuple[float, float]) -> np.ndarray:
    return bodies(torque={"keys": [{"time": time, "value": [value, 0.0, 0.0]} for time, value in keys]})


@given(st.floats(0.0, 1e4), st.floats(-1e3, 1e3))
def test_the_mean_of_what_stays_is_that_to_the_bit(t: float, value: float) -> None:
    for table in (bodies(torque=[value, 0.0, 0.1]), keyed((1.0, value), (2.0, value), (7.0, value))):
        assert mean_load(table, 0, m.TORQUE_KEYS, t, t + PERIOD)[0] == value
        assert mean_couple(table, 0, UPRIGHT, t, t + PERIOD)[0] == value
    assert mean_force(bodies(force=[value, 0.0, 0.0]), 0, UPRIGHT, t, t + PERIOD) == (value, 0.0, 0.0)


@pytest.mark.parametrize(("t0", "t1"), [(0.0, 4.0), (0.5, 1.5), (1.2, 1.3), (2.5, 3.5), (1.0, 3.0), (3.0, 9.0)])
def test_the_mean_of_what_changes_is_its_integral_over_the_time(t0: float, t1: float) -> None:
    keys = [(1.0, 2.0), (2.0, -1.0), (3.0, 5.0)]
    times = np.linspace(t0, t1, 400001)
    exact = np.trapezoid(np.interp(times, *np.transpose(keys)), times) / (t1 - t0)
    assert mean_load(keyed(*keys), 0, m.TORQUE_KEYS, t0, t1)[0] == pytest.approx(exact, rel=1e-9)


def test_nothing_applied_is_nothing_and_stays() -> None:
    table = bodies()
    assert mean_load(table, 0, m.FORCE_KEYS, 0.0, 1.0) == (0.0, 0.0, 0.0)
    assert stays_until(table, 0, 3.0) == inf


@pytest.mark.parametrize(
    ("t", "until"), [(0.0, 2.0), (1.0, 2.0), (2.0, 2.0), (2.5, 2.5), (3.0, 5.0), (4.9, 5.0), (5.0, 5.0), (6.0, inf)]
)
def test_a_load_stays_until_the_key_from_which_it_changes(t: float, until: float) -> None:
    """It holds 1 from the beginning, rises from 2 to 3 s, holds 4 over a key at 4 s, and drops at once at 5 s."""
    table = keyed((1.0, 1.0), (2.0, 1.0), (3.0, 4.0), (4.0, 4.0), (5.0, 4.0), (nextafter(5.0, inf), 0.0))
    assert stays_until(table, 0, t) == until
