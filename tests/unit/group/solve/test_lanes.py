"""Blocks of eight: points of a colour share no body, and a block does to them what one after the other would."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.group import work as wk
from engine.group.solve.gauss_seidel import add_sweep_tasks, empty_blocks, fill_blocks, sweep_impulses
from engine.group.solve.lane_sweeps import sweep_back, sweep_forwards
from engine.group.solve.lanes import BALLS, TURNS
from engine.group.solve.point_sweeps import sweep_points
from engine.rounds import BATCH_END, TASK_FIRST, TASK_KIND, TASK_LAST, TASKS
from engine.simd import LANES
from tests.groups import Group, inverse_mass, jacobian, resting
from tests.scenes import body, floor

pytestmark = pytest.mark.plain
ENVELOPE = 1e-3


def bricks(rows: int, columns: int) -> list[dict[str, Any]]:
    """A wall of bricks in a stretcher bond, each half over the two below."""
    return [
        body(f"b{k}_{j}", {"box": [0.2, 0.1, 0.1]}, (0.202 * j + 0.101 * (k % 2), 0.0, 0.0505 + k * 0.1005))
        for k in range(rows)
        for j in range(columns)
    ]


def moving_wall(friction: float = 0.4, seed: int = 3) -> Group:
    """A wall whose bricks all fly about, so that points open, stick and slide."""
    return moving(resting(floor(), *bricks(3, 10), envelope=ENVELOPE, friction=friction), seed)


def moving(group: Group, seed: int) -> Group:
    rng = np.random.default_rng(seed)
    group.work.twists[: group.bodies, wk.V_END : wk.V_END + 6] = 0.1 * rng.normal(size=(group.bodies, 6))
    group.work.contacts[: group.points, wk.IMPULSE_AT : wk.IMPULSE_AT + 3] = 0.0
    group.work.contacts[: group.points, wk.TARGET] = 0.0
    return group


def moving_heap(friction: float = 0.4, seed: int = 3) -> Group:
    """Layers of balls on each other, likewise."""
    balls = [
        body(f"b{k}_{j}{i}", {"sphere": {"radius": 0.05}}, (0.1005 * j, 0.1005 * i, 0.0505 + 0.1005 * k))
        for k in range(3)
        for j in range(4)
        for i in range(4)
    ]
    return moving(resting(floor(), *balls, envelope=ENVELOPE, friction=friction), seed)


def twists(group: Group) -> np.ndarray:
    return np.concatenate([group.body(wk.V_END), group.body(wk.W_END)], axis=1).ravel()


def sweep_once(group: Group, blocks: int) -> float:
    """A sweep over blocks only, the first; by how much it changes a point's velocity at most."""
    group.work.link[wk.FIRST_SWEEP] = 1.0
    sweep_forwards(group.work, 0, blocks)
    sweep_back(group.work, 0, blocks)
    empty_blocks(group.work, blocks)
    return float(group.work.changes[:blocks, 0].max())


