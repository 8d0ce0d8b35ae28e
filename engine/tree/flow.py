"""The flow of a tree: where gravity and its joints take it in a step, in joint coordinates: joints have no error.

A step of Dormand and Prince's methods, which tell their errors: of order 8, by 13 stages, or of order 5, by 7.
"""

from __future__ import annotations

from math import isnan, sqrt

import numpy as np

from engine.kernel import kernel
from engine.maths.vectors import Vec3, add, cross, dot, vector_at
from engine.model.joints import Joints
from engine.model.model import FIXED, GRAVITY_NORM, KIND, LONGEST_STEP, RADIUS, Floats, Ints
from engine.model.trees import (
    ACTED,
    ANSWER,
    APART,
    BASE_BODY,
    BEGIN,
    BIAS_A,
    BIAS_ALPHA,
    CENTRE_LEVER,
    DOF_ANSWER,
    END_A,
    FIRST_LINK,
    FIRST_TREE_COORD,
    FIRST_TREE_DOF,
    FLAT,
    LINK_BODY,
    LINKS,
    NOW,
    SPIN,
    STAGE,
    START_A,
    TREE_COORDS,
    TREE_DOFS,
    Limbs,
    Trees,
)
from engine.tolerances import ACCURACY, CALM_STEPS
from engine.tree.dynamics import accelerate_tree, carry_answers
from engine.tree.elements import act_on_joints, begin_elements, note_locks
from engine.tree.kinematics import body_velocity, note_rates, place_base, place_links
from engine.tree.matrices import put
from engine.tree.methods import EIGHTH, ERROR_3, ERROR_4, ERROR_5, FIFTH, LAST, MIDWAY, NODES, STAGES, WEIGHTS
from engine.tree.plane import accelerate_flat, fastest_flat, note_flat, place_flat


@kernel
def begin_flow(
    bodies: Floats, tags: Ints, joints: Joints, limbs: Limbs, ties: Floats, tree: int, h: float, method: int
) -> None:
    """Rates of a tree, which is placed, and laid flat if it swings in a plane, at the start of its flow for a time h.

    Its links' accelerations stand in START_A.
    """
    trees, flat = joints.trees, lies_flat(tags, joints.trees, tree)
    _begin(trees, limbs, tree)
    begin_elements(joints, limbs, ties, tree, h)
    act_on_joints(joints, limbs, ties, tree, h * WEIGHTS[method, LAST, 0])
    _note_rates(bodies, trees, limbs, tree, 0, flat)
    _note_accelerations(trees, limbs, tree, START_A, flat)
    note_locks(joints, limbs, ties, tree)


@kernel
def go_on_flowing(trees: Trees, limbs: Limbs, tree: int) -> None:
    """The same at the end of a flow of a tree on whose joints nothing acts, for another one: its rates are known."""
    _begin(trees, limbs, tree)
    first = trees.trees[tree, FIRST_TREE_COORD]
    for c in range(first, first + trees.trees[tree, TREE_COORDS]):
        limbs.coords[STAGE, c] = limbs.coords[STAGE + LAST, c]
    first = trees.trees[tree, FIRST_TREE_DOF]
    for d in range(first, first + trees.trees[tree, TREE_DOFS]):
        limbs.speeds[STAGE, d] = limbs.speeds[STAGE + LAST, d]


@kernel
def follow_tree(
    bodies: Floats, tags: Ints, arcs: Floats, joints: Joints, limbs: Limbs, ties: Floats, tree: int, t: float,
    h: float, method: int,
) -> None:  # fmt: skip
    """Move a tree, whose rates at t are known, from the coordinates and speeds that it has now, at t, to those at
    t + h.

    Its links are left as they are then; their accelerations there stand in END_A.
    """
    trees = joints.trees
    driven, flat = _is_driven(tags, trees, tree), lies_flat(tags, trees, tree)
    for stage in range(1, STAGES):
        if isnan(NODES[method, stage]):
            continue  # the method has fewer stages
        _go_on(trees, limbs, tree, method, stage, h)
        if driven:
            place_base(bodies, tags, arcs, trees, limbs, tree, t + NODES[method, stage] * h)
        act_on_joints(joints, limbs, ties, tree, h * WEIGHTS[method, LAST, stage])
        _note_rates(bodies, trees, limbs, tree, stage, flat)
    _note_accelerations(trees, limbs, tree, END_A, flat)
    if flat:
        place_flat(trees, limbs, tree)


