"""The methods that solve frictionless contact problems, by name: w = A x + b >= 0, x >= 0, x · w = 0.

In contact space the unknowns are the forces x of the contacts, and A = J M⁻¹ Jᵀ. In motion space they are the motion of
the bodies: the point J_Qᵀ x nearest to s in the cone of the rows of J_Q (Redon 2002, 11), with M = Qᵀ Q, J_Q = J Q⁻¹,
A = J_Q J_Qᵀ and b = -J_Q s. Every method takes the same `Frictionless` and gives the same kind of Solution.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from engine.analysis.contact_problem import ContactProblem, contact_matrix, free_acceleration, normal_jacobian
from engine.analysis.proximal import Solve, solve_by_proximal_points
from engine.arrays import Floats
from engine.solvers.cone import NO_FRICTION
from engine.solvers.conjugate_gradient import solve_conjugate_gradient
from engine.solvers.dantzig import solve_dantzig
from engine.solvers.gauss_seidel import solve_gauss_seidel
from engine.solvers.lemke import solve_lemke
from engine.solvers.operator import dense_operator
from engine.solvers.projected_gradient import solve_projected_gradient
from engine.solvers.rows import Rows, dense_rows, sparse_rows
from engine.solvers.solution import INFEASIBLE, NOT_FINITE, RAY, SOLVED, Solution, Trace
from engine.solvers.wilhelmsen import solve_wilhelmsen

TOLERANCE = 1e-9
"""Residuals that methods aim at [1]."""

FACE_STEPS = 300
"""Conjugate steps that projected Gauss-Seidel takes after every 16 sweeps, and projected gradient now and then [1]."""

NEAR, VERY_NEAR = 1e-12, 1e-13
"""Shares of the diagonal of A that proximal points add to it, for methods in the digits of floats, and in twice as many
[1]. What rounding has put into A is smaller."""

NO_START = np.empty(0, dtype=np.int64)
"""Of methods that can start from an index set: none is known."""


class Frictionless(NamedTuple):
    """One problem in both spaces: m contacts, n bodies."""

    A: Floats
    """(m, m) J M⁻¹ Jᵀ: symmetric, positive semi-definite."""
    b: Floats
    """(m,) normal accelerations (or velocities) without contact forces, in the range of A."""
    J_Q: Floats
    """(m, 6 n) J Q⁻¹: rows of two blocks of six at the most."""
    s: Floats
    """(6 n,) with J_Q s = -b."""


class Method(NamedTuple):
    """One way to solve a Frictionless. `text` is for people; `space` is "contact" or "motion"."""

    text: str
    space: str
    direct: bool
    """Ends after finitely many pivots with all that rounding allows; the others come nearer with every sweep."""
    solve: Callable[[Frictionless, Trace], Solution]


def acceleration_problem(problem: ContactProblem) -> Frictionless:
    """Contact forces against the normal accelerations of a contact problem (Baraff 1992, 8-7; Redon 2002, 4)."""
    J = normal_jacobian(problem)
    return frictionless(problem, J, J @ free_acceleration(problem) + problem.curvature)


def frictionless(problem: ContactProblem, J: Floats, b: Floats) -> Frictionless:
    """The problem of given b, (m,), for rows J, (m, 6 n), of a contact problem.

    s is the shortest vector with J_Q s = -b, the nearest to that where b is not in the range of J.
    """
    J_Q = scaled_jacobian(problem, J)
    s = np.linalg.lstsq(J_Q, -b, rcond=None)[0] if J.size else np.zeros(J.shape[1])
    return Frictionless(contact_matrix(problem, J), b, J_Q, np.asarray(s, dtype=np.float64))


def scaled_jacobian(problem: ContactProblem, J: Floats) -> Floats:
    """J Q⁻¹, (m, 6 n), block by block, with Q the transposed Cholesky factor of each body's mass matrix."""
    L = np.linalg.cholesky(problem.mass)
    blocks = J.reshape(J.shape[0], L.shape[0], 6).transpose(1, 2, 0)
    return np.ascontiguousarray(np.linalg.solve(L, blocks).transpose(2, 0, 1).reshape(J.shape))


def pivot_limit(m: int) -> int:
    """Pivots after which a method gives up on m contacts: it takes about one or two a contact."""
    return 20 * m + 100


