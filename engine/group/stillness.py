"""Since when bodies that are held have been slow, and still: moved by no net force that counts.

A net force moves a body on, farther and farther; what a solve leaves of it, in a group of thousands, shakes it to and
fro, faster than a small force makes it in a step. So it is not asked how fast a body is at any step, but how far it has
come from one look at it to the next: what has come no farther than the least net force moves it from rest has none.
"""

from __future__ import annotations

from math import sqrt

from engine.group.bodies import calm_speed, rim_speed
from engine.group.work import V_END, W_END, Q, Work, X
from engine.kernel import kernel
from engine.maths.quaternions import Quat, quat_at
from engine.maths.vectors import norm, sub, vector_at
from engine.model.model import GRAVITY_NORM, LONGEST_STEP, RADIUS, SIZE, Floats, Model
from engine.model.state import CALM_SINCE, LOOKED, LOOKED_AT, STILL_SINCE, State
from engine.tolerances import NET_SMALL, STILL_STEPS


@kernel
def stir(state: State, i: int, t: float) -> None:
    """Body i has neither been slow nor still before t."""
    state.rest[i, CALM_SINCE] = state.rest[i, STILL_SINCE] = t


@kernel
def has_been_still(model: Model, state: State, i: int) -> bool:
    """Has body i, which is held, been found still for so long that there can be no net force on it?"""
    return state.rest[i, LOOKED] - state.rest[i, STILL_SINCE] >= STILL_STEPS * model.settings[LONGEST_STEP]


@kernel
def look_whether_still(model: Model, state: State, work: Work, at: int, t: float, h: float) -> None:
    """After a step h from t on: is body `at` of the group slow, and has it come far since it was looked at last?"""
    i = work.body[at]
    rest = state.rest
    asked_anew = rest[i, LOOKED] < rest[i, STILL_SINCE]
    if asked_anew or t - rest[i, LOOKED] >= STILL_STEPS * model.settings[LONGEST_STEP]:
        if not asked_anew and _way(model.bodies, rest, work, at) > still_way(model.settings, model.bodies[i, SIZE]):
            rest[i, STILL_SINCE] = t
        rest[i, LOOKED] = t
        for c in range(3):
            rest[i, LOOKED_AT + c] = work.poses[at, X + c]
        for c in range(4):
            rest[i, LOOKED_AT + 3 + c] = work.poses[at, Q + c]
    speed = rim_speed(model.bodies, i, vector_at(work.twists, at, V_END), vector_at(work.twists, at, W_END))
    if speed > calm_speed(model.settings, model.bodies[i, SIZE]):
        stir(state, i, t + h)


@kernel
def still_way(settings: Floats, size: float) -> float:
    """What comes no farther than this [m] in STILL_STEPS is moved by no net force that counts; size: of the body [m].

    Where nothing falls, that is known only of what does not move.
    """
    long = STILL_STEPS * settings[LONGEST_STEP]
    return 0.5 * long * min(NET_SMALL * settings[GRAVITY_NORM] * long, calm_speed(settings, size))


@kernel
def _way(bodies: Floats, rest: Floats, work: Work, at: int) -> float:
    """How far the rim of body `at` has come since it was looked at [m]."""
    i = work.body[at]
    x, q = vector_at(work.poses, at, X), quat_at(work.poses, at, Q)
    return norm(sub(x, vector_at(rest, i, LOOKED_AT))) + bodies[i, RADIUS] * _turned(q, quat_at(rest, i, LOOKED_AT + 3))


@kernel
def _turned(p: Quat, q: Quat) -> float:
    """How far two orientations are apart if it is little [rad]."""
    same = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3]
    sign = 1.0 if same > 0.0 else -1.0
    square = 0.0
    for c in range(4):
        square += (p[c] - sign * q[c]) ** 2
    return 2.0 * sqrt(square)
