"""Independent parts of contact problems: together they are the whole, and their answers are its answer."""

from __future__ import annotations

import numpy as np
import pytest

from engine.analysis.contact_problem import contact_matrix, normal_jacobian
from engine.analysis.independent_parts import body_labels, split_problem
from engine.analysis.methods import METHODS, acceleration_problem
from engine.solvers.solution import no_trace
from tests.contact_problems import random_problem


@pytest.mark.parametrize("seed", range(20))
def test_parts_hold_every_contact_once_and_share_no_body(seed: int) -> None:
    problem = random_problem(seed, bodies=12, contacts=9)
    parts = split_problem(problem)
    assert sorted(np.concatenate([part.point for part in parts]).tolist()) == sorted(problem.point.tolist())
    bodies = np.concatenate([part.bodies for part in parts])
    assert len(set(bodies.tolist())) == len(bodies)
    assert [len(part.pair) for part in parts] == sorted((len(part.pair) for part in parts), reverse=True)
    for part in parts:
        movable = part.pair >= 0
        assert np.array_equal(part.bodies[part.pair[movable]], part.rows[movable])
        assert len(np.unique(body_labels(part))) == 1


@pytest.mark.parametrize("seed", range(5))
def test_solved_apart_is_solved(seed: int) -> None:
    problem = random_problem(seed, bodies=10, contacts=8, at_rest=True)
    (method, *_) = METHODS.values()
    apart = {}
    for part in split_problem(problem):
        w = method.solve(acceleration_problem(part), no_trace()).w
        apart.update({tuple(point): value for point, value in zip(part.point.tolist(), w, strict=True)})
    whole = method.solve(acceleration_problem(problem), no_trace()).w
    assert np.allclose([apart[tuple(point)] for point in problem.point.tolist()], whole, atol=1e-7)


def test_a_part_has_the_whole_s_matrix() -> None:
    problem = random_problem(3, bodies=30, contacts=20)
    part = split_problem(problem)[0]
    here = [problem.point.tolist().index(point) for point in part.point.tolist()]
    whole = contact_matrix(problem, normal_jacobian(problem))
    assert np.allclose(contact_matrix(part, normal_jacobian(part)), whole[np.ix_(here, here)])


def test_a_chain_is_one_part_and_nothing_has_none() -> None:
    problem = random_problem(0, bodies=200, contacts=199)
    order = np.random.default_rng(1).permutation(200)
    chain = problem._replace(pair=np.stack([order[:-1], order[1:]], axis=1))
    assert np.all(body_labels(chain) == 0)
    empty = random_problem(0, bodies=3, contacts=0)
    assert split_problem(empty) == []
