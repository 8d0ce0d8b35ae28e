"""Linkages that close no loop, in the step of their group: in joint coordinates, so that joints have no error.

As long as such a group touches nothing its steps are as long as the error of their flow lets them be, and that of the
polynomials on which bodies fly. These are led through where bodies are in the middle of the step, which the stages of
the integration tell to its sixth order; by how much their speeds are astray there, and nowhere more, is the error.
"""

from __future__ import annotations

from engine.group.bodies import mean_spin
from engine.group.joints.flow import LAST_STAGE
from engine.group.work import (
    BENDS,
    BODIES,
    BULGE,
    EVENT,
    LINK_ERROR,
    LINK_WORK,
    LINKAGES,
    PAIRS_HELD,
    UNCUT,
    Q,
    V,
    W,
    Work,
    X,
)
from engine.joints.tables import FLOW_V, FLOW_W, POSE, RATES, STAGE_WIDTH
from engine.kernel import kernel
from engine.maths.quaternions import quat_at, rotate, rotate_inverse, turn_between
from engine.maths.rounding import QUOTIENT, TINY
from engine.maths.vectors import Vec3, add, add_scaled, cross, dot, norm, scale, sub, vector_at
from engine.model.joints import DRIVEN, ENTRIES, ENTRY_BODY, ENTRY_FREE, FIRST_ENTRY, Joints
from engine.model.model import FREE, KIND, LINKAGE, LONGEST_STEP, MASS, MOMENTS, RADIUS, Floats, Ints, Model
from engine.model.state import LOCAL
from engine.model.trees import AT, DRIFT, END_A, FIRST_LINK, LINK_BODY, LINK_ENTRY, LINKS, SPIN, START_A, Trees
from engine.motion.polynomial import dexp, dexp_inverse
from engine.tolerances import ALIKE, FLOW_ERROR, JOINT_TURN, LONGEST_WAIT
from engine.tree.elements import begin_elements, next_event
from engine.tree.flow import follow_tree, look_midway, slow_speed, step_error, top_speed
from engine.tree.impulses import settle_speeds
from engine.tree.kinematics import body_pose, body_velocity, place_base, place_links, read_links, see_links

_ASTRAY = 2.0 * 10.0 * FLOW_ERROR  # of the fastest speed: so far from the true ones may speeds be within a step
_AIM = 1.0 - ALIKE * ALIKE  # of the longest step that errors allow: a whip hastens, and few steps shall be made again


@kernel
def is_tree(tags: Ints, joints: Joints, link: int) -> bool:
    """Does a linkage move in joint coordinates? Not if a body of it has been stopped."""
    if joints.trees.trees[link, LINKS] == 0:
        return False
    first = joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        if joints.entries[e, ENTRY_FREE] == 1 and tags[joints.entries[e, ENTRY_BODY], KIND] != FREE:
            return False
    return True


@kernel
def swings_free(tags: Ints, joints: Joints, work: Work) -> bool:
    """Is the group nothing but trees that touch nothing?"""
    if work.sizes[PAIRS_HELD] > 0 or work.sizes[LINKAGES] == 0:
        return False
    for at in range(work.sizes[BODIES]):
        if tags[work.body[at], LINKAGE] < 0:
            return False
    trees = 0
    for n in range(work.sizes[LINKAGES]):
        trees += is_tree(tags, joints, work.linkage[n])
    return trees == work.sizes[LINKAGES]


@kernel
def swing_step(model: Model, work: Work, h: float) -> float:
    """The step [s] to try in such a group, if its last one would have it h; 0: there is none."""
    longest = model.settings[LONGEST_STEP]
    h = min(h, LONGEST_WAIT * longest) if h > 0.0 else longest
    for n in range(work.sizes[LINKAGES]):
        if model.joints.linkages[work.linkage[n], DRIVEN] == 1:
            h = min(h, longest)
    for at in range(work.sizes[BODIES]):
        h = min(h, JOINT_TURN / max(norm(vector_at(work.twists, at, W)), TINY))
    return h


