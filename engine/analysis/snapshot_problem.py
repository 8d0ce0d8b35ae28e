"""The contacts of a world at one instant as a contact problem.

Every pair whose gap is within a band a little above the envelope touches, at the points of its manifold. Nothing of the
State is changed, not even the features from which the next search starts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.analysis.contact_problem import ContactProblem
from engine.collision.narrow.closest import closest
from engine.collision.narrow.frames import ClosestPoints, pose_of
from engine.collision.narrow.manifold import MOST_POINTS, POINT_GAP, POINT_WIDTH, SCRATCH_ROWS, Reach, find_manifold
from engine.collision.pairs.hull_pairs import is_nearer_beside
from engine.geometry.hull_tree import CHILDREN
from engine.kernel import array_kernel, kernel
from engine.maths.quaternions import Quat, from_axis_angle, multiply, normalize
from engine.maths.vectors import Vec3, add, add_scaled, any_perpendicular, cross, dot, norm, point_velocity, scale, sub
from engine.model.model import (
    CONTACT,
    DRAG,
    FIRST_NODE,
    FIRST_ORDER,
    FREE,
    GRAVITY,
    KIND,
    LOAD_UNTIL,
    MASS,
    MOMENTS,
    MU_DYNAMIC,
    RESTITUTION,
    SHAPE,
    SIZE,
    Floats,
    Ints,
    Model,
)
from engine.model.state import (
    BODY_A,
    BODY_B,
    FEATURE_A,
    FEATURE_B,
    IN_USE,
    PAIR_ENVELOPE,
    PAIR_SURFACE,
    PULL_BODY,
    PULL_DAMPING,
    PULL_POINT,
    PULL_STIFFNESS,
    PULL_TARGET,
    SHAPE_A,
    SHAPE_B,
    TIME,
    State,
)
from engine.motion.arcs import evolve
from engine.motion.loads import mean_couple
from engine.motion.motion import Motion, Side
from engine.tolerances import KICK_PERIOD

# Columns of what gather_points writes for a contact.
PLACE = 0  # 3, the contact point [m]
SPACE = 3  # its gap [m]
DIRECTION = 4  # 3, the normal
PRESCRIBED = 7  # 3, prescribed velocity: what bodies outside the problem add to u, world axes [m/s]
BEND = 10  # what velocities and kinematic bodies add to the normal acceleration [m/s²]
LINE_WIDTH = 11

_NOBODY = np.empty(0, dtype=np.int64)

TOUCHING = 1.5
"""Pairs with gaps of at most TOUCHING * envelope [1] touch: resting bodies that take microcollisions hover within the
envelope."""

_MOVE = 1e-5
"""Bodies are moved by this part of the smaller one's size [1] to see how normals and contact points move with them."""

_DRIFTS = 100.0
"""So many times further a contact point may move: the rim of a coin that lies nearly flat runs round beneath it [1]."""

_SCRIPT_TIME = 1e-5
"""Accelerations of kinematic bodies are differences of their velocities over this time [s]."""


def gather_contacts(model: Model, state: State, t: float) -> ContactProblem:
    """The contact problem of a world at time t [s], which is not before its last event.

    Of the movable bodies it holds those that touch something. Free flight and friction are as in the world; forces are
    gravity, the torque -ω × I ω of turning, what is applied, and the mouse's spring. In a first-order world it is the
    problem of velocities, times drag: nothing moves on there.
    """
    links = state.links
    free = model.tags[:, KIND] == FREE
    used = np.flatnonzero(links[:, IN_USE] == 1)
    leaves = (model.trees[links[used][:, [SHAPE_A, SHAPE_B]], CHILDREN] == 0).all(axis=1)
    moves = free[links[used, BODY_A]] | free[links[used, BODY_B]]
    return gather_pairs(model, state, used[leaves & moves], t, TOUCHING)[0]


