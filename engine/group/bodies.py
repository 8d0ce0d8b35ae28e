"""The bodies of a step: as they are at its start, where they are at its end and on the way, how slow is slow."""

from __future__ import annotations

from math import floor, pi, sqrt

from engine.collision.narrow.frames import matrix_of
from engine.group.work import (
    APPLIED_WORK,
    BENDS,
    BODIES,
    BULGE,
    FORCE,
    INV_I,
    INV_M,
    PURE_ENERGY,
    Q_ACT,
    Q_END,
    RIM_SPEED,
    TORQUE,
    V_APPLIED,
    V_END,
    V_FLOW,
    V_FREE,
    V_PSEUDO,
    W_END,
    W_FLOW,
    W_PSEUDO,
    X_ACT,
    X_END,
    Q,
    V,
    W,
    Work,
    X,
)
from engine.impulse.pair_response import turn_by
from engine.kernel import kernel
from engine.maths.free_rotation import rotate_free
from engine.maths.quaternions import Quat, quat_at, rotate, rotate_inverse, turn_between
from engine.maths.rounding import DIFFERENCE
from engine.maths.vectors import Vec3, add, add_scaled, dot, norm, scale, sub, vector_at
from engine.model.model import (
    FREE,
    GRAVITY,
    GRAVITY_NORM,
    INV_MASS,
    INV_MOMENTS,
    KIND,
    LINKAGE,
    LONGEST_STEP,
    MASS,
    MOMENTS,
    OVERDAMPED,
    RADIUS,
    Floats,
    Ints,
    Model,
)
from engine.model.state import LOCAL, State
from engine.motion.arcs import evolve
from engine.motion.held import evolve_held, set_held, turned
from engine.motion.motion import Motion
from engine.motion.polynomial import Course, bulge_of, set_polynomial
from engine.tolerances import (
    ACCURACY,
    CALM_SPEED,
    CALM_STEPS,
    ENVELOPE_FRACTION,
    JOINT_TURN,
    SOLVE_UPDATES,
    STIRRED_BY,
)

_FURTHEST = 2.0 * JOINT_TURN  # rad: what turns further in a step does so about a fixed axis
_HARDLY = DIFFERENCE  # rad: of a smaller turn the square is lost in rounding


@kernel
def load_body(bodies: Floats, work: Work, i: int, at: int, x: Vec3, q: Quat, v: Vec3, w: Vec3) -> None:
    """Row `at` of the step's tables for body i, as it is at the start."""
    twists, poses = work.twists, work.poses
    for k in range(3):
        poses[at, X + k] = poses[at, X_ACT + k] = x[k]
        twists[at, V + k] = v[k]
        twists[at, W + k] = w[k]
    for k in range(4):
        poses[at, Q + k] = poses[at, Q_ACT + k] = q[k]
    twists[at, INV_M] = bodies[i, INV_MASS]
    load_inverse_inertia(bodies, twists, i, at, q)


@kernel
def load_inverse_inertia(bodies: Floats, twists: Floats, i: int, at: int, q: Quat) -> None:
    """The inverse inertia of row `at`, in world axes, as body i has it with attitude q."""
    m = matrix_of(q)
    for r in range(3):
        for c in range(3):
            s = 0.0
            for k in range(3):
                s += m[3 * r + k] * bodies[i, INV_MOMENTS + k] * m[3 * c + k]
            twists[at, INV_I + 3 * r + c] = s


@kernel
def mean_spin(twists: Floats, at: int) -> Vec3:
    """What turns the body of row `at` through the step [rad/s]."""
    return (
        0.5 * (twists[at, W] + twists[at, W_END]) + twists[at, W_PSEUDO] + twists[at, W_FLOW],
        0.5 * (twists[at, W + 1] + twists[at, W_END + 1]) + twists[at, W_PSEUDO + 1] + twists[at, W_FLOW + 1],
        0.5 * (twists[at, W + 2] + twists[at, W_END + 2]) + twists[at, W_PSEUDO + 2] + twists[at, W_FLOW + 2],
    )


@kernel
def free_velocities(bodies: Floats, work: Work, at: int, h: float) -> None:
    """Velocities at the step's end without contacts, but for what joints tie; pseudo-velocities zero. Impulses act on
    them as at the start."""
    twists, poses, i = work.twists, work.poses, work.body[at]
    _forget_corrections(twists, poses, at)
    _, w = _turn_free(bodies, i, quat_at(poses, at, Q), vector_at(twists, at, W), h)
    for c in range(3):
        twists[at, V_END + c] = twists[at, V + c] + h * bodies[i, GRAVITY + c]
        twists[at, W_END + c] = w[c]
    for c in range(6):
        twists[at, V_FREE + c] = twists[at, V + c]
    for c in range(7):
        poses[at, X_ACT + c] = poses[at, X + c]
    poses[at, PURE_ENERGY] = 0.0
    apply_loads(work, at, h)


