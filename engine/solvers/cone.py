"""Coulomb's friction cone: its projection, the exact solution of one contact, and residuals.

Vectors are (normal, tangent, tangent). The cone K of a contact is |x_t| <= mu x_n. Coulomb's law, as one condition
(de Saxcé and Feng 1998): K ∋ x ⟂ w + mu |w_t| n ∈ K*, with w = N x + b. Without the term mu |w_t| n it is the
condition of a convex problem, in which a sliding contact lifts off at the speed mu |w_t|.

Everywhere `mu` has a coefficient a contact, (m,), or is empty: then there is one unknown a contact, and no friction.
"""

from __future__ import annotations

import math

import numpy as np

from engine.arrays import Floats
from engine.kernel import kernel
from engine.maths.vectors import Vec3
from engine.solvers.linear import largest_entry
from engine.solvers.solution import lcp_residual

NO_FRICTION = np.zeros(0)
"""The `mu` of a problem with one unknown a contact."""

_ROUNDING = 1e-14
"""A response this much smaller than the others of its contact [1] is rounding: nothing can be divided by it."""


@kernel
def project_cone(n: float, x: float, y: float, mu: float) -> Vec3:
    """The point of the cone that is nearest to (n, x, y)."""
    slip = math.sqrt(x * x + y * y)
    if n >= 0.0 and slip <= mu * n:
        return n, x, y
    if mu * slip <= -n:
        return 0.0, 0.0, 0.0
    normal = (n + mu * slip) / (1.0 + mu * mu)
    share = mu * normal / slip if slip > 0.0 else 0.0
    return normal, share * x, share * y


@kernel
def project_cones(x: Floats, mu: Floats) -> None:
    """Every contact of x, (m,) or (3 m,), onto its cone."""
    if mu.shape[0] == 0:
        for k in range(x.shape[0]):
            x[k] = max(x[k], 0.0)
        return
    for k in range(mu.shape[0]):
        x[3 * k], x[3 * k + 1], x[3 * k + 2] = project_cone(x[3 * k], x[3 * k + 1], x[3 * k + 2], mu[k])


@kernel
def contact_error(x: Vec3, w: Vec3, mu: float, lift: float) -> float:
    """‖x - P(x - w - lift mu |w_t| n)‖∞ of one contact: `lift` 1 is Coulomb's law, 0 the convex problem.

    Without friction it is |min(x_n, w_n)|.
    """
    raised = w[0] + lift * mu * math.sqrt(w[1] * w[1] + w[2] * w[2])
    n, tx, ty = x[0] - raised, x[1] - w[1], x[2] - w[2]
    slip = math.sqrt(tx * tx + ty * ty)
    if mu * slip <= -n:
        return max(abs(x[0]), abs(x[1]), abs(x[2]))
    # x less the projection is w less what the projection takes away: this sum does not drown w in a huge x.
    outside = (slip - mu * n) / (1.0 + mu * mu)
    if outside <= 0.0:
        return max(abs(raised), abs(w[1]), abs(w[2]))
    return max(abs(raised - mu * outside), abs(w[1] + outside * tx / slip), abs(w[2] + outside * ty / slip))


@kernel
def cone_residual(x: Floats, w: Floats, b: Floats, mu: Floats, lift: float) -> float:
    """The largest contact_error over 1 + ‖b‖∞; without friction the residual of the LCP."""
    if mu.shape[0] == 0:
        return lcp_residual(x, w, b)
    worst = 0.0
    for k in range(mu.shape[0]):
        i = 3 * k
        error = contact_error((x[i], x[i + 1], x[i + 2]), (w[i], w[i + 1], w[i + 2]), mu[k], lift)
        worst = max(worst, error)
    return worst / (1.0 + largest_entry(b))


