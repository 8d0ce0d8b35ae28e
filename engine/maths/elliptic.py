"""Jacobi elliptic functions and the elliptic integral of the third kind, accurate to rounding for every modulus.

A modulus always comes as the pair (k, kc) with k^2 + kc^2 = 1, so that nothing is lost where one of them is tiny: near
k = 1 everything depends on the leading digits of kc, which k no longer shows.

The functions are quotients of theta series (DLMF 20.2, 22.2). For k <= kc the series run in the nome q of k and in
circular functions; otherwise Jacobi's imaginary transformation (DLMF 22.6.iv) turns them into series in the nome of kc
and in hyperbolic functions. Either nome is at most exp(-pi), so four terms reach rounding.
"""

from __future__ import annotations

from math import atan, cos, expm1, inf, log, pi, sin, sqrt

from engine.kernel import kernel
from engine.maths.rounding import LOG_LARGEST

# Beyond this the hyperbolic functions of the limit kc = 0 have reached their asymptotes long since (sech < 1e-150).
_FLAT = 0.5 * LOG_LARGEST - 2.0
_RJ_STEPS = 600
_ROUND = 1.5 * 2.0**52  # adding it leaves no room for a fraction


@kernel
def nearest(x: float) -> float:
    """The whole number nearest to x, for |x| < 2^51; never raises."""
    return (x + _ROUND) - _ROUND


@kernel
def is_odd(turns: float) -> bool:
    return turns - 2.0 * nearest(0.5 * turns) != 0.0


@kernel
def nome(k: float, kc: float) -> float:
    """Nome q = exp(-pi K'/K) of the modulus k, for k <= kc (DLMF 19.5.5: the series in epsilon)."""
    root = 1.0 + sqrt(kc)
    e = 0.5 * k * k / ((1.0 + kc) * root * root)
    e4 = (e * e) * (e * e)
    return e * (1.0 + e4 * (2.0 + e4 * (15.0 + e4 * 150.0)))


@kernel
def _theta3(q: float) -> float:
    """theta_3(0, q), whose square is 2 K / pi."""
    q4 = (q * q) * (q * q)
    return 1.0 + 2.0 * q * (1.0 + q * q * q * (1.0 + q4 * q))


@kernel
def _theta_factors(q: float, c: float) -> tuple[float, float, float, float]:
    """The smooth factors of the four theta functions at z, from c = 2 q cos 2z.

    theta_1 = 2 q^(1/4) sin z P1, theta_2 = 2 q^(1/4) cos z P2, theta_3 = P3, theta_4 = P4. With z = i y, cos 2z is
    cosh 2y.
    """
    q2 = q * q
    q4 = q2 * q2
    c2 = c * c - 2.0 * q2  # 2 q^2 cos 4z
    c3 = c * (c2 - q2)  # 2 q^3 cos 6z
    q9 = q4 * q4 * q
    p1 = 1.0 - (q2 + q * c) + q4 * (q2 + q * c + c2) - q9 * (q * q2 + q2 * c + q * c2 + c3)
    p2 = 1.0 + (q * c - q2) + q4 * (q2 - q * c + c2) + q9 * (q2 * c - q * q2 - q * c2 + c3)
    even = 1.0 + q2 * c2
    odd = c + q4 * q2 * c3
    return p1, p2, even + odd, even - odd


@kernel
def jacobi_reduced(u: float, k: float, kc: float) -> tuple[float, float, float, float]:
    """(sn, cn, dn) at u - 2 K turns, |u - 2 K turns| <= K, and turns, a whole number.

    sn(u) and cn(u) are these times (-1)^turns, dn(u) is this. kc = 0 (where K is infinite) and k = 0 are allowed.
    """
    if k <= kc:
        q = nome(k, kc)
        theta3 = _theta3(q)
        z = u / (theta3 * theta3)
        turns = nearest(z / pi)
        z -= turns * pi
        p1, p2, p3, p4 = _theta_factors(q, 2.0 * q * cos(2.0 * z))
        root = sqrt(kc)
        q2 = q * q
        s = theta3 / ((1.0 + q2 * (1.0 + q2 * q2)) * p4)
        return s * sin(z) * p1, s * root * cos(z) * p2, root * p3 / p4, turns
    q = nome(kc, k)
    theta3 = _theta3(q)
    y = u / (theta3 * theta3)
    turns = 0.0
    if abs(y) > 1.5 and q > 0.0:  # K >= pi/2: most calls need no logarithm
        period = -log(q)
        turns = nearest(y / period)
        y -= turns * period
        y = min(max(y, -0.5 * period), 0.5 * period)
    y = min(max(y, -_FLAT), _FLAT)
    e = expm1(2.0 * abs(y))
    p1, p2, p3, p4 = _theta_factors(q, q * (1.0 + e) + q / (1.0 + e))
    root = sqrt(k)
    tanh = e / (2.0 + e)
    if y < 0.0:
        tanh = -tanh
    q2 = q * q
    s = (1.0 + q2 * (1.0 + q2 * q2)) * 2.0 * sqrt(1.0 + e) / ((2.0 + e) * theta3 * p2)
    return tanh * p1 / (root * p2), s * p4 / root, s * p3, turns


