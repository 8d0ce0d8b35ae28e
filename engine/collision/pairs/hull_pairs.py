"""Pairs of concave bodies: a pair of hulls that come near is unwrapped into pairs of what they hold (Mirtich 2.2.2).

Two bodies meet as the pair of their roots. A pair of nodes of which one has children is no contact but a guard: as
long as its hulls are apart, nothing in them touches, and its bound of the time of impact holds for all of it. Where the
hulls come nearer than the envelope, the larger node gives way to its children; the guard's row stays above theirs, and
now and then looks whether its hulls are far enough apart again to wrap them up. So between two bodies there are as many
rows as there is nearness, a tree of pairs, and no event looks at more than one of them.

Pairs of leaves are contacts like those of convex bodies, each with its own memory. Between triangles of one sheet a
contact belongs to the nearest: see `is_nearer_beside`.
"""

from __future__ import annotations

from math import inf

from engine.collision.narrow.bands import BESIDE
from engine.collision.narrow.features import EDGE, VERTEX
from engine.collision.narrow.smooth import FEATURE
from engine.collision.pair_table import make_pair
from engine.collision.pairs.checks import check_now, part, schedule_check
from engine.geometry.hull_tree import CHILD, CHILDREN, EDGE_FANS, FACETS, SMOOTH, VERTEX_FANS
from engine.geometry.pool import HEADER
from engine.geometry.pool import KIND as SHAPE_KIND
from engine.geometry.shapes import POINT
from engine.kernel import kernel
from engine.maths.quaternions import Quat, rotate_inverse
from engine.maths.rounding import SINE
from engine.maths.vectors import Vec3, dot
from engine.model.model import LONGEST_STEP, SURFACE_WIDTH, Floats, Ints, Model
from engine.model.state import (
    BODY_A,
    BODY_B,
    FEATURE_A,
    FEATURE_B,
    GAP,
    NEXT_PART,
    PAIR_ENVELOPE,
    PAIR_SURFACE,
    PARENT,
    PART,
    SHAPE_A,
    SHAPE_B,
    UNWRAPS,
    State,
)
from engine.motion.arcs import is_still
from engine.tolerances import WRAP, WRAP_WAIT

_BESIDE = SINE
"""A sheet goes on towards the other body if a direction along it rises this much against the normal [1]."""


@kernel
def root_against(topology: Ints, trees: Ints, root: int, other: int) -> int:
    """The root of a body's tree that another body meets: of a hollow body, balls meet what is smooth."""
    facets = trees[root, FACETS]
    return root if facets == 0 or topology[HEADER * other + SHAPE_KIND] == POINT else facets


@kernel
def is_guard(trees: Ints, shape_a: int, shape_b: int) -> bool:
    """Is a pair of nodes one of hulls, not of two pieces that can touch?"""
    return trees[shape_a, CHILDREN] + trees[shape_b, CHILDREN] > 0


@kernel
def opens_a(trees: Ints, extents: Floats, shape_a: int, shape_b: int) -> bool:
    """Which node of a guard gives way to its children: the larger of those that have any."""
    if trees[shape_a, CHILDREN] == 0 or trees[shape_b, CHILDREN] == 0:
        return trees[shape_b, CHILDREN] == 0
    return extents[shape_a] > extents[shape_b]


@kernel
def unwrap(model: Model, state: State, row: int, t: float) -> None:
    """Make a pair for each child of the larger node of a guard, to be checked at once. Room for FANOUT is needed."""
    links = state.links
    a = links[row, BODY_A]
    b = links[row, BODY_B]
    shape_a = links[row, SHAPE_A]
    shape_b = links[row, SHAPE_B]
    state.counts[UNWRAPS] += 1
    open_a = opens_a(model.trees, model.extents, shape_a, shape_b)
    opened = shape_a if open_a else shape_b
    for k in range(model.trees[opened, CHILDREN]):
        child = model.trees[opened, CHILD] + k
        part_a = child if open_a else shape_a
        part_b = shape_b if open_a else child
        below = make_pair(state.pairs, links, state.first_pair, state.counts, a, b, part_a, part_b, row)
        state.pairs[below, PAIR_ENVELOPE] = state.pairs[row, PAIR_ENVELOPE]
        for column in range(SURFACE_WIDTH):
            state.pairs[below, PAIR_SURFACE + column] = state.pairs[row, PAIR_SURFACE + column]
        schedule_check(model, state, below, inf)
        check_now(model, state, below, t)


