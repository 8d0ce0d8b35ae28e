"""Kinematics of trees: from joint coordinates to where links are and how they move, and back.

A link's motion follows from its parent's, outwards (Mirtich 1996, 4.2). With the lever r between their reference
points, which grows at r' by what the joint moves, and the turning w_r and moving that the joint allows,

    w = w_p + w_r,      v = v_p + w_p x r + r',
    alpha = alpha_p + w_p x w_r + ...,      a = a_p + alpha_p x r + w_p x (w_p x r) + 2 w_p x r' + ...,

where what is left out is the joint's own acceleration. Axes fixed in the world have no w_p x w_r.
"""

from __future__ import annotations

from math import atan2, cos, sin

from engine.collision.narrow.frames import Matrix, matrix_of, turn
from engine.kernel import kernel
from engine.maths.quaternions import Quat, multiply, normalize, quat_at
from engine.maths.rounding import DIFFERENCE
from engine.maths.vectors import Vec3, add, add_scaled, cross, dot, norm, scale, sub, vector_at
from engine.model.joints import BALL, HINGE, SLIDER
from engine.model.model import GRAVITY, Floats, Ints
from engine.model.trees import (
    AT,
    AXIS,
    BASE_BODY,
    BIAS_A,
    BIAS_ALPHA,
    BODY_AT,
    BODY_TURN,
    CENTRE,
    CENTRE_LEVER,
    DOFS,
    DRIFT,
    FIRST_COORD,
    FIRST_DOF,
    FIRST_LINK,
    FREE_LINK,
    JOINT_AT_UP,
    JOINT_TURN_UP,
    LEVER,
    LIMB_WIDTH,
    LINK_BODY,
    LINK_ENTRY,
    LINK_KIND,
    LINK_MASS,
    LINKS,
    LOAD,
    NOW,
    OWN_INERTIA,
    PARENT,
    PLANAR,
    SEEN_Q,
    SEEN_V,
    SEEN_W,
    SEEN_X,
    SPIN,
    TURNED,
    H,
    J,
    Limbs,
    M,
    Trees,
)
from engine.motion.arcs import evolve
from engine.tree.matrices import Symmetric, matrix_at, product, put, quat_of, symmetric_at, times

_APART = DIFFERENCE  # s: between the velocities whose difference tells how a kinematic body accelerates


@kernel
def place_base(bodies: Floats, tags: Ints, arcs: Floats, trees: Trees, limbs: Limbs, tree: int, t: float) -> None:
    """What a tree hangs from, as it is at time t [s]: pose, velocities, accelerations."""
    links, at, i = limbs.links, _clear_base(trees, limbs, tree), trees.trees[tree, BASE_BODY]
    if i < 0:
        return
    x, q, v, w = evolve(bodies, tags, arcs, i, t)
    _stand_base(links, at, x, q)
    put(links, at, DRIFT, v)
    put(links, at, SPIN, w)
    if norm(v) + norm(w) > 0.0:
        _, _, v_next, w_next = evolve(bodies, tags, arcs, i, t + _APART)
        _, _, v_last, w_last = evolve(bodies, tags, arcs, i, t - _APART)
        put(links, at, BIAS_A, scale(sub(v_next, v_last), 0.5 / _APART))
        put(links, at, BIAS_ALPHA, scale(sub(w_next, w_last), 0.5 / _APART))


@kernel
def place_base_as(trees: Trees, limbs: Limbs, tree: int, entries: Ints, first: int, seen: Floats) -> None:
    """What a tree hangs from where it has been seen, as if it stood there; entries from row `first` on are the tree's.

    entries: bodies, in the first column. seen: rows of entries, see SEEN_X.
    """
    at, i = _clear_base(trees, limbs, tree), trees.trees[tree, BASE_BODY]
    if i < 0:
        return
    e = first
    while entries[e, 0] != i:
        e += 1
    _stand_base(limbs.links, at, vector_at(seen, e, SEEN_X), quat_at(seen, e, SEEN_Q))


