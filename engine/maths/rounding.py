"""Levels of rounding: how far apart two numbers may be that exact arithmetic would make equal.

All follow from the spacing of floats. None is chosen, and none has a unit: each is a part of the largest number that
went into a result.
"""

from __future__ import annotations

import sys
from math import log, sqrt

EPSILON = sys.float_info.epsilon
"""The spacing of floats at 1: 2^-52, a relative error of one operation."""

COORDINATE = 2.0 * EPSILON
"""Of a coordinate that has been rotated and shifted."""

SUM = 64.0 * EPSILON
"""Of a sum of some tens of terms, as of a norm, a determinant, a support: 1.4e-14."""

QUOTIENT = sqrt(EPSILON) * sqrt(sqrt(EPSILON))
"""Of what has been divided by differences that had lost a quarter of their digits: 1.8e-12. Matrices that are worse
are singular, and velocities below it are none."""

SINE = sqrt(EPSILON) / 16.0
"""Of a direction: 9.3e-10. The square of such an angle is lost beside 1, even when some hundreds of them add up."""

ROOT = sqrt(EPSILON)
"""Of what is known by its square: 1.5e-8."""

DIFFERENCE = EPSILON ** (1.0 / 3.0)
"""The best step of a central difference: 6.1e-6. Its own error, the square, is then that of rounding over the step."""

TINY = sqrt(sys.float_info.min)
"""Beside numbers of this world it is none, and its square is still a number: 1.5e-154. Divisors are not smaller."""

LARGEST = sqrt(sys.float_info.max) / 8.0
"""Larger numbers count as not finite: sums of their squares are not. 1.7e153."""

LOG_LARGEST = log(sys.float_info.max)
"""exp of more is not finite: 709."""
