"""What a step may end with: no more energy than there was, and the momentum that there was.

A step may end with the energy that the group had, with what kinematic bodies put in, and with its budget for position
correction: a small part of what its contacts took before (a stack that has sunk within its envelopes may be lifted
again). Where that is not enough, pseudo-velocities are made smaller. Impulses that would put in energy are smaller
already (engine.group.solve.impulses); only what linkages gain by their integration slows them down, by no force.

What touches nothing fixed keeps its momentum, linear and angular, whatever its group does. Its velocities are those of
one rigid body and what is left, which has no momentum: only that is made smaller. And where pseudo-velocities have
changed how the bodies lie, they turn on together by so much that the angular momentum is what it was.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.group.bodies import energy_of, mean_spin, place_at_end
from engine.group.work import (
    BODIES,
    GROUNDED,
    LINKAGES,
    PURE_ENERGY,
    PURE_MOMENTUM,
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
from engine.kernel import kernel
from engine.maths.quaternions import Quat, quat_at, rotate, rotate_inverse
from engine.maths.vectors import Vec3, add, cross, scale, sub, vector_at
from engine.model.model import GRAVITY, MASS, MOMENTS, Floats
from engine.motion.held import turned

_SMALLER = 4  # times that corrections are made smaller: what they give the bodies is not quite linear in them

Rigid = tuple[Vec3, Vec3, Vec3]
"""Centre of mass, its velocity, and angular velocity of what moves as one body."""


@kernel
def own_momentum(bodies: Floats, i: int, q: Quat, w: Vec3) -> Vec3:
    """Angular momentum of body i about its centre of mass, world axes [N m s]."""
    spin = rotate_inverse(q, w)
    moments = (bodies[i, MOMENTS], bodies[i, MOMENTS + 1], bodies[i, MOMENTS + 2])
    return rotate(q, (moments[0] * spin[0], moments[1] * spin[1], moments[2] * spin[2]))


@kernel
def turning_momentum(bodies: Floats, work: Work, about: Vec3) -> Vec3:
    """Angular momentum of the group about a point, at the step's end [N m s]."""
    twists, poses = work.twists, work.poses
    total = (0.0, 0.0, 0.0)
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        total = add(total, own_momentum(bodies, i, quat_at(poses, at, Q_END), vector_at(twists, at, W_END)))
        arm = sub(vector_at(poses, at, X_END), about)
        total = add(total, cross(arm, scale(vector_at(twists, at, V_END), bodies[i, MASS])))
    return total


@kernel
def find_centre(bodies: Floats, work: Work) -> tuple[Vec3, Vec3]:
    """Centre of mass of the group at the step's end, and its velocity."""
    mass = 0.0
    x = v = (0.0, 0.0, 0.0)
    for at in range(work.sizes[BODIES]):
        m = bodies[work.body[at], MASS]
        mass += m
        x = add(x, scale(vector_at(work.poses, at, X_END), m))
        v = add(v, scale(vector_at(work.twists, at, V_END), m))
    return scale(x, 1.0 / mass), scale(v, 1.0 / mass)


@kernel
def turn_for(bodies: Floats, work: Work, centre: Vec3, momentum: Vec3) -> Vec3:
    """The angular velocity with which the group, as one rigid body about its centre, has that angular momentum."""
    inertia: K6 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for at in range(work.sizes[BODIES]):
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
def rigid_motion(bodies: Floats, work: Work) -> Rigid:
    """How the group moves as one body at the step's end, with its momentum; it does not where it touches the ground."""
    zero = (0.0, 0.0, 0.0)
    if work.sizes[GROUNDED] != 0:
        return zero, zero, zero
    centre, v = find_centre(bodies, work)
    return centre, v, turn_for(bodies, work, centre, turning_momentum(bodies, work, centre))


@kernel
def keep_momentum(bodies: Floats, work: Work, h: float) -> None:
    """Let the bodies of a step h end it with the angular momentum that forces leave them, whatever corrections do.

    Pseudo-velocities move bodies and not their velocities. Each has about its own centre what it had with the inertia
    that it would have without; a group that touches nothing fixed turns on together by what has gone with its ways.
    """
    for at in range(work.sizes[BODIES]):
        _keep_spin(bodies, work, at, h)
    if work.sizes[GROUNDED] != 0:
        return
    about = vector_at(work.poses, 0, X)
    momentum = (work.link[PURE_MOMENTUM], work.link[PURE_MOMENTUM + 1], work.link[PURE_MOMENTUM + 2])
    centre, _ = find_centre(bodies, work)
    spin = turn_for(bodies, work, centre, sub(momentum, turning_momentum(bodies, work, about)))
    for at in range(work.sizes[BODIES]):
        arm = sub(vector_at(work.poses, at, X_END), centre)
        change_end(work.twists, at, cross(spin, arm), spin)


