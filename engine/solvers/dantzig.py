"""Cottle and Dantzig's algorithm: x >= 0, w = A x + b >= 0, x · w = 0 for symmetric, positive semi-definite A.

`solve_dantzig(A, b, start, tolerance, limit, trace)`, A as `dense_rows` or `sparse_rows` of `engine.solvers.rows`.

The contacts that break w >= 0 are driven one after the other, the worst first (Baraff 1994, 4.2). While x_d rises, the
other forces change so that w = 0 stays true on the active set F of those with x > 0; a force that falls to 0 leaves F,
and one of those driven before whose w falls to 0 joins it, until w_d itself is 0 and d joins. A solution found so is
basic: F is the index set L of Baraff 1992, sec. 8.2, and given as `start` for the next problem it costs one linear
solve, or the few pivots by which the problems differ.

Of a singular A only rows that are independent are factored. With b in the range of A, a row that depends on those of F
has w = 0 with them, and is left as it is. Otherwise there may be forces z >= 0 with A z = 0 and b · z < 0, and the
problem has no solution. Ties go to the least index (Chang 1979); whatever rounding does, `limit` ends it.
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
from engine.solvers.linear import is_finite, largest_entry, not_finite
from engine.solvers.rows import Rows, add_row, diagonal_entry, dot_row, pick_row
from engine.solvers.solution import (
    INFEASIBLE,
    ITERATION_LIMIT,
    SINGULAR,
    SOLVED,
    Solution,
    Trace,
    lcp_residual,
    note_iteration,
)

NOISE = 1e-13
"""Sums are zero when they are this small beside what was added [1]."""

DEPENDENT = 2e-15
"""A Schur complement is zero when it is this small beside the square of what the row is made of [1]."""

BOLD = 0.0001
"""The share of DEPENDENT that is enough where a mistake is found out: a repair only takes steps that lead down [1]."""

PROOF = 1e-6
"""b · z is negative when it is this large beside what was added [1]: A z = 0 holds to the root of DEPENDENT only."""

TIE = 1e-9
"""Steps nearer than this beside the larger are equal [1]."""

REFINEMENTS = 3
"""Steps of a repair without a new contact before its end, which a factor near a singular one needs [1]."""

DONE, JOINED, LEFT, STUCK, PROVED, BROKEN = 0, 1, 2, 3, 4, 5
"""How a pivot ended: w_d is 0; another joined F; one left; nothing can be done; no solution; A is not as promised."""


class Drive(NamedTuple):
    """The state of the method."""

    x: Floats
    w: Floats
    size: Floats
    """(n,) sqrt(A_ii): what forces and accelerations are measured by, so that units and masses do not matter."""
    driven: Bools
    """(n,) was brought to x >= 0, w >= 0 and is kept there."""
    left: Bools
    """(n,) could not be driven: its row depends on those of F, and its w is what rounding made of 0."""
    z: Floats
    """(n,) change of x on F, in its order."""
    dw: Floats
    """(n,) change of w."""
    column: Floats
    """(n,) R⁻ᵀ A_Fk of an index that is about to join."""


@kernel
def try_to_join(A: Rows, F: IndexSet, D: Drive, k: int, share: float) -> bool:
    """k joins F unless its row depends on those of F, to a share of what rounding could do."""
    pick_row(A, k, F.order, F.position, F.members[0], D.column)
    solve_lower(F, D.column)
    rest = schur_complement(F, D.column, D.size[k] * D.size[k])
    count = F.members[0]
    for i in range(count):
        D.z[i] = D.column[i]
    solve_upper(F, D.z)
    if rest <= share * dependence(F, D, k):
        return False
    add_index(F, k, D.column, rest)
    return True


@kernel
def dependence(F: IndexSet, D: Drive, k: int) -> float:
    """The Schur complement of k that rounding can make of 0, given the coefficients of its row by those of F in z."""
    total = D.size[k]
    for i in range(F.members[0]):
        total += D.size[F.order[i]] * abs(D.z[i])
    return DEPENDENT * total * total


@kernel
def solve_on_set(A: Rows, b: Floats, F: IndexSet, D: Drive) -> None:
    """x_F with w_F = 0, twice refined; other x are 0."""
    count = F.members[0]
    for k in range(b.shape[0]):
        D.x[k] = 0.0
    for _ in range(3):
        for i in range(count):
            k = F.order[i]
            D.z[i] = -b[k] - dot_row(A, k, D.x)
        solve_both(F, D.z)
        for i in range(count):
            D.x[F.order[i]] += D.z[i]


@kernel
def settle(A: Rows, b: Floats, F: IndexSet, D: Drive) -> None:
    """x of F alone, w of x; what would have x < 0 leaves F before. Only those of F count as driven."""
    n = b.shape[0]
    while True:
        solve_on_set(A, b, F, D)
        largest = 0.0
        for k in range(n):
            largest = max(largest, D.size[k] * abs(D.x[k]))
        before = F.members[0]
        for k in range(n):
            if D.x[k] < 0.0 and D.size[k] * D.x[k] < -NOISE * largest:
                remove_index(F, k)
        if F.members[0] == before:
            break
    total = 0.0
    for k in range(n):
        D.x[k] = max(D.x[k], 0.0)
        total += D.size[k] * D.x[k]
    for k in range(n):
        D.w[k] = b[k] + dot_row(A, k, D.x)
        D.driven[k] = F.position[k] >= 0
        D.left[k] = False


@kernel
def worst_contact(b: Floats, D: Drive, tolerance: float) -> int:
    """The contact to be driven: that of the most negative w beside its size; -1 if all w >= 0 to rounding.

    Where forces are so large that rounding may be no excuse, w >= 0 must hold to a part of the tolerance.
    """
    forces = 0.0
    allowed = 0.25 * tolerance * (1.0 + largest_entry(b))
    for k in range(b.shape[0]):
        forces += D.size[k] * D.x[k]
    worst = -1
    least = 0.0
    for k in range(b.shape[0]):
        if D.driven[k] or D.left[k] or D.w[k] >= -min(allowed, NOISE * (abs(b[k]) + D.size[k] * forces)):
            continue
        if D.size[k] == 0.0:
            return k
        if D.w[k] / D.size[k] < least:
            worst, least = k, D.w[k] / D.size[k]
    return worst


@kernel
def find_direction(A: Rows, F: IndexSet, D: Drive, d: int) -> float:
    """z and dw for x_d rising by 1; the Schur complement of d, which is dw_d but for rounding."""
    count = F.members[0]
    pick_row(A, d, F.order, F.position, count, D.column)
    solve_lower(F, D.column)
    rest = schur_complement(F, D.column, D.size[d] * D.size[d])
    for i in range(count):
        D.z[i] = D.column[i]
    solve_upper(F, D.z)
    for k in range(D.dw.shape[0]):
        D.dw[k] = 0.0
    add_row(A, d, 1.0, D.dw)
    for i in range(count):
        D.z[i] = -D.z[i]
        add_row(A, F.order[i], D.z[i], D.dw)
    return rest


@kernel
def first_obstacle(F: IndexSet, D: Drive, d: int, step: float) -> tuple[int, float]:
    """The driven contact that stops the rise of x_d before `step`, and where; -1 and `step` if none does."""
    total = D.size[d]
    for i in range(F.members[0]):
        total += D.size[F.order[i]] * abs(D.z[i])
    first = -1
    for k in range(D.x.shape[0]):
        if not D.driven[k] or k == d:
            continue
        place = F.position[k]
        if place >= 0:
            if D.size[k] * D.z[place] >= -NOISE * total:
                continue
            at = D.x[k] / -D.z[place]
        else:
            if D.dw[k] >= -NOISE * D.size[k] * total:
                continue
            at = max(D.w[k], 0.0) / -D.dw[k]
        if at < step * (1.0 - TIE):
            first, step = k, at
    return first, step


@kernel
def is_unbounded(b: Floats, F: IndexSet, D: Drive, d: int) -> bool:
    """Whether b · z < 0 beyond rounding for forces z with A z = 0: never so where b is in the range of A."""
    total = b[d]
    added = abs(b[d])
    for i in range(F.members[0]):
        total += b[F.order[i]] * D.z[i]
        added += abs(b[F.order[i]] * D.z[i])
    return total < -PROOF * added


@kernel
def pivot(A: Rows, b: Floats, F: IndexSet, D: Drive, d: int) -> int:
    """Raise x_d until w_d is 0 or another contact stops it; how it ended."""
    rest = find_direction(A, F, D, d)
    zero = dependence(F, D, d)
    if rest < -zero:
        return BROKEN
    step = -D.w[d] / rest if rest > zero else np.inf
    if rest <= zero and not is_unbounded(b, F, D, d):
        return STUCK
    k, step = first_obstacle(F, D, d, step)
    if step == np.inf:
        return PROVED
    D.x[d] += step
    for i in range(F.members[0]):
        D.x[F.order[i]] += step * D.z[i]
        D.dw[F.order[i]] = 0.0
    for j in range(D.w.shape[0]):
        D.w[j] += step * D.dw[j]
    if k < 0:
        D.w[d] = 0.0
        add_index(F, d, D.column, rest)
        D.driven[d] = True
        return DONE
    if F.position[k] >= 0:
        D.x[k] = 0.0
        remove_index(F, k)
        return LEFT
    D.w[k] = 0.0
    D.driven[k] = try_to_join(A, F, D, k, 1.0)
    return JOINED


@kernel
def drive_all(A: Rows, b: Floats, F: IndexSet, D: Drive, tolerance: float, limit: int, trace: Trace) -> tuple[int, int]:
    """Drive one contact after the other until none is left: the status and the number of pivots."""
    d = worst_contact(b, D, tolerance)
    pivots = 0
    while d >= 0:
        if pivots >= limit:
            return ITERATION_LIMIT, pivots
        pivots += 1
        ended = pivot(A, b, F, D, d)
        note_iteration(trace, D.x, D.w, lcp_residual(D.x, D.w, b), d)
        if ended == PROVED:
            return INFEASIBLE, pivots
        if ended == BROKEN:
            return SINGULAR, pivots
        if ended == STUCK:
            D.left[d] = True
        if ended in (STUCK, DONE):
            d = worst_contact(b, D, tolerance)
    return SOLVED, pivots


@kernel
def descend(A: Rows, b: Floats, F: IndexSet, D: Drive) -> bool:
    """x goes to where w_F = 0, or until a force is 0: those leave F. w is summed anew. Whether it has arrived."""
    count = F.members[0]
    for i in range(count):
        D.z[i] = -b[F.order[i]] - dot_row(A, F.order[i], D.x)
    solve_both(F, D.z)
    step = 1.0
    last = -1
    for i in range(count):
        k = F.order[i]
        if D.x[k] + D.z[i] < 0.0 and D.x[k] < -step * D.z[i]:
            step, last = D.x[k] / -D.z[i], k
    for i in range(count):
        D.x[F.order[i]] = max(D.x[F.order[i]] + step * D.z[i], 0.0)
    if last >= 0:
        D.x[last] = 0.0
        for i in range(count - 1, -1, -1):
            if D.x[F.order[i]] == 0.0:
                remove_index(F, F.order[i])
    for k in range(b.shape[0]):
        D.w[k] = b[k] + dot_row(A, k, D.x)
        D.driven[k] = F.position[k] >= 0
    return last < 0


@kernel
def exchange(A: Rows, F: IndexSet, D: Drive, d: int) -> bool:
    """d takes the place of one of F, given the coefficients z of its row by theirs, if that conditions A_FF better.

    x_d rises and no w changes, until another force is 0. The determinant grows by the square of that one's coefficient.
    """
    last, step = -1, np.inf
    for i in range(F.members[0]):
        k = F.order[i]
        if D.z[i] > 0.0 and D.x[k] < step * D.z[i]:
            last, step = i, D.x[k] / D.z[i]
    if last < 0 or D.size[F.order[last]] * D.z[last] < 1.1 * D.size[d]:
        return False
    for i in range(F.members[0]):
        D.x[F.order[i]] = max(D.x[F.order[i]] - step * D.z[i], 0.0)
    D.x[F.order[last]] = 0.0
    D.x[d] = step
    remove_index(F, F.order[last])
    if not try_to_join(A, F, D, d, BOLD):
        D.x[d] = 0.0
    return True


@kernel
def repair(A: Rows, b: Floats, F: IndexSet, D: Drive, tolerance: float, limit: int, trace: Trace) -> int:
    """Put right what rounding has left of a problem hardly to be told from a singular one: the number of steps.

    A contact with w < 0 joins F and ½ x · A x + b · x falls, as in Wilhelmsen's method: slower, and never misled.
    """
    steps, refined = 0, 0
    arrived = True
    joined = -1
    while steps < limit:
        if arrived:
            joined = worst_contact(b, D, tolerance)
            if joined < 0 and (steps == 0 or refined == REFINEMENTS):
                break
            if joined < 0:
                refined += 1
                arrived = descend(A, b, F, D)
                continue
            if not (try_to_join(A, F, D, joined, BOLD) or exchange(A, F, D, joined)):
                D.left[joined] = True
                continue
            refined = 0
        steps += 1
        arrived = descend(A, b, F, D)
        refused = F.position[joined] < 0
        for k in range(b.shape[0]):
            D.left[k] = refused and (D.left[k] or k == joined)
        note_iteration(trace, D.x, D.w, lcp_residual(D.x, D.w, b), joined)
    return steps


@array_kernel
def solve_dantzig(A: Rows, b: Floats, start: Ints, tolerance: float, limit: int, trace: Trace) -> Solution:
    """The solution for n contacts, A (n, n) and b (n,), after at most `limit` pivots.

    `start`: a warm start, the indices thought active, (0,) for none; wrong ones cost some time. SOLVED: the residual
    is at most `tolerance`, which says nothing where b itself is rounding. INFEASIBLE: proved, x is the best so far.
    SINGULAR: A is not positive semi-definite.
    """
    n = b.shape[0]
    if not (is_finite(A.values) and is_finite(b)):
        return not_finite(b, 0)
    D = make_drive(n)
    F = make_index_set(n, n)
    for k in range(n):
        diagonal = diagonal_entry(A, k)
        D.size[k] = sqrt(max(diagonal, 0.0))
        if diagonal < 0.0:
            return Solution(D.x, b.copy(), SINGULAR, lcp_residual(D.x, b, b), 0)
    for i in range(start.shape[0]):
        if 0 <= start[i] < n and F.position[start[i]] < 0:
            try_to_join(A, F, D, start[i], 1.0)
    settle(A, b, F, D)
    status, pivots = drive_all(A, b, F, D, tolerance, limit - limit // 2, trace)
    settle(A, b, F, D)
    if status in (SOLVED, ITERATION_LIMIT):
        pivots += repair(A, b, F, D, tolerance, limit - pivots, trace)
    if not (is_finite(D.x) and is_finite(D.w)):
        return not_finite(b, pivots)
    residual = lcp_residual(D.x, D.w, b)
    if residual <= tolerance:
        status = SOLVED
    elif status == SOLVED:
        status = ITERATION_LIMIT
    return Solution(D.x, D.w, status, residual, pivots)


@array_kernel
def make_drive(n: int) -> Drive:
    """The state for n contacts."""
    x, w, size, z, dw, column = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    return Drive(x, w, size, np.zeros(n, np.bool_), np.zeros(n, np.bool_), z, dw, column)