def test_every_point_has_one_place_and_blocks_share_no_body() -> None:
    group = moving_wall()
    work, m = group.work, group.points
    work.contacts[: m // 8, wk.ROLLING_LEVER] = 1e-3
    blocks = fill_blocks(work)
    inside = work.sizes[wk.IN_BLOCKS]
    assert inside > 0.3 * m
    everywhere = work.order[: LANES * blocks + m - inside]
    assert sorted(everywhere[everywhere >= 0]) == list(range(m))
    for block in range(blocks):
        points = work.order[LANES * block : LANES * (block + 1)]
        points = points[points >= 0]
        assert len(points) >= 3
        assert set(work.contacts[points, wk.ROLLING_LEVER] > 0.0) == {work.kinds[block] & TURNS != 0}
        places = work.contact[points][:, [wk.SIDE_A, wk.SIDE_B]].ravel()
        moving = places[places >= 0]
        assert len(set(moving)) == len(moving)
    rest = everywhere[LANES * blocks :]
    assert (np.diff(rest) > 0).all()  # as they come


def test_blocks_of_a_task_share_no_body_and_all_are_swept_forwards_and_back() -> None:
    group = moving_wall()
    work = group.work
    blocks = fill_blocks(work)
    add_sweep_tasks(work)
    tasks = work.rounds.tasks[: work.rounds.board[TASKS]]
    for kind in (wk.BLOCK_TASK, wk.BACK_TASK):
        swept = [b for one in tasks if one[TASK_KIND] == kind for b in range(one[TASK_FIRST], one[TASK_LAST])]
        assert sorted(swept) == list(range(blocks))
    first = 0
    while first < len(tasks):  # batch by batch: what may be done at the same time
        batch = tasks[first : tasks[first, BATCH_END]]
        assert len(set(batch[:, TASK_KIND])) == 1
        if batch[0, TASK_KIND] in (wk.BLOCK_TASK, wk.BACK_TASK):
            places = np.concatenate([work.order[LANES * one[TASK_FIRST] : LANES * one[TASK_LAST]] for one in batch])
            sides = work.contact[places[places >= 0]][:, [wk.SIDE_A, wk.SIDE_B]].ravel()
            assert len(set(sides[sides >= 0])) == (sides >= 0).sum()
        first += len(batch)


def test_what_rubs_otherwise_is_in_no_block() -> None:
    group = moving_wall()
    work, m = group.work, group.points
    work.contact[:m, wk.FRICTION] = 1
    assert fill_blocks(work) == 0
    assert list(work.order[:m]) == list(range(m))


@pytest.mark.parametrize("lever", [0.0, 2e-3])
@pytest.mark.parametrize("friction", [0.0, 0.1, 0.8])
@pytest.mark.parametrize("made", [moving_wall, moving_heap])
def test_a_block_does_what_its_points_do_one_after_the_other(
    made: Callable[[float], Group], friction: float, lever: float
) -> None:
    side_by_side, alone = made(friction), made(friction)
    for group in (side_by_side, alone):
        group.work.contacts[:, [wk.ROLLING_LEVER, wk.SPINNING_LEVER]] = lever, 0.5 * lever
        group.work.notes[:, wk.PRESCRIBED_SPIN : wk.PRESCRIBED_SPIN + 3] = 0.01, 0.02, -0.03
    blocks = fill_blocks(side_by_side.work)
    kinds = side_by_side.work.kinds[:blocks]
    assert ((kinds & BALLS != 0) == (made is moving_heap)).all()
    order = side_by_side.work.order[: LANES * blocks].copy()
    most = sweep_once(side_by_side, blocks)
    # The same points in the same order, one at a time.
    order = order[order >= 0]
    work = alone.work
    for table in (work.contact, work.contacts, work.notes):
        table[: len(order)] = table[order]
    work.sizes[wk.CONTACTS], work.sizes[wk.IN_BLOCKS] = len(order), 0
    work.order[: len(order)] = np.arange(len(order))
    work.link[wk.FIRST_SWEEP] = 1.0
    sweep_points(work, 0)
    found = side_by_side.work.contacts[order, wk.IMPULSE_AT : wk.IMPULSE_AT + 3]
    assert np.abs(found).max() > 0.01
    assert found == pytest.approx(work.contacts[: len(order), wk.IMPULSE_AT : wk.IMPULSE_AT + 3], abs=1e-12)
    couples = side_by_side.work.notes[order, wk.COUPLE : wk.COUPLE + 3]
    assert couples == pytest.approx(work.notes[: len(order), wk.COUPLE : wk.COUPLE + 3], abs=1e-13)
    assert (np.abs(couples).max() > 1e-6) == (lever > 0.0)
    assert twists(side_by_side) == pytest.approx(twists(alone), abs=1e-11)
    assert most == pytest.approx(work.link[wk.ALONE_MOST], rel=1e-9)
    slid = side_by_side.work.contact[order, wk.SLIDES]
    assert (slid == work.contact[: len(order), wk.SLIDES]).all()
    assert slid.any() == (friction > 0.0)


def test_sweeps_over_blocks_meet_signorini_and_coulomb_by_matrices_made_here() -> None:
    group = moving_wall(friction=0.3)
    work, m = group.work, group.points
    free = twists(group).copy()
    assert sweep_impulses(work, 3000, 1e-9)[0] < 3000
    J, p = jacobian(work), group.column(wk.IMPULSE_AT, 3)
    v = free + inverse_mass(work) @ J.T @ p.ravel()
    assert twists(group) == pytest.approx(v, abs=1e-8)
    u = (J @ v).reshape(m, 3)
    assert (u[:, 0] > -1e-7).all() and (p[:, 0] >= 0.0).all()
    assert np.abs(u[:, 0] * p[:, 0]).max() < 1e-7
    slip, drag = np.hypot(u[:, 1], u[:, 2]), np.hypot(p[:, 1], p[:, 2])
    assert (drag <= 0.3 * p[:, 0] + 1e-12).all()
    loaded = (p[:, 0] > 1e-6) & (slip > 1e-5)
    assert loaded.any()
    assert drag[loaded] == pytest.approx(0.3 * p[loaded, 0], rel=1e-3)
