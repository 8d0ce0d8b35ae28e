"""Forward dynamics of trees that swing in a plane: all their joints are hinges about parallel axes.

Pendulums, chains, doors and walking legs seen from the side are such trees. What their links want across the plane
their hinges bear; in it a link is an angle and a point, and its articulated inertia three by three instead of six by
six (Featherstone 2008, 2.16 and 7.3): with the unit vector u along the axes, r and c perpendicular to it, and r' for r
turned by a quarter, a couple n about u and a force f give

    n = J alpha + h . a,      f = h alpha + M a.

Angles are counted from a *start*, where the tree is placed in space.
"""

from __future__ import annotations

from math import sqrt

from engine.collision.narrow.frames import turn
from engine.kernel import kernel
from engine.maths.small_turns import cos_sin
from engine.maths.vectors import Vec3, add, add_scaled, cross, dot, scale, vector_at
from engine.model.model import GRAVITY, RADIUS, Floats
from engine.model.trees import (
    ACTED,
    AT,
    AXIS,
    BEGIN,
    CENTRE,
    CENTRE_LEVER,
    DOF_ANSWER,
    DRIFT,
    EFFORT,
    FIRST_COORD,
    FIRST_DOF,
    FIRST_LINK,
    FLAT_ALPHA,
    FLAT_ARM,
    FLAT_BIAS,
    FLAT_FORCE,
    FLAT_FRAME,
    FLAT_H,
    FLAT_INERTIA,
    FLAT_J,
    FLAT_LEVER,
    FLAT_M,
    FLAT_ROD,
    FLAT_SPIN,
    FLAT_U,
    FLAT_WAY,
    FLAT_WEIGHT,
    FLAT_WIDTH,
    HELD_BY,
    INV_D,
    JOINT_AT_UP,
    JOINT_TURN_UP,
    LEVER,
    LINK_BODY,
    LINK_MASS,
    LINKS,
    LOCKED,
    NOW,
    OWN_INERTIA,
    PARENT,
    SPIN,
    STAGE,
    TURN_ANGLE,
    TURN_COS,
    TURN_SIN,
    TURNED,
    Limbs,
    Trees,
)
from engine.tree.matrices import matrix_at, product, put

Handed = tuple[float, float, float, float, float, float, float, float, float]
"""From FLAT_J to the end of FLAT_FORCE."""

_NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel
def lay_flat(bodies: Floats, trees: Trees, limbs: Limbs, tree: int) -> None:
    """Begin to count from where a tree, whose links are placed, is now."""
    links, flat = limbs.links, limbs.flat
    first = trees.trees[tree, FIRST_LINK]
    s, t, u = _axes(trees, links, tree)
    base = trees.links.shape[0] + tree
    for k in range(FLAT_WIDTH):
        flat[base, k] = 0.0
    limbs.turns[TURN_ANGLE, base] = limbs.turns[TURN_SIN, base] = 0.0
    limbs.turns[TURN_COS, base] = 1.0
    for i in range(first, first + trees.trees[tree, LINKS]):
        mass, g = trees.frames[i, LINK_MASS], vector_at(bodies, trees.links[i, LINK_BODY], GRAVITY)
        lever, centre = vector_at(links, i, LEVER), vector_at(links, i, CENTRE_LEVER)
        flat[i, FLAT_ARM], flat[i, FLAT_ARM + 1] = dot(lever, s), dot(lever, t)
        flat[i, FLAT_ROD], flat[i, FLAT_ROD + 1] = mass * dot(centre, s), mass * dot(centre, t)
        flat[i, FLAT_WEIGHT], flat[i, FLAT_WEIGHT + 1] = mass * dot(g, s), mass * dot(g, t)
        flat[i, FLAT_WAY] = 1.0 if dot(u, vector_at(limbs.dofs, trees.links[i, FIRST_DOF], AXIS)) > 0.0 else -1.0
        flat[i, FLAT_INERTIA] = trees.frames[i, OWN_INERTIA + 2]  # a link's third axis is that of its hinge
        for k in range(3):
            flat[i, FLAT_FRAME + k], flat[i, FLAT_FRAME + 3 + k] = (
                links[i, TURNED + 3 * k],
                links[i, TURNED + 3 * k + 1],
            )