@kernel
def _clear_base(trees: Trees, limbs: Limbs, tree: int) -> int:
    """The row of what a tree hangs from, which stands along the world's axes now."""
    links, at = limbs.links, trees.links.shape[0] + tree
    for k in range(LIMB_WIDTH):
        links[at, k] = 0.0
    links[at, TURNED] = links[at, TURNED + 4] = links[at, TURNED + 8] = 1.0
    return int(at)


@kernel
def _stand_base(links: Floats, at: int, x: Vec3, q: Quat) -> None:
    """The base in row `at` stands at x, turned by q."""
    m = matrix_of(q)
    for k in range(9):
        links[at, TURNED + k] = m[k]
    put(links, at, AT, x)


@kernel
def place_links(trees: Trees, limbs: Limbs, tree: int) -> None:
    """All links of a tree whose base is placed, for the coordinates and speeds that it has now."""
    first = trees.trees[tree, FIRST_LINK]
    for i in range(first, first + trees.trees[tree, LINKS]):
        place_link(trees, limbs, i)


@kernel
def place_link(trees: Trees, limbs: Limbs, i: int) -> None:
    """Link i, whose parent is placed."""
    links, coords, speeds, frames = limbs.links, limbs.coords, limbs.speeds, trees.frames
    up, kind = trees.links[i, PARENT], trees.links[i, LINK_KIND]
    c, d = trees.links[i, FIRST_COORD], trees.links[i, FIRST_DOF]
    m_up = matrix_at(links, up, TURNED)
    w_up, alpha = vector_at(links, up, SPIN), vector_at(links, up, BIAS_ALPHA)
    lever = turn(m_up, vector_at(frames, i, JOINT_AT_UP))
    turning = moving = bend = (0.0, 0.0, 0.0)
    if kind == BALL:
        m = matrix_of(normalize(_quat_in(coords, c)))
        turning = _speeds_from(speeds, d)
    elif kind == FREE_LINK:
        m = matrix_of(normalize(_quat_in(coords, c + 3)))
        lever = (coords[NOW, c], coords[NOW, c + 1], coords[NOW, c + 2])
        moving, turning = _speeds_from(speeds, d), _speeds_from(speeds, d + 3)
    else:
        m = product(m_up, matrix_at(frames, i, JOINT_TURN_UP))
        u = (m[2], m[5], m[8])
        if kind == HINGE:
            put(limbs.dofs, d, AXIS, u)
            turning = scale(u, speeds[NOW, d])
            bend = cross(w_up, turning)
            m = _turned_about_u(m, coords[NOW, c])
        elif kind == SLIDER:
            put(limbs.dofs, d, AXIS, u)
            moving = scale(u, speeds[NOW, d])
            lever = add_scaled(lever, u, coords[NOW, c])
        elif kind == PLANAR:
            s, t = (m[0], m[3], m[6]), (m[1], m[4], m[7])
            put(limbs.dofs, d, AXIS, s)
            put(limbs.dofs, d + 1, AXIS, t)
            put(limbs.dofs, d + 2, AXIS, u)
            moving = add_scaled(scale(s, speeds[NOW, d]), t, speeds[NOW, d + 1])
            lever = add_scaled(add_scaled(lever, s, coords[NOW, c]), t, coords[NOW, c + 1])
            turning = scale(u, speeds[NOW, d + 2])
            bend = cross(w_up, turning)
            m = _turned_about_u(m, coords[NOW, c + 2])
    whirl = cross(w_up, lever)
    drag = cross(w_up, add_scaled(whirl, moving, 2.0))
    put(links, i, AT, add(vector_at(links, up, AT), lever))
    put(links, i, LEVER, lever)
    put(links, i, CENTRE_LEVER, turn(m, vector_at(frames, i, CENTRE)))
    put(links, i, SPIN, add(w_up, turning))
    put(links, i, DRIFT, add(add(vector_at(links, up, DRIFT), whirl), moving))
    put(links, i, BIAS_A, add(add(vector_at(links, up, BIAS_A), cross(alpha, lever)), drag))
    put(links, i, BIAS_ALPHA, add(alpha, bend))
    for k in range(9):
        links[i, TURNED + k] = m[k]


