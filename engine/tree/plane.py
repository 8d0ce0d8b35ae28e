"""Forward dynamics of trees that swing in a plane: all their joints are hinges about parallel axes.

Pendulums, chains, doors and walking legs seen from the side are such trees. What their links want across the plane
their hinges bear; in it a link is an angle and a point, and its articulated inertia three by three instead of six by
six (Featherstone 2008, 2.16 and 7.3): with the unit vector u along the axes, r and c perpendicular to it, and r' for r
turned by a quarter, a couple n about u and a force f give

    n = J alpha + h . a,      f = h alpha + M a.

A hinge hands on the couple that acts along it, so J and h are nothing behind it, and M is less by h h^T / J; the rest
is the lever's. What the next joint waits for is short so: a division, a product, two sums.

Angles are counted from a *start*, where the tree is placed in space.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from engine.collision.narrow.frames import Matrix, matrix_of, turn
from engine.kernel import kernel
from engine.maths.quaternions import quat_at
from engine.maths.small_turns import cos_sin
from engine.maths.vectors import Vec3, add, add_scaled, cross, dot, scale, sub, vector_at
from engine.model.model import GRAVITY, RADIUS, Floats
from engine.model.trees import (
    ACTED,
    AT,
    AXIS,
    BODY_TURN,
    CENTRE,
    CENTRE_LEVER,
    DOF_ANSWER,
    DRIFT,
    FIRST_DOF,
    FIRST_LINK,
    FIRST_TREE_COORD,
    FIRST_TREE_DOF,
    FLAT_ALPHA,
    FLAT_ARM,
    FLAT_DRAG,
    FLAT_FALL,
    FLAT_FORKS,
    FLAT_FRAME,
    FLAT_GIVEN,
    FLAT_INERTIA,
    FLAT_LEVER,
    FLAT_MASS,
    FLAT_PULL,
    FLAT_PUSH,
    FLAT_ROD,
    FLAT_SHARE,
    FLAT_SPIN,
    FLAT_WAY,
    FLAT_WIDTH,
    HELD_BY,
    JOINT_AT_UP,
    JOINT_TURN_UP,
    LAID,
    LEVER,
    LINK_BODY,
    LINK_ENTRY,
    LINK_MASS,
    LINKS,
    LOCKED,
    NOW,
    OWN_INERTIA,
    PARENT,
    SEEN_Q,
    SEEN_W,
    SPIN,
    STAGE,
    TREE_ACTING,
    TREE_COORDS,
    TURN_ANGLE,
    TURN_COS,
    TURN_SIN,
    TURNED,
    Limbs,
    Trees,
)
from engine.tree.kinematics import joint_angle
from engine.tree.matrices import matrix_at, product, put

Handed = tuple[float, float, float, float, float, float, float, float, float]
"""What a joint leaves for its parent, as FLAT_GIVEN."""

_NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel
def read_flat(trees: Trees, limbs: Limbs, tree: int, seen: Floats) -> None:
    """Speeds of a tree whose base is placed, from how its bodies move: rows of entries, see SEEN_X; and coordinates,
    which count from here unless elements act on its joints.

    Links are left at their joints and move with those speeds: each stands along its body's first axis, in the plane.
    """
    links = limbs.links
    s, t, u = _axes(trees, links, tree)
    first, dof, coord, count = _places(trees, tree)
    acting = trees.trees[tree, TREE_ACTING] > 0
    for k in range(count):
        i, d = first + k, dof + k
        e, up = _unsigned(trees.links[i, LINK_ENTRY]), _unsigned(trees.links[i, PARENT])
        m, own = matrix_of(quat_at(seen, e, SEEN_Q)), matrix_at(trees.frames, i, BODY_TURN)
        x = turn(m, (own[0], own[3], own[6]))
        way = 1.0 if dot(u, turn(m, (own[2], own[5], own[8]))) > 0.0 else -1.0
        cosine, sine = dot(s, x), dot(t, x)
        share = 1.0 / sqrt(cosine * cosine + sine * sine)
        cosine, sine = share * cosine, share * sine
        x, z = add_scaled(scale(s, cosine), t, sine), scale(u, way)
        y = cross(z, x)
        w_up = vector_at(links, up, SPIN)
        speed = dot(z, sub(vector_at(seen, e, SEEN_W), w_up))
        _stand(trees, limbs, i, (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]), add_scaled(w_up, z, speed))
        put(limbs.dofs, d, AXIS, z)
        limbs.speeds[NOW, d] = speed
        limbs.coords[NOW, coord + k] = joint_angle(trees, links, i) if acting else 0.0


@kernel
def _stand(trees: Trees, limbs: Limbs, i: int, m: Matrix, w: Vec3) -> None:
    """Link i, turned so and turning with w, at its joint on its parent, which stands."""
    links, up = limbs.links, _unsigned(trees.links[i, PARENT])
    lever = turn(matrix_at(links, up, TURNED), vector_at(trees.frames, i, JOINT_AT_UP))
    for k in range(9):
        links[i, TURNED + k] = m[k]
    put(links, i, LEVER, lever)
    put(links, i, AT, add(vector_at(links, up, AT), lever))
    put(links, i, CENTRE_LEVER, turn(m, vector_at(trees.frames, i, CENTRE)))
    put(links, i, SPIN, w)
    put(links, i, DRIFT, add(vector_at(links, up, DRIFT), cross(vector_at(links, up, SPIN), lever)))


@kernel
def lay_flat(bodies: Floats, trees: Trees, limbs: Limbs, tree: int) -> None:
    """Begin to count from where a tree, whose links stand, is now."""
    links, flat = limbs.links, limbs.flat
    begin = trees.trees[tree, FIRST_TREE_COORD]
    for c in range(begin, begin + trees.trees[tree, TREE_COORDS]):
        limbs.coords[LAID, c] = limbs.coords[NOW, c]
    first = trees.trees[tree, FIRST_LINK]
    s, t, u = _axes(trees, links, tree)
    last, base = first + trees.trees[tree, LINKS], trees.links.shape[0] + tree
    for k in range(FLAT_WIDTH):
        flat[base, k] = 0.0
    limbs.turns[TURN_ANGLE, base] = limbs.turns[TURN_SIN, base] = 0.0
    limbs.turns[TURN_COS, base] = 1.0
    for i in range(first, last):
        mass, g = trees.frames[i, LINK_MASS], vector_at(bodies, trees.links[i, LINK_BODY], GRAVITY)
        lever, centre = vector_at(links, i, LEVER), vector_at(links, i, CENTRE_LEVER)
        flat[i, FLAT_ARM], flat[i, FLAT_ARM + 1] = dot(lever, s), dot(lever, t)
        flat[i, FLAT_ROD], flat[i, FLAT_ROD + 1] = mass * dot(centre, s), mass * dot(centre, t)
        flat[i, FLAT_FALL], flat[i, FLAT_FALL + 1], flat[i, FLAT_MASS] = dot(g, s), dot(g, t), mass
        flat[i, FLAT_FORKS] = 0.0
        for k in range(9):
            flat[i, FLAT_GIVEN + k] = 0.0
        if trees.links[i, PARENT] != i - 1:
            flat[trees.links[i, PARENT], FLAT_FORKS] += 1.0
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
    flat, turns = limbs.flat, limbs.turns
    first, dof, _, count = _places(trees, tree)
    _, _, u = _axes(trees, limbs.links, tree)
    _turn_flat(trees, limbs, tree)
    for k in range(count):
        i = first + k
        cosine, sine = turns[TURN_COS, i], flat[i, FLAT_WAY] * turns[TURN_SIN, i]
        x, y = vector_at(flat, i, FLAT_FRAME), vector_at(flat, i, FLAT_FRAME + 3)
        x, y = add_scaled(scale(x, cosine), y, sine), add_scaled(scale(y, cosine), x, -sine)
        z = vector_at(limbs.dofs, dof + k, AXIS)
        w = scale(u, flat[i, FLAT_SPIN])
        _stand(trees, limbs, i, (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]), w)
        flat[i, FLAT_LEVER], flat[i, FLAT_LEVER + 1] = _turned_flat(
            flat, turns, i, FLAT_ARM, _unsigned(trees.links[i, PARENT])
        )


@kernel
def turn_flat(trees: Trees, limbs: Limbs, i: int) -> Vec3:
    """How far link i has turned since its tree was laid flat, world axes [rad]."""
    angle = limbs.flat[i, FLAT_WAY] * limbs.turns[TURN_ANGLE, i]
    return scale(vector_at(limbs.dofs, trees.links[i, FIRST_DOF], AXIS), angle)


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
    first, dof, coord, count = _places(trees, tree)
    one = _unsigned(1)
    _turn_flat(trees, limbs, tree)
    given = _NOTHING
    for done in range(count):  # what goes from a link to the next one in the order need not be stored
        k = count - one - done
        i = first + k
        up = _unsigned(trees.links[i, PARENT])
        if limbs.flat[i, FLAT_FORKS] > 0.0:
            given = _take_flat(limbs.flat, i, given)
        given = _join_flat(limbs, i, up, dof + k, given)
        if up + one != i:
            _hand_flat(limbs.flat, up, given)
            given = _NOTHING
    moved = (0.0, 0.0, 0.0)
    for k in range(count):
        i = first + k
        up = _unsigned(trees.links[i, PARENT])
        if up + one != i:
            moved = vector_at(limbs.flat, up, FLAT_ALPHA)
        moved = _answer_flat(limbs, i, dof + k, coord + k, stage, moved)


@kernel
def _hand_flat(flat: Floats, up: int, given: Handed) -> None:
    """Leave it with link `up`, which does not come next."""
    for k in range(9):
        flat[up, FLAT_GIVEN + k] += given[k]


@kernel
def _take_flat(flat: Floats, i: int, given: Handed) -> Handed:
    """What has been left for link i, by the next one and with it."""
    j, (h_x, h_y) = flat[i, FLAT_GIVEN], (flat[i, FLAT_GIVEN + 1], flat[i, FLAT_GIVEN + 2])
    m_xx, m_yy, m_xy = vector_at(flat, i, FLAT_GIVEN + 3)
    n, f_x, f_y = vector_at(flat, i, FLAT_GIVEN + 6)
    for k in range(9):
        flat[i, FLAT_GIVEN + k] = 0.0
    return (
        given[0] + j,
        given[1] + h_x,
        given[2] + h_y,
        given[3] + m_xx,
        given[4] + m_yy,
        given[5] + m_xy,
        given[6] + n,
        given[7] + f_x,
        given[8] + f_y,
    )


@kernel
def _unsigned(place: int) -> int:
    """A place that cannot count from the end: so compilers need not ask."""
    return np.uint64(place)  # type: ignore[return-value]


@kernel
def _places(trees: Trees, tree: int) -> tuple[int, int, int, int]:
    """The first link, degree of freedom and coordinate of a tree of hinges, and how many of each it has."""
    row = trees.trees
    first, dof, coord = row[tree, FIRST_LINK], row[tree, FIRST_TREE_DOF], row[tree, FIRST_TREE_COORD]
    return _unsigned(first), _unsigned(dof), _unsigned(coord), _unsigned(row[tree, LINKS])


@kernel
def _turn_flat(trees: Trees, limbs: Limbs, tree: int) -> None:
    """How far links have turned, and how fast they do."""
    turns, coords, flat = limbs.turns, limbs.coords, limbs.flat
    first, dof, coord, count = _places(trees, tree)
    one = _unsigned(1)
    angle = spin = 0.0
    for k in range(count):
        i, c = first + k, coord + k
        up, way = _unsigned(trees.links[i, PARENT]), flat[i, FLAT_WAY]
        if up + one != i:
            angle, spin = turns[TURN_ANGLE, up], flat[up, FLAT_SPIN]
        angle += way * (coords[NOW, c] - coords[LAID, c])
        spin += way * limbs.speeds[NOW, dof + k]
        turns[TURN_ANGLE, i], flat[i, FLAT_SPIN] = angle, spin
    last = first + count
    cos_sin(turns[TURN_ANGLE, first:last], turns[TURN_COS, first:last], turns[TURN_SIN, first:last])


@kernel
def _join_flat(limbs: Limbs, i: int, up: int, d: int, given: Handed) -> Handed:
    """What joint i leaves of the inertia and the load of link i for its parent; given: what those after it have left.

    With r the lever between their reference points, k = M r' and the acceleration c that the parent's spin makes.
    """
    flat, turns = limbs.flat, limbs.turns
    mass, spin, up_spin = flat[i, FLAT_MASS], flat[i, FLAT_SPIN], flat[up, FLAT_SPIN]
    rod_x, rod_y = _turned_flat(flat, turns, i, FLAT_ROD, i)
    x, y = _turned_flat(flat, turns, i, FLAT_ARM, up)
    g_x, g_y = flat[i, FLAT_FALL], flat[i, FLAT_FALL + 1]
    c_x, c_y = -(up_spin * up_spin) * x, -(up_spin * up_spin) * y
    j, h_x, h_y = flat[i, FLAT_INERTIA] + given[0], given[1] - rod_y, given[2] + rod_x
    m_xx, m_yy, m_xy = mass + given[3], mass + given[4], given[5]
    n = given[6] + (rod_y * g_x - rod_x * g_y) + (h_x * c_x + h_y * c_y)
    f_x = given[7] - (mass * g_x + spin * spin * rod_x) + (m_xx * c_x + m_xy * c_y)
    f_y = given[8] - (mass * g_y + spin * spin * rod_y) + (m_xy * c_x + m_yy * c_y)
    k_x, k_y, h_r = m_xy * x - m_xx * y, m_yy * x - m_xy * y, h_y * x - h_x * y  # M r', h . r'
    k_r, f_r = x * k_y - y * k_x, x * f_y - y * f_x
    acted = flat[i, FLAT_WAY] * limbs.dofs[d, ACTED]
    flat[i, FLAT_LEVER], flat[i, FLAT_LEVER + 1] = x, y
    flat[i, FLAT_DRAG], flat[i, FLAT_DRAG + 1] = c_x, c_y
    if limbs.dofs[d, LOCKED] != 0.0:
        flat[i, FLAT_PUSH], flat[i, FLAT_SHARE] = n - acted, j + h_r
        flat[i, FLAT_PULL], flat[i, FLAT_PULL + 1] = h_x, h_y
        return (j + h_r + (h_r + k_r), h_x + k_x, h_y + k_y, m_xx, m_yy, m_xy, n + f_r, f_x, f_y)
    inv_j = 1.0 / j
    push = inv_j * (acted - n)
    flat[i, FLAT_PUSH], flat[i, FLAT_SHARE] = push, -(inv_j * h_r)
    flat[i, FLAT_PULL], flat[i, FLAT_PULL + 1] = inv_j * h_x, inv_j * h_y
    return (
        k_r - inv_j * (h_r * h_r),
        k_x - inv_j * (h_r * h_x),
        k_y - inv_j * (h_r * h_y),
        m_xx - inv_j * (h_x * h_x),
        m_yy - inv_j * (h_y * h_y),
        m_xy - inv_j * (h_x * h_y),
        acted + f_r + push * h_r,
        f_x + push * h_x,
        f_y + push * h_y,
    )


@kernel
def _answer_flat(limbs: Limbs, i: int, d: int, c: int, stage: int, up: Vec3) -> Vec3:
    """The acceleration of joint i, and its speed, as rates at a stage; accelerations of link i. up: its parent's."""
    flat, way, at = limbs.flat, limbs.flat[i, FLAT_WAY], STAGE + stage
    alpha, a_x, a_y = up
    pulled = flat[i, FLAT_PULL] * a_x + flat[i, FLAT_PULL + 1] * a_y
    if limbs.dofs[d, LOCKED] != 0.0:
        turned = alpha
        limbs.dofs[d, HELD_BY] = way * (flat[i, FLAT_PUSH] + pulled + flat[i, FLAT_SHARE] * alpha)
    else:
        turned = (flat[i, FLAT_PUSH] - pulled) + flat[i, FLAT_SHARE] * alpha
    limbs.coords[at, c] = limbs.speeds[NOW, d]
    limbs.speeds[at, d] = way * (turned - alpha)
    a_x, a_y = a_x + flat[i, FLAT_DRAG], a_y + flat[i, FLAT_DRAG + 1]
    moved = turned, a_x - alpha * flat[i, FLAT_LEVER + 1], a_y + alpha * flat[i, FLAT_LEVER]
    flat[i, FLAT_ALPHA], flat[i, FLAT_ALPHA + 1], flat[i, FLAT_ALPHA + 2] = moved
    return moved


