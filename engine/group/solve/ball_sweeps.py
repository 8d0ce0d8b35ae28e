"""Blocks of contact points of balls, eight points at once: see engine.group.solve.lanes.

The arm of a ball to a contact point is along the normal n, and its inertia is the same about all axes. So a normal
impulse turns nothing, u_n does not know of spins, the point's own block D is diagonal, and with w = r_a w_a - r_b w_b,
the levers r along n,

    u_t = t . (v_a - v_b) + s . w,     u_s = s . (v_a - v_b) - t . w,     s = n x t.

Half of the numbers do, and half of the time. The law is that of engine.group.solve.friction_cone.
"""

from __future__ import annotations

from math import sqrt

from engine.group.solve.lanes import (
    CHANGE,
    DRAGS,
    GIVEN,
    HOLDS,
    IMPULSE,
    INV_M_A,
    INV_M_B,
    INV_MASS,
    INV_MOMENT_A,
    INV_MOMENT_B,
    LEVER_A,
    LEVER_B,
    MASS,
    MOST_INV,
    NEXT,
    NEXT_2,
    NEXT_3,
    NEXT_4,
    NEXT_5,
    NORMAL,
    RESISTS,
    ROLL_LEVER,
    SLID,
    SLIP_THEN,
    SPIN_LEVER,
    SPUN,
    TANGENT,
    TURN_MASS,
    TWIST_A,
    TWIST_B,
    Index,
)
from engine.kernel import inner_kernel, vector_kernel
from engine.maths.vectors import Vec3
from engine.model.model import Floats
from engine.simd import LANES


@vector_kernel
def update_balls(lanes: Floats, gathered: Floats, o: Index) -> None:
    """Update the impulses of a block's points, and both bodies' velocities."""
    for lane in range(LANES):
        x, y = o + Index(lane), Index(lane)
        n = (lanes[x + NORMAL], lanes[x + NORMAL + NEXT], lanes[x + NORMAL + NEXT_2])
        t = (lanes[x + TANGENT], lanes[x + TANGENT + NEXT], lanes[x + TANGENT + NEXT_2])
        s = (n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0])
        v = (
            gathered[y + TWIST_A] - gathered[y + TWIST_B],
            gathered[y + TWIST_A + NEXT] - gathered[y + TWIST_B + NEXT],
            gathered[y + TWIST_A + NEXT_2] - gathered[y + TWIST_B + NEXT_2],
        )
        r_a, r_b = lanes[x + LEVER_A], lanes[x + LEVER_B]
        w = (
            r_a * gathered[y + TWIST_A + NEXT_3] - r_b * gathered[y + TWIST_B + NEXT_3],
            r_a * gathered[y + TWIST_A + NEXT_4] - r_b * gathered[y + TWIST_B + NEXT_4],
            r_a * gathered[y + TWIST_A + NEXT_5] - r_b * gathered[y + TWIST_B + NEXT_5],
        )
        u_n = lanes[x + GIVEN] + (n[0] * v[0] + n[1] * v[1] + n[2] * v[2])
        u_1 = lanes[x + GIVEN + NEXT] + (t[0] * v[0] + t[1] * v[1] + t[2] * v[2])
        u_2 = lanes[x + GIVEN + NEXT_2] + (s[0] * v[0] + s[1] * v[1] + s[2] * v[2])
        u_1 += s[0] * w[0] + s[1] * w[1] + s[2] * w[2]
        u_2 -= t[0] * w[0] + t[1] * w[1] + t[2] * w[2]
        p = (lanes[x + IMPULSE], lanes[x + IMPULSE + NEXT], lanes[x + IMPULSE + NEXT_2])
        q = _new_impulse(lanes, x, p, u_n, u_1, u_2)
        d_n, d_1, d_2 = q[0] - p[0], q[1] - p[1], q[2] - p[2]
        lanes[x + IMPULSE], lanes[x + IMPULSE + NEXT], lanes[x + IMPULSE + NEXT_2] = q
        change = max(abs(d_n) * lanes[x + INV_MASS], (abs(d_1) + abs(d_2)) * lanes[x + MOST_INV])
        lanes[x + CHANGE] = max(lanes[x + CHANGE], change)
        f = (
            n[0] * d_n + t[0] * d_1 + s[0] * d_2,
            n[1] * d_n + t[1] * d_1 + s[1] * d_2,
            n[2] * d_n + t[2] * d_1 + s[2] * d_2,
        )
        turn = (s[0] * d_1 - t[0] * d_2, s[1] * d_1 - t[1] * d_2, s[2] * d_1 - t[2] * d_2)  # n x f
        _push(gathered, y, TWIST_A, lanes[x + INV_M_A], f)
        _push(gathered, y, TWIST_B, -lanes[x + INV_M_B], f)
        _push(gathered, y, TWIST_A + NEXT_3, r_a * lanes[x + INV_MOMENT_A], turn)
        _push(gathered, y, TWIST_B + NEXT_3, -(r_b * lanes[x + INV_MOMENT_B]), turn)


