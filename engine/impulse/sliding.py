"""Sliding through a collision: Mirtich 1996, Theorem 8, followed until an end that has a closed form.

The thesis integrates over u_z in compression (3.8) and over W_z in restitution (3.9). Both parameters fail where
k_z·ξ <= 0, W_z also where u_z = 0, and p_z, the way out, still where the tangential velocity goes to zero. The
parameter here is s with ds = dp_z / |u_t|, regular in all those places:

    du_t/ds = |u_t| s - mu M u_t,  du_z/ds = |u_t| k_z·ξ,  dp_t/ds = -mu u_t,  dp_z/ds = |u_t|,  dW_z/ds = u_z |u_t|.

The phases remain, as events on u_z and W_z along a Taylor series. The flow over p_z is a contraction (in the norm of
K⁻¹, -ξ being a gradient), so an error made on the way never grows; tolerances are therefore absolute, in parts of
|u|.
"""

from __future__ import annotations

from math import sqrt

from engine.impulse.collision_matrix import K6
from engine.impulse.straight import ENDED, STICKS, follow_line
from engine.impulse.taylor import ORDER, Flow, crossing, derivative, expand, slope, value
from engine.kernel import kernel
from engine.maths.rounding import ROOT
from engine.maths.vectors import Vec3
from engine.tolerances import ACCURACY, FLAT_ANGLE

# What `slide` returns besides the outcomes of `follow_line`: the rest was followed in a direction that should have
# turned.
GAVE_UP = 3

MOST_STEPS = 100
# Allowed errors in parts of |u|: of leaving out the rest of the series, and of taking the rest of the way for
# straight.
SERIES_ERROR = ROOT
STRAIGHT_ERROR = 3.0 * ROOT

# (u_x, u_y, u_z, p_x, p_y, p_z, normal work, its least value so far)
State = tuple[float, float, float, float, float, float, float, float]


@kernel
def _flow(k: K6, mu: float) -> Flow:
    return (-mu * k[0], -mu * k[5], -mu * k[1], -mu * k[4], -mu * k[3], k[4], k[3], k[2])


@kernel
def _derivatives(g: Flow, x: float, y: float) -> tuple[float, float, float, float]:
    """Sliding along the unit (x, y), over p_z: of |u_t|, of u_t across, of u_z; and the second's over the angle."""
    gxx, gxy, gyy, gzx, gzy, sx, sy, sz = g
    ax = sx + gxx * x + gxy * y
    ay = sy + gxy * x + gyy * y
    radial = ax * x + ay * y
    across = gxx * y * y - 2.0 * gxy * x * y + gyy * x * x
    return radial, ay * x - ax * y, sz + gzx * x + gzy * y, across - radial


