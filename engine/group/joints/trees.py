"""Linkages that close no loop, in the step of their group: in joint coordinates, so that joints have no error.

As long as such a group touches nothing its steps are as long as the error of their flow lets them be, and that of the
polynomials on which bodies fly. It flows through a step in two halves, so that half as many steps have to be prepared
and kept; polynomials have the place, velocity and acceleration of both ends and the middle. The stages of the second
half tell to sixth order where bodies are in the middle of that: by how much their speeds are astray there is the error.
"""

from __future__ import annotations

from math import sqrt

from engine.group.joints.arcs import MIDDLE, TURNS, swell_arc, turn_course
from engine.group.joints.elements import carry_losses
from engine.group.work import (
    BODIES,
    EVENT,
    LINK_ERROR,
    LINK_WORK,
    LINKAGES,
    PAIRS_HELD,
    UNCUT,
    V_END,
    X_END,
    Q,
    W,
    Work,
)
from engine.joints.rows import is_tree
from engine.joints.tables import FLOW_V, FLOW_W, POSE, RATES, STAGE_WIDTH
from engine.kernel import kernel
from engine.maths.quaternions import quat_at, rotate, rotate_inverse, turn_between
from engine.maths.rounding import QUOTIENT, TINY
from engine.maths.vectors import add, cross, dot, norm, scale, sub, vector_at
from engine.model.joints import ACTING, DRIVEN, Joints
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
from engine.tolerances import ALIKE, FLOW_ERROR, JOINT_TURN, LONGEST_WAIT, SAFETY, SHORTEST_STEP
from engine.tree.dormand_prince_5 import LAST
from engine.tree.elements import begin_elements, next_event
from engine.tree.flow import (
    begin_flow,
    follow_tree,
    go_on_flowing,
    lies_flat,
    look_midway,
    rim_square,
    slow_speed,
    step_error,
    top_speed,
)
from engine.tree.impulses import settle_speeds
from engine.tree.kinematics import (
    body_velocity,
    move_links,
    place_base,
    place_links,
    read_links,
    see_links,
)
from engine.tree.matrices import put
from engine.tree.methods import EIGHTH
from engine.tree.plane import lay_flat, read_flat, turn_flat

_SAID = 3.0 * FLOW_ERROR  # by orders 5 and 3 of an error of order 8: nine steps in ten make less than a third of that
_ASTRAY = 10.0 * _SAID  # so far from the true ones may speeds be between the ends of a step
_TURN = 1.5 * JOINT_TURN
_AIM = SAFETY * SAFETY  # of the longest step that errors allow: a whip hastens, and few steps shall be made again
_ELSEWHERE = 2.18  # so many times as far as where they are looked at are they where they are astray most


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
        h = min(h, _TURN / max(norm(vector_at(work.twists, at, W)), TINY))
    return h


@kernel
def next_swing(work: Work, h: float) -> float:
    """The step [s] after one of h, that will have as much error as is safe: what elements cut is no measure."""
    wrong, longest = work.link[LINK_ERROR], work.link[UNCUT]
    after = h * min(max(_AIM * wrong ** (-1.0 / 5.0), ALIKE * ALIKE), 1.0 / ALIKE) if wrong > 0.0 else h / ALIKE
    return max(after, longest) if longest > h else after


@kernel
def load_tree(
    bodies: Floats, tags: Ints, arcs: Floats, members: Ints, joints: Joints, work: Work, link: int, t: float, x: int,
    v: int,
) -> None:  # fmt: skip
    """Coordinates and speeds of a tree at time t, from its bodies: with the poses and twists in those columns."""
    _read_tree(bodies, tags, arcs, members, joints, work, link, t, x, v)
    begin_elements(joints, work.limbs, work.ties, link, 0.0)
    if joints.linkages[link, ACTING] > 0:
        move_links(joints.trees, work.limbs, link)  # what is locked stands
    if lies_flat(tags, joints.trees, link):
        lay_flat(bodies, joints.trees, work.limbs, link)


