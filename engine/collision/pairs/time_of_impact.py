"""Bounds of the time of impact: a time before which a pair certainly does not touch (Mirtich 1996, 2.3 and 2.5).

With the closest points known, both bodies lie on their sides of two parallel planes a gap apart. Along the normal, the
centres of mass approach by at most A tau^2 + B tau, and rotation carries the core point r of a body by at most
(d x omega).r tau + Q tau^2 along its direction d of approach. The gap has fallen by `slack` no sooner than the first
root of

    F(tau) = (A + Qa + Qb) tau^2 + B tau + max over r of a + max over r of b - slack,

where each maximum is a support function, h(d + tau m) - h(d) with m = d x omega in the body frame. So the bound is
tighter than eq. (2.3), which lets every point move at r_max omega_max, and it holds for every convex core.

Planes that stand still are poor where both bodies turn: a long face that swings about the place where it is leant on
crosses its own plane at once, far from anything that it could touch. `bound_in_frame` therefore lets the plane turn
with one of the bodies, which stays behind it for ever.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.geometry.pool import support_from
from engine.kernel import kernel
from engine.maths.quaternions import Quat, rotate_inverse
from engine.maths.vectors import Vec3, add_scaled, cross, dot, sub
from engine.model.model import Floats, Ints

_MAX_PIECES = 24
_NEAR_ENOUGH = 0.9


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
def bound_fall(
    geometry: Floats,
    topology: Ints,
    shape_a: int,
    q_a: Quat,
    w_a: Vec3,
    d_a: Vec3,
    start_a: int,
    shape_b: int,
    q_b: Quat,
    w_b: Vec3,
    d_b: Vec3,
    start_b: int,
    a: float,
    b: float,
    turn_a: float,
    turn_b: float,
    slack: float,
) -> tuple[float, int, int]:
    """Time before which the gap cannot have fallen by `slack` > 0, and the vertices that bound it.

    a, b: coefficients of the centres' approach, summed over both bodies; d_a, d_b = -n, n: the directions in which each
    body would close the gap; turn_a, turn_b: the Q of each, 0 for a body whose rotation moves nothing; start_a,
    start_b: vertices from which to search, best those of the last answer.
    """
    if not turn_a > 0.0 and not turn_b > 0.0:
        return first_root(a, b, slack), start_a, start_b
    a = max(a + turn_a + turn_b, 0.0)  # below 0 the pieces would not be convex; 0 bounds them
    zero = (0.0, 0.0, 0.0)
    along_a = zero
    along_b = zero
    swing_a = zero
    swing_b = zero
    first_a = zero
    first_b = zero
    if turn_a > 0.0:
        along_a = rotate_inverse(q_a, d_a)
        swing_a = rotate_inverse(q_a, cross(d_a, w_a))
        first_a, start_a = support_from(geometry, topology, shape_a, along_a, start_a)
    if turn_b > 0.0:
        along_b = rotate_inverse(q_b, d_b)
        swing_b = rotate_inverse(q_b, cross(d_b, w_b))
        first_b, start_b = support_from(geometry, topology, shape_b, along_b, start_b)
    # F is the largest of convex quadratics that are negative at 0, one for each point of the cores. Its first root is
    # the least of theirs; taking the root of the piece that is largest at the last root walks down to it. F being
    # convex, the root of its chord from 0 to where it is not negative is never late: as soon as that is near enough,
    # it is the answer.
    tau = first_root(a, b + dot(swing_a, first_a) + dot(swing_b, first_b), slack)
    bound = tau
    r_a = first_a
    r_b = first_b
    for _ in range(_MAX_PIECES):
        speed = b
        behind = slack
        if turn_a > 0.0:
            r_a, start_a = support_from(geometry, topology, shape_a, direction_at(along_a, swing_a, tau), start_a)
            speed += dot(swing_a, r_a)
            behind += max(dot(along_a, sub(first_a, r_a)), 0.0)
        if turn_b > 0.0:
            r_b, start_b = support_from(geometry, topology, shape_b, direction_at(along_b, swing_b, tau), start_b)
            speed += dot(swing_b, r_b)
            behind += max(dot(along_b, sub(first_b, r_b)), 0.0)
        root = first_root(a, speed, behind)
        if tau == inf:
            if root == inf:
                return inf, start_a, start_b
            bound = 0.0
        else:
            value = (a * tau + speed) * tau - behind
            bound = tau * slack / (slack + max(value, 0.0))
        if bound > _NEAR_ENOUGH * min(root, tau):
            break
        tau = min(root, tau)
    return bound * (1.0 - 1e-12), start_a, start_b


@kernel
def bound_in_frame(
    geometry: Floats,
    topology: Ints,
    shape: int,
    q: Quat,
    w: Vec3,
    start: int,
    arm: float,
    turn: float,
    offset: Vec3,
    u: Vec3,
    w_frame: Vec3,
    spread: float,
    d: Vec3,
    slack: float,
) -> float:
    """Time before which a free body's gap to another one, seen from that one, cannot have fallen by `slack` > 0.

    The other body, whose frame this is, turns with w_frame at present and stays behind the plane that turns with it.
    shape, q, w, arm, turn: of the body that moves in the frame; offset, u: its centre and its velocity less the
    other's, world axes; d: its direction of approach; spread: bounds omega^2 + alpha of the other [1/s^2]. Both fall
    alike. In the turning frame a core point is accelerated by at most

        2 turn + spread |y| + 2 sqrt(spread) |u_rel|,

    its own turning, the frame's centrifugal and Euler accelerations at the distance y, and Coriolis'. Over a horizon
    in which the frame turns by no more than 0.1 rad, |u_rel| and |y| are bounded by what they are at its start.
    """
    sigma = sqrt(spread)
    horizon = 0.1 / sigma
    swept = cross(w_frame, offset)
    seen = sub(u, swept)
    turning = sub(w, w_frame)
    reach = sqrt(dot(offset, offset)) + arm
    speed = sqrt(dot(seen, seen)) + sqrt(dot(turning, turning)) * arm
    speed = (speed + horizon * (2.0 * turn + spread * reach)) / 0.79
    acceleration = 2.0 * turn + spread * reach + 2.1 * sigma * speed
    tau, _, _ = bound_fall(
        geometry, topology, shape, q, turning, d, start, shape, q, turning, d, start,
        0.0, dot(seen, d), 0.5 * acceleration, 0.0, slack,
    )  # fmt: skip
    return min(tau, horizon)


@kernel
def direction_at(along: Vec3, swing: Vec3, tau: float) -> Vec3:
    """Direction whose support is the point furthest on after tau; for tau = inf, the one that swings fastest."""
    if tau == inf:
        return swing
    return add_scaled(along, swing, tau)
