"""What acts on a body of a first-order world besides contacts: the mouse's spring, without its damper, and drag."""

from __future__ import annotations

from engine.collision.narrow.frames import matrix_of
from engine.group.work import INV_I, INV_M, V_END, W_END, Q, V, W, Work, X
from engine.kernel import kernel
from engine.maths.quaternions import quat_at, rotate
from engine.maths.vectors import Vec3, add, cross, dot, norm, point_velocity, scale, sub, vector_at
from engine.model.model import DRAG, MASS, MOMENTS, Model
from engine.model.state import PULL_BODY, PULL_POINT, PULL_STIFFNESS, PULL_TARGET, State


@kernel
def pull_force(state: State, work: Work, at: int) -> tuple[Vec3, Vec3]:
    """The spring's force on the body of row `at` at the step's start [N], and the arm at which it acts [m]."""
    pull = state.pull
    if pull[PULL_BODY] != work.body[at]:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    r = rotate(quat_at(work.poses, at, Q), (pull[PULL_POINT], pull[PULL_POINT + 1], pull[PULL_POINT + 2]))
    target = (pull[PULL_TARGET], pull[PULL_TARGET + 1], pull[PULL_TARGET + 2])
    return scale(sub(target, add(vector_at(work.poses, at, X), r)), pull[PULL_STIFFNESS]), r


@kernel
def pull_body(state: State, work: Work, at: int, time: float) -> None:
    """Add to the velocities at the end of row `at` what the spring gives in a time [s]."""
    force, r = pull_force(state, work, at)
    couple = cross(r, force)
    for c in range(3):
        work.twists[at, V_END + c] += time * work.twists[at, INV_M] * force[c]
        work.twists[at, W_END + c] += time * dot(vector_at(work.twists, at, INV_I + 3 * c), couple)


@kernel
def pull_power(state: State, work: Work, at: int) -> float:
    """What the spring puts in through the step [W]."""
    force, r = pull_force(state, work, at)
    return dot(force, point_velocity(vector_at(work.twists, at, V), vector_at(work.twists, at, W), r))


@kernel
def pull_rate(drag: float, state: State, work: Work, at: int) -> float:
    """No part of the spring's stretch goes faster than this [1/s]: k K / drag, with the trace of the body's K."""
    pull = state.pull
    if pull[PULL_BODY] != work.body[at]:
        return 0.0
    _, r = pull_force(state, work, at)
    spins = work.twists[at, INV_I] + work.twists[at, INV_I + 4] + work.twists[at, INV_I + 8]
    return pull[PULL_STIFFNESS] * (work.twists[at, INV_M] + spins * norm(r) ** 2) / drag


@kernel
def drag_power(model: Model, work: Work, at: int) -> float:
    """What drag takes from the body of row `at` through the step [W]: drag v . M v."""
    bodies, i = model.bodies, work.body[at]
    v, w = vector_at(work.twists, at, V), vector_at(work.twists, at, W)
    m = matrix_of(quat_at(work.poses, at, Q))
    total = bodies[i, MASS] * dot(v, v)
    for k in range(3):
        spin = m[k] * w[0] + m[3 + k] * w[1] + m[6 + k] * w[2]
        total += bodies[i, MOMENTS + k] * spin * spin
    return model.settings[DRAG] * total