@kernel
def _axes(trees: Trees, links: Floats, tree: int) -> tuple[Vec3, Vec3, Vec3]:
    """Two axes of the plane and that across it, as the first joint of a tree has them in what the tree hangs from."""
    base = matrix_at(links, trees.links.shape[0] + tree, TURNED)
    m = product(base, matrix_at(trees.frames, trees.trees[tree, FIRST_LINK], JOINT_TURN_UP))
    return (m[0], m[3], m[6]), (m[1], m[4], m[7]), (m[2], m[5], m[8])


@kernel
def place_flat(trees: Trees, limbs: Limbs, tree: int) -> None:
    """All links of a tree that has been laid flat, for the coordinates and speeds that it has now."""
    links, flat, turns = limbs.links, limbs.flat, limbs.turns
    first = trees.trees[tree, FIRST_LINK]
    last = first + trees.trees[tree, LINKS]
    _turn_flat(trees, limbs, first, last)
    for i in range(first, last):
        up, way = trees.links[i, PARENT], flat[i, FLAT_WAY]
        cosine, sine = turns[TURN_COS, i], way * turns[TURN_SIN, i]
        for k in range(3):
            s, t = flat[i, FLAT_FRAME + k], flat[i, FLAT_FRAME + 3 + k]
            links[i, TURNED + 3 * k] = cosine * s + sine * t
            links[i, TURNED + 3 * k + 1] = cosine * t - sine * s
        m, m_up, w_up = matrix_at(links, i, TURNED), matrix_at(links, up, TURNED), vector_at(links, up, SPIN)
        lever = turn(m_up, vector_at(trees.frames, i, JOINT_AT_UP))
        put(links, i, LEVER, lever)
        put(links, i, AT, add(vector_at(links, up, AT), lever))
        put(links, i, CENTRE_LEVER, turn(m, vector_at(trees.frames, i, CENTRE)))
        put(links, i, SPIN, add_scaled(w_up, (m[2], m[5], m[8]), limbs.speeds[NOW, trees.links[i, FIRST_DOF]]))
        put(links, i, DRIFT, add(vector_at(links, up, DRIFT), cross(w_up, lever)))
        flat[i, FLAT_LEVER], flat[i, FLAT_LEVER + 1] = _turned_flat(flat, turns, i, FLAT_ARM, up)


@kernel
def _turned_flat(flat: Floats, turns: Floats, i: int, column: int, by: int) -> tuple[float, float]:
    """A vector in the plane that link i had at the start in that column, turned as link `by` has been since."""
    cosine, sine = turns[TURN_COS, by], turns[TURN_SIN, by]
    x, y = flat[i, column], flat[i, column + 1]
    return cosine * x - sine * y, sine * x + cosine * y


@kernel
def accelerate_flat(trees: Trees, limbs: Limbs, tree: int, stage: int) -> None:
    """Accelerations of a tree that lies flat, for its coordinates and speeds and what acts along its joints: the rates
    of both at a stage."""
    first = trees.trees[tree, FIRST_LINK]
    last = first + trees.trees[tree, LINKS]
    _turn_flat(trees, limbs, first, last)
    for i in range(first, last):
        _place_flat(trees, limbs, i)
    given = _NOTHING
    for i in range(last - 1, first - 1, -1):  # what goes from a link to the next one in the order need not be stored
        up = trees.links[i, PARENT]
        given = _join_flat(trees, limbs, i, given)
        if up != i - 1:
            _hand_flat(limbs.flat, up, given)
            given = _NOTHING
    moved = (0.0, 0.0, 0.0)
    for i in range(first, last):
        up = trees.links[i, PARENT]
        if up != i - 1:
            moved = vector_at(limbs.flat, up, FLAT_ALPHA)
        moved = _answer_flat(trees, limbs, i, stage, moved)


@kernel
def _hand_flat(flat: Floats, up: int, given: Handed) -> None:
    """Add what a joint has left to the inertia and the load of its parent."""
    for k in range(9):
        flat[up, FLAT_J + k] += given[k]


@kernel
def _turn_flat(trees: Trees, limbs: Limbs, first: int, last: int) -> None:
    """How far links have turned."""
    turns, coords = limbs.turns, limbs.coords
    for i in range(first, last):
        up, c = trees.links[i, PARENT], trees.links[i, FIRST_COORD]
        turns[TURN_ANGLE, i] = turns[TURN_ANGLE, up] + limbs.flat[i, FLAT_WAY] * (coords[NOW, c] - coords[BEGIN, c])
    cos_sin(turns[TURN_ANGLE, first:last], turns[TURN_COS, first:last], turns[TURN_SIN, first:last])


