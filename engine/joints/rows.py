"""Rows of joints: what each asks of the velocities of its two sides, and the matrix of all rows of a linkage.

A row says C = 0 for a number C of the poses (bilateral constraints, Baraff 1992, 2.5). Along n, an axis of the first
body a, the anchors' distance d is held: C = n . d. An axis p of a and an axis r of b are at right angles: C = p . r.
Then, with linear part n (0 for angles) and levers l_a, l_b,

    C'  = n . (v_b - v_a) + l_a . w_a + l_b . w_b,      C'' = the same of the accelerations + bias.

Impulses p change M v by J^T p. A = J M^-1 J^T of a linkage's rows is factored in its skyline. A joint's matrix may be
singular, or the linkage say things twice: see engine.maths.skyline.
"""

from __future__ import annotations

from math import atan2, floor, pi

from engine.collision.narrow.frames import Matrix, matrix_of, turn
from engine.joints.tables import (
    AIM,
    BIAS,
    ERROR,
    FLOW_INV_I,
    FLOW_INV_M,
    FLOW_V,
    FLOW_W,
    INV_I_LEVER_A,
    INV_I_LEVER_B,
    LEVER_A,
    LEVER_B,
    LINE,
    LOCKS,
    LOCKS_AT,
    POSE,
    SOLUTION,
    TAKEN,
)
from engine.kernel import kernel, linked_kernel
from engine.maths.skyline import OFFSET, START, factor_skyline, solve_skyline
from engine.maths.vectors import Vec3, cross, dot, sub, vector_at
from engine.model.joints import (
    ANCHOR_A,
    ANCHOR_B,
    ANGULAR,
    AXES_A,
    AXES_B,
    COUPLE_ENTRY,
    COUPLE_JOINT,
    COUPLE_OTHER,
    COUPLE_OTHER_SIDE,
    COUPLE_SIDE,
    COUPLES,
    ENTRIES,
    ENTRY_A,
    ENTRY_B,
    ENTRY_BODY,
    ENTRY_FREE,
    FIRST_COUPLE,
    FIRST_ENTRY,
    FIRST_JOINT,
    FIRST_ROW,
    JOINT_KIND,
    JOINTS,
    LINEAR,
    LINKAGE_ROW,
    LOCK_ROW,
    ROWS,
    Joints,
)
from engine.model.model import FREE, INV_MASS, INV_MOMENTS, KIND, Floats, Ints
from engine.model.trees import LINKS, PLANAR
from engine.motion.arcs import evolve

_PASSES = 5


@kernel
def entry_matrix(flow: Floats, e: int) -> Matrix:
    """Rotation matrix of entry e."""
    return matrix_of((flow[e, POSE + 3], flow[e, POSE + 4], flow[e, POSE + 5], flow[e, POSE + 6]))


@kernel
def is_dynamic(tags: Ints, joints: Joints, e: int) -> bool:
    """Does entry e move as forces will? Bodies of a linkage that have been stopped are static."""
    i = joints.entries[e, ENTRY_BODY]
    return i >= 0 and tags[i, KIND] == FREE


@kernel
def hangs_free(tags: Ints, joints: Joints, link: int) -> bool:
    """Does a linkage hang on nothing static, nothing kinematic, and not on the world?"""
    first = joints.linkages[link, FIRST_ENTRY]
    fixed = 0
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        fixed += not is_dynamic(tags, joints, e)
    return fixed == 0


@kernel
def is_tree(tags: Ints, joints: Joints, link: int) -> bool:
    """Does a linkage move in joint coordinates? Not if a body of it has been stopped."""
    if joints.trees.trees[link, LINKS] == 0:
        return False
    first = joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        if joints.entries[e, ENTRY_FREE] == 1 and tags[joints.entries[e, ENTRY_BODY], KIND] != FREE:
            return False
    return True


@kernel
def place_entry(bodies: Floats, tags: Ints, arcs: Floats, joints: Joints, flow: Floats, e: int, t: float) -> None:
    """Pose and velocities of entry e at time t."""
    i = joints.entries[e, ENTRY_BODY]
    x = v = w = (0.0, 0.0, 0.0)
    q = (1.0, 0.0, 0.0, 0.0)
    if i >= 0:
        x, q, v, w = evolve(bodies, tags, arcs, i, t)
    for k in range(3):
        flow[e, POSE + k], flow[e, FLOW_V + k], flow[e, FLOW_W + k] = x[k], v[k], w[k]
    for k in range(4):
        flow[e, POSE + 3 + k] = q[k]


