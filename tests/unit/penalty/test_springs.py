"""Springs and dashpots of penalty contact against closed forms, and against an ODE solver."""

from __future__ import annotations

from math import exp, log, pi, sqrt

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from engine.penalty.springs import damping_ratio, overlap_in


def bounce(ratio: float) -> float:
    """Speed at which a unit mass leaves a unit spring and dashpot that never pull, which it meets at speed 1."""

    def force(t: float, y: np.ndarray) -> float:
        return float(-y[0] - 2.0 * ratio * y[1])

    def pulls(t: float, y: np.ndarray) -> float:
        return force(t, y)

    pulls.terminal, pulls.direction = True, 1.0  # type: ignore[attr-defined]
    # Depth y[0], and how it grows.
    run = solve_ivp(lambda t, y: [y[1], force(t, y)], (0.0, 1e3), [0.0, 1.0], events=pulls, rtol=1e-10, atol=1e-12)
    return float(-run.y_events[0][0][1])


@pytest.mark.parametrize("restitution", [0.01, 0.05, 0.1, exp(-2.0), 0.2, 0.5, 0.9, 0.99])
def test_damping_makes_the_restitution(restitution: float) -> None:
    assert bounce(damping_ratio(restitution)) == pytest.approx(restitution, rel=1e-4)


def test_damping_at_the_ends() -> None:
    assert damping_ratio(1.0) == pytest.approx(0.0, abs=1e-15)
    assert damping_ratio(0.0) == damping_ratio(0.01)  # what leaves nothing would be infinitely strong
    # Nearly elastic: the relation of a dashpot that may pull, -ln e / sqrt(pi^2 + ln^2 e).
    assert damping_ratio(0.999) == pytest.approx(-log(0.999) / sqrt(pi**2 + log(0.999) ** 2), rel=1e-3)


@pytest.mark.parametrize(("depth", "end"), [(0.2, 0.1), (-0.1, 0.3), (0.3, -0.1), (-0.2, -0.1), (0.0, 0.0), (0.0, 0.1)])
def test_overlap_is_the_integral_of_what_is_positive(depth: float, end: float) -> None:
    h = 0.7
    t = (np.arange(200_000) + 0.5) / 200_000
    course = depth + (end - depth) * t
    overlap, time = overlap_in(depth, end, h)
    assert overlap == pytest.approx(h * np.maximum(course, 0.0).mean(), abs=1e-9)
    assert time == pytest.approx(h * (course > 0.0).mean(), abs=1e-5)
