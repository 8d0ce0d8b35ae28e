"""Lemke's algorithm: x >= 0, w = M x + q >= 0, x · w = 0 for any square M (Baraff 1992, sec. 13.2 and appendix B).

`solve_lemke(M, q, d, twice, tolerance, limit, trace)`, d > 0 the covering vector. Artificial forces d z0 are added to
w, so large that w >= 0; then z0 is driven down along almost complementary bases. It ends where z0 has left, with a
solution, or where nothing limits the unknown that is driven: then x is the unbounded ray z,

    z >= 0, and z_i > 0 implies (M z)_i <= 0      (13-1),

which is a valid set of contact impulses of a planar system with dynamic friction, once scaled until a contact sticks.
In space sliding directions change on the way, and the ray is only a starting point (footnote of 13.1). If M is positive
semi-definite a ray proves that there is no solution; otherwise there may be one all the same.

Ties are broken lexicographically, as if q were q + (ε, ε², ...), so that no basis is met twice.

Every pivot changes the whole dictionary, and adds its rounding. Where M is so near a singular matrix that 16 digits are
not enough for that, the method is as good in twice as many, and ten times as slow.
"""

from __future__ import annotations

from math import frexp, ldexp
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.kernel import array_kernel, kernel
from engine.solvers.linear import (
    factor_lu,
    is_finite,
    is_finite_matrix,
    largest_entry,
    multiply_add,
    not_finite,
    solve_lu,
)
from engine.solvers.solution import (
    ITERATION_LIMIT,
    RAY,
    SINGULAR,
    SOLVED,
    Solution,
    Trace,
    lcp_residual,
    note_iteration,
)
from engine.solvers.twice import add_product, invert

PIVOT, PIVOT_TWICE = 1e-11, 1e-25
"""Smaller entries of a column, beside its largest, are taken for zero [1]: pivoting on them would be noise."""

TIE, TIE_TWICE = 1e-12, 1e-25
"""What differs by less than this beside the largest of its kind is equal [1]."""

LAST_DIGIT = 1e-15
"""What differs by less than this beside itself is equal [1]: comparisons are made in single floats."""


class Dictionary(NamedTuple):
    """basics = T nonbasics + t: n rows, n + 1 columns. Variables are named z_i: i, w_i: n + i, z0: 2 n.

    They are scaled: x = scale z, w of the dictionary is scale w. Thresholds then do not depend on units and masses.
    """

    T: Floats
    """(n, n + 1)."""
    t: Floats
    """(n,) values of the basics; nonbasics are 0."""
    basic: Ints
    """(n,) variable of each row."""
    nonbasic: Ints
    """(n + 1,) variable of each column."""
    place: Ints
    """(2 n + 1,) row of a basic variable, -1 - column of the others."""
    scale: Floats
    """(n,) powers of two near 1 / sqrt(M_ii), so that scaling rounds nothing; 1 where M_ii is 0."""
    T_low: Floats
    """(n, n + 1) what T has beyond the digits of a float; (0, 0) where it has nothing."""
    t_low: Floats
    """(n,) and t."""
    pivot: float
    """PIVOT or PIVOT_TWICE."""
    tie: float
    """TIE or TIE_TWICE."""


