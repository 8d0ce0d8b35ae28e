"""Torque-free rotation of a rigid body over any time, exact to rounding: angular velocity and attitude in closed form.

Euler's equations have Jacobi elliptic functions for solutions (Whittaker 1937, 69; van Zon and Schofield 2007,
J. Comput. Phys. 225). The angular momentum L stands still in the world. In the body it circulates about one axis, here
called z: the axis of the largest or of the smallest moment, on whichever side of the separatrix the motion lies; y is
the axis of the middle moment, x the third. L_z keeps its sign, taken positive here, so the shortest turn m(t) that
carries the direction of L in the body to z is never singular, and

    R(t) = R(0) m(0)^T turn(z, chi) m(t),    chi' = w_z + (I_x w_x^2 + I_y w_y^2) / (L + L_z).

Hence R(t) L_body(t) = R(0) L_body(0) by construction. Landen's descending transformation k -> k1 = (1 - k') / (1 + k')
(DLMF 22.7.i) makes chi an elliptic integral of the third kind whose characteristic -n, 0 <= n <= k1, keeps away from
every singularity. Addition theorems in u lead from time 0 to time t, so that no phase of the start is needed: all that
depends on time is a function of u, proportional to dt, and the relative accuracy of small quantities survives. That is
what keeps attitudes exact right next to the separatrix and for nearly equal moments.
"""

from __future__ import annotations

from math import atan, cos, sin, sqrt

from engine.kernel import kernel, linked_kernel
from engine.maths.elliptic import carlson_rj, is_odd, jacobi_reduced, third_kind
from engine.maths.quaternions import Quat, multiply
from engine.maths.rounding import LOG_LARGEST, TINY
from engine.maths.vectors import Vec3

_SPLIT = 2.0**27 + 1.0  # Veltkamp's constant
_TINY_KC = TINY**0.75  # a complement below is the separatrix itself: no period of it would end in u < 140
_NEGLIGIBLE = TINY ** (
    2.0 / 3.0
)  # times the largest component: what is below counts as none, as its square would underflow
_STILL = TINY ** (2.0 / 5.0)  # rad/s: likewise
_LONG_U = 2.0 * LOG_LARGEST / 5.0  # on the separatrix, all motion but the turn about y has died away by then


@kernel
def rotate_free(moments: Vec3, q: Quat, w_body: Vec3, dt: float) -> tuple[Quat, Vec3]:
    """Attitude and angular velocity [rad/s, body axes] after dt [s] of either sign, without torque.

    moments: principal moments of inertia [kg m^2], between 1e-40 and 1e40, in any order, equal ones allowed.
    q: attitude body -> world; the result has unit length to rounding.
    dt = 0 returns the arguments themselves. Errors are a few roundings of the angle |w| dt, whatever the motion; an
    argument that is not finite makes a result that is not.
    """
    if dt == 0.0:
        return q, w_body
    a, b, c = moments
    wx, wy, wz = w_body
    floor = max(_STILL, _NEGLIGIBLE * max(abs(wx), max(abs(wy), abs(wz))))
    if (a == b and b == c) or int(abs(wx) <= floor) + int(abs(wy) <= floor) + int(abs(wz) <= floor) >= 2:
        return _compose(q, _turn(wx, wy, wz, dt)), w_body
    if a == b:
        r, v = _spin_symmetric(a, c, wx, wy, wz, dt)
        return _compose(q, r), v
    if b == c:
        r, v = _spin_symmetric(b, a, wy, wz, wx, dt)
        return _compose(q, (r[0], r[3], r[1], r[2])), (v[2], v[0], v[1])
    if c == a:
        r, v = _spin_symmetric(c, b, wz, wx, wy, dt)
        return _compose(q, (r[0], r[2], r[3], r[1])), (v[1], v[2], v[0])
    return tumble(moments, q, w_body, dt)


@kernel
def _compose(q: Quat, r: Quat) -> Quat:
    """q r, its length pulled to 1 by a Newton step."""
    p = multiply(q, r)
    s = 1.5 - 0.5 * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
    return (p[0] * s, p[1] * s, p[2] * s, p[3] * s)


@kernel
def _turn(wx: float, wy: float, wz: float, dt: float) -> Quat:
    """The turn by w dt."""
    speed = sqrt(wx * wx + wy * wy + wz * wz)
    if speed == 0.0:
        return (1.0, 0.0, 0.0, 0.0)
    half = 0.5 * speed * dt
    s = sin(half) / speed
    return (cos(half), wx * s, wy * s, wz * s)


