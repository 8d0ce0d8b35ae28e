"""Linkages that close no loop, in the step of their group: in joint coordinates, so that joints have no error.

As long as such a group touches nothing its steps are as long as the error of their flow lets them be, and that of the
polynomials on which bodies fly. It flows through a step in two halves, so that half as many steps have to be prepared
and kept; polynomials have the place, velocity and acceleration of both ends and the middle. The stages of the second
half tell to sixth order where bodies are in the middle of that: by how much their speeds are astray there is the error.
"""

from __future__ import annotations

from engine.group.bodies import mean_spin
from engine.group.joints.elements import carry_losses
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
    V_END,
    X_END,
    Q,
    V,
    W,
    Work,
    X,
)
from engine.joints.rows import is_tree
from engine.joints.tables import FLOW_V, FLOW_W, POSE, RATES, STAGE_WIDTH
from engine.kernel import kernel
from engine.maths.quaternions import quat_at, rotate, rotate_inverse, turn_between
from engine.maths.rounding import QUOTIENT, TINY
from engine.maths.vectors import Vec3, add, add_scaled, cross, dot, norm, scale, sub, vector_at
from engine.model.joints import DRIVEN, Joints
from engine.model.model import LINKAGE, LONGEST_STEP, MASS, MOMENTS, RADIUS, Floats, Ints, Model
from engine.model.state import LOCAL
from engine.model.trees import (
    AT,
    DRIFT,
    END_A,
    FIRST_LINK,
    LINK_BODY,
    LINK_ENTRY,
    LINKS,
    SPIN,
    START_A,
    Trees,
)
from engine.motion.polynomial import (
    bulge_of,
    dexp,
    dexp_inverse,
    find_bulge,
    speeds_within,
    swell,
    turn_acceleration,
    ways_within,
)
from engine.tolerances import ALIKE, FLOW_ERROR, JOINT_TURN, LONGEST_WAIT, SAFETY, SHORTEST_STEP
from engine.tree.dormand_prince_5 import LAST
from engine.tree.elements import begin_elements, next_event
from engine.tree.flow import follow_tree, look_midway, slow_speed, step_error, top_speed
from engine.tree.impulses import settle_speeds
from engine.tree.kinematics import (
    body_velocity,
    place_base,
    place_links,
    read_links,
    see_links,
)
from engine.tree.matrices import put
from engine.tree.methods import EIGHTH

_ASTRAY = 2.0 * 10.0 * FLOW_ERROR  # of the fastest speed: so far from the true ones may speeds be within a step
_AIM = SAFETY * SAFETY  # of the longest step that errors allow: a whip hastens, and few steps shall be made again
_ELSEWHERE = 2.18  # so many times as far as where they are looked at are they where they are astray most
_LOOK = 0.75  # of a step: there
_HALFWAY = 2  # the stage of entries' rates that keeps how they move in the middle of the step; after it, accelerations


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
    _read_tree(bodies, tags, arcs, members, joints, work, link, t, x, v)
    begin_elements(joints, work.limbs, work.ties, link, 0.0)
    place_links(joints.trees, work.limbs, link)


@kernel
def _read_tree(
    bodies: Floats, tags: Ints, arcs: Floats, members: Ints, joints: Joints, work: Work, link: int, t: float, x: int,
    v: int,
) -> None:  # fmt: skip
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


@kernel
def close_tree(
    bodies: Floats, tags: Ints, arcs: Floats, members: Ints, joints: Joints, work: Work, link: int, t: float
) -> None:
    """Poses and velocities at the step's end, t, onto the joints, and into work.flow."""
    _read_tree(bodies, tags, arcs, members, joints, work, link, t, X_END, V_END)
    place_links(joints.trees, work.limbs, link)
    if moves_apart(joints.trees, work, link):
        settle_tree(bodies, members, joints, work, link, X_END, V_END)
    see_links(joints.trees, work.limbs, link, work.flow)


