"""Every method of the registry on random frictionless contacts, checked by the definition and by scipy's NNLS.

The contacts are random, so that b = J k lies in the range of A; a third of the problems has more contacts than degrees
of freedom, and A singular. Residuals are computed here from x alone. Where the forces are unique x is compared with the
outside solver's, and where they are not w is, which always is unique.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from scipy.optimize import nnls

from engine.analysis.contact_problem import normal_jacobian
from engine.analysis.methods import METHODS, Frictionless, frictionless
from engine.solvers.solution import SOLVED, no_trace
from tests.contact_problems import random_problem

DIRECT = 1e-8
ITERATIVE = 1e-8
ITERATIVE_SINGULAR = 1e-4
WELL_CONDITIONED = 1e6

WEDGED = (213, 1395, 1638, 7218, 8805, 9192)
"""Of ten thousand the problems whose forces are largest beside what they hold: up to a million times."""


class Case(NamedTuple):
    """A problem, what an outside solver says and whether it solves it, and cond(A), infinite where A is singular."""

    problem: Frictionless
    x: np.ndarray
    w: np.ndarray
    valid: bool
    condition: float


def make_case(seed: int, most: int) -> Case:
    """One to `most` contacts; every third case is singular as soon as it has enough contacts."""
    rng = np.random.default_rng([seed, most])
    contacts = int(rng.integers(1, most + 1))
    share = rng.uniform(0.1, 0.8) if seed % 3 == 0 else rng.uniform(1.2, 3.0)  # degrees of freedom by contacts
    bodies = max(1, round(share * contacts / 6))
    contact_problem = random_problem(seed, bodies, contacts)
    J = normal_jacobian(contact_problem)
    problem = frictionless(contact_problem, J, J @ rng.normal(0.0, 10.0 ** rng.uniform(-2, 2), 6 * bodies))
    x = nnls(problem.J_Q.T, problem.s, maxiter=100 * (contacts + 1))[0]
    values = np.linalg.svd(problem.J_Q, compute_uv=False)
    full = contacts <= 6 * bodies and values[-1] > 1e-10 * values[0]
    w = problem.A @ x + problem.b
    valid = abs(np.minimum(x, w)).max() <= 1e-7 * (1.0 + abs(problem.b).max())
    return Case(problem, x, w, valid, (values[0] / values[-1]) ** 2 if full else np.inf)


def broken_conditions(name: str, case: Case) -> tuple[float, list[str]]:
    """The residual of a method's answer, and what is wrong with it."""
    A, b = case.problem.A, case.problem.b
    solution = METHODS[name].solve(case.problem, no_trace())
    w = A @ solution.x + b
    scale = 1.0 + abs(b).max()
    residual = abs(np.minimum(solution.x, w)).max() / scale
    well = case.condition <= WELL_CONDITIONED
    allowed = DIRECT if METHODS[name].direct else ITERATIVE if well else ITERATIVE_SINGULAR
    broken = []
    if residual > allowed:
        broken.append(f"residual {residual:.1e}")
    if solution.status == SOLVED and residual > DIRECT:
        broken.append("says it is solved")
    if solution.residual < 0.5 * residual - 1e-9:
        broken.append(f"says its residual is {solution.residual:.1e}")
    if abs(solution.w - w).max() > 1e-7 * scale:
        broken.append("w is not A x + b")
    if not case.valid:  # NNLS gives up now and then where the contacts are wedged
        return residual, broken
    if well and abs(solution.x - case.x).max() > 100 * allowed * case.condition * abs(case.x).max() + allowed * scale:
        broken.append("x differs from the outside solver's")
    if abs(w - case.w).max() > 1e3 * np.sqrt(allowed * DIRECT) * scale:
        broken.append(f"w differs from the outside solver's by {abs(w - case.w).max() / scale:.1e}")
    return residual, broken


@pytest.mark.parametrize("name", METHODS)
def test_small_problems(name: str) -> None:
    broken = {}
    for seed in range(120):
        _, wrong = broken_conditions(name, make_case(seed, 24))
        if wrong:
            broken[seed] = wrong
    assert not broken


@pytest.mark.parametrize("name", METHODS)
def test_wedged_contacts(name: str) -> None:
    broken = {}
    for seed in WEDGED:
        _, wrong = broken_conditions(name, make_case(seed, 200))
        if wrong:
            broken[seed] = wrong
    assert not broken


@pytest.mark.slow
def test_ten_thousand_problems() -> None:
    """Problems of up to 200 contacts, each by every method; prints the worst residuals."""
    worst = {name: {True: 0.0, False: 0.0} for name in METHODS}
    broken: dict[str, dict[int, list[str]]] = {name: {} for name in METHODS}
    for seed in range(10_000):
        case = make_case(seed, 200)
        singular = not np.isfinite(case.condition)
        for name in METHODS:
            residual, wrong = broken_conditions(name, case)
            worst[name][singular] = max(worst[name][singular], residual)
            if wrong:
                broken[name][seed] = wrong
    for name in METHODS:
        regular, singular_too = worst[name][False], worst[name][True]
        print(
            f"{name}: worst residual {regular:.1e}, where A is singular {singular_too:.1e}; {len(broken[name])} broken"
        )
    assert not any(broken.values()), broken