@kernel
def _note_rates(bodies: Floats, trees: Trees, limbs: Limbs, tree: int, stage: int, flat: bool) -> None:
    """How the coordinates and speeds of a tree change, as rates at a stage."""
    if flat:
        accelerate_flat(trees, limbs, tree, stage)
        return
    accelerate_tree(bodies, trees, limbs, tree)
    note_rates(trees, limbs, tree, STAGE + stage)
    first = trees.trees[tree, FIRST_TREE_DOF]
    for d in range(first, first + trees.trees[tree, TREE_DOFS]):
        limbs.speeds[STAGE + stage, d] = limbs.dofs[d, DOF_ANSWER]


@kernel
def lies_flat(tags: Ints, trees: Trees, tree: int) -> bool:
    """Does a tree swing in a plane that stands?"""
    return trees.trees[tree, FLAT] == 1 and not _is_driven(tags, trees, tree)


@kernel
def _is_driven(tags: Ints, trees: Trees, tree: int) -> bool:
    base = trees.trees[tree, BASE_BODY]
    return base >= 0 and tags[base, KIND] != FIXED


@kernel
def _begin(trees: Trees, limbs: Limbs, tree: int) -> None:
    first = trees.trees[tree, FIRST_TREE_COORD]
    for c in range(first, first + trees.trees[tree, TREE_COORDS]):
        limbs.coords[BEGIN, c] = limbs.coords[NOW, c]
    first = trees.trees[tree, FIRST_TREE_DOF]
    for d in range(first, first + trees.trees[tree, TREE_DOFS]):
        limbs.speeds[BEGIN, d] = limbs.speeds[NOW, d]
        limbs.dofs[d, ACTED] = 0.0


@kernel
def _go_on(trees: Trees, limbs: Limbs, tree: int, method: int, stage: int, h: float) -> None:
    """Coordinates and speeds at a stage of a step h, or midway."""
    _add_up(limbs.coords, trees.trees[tree, FIRST_TREE_COORD], trees.trees[tree, TREE_COORDS], method, stage, h)
    _add_up(limbs.speeds, trees.trees[tree, FIRST_TREE_DOF], trees.trees[tree, TREE_DOFS], method, stage, h)


@kernel
def _add_up(table: Floats, first: int, count: int, method: int, stage: int, h: float) -> None:
    """Row by row, and at places that cannot count from the end, so that compilers take several at once."""
    begin, end = np.uint64(first), np.uint64(first + count)
    for c in range(begin, end):
        table[NOW, c] = 0.0
    for k in range(STAGES):
        weight = WEIGHTS[method, stage, k]
        if weight != 0.0:
            for c in range(begin, end):
                table[NOW, c] += weight * table[STAGE + k, c]
    for c in range(begin, end):
        table[NOW, c] = table[BEGIN, c] + h * table[NOW, c]


@kernel
def _note_accelerations(trees: Trees, limbs: Limbs, tree: int, column: int, flat: bool) -> None:
    if flat:
        note_flat(trees, limbs, tree, column)
        return
    links = limbs.links
    first = trees.trees[tree, FIRST_LINK]
    for i in range(first, first + trees.trees[tree, LINKS]):
        alpha = add(vector_at(links, i, BIAS_ALPHA), vector_at(links, i, ANSWER))
        a = add(vector_at(links, i, BIAS_A), vector_at(links, i, ANSWER + 3))
        w, c = vector_at(links, i, SPIN), vector_at(links, i, CENTRE_LEVER)
        put(links, i, column, add(a, add(cross(alpha, c), cross(w, cross(w, c)))))
        put(links, i, column + 3, alpha)


