"""Collision integration against scipy, over random collisions of balls, boxes, rods, plates and other bodies."""

from __future__ import annotations

import numpy as np
import pytest

from engine.impulse.integration import OK, integrate_collision
from tests.collisions import random_collision
from tests.oracle.collision_reference import reference

# Both the oracle's and our errors grow without bound at the edge between sticking and sliding.
MARGIN = 1e-6


def compare(seed: int, count: int) -> tuple[int, int, float]:
    """How many cases lie at the edge, how many pull the bodies together, and the greatest |Δu| / |u0| of the others."""
    rng = np.random.default_rng(seed)
    at_edge, pulling, worst = 0, 0, 0.0
    for number in range(count):
        case = random_collision(rng)
        if abs(case.margin) < MARGIN:
            at_edge += 1
            continue
        pulling += case.pulls_in
        _, after, work, _, status = integrate_collision(case.k6, case.u3, case.mu_static, case.mu_dynamic, case.e)
        error = float(np.linalg.norm(np.array(after) - reference(case)) / np.linalg.norm(case.u))
        assert status == OK
        assert work <= 0.0
        assert error <= 1e-6, f"collision {number} of seed {seed} is {error:.1e} off: {case}"
        worst = max(worst, error)
    return at_edge, pulling, worst


def test_agrees_with_the_equations_over_p_z() -> None:
    at_edge, pulling, _ = compare(seed=1, count=600)
    assert at_edge < 6
    assert pulling >= 20


@pytest.mark.slow
def test_agrees_with_the_equations_over_p_z_ten_thousand_times() -> None:
    at_edge, pulling, worst = compare(seed=2, count=10_000)
    print(f"{at_edge} at the edge, {pulling} with K33 < mu |K3t|, greatest error {worst:.1e}")
    assert at_edge < 100
    assert pulling >= 500
