"""Forward dynamics of trees in time linear in their links, by articulated bodies (Featherstone 1983, Mirtich 4.4).

A link with all that hangs from it answers a couple n and a force f at its reference point like a body,

    n = J alpha + H a,      f = H^T alpha + M a,

less what its joint takes up. A joint of several degrees of freedom counts as several, with links of no mass between
them; each takes a part of rank one from the inertia: with U the couple and force per unit of its acceleration, and D
the part of that along its axis, U U^T / D; one that is locked takes none. Accelerations count from a *bias*: those
that the links would have if no joint accelerated. So forces and impulses, accelerations and changes of velocities go
through the same two passes.
"""

from __future__ import annotations

from engine.kernel import kernel
from engine.maths.vectors import Vec3, add, add_scaled, cross, dot, vector_at
from engine.model.model import Floats
from engine.model.trees import (
    ACTED,
    ANSWER,
    AXIS,
    DOF_ANSWER,
    DOFS,
    EFFORT,
    FIRST_DOF,
    FIRST_LINK,
    FIRST_TREE_DOF,
    HELD_BY,
    INV_D,
    LEVER,
    LINKS,
    LOAD,
    LOCKED,
    PARENT,
    TREE_DOFS,
    H,
    J,
    Limbs,
    M,
    Trees,
    U,
)
from engine.tree.kinematics import place_link, weigh_link
from engine.tree.matrices import Symmetric, less_square, put, symmetric_at, times


@kernel
def accelerate_tree(bodies: Floats, trees: Trees, limbs: Limbs, tree: int) -> None:
    """Accelerations of a tree whose base is placed, for its coordinates and speeds and what acts along its joints."""
    first = trees.trees[tree, FIRST_LINK]
    last = first + trees.trees[tree, LINKS]
    for i in range(first, last):
        place_link(trees, limbs, i)
        weigh_link(bodies, trees, limbs, i)
    for i in range(last - 1, first - 1, -1):
        _join_link(trees, limbs, i, last)
        _pass_load(trees, limbs, i, last)
    for i in range(first, last):
        _answer_link(trees, limbs, i, last)


@kernel
def join_inertias(trees: Trees, limbs: Limbs, tree: int) -> None:
    """Articulated inertias of a tree whose links are placed and weighed: what each joint sees of all after it."""
    first = trees.trees[tree, FIRST_LINK]
    last = first + trees.trees[tree, LINKS]
    for i in range(last - 1, first - 1, -1):
        _join_link(trees, limbs, i, last)


@kernel
def _join_link(trees: Trees, limbs: Limbs, i: int, last: int) -> None:
    links, dofs = limbs.links, limbs.dofs
    j, m = symmetric_at(links, i, J), symmetric_at(links, i, M)
    x, y, z = vector_at(links, i, H), vector_at(links, i, H + 3), vector_at(links, i, H + 6)
    begin = trees.links[i, FIRST_DOF]
    for d in range(begin + trees.links[i, DOFS] - 1, begin - 1, -1):
        s = vector_at(dofs, d, AXIS)
        if trees.dofs[d] == 1:
            n = times(j, s)
            f = add_scaled(add_scaled((s[0] * x[0], s[0] * x[1], s[0] * x[2]), y, s[1]), z, s[2])
            d_own = dot(s, n)
        else:
            n = (dot(x, s), dot(y, s), dot(z, s))
            f = times(m, s)
            d_own = dot(s, f)
        inv_d = 1.0 / d_own if dofs[d, LOCKED] == 0.0 else 0.0
        put(dofs, d, U, n)
        put(dofs, d, U + 3, f)
        dofs[d, INV_D] = inv_d
        j, m = less_square(j, n, inv_d), less_square(m, f, inv_d)
        x = add_scaled(x, f, -inv_d * n[0])
        y = add_scaled(y, f, -inv_d * n[1])
        z = add_scaled(z, f, -inv_d * n[2])
    up = trees.links[i, PARENT]
    if up < last:
        hand_inertia(links, i, up, j, m, x, y, z)


@kernel
def hand_inertia(links: Floats, i: int, up: int, j: Symmetric, m: Symmetric, x: Vec3, y: Vec3, z: Vec3) -> None:
    """Add to the inertia of link `up` that which is left at i, at its own reference point; x, y, z: the rows of H.

    H' = H + [r] M,    J' = J + [r] H^T - H' [r]; the row of H' [r] that belongs to the row h of H' is h x r.
    """
    r = vector_at(links, i, LEVER)
    x_new = (x[0] + r[1] * m[4] - r[2] * m[5], x[1] + r[1] * m[3] - r[2] * m[1], x[2] + r[1] * m[2] - r[2] * m[3])
    y_new = (y[0] + r[2] * m[0] - r[0] * m[4], y[1] + r[2] * m[5] - r[0] * m[3], y[2] + r[2] * m[4] - r[0] * m[2])
    z_new = (z[0] + r[0] * m[5] - r[1] * m[0], z[1] + r[0] * m[1] - r[1] * m[5], z[2] + r[0] * m[3] - r[1] * m[4])
    links[up, J] += j[0] + r[1] * (x[2] + x_new[2]) - r[2] * (x[1] + x_new[1])
    links[up, J + 1] += j[1] + r[2] * (y[0] + y_new[0]) - r[0] * (y[2] + y_new[2])
    links[up, J + 2] += j[2] + r[0] * (z[1] + z_new[1]) - r[1] * (z[0] + z_new[0])
    links[up, J + 3] += j[3] + r[2] * z[0] - r[0] * z[2] + r[0] * y_new[1] - r[1] * y_new[0]
    links[up, J + 4] += j[4] + r[1] * z[2] - r[2] * z[1] + r[0] * x_new[1] - r[1] * x_new[0]
    links[up, J + 5] += j[5] + r[1] * y[2] - r[2] * y[1] + r[2] * x_new[0] - r[0] * x_new[2]
    for k in range(3):
        links[up, H + k] += x_new[k]
        links[up, H + 3 + k] += y_new[k]
        links[up, H + 6 + k] += z_new[k]
    for k in range(6):
        links[up, M + k] += m[k]


