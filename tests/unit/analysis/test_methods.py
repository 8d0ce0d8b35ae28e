"""Every method of the registry on the same contact problems, and the two spaces against each other."""

from __future__ import annotations

import numpy as np
import pytest

from engine.analysis.methods import METHODS, TOLERANCE, acceleration_problem
from engine.solvers.solution import SOLVED, no_trace
from tests.contact_problems import random_problem


def test_both_spaces_hold_one_problem() -> None:
    problem = acceleration_problem(random_problem(seed=1, bodies=5, contacts=8))
    np.testing.assert_allclose(problem.J_Q @ problem.J_Q.T, problem.A, atol=1e-12 * abs(problem.A).max())
    np.testing.assert_allclose(problem.J_Q @ problem.s, -problem.b, atol=1e-12 * abs(problem.b).max())


@pytest.mark.parametrize("name", METHODS)
def test_accelerations_of_contacts(name: str) -> None:
    problem = acceleration_problem(random_problem(seed=2, bodies=3, contacts=7))
    solution = METHODS[name].solve(problem, no_trace())
    assert solution.status == SOLVED
    assert (
        abs(np.minimum(solution.x, problem.A @ solution.x + problem.b)).max() <= 10 * TOLERANCE * abs(problem.b).max()
    )
    assert METHODS[name].space in ("contact", "motion")


@pytest.mark.parametrize("name", METHODS)
def test_no_contacts(name: str) -> None:
    solution = METHODS[name].solve(acceleration_problem(random_problem(seed=2, bodies=3, contacts=0)), no_trace())
    assert solution.status == SOLVED
    assert solution.x.shape == (0,)
