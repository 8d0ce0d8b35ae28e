"""The impulse of one collision under Coulomb friction and Stronge's restitution (Mirtich 1996, chapter 3).

Everything is in the contact frame: z is the normal from body b to body a, u = u_a - u_b, and p acts on body a. A
collision is up to two stretches: sliding (straight in closed form, else `sliding.slide`), and what follows sticking,
which is always straight: it stays (Theorem 9) or leaves along the one diverging ray (Theorems 14 to 16).

K must be positive semi-definite with K33 > 0. Where it is singular, sticking takes the shortest impulse that will do;
and where sticking leaves nothing for the normal impulse to move, the contact is jammed and the collision ends at rest.
"""

from __future__ import annotations

from math import isfinite, sqrt

from engine.impulse.collision_matrix import K6, multiply_k
from engine.impulse.sliding import GAVE_UP, slide
from engine.impulse.straight import ENDED, NEVER_ENDS, STICKS, diverging_ray, follow_line, sticking_impulse
from engine.kernel import kernel, linked_kernel
from engine.maths.rounding import QUOTIENT, ROOT
from engine.maths.vectors import Vec3, add, dot

# Status codes. Every status but OK and ROUGH comes with a zero impulse.
OK = 0
SEPARATING = 1  # u_z >= 0: there is no collision
ROUGH = 2  # the step limit was met; the impulse obeys all laws but the exact course of the sliding direction
IMMOVABLE = 3  # no impulse in the friction cone stops the approach, as between two immovable bodies
NOT_FINITE = 4  # K, u, mu or e is not finite

# The least part of K33 that a normal impulse may move while friction holds.
JAMMED = QUOTIENT

Collision = tuple[Vec3, Vec3, float, float, int]


@kernel
def integrate_collision(k: K6, u: Vec3, mu_static: float, mu_dynamic: float, e: float) -> Collision:
    """The impulse of a collision with contact velocity u [m/s] and restitution e in [0, 1].

    Returns (p [N s], u after it, total work [J], normal work [J], status). The total work is never positive, |p_t| <=
    mu p_z with the greater mu, and u_z >= 0 after it, each to rounding. mu_static counts for sticking only, and for
    no less than mu_dynamic.
    """
    return integrate_with_lift(k, u, mu_static, mu_dynamic, e, 0.0)


@linked_kernel
def integrate_with_lift(k: K6, u: Vec3, mu_static: float, mu_dynamic: float, e: float, lift: float) -> Collision:
    """As `integrate_collision`, but restitution does at least the normal work `lift` [J], and e may exceed 1.

    Such a collision may create energy: the total work is reported as it is.
    """
    zero = (0.0, 0.0, 0.0)
    if not isfinite(dot(u, u) + k[0] + k[1] + k[2] + k[3] + k[4] + k[5] + mu_static + mu_dynamic + e + lift):
        return zero, u, 0.0, 0.0, NOT_FINITE
    if not u[2] < 0.0:
        return zero, u, 0.0, 0.0, SEPARATING
    if not k[2] > 0.0:
        return zero, u, 0.0, 0.0, IMMOVABLE
    p, work, outcome, sticking = _course(k, u, mu_static, mu_dynamic, e * e, lift)
    if outcome == NEVER_ENDS or not isfinite(p[0] + p[1] + p[2]):
        return zero, u, 0.0, 0.0, IMMOVABLE
    if sticking:
        p = _stop_slip(k, u, p)
    status = ROUGH if outcome == GAVE_UP else OK
    return _balance(k, u, p, work, e <= 1.0 and lift == 0.0, status)


@kernel
def _course(
    k: K6,
    u: Vec3,
    mu_static: float,
    mu_dynamic: float,
    e2: float,
    lift: float,
) -> tuple[Vec3, float, int, bool]:
    """(p, normal work, outcome, whether the collision ends sticking)."""
    p = (0.0, 0.0, 0.0)
    work, least, outcome = 0.0, 0.0, STICKS
    size = dot(u, u)
    if u[0] != 0.0 or u[1] != 0.0:
        if mu_dynamic == 0.0 and k[4] * u[1] != k[3] * u[0]:
            # Without friction the sliding direction turns as it likes: u_t passes zero by.
            spent, _, work, _, outcome = follow_line(0.0, 0.0, k[2], u[2], 0.0, 0.0, e2, lift)
            return (0.0, 0.0, spent), work, outcome, False
        u, p, work, least, outcome, _ = slide(k, u, mu_dynamic, e2, lift)
    if outcome != STICKS:
        return p, work, outcome, False
    x, y, normal = sticking_impulse(k)
    mu = max(mu_static, mu_dynamic)
    stable = x * x + y * y <= mu * mu
    if stable and normal <= JAMMED * k[2]:
        at_rest = -u[2] <= 64.0 * ROOT * sqrt(size)
        return p, work, ENDED if at_rest else NEVER_ENDS, False
    if not stable:
        dx, dy = diverging_ray(k, mu_dynamic)
        x, y = -mu_dynamic * dx, -mu_dynamic * dy
        normal = k[4] * x + k[3] * y + k[2]
    spent, _, work, _, outcome = follow_line(0.0, 0.0, normal, u[2], work, least, e2, lift)
    return (p[0] + spent * x, p[1] + spent * y, p[2] + spent), work, outcome, stable


@kernel
def _stop_slip(k: K6, u: Vec3, p: Vec3) -> Vec3:
    """p with its tangential part corrected, by next to nothing, so that u_t after it is zero to rounding."""
    xx, yy, _, yz, xz, xy = k
    determinant = xx * yy - xy * xy
    if determinant <= 64.0 * QUOTIENT * (xx + yy) * (xx + yy):
        return p
    ax, ay = u[0] + xz * p[2], u[1] + yz * p[2]
    return ((xy * ay - yy * ax) / determinant, (xy * ax - xx * ay) / determinant, p[2])


@kernel
def _balance(k: K6, u: Vec3, p: Vec3, normal_work: float, passive: bool, status: int) -> Collision:
    """The collision with impulse p, shortened by a rounding where it would otherwise create energy (Theorem 11)."""
    change = multiply_k(k, p)
    along, twice = dot(u, p), dot(p, change)
    work = along + 0.5 * twice
    if passive:
        normal_work = min(normal_work, 0.0)
    if passive and work > 0.0:
        shorter = -2.0 * along / twice
        p = (p[0] * shorter, p[1] * shorter, p[2] * shorter)
        change = multiply_k(k, p)
        work = 0.0
    return p, add(u, change), work, normal_work, status