@kernel
def await_flow(work: Work, at: int) -> None:
    """Row `at` is of a linkage that is going to flow through the step: there are no corrections, and no torque acts."""
    _forget_corrections(work.twists, work.poses, at)
    work.poses[at, PURE_ENERGY] = work.poses[at, APPLIED_WORK] = 0.0


@kernel
def fly_to_middle(bodies: Floats, work: Work, at: int, h: float) -> None:
    """Fly row `at` half a step h, to where its impulses act: pose, inertia, and velocities before them."""
    twists, poses, i = work.twists, work.poses, work.body[at]
    _forget_corrections(twists, poses, at)
    poses[at, RIM_SPEED] = rim_speed(bodies, i, vector_at(twists, at, V), vector_at(twists, at, W))
    half = 0.5 * h
    q, w = _turn_free(bodies, i, quat_at(poses, at, Q), vector_at(twists, at, W), half)
    for c in range(3):
        g = bodies[i, GRAVITY + c]
        poses[at, X_ACT + c] = poses[at, X + c] + half * (twists[at, V + c] + 0.5 * half * g)
        twists[at, V_END + c] = twists[at, V_FREE + c] = twists[at, V + c] + half * g
        twists[at, W_END + c] = twists[at, V_FREE + 3 + c] = w[c]
    for c in range(4):
        poses[at, Q_ACT + c] = q[c]
    load_inverse_inertia(bodies, twists, i, at, q)
    apply_loads(work, at, h)


@kernel
def apply_loads(work: Work, at: int, h: float) -> None:
    """What is applied to row `at` through the step h acts where impulses do."""
    twists, torque = work.twists, vector_at(work.poses, at, TORQUE)
    for c in range(3):
        twists[at, V_APPLIED + c] = h * twists[at, INV_M] * work.poses[at, FORCE + c]
        twists[at, V_APPLIED + 3 + c] = h * dot(vector_at(twists, at, INV_I + 3 * c), torque)
    for c in range(6):
        twists[at, V_END + c] += twists[at, V_APPLIED + c]


@kernel
def impulse_twist(work: Work, at: int) -> tuple[Vec3, Vec3]:
    """By how much impulses have changed the velocities of row `at` where they act."""
    twists = work.twists
    v = sub(vector_at(twists, at, V_END), vector_at(twists, at, V_FREE))
    w = sub(vector_at(twists, at, W_END), vector_at(twists, at, V_FREE + 3))
    return sub(v, vector_at(twists, at, V_APPLIED)), sub(w, vector_at(twists, at, V_APPLIED + 3))


@kernel
def applied_work(work: Work, at: int, h: float) -> float:
    """What that puts in [J], on the mean of its velocities before and after the impulses."""
    v = add(vector_at(work.twists, at, V_FREE), vector_at(work.twists, at, V_END))
    w = add(vector_at(work.twists, at, V_FREE + 3), vector_at(work.twists, at, W_END))
    force, torque = vector_at(work.poses, at, FORCE), vector_at(work.poses, at, TORQUE)
    return 0.5 * h * (dot(force, v) + dot(torque, w))


@kernel
def applied_power(work: Work, at: int) -> float:
    """What that puts in at the step's start [W]."""
    force, torque = vector_at(work.poses, at, FORCE), vector_at(work.poses, at, TORQUE)
    return dot(force, vector_at(work.twists, at, V)) + dot(torque, vector_at(work.twists, at, W))


@kernel
def flown_to_end(bodies: Floats, work: Work, at: int, h: float) -> tuple[Vec3, Quat, Vec3, Vec3]:
    """Where row `at` is at the end of the step h and how it moves there, flying on with its velocities after the
    impulses."""
    i, half = work.body[at], 0.5 * h
    q, w = _turn_free(bodies, i, quat_at(work.poses, at, Q_ACT), vector_at(work.twists, at, W_END), half)
    v, g = vector_at(work.twists, at, V_END), vector_at(bodies, i, GRAVITY)
    x = add_scaled(vector_at(work.poses, at, X_ACT), add_scaled(v, g, 0.5 * half), half)
    return x, q, add_scaled(v, g, half), w


@kernel
def fly_to_end(bodies: Floats, work: Work, at: int, h: float) -> float:
    """Fly row `at` on from there with its velocities after the impulses: velocities at the step's end, and what moves
    it besides their mean with those at the start. Its energy there [J]."""
    twists, poses, i = work.twists, work.poses, work.body[at]
    x, q, v, w = flown_to_end(bodies, work, at, h)
    turn = turn_between(quat_at(poses, at, Q), q)
    mean = scale(add(vector_at(twists, at, W), w), 0.5)
    rounds = _whole_turns(turn, scale(mean, h))
    for c in range(3):
        twists[at, V_END + c], twists[at, W_END + c] = v[c], w[c]
        twists[at, W_FLOW + c] = rounds * turn[c] / h - mean[c]
    return energy_of(bodies, i, x, q, v, w)