@kernel
def _spin_symmetric(across: float, along: float, wx: float, wy: float, wz: float, dt: float) -> tuple[Quat, Vec3]:
    """Relative turn and new angular velocity of a top with moments (across, across, along)."""
    slip = wz * (across - along) / across  # of the body about its axis, seen from the frame that precesses with L
    half = 0.5 * slip * dt
    c, s = cos(half), sin(half)
    p = _turn(wx, wy, wz * (along / across), dt)
    r = (p[0] * c - p[3] * s, p[1] * c + p[2] * s, p[2] * c - p[1] * s, p[3] * c + p[0] * s)
    c2, s2 = (c - s) * (c + s), 2.0 * s * c
    vx, vy = c2 * wx + s2 * wy, c2 * wy - s2 * wx
    # Without this the rounding error of c2, s2 would be the same at every one of many equal steps, and add up.
    square = wx * wx + wy * wy
    if square > 0.0:
        excess = 0.5 * ((vx - wx) * (vx + wx) + (vy - wy) * (vy + wy)) / square
        vx, vy = vx - vx * excess, vy - vy * excess
    return r, (vx, vy, wz)


@kernel
def _square_times(w: float, moment: float, other: float) -> tuple[float, float]:
    """w^2 moment (moment - other) as an unevaluated sum of two floats, to twice the working precision (Dekker 1971)."""
    h = _SPLIT * w
    h -= h - w
    t = w - h
    p = w * w
    e = ((h * h - p) + 2.0 * h * t) + t * t
    for factor, rest in ((moment, 0.0), _exact_difference(moment, other)):
        h = _SPLIT * p
        h -= h - p
        t = p - h
        g = _SPLIT * factor
        g -= g - factor
        v = factor - g
        product = p * factor
        e = (((h * g - product) + h * v + t * g) + t * v) + (e * factor + p * rest)
        p = product
    return p, e


@kernel
def _exact_difference(a: float, b: float) -> tuple[float, float]:
    """a - b and its rounding error (Knuth's two-sum)."""
    s = a - b
    bb = s - a
    return s, (a - (s - bb)) - (b + bb)


@kernel
def _separatrix_distance(big: float, mid: float, small: float, w_big: float, w_small: float) -> float:
    """L^2 - 2 E I_mid = I_big (I_big - I_mid) w_big^2 - I_small (I_mid - I_small) w_small^2, to relative rounding.

    Positive where L circulates about the axis of the largest moment in the body, negative about that of the smallest.
    """
    p = big * (big - mid) * w_big * w_big
    n = small * (mid - small) * w_small * w_small
    if abs(p - n) > 0.25 * max(p, n):
        return p - n
    p, p_rest = _square_times(w_big, big, mid)
    n, n_rest = _square_times(w_small, small, mid)
    return (p + n) + (p_rest + n_rest)


@kernel
def _place(ix: int, iy: int, x: float, y: float, z: float) -> Vec3:
    """The vector with x at index ix, y at iy and z at the remaining one."""
    return (
        x if ix == 0 else (y if iy == 0 else z),
        x if ix == 1 else (y if iy == 1 else z),
        x if ix == 2 else (y if iy == 2 else z),
    )


@linked_kernel
def tumble(moments: Vec3, q: Quat, w: Vec3, dt: float) -> tuple[Quat, Vec3]:
    """`rotate_free` for three different moments: names the axes x, y, z of the module's description and back."""
    big, small = 0, 0
    for i in range(1, 3):
        if moments[i] > moments[big]:
            big = i
        if moments[i] < moments[small]:
            small = i
    iy = 3 - big - small
    distance = _separatrix_distance(moments[big], moments[iy], moments[small], w[big], w[small])
    iz, ix = (big, small) if distance > 0.0 else (small, big)
    # A permutation that is no rotation becomes one when all axes are reversed; a half turn about x makes L_z positive.
    sx = 1.0 if (iy - ix) % 3 == 1 else -1.0
    s = sx if sx * w[iz] > 0.0 else -sx
    m = (moments[ix], moments[iy], moments[iz])
    r, v = _tumble_about_z(m, abs(distance), (sx * w[ix], s * w[iy], s * w[iz]), dt)
    x, y, z = _place(ix, iy, sx * r[1], s * r[2], s * r[3])
    return _compose(q, (r[0], x, y, z)), _place(ix, iy, sx * v[0], s * v[1], s * v[2])


