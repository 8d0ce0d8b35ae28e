"""What a step may end with: no more energy than there was, and the momentum that there was.

A step may end with the energy that the group had, with what kinematic bodies put in, and with its budget for position
correction: a small part of what its contacts took before (a stack that has sunk within its envelopes may be lifted
again). Where that is not enough, pseudo-velocities are made smaller. Impulses that would put in energy are smaller
already (engine.group.solve.impulses); only what linkages gain by their integration slows them down, by no force.

What touches nothing fixed keeps its momentum, linear and angular, whatever its group does, and so does a linkage that
hangs on nothing fixed, but for what touches it. The velocities of its bodies are those of one rigid body and what is
left, which has no momentum: only that is made smaller. And where pseudo-velocities have changed how its bodies lie,
each turns on by so much that its angular momentum about the common centre is what it was: that is what no force between
them changes but by its moment there.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.group.bodies import energy_of, mean_spin, place_at_end
from engine.group.work import (
    BODIES,
    GROUNDED,
    LINKAGES,
    PAIRS_HELD,
    PURE_ENERGY,
    PURE_MOMENTUM,
    PURE_SPIN,
    Q_END,
    V_END,
    V_FLOW,
    V_PSEUDO,
    W_END,
    W_FLOW,
    W_PSEUDO,
    X_END,
    Q,
    Work,
    X,
)
from engine.impulse.collision_matrix import K6, add_k, factor_k, response, solve_k
from engine.impulse.pair_response import turn_by
from engine.joints.rows import hangs_free
from engine.kernel import kernel
from engine.maths.quaternions import Quat, quat_at, rotate, rotate_inverse
from engine.maths.vectors import Vec3, add, cross, scale, sub, vector_at
from engine.model.joints import Joints
from engine.model.model import GRAVITY, LINKAGE, MASS, MOMENTS, Floats, Ints, Model
from engine.motion.held import turned

_SMALLER = 4  # times that corrections are made smaller: what they give the bodies is not quite linear in them

ALL = -1
"""In the place of a linkage: all bodies of the group."""

Rigid = tuple[Vec3, Vec3, Vec3]
"""Centre of mass, its velocity, and angular velocity of what moves as one body."""


@kernel
def is_part(tags: Ints, work: Work, at: int, link: int) -> bool:
    """Is the body of row `at` of that linkage?"""
    return link == ALL or tags[work.body[at], LINKAGE] == link


@kernel
def own_momentum(bodies: Floats, i: int, q: Quat, w: Vec3) -> Vec3:
    """Angular momentum of body i about its centre of mass, world axes [N m s]."""
    spin = rotate_inverse(q, w)
    moments = (bodies[i, MOMENTS], bodies[i, MOMENTS + 1], bodies[i, MOMENTS + 2])
    return rotate(q, (moments[0] * spin[0], moments[1] * spin[1], moments[2] * spin[2]))


@kernel
def turning_momentum(bodies: Floats, tags: Ints, work: Work, link: int, about: Vec3) -> Vec3:
    """Angular momentum of a linkage of the group about a point, at the step's end [N m s]."""
    twists, poses = work.twists, work.poses
    total = (0.0, 0.0, 0.0)
    for at in range(work.sizes[BODIES]):
        if not is_part(tags, work, at, link):
            continue
        i = work.body[at]
        total = add(total, own_momentum(bodies, i, quat_at(poses, at, Q_END), vector_at(twists, at, W_END)))
        arm = sub(vector_at(poses, at, X_END), about)
        total = add(total, cross(arm, scale(vector_at(twists, at, V_END), bodies[i, MASS])))
    return total


@kernel
def find_centre(bodies: Floats, tags: Ints, work: Work, link: int) -> tuple[Vec3, Vec3]:
    """Centre of mass of a linkage of the group at the step's end, and its velocity."""
    mass = 0.0
    x = v = (0.0, 0.0, 0.0)
    for at in range(work.sizes[BODIES]):
        if not is_part(tags, work, at, link):
            continue
        m = bodies[work.body[at], MASS]
        mass += m
        x = add(x, scale(vector_at(work.poses, at, X_END), m))
        v = add(v, scale(vector_at(work.twists, at, V_END), m))
    return scale(x, 1.0 / mass), scale(v, 1.0 / mass)


@kernel
def turn_for(bodies: Floats, tags: Ints, work: Work, link: int, centre: Vec3, momentum: Vec3) -> Vec3:
    """The angular velocity with which a linkage, as one rigid body about its centre, has that angular momentum."""
    inertia: K6 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for at in range(work.sizes[BODIES]):
        if not is_part(tags, work, at, link):
            continue
        i = work.body[at]
        r = sub(vector_at(work.poses, at, X_END), centre)
        m = bodies[i, MASS]
        inertia = add_k(inertia, response(0.0, (m, m, m), (1.0, 0.0, 0.0, 0.0), r))
        inertia = add_k(inertia, own_inertia(bodies, i, quat_at(work.poses, at, Q_END)))
    factor, regular = factor_k(inertia)
    return solve_k(factor, momentum) if regular else (0.0, 0.0, 0.0)


