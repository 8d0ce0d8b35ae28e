"""The bodies of a step: as they are at its start, where they are at its end and on the way, how slow is slow."""

from __future__ import annotations

from math import sqrt

from engine.collision.narrow.frames import matrix_of
from engine.group.work import (
    BENDS,
    INV_I,
    INV_M,
    Q_END,
    V_END,
    V_FLOW,
    V_PSEUDO,
    W_END,
    W_FLOW,
    W_PSEUDO,
    X_END,
    Q,
    V,
    W,
    Work,
    X,
)
from engine.kernel import kernel
from engine.maths.free_rotation import rotate_free
from engine.maths.quaternions import Quat, quat_at, rotate, rotate_inverse
from engine.maths.vectors import Vec3, norm, vector_at
from engine.model.model import (
    FREE,
    GRAVITY,
    GRAVITY_NORM,
    INV_MASS,
    INV_MOMENTS,
    KIND,
    LINKAGE,
    MOMENTS,
    RADIUS,
    Floats,
    Ints,
    Model,
)
from engine.model.state import LOCAL, State
from engine.motion.arcs import evolve
from engine.motion.held import evolve_held, set_held, turned
from engine.motion.motion import Motion
from engine.motion.polynomial import Course, set_polynomial
from engine.tolerances import CALM_SPEED, ENVELOPE_FRACTION

_FURTHEST = 1.0  # rad: what turns further in a step does so about a fixed axis


@kernel
def load_body(table: Floats, bodies: Floats, i: int, at: int, x: Vec3, q: Quat, v: Vec3, w: Vec3) -> None:
    """Row `at` of Work.bodies for body i of the model's table, as it is at the start."""
    for k in range(3):
        bodies[at, X + k] = x[k]
        bodies[at, V + k] = v[k]
        bodies[at, W + k] = w[k]
    for k in range(4):
        bodies[at, Q + k] = q[k]
    bodies[at, INV_M] = table[i, INV_MASS]
    m = matrix_of(q)
    for r in range(3):
        for c in range(3):
            s = 0.0
            for k in range(3):
                s += m[3 * r + k] * table[i, INV_MOMENTS + k] * m[3 * c + k]
            bodies[at, INV_I + 3 * r + c] = s


@kernel
def mean_spin(bodies: Floats, at: int) -> Vec3:
    """What turns the body of row `at` of Work.bodies through the step [rad/s]."""
    return (
        0.5 * (bodies[at, W] + bodies[at, W_END]) + bodies[at, W_PSEUDO] + bodies[at, W_FLOW],
        0.5 * (bodies[at, W + 1] + bodies[at, W_END + 1]) + bodies[at, W_PSEUDO + 1] + bodies[at, W_FLOW + 1],
        0.5 * (bodies[at, W + 2] + bodies[at, W_END + 2]) + bodies[at, W_PSEUDO + 2] + bodies[at, W_FLOW + 2],
    )


@kernel
def free_velocities(table: Floats, bodies: Floats, i: int, at: int, h: float) -> None:
    """Velocities at the step's end without contacts; pseudo-velocities zero."""
    for c in range(3):
        bodies[at, V_END + c] = bodies[at, V + c] + h * table[i, GRAVITY + c]
        bodies[at, W_END + c] = bodies[at, W + c]
        bodies[at, V_PSEUDO + c] = 0.0
        bodies[at, W_PSEUDO + c] = 0.0
        bodies[at, V_FLOW + c] = 0.0
        bodies[at, W_FLOW + c] = 0.0
    for c in range(12):
        bodies[at, BENDS + c] = 0.0
    w = vector_at(bodies, at, W)
    moments = (table[i, MOMENTS], table[i, MOMENTS + 1], table[i, MOMENTS + 2])
    if norm(w) * h > 1e-5 and not (moments[0] == moments[1] and moments[1] == moments[2]):
        q = quat_at(bodies, at, Q)
        q_end, spin = rotate_free(moments, q, rotate_inverse(q, w), h)
        w = rotate(q_end, spin)
        for c in range(3):
            bodies[at, W_END + c] = w[c]