@kernel
def moves_apart(trees: Trees, work: Work, link: int) -> bool:
    """Do the bodies of a tree, which is loaded, move as its joints do not allow?"""
    limbs = work.limbs
    first = trees.trees[link, FIRST_LINK]
    most, fastest = 0.0, 1.0
    for i in range(first, first + trees.trees[link, LINKS]):
        e = trees.links[i, LINK_ENTRY]
        seen, spin = vector_at(work.flow, e, FLOW_V), vector_at(work.flow, e, FLOW_W)
        most = max(most, norm(sub(body_velocity(limbs, i), seen)), norm(sub(vector_at(limbs.links, i, SPIN), spin)))
        fastest = max(fastest, norm(seen), norm(spin))
    return most > QUOTIENT * fastest


@kernel
def settle_tree(bodies: Floats, members: Ints, joints: Joints, work: Work, link: int, x: int, v: int) -> None:
    """Velocities of a tree, loaded from those columns, onto its joints: a hit of one body becomes a hit of all."""
    trees, limbs = joints.trees, work.limbs
    settle_speeds(bodies, trees, limbs, link, work.flow)
    first = trees.trees[link, FIRST_LINK]
    for i in range(first, first + trees.trees[link, LINKS]):
        at = members[trees.links[i, LINK_BODY], LOCAL]
        if joints.linkages[link, DRIVEN] == 1:
            work.link[LINK_WORK] += _base_work(bodies, trees, work, link, i, at, x, v)
        moved, spin = body_velocity(limbs, i), vector_at(limbs.links, i, SPIN)
        for k in range(3):
            work.twists[at, v + k], work.twists[at, v + 3 + k] = moved[k], spin[k]


@kernel
def _base_work(bodies: Floats, trees: Trees, work: Work, link: int, i: int, at: int, x: int, v: int) -> float:
    """Work [J] of what a tree hangs from, for the momentum that link i gains by having the velocities of its body, in
    row `at` and those columns, settled."""
    links, body = work.limbs.links, trees.links[i, LINK_BODY]
    base = trees.links.shape[0] + link
    gain = scale(sub(body_velocity(work.limbs, i), vector_at(work.twists, at, v)), bodies[body, MASS])
    q = quat_at(work.poses, at, x + 3)
    turn = rotate_inverse(q, sub(vector_at(links, i, SPIN), vector_at(work.twists, at, v + 3)))
    own = (bodies[body, MOMENTS] * turn[0], bodies[body, MOMENTS + 1] * turn[1], bodies[body, MOMENTS + 2] * turn[2])
    arm = sub(vector_at(work.poses, at, x), vector_at(links, base, AT))
    spin = add(rotate(q, own), cross(arm, gain))
    return dot(gain, vector_at(links, base, DRIFT)) + dot(spin, vector_at(links, base, SPIN))


@kernel
def flow_tree(
    bodies: Floats, tags: Ints, settings: Floats, arcs: Floats, joints: Joints, work: Work, link: int, t: float,
    h: float, method: int,
) -> float:  # fmt: skip
    """Move a tree from t to t + h by a method: in work.flow, from poses and velocities to those at the end.

    How large the error is, as a part of the fastest speed.
    """
    trees, limbs = joints.trees, work.limbs
    follow_tree(bodies, tags, arcs, joints, limbs, work.ties, link, t, h, method)
    see_links(trees, limbs, link, work.flow)
    fastest = top_speed(bodies, settings, trees, limbs, link)
    return step_error(bodies, tags, trees, limbs, link, h, method) / fastest if fastest > 0.0 else 0.0


@kernel
def astray(error: float, allowed: float) -> float:
    """How large an error of order 8 is, as a part of what is allowed: to that power of the step that those of order 5
    are."""
    return float((error / allowed) ** 0.625)