def gather_pairs(
    model: Model, state: State, rows: Ints, t: float, touching: float, members: Ints = _NOBODY
) -> tuple[ContactProblem, Ints]:
    """The contact problem of some pairs, rows (k,), at time t, and the row of the pair of each contact, (m,).

    Those touch whose gap is at most `touching` envelopes. Free bodies `members` are in it whether they touch or not.
    """
    links = state.links
    free = model.tags[:, KIND] == FREE
    lines = np.zeros((MOST_POINTS * len(rows), LINE_WIDTH))
    owner = np.zeros(MOST_POINTS * len(rows), dtype=np.int64)
    count = gather_points(model, state, rows, t, touching, lines, owner)
    lines, owner = lines[:count], owner[:count]
    both = links[owner][:, [BODY_A, BODY_B]]
    bodies = np.unique(np.concatenate([both[free[both]], members]))
    place = np.full(len(free), -1)
    place[bodies] = np.arange(len(bodies))
    motion = np.zeros((len(bodies), 13))
    read_motion(model.bodies, model.tags, state.arcs, bodies, t, motion)
    mass = world_masses(model.bodies[bodies], motion[:, 3:7])
    frame = frames_of(lines[:, DIRECTION : DIRECTION + 3])
    prescribed = np.einsum("mij,mj->mi", frame, lines[:, PRESCRIBED : PRESCRIBED + 3])
    if model.settings[CONTACT] == FIRST_ORDER:
        motion[:, 7:] = 0.0
        lines[:, BEND] = model.settings[DRAG] * prescribed[:, 0]
    surface = state.pairs[owner, PAIR_SURFACE:]
    problem = ContactProblem(
        bodies=bodies,
        centre=motion[:, :3].copy(),
        mass=mass,
        force=outside_forces(model, state, bodies, motion, mass),
        velocity=motion[:, 7:].copy(),
        pair=place[both],
        rows=both.astype(np.int64),
        nodes=links[owner][:, [SHAPE_A, SHAPE_B]] + (model.tags[:, FIRST_NODE] - model.tags[:, SHAPE])[both],
        point=lines[:, PLACE : PLACE + 3].copy(),
        frame=frame,
        gap=lines[:, SPACE].copy(),
        prescribed=prescribed,
        curvature=lines[:, BEND].copy(),
        friction=surface[:, MU_DYNAMIC].copy(),
        restitution=surface[:, RESTITUTION].copy(),
    )
    return problem, owner


# --- bodies -----------------------------------------------------------------------------------------------------------


@kernel
def read_motion(bodies: Floats, tags: Ints, arcs: Floats, rows: Ints, t: float, into: Floats) -> None:
    """Positions of the centres of mass, orientations and twists (world axes) of some bodies, into (k, 13)."""
    for k in range(rows.shape[0]):
        x, q, v, w = evolve(bodies, tags, arcs, rows[k], t)
        for c in range(3):
            into[k, c] = x[c]
            into[k, 7 + c] = v[c]
            into[k, 10 + c] = w[c]
        for c in range(4):
            into[k, 3 + c] = q[c]


def world_masses(bodies: Floats, q: Floats) -> Floats:
    """Generalised masses in world axes, (k, 6, 6), of bodies (rows of the model's table) of orientations q (k, 4)."""
    w, x, y, z = q.T
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    ).transpose(2, 0, 1)
    mass = np.zeros((len(bodies), 6, 6))
    mass[:, :3, :3] = bodies[:, MASS, None, None] * np.eye(3)
    inertia = np.einsum("nij,nj,nkj->nik", turn, bodies[:, MOMENTS : MOMENTS + 3], turn)
    mass[:, 3:, 3:] = 0.5 * (inertia + inertia.transpose(0, 2, 1))
    return mass


