"""Microcollisions: slower than the fall through the envelope, they stand for lasting contact (Mirtich 1996, 3.5).

With u0 = sqrt(2 g envelope), Carom's law sends the bodies apart with

    u_n = max(e |u_n|, sqrt(2 g (0.75 envelope - gap)), 0.02 u0),

enough to fly back to three quarters of the envelope and no more, and turns half of the slip that the pair has gained
since its last microcollision around, so that slip has mean zero over a flight: a midpoint rule, which keeps a block on
its ramp and a ball on its circle. If friction cannot do that, the bodies slide and the collision is integrated, with
the same u_n.

Lifting takes energy. A pair may only draw on its credit, what its own collisions have dissipated before, and at one
time only what lifts the mass that the impulse feels by one envelope; if that is short, the lift is, and slip is turned
around all the same. Even without credit a microcollision loses nothing, so that gaps do not sink.
"""

from __future__ import annotations

from math import sqrt

from engine.impulse.collision_matrix import K6, factor_k, multiply_k, solve_k
from engine.impulse.integration import OK, integrate_with_lift
from engine.kernel import kernel
from engine.maths.vectors import Vec3, add, add_scaled, dot, sub
from engine.tolerances import BAND_HIGH, MOST_MISS

Micro = tuple[Vec3, Vec3, float, int]

LEAST = MOST_MISS  # least separation as a fraction of u0
_THESIS_BOOST = 5.0  # the thesis's e_max


@kernel
def resolve_microcollision(
    k: K6,
    u: Vec3,
    slip_before: tuple[float, float],
    gap: float,
    envelope: float,
    g: float,
    mu_static: float,
    mu_dynamic: float,
    e: float,
    credit: float,
) -> Micro:
    """Carom's law. Contact frame, u [m/s] with u_z < 0; slip_before: the pair's slip after its last one, NaN if none.

    Without a last one the slip counts as gained from rest: right for a body put down or rolling, and for one that
    arrives half a bounce, once. gap and envelope in m, g in m/s². Returns (p [N s] on body a, u after it, work [J],
    status of the integration). u_z > 0 after it, and the work never exceeds the credit [J].
    """
    lift = sqrt(2.0 * g * max(BAND_HIGH * envelope - gap, 0.0))
    normal = max(-e * u[2], lift, LEAST * sqrt(2.0 * g * envelope))
    factor, regular = factor_k(k)
    if regular:
        felt = solve_k(factor, (0.0, 0.0, 1.0))
        allowed = max(min(credit, g * envelope * felt[2]), 0.0)
        p, after, work, sticks = _reverse_slip(k, factor, u, slip_before, normal, felt, mu_static, allowed)
        if sticks:
            return p, after, work, OK
    allowed = max(min(credit, g * envelope / k[2]), 0.0) if k[2] > 0.0 else 0.0
    return _slide_apart(k, u, normal, mu_static, mu_dynamic, allowed)


@kernel
def _reverse_slip(
    k: K6, factor: K6, u: Vec3, slip_before: tuple[float, float], normal: float, felt: Vec3, mu: float, allowed: float
) -> tuple[Vec3, Vec3, float, bool]:
    """The impulse that turns half of the gained slip around; False if it leaves the friction cone or cannot be paid.

    felt is K⁻¹'s last column: its last entry is the mass that a normal impulse feels that leaves the slip alone.
    """
    tx, ty = u[0], u[1]
    if slip_before[0] == slip_before[0]:
        tx -= slip_before[0]
        ty -= slip_before[1]
    tx *= -0.5
    ty *= -0.5
    # Work is 1/2 (w . K^-1 w - u . K^-1 u) of the outcome w (Theorem 11): a quadratic in its normal part.
    by_slip = solve_k(factor, (tx, ty, 0.0))
    before = dot(u, solve_k(factor, u))
    room = 2.0 * allowed + before - tx * by_slip[0] - ty * by_slip[1]
    a = felt[2]
    b = by_slip[2]
    if a * normal * normal + 2.0 * b * normal > room:
        # Not all of it can be paid: first what comes back as fast as it came, then the slip, then the lift.
        normal = max((sqrt(max(b * b + a * room, 0.0)) - b) / a, min(normal, -u[2]))
    if a * normal * normal + 2.0 * b * normal > room:
        # A purely normal impulse leaves the slip that costs least.
        least = normal * normal / k[2]
        limit = 2.0 * allowed + before
        keep = 0.0
        if least < limit:
            spent = a * normal * normal + 2.0 * b * normal + tx * by_slip[0] + ty * by_slip[1] - least
            keep = sqrt((limit - least) / spent)
        else:
            normal = sqrt(limit * k[2])
        tx = normal * k[4] / k[2] * (1.0 - keep) + keep * tx
        ty = normal * k[3] / k[2] * (1.0 - keep) + keep * ty
    after = (tx, ty, normal)
    p = solve_k(factor, sub(after, u))
    holds = normal > 0.0 and p[2] > 0.0 and p[0] * p[0] + p[1] * p[1] <= mu * mu * p[2] * p[2]
    return p, after, min(0.5 * dot(add(u, after), p), allowed), holds


@kernel
def _slide_apart(k: K6, u: Vec3, normal: float, mu_static: float, mu_dynamic: float, allowed: float) -> Micro:
    """An integrated collision that separates at about `normal`, or at less if that takes more than the allowed work.

    Then its impulse is mixed with that of restitution 1, which takes none: both lie in the friction cone, so the
    mixture does, and its work is quadratic in the share.
    """
    p, after, work, _, status = integrate_with_lift(k, u, mu_static, mu_dynamic, normal / -u[2], 0.0)
    if work <= allowed:
        return p, after, work, status
    calm, after, least, _, status = integrate_with_lift(k, u, mu_static, mu_dynamic, 1.0, 0.0)
    more = sub(p, calm)
    change = multiply_k(k, more)
    slope = dot(after, more)
    bend = dot(more, change)
    left = 2.0 * (allowed - least)
    root = sqrt(slope * slope + bend * left)
    share = min(left / (slope + root), 1.0) if slope + root > 0.0 else 0.0
    return add_scaled(calm, more, share), add_scaled(after, change, share), min(work, allowed), status


@kernel
def resolve_microcollision_thesis(
    k: K6, u: Vec3, gap: float, envelope: float, mu_static: float, mu_dynamic: float, e: float
) -> Micro:
    """The thesis's own law (Mirtich 1996, 3.5), for comparison: it may create energy and knows no credit.

    The impulse -2 K^-1 u that reverses the contact velocity, if it lies in the friction cone; else an integrated
    collision whose restitution grows with the square of the depth in the envelope, from e to 5 (figure 3.13).
    """
    factor, regular = factor_k(k)
    if regular:
        p = solve_k(factor, (-2.0 * u[0], -2.0 * u[1], -2.0 * u[2]))
        if p[2] > 0.0 and p[0] * p[0] + p[1] * p[1] <= mu_static * mu_static * p[2] * p[2]:
            return p, (-u[0], -u[1], -u[2]), 0.0, OK
    depth = min(max(1.0 - gap / envelope, 0.0), 1.0)
    boosted = e + (_THESIS_BOOST - e) * depth * depth
    p, after, work, _, status = integrate_with_lift(k, u, mu_static, mu_dynamic, boosted, 0.0)
    return p, after, work, status
