"""Membership: groups that merge, split and are left are lists without a gap, and their books go with them."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from engine import World
from engine.group import work as wk
from engine.group.islands import find_lost, free_body, hold_body, join_bodies, merge_groups, rouse_group, split_group
from engine.group.sleep import lay_asleep
from engine.model import state as s
from engine.motion.arcs import evolve
from engine.tolerances import KICK_PERIOD
from tests.groups import Group, H, members, resting
from tests.scenes import ball, body, floor, scene

pytestmark = pytest.mark.plain


def boxes(n: int) -> Group:
    """n boxes side by side on a floor, each a group of its own; the last of them is gathered."""
    things = [body(f"b{k}", {"box": [0.1, 0.1, 0.1]}, (0.3 * k, 0, 0.0505)) for k in range(n)]
    return resting(floor(), *things, size=1, envelope=1e-3)


def hold_all(group: Group) -> None:
    for i in range(1, len(group.world.names)):
        _hold(group, i)


def _hold(group: Group, i: int) -> None:
    state = group.state
    hold_body(group.model, state, i, 0.0)


def merge(group: Group, *pairs: tuple[int, int]) -> None:
    for a, b in pairs:
        merge_groups(group.state.members, group.state.groups, a, b)


@pytest.mark.parametrize(
    ("merges", "groups"),
    [
        ([(1, 2)], {1: {1, 2}, 3: {3}, 4: {4}, 5: {5}}),
        ([(2, 1)], {1: {1, 2}, 3: {3}, 4: {4}, 5: {5}}),
        ([(4, 5), (5, 4)], {1: {1}, 2: {2}, 3: {3}, 4: {4, 5}}),
        ([(4, 5), (1, 5)], {2: {2}, 3: {3}, 4: {1, 4, 5}}),  # the smaller is taken into the larger
        ([(4, 5), (1, 2), (2, 5)], {1: {1, 2, 4, 5}, 3: {3}}),  # of two alike the one that comes first leads
        ([(1, 2), (2, 3), (3, 4), (4, 5)], {1: {1, 2, 3, 4, 5}}),
        ([(5, 4), (4, 3), (3, 2), (2, 1)], {4: {1, 2, 3, 4, 5}}),
    ],
)
def test_merging(merges: list[tuple[int, int]], groups: dict[int, set[int]]) -> None:
    group = boxes(5)
    hold_all(group)
    group.state.groups[1:, s.CORRECTION_BUDGET] = 1.0
    merge(group, *merges)
    for leader, expected in groups.items():
        listed = members(group, leader)
        assert set(listed) == expected and len(listed) == len(expected) == group.state.members[leader, s.MEMBERS]
        assert (group.state.members[listed, s.LEADER] == leader).all()
        assert group.state.groups[leader, s.CORRECTION_BUDGET] == len(expected)
        others = [i for i in listed if i != leader]
        assert (group.state.groups[others, s.HORIZON] == inf).all()


@pytest.mark.parametrize(
    ("touching", "groups"),
    [
        ([], []),
        ([(0, -1)], [{0}]),
        ([(0, -1), (-1, 1)], [{0}, {1}]),  # both on the floor, which ties nobody
        ([(0, 1)], [{0, 1}]),
        ([(3, 1), (1, -1)], [{1, 3}]),
        ([(0, 1), (1, 2), (2, 3)], [{0, 1, 2, 3}]),
        ([(3, 2), (2, 1), (1, 0)], [{0, 1, 2, 3}]),
        ([(0, 2), (1, 3)], [{0, 2}, {1, 3}]),
        ([(0, 2), (1, 3), (2, 3)], [{0, 1, 2, 3}]),
    ],
)
def test_splitting(touching: list[tuple[int, int]], groups: list[set[int]]) -> None:
    """Of four bodies of one group, those that touch stay together; what touches nothing flies."""
    group = boxes(4)
    hold_all(group)
    merge(group, (1, 2), (2, 3), (3, 4))
    work, state = group.work, group.state
    rows = members(group, 1)
    work.body[:4] = rows
    work.sizes[[wk.BODIES, wk.CONTACTS]] = 4, len(touching)
    for k, sides in enumerate(touching):
        work.contact[k, [wk.SIDE_A, wk.SIDE_B]] = sides
    work.contacts[:4] = work.notes[:4] = work.link[:] = 0.0
    work.look[:4] = 0
    split_group(group.model, state, work, 0.0, H, 0.0, 0.0)
    held = set()
    for places in groups:
        expected = {rows[at] for at in places}
        leader = rows[min(places)]
        assert set(members(group, leader)) == expected and state.members[leader, s.MEMBERS] == len(expected)
        assert state.groups[leader, s.HORIZON] == H and state.groups[leader, s.STEP] == H
        held |= expected
    for at, i in enumerate(rows):
        assert (state.members[i, s.LEADER] >= 0) == (i in held)
        assert (state.arcs[i, s.HELD] == s.STEPPING) == (i in held)
        assert work.look[at] == (i not in held)


def test_who_leaves_keeps_its_velocities() -> None:
    thrown = ball("ball", (0, 0, 5.0), (1.0, 2.0, 3.0), angular_velocity=[4.0, 5.0, 6.0])
    group = resting(floor(), body("box", {"box": [0.1, 0.1, 0.1]}, (0, 0, 0.0505)), thrown, size=1, envelope=1e-3)
    before = group.world.twists()[2]
    _hold(group, 2)
    assert group.world.twists()[2] == pytest.approx(before) and group.state.arcs[2, s.HELD] == s.STEPPING
    state = group.state
    free_body(group.model, state, 2, 0.0)
    assert group.world.twists()[2] == pytest.approx(before) and state.arcs[2, s.HELD] == 0.0
    assert state.members[2, s.LEADER] == -1 and state.groups[2, s.HORIZON] == inf
    assert not state.clock[s.DISSIPATED : s.DISSIPATED + s.CAUSES + 1].any()


@pytest.mark.parametrize("pair", [(0, 1), (1, 2), (2, 1)])
def test_joining_holds_who_flew_and_ties_nobody_to_the_floor(pair: tuple[int, int]) -> None:
    group = boxes(3)
    free = [i for i in pair if i > 0]
    leader = join_bodies(group.model, group.state, *pair, 0.0)
    assert set(members(group, leader)) >= set(free)
    assert (group.state.arcs[free, s.HELD] == s.STEPPING).all()
    assert group.state.groups[leader, s.HORIZON] == 0.0
    assert group.state.members[0, s.LEADER] == -1


def test_a_sleeping_group_is_roused_whole() -> None:
    group = boxes(3)
    state = group.state
    for i in (1, 2, 3):
        lay_asleep(group.model, state, i, 0.0)
    merge(group, (1, 2), (2, 3))
    assert (state.arcs[1:, s.HELD] == s.ASLEEP).all() and state.groups[1, s.HORIZON] == inf
    rouse_group(group.model, state, 3, 0.5)
    assert (state.arcs[1:, s.HELD] == s.STEPPING).all()
    assert state.groups[1, s.HORIZON] == state.groups[1, s.CALM_SINCE] == 0.5


def test_who_wakes_under_a_torque_is_kicked_again_and_flies_with_what_that_gives() -> None:
    """Asleep nothing kicks it. Let go at t it gets what acts until half a period before its next kick."""
    box = body("box", {"box": [0.1, 0.1, 0.1]}, (0, 0, 0.0505), mass=1.0, torque=[0.0, 0.0, 0.01])
    world = World(scene(floor(), box, envelope=1e-3))
    world.advance_to(1.0)
    model, state, t = world.model, world._state, 1.2344
    assert state.arcs[1, s.HELD] == s.ASLEEP and state.loads[1, s.NEXT_KICK] == inf
    rouse_group(model, state, 1, t)
    assert state.loads[1, s.NEXT_KICK] == pytest.approx(1.235, rel=1e-12)
    free_body(model, state, 1, t)
    spin = 0.01 / (0.1**2 / 6.0) * (1.235 - 0.5 * KICK_PERIOD - t)
    assert evolve(model.bodies, model.tags, state.arcs, 1, t).w[2] == pytest.approx(spin, rel=1e-9)


@pytest.mark.parametrize("lost", [None, 1, 3])
def test_a_body_that_is_no_longer_finite_is_found(lost: int | None) -> None:
    group = boxes(3)
    hold_all(group)
    merge(group, (1, 2), (2, 3))
    if lost is not None:
        group.state.arcs[lost, s.VELOCITY] = np.nan
    assert find_lost(group.state.arcs, group.state.members, 1) == (-1 if lost is None else lost)