def outside_forces(model: Model, state: State, rows: Ints, motion: Floats, mass: Floats) -> Floats:
    """Forces and torques about the centres, world axes, (k, 6): gravity, turning, applied loads, the mouse's spring."""
    force = np.zeros((len(rows), 6))
    force[:, :3] = model.bodies[rows, MASS, None] * model.bodies[rows, GRAVITY : GRAVITY + 3]
    omega = motion[:, 10:]
    force[:, 3:] = -np.cross(omega, np.einsum("nij,nj->ni", mass[:, 3:, 3:], omega))
    now = state.clock.item(TIME)
    for k in np.flatnonzero(model.bodies[rows, LOAD_UNTIL] > now):
        w, x, y, z = motion[k, 3:7].tolist()
        force[k, 3:] += mean_couple(model.bodies, int(rows[k]), (w, x, y, z), now, now + KICK_PERIOD)
    for k in np.flatnonzero(rows == int(state.pull[PULL_BODY])):
        w, r = motion[k, 3], motion[k, 4:7]
        arm = state.pull[PULL_POINT : PULL_POINT + 3]
        arm = arm + 2.0 * np.cross(r, np.cross(r, arm) + w * arm)
        stretch = state.pull[PULL_TARGET : PULL_TARGET + 3] - motion[k, :3] - arm
        u = motion[k, 7:10] + np.cross(omega[k], arm)
        spring = state.pull[PULL_STIFFNESS] * stretch - state.pull[PULL_DAMPING] * u
        force[k, :3] += spring
        force[k, 3:] += np.cross(arm, spring)
    return force


def frames_of(normals: Floats) -> Floats:
    """Rows n, t1, t2, right-handed, of unit normals (m, 3), as (m, 3, 3)."""
    frame = np.zeros((len(normals), 3, 3))
    # The columns of a table of one line or none count as contiguous, those of others do not: a kernel for each.
    fill_frames(np.ascontiguousarray(normals), frame)
    return frame


@kernel
def fill_frames(normals: Floats, into: Floats) -> None:
    """Write the frames of normals into (m, 3, 3)."""
    for k in range(normals.shape[0]):
        n = (normals[k, 0], normals[k, 1], normals[k, 2])
        t = any_perpendicular(n)
        s = cross(n, t)
        for c in range(3):
            into[k, 0, c] = n[c]
            into[k, 1, c] = t[c]
            into[k, 2, c] = s[c]


# --- contacts ---------------------------------------------------------------------------------------------------------


class Scratch(NamedTuple):
    """Arrays that `find_manifold` works in and fills: contact points now, a little before and a little after."""

    rows: Floats  # (SCRATCH_ROWS, 3)
    points: Floats  # (MOST_POINTS, POINT_WIDTH)
    before: Floats
    after: Floats


@array_kernel
def gather_points(model: Model, state: State, rows: Ints, t: float, touching: float, lines: Floats, owner: Ints) -> int:
    """Write the contacts of pairs `rows` at time t into lines (MOST_POINTS a pair, LINE_WIDTH); how many there are.

    owner: the row of the pair of each contact. touching: of envelopes, see gather_pairs.
    """
    points, before, after = (
        np.zeros((MOST_POINTS, POINT_WIDTH)),
        np.zeros((MOST_POINTS, POINT_WIDTH)),
        np.zeros((MOST_POINTS, POINT_WIDTH)),
    )
    scratch = Scratch(np.zeros((SCRATCH_ROWS, 3)), points, before, after)
    count = 0
    for k in range(rows.shape[0]):
        found = add_contacts(model, state, rows[k], t, touching, scratch, lines, count)
        for line in range(count, count + found):
            owner[line] = rows[k]
        count += found
    return count


