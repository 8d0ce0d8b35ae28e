"""Reading a State without changing it: poses, twists, energy, momentum. Each evaluates every arc at one time."""

from __future__ import annotations

from typing import NamedTuple

from engine.arrays import Floats, Ints
from engine.group.books import members_energy, taken_until
from engine.joints.elements import measure_joint
from engine.joints.rows import is_dynamic, place_entry
from engine.kernel import kernel
from engine.maths.quaternions import multiply, rotate, rotate_inverse
from engine.maths.vectors import cross, dot, vector_at
from engine.model.elements import POSITION
from engine.model.joints import (
    ACTING,
    ACTS,
    BALL,
    ENTRIES,
    ENTRY_BODY,
    FIRST_ENTRY,
    FIRST_JOINT,
    JOINT_KIND,
    JOINTS,
    Joints,
)
from engine.model.model import FRAME, FREE, GRAVITY, KIND, MASS, MOMENTS, OVERDAMPED, Model
from engine.model.state import (
    BOOKED_UNTIL,
    CAUSES,
    ELASTIC,
    ENERGY,
    HELD,
    LEADER,
    NUMERICAL,
    NUMERICS,
    PUSH,
    PUSH_START,
    STEP,
    STEPPING,
    State,
)
from engine.motion.arcs import evolve
from engine.tree.forces import stored_energy

CAUSE_NAMES = ("sliding", "impact", "resistance", "damping", "numerics")
"""What takes energy, in the order of the clock's DISSIPATED entries."""


class BodyView(NamedTuple):
    """A body at one moment: the pose of its authored frame, the velocity of its centre of mass, world axes."""

    name: str
    position: Floats
    orientation: Floats
    velocity: Floats
    angular_velocity: Floats
    paradigm: str
    asleep: bool


@kernel
def read_poses(bodies: Floats, tags: Ints, arcs: Floats, t: float, into: Floats) -> None:
    """Poses of the authored frames at time t: x y z w x y z into (n, 7)."""
    for i in range(tags.shape[0]):
        x, q, _, _ = evolve(bodies, tags, arcs, i, t)
        offset = rotate(q, (bodies[i, FRAME], bodies[i, FRAME + 1], bodies[i, FRAME + 2]))
        turn = (bodies[i, FRAME + 3], bodies[i, FRAME + 4], bodies[i, FRAME + 5], bodies[i, FRAME + 6])
        turned = multiply(q, turn)
        for k in range(3):
            into[i, k] = x[k] + offset[k]
        for k in range(4):
            into[i, 3 + k] = turned[k]


@kernel
def read_twists(bodies: Floats, tags: Ints, arcs: Floats, t: float, into: Floats) -> None:
    """Velocity of the centre of mass and angular velocity, world axes, at time t: into (n, 6)."""
    for i in range(tags.shape[0]):
        _, _, v, w = evolve(bodies, tags, arcs, i, t)
        for k in range(3):
            into[i, k] = v[k]
            into[i, 3 + k] = w[k]


@kernel
def sum_energy(bodies: Floats, tags: Ints, arcs: Floats, t: float) -> tuple[float, float]:
    """Kinetic and potential energy [J] of the free bodies at time t; potential is zero at the world's origin."""
    kinetic = 0.0
    potential = 0.0
    for i in range(tags.shape[0]):
        if tags[i, KIND] != FREE:
            continue
        x, q, v, w = evolve(bodies, tags, arcs, i, t)
        spin = rotate_inverse(q, w)
        share = 0.5 - 0.5 * bodies[i, OVERDAMPED]
        for k in range(3):
            kinetic += share * (bodies[i, MASS] * v[k] * v[k] + bodies[i, MOMENTS + k] * spin[k] * spin[k])
            potential -= bodies[i, MASS] * bodies[i, GRAVITY + k] * x[k]
    return kinetic, potential


