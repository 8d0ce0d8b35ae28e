"""Arithmetic in twice the digits: a number is the sum of two floats, the second at most half a unit of the first.

Sums and products of floats have errors that are floats themselves (Dekker 1971; Hida, Li and Bailey 2001). Nothing here
may be reordered, and nothing is: kernels know no fast arithmetic.
"""

from __future__ import annotations

from engine.kernel import kernel

_SPLITTER = 134217729.0
"""2^27 + 1: it parts a float into two of 26 bits."""


@kernel
def add_product(a: float, a_low: float, x: float, x_low: float, y: float, y_low: float) -> tuple[float, float]:
    """a + x y; the error is 1e-31 of what is added."""
    big = _SPLITTER * x
    x_head = big - (big - x)
    big = _SPLITTER * y
    y_head = big - (big - y)
    x_tail, y_tail = x - x_head, y - y_head
    product = x * y
    error = ((x_head * y_head - product) + x_head * y_tail + x_tail * y_head) + x_tail * y_tail
    total = a + product
    taken = total - a
    rest = ((a - (total - taken)) + (product - taken)) + ((error + (x * y_low + x_low * y)) + a_low)
    high = total + rest
    return high, rest - (high - total)


@kernel
def invert(x: float, x_low: float) -> tuple[float, float]:
    """1 / x."""
    first = 1.0 / x
    left, left_low = add_product(1.0, 0.0, -first, 0.0, x, x_low)
    second = (left + left_low) / x
    high = first + second
    return high, second - (high - first)