@kernel
def _tumble_about_z(moments: Vec3, distance: float, w: Vec3, dt: float) -> tuple[Quat, Vec3]:
    """Relative turn and new angular velocity; I_y lies between I_x and I_z, w_z > 0, distance = |L^2 - 2 E I_y|."""
    ix, iy, iz = moments
    a, b, c = abs(ix - iz), abs(iy - iz), abs(ix - iy)
    side = 1.0 if ix > iz else -1.0
    jx, jy, jz = ix * w[0], iy * w[1], iz * w[2]
    total = sqrt(jx * jx + jy * jy + jz * jz)
    about_z = jx * a * w[0] + jy * b * w[1]  # |L^2 - 2 E I_z|
    about_x = jz * a * w[2] + jy * c * w[1]  # |L^2 - 2 E I_x|
    # Largest values of |L_x|, |L_y|, L_z during the motion; L_x = top_x cn, L_y = top_y sn, L_z = top_z dn.
    top_x, top_y, top_z = sqrt(ix * about_z / a), sqrt(iy * about_z / b), sqrt(iz * about_x / a)
    kc = min(1.0, sqrt(distance * a / (about_x * b)))
    if kc < _TINY_KC:
        kc = 0.0
    sn, cn, dn = jy / top_y, jx / top_x, jz / top_z
    # Landen's transformation, of the modulus and of the functions at time 0.
    grow = 1.0 + kc
    k1 = min(1.0, about_z * c / (about_x * b) / (grow * grow))
    kc1 = 2.0 * sqrt(kc) / grow
    s0 = sn * grow / (1.0 + dn)
    d0 = sqrt(2.0 * (kc + dn) / (grow * (1.0 + dn)))
    c0 = 2.0 * cn / ((1.0 + dn) * d0)
    u = -0.5 * side * grow * sqrt(about_x * b / (ix * iy * iz)) * dt
    ratio = top_x / (total + top_z)
    n = k1 * ratio * ratio
    su, cu, du, integral = _advance_phase(u, k1, kc1, n)
    # Addition theorems (DLMF 22.8.i), their denominator written without cancellation.
    den = 1.0 / (c0 * c0 + s0 * s0 * du * du)
    s1 = (s0 * cu * du + su * c0 * d0) * den
    c1 = (c0 * cu - s0 * su * d0 * du) * den
    d1 = (d0 * du - k1 * k1 * s0 * su * c0 * cu) * den
    root = sqrt(n * (1.0 + n) * (n + k1 * k1))
    angle = atan(root * s0 * su * s1 / (1.0 + n * (s1 * s1 - s0 * su * c1 * d1)))
    mean = top_z / iz + top_x * ratio / ix
    half = 0.5 * mean * dt + root * integral + angle
    # Back by Landen, then the turn between the two attitudes.
    den = 1.0 / (1.0 + k1 * s1 * s1)
    hx, hy = top_x * c1 * d1 * den, top_y * (1.0 + k1) * s1 * den
    hz = top_z * (c1 * c1 + 2.0 * kc / grow * s1 * s1) * den
    f = 1.0 / total
    turn = _turn_between(f * jx, f * jy, 1.0 + f * jz, f * hx, f * hy, 1.0 + f * hz, half)
    vx, vy, vz = hx / ix, hy / iy, hz / iz
    # A rounding error of |L| that is the same at every one of many equal steps must not add up.
    px = ix * ix * (vx - w[0]) * (vx + w[0])
    py = iy * iy * (vy - w[1]) * (vy + w[1])
    pz = iz * iz * (vz - w[2]) * (vz + w[2])
    excess = 0.5 * (px + py + pz) / (total * total)
    return turn, (vx - vx * excess, vy - vy * excess, vz - vz * excess)


@kernel
def _advance_phase(u: float, k: float, kc: float, n: float) -> tuple[float, float, float, float]:
    """sn, cn, dn at u and the integral of sn^2 / (1 + n sn^2) from 0 to u, for any u."""
    # On the separatrix the period is infinite: far out, sn^2 = 1.
    near = min(max(u, -_LONG_U), _LONG_U) if kc == 0.0 else u
    s, c, d, turns = jacobi_reduced(near, k, kc)
    integral = third_kind(s, c, d, n) + (u - near) / (1.0 + n)
    if turns != 0.0:
        integral += turns * (2.0 / 3.0) * carlson_rj(0.0, kc * kc, 1.0, 1.0 + n)
        if is_odd(turns):
            s, c = -s, -c
    return s, c, d, integral


@kernel
def _turn_between(ax: float, ay: float, az: float, bx: float, by: float, bz: float, half: float) -> Quat:
    """m(0)^-1 turn(z, 2 half) m(t), m along (L + L_z, L_y, -L_x, 0); a is (L_x, L_y, L + L_z) / L at time 0, b at t."""
    c, s = cos(half), sin(half)
    tw, tx, ty, tz = c * bz, c * by + s * bx, s * by - c * bx, s * bz
    w = az * tw + ay * tx - ax * ty
    x = az * tx - ay * tw + ax * tz
    y = az * ty + ay * tz + ax * tw
    z = az * tz - ay * ty - ax * tx
    scale = 1.0 / sqrt(w * w + x * x + y * y + z * z)
    return (w * scale, x * scale, y * scale, z * scale)