@kernel
def move_links(trees: Trees, limbs: Limbs, tree: int) -> None:
    """How all links of a tree, which are placed, move at the speeds that it has now; biases are not looked at."""
    links, first = limbs.links, trees.trees[tree, FIRST_LINK]
    for i in range(first, first + trees.trees[tree, LINKS]):
        up, d = trees.links[i, PARENT], trees.links[i, FIRST_DOF]
        turning = moving = (0.0, 0.0, 0.0)
        for k in range(d, d + trees.links[i, DOFS]):
            axis, speed = vector_at(limbs.dofs, k, AXIS), limbs.speeds[NOW, k]
            if trees.dofs[k] == 1:
                turning = add_scaled(turning, axis, speed)
            else:
                moving = add_scaled(moving, axis, speed)
        w_up = vector_at(links, up, SPIN)
        whirl = cross(w_up, vector_at(links, i, LEVER))
        put(links, i, SPIN, add(w_up, turning))
        put(links, i, DRIFT, add(add(vector_at(links, up, DRIFT), whirl), moving))


@kernel
def _quat_in(coords: Floats, c: int) -> Quat:
    return (coords[NOW, c], coords[NOW, c + 1], coords[NOW, c + 2], coords[NOW, c + 3])


@kernel
def _speeds_from(speeds: Floats, d: int) -> Vec3:
    return (speeds[NOW, d], speeds[NOW, d + 1], speeds[NOW, d + 2])


@kernel
def _turned_about_u(m: Matrix, angle: float) -> Matrix:
    """m, turned about its third axis."""
    c, s = cos(angle), sin(angle)
    return (
        c * m[0] + s * m[1],
        c * m[1] - s * m[0],
        m[2],
        c * m[3] + s * m[4],
        c * m[4] - s * m[3],
        m[5],
        c * m[6] + s * m[7],
        c * m[7] - s * m[6],
        m[8],
    )


@kernel
def weigh_links(bodies: Floats, trees: Trees, limbs: Limbs, tree: int) -> None:
    """Inertias of the links of a tree that are placed, and what they want so that no joint accelerates."""
    first = trees.trees[tree, FIRST_LINK]
    for i in range(first, first + trees.trees[tree, LINKS]):
        weigh_link(bodies, trees, limbs, i)


@kernel
def weigh_link(bodies: Floats, trees: Trees, limbs: Limbs, i: int) -> None:
    """Inertia of link i, and the load that it wants: inertia forces less gravity.

    About the reference point, with c from there to the centre of mass, and the link's own J:
    n = J alpha + w x J w + c x m (a - g),  f = m (a + alpha x c + w x (w x c) - g).
    """
    links, body = limbs.links, trees.links[i, LINK_BODY]
    mass, c = trees.frames[i, LINK_MASS], vector_at(links, i, CENTRE_LEVER)
    own = _turn_inertia(matrix_at(links, i, TURNED), trees.frames, i)
    _put_inertia(links, i, own, mass, c)
    w, alpha = vector_at(links, i, SPIN), vector_at(links, i, BIAS_ALPHA)
    a = sub(vector_at(links, i, BIAS_A), vector_at(bodies, body, GRAVITY))
    couple = add(cross(w, times(own, w)), times(own, alpha))
    put(links, i, LOAD, add(couple, cross(c, scale(a, mass))))
    swing = add(cross(alpha, c), cross(w, cross(w, c)))
    put(links, i, LOAD + 3, scale(add(a, swing), mass))


