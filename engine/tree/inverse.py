"""Inverse dynamics of trees: the mass matrix M and the bias h of efforts = M q'' + h (Featherstone 2008, 5.3 and 6.2).

Inwards from the ends each link hands on what it wants so that no joint accelerates, which joints must give, and its
inertia: what hangs from a joint is one body then, and column d of M is what its unit acceleration wants of all joints
that are on the way to the base.
"""

from __future__ import annotations

from engine.kernel import kernel
from engine.maths.vectors import Vec3, add, add_scaled, cross, dot, vector_at
from engine.model.model import Floats, Ints
from engine.model.trees import (
    AXIS,
    DOFS,
    FIRST_DOF,
    FIRST_LINK,
    FIRST_TREE_DOF,
    LEVER,
    LINK_BODY,
    LINK_ENTRY,
    LINKS,
    LOAD,
    PARENT,
    SEEN_Q,
    SEEN_V,
    SEEN_W,
    SEEN_X,
    H,
    J,
    Limbs,
    M,
    Trees,
)
from engine.motion.arcs import evolve
from engine.tree.dynamics import hand_inertia
from engine.tree.kinematics import place_base, place_links, read_links, weigh_links
from engine.tree.matrices import put, symmetric_at, times


@kernel
def weigh_tree(
    bodies: Floats, tags: Ints, arcs: Floats, trees: Trees, limbs: Limbs, tree: int, t: float, seen: Floats,
    mass: Floats, bias: Floats,
) -> None:  # fmt: skip
    """M (n, n) and h (n,) of a tree as its bodies are at time t, by its own degrees of freedom; their speeds stand in
    Limbs.speeds. seen: room for how its entries move."""
    first = trees.trees[tree, FIRST_LINK]
    last = first + trees.trees[tree, LINKS]
    for i in range(first, last):
        e = trees.links[i, LINK_ENTRY]
        x, q, v, w = evolve(bodies, tags, arcs, trees.links[i, LINK_BODY], t)
        put(seen, e, SEEN_X, x)
        put(seen, e, SEEN_V, v)
        put(seen, e, SEEN_W, w)
        for k in range(4):
            seen[e, SEEN_Q + k] = q[k]
    place_base(bodies, tags, arcs, trees, limbs, tree, t)
    read_links(trees, limbs, tree, seen)
    place_links(trees, limbs, tree)
    weigh_links(bodies, trees, limbs, tree)
    for i in range(last - 1, first - 1, -1):
        _weigh_joint(trees, limbs, i, trees.trees[tree, FIRST_TREE_DOF], last, mass, bias)


@kernel
def _weigh_joint(trees: Trees, limbs: Limbs, i: int, begin: int, last: int, mass: Floats, bias: Floats) -> None:
    """The part of M and h that belongs to joint i, all after which have handed on what they want."""
    links, up = limbs.links, trees.links[i, PARENT]
    j, m = symmetric_at(links, i, J), symmetric_at(links, i, M)
    x, y, z = vector_at(links, i, H), vector_at(links, i, H + 3), vector_at(links, i, H + 6)
    n, f = vector_at(links, i, LOAD), vector_at(links, i, LOAD + 3)
    for d in range(trees.links[i, FIRST_DOF], trees.links[i, FIRST_DOF] + trees.links[i, DOFS]):
        s = vector_at(limbs.dofs, d, AXIS)
        bias[d - begin] = dot(s, n) if trees.dofs[d] == 1 else dot(s, f)
        if trees.dofs[d] == 1:
            couple, force = (
                times(j, s),
                add_scaled(add_scaled((s[0] * x[0], s[0] * x[1], s[0] * x[2]), y, s[1]), z, s[2]),
            )
        else:
            couple, force = (dot(x, s), dot(y, s), dot(z, s)), times(m, s)
        _write_column(trees, limbs, i, d - begin, begin, last, couple, force, mass)
    if up < last:
        put(links, up, LOAD, add(vector_at(links, up, LOAD), add(n, cross(vector_at(links, i, LEVER), f))))
        put(links, up, LOAD + 3, add(vector_at(links, up, LOAD + 3), f))
        hand_inertia(links, i, up, j, m, x, y, z)


@kernel
def _write_column(
    trees: Trees, limbs: Limbs, i: int, column: int, begin: int, last: int, couple: Vec3, force: Vec3, mass: Floats
) -> None:
    """What a couple and a force at link i want of its joint and of those between it and the base."""
    k = i
    while k < last:
        for e in range(trees.links[k, FIRST_DOF], trees.links[k, FIRST_DOF] + trees.links[k, DOFS]):
            s = vector_at(limbs.dofs, e, AXIS)
            mass[e - begin, column] = mass[column, e - begin] = dot(s, couple) if trees.dofs[e] == 1 else dot(s, force)
        couple = add(couple, cross(vector_at(limbs.links, k, LEVER), force))
        k = trees.links[k, PARENT]