@kernel
def own_inertia(bodies: Floats, i: int, q: Quat) -> K6:
    """The inertia of body i about its centre of mass, world axes (xx, yy, zz, yz, xz, xy) [kg m^2]."""
    x = own_momentum(bodies, i, q, (1.0, 0.0, 0.0))
    y = own_momentum(bodies, i, q, (0.0, 1.0, 0.0))
    z = own_momentum(bodies, i, q, (0.0, 0.0, 1.0))
    return (x[0], y[1], z[2], z[1], z[0], y[0])


@kernel
def rigid_motion(model: Model, work: Work, link: int) -> Rigid:
    """How a linkage moves as one body at the step's end, with its momentum; not at all if it hangs on the ground."""
    zero = (0.0, 0.0, 0.0)
    if not hangs_free(model.tags, model.joints, link):
        return zero, zero, zero
    centre, v = find_centre(model.bodies, model.tags, work, link)
    momentum = turning_momentum(model.bodies, model.tags, work, link, centre)
    return centre, v, turn_for(model.bodies, model.tags, work, link, centre, momentum)


@kernel
def keep_momentum(bodies: Floats, tags: Ints, work: Work, h: float) -> None:
    """Let the bodies of a step h end it with the angular momentum that forces leave them, whatever corrections do.

    Pseudo-velocities move bodies and not their velocities. Each has about its own centre what it had with the inertia
    that it would have without, as linkages have already; in a group that touches nothing fixed, about the common centre
    what it would have had without being moved. What the ways of linkages change there, all turn on together by.
    """
    on = _common_velocity(bodies, tags, work)
    for at in range(work.sizes[BODIES]):
        if tags[work.body[at], LINKAGE] < 0:
            change_end(work.twists, at, (0.0, 0.0, 0.0), _lacking_spin(bodies, work, at, h, on))
    if work.sizes[GROUNDED] == 0 and work.sizes[LINKAGES] > 0:
        about = vector_at(work.poses, 0, X)
        momentum = (work.link[PURE_MOMENTUM], work.link[PURE_MOMENTUM + 1], work.link[PURE_MOMENTUM + 2])
        _turn_to(bodies, tags, work, ALL, about, momentum)


@kernel
def _common_velocity(bodies: Floats, tags: Ints, work: Work) -> Vec3:
    """Of the centre of a group that touches nothing fixed, at the step's end; any for others."""
    if work.sizes[GROUNDED] == 1:
        return (0.0, 0.0, 0.0)
    _, v = find_centre(bodies, tags, work, ALL)
    return v


@kernel
def note_spins(bodies: Floats, tags: Ints, joints: Joints, work: Work) -> None:
    """The angular momentum that linkages which hang on nothing have about their centres at the step's end."""
    for n in range(work.sizes[LINKAGES]):
        link = work.linkage[n]
        if hangs_free(tags, joints, link):
            centre, _ = find_centre(bodies, tags, work, link)
            momentum = turning_momentum(bodies, tags, work, link, centre)
            for c in range(3):
                work.poses[_first_row(tags, work, link), PURE_SPIN + c] = momentum[c]


@kernel
def keep_spins(bodies: Floats, tags: Ints, joints: Joints, work: Work) -> None:
    """Let them end the step with that, wherever corrections and joints have moved their bodies."""
    for n in range(work.sizes[LINKAGES]):
        link = work.linkage[n]
        if hangs_free(tags, joints, link):
            centre, _ = find_centre(bodies, tags, work, link)
            _turn_to(bodies, tags, work, link, centre, vector_at(work.poses, _first_row(tags, work, link), PURE_SPIN))


@kernel
def _first_row(tags: Ints, work: Work, link: int) -> int:
    at = 0
    while tags[work.body[at], LINKAGE] != link:
        at += 1
    return at


@kernel
def _turn_to(bodies: Floats, tags: Ints, work: Work, link: int, about: Vec3, momentum: Vec3) -> None:
    """Turn a linkage on, as one rigid body, so that this is its angular momentum about a point at the end [N m s]."""
    centre, _ = find_centre(bodies, tags, work, link)
    lacks = sub(momentum, turning_momentum(bodies, tags, work, link, about))
    spin = turn_for(bodies, tags, work, link, centre, lacks)
    for at in range(work.sizes[BODIES]):
        if is_part(tags, work, at, link):
            arm = sub(vector_at(work.poses, at, X_END), centre)
            change_end(work.twists, at, cross(spin, arm), spin)


