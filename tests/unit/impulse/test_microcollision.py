"""Microcollisions: what keeps bodies resting, rolling and holding, and what the energy rule demands."""

from __future__ import annotations

from math import cos, hypot, inf, isclose, nan, radians, sin, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.impulse.collision_matrix import K6, multiply_k
from engine.impulse.integration import OK
from engine.impulse.microcollision import resolve_microcollision, resolve_microcollision_thesis
from engine.kernel import array_kernel
from engine.tolerances import BAND_HIGH

BALL: K6 = (3.5, 3.5, 1.0, 0.0, 0.0, 0.0)
POINT: K6 = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
ENVELOPE = 1e-3
G = 9.81
U0 = sqrt(2.0 * G * ENVELOPE)
UNKNOWN = (nan, nan)


def test_the_deeper_the_gap_the_higher_the_flight() -> None:
    for gap in (0.0, 0.3e-3, 0.7e-3):
        _, u, _, status = resolve_microcollision(BALL, (0.0, 0.0, -1e-3), UNKNOWN, gap, ENVELOPE, G, 0.5, 0.5, 0.0, inf)
        assert status == OK
        assert isclose(gap + u[2] ** 2 / (2.0 * G), BAND_HIGH * ENVELOPE)


def test_out_of_the_depth_it_bounces_by_e_and_never_comes_to_a_standstill() -> None:
    hit = (0.0, 0.0, -0.5 * U0)
    assert isclose(resolve_microcollision(BALL, hit, UNKNOWN, 0.9e-3, ENVELOPE, G, 0.5, 0.5, 0.8, 0.0)[1][2], 0.4 * U0)
    assert isclose(resolve_microcollision(BALL, hit, UNKNOWN, 0.9e-3, ENVELOPE, G, 0.5, 0.5, 0.0, 0.0)[1][2], 0.02 * U0)


@pytest.mark.parametrize("credit", [0.0, 1e-2])
@pytest.mark.parametrize("slip", [0.0, 3.0])
@pytest.mark.parametrize("mu", [0.0, 0.4])
def test_a_gap_does_not_sink_and_energy_does_not_rise(credit: float, slip: float, mu: float) -> None:
    gap, fall, u_t = 0.5 * ENVELOPE, 1e-4, slip
    dissipated = credit
    lowest = gap
    first = G * gap + 0.5 * fall**2 + 0.5 * u_t**2 / 3.5 + credit
    for _ in range(2000):
        p, u, work, status = resolve_microcollision(
            BALL, (u_t, 0.0, -fall), UNKNOWN, gap, ENVELOPE, G, mu, mu, 0.0, dissipated
        )
        assert status == OK and u[2] > 0.0 and p[2] > 0.0
        assert work <= dissipated
        dissipated -= work
        u_t = u[0]
        # It flies, and comes back a thousandth below where it was.
        lower = gap * (1.0 - 1e-3) if gap > 0.4 * ENVELOPE else gap
        fall = sqrt(u[2] ** 2 + 2.0 * G * (gap - lower))
        gap = lower
        lowest = min(lowest, gap)
        energy = G * gap + 0.5 * fall**2 + 0.5 * u_t**2 / 3.5
        assert energy + dissipated <= first * (1.0 + 1e-12)
    # Without credit it flies as high as it was, with it to where the law wants it.
    apex = gap + fall**2 / (2.0 * G)
    assert apex >= 0.5 * ENVELOPE * (1.0 - 1e-9)
    if credit > 0.0 or slip * mu > 0.0:
        assert apex == pytest.approx(BAND_HIGH * ENVELOPE, rel=0.05)