@kernel
def slow_speed(settings: Floats, reach: float) -> float:
    """A speed [m/s] below which errors need not shrink with it: of a fall over the size of a body, or of creeping."""
    return max(sqrt(settings[GRAVITY_NORM] * reach), ACCURACY * reach / (CALM_STEPS * settings[LONGEST_STEP]))


@kernel
def rim_square(v: Vec3, reach: float, w: Vec3) -> float:
    """The square of how fast the rim of a body moves that is out so far [m], by its centre and by its turning together
    [m^2/s^2]."""
    return dot(v, v) + reach * reach * dot(w, w)


@kernel
def top_speed(bodies: Floats, settings: Floats, trees: Trees, limbs: Limbs, tree: int) -> float:
    """The fastest that a rim of a tree moves, or a fall over the size of a body would be [m/s]."""
    fastest = furthest = 0.0
    first = trees.trees[tree, FIRST_LINK]
    for i in range(first, first + trees.trees[tree, LINKS]):
        reach = bodies[trees.links[i, LINK_BODY], RADIUS]
        fastest = max(fastest, rim_square(body_velocity(limbs, i), reach, vector_at(limbs.links, i, SPIN)))
        furthest = max(furthest, reach)
    return max(sqrt(fastest), slow_speed(settings, furthest))


@kernel
def step_error(bodies: Floats, tags: Ints, trees: Trees, limbs: Limbs, tree: int, h: float, method: int) -> float:
    """The largest error that the step h which has been made has in the speed of a rim [m/s], of its links as placed.

    Of order 8, by both errors of the method as Hairer, Norsett and Wanner put them together, eq. II.10.17.
    """
    if method == FIFTH:
        return _carried_error(bodies, tags, trees, limbs, tree, h, ERROR_4)
    five = _carried_error(bodies, tags, trees, limbs, tree, h, ERROR_5)
    three = _carried_error(bodies, tags, trees, limbs, tree, h, ERROR_3)
    return five * five / sqrt(five * five + 0.01 * three * three) if five > 0.0 else 0.0


@kernel
def _carried_error(
    bodies: Floats, tags: Ints, trees: Trees, limbs: Limbs, tree: int, h: float, weights: Floats
) -> float:
    """The largest difference of speed of a rim that differences of the joints' speeds make [m/s]."""
    links = limbs.links
    first = trees.trees[tree, FIRST_TREE_DOF]
    begin, end = np.uint64(first), np.uint64(first + trees.trees[tree, TREE_DOFS])
    for d in range(begin, end):
        limbs.speeds[APART, d] = 0.0
    for k in range(STAGES):
        if weights[k] != 0.0:
            for d in range(begin, end):
                limbs.speeds[APART, d] += weights[k] * limbs.speeds[STAGE + k, d]
    for d in range(begin, end):
        limbs.dofs[d, DOF_ANSWER] = h * limbs.speeds[APART, d]
    if lies_flat(tags, trees, tree):
        return fastest_flat(bodies, trees, limbs, tree)
    carry_answers(trees, limbs, tree)
    most = 0.0
    first = trees.trees[tree, FIRST_LINK]
    for i in range(first, first + trees.trees[tree, LINKS]):
        w = vector_at(links, i, ANSWER)
        v = add(vector_at(links, i, ANSWER + 3), cross(w, vector_at(links, i, CENTRE_LEVER)))
        most = max(most, rim_square(v, bodies[trees.links[i, LINK_BODY], RADIUS], w))
    return sqrt(most)


@kernel
def look_midway(
    bodies: Floats, tags: Ints, arcs: Floats, trees: Trees, limbs: Limbs, tree: int, t: float, h: float
) -> None:
    """Place the links of a tree as they are in the middle of the flow h that has been made from t on by the method of
    order 8, to order 6."""
    _go_on(trees, limbs, tree, EIGHTH, MIDWAY, h)
    if lies_flat(tags, trees, tree):
        place_flat(trees, limbs, tree)
        return
    if _is_driven(tags, trees, tree):
        place_base(bodies, tags, arcs, trees, limbs, tree, t + 0.5 * h)
    place_links(trees, limbs, tree)
