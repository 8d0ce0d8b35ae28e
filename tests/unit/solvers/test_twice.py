"""Arithmetic in twice the digits, against fractions, which are exact."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from engine.solvers.twice import add_product, invert


def whole(high: float, low: float) -> Fraction:
    return Fraction(high) + Fraction(low)


def numbers(rng: np.random.Generator) -> tuple[float, float]:
    """A number of twice the digits."""
    high = rng.normal() * 10.0 ** rng.integers(-8, 9)
    return high, high * 1e-16 * rng.uniform(-0.5, 0.5)


def test_sums_and_products() -> None:
    rng = np.random.default_rng(1)
    for _ in range(300):
        a, x, y = numbers(rng), numbers(rng), numbers(rng)
        exact = whole(*a) + whole(*x) * whole(*y)
        added = abs(whole(*a)) + abs(whole(*x) * whole(*y))
        high, low = add_product(*a, *x, *y)
        assert abs(whole(high, low) - exact) <= Fraction(1e-31) * added
        assert high == high + low


def test_what_a_float_would_lose() -> None:
    third, third_low = invert(3.0, 0.0)
    assert abs(whole(third, third_low) - Fraction(1, 3)) < Fraction(1e-32)
    high, low = add_product(-1.0, 0.0, third, third_low, 3.0, 0.0)
    assert abs(whole(high, low)) < Fraction(1e-31)
    assert add_product(1e20, 0.0, 1.0, 0.0, 1.0, 0.0) == (1e20, 1.0)


def test_inverses() -> None:
    rng = np.random.default_rng(2)
    for _ in range(100):
        x = numbers(rng)
        high, low = invert(*x)
        assert abs(whole(high, low) * whole(*x) - 1) <= Fraction(1e-31)
