"""Sliding through a collision: Mirtich 1996, Theorem 8, followed until an end that has a closed form.

The thesis integrates over u_z in compression (3.8) and over W_z in restitution (3.9); both parameters fail where k_z·ξ <= 0, W_z
also where u_z = 0, and all of them, p_z too, where the tangential velocity goes to zero. The parameter here is s with
ds = dp_z / |u_t|. It is regular in all those places:

    du_t/ds = |u_t| s - mu M u_t,    du_z/ds = |u_t| k_z·ξ,    dp_t/ds = -mu u_t,    dp_z/ds = |u_t|,    dW_z/ds = u_z |u_t|,

no angle and no quotient. The phases remain, as events on u_z and W_z. The flow over p_z is a contraction (in the norm of K⁻¹: -ξ is
a gradient), so an error made on the way never grows; tolerances are therefore absolute, in parts of |u|.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.impulse.collision_matrix import K6
from engine.impulse.straight import ENDED, STICKS, follow_line
from engine.kernel import kernel
from engine.maths.vectors import Vec3

# What `slide` returns besides the outcomes of `follow_line`: the rest was followed in a direction that should have turned.
GAVE_UP = 3

MOST_STEPS = 2000
LOCAL_ERROR = 1e-6
STRAIGHT_ERROR = 3e-9
FIRST_STEP = 0.5
FORESIGHT = 1.05

# (u_x, u_y, u_z, p_x, p_y, p_z, normal work, its least value so far)
State = tuple[float, float, float, float, float, float, float, float]

# How a step changes u_x, u_y and u_z: by G (X, Y, Z), the integrals over s of u_x, u_y and |u_t|. Eight entries, as G[2][2] = zz.
Flow = tuple[float, float, float, float, float, float, float, float]


@kernel
def _flow(k: K6, mu: float) -> Flow:
    """(xx, xy, yy, zx, zy) of -mu K, then xz, yz and zz of K."""
    return (-mu * k[0], -mu * k[5], -mu * k[1], -mu * k[4], -mu * k[3], k[4], k[3], k[2])


@kernel
def _speed(x: float, y: float) -> float:
    return sqrt(x * x + y * y)


@kernel
def _step(g: Flow, x: float, y: float, z: float, w: float, h: float) -> tuple[float, float, float, float, float, float]:
    """One step of Dormand and Prince's 5(4) pair over s, from u = (x, y, z) with w = |u_t|.

    Returns the integrals X, Y, Z over u_x, u_y, |u_t| and V over u_z |u_t|, and the errors of u and of V.
    """
    gxx, gxy, gyy, gzx, gzy, sx, sy, sz = g
    a, b, c = h / 5.0 * x, h / 5.0 * y, h / 5.0 * w
    x2, y2, z2 = x + gxx * a + gxy * b + sx * c, y + gxy * a + gyy * b + sy * c, z + gzx * a + gzy * b + sz * c
    w2 = _speed(x2, y2)
    h1, h2 = h * 3.0 / 40.0, h * 9.0 / 40.0
    a, b, c = h1 * x + h2 * x2, h1 * y + h2 * y2, h1 * w + h2 * w2
    x3, y3, z3 = x + gxx * a + gxy * b + sx * c, y + gxy * a + gyy * b + sy * c, z + gzx * a + gzy * b + sz * c
    w3 = _speed(x3, y3)
    h1, h2, h3 = h * 44.0 / 45.0, h * -56.0 / 15.0, h * 32.0 / 9.0
    a, b, c = h1 * x + h2 * x2 + h3 * x3, h1 * y + h2 * y2 + h3 * y3, h1 * w + h2 * w2 + h3 * w3
    x4, y4, z4 = x + gxx * a + gxy * b + sx * c, y + gxy * a + gyy * b + sy * c, z + gzx * a + gzy * b + sz * c
    w4 = _speed(x4, y4)
    h1, h2, h3, h4 = h * 19372.0 / 6561.0, h * -25360.0 / 2187.0, h * 64448.0 / 6561.0, h * -212.0 / 729.0
    a = h1 * x + h2 * x2 + h3 * x3 + h4 * x4
    b = h1 * y + h2 * y2 + h3 * y3 + h4 * y4
    c = h1 * w + h2 * w2 + h3 * w3 + h4 * w4
    x5, y5, z5 = x + gxx * a + gxy * b + sx * c, y + gxy * a + gyy * b + sy * c, z + gzx * a + gzy * b + sz * c
    w5 = _speed(x5, y5)
    h1, h2, h3 = h * 9017.0 / 3168.0, h * -355.0 / 33.0, h * 46732.0 / 5247.0
    h4, h5 = h * 49.0 / 176.0, h * -5103.0 / 18656.0
    a = h1 * x + h2 * x2 + h3 * x3 + h4 * x4 + h5 * x5
    b = h1 * y + h2 * y2 + h3 * y3 + h4 * y4 + h5 * y5
    c = h1 * w + h2 * w2 + h3 * w3 + h4 * w4 + h5 * w5
    x6, y6, z6 = x + gxx * a + gxy * b + sx * c, y + gxy * a + gyy * b + sy * c, z + gzx * a + gzy * b + sz * c
    w6 = _speed(x6, y6)
    h1, h3, h4 = h * 35.0 / 384.0, h * 500.0 / 1113.0, h * 125.0 / 192.0
    h5, h6 = h * -2187.0 / 6784.0, h * 11.0 / 84.0
    a = h1 * x + h3 * x3 + h4 * x4 + h5 * x5 + h6 * x6
    b = h1 * y + h3 * y3 + h4 * y4 + h5 * y5 + h6 * y6
    c = h1 * w + h3 * w3 + h4 * w4 + h5 * w5 + h6 * w6
    v = h1 * w * z + h3 * w3 * z3 + h4 * w4 * z4 + h5 * w5 * z5 + h6 * w6 * z6
    x7, y7, z7 = x + gxx * a + gxy * b + sx * c, y + gxy * a + gyy * b + sy * c, z + gzx * a + gzy * b + sz * c
    w7 = _speed(x7, y7)
    h1, h3, h4 = h * 71.0 / 57600.0, h * -71.0 / 16695.0, h * 71.0 / 1920.0
    h5, h6, h7 = h * -17253.0 / 339200.0, h * 22.0 / 525.0, h * -1.0 / 40.0
    p = h1 * x + h3 * x3 + h4 * x4 + h5 * x5 + h6 * x6 + h7 * x7
    q = h1 * y + h3 * y3 + h4 * y4 + h5 * y5 + h6 * y6 + h7 * y7
    r = h1 * w + h3 * w3 + h4 * w4 + h5 * w5 + h6 * w6 + h7 * w7
    e = h1 * w * z + h3 * w3 * z3 + h4 * w4 * z4 + h5 * w5 * z5 + h6 * w6 * z6 + h7 * w7 * z7
    error = max(abs(gxx * p + gxy * q + sx * r), abs(gxy * p + gyy * q + sy * r), abs(gzx * p + gzy * q + sz * r))
    return a, b, c, v, error, abs(e)


@kernel
def _crossing(f0: float, d0: float, f1: float, d1: float) -> float:
    """Where on (0, 1) a function goes through zero, given its values (of opposite signs) and slopes at both ends."""
    low, high = 0.0, 1.0
    rising = f1 > f0
    t = f0 / (f0 - f1)
    c2 = 3.0 * (f1 - f0) - 2.0 * d0 - d1
    c3 = 2.0 * (f0 - f1) + d0 + d1
    for _ in range(12):
        f = f0 + t * (d0 + t * (c2 + t * c3))
        if (f > 0.0) == rising:
            high = t
        else:
            low = t
        slope = d0 + t * (2.0 * c2 + t * 3.0 * c3)
        at = t - f / slope if slope != 0.0 else 0.5 * (low + high)
        if not low <= at <= high:
            at = 0.5 * (low + high)
        if abs(at - t) <= 1e-7:
            return at
        t = at
    return t


@kernel
def _derivatives(g: Flow, x: float, y: float) -> tuple[float, float, float, float]:
    """Over p_z, sliding in the unit direction (x, y): of |u_t|; of u_t across that; of u_z; and the second's by the angle."""
    gxx, gxy, gyy, gzx, gzy, sx, sy, sz = g
    ax = sx + gxx * x + gxy * y
    ay = sy + gxy * x + gyy * y
    radial = ax * x + ay * y
    across = gxx * y * y - 2.0 * gxy * x * y + gyy * x * x
    return radial, ay * x - ax * y, sz + gzx * x + gzy * y, across - radial


