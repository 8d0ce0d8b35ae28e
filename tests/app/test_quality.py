"""How finely moving pictures are drawn follows how long they take."""

from __future__ import annotations

import itertools

from app.view.viewport.quality import LEVELS, PATIENCE, Governor


def test_late_pictures_become_coarser_and_easy_ones_finer() -> None:
    governor = Governor(budget=0.016)
    for _ in range(100):
        governor.took(0.1)
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
