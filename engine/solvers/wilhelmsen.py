"""Wilhelmsen's nearest point in a cone: λ >= 0 such that ‖Jᵀ λ - s‖ is least (Wilhelmsen 1976; Redon 2002, 11).

`solve_wilhelmsen(J, s, start, point, tolerance, limit, trace)`, J (m, d) as `dense_rows` or `sparse_rows`.

This is the problem of w = A λ + b >= 0, λ >= 0, λ · w = 0 with A = J Jᵀ and b = -J s, in motion space: all that the
method keeps is λ and y = Jᵀ λ, the point of the cone, of as many numbers as there are degrees of freedom. The m entries
of w = J (y - s) are never kept; one by one they are looked at for the row that best leads on towards s.

That row joins the active set F. Then y moves towards the point nearest to s in the span of F; a row whose λ falls to 0
on the way leaves, and y goes on from there. The distance only ever falls, so no set is met twice, and there always is a
solution: where b is not in the range of A there is none to give, and J and s cannot say so.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from engine.arrays import Bools, Floats, Ints
from engine.kernel import array_kernel, kernel
from engine.solvers.index_set import (
    IndexSet,
    add_index,
    make_index_set,
    remove_index,
    schur_complement,
    solve_both,
    solve_lower,
    solve_upper,
)
from engine.solvers.linear import is_finite, not_finite
from engine.solvers.rows import Rows, add_row, dot_row, multiply_rows
from engine.solvers.solution import ITERATION_LIMIT, SOLVED, Solution, Trace, lcp_residual, note_iteration

NOISE = 4e-15
"""Sums are zero when they are this small beside what was added [1]."""

DEPENDENT = 2e-17
"""A Schur complement is zero when it is this small beside the square of what the row is made of [1]."""

REFINEMENTS = 3
"""Moves without a new row before the end, which a factor near a singular one needs [1]."""


class Cone(NamedTuple):
    """The state of the method: m rows of d entries."""

    x: Floats
    """(m,) λ."""
    size: Floats
    """(m,) lengths of the rows."""
    left: Bools
    """(m,) depends on the rows of F, or was refused by them: not to be tried again until y has moved."""
    y: Floats
    """(d,) Jᵀ λ."""
    rest: Floats
    """(d,) s - y."""
    row: Floats
    """(d,) the row that is about to join."""
    z: Floats
    """(min(m, d),) change of λ on F, in its order."""
    column: Floats
    """(min(m, d),) R⁻ᵀ J_F times the row that is about to join."""


@array_kernel
def make_cone(J: Rows, s: Floats, point: Floats) -> Cone:
    """The method before its first move: λ = 0, and y = 0 in `point`."""
    m, d = J.starts.shape[0] - 1, s.shape[0]
    most = min(m, d)
    C = Cone(
        np.zeros(m), np.empty(m), np.zeros(m, np.bool_), point, s.copy(), np.empty(d), np.empty(most), np.empty(most)
    )
    for k in range(m):
        C.size[k] = row_length(J, k)
    return C


@kernel
def place_point(J: Rows, s: Floats, F: IndexSet, C: Cone) -> None:
    """y and s - y of λ, summed anew: nothing gathers from pivot to pivot."""
    for j in range(s.shape[0]):
        C.y[j] = 0.0
    for i in range(F.members[0]):
        k = F.order[i]
        add_row(J, k, C.x[k], C.y)
    for j in range(s.shape[0]):
        C.rest[j] = s[j] - C.y[j]


@kernel
def best_row(J: Rows, s: Floats, F: IndexSet, C: Cone) -> int:
    """The row at the least angle to s - y, of those that lead towards s beyond rounding; -1 if none does."""
    total = 0.0
    for j in range(s.shape[0]):
        total += s[j] * s[j]
    total = sqrt(total)
    for i in range(F.members[0]):
        k = F.order[i]
        total += C.size[k] * C.x[k]
    best = -1
    most = NOISE * total
    for k in range(C.x.shape[0]):
        if F.position[k] >= 0 or C.left[k]:
            continue
        gain = dot_row(J, k, C.rest)
        if gain > most * C.size[k]:
            best, most = k, gain / C.size[k]
    return best


@kernel
def try_to_join(J: Rows, F: IndexSet, C: Cone, k: int) -> bool:
    """Row k joins F unless it depends on the rows of F, to rounding."""
    count = F.members[0]
    if count == C.z.shape[0]:
        return False
    for j in range(C.row.shape[0]):
        C.row[j] = 0.0
    add_row(J, k, 1.0, C.row)
    for i in range(count):
        C.column[i] = dot_row(J, F.order[i], C.row)
    solve_lower(F, C.column)
    rest = schur_complement(F, C.column, C.size[k] * C.size[k])
    for i in range(count):
        C.z[i] = C.column[i]
    solve_upper(F, C.z)
    total = C.size[k]
    for i in range(count):
        total += C.size[F.order[i]] * abs(C.z[i])
    if rest <= DEPENDENT * total * total:
        return False
    add_index(F, k, C.column, rest)
    return True


@kernel
def move_towards(J: Rows, s: Floats, F: IndexSet, C: Cone) -> bool:
    """y goes to the nearest point in the span of F, or until a λ is 0: those leave F. Whether it has arrived."""
    count = F.members[0]
    for i in range(count):
        C.z[i] = dot_row(J, F.order[i], C.rest)
    solve_both(F, C.z)
    step = 1.0
    for i in range(count):
        k = F.order[i]
        if C.x[k] + C.z[i] < 0.0 and C.x[k] < -step * C.z[i]:
            step = C.x[k] / -C.z[i]
    for i in range(count):
        k = F.order[i]
        at = C.x[k] + step * C.z[i]
        C.x[k] = at if at > 0.0 else 0.0
        if C.z[i] < 0.0 and step < 1.0 and at <= NOISE * -C.z[i]:
            C.x[k] = 0.0
    arrived = True
    for i in range(count - 1, -1, -1):
        k = F.order[i]
        if step < 1.0 and C.x[k] == 0.0:
            remove_index(F, k)
            arrived = False
    place_point(J, s, F, C)
    return arrived


@array_kernel
def solve_wilhelmsen(
    J: Rows, s: Floats, start: Ints, point: Floats, tolerance: float, limit: int, trace: Trace
) -> Solution:
    """λ as x and w = J (Jᵀ λ - s) for J (m, d), s (d,), after at most `limit` moves of the point.

    `start`: a warm start, the rows thought active, (0,) for none. `point`, (d,), receives Jᵀ λ: the bodies' motion is
    Q⁻¹ times it, added to the free one (Redon 2002, 9). SOLVED: the residual is at most `tolerance`.
    """
    m, d = J.starts.shape[0] - 1, s.shape[0]
    b = np.empty(m)
    multiply_rows(J, s, b)
    for k in range(m):
        b[k] = -b[k]
    point[:] = 0.0
    if not (is_finite(J.values) and is_finite(s)):
        return not_finite(b, 0)
    F = make_index_set(m, min(m, d))
    C = make_cone(J, s, point)
    w = np.empty(m)
    for i in range(start.shape[0]):
        if 0 <= start[i] < m and F.position[start[i]] < 0:
            try_to_join(J, F, C, start[i])
    moves = 0
    refined = 0
    moving = F.members[0] > 0
    while moves < limit:
        joined = -1
        if not moving:
            joined = best_row(J, s, F, C)
            if joined < 0 and refined == REFINEMENTS:
                break
            if joined < 0:
                refined += 1
                moving = not move_towards(J, s, F, C)
                continue
            if not try_to_join(J, F, C, joined):
                C.left[joined] = True
                continue
            refined = 0
        moves += 1
        moving = not move_towards(J, s, F, C)
        if joined >= 0:
            refused = F.position[joined] < 0
            for k in range(m):
                C.left[k] = refused and (C.left[k] or k == joined)
        if trace.residual.shape[0] > trace.rows[0]:
            multiply_rest(J, C, w)
            note_iteration(trace, C.x, w, lcp_residual(C.x, w, b), joined)
    multiply_rest(J, C, w)
    if not (is_finite(C.x) and is_finite(w)):
        return not_finite(b, moves)
    residual = lcp_residual(C.x, w, b)
    return Solution(C.x, w, SOLVED if residual <= tolerance else ITERATION_LIMIT, residual, moves)


@kernel
def row_length(J: Rows, k: int) -> float:
    """‖J_k‖."""
    total = 0.0
    for e in range(J.starts[k], J.starts[k + 1]):
        total += J.values[e] * J.values[e]
    return sqrt(total)


@kernel
def multiply_rest(J: Rows, C: Cone, w: Floats) -> None:
    """w = J (y - s)."""
    for k in range(w.shape[0]):
        w[k] = -dot_row(J, k, C.rest)
