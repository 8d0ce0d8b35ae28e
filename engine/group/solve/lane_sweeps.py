"""Sweeps over blocks of eight contact points that share no body, all eight at once: see engine.group.solve.lanes.

The law is that of engine.group.solve.friction_cone, written without branches: what sticks and what slides is computed
for every lane, and each takes what is its own.
"""

from __future__ import annotations

from engine.group.solve.ball_sweeps import brake_balls, new_couple, slide, update_balls
from engine.group.solve.lanes import (
    BALLS,
    BEGAN,
    BLOCK,
    CHANGE,
    DRAGS,
    GIVEN,
    HOLDS,
    IMPULSE,
    INV_I_A,
    INV_I_B,
    INV_M_A,
    INV_M_B,
    INV_MASS,
    LEAN,
    MASS,
    MOST_INV,
    NEXT,
    NEXT_2,
    NEXT_3,
    NEXT_4,
    NEXT_5,
    NORMAL,
    ONWARD,
    POINT_A,
    POINT_B,
    RESISTS,
    RESISTS_BEGAN,
    RESISTS_ONWARD,
    SIZE,
    SLID,
    STOP_MASS,
    TANGENT,
    TANGENT_INV,
    TURNS,
    TWIST_A,
    TWIST_B,
    Index,
)
from engine.group.work import BETA, CHANGED_SIZE, FIRST_SWEEP, MOST_CHANGED, Work
from engine.kernel import inner_kernel, kernel, vector_kernel
from engine.maths.vectors import Vec3
from engine.model.model import Floats
from engine.simd import LANES, gather_rows, scatter_rows


@kernel
def blocks_forwards(work: Work, first: int, last: int) -> None:
    """Extrapolate the impulses of blocks first .. last - 1, then update them and the end velocities of their bodies."""
    for block in range(first, last):
        o = BLOCK * Index(block)
        kind = work.kinds[block]
        _go_on(work, o, IMPULSE, BEGAN, ONWARD)
        for lane in range(LANES):
            work.lanes[o + CHANGE + Index(lane)] = 0.0
        if kind & TURNS:
            _go_on(work, o, RESISTS, RESISTS_BEGAN, RESISTS_ONWARD)
        _update_block(work, block, o, kind)


@kernel
def blocks_back(work: Work, first: int, last: int) -> None:
    """Update blocks first .. last - 1 again, from the last on, and note what the sweep has changed there."""
    for step in range(last - first):
        block = last - 1 - step
        o = BLOCK * Index(block)
        _update_block(work, block, o, work.kinds[block])
        _measure(work, block, o)


@inner_kernel
def _go_on(work: Work, o: Index, value: Index, began: Index, onward: Index) -> None:
    """Extrapolate three columns of a block, as `go_on` of engine.group.solve.gauss_seidel does it."""
    lanes, beta, first = work.lanes, work.link[BETA], work.link[FIRST_SWEEP] == 1.0
    goes_on, forgets = not first and 0.0 < beta <= 1.0, first or beta > 1.0
    for lane in range(LANES * 3):
        x = o + Index(lane)
        now = lanes[x + value]
        further = beta * lanes[x + onward] if goes_on else 0.0
        lanes[x + onward] = 0.0 if forgets else further + (now - lanes[x + began])
        lanes[x + value] = lanes[x + began] = now + further


@inner_kernel
def _measure(work: Work, block: int, o: Index) -> None:
    """By how much a sweep has changed a point's velocity at most, and the size of its changes, of a block."""
    lanes, gathered = work.lanes, work.gathered
    for lane in range(LANES):
        x = o + Index(lane)
        d_n, d_1 = lanes[x + IMPULSE] - lanes[x + BEGAN], lanes[x + IMPULSE + NEXT] - lanes[x + BEGAN + NEXT]
        d_2 = lanes[x + IMPULSE + NEXT_2] - lanes[x + BEGAN + NEXT_2]
        gathered[SIZE + Index(lane)] = (d_n * d_n + d_1 * d_1 + d_2 * d_2) * lanes[x + INV_MASS]
    most = size = 0.0
    for lane in range(LANES):
        x = o + Index(lane)
        most = max(most, lanes[x + CHANGE])
        size += gathered[SIZE + Index(lane)]
    work.changes[block, MOST_CHANGED], work.changes[block, CHANGED_SIZE] = most, size


