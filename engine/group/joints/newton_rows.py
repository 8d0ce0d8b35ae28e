"""Joints in Newton's method: what keeps its velocities on them.

Rows of joints are very stiff springs in its matrix, beside those of contact points. What these still give way, and what
joints bear of its residual, is taken out exactly: both go to the nearest, by mass, that the joints allow.
"""

from __future__ import annotations

from engine.group.work import INERTIA, LINKAGES, NEWTON_STEP, RESIDUAL, Work
from engine.joints.response import clear_changes, push_entry, spread_changes
from engine.joints.tables import (
    CHANGE,
    FLOW_INV_M,
    INV_I_LEVER_A,
    INV_I_LEVER_B,
    LEVER_A,
    LEVER_B,
    LINE,
    Linked,
)
from engine.kernel import kernel
from engine.maths.skyline import OFFSET
from engine.maths.vectors import Vec3, dot, vector_at
from engine.model.joints import (
    ANGULAR,
    ENTRIES,
    ENTRY_A,
    ENTRY_B,
    ENTRY_BODY,
    FIRST_ENTRY,
    FIRST_JOINT,
    FIRST_ROW,
    JOINTS,
    LINEAR,
    Joints,
)
from engine.model.model import MASS, Floats, Model
from engine.tolerances import STIFF_JOINT


@kernel
def hold_residual(model: Model, work: Work) -> None:
    """Take from the residual what joints bear of it."""
    for n in range(work.sizes[LINKAGES]):
        link = work.linkage[n]
        linked = Linked(model.joints, work.flow, work.rows, work.values)
        clear_changes(linked, link)
        first = model.joints.linkages[link, FIRST_ENTRY]
        last = first + model.joints.linkages[link, ENTRIES]
        for e in range(first, last):
            if work.tied[e] >= 0:
                row = 6 * work.place[work.tied[e]]
                push_entry(linked, e, _unknown(work.unknown, row, RESIDUAL), _unknown(work.unknown, row + 3, RESIDUAL))
        spread_changes(linked, link)
        for e in range(first, last):
            at = work.tied[e]
            if at >= 0:
                mass, row = model.bodies[model.joints.entries[e, ENTRY_BODY], MASS], 6 * work.place[at]
                turn = vector_at(work.flow, e, CHANGE + 3)
                for c in range(3):
                    work.unknown[row + c, RESIDUAL] = mass * work.flow[e, CHANGE + c]
                    work.unknown[row + 3 + c, RESIDUAL] = dot(vector_at(work.poses, at, INERTIA + 3 * c), turn)


@kernel
def hold_step(joints: Joints, work: Work) -> None:
    """Take from a step of velocities what would open joints."""
    for n in range(work.sizes[LINKAGES]):
        link = work.linkage[n]
        first = joints.linkages[link, FIRST_ENTRY]
        last = first + joints.linkages[link, ENTRIES]
        for e in range(first, last):
            for c in range(6):
                at = work.tied[e]
                work.flow[e, CHANGE + c] = work.unknown[6 * work.place[at] + c, NEWTON_STEP] if at >= 0 else 0.0
        spread_changes(Linked(joints, work.flow, work.rows, work.values), link)
        for e in range(first, last):
            if work.tied[e] >= 0:
                for c in range(6):
                    work.unknown[6 * work.place[work.tied[e]] + c, NEWTON_STEP] = work.flow[e, CHANGE + c]


@kernel
def _unknown(unknown: Floats, row: int, column: int) -> Vec3:
    return (unknown[row, column], unknown[row + 1, column], unknown[row + 2, column])


@kernel
def add_joints(joints: Joints, work: Work) -> None:
    """Add the springs of all joints, J^T S J, to the matrix, below its diagonal."""
    for n in range(work.sizes[LINKAGES]):
        first = joints.linkages[work.linkage[n], FIRST_JOINT]
        for j in range(first, first + joints.linkages[work.linkage[n], JOINTS]):
            row = joints.joints[j, FIRST_ROW]
            for r in range(row, row + joints.joints[j, LINEAR] + joints.joints[j, ANGULAR]):
                _add_row(work, r, joints.joints[j, ENTRY_A], joints.joints[j, ENTRY_B])


@kernel
def _add_row(work: Work, r: int, a: int, b: int) -> None:
    flow, rows = work.flow, work.rows
    line = vector_at(rows, r, LINE)
    own = dot(line, line) * (flow[a, FLOW_INV_M] + flow[b, FLOW_INV_M])
    own += dot(vector_at(rows, r, LEVER_A), vector_at(rows, r, INV_I_LEVER_A))
    own += dot(vector_at(rows, r, LEVER_B), vector_at(rows, r, INV_I_LEVER_B))
    if own == 0.0:  # a lock that does not hold
        return
    for one in range(2):
        for other in range(2):
            at = work.tied[a if one == 0 else b]
            by = work.tied[a if other == 0 else b]
            if at >= 0 and by >= 0 and work.place[at] >= work.place[by]:
                _add_square(work, r, STIFF_JOINT / own, one, other, (work.place[at], work.place[by]))


@kernel
def _add_square(work: Work, r: int, stiff: float, one: int, other: int, places: tuple[int, int]) -> None:
    rows, fill, matrix = work.rows, work.fill, work.matrix
    row, column = 6 * places[0], 6 * places[1]
    for i in range(6):
        left = stiff * _entry_of(rows, r, one, i)
        for k in range(i + 1 if row == column else 6):
            matrix[fill[row + i, OFFSET] + column + k] += left * _entry_of(rows, r, other, k)


@kernel
def _entry_of(rows: Floats, r: int, side: int, c: int) -> float:
    """An entry of row r of J, of a (side 0) or b."""
    if c < 3:
        return rows[r, LINE + c] if side == 1 else -rows[r, LINE + c]
    return rows[r, (LEVER_B if side == 1 else LEVER_A) + c - 3]