@kernel
def next_swing(work: Work, h: float) -> float:
    """The step [s] after one of h, that will have as much error as is safe: what elements cut is no measure."""
    wrong = work.link[LINK_ERROR]
    h = h * min(max(_AIM * wrong ** (-1.0 / 5.0), ALIKE * ALIKE), 1.0 / ALIKE) if wrong > 0.0 else h / ALIKE
    return max(h, work.link[UNCUT])


@kernel
def load_tree(
    bodies: Floats, tags: Ints, arcs: Floats, members: Ints, joints: Joints, work: Work, link: int, t: float, x: int,
    v: int,
) -> None:  # fmt: skip
    """Coordinates and speeds of a tree at time t, from its bodies: with the poses and twists in those columns."""
    trees, flow = joints.trees, work.flow
    first = trees.trees[link, FIRST_LINK]
    for i in range(first, first + trees.trees[link, LINKS]):
        e = trees.links[i, LINK_ENTRY]
        at = members[trees.links[i, LINK_BODY], LOCAL]
        for k in range(7):
            flow[e, POSE + k] = work.poses[at, x + k]
        for k in range(3):
            flow[e, FLOW_V + k], flow[e, FLOW_W + k] = work.twists[at, v + k], work.twists[at, v + 3 + k]
    place_base(bodies, tags, arcs, trees, work.limbs, link, t)
    read_links(trees, work.limbs, link, flow)
    begin_elements(joints, work.limbs, work.ties, link, 0.0)
    place_links(trees, work.limbs, link)


@kernel
def begin_tree(
    bodies: Floats, tags: Ints, arcs: Floats, members: Ints, joints: Joints, work: Work, link: int, t: float
) -> None:
    """Velocities at the start onto the joints: a hit of one body becomes a hit of all."""
    trees, limbs = joints.trees, work.limbs
    load_tree(bodies, tags, arcs, members, joints, work, link, t, X, V)
    first = trees.trees[link, FIRST_LINK]
    most, fastest = 0.0, 1.0
    for i in range(first, first + trees.trees[link, LINKS]):
        e = trees.links[i, LINK_ENTRY]
        v, w = vector_at(work.flow, e, FLOW_V), vector_at(work.flow, e, FLOW_W)
        most = max(most, norm(sub(body_velocity(limbs, i), v)), norm(sub(vector_at(limbs.links, i, SPIN), w)))
        fastest = max(fastest, norm(v), norm(w))
    if most <= QUOTIENT * fastest:
        return
    settle_speeds(bodies, trees, limbs, link, work.flow)
    for i in range(first, first + trees.trees[link, LINKS]):
        at = members[trees.links[i, LINK_BODY], LOCAL]
        v, w = body_velocity(limbs, i), vector_at(limbs.links, i, SPIN)
        if joints.linkages[link, DRIVEN] == 1:
            work.link[LINK_WORK] += _base_work(bodies, trees, work, link, i, at)
        for k in range(3):
            work.twists[at, V + k], work.twists[at, W + k] = v[k], w[k]


@kernel
def _base_work(bodies: Floats, trees: Trees, work: Work, link: int, i: int, at: int) -> float:
    """Work [J] of what a tree hangs from, for the momentum that link i gains by having its velocities settled."""
    links, body = work.limbs.links, trees.links[i, LINK_BODY]
    base = trees.links.shape[0] + link
    gain = scale(sub(body_velocity(work.limbs, i), vector_at(work.twists, at, V)), bodies[body, MASS])
    q = quat_at(work.poses, at, Q)
    turn = rotate_inverse(q, sub(vector_at(links, i, SPIN), vector_at(work.twists, at, W)))
    own = (bodies[body, MOMENTS] * turn[0], bodies[body, MOMENTS + 1] * turn[1], bodies[body, MOMENTS + 2] * turn[2])
    arm = sub(vector_at(work.poses, at, X), vector_at(links, base, AT))
    spin = add(rotate(q, own), cross(arm, gain))
    return dot(gain, vector_at(links, base, DRIFT)) + dot(spin, vector_at(links, base, SPIN))