@pytest.mark.parametrize("arrival", [0.0, 0.02, -0.01])
def test_on_a_ramp_slip_has_mean_zero(arrival: float) -> None:
    along, down = G * sin(radians(20.0)), G * cos(radians(20.0))
    slip, before, fall = arrival, UNKNOWN, 0.3 * U0
    for number in range(6):
        _, u, _, status = resolve_microcollision(
            POINT, (slip, 0.0, -fall), before, 0.5e-3, ENVELOPE, G, 0.9, 0.9, 0.0, inf
        )
        assert status == OK
        if number > 0:
            # After the first hit all older slip is gone: what is left is the half of one flight, to and fro.
            assert u[0] == pytest.approx(-slip if number > 1 else u[0], abs=1e-15)
        flight = 2.0 * u[2] / down
        before = (u[0], u[1])
        slip, fall = u[0] + along * flight, u[2]
        if number > 0:
            assert 0.5 * (u[0] + slip) == pytest.approx(0.0, abs=1e-15)


def test_an_unknown_past_counts_as_rest() -> None:
    args = (0.5e-3, ENVELOPE, G, 0.5, 0.5, 0.2, 1.0)
    for u in ((0.01, -0.02, -0.05), (0.0, 0.0, -0.05), (4.0, 0.0, -0.05)):
        assert resolve_microcollision(BALL, u, UNKNOWN, *args) == resolve_microcollision(BALL, u, (0.0, 0.0), *args)


def test_fast_slip_is_left_to_friction() -> None:
    p, u, work, status = resolve_microcollision(
        BALL, (5.0, 0.0, -0.05), (5.01, 0.0), 0.5e-3, ENVELOPE, G, 0.3, 0.3, 0.2, 0.0
    )
    assert status == OK and work < 0.0
    assert isclose(p[0], -0.3 * p[2]) and isclose(u[0], 5.0 - 3.5 * 0.3 * p[2])
    assert isclose(u[2], sqrt(2.0 * G * 0.25 * ENVELOPE))


def test_what_cannot_be_lifted_has_its_slip_turned_around_all_the_same() -> None:
    """A ball low in its envelope and without credit: the slip takes half of itself back, and the hop the rest."""
    fall, slip, last = 0.005, 0.004, -0.003
    args = (0.3e-3, ENVELOPE, G, 0.5, 0.5, 0.2, 0.0)
    p, u, work, status = resolve_microcollision(BALL, (slip, 0.0, -fall), (last, 0.0), *args)
    assert status == OK and work == pytest.approx(0.0, abs=1e-18)
    assert u[0] == pytest.approx(-0.5 * (slip - last))
    assert u[2] == pytest.approx(sqrt(fall**2 + (slip**2 - u[0] ** 2) / 3.5))
    # Where even that takes more than there is, as much of the slip as the hop can spare: it comes back as it came.
    p, u, work, status = resolve_microcollision(BALL, (slip, 0.0, -fall), (-0.02, 0.0), *args)
    assert status == OK and work == pytest.approx(0.0, abs=1e-18)
    assert u[2] == pytest.approx(fall) and u[0] == pytest.approx(-slip)


def test_short_credit_shortens_the_lift() -> None:
    full = resolve_microcollision(BALL, (0.0, 0.0, -0.01), UNKNOWN, 0.5e-3, ENVELOPE, G, 0.5, 0.5, 0.2, 1.0)
    assert full[2] == pytest.approx(0.5 * (2.0 * G * 0.25e-3 - 0.01**2))
    for credit in (0.0, 1e-6, 1e-4, 1e-3):
        _, u, work, _ = resolve_microcollision(
            BALL, (0.0, 0.0, -0.01), UNKNOWN, 0.5e-3, ENVELOPE, G, 0.5, 0.5, 0.2, credit
        )
        assert work == pytest.approx(credit, abs=1e-18)
        assert u[2] == pytest.approx(sqrt(0.01**2 + 2.0 * credit))
    slides = resolve_microcollision(BALL, (5.0, 0.0, -0.01), UNKNOWN, 0.5e-3, ENVELOPE, G, 0.0, 0.0, 0.2, 1e-4)
    assert slides[2] == pytest.approx(1e-4)
    assert slides[1][2] == pytest.approx(sqrt(0.01**2 + 2e-4))