@kernel
def _read_tree(
    bodies: Floats, tags: Ints, arcs: Floats, members: Ints, joints: Joints, work: Work, link: int, t: float, x: int,
    v: int,
) -> None:  # fmt: skip
    """The links of a tree where its coordinates say, and moving so, as these are read from its bodies."""
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
    if lies_flat(tags, trees, link):
        read_flat(trees, work.limbs, link, flow)
        return
    read_links(trees, work.limbs, link, flow)
    place_links(trees, work.limbs, link)


@kernel
def close_tree(
    bodies: Floats, tags: Ints, arcs: Floats, members: Ints, joints: Joints, work: Work, link: int, t: float
) -> None:
    """Poses and velocities at the step's end, t, onto the joints, and into work.flow."""
    _read_tree(bodies, tags, arcs, members, joints, work, link, t, X_END, V_END)
    if moves_apart(joints.trees, work, link):
        work.link[LINK_WORK] += settle_tree(bodies, members, joints, work, link, X_END, V_END)
    see_links(joints.trees, work.limbs, link, work.flow)


@kernel
def moves_apart(trees: Trees, work: Work, link: int) -> bool:
    """Do the bodies of a tree, which is loaded, move as its joints do not allow?"""
    limbs = work.limbs
    first = trees.trees[link, FIRST_LINK]
    most, fastest = 0.0, 1.0  # squares
    for i in range(first, first + trees.trees[link, LINKS]):
        e = trees.links[i, LINK_ENTRY]
        seen, spin = vector_at(work.flow, e, FLOW_V), vector_at(work.flow, e, FLOW_W)
        apart, turns_apart = sub(body_velocity(limbs, i), seen), sub(vector_at(limbs.links, i, SPIN), spin)
        most = max(most, dot(apart, apart), dot(turns_apart, turns_apart))
        fastest = max(fastest, dot(seen, seen), dot(spin, spin))
    return most > QUOTIENT * QUOTIENT * fastest


