"""When a hit is but what is left of the one with which a pair met."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from engine.impulse.contact import _left_of_hit
from engine.impulse.microcollision import LEAST
from engine.model import state as s

ENVELOPE = 1e-3


@pytest.fixture
def pairs() -> np.ndarray:
    pairs = np.zeros((1, s.PAIR_WIDTH))
    pairs[0, s.PAIR_ENVELOPE], pairs[0, s.LAST_HIT] = ENVELOPE, -inf
    return pairs


def test_a_first_hit_is_measured_by_itself(pairs: np.ndarray) -> None:
    assert _left_of_hit(pairs, 0, 2.0, 0.0) == LEAST * 2.0
    # It flew up and came back, further than its envelope: each bounce is a first one.
    for k in range(1, 9):
        speed = 2.0 * 0.3**k
        assert _left_of_hit(pairs, 0, speed, k * 1.01 * ENVELOPE / 2.0 / 0.3**8) == LEAST * speed


def test_what_has_not_parted_is_measured_by_the_fastest_since_it_met(pairs: np.ndarray) -> None:
    t = 0.0
    for speed, least in ((1.0, 1.0), (0.5, 1.0), (1.5, 1.5), (0.02, 1.5)):
        assert _left_of_hit(pairs, 0, speed, t) == LEAST * least
        t += 1e-6
    assert _left_of_hit(pairs, 0, 0.02, t + 0.99 * ENVELOPE / 0.02) == LEAST * 1.5
    assert _left_of_hit(pairs, 0, 0.02, t + 2.0 * ENVELOPE / 0.02) == LEAST * 0.02