@kernel
def wrap(model: Model, state: State, row: int) -> None:
    """Give back all pairs below `row`: walk down to one without parts, drop it, go back up and on."""
    links = state.links
    at = row
    while at != row or links[row, PART] >= 0:
        below = links[at, PART]
        if below >= 0:
            at = below
            continue
        up = links[at, PARENT]
        links[up, PART] = links[at, NEXT_PART]
        part(model, state, at)
        at = up


@kernel
def separate(model: Model, state: State, row: int) -> None:
    """The pair of two roots leaves, with all that it is unwrapped into."""
    wrap(model, state, row)
    part(model, state, row)


@kernel
def goes_on_unwrapped(model: Model, state: State, row: int, t: float) -> bool:
    """Are the hulls of pair `row` near, so that what they hold is looked at? Otherwise they are wrapped up."""
    links = state.links
    unwrapped = links[row, PART] >= 0
    if state.pairs[row, GAP] > (WRAP if unwrapped else 1.0) * state.pairs[row, PAIR_ENVELOPE]:
        wrap(model, state, row)
        return False
    if not unwrapped:
        unwrap(model, state, row, t)
    still = is_still(model.tags, state.arcs, links[row, BODY_A]) and is_still(
        model.tags, state.arcs, links[row, BODY_B]
    )
    schedule_check(model, state, row, inf if still else t + WRAP_WAIT * model.settings[LONGEST_STEP])
    return True


@kernel
def is_beside(trees: Ints, fans: Floats, links: Ints, row: int, normal: Vec3, q_a: Quat, q_b: Quat) -> bool:
    """Is pair `row` of leaves no contact, since a neighbour of one of its triangles is nearer to the other body?"""
    away = (-normal[0], -normal[1], -normal[2])
    return is_nearer_beside(trees, fans, links[row, SHAPE_A], links[row, FEATURE_A], q_a, away) or is_nearer_beside(
        trees, fans, links[row, SHAPE_B], links[row, FEATURE_B], q_b, normal
    )


@kernel
def is_nearer_beside(trees: Ints, fans: Floats, shape: int, feature: int, q: Quat, away: Vec3) -> bool:
    """Does a triangle's sheet come nearer to the other body beside `feature`, on which the closest point lies?

    away: the direction from there to the other body, world. If the sheet rises towards it from the edge or the vertex
    on, a neighbouring triangle is nearer, and this one is no contact: without that, what rolls over a flat mesh would
    bump into the rims of triangles that lie just ahead. The feature belongs to the neighbour too, whose own gap is the
    smaller, so nothing is passed that way. False for leaves that are no triangles of a sheet.
    """
    if trees[shape, EDGE_FANS] == SMOOTH:
        return feature == BESIDE
    number = (feature & FEATURE) >> 2
    if trees[shape, EDGE_FANS] == 0 or feature < 0:
        return False
    if feature & 3 == EDGE:
        place = trees[shape, EDGE_FANS] + number
        return dot((fans[place, 0], fans[place, 1], fans[place, 2]), rotate_inverse(q, away)) > _BESIDE
    if feature & 3 == VERTEX:
        direction = rotate_inverse(q, away)
        first = trees[shape, VERTEX_FANS + 2 * number]
        for place in range(first, trees[shape, VERTEX_FANS + 2 * number + 1]):
            if dot((fans[place, 0], fans[place, 1], fans[place, 2]), direction) > _BESIDE:
                return True
    return False
