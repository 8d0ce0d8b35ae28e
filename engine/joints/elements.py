"""Elements of joints between the entries of a linkage: where joints are, what acts along them, and what that takes."""

from __future__ import annotations

from engine.collision.narrow.frames import matrix_of, turn
from engine.joints.rows import entry_matrix, hinge_angle
from engine.joints.tables import FLOW_A, FLOW_ALPHA, FLOW_INV_I, FLOW_INV_M, FLOW_V, FLOW_W, POSE, TAKEN
from engine.kernel import kernel
from engine.maths.quaternions import quat_at
from engine.maths.vectors import Vec3, add, cross, dot, scale, sub, vector_at
from engine.model.elements import (
    DAMPED,
    DAMPED_FIRST,
    DAMPER,
    LOCK,
    LOCK_FORCE,
    LOOSE,
    POSITION,
)
from engine.model.joints import (
    ACTING,
    ACTS,
    ANCHOR_A,
    ANCHOR_B,
    AXES_A,
    BALL,
    ENTRY_A,
    ENTRY_B,
    FIRST_JOINT,
    HINGE,
    JOINT_KIND,
    JOINTS,
    LOCK_ROW,
    Joints,
)
from engine.model.model import Floats
from engine.motion.motion import Motion
from engine.tree.forces import begin_losses, counted_on, element_force, note_losses


@kernel
def measure_joint(joints: Joints, flow: Floats, j: int, before: float) -> tuple[float, float, Vec3]:
    """Position of a hinge or slider, its speed, and its axis in the world, for what stands in the flow.

    before: about what the position is; it tells whole turns.
    """
    a, b = joints.joints[j, ENTRY_A], joints.joints[j, ENTRY_B]
    return measure_between(joints, j, _entry_motion(flow, a), _entry_motion(flow, b), before)


@kernel
def _entry_motion(flow: Floats, e: int) -> Motion:
    return Motion(
        vector_at(flow, e, POSE), quat_at(flow, e, POSE + 3), vector_at(flow, e, FLOW_V), vector_at(flow, e, FLOW_W)
    )


@kernel
def measure_between(joints: Joints, j: int, a: Motion, b: Motion, before: float) -> tuple[float, float, Vec3]:
    """The same for bodies that move so."""
    m_a, m_b = matrix_of(a.q), matrix_of(b.q)
    u = turn(m_a, vector_at(joints.frames, j, AXES_A + 6))
    if joints.joints[j, JOINT_KIND] == HINGE:
        return counted_on(hinge_angle(joints.frames, j, m_a, m_b), before), dot(u, sub(b.w, a.w)), u
    r_a, r_b = turn(m_a, vector_at(joints.frames, j, ANCHOR_A)), turn(m_b, vector_at(joints.frames, j, ANCHOR_B))
    away = sub(add(b.x, r_b), add(a.x, r_a))
    drift = sub(add(b.v, cross(b.w, r_b)), add(add(a.v, cross(a.w, r_a)), cross(a.w, away)))
    return dot(u, away), dot(u, drift), u


@kernel
def begin_entries(joints: Joints, flow: Floats, ties: Floats, link: int, h: float) -> None:
    """Joints of a linkage whose entries are as a step h begins: nothing has been taken in it yet."""
    if joints.linkages[link, ACTING] == 0:
        return
    first = joints.linkages[link, FIRST_JOINT]
    for j in range(first, first + joints.linkages[link, JOINTS]):
        if joints.joints[j, ACTS] == 0:
            continue
        if joints.joints[j, JOINT_KIND] == BALL:
            a, b = joints.joints[j, ENTRY_A], joints.joints[j, ENTRY_B]
            w = sub(vector_at(flow, b, FLOW_W), vector_at(flow, a, FLOW_W))
            ties[j, DAMPED], ties[j, DAMPED_FIRST] = 0.0, h * joints.elements[j, DAMPER] * dot(w, w)
        else:
            begin_losses(joints.elements, ties, j, measure_joint(joints, flow, j, ties[j, POSITION])[1], h)


@kernel
def note_locks(joints: Joints, rows: Floats, ties: Floats, link: int) -> None:
    """What holds the locked joints of a linkage that has just been accelerated."""
    if joints.linkages[link, ACTING] == 0:
        return
    first = joints.linkages[link, FIRST_JOINT]
    for j in range(first, first + joints.linkages[link, JOINTS]):
        row = joints.joints[j, LOCK_ROW]
        ties[j, LOCK_FORCE] = rows[row, TAKEN] if row >= 0 and ties[j, LOCK] != LOOSE else 0.0


@kernel
def act_on_entries(joints: Joints, flow: Floats, ties: Floats, link: int, time: float) -> None:
    """Add what elements of a linkage do to the accelerations of its entries, as if joints did not tie them.

    time: what they take at their speeds is noted for so long [s].
    """
    if joints.linkages[link, ACTING] == 0:
        return
    first = joints.linkages[link, FIRST_JOINT]
    for j in range(first, first + joints.linkages[link, JOINTS]):
        if joints.joints[j, ACTS] == 0:
            continue
        a, b = joints.joints[j, ENTRY_A], joints.joints[j, ENTRY_B]
        if joints.joints[j, JOINT_KIND] == BALL:
            couple = scale(sub(vector_at(flow, b, FLOW_W), vector_at(flow, a, FLOW_W)), -joints.elements[j, DAMPER])
            ties[j, DAMPED] -= time * dot(couple, sub(vector_at(flow, b, FLOW_W), vector_at(flow, a, FLOW_W)))
            _turn_entry(flow, a, scale(couple, -1.0))
            _turn_entry(flow, b, couple)
            continue
        q, rate, u = measure_joint(joints, flow, j, ties[j, POSITION])
        f = element_force(joints.elements, ties, j, q, rate)
        note_losses(joints.elements, ties, j, q, rate, time)
        if joints.joints[j, JOINT_KIND] == HINGE:
            _turn_entry(flow, a, scale(u, -f))
            _turn_entry(flow, b, scale(u, f))
        else:
            _push_both(joints, flow, j, scale(u, f))


@kernel
def _push_both(joints: Joints, flow: Floats, j: int, force: Vec3) -> None:
    """A force [N] of slider j at where its second side is, on that, and its reverse on the first."""
    a, b = joints.joints[j, ENTRY_A], joints.joints[j, ENTRY_B]
    r_b = turn(entry_matrix(flow, b), vector_at(joints.frames, j, ANCHOR_B))
    r_a = add(sub(vector_at(flow, b, POSE), vector_at(flow, a, POSE)), r_b)
    for k in range(3):
        flow[a, FLOW_A + k] -= flow[a, FLOW_INV_M] * force[k]
        flow[b, FLOW_A + k] += flow[b, FLOW_INV_M] * force[k]
    _turn_entry(flow, a, scale(cross(r_a, force), -1.0))
    _turn_entry(flow, b, cross(r_b, force))


@kernel
def _turn_entry(flow: Floats, e: int, couple: Vec3) -> None:
    for k in range(3):
        flow[e, FLOW_ALPHA + k] += dot(vector_at(flow, e, FLOW_INV_I + 3 * k), couple)
