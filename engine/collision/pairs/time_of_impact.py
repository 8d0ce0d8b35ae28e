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
from typing import NamedTuple

from engine.geometry.pool import support_from
from engine.kernel import kernel
from engine.maths.quaternions import Quat, rotate_inverse
from engine.maths.rounding import QUOTIENT
from engine.maths.vectors import Vec3, add_scaled, cross, dot, sub
from engine.model.model import Floats, Ints
from engine.tolerances import SAFETY

_MAX_PIECES = 24


class Turning(NamedTuple):
    """One body of a pair, as it turns while the gap closes."""

    shape: int
    start: int  # vertex from which to search for supports, best that of the last answer
    q: Quat
    w: Vec3  # the part of its angular velocity that moves its surface, world axes [rad/s]
    d: Vec3  # the direction in which it would close the gap: -n or n
    turn: float  # its Q; 0: its rotation moves nothing [m/s^2]


class _Swing(NamedTuple):
    """How the direction of a body's support turns, in the body frame, and where its support is at first."""

    along: Vec3
    rate: Vec3
    first: Vec3


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
    geometry: Floats, topology: Ints, body_a: Turning, body_b: Turning, a: float, b: float, slack: float
) -> tuple[float, int, int]:
    """Time before which the gap cannot have fallen by `slack` > 0, and the vertices that bound it.

    a, b: coefficients of the centres' approach, summed over both bodies.
    """
    start_a, start_b = body_a.start, body_b.start
    if not body_a.turn > 0.0 and not body_b.turn > 0.0:
        return first_root(a, b, slack), start_a, start_b
    a = max(a + body_a.turn + body_b.turn, 0.0)  # below 0 the pieces would not be convex; 0 bounds them
    swing_a, start_a = _begin_swing(geometry, topology, body_a)
    swing_b, start_b = _begin_swing(geometry, topology, body_b)
    # F is the largest of convex quadratics that are negative at 0, one for each point of the cores. Its first root is
    # the least of theirs; taking the root of the piece that is largest at the last root walks down to it. F being
    # convex, the root of its chord from 0 to where it is not negative is never late: as soon as that is near enough,
    # it is the answer.
    tau = first_root(a, b + dot(swing_a.rate, swing_a.first) + dot(swing_b.rate, swing_b.first), slack)
    bound = tau
    for _ in range(_MAX_PIECES):
        speed = b
        behind = slack
        if body_a.turn > 0.0:
            more, further, start_a = _swing_on(geometry, topology, body_a.shape, swing_a, tau, start_a)
            speed += more
            behind += further
        if body_b.turn > 0.0:
            more, further, start_b = _swing_on(geometry, topology, body_b.shape, swing_b, tau, start_b)
            speed += more
            behind += further
        root = first_root(a, speed, behind)
        if tau == inf:
            if root == inf:
                return inf, start_a, start_b
            bound = 0.0
        else:
            value = (a * tau + speed) * tau - behind
            bound = tau * slack / (slack + max(value, 0.0))
        if bound > SAFETY * min(root, tau):
            break
        tau = min(root, tau)
    return bound * (1.0 - QUOTIENT), start_a, start_b


@kernel
def _begin_swing(geometry: Floats, topology: Ints, body: Turning) -> tuple[_Swing, int]:
    """How a body's support swings, and the vertex that it begins with."""
    zero = (0.0, 0.0, 0.0)
    if not body.turn > 0.0:
        return _Swing(zero, zero, zero), body.start
    along = rotate_inverse(body.q, body.d)
    first, start = support_from(geometry, topology, body.shape, along, body.start)
    return _Swing(along, rotate_inverse(body.q, cross(body.d, body.w)), first), start


@kernel
def _swing_on(
    geometry: Floats, topology: Ints, shape: int, swing: _Swing, tau: float, start: int
) -> tuple[float, float, int]:
    """Of the point that is furthest on after tau: its speed, by how much it was behind the first one, its vertex."""
    r, start = support_from(geometry, topology, shape, direction_at(swing.along, swing.rate, tau), start)
    return dot(swing.rate, r), max(dot(swing.along, sub(swing.first, r)), 0.0), start


@kernel
def bound_in_frame(
    geometry: Floats,
    topology: Ints,
    body: Turning,
    arm: float,
    other: Turning,
    other_arm: float,
    offset: Vec3,
    u: Vec3,
    fall: float,
    slack: float,
) -> float:
    """Time before which a free body's gap to another one, seen from that one, cannot have fallen by `slack` > 0.

    The other body, whose frame this is, turns with its w at present and stays behind the plane that turns with it.
    offset, u: the body's centre and its velocity less the other's, world axes. fall: how much their centres are
    accelerated against each other [m/s^2]; spread bounds omega^2 + alpha of the other [1/s^2]. In the turning frame a
    core point is accelerated by at most

        fall + 2 turn + spread |y| + 2 sqrt(spread) |u_rel|,

    besides the fall its own turning, the frame's centrifugal and Euler accelerations at the distance y, and Coriolis'.
    Over a horizon in which the frame turns by no more than 0.1 rad, |u_rel| and |y| are bounded by what they are at its
    start.
    """
    spread = 2.0 * other.turn / other_arm
    sigma = sqrt(spread)
    horizon = 0.1 / sigma
    swept = cross(other.w, offset)
    seen = sub(u, swept)
    turning = sub(body.w, other.w)
    reach = sqrt(dot(offset, offset)) + arm
    speed = sqrt(dot(seen, seen)) + sqrt(dot(turning, turning)) * arm
    speed = (speed + horizon * (fall + 2.0 * body.turn + spread * reach)) / 0.79
    acceleration = fall + 2.0 * body.turn + spread * reach + 2.1 * sigma * speed
    moving = Turning(body.shape, body.start, body.q, turning, body.d, 0.5 * acceleration)
    still = Turning(body.shape, body.start, body.q, turning, body.d, 0.0)
    tau, _, _ = bound_fall(geometry, topology, moving, still, 0.0, dot(seen, body.d), slack)
    return min(tau, horizon)


@kernel
def direction_at(along: Vec3, swing: Vec3, tau: float) -> Vec3:
    """Direction whose support is the point furthest on after tau; for tau = inf, the one that swings fastest."""
    if tau == inf:
        return swing
    return add_scaled(along, swing, tau)
