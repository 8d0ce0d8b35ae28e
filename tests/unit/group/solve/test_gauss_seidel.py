"""Sweeps end where nothing changes any more, and not where only the load of a point passes to another."""

from __future__ import annotations

import numpy as np
import pytest

from engine.group import work as wk
from engine.group.solve.gauss_seidel import sweep_impulses
from engine.group.work import Work
from tests.groups import inverse_mass, jacobian, resting

pytestmark = pytest.mark.plain
GROUND = {"name": "ground", "motion": "fixed", "shape": {"plane": {}}}
FALL = 9.81 / 240.0  # what weight gives in a step [m/s]
SMALL = 1e-4 * FALL
LIMIT = 500


def boxes(n: int) -> Work:
    """n boxes on each other, that have begun to fall; targets are 0."""
    column = [
        {"name": f"b{k}", "shape": {"box": [0.1, 0.1, 0.1]}, "position": [0.0, 0.0, 0.05 + 0.1 * k + 1e-4 * (k + 1)]}
        for k in range(n)
    ]
    work = resting(GROUND, *column).work
    work.twists[: work.sizes[wk.BODIES], wk.V_END : wk.V_END + 6] = [0.0, 0.0, -FALL, 0.0, 0.0, 0.0]
    points = work.contacts[: work.sizes[wk.CONTACTS]]
    points[:, wk.IMPULSE_AT : wk.IMPULSE_AT + 3] = points[:, wk.TARGET] = 0.0
    return work


def test_targets_that_no_velocities_satisfy_end_a_solve_all_the_same() -> None:
    """A box has three freedoms along the normals of its four corners: one of them cannot differ from the others."""
    work = boxes(1)
    work.contacts[0, wk.TARGET] = 1e-2 * FALL
    sweeps, _ = sweep_impulses(work, LIMIT, SMALL)
    assert sweeps < 30
    loads = work.contacts[:4, wk.IMPULSE_AT]
    assert loads.min() > 0.5 * loads.mean()  # the corners share what they bear


@pytest.mark.parametrize("n", [2, 5, 9, 14, 20])
def test_a_column_is_not_taken_for_done_before_its_loads_have_come_down(n: int) -> None:
    """A sweep changes each of its bodies less the more there are: an end by that alone leaves 1e-3 of the fall."""
    work = boxes(n)
    sweep_impulses(work, LIMIT, SMALL)
    bodies, points = int(work.sizes[wk.BODIES]), int(work.sizes[wk.CONTACTS])
    free = np.tile([0.0, 0.0, -FALL, 0.0, 0.0, 0.0], bodies)
    p = work.contacts[:points, wk.IMPULSE_AT : wk.IMPULSE_AT + 3].ravel()
    v = free + inverse_mass(work) @ jacobian(work).T @ p
    assert np.abs(v.reshape(bodies, 6)[:, 2]).max() < 5e-4 * FALL
