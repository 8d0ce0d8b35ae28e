"""A group cut into domains: no two that are swept at the same time share a body, and every point is swept once."""

from __future__ import annotations

import numpy as np
import pytest

from engine.group import work as wk
from engine.group.solve import domains
from engine.group.solve.domains import cut_domains, list_points, regions
from engine.group.solve.gauss_seidel import sweep_impulses
from engine.group.solve.lanes import order_points
from engine.group.solve.sweep_tasks import set_sweep_tasks
from engine.group.tasks import BACK_TASK, BODY_TASK, CROSS_TASK, FORTH_TASK, MOVED_TASK
from engine.rounds import BATCH_END, TASK_FIRST, TASK_KIND, TASK_LAST, TASKS
from engine.simd import LANES
from tests.groups import Group, inverse_mass, jacobian, resting
from tests.scenes import body, floor

pytestmark = pytest.mark.plain


@pytest.fixture(autouse=True)
def small_domains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domains, "_LEAST_ENDS", 20)


def long_heap(rows: int = 8) -> Group:
    """Pairs of balls behind each other that touch."""
    balls = [
        body(f"b{j}_{i}", {"sphere": {"radius": 0.05}}, (0.1005 * j, 0.1005 * i, 0.0505))
        for j in range(rows)
        for i in range(2)
    ]
    return resting(floor(), *balls, envelope=1e-3)


def sides_of(work: wk.Work, one: int) -> set[int]:
    """The bodies that the points of a region touch."""
    points = work.by_domain[work.domains[one, wk.FIRST_POINT] : work.domains[one, wk.LAST_POINT]]
    sides = work.contact[points][:, [wk.SIDE_A, wk.SIDE_B]].ravel()
    return {int(at) for at in sides if at >= 0}


def test_domains_share_no_body_nor_do_interfaces() -> None:
    group = long_heap()
    work, m = group.work, group.points
    count = work.sizes[wk.DOMAINS]
    assert count > 1
    list_points(work, m)
    assert sorted(work.by_domain[:m]) == list(range(m))
    assert set(work.domain[: group.bodies]) == set(range(count))
    for one in range(count):
        bodies = np.flatnonzero(work.domain[: group.bodies] == one)
        assert len(bodies) > 0
        assert sides_of(work, one) <= set(bodies)
    interfaces = [sides_of(work, one) for one in range(count, regions(work))]
    assert any(interfaces)
    assert sum(len(one) for one in interfaces) == len(set().union(*interfaces))
    # Each interface lies between its two domains, and the blocks of each region have its points alone.
    blocks = order_points(work)
    assert list(work.domains[: regions(work), wk.LAST_BLOCK])[-1] == blocks
    for one in range(regions(work)):
        first, last, alone, end, begin, behind = work.domains[one, wk.FIRST_BLOCK : wk.LAST_POINT + 1]
        order = work.order[LANES * first : LANES * last]
        assert sorted([*order[order >= 0], *work.alone[alone:end]]) == sorted(work.by_domain[begin:behind])
    for one, sides in enumerate(interfaces):
        assert {int(work.domain[at]) for at in sides} <= {one, one + 1}


def test_all_domains_are_swept_forwards_then_what_is_between_them_then_back() -> None:
    group = long_heap()
    work, count = group.work, group.work.sizes[wk.DOMAINS]
    set_sweep_tasks(work)
    tasks = work.rounds.tasks[: work.rounds.board[TASKS]]
    kinds = [BODY_TASK] + [FORTH_TASK] * count + [CROSS_TASK] * (count - 1) + [BACK_TASK] * count + [MOVED_TASK]
    assert list(tasks[:, TASK_KIND]) == kinds
    regions_of = [*range(count), *range(count, 2 * count - 1), *range(count)]
    assert list(tasks[1:-1, TASK_FIRST]) == regions_of
    assert all(list(tasks[at, [TASK_FIRST, TASK_LAST]]) == [0, group.bodies] for at in (0, -1))
    ends = np.cumsum([1, count, count - 1, count, 1])
    assert list(tasks[[0, *ends[:-1]], BATCH_END]) == list(ends)


def test_a_small_group_is_one_domain() -> None:
    group = long_heap(rows=2)
    assert group.work.sizes[wk.DOMAINS] == 1
    assert (group.work.domain[: group.bodies] == 0).all()


def test_a_domain_has_two_levels_of_what_hangs_together() -> None:
    """Levels that are large enough to be domains by themselves: an interface behind each would share bodies."""
    group = long_heap(rows=8)
    work, n = group.work, group.bodies
    work.queue[:n], work.place[:n] = np.arange(n), (np.arange(n) + 3) // 4
    work.begin[: n + 1] = 30 * np.arange(n + 1)
    cut_domains(work)
    assert list(np.cumsum(np.bincount(work.domain[:n]))) == [5, 13, 16]
    work.place[:n] = np.arange(n) % 4  # four pieces that touch nothing else
    cut_domains(work)
    assert list(np.cumsum(np.bincount(work.domain[:n]))) == [2, 4, 6, 8, 10, 12, 14, 16]


def test_sweeps_over_domains_meet_signorini_and_coulomb_by_matrices_made_here() -> None:
    group = long_heap()
    work, m = group.work, group.points
    assert work.sizes[wk.DOMAINS] > 1
    rng = np.random.default_rng(5)
    work.twists[: group.bodies, wk.V_END : wk.V_END + 6] = 0.1 * rng.normal(size=(group.bodies, 6))
    work.contacts[:m, wk.IMPULSE_AT : wk.IMPULSE_AT + 3] = 0.0
    work.contacts[:m, wk.TARGET] = 0.0
    free = np.concatenate([group.body(wk.V_END), group.body(wk.W_END)], axis=1).ravel()
    assert sweep_impulses(work, 3000, 1e-9)[0] < 3000
    J, p = jacobian(work), group.column(wk.IMPULSE_AT, 3)
    v = free + inverse_mass(work) @ J.T @ p.ravel()
    u = (J @ v).reshape(m, 3)
    assert (u[:, 0] > -1e-7).all() and (p[:, 0] >= 0.0).all()
    assert np.abs(u[:, 0] * p[:, 0]).max() < 1e-7
    slip, drag = np.hypot(u[:, 1], u[:, 2]), np.hypot(p[:, 1], p[:, 2])
    held = p[:, 0] > 1e-6
    mu = work.contacts[:m, wk.DYNAMIC]
    assert (drag[held] <= mu[held] * p[held, 0] + 1e-12).all()
    loaded = held & (slip > 1e-5)
    assert loaded.any()
    assert drag[loaded] == pytest.approx(mu[loaded] * p[loaded, 0], rel=1e-3)
