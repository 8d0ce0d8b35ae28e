"""The laws of impacts on clusters: no energy is made, nothing approaches after it, and known ends are met."""

from __future__ import annotations

import numpy as np
import pytest

from engine.impulse import cluster as cl
from engine.impulse.integration import integrate_collision
from engine.model.model import SEQUENTIAL, SIMULTANEOUS, WAVE
from tests.clusters import (
    add_body,
    add_contact,
    impulses,
    kinetic_energy,
    new_cluster,
    normal_velocities,
    random_cluster,
    reset,
    run_law,
)

LAWS = {"sequential": SEQUENTIAL, "simultaneous": SIMULTANEOUS, "wave": WAVE}
X = np.array([1.0, 0.0, 0.0])
Z = np.array([0.0, 0.0, 1.0])


@pytest.mark.parametrize("count", [500, pytest.param(10_000, marks=pytest.mark.slow)])
def test_random_clusters_create_no_energy(count: int) -> None:
    rng = np.random.default_rng(7)
    c = new_cluster()
    left = dict.fromkeys(LAWS, 0)
    for _ in range(count):
        random_cluster(rng, c)
        before = kinetic_energy(c)
        fastest = max(-normal_velocities(c).min(), 0.0)
        for name, law in LAWS.items():
            reset(c)
            run_law(c, law)
            after, work = kinetic_energy(c), float(c.contacts[: c.sizes[cl.CONTACTS], cl.WORK_AT].sum())
            assert after <= before * (1.0 + 1e-12)
            assert abs(after - before - work) <= 1e-12 * before
            p = impulses(c)
            mu = c.contacts[: len(p), cl.DYNAMIC]
            assert (p[:, 0] >= 0.0).all()
            assert (np.hypot(p[:, 1], p[:, 2]) <= mu * p[:, 0] * (1.0 + 1e-12) + 1e-15).all()
            left[name] += bool(normal_velocities(c).min() < -1e-6 * fastest)
    # Strong friction may need more iterations than there are: what is left then collides anew.
    assert max(left.values()) <= 0.002 * count, left


def row_of_balls(masses: list[float], speeds: list[float], e: float = 1.0) -> cl.Cluster:
    c = new_cluster()
    for mass, speed in zip(masses, speeds, strict=True):
        add_body(c, mass, 0.4 * mass * np.eye(3), np.array([speed, 0.0, 0.0, 0.0, 0.0, 0.0]))
    for k in range(len(masses) - 1):
        add_contact(c, k, k + 1, -X, X, -X, 0.0, e)
    reset(c)
    return c


@pytest.mark.parametrize("balls", [1, 2, 3, 4])
def test_as_many_balls_leave_the_cradle_as_came(balls: int) -> None:
    c = row_of_balls([1.0] * 5, [1.0] * balls + [0.0] * (5 - balls))
    run_law(c, SEQUENTIAL)
    np.testing.assert_allclose(c.twists[:5, cl.V], [0.0] * (5 - balls) + [1.0] * balls, rtol=0.0, atol=1e-15)


def test_balls_that_touch_nearly_at_rest_hardly_change_the_cradle() -> None:
    """What approaches slowly in the same round takes its small part in it."""
    c = row_of_balls([1.0] * 5, [1.0, 2e-4, 0.0, 1e-4, 0.0])
    run_law(c, SEQUENTIAL)
    np.testing.assert_allclose(c.twists[:5, cl.V], [0.0, 0.0, 0.0, 0.0, 1.0], rtol=0.0, atol=1e-3)
    assert kinetic_energy(c) == pytest.approx(kinetic_energy(c, cl.V_FIRST), rel=1e-12)


def test_a_ball_between_two_that_meet_in_it_reflects_them() -> None:
    c = row_of_balls([1.0, 0.1, 1.0], [1.0, 0.0, -1.0])
    run_law(c, SEQUENTIAL)
    np.testing.assert_allclose(c.twists[:3, cl.V], [-1.0, 0.0, 1.0], rtol=0.0, atol=1e-15)


