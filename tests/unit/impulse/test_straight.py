"""Closed forms of a collision: straight stretches, sticking, rays of constant sliding direction."""

from __future__ import annotations

from itertools import pairwise
from math import atan2, cos, degrees, hypot, inf, isclose, pi, sin, sqrt

import numpy as np
import pytest

from engine.impulse.collision_matrix import K6
from engine.impulse.straight import ENDED, NEVER_ENDS, STICKS, diverging_ray, follow_line, sticking_impulse
from tests.collisions import random_collision

# The matrix of Mirtich's figure 3.3, with mu = 0.2: sticking is instable.
FIGURE_3_3: K6 = (8.0, 3.0, 5.0, -1.0, 1.0, -2.0)


def drift(k: K6, mu: float, angle: float) -> tuple[float, float]:
    """û·u' and û×u' of Theorem 14, over p_z."""
    a, b, _, d, e, f = k
    x, y = cos(angle), sin(angle)
    ux, uy = e - mu * (a * x + f * y), d - mu * (f * x + b * y)
    return x * ux + y * uy, x * uy - y * ux


def rays(k: K6, mu: float) -> list[tuple[float, float]]:
    """(angle in degrees, û·u') of all rays of constant direction, by bisection on a fine circle."""
    found = []
    # From an odd place, so that no ray falls between two arcs.
    for low, high in pairwise(np.linspace(-3.0, 2.0 * pi - 3.0, 3601)):
        if (drift(k, mu, low)[1] > 0.0) != (drift(k, mu, high)[1] > 0.0):
            for _ in range(60):
                middle = 0.5 * (low + high)
                if (drift(k, mu, low)[1] > 0.0) != (drift(k, mu, middle)[1] > 0.0):
                    high = middle
                else:
                    low = middle
            found.append((degrees(low), drift(k, mu, low)[0]))
    return found


def test_the_rays_of_figure_3_3() -> None:
    converging, diverging = sorted(rays(FIGURE_3_3, 0.2), key=lambda ray: ray[1])
    assert round(converging[0]) == 147 and converging[1] < 0.0
    assert round(diverging[0]) == -71 and diverging[1] > 0.0
    x, y = diverging_ray(FIGURE_3_3, 0.2)
    assert isclose(degrees(atan2(y, x)), diverging[0], abs_tol=1e-9)
    hold = sticking_impulse(FIGURE_3_3)
    assert hypot(hold[0], hold[1]) > 0.2


def test_stable_sticking_has_no_diverging_ray() -> None:
    mu = 0.5
    hold = sticking_impulse(FIGURE_3_3)
    assert hypot(hold[0], hold[1]) < mu
    assert all(growth < 0.0 for _, growth in rays(FIGURE_3_3, mu))


def test_instable_sticking_is_left_along_the_one_diverging_ray() -> None:
    rng = np.random.default_rng(5)
    seen = 0
    while seen < 200:
        case = random_collision(rng)
        if case.margin < 1e-5 or case.mu_dynamic == 0.0:
            continue
        seen += 1
        diverging = [angle for angle, growth in rays(case.k6, case.mu_dynamic) if growth > 0.0]
        x, y = diverging_ray(case.k6, case.mu_dynamic)
        growth, across = drift(case.k6, case.mu_dynamic, atan2(y, x))
        assert isclose(hypot(x, y), 1.0, abs_tol=1e-15)
        assert abs(across) <= 1e-11 * case.k.max() and growth > 0.0
        assert len(diverging) == 1 and abs((diverging[0] - degrees(atan2(y, x)) + 180.0) % 360.0 - 180.0) < 1e-5


def test_the_diverging_ray_is_found_at_the_edge_of_sticking_and_without_friction() -> None:
    k: K6 = (2.0, 3.0, 4.0, 0.3, 0.5, 0.1)
    x, y, _ = sticking_impulse(k)
    mu = hypot(x, y) * (1.0 - 1e-12)
    ray = diverging_ray(k, mu)
    assert np.allclose(ray, (-x / hypot(x, y), -y / hypot(x, y)), rtol=0.0, atol=1e-9)
    assert np.allclose(diverging_ray(k, 0.0), (0.5 / hypot(0.5, 0.3), 0.3 / hypot(0.5, 0.3)), rtol=0.0, atol=1e-15)


def test_sticking_is_the_last_column_of_the_inverse() -> None:
    rng = np.random.default_rng(6)
    for _ in range(50):
        k = random_collision(rng)
        column = np.linalg.inv(k.k)[:, 2]
        assert np.allclose(
            sticking_impulse(k.k6),
            (column[0] / column[2], column[1] / column[2], 1.0 / column[2]),
            rtol=1e-8,
            atol=1e-9,
        )


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.5), (0.6, 0.8, -0.3)])
def test_sticking_with_a_singular_tangential_block(axis: tuple[float, float, float]) -> None:
    c = np.array(axis)
    k = np.outer(c, c) + np.diag([0.0, 0.0, 1.0])
    x, y, normal = sticking_impulse((k[0, 0], k[1, 1], k[2, 2], k[1, 2], k[0, 2], k[0, 1]))
    assert np.allclose(k @ [x, y, 1.0], [0.0, 0.0, normal], atol=1e-12)
    assert isclose(normal, 1.0, abs_tol=1e-12)


def test_a_straight_collision_ends_by_the_work_of_restitution() -> None:
    spent, uz, work, least, outcome = follow_line(0.0, 0.0, 2.0, -3.0, 0.0, 0.0, 0.25, 0.0)
    assert outcome == ENDED
    assert isclose(uz, 1.5) and isclose(spent, 4.5 / 2.0)
    assert isclose(least, -(3.0**2) / 4.0) and isclose(work, 0.75 * least)


def test_a_lift_is_the_least_work_of_restitution() -> None:
    _, uz, work, least, outcome = follow_line(0.0, 0.0, 2.0, -3.0, 0.0, 0.0, 0.0, 4.0)
    assert outcome == ENDED
    assert isclose(work - least, 4.0) and isclose(uz, sqrt(2.0 * 2.0 * 4.0))


def test_sticking_comes_first_where_it_is_nearer() -> None:
    in_compression = follow_line(1.0, -2.0, 1.0, -3.0, 0.0, 0.0, 1.0, 0.0)
    assert in_compression == (0.5, -2.5, 0.5 * (-3.0 + 0.25), 0.0, STICKS)
    in_restitution = follow_line(4.0, -1.0, 1.0, -3.0, 0.0, 0.0, 1.0, 0.0)
    assert in_restitution[:2] == (4.0, 1.0) and in_restitution[4] == STICKS


def test_a_force_that_pulls_in_never_ends_it_without_sticking() -> None:
    assert follow_line(1.0, 0.0, -1.0, -3.0, 0.0, 0.0, 1.0, 0.0)[4] == NEVER_ENDS
    assert follow_line(1.0, -1.0, -1.0, -3.0, 0.0, 0.0, 1.0, 0.0)[4] == STICKS
    assert follow_line(1.0, 1.0, 0.0, 0.0, 0.0, -1.0, 1.0, 0.0)[0] < inf