@kernel
def slide(
    k: K6, u: Vec3, mu: float, e2: float, lift: float, straight_error: float, local_error: float
) -> tuple[Vec3, Vec3, float, float, int, int]:
    """Follow sliding from u (u_t not zero, u_z < 0; mu >= 0; K33 > 0) to the end of the collision or to sticking.

    e2 and lift: see `follow_line`. The errors allowed are in parts of |u|: for replacing the rest of the way by a straight
    line, and in one step. Returns (u, p, normal work, its least value, outcome, steps).
    """
    g = _flow(k, mu)
    size = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2])
    rate = mu * (k[0] + k[1]) + abs(k[4]) + abs(k[3])
    near = straight_error * size
    state = (u[0], u[1], u[2], 0.0, 0.0, 0.0, 0.0, 0.0)
    restituting = False
    h = FIRST_STEP / rate if rate > 0.0 else 1.0
    steps = 0
    while True:
        x, y, z, px, py, pz, work, least = state
        w = _speed(x, y)
        if w <= straight_error * size:
            return (x, y, z), (px, py, pz), work, least, STICKS, steps
        cx, cy = x / w, y / w
        radial, sideways, normal, turning = _derivatives(g, cx, cy)
        straight = steps == MOST_STEPS or sideways == 0.0
        if not straight and abs(sideways) * w <= near * abs(turning) and abs(sideways) <= 1e-4 * abs(turning):
            # So close to a ray of constant direction that following the ray itself is as good.
            turn = -sideways / turning
            length = sqrt(1.0 + turn * turn)
            cx, cy = (cx - turn * cy) / length, (cy + turn * cx) / length
            radial, sideways, normal, turning = _derivatives(g, cx, cy)
            straight = True
        spent, uz, work_then, least_then, outcome = follow_line(w, radial, normal, z, work, least, e2, lift)
        if not straight:
            bend = abs(sideways * spent)
            straight = (outcome == ENDED and rate * bend * abs(spent) <= near * w) or (
                outcome == STICKS and bend * (rate - radial) <= near * -radial
            )
        if straight:
            if steps == MOST_STEPS and outcome == ENDED:
                outcome = GAVE_UP
            dx, dy = -mu * cx * spent, -mu * cy * spent
            x += k[0] * dx + k[5] * dy + k[4] * spent
            y += k[5] * dx + k[1] * dy + k[3] * spent
            return (x, y, uz), (px + dx, py + dy, pz + spent), work_then, least_then, outcome, steps
        # No further than the next event, as far as it can be foreseen: what is stepped over must be stepped again.
        if not restituting:
            spent = -z / normal if normal > 0.0 else inf
        if spent < inf and w + 0.5 * radial * spent > 0.0:
            h = min(h, FORESIGHT * abs(spent) / (w + 0.5 * radial * spent))
        tolerances = (local_error * min(size, 100.0 * w), local_error * size * size / k[2])
        state, restituting, h = _advance(g, mu, state, w, normal, restituting, h, e2, lift, tolerances)
        steps += 1