def test_the_wave_through_five_balls() -> None:
    """Hertz's contacts, integrated in time with scipy."""
    from scipy.integrate import solve_ivp

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        force = np.maximum(y[:4] - y[1:5], 0.0) ** 1.5
        return np.concatenate([y[5:], np.append(-force, 0.0) + np.insert(force, 0, 0.0)])

    start = np.array([0.0] * 5 + [1.0] + [0.0] * 4)
    known = solve_ivp(rates, (0.0, 60.0), start, rtol=1e-11, atol=1e-13).y[5:, -1]
    c = row_of_balls([1.0] * 5, [1.0, 0.0, 0.0, 0.0, 0.0])
    run_law(c, WAVE)
    np.testing.assert_allclose(c.twists[:5, cl.V], known, rtol=0.0, atol=2e-3)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_box_that_lands_flat_bounces_as_a_whole(law: str, e: float) -> None:
    c = new_cluster()
    add_body(c, 2.0, np.diag([0.3, 0.5, 0.6]), np.array([0.0, 0.0, -3.0, 0.0, 0.0, 0.0]))
    for x, y in ((1.0, 0.5), (1.0, -0.5), (-1.0, 0.5), (-1.0, -0.5)):
        add_contact(c, 0, -1, Z, np.array([x, y, -0.25]), np.zeros(3), 0.4, e, 0)
    reset(c)
    run_law(c, LAWS[law])
    close = 1e-3 if law == "wave" else 1e-9
    np.testing.assert_allclose(c.twists[0, cl.V : cl.V + 6], [0.0, 0.0, 3.0 * e, 0.0, 0.0, 0.0], rtol=0.0, atol=close)
    np.testing.assert_allclose(impulses(c)[:, 0], 1.5 * (1.0 + e), rtol=1e-3)  # each corner a quarter


def test_a_contact_alone_is_integrated() -> None:
    c = new_cluster()
    add_body(c, 1.0, np.diag([0.4, 0.5, 0.7]), np.array([0.6, 0.2, -1.0, 0.3, -2.0, 1.0]))
    add_contact(c, 0, -1, Z, np.array([0.2, 0.1, -0.5]), np.zeros(3), 0.3, 0.6)
    reset(c)
    u = cl.velocity_at(c, 0, cl.V)
    p, after, work, _, _ = integrate_collision(cl.own_matrix(c, 0), (u[1], u[2], u[0]), 0.3, 0.3, 0.6)
    run_law(c, SEQUENTIAL)
    assert impulses(c)[0].tolist() == [p[2], p[0], p[1]]
    assert c.contacts[0, cl.WORK_AT] == pytest.approx(work, rel=1e-14)
    assert normal_velocities(c)[0] == pytest.approx(after[2], rel=1e-13)


@pytest.mark.parametrize("law", LAWS)
def test_mirrored_contacts_stay_mirrored(law: str) -> None:
    """A ball into two that touch each other: halves are equal to rounding, whichever comes first."""
    c = new_cluster()
    for y, speed in ((0.0, 1.0), (1.0, 0.0), (-1.0, 0.0)):
        add_body(c, 1.0, 0.4 * np.eye(3), np.array([speed, 0.0, 0.0, 0.0, 0.0, 2.0 * y]))
    for k, y in ((2, -0.5), (1, 0.5)):
        n = np.array([np.sqrt(0.75), y, 0.0])
        add_contact(c, 0, k, -n, n, -n, 0.2, 0.9)
    add_contact(c, 1, 2, np.array([0.0, 1.0, 0.0]), np.array([0.0, -1.0, 0.0]), np.array([0.0, 1.0, 0.0]), 0.2, 0.9)
    reset(c)
    run_law(c, LAWS[law])
    left, right = c.twists[1, cl.V : cl.V + 6], c.twists[2, cl.V : cl.V + 6]
    np.testing.assert_allclose(left, right * [1, -1, 1, -1, 1, -1], rtol=0.0, atol=1e-13)
    assert abs(c.twists[0, cl.V + 1]) < 1e-13


