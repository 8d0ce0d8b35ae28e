"""The factor of an index set, whoever comes and goes, against one made anew."""

from __future__ import annotations

import numpy as np

from engine.solvers.index_set import (
    IndexSet,
    add_index,
    make_index_set,
    remove_index,
    schur_complement,
    solve_both,
    solve_lower,
)


def test_factor_follows_the_set() -> None:
    rng = np.random.default_rng(5)
    n = 23
    B = rng.normal(size=(n, n + 3))
    A = B @ B.T
    F = make_index_set(n, n)
    inside: list[int] = []
    for _ in range(300):
        k = int(rng.integers(n))
        if k in inside:
            remove_index(F, k)
            inside.remove(k)
        else:
            column = np.zeros(n)
            column[: len(inside)] = A[inside, k]
            solve_lower(F, column)
            add_index(F, k, column, schur_complement(F, column, A[k, k]))
            inside.append(k)
        check(F, A, inside)


def check(F: IndexSet, A: np.ndarray, inside: list[int]) -> None:
    count = len(inside)
    assert F.members[0] == count
    assert F.order[:count].tolist() == inside
    assert [k for k in np.argsort(F.position) if F.position[k] >= 0] == inside
    part = A[np.ix_(inside, inside)]
    R = np.triu(F.R[:count, :count])
    np.testing.assert_allclose(R.T @ R, part, atol=1e-12 * abs(A).max())
    v = np.arange(1.0, len(A) + 1.0)
    solve_both(F, v)
    np.testing.assert_allclose(part @ v[:count], np.arange(1.0, count + 1.0), atol=1e-9)