@kernel
def swing_tree(
    bodies: Floats, tags: Ints, settings: Floats, arcs: Floats, joints: Joints, work: Work, link: int, t: float,
    h: float,
) -> float:  # fmt: skip
    """Move a tree, which is loaded, through a step h from t on in two halves, and keep how it moves at their ends.

    How large the error of the worse half is; if that is the first, and the step need not be made, of that.
    """
    half, limbs, ties = 0.5 * h, work.limbs, work.ties
    error = flow_tree(bodies, tags, settings, arcs, joints, work, link, t, half, EIGHTH)
    wrong = astray(error, FLOW_ERROR)
    if wrong > 1.0 and h > SHORTEST_STEP * settings[LONGEST_STEP]:
        return wrong
    event = next_event(joints, limbs, ties, link, half, EIGHTH, False)
    carry_losses(joints, work, link, False)
    _keep_accelerations(joints.trees, work, link, START_A, 0)
    _keep_accelerations(joints.trees, work, link, END_A, _HALFWAY + 1)
    first = joints.trees.trees[link, FIRST_LINK]
    for i in range(first, first + joints.trees.trees[link, LINKS]):
        e = joints.trees.links[i, LINK_ENTRY]
        for k in range(STAGE_WIDTH):
            work.flow[e, RATES + STAGE_WIDTH * _HALFWAY + k] = work.flow[e, POSE + k]
    error = flow_tree(bodies, tags, settings, arcs, joints, work, link, t + half, half, EIGHTH)
    wrong = max(wrong, astray(error, FLOW_ERROR))
    event = min(event, half + next_event(joints, limbs, ties, link, half, EIGHTH, True))
    carry_losses(joints, work, link, True)
    _keep_accelerations(joints.trees, work, link, END_A, LAST)
    work.link[EVENT] = min(work.link[EVENT], event)
    return wrong


@kernel
def _keep_accelerations(trees: Trees, work: Work, link: int, column: int, stage: int) -> None:
    """Those of a tree's links in that column as rates of a stage."""
    first = trees.trees[link, FIRST_LINK]
    for i in range(first, first + trees.trees[link, LINKS]):
        for k in range(6):
            work.flow[trees.links[i, LINK_ENTRY], RATES + STAGE_WIDTH * stage + 7 + k] = work.limbs.links[i, column + k]


@kernel
def bulge_arcs(trees: Trees, members: Ints, work: Work, link: int, h: float) -> None:
    """Lead the arcs of a tree that has swung through a step h as its bodies go through its middle."""
    poses, twists, flow = work.poses, work.twists, work.flow
    middle = RATES + STAGE_WIDTH * _HALFWAY
    bent = middle + STAGE_WIDTH + 7
    first = trees.trees[link, FIRST_LINK]
    for i in range(first, first + trees.trees[link, LINKS]):
        e = trees.links[i, LINK_ENTRY]
        at = members[trees.links[i, LINK_BODY], LOCAL]
        start, turn = vector_at(poses, at, X), scale(mean_spin(twists, at), h)
        v, v_end = vector_at(twists, at, V), vector_at(flow, e, FLOW_V)
        come, speed = _along(poses, at, BENDS, BULGE, sub(vector_at(flow, e, POSE), start), v, v_end, 0.5, h)
        lacks = sub(sub(vector_at(flow, e, middle), start), come)
        slow = sub(vector_at(flow, e, middle + 7), speed)
        _put_bulge(poses, at, 0, (lacks, slow, vector_at(flow, e, bent)), sub(v_end, v), h)
        theta = turn_between(quat_at(poses, at, Q), quat_at(flow, e, middle + 3))
        rate = dexp_inverse(theta, vector_at(flow, e, middle + 10))
        curl = turn_acceleration(theta, rate, vector_at(flow, e, bent + 3))
        w, rate_end = vector_at(twists, at, W), dexp_inverse(turn, vector_at(flow, e, FLOW_W))
        come, speed = _along(poses, at, BENDS + 6, BULGE + 9, turn, w, rate_end, 0.5, h)
        _put_bulge(poses, at, 1, (sub(theta, come), sub(rate, speed), curl), sub(rate_end, w), h)


