"""What impulses do to a tree: the change of every velocity, and the collision matrix K by test impulses.

Mirtich 1996, 5.3.3 and 5.3.4: an impulse at a point of a link goes inwards through the joints' articulated inertias,
and the changes of velocities come back out: in time linear in the links. All for a tree whose inertias are joined.
"""

from __future__ import annotations

from engine.collision.narrow.frames import Matrix
from engine.kernel import kernel
from engine.maths.vectors import Vec3, add, add_scaled, cross, dot, scale, sub, vector_at
from engine.model.model import Floats
from engine.model.trees import (
    ACTED,
    ANSWER,
    AT,
    CENTRE_LEVER,
    DOF_ANSWER,
    FIRST_LINK,
    FIRST_TREE_DOF,
    LINK_ENTRY,
    LINKS,
    LOAD,
    NOW,
    SEEN_V,
    SEEN_W,
    SPIN,
    TREE_DOFS,
    H,
    J,
    Limbs,
    M,
    Trees,
)
from engine.tree.dynamics import answer_loads, clear_loads, join_inertias
from engine.tree.kinematics import body_velocity, move_links, weigh_links
from engine.tree.matrices import put, symmetric_at, times


@kernel
def push_point(limbs: Limbs, i: int, point: Vec3, p: Vec3) -> None:
    """Let an impulse p [N s], or a force [N], act on link i at a point of the world."""
    links = limbs.links
    arm = sub(point, vector_at(links, i, AT))
    put(links, i, LOAD, sub(vector_at(links, i, LOAD), cross(arm, p)))
    put(links, i, LOAD + 3, sub(vector_at(links, i, LOAD + 3), p))


@kernel
def push_link(trees: Trees, limbs: Limbs, tree: int, e: int, p: Vec3, couple: Vec3) -> None:
    """Let an impulse p [N s] act through the centre of mass of the body of entry e, and a couple [N m s]."""
    links = limbs.links
    i = trees.trees[tree, FIRST_LINK]
    while trees.links[i, LINK_ENTRY] != e:
        i += 1
    about = add(couple, cross(vector_at(links, i, CENTRE_LEVER), p))
    put(links, i, LOAD, sub(vector_at(links, i, LOAD), about))
    put(links, i, LOAD + 3, sub(vector_at(links, i, LOAD + 3), p))


@kernel
def answer_at(limbs: Limbs, i: int, point: Vec3) -> Vec3:
    """By how much the velocity of a point of link i has changed by impulses [m/s]."""
    links = limbs.links
    arm = sub(point, vector_at(links, i, AT))
    return add(vector_at(links, i, ANSWER + 3), cross(vector_at(links, i, ANSWER), arm))


@kernel
def point_matrix(trees: Trees, limbs: Limbs, tree: int, i: int, point: Vec3) -> Matrix:
    """K of a tree for what touches link i at a point: u changes by K p, rows first [1/kg]."""
    x = _test(trees, limbs, tree, i, i, point, (1.0, 0.0, 0.0))
    y = _test(trees, limbs, tree, i, i, point, (0.0, 1.0, 0.0))
    z = _test(trees, limbs, tree, i, i, point, (0.0, 0.0, 1.0))
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])


@kernel
def pair_matrix(trees: Trees, limbs: Limbs, tree: int, i: int, other: int, point: Vec3) -> Matrix:
    """K for a contact between two links of one tree at a point: u = u_i - u_other, p on i and -p on the other."""
    x = _test(trees, limbs, tree, i, other, point, (1.0, 0.0, 0.0))
    y = _test(trees, limbs, tree, i, other, point, (0.0, 1.0, 0.0))
    z = _test(trees, limbs, tree, i, other, point, (0.0, 0.0, 1.0))
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])


@kernel
def _test(trees: Trees, limbs: Limbs, tree: int, i: int, other: int, point: Vec3, p: Vec3) -> Vec3:
    """The change of u by an impulse p; other = i: what i touches is not of the tree."""
    clear_loads(trees, limbs, tree)
    push_point(limbs, i, point, p)
    if other != i:
        push_point(limbs, other, point, (-p[0], -p[1], -p[2]))
    answer_loads(trees, limbs, tree)
    u = answer_at(limbs, i, point)
    return sub(u, answer_at(limbs, other, point)) if other != i else u


@kernel
def settle_speeds(bodies: Floats, trees: Trees, limbs: Limbs, tree: int, seen: Floats) -> None:
    """Give a tree, which is placed, the speeds nearest by mass to how its bodies move, which joints may not allow.

    Its base and coordinates are as they are. So a hit of one body becomes a hit of all: what momentum there is along
    what joints allow is kept.
    """
    links = limbs.links
    first = trees.trees[tree, FIRST_TREE_DOF]
    for d in range(first, first + trees.trees[tree, TREE_DOFS]):
        limbs.speeds[NOW, d] = limbs.dofs[d, ACTED] = 0.0
    move_links(trees, limbs, tree)
    weigh_links(bodies, trees, limbs, tree)
    begin = trees.trees[tree, FIRST_LINK]
    for i in range(begin, begin + trees.trees[tree, LINKS]):
        e = trees.links[i, LINK_ENTRY]
        w = sub(vector_at(seen, e, SEEN_W), vector_at(links, i, SPIN))
        v = sub(sub(vector_at(seen, e, SEEN_V), body_velocity(limbs, i)), cross(w, vector_at(links, i, CENTRE_LEVER)))
        x, y, z = vector_at(links, i, H), vector_at(links, i, H + 3), vector_at(links, i, H + 6)
        couple = add(times(symmetric_at(links, i, J), w), (dot(x, v), dot(y, v), dot(z, v)))
        force = add_scaled(add_scaled(add_scaled(times(symmetric_at(links, i, M), v), x, w[0]), y, w[1]), z, w[2])
        put(links, i, LOAD, scale(couple, -1.0))
        put(links, i, LOAD + 3, scale(force, -1.0))
    join_inertias(trees, limbs, tree)
    answer_loads(trees, limbs, tree)
    for d in range(first, first + trees.trees[tree, TREE_DOFS]):
        limbs.speeds[NOW, d] = limbs.dofs[d, DOF_ANSWER]
    move_links(trees, limbs, tree)