@kernel
def load_masses(bodies: Floats, joints: Joints, flow: Floats, link: int) -> None:
    """Inverse masses and inertias of all entries of a linkage as they are turned now."""
    first = joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        i = joints.entries[e, ENTRY_BODY]
        flow[e, FLOW_INV_M] = bodies[i, INV_MASS] if i >= 0 else 0.0
        if flow[e, FLOW_INV_M] == 0.0:
            for k in range(9):
                flow[e, FLOW_INV_I + k] = 0.0
            continue
        m = entry_matrix(flow, e)
        for r in range(3):
            for c in range(r + 1):
                s = 0.0
                for k in range(3):
                    s += m[3 * r + k] * bodies[i, INV_MOMENTS + k] * m[3 * c + k]
                flow[e, FLOW_INV_I + 3 * r + c] = s
                flow[e, FLOW_INV_I + 3 * c + r] = s


@linked_kernel
def fill_rows(joints: Joints, flow: Floats, rows: Floats, link: int) -> None:
    """All rows of a linkage for the poses and velocities of its entries."""
    first = joints.linkages[link, FIRST_JOINT]
    for j in range(first, first + joints.linkages[link, JOINTS]):
        _fill_joint(joints, flow, rows, j)


@kernel
def _fill_joint(joints: Joints, flow: Floats, rows: Floats, j: int) -> None:
    frames = joints.frames
    a, b = joints.joints[j, ENTRY_A], joints.joints[j, ENTRY_B]
    row = joints.joints[j, FIRST_ROW]
    m_a, m_b = entry_matrix(flow, a), entry_matrix(flow, b)
    w_a, w_b = vector_at(flow, a, FLOW_W), vector_at(flow, b, FLOW_W)
    r_a, r_b = turn(m_a, vector_at(frames, j, ANCHOR_A)), turn(m_b, vector_at(frames, j, ANCHOR_B))
    spin_a, spin_b = cross(w_a, r_a), cross(w_b, r_b)
    d = away = swing = (0.0, 0.0, 0.0)
    x_a, x_b, v_a, v_b = (
        vector_at(flow, a, POSE),
        vector_at(flow, b, POSE),
        vector_at(flow, a, FLOW_V),
        vector_at(flow, b, FLOW_V),
    )
    d = (x_b[0] - x_a[0] + r_b[0] - r_a[0], x_b[1] - x_a[1] + r_b[1] - r_a[1], x_b[2] - x_a[2] + r_b[2] - r_a[2])
    away = sub(sub(v_b, v_a), sub(spin_a, spin_b))
    swing = sub(cross(w_b, spin_b), cross(w_a, spin_a))
    to_b = (r_a[0] + d[0], r_a[1] + d[1], r_a[2] + d[2])
    kind, lock = joints.joints[j, JOINT_KIND], joints.joints[j, LOCK_ROW]
    first = 2 if kind == PLANAR else 0
    for k in range(first, first + joints.joints[j, LINEAR]):
        if row == lock and rows[row, LOCKS] == 0.0:
            _clear_row(rows, row)
            row += 1
            continue
        n = turn(m_a, vector_at(frames, j, AXES_A + 3 * k))
        turning = cross(w_a, n)
        bias = dot(n, swing) + 2.0 * dot(turning, away) + dot(cross(w_a, turning), d)
        error = dot(n, d) - (rows[row, LOCKS_AT] if row == lock else 0.0)
        _write_row(flow, rows, row, a, b, n, cross(n, to_b), cross(r_b, n), error, bias)
        row += 1
    for k in range(joints.joints[j, ANGULAR]):
        if row == lock:
            _lock_turn(flow, rows, joints, j, m_a, m_b)
            break
        p = turn(m_a, vector_at(frames, j, AXES_A + (6 if k < 2 else 0)))
        r = turn(m_b, vector_at(frames, j, AXES_B + (0 if k == 0 else 3)))
        lever = cross(p, r)
        moving = cross(cross(w_a, p), r)
        other = cross(p, cross(w_b, r))
        bias = dot((moving[0] + other[0], moving[1] + other[1], moving[2] + other[2]), sub(w_a, w_b))
        minus = (-lever[0], -lever[1], -lever[2])
        _write_row(flow, rows, row, a, b, (0.0, 0.0, 0.0), lever, minus, dot(p, r), bias)
        row += 1


