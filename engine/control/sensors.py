"""How far apart two bodies are, whatever the broad phase thinks of them."""

from __future__ import annotations

from math import inf

from engine.arrays import Floats
from engine.collision.narrow.closest import closest
from engine.collision.narrow.frames import pose_of
from engine.collision.pairs.hull_pairs import opens_a, root_against
from engine.geometry.hull_tree import CHILD, CHILDREN
from engine.model.model import SHAPE, Model
from engine.motion.arcs import evolve


def distance(model: Model, arcs: Floats, a: int, b: int, t: float) -> float:
    """The gap between bodies a and b at time t; negative if they overlap [m]."""
    poses = [pose_of(*evolve(model.bodies, model.tags, arcs, i, t)[:2]) for i in (a, b)]
    root_a, root_b = int(model.tags[a, SHAPE]), int(model.tags[b, SHAPE])
    trees = model.trees
    left = [(_root(model, root_a, root_b), _root(model, root_b, root_a))]
    least = inf
    while left:
        one, other = left.pop()
        gap = closest(model.geometry, model.topology, one, poses[0], other, poses[1], -1, -1)[0]
        if gap >= least:
            continue
        if trees[one, CHILDREN] + trees[other, CHILDREN] == 0:
            least = gap
            continue
        first = bool(opens_a(trees, model.extents, one, other))
        opened = one if first else other
        children = range(trees[opened, CHILD], trees[opened, CHILD] + trees[opened, CHILDREN])
        left.extend((child, other) if first else (one, child) for child in children)
    return float(least)


def _root(model: Model, root: int, other: int) -> int:
    return int(root_against(model.topology, model.trees, root, other))