def _lemke(problem: Frictionless, trace: Trace) -> Solution:
    # Covered in proportion to sqrt(A_ii) the path does not depend on anybody's units or masses. A is positive
    # semi-definite and b in its range: a ray is rounding, and with more digits and a regular matrix there is none.
    d = np.sqrt(np.where(np.diag(problem.A) > 0.0, np.diag(problem.A), 1.0))
    limit = pivot_limit(len(d))

    def solve_near(A: Floats, b: Floats, _: Floats) -> Solution:
        return solve_lemke(A, b, d, True, TOLERANCE, limit, trace)

    first = solve_lemke(problem.A, problem.b, d, False, TOLERANCE, limit, trace)
    return first if first.status in (SOLVED, NOT_FINITE) else _go_on(problem, VERY_NEAR, first, solve_near)


def _go_on(problem: Frictionless, share: float, first: Solution, solve: Solve) -> Solution:
    # Proximal points, where a method was stopped; what it had found itself where they do not solve the problem either.
    last = solve_by_proximal_points(problem.A, problem.b, share, TOLERANCE, solve)
    kept = last.status == SOLVED or (last.residual < first.residual and first.status not in (RAY, INFEASIBLE))
    return (last if kept else first)._replace(iterations=first.iterations + last.iterations)


def iteration_limit(m: int) -> int:
    """Sweeps or steps after which a method gives up on m contacts: those that are wedged need very many."""
    return 100_000 + 1000 * m


def _gauss_seidel(problem: Frictionless, trace: Trace) -> Solution:
    m = len(problem.b)
    limit = iteration_limit(m) // 5  # each costs as much as five of the others'
    N = dense_operator(problem.A)
    return solve_gauss_seidel(N, problem.b, NO_FRICTION, np.zeros(m), TOLERANCE, limit, FACE_STEPS, trace)


def _projected_gradient(problem: Frictionless, trace: Trace) -> Solution:
    m = len(problem.b)
    N = dense_operator(problem.A)
    limit = iteration_limit(m)
    return solve_projected_gradient(N, problem.b, NO_FRICTION, np.zeros(m), TOLERANCE, limit, FACE_STEPS, trace)


def _conjugate_gradient(problem: Frictionless, trace: Trace) -> Solution:
    m = len(problem.b)
    return solve_conjugate_gradient(
        dense_operator(problem.A), problem.b, np.zeros(m), TOLERANCE, iteration_limit(m), trace
    )


def _dantzig(problem: Frictionless, trace: Trace) -> Solution:
    limit = pivot_limit(len(problem.b))

    def solve_near(A: Floats, b: Floats, x: Floats) -> Solution:
        return solve_dantzig(dense_rows(A), b, np.flatnonzero(x > 0.0), TOLERANCE, limit, trace)

    first = solve_dantzig(dense_rows(problem.A), problem.b, NO_START, TOLERANCE, limit, trace)
    return first if first.status in (SOLVED, NOT_FINITE) else _go_on(problem, NEAR, first, solve_near)


def _wilhelmsen(problem: Frictionless, trace: Trace) -> Solution:
    return _nearest_point(dense_rows(problem.J_Q), problem, trace)


def _sparse_wilhelmsen(problem: Frictionless, trace: Trace) -> Solution:
    return _nearest_point(sparse_rows(problem.J_Q), problem, trace)


def _nearest_point(J: Rows, problem: Frictionless, trace: Trace) -> Solution:
    point = np.empty(len(problem.s))
    return solve_wilhelmsen(J, problem.s, NO_START, point, TOLERANCE, pivot_limit(len(problem.b)), trace)


METHODS: dict[str, Method] = {
    "dantzig": Method("Cottle and Dantzig's principal pivoting", "contact", True, _dantzig),
    "lemke": Method("Lemke's almost complementary pivoting", "contact", True, _lemke),
    "wilhelmsen": Method("Wilhelmsen's nearest point, dense", "motion", True, _wilhelmsen),
    "wilhelmsen_sparse": Method("Wilhelmsen's nearest point, sparse", "motion", True, _sparse_wilhelmsen),
    "gauss_seidel": Method("projected Gauss-Seidel", "contact", False, _gauss_seidel),
    "projected_gradient": Method("accelerated projected gradient", "contact", False, _projected_gradient),
    "conjugate_gradient": Method("projected conjugate gradients", "contact", False, _conjugate_gradient),
}
"""In the order in which people see them."""