@kernel
def slide(k: K6, u: Vec3, mu: float, e2: float, lift: float) -> tuple[Vec3, Vec3, float, float, int, int]:
    """Follow sliding from u (u_t not zero, u_z < 0; mu >= 0; K33 > 0) to the end of the collision or to sticking.

    e2 and lift: see `follow_line`. Returns (u, p, normal work, its least value, outcome, steps).
    """
    g = _flow(k, mu)
    # The greatest speed that matters: restitution beyond 1, or a lift, may bring u_z far above where it was.
    size = sqrt(u[0] * u[0] + u[1] * u[1] + max(1.0, e2) * u[2] * u[2] + 2.0 * lift * k[2])
    rate = mu * (k[0] + k[1]) + abs(k[4]) + abs(k[3])
    near = STRAIGHT_ERROR * size
    state = (u[0], u[1], u[2], 0.0, 0.0, 0.0, 0.0, 0.0)
    restituting = False
    steps = 0
    while True:
        x, y, z, px, py, pz, work, least = state
        w = sqrt(x * x + y * y)
        if w <= near:
            return (x, y, z), (px, py, pz), work, least, STICKS, steps
        cx, cy = x / w, y / w
        radial, sideways, normal, turning = _derivatives(g, cx, cy)
        straight = steps == MOST_STEPS or sideways == 0.0
        if not straight and abs(sideways) * w <= near * abs(turning) and abs(sideways) <= FLAT_ANGLE * abs(turning):
            # So close to a ray of constant direction that following the ray itself is as good.
            for _ in range(2):
                turn = -sideways / turning
                length = sqrt(1.0 + turn * turn)
                cx, cy = (cx - turn * cy) / length, (cy + turn * cx) / length
                radial, sideways, normal, turning = _derivatives(g, cx, cy)
            straight = True
        spent, uz, work_then, least_then, outcome = follow_line(w, radial, normal, z, work, least, e2, lift)
        if not straight:
            bend = abs(sideways) * spent
            straight = (outcome == ENDED and rate * bend * spent <= near * w) or (
                outcome == STICKS and bend * (rate - radial) <= near * -radial
            )
        if straight:
            if steps == MOST_STEPS and outcome == ENDED:
                outcome = GAVE_UP
            dx, dy = -mu * cx * spent, -mu * cy * spent
            x += k[0] * dx + k[5] * dy + k[4] * spent
            y += k[5] * dx + k[1] * dy + k[3] * spent
            return (x, y, uz), (px + dx, py + dy, pz + spent), work_then, least_then, outcome, steps
        state, restituting, ended = _advance(g, mu, state, w, restituting, e2, lift, size, rate)
        steps += 1
        if ended:
            x, y, z, px, py, pz, work, least = state
            return (x, y, z), (px, py, pz), work, least, ENDED, steps


@kernel
def _advance(
    g: Flow, mu: float, state: State, w: float, restituting: bool, e2: float, lift: float, size: float, rate: float
) -> tuple[State, bool, bool]:
    """Go as far as one series reaches, or to the end of the collision; the state there, and whether it is the end.

    The step stops where k_z·ξ changes sign: u_z is monotonous along each step, and no event is missed.
    """
    x, y, z, px, py, pz, work, least = state
    gxx, gxy, gyy, gzx, gzy, sx, sy, sz = g
    height, gain, xs, ys, ws, last_but_one, last = expand(g, x, y, z, w)
    # The work counts as a velocity: u_z² / K33 is what it becomes.
    last_but_one = max(last_but_one, abs(gain[ORDER - 1]) * sz / size)
    last = max(last, abs(gain[ORDER]) * sz / size)
    error = min(SERIES_ERROR * size, ACCURACY * w)
    h = 1.0 / (10.0 * ACCURACY * rate)
    if last > 0.0:
        h = min(h, (error / last) ** (1.0 / ORDER))
    if last_but_one > 0.0:
        h = min(h, (error / last_but_one) ** (1.0 / (ORDER - 1)))
    normal, normal_then = height[1], slope(height, h)
    if (normal > 0.0) != (normal_then > 0.0) and abs(normal) > 10.0 * ACCURACY * sz * w:
        h = crossing(derivative(height), 0.0, 0.0, h, h * normal / (normal - normal_then))
    z1 = value(height, h)
    reach, start, ended = h, 0.0, False
    if not restituting and z < 0.0 <= z1:
        start = crossing(height, 0.0, 0.0, h, h * z / (z - z1))
        least = min(least, work + value(gain, start))
        restituting = True
    elif restituting and z > 0.0 > z1:
        reach = crossing(height, 0.0, 0.0, h, h * z / (z - z1))
    if restituting:
        end = least + max(-e2 * least, lift) - work
        low, high = value(gain, start), value(gain, reach)
        if low < end <= high:
            h = crossing(gain, end, start, reach, start + (reach - start) * sqrt((end - low) / (high - low)))
            ended = True
        elif end <= low:
            h = start
            ended = True
        elif reach < h:
            restituting = False
    dx, dy, dw = value(xs, h), value(ys, h), value(ws, h)
    x += gxx * dx + gxy * dy + sx * dw
    y += gxy * dx + gyy * dy + sy * dw
    z += gzx * dx + gzy * dy + sz * dw
    return (x, y, z, px - mu * dx, py - mu * dy, pz + dw, work + value(gain, h), least), restituting, ended
