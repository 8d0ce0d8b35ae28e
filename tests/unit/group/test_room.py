"""Rows of contacts that a step takes: those of its points, and some for corrections."""

from __future__ import annotations

import pytest

from engine.group import work as wk
from engine.group.room import correction_rows, is_roomy
from tests.groups import gathered, resting
from tests.scenes import ball, floor

pytestmark = pytest.mark.plain


def test_few_pairs_have_all_the_rows_they_may_need_and_many_a_part() -> None:
    assert [correction_rows(held) for held in (0, 1, 10)] == [0, wk.CORRECTIONS, 10 * wk.CORRECTIONS]
    rows = [correction_rows(held) for held in range(5000)]
    assert rows == sorted(rows)
    assert all(held <= 4 * rows[held] for held in range(5000))
    assert rows[-1] < 0.3 * 5000


@pytest.mark.parametrize("less", [0, 1])
def test_a_group_has_room_when_there_are_as_many_rows_as_it_takes(less: int) -> None:
    group = resting(floor(), *(ball(f"ball {i}", (0.3 * i, 0.0, 0.1005)) for i in range(3)), size=1)
    needed = int(group.work.sizes[wk.NEEDED])
    assert is_roomy(group.work)
    again = gathered(group.world, points=needed - less)
    assert is_roomy(again.work) == (less == 0)
    assert again.work.sizes[wk.NEEDED] == needed