@kernel
def _place_flat(trees: Trees, limbs: Limbs, i: int) -> None:
    """Link i, whose parent is placed; its inertia and the load that it wants so that no joint accelerates."""
    flat, turns, up = limbs.flat, limbs.turns, trees.links[i, PARENT]
    up_cos, up_sin, up_spin = turns[TURN_COS, up], turns[TURN_SIN, up], flat[up, FLAT_SPIN]
    cosine, sine = turns[TURN_COS, i], turns[TURN_SIN, i]
    spin = up_spin + flat[i, FLAT_WAY] * limbs.speeds[NOW, trees.links[i, FIRST_DOF]]
    x, y = flat[i, FLAT_ARM], flat[i, FLAT_ARM + 1]
    x, y = up_cos * x - up_sin * y, up_sin * x + up_cos * y
    a_x, a_y = flat[up, FLAT_BIAS] - up_spin * up_spin * x, flat[up, FLAT_BIAS + 1] - up_spin * up_spin * y
    m_x, m_y = flat[i, FLAT_ROD], flat[i, FLAT_ROD + 1]
    m_x, m_y = cosine * m_x - sine * m_y, sine * m_x + cosine * m_y
    mass = trees.frames[i, LINK_MASS]
    fall_x, fall_y = mass * a_x - flat[i, FLAT_WEIGHT], mass * a_y - flat[i, FLAT_WEIGHT + 1]
    flat[i, FLAT_SPIN] = spin
    flat[i, FLAT_LEVER], flat[i, FLAT_LEVER + 1] = x, y
    flat[i, FLAT_BIAS], flat[i, FLAT_BIAS + 1] = a_x, a_y
    flat[i, FLAT_J] = flat[i, FLAT_INERTIA]
    flat[i, FLAT_H], flat[i, FLAT_H + 1] = -m_y, m_x
    flat[i, FLAT_M] = flat[i, FLAT_M + 1] = mass
    flat[i, FLAT_M + 2] = 0.0
    flat[i, FLAT_FORCE] = (m_x * fall_y - m_y * fall_x) / mass
    flat[i, FLAT_FORCE + 1], flat[i, FLAT_FORCE + 2] = fall_x - spin * spin * m_x, fall_y - spin * spin * m_y


@kernel
def _join_flat(trees: Trees, limbs: Limbs, i: int, given: Handed) -> Handed:
    """What joint i leaves of the inertia and the load of link i for its parent; given: what link i + 1 has left for it.

    The link's own, seen at the parent's reference point, less U U^T / D, with U seen there too: so little has to wait
    for D.
    """
    flat, dofs, d = limbs.flat, limbs.dofs, trees.links[i, FIRST_DOF]
    j, h_x, h_y = flat[i, FLAT_J] + given[0], flat[i, FLAT_H] + given[1], flat[i, FLAT_H + 1] + given[2]
    m_xx, m_yy, m_xy = flat[i, FLAT_M] + given[3], flat[i, FLAT_M + 1] + given[4], flat[i, FLAT_M + 2] + given[5]
    wanting = flat[i, FLAT_FORCE] + given[6]
    f_x, f_y = flat[i, FLAT_FORCE + 1] + given[7], flat[i, FLAT_FORCE + 2] + given[8]
    inv_d = 1.0 / j if dofs[d, LOCKED] == 0.0 else 0.0
    effort = flat[i, FLAT_WAY] * dofs[d, ACTED] - wanting
    x, y = flat[i, FLAT_LEVER], flat[i, FLAT_LEVER + 1]
    k_x, k_y, h_r = m_xy * x - m_xx * y, m_yy * x - m_xy * y, h_y * x - h_x * y  # M r', h . r'
    u = j + h_r
    whole = u + h_r + (x * k_y - y * k_x)
    part, push = inv_d * u, inv_d * effort
    dofs[d, EFFORT], dofs[d, INV_D] = effort, inv_d
    flat[i, FLAT_U], flat[i, FLAT_U + 1], flat[i, FLAT_U + 2] = u, h_x, h_y
    return (
        whole - part * u,
        h_x + k_x - part * h_x,
        h_y + k_y - part * h_y,
        m_xx - inv_d * (h_x * h_x),
        m_yy - inv_d * (h_y * h_y),
        m_xy - inv_d * (h_x * h_y),
        wanting + (x * f_y - y * f_x) + push * u,
        f_x + push * h_x,
        f_y + push * h_y,
    )