@kernel
def lay_arc(arcs: Floats, i: int, bodies: Floats, at: int, tied: bool, t: float, h: float) -> None:
    """The arc of a step from t on of row `at` of Work.bodies, into row i of the arcs; tied: by joints."""
    x, q = vector_at(bodies, at, X), quat_at(bodies, at, Q)
    v, w, pseudo = vector_at(bodies, at, V), vector_at(bodies, at, W), vector_at(bodies, at, V_PSEUDO)
    v_end, w_end, turn = vector_at(bodies, at, V_END), vector_at(bodies, at, W_END), vector_at(bodies, at, W_PSEUDO)
    spin = mean_spin(bodies, at)
    if not tied and norm(spin) * h > _FURTHEST:
        set_held(arcs, i, t, t + h, Motion(x, q, v, w), v_end, w_end, pseudo, spin)
        return
    flow, turn_flow = vector_at(bodies, at, V_FLOW), vector_at(bodies, at, W_FLOW)
    bends = (
        vector_at(bodies, at, BENDS),
        vector_at(bodies, at, BENDS + 3),
        vector_at(bodies, at, BENDS + 6),
        vector_at(bodies, at, BENDS + 9),
    )
    course = Course(v_end, w_end, flow, turn_flow, pseudo, turn, bends)
    set_polynomial(arcs, i, t, t + h, Motion(x, q, v, w), course)


@kernel
def place_at_end(bodies: Floats, at: int, h: float) -> None:
    """Where a body is at the end of the step: it moves with the mean of its velocities and its pseudo-velocity."""
    for c in range(3):
        v = 0.5 * (bodies[at, V + c] + bodies[at, V_END + c]) + bodies[at, V_PSEUDO + c] + bodies[at, V_FLOW + c]
        bodies[at, X_END + c] = bodies[at, X + c] + h * v
    q = quat_at(bodies, at, Q)
    q = turned(q, rotate_inverse(q, mean_spin(bodies, at)), h)
    for c in range(4):
        bodies[at, Q_END + c] = q[c]


@kernel
def pose_at_end(model: Model, state: State, work: Work, i: int, t: float) -> tuple[Vec3, Quat]:
    """Pose at the end of the step, at t, of a body of the group or of any other."""
    at = place_of(model.tags, state.members, i)
    if at >= 0:
        return vector_at(work.bodies, at, X_END), quat_at(work.bodies, at, Q_END)
    x, q, _, _ = evolve(model.bodies, model.tags, state.arcs, i, t)
    return x, q


@kernel
def pose_within(model: Model, state: State, work: Work, i: int, t: float, h: float, after: float) -> tuple[Vec3, Quat]:
    """Pose of a body of the group, on the arc that it is going to have, or of another, some time after t."""
    at = place_of(model.tags, state.members, i)
    if at < 0:
        x, q, _, _ = evolve(model.bodies, model.tags, state.arcs, i, t + after)
        return x, q
    lay_arc(work.trial, 0, work.bodies, at, model.tags[i, LINKAGE] >= 0, t, h)
    x, q, _, _ = evolve_held(work.trial, 0, t + after)
    return x, q


@kernel
def rim_speed(bodies: Floats, i: int, v: Vec3, w: Vec3) -> float:
    """The speed [m/s] that no point of body i exceeds with this twist, those of a ball that spins in place included."""
    return norm(v) + bodies[i, RADIUS] * norm(w)


@kernel
def calm_speed(settings: Floats, size: float) -> float:
    """A body whose every point is slower than this [m/s] is at rest: a part of the fall through its envelope."""
    if settings[GRAVITY_NORM] > 0.0:
        return CALM_SPEED * sqrt(2.0 * settings[GRAVITY_NORM] * ENVELOPE_FRACTION * size)
    return 1e-4 * size


@kernel
def place_of(tags: Ints, members: Ints, i: int) -> int:
    """The place of body i in the step's bodies; -1: it is static, kinematic, or of another group."""
    return members[i, LOCAL] if tags[i, KIND] == FREE else -1
