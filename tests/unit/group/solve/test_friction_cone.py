"""What sliding friction opposes: it never does work, and passes into sticking without a jump."""

from __future__ import annotations

import numpy as np
import pytest

from engine.group import work as wk
from engine.group.solve.friction_cone import opposed_slip

pytestmark = pytest.mark.plain


def opposed(before: np.ndarray, now: np.ndarray) -> np.ndarray:
    notes = np.zeros((1, wk.NOTE_WIDTH))
    notes[0, wk.SLIP : wk.SLIP + 2] = before
    return np.array(opposed_slip(notes, 0, float(now[0]), float(now[1])))


def test_friction_against_it_takes_energy() -> None:
    """An impulse p between slips u and u' takes -p . (u + u') / 2."""
    random = np.random.default_rng(5)
    slips = random.normal(size=(2000, 2, 2)) * 10.0 ** random.uniform(-3.0, 3.0, (2000, 2, 1))
    for before, now in slips:
        against = opposed(before, now)
        assert against @ (before + now) >= -1e-12 * np.linalg.norm(against) * np.linalg.norm(before + now)


def test_it_goes_to_nothing_with_the_slip_at_the_end() -> None:
    for heading in np.linspace(0.0, 2.0 * np.pi, 37):
        for speed in (1e-1, 1e-4, 1e-8):
            now = speed * np.array([np.cos(heading), np.sin(heading)])
            assert np.linalg.norm(opposed(np.array([1.0, 0.0]), now)) <= speed * (1.0 + 1e-12)


def test_its_direction_is_that_of_the_mean_to_second_order() -> None:
    """A slip that has turned by a, and changed by as large a part: it is off the mean's direction by a^2 at most."""
    for a in (1e-1, 1e-2, 1e-3):
        for larger in (1.0 - a, 1.0, 1.0 + a):
            before, now = np.array([1.0, 0.0]), larger * np.array([np.cos(a), np.sin(a)])
            against, mean = opposed(before, now), before + now
            off = against[0] * mean[1] - against[1] * mean[0]
            assert abs(off) <= a * a * np.linalg.norm(against) * np.linalg.norm(mean)
