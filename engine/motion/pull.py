"""The mouse's spring: a forced arc, as free flight between kicks.

A body that is pulled flies exact ballistic arcs; every KICK_PERIOD, or more often if the spring is stiff, its impulse
over that time changes the velocity (a splitting of the equations of motion, symplectic without the damper). So every
bound of ballistic arcs holds as it is, and there is nothing to integrate ahead and to interpolate. What a contact group
holds is not kicked, unless it is tied to others and swings freely: steps bear the spring (engine.group.pulled).
"""

from __future__ import annotations

from math import inf, sqrt

from engine.kernel import kernel
from engine.maths.quaternions import rotate
from engine.maths.vectors import Vec3, add, add_scaled, cross, dot
from engine.model.model import FREE, INV_MASS, INV_MOMENTS, KIND, LINKAGE, Floats, Ints
from engine.model.state import (
    PULL_BODY,
    PULL_DAMPING,
    PULL_NEXT,
    PULL_POINT,
    PULL_STIFFNESS,
    PULL_TARGET,
)
from engine.motion.arcs import evolve
from engine.motion.ballistic import gravity_of
from engine.motion.motion import Side
from engine.tolerances import KICK_PERIOD, SHORTEST_STEP


@kernel
def pull_impulse(bodies: Floats, tags: Ints, arcs: Floats, pull: Floats, i: int, t: float) -> tuple[bool, Side, Vec3]:
    """The spring's impulse of one period on body i at time t [N s], and where; False if it cannot be moved."""
    motion = evolve(bodies, tags, arcs, i, t)
    if pull[PULL_BODY] != i or tags[i, KIND] != FREE:
        pull[PULL_NEXT] = inf
        return False, Side(i, motion, (0.0, 0.0, 0.0)), (0.0, 0.0, 0.0)
    x, q, v, w = motion
    r = rotate(q, (pull[PULL_POINT], pull[PULL_POINT + 1], pull[PULL_POINT + 2]))
    u = add(v, cross(w, r))
    spins = bodies[i, INV_MOMENTS] + bodies[i, INV_MOMENTS + 1] + bodies[i, INV_MOMENTS + 2]
    mobility = bodies[i, INV_MASS] + spins * dot(r, r)
    k, c, period = held_spring(pull, mobility, SHORTEST_STEP * KICK_PERIOD, KICK_PERIOD)
    pull[PULL_NEXT] = t + period
    if tags[i, LINKAGE] < 0:  # the damper takes the mean velocity since the last kick: what hangs still has none
        u = add_scaled(u, gravity_of(bodies, i), -0.5 * period)
    p = (
        period * (k * (pull[PULL_TARGET] - x[0] - r[0]) - c * u[0]),
        period * (k * (pull[PULL_TARGET + 1] - x[1] - r[1]) - c * u[1]),
        period * (k * (pull[PULL_TARGET + 2] - x[2] - r[2]) - c * u[2]),
    )
    return True, Side(i, motion, r), p


@kernel
def held_spring(pull: Floats, mobility: float, shortest: float, longest: float) -> tuple[float, float, float]:
    """Stiffness and damping of a spring whose force is held as it is at one instant, and for how long that may be [s].

    mobility: no impulse at the point that it holds gives that more speed for its size [1/kg]. Through a time h the
    motion is stable while h^2 k K + 2 h c K < 4, K being the mobility. One too stiff for the shortest time is softer.
    """
    k, c = pull[PULL_STIFFNESS], pull[PULL_DAMPING]
    h = 1.0 / max(sqrt(k * mobility), c * mobility)
    softer = min(h / shortest, 1.0)
    return softer * softer * k, softer * c, max(min(h, longest), shortest)