@inner_kernel
def _new_impulse(lanes: Floats, x: Index, p: Vec3, u_n: float, u_1: float, u_2: float) -> Vec3:
    """The impulse that the point's conditions ask for: the load does not depend on friction, nor friction's slip on
    it, so what stops both is the load first and then friction in its disc."""
    load = max(p[0] - u_n * lanes[x + MASS], 0.0)
    hold, drag, step = lanes[x + HOLDS] * load, lanes[x + DRAGS] * load, 1.0 / lanes[x + MOST_INV]
    q_1, q_2 = p[1] - step * u_1, p[2] - step * u_2
    slides = q_1 * q_1 + q_2 * q_2 > hold * hold
    r_1, r_2 = slide(lanes, x, p, u_1, u_2, drag)
    lanes[x + SLID] = 1.0 if slides & (lanes[x + HOLDS] + lanes[x + DRAGS] > 0.0) else 0.0
    return load, r_1 if slides else q_1, r_2 if slides else q_2


@inner_kernel
def slide(lanes: Floats, x: Index, p: Vec3, u_1: float, u_2: float, drag: float) -> tuple[float, float]:
    """The friction of a point, of balls or not, that slides with u_1, u_2 at the end and may rub with `drag` [N s].

    As `opposed_slip` of engine.group.solve.friction_cone says.
    """
    step, then_1, then_2 = 1.0 / lanes[x + MOST_INV], lanes[x + SLIP_THEN], lanes[x + SLIP_THEN + NEXT]
    before, now = then_1 * then_1 + then_2 * then_2, u_1 * u_1 + u_2 * u_2
    slows = now < before
    share, step = sqrt(now / before) if slows else 1.0, 0.5 * step if slows else step
    r_1, r_2 = p[1] - step * (u_1 + share * then_1), p[2] - step * (u_2 + share * then_2)
    size = sqrt(r_1 * r_1 + r_2 * r_2)
    less = drag / size if size > drag else 1.0
    return less * r_1, less * r_2


@vector_kernel
def brake_balls(lanes: Floats, gathered: Floats, o: Index) -> None:
    """Update the couples by which a block's points resist turning, and both bodies' velocities."""
    for lane in range(LANES):
        x, y = o + Index(lane), Index(lane)
        d = new_couple(lanes, gathered, x, y)
        _push(gathered, y, TWIST_A + NEXT_3, lanes[x + INV_MOMENT_A], d)
        _push(gathered, y, TWIST_B + NEXT_3, -lanes[x + INV_MOMENT_B], d)


@inner_kernel
def new_couple(lanes: Floats, gathered: Floats, x: Index, y: Index) -> Vec3:
    """Set the couple by which a point, of balls or not, resists turning; by how much it changes [N m s].

    As `update_couple` of engine.group.solve.friction_cone.
    """
    n = (lanes[x + NORMAL], lanes[x + NORMAL + NEXT], lanes[x + NORMAL + NEXT_2])
    c = (lanes[x + RESISTS], lanes[x + RESISTS + NEXT], lanes[x + RESISTS + NEXT_2])
    mass = lanes[x + TURN_MASS]
    q_0 = c[0] - mass * (lanes[x + SPUN] + gathered[y + TWIST_A + NEXT_3] - gathered[y + TWIST_B + NEXT_3])
    q_1 = c[1] - mass * (lanes[x + SPUN + NEXT] + gathered[y + TWIST_A + NEXT_4] - gathered[y + TWIST_B + NEXT_4])
    q_2 = c[2] - mass * (lanes[x + SPUN + NEXT_2] + gathered[y + TWIST_A + NEXT_5] - gathered[y + TWIST_B + NEXT_5])
    along = q_0 * n[0] + q_1 * n[1] + q_2 * n[2]
    across = sqrt(max(q_0 * q_0 + q_1 * q_1 + q_2 * q_2 - along * along, 0.0))
    most_roll, most_spin = lanes[x + ROLL_LEVER] * lanes[x + IMPULSE], lanes[x + SPIN_LEVER] * lanes[x + IMPULSE]
    roll = most_roll / across if across > most_roll else 1.0
    spin = max(-most_spin, min(most_spin, along)) - roll * along
    q_0, q_1, q_2 = roll * q_0 + spin * n[0], roll * q_1 + spin * n[1], roll * q_2 + spin * n[2]
    lanes[x + RESISTS], lanes[x + RESISTS + NEXT], lanes[x + RESISTS + NEXT_2] = q_0, q_1, q_2
    return q_0 - c[0], q_1 - c[1], q_2 - c[2]


@inner_kernel
def _push(gathered: Floats, y: Index, velocity: Index, share: float, f: Vec3) -> None:
    """Add so many times f to a velocity."""
    gathered[y + velocity] += share * f[0]
    gathered[y + velocity + NEXT] += share * f[1]
    gathered[y + velocity + NEXT_2] += share * f[2]