@kernel
def start_dictionary(D: Dictionary, M: Floats, q: Floats, d: Floats) -> None:
    """w = M z + d z0 + q."""
    n = q.shape[0]
    for i in range(n):
        D.scale[i] = ldexp(1.0, -(frexp(abs(M[i, i]))[1] // 2))
    for i in range(n):
        for j in range(n):
            D.T[i, j] = D.scale[i] * M[i, j] * D.scale[j]
        D.T[i, n] = D.scale[i] * d[i]
        D.t[i] = D.scale[i] * q[i]
        D.basic[i] = n + i
        D.nonbasic[i] = i
        D.place[n + i] = i
        D.place[i] = -1 - i
        D.t_low[i] = 0.0
    for i in range(D.T_low.shape[0]):
        for j in range(n + 1):
            D.T_low[i, j] = 0.0
    D.nonbasic[n] = 2 * n
    D.place[2 * n] = -1 - n


@kernel
def exchange(D: Dictionary, r: int, c: int) -> None:
    """The basic variable of row r and the nonbasic one of column c change places."""
    if D.T_low.shape[0] > 0:
        eliminate_twice(D, r, c)
    else:
        eliminate(D, r, c)
    leaving, entering = D.basic[r], D.nonbasic[c]
    D.basic[r], D.nonbasic[c] = entering, leaving
    D.place[entering], D.place[leaving] = r, -1 - c


@kernel
def eliminate(D: Dictionary, r: int, c: int) -> None:
    """T and t for an exchange."""
    n = D.t.shape[0]
    T, t = D.T, D.t
    inverse = 1.0 / T[r, c]
    for j in range(n + 1):
        T[r, j] *= -inverse
    T[r, c] = inverse
    t[r] *= -inverse
    for i in range(n):
        factor = T[i, c]
        if i != r and factor != 0.0:
            T[i, c] = 0.0
            for j in range(n + 1):
                T[i, j] += factor * T[r, j]
            t[i] += factor * t[r]


@kernel
def eliminate_twice(D: Dictionary, r: int, c: int) -> None:
    """The same in twice the digits."""
    n = D.t.shape[0]
    T, t, T_low, t_low = D.T, D.t, D.T_low, D.t_low
    inverse, inverse_low = invert(T[r, c], T_low[r, c])
    for j in range(n + 1):
        T[r, j], T_low[r, j] = add_product(0.0, 0.0, T[r, j], T_low[r, j], -inverse, -inverse_low)
    T[r, c], T_low[r, c] = inverse, inverse_low
    t[r], t_low[r] = add_product(0.0, 0.0, t[r], t_low[r], -inverse, -inverse_low)
    for i in range(n):
        factor, low = T[i, c], T_low[i, c]
        if i != r and factor != 0.0:
            T[i, c], T_low[i, c] = 0.0, 0.0
            for j in range(n + 1):
                T[i, j], T_low[i, j] = add_product(T[i, j], T_low[i, j], factor, low, T[r, j], T_low[r, j])
            t[i], t_low[i] = add_product(t[i], t_low[i], factor, low, t[r], t_low[r])


@array_kernel
def rebuild(D: Dictionary, M: Floats, q: Floats, d: Floats) -> None:
    """The same basis, reached anew from M, q and d by the largest pivots that there are, so that rounding is forgotten.

    A variable that no pivot brings in stays out: then rounding had eaten the basis, and this is the nearest there is.
    """
    n = q.shape[0]
    wanted = D.place.copy()
    start_dictionary(D, M, q, d)
    while True:
        r, c = -1, -1
        largest = 0.0
        for j in range(n + 1):
            if wanted[D.nonbasic[j]] < 0:
                continue
            for i in range(n):
                if wanted[D.basic[i]] < 0 and abs(D.T[i, j]) > largest:
                    largest, r, c = abs(D.T[i, j]), i, j
        if r < 0:
            return
        exchange(D, r, c)


@kernel
def comes_first(D: Dictionary, r: int, s: int, c: int) -> bool:
    """Whether row r blocks before row s where both block at once: q is thought to be q + (ε, ε², ...)."""
    n = D.t.shape[0]
    rise_r, rise_s = -D.T[r, c], -D.T[s, c]
    noise = D.tie / rise_r + D.tie / rise_s
    for j in range(n + 1):
        noise = max(noise, D.tie * abs(D.T[r, j]) / rise_r, D.tie * abs(D.T[s, j]) / rise_s)
    for i in range(n):
        place = D.place[n + i]
        if place >= 0:
            of_r = 1.0 if place == r else 0.0
            of_s = 1.0 if place == s else 0.0
        else:
            of_r, of_s = -D.T[r, -1 - place], -D.T[s, -1 - place]
        difference = of_r / rise_r - of_s / rise_s
        if abs(difference) > noise + LAST_DIGIT * abs(of_r / rise_r):
            return difference < 0.0
    return r < s


@kernel
def blocking_row(D: Dictionary, c: int) -> int:
    """The row that first falls to 0 when the variable of column c rises; z0 before any other; -1: none."""
    n = D.t.shape[0]
    largest = 0.0
    noise = 0.0
    for i in range(n):
        largest = max(largest, abs(D.T[i, c]))
        noise = max(noise, D.tie * abs(D.t[i]))
    least = np.inf
    for i in range(n):
        if D.T[i, c] < -D.pivot * largest:
            least = min(least, max(D.t[i], 0.0) / -D.T[i, c])
    best = -1
    for i in range(n):
        if D.T[i, c] < -D.pivot * largest and D.t[i] + least * D.T[i, c] <= noise + LAST_DIGIT * abs(D.t[i]):
            if D.basic[i] == 2 * n:
                return i
            if best < 0 or comes_first(D, i, best, c):
                best = i
    return best


@kernel
def first_row(q: Floats, d: Floats) -> int:
    """The row that z0 enters at, where it must be largest; -1 if it need not enter. Of equal ones the last."""
    row = -1
    most = 0.0
    for i in range(q.shape[0]):
        if q[i] < 0.0 and -q[i] / d[i] >= most:
            row, most = i, -q[i] / d[i]
    return row


@kernel
def read_basics(D: Dictionary, x: Floats) -> None:
    """The x of a dictionary."""
    n = D.t.shape[0]
    for i in range(n):
        place = D.place[i]
        x[i] = max(D.scale[i] * D.t[place], 0.0) if place >= 0 else 0.0


@kernel
def read_ray(D: Dictionary, c: int, x: Floats) -> None:
    """How x grows when the variable of column c rises, its largest entry 1."""
    n = D.t.shape[0]
    for i in range(n):
        place = D.place[i]
        x[i] = max(D.T[place, c], 0.0) if place >= 0 else 0.0
    if D.nonbasic[c] < n:
        x[D.nonbasic[c]] = 1.0
    largest = largest_entry(x)
    for i in range(n):
        x[i] = D.scale[i] * x[i] if x[i] > D.pivot * largest else 0.0
    largest = largest_entry(x)
    for i in range(n):
        x[i] /= largest


@kernel
def ray_residual(z: Floats, Mz: Floats, M: Floats) -> float:
    """How far (13-1) is from holding, beside the largest entry of M: 0 for a ray."""
    worst = 0.0
    scale = 0.0
    for i in range(z.shape[0]):
        if z[i] > 0.0:
            worst = max(worst, Mz[i])
            for j in range(z.shape[0]):
                if z[j] > 0.0:
                    scale = max(scale, abs(M[i, j]))
    return worst / scale if scale > 0.0 else worst


@kernel
def polish(D: Dictionary, M: Floats, q: Floats, x: Floats, r: Floats, y: Floats, free: Ints, rows: Ints) -> None:
    """x from its index set alone, by LU of M with two steps of refinement: pivots have gathered rounding.

    D's memory is used up; its basis says which x are free. x stays what it is where M is singular on them.
    """
    n = q.shape[0]
    f = 0
    for i in range(n):
        if D.place[i] >= 0:
            free[f] = i
            f += 1
    for i in range(f):
        for j in range(f):
            D.T[i, j] = M[free[i], free[j]]
    if not factor_lu(D.T, f, rows):
        return
    for _ in range(3):
        for i in range(f):
            total = q[free[i]]
            for j in range(f):
                total += M[free[i], free[j]] * x[free[j]]
            r[i] = -total
        solve_lu(D.T, f, rows, r, y)
        if not is_finite(y[:f]):
            return
        for i in range(f):
            x[free[i]] += y[i]
    for i in range(f):
        x[free[i]] = max(x[free[i]], 0.0)


@array_kernel
def make_dictionary(n: int, twice: bool) -> Dictionary:
    """Room for n unknowns, in twice the digits or in those of floats."""
    names = np.empty(2 * n + 1, np.int64)
    T, t, scale = np.empty((n, n + 1)), np.empty(n), np.empty(n)
    rows = n if twice else 0
    low, t_low = np.zeros((rows, rows + 1)), np.zeros(n)
    pivot, tie = (PIVOT_TWICE, TIE_TWICE) if twice else (PIVOT, TIE)
    return Dictionary(T, t, np.empty(n, np.int64), np.empty(n + 1, np.int64), names, scale, low, t_low, pivot, tie)


@array_kernel
def solve_lemke(M: Floats, q: Floats, d: Floats, twice: bool, tolerance: float, limit: int, trace: Trace) -> Solution:
    """A solution of w = M x + q, a ray, or a failure that is reported, after at most `limit` pivots.

    M (n, n), q (n,), d (n,) > 0. SOLVED: the residual of the LCP is at most `tolerance`. RAY: x is the ray, largest
    entry 1, w is M x, and residual is by how much (13-1) fails, beside the entries of M; again at most `tolerance`.
    SINGULAR: d is not positive, or rounding has eaten the basis: x is the best so far. `twice`: pivot in twice the
    digits of a float.
    """
    n = q.shape[0]
    if not (is_finite_matrix(M) and is_finite(q) and is_finite(d)):
        return not_finite(q, 0)
    x, w = np.zeros(n), q.copy()
    if first_row(q, np.ones(n)) < 0:
        return Solution(x, w, SOLVED, 0.0, 0)
    if not np.all(d > 0.0):
        return Solution(x, w, SINGULAR, lcp_residual(x, w, q), 0)
    D = make_dictionary(n, twice)
    start_dictionary(D, M, q, d)
    r, c = first_row(q, d), n
    covered = -q[r] / d[r]
    rebuilt = 0
    for pivots in range(1, limit + 1):
        leaving = D.basic[r]
        driven = D.nonbasic[c]
        exchange(D, r, c)
        if trace.residual.shape[0] > trace.rows[0]:
            read_basics(D, x)
            multiply_add(M, x, q, w)
            note_iteration(trace, x, w, lcp_residual(x, w, q), driven % n if driven < 2 * n else -1)
        if leaving == 2 * n or abs(D.t[D.place[2 * n]]) <= D.tie * covered:
            return finish(D, M, q, tolerance, pivots)
        entering = leaving - n if leaving >= n else leaving + n
        r = blocking_row(D, -1 - D.place[entering])
        if r < 0 and pivots > rebuilt:  # a ray, or the end of what rounding has left
            rebuild(D, M, q, d)
            rebuilt = pivots
            r = blocking_row(D, -1 - D.place[entering])
        c = -1 - D.place[entering]
        if r < 0:
            return finish_ray(D, c, M, q, tolerance, pivots)
    read_basics(D, x)
    multiply_add(M, x, q, w)
    return Solution(x, w, ITERATION_LIMIT, lcp_residual(x, w, q), limit)


@array_kernel
def finish(D: Dictionary, M: Floats, q: Floats, tolerance: float, pivots: int) -> Solution:
    """The solution of the last dictionary, the better of what pivoting left and of its polished form."""
    n = q.shape[0]
    x, w = np.empty(n), np.empty(n)
    read_basics(D, x)
    if not is_finite(x):
        return not_finite(q, pivots)
    multiply_add(M, x, q, w)
    residual = lcp_residual(x, w, q)
    y, z = x.copy(), np.empty(n)
    polish(D, M, q, y, z, np.empty(n), np.empty(n, np.int64), np.empty(n, np.int64))
    multiply_add(M, y, q, z)
    polished = lcp_residual(y, z, q)
    if polished <= residual:
        x, w, residual = y, z, polished
    return Solution(x, w, SOLVED if residual <= tolerance else SINGULAR, residual, pivots)


@array_kernel
def finish_ray(D: Dictionary, c: int, M: Floats, q: Floats, tolerance: float, pivots: int) -> Solution:
    """The ray along which the variable of column c rises, if it is one."""
    n = q.shape[0]
    x, w = np.empty(n), np.empty(n)
    read_ray(D, c, x)
    if not is_finite(x):
        return not_finite(q, pivots)
    multiply_add(M, x, np.zeros(n), w)
    residual = ray_residual(x, w, M)
    return Solution(x, w, RAY if residual <= tolerance else SINGULAR, residual, pivots)
