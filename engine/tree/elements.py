"""Elements of joints inside the integration of a tree: what acts along its joints, what is locked, and when that ends.

Within a step friction acts in one way and locks hold; where that changes, a step must end. Events are found on cubics
through what is known of the step, each time it is made again on better ones: a step that ends at an event ends there by
a part of 1e-9 of its length.
"""

from __future__ import annotations

from math import inf

from engine.kernel import kernel
from engine.maths.rounding import ROOT, SINE
from engine.model.elements import (
    AT_HIGH,
    AT_LOW,
    BEARS_HIGH,
    BEARS_LOW,
    DAMPED,
    DAMPED_FIRST,
    DAMPER,
    DRY,
    HIGH,
    LOCK,
    LOCK_FORCE,
    LOOSE,
    LOW,
    POSITION,
    SLIDES,
)
from engine.model.joints import ACTS, BALL, HINGE, JOINT_KIND, LOCK_ROW, Joints
from engine.model.model import Floats
from engine.model.trees import (
    ACTED,
    BEGIN,
    FIRST_COORD,
    FIRST_DOF,
    FIRST_LINK,
    HELD_BY,
    LINK_JOINT,
    LINK_SIDE,
    LINKS,
    LOCKED,
    NOW,
    STAGE,
    TREE_ACTING,
    Limbs,
)
from engine.tolerances import ACCURACY, HALVINGS
from engine.tree.forces import begin_losses, counted_on, element_force, note_losses
from engine.tree.methods import LAST, MIDWAY, STAGES, WEIGHTS

_ENDED = SINE  # of a step: an event that is so near its end is at its end
_LET_GO = ACCURACY  # of a step: so much later may a lock let go
_SOONEST = 64.0 * ROOT  # s: and so much always
_BEYOND = SINE  # m, rad: what is so near an end of its way is there
_SAMPLES = HALVINGS  # of half a step, between which something happens once at most
_HALVINGS = 60


@kernel
def begin_elements(joints: Joints, limbs: Limbs, ties: Floats, tree: int, h: float) -> None:
    """Joints of a tree as its step h begins: whole turns counted, what is locked stands."""
    spans, links = joints.trees.trees, joints.trees.links
    if spans[tree, TREE_ACTING] == 0:
        return
    for i in range(spans[tree, FIRST_LINK], spans[tree, FIRST_LINK] + spans[tree, LINKS]):
        j = links[i, LINK_JOINT]
        if j < 0 or joints.joints[j, ACTS] == 0:
            continue
        c, d = links[i, FIRST_COORD], links[i, FIRST_DOF]
        if joints.joints[j, JOINT_KIND] == BALL:
            ties[j, DAMPED] = ties[j, DAMPED_FIRST] = 0.0
            for k in range(3):
                ties[j, DAMPED_FIRST] += h * joints.elements[j, DAMPER] * limbs.speeds[NOW, d + k] ** 2
            continue
        way = _way(joints, i)
        if joints.joints[j, JOINT_KIND] == HINGE:
            limbs.coords[NOW, c] = counted_on(limbs.coords[NOW, c], way * ties[j, POSITION])
        limbs.coords[BEGIN, c] = limbs.coords[NOW, c]
        limbs.dofs[d, LOCKED] = 1.0 if ties[j, LOCK] != LOOSE else 0.0
        if ties[j, LOCK] != LOOSE:
            limbs.speeds[NOW, d] = limbs.speeds[BEGIN, d] = 0.0
        begin_losses(joints.elements, ties, j, way * limbs.speeds[NOW, d], h)


@kernel
def _way(joints: Joints, i: int) -> float:
    """1 if the coordinate of link i is the position of its joint, -1 if that is counted from the other side."""
    return 1.0 if joints.trees.links[i, LINK_SIDE] == 1 else -1.0


@kernel
def act_on_joints(joints: Joints, limbs: Limbs, ties: Floats, tree: int, time: float) -> None:
    """What elements do along the joints of a tree; what they take at their speeds is noted for a time [s]."""
    spans, links = joints.trees.trees, joints.trees.links
    if spans[tree, TREE_ACTING] == 0:
        return
    for i in range(spans[tree, FIRST_LINK], spans[tree, FIRST_LINK] + spans[tree, LINKS]):
        j = links[i, LINK_JOINT]
        if j < 0 or joints.joints[j, ACTS] == 0:
            continue
        c, d = links[i, FIRST_COORD], links[i, FIRST_DOF]
        if joints.joints[j, JOINT_KIND] == BALL:
            for k in range(3):
                rate = limbs.speeds[NOW, d + k]
                limbs.dofs[d + k, ACTED] = -joints.elements[j, DAMPER] * rate
                ties[j, DAMPED] += time * joints.elements[j, DAMPER] * rate * rate
            continue
        way = _way(joints, i)
        rate = way * limbs.speeds[NOW, d]
        q = way * limbs.coords[NOW, c]
        limbs.dofs[d, ACTED] = way * element_force(joints.elements, ties, j, q, rate)
        note_losses(joints.elements, ties, j, q, rate, time)


@kernel
def note_locks(joints: Joints, limbs: Limbs, ties: Floats, tree: int) -> None:
    """What holds the locked joints of a tree that has just been accelerated."""
    spans, links = joints.trees.trees, joints.trees.links
    if spans[tree, TREE_ACTING] == 0:
        return
    for i in range(spans[tree, FIRST_LINK], spans[tree, FIRST_LINK] + spans[tree, LINKS]):
        j = links[i, LINK_JOINT]
        if j >= 0 and joints.joints[j, LOCK_ROW] >= 0 and ties[j, LOCK] != LOOSE:
            ties[j, LOCK_FORCE] = _way(joints, i) * limbs.dofs[links[i, FIRST_DOF], HELD_BY]