@array_kernel
def _violations(count: int) -> NDArray[np.int64]:
    """How many microcollisions stay, overdraw, leave the cone, misreport their work or velocity, fail."""
    np.random.seed(11)
    found = np.zeros(6, dtype=np.int64)
    for _ in range(count):
        xx, yy, zz, yz, xz, xy = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for _ in range(np.random.randint(1, 4)):
            x, y, z = np.random.normal(), np.random.normal(), np.random.normal()
            xx, yy, zz, yz, xz, xy = xx + x * x, yy + y * y, zz + z * z, yz + y * z, xz + x * z, xy + x * y
        light = 10.0 ** np.random.uniform(-1.5, 0.5)
        k = (xx + light, yy + light, zz + light, yz, xz, xy)
        speed = 10.0 ** np.random.uniform(-4.0, 0.5)
        u = (speed * np.random.normal(), speed * np.random.normal(), -U0 * 10.0 ** np.random.uniform(-6.0, 0.0))
        before = (u[0] + 0.1 * np.random.normal(), u[1] + 0.1 * np.random.normal())
        mu = np.random.uniform(0.0, 1.2)
        credit = 0.0 if np.random.random() < 0.3 else 10.0 ** np.random.uniform(-12.0, 0.0)
        gap = np.random.uniform(0.0, ENVELOPE)
        p, after, work, status = resolve_microcollision(
            k, u, before, gap, ENVELOPE, G, mu, mu, np.random.random(), credit
        )
        size = u[0] ** 2 + u[1] ** 2 + u[2] ** 2
        change = multiply_k(k, p)
        true_work, wrong = 0.0, 0.0
        for i in range(3):
            true_work += (u[i] + 0.5 * change[i]) * p[i]
            wrong = max(wrong, abs(u[i] + change[i] - after[i]))
        found[0] += not after[2] > 0.0
        found[1] += not (work <= credit and work <= G * ENVELOPE / light)
        found[2] += not sqrt(p[0] ** 2 + p[1] ** 2) <= mu * p[2] * (1.0 + 1e-6)
        found[3] += not abs(work - true_work) <= 1e-11 * (size + U0**2) / light
        found[4] += not wrong <= 1e-13 * (sqrt(size) + U0) * k[2] / light
        found[5] += status != OK
    return found


def test_two_hundred_thousand_microcollisions_obey_the_energy_rule() -> None:
    np.testing.assert_array_equal(_violations(200_000), [0, 0, 0, 0, 0, 0])


def test_the_thesis_reverses_what_friction_can_reverse() -> None:
    k: K6 = (8.0, 3.0, 5.0, -1.0, 1.0, -2.0)
    p, u, work, status = resolve_microcollision_thesis(k, (0.01, -0.02, -0.1), 0.5e-3, ENVELOPE, 0.9, 0.9, 0.2)
    assert (u, work, status) == ((-0.01, 0.02, 0.1), 0.0, OK)
    np.testing.assert_allclose(multiply_k(k, p), (-0.02, 0.04, 0.2), rtol=0.0, atol=1e-15)


@pytest.mark.parametrize(("gap", "e"), [(1e-3, 0.2), (0.5e-3, 0.2 + 4.8 * 0.25), (0.0, 5.0), (2e-3, 0.2)])
def test_the_thesis_boosts_restitution_by_depth(gap: float, e: float) -> None:
    hit = (1.0, 0.0, -0.1)
    _, u, work, _ = resolve_microcollision_thesis(BALL, hit, gap, ENVELOPE, 0.0, 0.0, 0.2)
    assert u[2] == pytest.approx(0.1 * e)
    assert work == pytest.approx(0.5 * (e * e - 1.0) * 0.01)
    assert hypot(u[0], u[1]) == 1.0
