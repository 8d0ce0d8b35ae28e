"""Committing a step: arcs that begin and end where it said, impulses for the next one, books that balance."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from engine.group import work as wk
from engine.group.commit import commit_step
from engine.group.gaps import try_step
from engine.group.solve.impulses import least_change, solve_step
from engine.model import state as s
from engine.motion.arcs import evolve
from tests.groups import G, Group, H, gathered, resting
from tests.scenes import body, floor

pytestmark = pytest.mark.plain
BOX = {"box": [0.2, 0.2, 0.1]}


def stack(velocity: tuple[float, float, float] = (0.0, 0.0, 0.0), **more: object) -> Group:
    """Two boxes on a floor, the upper one moving, after a step that was found good."""
    upper = body("upper", BOX, (0.02, 0.01, 0.151), velocity=list(velocity))
    group = resting(floor(), body("lower", BOX, (0, 0, 0.0505)), upper, envelope=1e-3, **more)
    solve_step(group.model, group.state, group.work, 0.0, H, False, least_change(group.model.settings))
    assert try_step(group.model, group.state, group.work, 0.0, H, 1e9) == 0
    return group


def commit(group: Group, ceiling: float = 1e9) -> None:
    commit_step(group.model, group.state, group.work, 0.0, H, ceiling, 0.0)


@pytest.mark.parametrize("velocity", [(0.0, 0.0, 0.0), (0.5, 0.2, 0.0)])
def test_arcs_begin_where_bodies_are_and_end_where_the_step_said(velocity: tuple[float, float, float]) -> None:
    group = stack(velocity)
    began = {int(i): evolve(group.model.bodies, group.model.tags, group.state.arcs, i, 0.0) for i in (1, 2)}
    commit(group)
    for at, i in enumerate(group.work.body[:2]):
        pose, twist = group.work.poses[at], group.work.twists[at]
        start = evolve(group.model.bodies, group.model.tags, group.state.arcs, i, 0.0)
        for found, expected in zip(start, began[int(i)], strict=True):
            assert found == pytest.approx(expected, abs=1e-12)
        x, q, v, w = evolve(group.model.bodies, group.model.tags, group.state.arcs, i, H)
        assert x == pytest.approx(pose[wk.X_END : wk.X_END + 3], abs=1e-12)
        assert q == pytest.approx(pose[wk.Q_END : wk.Q_END + 4], abs=1e-9)
        assert v == pytest.approx(twist[wk.V_END : wk.V_END + 3], abs=1e-9)
        assert w == pytest.approx(twist[wk.W_END : wk.W_END + 3], abs=1e-9)
        assert group.state.arcs[i, s.HELD] == s.STEPPING and group.state.arcs[i, s.HELD_UNTIL] == H


def test_the_group_steps_again_at_the_end() -> None:
    group = stack()
    commit(group)
    leader = int(group.state.members[1, s.LEADER])
    assert group.state.members[1:, s.LEADER].tolist() == [leader] * 2
    assert group.state.groups[leader, s.HORIZON] == group.state.groups[leader, s.STEP] == H
    assert group.state.groups[3 - leader, s.HORIZON] == inf


def test_what_contacts_bore_is_where_the_next_search_begins() -> None:
    group = stack()
    borne = group.column(wk.IMPULSE_AT).copy()
    commit(group)
    group.world._run(0.0, 0)
    for i in (1, 2):  # the next gathering, at the same instant, finds the same points
        group.state.arcs[i, s.HELD_UNTIL] = 0.0
    group.state.groups[:, s.STEP] = 0.0
    again = gathered(group.world)
    assert again.points == group.points
    assert again.note(wk.WARM) == pytest.approx(borne, rel=1e-6)
    total = borne[again.work.contact[: again.points, wk.SIDE_A] < 0].sum() / H
    weight = G * (1.0 / again.work.twists[0, wk.INV_M] + 1.0 / again.work.twists[1, wk.INV_M])
    assert total == pytest.approx(weight, rel=1e-3)


@pytest.mark.parametrize(("left", "budget"), [(0.0, 0.0), (1e-5, 1e-5), (1e9, None)])
def test_the_budget_for_corrections_is_what_is_left_of_the_energy(left: float, budget: float | None) -> None:
    """And no more than a fall of all bodies through the envelope gives."""
    group = stack()
    state = group.state
    ending = 0.0
    for at in range(2):
        mass = 1.0 / group.work.twists[at, wk.INV_M]
        v = group.work.twists[at, wk.V_END : wk.V_END + 3]
        ending += mass * (0.5 * v @ v + G * group.work.poses[at, wk.X_END + 2])
    weight = G * sum(1.0 / group.work.twists[at, wk.INV_M] for at in range(2))
    commit(group, ceiling=ending + left)
    found = float(state.groups[:, s.CORRECTION_BUDGET].sum())
    assert found == pytest.approx(weight * 1e-3 if budget is None else budget, abs=1e-7)


def test_neighbours_are_told_who_got_faster_than_was_promised() -> None:
    group = stack()
    group.work.look[:2] = 0
    group.state.arcs[1:, s.SPEED_BOUND] = 10.0
    for i, fast in ((1, False), (2, True)):
        at = int(np.flatnonzero(group.work.body[:2] == i)[0])
        group.work.twists[at, wk.V_END] = 20.0 if fast else 0.0
    commit(group)
    at = [int(np.flatnonzero(group.work.body[:2] == i)[0]) for i in (1, 2)]
    assert group.work.look[at].tolist() == [0, 1]
    assert group.state.arcs[2, s.SPEED_BOUND] >= 20.0
