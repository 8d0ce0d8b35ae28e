"""Bounds of the time of impact: a time before which a pair certainly does not touch (Mirtich 1996, 2.3 and 2.5).

With the closest points known, both bodies lie on their sides of two parallel planes a gap apart. Along the normal, the
centres of mass approach by at most A tau^2 + B tau, and rotation carries the core point r of a body by at most
(d x omega).r tau + Q tau^2 along its direction d of approach. The gap has fallen by `slack` no sooner than the first
root of

    F(tau) = (A + Qa + Qb) tau^2 + B tau + max over r of a + max over r of b - slack,

where each maximum is a support function, h(d + tau m) - h(d) with m = d x omega in the body frame. So the bound is
tighter than eq. (2.3), which lets every point move at r_max omega_max, and it holds for every convex core.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.geometry.pool import support
from engine.kernel import kernel
from engine.maths.quaternions import Quat, rotate_inverse
from engine.maths.vectors import Vec3, add_scaled, cross, dot
from engine.model.model import Floats, Ints

_MAX_PIECES = 24


@kernel
def first_root(a: float, b: float, c: float) -> float:
    """The smallest tau > 0 at which a tau^2 + b tau = c, for c > 0; inf if there is none. No form of it cancels."""
    if a == 0.0:
        return c / b if b > 0.0 else inf
    discriminant = b * b + 4.0 * a * c
    if discriminant < 0.0:
        return inf
    root = sqrt(discriminant)
    if b >= 0.0:
        return 2.0 * c / (b + root)
    if a < 0.0:
        return inf
    return (root - b) / (2.0 * a)


@kernel
def direction_at(along: Vec3, swing: Vec3, tau: float) -> Vec3:
    """Direction whose support is the point furthest on after tau; for tau = inf, the one that swings fastest."""
    if tau == inf:
        return swing
    return add_scaled(along, swing, tau)


@kernel
def bound_fall(
    geometry: Floats,
    topology: Ints,
    shape_a: int,
    q_a: Quat,
    w_a: Vec3,
    d_a: Vec3,
    shape_b: int,
    q_b: Quat,
    w_b: Vec3,
    d_b: Vec3,
    a: float,
    b: float,
    turn_a: float,
    turn_b: float,
    slack: float,
) -> float:
    """Time before which the gap cannot have fallen by `slack` > 0.

    a, b: coefficients of the centres' approach, summed over both bodies; d_a, d_b = -n, n: the directions in which each
    body would close the gap; turn_a, turn_b: the Q of each, 0 for a body whose rotation moves nothing.
    """
    turns_a = turn_a > 0.0
    turns_b = turn_b > 0.0
    if not turns_a and not turns_b:
        return first_root(a, b, slack)
    a = max(a + turn_a + turn_b, 0.0)  # below 0 the pieces would not be convex; 0 bounds them
    along_a = rotate_inverse(q_a, d_a)
    along_b = rotate_inverse(q_b, d_b)
    swing_a = rotate_inverse(q_a, cross(d_a, w_a))
    swing_b = rotate_inverse(q_b, cross(d_b, w_b))
    reach_a = 0.0
    reach_b = 0.0
    if turns_a:
        reach_a = dot(along_a, support(geometry, topology, shape_a, along_a))
    if turns_b:
        reach_b = dot(along_b, support(geometry, topology, shape_b, along_b))
    # F is the largest of finitely many convex quadratics that are negative at 0. Its first root is the least of theirs;
    # taking the root of the piece that is largest at the last root walks down to it.
    tau = inf
    for _ in range(_MAX_PIECES):
        speed = b
        behind = slack
        if turns_a:
            r = support(geometry, topology, shape_a, direction_at(along_a, swing_a, tau))
            speed += dot(swing_a, r)
            behind += max(reach_a - dot(along_a, r), 0.0)
        if turns_b:
            r = support(geometry, topology, shape_b, direction_at(along_b, swing_b, tau))
            speed += dot(swing_b, r)
            behind += max(reach_b - dot(along_b, r), 0.0)
        root = first_root(a, speed, behind)
        if root >= tau * (1.0 - 1e-9):
            return min(root, tau) * (1.0 - 1e-9)
        tau = root
        if tau == inf:
            break
    if tau == inf:
        return inf
    # Not converged: the chord of F from 0 to tau, where F >= 0, cannot be late because F is convex.
    value = a * tau * tau + b * tau - slack
    if turns_a:
        d = add_scaled(along_a, swing_a, tau)
        value += dot(d, support(geometry, topology, shape_a, d)) - reach_a
    if turns_b:
        d = add_scaled(along_b, swing_b, tau)
        value += dot(d, support(geometry, topology, shape_b, d)) - reach_b
    return tau * slack / (slack + max(value, 0.0))