@kernel
def _whole_turns(turn: Vec3, about: Vec3) -> float:
    """`turn`, half a turn at most, times this is the turn that leads to the same pose and is nearest to `about`."""
    size = norm(turn)
    if size == 0.0 or norm(about) <= pi:
        return 1.0
    return 1.0 + 2.0 * pi * floor((dot(about, turn) / size - size) / (2.0 * pi) + 0.5) / size


@kernel
def _turn_free(bodies: Floats, i: int, q: Quat, w: Vec3, dt: float) -> tuple[Quat, Vec3]:
    """Attitude and angular velocity (world) of body i after turning freely for dt; its angular momentum stays."""
    moments = (bodies[i, MOMENTS], bodies[i, MOMENTS + 1], bodies[i, MOMENTS + 2])
    spin = rotate_inverse(q, w)
    if moments[0] == moments[1] and moments[1] == moments[2]:
        return turned(q, spin, dt), w
    if norm(w) * dt > _HARDLY:
        q, spin = rotate_free(moments, q, spin, dt)
        return q, rotate(q, spin)
    momentum = rotate(q, (moments[0] * spin[0], moments[1] * spin[1], moments[2] * spin[2]))
    q = turned(q, spin, dt)
    spin = rotate_inverse(q, momentum)
    return q, rotate(q, (spin[0] / moments[0], spin[1] / moments[1], spin[2] / moments[2]))


@kernel
def _forget_corrections(twists: Floats, poses: Floats, at: int) -> None:
    for c in range(3):
        twists[at, V_PSEUDO + c] = twists[at, W_PSEUDO + c] = 0.0
        twists[at, V_FLOW + c] = twists[at, W_FLOW + c] = 0.0
    for c in range(12):
        poses[at, BENDS + c] = 0.0
    for c in range(18):
        poses[at, BULGE + c] = 0.0


@kernel
def lay_arc(arcs: Floats, i: int, twists: Floats, poses: Floats, at: int, tied: bool, t: float, h: float) -> None:
    """The arc of a step from t on of the body of row `at`, into row i of the arcs; tied: by joints."""
    x, q = vector_at(poses, at, X), quat_at(poses, at, Q)
    v, w, pseudo = vector_at(twists, at, V), vector_at(twists, at, W), vector_at(twists, at, V_PSEUDO)
    v_end, w_end, turn = vector_at(twists, at, V_END), vector_at(twists, at, W_END), vector_at(twists, at, W_PSEUDO)
    spin = mean_spin(twists, at)
    if not tied and turns_far(twists, at, h):
        set_held(arcs, i, t, t + h, Motion(x, q, v, w), v_end, w_end, pseudo, spin)
        return
    flow, turn_flow = vector_at(twists, at, V_FLOW), vector_at(twists, at, W_FLOW)
    bends = (
        vector_at(poses, at, BENDS),
        vector_at(poses, at, BENDS + 3),
        vector_at(poses, at, BENDS + 6),
        vector_at(poses, at, BENDS + 9),
    )
    course = Course(
        v_end, w_end, flow, turn_flow, pseudo, turn, bends, bulge_of(poses, at, BULGE), bulge_of(poses, at, BULGE + 9)
    )
    set_polynomial(arcs, i, t, t + h, Motion(x, q, v, w), course)


@kernel
def turns_far(twists: Floats, at: int, h: float) -> bool:
    """Does the body of row `at`, if no joint ties it, turn too far in the step h for a polynomial arc?"""
    return norm(mean_spin(twists, at)) * h > _FURTHEST


@kernel
def place_at_end(twists: Floats, poses: Floats, at: int, h: float) -> None:
    """Where a body is at the end of the step: it moves with the mean of its velocities and its pseudo-velocity."""
    for c in range(3):
        v = 0.5 * (twists[at, V + c] + twists[at, V_END + c]) + twists[at, V_PSEUDO + c] + twists[at, V_FLOW + c]
        poses[at, X_END + c] = poses[at, X + c] + h * v
    q = quat_at(poses, at, Q)
    q = turned(q, rotate_inverse(q, mean_spin(twists, at)), h)
    for c in range(4):
        poses[at, Q_END + c] = q[c]


@kernel
def pose_at_end(model: Model, state: State, work: Work, i: int, t: float) -> tuple[Vec3, Quat]:
    """Pose at the end of the step, at t, of a body of the group or of any other."""
    at = place_of(model.tags, state.members, i)
    if at >= 0:
        return vector_at(work.poses, at, X_END), quat_at(work.poses, at, Q_END)
    x, q, _, _ = evolve(model.bodies, model.tags, state.arcs, i, t)
    return x, q