@kernel
def _turn_inertia(m: Matrix, frames: Floats, i: int) -> Symmetric:
    """Inertia of link i about its reference point, in world axes."""
    own = symmetric_at(frames, i, OWN_INERTIA)
    x, y, z = (m[0], m[1], m[2]), (m[3], m[4], m[5]), (m[6], m[7], m[8])
    to_x, to_y, to_z = times(own, x), times(own, y), times(own, z)
    return (dot(x, to_x), dot(y, to_y), dot(z, to_z), dot(y, to_z), dot(x, to_z), dot(x, to_y))


@kernel
def _put_inertia(links: Floats, i: int, own: Symmetric, mass: float, c: Vec3) -> None:
    for k in range(6):
        links[i, J + k] = own[k]
        links[i, M + k] = mass if k < 3 else 0.0
    x, y, z = mass * c[0], mass * c[1], mass * c[2]
    links[i, H], links[i, H + 1], links[i, H + 2] = 0.0, -z, y
    links[i, H + 3], links[i, H + 4], links[i, H + 5] = z, 0.0, -x
    links[i, H + 6], links[i, H + 7], links[i, H + 8] = -y, x, 0.0


@kernel
def read_links(trees: Trees, limbs: Limbs, tree: int, seen: Floats) -> None:
    """Coordinates and speeds of a tree whose base is placed, from how its bodies move: rows of entries, see SEEN_X.

    Of bodies that do not move as the joints allow each joint takes what it can. Links are left where their bodies are.
    """
    links = limbs.links
    first = trees.trees[tree, FIRST_LINK]
    for i in range(first, first + trees.trees[tree, LINKS]):
        e = trees.links[i, LINK_ENTRY]
        body = matrix_of(quat_at(seen, e, SEEN_Q))
        m = product(body, matrix_at(trees.frames, i, BODY_TURN))
        arm = turn(body, vector_at(trees.frames, i, BODY_AT))
        w = vector_at(seen, e, SEEN_W)
        for k in range(9):
            links[i, TURNED + k] = m[k]
        put(links, i, AT, add(vector_at(seen, e, SEEN_X), arm))
        put(links, i, SPIN, w)
        put(links, i, DRIFT, add(vector_at(seen, e, SEEN_V), cross(w, arm)))
        put(links, i, CENTRE_LEVER, scale(arm, -1.0))
        _read_joint(trees, limbs, i, quat_at(seen, e, SEEN_Q))


@kernel
def _read_joint(trees: Trees, limbs: Limbs, i: int, q: Quat) -> None:
    links, coords, speeds = limbs.links, limbs.coords, limbs.speeds
    up, kind = trees.links[i, PARENT], trees.links[i, LINK_KIND]
    c, d = trees.links[i, FIRST_COORD], trees.links[i, FIRST_DOF]
    m_up, w_up = matrix_at(links, up, TURNED), vector_at(links, up, SPIN)
    turning = sub(vector_at(links, i, SPIN), w_up)
    lever = sub(vector_at(links, i, AT), vector_at(links, up, AT))
    moving = sub(sub(vector_at(links, i, DRIFT), vector_at(links, up, DRIFT)), cross(w_up, lever))
    away = sub(lever, turn(m_up, vector_at(trees.frames, i, JOINT_AT_UP)))
    put(links, i, LEVER, lever)
    if kind in (BALL, FREE_LINK):
        if kind == FREE_LINK:
            for k in range(3):
                coords[NOW, c + k], speeds[NOW, d + k] = lever[k], moving[k]
            c, d = c + 3, d + 3
        for k in range(4):
            coords[NOW, c + k] = q[k]
        for k in range(3):
            speeds[NOW, d + k] = turning[k]
        return
    frame = product(m_up, matrix_at(trees.frames, i, JOINT_TURN_UP))
    s, t, u = (frame[0], frame[3], frame[6]), (frame[1], frame[4], frame[7]), (frame[2], frame[5], frame[8])
    angle = joint_angle(trees, links, i)
    if kind == HINGE:
        coords[NOW, c], speeds[NOW, d] = angle, dot(u, turning)
    elif kind == SLIDER:
        coords[NOW, c], speeds[NOW, d] = dot(u, away), dot(u, moving)
    elif kind == PLANAR:
        coords[NOW, c], coords[NOW, c + 1], coords[NOW, c + 2] = dot(s, away), dot(t, away), angle
        speeds[NOW, d], speeds[NOW, d + 1], speeds[NOW, d + 2] = dot(s, moving), dot(t, moving), dot(u, turning)


