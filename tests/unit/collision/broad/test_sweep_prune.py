"""Sweep and prune against all pairs of boxes."""

from __future__ import annotations

import numpy as np
import pytest

from engine.collision.broad.boxes import boxes_meet
from engine.collision.broad.sweep_prune import find_meeting, sort_ends, update_box
from engine.model.state import BOX_WIDTH, COUNT_WIDTH, EXCHANGES, HIGH, LOW


def random_boxes(rng: np.random.Generator, n: int) -> np.ndarray:
    boxes = np.zeros((n, BOX_WIDTH))
    # Coordinates on a coarse grid, so that ends coincide often.
    low = rng.integers(0, 12, (n, 3)) / 2.0
    boxes[:, LOW : LOW + 3] = low
    boxes[:, HIGH : HIGH + 3] = low + rng.integers(1, 5, (n, 3)) / 2.0
    return boxes


def all_pairs(boxes: np.ndarray) -> set[tuple[int, int]]:
    n = len(boxes)
    return {(a, b) for a in range(n) for b in range(a + 1, n) if boxes_meet(boxes, a, b)}


@pytest.mark.parametrize("seed", range(8))
def test_the_first_sweep_finds_every_pair_once(seed: int) -> None:
    boxes = random_boxes(np.random.default_rng(seed), 30)
    boxes[0, LOW : LOW + 3], boxes[0, HIGH : HIGH + 3] = -np.inf, np.inf
    found = [tuple(pair) for pair in find_meeting(boxes).tolist()]
    assert len(found) == len(set(found))
    assert set(found) == all_pairs(boxes)


@pytest.mark.parametrize("seed", range(8))
def test_moving_boxes_report_every_new_overlap(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    boxes = random_boxes(rng, 25)
    ends, spot = sort_ends(boxes)
    found = np.zeros(3 * 25, dtype=np.int64)
    counts = np.zeros(COUNT_WIDTH, dtype=np.int64)
    known = all_pairs(boxes)
    for _ in range(300):
        body = int(rng.integers(25))
        boxes[body] = random_boxes(rng, 1)[0]
        count = update_box(ends, spot, boxes, counts, body, found)
        known |= {(min(body, int(j)), max(body, int(j))) for j in found[:count]}
        now = all_pairs(boxes)
        assert now <= known
        known = now
        fresh_ends, fresh_spot = sort_ends(boxes)
        assert np.array_equal(ends, fresh_ends)
        assert np.array_equal(spot, fresh_spot)
    assert counts[EXCHANGES] > 0
