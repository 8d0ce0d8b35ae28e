"""Blocks of eight: points of a colour share no body, and a block does to them what one after the other would."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.group import work as wk
from engine.group.solve.gauss_seidel import sweep_impulses
from engine.group.solve.lane_sweeps import blocks_back, blocks_forwards
from engine.group.solve.lanes import BALLS, TURNS, empty_lanes, fill_lanes, order_points
from engine.group.solve.point_sweeps import points_back, points_forwards
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
    fill_lanes(group.work, 0, blocks)
    blocks_forwards(group.work, 0, blocks)
    blocks_back(group.work, 0, blocks)
    empty_lanes(group.work, 0, blocks)
    return float(group.work.changes[:blocks, wk.MOST_CHANGED].max())


def test_every_point_has_one_place_and_blocks_share_no_body() -> None:
    group = moving_wall()
    work, m = group.work, group.points
    work.contacts[: m // 8, wk.ROLLING_LEVER] = 1e-3
    blocks = order_points(work)
    order = work.order[: LANES * blocks]
    inside = order[order >= 0]
    alone = work.alone[: m - len(inside)]
    assert len(inside) > 0.3 * m
    assert sorted([*inside, *alone]) == list(range(m))
    assert list(work.domains[0, [wk.FIRST_BLOCK, wk.LAST_BLOCK, wk.FIRST_ALONE, wk.LAST_ALONE]]) == [
        0,
        blocks,
        0,
        len(alone),
    ]
    for block in range(blocks):
        points = order[LANES * block : LANES * (block + 1)]
        points = points[points >= 0]
        assert len(points) >= 3
        assert set(work.contacts[points, wk.ROLLING_LEVER] > 0.0) == {work.kinds[block] & TURNS != 0}
        places = work.contact[points][:, [wk.SIDE_A, wk.SIDE_B]].ravel()
        moving = places[places >= 0]
        assert len(set(moving)) == len(moving)
    assert (np.diff(alone) > 0).all()  # as they come


def test_what_rubs_otherwise_is_in_no_block() -> None:
    group = moving_wall()
    work, m = group.work, group.points
    work.contact[:m, wk.FRICTION] = 1
    assert order_points(work) == 0
    assert list(work.alone[:m]) == list(range(m))


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
    blocks = order_points(side_by_side.work)
    kinds = side_by_side.work.kinds[:blocks]
    assert ((kinds & BALLS != 0) == (made is moving_heap)).all()
    order = side_by_side.work.order[: LANES * blocks].copy()
    most = sweep_once(side_by_side, blocks)
    # The same points in the same order, one at a time.
    order = order[order >= 0]
    work = alone.work
    for table in (work.contact, work.contacts, work.notes):
        table[: len(order)] = table[order]
    work.sizes[wk.CONTACTS] = len(order)
    work.alone[: len(order)] = np.arange(len(order))
    work.link[wk.FIRST_SWEEP] = 1.0
    changed, _ = points_back(work, 0, len(order), points_forwards(work, 0, len(order)))
    found = side_by_side.work.contacts[order, wk.IMPULSE_AT : wk.IMPULSE_AT + 3]
    assert np.abs(found).max() > 0.01
    assert found == pytest.approx(work.contacts[: len(order), wk.IMPULSE_AT : wk.IMPULSE_AT + 3], abs=1e-12)
    couples = side_by_side.work.notes[order, wk.COUPLE : wk.COUPLE + 3]
    assert couples == pytest.approx(work.notes[: len(order), wk.COUPLE : wk.COUPLE + 3], abs=1e-13)
    assert (np.abs(couples).max() > 1e-6) == (lever > 0.0)
    assert twists(side_by_side) == pytest.approx(twists(alone), abs=1e-11)
    assert most == pytest.approx(changed, rel=1e-9)
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
