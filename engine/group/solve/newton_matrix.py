"""The linear system of Newton's method: residual, matrix M + J^T G J in its skyline, and the step that they ask for."""

from __future__ import annotations

from math import sqrt

from engine.collision.narrow.frames import matrix_of
from engine.group.work import (
    ARM_A,
    ARM_B,
    BODIES,
    INERTIA,
    INV_M,
    NEWTON_STEP,
    NORMAL_AT,
    Q_ACT,
    RESIDUAL,
    SIDE_A,
    SIDE_B,
    SPRING_IMPULSE,
    SPRING_SLOPE,
    V_MOVED,
    Work,
)
from engine.kernel import kernel
from engine.maths.quaternions import quat_at
from engine.maths.skyline import OFFSET, START, factor_skyline, solve_skyline
from engine.model.model import ARM, INV_MASS, INV_MOMENTS, MASS, MOMENTS, Floats


@kernel
def load_inertia(bodies: Floats, work: Work) -> None:
    """Inertias in world axes; nothing has moved yet."""
    twists, poses = work.twists, work.poses
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        m = matrix_of(quat_at(poses, at, Q_ACT))
        for r in range(3):
            for c in range(3):
                s = 0.0
                for k in range(3):
                    s += m[3 * r + k] * bodies[i, MOMENTS + k] * m[3 * c + k]
                poses[at, INERTIA + 3 * r + c] = s
        for c in range(6):
            twists[at, V_MOVED + c] = 0.0


@kernel
def find_residual(bodies: Floats, work: Work, count: int, impulse: int, axes: int) -> None:
    """J^T (p - p before) - M (v - v before), downhill, into column RESIDUAL, by place."""
    contact, contacts, unknown = work.contact, work.contacts, work.unknown
    for at in range(work.sizes[BODIES]):
        i, row = work.body[at], 6 * work.place[at]
        for r in range(3):
            unknown[row + r, RESIDUAL] = -bodies[i, MASS] * work.twists[at, V_MOVED + r]
            s = 0.0
            for c in range(3):
                s += work.poses[at, INERTIA + 3 * r + c] * work.twists[at, V_MOVED + 3 + c]
            unknown[row + 3 + r, RESIDUAL] = -s
    for k in range(count):
        a, b = contact[k, SIDE_A], contact[k, SIDE_B]
        for axis in range(axes):
            p = work.notes[k, SPRING_IMPULSE + axis] - contacts[k, impulse + axis]
            n = NORMAL_AT + 3 * axis
            if a >= 0:
                row = 6 * work.place[a]
                for c in range(3):
                    unknown[row + c, RESIDUAL] += p * contacts[k, n + c]
                    unknown[row + 3 + c, RESIDUAL] += p * contacts[k, ARM_A + 3 * axis + c]
            if b >= 0:
                row = 6 * work.place[b]
                for c in range(3):
                    unknown[row + c, RESIDUAL] -= p * contacts[k, n + c]
                    unknown[row + 3 + c, RESIDUAL] -= p * contacts[k, ARM_B + 3 * axis + c]


@kernel
def slope_along(work: Work) -> float:
    slope = 0.0
    for i in range(6 * work.sizes[BODIES]):
        slope -= work.unknown[i, RESIDUAL] * work.unknown[i, NEWTON_STEP]
    return slope


@kernel
def residual_speed(bodies: Floats, work: Work) -> float:
    """The most that the residual, as an impulse, would change the velocity of a body's points [m/s]."""
    most = 0.0
    for at in range(work.sizes[BODIES]):
        i, row = work.body[at], 6 * work.place[at]
        linear = angular = 0.0
        for c in range(3):
            linear += work.unknown[row + c, RESIDUAL] ** 2
            angular += work.unknown[row + 3 + c, RESIDUAL] ** 2
        inv_inertia = max(bodies[i, INV_MOMENTS], bodies[i, INV_MOMENTS + 1], bodies[i, INV_MOMENTS + 2])
        most = max(most, sqrt(linear) * bodies[i, INV_MASS] + sqrt(angular) * inv_inertia * bodies[i, ARM])
    return most


