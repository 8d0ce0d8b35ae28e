"""Elliptic functions and integrals against mpmath and scipy, with relative accuracy at both ends of the modulus."""

from __future__ import annotations

import random
from math import atan, cosh, inf, isclose, sin, sqrt, tanh

import mpmath as mp
import pytest
from scipy import special

from engine.maths.elliptic import carlson_rj, is_odd, jacobi, jacobi_reduced, nearest, nome, quarter_period, third_kind

EPS = 2.2e-16


def modulus(exponent: float) -> tuple[float, float]:
    """(k, kc): kc = 10^exponent for a negative exponent, k = 10^-exponent for a positive one."""
    with mp.workdps(60):
        small = 10.0 ** -abs(exponent)
        other = float(mp.sqrt(1 - mp.mpf(small) ** 2))
    return (other, small) if exponent < 0.0 else (small, other)


def parameter(k: float, kc: float) -> mp.mpf:
    """m = k^2 of the modulus that the smaller of k, kc defines exactly."""
    return mp.mpf(k) ** 2 if k < kc else 1 - mp.mpf(kc) ** 2


MODULI = [-40.0, -8.0, -5.0, -2.0, -0.7, -0.3, -0.16, -0.151, -0.15, 0.151, 0.2, 0.5, 1.0, 3.0, 9.0, 40.0]


@pytest.mark.parametrize("exponent", MODULI)
def test_jacobi_functions_are_accurate_relatively(exponent: float) -> None:
    rng = random.Random(int(exponent * 1000))
    k, kc = modulus(exponent)
    with mp.workdps(110):
        m = parameter(k, kc)
        period = mp.ellipk(m)
        for _ in range(12):
            u = float(period * rng.uniform(-0.9, 0.9))
            for ours, name in zip(jacobi(u, k, kc), ("sn", "cn", "dn")):
                exact = mp.ellipfun(name, mp.mpf(u), m=m)
                assert abs(ours - exact) < 8 * EPS * (1.0 + abs(u)) * abs(exact), (name, u)


@pytest.mark.parametrize("exponent", MODULI)
def test_quarter_period_and_nome(exponent: float) -> None:
    k, kc = modulus(exponent)
    with mp.workdps(110):
        m = parameter(k, kc)
        assert abs(quarter_period(k, kc) / mp.ellipk(m) - 1) < 4 * EPS
        small, large = min(k, kc), max(k, kc)
        assert abs(nome(small, large) / mp.qfrom(m=mp.mpf(small) ** 2) - 1) < 4 * EPS


@pytest.mark.parametrize("m", [0.0, 0.1, 0.5, 0.8, 0.99])
def test_jacobi_functions_agree_with_scipy_over_many_periods(m: float) -> None:
    for u in (-31.0, -3.0, -0.2, 0.0, 0.4, 1.7, 12.0, 100.0):
        sn, cn, dn, _ = special.ellipj(u, m)
        assert jacobi(u, sqrt(m), sqrt(1.0 - m)) == pytest.approx((sn, cn, dn), abs=2e-13)


@pytest.mark.parametrize("exponent", [-5.0, -0.3, 0.3, 3.0])
def test_reduction_names_the_half_periods(exponent: float) -> None:
    k, kc = modulus(exponent)
    period = quarter_period(k, kc)
    for turns in (-3, -2, -1, 0, 1, 2, 7):
        u = 0.3 * period
        sn, cn, dn, found = jacobi_reduced(u + 2.0 * turns * period, k, kc)
        assert found == turns
        assert (sn, cn, dn) == pytest.approx(jacobi(u, k, kc), rel=1e-12)
        sign = -1.0 if turns % 2 else 1.0
        assert jacobi(u + 2.0 * turns * period, k, kc) == pytest.approx((sign * sn, sign * cn, dn), rel=1e-12)


@pytest.mark.parametrize("u", [-5.0, -1e-9, 0.0, 0.3, 2.0, 300.0])
def test_the_limits_of_the_modulus(u: float) -> None:
    assert jacobi(u, 1.0, 0.0) == pytest.approx((tanh(u), 1 / cosh(u), 1 / cosh(u)), rel=1e-14)
    sn, _, dn = jacobi(u, 0.0, 1.0)
    assert sn == pytest.approx(sin(u), abs=1e-13)
    assert dn == 1.0
    assert quarter_period(1.0, 0.0) == inf
    assert quarter_period(0.0, 1.0) == pytest.approx(1.5707963267948966, rel=1e-15)


def test_carlson_rj_agrees_with_mpmath_and_scipy() -> None:
    rng = random.Random(3)
    for trial in range(200):
        x, y, z = (10.0 ** rng.uniform(-12, 3) if trial % 2 else rng.uniform(0.0, 2.0) for _ in range(3))
        if trial % 5 == 0:
            x = 0.0
        p = max(x, y, z) * rng.uniform(1.0, 3.0)
        assert isclose(carlson_rj(x, y, z, p), float(mp.elliprj(x, y, z, p)), rel_tol=4e-15)
        assert isclose(carlson_rj(x, y, z, p), special.elliprj(x, y, z, p), rel_tol=1e-14)


@pytest.mark.parametrize("exponent", [-8.0, -0.3, 0.3, 2.0])
@pytest.mark.parametrize("n", [0.0, 0.03, 1.0])
def test_third_kind_is_the_integral(exponent: float, n: float) -> None:
    k, kc = modulus(exponent)
    with mp.workdps(30):
        m = parameter(k, kc)
        for fraction in (-0.95, 1e-6, 0.5):
            u = float(mp.ellipk(m) * fraction)
            exact = mp.quad(lambda v: 1 / (n + 1 / mp.ellipfun("sn", v, m=m) ** 2), mp.linspace(0, u, 4))
            assert abs(third_kind(*jacobi(u, k, kc), n) / exact - 1) < 20 * EPS * (1.0 + abs(u))


def test_third_kind_has_its_elementary_limits() -> None:
    """Circular functions at k = 0, hyperbolic ones at k = 1."""
    for u in (0.1, 0.7, 1.4):
        n = 0.6
        plain = u - atan(sqrt(1.0 + n) * sin(u) / sqrt(1.0 - sin(u) ** 2)) / sqrt(1.0 + n)
        assert third_kind(*jacobi(u, 0.0, 1.0), n) == pytest.approx(plain / n, rel=1e-13)
    for u in (0.1, 2.0, 30.0):
        assert third_kind(*jacobi(u, 1.0, 0.0), 0.0) == pytest.approx(u - tanh(u), rel=3e-13)


def test_rounding_to_whole_numbers() -> None:
    for x in (-7.6, -1.5, -0.4, 0.0, 0.49, 0.51, 2.5, 1e9 + 0.3):
        assert nearest(x) == round(x)
        assert is_odd(nearest(x)) == (round(x) % 2 == 1)