@inner_kernel
def _update_block(work: Work, block: int, o: Index, kind: int) -> None:
    """Update the impulses of a block, and the velocities of its bodies."""
    gathered = work.gathered
    gather_rows(work.twists, work.sides, LANES * block, gathered, TWIST_A)
    gather_rows(work.twists, work.others, LANES * block, gathered, TWIST_B)
    if kind & BALLS:
        update_balls(work.lanes, gathered, o)
        if kind & TURNS:
            brake_balls(work.lanes, gathered, o)
    else:
        _update(work.lanes, gathered, o)
        if kind & TURNS:
            _brake(work.lanes, gathered, o)
    scatter_rows(work.twists, work.sides, LANES * block, gathered, TWIST_A)
    scatter_rows(work.twists, work.others, LANES * block, gathered, TWIST_B)


@vector_kernel
def _update(lanes: Floats, gathered: Floats, o: Index) -> None:
    """Update the impulses of a block's points, and both bodies' velocities."""
    for lane in range(LANES):
        x, y = o + Index(lane), Index(lane)
        n = (lanes[x + NORMAL], lanes[x + NORMAL + NEXT], lanes[x + NORMAL + NEXT_2])
        t = (lanes[x + TANGENT], lanes[x + TANGENT + NEXT], lanes[x + TANGENT + NEXT_2])
        s = (n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0])
        v_a, v_b = (
            _velocity(lanes, gathered, x, y, TWIST_A, POINT_A),
            _velocity(lanes, gathered, x, y, TWIST_B, POINT_B),
        )
        v = (v_a[0] - v_b[0], v_a[1] - v_b[1], v_a[2] - v_b[2])
        u_n = lanes[x + GIVEN] + (n[0] * v[0] + n[1] * v[1] + n[2] * v[2])
        u_1 = lanes[x + GIVEN + NEXT] + (t[0] * v[0] + t[1] * v[1] + t[2] * v[2])
        u_2 = lanes[x + GIVEN + NEXT_2] + (s[0] * v[0] + s[1] * v[1] + s[2] * v[2])
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
        _push(lanes, gathered, x, y, TWIST_A, POINT_A, INV_I_A, lanes[x + INV_M_A], f)
        _push(lanes, gathered, x, y, TWIST_B, POINT_B, INV_I_B, lanes[x + INV_M_B], (-f[0], -f[1], -f[2]))


@inner_kernel
def _velocity(lanes: Floats, gathered: Floats, x: Index, y: Index, twist: Index, point: Index) -> Vec3:
    """The velocity of one body at the point [m/s]."""
    w_0, w_1, w_2 = gathered[y + twist + NEXT_3], gathered[y + twist + NEXT_4], gathered[y + twist + NEXT_5]
    r_0, r_1, r_2 = lanes[x + point], lanes[x + point + NEXT], lanes[x + point + NEXT_2]
    return (
        gathered[y + twist] + (w_1 * r_2 - w_2 * r_1),
        gathered[y + twist + NEXT] + (w_2 * r_0 - w_0 * r_2),
        gathered[y + twist + NEXT_2] + (w_0 * r_1 - w_1 * r_0),
    )


