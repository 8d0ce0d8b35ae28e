"""Who has been struck at the start of a step, and may meet what the step knows nothing of."""

from __future__ import annotations

import pytest

from engine.group import work as wk
from engine.group.struck import SENT_ON, STRUCK, UNHURT, look_whether_struck, may_come_near, struck_by
from engine.model import state as s
from tests.groups import Group, resting
from tests.scenes import ball, floor

pytestmark = pytest.mark.plain


def two_balls(gap: float) -> Group:
    """A ball on the floor, and one so far above it that no group has anything to do with it."""
    group = resting(floor(), ball("low", (0, 0, 0.1005)), ball("high", (0, 0, 0.3005 + gap)), size=1, envelope=1e-3)
    assert group.bodies == 1 and group.work.body[0] == 1
    row = between(group)
    group.state.pairs[row, [s.FLOOR, s.FLOOR_TIME, s.FALL_A, s.FALL_B]] = gap, 0.0, 0.0, 0.0
    return group


def between(group: Group) -> int:
    """The pair of both balls."""
    row = int(group.state.first_pair[2])
    assert group.state.links[row, [s.BODY_A, s.BODY_B]].tolist() == [1, 2]
    return row


def look(group: Group, up: float) -> int:
    """What the lower ball is once it goes up so fast [m/s]."""
    group.work.twists[0, wk.V + 2] = up
    look_whether_struck(group.model, group.state, group.work, 0, 0.0)
    return int(group.work.root[0])


@pytest.mark.parametrize(("gap", "up", "found"), [(0.01, 0.0, UNHURT), (0.01, 0.1, STRUCK), (0.01, 10.0, SENT_ON)])
def test_who_is_sent_on(gap: float, up: float, found: int) -> None:
    group = two_balls(gap)
    assert struck_by(group.model, group.state, group.work, 0, 0.0) == 0.0
    assert look(group, up) == found
    assert struck_by(group.model, group.state, group.work, 0, 0.0) == pytest.approx(up)


def test_what_a_hit_makes_no_faster_than_what_rests_is_struck_and_not_sent_on() -> None:
    group = two_balls(0.0012)
    assert look(group, 1e-5) == STRUCK


def test_what_may_come_near_is_bounded_by_what_is_known_of_the_gap() -> None:
    group = two_balls(0.01)
    row = between(group)
    for up, near in ((1.0, False), (3.0, True)):  # in 1/240 s
        group.work.twists[0, wk.V + 2] = up
        assert may_come_near(group.model, group.state, group.work, row, 1, 0.0) is near
        assert may_come_near(group.model, group.state, group.work, row, 2, 0.0) is near
