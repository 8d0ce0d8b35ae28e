"""The sparse cache of pairs: only pairs whose swept boxes meet have a row. Found by hash, listed by body.

A row is a pair of nodes of two bodies' trees. The hash knows the pairs of roots, which is all there is between convex
bodies; the pairs that these are unwrapped into hang below them, see engine.collision.pairs.hull_pairs.

The hash is open addressing with linear probing and backward-shift deletion, so that it stays as short as on the first
day and its content depends only on the history of insertions and removals.
"""

from __future__ import annotations

from math import inf

from engine.kernel import kernel
from engine.model.model import FIRST_NODE, FREE, GROUP, KIND, MATES, SHAPE, Floats, Ints
from engine.model.state import (
    BODY_A,
    BODY_B,
    BOUND_A,
    BOUND_B,
    CAME_AT,
    CHECKED,
    CREDIT,
    CRUSHED_AT,
    CRUSHES,
    FEATURE_A,
    FEATURE_B,
    FREE_HEAD,
    GAP,
    IN_USE,
    LAST_HIT,
    LAST_MICRO,
    LINK_WIDTH,
    NEXT_A,
    NEXT_B,
    NEXT_PART,
    PAIR_FREE,
    PAIR_STATE,
    PAIR_WIDTH,
    PAIRS,
    PAIRS_MADE,
    PARENT,
    PART,
    PREV_A,
    PREV_B,
    QUIET_HITS,
    SHAPE_A,
    SHAPE_B,
    SINCE,
    State,
    allocate_state,
    most_points,
)


@kernel
def may_touch(tags: Ints, mates: Ints, a: int, b: int) -> bool:
    """Pairs that are worth a check: one of them is free, they are not of one group, and no joint ties them."""
    if tags[a, KIND] != FREE and tags[b, KIND] != FREE:
        return False
    if tags[a, MATES] >= 0:
        for k in range(mates[tags[a, MATES]]):
            if mates[tags[a, MATES] + 1 + k] == b:
                return False
    return tags[a, GROUP] < 0 or tags[a, GROUP] != tags[b, GROUP]


@kernel
def hash_slot(key: int, mask: int) -> int:
    """Home slot of a key of 62 bits: a mix whose every step is exact in 63.

    The halves are mixed apart: bodies that are neighbours in a lattice differ by few numbers, and whatever is made of
    their difference alone, or of a ^ b, sends all of them to the same few slots.
    """
    x = (key & 0x7FFFFFFF) ^ (((key >> 31) * 0x85EBCA6B) & 0x7FFFFFFF)
    x = (x * 0x9E3779B1) & 0x3FFFFFFFFFFFFFF
    return (x ^ (x >> 29)) & mask


@kernel
def find_pair(table: Ints, a: int, b: int) -> int:
    """Row of the pair (a < b), or -1."""
    key = (a << 31) | b
    mask = table.shape[0] // 2 - 1
    slot = hash_slot(key, mask)
    while table[2 * slot] != -1:
        if table[2 * slot] == key:
            return table[2 * slot + 1]
        slot = (slot + 1) & mask
    return -1


@kernel
def remember_pair(table: Ints, a: int, b: int, row: int) -> None:
    key = (a << 31) | b
    mask = table.shape[0] // 2 - 1
    slot = hash_slot(key, mask)
    while table[2 * slot] != -1:
        slot = (slot + 1) & mask
    table[2 * slot] = key
    table[2 * slot + 1] = row


@kernel
def forget_pair(table: Ints, a: int, b: int) -> None:
    key = (a << 31) | b
    mask = table.shape[0] // 2 - 1
    slot = hash_slot(key, mask)
    while table[2 * slot] != key:
        if table[2 * slot] == -1:
            return
        slot = (slot + 1) & mask
    hole = slot
    while True:
        slot = (slot + 1) & mask
        if table[2 * slot] == -1:
            break
        home = hash_slot(table[2 * slot], mask)
        if ((slot - home) & mask) >= ((slot - hole) & mask):
            table[2 * hole] = table[2 * slot]
            table[2 * hole + 1] = table[2 * slot + 1]
            hole = slot
    table[2 * hole] = -1
    table[2 * hole + 1] = -1


@kernel
def push_front(links: Ints, first_pair: Ints, row: int, body: int, next_at: int, prev_at: int) -> None:
    """Put the pair at the head of `body`'s list; next_at, prev_at: the columns of the side on which it stands."""
    head = first_pair[body]
    links[row, next_at] = head
    links[row, prev_at] = -1
    if head >= 0:
        links[head, PREV_A if links[head, BODY_A] == body else PREV_B] = row
    first_pair[body] = row


@kernel
def unlink(links: Ints, first_pair: Ints, row: int, body: int, next_at: int, prev_at: int) -> None:
    after = links[row, next_at]
    before = links[row, prev_at]
    if before >= 0:
        links[before, NEXT_A if links[before, BODY_A] == body else NEXT_B] = after
    else:
        first_pair[body] = after
    if after >= 0:
        links[after, PREV_A if links[after, BODY_A] == body else PREV_B] = before