@kernel
def _lacking_spin(bodies: Floats, work: Work, at: int, h: float, on: Vec3) -> Vec3:
    """What row `at` has to turn faster at the step's end, for its angular momentum to be that without corrections.

    on: velocity of the common centre; a body that touches something fixed keeps what it has about its own.
    """
    i, push, turn = work.body[at], vector_at(work.twists, at, V_PSEUDO), vector_at(work.twists, at, W_PSEUDO)
    lacks = (0.0, 0.0, 0.0)
    if work.sizes[GROUNDED] == 0:
        way = scale(push, h * bodies[i, MASS])
        lacks = cross(sub(vector_at(work.twists, at, V_END), on), way)
    q_end = quat_at(work.poses, at, Q_END)
    if turn != (0.0, 0.0, 0.0):
        q, w = quat_at(work.poses, at, Q), vector_at(work.twists, at, W_END)
        unpushed = turned(q, rotate_inverse(q, sub(mean_spin(work.twists, at), turn)), h)
        lacks = add(lacks, sub(own_momentum(bodies, i, unpushed, w), own_momentum(bodies, i, q_end, w)))
    return lacks if lacks == (0.0, 0.0, 0.0) else turn_by(bodies, i, q_end, lacks)


@kernel
def change_end(twists: Floats, at: int, v: Vec3, w: Vec3) -> None:
    """Add to the velocities of row `at` at the step's end, and not to where it is then."""
    for c in range(3):
        twists[at, V_END + c] += v[c]
        twists[at, W_END + c] += w[c]
        twists[at, V_FLOW + c] -= 0.5 * v[c]
        twists[at, W_FLOW + c] -= 0.5 * w[c]


@kernel
def limit_energy(model: Model, work: Work, h: float, ceiling: float) -> None:
    """Poses at the end of the step. Where corrections would give the bodies more energy there than `ceiling` [J], they
    are smaller; what linkages then have too much, by how they are integrated, slows them down."""
    over = inf
    placed = False
    for _ in range(_SMALLER):
        energy, gain = _energy_at_end(model.bodies, model.tags, work, h)
        over = energy - ceiling
        placed = over <= 0.0 or not gain > 0.0
        if placed:
            break
        part = max(1.0 - over / gain, 0.0)
        for at in range(work.sizes[BODIES]):
            for c in range(6):
                work.twists[at, V_PSEUDO + c] *= part
    for at in range(0 if placed else work.sizes[BODIES]):
        place_at_end(work.twists, work.poses, at, h)
    if work.sizes[LINKAGES] > 0 and over > 0.0:
        slow_down(model, work, over)


@kernel
def _energy_at_end(bodies: Floats, tags: Ints, work: Work, h: float) -> tuple[float, float]:
    """The energy of the bodies at the step's end, with the poses there; how much of that corrections have made [J]."""
    twists, poses = work.twists, work.poses
    energy = pure = lift = 0.0
    on = _common_velocity(bodies, tags, work)
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        if work.sizes[PAIRS_HELD] > 0 or tags[i, LINKAGE] < 0:  # what swings free is where its flow has led it
            place_at_end(twists, poses, at, h)
        v, w = vector_at(twists, at, V_END), vector_at(twists, at, W_END)
        if tags[i, LINKAGE] < 0:
            w = add(w, _lacking_spin(bodies, work, at, h, on))
        energy += energy_of(bodies, i, vector_at(poses, at, X_END), quat_at(poses, at, Q_END), v, w)
        pure += poses[at, PURE_ENERGY]
        for c in range(3):
            lift -= bodies[i, MASS] * bodies[i, GRAVITY + c] * h * twists[at, V_PSEUDO + c]
    return energy, lift if work.sizes[LINKAGES] > 0 else energy - pure


@kernel
def slow_down(model: Model, work: Work, over: float) -> None:
    """Take so much [J] from the velocities at the end with which the bodies of linkages do not move as one."""
    twists = work.twists
    kinetic = 0.0
    for n in range(work.sizes[LINKAGES]):
        kinetic += _inner_energy(model, work, work.linkage[n])
    slower = sqrt(max(1.0 - over / kinetic, 0.0)) if kinetic > 0.0 else 1.0
    for n in range(work.sizes[LINKAGES]):
        link = work.linkage[n]
        rigid = rigid_motion(model, work, link)
        for at in range(work.sizes[BODIES]):
            if is_part(model.tags, work, at, link):
                v, w = _inner_motion(work, rigid, at)
                change_end(twists, at, scale(v, slower - 1.0), scale(w, slower - 1.0))


@kernel
def _inner_motion(work: Work, rigid: Rigid, at: int) -> tuple[Vec3, Vec3]:
    """What row `at` does at the step's end besides moving with that."""
    centre, v_all, w_all = rigid
    arm = sub(vector_at(work.poses, at, X_END), centre)
    v = sub(vector_at(work.twists, at, V_END), add(v_all, cross(w_all, arm)))
    return v, sub(vector_at(work.twists, at, W_END), w_all)


@kernel
def _inner_energy(model: Model, work: Work, link: int) -> float:
    """Kinetic energy [J] of what the bodies of a linkage do at the step's end besides moving as one."""
    rigid = rigid_motion(model, work, link)
    total = 0.0
    for at in range(work.sizes[BODIES]):
        if is_part(model.tags, work, at, link):
            v, w = _inner_motion(work, rigid, at)
            q = quat_at(work.poses, at, Q_END)
            total += energy_of(model.bodies, work.body[at], (0.0, 0.0, 0.0), q, v, w)
    return total