@kernel
def _answer_flat(trees: Trees, limbs: Limbs, i: int, stage: int, up: Vec3) -> Vec3:
    """The acceleration of joint i, and its speed, as rates at a stage; accelerations of link i besides the bias.

    up: those of its parent.
    """
    flat, dofs, d, way = limbs.flat, limbs.dofs, trees.links[i, FIRST_DOF], limbs.flat[i, FLAT_WAY]
    alpha, a_x, a_y = up
    inv_d, x, y = dofs[d, INV_D], flat[i, FLAT_LEVER], flat[i, FLAT_LEVER + 1]
    u, h_x, h_y = flat[i, FLAT_U], flat[i, FLAT_U + 1], flat[i, FLAT_U + 2]
    effort = dofs[d, EFFORT]
    answer = (inv_d * effort - (inv_d * u) * alpha) - ((inv_d * h_x) * a_x + (inv_d * h_y) * a_y)
    dofs[d, HELD_BY] = way * (u * alpha + h_x * a_x + h_y * a_y - effort)
    limbs.coords[STAGE + stage, trees.links[i, FIRST_COORD]] = limbs.speeds[NOW, d]
    limbs.speeds[STAGE + stage, d] = way * answer
    moved = alpha + answer, a_x - alpha * y, a_y + alpha * x
    flat[i, FLAT_ALPHA], flat[i, FLAT_ALPHA + 1], flat[i, FLAT_ALPHA + 2] = moved
    return moved


@kernel
def fastest_flat(bodies: Floats, trees: Trees, limbs: Limbs, tree: int) -> float:
    """The largest change of speed of a point that changes of the joints' speeds, DOF_ANSWER, make of a tree that has
    been placed flat [m/s]."""
    flat = limbs.flat
    most = 0.0
    first = trees.trees[tree, FIRST_LINK]
    for i in range(first, first + trees.trees[tree, LINKS]):
        up_spin, up_x, up_y = vector_at(flat, trees.links[i, PARENT], FLAT_ALPHA)
        spin = up_spin + flat[i, FLAT_WAY] * limbs.dofs[trees.links[i, FIRST_DOF], DOF_ANSWER]
        v_x, v_y = up_x - up_spin * flat[i, FLAT_LEVER + 1], up_y + up_spin * flat[i, FLAT_LEVER]
        put(flat, i, FLAT_ALPHA, (spin, v_x, v_y))
        x, y = _turned_flat(flat, limbs.turns, i, FLAT_ROD, i)
        share = spin / trees.frames[i, LINK_MASS]
        v_x, v_y = v_x - share * y, v_y + share * x
        most = max(most, sqrt(v_x * v_x + v_y * v_y) + bodies[trees.links[i, LINK_BODY], RADIUS] * abs(spin))
    return most


@kernel
def note_flat(trees: Trees, limbs: Limbs, tree: int, column: int) -> None:
    """Accelerations of the centres of mass of a tree that lies flat, and angular ones, in space, into Limbs.links."""
    links, flat = limbs.links, limbs.flat
    first = trees.trees[tree, FIRST_LINK]
    s, t, u = _axes(trees, links, tree)
    for i in range(first, first + trees.trees[tree, LINKS]):
        inv_mass, spin, alpha = 1.0 / trees.frames[i, LINK_MASS], flat[i, FLAT_SPIN], flat[i, FLAT_ALPHA]
        x, y = _turned_flat(flat, limbs.turns, i, FLAT_ROD, i)
        x, y = x * inv_mass, y * inv_mass
        a_x = flat[i, FLAT_BIAS] + flat[i, FLAT_ALPHA + 1] - alpha * y - spin * spin * x
        a_y = flat[i, FLAT_BIAS + 1] + flat[i, FLAT_ALPHA + 2] + alpha * x - spin * spin * y
        put(links, i, column, (a_x * s[0] + a_y * t[0], a_x * s[1] + a_y * t[1], a_x * s[2] + a_y * t[2]))
        put(links, i, column + 3, scale(u, alpha))