@kernel
def _lock_turn(flow: Floats, rows: Floats, joints: Joints, j: int, m_a: Matrix, m_b: Matrix) -> None:
    """The lock of a hinge, its last row: u . (w_b - w_a), and the angle less that at which it holds."""
    a, b, row = joints.joints[j, ENTRY_A], joints.joints[j, ENTRY_B], joints.joints[j, LOCK_ROW]
    if rows[row, LOCKS] == 0.0:
        _clear_row(rows, row)
        return
    u = turn(m_a, vector_at(joints.frames, j, AXES_A + 6))
    w_a, w_b = vector_at(flow, a, FLOW_W), vector_at(flow, b, FLOW_W)
    off = hinge_angle(joints.frames, j, m_a, m_b) - rows[row, LOCKS_AT]
    off -= 2.0 * pi * floor(off / (2.0 * pi) + 0.5)
    minus = (-u[0], -u[1], -u[2])
    _write_row(flow, rows, row, a, b, (0.0, 0.0, 0.0), minus, u, off, dot(cross(w_a, u), sub(w_b, w_a)))


@kernel
def hinge_angle(frames: Floats, j: int, m_a: Matrix, m_b: Matrix) -> float:
    """Angle of the second body of hinge j against the first, -pi .. pi [rad]."""
    s, t = turn(m_a, vector_at(frames, j, AXES_A)), turn(m_a, vector_at(frames, j, AXES_A + 3))
    across = turn(m_b, vector_at(frames, j, AXES_B))
    return atan2(dot(across, t), dot(across, s))


@kernel
def _clear_row(rows: Floats, row: int) -> None:
    """A row that asks for nothing."""
    for k in range(SOLUTION):
        rows[row, k] = 0.0


@kernel
def _write_row(
    flow: Floats, rows: Floats, row: int, a: int, b: int, n: Vec3, lever_a: Vec3, lever_b: Vec3, c: float, bias: float
) -> None:
    rows[row, ERROR], rows[row, BIAS], rows[row, AIM] = c, bias, 0.0
    for k in range(3):
        rows[row, LINE + k], rows[row, LEVER_A + k], rows[row, LEVER_B + k] = n[k], lever_a[k], lever_b[k]
        at = FLOW_INV_I + 3 * k
        rows[row, INV_I_LEVER_A + k] = (
            flow[a, at] * lever_a[0] + flow[a, at + 1] * lever_a[1] + flow[a, at + 2] * lever_a[2]
        )
        rows[row, INV_I_LEVER_B + k] = (
            flow[b, at] * lever_b[0] + flow[b, at + 1] * lever_b[1] + flow[b, at + 2] * lever_b[2]
        )


@kernel
def row_rate(flow: Floats, rows: Floats, row: int, a: int, b: int, v: int) -> float:
    """C' of a row between entries a and b for the twists in columns v.. of the flow (or C'' less its bias)."""
    total = 0.0
    for k in range(3):
        total += (
            rows[row, LINE + k] * (flow[b, v + k] - flow[a, v + k])
            + rows[row, LEVER_A + k] * flow[a, v + 3 + k]
            + rows[row, LEVER_B + k] * flow[b, v + 3 + k]
        )
    return total


@kernel
def prescribed_rate(flow: Floats, rows: Floats, row: int, a: int, b: int) -> float:
    """The part of C' that is prescribed by static and kinematic sides."""
    total = 0.0
    for k in range(3):
        if flow[a, FLOW_INV_M] == 0.0:
            total += rows[row, LEVER_A + k] * flow[a, FLOW_W + k] - rows[row, LINE + k] * flow[a, FLOW_V + k]
        if flow[b, FLOW_INV_M] == 0.0:
            total += rows[row, LEVER_B + k] * flow[b, FLOW_W + k] + rows[row, LINE + k] * flow[b, FLOW_V + k]
    return total


@kernel
def apply_row(flow: Floats, rows: Floats, row: int, a: int, b: int, p: float, v: int) -> None:
    """Change the twists in columns v.. by the impulse p of a row (or accelerations by a force)."""
    to_a, to_b = p * flow[a, FLOW_INV_M], p * flow[b, FLOW_INV_M]
    for k in range(3):
        flow[a, v + k] -= to_a * rows[row, LINE + k]
        flow[b, v + k] += to_b * rows[row, LINE + k]
        flow[a, v + 3 + k] += p * rows[row, INV_I_LEVER_A + k]
        flow[b, v + 3 + k] += p * rows[row, INV_I_LEVER_B + k]


