"""What solvers allocate does not depend on how long they iterate: memory is made once, before the first pivot."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from numba import config
from numba.core.runtime import _nrt_python, rtsys

from engine.analysis.methods import Frictionless
from engine.solvers.cone import NO_FRICTION
from engine.solvers.conjugate_gradient import solve_conjugate_gradient
from engine.solvers.dantzig import solve_dantzig
from engine.solvers.gauss_seidel import solve_gauss_seidel
from engine.solvers.lemke import solve_lemke
from engine.solvers.operator import Operator, dense_operator
from engine.solvers.projected_gradient import solve_projected_gradient
from engine.solvers.rows import dense_rows
from engine.solvers.solution import SOLVED, Solution, no_trace
from engine.solvers.wilhelmsen import solve_wilhelmsen

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="only compiled kernels are counted")

N = 60


@pytest.fixture(autouse=True)
def counting() -> Iterator[None]:
    _nrt_python.memsys_enable_stats()
    yield
    _nrt_python.memsys_disable_stats()


def problem(busy: bool) -> Frictionless:
    """Sixty contacts, of which one must push, or most."""
    rng = np.random.default_rng(4)
    J = rng.normal(size=(N, 90))
    s = J.T @ rng.uniform(1, 2, N) if busy else np.linalg.lstsq(J, -np.ones(N), rcond=None)[0]
    if not busy:
        s += 3 * np.linalg.lstsq(J, np.eye(N)[0], rcond=None)[0]
    return Frictionless(J @ J.T, -J @ s, J, s)


def dantzig(p: Frictionless) -> Solution:
    return solve_dantzig(dense_rows(p.A), p.b, np.empty(0, dtype=np.int64), 1e-9, 1000, no_trace())


def lemke(p: Frictionless) -> Solution:
    return solve_lemke(p.A, p.b, np.ones(N), False, 1e-9, 1000, no_trace())


def wilhelmsen(p: Frictionless) -> Solution:
    J = dense_rows(p.J_Q)
    return solve_wilhelmsen(J, p.s, np.empty(0, dtype=np.int64), np.empty(90), 1e-9, 1000, no_trace())


def allocations(solve: Callable[[Frictionless], Solution], p: Frictionless) -> tuple[int, int]:
    """Blocks of memory that one call made, and its iterations."""
    solve(p)
    before = rtsys.get_allocation_stats().alloc
    solution = solve(p)
    made = rtsys.get_allocation_stats().alloc - before
    assert solution.status == SOLVED
    return made, solution.iterations


@pytest.mark.parametrize("solve", [dantzig, lemke, wilhelmsen])
def test_direct_methods_allocate_once(solve: Callable[[Frictionless], Solution]) -> None:
    (few, short), (many, long) = allocations(solve, problem(False)), allocations(solve, problem(True))
    assert long >= 10 * short
    assert few == many


FRICTION = np.full(N // 3, 0.5)
START = np.zeros(N)


def stubborn() -> tuple[Operator, np.ndarray]:
    """Sixty unknowns that no iterative method has solved to the last bit after 200 iterations."""
    rng = np.random.default_rng(5)
    J = np.ones((N, 90)) + 0.01 * rng.normal(size=(N, 90))
    return dense_operator(J @ J.T), -J @ J.T @ rng.uniform(1, 2, N)


def gauss_seidel(operator: Operator, b: np.ndarray, limit: int) -> Solution:
    return solve_gauss_seidel(operator, b, NO_FRICTION, START, 0.0, limit, 2, no_trace())


def gauss_seidel_with_friction(operator: Operator, b: np.ndarray, limit: int) -> Solution:
    return solve_gauss_seidel(operator, b, FRICTION, START, 0.0, limit, 0, no_trace())


def projected_gradient(operator: Operator, b: np.ndarray, limit: int) -> Solution:
    return solve_projected_gradient(operator, b, NO_FRICTION, START, 0.0, limit, 2, no_trace())


def projected_gradient_with_friction(operator: Operator, b: np.ndarray, limit: int) -> Solution:
    return solve_projected_gradient(operator, b, FRICTION, START, 0.0, limit, 0, no_trace())


def conjugate_gradient(operator: Operator, b: np.ndarray, limit: int) -> Solution:
    return solve_conjugate_gradient(operator, b, START, 0.0, limit, no_trace())


@pytest.mark.parametrize(
    "solve",
    [
        gauss_seidel,
        gauss_seidel_with_friction,
        projected_gradient,
        projected_gradient_with_friction,
        conjugate_gradient,
    ],
)
def test_iterative_methods_allocate_once(solve: Callable[[Operator, np.ndarray, int], Solution]) -> None:
    """2100 iterations: the projected gradient takes its conjugate steps after every thousandth."""
    hard = stubborn()
    solve(*hard, 10)
    made = []
    for limit in (10, 2100):
        before = rtsys.get_allocation_stats().alloc
        solution = solve(*hard, limit)
        made.append(rtsys.get_allocation_stats().alloc - before)
        assert solution.iterations >= min(limit, 200)
    assert made[0] == made[1] > 0