@kernel
def add_contacts(
    model: Model, state: State, row: int, t: float, touching: float, scratch: Scratch, lines: Floats, first: int
) -> int:
    """Write the contacts of pair `row` into lines from `first` on; how many there are."""
    links, bodies, tags = state.links, model.bodies, model.tags
    a, b = links[row, BODY_A], links[row, BODY_B]
    motion_a, motion_b = evolve(bodies, tags, state.arcs, a, t), evolve(bodies, tags, state.arcs, b, t)
    features = (links[row, FEATURE_A], links[row, FEATURE_B])
    gap, nearest, features = _find_nearest(model, links, row, motion_a, motion_b, features)
    reach = touching * state.pairs[row, PAIR_ENVELOPE]
    if not gap <= reach or _is_beside(model, links, row, nearest.normal, motion_a.q, motion_b.q, features):
        return 0
    found, normal = find_manifold(
        model.geometry, model.topology, links[row, SHAPE_A], pose_of(motion_a.x, motion_a.q),
        links[row, SHAPE_B], pose_of(motion_b.x, motion_b.q), nearest, Reach(reach, reach),
        scratch.rows, scratch.points,
    )  # fmt: skip
    u = sub(motion_a.v, motion_b.v)
    size = min(bodies[a, SIZE], bodies[b, SIZE])
    speed = norm(u) + (norm(motion_a.w) + norm(motion_b.w)) * size
    step = 0.0  # they move too slowly for anything to bend
    turned = normal
    found_before, found_after = 0, 0
    if speed * speed > 1e-12 * size:
        step = _MOVE * size / speed
        found_before, earlier = _moved_manifold(
            model, links, row, motion_a, motion_b, -step, features, reach, scratch.rows, scratch.before
        )
        found_after, later = _moved_manifold(
            model, links, row, motion_a, motion_b, step, features, reach, scratch.rows, scratch.after
        )
        turned = scale(sub(later, earlier), 0.5 / step)
    for p in range(found):
        at = (scratch.points[p, 0], scratch.points[p, 1], scratch.points[p, 2])
        side_a, side_b = Side(a, motion_a, sub(at, motion_a.x)), Side(b, motion_b, sub(at, motion_b.x))
        bend = 0.0
        if step > 0.0:
            there, drift = _drift(
                at, scratch.before, found_before, scratch.after, found_after, step, _DRIFTS * _MOVE * size
            )
            bend = _bend(normal, turned, there, drift, u, motion_a.w, side_a.r, motion_b.w, side_b.r)
        prescribed, more = _prescribed(bodies, tags, state.arcs, side_a, side_b, normal, t)
        for c in range(3):
            lines[first + p, PLACE + c] = at[c]
            lines[first + p, DIRECTION + c] = normal[c]
            lines[first + p, PRESCRIBED + c] = prescribed[c]
        lines[first + p, SPACE] = scratch.points[p, POINT_GAP]
        lines[first + p, BEND] = bend + more
    return found


@kernel
def _find_nearest(
    model: Model, links: Ints, row: int, motion_a: Motion, motion_b: Motion, features: tuple[int, int]
) -> tuple[float, ClosestPoints, tuple[int, int]]:
    """Gap and closest points of pair `row`, from features on, and the features where they are."""
    gap, ax, ay, az, bx, by, bz, nx, ny, nz, feature_a, feature_b, _ = closest(
        model.geometry, model.topology, links[row, SHAPE_A], pose_of(motion_a.x, motion_a.q),
        links[row, SHAPE_B], pose_of(motion_b.x, motion_b.q), features[0], features[1],
    )  # fmt: skip
    return gap, ClosestPoints((ax, ay, az), (bx, by, bz), (nx, ny, nz)), (feature_a, feature_b)


@kernel
def _is_beside(
    model: Model, links: Ints, row: int, normal: Vec3, q_a: Quat, q_b: Quat, features: tuple[int, int]
) -> bool:
    """Is a neighbour of the triangle that pair `row` is about nearer than that?"""
    return is_nearer_beside(
        model.trees, model.fans, links[row, SHAPE_A], features[0], q_a, scale(normal, -1.0)
    ) or is_nearer_beside(model.trees, model.fans, links[row, SHAPE_B], features[1], q_b, normal)


@kernel
def _prescribed(
    bodies: Floats, tags: Ints, arcs: Floats, side_a: Side, side_b: Side, normal: Vec3, t: float
) -> tuple[Vec3, float]:
    """What a kinematic body of a contact adds to u, and to its acceleration along the normal."""
    if tags[side_a.body, KIND] != FREE:
        u = point_velocity(side_a.motion.v, side_a.motion.w, side_a.r)
        return u, dot(normal, _kinematic_acceleration(bodies, tags, arcs, side_a.body, side_a.r, t))
    if tags[side_b.body, KIND] != FREE:
        u = point_velocity(side_b.motion.v, side_b.motion.w, side_b.r)
        return scale(u, -1.0), -dot(normal, _kinematic_acceleration(bodies, tags, arcs, side_b.body, side_b.r, t))
    return (0.0, 0.0, 0.0), 0.0