@kernel
def jacobi(u: float, k: float, kc: float) -> tuple[float, float, float]:
    """(sn, cn, dn)(u) for the modulus k and its complement kc, any real u."""
    sn, cn, dn, turns = jacobi_reduced(u, k, kc)
    if is_odd(turns):
        return -sn, -cn, dn
    return sn, cn, dn


@kernel
def quarter_period(k: float, kc: float) -> float:
    """K(k), the complete elliptic integral of the first kind; infinite for kc = 0."""
    if k <= kc:
        theta3 = _theta3(nome(k, kc))
        return 0.5 * pi * theta3 * theta3
    q = nome(kc, k)
    if q <= 0.0:
        return inf
    theta3 = _theta3(q)
    return -0.5 * theta3 * theta3 * log(q)


@kernel
def _atan_ratio(e: float) -> float:
    """atan(sqrt e) / sqrt e, that is Carlson's R_C(1, 1 + e), for e >= 0."""
    if e < 1e-3:
        return 1.0 - e * (1 / 3 - e * (1 / 5 - e * (1 / 7 - e * (1 / 9 - e / 11))))
    root = sqrt(e)
    return atan(root) / root


@kernel
def carlson_rj(x: float, y: float, z: float, p: float) -> float:
    """Carlson's symmetric integral R_J(x, y, z, p) for p >= x, y, z >= 0, of which only one is 0 (DLMF 19.36.i)."""
    a = 0.2 * (x + y + z + 2.0 * p)
    spread = 60.0 * max(abs(a - x), max(abs(a - y), max(abs(a - z), abs(a - p))))
    dx, dy, dz = a - x, a - y, a - z
    delta = (p - x) * (p - y) * (p - z)
    scale = 1.0
    total = 0.0
    for _ in range(_RJ_STEPS):
        if scale * spread <= a:
            break
        rx, ry, rz, rp = sqrt(x), sqrt(y), sqrt(z), sqrt(p)
        d = (rp + rx) * (rp + ry) * (rp + rz)
        total += scale / d * _atan_ratio(scale * scale * scale * delta / (d * d))
        step = rx * ry + rz * (rx + ry)
        x, y, z, p = 0.25 * (x + step), 0.25 * (y + step), 0.25 * (z + step), 0.25 * (p + step)
        a = 0.25 * (a + step)
        scale *= 0.25
    x, y, z = scale * dx / a, scale * dy / a, scale * dz / a
    p = -0.5 * (x + y + z)
    xyz = x * y * z
    e2 = x * y + y * z + z * x - 3.0 * p * p
    e3 = xyz + 2.0 * e2 * p + 4.0 * p * p * p
    e4 = (2.0 * xyz + e2 * p + 3.0 * p * p * p) * p
    e5 = xyz * p * p
    series = (
        1.0
        - e2 * (3 / 14)
        + e3 / 6
        + e2 * e2 * (9 / 88)
        - e4 * (3 / 22)
        - e2 * e3 * (9 / 52)
        + e5 * (3 / 26)
        - e2 * e2 * e2 / 16
        + e3 * e3 * (3 / 40)
        + e2 * e4 * (3 / 20)
        + e2 * e2 * e3 * (45 / 272)
        - (e3 * e4 + e2 * e5) * (9 / 68)
    )
    return scale * series / (a * sqrt(a)) + 6.0 * total


@kernel
def third_kind(sn: float, cn: float, dn: float, n: float) -> float:
    """Integral of sn^2 / (1 + n sn^2) from 0 to u, |u| <= K, n >= 0, from the elliptic functions at u.

    It is (u - Pi(-n; u)) / n without the cancellation (DLMF 19.25.14).
    """
    return sn * sn * sn / 3.0 * carlson_rj(cn * cn, dn * dn, 1.0, 1.0 + n * sn * sn)