@kernel
def factor_linkage(joints: Joints, flow: Floats, rows: Floats, values: Floats, link: int) -> None:
    """A = J M^-1 J^T of a linkage whose rows are filled, factored."""
    skyline = joints.skyline
    first, count = joints.linkages[link, LINKAGE_ROW], joints.linkages[link, ROWS]
    for i in range(first, first + count):
        for j in range(skyline[i, START], i + 1):
            values[skyline[i, OFFSET] + j] = 0.0
    begin = joints.linkages[link, FIRST_COUPLE]
    for c in range(begin, begin + joints.linkages[link, COUPLES]):
        _add_couple(joints, flow, rows, values, c)
    factor_skyline(skyline, values, first, count)


@kernel
def _add_couple(joints: Joints, flow: Floats, rows: Floats, values: Floats, c: int) -> None:
    couples, tags = joints.couples, joints.joints
    one, other = couples[c, COUPLE_JOINT], couples[c, COUPLE_OTHER]
    side, other_side = couples[c, COUPLE_SIDE], couples[c, COUPLE_OTHER_SIDE]
    weight = flow[couples[c, COUPLE_ENTRY], FLOW_INV_M]
    if side != other_side:
        weight = -weight
    lever = LEVER_A if side == 0 else LEVER_B
    inv_lever = INV_I_LEVER_A if other_side == 0 else INV_I_LEVER_B
    first, last = tags[other, FIRST_ROW], tags[other, FIRST_ROW] + tags[other, LINEAR] + tags[other, ANGULAR]
    for i in range(tags[one, FIRST_ROW], tags[one, FIRST_ROW] + tags[one, LINEAR] + tags[one, ANGULAR]):
        at = joints.skyline[i, OFFSET]
        for j in range(first, min(last, i + 1)):
            s = 0.0
            for k in range(3):
                s += weight * rows[i, LINE + k] * rows[j, LINE + k] + rows[i, lever + k] * rows[j, inv_lever + k]
            values[at + j] += s


@kernel
def most_lacking(joints: Joints, flow: Floats, rows: Floats, link: int) -> float:
    """The largest C' of a linkage's rows."""
    most = 0.0
    first = joints.linkages[link, FIRST_JOINT]
    for j in range(first, first + joints.linkages[link, JOINTS]):
        a, b, row = joints.joints[j, ENTRY_A], joints.joints[j, ENTRY_B], joints.joints[j, FIRST_ROW]
        for r in range(row, row + joints.joints[j, LINEAR] + joints.joints[j, ANGULAR]):
            most = max(most, abs(row_rate(flow, rows, r, a, b, FLOW_V)))
    return most


@kernel
def solve_rates(joints: Joints, flow: Floats, rows: Floats, values: Floats, link: int, v: int, small: float) -> float:
    """Change the twists in columns v.. so that every C' is what its row aims at, but for `small`.

    Likewise accelerations, if rows aim at minus their bias, and shifts, if they aim at minus their error; then small is
    a part of the largest. Rows have in TAKEN the impulses that do it. Returns the work [J] that static and kinematic
    sides put in, of velocities.
    """
    first = joints.linkages[link, FIRST_JOINT]
    after = first + joints.linkages[link, JOINTS]
    begin, count = joints.linkages[link, LINKAGE_ROW], joints.linkages[link, ROWS]
    for r in range(begin, begin + count):
        rows[r, TAKEN] = 0.0
    velocities = v == FLOW_V
    work = 0.0
    for iteration in range(_PASSES):
        most = 0.0
        for j in range(first, after):
            a, b, row = joints.joints[j, ENTRY_A], joints.joints[j, ENTRY_B], joints.joints[j, FIRST_ROW]
            for r in range(row, row + joints.joints[j, LINEAR] + joints.joints[j, ANGULAR]):
                lacking = rows[r, AIM] - row_rate(flow, rows, r, a, b, v)
                rows[r, SOLUTION] = lacking
                most = max(most, abs(lacking))
        if iteration == 0 and not velocities:
            small *= most
        if most <= small:
            break
        solve_skyline(joints.skyline, values, begin, count, rows, SOLUTION)
        for j in range(first, after):
            a, b, row = joints.joints[j, ENTRY_A], joints.joints[j, ENTRY_B], joints.joints[j, FIRST_ROW]
            for r in range(row, row + joints.joints[j, LINEAR] + joints.joints[j, ANGULAR]):
                apply_row(flow, rows, r, a, b, rows[r, SOLUTION], v)
                rows[r, TAKEN] += rows[r, SOLUTION]
                if velocities:
                    work -= rows[r, SOLUTION] * prescribed_rate(flow, rows, r, a, b)
    return work