@kernel
def flow_tree(
    bodies: Floats, tags: Ints, settings: Floats, arcs: Floats, joints: Joints, work: Work, link: int, t: float,
    h: float,
) -> float:  # fmt: skip
    """Move a tree from t to t + h: in work.flow, from poses and velocities to those at the end, and accelerations.

    How large the error is, as a part of what is allowed, and to what power of the step errors of order 5 are.
    """
    trees, limbs, flow = joints.trees, work.limbs, work.flow
    follow_tree(bodies, tags, arcs, joints, limbs, work.ties, link, t, h)
    work.link[EVENT] = min(work.link[EVENT], next_event(joints, limbs, work.ties, link, h))
    see_links(trees, limbs, link, flow)
    first = trees.trees[link, FIRST_LINK]
    last = RATES + STAGE_WIDTH * LAST_STAGE
    for i in range(first, first + trees.trees[link, LINKS]):
        e = trees.links[i, LINK_ENTRY]
        for k in range(6):
            flow[e, RATES + 7 + k] = limbs.links[i, START_A + k]
            flow[e, last + 7 + k] = limbs.links[i, END_A + k]
    fastest = top_speed(bodies, settings, trees, limbs, link)
    wrong = step_error(bodies, trees, limbs, link, h) / (FLOW_ERROR * fastest) if fastest > 0.0 else 0.0
    return wrong**0.625


@kernel
def bulge_arcs(
    bodies: Floats, tags: Ints, settings: Floats, arcs: Floats, members: Ints, joints: Joints, work: Work, link: int,
    t: float, h: float,
) -> float:  # fmt: skip
    """Lead the arcs of a tree that has flowed to t + h through where its bodies are in the middle of the step.

    How far speeds are astray there, as a part of what is allowed.
    """
    trees, limbs, poses, flow = joints.trees, work.limbs, work.poses, work.flow
    look_midway(bodies, tags, arcs, trees, limbs, link, t, h)
    most = fastest = 0.0
    first = trees.trees[link, FIRST_LINK]
    for i in range(first, first + trees.trees[link, LINKS]):
        body, e = trees.links[i, LINK_BODY], trees.links[i, LINK_ENTRY]
        at = members[body, LOCAL]
        start, turn = vector_at(poses, at, X), scale(mean_spin(work.twists, at), h)
        v_start, w_start = vector_at(work.twists, at, V), vector_at(work.twists, at, W)
        v_end, w_end = vector_at(flow, e, FLOW_V), vector_at(flow, e, FLOW_W)
        x_true, q_true = body_pose(trees, limbs, i)
        theta_true = turn_between(quat_at(poses, at, Q), q_true)
        x, v = _midway(poses, at, BENDS, sub(vector_at(flow, e, POSE), start), v_start, v_end, h)
        theta, rate = _midway(poses, at, BENDS + 6, turn, w_start, dexp_inverse(turn, w_end), h)
        for k in range(3):
            poses[at, BULGE + k] = x_true[k] - start[k] - x[k]
            poses[at, BULGE + 3 + k] = theta_true[k] - theta[k]
        w = dexp(theta_true, rate)
        v_true, w_true = body_velocity(limbs, i), vector_at(limbs.links, i, SPIN)
        reach = bodies[body, RADIUS]
        most = max(most, norm(sub(v, v_true)) + reach * norm(sub(w, w_true)))
        fastest = max(fastest, norm(v_true) + reach * norm(w_true), slow_speed(settings, reach))
    return (most / (_ASTRAY * fastest)) ** (5.0 / 6.0) if fastest > 0.0 else 0.0


@kernel
def _midway(poses: Floats, at: int, bends: int, way: Vec3, v: Vec3, v_end: Vec3, h: float) -> tuple[Vec3, Vec3]:
    """How far a polynomial arc without bulge has come in its middle, and how fast it is there; see POLY_BENDS."""
    come, speed = scale(way, 0.5), scale(way, 1.5 / h)
    come = add_scaled(come, sub(v, v_end), 0.125 * h)
    speed = add_scaled(speed, add(v, v_end), -0.25)
    first, last = vector_at(poses, at, bends), vector_at(poses, at, bends + 3)
    return add_scaled(come, add(first, last), h * h / 64.0), add_scaled(speed, sub(last, first), h / 32.0)
