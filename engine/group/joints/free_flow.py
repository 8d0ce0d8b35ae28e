"""What a linkage that hangs on nothing keeps while it flows: its weight alone changes how its common centre moves, and
where all of it falls alike, nothing changes its angular momentum about that.

The flow of joint coordinates is as good as its tolerance, that of momentum to rounding: what it has astray is given
back to the bodies as to one rigid body, which no joint feels.
"""

from __future__ import annotations

from engine.group.energy import own_inertia, own_momentum
from engine.impulse.collision_matrix import K6, add_k, factor_k, response, solve_k
from engine.joints.tables import FLOW_V, FLOW_W, POSE
from engine.kernel import kernel
from engine.maths.quaternions import quat_at
from engine.maths.vectors import Vec3, add, add_scaled, cross, scale, sub, vector_at
from engine.model.joints import ENTRIES, ENTRY_BODY, FIRST_ENTRY, Joints
from engine.model.model import GRAVITY, MASS, Floats

Momenta = tuple[Vec3, Vec3, Vec3]
"""Common centre, its velocity, and the angular momentum about it."""


@kernel
def momenta_of(bodies: Floats, joints: Joints, flow: Floats, link: int) -> Momenta:
    """Those of a linkage of nothing but dynamic entries."""
    first = joints.linkages[link, FIRST_ENTRY]
    last = first + joints.linkages[link, ENTRIES]
    mass = 0.0
    x = v = spin = (0.0, 0.0, 0.0)
    for e in range(first, last):
        m = bodies[joints.entries[e, ENTRY_BODY], MASS]
        mass += m
        x = add_scaled(x, vector_at(flow, e, POSE), m)
        v = add_scaled(v, vector_at(flow, e, FLOW_V), m)
    x, v = scale(x, 1.0 / mass), scale(v, 1.0 / mass)
    for e in range(first, last):
        i = joints.entries[e, ENTRY_BODY]
        orbital = cross(sub(vector_at(flow, e, POSE), x), sub(vector_at(flow, e, FLOW_V), v))
        own = own_momentum(bodies, i, quat_at(flow, e, POSE + 3), vector_at(flow, e, FLOW_W))
        spin = add(spin, add_scaled(own, orbital, bodies[i, MASS]))
    return x, v, spin


@kernel
def keep_momenta(bodies: Floats, joints: Joints, flow: Floats, link: int, begun: Momenta, h: float) -> None:
    """Let a linkage that had those before it flowed for a time h go on with what its weight makes of them."""
    first = joints.linkages[link, FIRST_ENTRY]
    last = first + joints.linkages[link, ENTRIES]
    x, v, spin = momenta_of(bodies, joints, flow, link)
    weight, alike = _falls(bodies, joints, link)
    faster = sub(add_scaled(begun[1], weight, h), v)
    way = sub(add_scaled(begun[0], add_scaled(begun[1], weight, 0.5 * h), h), x)
    turn = _turn_for(bodies, joints, flow, link, x, sub(begun[2], spin)) if alike else (0.0, 0.0, 0.0)
    for e in range(first, last):
        more = add(faster, cross(turn, sub(vector_at(flow, e, POSE), x)))
        for k in range(3):
            flow[e, POSE + k] += way[k]
            flow[e, FLOW_V + k] += more[k]
            flow[e, FLOW_W + k] += turn[k]


@kernel
def _falls(bodies: Floats, joints: Joints, link: int) -> tuple[Vec3, bool]:
    """The acceleration of the common centre by what acts on the bodies [m/s^2]. Is that the one of each of them?"""
    first = joints.linkages[link, FIRST_ENTRY]
    mass = 0.0
    total = (0.0, 0.0, 0.0)
    own = vector_at(bodies, joints.entries[first, ENTRY_BODY], GRAVITY)
    alike = True
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        i = joints.entries[e, ENTRY_BODY]
        mass += bodies[i, MASS]
        total = add_scaled(total, vector_at(bodies, i, GRAVITY), bodies[i, MASS])
        alike = alike and vector_at(bodies, i, GRAVITY) == own
    return scale(total, 1.0 / mass), alike


@kernel
def _turn_for(bodies: Floats, joints: Joints, flow: Floats, link: int, centre: Vec3, momentum: Vec3) -> Vec3:
    """The angular velocity with which a linkage, as one rigid body, has that angular momentum."""
    inertia: K6 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    first = joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        i = joints.entries[e, ENTRY_BODY]
        m = bodies[i, MASS]
        arm = sub(vector_at(flow, e, POSE), centre)
        inertia = add_k(inertia, response(0.0, (m, m, m), (1.0, 0.0, 0.0, 0.0), arm))
        inertia = add_k(inertia, own_inertia(bodies, i, quat_at(flow, e, POSE + 3)))
    factor, regular = factor_k(inertia)
    return solve_k(factor, momentum) if regular else (0.0, 0.0, 0.0)