@kernel
def answer_loads(trees: Trees, limbs: Limbs, tree: int) -> None:
    """How a tree whose inertias are joined answers the loads that its links want and what acts along its joints.

    Into ANSWER of links and DOF_ANSWER of joints: accelerations besides the bias, or changes of velocities for
    impulses. Loads are changed on the way.
    """
    first = trees.trees[tree, FIRST_LINK]
    last = first + trees.trees[tree, LINKS]
    for i in range(last - 1, first - 1, -1):
        _pass_load(trees, limbs, i, last)
    for i in range(first, last):
        _answer_link(trees, limbs, i, last)


@kernel
def _pass_load(trees: Trees, limbs: Limbs, i: int, last: int) -> None:
    """What joint i does not take up of the load of link i, on to its parent."""
    links, dofs = limbs.links, limbs.dofs
    n, f = vector_at(links, i, LOAD), vector_at(links, i, LOAD + 3)
    begin = trees.links[i, FIRST_DOF]
    for d in range(begin + trees.links[i, DOFS] - 1, begin - 1, -1):
        s = vector_at(dofs, d, AXIS)
        effort = dofs[d, ACTED] - (dot(s, n) if trees.dofs[d] == 1 else dot(s, f))
        dofs[d, EFFORT] = effort
        effort *= dofs[d, INV_D]
        n, f = add_scaled(n, vector_at(dofs, d, U), effort), add_scaled(f, vector_at(dofs, d, U + 3), effort)
    up = trees.links[i, PARENT]
    if up < last:
        put(links, up, LOAD, add(vector_at(links, up, LOAD), add(n, cross(vector_at(links, i, LEVER), f))))
        put(links, up, LOAD + 3, add(vector_at(links, up, LOAD + 3), f))


@kernel
def _answer_link(trees: Trees, limbs: Limbs, i: int, last: int) -> None:
    links, dofs = limbs.links, limbs.dofs
    up = trees.links[i, PARENT]
    alpha = a = (0.0, 0.0, 0.0)
    if up < last:
        alpha = vector_at(links, up, ANSWER)
        a = add(vector_at(links, up, ANSWER + 3), cross(alpha, vector_at(links, i, LEVER)))
    begin = trees.links[i, FIRST_DOF]
    for d in range(begin, begin + trees.links[i, DOFS]):
        met = dot(vector_at(dofs, d, U), alpha) + dot(vector_at(dofs, d, U + 3), a)
        answer = dofs[d, INV_D] * (dofs[d, EFFORT] - met)
        dofs[d, DOF_ANSWER] = answer
        dofs[d, HELD_BY] = met - dofs[d, EFFORT]
        s = vector_at(dofs, d, AXIS)
        if trees.dofs[d] == 1:
            alpha = add_scaled(alpha, s, answer)
        else:
            a = add_scaled(a, s, answer)
    put(links, i, ANSWER, alpha)
    put(links, i, ANSWER + 3, a)


@kernel
def carry_answers(trees: Trees, limbs: Limbs, tree: int) -> None:
    """ANSWER of the links of a tree for DOF_ANSWER of its joints."""
    links, dofs = limbs.links, limbs.dofs
    first = trees.trees[tree, FIRST_LINK]
    last = first + trees.trees[tree, LINKS]
    for i in range(first, last):
        up = trees.links[i, PARENT]
        alpha = a = (0.0, 0.0, 0.0)
        if up < last:
            alpha = vector_at(links, up, ANSWER)
            a = add(vector_at(links, up, ANSWER + 3), cross(alpha, vector_at(links, i, LEVER)))
        begin = trees.links[i, FIRST_DOF]
        for d in range(begin, begin + trees.links[i, DOFS]):
            s = vector_at(dofs, d, AXIS)
            if trees.dofs[d] == 1:
                alpha = add_scaled(alpha, s, dofs[d, DOF_ANSWER])
            else:
                a = add_scaled(a, s, dofs[d, DOF_ANSWER])
        put(links, i, ANSWER, alpha)
        put(links, i, ANSWER + 3, a)


@kernel
def clear_loads(trees: Trees, limbs: Limbs, tree: int) -> None:
    """No link of a tree wants anything, and nothing acts along its joints."""
    first = trees.trees[tree, FIRST_LINK]
    for i in range(first, first + trees.trees[tree, LINKS]):
        for k in range(6):
            limbs.links[i, LOAD + k] = 0.0
    first = trees.trees[tree, FIRST_TREE_DOF]
    for d in range(first, first + trees.trees[tree, TREE_DOFS]):
        limbs.dofs[d, ACTED] = 0.0
