"""The series of sliding against its differential equation."""

from __future__ import annotations

from math import hypot

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from engine.impulse.taylor import Flow, crossing, derivative, expand, slope, value

FLOW: Flow = (-1.6, 0.4, -0.6, -0.2, 0.2, 1.0, -1.0, 5.0)


def test_the_series_solves_the_equations() -> None:
    x, y, z = 1.0, 0.5, -1.0
    height, gain, xs, ys, ws, _, _ = expand(FLOW, x, y, z, hypot(x, y))
    gxx, gxy, gyy, gzx, gzy, sx, sy, sz = FLOW

    def slopes(_: float, s: np.ndarray) -> list[float]:
        x, y, z = s[:3]
        w = np.hypot(x, y)
        along = gzx * x + gzy * y + sz * w
        return [gxx * x + gxy * y + sx * w, gxy * x + gyy * y + sy * w, along, z * w, x, y, w]

    for h, within in ((0.1, 1e-11), (0.05, 2e-13)):
        exact = solve_ivp(slopes, (0.0, h), [x, y, z, 0, 0, 0, 0], method="DOP853", rtol=1e-13, atol=1e-15).y[2:, -1]
        ours = [value(series, h) for series in (height, gain, xs, ys, ws)]
        np.testing.assert_allclose(ours, exact, rtol=0.0, atol=within)


def test_the_last_coefficients_bound_the_error() -> None:
    x, y, z = -0.3, 0.8, -1.0
    _, _, _, _, _, last_but_one, last = expand(FLOW, x, y, z, hypot(x, y))
    longer = expand(tuple(2.0 * g for g in FLOW), x, y, z, hypot(x, y))  # type: ignore[arg-type]
    assert longer[5] == pytest.approx(2.0**9 * last_but_one) and longer[6] == pytest.approx(2.0**10 * last)


def test_slopes_and_derivatives() -> None:
    series = (1.0, -2.0, 0.5, 3.0, -1.0, 0.25, 2.0, -0.5, 1.0, 0.125, -0.75)
    exact = np.polynomial.Polynomial(series)
    for t in (-0.7, 0.0, 0.3, 1.2):
        assert value(series, t) == pytest.approx(exact(t), rel=1e-14)
        assert slope(series, t) == pytest.approx(exact.deriv()(t), rel=1e-14)
        assert value(derivative(series), t) == pytest.approx(exact.deriv()(t), rel=1e-14)


@pytest.mark.parametrize("guess", [0.0, 0.5, 0.9, 1.0])
def test_a_crossing_is_found_from_any_guess(guess: float) -> None:
    flat = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    assert crossing(flat, 1e-3, 0.0, 1.0, guess) == pytest.approx(1e-3**0.1, rel=1e-9)
    falling = (1.0, -1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    assert crossing(falling, 0.0, 0.0, 1.0, guess) == pytest.approx((5.0**0.5 - 1.0) / 2.0, rel=1e-12)
