"""Taylor series of sliding through a collision: one recurrence gives ten orders, and with them every event on the way.

Over s, with ds = dp_z / |u_t|, the contact velocity (x, y, z) and w = |u_t| obey

    (x, y, z)' = G (x, y, w) with a constant G,    w² = x² + y²,    and the normal work V' = z w.

Every coefficient therefore follows from those before it, with one root and one quotient in all.
"""

from __future__ import annotations

from engine.kernel import kernel
from engine.maths.rounding import QUOTIENT

ORDER = 10

# G by rows without its repetition: (xx, xy, yy, zx, zy, xw, yw, zw).
Flow = tuple[float, float, float, float, float, float, float, float]
# Coefficients of x, y and w of one order; and a polynomial of degree ORDER.
Term = tuple[float, float, float]
Series = tuple[float, float, float, float, float, float, float, float, float, float, float]


@kernel
def _derive(g: Flow, q: Term, s: float) -> tuple[float, float, float]:
    """Coefficients of x, y and z of order 1/s from those of x, y and w of the order before."""
    return (
        s * (g[0] * q[0] + g[1] * q[1] + g[5] * q[2]),
        s * (g[1] * q[0] + g[2] * q[1] + g[6] * q[2]),
        s * (g[3] * q[0] + g[4] * q[1] + g[7] * q[2]),
    )


@kernel
def _excess(a: Term, b: Term) -> float:
    return a[0] * b[0] + a[1] * b[1] - a[2] * b[2]


@kernel
def _larger(x: float, y: float, z: float) -> float:
    return max(abs(x), abs(y), abs(z))


@kernel
def expand(
    g: Flow, x: float, y: float, z: float, w: float
) -> tuple[Series, Series, Series, Series, Series, float, float]:
    """Series in s from the present x, y, z and w > 0.

    Returns z, the normal work V, the integrals of x, y and w, and the greatest of the last two coefficients of the
    velocity.
    """
    r = 1.0 / w
    q0 = (x, y, w)
    x1, y1, z1 = _derive(g, q0, 1.0)
    q1 = (x1, y1, r * (x * x1 + y * y1))
    x2, y2, z2 = _derive(g, q1, 1.0 / 2.0)
    q2 = (x2, y2, r * (x * x2 + y * y2 + 0.5 * _excess(q1, q1)))
    x3, y3, z3 = _derive(g, q2, 1.0 / 3.0)
    q3 = (x3, y3, r * (x * x3 + y * y3 + _excess(q1, q2)))
    x4, y4, z4 = _derive(g, q3, 1.0 / 4.0)
    q4 = (x4, y4, r * (x * x4 + y * y4 + _excess(q1, q3) + 0.5 * _excess(q2, q2)))
    x5, y5, z5 = _derive(g, q4, 1.0 / 5.0)
    q5 = (x5, y5, r * (x * x5 + y * y5 + _excess(q1, q4) + _excess(q2, q3)))
    x6, y6, z6 = _derive(g, q5, 1.0 / 6.0)
    q6 = (x6, y6, r * (x * x6 + y * y6 + _excess(q1, q5) + _excess(q2, q4) + 0.5 * _excess(q3, q3)))
    x7, y7, z7 = _derive(g, q6, 1.0 / 7.0)
    q7 = (x7, y7, r * (x * x7 + y * y7 + _excess(q1, q6) + _excess(q2, q5) + _excess(q3, q4)))
    x8, y8, z8 = _derive(g, q7, 1.0 / 8.0)
    w8 = r * (x * x8 + y * y8 + _excess(q1, q7) + _excess(q2, q6) + _excess(q3, q5) + 0.5 * _excess(q4, q4))
    q8 = (x8, y8, w8)
    x9, y9, z9 = _derive(g, q8, 1.0 / 9.0)
    q9 = (x9, y9, r * (x * x9 + y * y9 + _excess(q1, q8) + _excess(q2, q7) + _excess(q3, q6) + _excess(q4, q5)))
    x10, y10, z10 = _derive(g, q9, 1.0 / 10.0)
    height = (z, z1, z2, z3, z4, z5, z6, z7, z8, z9, z10)
    speed = (w, q1[2], q2[2], q3[2], q4[2], q5[2], q6[2], q7[2], w8, q9[2], 0.0)
    across = (x, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10)
    along = (y, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10)
    work = _integral(_product(height, speed))
    return (
        height,
        work,
        _integral(across),
        _integral(along),
        _integral(speed),
        _larger(x9, y9, z9),
        _larger(x10, y10, z10),
    )


@kernel
def _product(a: Series, b: Series) -> Series:
    """a b without the term of degree ORDER."""
    a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, _ = a
    b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, _ = b
    return (
        a0 * b0,
        a0 * b1 + a1 * b0,
        a0 * b2 + a1 * b1 + a2 * b0,
        a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0,
        a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0,
        a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0,
        a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0,
        a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0,
        a0 * b8 + a1 * b7 + a2 * b6 + a3 * b5 + a4 * b4 + a5 * b3 + a6 * b2 + a7 * b1 + a8 * b0,
        a0 * b9 + a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1 + a9 * b0,
        0.0,
    )


@kernel
def _integral(c: Series) -> Series:
    """From 0, without the term of degree ORDER + 1."""
    return (
        0.0,
        c[0],
        c[1] * (1.0 / 2.0),
        c[2] * (1.0 / 3.0),
        c[3] * (1.0 / 4.0),
        c[4] * (1.0 / 5.0),
        c[5] * (1.0 / 6.0),
        c[6] * (1.0 / 7.0),
        c[7] * (1.0 / 8.0),
        c[8] * (1.0 / 9.0),
        c[9] * (1.0 / 10.0),
    )


@kernel
def value(c: Series, t: float) -> float:
    upper = c[5] + t * (c[6] + t * (c[7] + t * (c[8] + t * (c[9] + t * c[10]))))
    return c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * (c[4] + t * upper))))


@kernel
def slope(c: Series, t: float) -> float:
    upper = 5.0 * c[5] + t * (6.0 * c[6] + t * (7.0 * c[7] + t * (8.0 * c[8] + t * (9.0 * c[9] + t * 10.0 * c[10]))))
    return c[1] + t * (2.0 * c[2] + t * (3.0 * c[3] + t * (4.0 * c[4] + t * upper)))


@kernel
def derivative(c: Series) -> Series:
    return (
        c[1],
        2.0 * c[2],
        3.0 * c[3],
        4.0 * c[4],
        5.0 * c[5],
        6.0 * c[6],
        7.0 * c[7],
        8.0 * c[8],
        9.0 * c[9],
        10.0 * c[10],
        0.0,
    )


@kernel
def crossing(c: Series, level: float, low: float, high: float, guess: float) -> float:
    """Where in (low, high) the polynomial takes a value that it has on one side at low and on the other at high."""
    rising = value(c, high) > level
    t = guess
    for _ in range(60):
        miss = value(c, t) - level
        if (miss > 0.0) == rising:
            high = t
        else:
            low = t
        rate = slope(c, t)
        at = t - miss / rate if rate != 0.0 else 0.5 * (low + high)
        if not low <= at <= high:
            at = 0.5 * (low + high)
        if abs(at - t) <= 64.0 * QUOTIENT * abs(high):
            return at
        t = at
    return t
