"""What turns need of cosine and sine, of small angles by series: to rounding, and without what cancels."""

from __future__ import annotations

from math import cos, sin, sqrt

from engine.arrays import Floats
from engine.kernel import kernel

_SMALL = 0.25  # rad^2: below, series say the same to rounding


@kernel
def turn_shares(z: float) -> tuple[float, float]:
    """(1 - cos a) / a^2 and (a - sin a) / a^3 for an angle whose square is z."""
    if z > _SMALL:
        a = sqrt(z)
        return 2.0 * sin(0.5 * a) ** 2 / z, (a - sin(a)) / (z * a)
    return _series(z)


@kernel
def _series(z: float) -> tuple[float, float]:
    first = 1.0 / 3628800.0 - z * (1.0 / 479001600.0 - z * (1.0 / 87178291200.0))
    first = 0.5 - z * (1.0 / 24.0 - z * (1.0 / 720.0 - z * (1.0 / 40320.0 - z * first)))
    second = 1.0 / 39916800.0 - z * (1.0 / 6227020800.0 - z * (1.0 / 1307674368000.0))
    second = 1.0 / 6.0 - z * (1.0 / 120.0 - z * (1.0 / 5040.0 - z * (1.0 / 362880.0 - z * second)))
    return first, second


@kernel
def cos_sin(angles: Floats, cosines: Floats, sines: Floats) -> None:
    """Cosines and sines of angles [rad], each (n,); compilers take several at once, if all are small."""
    large = 0
    for i in range(angles.shape[0]):
        large += angles[i] * angles[i] > _SMALL
    if large > 0:
        for i in range(angles.shape[0]):
            cosines[i], sines[i] = cos(angles[i]), sin(angles[i])
        return
    for i in range(angles.shape[0]):
        z = angles[i] * angles[i]
        first, second = _series(z)
        cosines[i], sines[i] = 1.0 - z * first, angles[i] - angles[i] * z * second


@kernel
def half_turn(z: float) -> tuple[float, float]:
    """cos(a / 2) and sin(a / 2) / a for an angle whose square is z."""
    if z > _SMALL:
        a = sqrt(z)
        return cos(0.5 * a), sin(0.5 * a) / a
    first, second = turn_shares(0.25 * z)
    return 1.0 - 0.25 * z * first, 0.5 - 0.125 * z * second


@kernel
def inverse_share(z: float) -> float:
    """(1 - (a / 2) cot(a / 2)) / a^2 for an angle, less than half a turn, whose square is z."""
    if z > _SMALL:
        a = sqrt(z)
        return 1.0 / z - (1.0 + cos(a)) / (2.0 * a * sin(a))
    last = 691.0 / 1307674368000.0 + z * (1.0 / 74724249600.0 + z * (3617.0 / 10670622842880000.0))
    last = 1.0 / 30240.0 + z * (1.0 / 1209600.0 + z * (1.0 / 47900160.0 + z * last))
    return 1.0 / 12.0 + z * (1.0 / 720.0 + z * last)