def speeds_after(masses: list[float], speeds: list[float], e: float) -> np.ndarray:
    """Of a row of balls that touch, after all contacts have collided at once."""
    c = row_of_balls(masses, speeds, e)
    run_law(c, SIMULTANEOUS)
    return c.twists[: len(masses), cl.V].copy()


def test_all_at_once_the_first_of_three_comes_back() -> None:
    """By Gauss' principle impulses are not passed on one by one (Redon 2002, eq. 6)."""
    np.testing.assert_allclose(speeds_after([1.0] * 3, [1.0, 0.0, 0.0], 1.0), (-1 / 3, 2 / 3, 2 / 3), atol=1e-9)
    np.testing.assert_allclose(speeds_after([1.0] * 3, [1.0, 0.0, 0.0], 0.0), 1 / 3, atol=1e-9)


def test_all_at_once_what_separates_is_not_made_to_approach() -> None:
    """Redon's (5) as printed would allow it -e v_n: the last ball would be overtaken at once."""
    v = speeds_after([1.0] * 3, [1.0, 0.0, 0.2], 0.5)
    assert v[2] - v[1] >= -1e-9
    assert v.sum() == pytest.approx(1.2)
    assert (v**2).sum() <= 1.04 * (1.0 + 1e-12)


def test_restitution_that_would_create_energy_is_lowered() -> None:
    """Kane's rod: e = 1 with friction that reverses the slip would give it more than it had."""
    rng = np.random.default_rng(3)
    c = new_cluster()
    lowered = 0
    for _ in range(300):
        c.sizes[:] = 0
        add_body(c, 1.0, np.diag([0.05, 0.05, 0.05]), np.append(rng.normal(size=2), [-0.3, *rng.normal(size=3)]))
        for _ in range(2):
            add_contact(c, 0, -1, Z, rng.normal(size=3), np.zeros(3), 1.0, 1.0, 0)
        reset(c)
        u = normal_velocities(c)
        run_law(c, SIMULTANEOUS)
        assert kinetic_energy(c) <= kinetic_energy(c, cl.V_FIRST) * (1.0 + 1e-13)
        lowered += bool((normal_velocities(c) < np.maximum(-u, 0.0) - 1e-6).any())
    assert lowered > 10


def column_of_balls(masses: list[float], speed: float) -> cl.Cluster:
    """Balls that lie on each other, the lowest on the ground; the highest falls."""
    c = new_cluster()
    for k, mass in enumerate(masses):
        falling = -speed if k == len(masses) - 1 else 0.0
        add_body(c, mass, 0.4 * mass * np.eye(3), np.array([0.0, 0.0, falling, 0.0, 0.0, 0.0]))
        add_contact(c, k, k - 1, Z, -Z, Z, 0.3, 0.3)
    reset(c)
    return c


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("heaviest", [1e3, 1e5])
def test_what_nothing_scripted_presses_is_never_crushed(law: str, heaviest: float) -> None:
    """Iterations do not end on such masses, and impulses still grow when they are over."""
    c = column_of_balls([5.0, 13.0, heaviest], 3.0)
    run_law(c, LAWS[law])
    assert c.sizes[cl.ENDLESS] == 0


@pytest.mark.parametrize("law", LAWS)
def test_what_two_scripts_close_upon_is_crushed(law: str) -> None:
    c = column_of_balls([2.0, 1.0], 1.0)
    add_contact(c, 1, -1, -Z, Z, -Z, 0.3, 0.3)
    c.contacts[2, cl.PRESCRIBED : cl.PRESCRIBED + 3] = (0.0, 0.0, 5.0)  # what is above comes down
    reset(c)
    run_law(c, LAWS[law])
    assert c.sizes[cl.ENDLESS] > 0