@kernel
def next_event(joints: Joints, limbs: Limbs, ties: Floats, tree: int, h: float, method: int, ends: bool) -> float:
    """After which time of the step h that a tree has made by a method it should have ended [s]; inf: it is good.

    ends: what happens at its end is not too late; else it goes on from there.
    """
    spans, links = joints.trees.trees, joints.trees.links
    event = inf
    if spans[tree, TREE_ACTING] == 0:
        return event
    for i in range(spans[tree, FIRST_LINK], spans[tree, FIRST_LINK] + spans[tree, LINKS]):
        j = links[i, LINK_JOINT]
        if j < 0 or joints.joints[j, LOCK_ROW] < 0:
            continue
        c, d, way = links[i, FIRST_COORD], links[i, FIRST_DOF], _way(joints, i)
        if ties[j, LOCK] != LOOSE:
            force = way * limbs.dofs[d, HELD_BY]
            event = min(event, let_go(joints.elements, ties, j, ties[j, LOCK_FORCE], force, h))
            continue
        q, u, a = limbs.coords[BEGIN, c], limbs.speeds[BEGIN, d], limbs.speeds[STAGE, d]
        q_end, u_end, a_end = limbs.coords[NOW, c], limbs.speeds[NOW, d], limbs.speeds[STAGE + LAST, d]
        q_half, u_half = q, u
        for k in range(STAGES):
            weight = h * WEIGHTS[method, MIDWAY, k]
            if weight != 0.0:
                q_half += weight * limbs.coords[STAGE + k, c]
                u_half += weight * limbs.speeds[STAGE + k, d]
        first = move_event(joints.elements, ties, j, (way * q, way * u), (way * q_half, way * u_half), 0.5 * h)
        if first == inf:
            end = (way * q_end, way * u_end)
            first = 0.5 * h + move_event(joints.elements, ties, j, (way * q_half, way * u_half), end, 0.5 * h)
        event = min(event, first, stop_event(ties, j, (way * u, way * a), (way * u_end, way * a_end), h))
    return event if event < (1.0 - _ENDED if ends else 1.0 + _ENDED) * h else inf


@kernel
def lock_bounds(elements: Floats, ties: Floats, j: int) -> tuple[float, float]:
    """Between which forces [N], [N m] the lock of joint j holds: an end only pushes, friction holds so much."""
    low = -inf if ties[j, LOCK] == AT_HIGH else -elements[j, DRY]
    high = inf if ties[j, LOCK] == AT_LOW else elements[j, DRY]
    return low, high


@kernel
def let_go(elements: Floats, ties: Floats, j: int, force: float, force_end: float, h: float) -> float:
    """When in a step h a lock no longer holds, whose force has changed from the one to the other; inf: it holds."""
    low, high = lock_bounds(elements, ties, j)
    if low <= force_end <= high:
        return inf
    bound = low if force_end < low else high
    share = (bound - force) / (force_end - force) if force_end != force else 0.0
    time = max(min(max(share, 0.0), 1.0) * h, _SOONEST)
    return inf if time >= (1.0 - _LET_GO) * h or h <= 2.0 * _SOONEST else time


@kernel
def move_event(
    elements: Floats, ties: Floats, j: int, start: tuple[float, float], end: tuple[float, float], h: float
) -> float:
    """When in a time h joint j, with positions and speeds at its ends, reaches an end of its way; inf: it does not.

    One that has been pressed beyond an end and comes back from there has its end where it is: it goes no further.
    Ends that are rows of the step's solve are none of the flow.
    """
    low = -inf if ties[j, BEARS_LOW] == 1.0 else elements[j, LOW]
    high = inf if ties[j, BEARS_HIGH] == 1.0 else elements[j, HIGH]
    if start[0] < low - _BEYOND:
        low = start[0] - _BEYOND
    elif start[0] > high + _BEYOND:
        high = start[0] + _BEYOND
    first = inf
    if low > -inf:
        first = crossing((low - start[0], -start[1]), (low - end[0], -end[1]), h)
    if high < inf:
        first = min(first, crossing((start[0] - high, start[1]), (end[0] - high, end[1]), h))
    return first


@kernel
def stop_event(ties: Floats, j: int, start: tuple[float, float], end: tuple[float, float], h: float) -> float:
    """When in a time h joint j, with speeds and accelerations at its ends, stops against friction; inf: it does not."""
    way = -ties[j, SLIDES]
    if way == 0.0:
        return inf
    return crossing((way * start[0], way * start[1]), (way * end[0], way * end[1]), h)


@kernel
def crossing(start: tuple[float, float], end: tuple[float, float], h: float) -> float:
    """When the cubic with these values and slopes at 0 and h first comes from below zero to above it; inf: never."""
    before, below = 0.0, start[0] <= 0.0
    for k in range(1, _SAMPLES + 1):
        after = h * k / _SAMPLES
        value = end[0] if k == _SAMPLES else _cubic(start, end, h, after)
        if value > 0.0 and below:
            low, high = before, after
            for _ in range(_HALVINGS):
                middle = 0.5 * (low + high)
                if _cubic(start, end, h, middle) > 0.0:
                    high = middle
                else:
                    low = middle
            return high * (1.0 + 0.25 * _ENDED)
        below = below or value <= 0.0
        before = after
    return inf


@kernel
def _cubic(start: tuple[float, float], end: tuple[float, float], h: float, t: float) -> float:
    s = t / h
    rest = 1.0 - s
    value = rest * rest * ((1.0 + 2.0 * s) * start[0] + s * h * start[1])
    return value + s * s * ((1.0 + 2.0 * rest) * end[0] - rest * h * end[1])
