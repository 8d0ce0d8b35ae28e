"""Baraff's construction: ten small sets, and what its forces do to the block."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.experiments.subset_sum import (
    MU,
    SETS,
    frictional,
    measure_subset_sums,
    solve_by_trying,
    subset_sum_configuration,
)
from engine.solvers.solution import INFEASIBLE, SOLVED


@pytest.mark.parametrize(("numbers", "total"), SETS)
def test_forces_exist_exactly_when_a_subset_has_the_sum(numbers: tuple[int, ...], total: int) -> None:
    sizes = range(len(numbers) + 1)
    sums = {sum(subset) for size in sizes for subset in itertools.combinations(numbers, size)}
    problem = subset_sum_configuration(numbers, total)
    solution = solve_by_trying(problem)
    assert solution.status == (SOLVED if total in sums else INFEASIBLE)
    if solution.status == SOLVED:
        check_forces(numbers, total, solution.x)


def check_forces(numbers: tuple[int, ...], total: int, normal: np.ndarray) -> None:
    """Each rod has no force or that of its mass, and friction balances the force on the block."""
    n = len(numbers)
    for mass, force in zip(numbers, normal[:n]):
        assert force == pytest.approx(0, abs=1e-6) or force == pytest.approx(mass)
    assert normal[:n].sum() == pytest.approx(total)
    A, b, mu, _ = frictional(subset_sum_configuration(numbers, total))
    assert mu.tolist() == [MU] * (n + 2) + [0] * 4
    forces = np.zeros((n + 6, 3))
    forces[:, 0] = normal
    forces[: n + 2, 1] = MU * normal[: n + 2]
    w = (A @ forces.reshape(-1) + b)[::3]
    assert abs(np.minimum(normal, w)).max() < 1e-6


def test_table_has_both_answers() -> None:
    told: list[float] = []
    table = measure_subset_sums(1, told.append)
    assert [row[2] for row in table.rows] == [row[3] for row in table.rows]
    assert {row[3] for row in table.rows} == {"yes", "no"}
    assert len(table.rows) == 10 and told[-1] == 1
    for row in table.rows:
        staying = [int(a) for a in str(row[4]).split(" + ")] if row[4] else []
        assert row[3] == "no" or sum(staying) == row[1]