@kernel
def sum_pushes(bodies: Floats, tags: Ints, arcs: Floats, loads: Floats, t: float) -> tuple[float, float]:
    """Of applied forces [J]: what `sum_energy` counts of them as potential energy, and their work so far."""
    counted = work = 0.0
    for i in range(tags.shape[0]):
        push = vector_at(loads, i, PUSH)
        work -= loads[i, PUSH_START]
        if push == (0.0, 0.0, 0.0):
            continue
        done = dot(push, evolve(bodies, tags, arcs, i, t).x)
        work += done
        if tags[i, KIND] == FREE:
            counted -= done
    return counted, work


@kernel
def sum_unbooked(model: Model, state: State, t: float, into: Floats) -> tuple[float, float, float]:
    """Add what contact groups have dissipated by cause since that was booked to `into` (CAUSES + 1,) [J].

    Returns what kinematic bodies have put into them since then, what the springs of penalty contact hold now, and what
    their bodies lack, on the arcs that they fly within a step, of what is left by that [J].
    """
    tags, arcs, members, groups = model.tags, state.arcs, state.members, state.groups
    work = elastic = lacks = 0.0
    for leader in range(tags.shape[0]):
        if tags[leader, KIND] != FREE or arcs[leader, HELD] != STEPPING or members[leader, LEADER] != leader:
            continue
        if groups[leader, BOOKED_UNTIL] >= t:  # nothing is outstanding, whatever has hit it since then
            elastic += groups[leader, ELASTIC]
            continue
        losses, given, stored = taken_until(model, state, leader, t)
        h = groups[leader, STEP]
        by_steps = groups[leader, NUMERICAL] * (min((t - groups[leader, BOOKED_UNTIL]) / h, 1.0) if h > 0.0 else 1.0)
        into[NUMERICS] += by_steps
        rest = groups[leader, ENERGY] + given - stored - by_steps
        for cause in range(CAUSES):
            into[cause] += losses[cause]
            rest -= losses[cause]
        lacks += rest - members_energy(model.bodies, tags, arcs, members, leader, t)
        work += given
        elastic += groups[leader, ELASTIC] + stored
    return work, elastic, lacks


@kernel
def sum_springs(
    bodies: Floats, tags: Ints, arcs: Floats, joints: Joints, ties: Floats, flow: Floats, t: float
) -> tuple[float, float]:
    """Energy in the springs of all joints at time t, and of those that are awake [J]. flow: room for their entries."""
    total = awake = 0.0
    for link in range(joints.linkages.shape[0]):
        if joints.linkages[link, ACTING] == 0:
            continue
        steps = False
        first = joints.linkages[link, FIRST_ENTRY]
        for e in range(first, first + joints.linkages[link, ENTRIES]):
            place_entry(bodies, tags, arcs, joints, flow, e, t)
            steps = steps or (is_dynamic(tags, joints, e) and arcs[joints.entries[e, ENTRY_BODY], HELD] == STEPPING)
        first = joints.linkages[link, FIRST_JOINT]
        for j in range(first, first + joints.linkages[link, JOINTS]):
            if joints.joints[j, ACTS] == 1 and joints.joints[j, JOINT_KIND] != BALL:
                held = stored_energy(joints.elements, j, measure_joint(joints, flow, j, ties[j, POSITION])[0])
                total += held
                awake += held if steps else 0.0
    return total, awake


@kernel
def sum_momentum(bodies: Floats, tags: Ints, arcs: Floats, t: float, into: Floats) -> None:
    """Momentum [N s] and angular momentum about the world's origin [N m s] of the free bodies at time t: into (6,)."""
    for k in range(6):
        into[k] = 0.0
    for i in range(tags.shape[0]):
        if tags[i, KIND] != FREE:
            continue
        x, q, v, w = evolve(bodies, tags, arcs, i, t)
        inert = 1.0 - bodies[i, OVERDAMPED]
        mass = inert * bodies[i, MASS]
        spin = rotate_inverse(q, (inert * w[0], inert * w[1], inert * w[2]))
        own = rotate(
            q, (bodies[i, MOMENTS] * spin[0], bodies[i, MOMENTS + 1] * spin[1], bodies[i, MOMENTS + 2] * spin[2])
        )
        orbital = cross(x, (mass * v[0], mass * v[1], mass * v[2]))
        for k in range(3):
            into[k] += mass * v[k]
            into[3 + k] += orbital[k] + own[k]
