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

from engine.constraint.methods import METHODS, Frictionless, frictionless
from engine.constraint.problem import normal_jacobian
from engine.solvers.solution import SOLVED, no_trace
from tests.contact_problems import random_problem

DIRECT = 1e-8
ITERATIVE = 1e-8
ITERATIVE_SINGULAR = 1e-4
WELL_CONDITIONED = 1e6
HONEST = 5


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
    if METHODS[name].direct and solution.status != SOLVED and residual > DIRECT:
        return residual, [f"residual {residual:.1e}, and it says so"]
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


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_ten_thousand_problems(name: str) -> None:
    check_many(name, range(10_000))


def check_many(name: str, seeds: range) -> None:
    """Problems of up to 200 contacts; prints the worst residuals.

    Wedged contacts whose forces are a million times what they hold are too much for contact space now and then: a
    method that then says that it failed may do so HONEST times.
    """
    worst = {True: 0.0, False: 0.0}
    broken = {}
    for seed in seeds:
        case = make_case(seed, 200)
        residual, wrong = broken_conditions(name, case)
        singular = not np.isfinite(case.condition)
        worst[singular] = max(worst[singular], residual)
        if wrong:
            broken[seed] = wrong
    honest = [seed for seed, wrong in broken.items() if wrong[0].startswith("residual") and len(wrong) == 1]
    print(f"{name}: worst residual {worst[False]:.1e}, where A is singular {worst[True]:.1e}; {len(broken)} broken")
    assert len(broken) <= HONEST and set(broken) == set(honest), broken
