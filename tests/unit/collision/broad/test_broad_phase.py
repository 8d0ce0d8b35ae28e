"""Every broad phase against all pairs of boxes; the hash's labels and close counters against their definitions."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.collision.broad.boxes import boxes_meet
from engine.collision.broad.broad_phase import enter_broad_phase, grow, lacks_room, update_broad_phase
from engine.collision.broad.tiles import TILE_SHIFT, below, body_of, key_of, label_place, residents_of, top_of
from engine.collision.pair_table import next_pair
from engine.model import model as m
from engine.model import state as s
from engine.model.state import State
from engine.world import World
from tests.scenes import ball, body, floor, scene

KINDS = ("hierarchical_hash", "counting_hash", "standard_hash", "sweep_prune")
PARKED = 1e6  # [m] where boxes are that have been taken away

# Coordinates on a coarse grid, so that ends and tile borders coincide often; sizes from a grain to more than all tiles.
places = st.tuples(*[st.integers(-12, 12).map(lambda k: k / 4.0)] * 3)
sides = st.sampled_from([0.05, 0.25, 0.42, 0.5, 1.0, 3.0, 30.0])
boxes = st.tuples(places, st.tuples(sides, sides, sides))
removed = st.just(((PARKED, PARKED, PARKED), (0.25, 0.25, 0.25)))
endless = st.just(((-np.inf, -np.inf, -np.inf), (np.inf, np.inf, np.inf)))
moves = st.lists(st.tuples(st.integers(0, 11), boxes | removed | endless), min_size=1, max_size=60)


def make_world(kind: str) -> World:
    """Twelve bodies far from each other: balls of three sizes, two in one group, a plate, a post and a ground."""
    bodies = [ball(f"ball{k}", (10.0 * k, 0, 50), radius=(0.05, 0.1, 0.3)[k % 3]) for k in range(7)]
    bodies += [ball(f"twin{k}", (10.0 * k, 30, 50), group="twins") for k in range(2)]
    bodies += [
        body("plate", {"box": [500.0, 500.0, 1.0]}, (0, 0, -20), motion="fixed"),
        body("post", {"box": [0.3, 0.3, 0.9]}, (0, 60, 0), motion="fixed"),
        floor(),
    ]
    return World(scene(*bodies, broad_phase=kind))


def put(state: State, i: int, box: tuple[Any, Any]) -> None:
    low, side = np.array(box[0]), np.array(box[1])
    state.boxes[i, s.LOW : s.LOW + 3] = low
    with np.errstate(invalid="ignore"):
        state.boxes[i, s.HIGH : s.HIGH + 3] = np.where(np.isinf(side), np.inf, low + side)


def meeting(world: World, state: State, i: int) -> set[int]:
    n = len(world.names)
    return {j for j in range(n) if j != i and boxes_meet(state.boxes, i, j) and one_is_free(world, i, j)}


def one_is_free(world: World, i: int, j: int) -> bool:
    return m.FREE in world.model.tags[[i, j], m.KIND]


WORLDS = {kind: make_world(kind) for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
@given(script=moves)
@settings(max_examples=150)
def test_no_overlap_is_missed(kind: str, script: list[tuple[int, Any]]) -> None:
    world = WORLDS[kind]
    state = world.snapshot().state
    found = np.zeros(3 * len(world.names) + 3, dtype=np.int64)
    known = {frozenset((i, j)) for i in range(12) for j in meeting(world, state, i)}
    for i, box in script:
        put(state, i, box)
        if lacks_room(world.model, state):
            state = grow(world.model, state)
        reported = found[: update_broad_phase(world.model, state, i, found)].tolist()
        if kind != "sweep_prune":
            assert len(reported) == len(set(reported))
            assert {j for j in reported if one_is_free(world, i, j)} == meeting(world, state, i)
        known |= {frozenset((i, j)) for j in reported}
        now = {frozenset((a, b)) for a in range(12) for b in meeting(world, state, a)}
        assert now <= known
        known = now
    check_hash(world, state)


def check_hash(world: World, state: State) -> None:
    """Labels stand in the tiles of the boxes, and close counters are the numbers of shared tiles (Definition 1)."""
    model, n = world.model, len(world.names)
    if len(state.tiles) == 0:
        return
    used, resolutions = int(model.settings[m.USED_RESOLUTIONS]), int(model.settings[m.RESOLUTIONS])
    tiles: list[dict[int, set[Any]]] = []
    for row in state.tiles:
        levels = [k for k in range(row[s.RESOLUTION], resolutions) if (used >> k) & 1]
        ranges = {
            k: [
                range(row[s.TILE_LOW + axis] >> k * TILE_SHIFT, (row[s.TILE_HIGH + axis] >> k * TILE_SHIFT) + 1)
                for axis in range(3)
            ]
            for k in levels
        }
        assert all(len(axis) <= 2 for axes in ranges.values() for axis in axes)
        tiles.append({k: set(product(*axes)) for k, axes in ranges.items()})
    stored: Counter[int] = Counter()
    heads = int(model.settings[m.HEADS])
    for head in range(heads):
        record = top_of(state.records, head)
        while record >= 0:
            size = int(state.records[record, s.RECORD_SIZE])
            assert size == s.RECORD_WIDTH - s.RECORD_LABELS or record == top_of(state.records, head)
            for column in range(s.RECORD_LABELS, s.RECORD_LABELS + size):
                entry = int(state.records[record, column])
                place = label_place(entry & 0xFFFFFFFF, resolutions)
                assert state.labels[place] == record * s.RECORD_WIDTH + column
                assert residents_of(key_of(entry), heads) == head - head % 2
                stored[body_of(entry)] += 1
            record = below(state.records, record, head)
    assert np.count_nonzero(state.labels >= 0) == stored.total()
    assert [stored[i] for i in range(n)] == [sum(map(len, tiles[i].values())) for i in range(n)]
    if model.settings[m.BROAD_PHASE] != m.COUNTING_HASH:
        return
    shared = {}
    for a in range(n):
        for b in range(a + 1, n):
            coarser = int(max(state.tiles[a, s.RESOLUTION], state.tiles[b, s.RESOLUTION]))
            if coarser < resolutions and one_is_free(world, a, b):
                if count := len(tiles[a][coarser] & tiles[b][coarser]):
                    shared[a, b] = count
    in_use = state.close[state.close[:, s.CLOSE_COUNT] > 0]
    assert {(int(row[s.BODY_A]), int(row[s.BODY_B])): int(row[s.CLOSE_COUNT]) for row in in_use} == shared
    assert state.counts[s.CLOSE_PAIRS] == len(shared)
    for i in range(n):
        listed, row = set(), int(state.first_close[i])
        while row >= 0:
            listed.add((int(state.close[row, s.BODY_A]), int(state.close[row, s.BODY_B])))
            row = next_pair(state.close, row, i)
        assert listed == {pair for pair in shared if i in pair}


@pytest.mark.parametrize("kind", ["hierarchical_hash", "counting_hash"])
def test_a_box_that_stays_in_its_tiles_moves_no_label(kind: str) -> None:
    world = WORLDS[kind]
    state = world.snapshot().state
    found = np.zeros(3 * len(world.names) + 3, dtype=np.int64)
    put(state, 1, ((0.05, 0.05, 0.05), (0.1, 0.1, 0.1)))
    update_broad_phase(world.model, state, 1, found)
    before, records = state.counts.copy(), state.records.copy()
    put(state, 1, ((0.06, 0.05, 0.05), (0.1, 0.1, 0.1)))
    update_broad_phase(world.model, state, 1, found)
    assert state.counts[s.HASH_UPDATES] == before[s.HASH_UPDATES]
    assert np.array_equal(state.records, records)
    put(state, 1, ((40.0, 0.05, 0.05), (0.1, 0.1, 0.1)))
    update_broad_phase(world.model, state, 1, found)
    assert state.counts[s.HASH_UPDATES] == before[s.HASH_UPDATES] + 1


def test_large_bodies_touch_no_tiles() -> None:
    state = WORLDS["hierarchical_hash"].snapshot().state
    resolutions = int(WORLDS["hierarchical_hash"].model.settings[m.RESOLUTIONS])
    large = [WORLDS["hierarchical_hash"].row(name) for name in ("plate", "floor")]
    assert np.all(state.tiles[large, s.RESOLUTION] == resolutions)
    assert np.all(state.labels.reshape(len(state.tiles), -1)[large] == -1)


def test_fast_bodies_that_are_near_others_touch_few_tiles() -> None:
    """Boxes are cut to a few radii of travel, so speed makes no tiles."""
    for speed in (0.0, 3000.0):
        velocity = (speed, 0.0, 0.0)
        world = World(scene(ball("a", (0, 0, 0), velocity), ball("b", (0, 0.205, 0), velocity), gravity=(0, 0, 0)))
        world.advance_to(0.5)
        state = world.snapshot().state
        assert np.all(np.ptp(state.boxes[:, [s.LOW, s.HIGH]], axis=1) < 2.0)
        assert np.all(state.tiles[:, s.RESOLUTION] < int(world.model.settings[m.RESOLUTIONS]))


def test_boxes_of_what_is_near_nothing_double() -> None:
    world = World(scene(ball("a", (0, 0, 0), (3000, 2000, 1000)), ball("b", (50, 0, 0))))
    world.advance_to(30.0)
    assert world.counters["box_updates"] < 80
    assert len(world.snapshot().state.tiles) == 2


def test_rows_for_close_pairs_grow() -> None:
    world = make_world("counting_hash")
    state = world.snapshot().state
    assert not lacks_room(world.model, state)
    cut = state._replace(close=state.close[:0], close_table=state.close_table[:0])
    assert lacks_room(world.model, cut)
    again = enter_broad_phase(world.model, cut)
    check_hash(world, again)
    grown = again
    while len(grown.close) == len(again.close):
        grown = grow(world.model, grown._replace(close=grown.close, counts=_filled(grown)))
    assert np.array_equal(grown.close[: len(again.close), s.CLOSE_COUNT], again.close[:, s.CLOSE_COUNT])


def _filled(state: State) -> np.ndarray:
    counts = state.counts.copy()
    counts[s.CLOSE_PAIRS] = len(state.close)
    return counts