@kernel
def _advance(
    g: Flow,
    mu: float,
    state: State,
    w: float,
    normal: float,
    restituting: bool,
    h: float,
    e2: float,
    lift: float,
    tolerances: tuple[float, float],
) -> tuple[State, bool, float]:
    """One accepted step, ended early where k_z·ξ or u_z changes sign or where the normal work is done.

    w and normal are |u_t| and k_z·ξ at the start. Between changes of sign of k_z·ξ u_z is monotonous, so that no event is missed.
    """
    x, y, z, px, py, pz, work, least = state
    gxx, gxy, gyy, gzx, gzy, sx, sy, sz = g
    end = least + max(-e2 * least, lift)
    proposal = h
    cut, relanded = 0, 0
    dx, dy, dz, dv, x1, y1, z1, w1, slope = 0.0, 0.0, 0.0, 0.0, x, y, z, w, normal * w
    for _ in range(60):
        dx, dy, dz, dv, error, work_error = _step(g, x, y, z, w, h)
        ratio = max(error / tolerances[0], work_error / tolerances[1])
        if not ratio <= 1.0:
            h *= max(0.2, 0.8 / sqrt(sqrt(ratio))) if ratio > 1.0 else 0.2
            proposal = h
            continue
        if cut == 0:
            proposal = h * min(4.0, 0.8 / sqrt(sqrt(ratio + 1e-6)))
        x1 = x + gxx * dx + gxy * dy + sx * dz
        y1 = y + gxy * dx + gyy * dy + sy * dz
        z1 = z + gzx * dx + gzy * dy + sz * dz
        w1 = _speed(x1, y1)
        slope = sz * w1 + gzx * x1 + gzy * y1
        if cut < 1 and (normal > 0.0) != (slope > 0.0) and abs(normal) > 1e-3 * sz:
            cut = 1
            h *= normal * w1 / (normal * w1 - slope)
        elif cut < 2 and ((z < 0.0 <= z1 and not restituting) or z > 0.0 >= z1):
            cut = 2
            h *= _crossing(z, h * normal * w, z1, h * slope)
        elif cut < 3 and restituting and work < end < work + dv:
            cut = 3
            h *= _crossing(work - end, h * z * w, work + dv - end, h * z1 * w1)
        elif cut == 2 and abs(z1) > 1e-4 * abs(z) and relanded < 3:
            relanded += 1
            h -= z1 / slope
        elif cut == 3 and abs(work + dv - end) > 1e-5 * (end - work) and relanded < 3:
            relanded += 1
            h += (end - work - dv) / (z1 * w1)
        else:
            break
    work += dv
    if cut == 2:
        restituting = z < 0.0
        if restituting and slope > 0.0:
            least = min(least, work - 0.5 * z1 * z1 * w1 / slope)
    return (x1, y1, z1, px - mu * dx, py - mu * dy, pz + dz, work, least), restituting, proposal