@kernel
def _keep_spin(bodies: Floats, work: Work, at: int, h: float) -> None:
    change_end(work.twists, at, (0.0, 0.0, 0.0), _lacking_spin(bodies, work, at, h))


@kernel
def _lacking_spin(bodies: Floats, work: Work, at: int, h: float) -> Vec3:
    """What row `at` has to turn faster at the step's end, for its angular momentum to be that without corrections."""
    i, push = work.body[at], vector_at(work.twists, at, W_PSEUDO)
    if push == (0.0, 0.0, 0.0):
        return push
    q, w = quat_at(work.poses, at, Q), vector_at(work.twists, at, W_END)
    unpushed = turned(q, rotate_inverse(q, sub(mean_spin(work.twists, at), push)), h)
    q_end = quat_at(work.poses, at, Q_END)
    lacks = sub(own_momentum(bodies, i, unpushed, w), own_momentum(bodies, i, q_end, w))
    return turn_by(bodies, i, q_end, lacks)


@kernel
def change_end(twists: Floats, at: int, v: Vec3, w: Vec3) -> None:
    """Add to the velocities of row `at` at the step's end, and not to where it is then."""
    for c in range(3):
        twists[at, V_END + c] += v[c]
        twists[at, W_END + c] += w[c]
        twists[at, V_FLOW + c] -= 0.5 * v[c]
        twists[at, W_FLOW + c] -= 0.5 * w[c]


@kernel
def limit_energy(bodies: Floats, work: Work, h: float, ceiling: float) -> None:
    """Poses at the end of the step. Where corrections would give the bodies more energy there than `ceiling` [J], they
    are smaller; what linkages then have too much, by how they are integrated, slows the group down."""
    linked = work.sizes[LINKAGES] > 0
    over = inf
    placed = False
    for _ in range(_SMALLER):
        energy, gain = _energy_at_end(bodies, work, h)
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
    if linked and over > 0.0:
        slow_down(bodies, work, over)


@kernel
def _energy_at_end(bodies: Floats, work: Work, h: float) -> tuple[float, float]:
    """The energy of the bodies at the step's end, with the poses there; how much of that corrections have made [J]."""
    twists, poses = work.twists, work.poses
    energy = pure = lift = 0.0
    for at in range(work.sizes[BODIES]):
        place_at_end(twists, poses, at, h)
        i = work.body[at]
        v, w = vector_at(twists, at, V_END), add(vector_at(twists, at, W_END), _lacking_spin(bodies, work, at, h))
        energy += energy_of(bodies, i, vector_at(poses, at, X_END), quat_at(poses, at, Q_END), v, w)
        pure += poses[at, PURE_ENERGY]
        for c in range(3):
            lift -= bodies[i, MASS] * bodies[i, GRAVITY + c] * h * twists[at, V_PSEUDO + c]
    return energy, lift if work.sizes[LINKAGES] > 0 else energy - pure


@kernel
def slow_down(bodies: Floats, work: Work, over: float) -> None:
    """Take so much [J] from the velocities at the end with which bodies do not move as one."""
    twists = work.twists
    rigid = rigid_motion(bodies, work)
    kinetic = _inner_energy(bodies, work, rigid)
    slower = sqrt(max(1.0 - over / kinetic, 0.0)) if kinetic > 0.0 else 1.0
    centre, v_all, w_all = rigid
    for at in range(work.sizes[BODIES]):
        arm = sub(vector_at(work.poses, at, X_END), centre)
        v = sub(vector_at(twists, at, V_END), add(v_all, cross(w_all, arm)))
        w = sub(vector_at(twists, at, W_END), w_all)
        change_end(twists, at, scale(v, slower - 1.0), scale(w, slower - 1.0))


@kernel
def _inner_energy(bodies: Floats, work: Work, rigid: Rigid) -> float:
    """Kinetic energy [J] of what bodies do at the step's end besides moving as one."""
    centre, v_all, w_all = rigid
    total = 0.0
    for at in range(work.sizes[BODIES]):
        arm = sub(vector_at(work.poses, at, X_END), centre)
        v = sub(vector_at(work.twists, at, V_END), add(v_all, cross(w_all, arm)))
        w = sub(vector_at(work.twists, at, W_END), w_all)
        total += energy_of(bodies, work.body[at], (0.0, 0.0, 0.0), quat_at(work.poses, at, Q_END), v, w)
    return total