@kernel
def settle_tree(bodies: Floats, members: Ints, joints: Joints, work: Work, link: int, x: int, v: int) -> float:
    """Velocities of a tree, loaded from those columns, onto its joints: a hit of one body becomes a hit of all. What it
    hangs from puts in so much [J]."""
    trees, limbs = joints.trees, work.limbs
    settle_speeds(bodies, trees, limbs, link, work.flow)
    put_in = 0.0
    first = trees.trees[link, FIRST_LINK]
    for i in range(first, first + trees.trees[link, LINKS]):
        at = members[trees.links[i, LINK_BODY], LOCAL]
        if joints.linkages[link, DRIVEN] == 1:
            put_in += _base_work(bodies, trees, work, link, i, at, x, v)
        moved, spin = body_velocity(limbs, i), vector_at(limbs.links, i, SPIN)
        for k in range(3):
            work.twists[at, v + k], work.twists[at, v + 3 + k] = moved[k], spin[k]
    return put_in


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
    """Move a tree, whose rates are known, from t to t + h by a method: in work.flow, to poses and velocities there.

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
    bodies: Floats, tags: Ints, settings: Floats, arcs: Floats, members: Ints, joints: Joints, work: Work, link: int,
    t: float, h: float,
) -> float:  # fmt: skip
    """Move a tree, which is loaded, through a step h from t on in two halves, and keep how it moves at their ends.

    How large the error of the worse half is; if that is the first, and the step need not be made, of that.
    """
    half, limbs, ties = 0.5 * h, work.limbs, work.ties
    begin_flow(bodies, tags, joints, limbs, ties, link, half, EIGHTH)
    error = flow_tree(bodies, tags, settings, arcs, joints, work, link, t, half, EIGHTH)
    wrong = astray(error, _SAID)
    if wrong > 1.0 and h > SHORTEST_STEP * settings[LONGEST_STEP]:
        return wrong
    event = next_event(joints, limbs, ties, link, half, EIGHTH, False)
    carry_losses(joints, work, link, False)
    _keep_middle(joints.trees, work, link)
    _keep_courses(tags, members, joints.trees, work, link, TURNS, MIDDLE + STAGE_WIDTH)
    if joints.linkages[link, ACTING] > 0:
        begin_flow(bodies, tags, joints, limbs, ties, link, half, EIGHTH)
    else:
        go_on_flowing(joints.trees, limbs, link)
    error = flow_tree(bodies, tags, settings, arcs, joints, work, link, t + half, half, EIGHTH)
    wrong = max(wrong, astray(error, _SAID))
    event = min(event, half + next_event(joints, limbs, ties, link, half, EIGHTH, True))
    carry_losses(joints, work, link, True)
    _keep_courses(tags, members, joints.trees, work, link, TURNS + 9, RATES + STAGE_WIDTH * LAST)
    work.link[EVENT] = min(work.link[EVENT], event)
    return wrong


@kernel
def _keep_middle(trees: Trees, work: Work, link: int) -> None:
    """How a tree is in the middle of its step, and how its links accelerated at the start."""
    flow = work.flow
    first = trees.trees[link, FIRST_LINK]
    for i in range(first, first + trees.trees[link, LINKS]):
        e = trees.links[i, LINK_ENTRY]
        for k in range(STAGE_WIDTH):
            flow[e, MIDDLE + k] = flow[e, POSE + k]
        for k in range(6):
            flow[e, RATES + 7 + k] = work.limbs.links[i, START_A + k]


@kernel
def _keep_courses(tags: Ints, members: Ints, trees: Trees, work: Work, link: int, turns: int, rates: int) -> None:
    """The courses of the turns of a tree's bodies since the step's start, into those columns of their entries, and how
    they accelerate, as rates."""
    limbs, flow, flat = work.limbs, work.flow, lies_flat(tags, trees, link)
    first = trees.trees[link, FIRST_LINK]
    for i in range(first, first + trees.trees[link, LINKS]):
        e, at = trees.links[i, LINK_ENTRY], members[trees.links[i, LINK_BODY], LOCAL]
        w, alpha = vector_at(limbs.links, i, SPIN), vector_at(limbs.links, i, END_A + 3)
        if flat:
            course = turn_flat(trees, limbs, i), w, alpha
        else:
            course = turn_course(turn_between(quat_at(work.poses, at, Q), quat_at(flow, e, POSE + 3)), w, alpha)
        for k in range(3):
            put(flow, e, turns + 3 * k, course[k])
        for k in range(6):
            flow[e, rates + 7 + k] = limbs.links[i, END_A + k]


@kernel
def lead_tree(
    bodies: Floats, tags: Ints, settings: Floats, arcs: Floats, members: Ints, joints: Joints, work: Work, link: int,
    t: float, h: float,
) -> float:  # fmt: skip
    """The arcs of a tree that has swung through a step h from t on: how far speeds are astray on them, as a part of
    what is allowed."""
    trees, limbs, flat = joints.trees, work.limbs, lies_flat(tags, joints.trees, link)
    look_midway(bodies, tags, arcs, trees, limbs, link, t + 0.5 * h, 0.5 * h)
    most = fastest = furthest = 0.0
    first = trees.trees[link, FIRST_LINK]
    for i in range(first, first + trees.trees[link, LINKS]):
        body, e = trees.links[i, LINK_BODY], trees.links[i, LINK_ENTRY]
        at = members[body, LOCAL]
        v, w = swell_arc(work, at, e, flat, h)
        v_true, w_true = body_velocity(limbs, i), vector_at(limbs.links, i, SPIN)
        reach = bodies[body, RADIUS]
        most = max(most, rim_square(sub(v, v_true), reach, sub(w, w_true)))
        fastest, furthest = max(fastest, rim_square(v_true, reach, w_true)), max(furthest, reach)
    fastest = max(sqrt(fastest), slow_speed(settings, furthest))
    return astray(_ELSEWHERE * sqrt(most) / fastest, _ASTRAY) if fastest > 0.0 else 0.0