@kernel
def fastest_flat(bodies: Floats, trees: Trees, limbs: Limbs, tree: int) -> float:
    """The largest change of speed of a rim that changes of the joints' speeds, DOF_ANSWER, make of a tree that has
    been placed flat [m/s]."""
    flat, one = limbs.flat, _unsigned(1)
    first, dof, _, count = _places(trees, tree)
    most = spin = v_x = v_y = 0.0
    for k in range(count):
        i = first + k
        up = _unsigned(trees.links[i, PARENT])
        if up + one != i:
            spin, v_x, v_y = vector_at(flat, up, FLAT_ALPHA)
        v_x, v_y = v_x - spin * flat[i, FLAT_LEVER + 1], v_y + spin * flat[i, FLAT_LEVER]
        spin += flat[i, FLAT_WAY] * limbs.dofs[dof + k, DOF_ANSWER]
        put(flat, i, FLAT_ALPHA, (spin, v_x, v_y))
        x, y = _turned_flat(flat, limbs.turns, i, FLAT_ROD, i)
        share = spin / trees.frames[i, LINK_MASS]
        c_x, c_y = v_x - share * y, v_y + share * x
        rim = bodies[trees.links[i, LINK_BODY], RADIUS] * spin
        most = max(most, c_x * c_x + c_y * c_y + rim * rim)
    return sqrt(most)


@kernel
def note_flat(trees: Trees, limbs: Limbs, tree: int, column: int) -> None:
    """Accelerations of the centres of mass of a tree that lies flat, and angular ones, in space, into Limbs.links."""
    links, flat = limbs.links, limbs.flat
    first, _, _, count = _places(trees, tree)
    s, t, u = _axes(trees, links, tree)
    for k in range(count):
        i = first + k
        inv_mass, spin, alpha = 1.0 / trees.frames[i, LINK_MASS], flat[i, FLAT_SPIN], flat[i, FLAT_ALPHA]
        x, y = _turned_flat(flat, limbs.turns, i, FLAT_ROD, i)
        x, y = x * inv_mass, y * inv_mass
        a_x = flat[i, FLAT_ALPHA + 1] - alpha * y - spin * spin * x
        a_y = flat[i, FLAT_ALPHA + 2] + alpha * x - spin * spin * y
        put(links, i, column, (a_x * s[0] + a_y * t[0], a_x * s[1] + a_y * t[1], a_x * s[2] + a_y * t[2]))
        put(links, i, column + 3, scale(u, alpha))
