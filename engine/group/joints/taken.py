"""What elements of joints have taken by some time of a step: their forces and speeds along the arcs till then.

Books of a step go by as a parabola (engine.group.books). A motor or a damper that answers within the step does not:
where a hit cuts the step short, that would be a loss that nothing made. In a group that touches nothing its elements
are all that does work but weight, and how they do is known along its arcs.
"""

from __future__ import annotations

import numpy as np

from engine.collision.pair_table import next_pair
from engine.joints.elements import measure_between
from engine.kernel import kernel
from engine.maths.vectors import dot, sub
from engine.model.elements import DAMPER, DRY, LOCK, LOOSE, POSITION
from engine.model.joints import (
    ACTING,
    ACTS,
    BALL,
    DRIVEN,
    ENTRY_A,
    ENTRY_B,
    ENTRY_BODY,
    FIRST_JOINT,
    JOINT_KIND,
    JOINTS,
)
from engine.model.model import LINKAGE, Model
from engine.model.state import BOOKED_UNTIL, NEXT_MEMBER, PAIR_HELD, PAIR_STATE, State
from engine.motion.arcs import evolve
from engine.motion.motion import Motion
from engine.tree.forces import motor_force, stored_energy

Taken = tuple[float, float, float, float]
"""What dampers and friction have taken, what motors have put in, and what springs have stored [J]."""

_POINTS = 5
_AT = 0.5 + 0.5 * np.polynomial.legendre.leggauss(_POINTS)[0]
_SHARE = 0.5 * np.polynomial.legendre.leggauss(_POINTS)[1]
"""Gauss's points in 0 .. 1 and their weights."""


@kernel
def does_work_by_elements(model: Model, state: State, leader: int) -> bool:
    """Is the group of `leader` one linkage with elements, which nothing drives and which touches nothing?"""
    joints, link = model.joints, model.tags[leader, LINKAGE]
    if link < 0 or joints.linkages[link, ACTING] == 0 or joints.linkages[link, DRIVEN] == 1:
        return False
    i = leader
    while i >= 0:
        if model.tags[i, LINKAGE] != link:
            return False
        row = state.first_pair[i]
        while row >= 0:
            if state.links[row, PAIR_STATE] == PAIR_HELD:
                return False
            row = next_pair(state.links, row, i)
        i = state.members[i, NEXT_MEMBER]
    return True


@kernel
def elements_until(model: Model, state: State, leader: int, t: float) -> Taken:
    """What the elements of such a group have taken by t of its step, till then."""
    joints, link = model.joints, model.tags[leader, LINKAGE]
    damped = rubbed = driven = stored = 0.0
    start = state.groups[leader, BOOKED_UNTIL]
    first = joints.linkages[link, FIRST_JOINT]
    for j in range(first, first + joints.linkages[link, JOINTS]):
        if joints.joints[j, ACTS] == 0:
            continue
        for n in range(_POINTS):
            time = (t - start) * _SHARE[n]
            q, rate, square = _joint_at(model, state, j, start + (t - start) * _AT[n])
            damped += time * joints.elements[j, DAMPER] * square
            if joints.joints[j, JOINT_KIND] == BALL:
                continue
            if state.joints[j, LOCK] == LOOSE:
                rubbed += time * joints.elements[j, DRY] * abs(rate)
            driven += time * motor_force(joints.elements, state.joints, j, q, rate) * rate
        if joints.joints[j, JOINT_KIND] != BALL:
            q, _, _ = _joint_at(model, state, j, t)
            q_0, _, _ = _joint_at(model, state, j, start)
            stored += stored_energy(joints.elements, j, q) - stored_energy(joints.elements, j, q_0)
    return damped, rubbed, driven, stored


@kernel
def _joint_at(model: Model, state: State, j: int, t: float) -> tuple[float, float, float]:
    """Position and speed of joint j at t, 0 of a ball joint, and the square of its speed."""
    joints = model.joints
    a, b = _motion(model, state, joints.joints[j, ENTRY_A], t), _motion(model, state, joints.joints[j, ENTRY_B], t)
    if joints.joints[j, JOINT_KIND] == BALL:
        w = sub(b.w, a.w)
        return 0.0, 0.0, dot(w, w)
    q, rate, _ = measure_between(joints, j, a, b, state.joints[j, POSITION])
    return q, rate, rate * rate


@kernel
def _motion(model: Model, state: State, e: int, t: float) -> Motion:
    i = model.joints.entries[e, ENTRY_BODY]
    if i < 0:
        zero = (0.0, 0.0, 0.0)
        return Motion(zero, (1.0, 0.0, 0.0, 0.0), zero, zero)
    return evolve(model.bodies, model.tags, state.arcs, i, t)