@kernel
def next_pair(links: Ints, row: int, body: int) -> int:
    """The pair after `row` in `body`'s list; -1 at its end."""
    return links[row, NEXT_A] if links[row, BODY_A] == body else links[row, NEXT_B]


@kernel
def other_of(links: Ints, row: int, body: int) -> int:
    """The body of pair `row` beside `body`."""
    return links[row, BODY_B] if links[row, BODY_A] == body else links[row, BODY_A]


@kernel
def pair_nodes(tags: Ints, links: Ints, row: int) -> tuple[int, int]:
    """The two nodes of a pair, by their numbers among the nodes of all bodies."""
    a, b = links[row, BODY_A], links[row, BODY_B]
    node_a = links[row, SHAPE_A] - tags[a, SHAPE] + tags[a, FIRST_NODE]
    return node_a, links[row, SHAPE_B] - tags[b, SHAPE] + tags[b, FIRST_NODE]


@kernel
def make_pair(
    pairs: Floats, links: Ints, first_pair: Ints, counts: Ints, a: int, b: int, shape_a: int, shape_b: int, parent: int
) -> int:
    """Take a free row for a pair of nodes of bodies a < b. The caller has made sure that a row is free.

    parent: the row that is being unwrapped; -1 for the pair of the roots, which the caller then puts into the hash.
    """
    row = counts[FREE_HEAD]
    counts[FREE_HEAD] = links[row, NEXT_A]
    for k in range(PAIR_WIDTH):
        pairs[row, k] = 0.0
    for k in range(LINK_WIDTH):
        links[row, k] = -1
    pairs[row, GAP] = inf
    pairs[row, CHECKED] = -inf
    pairs[row, LAST_MICRO] = -inf
    pairs[row, CAME_AT] = -inf
    pairs[row, SINCE] = -inf
    pairs[row, LAST_HIT] = -inf
    pairs[row, CRUSHED_AT] = -inf
    pairs[row, CREDIT] = 0.0
    links[row, BODY_A] = a
    links[row, BODY_B] = b
    links[row, FEATURE_A] = -1
    links[row, FEATURE_B] = -1
    links[row, IN_USE] = 1
    links[row, BOUND_A] = 0
    links[row, BOUND_B] = 0
    links[row, PAIR_STATE] = PAIR_FREE
    links[row, QUIET_HITS] = 0
    links[row, CRUSHES] = 0
    push_front(links, first_pair, row, a, NEXT_A, PREV_A)
    push_front(links, first_pair, row, b, NEXT_B, PREV_B)
    links[row, SHAPE_A] = shape_a
    links[row, SHAPE_B] = shape_b
    links[row, PARENT] = parent
    if parent >= 0:
        links[row, NEXT_PART] = links[parent, PART]
        links[parent, PART] = row
    counts[PAIRS] += 1
    counts[PAIRS_MADE] += 1
    return row


@kernel
def drop_pair(links: Ints, table: Ints, first_pair: Ints, counts: Ints, row: int) -> None:
    """Give the row of a pair back that has no parts. If it is a part itself, its parent must not name it any more."""
    a = links[row, BODY_A]
    b = links[row, BODY_B]
    if links[row, PARENT] < 0:
        forget_pair(table, a, b)
    unlink(links, first_pair, row, a, NEXT_A, PREV_A)
    unlink(links, first_pair, row, b, NEXT_B, PREV_B)
    links[row, IN_USE] = 0
    links[row, NEXT_A] = counts[FREE_HEAD]
    counts[FREE_HEAD] = row
    counts[PAIRS] -= 1


@kernel
def remember_all(table: Ints, links: Ints) -> None:
    """Fill an empty table with every pair of roots in use, by row."""
    for row in range(links.shape[0]):
        if links[row, IN_USE] == 1 and links[row, PARENT] < 0:
            remember_pair(table, links[row, BODY_A], links[row, BODY_B], row)


def grow_pairs(state: State) -> State:
    """A State with half as much room again for pairs; everything that was in it stays where it was.

    A pair takes a kilobyte: of twice the room a pile of thousands leaves nearly half unused.
    """
    n = state.first_pair.shape[0]
    old = state.links.shape[0]
    larger = allocate_state(n, old + max(old // 2, 1), most_points(state.patches))
    larger.patches[: len(state.patches)] = state.patches
    larger.pairs[:old] = state.pairs
    larger.links[:old] = state.links
    free = int(state.counts[FREE_HEAD])
    larger.links[-1, NEXT_A] = free
    state.counts[FREE_HEAD] = old
    for name in ("heap", "place", "keys", "rank", "soon", "soon_keys", "soon_place"):
        getattr(larger, name)[: n + old] = getattr(state, name)
    remember_all(larger.table, larger.links)
    return state._replace(
        pairs=larger.pairs,
        links=larger.links,
        table=larger.table,
        heap=larger.heap,
        place=larger.place,
        keys=larger.keys,
        rank=larger.rank,
        soon=larger.soon,
        soon_keys=larger.soon_keys,
        soon_place=larger.soon_place,
        patches=larger.patches,
    )