@kernel
def _put_bulge(poses: Floats, at: int, turns: int, lacks: tuple[Vec3, Vec3, Vec3], gained: Vec3, h: float) -> None:
    """The bulge of row `at`, or that of its turn: its middle lacks so much way and speed, and has that acceleration.

    gained: what speed changes by in the step h.
    """
    way, speed, bent = lacks
    first, last = vector_at(poses, at, BENDS + 6 * turns), vector_at(poses, at, BENDS + 6 * turns + 3)
    straight = sub(bent, add_scaled(scale(gained, 1.0 / h), add(first, last), -0.25))
    bulge = find_bulge(way, scale(speed, h), scale(straight, h * h))
    for part in range(3):
        put(poses, at, BULGE + 9 * turns + 3 * part, bulge[part])


@kernel
def _along(
    poses: Floats, at: int, bends: int, bulge: int, way: Vec3, v: Vec3, v_end: Vec3, s: float, h: float
) -> tuple[Vec3, Vec3]:
    """How far row `at` has come on its arc at the part s of a step h that takes it that way, and how fast it is."""
    moved, bend_0, bend_1, first, second, third = ways_within(s, h)
    slope, lean_0, lean_1, steep, steeper, steepest = speeds_within(s, h)
    at_0, at_1, swelling = vector_at(poses, at, bends), vector_at(poses, at, bends + 3), bulge_of(poses, at, bulge)
    flow = add_scaled(scale(way, 1.0 / h), add(v, v_end), -0.5)
    come = add_scaled(scale(v, s * h * (1.0 - 0.5 * s)), v_end, 0.5 * s * s * h)
    come = add_scaled(add_scaled(add_scaled(come, flow, moved), at_0, bend_0), at_1, bend_1)
    speed = add_scaled(add_scaled(scale(v, 1.0 - s), v_end, s), flow, slope)
    speed = add_scaled(add_scaled(speed, at_0, lean_0), at_1, lean_1)
    return swell(come, swelling, first, second, third), swell(speed, swelling, steep, steeper, steepest)


@kernel
def arcs_error(
    bodies: Floats, tags: Ints, settings: Floats, arcs: Floats, members: Ints, joints: Joints, work: Work, link: int,
    t: float, h: float,
) -> float:  # fmt: skip
    """How far speeds are astray on the arcs of a tree that has swung through a step h from t on, as a part of what is
    allowed."""
    trees, limbs, poses, twists, flow = joints.trees, work.limbs, work.poses, work.twists, work.flow
    look_midway(bodies, tags, arcs, trees, limbs, link, t + 0.5 * h, 0.5 * h)
    most = fastest = 0.0
    first = trees.trees[link, FIRST_LINK]
    for i in range(first, first + trees.trees[link, LINKS]):
        body, e = trees.links[i, LINK_BODY], trees.links[i, LINK_ENTRY]
        at = members[body, LOCAL]
        way, turn = sub(vector_at(flow, e, POSE), vector_at(poses, at, X)), scale(mean_spin(twists, at), h)
        v_end, rate_end = vector_at(flow, e, FLOW_V), dexp_inverse(turn, vector_at(flow, e, FLOW_W))
        _, v = _along(poses, at, BENDS, BULGE, way, vector_at(twists, at, V), v_end, _LOOK, h)
        theta, rate = _along(poses, at, BENDS + 6, BULGE + 9, turn, vector_at(twists, at, W), rate_end, _LOOK, h)
        v_true, w_true = body_velocity(limbs, i), vector_at(limbs.links, i, SPIN)
        reach = bodies[body, RADIUS]
        most = max(most, norm(sub(v, v_true)) + reach * norm(sub(dexp(theta, rate), w_true)))
        fastest = max(fastest, norm(v_true) + reach * norm(w_true), slow_speed(settings, reach))
    return astray(_ELSEWHERE * most / fastest, _ASTRAY) if fastest > 0.0 else 0.0