@inner_kernel
def _new_impulse(lanes: Floats, x: Index, p: Vec3, u_n: float, u_1: float, u_2: float) -> Vec3:
    """The impulse that the point's conditions ask for, of p and u, which is 0 along the normal where they hold."""
    m_11, m_12, m_22 = lanes[x + TANGENT_INV], lanes[x + TANGENT_INV + NEXT], lanes[x + TANGENT_INV + NEXT_2]
    d_nn, d_n1, d_n2 = lanes[x + INV_MASS], lanes[x + INV_MASS + NEXT], lanes[x + INV_MASS + NEXT_2]
    holds, drags = lanes[x + HOLDS], lanes[x + DRAGS]
    # What stops all slip, if that lies in the cone, and the point would come in without an impulse.
    lean_1, lean_2 = lanes[x + LEAN], lanes[x + LEAN + NEXT]
    stop = lanes[x + STOP_MASS] * (u_n - lean_1 * u_1 - lean_2 * u_2)
    s_n = p[0] - stop
    s_1 = p[1] + (stop * lean_1 - (m_11 * u_1 + m_12 * u_2))
    s_2 = p[2] + (stop * lean_2 - (m_12 * u_1 + m_22 * u_2))
    alone = u_n - d_nn * p[0] - d_n1 * p[1] - d_n2 * p[2]
    hold = holds * s_n
    sticks = (holds > 0.0) & (alone < 0.0) & (s_n > 0.0) & (s_1 * s_1 + s_2 * s_2 <= hold * hold)
    # Else the load first, then friction in its disc.
    load = max(p[0] - u_n * lanes[x + MASS], 0.0)
    u_1 += (load - p[0]) * d_n1
    u_2 += (load - p[0]) * d_n2
    q_1, q_2 = p[1] - (m_11 * u_1 + m_12 * u_2), p[2] - (m_12 * u_1 + m_22 * u_2)
    hold = holds * load
    r_1, r_2 = slide(lanes, x, p, u_1, u_2, drags * load)
    slides = q_1 * q_1 + q_2 * q_2 > hold * hold
    lanes[x + SLID] = 1.0 if slides & (not sticks) & (holds + drags > 0.0) else 0.0
    q_1, q_2 = r_1 if slides else q_1, r_2 if slides else q_2
    return s_n if sticks else load, s_1 if sticks else q_1, s_2 if sticks else q_2


@vector_kernel
def _brake(lanes: Floats, gathered: Floats, o: Index) -> None:
    """Update the couples by which a block's points resist turning, and both bodies' velocities."""
    for lane in range(LANES):
        x, y = o + Index(lane), Index(lane)
        d = new_couple(lanes, gathered, x, y)
        _turn(lanes, gathered, x, y, TWIST_A, INV_I_A, d)
        _turn(lanes, gathered, x, y, TWIST_B, INV_I_B, (-d[0], -d[1], -d[2]))


@inner_kernel
def _push(
    lanes: Floats,
    gathered: Floats,
    x: Index,
    y: Index,
    twist: Index,
    point: Index,
    inertia: Index,
    inv_mass: float,
    f: Vec3,
) -> None:
    """Change the velocities of one body by an impulse f at the point [N s]."""
    r_0, r_1, r_2 = lanes[x + point], lanes[x + point + NEXT], lanes[x + point + NEXT_2]
    gathered[y + twist] += inv_mass * f[0]
    gathered[y + twist + NEXT] += inv_mass * f[1]
    gathered[y + twist + NEXT_2] += inv_mass * f[2]
    moment = (r_1 * f[2] - r_2 * f[1], r_2 * f[0] - r_0 * f[2], r_0 * f[1] - r_1 * f[0])
    _turn(lanes, gathered, x, y, twist, inertia, moment)


@inner_kernel
def _turn(lanes: Floats, gathered: Floats, x: Index, y: Index, twist: Index, inertia: Index, c: Vec3) -> None:
    """Change the angular velocity of one body by a couple c [N m s]."""
    i_xx, i_xy, i_xz = lanes[x + inertia], lanes[x + inertia + NEXT], lanes[x + inertia + NEXT_2]
    i_yy, i_yz, i_zz = lanes[x + inertia + NEXT_3], lanes[x + inertia + NEXT_4], lanes[x + inertia + NEXT_5]
    gathered[y + twist + NEXT_3] += i_xx * c[0] + i_xy * c[1] + i_xz * c[2]
    gathered[y + twist + NEXT_4] += i_xy * c[0] + i_yy * c[1] + i_yz * c[2]
    gathered[y + twist + NEXT_5] += i_xz * c[0] + i_yz * c[1] + i_zz * c[2]