@kernel
def solve_contact(blocks: Floats, k: int, q: Vec3, mu: float) -> Vec3:
    """x of one contact alone under Coulomb's law, w = W x + q with W = blocks[k] positive semi-definite.

    Apart (q_n >= 0), sticking (w = 0) or sliding, tried in this order. Sliding: w_n = 0 and w_t = -λ x_t, so x_t is
    -(S + λ)⁻¹ p with S the Schur complement of W_nn, and |x_t| = mu x_n decides λ > 0. As λ goes from 0, where the
    contact would stick but may not, to ∞, where only x_n is left, |x_t| - mu x_n changes its sign: there is a root.
    (Bonnefon and Daviet 2011 solve the quartic that this is.)
    """
    a = blocks[k, 0, 0]
    if not a > 0.0 or q[0] >= 0.0:
        return 0.0, 0.0, 0.0
    if mu == 0.0:
        return -q[0] / a, 0.0, 0.0
    bx, by = blocks[k, 0, 1], blocks[k, 0, 2]
    sxx = blocks[k, 1, 1] - bx * bx / a
    sxy = blocks[k, 1, 2] - bx * by / a
    syy = blocks[k, 2, 2] - by * by / a
    px, py = q[1] - bx * q[0] / a, q[2] - by * q[0] / a
    # Everything in the axes in which S is diagonal.
    angle = 0.5 * math.atan2(2.0 * sxy, sxx - syy)
    c, s = math.cos(angle), math.sin(angle)
    mean, spread = 0.5 * (sxx + syy), math.sqrt(0.25 * (sxx - syy) ** 2 + sxy * sxy)
    s1, s2 = max(mean + spread, 0.0), max(mean - spread, 0.0)
    p1, p2 = c * px + s * py, c * py - s * px
    b1, b2 = (c * bx + s * by) / a, (c * by - s * bx) / a
    floor = _ROUNDING * (blocks[k, 1, 1] + blocks[k, 2, 2] + a)
    pressed = -q[0] / a
    small = _ROUNDING * (abs(q[0]) + abs(q[1]) + abs(q[2]))
    x1 = -p1 / s1 if s1 > floor else _without_response(p1, small)
    x2 = -p2 / s2 if s2 > floor else _without_response(p2, small)
    normal = pressed - b1 * x1 - b2 * x2
    if not (math.sqrt(x1 * x1 + x2 * x2) <= mu * normal):
        slip = _find_slip(s1, s2, p1, p2, b1, b2, pressed, mu, max(s1, floor))
        x1, x2 = -p1 / (s1 + slip), -p2 / (s2 + slip)
        length = math.sqrt(x1 * x1 + x2 * x2)
        normal = max(pressed - b1 * x1 - b2 * x2, 0.0)
        share = mu * normal / length if length > 0.0 else 0.0
        x1, x2 = share * x1, share * x2
    return normal, c * x1 - s * x2, s * x1 + c * x2


@kernel
def _without_response(p: float, small: float) -> float:
    """The force along an axis along which a force moves nothing: 0, or no force is enough."""
    return 0.0 if abs(p) <= small else math.inf


@kernel
def _find_slip(
    s1: float, s2: float, p1: float, p2: float, b1: float, b2: float, pressed: float, mu: float, scale: float
) -> float:
    """λ > 0 with |x_t| = mu x_n: Newton's method inside a bracket."""
    low, high = 0.0, scale
    for _ in range(400):
        x1, x2 = p1 / (s1 + high), p2 / (s2 + high)
        if math.sqrt(x1 * x1 + x2 * x2) <= mu * (pressed + b1 * x1 + b2 * x2):
            break
        low = high
        high *= 8.0
    slip = high
    for _ in range(100):
        x1, x2 = -p1 / (s1 + slip), -p2 / (s2 + slip)
        length = math.sqrt(x1 * x1 + x2 * x2)
        limit = mu * (pressed - b1 * x1 - b2 * x2)
        excess = length - limit
        if abs(excess) <= 4e-16 * (length + abs(limit)):
            break
        if excess > 0.0:
            low = slip
        else:
            high = slip
        d1, d2 = -x1 / (s1 + slip), -x2 / (s2 + slip)
        slope = (x1 * d1 + x2 * d2) / length + mu * (b1 * d1 + b2 * d2) if length > 0.0 else 0.0
        following = slip - excess / slope if slope != 0.0 else low
        if not (low < following < high):
            following = 0.5 * (low + high)
            if not (low < following < high):
                break
        slip = following
    return slip
