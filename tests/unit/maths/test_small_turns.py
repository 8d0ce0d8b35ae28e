"""Series and closed forms of what turns need, against forty digits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from engine.maths.small_turns import cos_sin, half_turn, inverse_share, turn_shares


@pytest.mark.parametrize("a", [1e-9, 1e-4, 1e-2, 0.3, 0.4999, 0.5, 0.5001, 1.0, 3.0])
def test_shares_of_a_turn_are_right_to_rounding(a: float) -> None:
    with mpmath.workdps(40):
        x = mpmath.mpf(a)
        first, second = (1 - mpmath.cos(x)) / x**2, (x - mpmath.sin(x)) / x**3
        inverse = (1 - x / 2 * mpmath.cot(x / 2)) / x**2
        half = mpmath.cos(x / 2), mpmath.sin(x / 2) / x
        whole = mpmath.cos(x), mpmath.sin(x)
    assert turn_shares(a * a) == pytest.approx((float(first), float(second)), rel=1e-14)
    assert inverse_share(a * a) == pytest.approx(float(inverse), rel=1e-14)
    assert half_turn(a * a) == pytest.approx((float(half[0]), float(half[1])), rel=1e-15)
    cosines, sines = np.zeros((2, 3))
    cos_sin(np.array([0.0, -a, a]), cosines, sines)
    assert cosines == pytest.approx([1.0, float(whole[0]), float(whole[0])], rel=1e-15)
    assert sines == pytest.approx([0.0, -float(whole[1]), float(whole[1])], rel=1e-15)
