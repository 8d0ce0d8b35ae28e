"""The stretches of a collision that have closed forms: constant sliding direction, sticking, and how sticking is left.

Everything is in the contact frame (z along the normal) and takes K as (xx, yy, zz, yz, xz, xy). M is K's tangential
block and s = (xz, yz). Along a fixed impulse direction (.., .., 1) all velocities are linear in p_z and the normal work
is quadratic.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.impulse.collision_matrix import K6
from engine.kernel import kernel
from engine.maths.rounding import EPSILON, SUM, TINY

# How a straight stretch ends: with the collision, with the tangential velocity at zero, or not at all.
ENDED = 0
STICKS = 1
NEVER_ENDS = 2


@kernel
def follow_line(
    speed: float, radial: float, normal: float, uz: float, work: float, least: float, e2: float, lift: float
) -> tuple[float, float, float, float, int]:
    """Follow a constant impulse direction to the end of the collision, or to sticking if that comes first.

    speed = |u_t| and its derivative by p_z, radial; uz and its derivative by p_z, normal; the normal work done so
    far, and its least value so far. Restitution ends when the work has risen by max(-e2 least, lift) above its least
    value: Stronge's law with e2 = e² (Mirtich 1996, assumption 2), or `lift` [J] if that is more. Returns (p_z spent,
    uz, work, least, outcome).
    """
    reach = -speed / radial if radial < 0.0 else inf
    spent = 0.0
    if uz < 0.0:
        if not normal > 0.0 or -uz > normal * reach:
            if reach == inf:
                return 0.0, uz, work, least, NEVER_ENDS
            return reach, uz + normal * reach, work + reach * (uz + 0.5 * normal * reach), least, STICKS
        spent = -uz / normal
        work += 0.5 * uz * spent
        uz = 0.0
        least = min(least, work)
    end = least + max(-e2 * least, lift)
    # Less than nothing is missing where the end was overshot by a little: then the way back to it is as straight.
    missing = end - work if uz > 0.0 else max(end - work, 0.0)
    square = uz * uz + 2.0 * normal * missing
    if missing < 0.0:
        square = max(square, 0.0)
    if square >= 0.0:
        final = sqrt(square)
        rest = 0.0
        if missing != 0.0:
            rest = 2.0 * missing / (uz + final) if uz + final > 0.0 else inf
        if spent + rest <= reach and rest < inf:
            return spent + rest, final, end, least, ENDED
    if reach == inf:
        return spent, uz, work, least, NEVER_ENDS
    rest = reach - spent
    return reach, uz + normal * rest, work + rest * (uz + 0.5 * normal * rest), least, STICKS


@kernel
def sticking_impulse(k: K6) -> tuple[float, float, float]:
    """(x, y) such that the impulse (x, y, 1) leaves the tangential velocity alone, and the uz it then gives.

    These are K⁻¹'s last column, scaled: Theorem 9 says that sticking is stable if |(x, y)| <= mu. M may be singular
    (then the shortest such impulse is taken), because s lies in its range whenever K is positive semi-definite.
    """
    xx, yy, zz, yz, xz, xy = k
    trace = xx + yy
    determinant = xx * yy - xy * xy
    if determinant > 8.0 * SUM * trace * trace:
        x = (xy * yz - yy * xz) / determinant
        y = (xy * xz - xx * yz) / determinant
    elif trace > 0.0:
        x = -(xx * xz + xy * yz) / (trace * trace)
        y = -(xy * xz + yy * yz) / (trace * trace)
    else:
        x, y = 0.0, 0.0
    return x, y, zz + xz * x + yz * y


@kernel
def diverging_ray(k: K6, mu: float) -> tuple[float, float]:
    """The unit direction (x, y) in which sliding resumes where sticking is instable (Mirtich 1996, Theorems 14 and 16).

    Sliding along d keeps its direction and grows if s - mu M d = R d with R > 0, that is d = (R + mu M)⁻¹ s. The
    length of the right-hand side falls monotonically with R, from |M⁻¹ s| / mu > 1 (instable sticking) to 0: exactly
    one R makes it 1. Newton's iteration on 1 - 1/length climbs to it from R = 0 without overshooting, as in
    trust-region methods.
    """
    xx, yy, _, yz, xz, xy = k
    size = sqrt(xz * xz + yz * yz)
    if not size > 0.0:
        return 1.0, 0.0
    xx, yy, xy = mu * xx, mu * yy, mu * xy
    # R = 0 may meet a singular M. Start from |s| - mu trace where that is greater: |d| >= |s| / (R + mu trace).
    growth = max(size - (xx + yy), 4.0 * EPSILON * (size + xx + yy))
    x, y = xz / size, yz / size
    for _ in range(60):
        a, b = xx + growth, yy + growth
        determinant = a * b - xy * xy
        x = (b * xz - xy * yz) / determinant
        y = (a * yz - xy * xz) / determinant
        length = sqrt(x * x + y * y)
        if abs(length - 1.0) <= SUM:
            break
        # d(length²)/dR = -2 dᵀ (R + mu M)⁻¹ d
        slope = (x * (b * x - xy * y) + y * (a * y - xy * x)) / determinant
        step = (length - 1.0) * length * length / slope
        if abs(step) <= EPSILON * growth:
            break
        growth = max(growth + step, TINY)
    length = sqrt(x * x + y * y)
    return x / length, y / length