@kernel
def _bend(
    normal: Vec3, turned: Vec3, there: bool, drift: Vec3, u: Vec3, wa: Vec3, ra: Vec3, wb: Vec3, rb: Vec3
) -> float:
    """The normal acceleration of bodies that keep their twists: d/dt of n · (velocity of a's surface less b's there).

    turned: dn/dt; drift: velocity of the contact point, seen along with b's centre, if it is `there` to be followed.
    Of a corner on a face it is 2 u · dn/dt and the centripetal terms (Redon 2002, eq. 3); a wheel's contact point does
    not keep to the wheel.
    """
    of_a, of_b = add(u, cross(wa, ra)), cross(wb, rb)
    if not there:  # as if it kept half to one, half to the other
        drift = scale(add(of_a, of_b), 0.5)
    return dot(turned, sub(of_a, of_b)) + dot(normal, sub(cross(wa, sub(drift, u)), cross(wb, drift)))


@kernel
def _turned(q: Quat, w: Vec3, time: float) -> Quat:
    """Orientation q after turning at w (world axes) for a time."""
    rate = norm(w)
    if rate == 0.0:
        return q
    return normalize(multiply(from_axis_angle(scale(w, 1.0 / rate), rate * time), q))


@kernel
def _moved_manifold(
    model: Model, links: Ints, row: int, motion_a: Motion, motion_b: Motion, time: float,
    features: tuple[int, int], reach: float, scratch: Floats, points: Floats,
) -> tuple[int, Vec3]:  # fmt: skip
    """The manifold when both have gone on for a time, as seen by one who flies along with b's centre."""
    x_a = add_scaled(motion_a.x, sub(motion_a.v, motion_b.v), time)
    a = Motion(x_a, _turned(motion_a.q, motion_a.w, time), motion_a.v, motion_a.w)
    b = Motion(motion_b.x, _turned(motion_b.q, motion_b.w, time), motion_b.v, motion_b.w)
    _, nearest, _ = _find_nearest(model, links, row, a, b, features)
    return find_manifold(
        model.geometry, model.topology, links[row, SHAPE_A], pose_of(a.x, a.q), links[row, SHAPE_B], pose_of(b.x, b.q),
        nearest, Reach(reach, reach), scratch, points,
    )  # fmt: skip


@kernel
def _drift(
    at: Vec3, before: Floats, count_before: int, after: Floats, count_after: int, step: float, far: float
) -> tuple[bool, Vec3]:
    """Whether a contact point is there before and after, and its velocity, seen along with b's centre."""
    k, distance = _nearest(at, before, count_before)
    j, distance_after = _nearest(at, after, count_after)
    if k < 0 or j < 0 or max(distance, distance_after) > far:
        return False, (0.0, 0.0, 0.0)
    s = 0.5 / step
    return True, (s * (after[j, 0] - before[k, 0]), s * (after[j, 1] - before[k, 1]), s * (after[j, 2] - before[k, 2]))


@kernel
def _nearest(at: Vec3, points: Floats, count: int) -> tuple[int, float]:
    """The point of a manifold nearest to another, and how far it is; -1 if there is none."""
    best, least = -1, 0.0
    for k in range(count):
        away = norm(sub((points[k, 0], points[k, 1], points[k, 2]), at))
        if best < 0 or away < least:
            best, least = k, away
    return best, least


@kernel
def _kinematic_acceleration(bodies: Floats, tags: Ints, arcs: Floats, i: int, r: Vec3, t: float) -> Vec3:
    """Acceleration of the point at r of a kinematic body, without the centripetal part: v̇ + ω̇ × r.

    From its velocities from t on, since a keyed path may bend at t.
    """
    h = _SCRIPT_TIME
    _, _, v0, w0 = evolve(bodies, tags, arcs, i, t)
    _, _, v1, w1 = evolve(bodies, tags, arcs, i, t + h)
    _, _, v2, w2 = evolve(bodies, tags, arcs, i, t + 2.0 * h)
    dv = sub(scale(sub(v1, v0), 4.0), sub(v2, v0))
    dw = sub(scale(sub(w1, w0), 4.0), sub(w2, w0))
    return scale(add_scaled(dv, cross(dw, r), 1.0), 0.5 / h)
