"""The collision matrix K: how the relative contact velocity answers an impulse, Δu = K p (Mirtich 1996, eq. 3.4, 3.5).

K is symmetric and kept as the six numbers (xx, yy, zz, yz, xz, xy) in kg⁻¹. For single bodies it is positive
definite; for multibodies it may be merely positive semi-definite, and nothing here asks for more unless it says so.
"""

from __future__ import annotations

from math import sqrt

from engine.kernel import kernel
from engine.maths.quaternions import Quat
from engine.maths.rounding import SUM
from engine.maths.vectors import Vec3, cross, dot

K6 = tuple[float, float, float, float, float, float]


@kernel
def response(inv_mass: float, inv_moments: Vec3, q: Quat, r: Vec3) -> K6:
    """One body's part of K in world axes: 1/m 1 - r~ I⁻¹ r~.

    inv_mass [kg⁻¹] and inv_moments [kg⁻¹ m⁻²], about the principal axes, are zero for static and kinematic bodies; q
    turns body into world coordinates; r [m] goes from the centre of mass to the contact point, in world axes.
    """
    ix, iy, iz = inv_moments
    x, y, z = r
    if ix == iy and iy == iz:
        # A spherical inertia has no axes: without their rounding a ball's K stays exactly as simple as it is.
        return (
            inv_mass + ix * (y * y + z * z),
            inv_mass + ix * (x * x + z * z),
            inv_mass + ix * (x * x + y * y),
            -ix * y * z,
            -ix * x * z,
            -ix * x * y,
        )
    qw, qx, qy, qz = q
    # I⁻¹ is the sum of i a aᵀ over the principal axes a, so K's part is the sum of i c cᵀ with c = a × r: never
    # indefinite.
    a = cross((1.0 - 2.0 * (qy * qy + qz * qz), 2.0 * (qx * qy + qw * qz), 2.0 * (qx * qz - qw * qy)), r)
    b = cross((2.0 * (qx * qy - qw * qz), 1.0 - 2.0 * (qx * qx + qz * qz), 2.0 * (qy * qz + qw * qx)), r)
    c = cross((2.0 * (qx * qz + qw * qy), 2.0 * (qy * qz - qw * qx), 1.0 - 2.0 * (qx * qx + qy * qy)), r)
    return (
        inv_mass + ix * a[0] * a[0] + iy * b[0] * b[0] + iz * c[0] * c[0],
        inv_mass + ix * a[1] * a[1] + iy * b[1] * b[1] + iz * c[1] * c[1],
        inv_mass + ix * a[2] * a[2] + iy * b[2] * b[2] + iz * c[2] * c[2],
        ix * a[1] * a[2] + iy * b[1] * b[2] + iz * c[1] * c[2],
        ix * a[0] * a[2] + iy * b[0] * b[2] + iz * c[0] * c[2],
        ix * a[0] * a[1] + iy * b[0] * b[1] + iz * c[0] * c[1],
    )


@kernel
def add_k(a: K6, b: K6) -> K6:
    """K of a pair: the sum of both bodies' parts."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5])


@kernel
def multiply_k(k: K6, p: Vec3) -> Vec3:
    """K p."""
    return (
        k[0] * p[0] + k[5] * p[1] + k[4] * p[2],
        k[5] * p[0] + k[1] * p[1] + k[3] * p[2],
        k[4] * p[0] + k[3] * p[1] + k[2] * p[2],
    )


@kernel
def to_frame(k: K6, t1: Vec3, t2: Vec3, n: Vec3) -> K6:
    """K in the contact frame with the orthonormal axes t1, t2 and n (z, the normal)."""
    k1 = multiply_k(k, t1)
    k2 = multiply_k(k, t2)
    kn = multiply_k(k, n)
    return (dot(t1, k1), dot(t2, k2), dot(n, kn), dot(t2, kn), dot(t1, kn), dot(t1, k2))


@kernel
def factor_k(k: K6) -> tuple[K6, bool]:
    """Cholesky factor (l11, l22, l33, l32, l31, l21) of K, and whether K is safely positive definite."""
    xx, yy, zz, yz, xz, xy = k
    none = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
    least = 8.0 * SUM * (xx + yy + zz)
    if not xx > least:
        return none, False
    l11 = sqrt(xx)
    l21 = xy / l11
    l31 = xz / l11
    d2 = yy - l21 * l21
    if not d2 > least:
        return none, False
    l22 = sqrt(d2)
    l32 = (yz - l21 * l31) / l22
    d3 = zz - l31 * l31 - l32 * l32
    if not d3 > least:
        return none, False
    return (l11, l22, sqrt(d3), l32, l31, l21), True


@kernel
def solve_k(factor: K6, u: Vec3) -> Vec3:
    """K⁻¹ u, the impulse that changes the contact velocity by u, with K's factor from `factor_k`."""
    l11, l22, l33, l32, l31, l21 = factor
    x = u[0] / l11
    y = (u[1] - l21 * x) / l22
    z = (u[2] - l31 * x - l32 * y) / (l33 * l33)
    y = (y - l32 * z) / l22
    return ((x - l21 * y - l31 * z) / l11, y, z)


@kernel
def without_rounding(k: K6, least: float) -> K6:
    """K without what is less than `least` [kg^-1] of it: its rank is that of what is left, and it is never indefinite.

    A Cholesky factorization, the largest pivot first, that ends where pivots are rounding.
    """
    kept, rest = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), k
    for _ in range(3):
        xx, yy, zz, yz, xz, xy = rest
        most = max(xx, yy, zz)
        if not most > least:
            break
        c = (xx, xy, xz)
        if yy == most:
            c = (xy, yy, yz)
        elif zz == most:
            c = (xz, yz, zz)
        x, y, z = c[0] / sqrt(most), c[1] / sqrt(most), c[2] / sqrt(most)
        part = (x * x, y * y, z * z, y * z, x * z, x * y)
        kept = add_k(kept, part)
        rest = (xx - part[0], yy - part[1], zz - part[2], yz - part[3], xz - part[4], xy - part[5])
    return kept
