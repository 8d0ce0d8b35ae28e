"""How long a frictionless problem takes by method, beside outside solvers on the same problem.

`python -m tests.benchmark.solvers`: milliseconds of processor time, the quickest of some runs, on contacts whose matrix
is regular (one body for every three contacts) and singular (one for every ten).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import clarabel
import numpy as np
import quadprog
from scipy import sparse
from scipy.optimize import nnls

from engine.analysis.contact_problem import normal_jacobian
from engine.analysis.methods import METHODS, TOLERANCE, Frictionless, frictionless, pivot_limit
from engine.solvers.dantzig import solve_dantzig
from engine.solvers.rows import dense_rows
from engine.solvers.solution import no_trace
from tests.contact_problems import random_problem


def make_problem(contacts: int, bodies: int) -> Frictionless:
    """Random contacts with b in the range of A."""
    problem = random_problem(1, bodies, contacts)
    J = normal_jacobian(problem)
    return frictionless(problem, J, J @ np.random.default_rng(1).normal(size=6 * bodies))


def outside_nnls(problem: Frictionless) -> np.ndarray:
    return nnls(problem.J_Q.T, problem.s, maxiter=100_000)[0]


def outside_quadprog(problem: Frictionless) -> np.ndarray:
    d = len(problem.s)
    return quadprog.solve_qp(np.eye(d), np.zeros(d), problem.J_Q.T.copy(), -problem.b)[4]


def outside_clarabel(problem: Frictionless) -> np.ndarray:
    m = len(problem.b)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.NonnegativeConeT(m)]
    P, G = sparse.csc_matrix(np.triu(problem.A)), sparse.csc_matrix(-np.eye(m))
    return np.array(clarabel.DefaultSolver(P, problem.b, G, np.zeros(m), cones, settings).solve().x)


def warm_dantzig(problem: Frictionless) -> Callable[[Frictionless], np.ndarray]:
    """Dantzig's method, started from the contacts that push."""
    start = np.flatnonzero(METHODS["dantzig"].solve(problem, no_trace()).x)
    limit = pivot_limit(len(problem.b))
    return lambda p: solve_dantzig(dense_rows(p.A), p.b, start, TOLERANCE, limit, no_trace()).x


def by_method(name: str) -> Callable[[Frictionless], np.ndarray]:
    return lambda p: METHODS[name].solve(p, no_trace()).x


def measure(contacts: int, bodies: int, runs: int) -> None:
    """Print a row a method: time and residual."""
    problem = make_problem(contacts, bodies)
    rank = np.linalg.matrix_rank(problem.J_Q)
    print(f"{contacts} contacts, {bodies} bodies, rank of A {rank}")
    solvers = {name: by_method(name) for name in METHODS} | {"dantzig, warm": warm_dantzig(problem)}
    solvers |= {"scipy nnls": outside_nnls, "quadprog": outside_quadprog, "clarabel": outside_clarabel}
    for name, solve in solvers.items():
        x = solve(problem)
        least = np.inf
        for _ in range(runs):
            began = time.process_time()
            x = solve(problem)
            least = min(least, time.process_time() - began)
            if least > 1.0:
                break
        residual = abs(np.minimum(x, problem.A @ x + problem.b)).max() / (1 + abs(problem.b).max())
        print(f"  {name:<22}{1e3 * least:10.3f} ms   residual {residual:.1e}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Time a frictionless contact problem by method.")
    parser.add_argument("--contacts", type=int, default=200)
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    measure(options.contacts, options.contacts // 3, options.runs)
    measure(options.contacts, options.contacts // 10, options.runs)