@kernel
def joint_angle(trees: Trees, links: Floats, i: int) -> float:
    """How far the joint of link i, which stands, is turned about its third axis [rad]."""
    frame = product(matrix_at(links, trees.links[i, PARENT], TURNED), matrix_at(trees.frames, i, JOINT_TURN_UP))
    m, s, t = matrix_at(links, i, TURNED), (frame[0], frame[3], frame[6]), (frame[1], frame[4], frame[7])
    x, y = (m[0], m[3], m[6]), (m[1], m[4], m[7])
    return atan2(dot(t, x) - dot(s, y), dot(s, x) + dot(t, y))


@kernel
def body_velocity(limbs: Limbs, i: int) -> Vec3:
    """Velocity of the centre of mass of link i [m/s]."""
    links = limbs.links
    return add(vector_at(links, i, DRIFT), cross(vector_at(links, i, SPIN), vector_at(links, i, CENTRE_LEVER)))


@kernel
def body_pose(trees: Trees, limbs: Limbs, i: int) -> tuple[Vec3, Quat]:
    """Centre of mass of link i [m], and its body's orientation."""
    links = limbs.links
    x = add(vector_at(links, i, AT), vector_at(links, i, CENTRE_LEVER))
    b = matrix_at(trees.frames, i, BODY_TURN)
    back: Matrix = (b[0], b[3], b[6], b[1], b[4], b[7], b[2], b[5], b[8])
    return x, quat_of(product(matrix_at(links, i, TURNED), back))


@kernel
def note_rates(trees: Trees, limbs: Limbs, tree: int, column: int) -> None:
    """How the coordinates of a tree whose links are placed change, into a column of Limbs.coords."""
    coords, speeds = limbs.coords, limbs.speeds
    first = trees.trees[tree, FIRST_LINK]
    for i in range(first, first + trees.trees[tree, LINKS]):
        kind, c, d = trees.links[i, LINK_KIND], trees.links[i, FIRST_COORD], trees.links[i, FIRST_DOF]
        if kind in (BALL, FREE_LINK):
            if kind == FREE_LINK:
                for k in range(3):
                    coords[column, c + k] = speeds[NOW, d + k]
                c += 3
            w = vector_at(limbs.links, i, SPIN)
            q = multiply((0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]), _quat_in(coords, c))
            for k in range(4):
                coords[column, c + k] = q[k]
        elif kind in (HINGE, SLIDER):
            coords[column, c] = speeds[NOW, d]
        elif kind == PLANAR:
            for k in range(3):
                coords[column, c + k] = speeds[NOW, d + k]


@kernel
def see_links(trees: Trees, limbs: Limbs, tree: int, seen: Floats) -> None:
    """How the bodies of a tree whose links are placed move, into the rows of their entries."""
    first = trees.trees[tree, FIRST_LINK]
    for i in range(first, first + trees.trees[tree, LINKS]):
        e = trees.links[i, LINK_ENTRY]
        x, q = body_pose(trees, limbs, i)
        put(seen, e, SEEN_X, x)
        for k in range(4):
            seen[e, SEEN_Q + k] = q[k]
        put(seen, e, SEEN_V, body_velocity(limbs, i))
        put(seen, e, SEEN_W, vector_at(limbs.links, i, SPIN))
