"""Books of linkages: what stopping them at the start of a step takes, and what they gain in the step."""

from __future__ import annotations

from engine.group.bodies import energy_of
from engine.group.joints.elements import elements_took
from engine.group.work import (
    ARREST_LOSS,
    ARREST_WORK,
    LINK_GAIN,
    LINK_LOSS,
    LINK_WORK,
    Q,
    V,
    W,
    Work,
)
from engine.joints.rows import is_dynamic
from engine.joints.tables import FLOW_V, FLOW_W, POSE
from engine.kernel import kernel
from engine.maths.quaternions import quat_at
from engine.maths.vectors import sub, vector_at
from engine.model.joints import ACTING, DRIVEN, ENTRIES, ENTRY_BODY, FIRST_ENTRY, Joints
from engine.model.model import Floats, Ints
from engine.model.state import IMPACT, LOCAL


@kernel
def energy_at_start(bodies: Floats, tags: Ints, members: Ints, joints: Joints, work: Work, link: int) -> float:
    """What a linkage has at the start of the step, but for heights [J]."""
    energy = 0.0
    first = joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        if is_dynamic(tags, joints, e):
            i = joints.entries[e, ENTRY_BODY]
            at = members[i, LOCAL]
            v, w = vector_at(work.twists, at, V), vector_at(work.twists, at, W)
            energy += energy_of(bodies, i, (0.0, 0.0, 0.0), quat_at(work.poses, at, Q), v, w)
    return energy


@kernel
def book_stop(work: Work, had: float, has: float, put_in: float) -> None:
    """Joints have stopped a linkage at the step's start: what it had and has, and what kinematic bodies put in [J]."""
    loss = had + put_in - has
    work.link[ARREST_WORK] += put_in
    work.link[ARREST_LOSS + IMPACT] += loss
    work.link[LINK_LOSS] += loss


@kernel
def book_gain(bodies: Floats, tags: Ints, members: Ints, joints: Joints, work: Work, link: int, x: int, v: int) -> None:
    """What a linkage gains in a flow from the poses and twists in those columns comes from its elements, and from what
    drives it."""
    if joints.linkages[link, DRIVEN] == 0 and joints.linkages[link, ACTING] == 0:
        return
    gained = LINK_WORK if joints.linkages[link, DRIVEN] == 1 else LINK_GAIN
    flow = work.flow
    zero = (0.0, 0.0, 0.0)
    first = joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        if is_dynamic(tags, joints, e):
            i = joints.entries[e, ENTRY_BODY]
            at = members[i, LOCAL]
            v_0, w_0 = vector_at(work.twists, at, v), vector_at(work.twists, at, v + 3)
            v_1, w_1 = vector_at(flow, e, FLOW_V), vector_at(flow, e, FLOW_W)
            way = sub(vector_at(flow, e, POSE), vector_at(work.poses, at, x))
            work.link[gained] += energy_of(bodies, i, way, quat_at(flow, e, POSE + 3), v_1, w_1)
            work.link[gained] -= energy_of(bodies, i, zero, quat_at(work.poses, at, x + 3), v_0, w_0)


@kernel
def book_elements(joints: Joints, work: Work, link: int) -> None:
    """What elements have taken in the step, of a linkage at its end that is driven: that came from there, too."""
    if joints.linkages[link, DRIVEN] == 1:
        took = elements_took(joints, work, link)
        work.link[LINK_WORK] += took
        work.link[LINK_GAIN] -= took
