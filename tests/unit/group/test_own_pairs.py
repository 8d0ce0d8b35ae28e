"""Pairs that may be contacts of a group, body by body: each once, and none that may bring in another body."""

from __future__ import annotations

import numpy as np
import pytest

from engine.group import work as wk
from engine.group.own_pairs import IN_TURN, list_own_pairs, touches
from engine.model import state as s
from engine.tolerances import CUT_STEPS
from tests.groups import Group, resting
from tests.scenes import ball, body, floor

pytestmark = pytest.mark.plain


def balls(n: int) -> list[dict[str, object]]:
    """n balls on the floor, side by side, so near that all may touch."""
    return [ball(f"ball {i}", (0.2001 * i, 0.0, 0.1005)) for i in range(n)]


def listed(group: Group) -> dict[int, list[int] | None]:
    """By body: rows of the pairs that are listed of it; None: it is to be gathered in turn."""
    found: dict[int, list[int] | None] = {}
    for at in range(group.bodies):
        list_own_pairs(group.model, group.state, group.work, at, 0.0)
        count = int(group.work.owns[at])
        found[int(group.work.body[at])] = None if count == IN_TURN else group.work.own[at, :count].tolist()
    return found


def test_each_contact_of_the_group_is_listed_once() -> None:
    group = resting(floor(), *balls(6), envelope=1e-3)
    found = listed(group)
    rows = [row for own in found.values() if own is not None for row in own]
    assert None not in found.values()
    assert len(rows) == len(set(rows))
    assert set(group.work.pair[: group.work.sizes[wk.PAIRS_HELD]].tolist()) <= set(rows)
    for i, own in found.items():
        for row in own or ():
            a, b = group.state.links[row, [s.BODY_A, s.BODY_B]]
            assert touches(group.model, group.state, row)
            assert a == i or (b == i and a == 0), "the floor has none of its own"


def test_who_has_more_than_there_is_room_for_is_gathered_in_turn() -> None:
    slab = body("slab", {"box": [4.0, 4.0, 0.1]}, (0, 0, 0.0505))
    loads = [ball(f"ball {k}", (0.25 * k - 2.0, 0.0, 0.202)) for k in range(wk.MOST_OWN + 1)]
    group = resting(floor(), slab, *loads, envelope=1e-3)
    found = listed(group)
    assert found[1] is None
    assert all(own is not None for i, own in found.items() if i != 1)


@pytest.mark.parametrize("busy", [False, True])
def test_who_may_bring_in_another_is_gathered_in_turn(busy: bool) -> None:
    """A ball that flies just above another one: a busy group takes it in, another one leaves it to its hit."""
    group = resting(floor(), *balls(4), ball("high", (0.0, 0.0, 0.306), (0.0, 0.0, -1.0)), size=4, envelope=1e-3)
    group.work.link[wk.CUTS] = 2.0 * CUT_STEPS if busy else 0.0
    found = listed(group)
    assert [i for i, own in found.items() if own is None] == ([1] if busy else [])
    high = group.world.row("high")
    for own in found.values():
        assert not np.any(group.state.links[own or [], s.BODY_B] == high)