@kernel
def assemble(work: Work, count: int, axes: int) -> None:
    """M + J^T G J in its skyline."""
    twists, poses, matrix, fill = work.twists, work.poses, work.matrix, work.fill
    for i in range(6 * work.sizes[BODIES]):
        for j in range(fill[i, START], i + 1):
            matrix[fill[i, OFFSET] + j] = 0.0
    for at in range(work.sizes[BODIES]):
        first = 6 * work.place[at]
        for r in range(3):
            i = first + r
            matrix[fill[i, OFFSET] + i] = 1.0 / twists[at, INV_M]
            i = first + 3 + r
            for c in range(r + 1):
                matrix[fill[i, OFFSET] + first + 3 + c] = poses[at, INERTIA + 3 * r + c]
    for k in range(count):
        if work.notes[k, SPRING_SLOPE] > 0.0:
            _add_point(work, k, axes)


@kernel
def _add_point(work: Work, k: int, axes: int) -> None:
    """J^T G J of point k, below the diagonal."""
    a, b = work.contact[k, SIDE_A], work.contact[k, SIDE_B]
    if a >= 0:
        _load_rows(work, k, 0, ARM_A, axes)
        _add_block(work, work.place[a], 0, work.place[a], 0, 1.0, axes)
    if b >= 0:
        _load_rows(work, k, 1, ARM_B, axes)
        _add_block(work, work.place[b], 1, work.place[b], 1, 1.0, axes)
    if a >= 0 and b >= 0:
        if work.place[a] > work.place[b]:
            _add_block(work, work.place[a], 0, work.place[b], 1, -1.0, axes)
        else:
            _add_block(work, work.place[b], 1, work.place[a], 0, -1.0, axes)


@kernel
def _load_rows(work: Work, k: int, side: int, arm: int, axes: int) -> None:
    """Rows of J of one body at point k into work.block[side], and G times them into work.block[2 + side]."""
    contacts, notes, block = work.contacts, work.notes, work.block
    for axis in range(axes):
        for c in range(3):
            block[side, 6 * axis + c] = contacts[k, NORMAL_AT + 3 * axis + c]
            block[side, 6 * axis + 3 + c] = contacts[k, arm + 3 * axis + c]
    nn, n1, n2 = notes[k, SPRING_SLOPE], notes[k, SPRING_SLOPE + 1], notes[k, SPRING_SLOPE + 2]
    if axes == 1:
        for c in range(6):
            block[2 + side, c] = nn * block[side, c]
        return
    g11, g12, g22 = notes[k, SPRING_SLOPE + 3], notes[k, SPRING_SLOPE + 4], notes[k, SPRING_SLOPE + 5]
    for c in range(6):
        n, s, t = block[side, c], block[side, 6 + c], block[side, 12 + c]
        block[2 + side, c] = nn * n + n1 * s + n2 * t
        block[2 + side, 6 + c] = n1 * n + g11 * s + g12 * t
        block[2 + side, 12 + c] = n2 * n + g12 * s + g22 * t


@kernel
def _add_block(work: Work, place: int, side: int, column: int, other: int, sign: float, axes: int) -> None:
    """Below the diagonal, the rows of one body, transposed, times G times those of the other, or of itself."""
    block, matrix, fill = work.block, work.matrix, work.fill
    for r in range(6):
        to = fill[6 * place + r, OFFSET] + 6 * column
        for axis in range(axes):
            left = sign * block[side, 6 * axis + r]
            for c in range(r + 1 if place == column else 6):
                matrix[to + c] += left * block[2 + other, 6 * axis + c]


@kernel
def solve_for_step(work: Work) -> None:
    count = 6 * work.sizes[BODIES]
    for i in range(count):
        work.unknown[i, NEWTON_STEP] = work.unknown[i, RESIDUAL]
    factor_skyline(work.fill, work.matrix, 0, count)
    solve_skyline(work.fill, work.matrix, 0, count, work.unknown, NEWTON_STEP)
