"""When pairs are checked: rows of pairs in the event queue, at once or at a time, and how a pair leaves."""

from __future__ import annotations

from engine.collision.pair_table import drop_pair, pair_nodes
from engine.events import CHECK, cancel, rank_of, schedule
from engine.kernel import kernel
from engine.model.model import Ints, Model
from engine.model.state import BODY_A, BODY_B, HEAP_SIZE, NEAR, PARENT, SOON_SIZE, State


@kernel
def order_of_check(tags: Ints, links: Ints, row: int) -> int:
    """Among checks of one time, those of lower nodes come first, numbered through all bodies."""
    node_a, node_b = pair_nodes(tags, links, row)
    return rank_of(CHECK, node_a, node_b)


@kernel
def schedule_check(model: Model, state: State, row: int, t: float) -> None:
    """Check pair `row` at time t."""
    event = model.tags.shape[0] + row
    order = order_of_check(model.tags, state.links, row)
    size = state.counts[HEAP_SIZE]
    state.counts[HEAP_SIZE] = schedule(state.heap, state.keys, state.place, state.rank, size, event, t, order)


@kernel
def check_now(model: Model, state: State, row: int, t: float) -> None:
    """Check a pair at once, now being t: it stays in the queue where it is until it gets a new time."""
    event = model.tags.shape[0] + row
    order = order_of_check(model.tags, state.links, row)
    state.counts[SOON_SIZE] = schedule(
        state.soon, state.soon_keys, state.soon_place, state.rank, state.counts[SOON_SIZE], event, t, order
    )


@kernel
def count_near(state: State, row: int, change: float) -> None:
    """The boxes of the bodies of pair `row`, which is one of roots, begin to meet (change 1), or do so no more (-1)."""
    state.boxes[state.links[row, BODY_A], NEAR] += change
    state.boxes[state.links[row, BODY_B], NEAR] += change


@kernel
def part(model: Model, state: State, row: int) -> None:
    """A pair without parts leaves, and what waits for it with it."""
    if state.links[row, PARENT] < 0:
        count_near(state, row, -1.0)
    event = model.tags.shape[0] + row
    size = state.counts[HEAP_SIZE]
    state.counts[HEAP_SIZE] = cancel(state.heap, state.keys, state.place, state.rank, size, event)
    size = state.counts[SOON_SIZE]
    state.counts[SOON_SIZE] = cancel(state.soon, state.soon_keys, state.soon_place, state.rank, size, event)
    drop_pair(state.links, state.table, state.first_pair, state.counts, row)