@kernel
def lay_trial(model: Model, state: State, work: Work, side: int, i: int, t: float, h: float) -> None:
    """The arc that body i is going to have in the step h from t on, if it is of the group, into row `side` of
    Work.trial."""
    at = place_of(model.tags, state.members, i)
    if at >= 0:
        lay_arc(work.trial, side, work.twists, work.poses, at, model.tags[i, LINKAGE] >= 0, t, h)


@kernel
def pose_within(model: Model, state: State, work: Work, side: int, i: int, t: float) -> tuple[Vec3, Quat]:
    """Pose of body i at time t within the step: on the arc of row `side` of Work.trial, if it is of the group."""
    if place_of(model.tags, state.members, i) < 0:
        x, q, _, _ = evolve(model.bodies, model.tags, state.arcs, i, t)
    else:
        x, q, _, _ = evolve_held(work.trial, side, t)
    return x, q


@kernel
def centre_midway(model: Model, state: State, work: Work, i: int, t: float, h: float) -> Vec3:
    """Where the centre of body i of the group is going to be in the middle of the step h from t on [m]."""
    lay_trial(model, state, work, 0, i, t, h)
    x, _ = pose_within(model, state, work, 0, i, t + 0.5 * h)
    return x


@kernel
def energy_of(bodies: Floats, i: int, x: Vec3, q: Quat, v: Vec3, w: Vec3) -> float:
    """Kinetic and potential energy of free body i [J]."""
    m = matrix_of(q)
    energy = 0.0
    share = 0.5 - 0.5 * bodies[i, OVERDAMPED]
    for k in range(3):
        spin = m[k] * w[0] + m[3 + k] * w[1] + m[6 + k] * w[2]
        energy += share * (bodies[i, MASS] * v[k] * v[k] + bodies[i, MOMENTS + k] * spin * spin)
        energy -= bodies[i, MASS] * bodies[i, GRAVITY + k] * x[k]
    return energy


@kernel
def rim_speed(bodies: Floats, i: int, v: Vec3, w: Vec3) -> float:
    """The speed [m/s] that no point of body i exceeds with this twist, those of a ball that spins in place included."""
    return norm(v) + bodies[i, RADIUS] * norm(w)


@kernel
def fastest_rim(bodies: Floats, work: Work, column: int) -> float:
    """The largest rim speed of the group's bodies [m/s], by their twists in a column."""
    most = 0.0
    for at in range(work.sizes[BODIES]):
        v, w = vector_at(work.twists, at, column), vector_at(work.twists, at, column + 3)
        most = max(most, rim_speed(bodies, work.body[at], v, w))
    return most


@kernel
def calm_speed(settings: Floats, size: float) -> float:
    """A body whose every point is slower than this [m/s] is at rest: a part of the fall through its envelope.

    Where nothing falls, it gets nowhere in the time after which it may sleep.
    """
    if settings[GRAVITY_NORM] > 0.0:
        return CALM_SPEED * sqrt(2.0 * settings[GRAVITY_NORM] * ENVELOPE_FRACTION * size)
    return ACCURACY * size / (CALM_STEPS * settings[LONGEST_STEP])


@kernel
def least_stir(settings: Floats, size: float) -> float:
    """A sleeper that its contacts speed up by less than this stays asleep [m/s^2]; size: of the body [m]."""
    return STIRRED_BY * max(settings[GRAVITY_NORM], calm_speed(settings, size) / settings[LONGEST_STEP])


@kernel
def rim_gain(bodies: Floats, i: int, q: Quat, force: Vec3, couple: Vec3) -> float:
    """How fast the rim of body i gains speed by a load if it is alone [m/s^2]."""
    return rim_speed(bodies, i, scale(force, bodies[i, INV_MASS]), turn_by(bodies, i, q, couple))


@kernel
def place_of(tags: Ints, members: Ints, i: int) -> int:
    """The place of body i in the step's bodies; -1: it is static, kinematic, or of another group."""
    return members[i, LOCAL] if tags[i, KIND] == FREE else -1


@kernel
def are_unequal(bodies: Floats, work: Work) -> bool:
    """Do masses differ by more than sweeps can pass on?

    A sweep takes from a heavy body on a light one that part of its speed which one mass is of the other: there must be
    as many as that is contained in it. Two points have SOLVE_UPDATES / 2.
    """
    lightest = heaviest = bodies[work.body[0], MASS]
    for at in range(work.sizes[BODIES]):
        lightest = min(lightest, bodies[work.body[at], MASS])
        heaviest = max(heaviest, bodies[work.body[at], MASS])
    return heaviest > 0.5 * SOLVE_UPDATES * lightest
