"""How finely moving pictures are drawn follows how long they take."""

from __future__ import annotations

import itertools

from app.view.viewport.quality import LEVELS, PATIENCE, Governor


def test_late_pictures_become_coarser_and_easy_ones_finer() -> None:
    governor = Governor(budget=0.016)
    for _ in range(100):
        governor.took(0.1 * 0.8**governor.level)
    assert governor.moving == LEVELS[-1]
    for _ in range(120 * len(LEVELS)):
        governor.took(0.001)
    assert governor.moving == LEVELS[0]


def test_a_finer_level_is_tried_again_and_the_more_seldom_the_more_often_in_vain() -> None:
    governor = Governor(budget=0.016, start=2)
    tried = []
    for picture in range(12 * PATIENCE):
        level = governor.level
        governor.took(0.014 if governor.level >= 2 else 0.05)
        if governor.level < level:
            tried.append(picture)
    assert len(tried) >= 3
    gaps = [after - before for before, after in itertools.pairwise(tried)]
    assert all(after > 1.5 * before for before, after in itertools.pairwise(gaps))


def test_one_late_picture_changes_nothing() -> None:
    governor = Governor(budget=0.016, start=2)
    governor.took(0.05)
    assert governor.level == 2


def test_coarser_levels_that_do_not_help_are_not_taken() -> None:
    """Something else than drawing finely takes the time, so that pictures are no blocks for nothing."""
    governor = Governor(budget=0.016)
    levels = []
    for _ in range(4000):
        governor.took(0.05 + 0.001 * len(LEVELS) - 0.001 * governor.level)
        levels.append(governor.level)
    assert levels.count(1) > 0.9 * len(levels)
    assert max(levels[:150]) == len(LEVELS) - 1  # it has tried


def test_of_levels_that_help_the_finest_is_taken_beyond_which_none_does() -> None:
    governor = Governor(budget=0.016)
    for _ in range(200):
        governor.took(0.1 if governor.level < 3 else 0.03)
    assert governor.level == 3
